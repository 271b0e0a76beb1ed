//! Tests of expressions, with what they share: a scope of coordinates, dual
//! numbers, central differences and random numbers.

mod derive;
mod graph;
mod interval;
mod moving;
mod parse;
mod random;
mod rounded;
mod tape;

use super::{Graph, NameError, NodeId, Op, Scalar, Scope, Tape};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// `x y z u` are inputs 0 to 3, their velocities 4 to 7; `q[1]` to `q[9]` are
/// inputs 11 to 19; `two` is a constant.
pub struct Named;

impl Scope for Named {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        match (name, index) {
            ("x" | "y" | "z" | "u", None) => Ok(graph.input(place(name))),
            ("two", None) => Ok(graph.constant(2.0)),
            ("q", Some(i @ 1..=9)) => Ok(graph.input(10 + i as u32)),
            ("q.part", Some(i @ 1..=9)) => Ok(graph.constant(100.0 + i as f64)),
            ("q", Some(i)) => Err(NameError::Invalid(format!("`q` has no index {i}"))),
            ("q", None) => Err(NameError::Invalid("`q` needs an index".into())),
            ("x" | "y" | "z" | "u", _) => Err(NameError::Invalid(format!("`{name}` has no index"))),
            _ => Err(NameError::Unknown),
        }
    }

    fn velocity(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        match (name, index) {
            ("x" | "y" | "z" | "u", None) => Ok(graph.input(4 + place(name))),
            ("q", Some(i @ 1..=9)) => Ok(graph.input(20 + i as u32)),
            ("q.part", Some(i @ 1..=9)) => Ok(graph.constant(200.0 + i as f64)),
            ("two", _) => Err(NameError::Invalid("`two` is not a coordinate".into())),
            _ => Err(NameError::Unknown),
        }
    }

    fn known_names(&self) -> Vec<String> {
        ["x", "y", "z", "u", "two", "q"].map(String::from).to_vec()
    }
}

fn place(name: &str) -> u32 {
    ["x", "y", "z", "u"].iter().position(|n| *n == name).unwrap() as u32
}

pub fn parse(graph: &mut Graph, text: &str) -> NodeId {
    super::parse(graph, text, &Named).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The values of expressions at an input.
pub fn values(graph: &Graph, outputs: &[NodeId], inputs: &[f64]) -> Vec<f64> {
    let tape = Tape::compile(graph, outputs, inputs.len());
    let mut out = vec![0.0; outputs.len()];
    tape.evaluate(&mut tape.scratch(), &[inputs], &mut out);
    out
}

pub fn value(graph: &Graph, output: NodeId, inputs: &[f64]) -> f64 {
    values(graph, &[output], inputs)[0]
}

/// The first derivative by central differences of order eight.
pub fn difference(f: impl Fn(f64) -> f64, x: f64, h: f64) -> f64 {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let term = |(k, w): (usize, &f64)| {
        let step = h * (k + 1) as f64;
        w * (f(x + step) - f(x - step))
    };
    weights.iter().enumerate().map(term).sum::<f64>() / h
}

/// A generator of random numbers (Knuth's MMIX constants).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.below(1 << 30) as f64 / (1u64 << 30) as f64)
    }
}

/// A value and its derivative along one direction.
#[derive(Clone, Copy, Debug)]
pub struct Dual(pub f64, pub f64);

impl Dual {
    fn map(self, value: f64, slope: f64) -> Dual {
        Dual(value, slope * self.1)
    }
}

impl Add for Dual {
    type Output = Dual;
    fn add(self, o: Dual) -> Dual {
        Dual(self.0 + o.0, self.1 + o.1)
    }
}

impl Sub for Dual {
    type Output = Dual;
    fn sub(self, o: Dual) -> Dual {
        Dual(self.0 - o.0, self.1 - o.1)
    }
}

impl Mul for Dual {
    type Output = Dual;
    fn mul(self, o: Dual) -> Dual {
        Dual(self.0 * o.0, self.1 * o.0 + self.0 * o.1)
    }
}

impl Div for Dual {
    type Output = Dual;
    fn div(self, o: Dual) -> Dual {
        let quotient = self.0 / o.0;
        Dual(quotient, (self.1 - quotient * o.1) / o.0)
    }
}

impl Neg for Dual {
    type Output = Dual;
    fn neg(self) -> Dual {
        Dual(-self.0, -self.1)
    }
}

impl Scalar for Dual {
    fn from_f64(value: f64) -> Dual {
        Dual(value, 0.0)
    }
    fn real(self) -> f64 {
        self.0
    }
    fn sqrt(self) -> Dual {
        let root = self.0.sqrt();
        self.map(root, 0.5 / root)
    }
    fn abs(self) -> Dual {
        let slope = Op::Sign.apply(self.0, 0.0);
        self.map(self.0.abs(), slope)
    }
    fn sin(self) -> Dual {
        self.map(libm::sin(self.0), libm::cos(self.0))
    }
    fn cos(self) -> Dual {
        self.map(libm::cos(self.0), -libm::sin(self.0))
    }
    fn tan(self) -> Dual {
        self.map(libm::tan(self.0), libm::cos(self.0).powi(-2))
    }
    fn asin(self) -> Dual {
        self.map(libm::asin(self.0), 1.0 / (1.0 - self.0 * self.0).sqrt())
    }
    fn acos(self) -> Dual {
        self.map(libm::acos(self.0), -1.0 / (1.0 - self.0 * self.0).sqrt())
    }
    fn atan(self) -> Dual {
        self.map(libm::atan(self.0), 1.0 / (1.0 + self.0 * self.0))
    }
    fn sinh(self) -> Dual {
        self.map(libm::sinh(self.0), libm::cosh(self.0))
    }
    fn cosh(self) -> Dual {
        self.map(libm::cosh(self.0), libm::sinh(self.0))
    }
    fn tanh(self) -> Dual {
        self.map(libm::tanh(self.0), libm::cosh(self.0).powi(-2))
    }
    fn exp(self) -> Dual {
        self.map(libm::exp(self.0), libm::exp(self.0))
    }
    fn log(self) -> Dual {
        self.map(libm::log(self.0), 1.0 / self.0)
    }
    fn pow(self, o: Dual) -> Dual {
        let value = libm::pow(self.0, o.0);
        let by_base = o.0 * libm::pow(self.0, o.0 - 1.0) * self.1;
        Dual(value, by_base + value * libm::log(self.0) * o.1)
    }
    fn atan2(self, x: Dual) -> Dual {
        let square = self.0 * self.0 + x.0 * x.0;
        let slope = (x.0 * self.1 - self.0 * x.1) / square;
        Dual(libm::atan2(self.0, x.0), slope)
    }
    fn hypot(self, o: Dual) -> Dual {
        let value = libm::hypot(self.0, o.0);
        Dual(value, (self.0 * self.1 + o.0 * o.1) / value)
    }
}
