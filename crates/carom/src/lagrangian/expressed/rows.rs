//! Constraint rows and forces as programs.

use super::program::{Lazy, Program, Rounding, hessian, jacobian};
use crate::lagrangian::definition::{Drive, Layout, Misfit, NamedRow, split_row};
use crate::lagrangian::expression::{Graph, NodeId};
use crate::system::{Forces, Nonholonomic};

/// Rows `c(q, t)` with their derivatives.
pub struct Rows {
    pub nodes: Vec<NodeId>,
    pub names: Vec<String>,
    pub value: Program,
    pub rounding: Rounding,
    pub jacobian: Program,
    pub hessian: Lazy,
    pub bend: Lazy,
    pub rates: Program,
    pub second_rates: Program,
    pub jacobian_rate: Lazy,
}

/// Non-potential forces with their derivatives.
pub struct ForceRows {
    depends_on_velocity: bool,
    value: Program,
    by_q: Program,
    by_v: Program,
    terms: Vec<String>,
    powers: Program,
}

/// Rows `A(q)v = a(t)` with their derivatives.
pub struct VelocityRows {
    names: Vec<String>,
    drives: Vec<Drive>,
    /// Whether `a(t)` is not 0 at all times.
    driven: Vec<bool>,
    matrix: Program,
    jacobian: Program,
    rate: Program,
    derivative: Program,
}

impl Rows {
    pub fn new(graph: &mut Graph, layout: Layout, rows: &[NamedRow]) -> Self {
        let (nodes, names): (Vec<NodeId>, Vec<String>) =
            rows.iter().map(|row| (row.node, row.name.clone())).unzip();
        let inputs = layout.n + 1;
        let jacobian = jacobian(graph, &nodes, &layout.coordinates());
        let rates: Vec<NodeId> = nodes.iter().map(|&node| graph.derivative(node, layout.t())).collect();
        let second: Vec<NodeId> = rates.iter().map(|&node| graph.derivative(node, layout.t())).collect();
        let value = Program::new(graph, &nodes, inputs);
        Self {
            rounding: Rounding::new(&value),
            value,
            jacobian: Program::new(graph, &jacobian, inputs),
            rates: Program::new(graph, &rates, inputs),
            second_rates: Program::new(graph, &second, inputs),
            hessian: Lazy::default(),
            bend: Lazy::default(),
            jacobian_rate: Lazy::default(),
            nodes,
            names,
        }
    }

    /// `Σ λ_i c_i`, differentiated twice.
    pub fn make_hessian(&self, graph: &mut Graph, layout: Layout) -> Program {
        let mut sum = graph.constant(0.0);
        for (i, &node) in self.nodes.iter().enumerate() {
            let lambda = graph.input(layout.lambda(i));
            let term = graph.mul(lambda, node);
            sum = graph.add(sum, term);
        }
        let outputs = hessian(graph, sum, &layout.coordinates());
        Program::new(graph, &outputs, 2 * layout.n + 1 + self.nodes.len())
    }

    /// `vᵀ∂²c_i v` of every row: the derivative along `v`, twice.
    pub fn make_bend(&self, graph: &mut Graph, layout: Layout) -> Program {
        let along = |graph: &mut Graph, node: NodeId| {
            let mut sum = graph.constant(0.0);
            for i in 0..layout.n {
                let (slope, v) = (graph.derivative(node, layout.q(i)), graph.input(layout.v(i)));
                let term = graph.mul(slope, v);
                sum = graph.add(sum, term);
            }
            sum
        };
        let mut outputs = Vec::with_capacity(self.nodes.len());
        for &node in &self.nodes {
            let rate = along(graph, node);
            outputs.push(along(graph, rate));
        }
        Program::new(graph, &outputs, 2 * layout.n + 1)
    }

    pub fn make_jacobian_rate(&self, graph: &mut Graph, layout: Layout) -> Program {
        let rates: Vec<NodeId> = self.nodes.iter().map(|&node| graph.derivative(node, layout.t())).collect();
        let outputs = jacobian(graph, &rates, &layout.coordinates());
        Program::new(graph, &outputs, layout.n + 1)
    }
}

impl ForceRows {
    pub fn new(graph: &mut Graph, layout: Layout, nodes: &[NodeId], powers: &[NamedRow]) -> Self {
        let (velocities, inputs) = (layout.velocities(), 2 * layout.n + 1);
        let by_q = jacobian(graph, nodes, &layout.coordinates());
        let by_v = jacobian(graph, nodes, &velocities);
        let depends = |node: &NodeId| velocities.iter().any(|&v| graph.depends_on(*node, v));
        Self {
            depends_on_velocity: nodes.iter().any(depends),
            value: Program::new(graph, nodes, inputs),
            by_q: Program::new(graph, &by_q, inputs),
            by_v: Program::new(graph, &by_v, inputs),
            terms: powers.iter().map(|term| term.name.clone()).collect(),
            powers: Program::new(graph, &powers.iter().map(|term| term.node).collect::<Vec<_>>(), inputs),
        }
    }
}

impl VelocityRows {
    pub fn new(graph: &mut Graph, layout: Layout, rows: &[NamedRow], drives: Vec<Drive>) -> Result<Self, Misfit> {
        let (mut matrix, mut products, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for NamedRow { node, .. } in rows {
            let (row, rest) = split_row(graph, layout, *node)?;
            matrix.extend(row);
            products.push(graph.sub(*node, rest));
            rates.push(graph.neg(rest));
        }
        let derivatives: Vec<NodeId> = rates.iter().map(|&rate| graph.derivative(rate, layout.t())).collect();
        let driven = rates.iter().map(|&rate| graph.constant_value(rate) != Some(0.0)).collect();
        let jacobian = jacobian(graph, &products, &layout.coordinates());
        let inputs = 2 * layout.n + 1;
        Ok(Self {
            driven,
            names: rows.iter().map(|row| row.name.clone()).collect(),
            drives,
            matrix: Program::new(graph, &matrix, inputs),
            jacobian: Program::new(graph, &jacobian, inputs),
            rate: Program::new(graph, &rates, layout.n + 1),
            derivative: Program::new(graph, &derivatives, layout.n + 1),
        })
    }
}

impl Forces for ForceRows {
    fn depends_on_velocity(&self) -> bool {
        self.depends_on_velocity
    }
    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.value.run(&[q, &[t], v], out);
    }
    fn jacobians(&self, t: f64, q: &[f64], v: &[f64], by_q: &mut [f64], by_v: &mut [f64]) {
        self.by_q.run(&[q, &[t], v], by_q);
        self.by_v.run(&[q, &[t], v], by_v);
    }
    fn terms(&self) -> &[String] {
        &self.terms
    }
    fn powers(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.powers.run(&[q, &[t], v], out);
    }
}

impl Nonholonomic for VelocityRows {
    fn rows(&self) -> usize {
        self.names.len()
    }
    fn matrix(&self, q: &[f64], out: &mut [f64]) {
        self.matrix.run(&[q, &[0.0], q], out);
    }
    fn jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.jacobian.run(&[q, &[0.0], v], out);
    }
    fn rates(&self, t: f64, rate: &mut [f64], derivative: &mut [f64]) {
        self.rate.run_at_time(t, rate);
        self.derivative.run_at_time(t, derivative);
    }
    fn force_bounds(&self, index: usize) -> [f64; 2] {
        self.drives[index].force
    }
    fn is_motor(&self, index: usize) -> bool {
        self.driven[index] || self.drives[index].force.into_iter().any(f64::is_finite)
    }
    fn slip(&self, index: usize) -> Option<f64> {
        self.drives[index].slip
    }
    fn name(&self, index: usize) -> String {
        self.names[index].clone()
    }
}
