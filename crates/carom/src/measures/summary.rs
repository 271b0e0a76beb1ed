//! The figures of a run: energy, momentum, constraints and solver, looked at in every step.

use serde::{Deserialize, Serialize};

use super::drift::{Drift, Trend};
use super::findings::{Conservation, Gauge};
use super::ledger::Ledger;
use super::momentum::{Conserved, Momentum};
use super::passages::Passages;
use crate::error::Failure;
use crate::linear::max_abs;
use crate::observe::{Frame, Observer};
use crate::problem::Problem;
use crate::state::all_finite;
use crate::steppers::Happening;

/// Counts above this are of no run: steps are at most 1e15.
pub const MOST_COUNTED: u64 = 1 << 62;

/// First, last and extreme values of a quantity.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// At the start.
    pub initial: f64,
    /// At the end.
    pub last: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
}

/// What became of the momentum of a declared symmetry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SymmetryChange {
    /// Name of the symmetry.
    pub name: String,
    /// Whether the system has it: only then its momentum is conserved.
    pub holds: bool,
    /// Momentum at the start.
    pub initial: f64,
    /// Its change at the end.
    pub change: f64,
    /// Its largest change.
    pub max_change: f64,
}

/// How the energy changed in steps with impacts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct ImpactEnergy {
    /// How many such steps there were.
    pub steps: u64,
    /// Sum of the changes.
    pub sum: f64,
    /// The change that was farthest from 0.
    pub worst: f64,
}

/// Accumulates the figures of a run; constant memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Summary {
    momentum: Momentum,
    conserved: Conserved,
    initial_momentum: Vec<f64>,
    momentum_now: Vec<f64>,
    /// Change since the start, linear then angular.
    pub momentum_change: Vec<f64>,
    momentum_max: Vec<f64>,
    /// Declared symmetries.
    pub symmetries: Vec<SymmetryChange>,
    /// Energy.
    pub energy: Option<Extremes>,
    drift: Drift,
    /// What the run is judged by.
    pub gauge: Gauge,
    /// Largest |f|; `None` without equality constraints.
    pub max_equality: Option<f64>,
    /// Largest rate of f.
    pub max_equality_velocity: Option<f64>,
    /// Largest |f| that the regularisation makes one expect; `None` for a method that holds constraints, or without any.
    pub expected_equality: Option<f64>,
    /// Energy with what the compliance of constraints stores; `None` for a method that holds them.
    pub soft_energy: Option<Extremes>,
    /// Largest h ω of motion across constraints under load.
    pub lateral: Option<f64>,
    /// Largest max(0, −g); `None` without inequality constraints.
    pub max_penetration: Option<f64>,
    /// Impacts; `None` without inequality constraints.
    pub impacts: Option<u64>,
    /// Change of the energy in steps with impacts; `None` without inequality constraints.
    pub impact_energy: Option<ImpactEnergy>,
    /// Steps in which an inequality constraint gave an impulse.
    pub active_steps: Option<u64>,
    /// Contacts that came to rest by a capture rule.
    pub captured: u64,
    /// Impacts, or steps, by the fallback of the method; `None` where none was taken and the method locates no events.
    pub fallbacks: Option<u64>,
    /// Impacts with friction whose restitutions were lowered, since they would have gained energy.
    pub lowered: u64,
    /// Contacts that were approached still after the reflection of their step.
    pub approached: u64,
    /// When a contact came to rest last, if the method located that.
    pub rest_time: Option<f64>,
    /// Contacts that steps ran through, of a run that feeds it nodes.
    pub passages: Passages,
    /// Nodes at which a probe of the method had no answer.
    pub unanswered: u64,
    /// Velocity at the last node, if it is not the method's own.
    node_v: Option<Vec<f64>>,
    steps: u64,
    iterations: u64,
    /// Most iterations in a step.
    pub iterations_max: u32,
    /// Largest relative residual of an accepted step.
    pub worst_residual: f64,
}

impl Summary {
    /// For a problem.
    pub fn new(problem: &Problem) -> Self {
        let momentum = Momentum::new(problem.points.clone());
        let (linear, angular) = momentum.components();
        let components = || vec![0.0; linear + angular];
        let some = |count: usize| (count > 0).then_some(0.0);
        let conserved = Momentum::conserved(problem);
        let declared = problem.symmetries.iter().zip(&conserved.declared);
        let symmetries = declared.map(|(symmetry, &holds)| {
            let name = symmetry.name.clone();
            SymmetryChange { name, holds, initial: 0.0, change: 0.0, max_change: 0.0 }
        });
        Self {
            symmetries: symmetries.collect(),
            conserved,
            momentum,
            initial_momentum: components(),
            momentum_now: components(),
            momentum_change: components(),
            momentum_max: components(),
            energy: None,
            drift: Drift::default(),
            gauge: Gauge::new(problem.system.equalities().count()),
            max_equality: some(problem.system.equalities().count()),
            max_equality_velocity: some(problem.system.equalities().count()),
            expected_equality: None,
            soft_energy: None,
            lateral: None,
            max_penetration: some(problem.system.contacts().count()),
            impacts: (problem.system.contacts().count() > 0).then_some(0),
            impact_energy: (problem.system.contacts().count() > 0).then(ImpactEnergy::default),
            active_steps: (problem.system.contacts().count() > 0).then_some(0),
            captured: 0,
            fallbacks: None,
            lowered: 0,
            approached: 0,
            rest_time: None,
            passages: Passages::default(),
            unanswered: 0,
            node_v: None,
            steps: 0,
            iterations: 0,
            iterations_max: 0,
            worst_residual: 0.0,
        }
    }

    /// Whether this can be the summary of a run of this problem.
    pub fn fits(&self, problem: &Problem) -> bool {
        let (fresh, system) = (Self::new(problem), &problem.system);
        let names =
            |summary: &Self| summary.symmetries.iter().map(|symmetry| symmetry.name.clone()).collect::<Vec<_>>();
        let sizes = |summary: &Self| {
            let Self { initial_momentum, momentum_now, momentum_change, momentum_max, .. } = summary;
            [initial_momentum, momentum_now, momentum_change, momentum_max].map(Vec::len)
        };
        self.momentum == fresh.momentum
            && self.conserved == fresh.conserved
            && names(self) == names(&fresh)
            && sizes(self) == sizes(&fresh)
            && self.energy.is_some()
            && self.counts_are_possible()
            && self.node_v.as_ref().is_none_or(|v| v.len() == system.dim())
            && self.passages.fit(system.dim(), system.contacts().count())
            && self.gauge.fits(system.equalities().count(), system.contacts().count())
    }

    /// Whether all counts leave room for any number of steps to come.
    fn counts_are_possible(&self) -> bool {
        let counts = [
            self.steps,
            self.iterations,
            self.captured,
            self.lowered,
            self.approached,
            self.unanswered,
            self.passages.unnoticed,
            self.gauge.loose.steps,
        ];
        let struck = self.impact_energy.map(|found| found.steps);
        let further = [self.impacts, self.active_steps, self.fallbacks, struck];
        counts.into_iter().chain(further.into_iter().flatten()).all(|count| count < MOST_COUNTED)
    }

    /// Takes the momenta of the declared symmetries at a node; refuses those that are no numbers.
    pub fn observe_symmetries(&mut self, step: u64, momenta: &[f64]) -> Result<(), Failure> {
        for (symmetry, &momentum) in self.symmetries.iter_mut().zip(momenta) {
            if step == 0 {
                symmetry.initial = momentum;
            }
            symmetry.change = momentum - symmetry.initial;
            symmetry.max_change = symmetry.max_change.max(symmetry.change.abs());
        }
        let all = self.symmetries.iter().all(|symmetry| symmetry.change.is_finite());
        if all { Ok(()) } else { Err(Failure::NonFinite { what: "the momentum of a declared symmetry" }) }
    }

    /// Weighs the energy of a node that was observed, with the accounts that it was entered in. What a method takes is in its accounts and
    /// no error; what it creates is.
    pub fn weigh(&mut self, conservation: &Conservation, ledger: Option<&Ledger>, frame: &Frame) {
        let error = match (ledger, self.energy) {
            (Some(ledger), _) => ledger.created().max(ledger.error().abs()),
            (None, Some(energy)) if conservation.holds() => energy.last - energy.initial,
            _ => return,
        };
        self.gauge.energy.take(frame, error);
    }

    /// Trend of the energy.
    pub fn energy_trend(&self) -> Option<Trend> {
        self.drift.trend()
    }

    /// Velocity at the last node, of a method whose own lives between nodes.
    pub fn node_velocity(&self) -> Option<&[f64]> {
        self.node_v.as_deref()
    }

    /// Mean iterations per step.
    pub fn iterations_mean(&self) -> Option<f64> {
        (self.steps > 0).then(|| self.iterations as f64 / self.steps as f64)
    }

    /// Changes of linear momentum, and the largest over the run among the conserved components.
    pub fn linear(&self) -> (&[f64], Option<f64>) {
        let count = self.conserved.linear.len();
        (&self.momentum_change[..count], largest(&self.momentum_max[..count], &self.conserved.linear))
    }

    /// The same for angular momentum.
    pub fn angular(&self) -> (&[f64], Option<f64>) {
        let count = self.conserved.linear.len();
        (&self.momentum_change[count..], largest(&self.momentum_max[count..], &self.conserved.angular))
    }
}

fn take(slot: &mut Option<Extremes>, value: f64) {
    let extremes = slot.get_or_insert(Extremes { initial: value, last: value, min: value, max: value });
    extremes.last = value;
    extremes.min = extremes.min.min(value);
    extremes.max = extremes.max.max(value);
}

fn largest(values: &[f64], which: &[bool]) -> Option<f64> {
    values.iter().zip(which).filter(|(_, which)| **which).map(|(value, _)| *value).reduce(f64::max)
}

impl Observer for Summary {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let energy = frame.energy();
        let change = self.energy.map_or(0.0, |before| energy - before.last);
        // A method that accounts for impacts tells what they took; of the others it is the change over the step.
        let (impacts, struck) = frame.regularisation.map_or((frame.report.impacts, change), |soft| soft.impacts);
        if let Some(of_impacts) = self.impact_energy.as_mut().filter(|_| impacts > 0) {
            of_impacts.steps += 1;
            of_impacts.sum += struck;
            if struck.abs() > of_impacts.worst.abs() {
                of_impacts.worst = struck;
            }
        }
        take(&mut self.energy, energy);
        if let Some(soft) = frame.regularisation.filter(|_| !frame.equality.is_empty()) {
            take(&mut self.soft_energy, energy + soft.stored);
            let most = |slot: &mut Option<f64>, value: f64| *slot = Some(slot.map_or(value, |old| old.max(value)));
            most(&mut self.expected_equality, max_abs(soft.expected));
            most(&mut self.lateral, soft.lateral);
        }
        self.drift.add(frame.state.t, energy);

        if frame.regularisation.is_some() {
            let node_v = self.node_v.get_or_insert_with(|| frame.node_v.to_vec());
            node_v.copy_from_slice(frame.node_v);
        }

        self.momentum.of(&frame.state.q, &frame.state.p, &mut self.momentum_now);
        if frame.step == 0 {
            self.initial_momentum.copy_from_slice(&self.momentum_now);
        } else {
            self.steps += 1;
        }
        for i in 0..self.momentum_now.len() {
            self.momentum_change[i] = self.momentum_now[i] - self.initial_momentum[i];
            self.momentum_max[i] = self.momentum_max[i].max(self.momentum_change[i].abs());
        }
        // A turn of places and momenta that are numbers may be none: products beyond 1e308.
        if !all_finite(&self.momentum_change) {
            return Err(Failure::NonFinite { what: "the momentum of the points" }.to_string());
        }

        let keep = |slot: &mut Option<f64>, value: f64| *slot = slot.map(|old| old.max(value));
        keep(&mut self.max_equality, max_abs(frame.equality));
        keep(&mut self.max_equality_velocity, max_abs(frame.equality_rate));
        let depth = frame.gap.iter().fold(0.0_f64, |max, gap| max.max(-gap));
        keep(&mut self.max_penetration, depth);
        self.gauge.penetrated(frame, depth);
        self.gauge.observe(frame);

        let count = |slot: &mut Option<u64>, value: u64| *slot = slot.map(|old| old + value);
        count(&mut self.impacts, frame.report.impacts.into());
        count(&mut self.active_steps, frame.report.active.into());
        self.captured += u64::from(frame.report.captured);
        self.lowered += u64::from(frame.report.lowered);
        if frame.locates_events || frame.report.fallbacks > 0 {
            *self.fallbacks.get_or_insert(0) += u64::from(frame.report.fallbacks);
        }
        self.approached += u64::from(frame.report.approached);
        let rest = frame.events.iter().rfind(|event| event.what == Happening::Rest);
        self.rest_time = rest.map(|event| event.t).or(self.rest_time);
        self.iterations += u64::from(frame.report.iterations);
        self.iterations_max = self.iterations_max.max(frame.report.iterations);
        self.worst_residual = self.worst_residual.max(frame.report.residual);
        Ok(())
    }
}
