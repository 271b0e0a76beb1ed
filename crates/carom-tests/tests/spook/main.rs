//! `spook` beyond the numbers of its paper: friction, motors, accounts, starts and errors.

mod accounts;
mod chain;
mod compression;
mod errors;
mod friction;
mod impacts;
mod motors;
mod sources;
mod variants;

use std::sync::atomic::AtomicBool;

use carom::measures::{Ledger, Summary};
use carom::observe::{Frame, Observer};
use carom::run::{Grid, OnFailure, Outcome, Run};
use carom_io::scene::Scene;
use carom_tests::runs::stepper;

/// Enters every step of a run into a ledger.
struct Entries<'a>(Ledger, &'a Scene, &'a mut dyn FnMut(&Frame));

impl Observer for Entries<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.0.enter(&*self.1.problem.system, frame);
        (self.2)(frame);
        Ok(())
    }
}

/// Runs a scene with its own method and grid; what it shows goes to `look`.
fn run(scene: &Scene, look: &mut dyn FnMut(&Frame)) -> (Outcome, Summary, Ledger) {
    let mut stepper = stepper(scene, &scene.method);
    let problem = &scene.problem;
    let mut summary = Summary::new(problem);
    let mut entries = Entries(Ledger::of(&scene.method, &*problem.system), scene, look);
    let grid = Grid { t0: problem.initial.t, h: scene.run.h, steps: scene.run.steps };
    let run = Run { system: &*problem.system, stepper: &mut *stepper, grid, on_failure: OnFailure::Stop };
    let outcome = run.go(problem.initial.clone(), &mut [&mut summary, &mut entries], &AtomicBool::new(false));
    let ledger = entries.0;
    (outcome, summary, ledger)
}

/// What went through an account, positive if it came in.
fn through(ledger: &Ledger, name: &str) -> f64 {
    let source = ledger.sources.iter().find(|source| source.name == name).expect("an account of that name");
    source.entered - source.left
}
