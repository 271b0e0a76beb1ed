//! The bouncing particle.

use carom::study::exponent;

use super::{Tally, Walk, number, numbers, reference};

const K: f64 = 9.81 * 9.81 * 0.01 * 0.01 / 8.0;

/// Extremes of the energy change over so many impacts, and the steps that they took.
fn envelope(method: &str, edits: &[&str], impacts: u64) -> ([f64; 2], u64) {
    let mut walk = Walk::new("bouncing-particle", method, edits);
    let (first, mut range, mut count) = (walk.energy(), [0.0_f64; 2], 0);
    while count < impacts {
        let report = walk.step();
        count += u64::from(report.impacts);
        if report.impacts > 0 {
            // Flight conserves the energy exactly here: it changes at impacts only.
            let change = walk.energy() - first;
            range = [range[0].min(change), range[1].max(change)];
        }
    }
    (range, walk.steps)
}

#[test]
fn impacts_and_states_are_those_of_the_reference() {
    let reference = &reference()["particle_g981"];
    let mut tally = Tally::default();
    for (method, impacts) in [("vci", &reference["impacts"]), ("cva", &reference["php"]["impacts"])] {
        let mut walk = Walk::new("bouncing-particle", method, &[]);
        let (first, mut count) = (walk.energy(), 0);
        for expected in impacts.as_array().expect("a list") {
            while count < expected["n"].as_u64().expect("a number") {
                count += u64::from(walk.to_impact().impacts);
            }
            let label = format!("{method}, impact {count}");
            assert_eq!(Some(walk.steps), expected["step"].as_u64(), "{label}");
            tally.check(&label, walk.events()[0].alpha, number(&expected["alpha"]), 1e-10);
            tally.check(&label, walk.state.q[1], number(&expected["y_end"]), 1e-10);
            tally.check(&label, walk.state.p[1], number(&expected["vy_end"]), 1e-10);
            if let Some(change) = expected["dH"].as_f64() {
                tally.check(&label, walk.energy() - first, change, 1e-10);
            }
        }
    }
    let mut walk = Walk::new("bouncing-particle", "vci", &[]);
    let mut states: Vec<(u64, _)> = reference["states_after_step"]
        .as_object()
        .expect("a table")
        .iter()
        .map(|(step, state)| (step.parse().expect("a number"), state))
        .collect();
    states.sort_by_key(|(step, _)| *step);
    for (step, expected) in states {
        let state = walk.to_step(step);
        tally.all(&format!("q after step {step}"), &state.q, &numbers(&expected["q"]), 1e-10);
        tally.all(&format!("p after step {step}"), &state.p, &numbers(&expected["p"]), 1e-10);
    }
    tally.settle("particle, impacts and states");
}

#[test]
fn a_thousand_impacts() {
    let reference = &reference()["particle_g981"];
    let mut tally = Tally::default();
    let mut walk = Walk::new("bouncing-particle", "vci", &[]);
    let (first, mut before, mut count) = (walk.energy(), walk.energy(), 0);
    let (mut range, mut worst_jump) = ([0.0_f64; 2], 0.0_f64);
    let mut changes = Vec::new();
    while count < 1000 {
        count += walk.to_impact().impacts;
        let now = walk.energy();
        let alpha = walk.events()[0].alpha;
        worst_jump = worst_jump.max((now - before - K * (1.0 - 2.0 * alpha)).abs());
        range = [range[0].min(now - first), range[1].max(now - first)];
        changes.push(now - first);
        before = now;
        // Momentum along the floor is exact, and no node lies below it.
        assert_eq!(walk.state.p[0], -2.0);
        assert!(walk.state.q[1] >= 0.0);
    }
    println!("{} steps, dH {:.9e} … {:.9e}, jumps off by {worst_jump:.1e}", walk.steps, range[0], range[1]);
    assert_eq!(Some(walk.steps), reference["n_steps_1000"].as_u64());
    assert!(worst_jump < 3e-14, "{worst_jump:e}");
    tally.all("dH", &range, &[number(&reference["dH_min"]), number(&reference["dH_max"])], 1e-9);
    tally.check("dH at the end", before - first, number(&reference["dH_final"]), 1e-9);
    let mean = changes.iter().sum::<f64>() / 1000.0;
    let std = (changes.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 1000.0).sqrt();
    tally.check("standard deviation", std, number(&reference["dH_std"]), 1e-9);
    let middle = 999.0 / 2.0;
    let weigh = |f: &dyn Fn(usize) -> f64| (0..1000).map(|k| (k as f64 - middle) * f(k)).sum::<f64>();
    let slope = weigh(&|k| changes[k]) / weigh(&|k| k as f64);
    tally.check("slope", slope, number(&reference["dH_slope_per_impact"]), 1e-9);
    // The sawtooth map of (α, E).
    let v = (2.0 * 9.81_f64).sqrt();
    let sawtooth = &reference["sawtooth"];
    tally.check("trace", 2.0 - 9.81 * 0.01 / (2.0 * v), number(&sawtooth["trace"]), 1e-12);
    tally.settle("particle, 1000 impacts");
}

#[test]
fn the_energy_stays_bounded_for_long() {
    let reference = &reference()["particle_g981"];
    let mut tally = Tally::default();
    for count in [1000, 10_000, 100_000] {
        let (range, _) = envelope("vci", &[], count);
        let expected = &reference["long"][count.to_string()];
        tally.all(&format!("{count} impacts"), &range, &[number(&expected["min"]), number(&expected["max"])], 1e-6);
    }
    // Starts around it wander further, as far as the reference says.
    let ensemble = &reference["ensemble_y0_0.9_1.1"];
    let mut bounded = 0;
    let worst: Vec<f64> = (0..41)
        .map(|k| {
            let height = format!("parameters.height={}", 0.9 + 0.2 * f64::from(k) / 40.0);
            let ranges =
                [62, 125, 250, 500, 1000].map(|count| (count as f64, envelope("vci", &[&height], count).0));
            let points = ranges.map(|(count, [low, high])| (count, high - low));
            // Whether the range is independent of the horizon, as experiments judge it.
            bounded += u32::from(exponent(&points).expect("a slope") <= 0.25);
            let [low, high] = ranges[4].1;
            high.max(-low)
        })
        .collect();
    println!("{bounded} of 41 heights stay bounded");
    assert_eq!(bounded, 38);
    let mean = worst.iter().sum::<f64>() / 41.0;
    tally.check("mean of 41 starts", mean, number(&ensemble["max1000_mean"]), 1e-6);
    tally.check(
        "worst of 41 starts",
        worst.iter().fold(0.0, |a, b| a.max(*b)),
        number(&ensemble["max1000_max"]),
        1e-6,
    );
    let ([low, high], steps) = envelope("cva", &[], 1000);
    println!("cva: dH {low:.1e} … {high:.1e} in {steps} steps");
    assert!(high.max(-low) < 1e-11);
    assert_eq!(Some(steps), reference["php"]["n_steps_1000"].as_u64());
    tally.settle("particle, bounds");
}
