//! What is known of inequalities beside their values: one gradient each, coefficients, directions of sliding.

use std::sync::OnceLock;

use super::bend::Bend;
use super::program::{Lazy, Program, jacobian};
use super::rate::Rate;
use crate::lagrangian::definition::{Contact, Layout, NamedRow};
use crate::lagrangian::expression::Graph;
use crate::system::{Material, Parabola};

/// The contacts of a system of expressions.
pub struct ContactParts {
    each: Vec<One>,
    /// Whether every gap has a constant gradient.
    planes: bool,
}

struct One {
    /// On its own: steps ask for the gradients of those that are touched alone.
    gradient: Program,
    /// The coordinates that it depends on, ascending.
    own: Vec<usize>,
    material: Material,
    tangents: usize,
    slides: Program,
    /// Whether the gap depends on time.
    moves: bool,
    /// Made when they are first asked for.
    value: Lazy,
    rates: Lazy,
    gradient_rate: Lazy,
    bend: OnceLock<Bend>,
    rate: OnceLock<Rate>,
}

impl ContactParts {
    pub fn new(graph: &mut Graph, layout: Layout, rows: &[NamedRow], contacts: &[Contact]) -> Self {
        let (coordinates, inputs) = (layout.coordinates(), layout.n + 1);
        let mut planes = true;
        let each = rows.iter().zip(contacts).map(|(row, contact)| {
            let gradient = graph.gradient(row.node, &coordinates);
            planes &= gradient.iter().all(|&slope| graph.constant_value(slope).is_some());
            let slides = match contact.tangents.is_empty() {
                true => jacobian(graph, &contact.slides, &coordinates),
                false => contact.tangents.clone(),
            };
            let own = (0..layout.n).filter(|&k| gradient[k] != Graph::ZERO).collect();
            let [restitution, friction] = [contact.restitution, contact.friction];
            One {
                gradient: Program::new(graph, &gradient, inputs),
                own,
                material: Material { restitution, friction, softness: contact.softness },
                tangents: contact.slides.len(),
                slides: Program::new(graph, &slides, inputs),
                moves: graph.depends_on(row.node, layout.t()),
                value: Lazy::default(),
                rates: Lazy::default(),
                gradient_rate: Lazy::default(),
                bend: OnceLock::new(),
                rate: OnceLock::new(),
            }
        });
        let each = each.collect();
        Self { each, planes }
    }

    /// Whether every gap is a half-space, which no straight way leads out of again.
    pub fn are_planes(&self) -> bool {
        self.planes
    }

    pub fn gradient(&self, t: f64, q: &[f64], index: usize, out: &mut [f64]) {
        self.each[index].gradient.run(&[q, &[t]], out);
    }

    /// The coordinates that a gap depends on, ascending.
    pub fn own(&self, index: usize) -> &[usize] {
        &self.each[index].own
    }

    /// Whether a gap depends on time.
    pub fn moves(&self, index: usize) -> bool {
        self.each[index].moves
    }

    /// One gap.
    pub fn value(&self, t: f64, q: &[f64], index: usize, make: impl FnOnce() -> Program) -> f64 {
        let mut value = [0.0];
        self.each[index].value.run(make, &[q, &[t]], &mut value);
        value[0]
    }

    pub fn rates(&self, t: f64, q: &[f64], index: usize, make: impl FnOnce() -> Program) -> [f64; 2] {
        let mut rates = [0.0; 2];
        self.each[index].rates.run(make, &[q, &[t]], &mut rates);
        rates
    }

    pub fn gradient_rate(
        &self,
        t: f64,
        q: &[f64],
        (index, out): (usize, &mut [f64]),
        make: impl FnOnce() -> Program,
    ) {
        self.each[index].gradient_rate.run(make, &[q, &[t]], out);
    }

    pub fn material(&self, index: usize) -> Material {
        self.each[index].material
    }

    pub fn tangents(&self, index: usize) -> usize {
        self.each[index].tangents
    }

    pub fn slides(&self, t: f64, q: &[f64], index: usize, out: &mut [f64]) {
        self.each[index].slides.run(&[q, &[t]], out);
    }

    pub fn bend(&self, arc: &Parabola, index: usize, make: impl FnOnce() -> Bend) -> Option<[f64; 2]> {
        self.each[index].bend.get_or_init(make).bounds(arc)
    }

    pub fn rate(&self, arc: &Parabola, index: usize, make: impl FnOnce() -> Rate) -> Option<f64> {
        self.each[index].rate.get_or_init(make).bound(arc)
    }
}
