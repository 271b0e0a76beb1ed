//! The pogo stick of `scenes/kaufman-pai/pogo-stick.toml` in plain Rust, and its loop by hand.

use carom::state::State;
use carom::system::{Constraints, Dynamics, Mass};

pub const H: f64 = 0.1;
const STIFFNESS: f64 = 10.0;
const LENGTH: f64 = 5.0;
const GRAVITY: f64 = 9.8213;

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

#[inline]
fn gradient(q: [f64; 2]) -> [f64; 2] {
    let spring = STIFFNESS * (q[0] - q[1] - LENGTH);
    [spring + GRAVITY, GRAVITY - spring]
}

/// The state and the gradient there.
#[derive(Clone, Copy)]
pub struct Hand {
    q: [f64; 2],
    p: [f64; 2],
    gradient: [f64; 2],
}

impl Hand {
    pub fn new(start: &State) -> Self {
        let q = [start.q[0], start.q[1]];
        Self { q, p: [start.p[0], start.p[1]], gradient: gradient(q) }
    }

    #[inline]
    fn verlet(mut self) -> Self {
        for i in 0..2 {
            self.p[i] -= 0.5 * H * self.gradient[i];
            self.q[i] += H * self.p[i];
        }
        self.gradient = gradient(self.q);
        for i in 0..2 {
            self.p[i] -= 0.5 * H * self.gradient[i];
        }
        self
    }
}

impl super::Hand for Hand {
    /// The free step is the prediction; where it ends below the floor, the lower mass is reflected before it.
    #[inline]
    fn step(&mut self) {
        let mut next = self.verlet();
        if next.q[1] <= 0.0 {
            if self.p[1] < 0.0 {
                self.p[1] = -self.p[1];
            }
            next = self.verlet();
        }
        *self = next;
        assert!((self.q[0] + self.q[1] + self.p[0] + self.p[1]).is_finite());
    }

    fn state(&self) -> (&[f64], &[f64]) {
        (&self.q, &self.p)
    }
}
