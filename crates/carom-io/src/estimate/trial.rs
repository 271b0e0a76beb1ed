//! The first steps of a run, made to see what a step takes, and thrown away.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use carom::method::AnyMethod;
use carom::observe::{Frame, Observer};
use carom::problem::Problem;
use carom::run::{Grid, Outcome, Run};

use super::TRIAL;
use super::rows::{Pace, Sample};
use crate::recording::{Layout, Snapshot, contact_rows};
use crate::scene::Scene;
use crate::trial::Witness;

/// What was seen of the first steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// Steps made.
    pub steps: u64,
    /// Seconds of a step with all that is measured of it; of later steps than the first if there are any, since the first compiles
    /// derivatives. Nothing if no step was made.
    pub seconds_per_step: Option<f64>,
    /// Whether the method locates events.
    pub locates_events: bool,
    /// Rows of the table of events per step.
    pub events_per_step: f64,
    /// Rows of the table of contacts per node, if it is asked for.
    pub contacts_per_node: f64,
    /// Whether a step had a contact.
    pub touched: bool,
    /// What recorded rows take.
    pub pace: Pace,
}

impl Trial {
    /// Makes up to `most` steps. What fails ends the trial; the run will say why.
    pub fn run(scene: &Scene, from: Option<&Snapshot>, most: u64) -> Self {
        let (problem, settings) = (&scene.problem, &scene.run);
        let start = from.map_or(&problem.initial, |snapshot| &snapshot.state);
        let Ok(mut stepper) = scene.method.stepper(&*problem.system, start) else { return Self::none(false) };
        let locates_events = stepper.locates_events();
        if from.is_some_and(|snapshot| stepper.recall(&snapshot.memory).is_err()) {
            return Self::none(locates_events);
        }
        let witness = if most > 0 { Witness::new(scene, from).ok() } else { None };
        let Some(witness) = witness else { return Self::none(locates_events) };
        let (done, rows) = from.map_or((0, 0), |snapshot| (snapshot.step, snapshot.trajectory.rows));
        let (row, sample, clock) = (Vec::new(), Sample::default(), Clock::new(most));
        let counts = Layout::of(scene).is_some();
        let (events, contacts, touched) = (0, 0, false);
        let mut probe = Probe { scene, witness, row, rows, sample, clock, done, events, counts, contacts, touched };
        let grid = Grid { t0: problem.initial.t, h: settings.h, steps: done + most };
        let (never, mut observers) = (AtomicBool::new(false), [&mut probe as &mut dyn Observer]);
        let run = Run { system: &*problem.system, stepper: &mut *stepper, grid, on_failure: settings.on_failure };
        match from {
            None => run.go(problem.initial.clone(), &mut observers, &never),
            Some(snapshot) => {
                let Snapshot { step: steps, failures, halved_steps, .. } = *snapshot;
                let outcome = Outcome { state: snapshot.state.clone(), steps, failures, halved_steps, ended: None };
                run.go_on(outcome, &mut observers, &never)
            }
        };
        let Clock { made, .. } = probe.clock;
        let before = |rows: fn(&Snapshot) -> u64| {
            from.map_or(0.0, |snapshot| rows(snapshot) as f64 / snapshot.step.max(1) as f64)
        };
        let per_step = |count: u64| count as f64 / made.max(1) as f64;
        let events_per_step = per_step(probe.events).max(before(|snapshot| snapshot.events.rows));
        let contacts_before = before(|snapshot| snapshot.contacts.rows) * settings.every as f64;
        let contacts_per_node = per_step(probe.contacts).max(contacts_before);
        let (seconds_per_step, pace) = (probe.clock.seconds_per_step(), probe.sample.pace());
        let touched = probe.touched;
        Self { steps: made, seconds_per_step, locates_events, events_per_step, contacts_per_node, touched, pace }
    }

    fn none(locates_events: bool) -> Self {
        Self {
            steps: 0,
            seconds_per_step: None,
            locates_events,
            events_per_step: 0.0,
            contacts_per_node: 0.0,
            touched: false,
            pace: Pace::default(),
        }
    }
}

/// Seconds of a step without anything that watches it; nothing if none can be made.
pub fn seconds_per_step(problem: &Problem, method: &AnyMethod, h: f64, most: u64) -> Option<f64> {
    let mut stepper = method.stepper(&*problem.system, &problem.initial).ok()?;
    let (mut state, mut clock) = (problem.initial.clone(), Clock::new(most));
    for k in 1..=most {
        stepper.step(&*problem.system, &mut state, h).ok()?;
        state.t = problem.initial.t + k as f64 * h;
        if clock.ends() {
            break;
        }
    }
    clock.seconds_per_step()
}

/// Counts steps, and looks at the clock now and then: a look costs as much as a small step.
struct Clock {
    most: u64,
    made: u64,
    begun: Instant,
    /// Seconds after the first step, and after the last that the clock was looked at, with its number.
    first: f64,
    last: (u64, f64),
}

impl Clock {
    fn new(most: u64) -> Self {
        Self { most, made: 0, begun: Instant::now(), first: 0.0, last: (0, 0.0) }
    }

    /// A step was made; whether it was the last.
    fn ends(&mut self) -> bool {
        self.made += 1;
        if !(self.made.is_power_of_two() || self.made.is_multiple_of(256) || self.made == self.most) {
            return false;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        if self.made == 1 {
            self.first = seconds;
        }
        self.last = (self.made, seconds);
        self.made >= self.most.min(2) && seconds >= TRIAL.as_secs_f64()
    }

    fn seconds_per_step(&self) -> Option<f64> {
        match self.last {
            (0, _) => None,
            (1, seconds) => Some(seconds),
            (made, seconds) => Some((seconds - self.first) / (made - 1) as f64),
        }
    }
}

/// Sees what a recording sees, and writes nothing.
struct Probe<'a> {
    scene: &'a Scene,
    witness: Witness<'a>,
    row: Vec<f64>,
    /// Rows of the trajectory, if they stand at given times.
    rows: u64,
    sample: Sample,
    clock: Clock,
    /// Steps before the trial.
    done: u64,
    events: u64,
    /// Whether rows of contacts are counted, and how many there were.
    counts: bool,
    contacts: u64,
    touched: bool,
}

impl Observer for Probe<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.witness.observe(frame)?;
        let Witness { measured, motion, ledger, .. } = &mut self.witness;
        while motion.due(frame, self.rows)?.is_some() {
            self.rows += 1;
        }
        if frame.step.is_multiple_of(self.scene.run.every) {
            measured.fill(frame, ledger.as_ref(), &mut self.row);
            self.sample.take(&self.row);
        }
        self.witness.leave(frame)?;
        if frame.step == self.done {
            self.clock = Clock::new(self.clock.most);
            return Ok(());
        }
        self.touched |= frame.report.active;
        self.events += (frame.events.len() + self.witness.motion.crossings().len()) as u64;
        if self.counts {
            self.contacts += contact_rows(frame).count() as u64;
        }
        // Nobody reads the message: it ends the trial.
        if self.clock.ends() { Err("enough steps were tried".into()) } else { Ok(()) }
    }
}
