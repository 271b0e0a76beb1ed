//! Steps of an oscillation of frequency 1, by their own matrix.

use carom_io::scene::Scene;
use carom_tests::runs::{advance, method, scene, stepper};

fn oscillator() -> Scene {
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 1.0\npotential = '0.5*x^2'\n[initial]\nq = [1.0]\n\
                [method]\nname = 'verlet'\n[run]\nstep = 0.1\nsteps = 1\n";
    scene("oscillator", text, &[])
}

/// Largest absolute value of an eigenvalue of the step.
fn radius(name: &str, h: f64) -> f64 {
    let scene = oscillator();
    let column = |q: f64, p: f64| {
        let mut state = scene.problem.initial.clone();
        (state.q[0], state.p[0]) = (q, p);
        advance(&scene, &mut *stepper(&scene, &method(name)), &mut state, h, 1);
        [state.q[0], state.p[0]]
    };
    let ([qq, pq], [qp, pp]) = (column(1.0, 0.0), column(0.0, 1.0));
    let (half, product) = (0.5 * (qq + pp), qq * pp - qp * pq);
    let inside = half * half - product;
    if inside < 0.0 { product.sqrt() } else { half.abs() + inside.sqrt() }
}

#[test]
fn verlet_is_stable_below_two_over_the_frequency_and_not_beyond() {
    for k in 1..200 {
        let h = 0.01 * f64::from(k);
        assert!((radius("verlet", h) - 1.0).abs() < 1e-13, "h ω = {h}: {}", radius("verlet", h));
    }
    assert!(radius("verlet", 2.001) > 1.05, "{}", radius("verlet", 2.001));
}

#[test]
fn the_midpoint_rule_is_stable_for_every_step_and_its_spring_for_every_stiffness() {
    for h in [0.1, 1.0, 2.0, 10.0, 1e3, 1e6] {
        assert!((radius("midpoint", h) - 1.0).abs() < 1e-13, "h ω = {h}: {}", radius("midpoint", h));
    }
    // Control: the other rule of the family.
    assert!(radius("verlet", 10.0) > 50.0);
}

#[test]
fn newmark_dissipates_above_one_half_and_only_there() {
    for h in [0.05, 0.5, 1.5] {
        for beta in ["0.0", "0.25", "0.5"] {
            let of = |gamma: &str| radius(&format!("newmark beta={beta}, gamma={gamma}"), h);
            assert!((of("0.5") - 1.0).abs() < 1e-13, "β = {beta}, h = {h}: {}", of("0.5"));
            // |λ|² = 1 − (γ − ½)h² + …
            assert!(of("0.6") < 1.0 - 1e-5 && of("0.4") > 1.0 + 1e-5, "β = {beta}, h = {h}: {}", of("0.6"));
        }
    }
}
