//! The pogo stick of `scenes/kaufman-pai/pogo-stick.toml` in plain Rust.

use carom::state::State;
use carom::system::{Constraints, Dynamics, Mass};

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
}

impl Constraints for Pogo {
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
}

/// Gradient of the potential.
#[inline]
pub fn gradient(q: [f64; 2]) -> [f64; 2] {
    let spring = STIFFNESS * (q[0] - q[1] - LENGTH);
    [spring + GRAVITY, GRAVITY - spring]
}
