//! A system whose second derivatives are full matrices.

use carom::system::{
    Contacts, Dynamics, Equalities, Forces, Mass, Nonholonomic, Segment, SparseHessian, System, TimeDependence,
};

/// A system without what makes its second derivatives sparse.
pub struct Whole<'a, S: ?Sized>(pub &'a S);

impl<S: System + ?Sized> Dynamics for Whole<'_, S> {
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
    fn time_dependence(&self) -> TimeDependence {
        self.0.time_dependence()
    }
    fn forces(&self) -> Option<&dyn Forces> {
        self.0.forces()
    }
}

impl<S: System + ?Sized> System for Whole<'_, S> {
    fn equalities(&self) -> &dyn Equalities {
        self.0.equalities()
    }
    fn contacts(&self) -> &dyn Contacts {
        self.0.contacts()
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        self.0.nonholonomic()
    }
}
