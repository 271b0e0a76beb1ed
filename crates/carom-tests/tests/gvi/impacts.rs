//! Impacts: energy, order, laws.

use carom::error::Failure;
use carom::measures::Summary;
use carom::run::Ended;
use carom::study::exponent;
use carom_tests::runs::{built_in, scene, state_after, stepper};

use crate::{energy_error, run, run_from};

#[test]
fn rapier_630_newtons_cradle_keeps_its_energy() {
    let scene = built_in("newtons-cradle", &["run.step=0.01", "run.until=1000.0"]);
    let summary = run(&scene, &mut |_| {});
    let (error, initial) = (energy_error(&summary), summary.energy.expect("looked at").initial);
    println!("|dH| {:.3} % of H0, rods {:.1e}", 100.0 * error / initial, summary.max_equality.expect("rods"));
    assert!(error <= 1e-3 * initial && summary.max_equality.expect("rods") <= 1e-14);
}

#[test]
fn elastic_balls_come_back_a_hundred_thousand_times() {
    let scene = built_in("point-mass", &["run.step=0.05", "run.until=1e5"]);
    let mut tops = Vec::new();
    let (mut last, mut rising) = (1.0, false);
    let summary = run(&scene, &mut |frame| {
        let q = frame.state.q[0];
        if rising && q < last {
            tops.push(last);
        }
        (rising, last) = (q > last, q);
    });
    let off = tops.iter().fold(0.0_f64, |max, top| max.max((top - 1.0).abs()));
    println!("{} returns, height off by {off:.1e}, energy {:.1e}", tops.len(), energy_error(&summary));
    assert!(tops.len() >= 100_000 && off <= 1e-9);
}

#[test]
fn impacts_reduce_the_order_to_one() {
    // A fall from 1 with one impact, known in closed form; the phase of the impact in its step makes errors scatter.
    let scene = built_in("point-mass", &[]);
    let (g, t) = (9.8_f64, 0.8);
    let exact = (2.0 * g).sqrt() * (t - (2.0 / g).sqrt()) - 0.5 * g * (t - (2.0 / g).sqrt()).powi(2);
    let steps = (0..60).map(|k| (20.0 * 1.1_f64.powi(k)).round() as u64);
    let errors: Vec<(f64, f64)> = steps
        .map(|steps| {
            let state = state_after(&scene, &mut *stepper(&scene, &scene.method), t, steps);
            (t / steps as f64, (state.q[0] - exact).abs())
        })
        .collect();
    let falling = exponent(&errors).expect("a slope");
    // Two discs with a few impacts, against a run with steps a hundred times finer than the finest.
    let scene = built_in("nonlinear-oscillator-asymmetric", &[]);
    let after = |steps| state_after(&scene, &mut *stepper(&scene, &scene.method), 2.0, steps);
    let fine = after(400_000);
    let errors: Vec<(f64, f64)> = (0..30)
        .map(|k| (40.0 * 1.17_f64.powi(k)).round() as u64)
        .map(|steps| {
            let q = after(steps).q;
            (2.0 / steps as f64, q.iter().zip(&fine.q).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs())))
        })
        .collect();
    let discs = exponent(&errors).expect("a slope");
    println!("order through impacts: falling mass {falling:.2}, discs {discs:.2}");
    assert!((0.7..=1.3).contains(&falling) && (0.7..=1.3).contains(&discs));
}

#[test]
fn cradle_errs_by_the_square_of_the_step() {
    let (mut points, mut deepest) = (Vec::new(), 0.0_f64);
    for h in [0.03, 0.02, 0.01, 0.005] {
        let edit = format!("run.step={h:?}");
        let summary = run(&built_in("newtons-cradle", &[&edit, "run.until=100"]), &mut |_| {});
        let iterated = ["method.iterate_predictor=true", "run.until=100"];
        let better = run(&built_in("newtons-cradle", &[&edit, iterated[0], iterated[1]]), &mut |_| {});
        let depth = |summary: &Summary| summary.max_penetration.expect("contacts");
        let rods = summary.max_equality.expect("rods").max(better.max_equality.expect("rods"));
        println!(
            "h = {h}: |dH| {:.3e}, rods {rods:.1e}, penetration {:.4}, {:.1e} with iterated predictors (|dH| {:.3e})",
            energy_error(&summary),
            depth(&summary),
            depth(&better),
            energy_error(&better)
        );
        assert!(rods <= 1e-14);
        deepest = deepest.max(depth(&better));
        points.push((h, energy_error(&summary)));
    }
    let order = exponent(&points).expect("a slope");
    println!("exponent {order:.2}, deepest with iterated predictors {deepest:.1e}");
    assert!((1.8..=2.2).contains(&order) && deepest <= 4e-4);
}

#[test]
fn shadow_reflections_hold_the_energy_of_the_lennard_jones_chain() {
    let slopes = |energy: &str, starts: &[f64], until: f64| -> Vec<f64> {
        let one = |speed: &f64| {
            let edits = [
                format!("parameters.speed={speed}"),
                format!("method.energy={energy}"),
                format!("run.until={until}"),
            ];
            let scene = built_in("lennard-jones-chain", &edits.iter().map(String::as_str).collect::<Vec<_>>());
            let summary = run(&scene, &mut |_| {});
            assert!(summary.max_equality.expect("rods") <= 1e-14);
            summary.energy_trend().expect("many steps").slope.abs()
        };
        let mut slopes: Vec<f64> = starts.iter().map(one).collect();
        slopes.sort_by(f64::total_cmp);
        slopes
    };
    let starts: Vec<f64> = (0..8).map(|k| 0.9 + 0.2 * f64::from(k) / 7.0).collect();
    let median = |slopes: &[f64]| 0.5 * (slopes[3] + slopes[4]);
    let (shadow, plain) = (slopes("shadow", &starts, 2000.0), slopes("hamiltonian", &starts, 2000.0));
    println!(
        "median |slope|: shadow {:.1e}, Hamiltonian {:.1e}; {shadow:?} {plain:?}",
        median(&shadow),
        median(&plain)
    );
    let times = median(&plain) / median(&shadow);
    assert!(median(&shadow) <= 5e-5 && (20.0..28.0).contains(&times), "{times}");
}

#[test]
fn the_height_after_a_bounce_is_that_of_newtons_law() {
    let scene = built_in("point-mass", &["parameters.restitution=0.8", "run.step=1e-4", "run.until=0.8"]);
    let mut top = 0.0_f64;
    let mut bounced = false;
    let summary = run(&scene, &mut |frame| {
        bounced |= frame.report.impacts > 0;
        if bounced {
            top = top.max(frame.state.q[0]);
        }
    });
    assert_eq!(summary.impacts, Some(1));
    assert!((top - 0.64).abs() < 2e-3, "{top}");
    // The override of the method holds for all contacts.
    let scene = built_in("point-mass", &["method.restitution=0.0", "run.step=0.01", "run.until=1"]);
    assert_eq!(run(&scene, &mut |_| {}).captured, 1);
}

#[test]
fn the_printed_predicate_ends_with_an_error_that_names_the_contact() {
    // The only impulse that keeps the shadow energy would pull: see the theory of the impact laws.
    let edits = ["method.energy=shadow", "method.predicate=literal", "run.until=1e5"];
    let mut failed = 0;
    for height in [0.35, 0.8, 1.45, 2.2, 3.05, 4.4] {
        let height = format!("parameters.height={height}");
        let scene = built_in("pogo-stick", &[edits[0], edits[1], edits[2], &height]);
        let (outcome, _) = run_from(&scene, scene.problem.initial.clone(), &mut |_| {});
        if let Some(Ended::Step { error, .. }) = &outcome.ended {
            let Failure::Impact { contacts, .. } = &error.failure else { panic!("{error}") };
            assert!(contacts.contains("`ground`"), "{error}");
            failed += 1;
        }
        // With the velocity of the conserved energy the reflection exists.
        let scene = built_in("pogo-stick", &[edits[0], edits[2], &height]);
        assert_eq!(run_from(&scene, scene.problem.initial.clone(), &mut |_| {}).0.ended, None);
    }
    println!("{failed} of 6 starts end where no reflection exists");
    assert_eq!(failed, 3);
}

/// A particle in a corner of two walls, 26° wide: it runs into the first and leaves the second.
const CORNER: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = [1.0, 1.0]
potential = "0"
inequalities = ["x", "0.4358898943540673*y - 0.9*x"]
[initial]
q = { x = 0.0, y = 0.0 }
v = { x = -1.0, y = -1.0 }
[method]
name = "gvi"
[run]
step = 0.01
steps = 1
"#;

#[test]
fn contacts_that_moreaus_printed_law_leaves_approached_are_counted() {
    let after = |law: &str| {
        let scene = scene("corner", CORNER, &[&format!("method.reflection={law}")]);
        let mut end = Vec::new();
        let summary = run(&scene, &mut |frame| end = frame.state.p.clone());
        (summary.approached, end)
    };
    let (approached, p) = after("moreau-literal");
    assert_eq!(approached, 1);
    // All that it reflects at is both walls: the momentum turns around, into the second.
    assert!((p[0] - 1.0).abs() < 1e-14 && (p[1] - 1.0).abs() < 1e-14, "{p:?}");
    for law in ["moreau", "generalized", "sequential"] {
        let (approached, p) = after(law);
        assert!(approached == 0 && p[0] >= 0.0 && 0.4358898943540673 * p[1] >= 0.9 * p[0] - 1e-12, "{law}: {p:?}");
    }
}
