//! The operations of expressions and what they mean on any [`Scalar`].
//!
//! This is the one place where the meaning of an operation is written: constant
//! folding, the evaluation of tapes and tests with dual numbers all go through
//! [`Op::apply`] and [`power`].
//!
//! Cost: one jump per operation. Elementary functions come from the `libm`
//! crate, so that results have the same bits on every machine.
//!
//! Limits: undefined operations give NaN or an infinity, never a panic. `min`
//! and `max` return NaN if either operand is NaN.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// An operation on one or two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// −a
    Neg,
    /// √a
    Sqrt,
    /// \|a\|
    Abs,
    /// -1, 0 or 1, with `sign(0) = 0`.
    Sign,
    /// sin a
    Sin,
    /// cos a
    Cos,
    /// tan a
    Tan,
    /// asin a
    Asin,
    /// acos a
    Acos,
    /// atan a
    Atan,
    /// sinh a
    Sinh,
    /// cosh a
    Cosh,
    /// tanh a
    Tanh,
    /// exp a
    Exp,
    /// natural logarithm
    Log,
    /// a + b
    Add,
    /// a − b
    Sub,
    /// a b
    Mul,
    /// a / b
    Div,
    /// a to the power b
    Pow,
    /// angle of the point (b, a)
    Atan2,
    /// √(a² + b²)
    Hypot,
    /// the smaller
    Min,
    /// the larger
    Max,
    /// 1 if the first operand is at most the second, else 0.
    LessEqual,
    /// 1 if the first operand is below the second, else 0.
    Less,
    /// The second operand if the first is not zero, else 0, even if the second
    /// is not finite.
    Gate,
}

impl Op {
    /// The functions that can be called by name in text.
    pub const FUNCTIONS: [(&'static str, Op); 18] = [
        ("sin", Op::Sin),
        ("cos", Op::Cos),
        ("tan", Op::Tan),
        ("asin", Op::Asin),
        ("acos", Op::Acos),
        ("atan", Op::Atan),
        ("sinh", Op::Sinh),
        ("cosh", Op::Cosh),
        ("tanh", Op::Tanh),
        ("exp", Op::Exp),
        ("log", Op::Log),
        ("sqrt", Op::Sqrt),
        ("abs", Op::Abs),
        ("sign", Op::Sign),
        ("atan2", Op::Atan2),
        ("hypot", Op::Hypot),
        ("min", Op::Min),
        ("max", Op::Max),
    ];

    /// The number of operands, 1 or 2.
    pub fn arity(self) -> usize {
        use Op::*;
        match self {
            Neg | Sqrt | Abs | Sign | Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh | Exp | Log => 1,
            Add | Sub | Mul | Div | Pow | Atan2 | Hypot | Min | Max | LessEqual | Less | Gate => 2,
        }
    }

    /// Performs the operation; operations on one operand ignore `b`.
    #[inline(always)]
    pub fn apply<T: Scalar>(self, a: T, b: T) -> T {
        match self {
            Op::Neg => -a,
            Op::Sqrt => a.sqrt(),
            Op::Abs => a.abs(),
            Op::Sign => a.sign(),
            Op::Sin => a.sin(),
            Op::Cos => a.cos(),
            Op::Tan => a.tan(),
            Op::Asin => a.asin(),
            Op::Acos => a.acos(),
            Op::Atan => a.atan(),
            Op::Sinh => a.sinh(),
            Op::Cosh => a.cosh(),
            Op::Tanh => a.tanh(),
            Op::Exp => a.exp(),
            Op::Log => a.log(),
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::Div => a / b,
            Op::Pow => a.pow(b),
            Op::Atan2 => a.atan2(b),
            Op::Hypot => a.hypot(b),
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::LessEqual => a.less_equal(b),
            Op::Less => a.less(b),
            Op::Gate => a.gate(b),
        }
    }
}

/// `base` to an integer power by squaring and multiplying, in a fixed order.
#[inline]
pub(super) fn power<T: Scalar>(base: T, exponent: i32) -> T {
    if exponent == 3 {
        return base * base * base;
    }
    let mut left = exponent.unsigned_abs();
    if left == 0 {
        return T::from_f64(1.0);
    }
    let mut square = base;
    while left & 1 == 0 {
        square = square * square;
        left >>= 1;
    }
    let mut result = square;
    left >>= 1;
    while left > 0 {
        square = square * square;
        if left & 1 == 1 {
            result = result * square;
        }
        left >>= 1;
    }
    if exponent < 0 { T::from_f64(1.0) / result } else { result }
}

/// A number that tapes can be evaluated with: `f64`, intervals, or dual numbers in tests.
pub trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The number without derivatives.
    fn from_f64(value: f64) -> Self;
    /// The value that comparisons look at.
    fn real(self) -> f64;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Inverse sine.
    fn asin(self) -> Self;
    /// Inverse cosine.
    fn acos(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// Hyperbolic sine.
    fn sinh(self) -> Self;
    /// Hyperbolic cosine.
    fn cosh(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// Exponential.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn log(self) -> Self;
    /// Power.
    fn pow(self, exponent: Self) -> Self;
    /// The angle of the point (`x`, `self`).
    fn atan2(self, x: Self) -> Self;
    /// √(self² + other²).
    fn hypot(self, other: Self) -> Self;
    /// Sine and cosine together; must equal [`Scalar::sin`] and [`Scalar::cos`].
    fn sin_cos(self) -> (Self, Self) {
        (self.sin(), self.cos())
    }
    /// The product; `same` says that both are one value, so that it is a square.
    #[inline(always)]
    fn product(self, other: Self, _same: bool) -> Self {
        self * other
    }
    /// An integer power.
    #[inline]
    fn power(self, exponent: i32) -> Self {
        power(self, exponent)
    }
    /// -1, 0 or 1.
    fn sign(self) -> Self {
        let x = self.real();
        if x > 0.0 {
            Self::from_f64(1.0)
        } else if x < 0.0 {
            Self::from_f64(-1.0)
        } else if x == 0.0 {
            Self::from_f64(0.0)
        } else {
            self
        }
    }
    /// The smaller; the first of equal ones.
    fn min(self, other: Self) -> Self {
        choose(self, other, self.real() <= other.real())
    }
    /// The larger; the first of equal ones.
    fn max(self, other: Self) -> Self {
        choose(self, other, self.real() >= other.real())
    }
    /// 1 if it is at most the other, else 0.
    fn less_equal(self, other: Self) -> Self {
        truth(self, other, self.real() <= other.real())
    }
    /// 1 if it is below the other, else 0.
    fn less(self, other: Self) -> Self {
        truth(self, other, self.real() < other.real())
    }
    /// The value if this is not zero, else 0.
    fn gate(self, value: Self) -> Self {
        let open = self.real();
        if open == 0.0 {
            Self::from_f64(0.0)
        } else if open.is_nan() {
            Self::from_f64(f64::NAN)
        } else {
            value
        }
    }
}

/// `a` if `first`, else `b`; NaN if either is NaN.
fn choose<T: Scalar>(a: T, b: T, first: bool) -> T {
    if first {
        a
    } else if a.real().is_nan() || b.real().is_nan() {
        T::from_f64(f64::NAN)
    } else {
        b
    }
}

/// The outcome of a comparison as a number; NaN if either operand is NaN.
fn truth<T: Scalar>(a: T, b: T, outcome: bool) -> T {
    T::from_f64(if outcome {
        1.0
    } else if a.real().is_nan() || b.real().is_nan() {
        f64::NAN
    } else {
        0.0
    })
}

impl Scalar for f64 {
    #[inline(always)]
    fn from_f64(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn real(self) -> f64 {
        self
    }
    #[inline(always)]
    fn sqrt(self) -> f64 {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> f64 {
        f64::abs(self)
    }
    fn sin(self) -> f64 {
        libm::sin(self)
    }
    fn cos(self) -> f64 {
        libm::cos(self)
    }
    fn tan(self) -> f64 {
        libm::tan(self)
    }
    fn asin(self) -> f64 {
        libm::asin(self)
    }
    fn acos(self) -> f64 {
        libm::acos(self)
    }
    fn atan(self) -> f64 {
        libm::atan(self)
    }
    fn sinh(self) -> f64 {
        libm::sinh(self)
    }
    fn cosh(self) -> f64 {
        libm::cosh(self)
    }
    fn tanh(self) -> f64 {
        libm::tanh(self)
    }
    fn exp(self) -> f64 {
        libm::exp(self)
    }
    fn log(self) -> f64 {
        libm::log(self)
    }
    fn pow(self, exponent: f64) -> f64 {
        libm::pow(self, exponent)
    }
    fn atan2(self, x: f64) -> f64 {
        libm::atan2(self, x)
    }
    fn hypot(self, other: f64) -> f64 {
        libm::hypot(self, other)
    }
    fn sin_cos(self) -> (f64, f64) {
        libm::sincos(self)
    }
}
