//! A system of expressions: exact derivatives on compiled tapes.
//!
//! Every function of the system is one tape; second derivatives are compiled when they are first asked for. Cost: a few
//! nanoseconds for the call and about one per arithmetic instruction; nothing is allocated once a tape exists.

mod bend;
mod contacts;
mod couplings;
pub(crate) mod program;
mod rate;
pub(crate) mod room;
mod rows;

use std::sync::Mutex;

use super::definition::{Definition, Layout, MassNodes, Misfit};
use super::expression::{Graph, NodeId};
use crate::system::{
    ConfigurationMass, ContactId, ContactSet, Contacts, ContactsAlong, Depths, Dynamics, Equalities, Forces, Mass,
    Material, Nonholonomic, Parabola, Passage, Softness, SparseEqualities, SparseHessian, System, TimeDependence,
    Way,
};
use bend::Bend;
use contacts::ContactParts;
use couplings::Couplings;
use program::{Lazy, Program, hessian, jacobian};
use rate::Rate;
use room::{Kept, locked};
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
    couplings: Couplings,
    rates: Program,
    gradient_rate: Lazy,
    forces: Option<ForceRows>,
    equalities: Rows,
    softness: Vec<Softness>,
    inequalities: Rows,
    contacts: ContactParts,
    /// Room for a row.
    row: Kept<f64>,
    nonholonomic: Option<VelocityRows>,
}

/// The kind of a mass matrix; where it depends on the configuration also `M v` and `½vᵀMv` as nodes.
fn mass_kind(graph: &mut Graph, layout: Layout, mass: &MassNodes) -> (MassKind, Vec<NodeId>, NodeId) {
    let n = layout.n;
    let constants: Option<Vec<f64>> = mass.nodes().iter().map(|&node| graph.constant_value(node)).collect();
    match (constants, mass) {
        (Some(values), MassNodes::Diagonal(_)) => return (MassKind::Diagonal(values), Vec::new(), Graph::ZERO),
        (Some(values), MassNodes::Full(_)) => {
            let diagonal = (0..n * n).all(|k| k / n == k % n || values[k] == 0.0);
            let kind = match diagonal {
                true => MassKind::Diagonal((0..n).map(|i| values[i * (n + 1)]).collect()),
                false => MassKind::Constant(values),
            };
            return (kind, Vec::new(), Graph::ZERO);
        }
        (None, _) => {}
    }
    let mut momenta = Vec::with_capacity(n);
    let mut twice = graph.constant(0.0);
    for i in 0..n {
        let mut p = graph.constant(0.0);
        for (j, entry) in mass.row(i, n) {
            let v = graph.input(layout.v(j));
            let term = graph.mul(entry, v);
            p = graph.add(p, term);
        }
        let v = graph.input(layout.v(i));
        let term = graph.mul(p, v);
        twice = graph.add(twice, term);
        momenta.push(p);
    }
    let half = graph.constant(0.5);
    let kinetic = graph.mul(half, twice);
    let gradient = graph.gradient(kinetic, &layout.coordinates());
    let kind = MassKind::Configuration(Box::new(MassPrograms {
        times: Program::new(graph, &momenta, 2 * n + 1),
        matrix: Program::new(graph, &mass.matrix(n), n + 1),
        kinetic_gradient: Program::new(graph, &gradient, 2 * n + 1),
    }));
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
            contacts: inequalities.iter().any(|row| timed(row.node)),
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
            couplings: Couplings::default(),
            rates: Program::new(graph, &[rate, second_rate], inputs),
            gradient_rate: Lazy::default(),
            forces: (!forces.is_empty()).then(|| ForceRows::new(graph, layout, &forces, &powers)),
            equalities: Rows::new(graph, layout, &equalities),
            softness: definition.softness.clone(),
            contacts: ContactParts::new(graph, layout, &inequalities, &contacts),
            inequalities: Rows::new(graph, layout, &inequalities),
            row: Kept::new(vec![0.0; room_of(layout, inequalities.len())]),
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
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        self.sparse()
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
        if self.momenta.is_empty() {
            return out.fill(0.0);
        }
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

/// Numbers of room for a row, two directions of sliding, or a weight per contact.
fn room_of(layout: Layout, contacts: usize) -> usize {
    contacts.max(2 * layout.n)
}

impl Expressed {
    /// Runs with room for rows of contacts.
    fn with_room<R>(&self, run: impl FnOnce(&mut [f64]) -> R) -> R {
        self.row.with(|| vec![0.0; room_of(self.layout, Contacts::count(self))], run)
    }
}

impl Contacts for Expressed {
    #[inline]
    fn count(&self) -> usize {
        self.inequalities.nodes.len()
    }
    #[inline]
    fn is_constant(&self) -> bool {
        true
    }
    fn detect(&self, _way: Way, _margin: f64, set: &mut ContactSet) {
        (0..Contacts::count(self)).for_each(|place| set.push(ContactId::of(place)));
    }
    fn samples(&self, visit: &mut dyn FnMut(ContactId)) {
        (0..Contacts::count(self)).for_each(|place| visit(ContactId::of(place)));
    }
    fn gaps(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.inequalities.value.run(&[q, &[t]], out);
    }
    fn gaps_of(&self, t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        if contacts.len() == Contacts::count(self) {
            return self.inequalities.value.run(&[q, &[t]], out);
        }
        for (out, contact) in out.iter_mut().zip(contacts) {
            let gap = self.inequalities.nodes[contact.place()];
            let make = || Program::new(&locked(&self.definition).graph, &[gap], self.layout.n + 1);
            *out = self.contacts.value(t, q, contact.place(), make);
        }
    }
    fn rounding(&self, t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        self.inequalities.rounding.of_some(&self.inequalities.value, &[q, &[t]], contacts, out);
    }
    fn gradient(&self, t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        self.contacts.gradient(t, q, contact.place(), out);
    }
    fn partials(&self, t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, f64)) {
        self.with_room(|room| {
            let row = &mut room[..q.len()];
            self.contacts.gradient(t, q, contact.place(), row);
            self.contacts.own(contact.place()).iter().for_each(|&k| put(k, row[k]));
        });
    }
    fn hessian(&self, t: f64, q: &[f64], weights: &[(ContactId, f64)], out: &mut [f64]) {
        let make = || self.inequalities.make_hessian(&mut locked(&self.definition).graph, self.layout);
        self.with_room(|room| {
            let lambda = &mut room[..Contacts::count(self)];
            lambda.fill(0.0);
            weights.iter().for_each(|(contact, weight)| lambda[contact.place()] += weight);
            self.inequalities.hessian.run(make, &[q, &[t], q, lambda], out);
        });
    }
    fn rates(&self, t: f64, q: &[f64], contact: ContactId) -> [f64; 2] {
        if !self.contacts.moves(contact.place()) {
            return [0.0; 2];
        }
        let make = || {
            let graph = &mut locked(&self.definition).graph;
            let rate = graph.derivative(self.inequalities.nodes[contact.place()], self.layout.t());
            let second = graph.derivative(rate, self.layout.t());
            Program::new(graph, &[rate, second], self.layout.n + 1)
        };
        self.contacts.rates(t, q, contact.place(), make)
    }
    fn gradient_rate(&self, t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        if !self.contacts.moves(contact.place()) {
            return out.fill(0.0);
        }
        let make = || {
            let graph = &mut locked(&self.definition).graph;
            let rate = graph.derivative(self.inequalities.nodes[contact.place()], self.layout.t());
            let gradient = graph.gradient(rate, &self.layout.coordinates());
            Program::new(graph, &gradient, self.layout.n + 1)
        };
        self.contacts.gradient_rate(t, q, (contact.place(), out), make);
    }
    fn material(&self, contact: ContactId) -> Material {
        self.contacts.material(contact.place())
    }
    fn materials(&self, visit: &mut dyn FnMut(ContactId, Material)) {
        (0..Contacts::count(self)).for_each(|place| visit(ContactId::of(place), self.contacts.material(place)));
    }
    fn directions(&self, contact: ContactId) -> usize {
        self.contacts.tangents(contact.place())
    }
    fn tangents(&self, t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        self.contacts.slides(t, q, contact.place(), out);
    }
    fn slides(&self, t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, usize, f64)) {
        let (n, count) = (q.len(), self.contacts.tangents(contact.place()));
        self.with_room(|room| {
            let rows = &mut room[..count * n];
            self.contacts.slides(t, q, contact.place(), rows);
            let entries = rows.iter().enumerate().filter(|(_, entry)| **entry != 0.0);
            entries.for_each(|(place, &entry)| put(place / n, place % n, entry));
        });
    }
    fn name(&self, contact: ContactId) -> String {
        self.inequalities.names[contact.place()].clone()
    }
    fn passages(&self, _way: Way, _set: (&[ContactId], &[f64]), _found: &mut dyn FnMut(Passage)) -> Depths {
        if self.contacts.are_planes() { Depths::Infinite } else { Depths::Unknown }
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Expressed {
    fn bend(&self, arc: &Parabola, contact: ContactId) -> Option<[f64; 2]> {
        let gap = self.inequalities.nodes[contact.place()];
        let make = || Bend::new(&mut locked(&self.definition).graph, self.layout, gap);
        self.contacts.bend(arc, contact.place(), make)
    }
    fn rate(&self, arc: &Parabola, contact: ContactId) -> Option<f64> {
        let gap = self.inequalities.nodes[contact.place()];
        self.contacts.rate(arc, contact.place(), || Rate::new(&locked(&self.definition).graph, self.layout, gap))
    }
}
