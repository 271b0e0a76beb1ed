//! Numbers that know how far round-off has taken them: a running error analysis of first order.
//!
//! Inputs and constants are exact. Every operation passes on the errors of its operands by its derivatives and adds its own, one unit in the
//! last place of the result. Cost: some three times that of a plain number.

use super::op::Scalar;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value and the bound of its error, in units of ε.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded {
    /// As plain numbers give it.
    pub value: f64,
    /// In units of ε.
    pub error: f64,
}

impl Rounded {
    /// The result of an operation, with what its operands pass on.
    fn of(value: f64, passed: f64) -> Self {
        Self { value, error: passed + value.abs() }
    }

    /// The result of a function with that derivative.
    fn through(self, value: f64, slope: f64) -> Self {
        // An exact operand passes nothing on, however steep the function is.
        Self::of(value, if self.error == 0.0 { 0.0 } else { slope.abs() * self.error })
    }
}

impl Neg for Rounded {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

impl Add for Rounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::of(self.value + other.value, self.error + other.error)
    }
}

impl Sub for Rounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::of(self.value - other.value, self.error + other.error)
    }
}

impl Mul for Rounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let passed = self.value.abs() * other.error + other.value.abs() * self.error;
        Self::of(self.value * other.value, passed)
    }
}

impl Div for Rounded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Self::of(value, (self.error + value.abs() * other.error) / other.value.abs())
    }
}

/// Functions of one operand with their derivatives, of the operand `x` and the result `y`.
macro_rules! functions {
    ($($name:ident: |$x:ident, $y:ident| $slope:expr),* $(,)?) => {
        $(fn $name(self) -> Self {
            let ($x, $y) = (self.value, Scalar::$name(self.value));
            let _ = ($x, $y);
            self.through($y, $slope)
        })*
    };
}

impl Scalar for Rounded {
    fn from_f64(value: f64) -> Self {
        Self { value, error: 0.0 }
    }
    fn real(self) -> f64 {
        self.value
    }
    fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }
    functions! {
        sqrt: |x, y| 0.5 / y,
        sin: |x, y| libm::cos(x),
        cos: |x, y| libm::sin(x),
        tan: |x, y| 1.0 + y * y,
        asin: |x, y| (1.0 - x * x).sqrt().recip(),
        acos: |x, y| (1.0 - x * x).sqrt().recip(),
        atan: |x, y| (1.0 + x * x).recip(),
        sinh: |x, y| libm::cosh(x),
        cosh: |x, y| libm::sinh(x),
        tanh: |x, y| 1.0 - y * y,
        exp: |x, y| y,
        log: |x, y| x.recip(),
    }
    fn pow(self, exponent: Self) -> Self {
        let value = libm::pow(self.value, exponent.value);
        let base = if self.error == 0.0 { 0.0 } else { (exponent.value * value / self.value).abs() * self.error };
        let power =
            if exponent.error == 0.0 { 0.0 } else { (value * libm::log(self.value.abs())).abs() * exponent.error };
        Self::of(value, base + power)
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let passed = self.value.abs() * x.error + x.value.abs() * self.error;
        Self::of(libm::atan2(self.value, x.value), if passed == 0.0 { 0.0 } else { passed / square })
    }
    fn hypot(self, other: Self) -> Self {
        let value = libm::hypot(self.value, other.value);
        let passed = self.value.abs() * self.error + other.value.abs() * other.error;
        Self::of(value, if passed == 0.0 { 0.0 } else { passed / value })
    }
}
