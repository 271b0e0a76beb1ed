//! Friction of contacts that rest: the steps of `cluster.rs` with Coulomb's law in both halves.
//!
//! ```text
//! x = q + h v,   M v = p − ½h ∇V(q) + G(q)ᵀλ + D(q)ᵀβ        0 ≤ λ ⊥ g(x) ≥ 0,       |β| ≤ μλ, against D(q)v
//! p1 = M v − ½h ∇V(x) + G(x)ᵀλ1 + D(x)ᵀβ1                   0 ≤ λ1 ⊥ G(x)v1 ≥ 0,   |β1| ≤ μλ1, against D(x)v1
//! ```
//! Normals and friction are one problem in each half. What sticks stays where it is, to round-off: a body at rest whose forces the cones
//! hold has v = 0. Sliding is of second order, as forces are in Verlet's step: where slip turns in space, the last half has the direction of D(x)v,
//! so that both halves have that of the middle; with their own they would be h/4 late on average. What comes to a stop has its own.
//!
//! The first half asks for gaps where the step ends, which are not linear in v: the problem is solved again around what was found until the gaps
//! agree (Newton's method for complementarity problems [Josephy 1979]).

mod half;

use super::held::{Quest, Stride};
use super::mass::InverseMass;
use crate::error::Failure;
use crate::steppers::StepReport;
use crate::system::{ContactId, System};
use half::{Half, Judgement, MOST_PROBLEMS};

/// Both halves of a step.
#[derive(Debug, Clone)]
pub struct Rubbing {
    first: Half,
    last: Half,
    /// The length that the impulses of the first half belong to, and their contacts, ascending.
    length: f64,
    members: Vec<ContactId>,
    /// Impulses of contacts per length, in the leg before.
    known: Vec<(ContactId, [f64; 3])>,
    /// Which contacts they are in the last half, by place among the candidates.
    closed: Vec<usize>,
    /// Velocities: where the step starts, between the halves, where it ends.
    v: [Vec<f64>; 3],
    /// What is added to the slip at the end, so that friction has the direction between the halves.
    turns: Vec<f64>,
    /// Speeds at the end that come from surfaces that move, by row; empty where none does.
    moved: Vec<f64>,
    /// Work of friction in the last step.
    pub work: f64,
}

impl Rubbing {
    /// For a system; `None` unless its mass is constant.
    pub fn new<S: System + ?Sized>(system: &S) -> Option<Self> {
        let [first, last] = [Half::new(system)?, Half::new(system)?];
        let v = [(); 3].map(|()| vec![0.0; system.dim()]);
        let (members, known, closed) = (Vec::new(), Vec::new(), Vec::new());
        let (turns, moved) = (Vec::new(), Vec::new());
        Some(Self { first, last, length: 1.0, members, known, closed, v, turns, moved, work: 0.0 })
    }

    /// Nothing of what was found before is known: a step must not depend on the one before it.
    pub fn forget(&mut self) {
        self.known.clear();
        self.members.clear();
    }

    /// The rows where a leg starts, with what is known of their impulses from the leg before.
    pub fn load<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        coefficient: Option<f64>,
    ) -> Result<(), Failure> {
        let d = self.first.dimension();
        if !self.members.is_empty() && self.length > 0.0 {
            self.known.clear();
            for (&contact, z) in self.members.iter().zip(self.first.z.chunks_exact(d)) {
                let mut rates = [0.0; 3];
                rates.iter_mut().zip(z).for_each(|(rate, z)| *rate = z / self.length);
                self.known.push((contact, rates));
            }
        }
        let all = (0..quest.candidates.len()).map(|a| rough(system, quest, coefficient, a));
        self.members.clear();
        self.members.extend(all.clone().map(|(contact, _)| contact));
        self.first.load(system, (quest.stride.state.t, &quest.stride.state.q), all)?;
        let d = self.first.dimension();
        for (&contact, z) in self.members.iter().zip(self.first.z.chunks_exact_mut(d)) {
            if let Ok(place) = self.known.binary_search_by_key(&contact, |known| known.0) {
                z.copy_from_slice(&self.known[place].1[..d]);
            }
        }
        self.length = 1.0;
        Ok(())
    }

    /// Impulses of a candidate along its normal at the start.
    pub fn start_impulse(&self, candidate: usize) -> f64 {
        self.first.z[candidate * self.first.dimension()]
    }

    /// At the end, of those that are closed there.
    pub fn end_impulses(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let d = self.last.dimension();
        self.closed.iter().zip(self.last.z.chunks_exact(d)).map(|(&candidate, z)| (candidate, z[0]))
    }

    /// The place where a step of `h > 0` ends that starts with the momentum `half`, forces included, which gets the impulses.
    pub fn hold_positions<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        (inverse, half, sunk): (&InverseMass, &mut [f64], &[f64]),
        (q, gaps): (&mut [f64], &mut [f64]),
    ) -> Result<StepReport, Failure> {
        let Quest { stride: Stride { state, h }, contacts, candidates } = quest;
        let (v, t1, h) = (&mut self.v[1], state.t + h, h.abs());
        self.first.start_from(half);
        // Forces do in a length what they do in another; one contact is solved from nothing.
        let share = if candidates.len() > 1 { h / self.length } else { 0.0 };
        self.first.z.iter_mut().for_each(|z| *z *= share);
        self.length = h;
        let d = self.first.dimension();
        let look = |v: &[f64], w: &mut [f64]| {
            q.iter_mut().zip(state.q.iter().zip(v)).for_each(|(x, (q, v))| *x = q + h * v);
            system.contacts().gaps_of(t1, q, &contacts.members, gaps);
            for (a, (sunk, &place)) in sunk.iter().zip(candidates).enumerate() {
                w[a * d] = (gaps[place] - sunk) / h;
            }
        };
        let tolerance = |a: usize| contacts.gap_tolerance[candidates[a]] / h;
        let tell = |judgement: Judgement| failure(system, quest, candidates[judgement.place], judgement.worst);
        let report = self.first.settle(inverse, v, look, tolerance, tell)?;
        self.first.act(half);
        Ok(report)
    }

    /// The momentum where a step ends, from that with all forces and the impulses of the first half; `start` is the one that it started with.
    pub fn hold_velocities<S: System + ?Sized>(
        &mut self,
        system: &S,
        (quest, coefficient): (Quest, Option<f64>),
        (inverse, start): (&InverseMass, &[f64]),
        (q, p, gaps): (&[f64], &mut [f64], &[f64]),
    ) -> Result<StepReport, Failure> {
        let Quest { stride: Stride { state, h }, contacts, candidates } = quest;
        let (d, t1) = (self.first.dimension(), state.t + h);
        self.closed.clear();
        self.closed.extend((0..candidates.len()).filter(|&a| {
            let place = candidates[a];
            self.first.z[a * d] > 0.0 || gaps[place] <= contacts.gap_tolerance[place]
        }));
        let closed = &self.closed;
        self.last.load(system, (t1, q), closed.iter().map(|&a| rough(system, quest, coefficient, a)))?;
        if self.last.dimension() == d && closed.len() > 1 {
            // Forces press as they did at the start.
            for (&a, z) in closed.iter().zip(self.last.z.chunks_exact_mut(d)) {
                z.copy_from_slice(&self.first.z[a * d..(a + 1) * d]);
            }
        }
        self.moved.clear();
        if system.time_dependence().contacts {
            self.moved.resize(self.last.z.len(), 0.0);
            for (&a, moved) in closed.iter().zip(self.moved.chunks_exact_mut(self.last.dimension())) {
                moved[0] = h.signum() * system.contacts().rates(t1, q, contacts.members[candidates[a]])[0];
            }
        }
        self.last.start_from(p);
        let moved = &self.moved;
        let carry = |_: &[f64], w: &mut [f64]| w.iter_mut().zip(moved).for_each(|(w, moved)| *w += moved);
        let [at_start, between, v] = &mut self.v;
        let place = |a: usize| candidates[closed[a]];
        let tell = |judgement: Judgement| failure(system, quest, place(judgement.place), judgement.worst);
        let tolerance = |a: usize| contacts.speed_tolerance[place(a)];
        let mut report = self.last.settle(inverse, v, carry, tolerance, tell)?;
        if self.last.find_turns(between, v, &mut self.turns) {
            let turns = &self.turns;
            let turn = |v: &[f64], w: &mut [f64]| {
                carry(v, w);
                w.iter_mut().zip(turns).for_each(|(w, turn)| *w += turn);
            };
            let again = self.last.settle(inverse, v, turn, tolerance, tell)?;
            report.iterations += again.iterations;
            report.residual = report.residual.max(again.residual);
        }
        self.last.act(p);
        at_start.copy_from_slice(start);
        inverse.solve(at_start);
        self.work = self.first.work([at_start, between]) + self.last.work([between, v]);
        Ok(report)
    }
}

/// What is wrong with the friction of a contact, by how many times what counts as none.
fn failure<S: System + ?Sized>(system: &S, quest: Quest, place: usize, worst: f64) -> Failure {
    Failure::Rubbing {
        contacts: quest.candidates.len(),
        problems: MOST_PROBLEMS,
        contact: system.contacts().name(quest.contacts.members[place]),
        by: worst * quest.contacts.speed_tolerance[place],
    }
}

/// A candidate of a quest: the contact, and its coefficient of friction.
fn rough<S: System + ?Sized>(
    system: &S,
    quest: Quest,
    coefficient: Option<f64>,
    candidate: usize,
) -> (ContactId, f64) {
    let contact = quest.contacts.members[quest.candidates[candidate]];
    (contact, coefficient.unwrap_or_else(|| system.contacts().material(contact).friction))
}
