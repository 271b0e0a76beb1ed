//! What a run will take before it is started: rows and bytes on disk, seconds.
//!
//! Rows of the trajectory and the measures follow from the settings; their bytes are exact. Rows of events and contacts and
//! seconds come from a trial: the first steps of the run, made by a step of its own on a copy of the state, watched as a recorded run is, and thrown
//! away. The run itself gives the same bits with and without it.
//!
//! Limits: a trial sees the beginning of a run. Contacts that begin later, which [`Estimate::later_contacts`] tells, steps that become
//! harder, other work of the machine, and a disk that is slower than 1 GB/s are not foreseen; [`Budget`] stops a run that outgrows its
//! estimate by far.

mod budget;
mod rows;
mod trial;
mod words;

use std::time::Duration;

pub use budget::Budget;
pub use trial::seconds_per_step;
pub use words::{duration, size};

use crate::recording::{Extent, Layout, Measures, Snapshot, accounts, event_columns};
use crate::scene::Scene;
use rows::Pace;
use trial::Trial;

/// More bytes on disk than this are not written without consent.
pub const MOST_BYTES: f64 = 1e9;
/// A run longer than this, in seconds, is not started without consent.
pub const MOST_SECONDS: f64 = 3600.0;
/// How long a trial goes on, unless a single step takes longer.
pub const TRIAL: Duration = Duration::from_millis(50);
/// A trial makes at most this part of the steps: it cannot double the duration of a run whose first step is slow.
pub const PART: u64 = 20;

/// Bytes of the page, from runs of built-in scenes: 170 kB to 330 kB.
const PAGE: f64 = 250e3;
/// Bytes per coordinate in the files beside the tables: names of columns (180), the last state in `run.json` (84), snapshots (36).
const PER_COORDINATE: f64 = 300.0;
/// Seconds per byte of a table that the operating system takes: writing it, and reading it again for the page.
const SECONDS_PER_BYTE: f64 = 2e-9;
/// Seconds of what any run does once: it reads its scene, makes its page and its files.
const SECONDS_ONCE: f64 = 0.03;

/// What of a run is still to come.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Steps.
    pub steps: u64,
    /// Tables by name.
    pub tables: Vec<TableSize>,
    /// Bytes of all other files.
    pub others: f64,
    /// Seconds of a step with all that is measured of it; nothing if no step was tried.
    pub seconds_per_step: Option<f64>,
    /// Steps that were tried.
    pub tried: u64,
    /// Whether the scene has contacts, and no step that was tried had one: what they take once they begin is not in the seconds.
    pub later_contacts: bool,
    pace: Pace,
}

/// How large a table becomes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TableSize {
    /// Its name.
    pub name: &'static str,
    /// Rows.
    pub rows: f64,
    /// Bytes.
    pub bytes: f64,
}

impl Estimate {
    /// Of a run from its start, or from a snapshot on.
    pub fn of(scene: &Scene, from: Option<&Snapshot>) -> Self {
        let done = from.map_or(0, |snapshot| snapshot.step);
        let steps = scene.run.steps.saturating_sub(done);
        let trial = Trial::run(scene, from, steps / PART);
        let tables = tables(scene, steps, &trial);
        let others = PAGE + PER_COORDINATE * scene.problem.system.dim() as f64 + scene.to_toml().len() as f64;
        let later_contacts = scene.problem.system.contacts().count() > 0 && trial.steps > 0 && !trial.touched;
        let Trial { seconds_per_step, steps: tried, pace, .. } = trial;
        Self { steps, tables, others, seconds_per_step, tried, later_contacts, pace }
    }

    /// Seconds of the steps alone.
    pub fn stepping(&self) -> Option<f64> {
        self.seconds_per_step.map(|each| each * self.steps as f64)
    }

    /// Seconds; nothing if the run has too few steps for a trial.
    pub fn seconds(&self) -> Option<f64> {
        let rows = self.tables.iter().map(|table| {
            let drawing = if table.name == "measures" { self.pace.drawing } else { 0.0 };
            table.bytes * (SECONDS_PER_BYTE + self.pace.recording + drawing)
        });
        self.stepping().map(|stepping| stepping + rows.sum::<f64>() + SECONDS_ONCE)
    }

    /// Bytes on disk.
    pub fn disk(&self) -> f64 {
        self.tables.iter().map(|table| table.bytes).sum::<f64>() + self.others
    }
}

/// The tables that so many steps write.
fn tables(scene: &Scene, steps: u64, trial: &Trial) -> Vec<TableSize> {
    let (run, system) = (&scene.run, &*scene.problem.system);
    let nodes = (steps / run.every) as f64 + 1.0;
    let at_times = run.interval.map(|interval| (steps as f64 * run.h / interval).floor() + 1.0);
    let kinds = if scene.shows_node_velocities() { 4 } else { 3 };
    let measured = Measures::new(scene, &scene.problem.initial, 0).columns(accounts(scene).as_ref()).len();
    let table = |name, rows: f64, columns: usize| TableSize { name, rows, bytes: 8.0 * rows * columns as f64 };
    let mut tables = vec![
        table("trajectory", at_times.unwrap_or(nodes), 1 + kinds * system.dim()),
        table("measures", nodes, measured),
    ];
    if trial.locates_events || !scene.watches.is_empty() {
        let columns = event_columns(scene, Extent::of(scene, trial.locates_events)).len();
        tables.push(table("events", (trial.events_per_step * steps as f64).round(), columns));
    }
    if let Some(layout) = Layout::of(scene) {
        tables.push(table("contacts", (trial.contacts_per_node * nodes).round(), layout.columns(scene).len()));
    }
    tables
}

#[cfg(test)]
mod tests;
