//! The pogo stick of `scenes/kaufman-pai/pogo-stick.toml` in plain Rust.

use carom::state::State;
use carom::system::{
    Contacts, ContactsAlong, Depths, Dynamics, Equalities, FewContacts, Mass, NoRows, Nonholonomic, SparseHessian,
    System,
};

/// Step of the scene.
pub const H: f64 = 0.1;
const STIFFNESS: f64 = 10.0;
const LENGTH: f64 = 5.0;
const GRAVITY: f64 = 9.8213;

/// At a height, at rest.
pub fn start(height: f64) -> State {
    State { t: 0.0, q: vec![height + LENGTH, height], p: vec![0.0, 0.0] }
}

/// Two unit masses on a spring above a floor.
pub struct Pogo;

impl Dynamics for Pogo {
    fn dim(&self) -> usize {
        2
    }
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&[1.0, 1.0])
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        0.5 * STIFFNESS * (q[0] - q[1] - LENGTH).powi(2) + GRAVITY * (q[0] + q[1])
    }
    #[inline]
    fn potential_gradient(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&gradient([q[0], q[1]]));
    }
    fn potential_hessian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[STIFFNESS, -STIFFNESS, -STIFFNESS, STIFFNESS]);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Pogo {
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

impl FewContacts for Pogo {
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
        None
    }
}

/// Gradient of the potential.
#[inline]
pub fn gradient(q: [f64; 2]) -> [f64; 2] {
    let spring = STIFFNESS * (q[0] - q[1] - LENGTH);
    [spring + GRAVITY, GRAVITY - spring]
}
