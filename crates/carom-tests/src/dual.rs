//! Dual numbers that carom's tapes can be evaluated with, and linear algebra over them.

use std::ops::{Add, Div, Mul, Neg, Sub};

use carom::lagrangian::expression::Scalar;
use num_dual::{Dual64, DualNum};

/// A value with one derivative.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual(pub Dual64);

impl Dual {
    /// `value + derivative ε`.
    pub fn new(value: f64, derivative: f64) -> Self {
        Self(Dual64::new(value, derivative))
    }
    /// The derivative.
    pub fn eps(self) -> f64 {
        self.0.eps
    }
}

macro_rules! operators {
    ($($trait:ident::$function:ident),*) => {
        $(impl $trait for Dual {
            type Output = Self;
            fn $function(self, other: Self) -> Self {
                Self($trait::$function(self.0, other.0))
            }
        })*
    };
}
operators!(Add::add, Sub::sub, Mul::mul, Div::div);

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! functions {
    ($($name:ident: $theirs:ident),*) => {
        $(fn $name(self) -> Self {
            Self(self.0.$theirs())
        })*
    };
}

impl Scalar for Dual {
    fn from_f64(value: f64) -> Self {
        Self::new(value, 0.0)
    }
    fn real(self) -> f64 {
        self.0.re
    }
    functions!(sqrt: sqrt, sin: sin, cos: cos, tan: tan, asin: asin, acos: acos, atan: atan);
    functions!(sinh: sinh, cosh: cosh, tanh: tanh, exp: exp, log: ln);
    fn abs(self) -> Self {
        if self.real() < 0.0 { -self } else { self }
    }
    fn pow(self, exponent: Self) -> Self {
        Self(self.0.powd(exponent.0))
    }
    fn atan2(self, x: Self) -> Self {
        Self(self.0.atan2(x.0))
    }
    fn hypot(self, other: Self) -> Self {
        (self * self + other * other).sqrt()
    }
}

/// Solves `A x = b` by elimination with partial pivoting, over any numbers; `A` is row-major.
pub fn solve<T: Scalar>(a: &[T], b: &[T]) -> Vec<T> {
    let n = b.len();
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|&i, &j| a[i * n + k].real().abs().total_cmp(&a[j * n + k].real().abs()))
            .expect("a row is left");
        for column in 0..n {
            a.swap(k * n + column, pivot * n + column);
        }
        b.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i * n + k] / a[k * n + k];
            for column in k..n {
                a[i * n + column] = a[i * n + column] - factor * a[k * n + column];
            }
            b[i] = b[i] - factor * b[k];
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            b[i] = b[i] - a[i * n + j] * b[j];
        }
        b[i] = b[i] / a[i * n + i];
    }
    b
}
