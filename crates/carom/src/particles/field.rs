//! A potential per particle, given as an expression of its place, the time and its mass.
//!
//! The inputs of the expression are `x, y, z, t, m`, in this order, in every dimension; derivatives are those of the
//! expression graph on compiled tapes. Cost: one run of a tape per particle, about two nanoseconds an instruction;
//! nothing is allocated once a tape exists.

use std::cell::RefCell;

use super::geometry::{Blocks, add};
use super::input::Misuse;
use super::names::Variables;
use super::pool::{Place, Potentials};
use crate::lagrangian::expressed::program::{Lazy, Program, hessian};
use crate::lagrangian::expression::{Graph, NodeId, parse};

const X: [u32; 3] = [0, 1, 2];
const T: u32 = 3;
const M: u32 = 4;
const INPUTS: usize = 5;

/// A potential `V(x, y, z, t, m)` of every particle of a group.
pub struct Field {
    graph: RefCell<Graph>,
    node: NodeId,
    dimension: usize,
    members: Vec<usize>,
    value: Program,
    gradient: Program,
    rates: Program,
    hessian: Lazy,
    gradient_rate: Lazy,
    depends_on_time: bool,
}

impl Field {
    /// From text, with named constants, for particles in space of that dimension.
    pub fn parse(text: &str, constants: &[(&str, f64)], space: (usize, Vec<usize>)) -> Result<Self, Misuse> {
        let (dimension, members) = space;
        let coordinates = ["x", "y", "z"].into_iter().zip(X).take(dimension);
        let names: Vec<(&str, u32)> = coordinates.chain([("t", T), ("m", M)]).collect();
        let mut graph = Graph::new();
        let node = parse(&mut graph, text, &Variables { names: &names, constants })?;
        let gradient = graph.gradient(node, &X[..dimension]);
        let rate = graph.derivative(node, T);
        let second = graph.derivative(rate, T);
        Ok(Self {
            dimension,
            members,
            value: Program::new(&graph, &[node], INPUTS),
            gradient: Program::new(&graph, &gradient, INPUTS),
            rates: Program::new(&graph, &[rate, second], INPUTS),
            hessian: Lazy::default(),
            gradient_rate: Lazy::default(),
            depends_on_time: graph.depends_on(node, T),
            node,
            graph: RefCell::new(graph),
        })
    }

    /// Whether the time occurs in the expression.
    pub fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }

    fn make(&self, outputs: impl FnOnce(&mut Graph) -> Vec<NodeId>) -> Program {
        let mut graph = self.graph.borrow_mut();
        let outputs = outputs(&mut graph);
        Program::new(&graph, &outputs, INPUTS)
    }

    /// `∂V/∂t` and `∂²V/∂t²`.
    pub fn rates<const D: usize>(&self, at: Place<D>) -> [f64; 2] {
        let mut sum = [0.0; 2];
        self.each(at, |_, inputs| {
            let mut out = [0.0; 2];
            self.rates.run(inputs, &mut out);
            sum = [sum[0] + out[0], sum[1] + out[1]];
        });
        sum
    }

    /// Adds `∂²V/∂x∂t`.
    pub fn add_gradient_rate<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        let outputs = |graph: &mut Graph| {
            let rate = graph.derivative(self.node, T);
            graph.gradient(rate, &X[..self.dimension])
        };
        self.each(at, |i, inputs| {
            let mut part = [0.0; D];
            self.gradient_rate.run(|| self.make(outputs), inputs, &mut part);
            add(&mut out[i], &part);
        });
    }

    /// Calls `visit` with every member and its inputs.
    #[inline]
    fn each<const D: usize>(&self, at: Place<D>, mut visit: impl FnMut(usize, &[&[f64]])) {
        for &i in &self.members {
            visit(i, &[&at.x[i], &[0.0; 3][D..], &[at.t, at.mass[i]]]);
        }
    }
}

impl Potentials for Field {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        let mut sum = 0.0;
        self.each(at, |_, inputs| {
            let mut out = [0.0];
            self.value.run(inputs, &mut out);
            sum += out[0];
        });
        sum
    }

    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        self.each(at, |i, inputs| {
            let mut part = [0.0; D];
            self.gradient.run(inputs, &mut part);
            add(&mut out[i], &part);
        });
    }

    fn add_hessian<const D: usize>(&self, at: Place<D>, out: &mut Blocks<D>) {
        let outputs = |graph: &mut Graph| hessian(graph, self.node, &X[..self.dimension]);
        self.each(at, |i, inputs| {
            let mut block = [[0.0; D]; D];
            self.hessian.run(|| self.make(outputs), inputs, block.as_flattened_mut());
            out.add(i, i, 1.0, &block);
        });
    }
}
