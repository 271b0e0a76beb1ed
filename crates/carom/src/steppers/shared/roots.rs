//! The first root of a gap along a path, in time from 0.
//!
//! Two searches. With a bound of the second derivative from below, *conservative advancement*: from a positive gap go as far as
//! the gap must stay positive, again and again. It never steps over a root, converges quadratically to one that is crossed, and
//! finds the first of several. Without a bound, a *grid*: signs at the ends of [`CELLS`] cells, and the minimum of every convex
//! parabola through three neighbours that comes near zero. What it can miss is a dip inside a cell and back that these
//! parabolas do not show: it is no deeper than `max|g''| (duration/CELLS)²/8`.
//!
//! Roots are returned on the side where the gap is not negative, closed in to [`RESOLUTION`] of the duration.

use crate::error::Failure;

/// Cells of the grid.
pub const CELLS: usize = 8;
/// How closely a root is known, relative to the duration of the search.
pub const RESOLUTION: f64 = 2.0 * f64::EPSILON;
/// Advances before a path that grazes is left to the grid; a root that is crossed takes 3 to 10.
const MOST_ADVANCES: u32 = 60;
/// A parabola whose minimum is below this share of its smallest point may hide a root.
const NEAR: f64 = 0.2;
/// Evaluations in the search of a minimum.
const MINIMIZING: u32 = 40;

/// Gap and its rate at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The gap.
    pub gap: f64,
    /// Its derivative by time.
    pub rate: f64,
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
    let found = on_grid(rest, here, false, |s| Ok(at(t + s)?.gap))?;
    Ok(found.map(|s| t + s))
}

/// The first root in `(0, limit]` by the grid. `leaving`: the gap is zero at 0 and grows; that root is divided out.
pub fn on_grid(
    limit: f64,
    start: Value,
    leaving: bool,
    mut at: impl FnMut(f64) -> Result<f64, Failure>,
) -> Result<Option<f64>, Failure> {
    let mut value = |t: f64| Ok(if leaving { at(t)? / t } else { at(t)? });
    let width = limit / CELLS as f64;
    let time = |cell: usize| if cell == CELLS { limit } else { cell as f64 * width };
    let mut before = [f64::INFINITY, if leaving { start.rate } else { start.gap }];
    for cell in 1..=CELLS {
        let t = time(cell);
        let now = value(t)?;
        let dip = if cell > 1 {
            dip_of([before[0], before[1], now])
        } else if !leaving && start.rate < 0.0 {
            // The point that a parabola with this rate would have had one cell ago.
            dip_of([now - 2.0 * start.rate * width, before[1], now])
        } else {
            None
        };
        if let Some(place) = dip {
            let around = time(cell - 1) + place * width;
            let reach = [time(cell.saturating_sub(2)).max(around - width), t.min(around + width)];
            if let Some((low, negative)) = minimize(reach, &mut value)? {
                let left = if time(cell - 1) < low { [time(cell - 1), before[1]] } else { [reach[0], before[0]] };
                let left = if left[1].is_finite() { left } else { [0.0, before[1]] };
                return bracket([left[0], low], [left[1], negative], limit, value).map(Some);
            }
        }
        if now == 0.0 {
            return Ok(Some(t));
        }
        if now < 0.0 {
            return bracket([time(cell - 1), t], [before[1], now], limit, value).map(Some);
        }
        before = [before[1], now];
    }
    Ok(None)
}

/// Where a parabola through three neighbours has its minimum, in cells from the middle one, if it comes near zero between them.
fn dip_of([left, middle, right]: [f64; 3]) -> Option<f64> {
    let (curvature, slope) = (left - 2.0 * middle + right, 0.5 * (right - left));
    let place = -slope / curvature;
    let lowest = middle - 0.5 * slope * slope / curvature;
    let near = curvature > 0.0 && place.abs() <= 1.0 && right > 0.0 && lowest <= NEAR * middle.min(left).min(right);
    near.then_some(place)
}

/// Looks for a negative value between two times by golden sections; the first one that is found, with its time.
fn minimize(
    [mut low, mut high]: [f64; 2],
    mut value: impl FnMut(f64) -> Result<f64, Failure>,
) -> Result<Option<(f64, f64)>, Failure> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let mut inner = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)];
    let mut values = [value(inner[0])?, value(inner[1])?];
    for _ in 0..MINIMIZING {
        if let Some(place) = values.iter().position(|value| *value < 0.0) {
            return Ok(Some((inner[place], values[place])));
        }
        if values[0] <= values[1] {
            high = inner[1];
            inner = [high - GOLDEN * (high - low), inner[0]];
            values = [value(inner[0])?, values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + GOLDEN * (high - low)];
            values = [values[1], value(inner[1])?];
        }
    }
    Ok(None)
}

/// Closes in a root between a value that is not negative and one that is; returns the time on the first side. The
/// ITP method [Oliveira & Takahashi 2020]: as fast as the secant method, never slower than bisection.
fn bracket(
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
        let found = on_grid(1.0, path(0.0), true, |t| Ok(path(t).gap)).unwrap().unwrap();
        assert!((found - 0.7).abs() < 1e-14);
        assert_eq!(on_grid(0.6, path(0.0), true, |t| Ok(path(t).gap)).unwrap(), None);
        // The next root lies in the first cell.
        let soon = |t: f64| t * (0.001 - t);
        let found = on_grid(1.0, Value { gap: 0.0, rate: 0.001 }, true, |t| Ok(soon(t))).unwrap().unwrap();
        assert!((found - 0.001).abs() < 1e-14);
    }

    #[test]
    fn the_grid_finds_crossings_and_dips_between_its_points() {
        for root in [1e-3, 0.13, 0.5, 0.77, 0.999] {
            let path = |t: f64| Value { gap: (root - t) * (1.0 + t * t), rate: -1.0 };
            let found = on_grid(1.0, path(0.0), false, |t| Ok(path(t).gap)).unwrap().unwrap();
            assert!((found - root).abs() < 1e-14, "{root}: {found}");
        }
        for middle in [0.05, 0.31, 0.5, 0.94] {
            let path = |t: f64| Value { gap: (t - middle).powi(2) - 1e-6, rate: 2.0 * (t - middle) };
            let found = on_grid(1.0, path(0.0), false, |t| Ok(path(t).gap)).unwrap();
            assert!(found.is_some_and(|t| (t - (middle - 1e-3)).abs() < 1e-12), "{middle}: {found:?}");
        }
    }

    #[test]
    fn the_grid_misses_what_it_says_it_may_miss() {
        // A narrow dip on a slope: no parabola through grid points shows it.
        let path = |t: f64| 1.0 - 1.5 * (-((t - 0.4) / 1e-3).powi(2)).exp();
        assert_eq!(on_grid(1.0, Value { gap: 1.0, rate: 0.0 }, false, |t| Ok(path(t))).unwrap(), None);
    }
}
