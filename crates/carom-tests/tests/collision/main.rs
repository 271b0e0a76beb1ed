//! `vci` and `cva` against an independent implementation, closed forms and what they claim.
//!
//! `cargo test -p carom-tests --test collision -- --nocapture` prints how many numbers of the reference agree.

mod corners;
mod dissipation;
mod jacobian;
mod order;
mod particle;
mod pendulum;
mod rest;
mod shadow;
mod star;
mod symplectic;

use carom::state::State;
use carom::steppers::{Event, StepReport};
use carom_io::scene::Scene;
use carom_tests::runs::{Boxed, built_in, stepper};
use serde_json::Value;

const REFERENCE: &str = include_str!("../../reference/collision.json");

/// The reference.
pub fn reference() -> Value {
    serde_json::from_str(REFERENCE).expect("JSON")
}

/// A number of the reference.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
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
        let scene = built_in(name, edits);
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

    /// Events of the last step.
    pub fn events(&self) -> &[Event] {
        self.step.events()
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

/// Counts numbers that agree.
#[derive(Default)]
pub struct Tally {
    total: usize,
    wrong: Vec<String>,
}

impl Tally {
    /// Compares a number.
    pub fn check(&mut self, what: &str, found: f64, expected: f64, tolerance: f64) {
        self.total += 1;
        let off = (found - expected).abs();
        if off.is_nan() || off > tolerance {
            self.wrong
                .push(format!("{what}: {found:e}, reference {expected:e}, off by {off:.2e} > {tolerance:.0e}"));
        }
    }

    /// Compares numbers.
    pub fn all(&mut self, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            self.check(&format!("{what}[{k}]"), *found, *expected, tolerance);
        }
    }

    /// Prints the count, and fails if any is off.
    pub fn settle(self, kind: &str) {
        println!("{kind}: {} of {} numbers within their tolerance", self.total - self.wrong.len(), self.total);
        assert!(self.wrong.is_empty(), "{kind}: {:#?}", self.wrong);
    }
}
