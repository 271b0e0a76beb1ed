//! A run without a folder: what it came to, for tables and comparisons of many runs.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use carom::measures::{Conservation, Ledger, Summary};
use carom::method::Refusal;
use carom::observe::{Frame, Observer};
use carom::run::{Grid, Outcome, Run};
use carom::watch::Watched;

use crate::passages;
use crate::recording::{Measures, Motion, accounts};
use crate::report::RunReport;
use crate::scene::Scene;

/// What a run came to.
pub struct Trial {
    /// Last state, steps made, why it ended.
    pub outcome: Outcome,
    /// Its figures.
    pub summary: Summary,
    /// Its accounts of energy, as for a recorded run.
    pub ledger: Option<Ledger>,
    /// What was seen of the scene's watches.
    pub watched: Vec<Watched>,
    /// Seconds that it took.
    pub seconds: f64,
}

impl Trial {
    /// Runs a scene; `also` sees every node too. An error is a method that refuses the scene; a step that fails is part of
    /// the outcome.
    pub fn run(scene: &Scene, also: &mut [&mut dyn Observer], stop: &AtomicBool) -> Result<Self, Refusal> {
        let (problem, settings, begun) = (&scene.problem, &scene.run, Instant::now());
        let system = &*problem.system;
        let mut stepper = scene.method.stepper(system, &problem.initial)?;
        let grid = Grid { t0: problem.initial.t, h: settings.h, steps: settings.steps };
        let run = Run { system, stepper: &mut *stepper, grid, on_failure: settings.on_failure };
        let motion = Motion::new(scene, &problem.initial, None);
        let motion = motion.map_err(|failure| Refusal::Failed { method: scene.method.name(), failure })?;
        let (measured, summary, ledger) =
            (Measures::new(scene, &problem.initial, 0), Summary::new(problem), accounts(scene));
        let conservation = Conservation::of(&scene.method, system);
        let mut witness = Witness { scene, measured, motion, summary, ledger, conservation, also };
        let outcome = run.go(problem.initial.clone(), &mut [&mut witness], stop);
        let Witness { summary, ledger, motion, .. } = witness;
        let watched = motion.watched().to_vec();
        Ok(Self { outcome, summary, ledger, watched, seconds: begun.elapsed().as_secs_f64() })
    }

    /// The document that a recorded run would have written.
    pub fn report(&self, scene: &Scene) -> RunReport {
        let also = (self.ledger.as_ref(), &self.watched[..]);
        RunReport::new(scene, &self.outcome, &self.summary, also, self.seconds)
    }
}

struct Witness<'a, 'b, 'c> {
    scene: &'a Scene,
    measured: Measures<'a>,
    motion: Motion<'a>,
    summary: Summary,
    ledger: Option<Ledger>,
    conservation: Conservation,
    also: &'b mut [&'c mut dyn Observer],
}

impl Observer for Witness<'_, '_, '_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.summary.observe(frame)?;
        passages::observe(self.scene, &mut self.summary, frame)?;
        self.measured.observe(frame)?;
        self.summary.observe_symmetries(frame.step, &self.measured.symmetries);
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(&*self.scene.problem.system, frame);
            ledger.check().map_err(|failure| failure.to_string())?;
        }
        self.summary.weigh(&self.conservation, self.ledger.as_ref(), frame);
        self.motion.watch(frame)?;
        self.motion.keep(frame);
        self.also.iter_mut().try_for_each(|observer| observer.observe(frame))
    }
}
