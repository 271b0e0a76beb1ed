//! A system of expressions: exact derivatives on compiled tapes.
//!
//! Every function of the system is one tape; second derivatives are compiled when they are first asked for. Cost: a few
//! nanoseconds for the call and about one per arithmetic instruction; nothing is allocated once a tape exists.

use std::cell::{OnceCell, RefCell};

use super::definition::{Definition, Layout, Misfit, split_row};
use super::expression::{Graph, NodeId, Tape};
use crate::system::{ConfigurationMass, Constraints, Dynamics, Forces, Mass, Nonholonomic};

/// A tape with its scratch.
struct Program {
    tape: Tape,
    scratch: RefCell<Vec<f64>>,
}

impl Program {
    fn new(graph: &Graph, outputs: &[NodeId], inputs: usize) -> Self {
        let tape = Tape::compile(graph, outputs, inputs);
        let scratch = RefCell::new(tape.scratch());
        Self { tape, scratch }
    }

    #[inline]
    fn run(&self, inputs: &[&[f64]], out: &mut [f64]) {
        self.tape.evaluate(&mut self.scratch.borrow_mut(), inputs, out);
    }

    /// Runs a program of the time alone, the last of its inputs.
    fn run_at_time(&self, t: f64, out: &mut [f64]) {
        let scratch = &mut self.scratch.borrow_mut();
        scratch[self.tape.inputs() - 1] = t;
        self.tape.evaluate_loaded(scratch, out);
    }
}

/// A program that is made when it is first run.
#[derive(Default)]
struct Lazy(OnceCell<Program>);

impl Lazy {
    fn run(&self, make: impl FnOnce() -> Program, inputs: &[&[f64]], out: &mut [f64]) {
        self.0.get_or_init(make).run(inputs, out);
    }
}

enum MassKind {
    Diagonal(Vec<f64>),
    Constant(Vec<f64>),
    Configuration { times: Program, matrix: Program, kinetic_gradient: Program },
}

/// Rows `c(q, t)` with their derivatives.
struct Rows {
    nodes: Vec<NodeId>,
    names: Vec<String>,
    value: Program,
    jacobian: Program,
    hessian: Lazy,
    rates: Program,
    second_rates: Program,
    jacobian_rate: Lazy,
}

/// A system whose energies, forces and constraints are expressions.
pub struct Expressed {
    definition: RefCell<Definition>,
    layout: Layout,
    coordinates: Vec<String>,
    depends_on_time: bool,
    mass: MassKind,
    momenta: Vec<NodeId>,
    kinetic: NodeId,
    momentum_jacobian: Lazy,
    kinetic_hessian: Lazy,
    potential_node: NodeId,
    potential: Program,
    gradient: Program,
    hessian: Lazy,
    rates: Program,
    gradient_rate: Lazy,
    forces: Option<ForceRows>,
    equalities: Rows,
    inequalities: Rows,
    nonholonomic: Option<VelocityRows>,
}

struct ForceRows {
    depends_on_velocity: bool,
    value: Program,
    by_q: Program,
    by_v: Program,
}

struct VelocityRows {
    names: Vec<String>,
    matrix: Program,
    jacobian: Program,
    rate: Program,
    derivative: Program,
}

/// Derivatives of every node by every input, row-major.
fn jacobian(graph: &mut Graph, nodes: &[NodeId], inputs: &[u32]) -> Vec<NodeId> {
    nodes.iter().flat_map(|&node| graph.gradient(node, inputs)).collect()
}

/// Second derivatives, row-major; one node for both halves.
fn hessian(graph: &mut Graph, node: NodeId, inputs: &[u32]) -> Vec<NodeId> {
    let n = inputs.len();
    let gradient = graph.gradient(node, inputs);
    let mut out = Vec::with_capacity(n * n);
    for (i, &g) in gradient.iter().enumerate() {
        for (j, &input) in inputs.iter().enumerate() {
            let entry = if j < i { out[j * n + i] } else { graph.derivative(g, input) };
            out.push(entry);
        }
    }
    out
}

impl Rows {
    fn new(graph: &mut Graph, layout: Layout, nodes: Vec<NodeId>, names: Vec<String>) -> Self {
        let inputs = layout.n + 1;
        let jacobian = jacobian(graph, &nodes, &layout.coordinates());
        let rates: Vec<NodeId> = nodes.iter().map(|&node| graph.derivative(node, layout.t())).collect();
        let second: Vec<NodeId> = rates.iter().map(|&node| graph.derivative(node, layout.t())).collect();
        Self {
            value: Program::new(graph, &nodes, inputs),
            jacobian: Program::new(graph, &jacobian, inputs),
            rates: Program::new(graph, &rates, inputs),
            second_rates: Program::new(graph, &second, inputs),
            hessian: Lazy::default(),
            jacobian_rate: Lazy::default(),
            nodes,
            names,
        }
    }

    /// `Σ λ_i c_i`, differentiated twice.
    fn make_hessian(&self, graph: &mut Graph, layout: Layout) -> Program {
        let mut sum = graph.constant(0.0);
        for (i, &node) in self.nodes.iter().enumerate() {
            let lambda = graph.input(layout.lambda(i));
            let term = graph.mul(lambda, node);
            sum = graph.add(sum, term);
        }
        let outputs = hessian(graph, sum, &layout.coordinates());
        Program::new(graph, &outputs, 2 * layout.n + 1 + self.nodes.len())
    }

    fn make_jacobian_rate(&self, graph: &mut Graph, layout: Layout) -> Program {
        let rates: Vec<NodeId> = self.nodes.iter().map(|&node| graph.derivative(node, layout.t())).collect();
        let outputs = jacobian(graph, &rates, &layout.coordinates());
        Program::new(graph, &outputs, layout.n + 1)
    }
}

impl ForceRows {
    fn new(graph: &mut Graph, layout: Layout, nodes: &[NodeId]) -> Self {
        let (velocities, inputs) = (layout.velocities(), 2 * layout.n + 1);
        let by_q = jacobian(graph, nodes, &layout.coordinates());
        let by_v = jacobian(graph, nodes, &velocities);
        let depends = |node: &NodeId| velocities.iter().any(|&v| graph.depends_on(*node, v));
        Self {
            depends_on_velocity: nodes.iter().any(depends),
            value: Program::new(graph, nodes, inputs),
            by_q: Program::new(graph, &by_q, inputs),
            by_v: Program::new(graph, &by_v, inputs),
        }
    }
}

impl VelocityRows {
    fn new(graph: &mut Graph, layout: Layout, rows: &[(String, NodeId)]) -> Result<Self, Misfit> {
        let (mut matrix, mut products, mut rates) = (Vec::new(), Vec::new(), Vec::new());
        for (_, node) in rows {
            let (row, rest) = split_row(graph, layout, *node)?;
            matrix.extend(row);
            products.push(graph.sub(*node, rest));
            rates.push(graph.neg(rest));
        }
        let derivatives: Vec<NodeId> = rates.iter().map(|&rate| graph.derivative(rate, layout.t())).collect();
        let jacobian = jacobian(graph, &products, &layout.coordinates());
        let inputs = 2 * layout.n + 1;
        Ok(Self {
            names: rows.iter().map(|(name, _)| name.clone()).collect(),
            matrix: Program::new(graph, &matrix, inputs),
            jacobian: Program::new(graph, &jacobian, inputs),
            rate: Program::new(graph, &rates, layout.n + 1),
            derivative: Program::new(graph, &derivatives, layout.n + 1),
        })
    }
}

/// The kind of a mass matrix and `M v`, `½vᵀMv` as nodes.
fn mass_kind(graph: &mut Graph, layout: Layout, mass: &[NodeId]) -> (MassKind, Vec<NodeId>, NodeId) {
    let n = layout.n;
    let mut momenta = Vec::with_capacity(n);
    let mut twice = graph.constant(0.0);
    for i in 0..n {
        let mut p = graph.constant(0.0);
        for j in 0..n {
            let v = graph.input(layout.v(j));
            let term = graph.mul(mass[i * n + j], v);
            p = graph.add(p, term);
        }
        let v = graph.input(layout.v(i));
        let term = graph.mul(p, v);
        twice = graph.add(twice, term);
        momenta.push(p);
    }
    let half = graph.constant(0.5);
    let kinetic = graph.mul(half, twice);
    let constants: Option<Vec<f64>> = mass.iter().map(|&node| graph.constant_value(node)).collect();
    let kind = match constants {
        Some(values) if (0..n * n).all(|k| k / n == k % n || values[k] == 0.0) => {
            MassKind::Diagonal((0..n).map(|i| values[i * (n + 1)]).collect())
        }
        Some(values) => MassKind::Constant(values),
        None => {
            let gradient = graph.gradient(kinetic, &layout.coordinates());
            MassKind::Configuration {
                times: Program::new(graph, &momenta, 2 * n + 1),
                matrix: Program::new(graph, mass, n + 1),
                kinetic_gradient: Program::new(graph, &gradient, 2 * n + 1),
            }
        }
    };
    (kind, momenta, kinetic)
}

impl Expressed {
    /// Compiles values and first derivatives; refuses expressions that depend on what they may not.
    pub fn new(mut definition: Definition) -> Result<Self, Misfit> {
        definition.check()?;
        let layout = definition.layout();
        let (coordinates, names) = (layout.coordinates(), definition.coordinates.clone());
        let rows = |rows: &[super::definition::NamedRow]| -> (Vec<NodeId>, Vec<String>) {
            rows.iter().map(|row| (row.node, row.name.clone())).unzip()
        };
        let (equalities, equality_names) = rows(&definition.equalities);
        let (gaps, gap_names) = rows(&definition.inequalities);
        let velocity: Vec<(String, NodeId)> =
            definition.nonholonomic.iter().map(|row| (row.name.clone(), row.node)).collect();
        let (potential_node, mass, forces) =
            (definition.potential, definition.mass.clone(), definition.forces.clone());
        let graph = &mut definition.graph;
        let depends_on_time = graph.depends_on(potential_node, layout.t())
            || forces.iter().chain(&equalities).any(|&node| graph.depends_on(node, layout.t()));
        let (mass, momenta, kinetic) = mass_kind(graph, layout, &mass);
        let gradient = graph.gradient(potential_node, &coordinates);
        let rate = graph.derivative(potential_node, layout.t());
        let second_rate = graph.derivative(rate, layout.t());
        let inputs = layout.n + 1;
        Ok(Self {
            layout,
            coordinates: names,
            depends_on_time,
            mass,
            momenta,
            kinetic,
            momentum_jacobian: Lazy::default(),
            kinetic_hessian: Lazy::default(),
            potential_node,
            potential: Program::new(graph, &[potential_node], inputs),
            gradient: Program::new(graph, &gradient, inputs),
            hessian: Lazy::default(),
            rates: Program::new(graph, &[rate, second_rate], inputs),
            gradient_rate: Lazy::default(),
            forces: (!forces.is_empty()).then(|| ForceRows::new(graph, layout, &forces)),
            equalities: Rows::new(graph, layout, equalities, equality_names),
            inequalities: Rows::new(graph, layout, gaps, gap_names),
            nonholonomic: match velocity.is_empty() {
                true => None,
                false => Some(VelocityRows::new(graph, layout, &velocity)?),
            },
            definition: RefCell::new(definition),
        })
    }

    fn make(&self, outputs: impl FnOnce(&mut Graph) -> Vec<NodeId>, inputs: usize) -> Program {
        let graph = &mut self.definition.borrow_mut().graph;
        let outputs = outputs(graph);
        Program::new(graph, &outputs, inputs)
    }
}

impl Dynamics for Expressed {
    fn dim(&self) -> usize {
        self.layout.n
    }
    #[inline]
    fn mass(&self) -> Mass<'_> {
        match &self.mass {
            MassKind::Diagonal(m) => Mass::Diagonal(m),
            MassKind::Constant(m) => Mass::Constant(m),
            MassKind::Configuration { .. } => Mass::Configuration(self),
        }
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        let mut out = [0.0];
        self.potential.run(&[q, &[t]], &mut out);
        out[0]
    }
    #[inline]
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.gradient.run(&[q, &[t]], out);
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let outputs = |graph: &mut Graph| hessian(graph, self.potential_node, &self.layout.coordinates());
        let make = || self.make(outputs, self.layout.n + 1);
        self.hessian.run(make, &[q, &[t]], out);
    }
    fn potential_rates(&self, t: f64, q: &[f64]) -> [f64; 2] {
        let mut out = [0.0; 2];
        self.rates.run(&[q, &[t]], &mut out);
        out
    }
    fn potential_gradient_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let make = || {
            let derivatives = |graph: &mut Graph| {
                let rate = graph.derivative(self.potential_node, self.layout.t());
                graph.gradient(rate, &self.layout.coordinates())
            };
            self.make(derivatives, self.layout.n + 1)
        };
        self.gradient_rate.run(make, &[q, &[t]], out);
    }
    fn depends_on_time(&self) -> bool {
        self.depends_on_time
    }
    #[inline]
    fn forces(&self) -> Option<&dyn Forces> {
        self.forces.as_ref().map(|forces| forces as &dyn Forces)
    }
    fn coordinate_name(&self, index: usize) -> String {
        self.coordinates[index].clone()
    }
}

impl ConfigurationMass for Expressed {
    fn matrix(&self, q: &[f64], out: &mut [f64]) {
        match &self.mass {
            MassKind::Configuration { matrix, .. } => matrix.run(&[q, &[0.0]], out),
            _ => self.mass().matrix(q, out),
        }
    }
    fn times(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        match &self.mass {
            MassKind::Configuration { times, .. } => times.run(&[q, &[0.0], v], out),
            _ => self.mass().times(q, v, out),
        }
    }
    fn momentum_jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let outputs = |graph: &mut Graph| jacobian(graph, &self.momenta, &self.layout.coordinates());
        let make = || self.make(outputs, 2 * self.layout.n + 1);
        self.momentum_jacobian.run(make, &[q, &[0.0], v], out);
    }
    fn kinetic_gradient(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        match &self.mass {
            MassKind::Configuration { kinetic_gradient, .. } => kinetic_gradient.run(&[q, &[0.0], v], out),
            _ => out.fill(0.0),
        }
    }
    fn kinetic_hessian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let outputs = |graph: &mut Graph| hessian(graph, self.kinetic, &self.layout.coordinates());
        let make = || self.make(outputs, 2 * self.layout.n + 1);
        self.kinetic_hessian.run(make, &[q, &[0.0], v], out);
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
    fn name(&self, index: usize) -> String {
        self.names[index].clone()
    }
}

impl Constraints for Expressed {
    #[inline]
    fn equalities(&self) -> usize {
        self.equalities.nodes.len()
    }
    fn equality(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.value.run(&[q, &[t]], out);
    }
    fn equality_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.jacobian.run(&[q, &[t]], out);
    }
    fn equality_hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let make = || self.equalities.make_hessian(&mut self.definition.borrow_mut().graph, self.layout);
        // The velocities are inputs of the layout but occur nowhere: the coordinates stand in for them.
        self.equalities.hessian.run(make, &[q, &[t], q, lambda], out);
    }
    fn equality_rates(&self, t: f64, q: &[f64], rate: &mut [f64], second: &mut [f64]) {
        self.equalities.rates.run(&[q, &[t]], rate);
        self.equalities.second_rates.run(&[q, &[t]], second);
    }
    fn equality_jacobian_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let make = || self.equalities.make_jacobian_rate(&mut self.definition.borrow_mut().graph, self.layout);
        self.equalities.jacobian_rate.run(make, &[q, &[t]], out);
    }
    fn equality_name(&self, index: usize) -> String {
        self.equalities.names[index].clone()
    }
    fn inequalities(&self) -> usize {
        self.inequalities.nodes.len()
    }
    fn gap(&self, q: &[f64], out: &mut [f64]) {
        self.inequalities.value.run(&[q, &[0.0]], out);
    }
    fn gap_jacobian(&self, q: &[f64], out: &mut [f64]) {
        self.inequalities.jacobian.run(&[q, &[0.0]], out);
    }
    fn gap_hessian(&self, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let make = || self.inequalities.make_hessian(&mut self.definition.borrow_mut().graph, self.layout);
        self.inequalities.hessian.run(make, &[q, &[0.0], q, lambda], out);
    }
    fn gap_name(&self, index: usize) -> String {
        self.inequalities.names[index].clone()
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        self.nonholonomic.as_ref().map(|rows| rows as &dyn Nonholonomic)
    }
}
