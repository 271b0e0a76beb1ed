//! The star of `star-body` in plain Rust.

use carom::state::State;
use carom::system::{
    Contacts, ContactsAlong, Depths, Dynamics, Equalities, Mass, NoRows, Nonholonomic, Parabola, Passage, Softness,
    SparseContacts, SparseHessian, System,
};

/// Step of the scene.
pub const H: f64 = 0.005;
/// Gravity of the scene.
pub const GRAVITY: f64 = 9.81;
const INERTIA: f64 = 29.0 / 192.0;
/// One over the moment of inertia.
pub const PER_INERTIA: f64 = 1.0 / INERTIA;
/// Distance of the corners from the centre.
pub const RADIUS: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// The corners of a unit square.
const CORNERS: [[f64; 2]; 4] = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];

/// At a height, with the velocities of the scene.
pub fn start(height: f64) -> State {
    State { t: 0.0, q: vec![0.0, height, 0.0], p: vec![-2.0, 0.0, 5.0 * INERTIA] }
}

/// Heights of the corners.
#[inline]
pub fn gaps(q: &[f64; 3]) -> [f64; 4] {
    let (sin, cos) = q[2].sin_cos();
    CORNERS.map(|[x, y]| q[1] + (y * cos + x * sin))
}

/// Height of a corner and its derivative by the angle.
#[inline]
pub fn corner(q: &[f64; 3], k: usize) -> [f64; 2] {
    let ((sin, cos), [x, y]) = (q[2].sin_cos(), CORNERS[k]);
    [q[1] + (y * cos + x * sin), x * cos - y * sin]
}

/// A unit mass with four corners above a floor.
pub struct Star;

impl Dynamics for Star {
    fn dim(&self) -> usize {
        3
    }
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&[1.0, 1.0, INERTIA])
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        GRAVITY * q[1]
    }
    #[inline]
    fn potential_gradient(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, GRAVITY, 0.0]);
    }
    fn potential_hessian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Star {
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

impl Contacts for Star {
    fn count(&self) -> usize {
        4
    }
    #[inline]
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&gaps(&[q[0], q[1], q[2]]));
    }
    fn gaps_of(&self, q: &[f64], _contacts: &[usize], out: &mut [f64]) {
        self.gaps(q, out);
    }
    fn rounding(&self, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    #[inline]
    fn gradient(&self, q: &[f64], index: usize, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 1.0, corner(&[q[0], q[1], q[2]], index)[1]]);
    }
    fn jacobian(&self, q: &[f64], out: &mut [f64]) {
        out.chunks_exact_mut(3).enumerate().for_each(|(index, row)| self.gradient(q, index, row));
    }
    fn hessian(&self, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        // A corner's height swings about that of the centre.
        out[8] = gaps(&[q[0], q[1], q[2]]).iter().zip(lambda).map(|(gap, lambda)| lambda * (q[1] - gap)).sum();
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
        Depths::Unknown
    }
    fn sparse(&self) -> Option<&dyn SparseContacts> {
        None
    }
    fn name(&self, index: usize) -> String {
        format!("corner[{index}]")
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Star {
    /// The spin is constant: nothing turns the star in the air.
    #[inline]
    fn bend(&self, arc: &Parabola, _index: usize) -> Option<[f64; 2]> {
        let swing = RADIUS * arc.v[2] * arc.v[2];
        Some([arc.a[1] - swing, arc.a[1] + swing])
    }
    fn rate(&self, _arc: &Parabola, _index: usize) -> Option<f64> {
        None
    }
}
