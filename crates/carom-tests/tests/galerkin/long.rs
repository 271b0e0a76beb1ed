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

/// At 40 steps per period degree 6 is not converged at the sun: the control.
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
    assert!(high <= 1e-13 && (control - 7.9e-11).abs() <= 0.05e-11, "{high:e}, {control:e}");
}

/// High degrees on long steps: the energy is right, or the step is an error. Nothing between.
#[test]
fn long_steps_of_high_degree_are_right_or_an_error() {
    let cases = [
        ("elastic-pendulum", 0.5, "degree=20", ""),
        ("elastic-pendulum", 0.5, "degree=16", ""),
        ("elastic-pendulum", 0.3, "degree=12, continuity=right-left", ""),
        ("pendulum-cartesian", 0.6, "degree=16", ""),
        ("pendulum-cartesian", 0.6, "degree=8, continuity=continuous", ""),
        ("pendulum-cartesian", 0.9, "degree=20, continuity=right-left", ""),
        ("double-pendulum", 0.2, "degree=12", ""),
        ("double-pendulum", 0.3, "degree=12, continuity=continuous", ""),
        ("double-pendulum", 0.1, "degree=10", "parameters.angle1=2.8"),
        ("double-pendulum", 0.05, "degree=20", "parameters.angle1=2.8"),
        ("double-pendulum-rods", 0.1, "degree=10", ""),
        ("lennard-jones-rods", 0.05, "degree=8", ""),
        ("kepler", 0.3, "degree=20", ""),
    ];
    let mut whole = 0;
    for (name, h, options, edit) in cases {
        let edits: Vec<&str> = Some(edit).filter(|edit| !edit.is_empty()).into_iter().collect();
        let scene = built_in(name, &edits);
        let (outcome, summary) = measured(&scene, &method(&format!("galerkin {options}")), h, 150);
        let energy = summary.energy.expect("looked at");
        let change = energy.max - energy.min;
        println!(
            "{name}, h = {h}, {options}: {} steps, energy {change:.1e}, residual {:.1e}",
            outcome.steps, summary.worst_residual
        );
        assert!(change <= 0.05 * energy.initial.abs().max(1.0), "{name}, h = {h}, {options}: {change:e}");
        assert!(summary.worst_residual <= 1e-12, "{name}, h = {h}, {options}: {:e}", summary.worst_residual);
        assert!(summary.max_equality.unwrap_or(0.0) <= 1e-13, "{name}, h = {h}, {options}");
        whole += usize::from(outcome.ended.is_none());
    }
    println!("{whole} of {} runs came to their end", cases.len());
    assert!(whole >= 9, "{whole}");
}
