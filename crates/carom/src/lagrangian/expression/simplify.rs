//! Constructors that simplify while they build.
//!
//! Everything that makes expressions (parser, derivatives, substitution) comes
//! through here, so that derivatives stay small and equal expressions meet.
//! Products are kept as one constant times a rest: `-x` is -1 times `x`, `3/x`
//! is 3 times `1/x`, and `b - a` is -1 times `a - b`, whichever order came
//! first. Sums join terms with equal rests; operands that commute are ordered.
//!
//! Cost: constant time per node. Nothing looks deeper than an operand's
//! operands, so deep graphs are safe.
//!
//! Limits: constants are folded only if the result is finite, and gathered only
//! if it is neither subnormal nor zero, so a simplified expression overflows
//! where the written one does. Division by a constant becomes multiplication
//! only where that is exact. `0*x`, `0/x` and `x - x` become 0 even though `x`
//! may turn out not to be finite; `x/x` stays.

use super::graph::{Graph, Node, NodeId};
use super::op::{Op, power};

/// Integer exponents up to this size are powers by multiplication; beyond it,
/// `pow` loses less to rounding.
const LARGEST_POWER: f64 = 64.0;

/// Half-integer exponents up to this size are powers of a square root.
const LARGEST_HALF_POWER: f64 = 8.5;

/// The inverse of a constant, if dividing by it is exactly multiplying by that.
fn exact_inverse(value: f64) -> Option<f64> {
    let inverse = 1.0 / value;
    let power_of_two = value.to_bits() & ((1 << 52) - 1) == 0;
    (power_of_two && value.is_normal() && inverse.is_normal()).then_some(inverse)
}

impl Graph {
    /// Any operation; those on one operand ignore `b`.
    pub fn apply(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        match op {
            Op::Neg => self.neg(a),
            Op::Add => self.add(a, b),
            Op::Sub => self.sub(a, b),
            Op::Mul => self.mul(a, b),
            Op::Div => self.div(a, b),
            Op::Pow => self.pow(a, b),
            Op::Atan2 => self.raw(op, a, b),
            Op::Hypot => self.raw(op, a.min(b), a.max(b)),
            Op::Min | Op::Max if a == b => a,
            Op::Min | Op::Max => self.raw(op, a, b),
            Op::LessEqual if a == b => Graph::ONE,
            Op::Less if a == b => Graph::ZERO,
            Op::LessEqual | Op::Less => self.raw(op, a, b),
            Op::Gate => self.gate(a, b),
            Op::Sin | Op::Tan | Op::Asin | Op::Atan | Op::Sinh | Op::Tanh | Op::Sign => {
                let (negative, a) = self.without_sign(a);
                let result = self.raw(op, a, a);
                if negative { self.neg(result) } else { result }
            }
            Op::Cos | Op::Cosh | Op::Abs => {
                let (_, a) = self.without_sign(a);
                self.raw(op, a, a)
            }
            Op::Sqrt | Op::Acos | Op::Exp | Op::Log => self.raw(op, a, a),
        }
    }

    /// `−a`.
    pub fn neg(&mut self, a: NodeId) -> NodeId {
        if let Some(value) = self.constant_value(a) {
            return self.constant(-value);
        }
        let (factor, rest) = self.split(a);
        self.scale(-factor, rest)
    }

    /// `a + b`.
    pub fn add(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = self.ordered(a, b);
        if self.both_constant(a, b) {
            return self.raw(Op::Add, a, b);
        }
        if a == Graph::ZERO {
            return b;
        }
        let ((factor_a, rest_a), (factor_b, rest_b)) = (self.split(a), self.split(b));
        let sum = factor_a + factor_b;
        if rest_a == rest_b && (sum == 0.0 || sum.is_normal()) {
            return self.scale(sum, rest_a);
        }
        if factor_a == factor_b && self.is_pythagorean(rest_a, rest_b) {
            return self.constant(factor_a);
        }
        // A minus sign that costs an instruction rather than being in a factor.
        let costly = |graph: &Graph, x| matches!(graph.node(x), Node::Apply(Op::Neg, ..));
        if costly(self, a) && costly(self, b) {
            let sum = self.raw(Op::Add, rest_a, rest_b);
            self.neg(sum)
        } else if self.is_negative(b) && !costly(self, a) {
            let b = self.neg(b);
            self.raw(Op::Sub, a, b)
        } else if self.is_negative(a) {
            let a = self.neg(a);
            self.raw(Op::Sub, b, a)
        } else {
            self.raw(Op::Add, a, b)
        }
    }

    /// `a − b`.
    pub fn sub(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let b = self.neg(b);
        self.add(a, b)
    }

    /// `a b`.
    pub fn mul(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (a, b) = self.ordered(a, b);
        if self.both_constant(a, b) {
            return self.raw(Op::Mul, a, b);
        }
        if a == Graph::ZERO {
            return Graph::ZERO;
        }
        let ((factor_a, rest_a), (factor_b, rest_b)) = (self.split(a), self.split(b));
        let factor = factor_a * factor_b;
        if !factor.is_normal() {
            return self.raw(Op::Mul, a, b);
        }
        let product = self.product(rest_a, rest_b);
        let (inner, rest) = self.split(product);
        if (factor * inner).is_normal() {
            self.scale(factor * inner, rest)
        } else {
            let factor = self.constant(factor);
            self.raw(Op::Mul, factor, product)
        }
    }

    /// `a / b`.
    pub fn div(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if self.both_constant(a, b) {
            return self.raw(Op::Div, a, b);
        }
        if a == Graph::ZERO || b == Graph::ONE {
            return a;
        }
        let (above, top) = self.split(a);
        let (below, rest) = self.split(b);
        // What of the divisor's factor can move above the line exactly.
        let (moved, bottom) = match exact_inverse(below) {
            Some(inverse) => (inverse, rest),
            None if below < 0.0 => (-1.0, self.scale(-below, rest)),
            None => (1.0, b),
        };
        if !(above * moved).is_normal() {
            return self.raw(Op::Div, a, b);
        }
        let quotient = if bottom == Graph::ONE {
            top
        } else if top == Graph::ONE {
            self.inverse(bottom)
        } else {
            self.raw(Op::Div, top, bottom)
        };
        self.scale(above * moved, quotient)
    }

    /// `a` to a fixed integer power.
    pub fn powi(&mut self, a: NodeId, exponent: i32) -> NodeId {
        match exponent {
            0 => return Graph::ONE,
            1 => return a,
            _ => {}
        }
        if let Some(value) = self.constant_value(a) {
            let result = power(value, exponent);
            return if result.is_finite() { self.constant(result) } else { self.intern(Node::Power(a, exponent)) };
        }
        let (factor, rest) = self.split(a);
        let factor = power(factor, exponent);
        let (base, inner) = self.base_and_exponent(rest);
        match inner.checked_mul(exponent) {
            Some(exponent) if factor.is_normal() => {
                let result = self.raw_power(base, exponent);
                self.scale(factor, result)
            }
            _ => self.raw_power(a, exponent),
        }
    }

    /// `a^b`.
    pub fn pow(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == Graph::ONE {
            return a;
        }
        if let Some(exponent) = self.constant_value(b) {
            let doubled = exponent * 2.0;
            if exponent.fract() == 0.0 && exponent.abs() <= LARGEST_POWER {
                return self.powi(a, exponent as i32);
            }
            if doubled.fract() == 0.0 && exponent.abs() <= LARGEST_HALF_POWER {
                let root = self.apply(Op::Sqrt, a, a);
                return self.powi(root, doubled as i32);
            }
        }
        self.raw(Op::Pow, a, b)
    }

    fn gate(&mut self, condition: NodeId, value: NodeId) -> NodeId {
        match self.constant_value(condition) {
            Some(0.0) => Graph::ZERO,
            Some(open) if !open.is_nan() => value,
            _ if value == Graph::ZERO => value,
            _ => self.raw(Op::Gate, condition, value),
        }
    }

    /// An operation without rules of its own: folded, or stored as it is.
    fn raw(&mut self, op: Op, a: NodeId, b: NodeId) -> NodeId {
        if let (Some(x), Some(y)) = (self.constant_value(a), self.constant_value(b)) {
            let result = op.apply(x, y);
            if result.is_finite() {
                return self.constant(result);
            }
        }
        let (a, b) = match op {
            Op::Add | Op::Mul => self.ordered(a, b),
            _ => (a, b),
        };
        self.intern(Node::Apply(op, a, b))
    }

    fn both_constant(&self, a: NodeId, b: NodeId) -> bool {
        self.constant_value(a).is_some() && self.constant_value(b).is_some()
    }

    /// Operands that commute: constants first, then by id.
    fn ordered(&self, a: NodeId, b: NodeId) -> (NodeId, NodeId) {
        let key = |x| (self.constant_value(x).is_none(), x);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// Writes `a` as a finite constant times a rest that has no such factor.
    fn split(&mut self, a: NodeId) -> (f64, NodeId) {
        let usable = |graph: &Graph, x| graph.constant_value(x).filter(|v| v.is_normal());
        if let Some(value) = usable(self, a) {
            return (value, Graph::ONE);
        }
        match self.node(a) {
            Node::Apply(Op::Neg, x, _) => (-1.0, x),
            Node::Apply(Op::Sub, x, y) if x > y => (-1.0, self.raw(Op::Sub, y, x)),
            Node::Apply(Op::Mul, x, y) => match usable(self, x) {
                Some(factor) => (factor, y),
                None => (1.0, a),
            },
            Node::Apply(Op::Div, x, y) if x != Graph::ONE => match usable(self, x) {
                Some(factor) => (factor, self.inverse(y)),
                None => (1.0, a),
            },
            _ => (1.0, a),
        }
    }

    /// A constant times a rest from [`Graph::split`].
    fn scale(&mut self, factor: f64, rest: NodeId) -> NodeId {
        if factor == 1.0 {
            return rest;
        }
        if factor == 0.0 {
            return Graph::ZERO;
        }
        let constant = self.constant(factor);
        match self.node(rest) {
            _ if rest == Graph::ONE => constant,
            Node::Apply(Op::Sub, x, y) if factor == -1.0 => self.raw(Op::Sub, y, x),
            Node::Apply(Op::Div, Graph::ONE, y) => self.raw(Op::Div, constant, y),
            Node::Power(x, n) if n < 0 && n != i32::MIN => {
                let below = self.raw_power(x, -n);
                self.raw(Op::Div, constant, below)
            }
            _ if factor == -1.0 => self.raw(Op::Neg, rest, rest),
            _ => self.raw(Op::Mul, constant, rest),
        }
    }

    /// The product of two rests from [`Graph::split`].
    fn product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        if a == Graph::ONE {
            return b;
        }
        if b == Graph::ONE {
            return a;
        }
        let ((base_a, m), (base_b, n)) = (self.base_and_exponent(a), self.base_and_exponent(b));
        // Powers of opposite sign are joined only if the pole at zero stays.
        if base_a == base_b
            && let Some(sum) = m.checked_add(n)
            && (sum < 0 || (m > 0 && n > 0))
        {
            return self.raw_power(base_a, sum);
        }
        match (self.node(a), self.node(b)) {
            (_, Node::Apply(Op::Div, Graph::ONE, below)) => self.raw(Op::Div, a, below),
            (Node::Apply(Op::Div, Graph::ONE, below), _) => self.raw(Op::Div, b, below),
            _ => self.raw(Op::Mul, a, b),
        }
    }

    /// The inverse of a node that is not a constant.
    fn inverse(&mut self, a: NodeId) -> NodeId {
        match self.node(a) {
            Node::Power(x, n) if n != i32::MIN => self.raw_power(x, -n),
            _ => self.raw(Op::Div, Graph::ONE, a),
        }
    }

    /// A power of a base that has no constant factor.
    fn raw_power(&mut self, base: NodeId, exponent: i32) -> NodeId {
        match (exponent, self.node(base)) {
            (0, _) => Graph::ONE,
            (1, _) => base,
            (-1, _) => self.raw(Op::Div, Graph::ONE, base),
            (_, Node::Apply(Op::Abs, x, _)) if exponent % 2 == 0 => self.powi(x, exponent),
            _ => self.intern(Node::Power(base, exponent)),
        }
    }

    fn base_and_exponent(&self, a: NodeId) -> (NodeId, i32) {
        match self.node(a) {
            Node::Power(base, exponent) => (base, exponent),
            Node::Apply(Op::Div, Graph::ONE, base) => (base, -1),
            _ => (a, 1),
        }
    }

    /// Whether a sign can be taken out of a term of a sum.
    fn is_negative(&mut self, a: NodeId) -> bool {
        !matches!(self.node(a), Node::Apply(Op::Sub, ..)) && self.split(a).0 < 0.0
    }

    /// The argument of an even or odd function without its sign.
    fn without_sign(&mut self, a: NodeId) -> (bool, NodeId) {
        let negative = self.split(a).0 < 0.0;
        (negative, if negative { self.neg(a) } else { a })
    }

    /// Whether the two are the squares of sine and cosine of one angle.
    fn is_pythagorean(&self, a: NodeId, b: NodeId) -> bool {
        let square = |x| match self.node(x) {
            Node::Power(base, 2) => Some(self.node(base)),
            _ => None,
        };
        matches!(
            (square(a), square(b)),
            (Some(Node::Apply(Op::Sin, x, _)), Some(Node::Apply(Op::Cos, y, _)))
            | (Some(Node::Apply(Op::Cos, x, _)), Some(Node::Apply(Op::Sin, y, _))) if x == y
        )
    }
}
