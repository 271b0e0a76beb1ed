//! What `gvi` promises beyond its reference numbers: contacts that rest, slide, leave and arrive, and their accounts.

mod bits;
mod energy;
mod impacts;
mod rest;
mod settings;
mod smooth;

use std::sync::atomic::AtomicBool;

use carom::measures::{Ledger, Summary};
use carom::observe::{Frame, Observer};
use carom::run::{Grid, OnFailure, Outcome, Run};
use carom::state::State;
use carom_io::scene::Scene;
use carom_tests::runs::stepper;

/// Looks at every node.
struct Look<'a>(&'a mut dyn FnMut(&Frame));

impl Observer for Look<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        (self.0)(frame);
        Ok(())
    }
}

/// Runs a scene from a state and shows every node.
pub fn run_from(scene: &Scene, start: State, look: &mut dyn FnMut(&Frame)) -> (Outcome, Summary) {
    let mut step = stepper(scene, &scene.method);
    let problem = &scene.problem;
    let mut summary = Summary::new(problem);
    let grid = Grid { t0: start.t, h: scene.run.h, steps: scene.run.steps };
    let run = Run { system: &*problem.system, stepper: &mut *step, grid, on_failure: OnFailure::Stop };
    let outcome = run.go(start, &mut [&mut summary, &mut Look(look)], &AtomicBool::new(false));
    (outcome, summary)
}

/// Runs a scene and shows every node.
pub fn run(scene: &Scene, look: &mut dyn FnMut(&Frame)) -> Summary {
    let (outcome, summary) = run_from(scene, scene.problem.initial.clone(), look);
    assert_eq!(outcome.ended, None);
    summary
}

/// Largest |E − E0| of a run.
pub fn energy_error(summary: &Summary) -> f64 {
    let energy = summary.energy.expect("looked at");
    (energy.max - energy.initial).max(energy.initial - energy.min)
}

/// Runs a scene with its accounts of energy.
pub fn accounts(scene: &Scene, look: &mut dyn FnMut(&Frame)) -> (Summary, Ledger) {
    let system = &*scene.problem.system;
    let mut ledger = Ledger::new(system, &[], false);
    let summary = run(scene, &mut |frame| {
        ledger.enter(system, frame);
        look(frame);
    });
    (summary, ledger)
}
