//! The star of `star-body` in plain Rust.

use carom::state::State;
use carom::system::{
    ContactId, Contacts, ContactsAlong, Depths, Dynamics, Equalities, FewContacts, Mass, NoRows, Nonholonomic,
    Parabola, SparseHessian, System,
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

impl FewContacts for Star {
    #[inline]
    fn count(&self) -> usize {
        4
    }
    #[inline]
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&gaps(&[q[0], q[1], q[2]]));
    }
    #[inline]
    fn gradient(&self, q: &[f64], place: usize, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 1.0, corner(&[q[0], q[1], q[2]], place)[1]]);
    }
    fn add_hessian(&self, q: &[f64], place: usize, lambda: f64, out: &mut [f64]) {
        // A corner's height swings about that of the centre.
        out[8] += lambda * (q[1] - gaps(&[q[0], q[1], q[2]])[place]);
    }
    #[inline]
    fn restitution(&self, _place: usize) -> f64 {
        1.0
    }
    fn rounding(&self, _place: usize) -> f64 {
        0.0
    }
    fn depths(&self) -> Depths {
        Depths::Unknown
    }
    fn name(&self, place: usize) -> String {
        format!("corner[{place}]")
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Star {
    /// The spin is constant: nothing turns the star in the air.
    #[inline]
    fn bend(&self, arc: &Parabola, _contact: ContactId) -> Option<[f64; 2]> {
        let swing = RADIUS * arc.v[2] * arc.v[2];
        Some([arc.a[1] - swing, arc.a[1] + swing])
    }
    fn rate(&self, _arc: &Parabola, _contact: ContactId) -> Option<f64> {
        None
    }
}
