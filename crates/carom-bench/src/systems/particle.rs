//! The particle of `bouncing-particle` in plain Rust.

use carom::state::State;
use carom::system::{
    ContactId, Contacts, ContactsAlong, Depths, Dynamics, Equalities, FewContacts, Mass, NoRows, Nonholonomic,
    Parabola, SparseHessian, System,
};

/// Step of the scene.
pub const H: f64 = 0.01;
/// Gravity of the scene.
pub const GRAVITY: f64 = 9.81;

/// At a height, with the velocity of the scene.
pub fn start(height: f64) -> State {
    State { t: 0.0, q: vec![0.0, height], p: vec![-2.0, 0.0] }
}

/// A unit mass above a floor.
pub struct Particle;

impl Dynamics for Particle {
    fn dim(&self) -> usize {
        2
    }
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&[1.0, 1.0])
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        GRAVITY * q[1]
    }
    #[inline]
    fn potential_gradient(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, GRAVITY]);
    }
    fn potential_hessian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Particle {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        self
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl FewContacts for Particle {
    #[inline]
    fn count(&self) -> usize {
        1
    }
    #[inline]
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        out[0] = q[1];
    }
    #[inline]
    fn gradient(&self, _q: &[f64], _place: usize, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 1.0]);
    }
    fn add_hessian(&self, _q: &[f64], _place: usize, _lambda: f64, _out: &mut [f64]) {}
    #[inline]
    fn restitution(&self, _place: usize) -> f64 {
        1.0
    }
    fn rounding(&self, _place: usize) -> f64 {
        0.0
    }
    fn depths(&self) -> Depths {
        Depths::Infinite
    }
    fn name(&self, place: usize) -> String {
        format!("floor[{place}]")
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Particle {
    #[inline]
    fn bend(&self, arc: &Parabola, _contact: ContactId) -> Option<[f64; 2]> {
        Some([arc.a[1], arc.a[1]])
    }
    fn rate(&self, _arc: &Parabola, _contact: ContactId) -> Option<f64> {
        None
    }
}
