//! Several contacts at once, and impacts that follow each other closely.

use super::{Tally, Walk, number, numbers, reference};

/// The star that falls from height 1, turned by a small angle.
fn tilted(method: &str, angle: f64) -> Walk {
    let mut walk = Walk::new("star-body", method, &[]);
    walk.state.q = vec![0.0, 1.0, angle];
    walk.state.p = vec![0.0, 0.0, 0.0];
    walk
}

#[test]
fn impacts_that_follow_each_other_closely_are_told_apart() {
    let reference = &reference()["corner"];
    let mut tally = Tally::default();
    let keys = [
        ("tilt_1e-09", 1e-9),
        ("tilt_-1e-09", -1e-9),
        ("tilt_1e-06", 1e-6),
        ("tilt_0.001", 1e-3),
        ("tilt_-0.001", -1e-3),
    ];
    for (key, angle) in keys {
        let expected = &reference[key];
        let mut walk = tilted("vci", angle);
        walk.to_impact();
        assert_eq!(Some(walk.steps), expected["step"].as_u64(), "{key}");
        let impacts = expected["impacts"].as_array().expect("a list");
        assert_eq!(walk.events().len(), impacts.len(), "{key}: {:?}", walk.events());
        for (k, (event, impact)) in walk.events().iter().zip(impacts).enumerate() {
            let impact = numbers(impact);
            tally.check(key, event.alpha, impact[0], 1e-10);
            assert_eq!(event.contact.0 as f64, impact[1], "{key}");
            // The reference notes the first impulse of a leg to the end of the step, before that is cut at the second impact.
            tally.check(key, event.impulse, impact[2], if k == 0 { 4e-6 } else { 1e-6 });
        }
        tally.check(key, walk.state.p[1], number(&expected["vy"]), 1e-6);
        tally.check(key, walk.state.p[2] * 192.0 / 29.0, number(&expected["omega"]), 1e-6);
    }
    tally.settle("star, two corners");
}

#[test]
fn two_corners_at_the_same_time_are_one_reflection() {
    for method in ["vci", "cva"] {
        let mut walk = tilted(method, 0.0);
        let before = walk.energy();
        let report = walk.to_impact();
        let speed = walk.state.p[1];
        assert_eq!(report.impacts, 2, "{method}");
        let events = walk.events();
        assert!(events[0].t == events[1].t && (events[0].impulse - events[1].impulse).abs() < 1e-12);
        // Symmetric in, symmetric out: no spin.
        assert!(walk.state.p[2].abs() < 1e-13, "{method}: {:?}", walk.state);
        assert!(speed > 3.0);
        assert!((walk.energy() - before).abs() < 4e-4);
        if method == "cva" {
            assert!((walk.energy() - before).abs() < 1e-12);
        }
    }
}

#[test]
fn two_impacts_in_a_step_as_in_the_reference() {
    let reference = &reference()["star"]["two_impact_step"];
    let state = numbers(&reference["state"]);
    let expected = numbers(&reference["alphas"]);
    for (method, count) in [("vci", 2), ("cva", 2)] {
        let mut walk = Walk::new("star-body", method, &[]);
        walk.state.q = vec![0.0, state[0], state[2]];
        walk.state.p = vec![-2.0, state[1], state[3] * 29.0 / 192.0];
        let report = walk.step();
        assert_eq!(report.impacts, count, "{method}: {:?}", walk.events());
        if method == "vci" {
            for (event, alpha) in walk.events().iter().zip(&expected) {
                assert!((event.alpha - alpha).abs() < 1e-9, "{:?}", walk.events());
            }
        }
    }
}

#[test]
fn a_ball_that_hits_a_triangle_of_balls_leaves_it_symmetric() {
    for method in ["cva", "vci"] {
        let mut walk = Walk::new("billiard-triangle", method, &[]);
        let (first, momentum) = (walk.energy(), walk.state.p.iter().step_by(2).sum::<f64>());
        let mut impacts = 0;
        for _ in 0..walk.scene.run.steps.min(2000) {
            impacts += walk.step().impacts;
        }
        assert!(impacts >= 2, "{method}: {impacts}");
        assert!((walk.energy() - first).abs() < 1e-13 * first, "{method}");
        assert!((walk.state.p.iter().step_by(2).sum::<f64>() - momentum).abs() < 1e-13 * momentum.abs());
        // Every ball has its mirror image.
        let balls: Vec<[f64; 4]> = (0..walk.state.q.len() / 2)
            .map(|k| [walk.state.q[2 * k], walk.state.q[2 * k + 1], walk.state.p[2 * k], walk.state.p[2 * k + 1]])
            .collect();
        for [x, y, px, py] in &balls {
            let mirrored = balls.iter().any(|b| {
                (b[0] - x).abs() < 1e-9
                    && (b[1] + y).abs() < 1e-9
                    && (b[2] - px).abs() < 1e-10
                    && (b[3] + py).abs() < 1e-10
            });
            assert!(mirrored, "{method}: {balls:?}");
        }
    }
}

#[test]
fn without_forces_the_impact_on_a_convex_body_is_a_reflection_of_the_path() {
    // [fetecau-2003 (90)]: for V = 0 the free path's end is mirrored at the tangent plane of the impact point,
    // so that the impact point is the closest one to both ends of the middle of the mirrored path.
    let text = "
[[particle]]
name = 'ball'
mass = 2
position = [-3, 0.4]
velocity = [2, 0.1]
[[ball]]
centre = [0, 0]
radius = 1
side = 'outside'
[method]
name = 'vci'
[run]
step = 0.3
until = 3
";
    for name in ["vci", "cva"] {
        let scene = carom_tests::runs::scene("convex", text, &[]);
        let mut step = carom_tests::runs::stepper(&scene, &carom_tests::runs::method(name));
        let (mut state, mut start) = (scene.problem.initial.clone(), scene.problem.initial.clone());
        let system = &*scene.problem.system;
        while step.step(system, &mut state, 0.3).expect("a step").impacts == 0 {
            start = state.clone();
        }
        let event = step.events()[0];
        let tau = 0.3 * event.alpha;
        let x: Vec<f64> = (0..2).map(|i| start.q[i] + tau * start.p[i] / 2.0).collect();
        let radius = x[0].hypot(x[1]);
        // Fermat: among all points of the circle the path over the impact point is the shortest for its two ends and times.
        let length = |angle: f64| {
            let point = [radius * angle.cos(), radius * angle.sin()];
            let leg = |a: &[f64], t: f64| ((a[0] - point[0]).powi(2) + (a[1] - point[1]).powi(2)) / t;
            leg(&start.q, tau) + leg(&state.q, 0.3 - tau)
        };
        let angle = x[1].atan2(x[0]);
        let rate = (length(angle + 1e-5) - length(angle - 1e-5)) / 2e-5;
        assert!((radius - 1.0).abs() < 1e-12 && rate.abs() < 1e-6, "{name}: {radius} {rate:e}");
        // The speed stays, so that the mean of the two ends weighed by the other's time projects onto the impact point.
        let mean: Vec<f64> = (0..2).map(|i| ((0.3 - tau) * start.q[i] + tau * state.q[i]) / 0.3).collect();
        let norm = mean[0].hypot(mean[1]);
        assert!((mean[0] / norm - x[0]).abs() < 1e-9 && (mean[1] / norm - x[1]).abs() < 1e-9, "{name}");
    }
}

#[test]
fn what_moreaus_printed_law_leaves_approached_is_another_impact_at_the_same_time() {
    // A corner 26° wide: the particle runs into the first wall and leaves the second.
    let text = "
[lagrangian]
coordinates = ['x', 'y']
mass = 1
inequalities = ['x', '0.4358898943540673*y - 0.9*x']
[initial]
q = { x = 0.0, y = 0.0 }
v = { x = -1.0, y = -1.0 }
[method]
name = 'cva'
reflection = 'moreau-literal'
[run]
step = 0.01
steps = 1
";
    let scene = carom_tests::runs::scene("corner", text, &[]);
    let mut step = carom_tests::runs::stepper(&scene, &scene.method);
    let mut state = scene.problem.initial.clone();
    let report = step.step(&*scene.problem.system, &mut state, 0.01).expect("it ends");
    // Both walls turn it around, into the second, which is hit again.
    let hits: Vec<(usize, usize)> =
        step.events().iter().map(|event| (event.impact, event.contact.place())).collect();
    assert_eq!(hits, [(0, 0), (0, 1), (1, 1)], "{:?}", step.events());
    assert!(report.impacts == 3 && step.events().iter().all(|event| event.t == 0.0));
    let states = step.impact_states().expect("located");
    let middle = states.get(0).expect("there").plus;
    assert!((middle[0] - 1.0).abs() < 1e-14 && (middle[1] - 1.0).abs() < 1e-14, "{middle:?}");
    assert!(state.p[0] > 0.0 && 0.4358898943540673 * state.p[1] > 0.9 * state.p[0], "{state:?}");
}
