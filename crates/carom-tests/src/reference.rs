//! Numbers of independent implementations, and how many of them agree.

use serde_json::Value;

/// A number of a reference.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// Counts numbers that agree.
#[derive(Default)]
pub struct Tally {
    total: usize,
    wrong: Vec<String>,
}

impl Tally {
    /// Compares a number.
    pub fn check(&mut self, what: &str, found: f64, expected: f64, tolerance: f64) {
        self.total += 1;
        let off = (found - expected).abs();
        if off.is_nan() || off > tolerance {
            self.wrong
                .push(format!("{what}: {found:e}, reference {expected:e}, off by {off:.2e} > {tolerance:.0e}"));
        }
    }

    /// Compares numbers.
    pub fn all(&mut self, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
        self.each(what, found, expected, |_| tolerance);
    }

    /// Compares numbers with a tolerance by their size.
    pub fn each(&mut self, what: &str, found: &[f64], expected: &[f64], tolerance: impl Fn(f64) -> f64) {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            self.check(&format!("{what}[{k}]"), *found, *expected, tolerance(expected.abs()));
        }
    }

    /// Something that must be below a bound.
    pub fn below(&mut self, what: &str, found: f64, bound: f64) {
        self.check(what, if found <= bound { 0.0 } else { found }, 0.0, 0.0);
    }

    /// Prints the count, and fails if any is off.
    pub fn settle(self, kind: &str) {
        println!("{kind}: {} of {} numbers within their tolerance", self.total - self.wrong.len(), self.total);
        assert!(self.wrong.is_empty(), "{kind}: {:#?}", self.wrong);
    }
}
