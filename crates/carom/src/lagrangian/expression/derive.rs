//! Exact symbolic derivatives of expression graphs.
//!
//! Both directions use one rule per operation, [`Graph::chain`]. Derivatives
//! are expressions of the same graph, so they share everything they have in
//! common with the value and with each other, and can be differentiated again.
//!
//! Cost: [`Graph::derivative`] visits each node that depends on the input once
//! and remembers the result; [`Graph::gradient`] yields all derivatives of one
//! expression with a number of nodes proportional to its size, whatever the
//! number of inputs. Neither recurses, so deep graphs are safe.
//!
//! Limits: kinks have the one-sided derivatives described in the module
//! documentation. Where a function has a pole in its derivative (`sqrt(0)`,
//! `hypot(0, 0)`), evaluation gives an infinity or NaN.

use super::graph::{Graph, Inputs, Node, NodeId};
use super::hash::Map;
use super::op::Op;

impl Graph {
    /// The derivative of an expression by one input.
    pub fn derivative(&mut self, id: NodeId, input: u32) -> NodeId {
        let pending = self.reachable(&[id], |node| {
            self.depends_on(node, input) && !self.derivatives.contains_key(&(node, input))
        });
        for node in pending {
            let mut sum = Graph::ZERO;
            if matches!(self.node(node), Node::Input(_)) {
                sum = Graph::ONE;
            }
            for (position, operand) in self.node(node).operands().into_iter().enumerate() {
                if let Some(operand) = operand
                    && let Some(&inner) = self.derivatives.get(&(operand, input))
                {
                    let term = self.chain(node, position, inner);
                    sum = self.add(sum, term);
                }
            }
            self.derivatives.insert((node, input), sum);
        }
        let known = self.derivatives.get(&(id, input));
        known.copied().unwrap_or(Graph::ZERO)
    }

    /// The derivatives of an expression by each of the listed inputs.
    pub fn gradient(&mut self, id: NodeId, inputs: &[u32]) -> Vec<NodeId> {
        let listed = Inputs::of(inputs);
        let nodes = self.reachable(&[id], |node| self.depends_on_any(node, &listed));
        // The derivative of `id` by each node, complete once all users of the
        // node have been visited; present only for the nodes that matter.
        let mut adjoints: Map<NodeId, NodeId> = nodes.iter().map(|&node| (node, Graph::ZERO)).collect();
        adjoints.insert(id, Graph::ONE);
        for &node in nodes.iter().rev() {
            let adjoint = adjoints[&node];
            for (position, operand) in self.node(node).operands().into_iter().enumerate() {
                if let Some(operand) = operand
                    && let Some(&sum) = adjoints.get(&operand)
                {
                    let term = self.chain(node, position, adjoint);
                    let sum = self.add(sum, term);
                    adjoints.insert(operand, sum);
                }
            }
        }
        let by_input = |&input: &u32| {
            let node = self.input(input);
            adjoints.get(&node).copied().unwrap_or(Graph::ZERO)
        };
        inputs.iter().map(by_input).collect()
    }

    /// `factor` times the derivative of `id` by its operand at `position`.
    fn chain(&mut self, id: NodeId, position: usize, factor: NodeId) -> NodeId {
        if factor == Graph::ZERO {
            return factor;
        }
        let (op, a, b) = match self.node(id) {
            Node::Constant(_) | Node::Input(_) => return Graph::ZERO,
            Node::Power(a, exponent) => {
                let slope = self.power_slope(a, exponent);
                return self.mul(factor, slope);
            }
            Node::Apply(op, a, b) => (op, a, b),
        };
        let first = position == 0;
        match op {
            Op::Neg => self.neg(factor),
            Op::Add => factor,
            Op::Sub if first => factor,
            Op::Sub => self.neg(factor),
            Op::Mul => self.mul(factor, if first { b } else { a }),
            Op::Div if first => self.div(factor, b),
            Op::Div => {
                let slope = if self.constant_value(a).is_some() {
                    let inverse = self.powi(b, -2);
                    self.mul(a, inverse)
                } else {
                    self.div(id, b)
                };
                let product = self.mul(factor, slope);
                self.neg(product)
            }
            Op::Pow if first => {
                let lower = self.sub(b, Graph::ONE);
                let power = self.pow(a, lower);
                let slope = self.mul(b, power);
                self.mul(factor, slope)
            }
            Op::Pow => {
                let log = self.apply(Op::Log, a, a);
                let slope = self.mul(id, log);
                self.mul(factor, slope)
            }
            Op::Sqrt => {
                let half = self.constant(0.5);
                let half = self.mul(half, factor);
                self.div(half, id)
            }
            Op::Abs => {
                let sign = self.apply(Op::Sign, a, a);
                self.mul(factor, sign)
            }
            Op::Sin => {
                let cos = self.apply(Op::Cos, a, a);
                self.mul(factor, cos)
            }
            Op::Cos => {
                let sin = self.apply(Op::Sin, a, a);
                let product = self.mul(factor, sin);
                self.neg(product)
            }
            Op::Tan => {
                let square = self.powi(id, 2);
                let slope = self.add(Graph::ONE, square);
                self.mul(factor, slope)
            }
            Op::Asin | Op::Acos => {
                // (1 - a)(1 + a) keeps its digits where 1 - a^2 loses them.
                let (below, above) = (self.sub(Graph::ONE, a), self.add(Graph::ONE, a));
                let product = self.mul(below, above);
                let root = self.apply(Op::Sqrt, product, product);
                let quotient = self.div(factor, root);
                if op == Op::Asin { quotient } else { self.neg(quotient) }
            }
            Op::Atan => {
                let square = self.powi(a, 2);
                let below = self.add(Graph::ONE, square);
                self.div(factor, below)
            }
            Op::Sinh => {
                let cosh = self.apply(Op::Cosh, a, a);
                self.mul(factor, cosh)
            }
            Op::Cosh => {
                let sinh = self.apply(Op::Sinh, a, a);
                self.mul(factor, sinh)
            }
            Op::Tanh => {
                let square = self.powi(id, 2);
                let slope = self.sub(Graph::ONE, square);
                self.mul(factor, slope)
            }
            Op::Exp => self.mul(factor, id),
            Op::Log => self.div(factor, a),
            Op::Atan2 => {
                let (square, other) = (self.powi(a, 2), self.powi(b, 2));
                let below = self.add(square, other);
                let slope = self.div(if first { b } else { a }, below);
                let product = self.mul(factor, slope);
                if first { product } else { self.neg(product) }
            }
            Op::Hypot => {
                let slope = self.div(if first { a } else { b }, id);
                self.mul(factor, slope)
            }
            Op::Min | Op::Max => {
                let (low, high) = if op == Op::Min { (a, b) } else { (b, a) };
                // The operand written first is taken when both are equal.
                let chosen =
                    if first { self.apply(Op::LessEqual, low, high) } else { self.apply(Op::Less, high, low) };
                self.apply(Op::Gate, chosen, factor)
            }
            Op::Gate if !first => self.apply(Op::Gate, a, factor),
            Op::Gate | Op::Sign | Op::LessEqual | Op::Less => Graph::ZERO,
        }
    }

    /// `exponent * a^(exponent - 1)`.
    fn power_slope(&mut self, a: NodeId, exponent: i32) -> NodeId {
        let factor = self.constant(f64::from(exponent));
        let power = match exponent.checked_sub(1) {
            Some(lower) => self.powi(a, lower),
            None => {
                let lower = self.constant(f64::from(exponent) - 1.0);
                self.pow(a, lower)
            }
        };
        self.mul(factor, power)
    }
}
