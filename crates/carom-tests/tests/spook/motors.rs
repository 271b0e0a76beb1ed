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
    assert!(crate::through(&ledger, "motors") > 7.0);
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

#[test]
fn many_motors_beside_friction_find_which_of_them_are_at_their_bounds() {
    // Blocks on a rough floor that drive each other, some of them beyond what their motors can.
    use carom_tests::runs::numbers;
    let (blocks, motors) = (6, 9);
    for seed in 1..=6 {
        let c = numbers(5 * motors, seed);
        let drive = |k: usize| {
            let (i, j) = (k % blocks, (k + 1 + k / blocks) % blocks);
            let [ratio, speed, rate, force] =
                [1.0 + c[5 * k], 4.0 * c[5 * k + 1], 3.0 + 4.0 * c[5 * k + 2], 15.0 + 28.0 * c[5 * k + 3]];
            format!(
                "{{ expression = 'dot(x[{i}]) - {ratio:.3}*dot(x[{j}]) - {speed:.3}*cos({rate:.2}*t)', max_force = {force:.3} }}"
            )
        };
        let text = format!(
            "[lagrangian]\ncoordinates = [{{ name = 'x', repeat = {{ index = 'i', count = {blocks} }} }}, {{ name = 'y', repeat = {{ index = \
             'i', count = {blocks} }} }}]\nmass = 1.0\npotential = [{{ expression = '9.81*y[i]', repeat = {{ index = 'i', count = {blocks} }} }}]\n\
             inequalities = [{{ expression = 'y[i]', restitution = 0.0, friction = 0.5, slide = 'x[i]', repeat = {{ index = 'i', count = \
             {blocks} }} }}]\nnonholonomic = [{}]\n[initial]\nq = {{ x = 0.0, y = 0.0 }}\n[method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 1.0\n",
            (0..motors).map(drive).collect::<Vec<_>>().join(", ")
        );
        let scene = scene("blocks", &text, &[]);
        let (outcome, _, _) = run(&scene, &mut |_| {});
        assert_eq!(outcome.ended, None, "seed {seed}");
    }
}
