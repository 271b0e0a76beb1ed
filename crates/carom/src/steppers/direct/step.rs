//! The step of `direct`.

use super::Config;
use super::contacts::Search;
use super::solve::Solver;
use crate::error::{Failure, StepError};
use crate::state::{State, all_finite};
use crate::steppers::{ForeignMemory, StepReport, Stepper, take_over};
use crate::system::System;

/// A system's contacts and the equations of a step.
#[derive(Debug, Clone)]
pub struct Direct {
    /// `1 − γ` and `γ` of the contact forces at both ends; all at the end unless forces are carried over.
    shares: [f64; 2],
    solver: Solver,
    search: Search,
    /// Contact forces of the last step, one per contact.
    mu: Vec<f64>,
    next_mu: Vec<f64>,
    touched: bool,
    impulse: Vec<f64>,
    row: Vec<f64>,
}

impl Direct {
    /// Sized for a system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, k) = (system.dim(), system.contacts().count());
        let solver = Solver::new(config, system, start)?;
        let gamma = if solver.scheme.carried.is_some() { config.gamma } else { 1.0 };
        Ok(Self {
            shares: [1.0 - gamma, gamma],
            solver,
            search: Search::new(k),
            mu: vec![0.0; k],
            next_mu: vec![0.0; k],
            touched: false,
            impulse: vec![0.0; k],
            row: vec![0.0; n],
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
        for (contact, lambda) in self.solver.lambda.iter().enumerate() {
            let (before, mu) = (self.mu[contact], lambda / h);
            self.next_mu[contact] = mu;
            self.impulse[contact] = h * start * before + end * lambda;
            report.active |= self.impulse[contact] != 0.0;
            report.impacts |= u32::from(before == 0.0 && mu != 0.0);
        }
        Ok(report)
    }

    /// The forces at the start, along the gradients there.
    fn carry<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        self.solver.carried.fill(0.0);
        if !self.touched {
            return;
        }
        for (contact, mu) in self.mu.iter().enumerate().filter(|(_, mu)| **mu != 0.0) {
            system.contacts().gradient(&state.q, contact, &mut self.row);
            for (carried, g) in self.solver.carried.iter_mut().zip(&self.row) {
                *carried += h * mu * g;
            }
        }
    }
}

impl<S: System + ?Sized> Stepper<S> for Direct {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let report = self.advance(system, state, h).map_err(|failure| StepError { t: state.t, h, failure })?;
        state.t += h;
        std::mem::swap(&mut state.q, &mut self.solver.x);
        std::mem::swap(&mut state.p, &mut self.solver.right);
        std::mem::swap(&mut self.mu, &mut self.next_mu);
        self.touched = self.mu.iter().any(|mu| *mu != 0.0);
        Ok(report)
    }

    fn contact_impulses(&self) -> &[f64] {
        &self.impulse
    }

    /// The forces of the last step: the next one carries them over, or tells by them which contacts are new.
    fn memory(&self) -> &[f64] {
        if self.touched { &self.mu } else { &[] }
    }

    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        // Where nothing is touched the memory is empty.
        if memory.is_empty() {
            self.mu.fill(0.0);
        } else {
            take_over(&mut self.mu, memory)?;
        }
        self.touched = self.mu.iter().any(|mu| *mu != 0.0);
        Ok(())
    }
}
