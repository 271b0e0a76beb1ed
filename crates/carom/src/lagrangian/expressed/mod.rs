//! A system of expressions: exact derivatives on compiled tapes.
//!
//! Every function of the system is one tape; second derivatives are compiled when they are first asked for. Cost: a few
//! nanoseconds for the call and about one per arithmetic instruction; nothing is allocated once a tape exists.

mod bend;
mod contacts;
pub(crate) mod program;
mod rate;
pub(crate) mod room;
mod rows;

use std::sync::Mutex;

use super::definition::{Definition, Layout, Misfit};
use super::expression::{Graph, NodeId};
use crate::system::{
    ConfigurationMass, Contacts, ContactsAlong, Depths, Dynamics, Equalities, Forces, Mass, Nonholonomic, Parabola,
    Passage, Softness, SparseContacts, SparseEqualities, System, TimeDependence,
};
use bend::Bend;
use contacts::ContactParts;
use program::{Lazy, Program, hessian, jacobian};
use rate::Rate;
use room::locked;
use rows::{ForceRows, Rows, VelocityRows};

enum MassKind {
    Diagonal(Vec<f64>),
    Constant(Vec<f64>),
    Configuration(Box<MassPrograms>),
}

struct MassPrograms {
    times: Program,
    matrix: Program,
    kinetic_gradient: Program,
}

/// A system whose energies, forces and constraints are expressions.
pub struct Expressed {
    definition: Mutex<Definition>,
    layout: Layout,
    coordinates: Vec<String>,
    time_dependence: TimeDependence,
    mass: MassKind,
    momenta: Vec<NodeId>,
    kinetic: NodeId,
    momentum_jacobian: Lazy,
    kinetic_hessian: Lazy,
    potential_node: NodeId,
    potential: Program,
    part_names: Vec<String>,
    parts: Program,
    gradient: Program,
    hessian: Lazy,
    rates: Program,
    gradient_rate: Lazy,
    forces: Option<ForceRows>,
    equalities: Rows,
    softness: Vec<Softness>,
    inequalities: Rows,
    contacts: ContactParts,
    nonholonomic: Option<VelocityRows>,
}

/// The kind of a mass matrix and `M v`, `½vᵀMv` as nodes.
fn mass_kind(graph: &mut Graph, layout: Layout, mass: &[NodeId]) -> (MassKind, Vec<NodeId>, NodeId) {
    let n = layout.n;
    let mut momenta = Vec::with_capacity(n);
    let mut twice = graph.constant(0.0);
    for i in 0..n {
        let mut p = graph.constant(0.0);
        for j in (0..n).filter(|j| mass[i * n + j] != Graph::ZERO) {
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
            MassKind::Configuration(Box::new(MassPrograms {
                times: Program::new(graph, &momenta, 2 * n + 1),
                matrix: Program::new(graph, mass, n + 1),
                kinetic_gradient: Program::new(graph, &gradient, 2 * n + 1),
            }))
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
        let equalities = definition.equalities.clone();
        let (inequalities, contacts) = (definition.inequalities.clone(), definition.contacts.clone());
        let (velocity, drives) = (definition.nonholonomic.clone(), definition.drives.clone());
        let (potential_node, mass, forces) =
            (definition.potential, definition.mass.clone(), definition.forces.clone());
        let (parts, powers) = (definition.potential_parts.clone(), definition.powers.clone());
        let graph = &mut definition.graph;
        let timed = |node: NodeId| graph.depends_on(node, layout.t());
        let time_dependence = TimeDependence {
            potential: timed(potential_node),
            forces: forces.iter().any(|&node| timed(node)),
            equalities: equalities.iter().any(|row| timed(row.node)),
        };
        let (mass, momenta, kinetic) = mass_kind(graph, layout, &mass);
        let gradient = graph.gradient(potential_node, &coordinates);
        let rate = graph.derivative(potential_node, layout.t());
        let second_rate = graph.derivative(rate, layout.t());
        let inputs = layout.n + 1;
        Ok(Self {
            layout,
            coordinates: names,
            time_dependence,
            mass,
            momenta,
            kinetic,
            momentum_jacobian: Lazy::default(),
            kinetic_hessian: Lazy::default(),
            potential_node,
            potential: Program::new(graph, &[potential_node], inputs),
            part_names: parts.iter().map(|part| part.name.clone()).collect(),
            parts: Program::new(graph, &parts.iter().map(|part| part.node).collect::<Vec<_>>(), inputs),
            gradient: Program::new(graph, &gradient, inputs),
            hessian: Lazy::default(),
            rates: Program::new(graph, &[rate, second_rate], inputs),
            gradient_rate: Lazy::default(),
            forces: (!forces.is_empty()).then(|| ForceRows::new(graph, layout, &forces, &powers)),
            equalities: Rows::new(graph, layout, &equalities),
            softness: definition.softness.clone(),
            contacts: ContactParts::new(graph, layout, &inequalities, &contacts),
            inequalities: Rows::new(graph, layout, &inequalities),
            nonholonomic: match velocity.is_empty() {
                true => None,
                false => Some(VelocityRows::new(graph, layout, &velocity, drives)?),
            },
            definition: Mutex::new(definition),
        })
    }

    fn make(&self, outputs: impl FnOnce(&mut Graph) -> Vec<NodeId>, inputs: usize) -> Program {
        let graph = &mut locked(&self.definition).graph;
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
            MassKind::Configuration(_) => Mass::Configuration(self),
        }
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        let mut out = [0.0];
        self.potential.run(&[q, &[t]], &mut out);
        out[0]
    }
    fn potential_parts(&self) -> Vec<String> {
        self.part_names.clone()
    }
    fn potential_by_parts(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.parts.run(&[q, &[t]], out);
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
    fn time_dependence(&self) -> TimeDependence {
        self.time_dependence
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
            MassKind::Configuration(mass) => mass.matrix.run(&[q, &[0.0]], out),
            _ => self.mass().matrix(q, out),
        }
    }
    fn times(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        match &self.mass {
            MassKind::Configuration(mass) => mass.times.run(&[q, &[0.0], v], out),
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
            MassKind::Configuration(mass) => mass.kinetic_gradient.run(&[q, &[0.0], v], out),
            _ => out.fill(0.0),
        }
    }
    fn kinetic_hessian(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let outputs = |graph: &mut Graph| hessian(graph, self.kinetic, &self.layout.coordinates());
        let make = || self.make(outputs, 2 * self.layout.n + 1);
        self.kinetic_hessian.run(make, &[q, &[0.0], v], out);
    }
}

impl System for Expressed {
    #[inline]
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        self
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        self.nonholonomic.as_ref().map(|rows| rows as &dyn Nonholonomic)
    }
}

impl Equalities for Expressed {
    #[inline]
    fn count(&self) -> usize {
        self.equalities.nodes.len()
    }
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.value.run(&[q, &[t]], out);
    }
    fn rounding(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.rounding.of(&self.equalities.value, &[q, &[t]], out);
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.jacobian.run(&[q, &[t]], out);
    }
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let make = || self.equalities.make_hessian(&mut locked(&self.definition).graph, self.layout);
        // The velocities are inputs of the layout but occur nowhere: the coordinates stand in for them.
        self.equalities.hessian.run(make, &[q, &[t], q, lambda], out);
    }
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        let make = || self.equalities.make_bend(&mut locked(&self.definition).graph, self.layout);
        self.equalities.bend.run(make, &[q, &[t], v], out);
    }
    fn rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.rates.run(&[q, &[t]], out);
    }
    fn second_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.equalities.second_rates.run(&[q, &[t]], out);
    }
    fn jacobian_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let make = || self.equalities.make_jacobian_rate(&mut locked(&self.definition).graph, self.layout);
        self.equalities.jacobian_rate.run(make, &[q, &[t]], out);
    }
    fn softness(&self, index: usize) -> Softness {
        self.softness[index]
    }
    fn name(&self, index: usize) -> String {
        self.equalities.names[index].clone()
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        None
    }
}

impl Contacts for Expressed {
    #[inline]
    fn count(&self) -> usize {
        self.inequalities.nodes.len()
    }
    fn gaps(&self, q: &[f64], out: &mut [f64]) {
        self.inequalities.value.run(&[q, &[0.0]], out);
    }
    fn gaps_of(&self, q: &[f64], _contacts: &[usize], out: &mut [f64]) {
        self.gaps(q, out);
    }
    fn rounding(&self, q: &[f64], out: &mut [f64]) {
        self.inequalities.rounding.of(&self.inequalities.value, &[q, &[0.0]], out);
    }
    fn gradient(&self, q: &[f64], index: usize, out: &mut [f64]) {
        self.contacts.gradient(q, index, out);
    }
    fn jacobian(&self, q: &[f64], out: &mut [f64]) {
        self.inequalities.jacobian.run(&[q, &[0.0]], out);
    }
    fn hessian(&self, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let make = || self.inequalities.make_hessian(&mut locked(&self.definition).graph, self.layout);
        self.inequalities.hessian.run(make, &[q, &[0.0], q, lambda], out);
    }
    fn restitution(&self, index: usize) -> f64 {
        self.contacts.restitution(index)
    }
    fn friction(&self, index: usize) -> f64 {
        self.contacts.friction(index)
    }
    fn softness(&self, index: usize) -> Softness {
        self.contacts.softness(index)
    }
    fn directions(&self, index: usize) -> usize {
        self.contacts.tangents(index)
    }
    fn tangents(&self, q: &[f64], index: usize, out: &mut [f64]) {
        self.contacts.slides(q, index, out);
    }
    fn name(&self, index: usize) -> String {
        self.inequalities.names[index].clone()
    }
    fn passages(&self, _way: [&[f64]; 2], _gap: &[f64], _found: &mut dyn FnMut(Passage)) -> Depths {
        if self.contacts.are_planes() { Depths::Infinite } else { Depths::Unknown }
    }
    fn sparse(&self) -> Option<&dyn SparseContacts> {
        None
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Expressed {
    fn bend(&self, arc: &Parabola, index: usize) -> Option<[f64; 2]> {
        let gap = self.inequalities.nodes[index];
        self.contacts.bend(arc, index, || Bend::new(&mut locked(&self.definition).graph, self.layout, gap))
    }
    fn rate(&self, arc: &Parabola, index: usize) -> Option<f64> {
        let gap = self.inequalities.nodes[index];
        self.contacts.rate(arc, index, || Rate::new(&locked(&self.definition).graph, self.layout, gap))
    }
}
