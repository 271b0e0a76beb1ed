//! The oscillator of the paper's Fig. 4: a mass whose spring is a constraint that gives way.
//!
//! The reference starts with `v0` as the method's own velocity, half a step old (`start = "plain"`). Arrays have the nodes 0 to 10; `A` is the
//! largest |x| of the last 60 of 600 steps.

use std::f64::consts::TAU;

use carom_tests::reference::{Tally, number, numbers};
use serde_json::Value;

use crate::runs::{H, Node, built_in, run};

fn reference() -> Value {
    serde_json::from_str(include_str!("../../reference/spook/oscillator.json")).expect("JSON")
}

fn oscillate(omega: f64, damping: f64, steps: u64) -> Vec<Node> {
    let omega = format!("parameters.omega={omega:?}");
    run(&built_in("oscillator", &[&omega, &format!("parameters.damping={damping:?}")]), H, steps)
}

fn positions(nodes: &[Node]) -> Vec<f64> {
    nodes.iter().map(|node| node.q[0]).collect()
}

/// The frequencies: `h ω = 0.105, 0.333, 16.7`.
const OSCILLATORS: [(&str, f64); 3] = [("osc_low", TAU), ("osc_mid", 20.0), ("osc_high", 1000.0)];
const DAMPINGS: [(&str, f64); 2] = [("tau0", 0.0), ("tau2h", 2.0 * H)];

#[test]
fn oscillators_of_three_frequencies() {
    let (reference, mut tally) = (reference(), Tally::default());
    for (id, omega) in OSCILLATORS {
        for (key, damping) in DAMPINGS {
            let (values, nodes) = (&reference[id]["values"][format!("spook_{key}")], oscillate(omega, damping, 10));
            let speeds: Vec<f64> = nodes.iter().map(|node| node.v[0]).collect();
            let tolerance = |size: f64| 1e-10 * size.max(1.0);
            tally.each(&format!("{id} {key} x"), &positions(&nodes), &numbers(&values["x10"]), tolerance);
            tally.each(&format!("{id} {key} v"), &speeds, &numbers(&values["v10"]), tolerance);
        }
    }
    tally.settle("oscillators, 10 steps");
}

#[test]
fn amplitudes_rates_of_decay_and_invariants_of_600_steps() {
    let (reference, mut tally) = (reference(), Tally::default());
    for (id, omega) in OSCILLATORS {
        let values = &reference[format!("{id}_600")]["values"];
        for (key, damping) in DAMPINGS {
            let x = positions(&oscillate(omega, damping, 600));
            let amplitude = x[541..].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let expected = number(&values[format!("A_spook_{key}")]);
            match expected {
                // Below 1e-12 the order of magnitude counts.
                small if small < 1e-12 => {
                    tally.below(&format!("{id} {key} A"), (amplitude / small).log10().abs(), 0.5);
                }
                _ => tally.check(&format!("{id} {key} A"), amplitude, expected, 1e-6 * expected),
            }
            // x_{k+1} = a x_k + b x_{k-1} from two pairs of neighbours; −b is the square of a complex pair's modulus.
            let (a, b) = recurrence(&x[..4]);
            let modulus =
                if a * a + 4.0 * b < 0.0 { (-b).sqrt() } else { 0.5 * (a.abs() + (a * a + 4.0 * b).sqrt()) };
            let expected = number(&values[format!("rho_{key}")]);
            tally.check(&format!("{id} {key} rho"), modulus, expected, 1e-6 * expected);
            if damping == 0.0 {
                let frequency = (0.5 * a).acos() / (omega * H);
                let expected = number(&values["omega_num_over_omega"]);
                tally.check(&format!("{id} frequency"), frequency, expected, 1e-6 * expected);
            }
        }
        // v²/2 + ((x + x_before)/2)² ω²/2
        let nodes = oscillate(omega, 0.0, 600);
        let invariant = |pair: &[Node]| {
            0.5 * pair[1].v[0].powi(2) + 0.5 * (0.5 * omega * (pair[0].q[0] + pair[1].q[0])).powi(2)
        };
        let first = invariant(&nodes[..2]);
        let drift = nodes.windows(2).map(invariant).fold(0.0_f64, |most, now| most.max((now / first - 1.0).abs()));
        tally.below(&format!("{id} invariant"), drift, 1e-10);
        // Control: with damping there is no such invariant.
        let damped = oscillate(omega, 2.0 * H, 600);
        assert!(invariant(&damped[599..]) < 0.1 * invariant(&damped[..2]), "{id}");
    }
    tally.settle("oscillators, 600 steps");
}

/// `a` and `b` of `x2 = a x1 + b x0`, `x3 = a x2 + b x1`.
fn recurrence(x: &[f64]) -> (f64, f64) {
    let determinant = x[1] * x[1] - x[0] * x[2];
    ((x[2] * x[1] - x[0] * x[3]) / determinant, (x[1] * x[3] - x[2] * x[2]) / determinant)
}

/// Largest error of the position on [0, 5].
fn phase_error(h: f64, edits: &[&str]) -> f64 {
    let nodes = run(&built_in("oscillator", edits), h, (5.0 / h).round() as u64);
    nodes.iter().fold(0.0, |most, node| most.max((node.q[0] - (TAU * node.t).cos()).abs()))
}

#[test]
fn the_phase_is_second_order_where_the_start_is_half_a_step_old() {
    let (reference, mut tally) = (reference(), Tally::default());
    for (k, inverse) in [30.0, 60.0, 120.0, 240.0].into_iter().enumerate() {
        let h: f64 = 1.0 / inverse;
        let angle = 2.0 * (0.5 * TAU * h).atan();
        let v = format!("initial.v=[{:?}]", (1.0 - angle.cos()) / h);
        let expected = number(&reference["osc_phase_order2"]["values"][k]);
        tally.check(&format!("own start, 1/{inverse}"), phase_error(h, &[&v]), expected, 1e-6 * expected);
        let expected = number(&reference["osc_naive_start_order1"]["values"][k]);
        tally.check(&format!("plain start, 1/{inverse}"), phase_error(h, &[]), expected, 1e-6 * expected);
    }
    // `start = "staggered"` makes the same of the velocity at the first node, whatever it is.
    for (k, inverse) in [30.0, 60.0, 120.0, 240.0].into_iter().enumerate() {
        let found = phase_error(1.0 / inverse, &["method.start=staggered"]);
        let [staggered, plain] = [[0.109, 0.027, 0.0068, 0.0017][k], [0.099, 0.051, 0.026, 0.013][k]];
        println!("staggered, 1/{inverse}: {found:.5}");
        // The figures of the manual, to their last digits.
        tally.check("staggered", found, staggered, 0.03 * staggered);
        tally.check("plain", phase_error(1.0 / inverse, &[]), plain, 0.02 * plain);
    }
    let errors = [60.0, 120.0, 240.0].map(|inverse| phase_error(1.0 / inverse, &["method.start=staggered"]));
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        tally.check("order of a staggered start", order, 2.0, 0.05);
    }
    tally.settle("phases of oscillators");
}
