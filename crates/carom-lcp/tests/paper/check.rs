//! Reference files, comparisons that are counted, and the norms the reference uses.

use carom_lcp::Sparse;
use serde_json::Value;

/// Reads one of the reference files.
pub fn reference(name: &str) -> Value {
    let path = format!("{}/tests/paper/reference/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The number at a key.
pub fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number at {key} in {value}"))
}

/// The numbers of an array.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|v| v.as_f64().expect("a number")).collect()
}

/// Counts comparisons, and keeps the ones that fail.
#[derive(Default)]
pub struct Compared {
    count: usize,
    wrong: Vec<String>,
}

impl Compared {
    /// Compares to a relative tolerance.
    pub fn relative(&mut self, what: &str, got: f64, want: f64, tolerance: f64) {
        self.holds(what, (got - want).abs() <= tolerance * want.abs(), &format!("{got:e} is not {want:e}"));
    }

    /// Compares to an absolute tolerance.
    pub fn absolute(&mut self, what: &str, got: f64, want: f64, tolerance: f64) {
        self.holds(what, (got - want).abs() <= tolerance, &format!("{got:e} is not {want:e}"));
    }

    /// Counts a statement.
    pub fn holds(&mut self, what: &str, holds: bool, otherwise: &str) {
        self.count += 1;
        if !holds {
            self.wrong.push(format!("{what}: {otherwise}"));
        }
    }

    /// Fails where a comparison did, or where there were not as many as there should have been.
    pub fn finish(self, expected: usize) {
        assert!(
            self.wrong.is_empty(),
            "{} of {} comparisons fail:\n{}",
            self.wrong.len(),
            self.count,
            self.wrong.join("\n")
        );
        assert_eq!(self.count, expected, "comparisons made");
    }
}

/// The Euclidean length.
pub fn norm(x: impl IntoIterator<Item = f64>) -> f64 {
    x.into_iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// ‖a − b‖ / ‖b‖.
pub fn relative_error(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| a - b)) / norm(b.iter().copied())
}

/// A square matrix whose eigenvalues are asked for.
pub struct Square(faer::Mat<f64>);

impl Square {
    pub fn from_fn(n: usize, entry: impl Fn(usize, usize) -> f64) -> Square {
        Square(faer::Mat::from_fn(n, n, entry))
    }

    /// Real and imaginary parts.
    pub fn eigenvalues(&self) -> Vec<(f64, f64)> {
        self.0.eigenvalues().expect("eigenvalues").into_iter().map(|value| (value.re, value.im)).collect()
    }
}

/// The ratio of the largest to the smallest eigenvalue of a symmetric positive definite matrix.
pub fn condition(a: &Sparse) -> f64 {
    let square = faer::Mat::from_fn(a.rows(), a.rows(), |i, j| a.get(i, j));
    let values = square.self_adjoint_eigenvalues(faer::Side::Lower).expect("eigenvalues");
    values[values.len() - 1] / values[0]
}
