//! The state of a mechanical system at a node of the time grid.

use serde::{Deserialize, Serialize};

use crate::system::System;

/// Time, configuration and the discrete Legendre momentum at that time.
///
/// The momentum and not the velocity is stored: it is what variational steps conserve and what impacts change, and
/// `v = M(q)⁻¹p` follows from it (`InverseMass` in `steppers::shared::mass` makes it without allocating).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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

    /// Takes over another state of the same system, without allocating.
    pub fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.copy_from_slice(&other.q);
        self.p.copy_from_slice(&other.p);
    }

    /// Whether every number of the state is finite.
    pub fn is_finite(&self) -> bool {
        self.t.is_finite() && all_finite(&self.q) && all_finite(&self.p)
    }
}

/// Whether all numbers are finite. One pass without branches: a non-finite `x` makes `0 x` NaN.
pub fn all_finite(x: &[f64]) -> bool {
    // Several sums at once: one would wait for every addition.
    let (chunks, rest) = x.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x * 0.0;
        }
    }
    rest.iter().chain(&sums).fold(0.0, |sum, &x| sum + x * 0.0) == 0.0
}

/// Whether all numbers have the same bits.
pub(crate) fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).fold(0, |other, (a, b)| other | (a.to_bits() ^ b.to_bits())) == 0
}

#[cfg(test)]
mod tests {
    use super::all_finite;

    #[test]
    fn non_finite_numbers_are_seen_wherever_they_stand() {
        assert!(all_finite(&[]));
        assert!(all_finite(&[1.0, -f64::MAX, f64::MIN_POSITIVE]));
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for (length, place) in (1..20).flat_map(|length| (0..length).map(move |place| (length, place))) {
                let mut x = vec![1.5; length];
                assert!(all_finite(&x));
                x[place] = bad;
                assert!(!all_finite(&x), "{bad} at {place} of {length}");
            }
        }
    }
}
