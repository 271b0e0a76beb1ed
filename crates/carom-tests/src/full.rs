//! Particles whose rows are full: what sparse ways are compared with.

use carom::particles::Particles;
use carom::system::{Constraints, Dynamics, Mass, Segment};

/// Particles without the pattern of their rows.
pub struct Full(pub Particles);

impl Dynamics for Full {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn mass(&self) -> Mass<'_> {
        self.0.mass()
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        self.0.potential(t, q)
    }
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.potential_gradient(t, q, out);
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.potential_hessian(t, q, out);
    }
    fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
        self.0.potential_discrete_gradient(segment, out);
    }
}

impl Constraints for Full {
    fn equalities(&self) -> usize {
        self.0.equalities()
    }
    fn equality(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.equality(t, q, out);
    }
    fn equality_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.equality_jacobian(t, q, out);
    }
    fn equality_hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.0.equality_hessian(t, q, lambda, out);
    }
}
