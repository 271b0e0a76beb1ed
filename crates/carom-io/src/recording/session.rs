//! The recording of a run: measures every step, rows every so many steps, snapshots every so many seconds.

use std::io;
use std::time::{Duration, Instant};

use carom::linear::max_abs;
use carom::measures::{Momentum, Summary};
use carom::observe::{Frame, Observer};
use carom::run::{Ended, Outcome};
use carom::state::State;

use super::snapshot::{Snapshot, hash};
use super::table::{Column, TableWriter};
use crate::folder::RunFolder;
use crate::report::RunReport;
use crate::scene::Scene;

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
    /// The scene is not the one that the snapshot was made with.
    #[error("scene.toml was changed since the run was started; a run goes on only with its own scene")]
    OtherScene,
}

/// Records a run while it goes on.
pub struct Session {
    folder: RunFolder,
    trajectory: TableWriter,
    measures: TableWriter,
    momentum: Momentum,
    components: Vec<f64>,
    row: Vec<f64>,
    /// The measures of the whole run.
    pub summary: Summary,
    every: u64,
    pause: Duration,
    saved: Instant,
    begun: Instant,
    seconds_before: f64,
    name: String,
    scene: u64,
}

fn io_error(what: &str) -> impl Fn(io::Error) -> SessionError {
    move |error| SessionError::Io { what: what.to_string(), error }
}

/// Columns of the trajectory: time, coordinates, velocities, momenta.
fn trajectory_columns(scene: &Scene) -> Vec<Column> {
    let system = &scene.problem.system;
    let names: Vec<String> = (0..system.dim()).map(|i| system.coordinate_name(i)).collect();
    let kinds = ["", "v.", "p."];
    let of_kind = kinds.iter().flat_map(|kind| names.iter().map(move |name| Column::new(format!("{kind}{name}"))));
    std::iter::once(Column::new("t")).chain(of_kind).collect()
}

/// Columns of the measures; what the scene does not have is left out.
fn measure_columns(scene: &Scene, momentum: &Momentum) -> Vec<Column> {
    let system = &scene.problem.system;
    let (linear, angular) = momentum.components();
    let axes = ["x", "y", "z"];
    let mut names: Vec<String> = ["t", "energy", "kinetic", "potential"].map(String::from).to_vec();
    names.extend(axes[..linear].iter().map(|axis| format!("linear_momentum.{axis}")));
    // In the plane the one component is that out of it.
    names.extend(axes[3 - angular..].iter().map(|axis| format!("angular_momentum.{axis}")));
    if system.equalities() > 0 {
        names.extend(["max_equality", "max_equality_velocity"].map(String::from));
    }
    if system.inequalities() > 0 {
        names.push("min_gap".into());
    }
    names.extend(["iterations", "residual"].map(String::from));
    names.into_iter().map(Column::new).collect()
}

impl Session {
    /// Starts recording a run; `pause` lies between snapshots.
    pub fn start(scene: &Scene, folder: RunFolder, pause: Duration) -> Result<Self, SessionError> {
        let (path, momentum) = (folder.path().to_path_buf(), Momentum::new(scene.problem.points.clone()));
        let create = |name: &str, columns: &[Column]| {
            TableWriter::create(&path, name, columns).map_err(io_error(&format!("{}/{name}", path.display())))
        };
        let trajectory = create("trajectory", &trajectory_columns(scene))?;
        let measures = create("measures", &measure_columns(scene, &momentum))?;
        let summary = Summary::new(&scene.problem);
        Ok(Self::new(scene, folder, pause, (trajectory, measures, momentum), (summary, 0.0)))
    }

    /// Goes on recording from a snapshot.
    pub fn resume(
        scene: &Scene,
        folder: RunFolder,
        pause: Duration,
        snapshot: &Snapshot,
    ) -> Result<Self, SessionError> {
        if hash(&scene.to_toml()) != snapshot.scene {
            return Err(SessionError::OtherScene);
        }
        let (path, momentum) = (folder.path().to_path_buf(), Momentum::new(scene.problem.points.clone()));
        let reopen = |name: &str, columns: &[Column], rows: u64| {
            TableWriter::reopen(&path, name, columns, rows).map_err(io_error(&format!("{}/{name}", path.display())))
        };
        let trajectory = reopen("trajectory", &trajectory_columns(scene), snapshot.trajectory_rows)?;
        let measures = reopen("measures", &measure_columns(scene, &momentum), snapshot.measures_rows)?;
        let before = (snapshot.summary.clone(), snapshot.seconds);
        Ok(Self::new(scene, folder, pause, (trajectory, measures, momentum), before))
    }

    fn new(
        scene: &Scene,
        folder: RunFolder,
        pause: Duration,
        (trajectory, measures, momentum): (TableWriter, TableWriter, Momentum),
        (summary, seconds_before): (Summary, f64),
    ) -> Self {
        let (linear, angular) = momentum.components();
        Self {
            folder,
            trajectory,
            measures,
            components: vec![0.0; linear + angular],
            momentum,
            row: Vec::new(),
            summary,
            every: scene.run.every,
            pause,
            saved: Instant::now(),
            begun: Instant::now(),
            seconds_before,
            name: scene.name.clone(),
            scene: hash(&scene.to_toml()),
        }
    }

    /// The folder.
    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    fn record(&mut self, frame: &Frame) -> io::Result<()> {
        let state = frame.state;
        self.row.clear();
        self.row.push(state.t);
        for part in [&state.q[..], frame.v, &state.p[..]] {
            self.row.extend_from_slice(part);
        }
        self.trajectory.append(&self.row)?;
        self.row.clear();
        self.row.extend([state.t, frame.energy(), frame.kinetic, frame.potential]);
        self.momentum.of(&state.q, &state.p, &mut self.components);
        self.row.extend_from_slice(&self.components);
        if !frame.equality.is_empty() {
            self.row.extend([max_abs(frame.equality), max_abs(frame.equality_rate)]);
        }
        if !frame.gap.is_empty() {
            self.row.push(frame.gap.iter().copied().fold(f64::INFINITY, f64::min));
        }
        self.row.extend([f64::from(frame.report.iterations), frame.report.residual]);
        self.measures.append(&self.row)
    }

    /// Everything to disk, then the snapshot that refers to it.
    fn save(&mut self, step: u64, state: &State, failures: u64, halved_steps: u64) -> io::Result<()> {
        self.trajectory.flush()?;
        self.measures.flush()?;
        let snapshot = Snapshot {
            step,
            state: state.clone(),
            summary: self.summary.clone(),
            failures,
            halved_steps,
            trajectory_rows: self.trajectory.rows(),
            measures_rows: self.measures.rows(),
            seconds: self.seconds(),
            name: self.name.clone(),
            scene: self.scene,
        };
        snapshot.save(self.folder.path())?;
        self.saved = Instant::now();
        Ok(())
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.begun.elapsed().as_secs_f64()
    }

    /// Ends the recording: completes the tables and writes `run.json`. A run that was interrupted leaves a snapshot of
    /// its last node; one that is complete needs none.
    pub fn finish(&mut self, scene: &Scene, outcome: &Outcome) -> Result<(RunReport, String), SessionError> {
        let ended = match &outcome.ended {
            None => {
                let flushed = self.trajectory.flush().and_then(|()| self.measures.flush());
                flushed.and_then(|()| std::fs::remove_file(Snapshot::path(self.folder.path())))
            }
            Some(Ended::Interrupted { .. }) => {
                self.save(outcome.steps, &outcome.state, outcome.failures, outcome.halved_steps)
            }
            // A disk that is full has said so already.
            Some(_) => self.trajectory.flush().and_then(|()| self.measures.flush()).or(Ok(())),
        };
        let report = RunReport::new(scene, outcome, &self.summary, self.seconds());
        let text =
            serde_json::to_string_pretty(&report).map_err(|error| io_error("run.json")(error.into()))? + "\n";
        self.folder.write("run.json", &text).map_err(|error| io_error("run.json")(io::Error::other(error)))?;
        ended.map_err(io_error("the tables of the run"))?;
        Ok((report, text))
    }
}

impl Observer for Session {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.summary.observe(frame)?;
        let due = frame.step.is_multiple_of(self.every);
        let recorded = if due { self.record(frame) } else { Ok(()) };
        recorded.map_err(|error| format!("the tables in {}: {error}", self.folder.path().display()))?;
        // The clock is looked at now and then only: a look costs as much as a small step.
        if frame.step.is_multiple_of(256) && (frame.step == 0 || self.saved.elapsed() >= self.pause) {
            let place = Snapshot::path(self.folder.path());
            let saved = self.save(frame.step, frame.state, frame.failures, frame.halved_steps);
            saved.map_err(|error| format!("{}: {error}", place.display()))?;
        }
        Ok(())
    }
}
