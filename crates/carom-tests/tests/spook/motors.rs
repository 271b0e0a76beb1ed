//! Rows of velocities with bounded forces: motors and brakes.

use carom_tests::runs::{advance, scene, stepper};

use crate::run;

/// A cart that is to move at 2 m/s, with a force of at most `force`.
fn cart(force: f64, floor: &str) -> String {
    format!(
        "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 4.0\npotential = '4.0*9.81*y'\n\
         nonholonomic = [{{ name = 'motor', expression = 'dot(x) - 2.0*(t > 0) + 0*(t > 0)', max_force = {force} }}]\n{floor}\
         [initial]\nq = [0.0, 0.0]\nv = [0.0, 0.0]\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 4.0\n"
    )
    .replace("dot(x) - 2.0*(t > 0) + 0*(t > 0)", "dot(x) - min(2.0, 1000*t)")
}

const SMOOTH: &str = "inequalities = [{ expression = 'y', restitution = 0.0 }]\n";
const ROUGH: &str = "inequalities = [{ expression = 'y', restitution = 0.0, friction = 0.5, slide = 'x' }]\n";

#[test]
fn a_motor_pushes_with_its_bound_until_it_has_its_speed() {
    let scene = scene("cart", &cart(2.0, SMOOTH), &[]);
    let mut speeds = Vec::new();
    let (outcome, _, ledger) = run(&scene, &mut |frame| speeds.push(frame.v[0]));
    assert_eq!(outcome.ended, None);
    // 2 N on 4 kg for 4 s: the speed is reached at the very end.
    let gained = (speeds[300] - speeds[100]) / 2.0;
    assert!((gained - 0.5).abs() < 1e-9, "{gained}");
    assert!(crate::through(&ledger, "velocity rows") > 7.0);
    let strong = super::motors::cart(20.0, SMOOTH);
    let strong = carom_tests::runs::scene("cart", &strong, &[]);
    let (outcome, _, _) = run(&strong, &mut |_| {});
    assert!((outcome.state.p[0] / 4.0 - 2.0).abs() < 1e-6, "{}", outcome.state.p[0] / 4.0);
}

#[test]
fn a_motor_below_the_bound_of_friction_moves_nothing_and_one_above_it_does() {
    // μ m g = 19.62 N.
    for (force, moves) in [(15.0, false), (25.0, true)] {
        let scene = scene("cart", &cart(force, ROUGH), &[]);
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &scene.method), &mut state, 0.01, 100);
        let v = state.p[0] / 4.0;
        if moves {
            let expected = (force - 19.62) / 4.0;
            assert!((v - expected).abs() < 0.03 * expected, "{v}, expected {expected}");
        } else {
            assert!(v.abs() < 1e-6, "{v}");
        }
    }
}
