//! The state of a mechanical system at a node of the time grid.

use serde::{Deserialize, Serialize};

use crate::system::System;

/// Time, configuration and the discrete Legendre momentum at that time.
///
/// The momentum and not the velocity is stored: it is what variational steps conserve and what impacts change, and
/// `v = M(q)⁻¹p` follows from it (`InverseMass` in `steppers::shared::mass` makes it without allocating).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time.
    pub t: f64,
    /// Generalised coordinates.
    pub q: Vec<f64>,
    /// Generalised momenta.
    pub p: Vec<f64>,
}

impl State {
    /// The state with velocity `v`, that is, with `p = M(q)v`.
    pub fn from_velocity<S: System + ?Sized>(system: &S, t: f64, q: &[f64], v: &[f64]) -> Self {
        let mut p = vec![0.0; q.len()];
        system.mass().times(q, v, &mut p);
        Self { t, q: q.to_vec(), p }
    }

    /// Whether every number of the state is finite.
    pub fn is_finite(&self) -> bool {
        self.t.is_finite() && all_finite(&self.q) && all_finite(&self.p)
    }
}

/// Whether all numbers are finite. One pass without branches: a non-finite `x` makes `0 x` NaN.
pub fn all_finite(x: &[f64]) -> bool {
    x.iter().fold(0.0, |sum, &x| sum + x * 0.0) == 0.0
}

#[cfg(test)]
mod tests {
    use super::all_finite;

    #[test]
    fn non_finite_numbers_are_seen_wherever_they_stand() {
        assert!(all_finite(&[]));
        assert!(all_finite(&[1.0, -f64::MAX, f64::MIN_POSITIVE]));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for place in 0..3 {
                let mut x = [1.0, 2.0, 3.0];
                x[place] = bad;
                assert!(!all_finite(&x), "{bad} at {place}");
            }
        }
    }
}
