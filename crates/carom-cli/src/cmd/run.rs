//! `carom run SCENE`.

mod table;

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use carom::error::told;
use carom::measures::Conservation;
use carom::observe::Observer;
use carom::run::{Ended, Grid, Outcome, Run};
use carom::state::State;
use carom::steppers::Stepper;
use carom::system::System;
use carom_io::document::Source;
use carom_io::estimate::{Budget, Estimate};
use carom_io::folder::{FolderError, RunFolder, SCENE, ended_run};
use carom_io::html_report::HtmlReport;
use carom_io::recording::{Session, SessionError, Snapshot, examine, tables, verify};
use carom_io::scene::Scene;
use clap::Args as ClapArgs;

use crate::consent::{self, Consent};
use crate::fail::Fail;
use crate::hint;
use crate::input::{SceneArgs, SceneError, out_folder, refuse, refuse_with};
use crate::interrupt;
use crate::numbers;
use crate::print;
use crate::progress::Progress;
use crate::strict;
use crate::threads::Threads;

/// The page of a run in its folder.
const PAGE: &str = "report.html";

/// Options of `run`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Go on with the run in this folder, bit for bit as if it had not been cut off (takes no SCENE)
    #[arg(long, value_name = "RUN", exclusive = false,
          conflicts_with_all = ["scene", "method", "step", "until", "steps", "every", "interval", "measures", "set", "out"])]
    resume: Option<PathBuf>,
    /// Folder of the run; an earlier run there is replaced, anything else is refused [default: runs/SCENE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seconds between the snapshots that --resume goes on from
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, allow_negative_numbers = true, value_parser = numbers::seconds)]
    snapshot: f64,
    /// One JSON document on standard output, everything else on standard error
    #[arg(long)]
    json: bool,
    /// No progress, no report
    #[arg(long)]
    quiet: bool,
    /// End with 1 when the run cannot be trusted; everything is kept
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    consent: Consent,
}

/// Simulates a scene.
pub fn run(args: &Args) -> Result<(), Fail> {
    match &args.resume {
        None => start(args),
        Some(path) => resume(path, args),
    }
}

fn start(args: &Args) -> Result<(), Fail> {
    let scene = args.scene.read_with(args.json, &args.threads.team())?;
    // A method that refuses the scene leaves an earlier run alone.
    let stepper = stepper(&scene, &scene.problem.initial)?;
    let out = out_folder(&args.out, &scene);
    let estimate = consent::to_run(&scene, None, &out, (&args.consent, args.json))?;
    // Before anything is written: from here on a signal ends the run in order.
    let stop = interrupt::flag()?;
    let mut folder = RunFolder::create(&out).map_err(|error| refuse(args.json, "--out", error.to_string()))?;
    let failed = |error: &dyn Display| Fail::Failed(format!("error: {error}"));
    let tables = tables(&scene, stepper.locates_events());
    folder.write_scene(&scene.to_toml(), &tables).map_err(|error| failed(&error))?;
    if let Some(earlier) = folder.replaced() {
        print::note(&format!("replaced the earlier run in {} ({earlier})", folder.path().display()));
    }
    let pause = Duration::from_secs_f64(args.snapshot);
    let session = Session::start(&scene, folder, pause, stepper.locates_events());
    let session = session.map_err(|error| failed(&error))?;
    simulate(args, &scene, Prepared { stepper, session, from: None, estimate }, &stop)
}

/// Goes on from the last snapshot whose data are whole.
fn resume(path: &Path, args: &Args) -> Result<(), Fail> {
    let refused = |error: String| refuse(args.json, "--resume", error);
    let unheld = |error: FolderError| {
        refuse_with(args.json, "--resume", error.to_string(), hint::run_folder(path).filter(|_| !path.exists()))
    };
    let hold = || RunFolder::hold(path).map_err(unheld);
    let (folder, text) = hold()?;
    let snapshots = snapshots(path).map_err(|why| refused(format!("{}: {why}", path.display())))?;
    let source = Source::new(path.join(SCENE).display().to_string(), text);
    let mut problems: Vec<String> = Vec::new();
    let (mut held, mut agreed, team) = (Some(folder), None, args.threads.team());
    for (file, snapshot) in snapshots {
        let snapshot = match snapshot {
            Ok(snapshot) => snapshot,
            Err(why) => {
                problems.push(format!("{file}: {why}"));
                continue;
            }
        };
        let scene = Scene::read_with(&snapshot.name, &source, &[], &team);
        let scene = scene.map_err(|found| SceneError::Wrong(found, source.clone()))?;
        let folder = match held.take() {
            Some(folder) => folder,
            None => hold()?.0,
        };
        let stepper = match verified(&scene, &snapshot) {
            Err(why) => {
                problems.push(format!("{file}: {why}"));
                continue;
            }
            Ok(stepper) => stepper,
        };
        let estimate = match agreed.take() {
            Some(estimate) => estimate,
            None => consent::to_run(&scene, Some(&snapshot), path, (&args.consent, args.json))?,
        };
        // Before anything is written.
        let stop = interrupt::flag()?;
        let pause = Duration::from_secs_f64(args.snapshot);
        match Session::resume(&scene, folder, pause, stepper.locates_events(), &snapshot) {
            Err(why) => {
                problems.push(format!("{file}: {why}"));
                agreed = Some(estimate);
            }
            Ok(session) => {
                let prepared = Prepared { stepper, session, from: Some(snapshot), estimate };
                if !problems.is_empty() {
                    let problems = problems.join("; ");
                    print::note(&format!("{}: {problems}; resumed from {file}", path.display()));
                }
                return simulate(args, &scene, prepared, &stop);
            }
        }
    }
    let problems = problems.join("; ");
    Err(refused(format!("{}: cannot be resumed: {problems}{}", path.display(), from_the_start(path))))
}

/// A file and the snapshot in it, or why it cannot be read.
type Found = (&'static str, Result<Snapshot, String>);

/// The snapshots of a run that is not complete, the last first.
fn snapshots(path: &Path) -> Result<Vec<Found>, String> {
    // A process that was killed when all was written may have left snapshots.
    let complete = ended_run(path).is_ok_and(|report| report.is_some_and(|report| report["complete"] == true));
    if complete {
        Snapshot::remove(path).map_err(|error| error.to_string())?;
    }
    let snapshots = Snapshot::all(path);
    if snapshots.is_empty() {
        let (reason, remedy) = without_snapshot(path);
        return Err(format!("no snapshot to resume from: {reason}{remedy}"));
    }
    Ok(snapshots)
}

/// What always remains where a run cannot be resumed.
fn from_the_start(path: &Path) -> String {
    let path = path.display();
    format!("; carom run {path}/scene.toml --out OTHER makes the run from its start, with the same bits")
}

/// A run that can go on, with all that it goes on from.
struct Prepared<'a> {
    stepper: Box<dyn Stepper<dyn System>>,
    session: Session<'a>,
    from: Option<Snapshot>,
    estimate: Estimate,
}

/// The step as it was at a snapshot, if that fits the scene.
fn verified(scene: &Scene, from: &Snapshot) -> Result<Box<dyn Stepper<dyn System>>, String> {
    if !from.is_of(scene) {
        return Err(SessionError::OtherScene.to_string());
    }
    from.check(scene).map_err(|error| error.to_string())?;
    let stepper = scene.method.stepper(&*scene.problem.system, &from.state);
    let mut stepper = stepper.map_err(|refusal| refusal.to_string())?;
    stepper.recall(&from.memory).map_err(|error| error.to_string())?;
    Ok(stepper)
}

/// Why the run in a folder has no snapshot, and what helps.
fn without_snapshot(path: &Path) -> (String, String) {
    let reason = match ended_run(path) {
        Ok(Some(report)) if report["complete"] == true => {
            if let Err(error) = verify(path) {
                return (format!("the run is complete, but {error}"), from_the_start(path));
            }
            let page = path.join(PAGE);
            let there = fs::symlink_metadata(&page).is_ok();
            let remedy = format!("; {} is missing: carom report {} makes it", page.display(), path.display());
            return ("the run is complete".into(), if there { String::new() } else { remedy });
        }
        Ok(Some(report)) => {
            let ended = report["ended"].as_str().unwrap_or("it does not say why");
            format!("the run ended early: {ended}")
        }
        Ok(None) => {
            "it has neither a snapshot nor run.json: one was removed, or the run killed before it recorded anything"
                .into()
        }
        Err(error) => error.to_string(),
    };
    (reason, from_the_start(path))
}

/// The step, from the start.
fn stepper(scene: &Scene, start: &State) -> Result<Box<dyn Stepper<dyn System>>, Fail> {
    let stepper = scene.method.stepper(&*scene.problem.system, start);
    stepper.map_err(|refusal| Fail::Input(format!("error: {refusal}")))
}

/// Runs to the end and reports.
fn simulate(args: &Args, scene: &Scene, prepared: Prepared, stop: &Arc<AtomicBool>) -> Result<(), Fail> {
    let Prepared { mut stepper, mut session, from, estimate } = prepared;
    let conserved = Conservation::of(&scene.method, &*scene.problem.system).holds();
    let mut progress = Progress::new(scene.run.steps, args.quiet, conserved);
    let mut budget = Budget::new(&estimate, session.folder().path(), stop);
    let observers: &mut [&mut dyn Observer] = &mut [&mut session, &mut progress, &mut budget];
    let outcome = steps(scene, &mut *stepper, from, observers, stop);
    progress.finish();
    let shown = session.folder().path().display().to_string();
    let hint = || format!("; go on with: carom run --resume {shown}");
    let (report, text) = session.finish(&outcome).map_err(|error| {
        let hint = match &error {
            SessionError::Folder(FolderError::Lost { now, .. }) => now
                .as_ref()
                .map_or_else(String::new, |now| format!("; go on with: carom run --resume {}", now.display())),
            _ => hint(),
        };
        Fail::Failed(format!("error: {error}{hint}"))
    })?;
    if outcome.ended.is_none() {
        examine(session.folder().path()).map_err(|error| {
            Fail::Failed(format!(
                "error: {shown}: {error}: files of the run were removed or changed while it ran, and what they held is lost; what is left can be \
                 read with carom export {shown}"
            ))
        })?;
    }
    let page = write_report(scene, &text, session.folder());
    let printed = if args.json {
        print::document(&text)
    } else if !args.quiet && outcome.steps == 0 && outcome.ended.is_some() {
        // Of no step there are no figures; why it cannot be trusted is said all the same.
        print::out(&report.reasons().next().map_or_else(String::new, |_| table::head(scene, &report)))
    } else if !args.quiet {
        print::out(&table::table(scene, &report, session.folder()))
            .and_then(|()| page.as_ref().map_or(Ok(()), |()| open(session.folder())))
    } else {
        Ok(())
    };
    match &outcome.ended {
        None => printed.and(page).and(strict::run(args.strict, &report, session.folder().path())),
        // What ended the run, a full disk perhaps, is the news; the page can be made again.
        Some(ended) => {
            let (made, all, t) = (outcome.steps, scene.run.steps, told(outcome.state.t));
            let hint = if matches!(ended, Ended::Interrupted { .. }) { hint() } else { String::new() };
            let reason = budget.exceeded().unwrap_or_else(|| ended.to_string());
            Err(Fail::Failed(format!("error: {reason}\nkept: {made} of {all} steps, to t = {t}, in {shown}{hint}")))
        }
    }
}

/// The steps of a run, from its start or from a snapshot.
fn steps(
    scene: &Scene,
    stepper: &mut dyn Stepper<dyn System>,
    from: Option<Snapshot>,
    observers: &mut [&mut dyn Observer],
    stop: &Arc<AtomicBool>,
) -> Outcome {
    stepper.heed(stop);
    let (problem, settings) = (&scene.problem, &scene.run);
    let system = &*problem.system;
    let grid = Grid { t0: problem.initial.t, h: settings.h, steps: settings.steps };
    let run = Run { system, stepper, grid, on_failure: settings.on_failure };
    match from {
        None => run.go(problem.initial.clone(), observers, stop),
        Some(Snapshot { step, state, failures, halved_steps, .. }) => {
            let outcome = Outcome { state, steps: step, failures, halved_steps, ended: None };
            run.go_on(outcome, observers, stop)
        }
    }
}

/// Says what to open.
fn open(folder: &RunFolder) -> Result<(), Fail> {
    print::out(&format!("open {}\n", folder.path().join(PAGE).display()))
}

/// Writes `report.html`.
fn write_report(scene: &Scene, run: &str, folder: &RunFolder) -> Result<(), Fail> {
    let failed = |error: &dyn Display| Fail::Failed(format!("error: report.html: {error}"));
    let run = serde_json::from_str(run).map_err(|error| failed(&error))?;
    folder.check().map_err(|error| failed(&error))?;
    let report = HtmlReport::new(scene, &run, folder.path()).map_err(|error| failed(&error))?;
    folder.write(PAGE, report.html).map_err(|error| failed(&error))
}
