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
            let inputs = graph.inputs_of(&[component]);
            let gradient = graph.gradient(component, &inputs);
            let mut sum = graph.constant(0.0);
            for (input, derivative) in inputs.into_iter().zip(gradient) {
                let v = graph.input(layout.v(input as usize));
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

/// A function of coordinates, velocities and time that is an expression. It costs what its expression does, however many coordinates
/// there are.
pub struct ExpressedQuantity {
    value: Program,
    /// The inputs of [`Layout`] that it has.
    inputs: Vec<u32>,
    n: usize,
}

impl ExpressedQuantity {
    /// From an expression over the inputs of [`Layout`].
    pub fn new(graph: &Graph, layout: Layout, node: NodeId) -> Self {
        let (value, inputs) = Program::compact(graph, &[node]);
        Self { value, inputs, n: layout.n }
    }

    /// From an expression over inputs of its own, which stand for these of [`Layout`].
    pub fn of_inputs(graph: &Graph, layout: Layout, node: NodeId, meaning: &[u32]) -> Self {
        let (value, inputs) = Program::compact(graph, &[node]);
        let inputs = inputs.into_iter().map(|input| meaning[input as usize]).collect();
        Self { value, inputs, n: layout.n }
    }
}

impl Quantity for ExpressedQuantity {
    fn at(&self, t: f64, q: &[f64], v: &[f64]) -> f64 {
        let input = |&input: &u32| match (input as usize).checked_sub(self.n) {
            None => q[input as usize],
            Some(0) => t,
            Some(after) => v[after - 1],
        };
        let mut out = [0.0];
        self.value.run_with(self.inputs.iter().map(input), &mut out);
        out[0]
    }
}
