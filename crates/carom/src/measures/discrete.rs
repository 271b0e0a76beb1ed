//! The discrete energy of the steps of a run.

use crate::discrete::{Chord, LinearPath, Side};
use crate::observe::Frame;
use crate::state::State;
use crate::steppers::variational;
use crate::system::System;

/// Legs shorter than this share of the step have the velocity at the node: places would give no digits of the chord's.
const SHORT: f64 = 1e-6;

/// The discrete energy `E_d = −∂L_d/∂h` of the step that ends at a node, for methods whose steps are those of a discrete Lagrangian; of a
/// step that is cut at impacts, that of its last leg.
///
/// The chord velocity is made of the places: round-off is about `ε |q| |p| / h`.
#[derive(Debug, Clone)]
pub struct DiscreteEnergy {
    rule: LinearPath,
    h: f64,
    /// The node that was seen last and the one before, and how many steps had been made of shorter ones by then.
    nodes: [(State, u64); 2],
    v: Vec<f64>,
}

impl DiscreteEnergy {
    /// Of steps of length `h` from a node on; `halved` steps were made of shorter ones before it.
    pub fn new(lagrangian: &variational::Config, h: f64, node: &State, halved: u64) -> Self {
        let (n, node) = (node.q.len(), (node.clone(), halved));
        Self { rule: lagrangian.path(n), h, nodes: [node.clone(), node], v: vec![0.0; n] }
    }

    /// Keeps a node; every node of a run, one after the other.
    pub fn observe(&mut self, frame: &Frame) {
        self.nodes.swap(0, 1);
        let (node, halved) = &mut self.nodes[0];
        node.copy_from(frame.state);
        *halved = frame.halved_steps;
    }

    /// Of the step that ends at the node that was observed last; none at the start of a run and of a step that was made of shorter ones.
    pub fn at<S: System + ?Sized>(&mut self, system: &S, frame: &Frame) -> Option<f64> {
        let [(node, halved), (before, halved_before)] = &self.nodes;
        if frame.step == 0 || halved != halved_before {
            return None;
        }
        let (t0, q0, tau) = match frame.impact_states.last() {
            None => (before.t, &before.q[..], self.h),
            Some(impact) => {
                let tau = self.h.signum() * (self.h.abs() - impact.elapsed);
                (node.t - tau, impact.q, tau)
            }
        };
        if tau.abs() < SHORT * self.h.abs() {
            self.v.copy_from_slice(frame.v);
        } else {
            for ((v, x), q) in self.v.iter_mut().zip(&node.q).zip(q0) {
                *v = (x - q) / tau;
            }
        }
        let energy = self.rule.energy(system, Chord { t0, h: tau, q0, v: &self.v }, Side::End);
        energy.is_finite().then_some(energy)
    }
}
