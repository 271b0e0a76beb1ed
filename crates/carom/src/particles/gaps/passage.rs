//! Straight ways through balls: of a sphere through a ball, of two spheres through each other.
//!
//! What touches at the distance `r` of the centres is passed on at most `2r` of a straight way. Off the centre it is less, down to nothing for
//! a way that grazes: impacts steeper than `asin(way/2r)` to the surface are those that a way no longer than `2r` cannot skip.
//! Cost: the longest way once; then nothing for contacts that are deeper than it or farther away.

use crate::particles::geometry::{difference, product};

/// Particles on straight ways.
pub struct Way<'a, const D: usize> {
    ends: [&'a [[f64; D]]; 2],
    /// Length of the longest.
    pub longest: f64,
}

impl<'a, const D: usize> Way<'a, D> {
    /// From one configuration to another.
    pub fn new(ends @ [start, end]: [&'a [[f64; D]]; 2]) -> Self {
        let square = |(a, b)| {
            let d = difference(a, b);
            product(&d, &d)
        };
        Self { ends, longest: start.iter().zip(end).map(square).fold(0.0, f64::max).sqrt() }
    }

    /// Of a particle.
    pub fn of(&self, particle: usize) -> Line<D> {
        let [start, end] = self.ends.map(|all| all[particle]);
        Line { start, by: difference(&start, &end) }
    }
}

/// A straight way.
pub struct Line<const D: usize> {
    start: [f64; D],
    by: [f64; D],
}

impl<const D: usize> Line<D> {
    /// As a particle sees it that goes a way of its own.
    pub fn seen_from(&self, other: &Self) -> Self {
        Self { start: difference(&other.start, &self.start), by: difference(&other.by, &self.by) }
    }

    /// As a fixed point sees it.
    pub fn seen_from_point(&self, point: &[f64; D]) -> Self {
        Self { start: difference(point, &self.start), by: self.by }
    }

    /// Its length, if it is longer than the ball of radius `r` about the origin is thick and leads into it from outside.
    pub fn through(&self, r: f64) -> Option<f64> {
        let Self { start, by } = self;
        // |start + s by| = r at s = (−b ± √(a r² − w))/a, w the squared area of the parallelogram of both: 0 on a line, without round-off.
        let (a, b) = (product(by, by), product(start, by));
        let area = |k: usize, l: usize| start[k] * by[l] - start[l] * by[k];
        let w: f64 = (0..D).flat_map(|k| (0..k).map(move |l| (k, l))).map(|(k, l)| area(k, l).powi(2)).sum();
        let root = a * r * r - w;
        let (travel, hits) = (a.sqrt(), b < 0.0 && root >= 0.0 && -b - root.sqrt() <= a);
        (hits && travel > 2.0 * r).then_some(travel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line<const D: usize>(start: [f64; D], by: [f64; D]) -> Line<D> {
        Line { start, by }
    }

    /// Where the way enters, by a thousand small steps.
    fn sampled<const D: usize>(line: &Line<D>, r: f64) -> bool {
        let square = |s: f64| (0..D).map(|k| (line.start[k] + s * line.by[k]).powi(2)).sum::<f64>();
        (0..=1000).any(|k| square(f64::from(k) / 1000.0) < r * r)
    }

    #[test]
    fn a_way_through_is_longer_than_the_ball_is_thick_and_hits_it() {
        assert_eq!(line([-1.0], [3.0]).through(0.2), Some(3.0));
        assert_eq!(line([-1.0], [0.5]).through(0.2), None, "it ends before");
        assert_eq!(line([-1.0], [-3.0]).through(0.2), None, "it goes away");
        assert_eq!(line([-1.0], [3.0]).through(2.0), None, "deeper than the way is long");
        assert_eq!(line([-0.7, 0.3], [2.0, -0.8]).through(0.0), None, "points of a plane pass by");
        assert_eq!(line([-0.7], [1.1]).through(0.0), Some(1.1), "points of a line do");
        assert_eq!(line([-1.0, 0.3], [3.0, 0.0]).through(0.2), None, "it passes by");
        assert_eq!(line([f64::NAN], [3.0]).through(0.2), None);
    }

    #[test]
    fn ways_through_balls_are_those_that_samples_find() {
        let mut seed = 1_u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        let (mut found, mut missed) = (0, 0);
        for _ in 0..20_000 {
            let way = line(std::array::from_fn::<f64, 3, _>(|_| random()), std::array::from_fn(|_| 4.0 * random()));
            let r = 0.5 + 0.4 * random();
            let long = product(&way.by, &way.by).sqrt() > 2.0 * r;
            if product(&way.start, &way.start) <= r * r {
                continue;
            }
            // Samples skip ways that graze.
            let (here, closer) = (way.through(r).is_some(), way.through(0.99 * r).is_some());
            assert!(!closer || sampled(&way, r));
            assert!(here || !(long && sampled(&way, r)));
            found += u32::from(here);
            missed += u32::from(!here && long);
        }
        assert!(found > 1000 && missed > 1000, "{found} {missed}");
    }
}
