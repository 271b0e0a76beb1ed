//! Intervals as numbers: what expressions can come to where their inputs are known up to bounds.
//!
//! Every result contains all values that the operation has on its operands; ends are moved outward by a few units in the
//! last place, so that no rounding mode is needed. An interval is finite or unknown (`NaN`), and what depends on an unknown
//! one is unknown: where an operation is unbounded or not defined, or has a kink or a jump (`abs` at 0, `min` and `max` of
//! operands that overlap, `atan2` across its cut), so that a bound of a derivative is one for the whole interval.
//!
//! Limits: operands count as independent (`x − x` is not 0), so bounds are too wide by about the width of the inputs.

use super::op::Scalar;
use std::f64::consts::{FRAC_PI_2, TAU};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Numbers from `lower` to `upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The smallest.
    pub lower: f64,
    /// The largest.
    pub upper: f64,
}

/// Beyond this an angle is reduced with too few digits to tell where in its turn it is.
const LARGE_ANGLE: f64 = 1e6;
/// Where extremes of sine and cosine are looked for outside of an interval, in turns: round-off of an angle up to
/// [`LARGE_ANGLE`] is 4e-11 of them.
const SLACK: f64 = 1e-9;

impl Interval {
    /// Of which nothing is known.
    pub const UNKNOWN: Self = Self { lower: f64::NAN, upper: f64::NAN };

    /// All numbers between two, unknown if they are not finite.
    pub fn new(lower: f64, upper: f64) -> Self {
        if lower.is_finite() && upper.is_finite() { Self { lower, upper } } else { Self::UNKNOWN }
    }

    /// Whether nothing is known of it.
    pub fn is_unknown(self) -> bool {
        self.lower.is_nan()
    }

    /// The smallest interval with both.
    pub fn hull(self, other: Self) -> Self {
        if self.is_unknown() || other.is_unknown() {
            return Self::UNKNOWN;
        }
        Self { lower: self.lower.min(other.lower), upper: self.upper.max(other.upper) }
    }

    pub(super) fn contains(self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }

    /// Ends as computed, moved outward: four units in the last place, of the smallest normal number at zero.
    fn rounded(lower: f64, upper: f64) -> Self {
        Self::rounded_by(4.0, lower, upper)
    }

    /// The same by so many units.
    fn rounded_by(units: f64, lower: f64, upper: f64) -> Self {
        let out = |value: f64| value.abs() * (units * f64::EPSILON) + f64::MIN_POSITIVE;
        Self::new(lower - out(lower), upper + out(upper))
    }

    /// From the values at the corners, for what is monotone in each operand.
    fn corners(self, other: Self, value: impl Fn(f64, f64) -> f64) -> Self {
        if self.is_unknown() || other.is_unknown() {
            return Self::UNKNOWN;
        }
        let pairs = [(self.lower, other.lower), (self.lower, other.upper), (self.upper, other.lower)];
        let last = value(self.upper, other.upper);
        let (mut lower, mut upper) = (last, last);
        for (a, b) in pairs {
            let found = value(a, b);
            if found.is_nan() {
                return Self::UNKNOWN;
            }
            (lower, upper) = (lower.min(found), upper.max(found));
        }
        Self::rounded(lower, upper)
    }

    /// For a function that does not fall.
    fn rising(self, value: impl Fn(f64) -> f64) -> Self {
        Self::rounded(value(self.lower), value(self.upper))
    }

    /// Distance from zero: the smallest and the largest.
    pub(super) fn sizes(self) -> (f64, f64) {
        let (a, b) = (self.lower.abs(), self.upper.abs());
        (if self.contains(0.0) { 0.0 } else { a.min(b) }, a.max(b))
    }

    /// Sine, with the angle at which it is largest.
    fn wave(self, crest: f64, value: impl Fn(f64) -> f64) -> Self {
        if self.is_unknown() {
            return self;
        }
        if self.sizes().1 > LARGE_ANGLE {
            return Self { lower: -1.0, upper: 1.0 };
        }
        let meets = |angle: f64| {
            let turns = |x: f64| (x - angle) / TAU;
            (turns(self.lower) - SLACK).ceil() <= turns(self.upper) + SLACK
        };
        let (a, b) = (value(self.lower), value(self.upper));
        let ends = Self::rounded(a.min(b), a.max(b));
        Self {
            lower: if meets(crest - TAU / 2.0) { -1.0 } else { ends.lower },
            upper: if meets(crest) { 1.0 } else { ends.upper },
        }
    }

    /// Unknown where a condition does not hold.
    pub(super) fn if_so(self, holds: bool) -> Self {
        if holds { self } else { Self::UNKNOWN }
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lower: -self.upper, upper: -self.lower }
    }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::rounded(self.lower + other.lower, self.upper + other.upper)
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::rounded(self.lower - other.upper, self.upper - other.lower)
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.corners(other, |a, b| a * b)
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.corners(other, |a, b| a / b).if_so(!other.contains(0.0))
    }
}

impl Scalar for Interval {
    fn from_f64(value: f64) -> Self {
        Self::new(value, value)
    }
    /// The middle; no operation on intervals looks at it.
    fn real(self) -> f64 {
        0.5 * (self.lower + self.upper)
    }
    fn sqrt(self) -> Self {
        self.rising(f64::sqrt)
    }
    fn abs(self) -> Self {
        if self.upper < 0.0 { -self } else { self.if_so(self.lower > 0.0) }
    }
    fn sin(self) -> Self {
        self.wave(FRAC_PI_2, libm::sin)
    }
    fn cos(self) -> Self {
        self.wave(0.0, libm::cos)
    }
    fn tan(self) -> Self {
        self.rising(libm::tan).if_so(!self.cos().contains(0.0))
    }
    fn asin(self) -> Self {
        self.rising(libm::asin)
    }
    fn acos(self) -> Self {
        (-self).rising(|x| libm::acos(-x))
    }
    fn atan(self) -> Self {
        self.rising(libm::atan)
    }
    fn sinh(self) -> Self {
        self.rising(libm::sinh)
    }
    fn cosh(self) -> Self {
        let (least, most) = self.sizes();
        Self::rounded(libm::cosh(least), libm::cosh(most))
    }
    fn tanh(self) -> Self {
        self.rising(libm::tanh)
    }
    fn exp(self) -> Self {
        self.rising(libm::exp)
    }
    fn log(self) -> Self {
        self.rising(libm::log)
    }
    fn pow(self, exponent: Self) -> Self {
        self.corners(exponent, libm::pow).if_so(self.lower > 0.0)
    }
    fn atan2(self, x: Self) -> Self {
        self.corners(x, libm::atan2).if_so(!self.contains(0.0) || x.lower > 0.0)
    }
    fn hypot(self, other: Self) -> Self {
        let ((a, c), (b, d)) = (self.sizes(), other.sizes());
        Self::rounded(libm::hypot(a, b), libm::hypot(c, d)).if_so(!self.is_unknown() && !other.is_unknown())
    }
    fn product(self, other: Self, same: bool) -> Self {
        if same { self.power(2) } else { self * other }
    }
    fn power(self, exponent: i32) -> Self {
        let (least, most) = self.sizes();
        let size = exponent.unsigned_abs();
        // Numbers are raised by products, of which each rounds by half a unit: no more than size − 1 of these halves in the end, and `pow` by less than two.
        let units = (0.5 * (f64::from(size) + 1.0)).max(4.0);
        let raise = |x: f64| {
            let value = libm::pow(x, f64::from(size));
            Self::rounded_by(units, value, value)
        };
        let power = match size % 2 {
            0 => Self { lower: raise(least).lower.max(0.0), upper: raise(most).upper },
            _ => Self::new(raise(self.lower).lower, raise(self.upper).upper),
        };
        let power = power.if_so(!self.is_unknown() && power.upper.is_finite());
        if exponent < 0 { Self::from_f64(1.0) / power } else { power }
    }
    fn sign(self) -> Self {
        Self::from_f64(if self.lower > 0.0 { 1.0 } else { -1.0 }).if_so(self.lower > 0.0 || self.upper < 0.0)
    }
    fn min(self, other: Self) -> Self {
        if self.upper < other.lower { self } else { other.if_so(other.upper < self.lower) }
    }
    fn max(self, other: Self) -> Self {
        if self.lower > other.upper { self } else { other.if_so(other.lower > self.upper) }
    }
    fn less_equal(self, other: Self) -> Self {
        let (holds, fails) = (self.upper <= other.lower, self.lower > other.upper);
        Self::from_f64(f64::from(u8::from(holds))).if_so(holds || fails)
    }
    fn less(self, other: Self) -> Self {
        let (holds, fails) = (self.upper < other.lower, self.lower >= other.upper);
        Self::from_f64(f64::from(u8::from(holds))).if_so(holds || fails)
    }
    fn gate(self, value: Self) -> Self {
        if self == Self::from_f64(0.0) { self } else { value.if_so(!self.contains(0.0) && !self.is_unknown()) }
    }
}
