//! Solving with the mass matrix: `v = M(q)⁻¹p`.

use crate::error::Failure;
use crate::linear::{Breakdown, Cholesky, max_abs};
use crate::system::{Mass, System};

/// `M⁻¹`, made once for a constant mass and per configuration otherwise.
#[derive(Debug, Clone)]
pub enum InverseMass {
    /// Reciprocals of the diagonal.
    Diagonal(Vec<f64>),
    /// Factors of a constant matrix.
    Constant(Cholesky),
    /// Factors at the configuration that was prepared last.
    Configuration(Cholesky),
}

fn failure<S: System + ?Sized>(system: &S, breakdown: Breakdown) -> Failure {
    Failure::Mass { name: system.coordinate_name(breakdown.index), pivot: breakdown.pivot }
}

impl InverseMass {
    /// Sized for the system; a constant mass is factored here. `q` is any configuration.
    pub fn new<S: System + ?Sized>(system: &S, q: &[f64]) -> Result<Self, Failure> {
        let mut cholesky = Cholesky::new(system.dim());
        match system.mass() {
            Mass::Diagonal(m) => {
                match m.iter().position(|m| !(m.is_finite() && *m > 0.0 && m.recip().is_finite())) {
                    Some(index) => Err(failure(system, Breakdown { index, pivot: m[index] / max_abs(m) })),
                    None => Ok(Self::Diagonal(m.iter().map(|m| m.recip()).collect())),
                }
            }
            Mass::Constant(m) => {
                cholesky.matrix.copy_from_slice(m);
                cholesky.factor().map_err(|breakdown| failure(system, breakdown))?;
                Ok(Self::Constant(cholesky))
            }
            Mass::Configuration(_) => {
                let mut inverse = Self::Configuration(cholesky);
                inverse.prepare(system, q)?;
                Ok(inverse)
            }
        }
    }

    /// Makes `solve` refer to `M(q)`.
    #[inline]
    pub fn prepare<S: System + ?Sized>(&mut self, system: &S, q: &[f64]) -> Result<(), Failure> {
        match self {
            Self::Configuration(cholesky) => {
                system.mass().matrix(q, &mut cholesky.matrix);
                cholesky.factor().map_err(|breakdown| failure(system, breakdown))
            }
            _ => Ok(()),
        }
    }

    /// `b` becomes `M⁻¹b`.
    #[inline]
    pub fn solve(&self, b: &mut [f64]) {
        match self {
            Self::Diagonal(inverse) => {
                for (b, inverse) in b.iter_mut().zip(inverse) {
                    *b *= inverse;
                }
            }
            Self::Constant(cholesky) | Self::Configuration(cholesky) => cholesky.solve(b),
        }
    }
}
