//! Dry friction of particles on walls and on each other.

use carom_tests::runs::{advance, method, scene, stepper};

use crate::run;

/// A particle on an incline: gravity is turned instead of the floor.
fn incline(degrees: f64, mu: f64, edits: &[&str]) -> carom_io::scene::Scene {
    let (s, c) = (degrees.to_radians().sin(), degrees.to_radians().cos());
    let text = format!(
        "[[particle]]\nmass = 3.0\nposition = [0.0, 0.0]\n[[field]]\ngravity = [{}, {}]\n[[wall]]\n\
         normal = [0.0, 1.0]\nfriction = {mu}\nrestitution = 0.0\n[method]\nname = 'spook'\n[run]\nstep = '1/60'\nuntil = 2.0\n",
        9.81 * s,
        -9.81 * c
    );
    scene("incline", &text, edits)
}

#[test]
fn below_the_angle_of_friction_a_particle_creeps_by_the_slip_and_no_more() {
    for solver in ["direct", "newton", "pgs", "split"] {
        let scene = incline(20.0, 0.5, &[&format!("method.solver={solver}"), "method.slip=1e-6"]);
        let (outcome, _, _) = run(&scene, &mut |_| {});
        assert_eq!(outcome.ended, None, "{solver}");
        // γ times the tangential force, in metres per second.
        let creep = 1e-6 * 3.0 * 9.81 * 20_f64.to_radians().sin();
        let v = outcome.state.p[0] / 3.0;
        assert!((v - creep).abs() < 1e-3 * creep, "{solver}: {v:e}, expected {creep:e}");
    }
}

#[test]
fn above_it_the_particle_slides_with_the_acceleration_that_is_left() {
    for (solver, law) in [
        ("direct", "cone"),
        ("direct", "box"),
        ("direct", "polygon"),
        ("newton", "cone"),
        ("pgs", "cone"),
        ("split", "cone"),
    ] {
        let edits = [format!("method.solver={solver}"), format!("method.friction_law={law}")];
        let scene = incline(30.0, 0.3, &edits.iter().map(String::as_str).collect::<Vec<_>>());
        let mut speeds = Vec::new();
        let (outcome, _, _) = run(&scene, &mut |frame| speeds.push(frame.v[0]));
        assert_eq!(outcome.ended, None, "{solver} {law}");
        let angle = 30_f64.to_radians();
        let expected = 9.81 * (angle.sin() - 0.3 * angle.cos());
        let found = (speeds[110] - speeds[50]) / 1.0;
        assert!((found - expected).abs() < 1e-5 * expected, "{solver} {law}: {found}, expected {expected}");
    }
}

#[test]
fn in_space_the_cone_brakes_against_the_motion_and_the_box_does_not() {
    // Thrown in a direction that is between the tangents of the floor.
    let text = "[[particle]]\nmass = 1.0\nposition = [0.0, 0.0, 0.0]\nvelocity = [3.0, 1.0, 0.0]\n[[field]]\n\
                gravity = [0.0, 0.0, -9.81]\n[[wall]]\nnormal = [0.0, 0.0, 1.0]\nfriction = 0.2\nrestitution = 0.0\n[method]\n\
                name = 'spook'\n[run]\nstep = '1/240'\nuntil = 0.5\n";
    let direction = |law: &str| {
        let scene = scene("thrown", text, &[&format!("method.friction_law={law}")]);
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &scene.method), &mut state, scene.run.h, scene.run.steps);
        (state.p[1].atan2(state.p[0]) - 1_f64.atan2(3.0)).to_degrees()
    };
    assert!(direction("cone").abs() < 1e-6, "{}", direction("cone"));
    assert!(direction("box").abs() > 1.0, "control: the box law turns the motion, by {}", direction("box"));
    assert!(direction("polygon").abs() > 1e-3 && direction("polygon").abs() < 5.0, "{}", direction("polygon"));
}

#[test]
fn particles_rub_on_each_other_and_keep_their_momentum() {
    // Two spheres are pressed together by a spring and slide past each other.
    let text = "[[particle]]\nmass = 1.0\nradius = 0.5\nposition = [0.0, 0.0]\nvelocity = [0.0, 0.4]\n[[particle]]\nmass = 2.0\n\
                radius = 0.5\nposition = [1.0, 0.0]\nvelocity = [0.0, -0.2]\n[[spring]]\nbetween = [0, 1]\nstiffness = 20.0\nrest = 0.5\n\
                [[contact]]\nfriction = 0.5\nrestitution = 0.0\n[method]\nname = 'spook'\n[run]\nstep = 0.002\nuntil = 1.0\n";
    let rough = scene("rubbing", text, &[]);
    let (outcome, summary, ledger) = run(&rough, &mut |_| {});
    assert_eq!(outcome.ended, None);
    assert!(crate::through(&ledger, "friction") < -1e-2, "{ledger:?}");
    let (linear, largest) = summary.linear();
    assert!(largest.expect("conserved") < 1e-13, "{linear:?}");
    // Tangential forces turn the pair, as spheres that do not spin are: linear momentum is kept, angular momentum is not claimed.
    let smooth = scene("rubbing", text, &["method.friction=0.0"]);
    let (_, _, ledger) = run(&smooth, &mut |_| {});
    assert_eq!(crate::through(&ledger, "friction"), 0.0, "control: without friction nothing is rubbed away");
}

#[test]
fn a_restart_amid_contacts_has_the_same_bits() {
    let scene = incline(25.0, 0.4, &[]);
    for text in ["spook", "spook solver=pgs", "spook solver=split", "spook solver=newton"] {
        let method = method(text);
        let whole = {
            let mut state = scene.problem.initial.clone();
            advance(&scene, &mut *stepper(&scene, &method), &mut state, 1.0 / 60.0, 60);
            state
        };
        let mut state = scene.problem.initial.clone();
        let mut first = stepper(&scene, &method);
        advance(&scene, &mut *first, &mut state, 1.0 / 60.0, 30);
        let mut second = stepper(&scene, &method);
        second.recall(first.memory()).expect("its own memory");
        let t0 = state.t;
        for k in 1..=30 {
            second.step(&*scene.problem.system, &mut state, 1.0 / 60.0).expect("it runs");
            state.t = t0 + f64::from(k) / 60.0;
        }
        assert_eq!((&whole.q, &whole.p), (&state.q, &state.p), "{text}");
    }
}

/// Slope of ln|error| over ln h by least squares.
fn slope(steps: &[f64], errors: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = steps.iter().zip(errors).map(|(h, e)| (h.ln(), e.abs().ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / count, sum.1 + p.1 / count));
    let (over, under) =
        points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - x) * (p.1 - y), sum.1 + (p.0 - x).powi(2)));
    over / under
}

/// Steps from 1/60 to 1/6000, evenly spaced in their logarithms.
fn steps() -> Vec<f64> {
    (0..12).map(|k| 100_f64.powf(-f64::from(k) / 11.0) / 60.0).collect()
}

/// That the first coordinate at the end converges to a value.
fn converges(name: &str, text: &str, exact: f64) {
    let last = |h: &f64| {
        let (outcome, _, _) = run(&scene(name, text, &[&format!("run.step={h:e}")]), &mut |_| {});
        assert_eq!(outcome.ended, None, "{name}");
        outcome.state.q[0] - exact
    };
    let errors: Vec<f64> = steps().iter().map(last).collect();
    let found = slope(&steps(), &errors);
    println!("{name}: ends at {exact:.6}, slope {found:.3}, errors {errors:?}");
    assert!(found >= 0.9 && errors[11].abs() < 2e-3, "{name}: slope {found}, errors {errors:?}");
}

#[test]
fn a_particle_that_is_thrown_loses_what_friction_takes_at_every_impact() {
    // Thrown at 5 m/s from 1 m, e = ½, μ = 0.3: at an impact with the speed u friction takes μ(1 + e)u, and rebounds take e of it.
    let (g, e, mu) = (9.81_f64, 0.5, 0.3);
    let mut u = (2.0 * g).sqrt();
    let (mut x, mut v) = (5.0 * u / g, 5.0);
    for _ in 0..60 {
        v -= mu * (1.0 + e) * u;
        u *= e;
        x += v * 2.0 * u / g;
    }
    x += v * v / (2.0 * mu * g);
    assert!((x - 4.55).abs() < 5e-3, "{x}");
    let text = "[[particle]]\nmass = 1.0\nposition = [0.0, 1.0]\nvelocity = [5.0, 0.0]\n[[field]]\ngravity = [0.0, -9.81]\n[[wall]]\n\
                normal = [0.0, 1.0]\nfriction = 0.3\nrestitution = 0.5\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 4.0\n";
    converges("thrown", text, x);
}

#[test]
fn a_particle_in_a_bowl_slides_with_the_whole_of_the_normal_force() {
    // ω² of the angle θ from the lowest point obeys d(ω²)/dθ = −2g sin θ ∓ 2μ(g cos θ + ω²), R = 1; integrated swing by swing.
    let (g, mu) = (9.81_f64, 0.2);
    let (mut theta, mut toward) = (std::f64::consts::FRAC_PI_2, -1.0_f64);
    loop {
        let sticks = theta.sin().abs() <= mu * theta.cos();
        if sticks {
            break;
        }
        // w = ω² along the way s = toward·(θ − θ0).
        let d = 1e-5;
        let slope = |theta: f64, w: f64| -2.0 * g * toward * theta.sin() - 2.0 * mu * (g * theta.cos() + w);
        let mut w = 0.0;
        loop {
            let a = slope(theta, w);
            let b = slope(theta + 0.5 * d * toward, w + 0.5 * d * a);
            let c = slope(theta + 0.5 * d * toward, w + 0.5 * d * b);
            let e = slope(theta + d * toward, w + d * c);
            let next = w + d / 6.0 * (a + 2.0 * b + 2.0 * c + e);
            if next <= 0.0 {
                theta += d * toward * w / (w - next);
                break;
            }
            (w, theta) = (next, theta + d * toward);
        }
        toward = -toward;
    }
    let exact = theta.sin();
    assert!((exact.abs() - 0.0939).abs() < 1e-4, "{exact}");
    let text = "[[particle]]\nmass = 1.0\nposition = [1.0, 0.0]\n[[field]]\ngravity = [0.0, -9.81]\n[[ball]]\ncentre = [0.0, 0.0]\n\
                radius = 1.0\nside = 'inside'\nrestitution = 0.0\nfriction = 0.2\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 6.0\n";
    converges("bowl", text, exact);
}

#[test]
fn warm_steps_with_friction_allocate_nothing() {
    // Discs in a heap on a rough floor, some of which still slide.
    let text = "[parameters]\nR = 0.1\n[[particle]]\nname = 'd'\nmass = 1.0\nradius = 'R'\nposition = ['2.02*R*i + 0.3*R*j', 'R + 2.0*R*j']\n\
                velocity = ['0.4*i', 0.0]\nrepeat = [{ index = 'i', count = 4 }, { index = 'j', count = 2 }]\n[[field]]\ngravity = [0.0, -9.81]\n\
                [[contact]]\nfriction = 0.3\nrestitution = 0.0\n[[wall]]\nnormal = [0.0, 1.0]\nfriction = 0.3\nrestitution = 0.0\n[method]\n\
                name = 'spook'\n[run]\nstep = '1/240'\nuntil = 2.0\n";
    let scene = scene("heap", text, &[]);
    let (mut stepper, mut state) = (stepper(&scene, &scene.method), scene.problem.initial.clone());
    advance(&scene, &mut *stepper, &mut state, 1.0 / 240.0, 240);
    let counted = allocation_counter::measure(|| advance(&scene, &mut *stepper, &mut state, 1.0 / 240.0, 240));
    assert_eq!(counted.count_total, 0);
    let pressed = stepper.contact_impulses().iter().filter(|impulse| impulse.normal > 0.0).count();
    assert!(pressed >= 8, "{pressed} contacts");
}

#[test]
fn light_bodies_stay_in_contact() {
    // The depth of a contact is ε m g: far below what the tolerance of a solve leaves in a step.
    for (mass, compliance, h) in [(1e-6, "1e-8", 0.01), (1.0, "1e-12", 0.01), (1e-4, "1e-8", 1.0 / 60.0)] {
        let text = format!(
            "[[particle]]\nmass = {mass:e}\nposition = [0, 0]\n[[field]]\ngravity = [0, -9.81]\n\
             [[wall]]\nnormal = [-0.29, 1]\nrestitution = 0.5\nfriction = 0.3\n\
             [method]\nname = 'spook'\ncompliance = {compliance}\n[run]\nstep = {h}\nuntil = 20\n"
        );
        let scene = scene("light", &text, &[]);
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &method("spook")), &mut state, h, 2000);
        let way = state.q[0].hypot(state.q[1]);
        // What the slip of friction, 1e-8 m/s per N, makes of it, and the depth.
        assert!(way < 1e-8 * mass * 9.81 * 2000.0 * h + 1e-11, "m = {mass}, compliance {compliance}: {way:e}");
    }
}

#[test]
fn friction_forces_count_impacts() {
    let scene =
        carom_tests::runs::built_in("star-body", &["method.name=spook", "parameters.mu=0.3", "parameters.e=0.5"]);
    let system = &*scene.problem.system;
    let mut stepper = stepper(&scene, &method("spook"));
    let mut state = scene.problem.initial.clone();
    let (mut sum, mut row) = (0.0, vec![0.0; system.dim()]);
    for _ in 0..2000 {
        let before = state.q.clone();
        stepper.step(system, &mut state, scene.run.h).expect("a step");
        for impulse in stepper.contact_impulses() {
            system.contacts().tangents(0.0, &before, impulse.contact, &mut row);
            sum += row[0] * impulse.friction[0];
        }
    }
    let change = state.p[0] - scene.problem.initial.p[0];
    assert!(change > 0.5 && (sum - change).abs() < 1e-9, "{sum}, {change}");
}
