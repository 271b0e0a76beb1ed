//! Bounds of round-off against exact arithmetic, and what they are of rows whose coordinates vanish.

use super::parse;
use crate::lagrangian::expression::{Graph, Rounded, Scalar, Tape};

fn rounded(text: &str, inputs: [f64; 3]) -> Rounded {
    let mut graph = Graph::new();
    let node = parse(&mut graph, text);
    Tape::compile(&graph, &[node], 3).evaluate_generic(&inputs.map(Rounded::from_f64))[0]
}

#[test]
fn bounds_hold_against_integers_and_are_not_far_off() {
    // Whole multiples of 2⁻³⁰: products of three of them are exact as integers, and are rounded as doubles.
    let unit = f64::from(1 << 30).recip();
    let mut seed = 7_u64;
    let mut number = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        i128::from(seed >> 26) - (1 << 37)
    };
    let mut closest = 0.0_f64;
    for _ in 0..1000 {
        let [x, y, z] = [number(), number(), number()];
        let found = rounded("(x + y)*(x - z)*(y + 3) - x*y*z", [x, y, z].map(|k| k as f64 * unit));
        let exact = (x + y) * (x - z) * (y + 3 * (1 << 30)) - x * y * z;
        // Both are whole multiples of 2⁻⁹⁰.
        let error = ((found.value * unit.powi(-3)) as i128 - exact) as f64 * unit.powi(3);
        assert!(error.abs() <= f64::EPSILON * found.error, "{error:e}, {:e}", found.error);
        closest = closest.max(error.abs() / (f64::EPSILON * found.error));
    }
    assert!(closest > 0.1, "{closest}");
}

#[test]
fn constants_are_what_the_round_off_of_vanishing_coordinates_comes_from() {
    let at = |text: &str| rounded(text, [0.0, 0.0, 1e-300]).error;
    assert_eq!(at("(x + 1)^2 + y^2 - 1"), 4.0);
    assert_eq!(at("hypot(x + 1, y) - 1"), 2.0);
    assert!((at("0.3 + x - 0.1 - 0.2") - 0.5).abs() < 1e-15);
    assert_eq!(at("x - y"), 0.0);
    // What is exact passes nothing on, also where the slope of a function is infinite.
    assert_eq!(at("sqrt(x) + asin(y)"), 0.0);
    assert!(at("log(z)").is_finite() && at("x^2.5 + (z - x)^3").is_finite());
}
