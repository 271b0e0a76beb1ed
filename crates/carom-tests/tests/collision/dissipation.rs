//! Restitution and friction at impacts.

use super::{Tally, Walk, number, reference};

const K: f64 = 9.81 * 9.81 * 0.005 * 0.005 / 8.0;

#[test]
fn restitution_and_friction_of_the_star() {
    let reference = &reference()["dissipative"];
    let mut tally = Tally::default();
    for (key, e, mu) in
        [("e1_mu0", 1.0, 0.0), ("e0.8_mu0", 0.8, 0.0), ("e0.8_mu0.3", 0.8, 0.3), ("e0.5_mu0", 0.5, 0.0)]
    {
        let edits = [format!("parameters.e={e}"), format!("parameters.mu={mu}")];
        let mut walk = Walk::new("star-body", "vci", &[&edits[0], &edits[1]]);
        for (k, expected) in reference[key]["log"].as_array().expect("a list").iter().enumerate() {
            let before = loop {
                let before = walk.energy();
                if walk.step().impacts > 0 {
                    break before;
                }
            };
            let label = format!("{key}, impact {k}");
            let event = walk.events()[0];
            assert_eq!(Some(walk.steps), expected["step"].as_u64(), "{label}");
            // The motion is chaotic: errors grow by about 30 with every impact.
            let tolerance = 1e-11 * 30_f64.powi(k as i32);
            tally.check(&label, event.alpha, number(&expected["alpha"]), tolerance);
            tally.check(&label, event.work, number(&expected["dE_law"]), tolerance);
            let change = walk.energy() - before;
            tally.check(&label, change, number(&expected["dH"]), tolerance);
            // What the law does not take is the jump of the elastic impact.
            tally.check(&label, change - event.work, K * (1.0 - 2.0 * event.alpha), 1e-11);
        }
    }
    tally.settle("star, restitution and friction");
}

#[test]
fn no_impact_creates_energy_whatever_the_coefficients() {
    let mut stuck = 0;
    for k in 0..60 {
        let (e, mu) = (f64::from(k % 6) * 0.2, f64::from(k / 6) * 0.3);
        let edits = [
            format!("parameters.e={e}"),
            format!("parameters.mu={mu}"),
            format!("parameters.angle={}", 0.1 * f64::from(k)),
        ];
        let edits: Vec<&str> = edits.iter().map(String::as_str).collect();
        let mut walk = Walk::new("star-body", "cva capture=true", &edits);
        let mut gaps = [0.0; 4];
        let mut flies = |walk: &Walk| {
            walk.scene.problem.system.contacts().gaps(walk.state.t, &walk.state.q, &mut gaps);
            gaps.iter().all(|gap| *gap > 1e-9)
        };
        for _ in 0..600 {
            let (before, flew) = (walk.energy(), flies(&walk));
            let report = walk.step();
            // Contacts that are held have the energy error of the base rule, O(h²); impacts alone have none in uniform gravity.
            if flew && flies(&walk) && report.captured == 0 {
                let change = walk.energy() - before - report.impact_work;
                assert!(
                    report.impact_work <= 0.0 && change.abs() < 1e-12 && walk.energy() <= before + 1e-12,
                    "e = {e}, mu = {mu}: {change:e}"
                );
                stuck += u32::from(report.impacts > 0);
            }
        }
    }
    println!("{stuck} steps with impacts");
    assert!(stuck > 300);
}

#[test]
fn a_sliding_particle_is_stopped_by_friction() {
    // On the floor with e = 0: friction μ g takes the speed 2 in 2/(μ g) seconds.
    let text = "
[[particle]]
name = 'ball'
mass = 1
position = [0, 0.5]
velocity = [2, 0]
[[field]]
gravity = [0, -10]
[[wall]]
normal = [0, 1]
friction = 0.2
restitution = 0
[method]
name = 'cva'
[run]
step = 0.01
until = 3
";
    let scene = carom_tests::runs::scene("slide", text, &[]);
    for name in ["cva", "vci"] {
        let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
        let mut state = scene.problem.initial.clone();
        let mut speeds = Vec::new();
        for _ in 0..300 {
            step.step(&*scene.problem.system, &mut state, 0.01).expect("a step");
            speeds.push(state.p[0]);
        }
        // The impact takes μ times its normal impulse, 0.2 √10; then sliding takes 0.02 a step.
        let landed = 2.0 - 0.2 * 10.0_f64.sqrt();
        let at = |t: f64| speeds[(t * 100.0).round() as usize - 1];
        assert!((at(0.5) - (landed - 2.0 * (0.5 - 0.1_f64.sqrt()))).abs() < 1e-9, "{name}: {} {landed}", at(0.5));
        let stop = 0.1_f64.sqrt() + landed / 2.0;
        println!("{name}: stops at {stop:.3}; {:?}", &speeds[98..104]);
        assert!(at(stop + 0.02) == 0.0 && at(stop - 0.02) > 0.0, "{name}");
        assert_eq!(state.p[0], 0.0);
        assert!(state.q[1].abs() < 1e-15);
    }
}

/// A particle on a slope of 30° in gravity 10, by coefficient of friction and step; how far it went down in 2 s.
fn down_the_slope(name: &str, mu: f64, h: f64) -> f64 {
    let text = format!(
        "
[[particle]]
name = 'block'
mass = 2
position = [0, 0]
[[field]]
gravity = [0, -10]
[[wall]]
normal = [-0.5, '0.5*sqrt(3)']
friction = {mu}
restitution = 0
[method]
name = 'cva'
[run]
step = {h}
until = 2
"
    );
    let scene = carom_tests::runs::scene("slope", &text, &[]);
    let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
    let mut state = scene.problem.initial.clone();
    carom_tests::runs::advance(&scene, &mut *step, &mut state, h, (2.0 / h).round() as u64);
    state.q[0].hypot(state.q[1])
}

#[test]
fn a_block_sticks_to_a_slope_or_slides_down_by_the_right_acceleration() {
    for name in ["cva", "vci"] {
        for h in [0.1, 0.01] {
            // tan 30° = 0.577.
            for mu in [0.6, 0.8, 10.0] {
                let way = down_the_slope(name, mu, h);
                assert!(way < 1e-13, "{name}, mu = {mu}, h = {h}: {way:e}");
            }
            // ½ a t² with a = g (sin 30° − μ cos 30°), exactly: the forces are constant.
            for mu in [0.1, 0.5] {
                let exact = 2.0 * 10.0 * (0.5 - mu * 0.75_f64.sqrt());
                let way = down_the_slope(name, mu, h);
                assert!((way - exact).abs() < 1e-12 * exact, "{name}, mu = {mu}, h = {h}: {way}, {exact}");
            }
        }
    }
}

#[test]
fn momentum_along_a_rough_floor_is_not_called_conserved() {
    for (mu, conserved) in [("0", true), ("0.3", false)] {
        let scene = carom_tests::runs::built_in("star-body", &[&format!("parameters.mu={mu}")]);
        let (_, summary) = carom_tests::runs::measured(&scene, &carom_tests::runs::method("cva"), 0.005, 10);
        assert_eq!(summary.linear().1.is_some(), conserved, "mu = {mu}");
    }
}

#[test]
fn a_block_in_space_sticks_to_a_slope_too() {
    let text = "
[[particle]]
name = 'block'
mass = 2
position = [0, 0, 0]
[[field]]
gravity = [1, 2, -10]
[[wall]]
normal = [0, 0, 1]
friction = 0.3
restitution = 0
[method]
name = 'cva'
[run]
step = 0.01
until = 2
";
    let scene = carom_tests::runs::scene("block", text, &[]);
    for (name, way) in [("cva", 0.0), ("cva friction=0.1", 2.0 * (5.0_f64.sqrt() - 1.0))] {
        let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
        let mut state = scene.problem.initial.clone();
        carom_tests::runs::advance(&scene, &mut *step, &mut state, 0.01, 200);
        let found = state.q[0].hypot(state.q[1]);
        assert!((found - way).abs() < 1e-12, "{name}: {found:e}, {way}");
    }
}

/// The first impact of the star with restitution 0.8 and growing friction. Its slip is turned round by the impact, so that friction, which is against
/// the slip after it, pushes along the slip before: beyond some μ more of it takes less energy. Nothing jumps.
#[test]
fn friction_stops_the_star_without_a_jump() {
    let (mut losses, mut momenta) = (Vec::new(), Vec::new());
    for k in 0..=400 {
        let mu = 0.0005 * f64::from(k);
        let edits = ["parameters.e=0.8".to_string(), format!("parameters.mu={mu}")];
        let mut walk = Walk::new("star-body", "cva", &[&edits[0], &edits[1]]);
        assert_eq!(walk.to_impact().lowered, 0);
        losses.push(-walk.events()[0].work);
        momenta.push(walk.state.p[0]);
    }
    let jump = |values: &[f64]| values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    let (of_loss, of_momentum) = (jump(&losses), jump(&momenta));
    println!("loss {:.4} … {:.4} J, largest change {of_loss:.4}", losses[0], losses[400]);
    println!("p_x {:.4} … {:.4}, largest change {of_momentum:.4}", momenta[0], momenta[400]);
    // 400 steps to a change of 0.8 and 1.2.
    assert!(of_loss < 0.025 && of_momentum < 0.025, "{of_loss} {of_momentum}");
    // Towards stick, and then no further.
    assert!(momenta.windows(2).all(|pair| pair[1] >= pair[0] - 1e-12), "{momenta:?}");
    assert_eq!(losses[400], losses[399]);
    assert!(losses.iter().all(|loss| *loss > 0.0));
}
