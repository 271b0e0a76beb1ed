//! Left-left and right-right: what the framework of section 2.4 gives where both functions jump at one end.

use carom::state::State;
use carom::steppers::End;
use carom_tests::control::Euler;
use carom_tests::runs::{advance, built_in, distance, method, stepper};

use crate::Walk;
use crate::order::{elastic, slopes};

const BOTH: [&str; 2] = ["left-left", "right-right"];

#[test]
fn nodes_have_order_2m_plus_1() {
    for (degree, continuity) in (0..=3).flat_map(|degree| BOTH.map(|continuity| (degree, continuity))) {
        let slopes = slopes(&elastic, &format!("degree={degree}, continuity={continuity}"), 0.8, 4);
        println!("degree {degree}, {continuity}: slopes {slopes:.3?}");
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        assert!((last - (2 * degree + 1) as f64).abs() <= 0.15, "degree {degree}, {continuity}: {slopes:.3?}");
    }
}

#[test]
fn degree_0_is_explicit_and_implicit_euler() {
    let scene = built_in("pendulum-polar", &[]);
    let (mut ours, mut euler) = (scene.problem.initial.clone(), scene.problem.initial.clone());
    advance(&scene, &mut *stepper(&scene, &method("galerkin degree=0, continuity=left-left")), &mut ours, 0.02, 50);
    advance(&scene, &mut Euler, &mut euler, 0.02, 50);
    assert!(distance(&ours, &euler) < 1e-13, "{ours:?} {euler:?}");
    let (before, h) = (ours.clone(), 0.02);
    advance(&scene, &mut *stepper(&scene, &method("galerkin degree=0, continuity=right-right")), &mut ours, h, 1);
    // m = 1, l = 2, g = 9.81: both rates at the end of the step.
    let left =
        [ours.q[0] - before.q[0] - h * ours.p[0] / 4.0, ours.p[0] - before.p[0] + h * 19.62 * ours.q[0].sin()];
    assert!(left[0].abs() + left[1].abs() < 1e-14, "{left:?}");
}

/// A step of the one is undone by one of the other with −h, and not by one of its own.
#[test]
fn each_is_the_adjoint_of_the_other() {
    for degree in 0..=4 {
        let scene = elastic();
        let back = |there: &str, back: &str| {
            let mut state = scene.problem.initial.clone();
            for (continuity, h) in [(there, 0.1), (back, -0.1)] {
                let text = format!("galerkin degree={degree}, continuity={continuity}");
                advance(&scene, &mut *stepper(&scene, &method(&text)), &mut state, h, 1);
            }
            distance(&state, &scene.problem.initial)
        };
        for [one, other] in [BOTH, [BOTH[1], BOTH[0]]] {
            assert!(back(one, other) < 1e-13, "degree {degree}: {:e}", back(one, other));
            assert!(back(one, one) > 1e-12, "degree {degree}: {:e}", back(one, one));
        }
    }
}

/// `det ∂x/∂(q0, p0)` of two values of one step of the pendulum, by central differences.
fn determinant(options: &str, start: [f64; 2], value: impl Fn(&Walk) -> [f64; 2]) -> f64 {
    let at = |q: f64, p: f64| {
        let mut walk = Walk::pendulum(options, 0.3);
        walk.state = State { t: 0.0, q: vec![q], p: vec![p] };
        walk.step();
        value(&walk)
    };
    let ([q, p], d) = (start, 1e-4);
    // Of fourth order.
    let slope = |near: [[f64; 2]; 2], far: [[f64; 2]; 2]| {
        [0, 1].map(|k| (8.0 * (near[1][k] - near[0][k]) - (far[1][k] - far[0][k])) / (12.0 * d))
    };
    let by_q = slope([at(q - d, p), at(q + d, p)], [at(q - 2.0 * d, p), at(q + 2.0 * d, p)]);
    let by_p = slope([at(q, p - d), at(q, p + d)], [at(q, p - 2.0 * d), at(q, p + 2.0 * d)]);
    by_q[0] * by_p[1] - by_q[1] * by_p[0]
}

/// Around a closed curve of starts `∮ p1 dq1 − p0 dq0 ± [q] d[p] = 0`: areas change by that of the jumps.
#[test]
fn the_symplectic_form_changes_by_that_of_the_jumps() {
    for degree in 0..=3 {
        for (continuity, end, sign) in [("left-left", End::Finish, 1.0), ("right-right", End::Start, -1.0)] {
            for start in [[2.0 * std::f64::consts::PI / 3.0, 0.0], [0.4, 12.0]] {
                let options = format!("degree={degree}, continuity={continuity}, points=16");
                let area = determinant(&options, start, |walk| [walk.state.q[0], walk.state.p[0]]);
                let of_jumps = determinant(&options, start, |walk| {
                    let (mut q, mut p) = ([0.0], [0.0]);
                    walk.inside().jump(end, &mut q, &mut p);
                    [q[0], p[0]]
                });
                let left = area - 1.0 - sign * of_jumps;
                println!("{options}: area {area:.12}, of the jumps {of_jumps:.3e}, left {left:.1e}");
                assert!(left.abs() < 1e-9, "{options}: {left:e}");
                assert!(of_jumps.abs() > 1e3 * left.abs(), "{options}: no jumps, {of_jumps:e}");
            }
        }
    }
}

#[test]
fn left_left_gains_energy_and_right_right_loses_it() {
    for degree in 0..=3 {
        let change = |continuity: &str| {
            let mut walk = Walk::pendulum(&format!("degree={degree}, continuity={continuity}"), 0.1);
            let energy = |state: &State| state.p[0].powi(2) / 8.0 - 19.62 * state.q[0].cos();
            let before = energy(&walk.state);
            (0..400).for_each(|_| {
                walk.step();
            });
            energy(&walk.state) - before
        };
        let [gained, lost] = BOTH.map(change);
        println!("degree {degree}: {gained:.3e} J and {lost:.3e} J in 400 steps of 0.1 s");
        assert!(gained > 1e-9 && lost < -1e-9, "degree {degree}: {gained:e} {lost:e}");
    }
}

#[test]
fn constraints_are_refused() {
    let scene = built_in("pendulum-cartesian", &[]);
    for continuity in BOTH {
        let config = method(&format!("galerkin continuity={continuity}"));
        assert!(!config.abilities().missing(&*scene.problem.system).is_empty(), "{continuity}");
    }
}
