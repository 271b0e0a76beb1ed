//! What is known of inequalities beside their values: one gradient each, coefficients, directions of sliding.

use std::sync::OnceLock;

use super::bend::Bend;
use super::program::{Program, jacobian};
use super::rate::Rate;
use crate::lagrangian::definition::{Contact, Layout, NamedRow};
use crate::lagrangian::expression::Graph;
use crate::system::{Parabola, Softness};

/// The contacts of a system of expressions.
pub struct ContactParts {
    each: Vec<One>,
    /// Whether every gap has a constant gradient.
    planes: bool,
}

struct One {
    /// On its own: steps ask for the gradients of those that are touched alone.
    gradient: Program,
    restitution: f64,
    friction: f64,
    softness: Softness,
    tangents: usize,
    slides: Program,
    /// Made when they are first asked for.
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
            One {
                gradient: Program::new(graph, &gradient, inputs),
                restitution: contact.restitution,
                friction: contact.friction,
                softness: contact.softness,
                tangents: contact.slides.len(),
                slides: Program::new(graph, &slides, inputs),
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

    pub fn gradient(&self, q: &[f64], index: usize, out: &mut [f64]) {
        self.each[index].gradient.run(&[q, &[0.0]], out);
    }

    pub fn restitution(&self, index: usize) -> f64 {
        self.each[index].restitution
    }

    pub fn friction(&self, index: usize) -> f64 {
        self.each[index].friction
    }

    pub fn softness(&self, index: usize) -> Softness {
        self.each[index].softness
    }

    pub fn tangents(&self, index: usize) -> usize {
        self.each[index].tangents
    }

    pub fn slides(&self, q: &[f64], index: usize, out: &mut [f64]) {
        self.each[index].slides.run(&[q, &[0.0]], out);
    }

    pub fn bend(&self, arc: &Parabola, index: usize, make: impl FnOnce() -> Bend) -> Option<[f64; 2]> {
        self.each[index].bend.get_or_init(make).bounds(arc)
    }

    pub fn rate(&self, arc: &Parabola, index: usize, make: impl FnOnce() -> Rate) -> Option<f64> {
        self.each[index].rate.get_or_init(make).bound(arc)
    }
}
