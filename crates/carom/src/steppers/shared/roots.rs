//! The first root of a gap along a path, in time from 0.
//!
//! *Conservative advancement*: from a gap that is not negative go as far as it must stay so, again and again. How far that is follows from a
//! bound of the second derivative from below, or from one of the rate, whichever reaches further. With such bounds no root is stepped over,
//! the first of several is found, and one that is crossed is reached quadratically. Bounds over a long part of a path may be wide or missing:
//! then the part is cut, and bounds are asked for anew. Where a short part has none either (a kink, a system that knows no bounds), the
//! search goes on in *paces* of at least a [`PACES`]-th of the duration, by an estimate of the rate: what is touched there for less than a pace may
//! be missed.
//!
//! Roots are returned on the side where the gap is not negative, closed in to [`RESOLUTION`] of the duration. A gap that is negative at the end
//! always has a root.

pub use crate::bracket::RESOLUTION;
use crate::bracket::bracket;
use crate::error::Failure;

/// The smallest pace where no bound is known, as a share of the duration.
pub const PACES: f64 = 512.0;
/// Parts of this share of the duration are cut no further for want of bounds: there is a kink in them.
const SHORTEST: f64 = 1e-6;
/// The same where no part had any: nothing is known of the path.
const UNKNOWN: f64 = 1.0 / 64.0;
/// Strides in a part before bounds of a shorter one are asked for; a root that is crossed takes 3 to 10.
const STRIDES: u32 = 12;
/// Strides after which a path that is within round-off of the surface counts as touching it.
const MANY_STRIDES: usize = 1000;
/// Strides before a search is given up.
const MOST_STRIDES: usize = 100_000;

/// Gap and its rate at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The gap.
    pub gap: f64,
    /// Its derivative by time.
    pub rate: f64,
}

/// What is known of a gap over a part of its path; not a finite number where nothing is.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds {
    /// `g'' ≥ bend`.
    bend: f64,
    /// `|g'| ≤ rate`.
    rate: f64,
}

impl Bounds {
    fn are_known(self) -> bool {
        self.bend.is_finite() || self.rate.is_finite()
    }

    /// How long a gap of this value must stay positive.
    fn stride(self, Value { gap, rate }: Value) -> f64 {
        let mut longest = 0.0_f64;
        if self.bend.is_finite() {
            // How long g + g' s − ½ c s² stays positive.
            let c = (-self.bend).max(0.0);
            let root = (rate * rate + 2.0 * c * gap).max(0.0).sqrt();
            longest = if rate < 0.0 {
                2.0 * gap / (root - rate)
            } else if c > 0.0 {
                (rate + root) / c
            } else {
                f64::INFINITY
            };
        }
        if self.rate.is_finite() {
            let by_rate = if self.rate > 0.0 { gap / self.rate } else { f64::INFINITY };
            longest = longest.max(by_rate);
        }
        longest
    }
}

/// A gap along a path.
pub trait Path {
    /// Gap and rate at a time.
    fn at(&mut self, t: f64) -> Result<Value, Failure>;
    /// A bound of its second derivative from below, from `t` on for a while; not a finite number if none is known.
    fn bend(&mut self, t: f64, width: f64) -> f64;
    /// A bound of its rate, likewise.
    fn rate(&mut self, t: f64, width: f64) -> f64;
    /// An estimate of its largest rate, for parts without bounds.
    fn estimate(&mut self) -> Result<f64, Failure>;
    /// What round-off may make of a gap of zero.
    fn noise(&mut self) -> f64;
    /// The failure of a search that does not end.
    fn endless(&self, t: f64, gap: f64, trials: usize) -> Failure;
}

/// The first root in `(0, limit]` of a gap. One that is negative at the start, by rounding, may become no smaller than it is there.
pub fn first_root(path: &mut impl Path, limit: f64) -> Result<Option<f64>, Failure> {
    let mut here = path.at(0.0)?;
    let floor = here.gap.min(0.0);
    let (mut t, mut width, mut spent) = (0.0, limit, 0);
    let (mut shortest, mut pace, mut passing) = (UNKNOWN, limit / PACES, false);
    let raised = |value: Value| Value { gap: value.gap - floor, ..value };
    here = raised(here);
    while t < limit {
        let end = if width < limit - t { t + width } else { limit };
        let (from, span) = (t, end - t);
        let mut bounds = Bounds { bend: path.bend(from, span), rate: f64::NAN };
        let mut asked = !bounds.bend.is_finite();
        if asked {
            bounds.rate = path.rate(from, span);
        }
        let known = bounds.are_known();
        if !known && end - t > shortest * limit {
            width = 0.25 * (end - t);
            continue;
        }
        // A kink is passed in paces that grow; where nothing is known of the path they are long from the start.
        if known {
            shortest = SHORTEST;
            if !passing {
                pace = SHORTEST * limit;
            }
        } else {
            pace = (2.0 * pace).min(limit / PACES);
        }
        let end = if known { end } else { limit };
        for stride in 0.. {
            spent += 1;
            if spent % MANY_STRIDES == 0 && t > 0.0 && here.gap <= path.noise() {
                return Ok(Some(t));
            }
            if spent > MOST_STRIDES {
                return Err(path.endless(t, here.gap, spent));
            }
            let (mut safe, mut blind) = (bounds.stride(here), !known);
            if !asked && t + safe < end && 2.0 * safe * here.rate.abs() < here.gap {
                // The rate is no reason to stop so soon: the bend is bounded widely.
                (bounds.rate, asked) = (path.rate(from, span), true);
                safe = bounds.stride(here);
            }
            if !known {
                let estimated = here.gap / path.estimate()?;
                safe = if shortest == UNKNOWN && estimated > pace { estimated } else { pace };
            }
            let arrived = t + safe >= end;
            if known && !bounds.bend.is_finite() && !arrived && end - t > SHORTEST * limit && 4.0 * safe < end - t {
                // A bound of the rate cannot tell a gap that opens from one that closes.
                width = 0.25 * (end - t);
                break;
            }
            if known && t > 0.0 && safe <= RESOLUTION * limit {
                if here.gap <= 4.0 * RESOLUTION * limit * here.rate.abs() || here.gap <= path.noise() {
                    return Ok(Some(t));
                }
                // No root is near: the bounds are wide, as beside a kink. Those of a shorter part are tighter.
                if end - t > SHORTEST * limit {
                    width = 0.25 * (end - t);
                    break;
                }
                pace = (2.0 * pace).min(limit / PACES);
                (safe, blind) = (pace, true);
            }
            if !arrived && stride == STRIDES {
                // Tighter bounds over what lies ahead.
                width = (16.0 * safe).min(0.25 * (end - t));
                break;
            }
            let next = if arrived { end } else { limit.min(t + safe.max(RESOLUTION * limit)) };
            let there = raised(path.at(next)?);
            if there.gap.is_nan() {
                return Err(Failure::NonFinite { what: "a gap along the path of a step" });
            }
            if there.gap < 0.0 {
                let inside = |t: f64| Ok(raised(path.at(t)?).gap);
                return bracket([t, next], [here.gap, there.gap], limit, inside).map(Some);
            }
            (t, here) = (next, there);
            if arrived || blind {
                (width, passing) = (if blind { limit - t } else { 2.0 * width }, blind);
                break;
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path by its value, with bounds that hold everywhere on it.
    struct Known<F> {
        value: F,
        bounds: Bounds,
        estimate: f64,
        noise: f64,
    }

    impl<F: FnMut(f64) -> Value> Path for Known<F> {
        fn at(&mut self, t: f64) -> Result<Value, Failure> {
            Ok((self.value)(t))
        }
        fn bend(&mut self, _t: f64, _width: f64) -> f64 {
            self.bounds.bend
        }
        fn rate(&mut self, _t: f64, _width: f64) -> f64 {
            self.bounds.rate
        }
        fn estimate(&mut self) -> Result<f64, Failure> {
            Ok(self.estimate)
        }
        fn noise(&mut self) -> f64 {
            self.noise
        }
        fn endless(&self, at: f64, gap: f64, trials: usize) -> Failure {
            Failure::Search { contact: String::new(), trials, at, gap }
        }
    }

    const NONE: f64 = f64::INFINITY;

    fn with_bend(limit: f64, bend: f64, value: impl FnMut(f64) -> Value) -> Option<f64> {
        let bounds = Bounds { bend: -bend, rate: NONE };
        first_root(&mut Known { value, bounds, estimate: 0.0, noise: 0.0 }, limit).expect("it ends")
    }

    fn with_rate(limit: f64, rate: f64, value: impl FnMut(f64) -> Value) -> Option<f64> {
        let bounds = Bounds { bend: -NONE, rate };
        first_root(&mut Known { value, bounds, estimate: 0.0, noise: 0.0 }, limit).expect("it ends")
    }

    fn estimated(limit: f64, estimate: f64, value: impl FnMut(f64) -> Value) -> Option<f64> {
        let bounds = Bounds { bend: -NONE, rate: NONE };
        first_root(&mut Known { value, bounds, estimate, noise: 0.0 }, limit).expect("it ends")
    }

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
            // A bound of |g''| on the unit interval, by coefficients.
            let bend = roots.iter().map(|root: &f64| (1.0 + root.recip()).powi(2)).product::<f64>() * 6.0;
            let found = with_bend(1.0, bend, |t| with_roots(roots, t)).unwrap();
            assert!((found - roots[0]).abs() < 1e-13, "{roots:?}: {found}");
            assert!(with_roots(roots, found).gap >= 0.0);
        }
        for (roots, rate) in [(&[0.3, 0.5][..], 6.0), (&[0.01, 0.5], 300.0), (&[0.999_999], 1.1)] {
            let found = with_rate(1.0, rate, |t| with_roots(roots, t)).unwrap();
            assert!((found - roots[0]).abs() < 1e-13, "{roots:?}: {found}");
        }
    }

    #[test]
    fn advancing_never_steps_over_a_dip_however_short() {
        // A grazing parabola that is negative for 2e-6 of the duration; a grid of any width would miss it.
        let dip = |t: f64| Value { gap: (t - 0.4321).powi(2) - 1e-12, rate: 2.0 * (t - 0.4321) };
        let found = with_bend(1.0, 0.5, dip).unwrap();
        assert!((found - (0.4321 - 1e-6)).abs() < 1e-9, "{found}");
        let above = |t: f64| Value { gap: (t - 0.4321).powi(2) + 1e-9, rate: 2.0 * (t - 0.4321) };
        assert_eq!(with_bend(1.0, 0.5, above), None);
    }

    #[test]
    fn a_gap_that_is_negative_at_the_end_has_a_root_even_if_the_bound_is_wrong() {
        let path = |t: f64| Value { gap: 1.0 - t * t, rate: -2.0 * t };
        let found = with_bend(1.5, 0.0, path).unwrap();
        assert!((found - 1.0).abs() < 1e-14, "{found}");
        let found = with_rate(1.5, 1e-3, path).unwrap();
        assert!((found - 1.0).abs() < 1e-14, "{found}");
    }

    #[test]
    fn no_bound_that_is_not_a_number_makes_a_path_clear() {
        let dip = |t: f64| Value { gap: (t - 0.5).abs() - 0.1, rate: (t - 0.5).signum() };
        for bend in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for rate in [f64::NAN, f64::INFINITY] {
                let bounds = Bounds { bend, rate };
                let mut path = Known { value: dip, bounds, estimate: f64::NAN, noise: 0.0 };
                let found = first_root(&mut path, 1.0).unwrap().expect("it is hit");
                assert!((found - 0.4).abs() < 1e-14, "{bend}, {rate}: {found}");
            }
        }
        let nowhere = |t: f64| Value { gap: if t > 0.3 { f64::NAN } else { 1.0 - t }, rate: -1.0 };
        let mut path =
            Known { value: nowhere, bounds: Bounds { bend: 0.0, rate: NONE }, estimate: 1.0, noise: 0.0 };
        assert!(matches!(first_root(&mut path, 2.0), Err(Failure::NonFinite { .. })));
    }

    #[test]
    fn a_root_that_was_just_left_does_not_count() {
        // Zero at 0, positive until 0.7.
        let path = |t: f64| Value { gap: t * (0.7 - t), rate: 0.7 - 2.0 * t };
        assert!((with_bend(1.0, 2.0, path).unwrap() - 0.7).abs() < 1e-14);
        assert_eq!(with_bend(0.6, 2.0, path), None);
        // Below zero at the start, by rounding.
        let low = |t: f64| Value { gap: path(t).gap - 1e-17, ..path(t) };
        assert!((with_bend(1.0, 2.0, low).unwrap() - 0.7).abs() < 1e-14);
    }

    #[test]
    fn wide_bounds_are_no_root() {
        // Far from the surface, with a bound of the bend that says nothing; then it is hit.
        let value = |t: f64| Value { gap: 0.75 - t, rate: -1.0 };
        let found = with_bend(1.0, 1e40, value).unwrap();
        assert!((found - 0.75).abs() < 1e-12, "{found}");
        assert_eq!(with_bend(0.7, 1e40, value), None);
    }

    #[test]
    fn a_path_that_stays_within_round_off_of_a_surface_touches_it() {
        let search = |noise: f64| {
            let value = |_: f64| Value { gap: 1e-20, rate: -1e-19 };
            first_root(&mut Known { value, bounds: Bounds { bend: -1.0, rate: NONE }, estimate: 0.0, noise }, 1.0)
        };
        assert!(matches!(search(1e-17), Ok(Some(t)) if t < 1e-6));
        assert!(matches!(search(1e-21), Err(Failure::Search { .. })));
    }

    #[test]
    fn paces_find_crossings_and_narrow_obstacles() {
        for root in [1e-3, 0.13, 0.5, 0.77, 0.999] {
            let path = |t: f64| Value { gap: (root - t) * (1.0 + t * t), rate: -1.0 };
            let found = estimated(1.0, 4.0, path).unwrap();
            assert!((found - root).abs() < 1e-14, "{root}: {found}");
        }
        // A ball of radius 0.002 on a path of length 1: the gap is a narrow V.
        for middle in [0.01, 0.31, 0.5, 0.94] {
            let path = |t: f64| Value { gap: (t - middle).abs() - 0.002, rate: -1.0 };
            let found = estimated(1.0, 1.0, path);
            assert!(found.is_some_and(|t| (t - (middle - 0.002)).abs() < 1e-12), "{middle}: {found:?}");
        }
    }

    #[test]
    fn paces_miss_what_they_say_they_may_miss() {
        // Negative for less than a pace.
        let middle = 100.5 / PACES;
        let path = |t: f64| Value { gap: 10.0 * (t - middle).abs() - 1e-4, rate: -10.0 };
        assert_eq!(estimated(1.0, 1.0, path), None);
    }
}
