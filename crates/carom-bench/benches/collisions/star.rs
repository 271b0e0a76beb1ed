//! The star of `star-body`: its loop by hand.

use carom::state::State;
use carom_bench::systems::star::{GRAVITY, H, PER_INERTIA, RADIUS, corner, gaps};

use super::Closing;

/// How closely impacts are located, relative to the leg, as in the method.
const RESOLUTION: f64 = 2.0 * f64::EPSILON;
/// A path that takes longer to come to an impact grazes.
const MOST_ADVANCES: u32 = 60;

/// The state with the gaps there, and how it bounces.
#[derive(Clone, Copy)]
pub struct Hand {
    q: [f64; 3],
    p: [f64; 3],
    gaps: [f64; 4],
    closing: Closing,
}

impl Hand {
    pub fn new(start: &State, closing: Closing) -> Self {
        let three = |x: &[f64]| [x[0], x[1], x[2]];
        let q = three(&start.q);
        Self { q, p: three(&start.p), gaps: gaps(&q), closing }
    }

    #[inline]
    fn place(&self, tau: f64) -> [f64; 3] {
        let [x, y, angle] = self.q;
        [x + tau * self.p[0], y + tau * (self.p[1] - 0.5 * tau * GRAVITY), angle + tau * (self.p[2] * PER_INERTIA)]
    }

    /// What the turning adds to the second derivative of a gap, at most.
    #[inline]
    fn swing(&self) -> f64 {
        let spin = self.p[2] * PER_INERTIA;
        RADIUS * spin * spin
    }

    /// Whether a gap with these ends stays open: its chord is undercut by at most `max g'' τ²/8`.
    #[inline]
    fn is_clear(&self, k: usize, end: &[f64; 4], tau: f64) -> bool {
        self.gaps[k].min(end[k]) > (self.swing() - GRAVITY).max(0.0) * tau * tau / 8.0
    }

    #[inline]
    fn go(&mut self, tau: f64, q: [f64; 3], gaps: [f64; 4]) {
        (self.q, self.gaps) = (q, gaps);
        // In two halves: the star is chaotic, and this is the rounding of Verlet.
        self.p[1] = (self.p[1] - 0.5 * tau * GRAVITY) - 0.5 * tau * GRAVITY;
    }

    /// Conservative advancement of one corner to its impact before `limit`.
    fn advance(&self, k: usize, limit: f64) -> Option<f64> {
        let (bend, mut t) = (GRAVITY + self.swing(), 0.0);
        for _ in 0..MOST_ADVANCES {
            let [gap, lever] = corner(&self.place(t), k);
            if gap < 0.0 && t > 0.0 {
                return Some(t);
            }
            let rate = self.p[1] - t * GRAVITY + lever * self.p[2] * PER_INERTIA;
            let root = (rate * rate + 2.0 * bend * gap).max(0.0).sqrt();
            let stride = if rate < 0.0 { 2.0 * gap / (root - rate) } else { (rate + root) / bend };
            if t > 0.0 && stride <= RESOLUTION * limit {
                return Some(t);
            }
            if t + stride > limit {
                return None;
            }
            t += stride.max(RESOLUTION * limit);
        }
        None
    }

    /// The corner that hits first within `rest`, and when.
    fn first_impact(&self, rest: f64) -> Option<(usize, f64)> {
        if rest <= 0.0 {
            return None;
        }
        let (end, mut first, mut limit) = (gaps(&self.place(rest)), None, rest);
        for k in 0..4 {
            let near = end[k] < 0.0 || !self.is_clear(k, &end, rest);
            if near && let Some(t) = self.advance(k, limit) {
                (first, limit) = (Some((k, t)), t);
            }
        }
        first
    }

    /// The step leg by leg. Corners that hit at the same time are not looked for: none do in these runs.
    #[cold]
    fn bounce(&mut self) {
        let (mut rest, mut found) = (H, self.first_impact(H));
        while let Some((k, before)) = found {
            let q = self.place(before);
            self.go(before, q, gaps(&q));
            rest -= before;
            let lever = corner(&q, k)[1];
            let (p, a) = (self.p, 1.0 + lever * lever * PER_INERTIA);
            let speed = p[1] + lever * p[2] * PER_INERTIA;
            let mut after = rest;
            // The speed depends on how long the next leg is.
            found = loop {
                let impulse = (self.closing.rebound(speed, a, GRAVITY, [before, after]) - speed) / a;
                self.p = [p[0], p[1] + impulse, p[2] + lever * impulse];
                let found = self.first_impact(rest);
                let length = found.map_or(rest, |(_, t)| t);
                if self.closing == Closing::Reflect || (length - after).abs() <= RESOLUTION * H {
                    break found;
                }
                after = length;
            };
        }
        let q = self.place(rest);
        self.go(rest, q, gaps(&q));
    }
}

impl super::Hand for Hand {
    #[inline]
    fn step(&mut self) {
        let q = self.place(H);
        let gaps = gaps(&q);
        if (0..4).all(|k| self.is_clear(k, &gaps, H)) {
            self.go(H, q, gaps);
        } else {
            self.bounce();
        }
        assert!((self.q[1] + self.q[2] + self.q[0] + self.p[0] + self.p[1] + self.p[2]).is_finite());
    }

    fn state(&self) -> (&[f64], &[f64]) {
        (&self.q, &self.p)
    }
}
