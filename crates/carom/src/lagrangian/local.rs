//! Expressions of one body: its place, the time, its mass and named constants.
//!
//! Potentials of particles and of plates are sums over bodies of the same expression. The inputs are `x, y, z, t, m`, in this
//! order, in every dimension; derivatives are those of the expression graph on compiled tapes. Cost: one run of a tape per
//! body, about two nanoseconds an instruction; nothing is allocated once a tape exists.

use std::sync::Mutex;

use super::expressed::program::{Lazy, Program, hessian};
use super::expressed::room::locked;
use super::expression::{Graph, NameError, NodeId, ParseError, Scope, parse};

const X: [u32; 3] = [0, 1, 2];
const T: u32 = 3;
const M: u32 = 4;
const INPUTS: usize = 5;

/// Variables by their input, and constants by value.
pub(crate) struct Variables<'a> {
    pub names: &'a [(&'a str, u32)],
    pub constants: &'a [(&'a str, f64)],
}

impl Scope for Variables<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let variable = self.names.iter().find(|(other, _)| *other == name);
        let constant = self.constants.iter().find(|(other, _)| *other == name);
        match (variable, constant, index) {
            (None, None, _) => Err(NameError::Unknown),
            (_, _, Some(_)) => Err(NameError::Invalid(format!("`{name}` takes no index"))),
            (Some((_, input)), _, None) => Ok(graph.input(*input)),
            (None, Some((_, value)), None) => Ok(graph.constant(*value)),
        }
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("a potential may not depend on velocities".into()))
    }

    fn known_names(&self) -> Vec<String> {
        let constants = self.constants.iter().map(|(name, _)| *name);
        self.names.iter().map(|(name, _)| *name).chain(constants).map(String::from).collect()
    }
}

/// Where a potential of one body is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub t: f64,
    /// As many components as space has dimensions.
    pub x: &'a [f64],
    pub mass: f64,
}

impl Spot<'_> {
    #[inline]
    fn inputs<R>(&self, run: impl FnOnce(&[&[f64]]) -> R) -> R {
        run(&[self.x, &[0.0; 3][self.x.len()..], &[self.t, self.mass]])
    }
}

/// A potential `V(x, y, z, t, m)` of one body.
pub(crate) struct LocalPotential {
    graph: Mutex<Graph>,
    node: NodeId,
    dimension: usize,
    value: Program,
    gradient: Program,
    rates: Program,
    hessian: Lazy,
    gradient_rate: Lazy,
    depends_on_time: bool,
}

impl LocalPotential {
    /// From text, with named constants, in space of that dimension.
    pub fn parse(text: &str, constants: &[(&str, f64)], dimension: usize) -> Result<Self, ParseError> {
        let coordinates = ["x", "y", "z"].into_iter().zip(X).take(dimension);
        let names: Vec<(&str, u32)> = coordinates.chain([("t", T), ("m", M)]).collect();
        let mut graph = Graph::new();
        let node = parse(&mut graph, text, &Variables { names: &names, constants })?;
        let gradient = graph.gradient(node, &X[..dimension]);
        let rate = graph.derivative(node, T);
        let second = graph.derivative(rate, T);
        Ok(Self {
            dimension,
            value: Program::new(&graph, &[node], INPUTS),
            gradient: Program::new(&graph, &gradient, INPUTS),
            rates: Program::new(&graph, &[rate, second], INPUTS),
            hessian: Lazy::default(),
            gradient_rate: Lazy::default(),
            depends_on_time: graph.depends_on(node, T),
            node,
            graph: Mutex::new(graph),
        })
    }

    /// Whether the time occurs in the expression.
    pub fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }

    fn make(&self, outputs: impl FnOnce(&mut Graph) -> Vec<NodeId>) -> Program {
        let mut graph = locked(&self.graph);
        let outputs = outputs(&mut graph);
        Program::new(&graph, &outputs, INPUTS)
    }

    /// `V`.
    #[inline]
    pub fn value(&self, at: Spot) -> f64 {
        let mut out = [0.0];
        at.inputs(|inputs| self.value.run(inputs, &mut out));
        out[0]
    }

    /// `∂V/∂x`.
    #[inline]
    pub fn gradient<const D: usize>(&self, at: Spot) -> [f64; D] {
        let mut out = [0.0; D];
        at.inputs(|inputs| self.gradient.run(inputs, &mut out));
        out
    }

    /// `∂²V/∂x²`.
    pub fn hessian<const D: usize>(&self, at: Spot) -> [[f64; D]; D] {
        let outputs = |graph: &mut Graph| hessian(graph, self.node, &X[..self.dimension]);
        let mut out = [[0.0; D]; D];
        at.inputs(|inputs| self.hessian.run(|| self.make(outputs), inputs, out.as_flattened_mut()));
        out
    }

    /// `∂V/∂t` and `∂²V/∂t²`.
    pub fn rates(&self, at: Spot) -> [f64; 2] {
        let mut out = [0.0; 2];
        at.inputs(|inputs| self.rates.run(inputs, &mut out));
        out
    }

    /// `∂²V/∂x∂t`.
    pub fn gradient_rate<const D: usize>(&self, at: Spot) -> [f64; D] {
        let outputs = |graph: &mut Graph| {
            let rate = graph.derivative(self.node, T);
            graph.gradient(rate, &X[..self.dimension])
        };
        let mut out = [0.0; D];
        at.inputs(|inputs| self.gradient_rate.run(|| self.make(outputs), inputs, &mut out));
        out
    }
}
