//! Long runs: energy without drift, constraints without drift.

use carom_tests::runs::{built_in, measured, method};

use crate::{Tally, Walk, entry, number};

#[test]
fn the_long_runs_of_the_reference() {
    let mut tally = Tally::default();
    for (name, value) in entry("long_run")["value"].as_object().expect("runs") {
        let (degree, continuous) = (&name.split("_m").nth(1).expect("a degree")[..1], name.starts_with('C'));
        let more = if continuous { ", continuity=continuous" } else { "" };
        let (h, steps) = (number(&value["T"]), number(&value["steps"]) as usize);
        let mut walk = Walk::pendulum(&format!("degree={degree}, points=6{more}"), h);
        let mut errors = Vec::new();
        for _ in 0..steps {
            walk.step();
            let (q, p) = (walk.state.q[0], walk.state.p[0]);
            errors.push(p * p / 8.0 - 19.62 * q.cos() - 9.81);
        }
        let largest = |part: &[f64]| part.iter().fold(0.0_f64, |max, e| max.max(e.abs()));
        let found = [
            ("max_dev", largest(&errors)),
            ("max_dev_first_1000", largest(&errors[..1000])),
            ("max_dev_last_1000", largest(&errors[steps - 1000..])),
            ("mean_dev", errors.iter().sum::<f64>() / steps as f64),
        ];
        for (what, found) in found {
            let expected = number(&value[what]);
            tally.check(&format!("{name} {what}"), found, expected, 0.01 * expected.abs());
        }
        // Slope of the means of 500 steps, and its standard error.
        let means: Vec<f64> = errors.chunks_exact(500).map(|block| block.iter().sum::<f64>() / 500.0).collect();
        let (count, pause) = (means.len() as f64, 500.0 * h);
        let times: Vec<f64> = (0..means.len()).map(|k| (k as f64 - 0.5 * (count - 1.0)) * pause).collect();
        let spread: f64 = times.iter().map(|t| t * t).sum();
        let mean = means.iter().sum::<f64>() / count;
        let slope = times.iter().zip(&means).map(|(t, e)| t * (e - mean)).sum::<f64>() / spread;
        let rest: f64 = times.iter().zip(&means).map(|(t, e)| (e - mean - slope * t).powi(2)).sum();
        let error = (rest / (count - 2.0) / spread).sqrt();
        println!("{name}: slope {slope:.1e} ± {error:.1e} J/s");
        tally.below(&format!("{name} slope"), slope.abs(), 3.0 * error);
    }
    tally.settle("long runs");
}

#[test]
fn the_constraint_holds_at_every_node_of_100_000_steps() {
    let scene = built_in("pendulum-cartesian", &[]);
    let (outcome, summary) = measured(&scene, &method("galerkin"), 0.3, 100_000);
    assert_eq!(outcome.ended, None);
    let violation = summary.max_equality.expect("constrained");
    println!("largest |g| over 100 000 steps: {violation:.1e}");
    assert!(violation <= 1e-14, "{violation:e}");
}

/// 500 of the 10 000 periods that the manual tells of. At 40 steps per period degree 6 is not converged at the sun: the control.
#[test]
fn kepler_keeps_its_energy_at_high_degree() {
    let error = |degree: u32, steps: u32| {
        let scene =
            built_in("kepler", &[&format!("parameters.steps_per_period={steps}"), "parameters.periods=500"]);
        let (outcome, summary) =
            measured(&scene, &method(&format!("galerkin degree={degree}")), scene.run.h, scene.run.steps);
        assert_eq!(outcome.ended, None);
        let energy = summary.energy.expect("looked at");
        (energy.max - energy.initial).max(energy.initial - energy.min)
    };
    let (high, control) = (error(8, 50), error(6, 40));
    println!("500 periods: degree 8 with 50 steps {high:.1e}, degree 6 with 40 {control:.1e}");
    assert!(high <= 1e-11 && control > 10.0 * high, "{high:e}, {control:e}");
}
