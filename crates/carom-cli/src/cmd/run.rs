//! `carom run SCENE`.

mod table;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carom::observe::Observer;
use carom::run::{Ended, Grid, Outcome, Run};
use carom::steppers::Stepper;
use carom::system::System;
use carom_io::document::Source;
use carom_io::folder::RunFolder;
use carom_io::html_report::HtmlReport;
use carom_io::recording::{Session, Snapshot};
use carom_io::scene::Scene;
use clap::Args as ClapArgs;
use serde_json::Value;

use crate::fail::Fail;
use crate::input::{SceneArgs, SceneError, out_folder, refuse};
use crate::interrupt;
use crate::print;
use crate::progress::Progress;

/// Options of `run`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Go on with the run in this folder, bit for bit as if it had not been cut off (takes no SCENE)
    #[arg(long, value_name = "RUN", exclusive = false,
          conflicts_with_all = ["scene", "method", "step", "until", "steps", "every", "interval", "set", "out"])]
    resume: Option<PathBuf>,
    /// Folder of the run; an earlier run there is replaced, anything else is refused [default: runs/SCENE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds between the snapshots that --resume goes on from
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, value_parser = pause)]
    snapshot: f64,
    /// One JSON document on standard output, everything else on standard error
    #[arg(long)]
    json: bool,
    /// No progress, no report
    #[arg(long)]
    quiet: bool,
    /// Threads to use; the result does not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

fn pause(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..1e9).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds from 0 on is needed".into()),
    }
}

/// A run that can be started or gone on with.
struct Prepared {
    scene: Scene,
    folder: RunFolder,
    /// Where to go on from.
    from: Option<Snapshot>,
}

/// Simulates a scene.
pub fn run(args: &Args) -> Result<(), Fail> {
    let Prepared { scene, folder, from } = match &args.resume {
        None => start(args)?,
        Some(path) => resume(path, args)?,
    };
    let mut stepper = stepper(&scene, from.as_ref())?;
    let (pause, events) = (Duration::from_secs_f64(args.snapshot), stepper.locates_events());
    let mut session = match &from {
        None => {
            let session = Session::start(&scene, folder, pause, events);
            session.map_err(|error| Fail::Failed(format!("error: {error}")))?
        }
        Some(snapshot) => {
            let refused = |error: &dyn Display| refuse(args.json, "--resume", error.to_string());
            let session = Session::resume(&scene, folder, pause, events, snapshot);
            let session = session.map_err(|error| refused(&error))?;
            session.folder().remove_made().map_err(|error| refused(&error))?;
            session
        }
    };
    let mut progress = Progress::new(scene.run.steps, args.quiet);
    let outcome = simulate(&scene, &mut *stepper, from, &mut [&mut session, &mut progress])?;
    progress.finish();
    let finished = session.finish(&outcome);
    let (report, text) = finished.map_err(|error| Fail::Failed(format!("error: {error}")))?;
    let page = write_report(&scene, &text, session.folder());
    let printed = if args.json {
        print::out(&text)
    } else if !args.quiet && (outcome.steps > 0 || outcome.ended.is_none()) {
        print::out(&table::table(&scene, &report, session.folder()))
    } else {
        Ok(())
    };
    match &outcome.ended {
        None => printed.and(page),
        // What ended the run, a full disk perhaps, is the news; the page can be made again.
        Some(ended) => {
            let folder = session.folder().path().display();
            let (made, all, t) = (outcome.steps, scene.run.steps, outcome.state.t);
            let hint = match ended {
                Ended::Interrupted { .. } => format!("; go on with: carom run --resume {folder}"),
                _ => String::new(),
            };
            Err(Fail::Failed(format!("error: {ended}\nkept: {made} of {all} steps, to t = {t}, in {folder}{hint}")))
        }
    }
}

fn start(args: &Args) -> Result<Prepared, Fail> {
    let scene = args.scene.read(args.json)?;
    let folder = RunFolder::create(&out_folder(&args.out, &scene))
        .map_err(|error| refuse(args.json, "--out", error.to_string()))?;
    let failed = |error: &dyn Display| Fail::Failed(format!("error: {error}"));
    folder.write_scene(&scene.to_toml()).map_err(|error| failed(&error))?;
    Ok(Prepared { scene, folder, from: None })
}

fn resume(path: &Path, args: &Args) -> Result<Prepared, Fail> {
    let refused = |error: String| refuse(args.json, "--resume", error);
    let (folder, text) = RunFolder::open(path).map_err(|error| refused(error.to_string()))?;
    let snapshot = Snapshot::load(path).map_err(|error| {
        let reason = if Snapshot::path(path).exists() { error.to_string() } else { without_snapshot(path) };
        refused(format!("{}: there is nothing to go on from: {reason}", path.display()))
    })?;
    let source = Source::new(path.join("scene.toml").display().to_string(), text);
    let scene = Scene::read(&snapshot.name, &source, &[]).map_err(|found| SceneError::Wrong(found, source))?;
    Ok(Prepared { scene, folder, from: Some(snapshot) })
}

/// Why the run in a folder has no snapshot.
fn without_snapshot(path: &Path) -> String {
    let text = std::fs::read_to_string(path.join("run.json")).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    match (report["complete"].as_bool(), report["ended"].as_str()) {
        (Some(true), _) => "the run is complete".into(),
        (_, Some(ended)) => format!("there is no snapshot of the run, which ended early: {ended}"),
        _ => "there is no snapshot of the run".into(),
    }
}

/// The step, as it was at the snapshot if there is one.
fn stepper(scene: &Scene, from: Option<&Snapshot>) -> Result<Box<dyn Stepper<dyn System>>, Fail> {
    let start = from.map_or(&scene.problem.initial, |snapshot| &snapshot.state);
    let stepper = scene.method.stepper(&*scene.problem.system, start);
    let mut stepper = stepper.map_err(|refusal| Fail::Input(format!("error: {refusal}")))?;
    if let Some(snapshot) = from {
        stepper.recall(&snapshot.memory);
    }
    Ok(stepper)
}

fn simulate(
    scene: &Scene,
    stepper: &mut dyn Stepper<dyn System>,
    from: Option<Snapshot>,
    observers: &mut [&mut dyn Observer],
) -> Result<Outcome, Fail> {
    let stop = interrupt::flag()?;
    stepper.heed(&stop);
    let (problem, settings) = (&scene.problem, &scene.run);
    let system = &*problem.system;
    let grid = Grid { t0: problem.initial.t, h: settings.h, steps: settings.steps };
    let run = Run { system, stepper, grid, on_failure: settings.on_failure };
    Ok(match from {
        None => run.go(problem.initial.clone(), observers, &stop),
        Some(Snapshot { step, state, failures, halved_steps, .. }) => {
            let outcome = Outcome { state, steps: step, failures, halved_steps, ended: None };
            run.go_on(outcome, observers, &stop)
        }
    })
}

/// Writes `report.html`.
fn write_report(scene: &Scene, run: &str, folder: &RunFolder) -> Result<(), Fail> {
    let failed = |error: &dyn Display| Fail::Failed(format!("error: report.html: {error}"));
    let run = serde_json::from_str(run).map_err(|error| failed(&error))?;
    let report = HtmlReport::new(scene, &run, folder.path()).map_err(|error| failed(&error))?;
    folder.write("report.html", report.html).map_err(|error| failed(&error))
}
