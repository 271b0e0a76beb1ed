//! A vector field of expressions, for declared symmetries; a function of the motion, for watches.

use super::definition::Layout;
use super::expressed::program::Program;
use super::expression::{Graph, NodeId};
use crate::measures::VectorField;
use crate::watch::Quantity;

/// A vector field `ξ(q)` whose components are expressions.
pub struct ExpressedField {
    value: Program,
    along: Program,
}

impl ExpressedField {
    /// From one expression per coordinate, over the inputs of [`Layout`]; functions of `q` only.
    pub fn new(graph: &mut Graph, layout: Layout, components: &[NodeId]) -> Self {
        let mut along = Vec::with_capacity(components.len());
        for &component in components {
            let gradient = graph.gradient(component, &layout.coordinates());
            let mut sum = graph.constant(0.0);
            for (i, derivative) in gradient.into_iter().enumerate() {
                let v = graph.input(layout.v(i));
                let term = graph.mul(derivative, v);
                sum = graph.add(sum, term);
            }
            along.push(sum);
        }
        let inputs = 2 * layout.n + 1;
        Self { value: Program::new(graph, components, inputs), along: Program::new(graph, &along, inputs) }
    }
}

impl VectorField for ExpressedField {
    fn at(&self, q: &[f64], out: &mut [f64]) {
        // Neither time nor velocities occur in it.
        self.value.run(&[q, &[0.0], q], out);
    }
    fn along(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.along.run(&[q, &[0.0], v], out);
    }
}

/// A function of coordinates, velocities and time that is an expression.
pub struct ExpressedQuantity {
    value: Program,
}

impl ExpressedQuantity {
    /// From an expression over the inputs of [`Layout`].
    pub fn new(graph: &Graph, layout: Layout, node: NodeId) -> Self {
        Self { value: Program::new(graph, &[node], 2 * layout.n + 1) }
    }
}

impl Quantity for ExpressedQuantity {
    fn at(&self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let mut out = [0.0];
        self.value.run(&[q, &[t], v], &mut out);
        out[0]
    }
}
