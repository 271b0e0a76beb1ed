//! A system from parts: a constant diagonal mass and a potential, joined at compile time.

use crate::system::{Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, SparseHessian, System};

/// A potential `V(q)` with its derivatives.
pub trait Potential {
    /// `V(q)`.
    fn value(&self, q: &[f64]) -> f64;
    /// `V_q`.
    fn gradient(&self, q: &[f64], out: &mut [f64]);
    /// `V_qq`, row-major.
    fn hessian(&self, q: &[f64], out: &mut [f64]);
}

/// Springs to the origin: `V = ½ Σ k_i q_i²`.
#[derive(Debug, Clone, PartialEq)]
pub struct Springs {
    /// Stiffness per coordinate.
    pub stiffness: Vec<f64>,
}

impl Potential for Springs {
    #[inline]
    fn value(&self, q: &[f64]) -> f64 {
        0.5 * self.stiffness.iter().zip(q).fold(0.0, |sum, (k, q)| sum + k * q * q)
    }

    #[inline]
    fn gradient(&self, q: &[f64], out: &mut [f64]) {
        let n = out.len();
        for ((out, k), q) in out.iter_mut().zip(&self.stiffness[..n]).zip(&q[..n]) {
            *out = k * q;
        }
    }

    #[inline]
    fn hessian(&self, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let n = q.len();
        for (i, k) in self.stiffness[..n].iter().enumerate() {
            out[i * (n + 1)] = *k;
        }
    }
}

/// Point masses in a potential.
#[derive(Debug, Clone, PartialEq)]
pub struct Masses<P> {
    mass: Vec<f64>,
    potential: P,
}

impl<P: Potential> Masses<P> {
    /// One mass per coordinate.
    pub fn new(mass: Vec<f64>, potential: P) -> Self {
        Self { mass, potential }
    }
}

impl<P: Potential> Dynamics for Masses<P> {
    #[inline]
    fn dim(&self) -> usize {
        self.mass.len()
    }
    #[inline]
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&self.mass)
    }
    #[inline]
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        self.potential.value(q)
    }
    #[inline]
    fn potential_gradient(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        self.potential.gradient(q, out);
    }
    #[inline]
    fn potential_hessian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        self.potential.hessian(q, out);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl<P: Potential> System for Masses<P> {
    #[inline]
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}
