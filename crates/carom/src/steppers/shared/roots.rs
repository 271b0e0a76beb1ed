//! The first root of a gap along a path, in time from 0.
//!
//! Two searches. With a bound of the second derivative from below, *conservative advancement*: from a positive gap go as far as
//! the gap must stay positive, again and again. It never steps over a root, converges quadratically to one that is crossed, and
//! finds the first of several. Without one, a *march* with an estimated bound of the rate: as far as the gap must stay positive at
//! that rate, but at least a [`PACES`]-th of the duration. If the estimate holds, it misses nothing but dips that last for less than that.
//!
//! Roots are returned on the side where the gap is not negative, closed in to [`RESOLUTION`] of the duration.

use crate::error::Failure;

/// The smallest pace of a march, as a share of its duration.
pub const PACES: f64 = 512.0;
/// How closely a root is known, relative to the duration of the search.
pub const RESOLUTION: f64 = 2.0 * f64::EPSILON;
/// Advances before a path that grazes is left to the march; a root that is crossed takes 3 to 10.
const MOST_ADVANCES: u32 = 300;

/// Gap and its rate at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The gap.
    pub gap: f64,
    /// Its derivative by time.
    pub rate: f64,
}

impl Value {
    /// Whether the gap is zero here and grows, seen over a duration: then its root here is none to look for.
    pub fn leaves(self, duration: f64) -> bool {
        self.rate > 0.0 && self.gap <= self.rate * RESOLUTION * duration
    }
}

/// The first root in `(0, limit]` of a gap with `g'' ≥ −bend` that is not negative at 0, or negative by rounding and growing.
pub fn advance(
    limit: f64,
    bend: f64,
    mut at: impl FnMut(f64) -> Result<Value, Failure>,
) -> Result<Option<f64>, Failure> {
    let (mut t, mut here) = (0.0, at(0.0)?);
    for _ in 0..MOST_ADVANCES {
        // How long g + g' s − ½ bend s² stays positive.
        let Value { gap, rate } = here;
        let root = (rate * rate + 2.0 * bend * gap).max(0.0).sqrt();
        let stride = if rate < 0.0 {
            2.0 * gap / (root - rate)
        } else if bend > 0.0 {
            (rate + root) / bend
        } else {
            f64::INFINITY
        };
        if t > 0.0 && stride <= RESOLUTION * limit {
            return Ok(Some(t));
        }
        if t + stride > limit {
            return Ok(None);
        }
        let next = t + stride.max(RESOLUTION * limit);
        let there = at(next)?;
        if there.gap < 0.0 {
            // By rounding: the bound holds.
            return bracket([t, next], [here.gap.max(0.0), there.gap], limit, |t| Ok(at(t)?.gap)).map(Some);
        }
        (t, here) = (next, there);
    }
    let rest = limit - t;
    let rate = here.rate.abs() + bend * rest;
    let found = march(rest, rate, here, false, |s| Ok(at(t + s)?.gap))?;
    Ok(found.map(|s| t + s))
}

/// The first root in `(0, limit]` of a gap whose rate is at most `rate`. `leaving`: the gap is zero at 0 and grows; that root is
/// divided out.
pub fn march(
    limit: f64,
    rate: f64,
    start: Value,
    leaving: bool,
    mut at: impl FnMut(f64) -> Result<f64, Failure>,
) -> Result<Option<f64>, Failure> {
    let pace = limit / PACES;
    let (mut t, mut gap) = (0.0, start.gap.max(0.0));
    let mut value = if leaving { start.rate } else { gap };
    while t < limit {
        let stride = (gap / rate).max(pace);
        let next = if t + stride < limit { t + stride } else { limit };
        let there = at(next)?;
        let divided = if leaving { there / next } else { there };
        if there == 0.0 {
            return Ok(Some(next));
        }
        if there < 0.0 {
            let inside = |t: f64| Ok(if leaving { at(t)? / t } else { at(t)? });
            return bracket([t, next], [value, divided], limit, inside).map(Some);
        }
        (t, gap, value) = (next, there, divided);
    }
    Ok(None)
}

/// Closes in a root between a value that is not negative and one that is; returns the time on the first side. The
/// ITP method [Oliveira & Takahashi 2020]: as fast as the secant method, never slower than bisection.
pub fn bracket(
    [mut low, mut high]: [f64; 2],
    [mut value_low, mut value_high]: [f64; 2],
    limit: f64,
    mut value: impl FnMut(f64) -> Result<f64, Failure>,
) -> Result<f64, Failure> {
    let resolution = RESOLUTION * limit;
    let first = high - low;
    let halvings = (first / resolution).log2().ceil().max(0.0);
    let mut allowed = resolution * halvings.exp2();
    while high - low > resolution {
        let half = 0.5 * (low + high);
        // A value of exactly zero at the start says nothing of where the root is.
        let secant = if value_low > value_high && value_low > 0.0 {
            (value_low * high - value_high * low) / (value_low - value_high)
        } else {
            half
        };
        let toward = (half - secant).signum();
        let shift = 0.2 / first * (high - low) * (high - low);
        let moved = if shift <= (half - secant).abs() { secant + toward * shift } else { half };
        let radius = allowed - 0.5 * (high - low);
        let t = if (moved - half).abs() <= radius { moved } else { half - toward * radius };
        allowed *= 0.5;
        let t = if low < t && t < high { t } else { half };
        if !(low < t && t < high) {
            break;
        }
        let now = value(t)?;
        if now == 0.0 {
            return Ok(t);
        }
        if now >= 0.0 {
            (low, value_low) = (t, now);
        } else {
            (high, value_high) = (t, now);
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial with these roots, positive at 0, and its derivative.
    fn with_roots(roots: &[f64], t: f64) -> Value {
        let gap = roots.iter().map(|root| 1.0 - t / root).product();
        let rate = (0..roots.len())
            .map(|k| {
                let others = roots.iter().enumerate().filter(|(j, _)| *j != k);
                -others.map(|(_, root)| 1.0 - t / root).product::<f64>() / roots[k]
            })
            .sum();
        Value { gap, rate }
    }

    #[test]
    fn advancing_finds_the_first_of_several_roots() {
        for roots in [&[0.3, 0.301, 0.9][..], &[0.01, 0.5], &[0.999_999], &[0.2, 0.2 + 1e-9]] {
            // Bounds of |g''| on the unit interval, by coefficients.
            let bend = roots.iter().map(|root: &f64| (1.0 + root.recip()).powi(2)).product::<f64>() * 6.0;
            let found = advance(1.0, bend, |t| Ok(with_roots(roots, t))).unwrap().unwrap();
            assert!((found - roots[0]).abs() < 1e-13, "{roots:?}: {found}");
            assert!(with_roots(roots, found).gap >= 0.0);
        }
    }

    #[test]
    fn advancing_never_steps_over_a_dip_however_short() {
        // A grazing parabola that is negative for 2e-6 of the duration; a grid of any width would miss it.
        let dip = |t: f64| Value { gap: (t - 0.4321).powi(2) - 1e-12, rate: 2.0 * (t - 0.4321) };
        let found = advance(1.0, 0.5, |t| Ok(dip(t))).unwrap().unwrap();
        assert!((found - (0.4321 - 1e-6)).abs() < 1e-9, "{found}");
        let above = |t: f64| Value { gap: (t - 0.4321).powi(2) + 1e-9, rate: 2.0 * (t - 0.4321) };
        assert_eq!(advance(1.0, 0.5, |t| Ok(above(t))).unwrap(), None);
    }

    #[test]
    fn a_root_that_was_just_left_is_divided_out() {
        // Zero at 0, positive until 0.7.
        let path = |t: f64| Value { gap: t * (0.7 - t), rate: 0.7 - 2.0 * t };
        let found = advance(1.0, 2.0, |t| Ok(path(t))).unwrap().unwrap();
        assert!((found - 0.7).abs() < 1e-14);
        let found = march(1.0, 1.3, path(0.0), true, |t| Ok(path(t).gap)).unwrap().unwrap();
        assert!((found - 0.7).abs() < 1e-14);
        assert_eq!(march(0.6, 1.3, path(0.0), true, |t| Ok(path(t).gap)).unwrap(), None);
        // The next root lies in the first pace.
        let soon = |t: f64| t * (0.001 - t);
        let found = march(1.0, 2.0, Value { gap: 0.0, rate: 0.001 }, true, |t| Ok(soon(t))).unwrap().unwrap();
        assert!((found - 0.001).abs() < 1e-14);
    }

    #[test]
    fn a_march_finds_crossings_and_narrow_obstacles() {
        for root in [1e-3, 0.13, 0.5, 0.77, 0.999] {
            let path = |t: f64| Value { gap: (root - t) * (1.0 + t * t), rate: -1.0 };
            let found = march(1.0, 4.0, path(0.0), false, |t| Ok(path(t).gap)).unwrap().unwrap();
            assert!((found - root).abs() < 1e-14, "{root}: {found}");
        }
        // A ball of radius 0.002 on a path of length 1: the gap is a narrow V.
        for middle in [0.01, 0.31, 0.5, 0.94] {
            let path = |t: f64| (t - middle).abs() - 0.002;
            let found = march(1.0, 1.0, Value { gap: path(0.0), rate: -1.0 }, false, |t| Ok(path(t))).unwrap();
            assert!(found.is_some_and(|t| (t - (middle - 0.002)).abs() < 1e-12), "{middle}: {found:?}");
        }
    }

    #[test]
    fn a_march_misses_what_it_says_it_may_miss() {
        // Negative for less than a pace.
        let middle = 100.5 / PACES;
        let path = |t: f64| 10.0 * (t - middle).abs() - 1e-4;
        assert_eq!(march(1.0, 1.0, Value { gap: path(0.0), rate: -10.0 }, false, |t| Ok(path(t))).unwrap(), None);
    }
}
