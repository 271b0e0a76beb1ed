//! The star-shaped body.

use super::{Tally, Walk, number, reference};
use carom_tests::runs::numbers;

const K: f64 = 9.81 * 9.81 * 0.005 * 0.005 / 8.0;

#[test]
fn impacts_and_states_as_far_as_they_can_be_known() {
    let reference = &reference()["star"];
    let mut tally = Tally::default();
    let mut walk = Walk::new("star-body", "vci", &[]);
    for expected in &reference["impacts"].as_array().expect("a list")[..5] {
        walk.to_impact();
        let label = format!("impact {}", expected["n"]);
        let tolerance = (100.0 * number(&expected["float_dev"])).max(1e-9);
        assert_eq!(Some(walk.steps), expected["step"].as_u64(), "{label}");
        let event = walk.events()[0];
        assert_eq!(Some(event.contact.0), expected["vertex"].as_u64(), "{label}");
        tally.check(&label, event.alpha, number(&expected["alpha"]), tolerance);
        tally.check(&label, event.impulse, number(&expected["mu"]), tolerance);
        let end = ["y_end", "vy_end", "theta_end", "omega_end"].map(|key| number(&expected[key]));
        let inertia = 29.0 / 192.0;
        let found = [walk.state.q[1], walk.state.p[1], walk.state.q[2], walk.state.p[2] / inertia];
        tally.all(&label, &found, &end, tolerance);
    }
    tally.settle("star, impacts");
}

/// Energy changes after `marks` impact steps, each jump checked against its closed form.
fn changes(angle: f64, marks: &[u64]) -> Vec<f64> {
    let mut walk = Walk::new("star-body", "vci", &[&format!("parameters.angle={angle:e}")]);
    let (first, mut before) = (walk.energy(), walk.energy());
    let (mut out, mut count) = (Vec::new(), 0);
    while out.len() < marks.len() {
        let report = walk.to_impact();
        count += 1;
        let now = walk.energy();
        let events = walk.events();
        let (start, end) = (events[0].alpha, 1.0 - events[events.len() - 1].alpha);
        let jump = K * (end * end - start * start);
        if report.fallbacks == 0 {
            assert!((now - before - jump).abs() < 1e-11, "{:e}", now - before - jump);
        }
        before = now;
        assert_eq!(walk.state.p[0], -2.0);
        if count == marks[out.len()] {
            out.push(now - first);
        }
    }
    out
}

#[test]
fn the_energy_is_a_random_walk() {
    let marks = [50, 100, 200, 400];
    let spread = numbers(64, 1);
    let runs: Vec<Vec<f64>> = spread.iter().map(|x| changes(1e-3 * (x + 0.5), &marks)).collect();
    for (k, &n) in marks.iter().enumerate() {
        let mean = runs.iter().map(|run| run[k]).sum::<f64>() / 64.0;
        let std = (runs.iter().map(|run| (run[k] - mean).powi(2)).sum::<f64>() / 63.0).sqrt();
        let expected = K / 3.0_f64.sqrt() * (n as f64).sqrt();
        println!("{n} impact steps: standard deviation {std:.3e}, K/√3 √n = {expected:.3e}, mean {mean:.1e}");
        assert!((std / expected - 1.0).abs() < 0.25, "{n}: {std:e}, {expected:e}");
        // The mean of 64 is compatible with none.
        assert!(mean.abs() < 3.0 * expected / 8.0);
    }
}

#[test]
fn fifteen_hundred_impacts() {
    for (method, bound) in [("vci", 0.035), ("cva", 1.5e-12)] {
        let mut walk = Walk::new("star-body", method, &[]);
        let (first, mut count, mut worst, mut several, mut depth) = (walk.energy(), 0, 0.0_f64, 0, 0.0_f64);
        let mut gaps = [0.0; 4];
        while count < 1500 {
            let report = walk.step();
            count += report.impacts;
            several += u32::from(report.impacts > 1);
            worst = worst.max((walk.energy() - first).abs());
            walk.scene.problem.system.contacts().gaps(walk.state.t, &walk.state.q, &mut gaps);
            depth = gaps.iter().fold(depth, |depth, gap| depth.max(-gap));
            assert_eq!(walk.state.p[0], -2.0);
        }
        println!(
            "{method}: |dH| ≤ {worst:.2e} in {} steps, {several} with several impacts, depth {depth:e}",
            walk.steps
        );
        assert!(worst < bound && depth <= 1e-15 && several > 10);
    }
}

#[test]
fn an_impact_without_a_solution_is_counted() {
    let reference = &reference()["grazing"]["example"];
    let state = reference["state"].as_array().expect("a list");
    let [y, vy, angle, spin] = [0, 1, 2, 3].map(|k| number(&state[k]));
    let mut walk = Walk::new("star-body", "vci", &[]);
    walk.state.q = vec![0.0, y, angle];
    walk.state.p = vec![-2.0, vy, spin * 29.0 / 192.0];
    let before = walk.energy();
    let report = walk.step();
    let [alpha, vertex, impulse] = [0, 1, 2].map(|k| number(&reference["impacts"][0][k]));
    println!("{:?}", walk.events());
    assert_eq!((report.fallbacks, report.impacts), (1, 1));
    assert_eq!(walk.events()[0].what, carom::steppers::Happening::Fallback);
    assert_eq!(walk.events()[0].contact.0 as f64, vertex);
    assert!((walk.events()[0].alpha - alpha).abs() < 1e-9);
    // The fallback of the reference stops the corner; a reflection has twice its impulse.
    assert!((walk.events()[0].impulse - 2.0 * impulse).abs() < 1e-9);
    // The reflection conserves the energy in uniform gravity.
    assert!((walk.energy() - before).abs() < 1e-12);
}
