//! The particle of `bouncing-particle`: its loop by hand.

use carom::state::State;
use carom_bench::systems::particle::{GRAVITY, H};

use super::Closing;

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
