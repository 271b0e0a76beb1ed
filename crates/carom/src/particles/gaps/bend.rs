//! Bounds of the first two derivatives of a gap by time along a parabola.
//!
//! With `r = x + v t + ½ a t²` between two points, `|r|'' = (|r'|² − (r̂·r')²)/|r| + r̂·a`. The first term is at least 0 and at
//! most `|r'|²/|r|`, the second within `±|a|`. The speed is a convex function of time, so it is largest at an end, and the
//! distance is at least `|x|` less the way that this speed makes. Cost: four square roots.

use crate::particles::geometry::{difference, points, product};
use crate::system::Parabola;

/// The parabola of a point, or of the difference of two.
pub struct Arc<const D: usize> {
    pub x: [f64; D],
    pub v: [f64; D],
    pub a: [f64; D],
    pub duration: f64,
}

impl<const D: usize> Arc<D> {
    /// Of a particle.
    pub fn of(all: &Parabola, particle: usize) -> Self {
        let [x, v, a] = [all.q, all.v, all.a].map(|all| points(all)[particle]);
        Self { x, v, a, duration: all.duration }
    }

    /// From one particle to another.
    pub fn between(all: &Parabola, (i, j): (usize, usize)) -> Self {
        let (from, to) = (Self::of(all, i), Self::of(all, j));
        let (x, v, a) = (difference(&from.x, &to.x), difference(&from.v, &to.v), difference(&from.a, &to.a));
        Self { x, v, a, duration: all.duration }
    }

    /// From a fixed point.
    pub fn from(self, point: &[f64; D]) -> Self {
        Self { x: difference(point, &self.x), ..self }
    }

    /// The velocities at both ends.
    pub fn speeds(&self) -> [[f64; D]; 2] {
        [self.v, std::array::from_fn(|k| self.v[k] + self.a[k] * self.duration)]
    }

    /// The largest speed: a convex function of time.
    pub fn fastest(&self) -> f64 {
        let [first, last] = self.speeds().map(|v| product(&v, &v));
        first.max(last).sqrt()
    }

    /// Bounds of the second derivative of the length.
    pub fn length_bend(&self) -> [f64; 2] {
        let Self { x, v, a, duration } = self;
        let square = |v: &[f64; D]| product(v, v);
        let last: [f64; D] = std::array::from_fn(|k| v[k] + a[k] * duration);
        let fastest = square(v).max(square(&last));
        let nearest = square(x).sqrt() - duration.abs() * fastest.sqrt();
        if D == 1 && nearest > 0.0 {
            // On a line nothing passes by: the length is ±x.
            return [a[0].copysign(a[0] * x[0]); 2];
        }
        let pull = square(a).sqrt();
        // Also where it is not a number.
        let passing = if nearest > 0.0 { fastest / nearest } else { f64::INFINITY };
        [-pull, passing + pull]
    }
}
