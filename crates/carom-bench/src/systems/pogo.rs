//! The pogo stick of `scenes/kaufman-pai/pogo-stick.toml` in plain Rust.

use carom::state::State;
use carom::system::{
    Contacts, ContactsAlong, Depths, Dynamics, Equalities, Mass, NoRows, Nonholonomic, Passage, Softness,
    SparseContacts, SparseHessian, System,
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

impl Contacts for Pogo {
    fn count(&self) -> usize {
        1
    }
    #[inline]
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        out[0] = q[1];
    }
    fn gaps_of(&self, q: &[f64], _contacts: &[usize], out: &mut [f64]) {
        self.gaps(q, out);
    }
    fn rounding(&self, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    #[inline]
    fn gradient(&self, _q: &[f64], _index: usize, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 1.0]);
    }
    fn jacobian(&self, q: &[f64], out: &mut [f64]) {
        self.gradient(q, 0, out);
    }
    fn hessian(&self, _q: &[f64], _lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn restitution(&self, _index: usize) -> f64 {
        1.0
    }
    fn softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    fn friction(&self, _index: usize) -> f64 {
        0.0
    }
    fn directions(&self, _index: usize) -> usize {
        0
    }
    fn tangents(&self, _q: &[f64], _index: usize, _out: &mut [f64]) {}
    fn passages(&self, _way: [&[f64]; 2], _gap: &[f64], _found: &mut dyn FnMut(Passage)) -> Depths {
        Depths::Infinite
    }
    fn sparse(&self) -> Option<&dyn SparseContacts> {
        None
    }
    fn name(&self, index: usize) -> String {
        format!("floor[{index}]")
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
