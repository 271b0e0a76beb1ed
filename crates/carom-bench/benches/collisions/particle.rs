//! The particle of `bouncing-particle` in plain Rust, and its loop by hand.

use carom::state::State;
use carom::system::{Constraints, Dynamics, Mass, Parabola};

use super::Closing;

pub const H: f64 = 0.01;
const GRAVITY: f64 = 9.81;

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

/// The state, and how it bounces.
#[derive(Clone, Copy)]
pub struct Hand {
    q: [f64; 2],
    p: [f64; 2],
    closing: Closing,
}

impl Hand {
    pub fn new(start: &State, closing: Closing) -> Self {
        Self { q: [start.q[0], start.q[1]], p: [start.p[0], start.p[1]], closing }
    }

    /// The height after the step with a bounce in it; the root of the parabola is known in closed form.
    #[cold]
    fn bounce(&mut self) -> f64 {
        let (y, v) = (self.q[1], self.p[1]);
        let speed = (v * v + 2.0 * GRAVITY * y).sqrt();
        let before = if v < 0.0 { 2.0 * y / (speed - v) } else { (v + speed) / GRAVITY };
        let after = H - before;
        let up = self.closing.rebound(-speed, 1.0, GRAVITY, [before, after]);
        self.p[1] = up - after * GRAVITY;
        after * (up - 0.5 * after * GRAVITY)
    }
}

impl super::Hand for Hand {
    #[inline]
    fn step(&mut self) {
        let half = self.p[1] - 0.5 * H * GRAVITY;
        let mut y = self.q[1] + H * half;
        if y > 0.0 {
            self.p[1] = half - 0.5 * H * GRAVITY;
        } else {
            y = self.bounce();
        }
        self.q = [self.q[0] + H * self.p[0], y];
        assert!((self.q[0] + self.q[1] + self.p[0] + self.p[1]).is_finite());
    }

    fn state(&self) -> (&[f64], &[f64]) {
        (&self.q, &self.p)
    }
}
