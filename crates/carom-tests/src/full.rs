//! Particles whose rows are full: what sparse ways are compared with.

use carom::particles::Particles;
use carom::system::{
    Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, Segment, Softness, SparseEqualities, SparseHessian,
    System, bend_of_hessians,
};

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
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
    fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
        self.0.potential_discrete_gradient(segment, out);
    }
}

impl System for Full {
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Equalities for Full {
    fn count(&self) -> usize {
        self.0.equalities().count()
    }
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.equalities().values(t, q, out);
    }
    fn rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.equalities().jacobian(t, q, out);
    }
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.0.equalities().hessian(t, q, lambda, out);
    }
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        bend_of_hessians(self, t, q, v, out);
    }
    fn rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    fn name(&self, index: usize) -> String {
        format!("equalities[{index}]")
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        None
    }
}
