//! Contacts that come to rest.

use super::Walk;
use carom::steppers::Happening;

/// A ball from height 1 with `e = 0.5`: falls for `t₁ = √(2/g)`, then rebounds take `2 t₁ e/(1 − e)` in all.
fn zeno() -> f64 {
    let fall = (2.0 / 9.81_f64).sqrt();
    fall * (1.0 + 2.0 * 0.5 / (1.0 - 0.5))
}

#[test]
fn a_ball_comes_to_rest_at_the_zeno_time_and_stays() {
    for (method, h, allowed) in [
        ("cva", 0.01, 1e-6),
        ("cva", 0.003, 1e-6),
        ("cva", 0.1, 2e-6),
        ("vci", 0.01, 1e-3),
        ("vci", 0.003, 1e-3),
        ("vci", 0.001, 1e-4),
    ] {
        let mut walk = Walk::new("bouncing-particle", method, &["parameters.e=0.5", &format!("run.step={h}")]);
        let (mut rest, mut fallbacks, mut lost) = (None, 0, 0.0);
        let first = walk.energy();
        while walk.state.t < 1.6 {
            let report = walk.step();
            fallbacks += report.fallbacks;
            lost += report.impact_work;
            let event = walk.events().iter().find(|event| event.what == Happening::Rest);
            if let Some(event) = event {
                assert_eq!(rest, None, "{method}, h = {h}: it rests once");
                rest = Some(event.t);
                lost += event.work;
            }
        }
        let off = rest.expect("it rests") - zeno();
        println!(
            "{method}, h = {h}: rests at {:.9}, off by {off:.1e}; {fallbacks} fallbacks, lost {lost:.6}",
            rest.unwrap()
        );
        assert!(off.abs() < allowed, "{method}, h = {h}: {off:e}");
        // What was lost is booked: all of the height, up to what the method changes by itself.
        let booked = walk.energy() - first - lost;
        assert!(booked.abs() < if method == "cva" { 1e-11 } else { 5e-3 }, "{method}: {booked:e}");
        let (depth, steps) = (walk.state.q[1], if h == 0.01 { 1_000_000 } else { 1000 });
        for _ in 0..steps {
            let report = walk.step();
            assert!(report.impacts == 0 && report.captured == 0 && walk.state.p[1] == 0.0);
        }
        assert!(
            depth.abs() < 1e-15 && (walk.state.q[1] - depth).abs() < 1e-15,
            "{method}: {depth:e} {:e}",
            walk.state.q[1]
        );
    }
}

#[test]
fn a_contact_that_is_pulled_away_lifts_off() {
    // A ball on the floor in a field that turns upwards after half a second.
    let text = "
[[particle]]
name = 'ball'
mass = 1
position = [0, 0.2]
[[field]]
potential = '-m*(4*t - 10)*y'
[[wall]]
normal = [0, 1]
restitution = 0.3
[method]
name = 'cva'
[run]
step = 0.01
until = 4
";
    let scene = carom_tests::runs::scene("lift", text, &[]);
    for name in ["cva", "vci"] {
        let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
        let mut state = scene.problem.initial.clone();
        let mut left = None;
        for _ in 0..400 {
            step.step(&*scene.problem.system, &mut state, 0.01).expect("a step");
            if state.t > 1.5 && state.q[1] > 1e-9 {
                left.get_or_insert(state.t);
            }
        }
        // It leaves at 2.5 and then y = (4/6)(t − 2.5)³.
        let expected = 4.0 / 6.0 * 1.5_f64.powi(3);
        println!("{name}: leaves at {left:?}, y = {:.6}, {expected:.6}", state.q[1]);
        assert!(left.is_some_and(|t| (t - 2.5).abs() < 0.021), "{name}: {left:?}");
        assert!((state.q[1] - expected).abs() < 1e-3, "{name}: {}", state.q[1]);
    }
}

#[test]
fn a_star_comes_to_rest_on_two_corners() {
    for method in ["cva", "vci"] {
        let mut walk =
            Walk::new("star-body", method, &["parameters.e=0.5", "parameters.mu=0.3", "parameters.angle=0.3"]);
        let mut rests = 0;
        while walk.state.t < 12.0 {
            rests += walk.step().captured;
        }
        let mut gaps = [0.0; 4];
        walk.scene.problem.system.contacts().gaps(walk.state.t, &walk.state.q, &mut gaps);
        gaps.sort_by(f64::total_cmp);
        println!("{method}: {rests} rests, gaps {gaps:?}, p {:?}", walk.state.p);
        assert!(rests >= 2 && gaps[0].abs() < 1e-14 && gaps[1].abs() < 1e-14, "{method}: {gaps:?}");
        assert!(walk.state.p.iter().all(|p| p.abs() < 1e-13), "{method}: {:?}", walk.state.p);
        assert!(gaps[0] > -1e-14);
    }
}

#[test]
fn a_stack_of_two_balls_comes_to_rest() {
    let text = "
[[particle]]
name = 'low'
mass = 1
radius = 0.5
position = [1]
[[particle]]
name = 'high'
mass = 3
radius = 0.5
position = [2.5]
[[field]]
gravity = [-10]
[[contact]]
restitution = 0.4
[[wall]]
normal = [1]
restitution = 0.4
[method]
name = 'cva'
[run]
step = 0.01
until = 4
";
    let scene = carom_tests::runs::scene("stack", text, &[]);
    for name in ["cva", "vci"] {
        let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
        let mut state = scene.problem.initial.clone();
        for _ in 0..400 {
            step.step(&*scene.problem.system, &mut state, 0.01).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        println!("{name}: {:?} {:?}", state.q, state.p);
        assert!((state.q[0] - 0.5).abs() < 1e-14 && (state.q[1] - 1.5).abs() < 1e-14, "{name}: {:?}", state.q);
        assert!(state.p.iter().all(|p| p.abs() < 1e-13), "{name}: {:?}", state.p);
    }
}

#[test]
fn columns_of_discs_come_to_rest_in_finite_work() {
    // Two discs in a column that is a little too wide for them: they lean on the walls and on each other.
    for e in ["0.5", "0.8", "0.95"] {
        let text = format!(
            "
[[particle]]
name = 'low'
mass = 1
radius = 0.5
position = [0.52, 0.8]
[[particle]]
name = 'high'
mass = 1
radius = 0.5
position = [0.6, 2.1]
[[field]]
gravity = [0, -10]
[[contact]]
restitution = {e}
[[wall]]
normal = [0, 1]
restitution = {e}
[[wall]]
normal = [1, 0]
restitution = {e}
[[wall]]
normal = [-1, 0]
offset = -1.2
restitution = {e}
[method]
name = 'cva'
[run]
step = 0.01
until = 20
"
        );
        let scene = carom_tests::runs::scene("column", &text, &[]);
        for name in ["cva", "vci"] {
            let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
            let mut state = scene.problem.initial.clone();
            let (mut impacts, mut most) = (0, 0);
            for _ in 0..2000 {
                let report = step
                    .step(&*scene.problem.system, &mut state, 0.01)
                    .unwrap_or_else(|error| panic!("{name}: {error}"));
                impacts += report.impacts;
                most = most.max(report.impacts);
            }
            let speed = state.p.iter().fold(0.0_f64, |max, p| max.max(p.abs()));
            println!(
                "{name}, e = {e}: {impacts} impacts, at most {most} in a step, speed {speed:.1e}, {:?}",
                state.q
            );
            assert!(speed < 1e-9 && most < 20_000, "{name}, e = {e}: {speed:e}");
        }
    }
}

#[test]
fn a_bullet_does_not_pass_through_a_thin_obstacle_while_another_body_rests() {
    for k in 0..30 {
        let text = format!(
            "
[[particle]]
name = 'bullet'
mass = 1
position = [{}, 5]
velocity = [10, 0]
[[particle]]
name = 'sleeper'
mass = 1
position = [100, 0]
[[field]]
gravity = [0, -10]
on = ['sleeper']
[[wall]]
normal = [0, 1]
restitution = 0.5
[[ball]]
centre = [1, 5]
radius = 0.003
side = 'outside'
on = ['bullet']
[method]
name = 'cva'
[run]
step = 0.01
until = 0.3
",
            -0.1 * f64::from(k) / 30.0
        );
        let scene = carom_tests::runs::scene("bullet", &text, &[]);
        for name in ["cva", "vci"] {
            let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
            let mut state = scene.problem.initial.clone();
            carom_tests::runs::advance(&scene, &mut *step, &mut state, 0.01, 30);
            assert!(state.q[0] < 1.0 && state.p[0] < 0.0, "{name}, start {k}: {:?}", state.q);
        }
    }
}
