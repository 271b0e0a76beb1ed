//! The pogo stick of `scenes/kaufman-pai/pogo-stick.toml`: its loop by hand.

use carom::state::State;
use carom_bench::systems::pogo::{H, gradient};

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
