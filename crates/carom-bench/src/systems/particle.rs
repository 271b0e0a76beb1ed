//! The particle of `bouncing-particle` in plain Rust.

use carom::state::State;
use carom::system::{Constraints, Dynamics, Mass, Parabola};

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
}

impl Constraints for Particle {
    fn inequalities(&self) -> usize {
        1
    }
    #[inline]
    fn gap(&self, q: &[f64], out: &mut [f64]) {
        out[0] = q[1];
    }
    #[inline]
    fn gap_gradient(&self, _q: &[f64], _index: usize, out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 1.0]);
    }
    #[inline]
    fn gap_bend(&self, arc: &Parabola, _index: usize) -> Option<[f64; 2]> {
        Some([arc.a[1], arc.a[1]])
    }
}
