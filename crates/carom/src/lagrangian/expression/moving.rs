//! Intervals that move: what expressions can come to along a path, and how fast they can change on it.
//!
//! A rate is the derivative by time wherever there is one. Values along a path are continuous, so that no difference of two of
//! them exceeds the largest rate times the time between them, across kinks too: `abs` and `hypot` at 0, `min` and `max` of
//! operands that overlap have the rates of both their sides. Where a function jumps or is unbounded its value is unknown, as
//! of intervals, and with it the rate; where it is infinitely steep (`sqrt` at 0) the rate alone is.
//!
//! Cost: some three times that of an interval. Limits: those of intervals, of values and rates alike.

use super::interval::Interval;
use super::op::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Values along a path, and their rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moving {
    /// Contains all values.
    pub value: Interval,
    /// Contains all derivatives by time; unknown if the value is.
    pub rate: Interval,
}

/// For slopes of functions.
const ONE: Interval = Interval { lower: 1.0, upper: 1.0 };
const HALF: Interval = Interval { lower: 0.5, upper: 0.5 };

impl Moving {
    /// The coordinate `q + v t + ½ a t²` from 0 to `duration`.
    pub fn along([q, v, a]: [f64; 3], duration: f64) -> Self {
        let point = Interval::from_f64;
        let at = |t: f64| point(q) + point(t) * (point(v) + point(0.5 * a) * point(t));
        let rate = point(v).hull(point(v) + point(a) * point(duration));
        let mut value = point(q).hull(at(duration));
        let last = v + a * duration;
        if (v < 0.0 && last > 0.0) || (v > 0.0 && last < 0.0) {
            value = value.hull(at(-v / a));
        }
        Self::of(value, rate)
    }

    /// The largest rate in either direction, if it is known.
    pub fn fastest(self) -> Option<f64> {
        (!self.rate.is_unknown()).then(|| self.rate.sizes().1)
    }

    /// What has no known value has no known rate.
    fn of(value: Interval, rate: Interval) -> Self {
        Self { value, rate: rate.if_so(!value.is_unknown()) }
    }

    /// What does not change while the outcome of an operation stays the same.
    fn still(value: Interval) -> Self {
        Self::of(value, Interval::from_f64(0.0))
    }
}

impl Neg for Moving {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, rate: -self.rate }
    }
}

impl Add for Moving {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::of(self.value + other.value, self.rate + other.rate)
    }
}

impl Sub for Moving {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::of(self.value - other.value, self.rate - other.rate)
    }
}

impl Mul for Moving {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::of(self.value * other.value, self.value * other.rate + other.value * self.rate)
    }
}

impl Div for Moving {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self::of(value, (self.rate - value * other.rate) / other.value)
    }
}

/// Smooth functions of one operand with their derivatives, of the operand `x` and the result `y`.
macro_rules! functions {
    ($($name:ident: |$x:ident, $y:ident| $slope:expr),* $(,)?) => {
        $(fn $name(self) -> Self {
            let ($x, $y) = (self.value, self.value.$name());
            let _ = ($x, $y);
            Self::of($y, $slope * self.rate)
        })*
    };
}

impl Scalar for Moving {
    fn from_f64(value: f64) -> Self {
        Self::still(Interval::from_f64(value))
    }
    /// The middle; no operation on intervals that move looks at it.
    fn real(self) -> f64 {
        self.value.real()
    }
    functions! {
        sqrt: |x, y| HALF / y,
        sin: |x, y| x.cos(),
        cos: |x, y| -x.sin(),
        tan: |x, y| ONE + y.power(2),
        asin: |x, y| ONE / ((ONE - x) * (ONE + x)).sqrt(),
        acos: |x, y| -ONE / ((ONE - x) * (ONE + x)).sqrt(),
        atan: |x, y| ONE / (ONE + x.power(2)),
        sinh: |x, y| x.cosh(),
        cosh: |x, y| x.sinh(),
        tanh: |x, y| ONE - y.power(2),
        exp: |x, y| y,
        log: |x, y| ONE / x,
    }
    fn abs(self) -> Self {
        if self.value.upper <= 0.0 {
            return -self;
        }
        if self.value.lower >= 0.0 {
            return self;
        }
        let (least, most) = self.value.sizes();
        Self::of(Interval::new(least, most), self.rate.hull(-self.rate))
    }
    fn pow(self, exponent: Self) -> Self {
        let (a, b, value) = (self.value, exponent.value, self.value.pow(exponent.value));
        Self::of(value, b * a.pow(b - ONE) * self.rate + value * a.log() * exponent.rate)
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value.hypot(x.value).power(2);
        let turned = x.value * self.rate - self.value * x.rate;
        Self::of(self.value.atan2(x.value), turned / square)
    }
    fn hypot(self, other: Self) -> Self {
        let value = self.value.hypot(other.value);
        let along = (self.value * self.rate + other.value * other.rate) / value;
        let most = self.rate.hypot(other.rate).upper;
        // A distance changes no faster than its point moves, near the kink too, where the quotient is unknown: `max` and `min`
        // pass over an end that is no number.
        Self::of(value, Interval::new(along.lower.max(-most), along.upper.min(most)))
    }
    fn product(self, other: Self, same: bool) -> Self {
        if same { self.power(2) } else { self * other }
    }
    fn power(self, exponent: i32) -> Self {
        let value = self.value.power(exponent);
        // Negative powers are unknown at 0 in any case.
        let lower = if exponent > 0 { self.value.power(exponent - 1) } else { value / self.value };
        Self::of(value, Interval::from_f64(f64::from(exponent)) * lower * self.rate)
    }
    fn sign(self) -> Self {
        Self::still(self.value.sign())
    }
    fn min(self, other: Self) -> Self {
        let (a, b) = (self.value, other.value);
        if a.upper <= b.lower {
            return self;
        }
        if b.upper <= a.lower {
            return other;
        }
        // Which operand it is may change on the way. Smaller ends pass over what is no number.
        let known = !a.is_unknown() && !b.is_unknown();
        let value = Interval::new(a.lower.min(b.lower), a.upper.min(b.upper)).if_so(known);
        Self::of(value, self.rate.hull(other.rate))
    }
    fn max(self, other: Self) -> Self {
        -(-self).min(-other)
    }
    fn less_equal(self, other: Self) -> Self {
        Self::still(self.value.less_equal(other.value))
    }
    fn less(self, other: Self) -> Self {
        Self::still(self.value.less(other.value))
    }
    fn gate(self, value: Self) -> Self {
        if self.value == Interval::from_f64(0.0) {
            return Self::from_f64(0.0);
        }
        let open = !self.value.contains(0.0) && !self.value.is_unknown();
        Self::of(value.value.if_so(open), value.rate)
    }
}
