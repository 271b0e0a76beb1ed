//! A run without a folder: what it came to, for tables and comparisons of many runs.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use carom::error::Failure;
use carom::measures::{Conservation, Ledger, Summary};
use carom::method::Refusal;
use carom::observe::{Frame, Observer};
use carom::run::{Grid, Outcome, Run};
use carom::watch::Watched;

use crate::passages;
use crate::recording::{Measures, Motion, Snapshot, accounts};
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
        let witness = Witness::new(scene, None);
        let witness = witness.map_err(|failure| Refusal::Failed { method: scene.method.name(), failure })?;
        let mut watching = Watching { witness, also };
        let outcome = run.go(problem.initial.clone(), &mut [&mut watching], stop);
        let Witness { summary, ledger, motion, .. } = watching.witness;
        let watched = motion.watched().to_vec();
        Ok(Self { outcome, summary, ledger, watched, seconds: begun.elapsed().as_secs_f64() })
    }

    /// The document that a recorded run would have written.
    pub fn report(&self, scene: &Scene) -> RunReport {
        let also = (self.ledger.as_ref(), &self.watched[..]);
        RunReport::new(scene, &self.outcome, &self.summary, also, self.seconds)
    }
}

/// What is measured of a run, recorded or not.
pub(crate) struct Witness<'a> {
    scene: &'a Scene,
    pub measured: Measures<'a>,
    pub motion: Motion<'a>,
    pub summary: Summary,
    pub ledger: Option<Ledger>,
    conservation: Conservation,
}

impl<'a> Witness<'a> {
    /// From the start of a run, or from a snapshot on.
    pub fn new(scene: &'a Scene, from: Option<&Snapshot>) -> Result<Self, Failure> {
        let node = from.map_or(&scene.problem.initial, |snapshot| &snapshot.state);
        let mut motion = Motion::new(scene, node, from.map(|snapshot| &snapshot.watched[..]))?;
        let measured = Measures::new(scene, node, from.map_or(0, |snapshot| snapshot.halved_steps));
        let (summary, ledger) = match from {
            None => (Summary::new(&scene.problem), accounts(scene)),
            Some(snapshot) => (snapshot.summary.clone(), snapshot.ledger.clone()),
        };
        if let Some(v) = from.and_then(|snapshot| snapshot.summary.node_velocity()) {
            motion.set_node_velocity(v);
        }
        let conservation = Conservation::of(&scene.method, &*scene.problem.system);
        Ok(Self { scene, measured, motion, summary, ledger, conservation })
    }

    /// Measures a node.
    pub fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.summary.observe(frame)?;
        passages::observe(self.scene, &mut self.summary, frame)?;
        self.measured.observe(frame)?;
        let momenta = self.summary.observe_symmetries(frame.step, &self.measured.symmetries);
        momenta.map_err(|failure| failure.to_string())?;
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(&*self.scene.problem.system, frame);
            ledger.check().map_err(|failure| failure.to_string())?;
        }
        self.summary.weigh(&self.conservation, self.ledger.as_ref(), frame);
        Ok(())
    }

    /// Looks out for crossings in the step before a node, and keeps the node for the next step.
    pub fn leave(&mut self, frame: &Frame) -> Result<(), String> {
        self.motion.watch(frame)?;
        self.motion.keep(frame);
        Ok(())
    }
}

struct Watching<'a, 'b, 'c> {
    witness: Witness<'a>,
    also: &'b mut [&'c mut dyn Observer],
}

impl Observer for Watching<'_, '_, '_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.witness.observe(frame)?;
        self.witness.leave(frame)?;
        self.also.iter_mut().try_for_each(|observer| observer.observe(frame))
    }
}
