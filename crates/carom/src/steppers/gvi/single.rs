//! The short way of few coordinates with a diagonal mass: Verlet steps in the air, and into one elastic contact.
//!
//! Bit for bit what the long way gives; with few coordinates its lists are the cost: a pogo stick takes 34 ns a step in this form
//! and 96 ns in the other.

use super::step::{Gvi, NEARLY_CLOSED};
use super::{Energy, Linearized, Rule};
use crate::state::State;
use crate::steppers::StepReport;
use crate::system::{ContactId, System};

/// State of the short way: whether a system can take it, and the gradient at the last node.
#[derive(Debug, Clone, Default)]
pub struct Short {
    /// Reciprocals of the mass; empty if the system or the options are not that simple.
    inverse: Vec<f64>,
    gradient: Vec<f64>,
    /// Whether `gradient` belongs to the last node.
    known: bool,
    /// Whether single elastic contacts can be reflected at in short.
    bounces: bool,
}

/// A node in registers.
#[derive(Clone, Copy)]
struct Node<const N: usize> {
    q: [f64; N],
    p: [f64; N],
    gradient: [f64; N],
}

impl Short {
    /// For a system.
    pub fn new<S: System + ?Sized>(gvi: &Gvi, system: &S) -> Self {
        let config = &gvi.config;
        let simple = gvi.predictor.is_none()
            && config.rule == Rule::Verlet
            && config.linearized == Linearized::None
            && system.forces().is_none()
            && system.contacts().is_constant()
            && !system.depends_on_time();
        let inverse = gvi.inverse.reciprocals().filter(|_| simple).unwrap_or_default().to_vec();
        let bounces = config.energy == Energy::Hamiltonian && !config.iterate_predictor && !config.capture;
        Self { gradient: vec![0.0; inverse.len()], inverse, known: false, bounces }
    }

    /// What is known belongs to another node.
    pub fn forget(&mut self) {
        self.known = false;
    }
}

impl Gvi {
    /// The step of `N` coordinates, if nothing is touched and at most one elastic contact is in the way. `None` if it is not that
    /// simple, or not finite: nothing has changed then.
    #[inline(always)]
    pub(super) fn advance_few<const N: usize, S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Option<StepReport> {
        let inverse = *self.short.inverse.first_chunk::<N>()?;
        let (q, p) = (*state.q.first_chunk::<N>()?, *state.p.first_chunk::<N>()?);
        if self.known_q.first_chunk::<N>()? != &q || !self.touching.is_empty() || !self.carrying.is_empty() {
            return None;
        }
        let mut node = Node { q, p, gradient: *self.short.gradient.first_chunk::<N>()? };
        if !self.short.known {
            system.potential_gradient(state.t, &node.q, &mut node.gradient);
        }
        let (ahead_t, mut ahead, mut report) = (state.t + h, drift(&node, &inverse, h), StepReport::default());
        system.contacts().gaps(ahead_t, &ahead.q, &mut self.near.next);
        let mut struck = None;
        if !self.is_clear() {
            let (contact, impulse) = self.bounce(system, &mut node, &inverse, h)?;
            (report.impacts, report.active, struck) = (1, true, Some((contact, impulse)));
            ahead = drift(&node, &inverse, h);
            system.contacts().gaps(ahead_t, &ahead.q, &mut self.near.next);
            // What is closed after it is for the long way.
            let nearly = |(gap, next): (&f64, &f64)| next.abs() <= NEARLY_CLOSED * gap.abs().max(node.q[0].abs());
            if self.near.gap.iter().zip(&self.near.next).any(nearly) {
                return None;
            }
        }
        system.potential_gradient(ahead_t, &ahead.q, &mut ahead.gradient);
        let mut zero = 0.0;
        for i in 0..N {
            ahead.p[i] -= 0.5 * h * ahead.gradient[i];
            // Not zero as soon as a number is not finite.
            zero += ahead.p[i] * 0.0 + ahead.q[i] * 0.0;
        }
        if zero != 0.0 {
            return None;
        }
        if !self.idle || struck.is_some() {
            self.contact_impulse.clear();
            self.idle = struck.is_none();
            self.holder.held.clear();
        }
        if let Some((contact, impulse)) = struck {
            self.contact_impulse.add(contact, impulse);
        }
        *self.short.gradient.first_chunk_mut::<N>()? = ahead.gradient;
        (*state.q.first_chunk_mut::<N>()?, *state.p.first_chunk_mut::<N>()?) = (ahead.q, ahead.p);
        *self.known_q.first_chunk_mut::<N>()? = ahead.q;
        self.near.go_on();
        self.short.known = true;
        state.t += h;
        Some(report)
    }

    /// Reflects at the one contact that is in the way, if it is elastic and clearly approached; returns it and its impulse.
    #[inline]
    fn bounce<const N: usize, S: System + ?Sized>(
        &mut self,
        system: &S,
        node: &mut Node<N>,
        inverse: &[f64; N],
        h: f64,
    ) -> Option<(ContactId, f64)> {
        let near = |&i: &usize| self.near.next[i] <= NEARLY_CLOSED * self.near.gap[i].abs();
        let mut ahead = (0..self.near.len()).filter(near);
        let (place, None) = (ahead.next()?, ahead.next()) else { return None };
        let contact = self.near.ids()[place];
        let e = self.config.restitution.unwrap_or_else(|| system.contacts().material(contact).restitution);
        let (mut g, mut speed, mut inertia) = ([0.0; N], 0.0, 0.0);
        system.contacts().gradient(0.0, &node.q, contact, &mut g);
        let (mut reach, mut energy) = (0.0, 0.0_f64);
        for i in 0..N {
            let y = g[i] * inverse[i];
            speed += y * node.p[i];
            inertia += y * g[i];
            reach += (g[i] * node.q[i]).abs();
            let liveliest = (node.p[i] * inverse[i]).abs() + (h * (node.gradient[i] * inverse[i])).abs();
            energy = energy.max(liveliest * liveliest / inverse[i]);
        }
        // Far above the tolerances of the long way, which decides on everything that is near them.
        let clear = 1e-6 * (inertia * energy).sqrt();
        let next = self.near.next[place];
        let struck = next < -(1e-12 * reach + h.abs() * clear) && speed < -clear && h > 0.0;
        if !(self.short.bounces && e == 1.0 && struck) {
            return None;
        }
        // The reflection of `impact` for one contact: y = −2 (G·v)/(G M⁻¹Gᵀ).
        let impulse = -2.0 * speed / inertia;
        for i in 0..N {
            node.p[i] += impulse * g[i];
        }
        impulse.is_finite().then_some((contact, impulse))
    }
}

/// Half a kick and the drift of a Verlet step.
#[inline]
fn drift<const N: usize>(node: &Node<N>, inverse: &[f64; N], h: f64) -> Node<N> {
    let mut ahead = *node;
    for i in 0..N {
        ahead.p[i] = node.p[i] - 0.5 * h * node.gradient[i];
        ahead.q[i] = node.q[i] + h * (ahead.p[i] * inverse[i]);
    }
    ahead
}
