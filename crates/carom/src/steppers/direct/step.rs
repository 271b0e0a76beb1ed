//! The step of `direct`.

use super::Config;
use super::contacts::Search;
use super::solve::{Solver, impulse_of};
use crate::error::{Failure, StepError};
use crate::state::{State, all_finite};
use crate::steppers::shared::contacts::Row;
use crate::steppers::shared::near::ContactImpulses;
use crate::steppers::{ContactImpulse, ForeignMemory, StepReport, Stepper};
use crate::system::{ContactId, System};

/// A system's contacts and the equations of a step.
#[derive(Debug, Clone)]
pub struct Direct {
    /// `1 − γ` and `γ` of the contact forces at both ends; all at the end unless forces are carried over.
    shares: [f64; 2],
    solver: Solver,
    search: Search,
    /// Contact forces of the last step, ascending.
    mu: Vec<(ContactId, f64)>,
    next_mu: Vec<(ContactId, f64)>,
    /// How many contacts there can be.
    most: usize,
    impulse: ContactImpulses,
    row: Row,
    /// `mu` as numbers.
    memory: Vec<f64>,
}

impl Direct {
    /// Sized for a system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let most = system.contacts().count();
        let room = most.min(system.dim());
        let solver = Solver::new(config, system, start)?;
        let gamma = if solver.scheme.carried.is_some() { config.gamma } else { 1.0 };
        Ok(Self {
            shares: [1.0 - gamma, gamma],
            solver,
            search: Search::new(room),
            // They change places: room that one took while contacts pushed is not there in the other.
            mu: Vec::with_capacity(room),
            next_mu: Vec::with_capacity(room),
            most,
            impulse: ContactImpulses::default(),
            row: Row::default(),
            memory: Vec::new(),
        })
    }

    fn advance<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, Failure> {
        // Notation: x end of the step, y = x or ½(q + x), λ = hμ impulses, μ_t those of the step before.
        if self.solver.scheme.carried.is_some() {
            self.carry(system, state, h); // h G(q)μ_t of (B.8), (B.9)
        }
        // (B.3), (B.8) or (B.10) with 0 ≤ λ/h ⊥ g(y) ≥ 0.
        let mut report = self.search.solve(&mut self.solver, system, state, h)?;
        self.solver.finish(); // (B.4), (B.5), (B.9) or (B.11)
        if !(all_finite(&self.solver.x) && all_finite(&self.solver.right)) {
            return Err(Failure::NonFinite { what: "the state after the step" });
        }
        let [start, end] = self.shares;
        self.next_mu.clear();
        self.impulse.clear();
        for &(contact, lambda) in self.solver.lambda.iter().filter(|(_, lambda)| *lambda != 0.0) {
            let before = impulse_of(&self.mu, contact);
            self.next_mu.push((contact, lambda / h));
            self.impulse.add(contact, h * start * before + end * lambda);
            report.impacts |= u32::from(before == 0.0);
        }
        for &(contact, before) in &self.mu {
            if impulse_of(&self.next_mu, contact) == 0.0 {
                self.impulse.add(contact, h * start * before);
            }
        }
        if system.time_dependence().contacts {
            let (t, y) = self.solver.contact_point();
            let work =
                |impulse: &ContactImpulse| impulse.normal * system.contacts().rates(t, y, impulse.contact)[0];
            report.surface_work = 0.0 - self.impulse.as_slice().iter().map(work).sum::<f64>();
        }
        report.active |= self.impulse.as_slice().iter().any(|impulse| impulse.normal != 0.0);
        Ok(report)
    }

    /// The forces at the start, along the gradients there.
    fn carry<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        self.solver.carried.fill(0.0);
        for &(contact, mu) in &self.mu {
            self.row.load(system.contacts(), state.t, &state.q, contact);
            self.row.iter().for_each(|(column, g)| self.solver.carried[column] += h * mu * g);
        }
    }
}

impl Direct {
    /// Writes the memory down.
    fn remember(&mut self) {
        self.memory.clear();
        self.memory.extend(self.mu.iter().flat_map(|&(contact, mu)| [contact.0 as f64, mu]));
    }
}

impl<S: System + ?Sized> Stepper<S> for Direct {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let report = self.advance(system, state, h).map_err(|failure| StepError { t: state.t, h, failure })?;
        state.t += h;
        std::mem::swap(&mut state.q, &mut self.solver.x);
        std::mem::swap(&mut state.p, &mut self.solver.right);
        std::mem::swap(&mut self.mu, &mut self.next_mu);
        self.remember();
        Ok(report)
    }

    fn contact_impulses(&self) -> &[ContactImpulse] {
        self.impulse.as_slice()
    }

    /// The forces of the last step, each behind the number of its contact: the next one carries them over, or tells by them which contacts are
    /// new.
    fn memory(&self) -> &[f64] {
        &self.memory
    }

    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        let (pairs, rest) = memory.as_chunks::<2>();
        let ascends = pairs.windows(2).all(|two| two[0][0] < two[1][0]);
        let known = |id: f64| id >= 0.0 && id.fract() == 0.0 && id < self.most as f64;
        let fits = rest.is_empty() && ascends && pairs.iter().all(|[id, force]| known(*id) && force.is_finite());
        if !fits {
            let expected = format!("pairs of numbers of contacts below {}, ascending, and forces", self.most);
            return Err(ForeignMemory { found: "other numbers".into(), expected });
        }
        self.mu.clear();
        self.mu.extend(pairs.iter().map(|&[id, force]| (ContactId(id as u64), force)));
        self.remember();
        Ok(())
    }
}
