//! The elastic reflection of velocities and momenta at a contact [pekarek-murphey-2012 (12)].
//!
//! `R = I − 2wnᵀ` satisfies `R² = I` and `RᵀMR = M`, so kinetic energy and everything tangent to the boundary are kept.

use super::ProjectionError;
use crate::linear::{Cholesky, dot};
use crate::system::{ContactId, System};

/// `R(q)` of one contact at one configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Reflection {
    pub(super) n: Vec<f64>,
    pub(super) w: Vec<f64>,
}

impl Reflection {
    /// The reflection at `q`, which need not lie on the boundary.
    pub fn at<S: System + ?Sized>(system: &S, contact: ContactId, q: &[f64]) -> Result<Self, ProjectionError> {
        let (dim, count) = (system.dim(), system.contacts().count());
        if contact.place() >= count {
            return Err(ProjectionError::Contact { contact: contact.place(), count });
        }
        if q.len() != dim {
            return Err(ProjectionError::Size { found: q.len(), needed: dim });
        }
        if system.equalities().count() > 0 || system.nonholonomic().is_some() {
            return Err(ProjectionError::Constrained);
        }
        let mut n = vec![0.0; dim];
        system.contacts().gradient(0.0, q, contact, &mut n);
        let mut mass = Cholesky::new(dim);
        system.mass().matrix(q, &mut mass.matrix);
        mass.factor().map_err(|_| ProjectionError::Degenerate { square: f64::NAN })?;
        let mut w = n.clone();
        mass.solve(&mut w);
        let square = dot(&n, &w);
        if !(square.is_finite() && square > 0.0) {
            return Err(ProjectionError::Degenerate { square });
        }
        w.iter_mut().for_each(|w| *w /= square);
        Ok(Self { n, w })
    }

    /// `R` as a full matrix.
    pub fn matrix(&self, out: &mut [f64]) {
        fold_matrix(&self.w, &self.n, out);
    }

    /// `v⁺ = R v⁻`.
    pub fn velocity(&self, v: &mut [f64]) {
        let twice = 2.0 * dot(&self.n, v);
        v.iter_mut().zip(&self.w).for_each(|(v, w)| *v -= twice * w);
    }

    /// `p⁺ = p⁻ R` for the momentum as a row.
    pub fn momentum(&self, p: &mut [f64]) {
        let twice = 2.0 * dot(&self.w, p);
        p.iter_mut().zip(&self.n).for_each(|(p, n)| *p -= twice * n);
    }
}

/// `I − 2wnᵀ`.
pub(super) fn fold_matrix(w: &[f64], n: &[f64], out: &mut [f64]) {
    for ((i, row), w) in out.chunks_exact_mut(n.len()).enumerate().zip(w) {
        for ((j, out), n) in row.iter_mut().enumerate().zip(n) {
            *out = f64::from(u8::from(i == j)) - 2.0 * w * n;
        }
    }
}
