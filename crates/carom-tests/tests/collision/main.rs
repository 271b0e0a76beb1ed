//! `vci` and `cva` against an independent implementation, closed forms and what they claim.
//!
//! `cargo test -p carom-tests --test collision -- --nocapture` prints how many numbers of the reference agree.

mod boxes;
mod corners;
mod dissipation;
mod jacobian;
mod order;
mod particle;
mod pendulum;
mod rest;
mod reversal;
mod rubbing;
mod shadow;
mod star;
mod states;
mod symplectic;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom::error::StepError;
use carom::state::State;
use carom::steppers::{Event, ImpactStates, StepReport};
use carom_io::scene::Scene;
pub use carom_tests::reference::{Tally, number, numbers};
use carom_tests::runs::{Boxed, built_in, stepper};
use serde_json::Value;

const REFERENCE: &str = include_str!("../../reference/collision.json");

/// The reference.
pub fn reference() -> Value {
    serde_json::from_str(REFERENCE).expect("JSON")
}

/// A run step by step.
pub struct Walk {
    /// The scene.
    pub scene: Scene,
    /// Where it is.
    pub state: State,
    /// Steps made.
    pub steps: u64,
    /// Length of a step.
    pub h: f64,
    step: Boxed,
}

impl Walk {
    /// A built-in scene by `vci` or `cva` with options.
    pub fn new(name: &str, method: &str, edits: &[&str]) -> Self {
        Self::of(built_in(name, edits), method)
    }

    /// A scene by `vci` or `cva` with options.
    pub fn of(scene: Scene, method: &str) -> Self {
        let method = carom_tests::runs::method(method);
        let step = stepper(&scene, &method);
        let (state, h) = (scene.problem.initial.clone(), scene.run.h);
        Self { scene, state, steps: 0, h, step }
    }

    /// One step.
    pub fn step(&mut self) -> StepReport {
        self.steps += 1;
        let report = self.step.step(&*self.scene.problem.system, &mut self.state, self.h);
        report.unwrap_or_else(|error| panic!("step {}: {error}", self.steps))
    }

    /// A step of another length, which may fail.
    pub fn try_step(&mut self, h: f64) -> Result<(), StepError> {
        self.step.step(&*self.scene.problem.system, &mut self.state, h).map(drop)
    }

    /// Has steps look at a flag that stops them.
    pub fn heed(&mut self, stop: &Arc<AtomicBool>) {
        self.step.heed(stop);
    }

    /// Events of the last step.
    pub fn events(&self) -> &[Event] {
        self.step.events()
    }

    /// States at the impacts of the last step.
    pub fn impact_states(&self) -> &ImpactStates {
        self.step.impact_states().expect("located")
    }

    /// Steps until so many were made.
    pub fn to_step(&mut self, steps: u64) -> &State {
        while self.steps < steps {
            self.step();
        }
        &self.state
    }

    /// Steps until one has events.
    pub fn to_impact(&mut self) -> StepReport {
        loop {
            let report = self.step();
            if report.impacts > 0 {
                return report;
            }
        }
    }

    /// `H`.
    pub fn energy(&self) -> f64 {
        energy(&self.scene, &self.state)
    }
}

/// `H` at a state.
pub fn energy(scene: &Scene, state: &State) -> f64 {
    let system = &*scene.problem.system;
    let inverse = carom::steppers::shared::mass::InverseMass::new(system, &state.q).expect("a mass");
    let mut v = state.p.clone();
    inverse.solve(&mut v);
    let kinetic: f64 = v.iter().zip(&state.p).map(|(v, p)| 0.5 * v * p).sum();
    kinetic + system.potential(state.t, &state.q)
}
