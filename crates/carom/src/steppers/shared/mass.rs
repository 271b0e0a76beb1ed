//! Solving with the mass matrix: `v = M(q)⁻¹p`.

use crate::error::Failure;
use crate::linear::{Breakdown, Cholesky, max_abs};
use crate::system::{Mass, System};

/// `M⁻¹`, made once for a constant mass and per configuration otherwise.
#[derive(Debug, Clone)]
pub enum Inverse {
    /// Reciprocals of the diagonal.
    Diagonal(Vec<f64>),
    /// Factors of a constant matrix.
    Constant(Cholesky),
    /// Factors at the configuration that was prepared last.
    Configuration(Cholesky),
}

/// Solves with the mass matrix.
#[derive(Debug, Clone)]
pub struct InverseMass {
    inverse: Inverse,
    /// Diagonal of `M`, at the configuration that was prepared last.
    pub diagonal: Vec<f64>,
}

fn failure<S: System + ?Sized>(system: &S, breakdown: Breakdown) -> Failure {
    Failure::Mass { name: system.coordinate_name(breakdown.index), pivot: breakdown.pivot }
}

impl InverseMass {
    /// Sized for the system; a constant mass is factored here. `q` is any configuration.
    pub fn new<S: System + ?Sized>(system: &S, q: &[f64]) -> Result<Self, Failure> {
        let n = system.dim();
        if !matches!(system.mass(), Mass::Diagonal(_)) {
            Failure::unless_it_fits("a mass matrix that is not diagonal", n, n)?;
        }
        let (inverse, diagonal) = match system.mass() {
            Mass::Diagonal(m) => {
                if let Some(index) = m.iter().position(|m| !(m.is_finite() && *m > 0.0 && m.recip().is_finite())) {
                    let pivot = m[index] / max_abs(m).max(f64::MIN_POSITIVE);
                    return Err(failure(system, Breakdown { index, pivot }));
                }
                (Inverse::Diagonal(m.iter().map(|m| m.recip()).collect()), m.to_vec())
            }
            Mass::Constant(m) => {
                let mut cholesky = Cholesky::new(n);
                cholesky.matrix.copy_from_slice(m);
                cholesky.factor().map_err(|breakdown| failure(system, breakdown))?;
                (Inverse::Constant(cholesky), (0..n).map(|i| m[i * (n + 1)]).collect())
            }
            Mass::Configuration(_) => (Inverse::Configuration(Cholesky::new(n)), vec![0.0; n]),
        };
        let mut new = Self { inverse, diagonal };
        new.prepare(system, q)?;
        Ok(new)
    }

    /// The reciprocals of a constant diagonal mass.
    #[inline]
    pub fn reciprocals(&self) -> Option<&[f64]> {
        match &self.inverse {
            Inverse::Diagonal(inverse) => Some(inverse),
            _ => None,
        }
    }

    /// Makes `solve` refer to `M(q)`.
    #[inline]
    pub fn prepare<S: System + ?Sized>(&mut self, system: &S, q: &[f64]) -> Result<(), Failure> {
        let Inverse::Configuration(cholesky) = &mut self.inverse else { return Ok(()) };
        system.mass().matrix(q, &mut cholesky.matrix);
        let n = self.diagonal.len();
        for (i, diagonal) in self.diagonal.iter_mut().enumerate() {
            *diagonal = cholesky.matrix[i * (n + 1)];
        }
        cholesky.factor().map_err(|breakdown| failure(system, breakdown))
    }

    /// `b` becomes `M⁻¹b`.
    #[inline]
    pub fn solve(&self, b: &mut [f64]) {
        match &self.inverse {
            Inverse::Diagonal(inverse) => {
                for (b, inverse) in b.iter_mut().zip(inverse) {
                    *b *= inverse;
                }
            }
            Inverse::Constant(cholesky) | Inverse::Configuration(cholesky) => cholesky.solve(b),
        }
    }
}
