//! Impacts of `spook` and their regularisation.

use carom_tests::runs::built_in;

use crate::{run, through};

/// The energy that impacts take from an elastic ball in 20 s, relative to that of the start.
fn taken(regularisation: f64) -> f64 {
    let scene = built_in("bouncing-ball", &[&format!("method.impact_regularisation={regularisation:e}")]);
    let (outcome, _, ledger) = run(&scene, &mut |_| {});
    assert_eq!(outcome.ended, None);
    -through(&ledger, "impacts") / 9.81
}

#[test]
fn an_elastic_ball_loses_nothing_to_impacts_without_regularisation() {
    assert!(taken(0.0).abs() < 1e-12, "{:e}", taken(0.0));
    // The loss is in proportion to it: 4e-9 for 1e-10.
    let [small, large] = [1e-8, 1e-6].map(taken);
    assert!((1e-8..1e-6).contains(&small) && (large / small - 100.0).abs() < 1.0, "{small:e} {large:e}");
}
