//! The recording of a run: measures every step, rows every so many steps or at given times, snapshots every so many seconds.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use carom::error::Failure;
use carom::measures::{Conservation, Ledger, Summary};
use carom::observe::{Frame, Observer};
use carom::run::{Ended, Outcome};
use carom::state::State;

use super::contacts::Layout;
use super::events::{self, Extent};
use super::measures::{Measures, columns};
use super::motion::Motion;
use super::snapshot::Snapshot;
use super::table::{Column, TableWriter};
use crate::folder::{CHECKSUMS, Checksums, FolderError, Rows, RunFolder, damaged, hash};
use crate::passages;
use crate::report::RunReport;
use crate::scene::{Measure, Scene};

/// A run that has taken less than this is made again sooner than it is brought to the disk.
const WORTH_A_SYNC: Duration = Duration::from_secs(1);

/// Names of the tables.
const TRAJECTORY: &str = "trajectory";
const MEASURES: &str = "measures";
pub(super) const EVENTS: &str = "events";
pub(super) const CONTACTS: &str = "contacts";

/// Why a run cannot be recorded or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The operating system refused, or a file is not what it should be.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: String,
        /// Why it failed.
        error: io::Error,
    },
    /// The motion cannot be looked at from its first node on.
    #[error("the motion at its first node: {0}")]
    Motion(Failure),
    /// The scene is not the one that the snapshot was made with.
    #[error("scene.toml was changed since the run was started; a run goes on only with its own scene")]
    OtherScene,
    /// The folder of the run.
    #[error(transparent)]
    Folder(#[from] FolderError),
}

/// Records a run while it goes on.
pub struct Session<'a> {
    scene: &'a Scene,
    folder: RunFolder,
    trajectory: TableWriter,
    measures: TableWriter,
    /// If the method locates events or something is watched.
    events: Option<(TableWriter, Extent)>,
    /// If they are asked for.
    contacts: Option<(TableWriter, Layout)>,
    measured: Measures<'a>,
    motion: Motion<'a>,
    row: Vec<f64>,
    /// What the method keeps beside the state, at the last node.
    memory: Vec<f64>,
    /// The measures of the whole run.
    pub summary: Summary,
    /// The accounts of energy, if any is exchanged or they were asked for.
    pub ledger: Option<Ledger>,
    conservation: Conservation,
    pause: Duration,
    saved: Instant,
    /// When the clock was looked at, how many steps lie between looks, and when the next is.
    looked: Instant,
    pace: u64,
    next_look: u64,
    begun: Instant,
    seconds_before: f64,
    hash: u64,
}

fn io_error(what: &str) -> impl Fn(io::Error) -> SessionError {
    move |error| SessionError::Io { what: what.to_string(), error }
}

fn refused(folder: &RunFolder, error: io::Error) -> String {
    format!("the tables in {}: {error}", folder.path().display())
}

/// Columns of the trajectory: time, coordinates, velocities, momenta.
fn trajectory_columns(scene: &Scene) -> Vec<Column> {
    let system = &scene.problem.system;
    let names: Vec<String> = (0..system.dim()).map(|i| system.coordinate_name(i)).collect();
    let kinds = if scene.shows_node_velocities() { &["", "v.", "p.", "v_node."][..] } else { &["", "v.", "p."] };
    let of_kind = kinds.iter().flat_map(|kind| names.iter().map(move |name| format!("{kind}{name}")));
    columns(std::iter::once("t".to_string()).chain(of_kind))
}

/// The accounts of a scene that exchanges energy or asks for them.
pub fn accounts(scene: &Scene) -> Option<Ledger> {
    let ledger = Ledger::of(&scene.method, &*scene.problem.system);
    (ledger.is_open() || scene.run.measures.contains(&Measure::Ledger)).then_some(ledger)
}

/// The tables of a run of this scene.
pub fn tables(scene: &Scene, locates_events: bool) -> Vec<&'static str> {
    let has_events = locates_events || !scene.watches.is_empty();
    let contacts = Layout::of(scene).map(|_| CONTACTS);
    [TRAJECTORY, MEASURES].into_iter().chain(has_events.then_some(EVENTS)).chain(contacts).collect()
}

/// What a recording goes on from: nothing at the start of a run.
struct Before<'a> {
    measured: Measures<'a>,
    summary: Summary,
    ledger: Option<Ledger>,
    motion: Result<Motion<'a>, Failure>,
    seconds: f64,
    locates_events: bool,
}

impl<'a> Session<'a> {
    /// Starts recording a run; `pause` lies between snapshots. Methods that locate events get a table of them, and so do scenes that
    /// watch something.
    pub fn start(
        scene: &'a Scene,
        folder: RunFolder,
        pause: Duration,
        locates_events: bool,
    ) -> Result<Self, SessionError> {
        let (summary, ledger) = (Summary::new(&scene.problem), accounts(scene));
        let motion = Motion::new(scene, &scene.problem.initial, None);
        let measured = Measures::new(scene, &scene.problem.initial, 0);
        let before = Before { measured, summary, ledger, motion, seconds: 0.0, locates_events };
        Self::new(scene, folder, pause, before, TableWriter::create)
    }

    /// Goes on recording from a snapshot, once all that it refers to has been verified.
    pub fn resume(
        scene: &'a Scene,
        folder: RunFolder,
        pause: Duration,
        locates_events: bool,
        snapshot: &Snapshot,
    ) -> Result<Self, SessionError> {
        if !snapshot.is_of(scene) {
            return Err(SessionError::OtherScene);
        }
        snapshot.check(scene).map_err(io_error("the snapshot"))?;
        let listed = Checksums::read(folder.path()).map_err(io_error("the folder"))?;
        if let Some(checksums) = listed {
            let mut names = tables(scene, locates_events);
            names.sort_unstable();
            if !checksums.tables().eq(names) {
                let error = damaged(format!(
                    "{CHECKSUMS} is damaged, or was changed: it names other tables than the scene has"
                ));
                return Err(io_error("the folder")(error));
            }
        }
        let Snapshot { summary, ledger, seconds, .. } = snapshot;
        let (summary, ledger, seconds) = (summary.clone(), ledger.clone(), *seconds);
        let mut motion = Motion::new(scene, &snapshot.state, Some(&snapshot.watched));
        if let (Ok(motion), Some(v)) = (&mut motion, summary.node_velocity()) {
            motion.set_node_velocity(v);
        }
        let measured = Measures::new(scene, &snapshot.state, snapshot.halved_steps);
        let before = Before { measured, summary, ledger, motion, seconds, locates_events };
        let mut session = Self::new(scene, folder, pause, before, |path, name, columns, run| {
            let rows = match name {
                TRAJECTORY => snapshot.trajectory,
                EVENTS => snapshot.events,
                CONTACTS => snapshot.contacts,
                _ => snapshot.measures,
            };
            TableWriter::reopen(path, name, columns, run, rows)
        })?;
        session.folder.reopen()?;
        Ok(session)
    }

    fn new(
        scene: &'a Scene,
        folder: RunFolder,
        pause: Duration,
        Before { measured, summary, ledger, motion, seconds: seconds_before, locates_events }: Before<'a>,
        open: impl Fn(&Path, &str, &[Column], u64) -> io::Result<TableWriter>,
    ) -> Result<Self, SessionError> {
        let (path, run) = (folder.path(), folder.number()?);
        let table = |name: &str, columns: &[Column]| {
            folder.check()?;
            open(path, name, columns, run).map_err(io_error(&path.display().to_string()))
        };
        let trajectory = table(TRAJECTORY, &trajectory_columns(scene))?;
        let measures = table(MEASURES, &measured.columns(ledger.as_ref()))?;
        let motion = motion.map_err(SessionError::Motion)?;
        let events = match tables(scene, locates_events).contains(&EVENTS) {
            true => {
                let extent = Extent::of(scene, locates_events);
                Some((table(EVENTS, &events::columns(scene, extent))?, extent))
            }
            false => None,
        };
        let contacts = Layout::of(scene)
            .map(|layout| Ok::<_, SessionError>((table(CONTACTS, &layout.columns(scene))?, layout)))
            .transpose()?;
        let (now, row, hash) = (Instant::now(), Vec::new(), hash(&scene.to_toml()));
        Ok(Self {
            scene,
            folder,
            trajectory,
            measures,
            events,
            contacts,
            measured,
            motion,
            row,
            memory: Vec::new(),
            summary,
            ledger,
            conservation: Conservation::of(&scene.method, &*scene.problem.system),
            pause,
            saved: now,
            looked: now,
            pace: 1,
            next_look: 0,
            begun: now,
            seconds_before,
            hash,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// A row of the trajectory: that of a node, or with an interval those whose time has come with it.
    fn record_motion(&mut self, frame: &Frame) -> Result<(), String> {
        let (state, folder) = (frame.state, &self.folder);
        let append = |table: &mut TableWriter, row: &mut Vec<f64>, t: f64, parts: &[&[f64]]| {
            row.clear();
            row.push(t);
            parts.iter().for_each(|part| row.extend_from_slice(part));
            table.append(row).map_err(|error| refused(folder, error))
        };
        let (trajectory, row) = (&mut self.trajectory, &mut self.row);
        if self.scene.run.interval.is_none() {
            let parts = [&state.q, frame.v, &state.p, frame.node_v];
            let count = if self.scene.shows_node_velocities() { 4 } else { 3 };
            return append(trajectory, row, state.t, &parts[..count]);
        }
        while let Some(moment) = self.motion.due(frame, trajectory.rows())? {
            append(trajectory, row, moment.t, &[&moment.q, &moment.v, &moment.p])?;
        }
        Ok(())
    }

    fn record(&mut self, frame: &Frame) -> Result<(), String> {
        self.record_motion(frame)?;
        let unanswered = self.measured.fill(frame, self.ledger.as_ref(), &mut self.row);
        self.summary.unanswered += u64::from(unanswered);
        self.measures.append(&self.row).map_err(|error| refused(&self.folder, error))?;
        if let Some((table, layout)) = &mut self.contacts {
            layout.append(table, frame, &mut self.row).map_err(|error| refused(&self.folder, error))?;
        }
        Ok(())
    }

    /// The tables that only some runs have.
    fn others(&mut self) -> impl Iterator<Item = (&'static str, &mut TableWriter)> {
        let events = self.events.as_mut().map(|(table, _)| (EVENTS, table));
        events.into_iter().chain(self.contacts.as_mut().map(|(table, _)| (CONTACTS, table)))
    }

    /// Everything to the operating system, with `sync` to the disk.
    fn flush(&mut self, sync: bool) -> io::Result<()> {
        let put = |table: &mut TableWriter| if sync { table.sync() } else { table.flush() };
        put(&mut self.trajectory)?;
        put(&mut self.measures)?;
        self.others().try_for_each(|(_, table)| put(table))
    }

    /// Everything to disk, then the snapshot that refers to it.
    fn save(&mut self, step: u64, state: &State, failures: u64, halved_steps: u64) -> Result<(), FolderError> {
        let sync = self.begun.elapsed() > WORTH_A_SYNC;
        let place = Snapshot::path(self.folder.path());
        self.flush(sync).map_err(FolderError::at(&place))?;
        let snapshot = Snapshot {
            step,
            state: state.clone(),
            memory: self.memory.clone(),
            summary: self.summary.clone(),
            ledger: self.ledger.clone(),
            failures,
            halved_steps,
            trajectory: self.trajectory.written(),
            measures: self.measures.written(),
            events: self.events.as_ref().map_or(Rows::default(), |(table, _)| table.written()),
            contacts: self.contacts.as_ref().map_or(Rows::default(), |(table, _)| table.written()),
            watched: self.motion.watched().to_vec(),
            seconds: self.seconds(),
            name: self.scene.name.clone(),
            scene: self.hash,
        };
        let saved = snapshot.save(self.folder.path(), sync, || self.folder.still());
        saved.or_else(|error| self.folder.check().and(Err(FolderError::at(&place)(error))))?;
        self.saved = Instant::now();
        Ok(())
    }

    /// Whether the clock is looked at: after one step, two, four, … of fast ones, since a look costs as much as a small step, and more often
    /// again where they become slow.
    fn looks(&mut self, step: u64) -> bool {
        let due = step == 0 || step >= self.next_look;
        if due {
            let slow = self.looked.elapsed() > Duration::from_millis(20);
            self.pace = if slow { (self.pace / 2).max(1) } else { (2 * self.pace).min(256) };
            (self.looked, self.next_look) = (Instant::now(), (step / self.pace + 1) * self.pace);
        }
        due
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.begun.elapsed().as_secs_f64()
    }

    /// Ends the recording: completes the tables, then writes `run.json`. A run that was interrupted leaves a snapshot of its last node; one
    /// that is complete needs none, once everything else is on the disk.
    pub fn finish(&mut self, outcome: &Outcome) -> Result<(RunReport, String), SessionError> {
        let ended = match &outcome.ended {
            None => self.flush(true).map_err(io_error("the tables of the run")),
            Some(Ended::Interrupted { .. }) => self
                .save(outcome.steps, &outcome.state, outcome.failures, outcome.halved_steps)
                .map_err(SessionError::Folder),
            // A disk that is full has said so already.
            Some(_) => self.flush(true).or(Ok(())),
        };
        let (ledger, watched) = (self.ledger.as_ref(), self.motion.watched());
        let report = RunReport::new(self.scene, outcome, &self.summary, (ledger, watched), self.seconds());
        let text =
            serde_json::to_string_pretty(&report).map_err(|error| io_error("run.json")(error.into()))? + "\n";
        ended?;
        let mut rows = vec![(TRAJECTORY, self.trajectory.written()), (MEASURES, self.measures.written())];
        rows.extend(self.others().map(|(name, table)| (name, table.written())));
        self.folder.end(&text, &rows)?;
        if outcome.ended.is_none() {
            self.folder.check()?;
            Snapshot::remove(self.folder.path()).map_err(io_error("the snapshot"))?;
        }
        Ok((report, text))
    }
}

impl Observer for Session<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.memory.clear();
        self.memory.extend_from_slice(frame.memory);
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
        if frame.step.is_multiple_of(self.scene.run.every) {
            self.record(frame)?;
        }
        self.motion.watch(frame)?;
        if let Some((table, extent)) = &mut self.events {
            let written = events::append((table, *extent), frame, self.motion.crossings(), &mut self.row);
            written.map_err(|error| refused(&self.folder, error))?;
        }
        self.motion.keep(frame);
        if self.looks(frame.step) && (frame.step == 0 || self.saved.elapsed() >= self.pause) {
            let saved = self.save(frame.step, frame.state, frame.failures, frame.halved_steps);
            saved.map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
