//! `carom run SCENE`.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

use carom::measures::{Account, Role};
use carom::observe::Observer;
use carom::run::{Ended, Grid, Outcome, Run};
use carom::steppers::Stepper;
use carom::system::System;
use carom_io::document::Source;
use carom_io::folder::RunFolder;
use carom_io::html_report::HtmlReport;
use carom_io::recording::{Session, Snapshot};
use carom_io::report::RunReport;
use carom_io::scene::Scene;
use clap::Args as ClapArgs;
use serde_json::Value;

use crate::fail::Fail;
use crate::input::{SceneArgs, SceneError, out_folder, refuse};
use crate::interrupt;
use crate::print::{self, duration, short};
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
        print::out(&table(&scene, &report, session.folder()))
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

/// The structure report: what was kept, what was not, in numbers.
fn table(scene: &Scene, report: &RunReport, folder: &RunFolder) -> String {
    let title = scene.title.as_ref().map_or_else(String::new, |title| format!(": {title}"));
    let mut text = format!("{}{title}\n", report.scene);
    let rate =
        report.steps_per_second.map_or_else(String::new, |rate| format!(", {} steps/s", short(rate.round())));
    text.push_str(&format!(
        "{} with h = {}: {} step{} to t = {} in {}{rate}\n\n",
        report.method,
        short(report.h),
        report.steps,
        if report.steps == 1 { "" } else { "s" },
        short(report.t),
        duration(report.wall_seconds)
    ));
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: String, meaning: String| rows.push(vec![format!("  {name}"), value, meaning]);
    let energy = &report.energy;
    row("energy", short(energy.initial), "at the start".into());
    row(
        "  range",
        format!("{:+.2e} … {:+.2e}", energy.min - energy.initial, energy.max - energy.initial),
        "largest departures, looked at in every step".into(),
    );
    if let (Some(slope), Some(error)) = (energy.slope, energy.slope_error) {
        row(
            "  slope",
            // Adding 0 takes the sign from −0.
            format!("{:+.1e} ± {error:.0e}", slope + 0.0),
            format!("per unit of time; {}", drift(scene, report)),
        );
    }
    if let Some(ledger) = report.ledger.as_ref().filter(|ledger| ledger.entered > 0.0 || ledger.left > 0.0) {
        let through = |part: fn(&Account) -> f64| {
            let parts = ledger.sources.iter().filter(|source| part(source) > 0.0);
            parts.map(|source| format!("{} {:.3e}", source.name, part(source))).collect::<Vec<_>>().join(", ")
        };
        row("  entered", format!("{:+.3e}", ledger.entered), through(|source| source.entered));
        let gives = |account: &Account| account.role == Role::Source && account.entered + account.left > 0.0;
        if ledger.sources.iter().any(gives) {
            let meaning = "put in by forces, motors and what moves, less what they took out";
            row("  by sources", format!("{:+.3e}", ledger.from_sources), meaning.into());
        }
        row("  left", format!("{:+.3e}", 0.0 - ledger.left), through(|source| source.left));
        row("  stored", format!("{:+.3e}", ledger.stored), "change of the energy".into());
        let error = format!("integrator error: what no source explains; {:.1e} at most", ledger.error_max);
        row("  unexplained", format!("{:+.1e}", ledger.error), error);
    }
    for symmetry in report.symmetries.iter().flatten() {
        let meaning = if symmetry.holds {
            "largest change of the momentum of this symmetry"
        } else {
            "largest change of its momentum: the scene does not have this symmetry"
        };
        row(&symmetry.name, format!("{:.1e}", symmetry.max_change), meaning.into());
    }
    momentum_row(&mut row, "linear momentum", report.momentum.linear_max_change, &report.momentum.linear_change);
    momentum_row(&mut row, "angular momentum", report.momentum.angular_max_change, &report.momentum.angular_change);
    if let (Some(f), Some(rate)) = (report.constraints.max_equality, report.constraints.max_equality_velocity) {
        row(
            "equalities",
            format!("{f:.1e}"),
            format!("largest violation; {rate:.1e} of the hidden velocity constraints"),
        );
    }
    if let Some(soft) = &report.regularisation {
        let meaning = "by the regularisation: (h²/4 + hτ/2) vᵀHv + ε · force at most";
        row("  expected", format!("{:.1e}", soft.expected_equality), meaning.into());
        row(
            "  soft energy",
            format!(
                "{:+.2e} … {:+.2e}",
                soft.energy.min - soft.energy.initial,
                soft.energy.max - soft.energy.initial
            ),
            format!("departures from {} of the energy with what compliance stores", short(soft.energy.initial)),
        );
    }
    if let Some(depth) = report.constraints.max_penetration {
        row("inequalities", format!("{depth:.1e}"), "largest penetration".into());
    }
    if let (Some(impacts), Some(active)) = (report.impacts, report.active_steps) {
        let captured = match report.captured {
            Some(0) | None => String::new(),
            Some(1) => "; one contact came to rest".into(),
            Some(count) => format!("; {count} times a contact came to rest"),
        };
        let fallbacks = match report.fallbacks {
            Some(0) | None => String::new(),
            Some(count) => format!("; {count} by the fallback of the method"),
        };
        let lowered = match report.restitution_lowered {
            Some(0) | None => String::new(),
            Some(count) => format!("; {count} with a lowered restitution, since friction would have gained energy"),
        };
        let meaning = format!("{active} of {} steps with a contact{captured}{fallbacks}{lowered}", report.steps);
        row("impacts", impacts.to_string(), meaning);
        if let Some(found) = &report.impact_energy {
            let meaning =
                format!("change of the energy in a step with impacts, in the mean; {:+.1e} at worst", found.worst);
            row("  energy", format!("{:+.1e}", found.mean), meaning);
        }
    }
    for watch in report.watches.iter().flatten() {
        let meaning = match (watch.first, watch.last) {
            (Some(first), Some(last)) => {
                format!("crossings of this watch, from t = {} to {}", short(first), short(last))
            }
            _ => "crossings of this watch".into(),
        };
        row(&watch.name, watch.count.to_string(), meaning);
    }
    let solver = &report.solver;
    let mean = solver.iterations_mean.unwrap_or(0.0);
    let iterations = if solver.iterations_max == 0 { "–".into() } else { format!("{mean:.2}") };
    let meaning = match solver.iterations_max {
        0 if report.steps == 0 => "no step was made".into(),
        0 if scene.problem.system.equalities() > 0 => "no step needed a correction".into(),
        0 => "explicit: no equations to solve".into(),
        most => format!("iterations per step, {most} at most; worst residual {:.1e}", solver.worst_residual),
    };
    row("solver", iterations, meaning);
    row(
        "files",
        folder.path().display().to_string(),
        "report.html, run.json, scene.toml, trajectory and measures".into(),
    );
    text.push_str(&print::columns(&rows));
    for note in &report.notes {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

/// What the slope of the energy says.
fn drift(scene: &Scene, report: &RunReport) -> String {
    /// Fewer steps say nothing about a drift.
    const FEWEST_STEPS: u64 = 50;
    /// A trend below this, relative to the energy, is what sums of doubles leave.
    const ROUND_OFF: f64 = 1e-11;
    /// Beyond that no slope says anything.
    const MILLION: f64 = 1e6;
    let system = &scene.problem.system;
    let (slope, error) = (report.energy.slope.unwrap_or(0.0), report.energy.slope_error.unwrap_or(0.0));
    if system.forces().is_some() || system.depends_on_time() {
        "this scene does not conserve energy".into()
    } else if report.steps < FEWEST_STEPS {
        "too few steps to speak of drift".into()
    } else if report.energy.initial != 0.0
        && report.energy.max - report.energy.min > MILLION * report.energy.initial.abs()
    {
        "the energy changed by more than a million times what it was at the start".into()
    } else if slope.abs() * report.t.abs() <= ROUND_OFF * report.energy.initial.abs().max(report.energy.max.abs()) {
        "no drift: round-off".into()
    } else if slope.abs() <= 3.0 * error {
        "no drift: 0 within 3 standard errors".into()
    } else {
        format!("{:.0} standard errors from 0", slope.abs() / error)
    }
}

fn momentum_row(
    row: &mut impl FnMut(&str, String, String),
    name: &str,
    conserved: Option<f64>,
    change: &Option<Vec<f64>>,
) {
    match (conserved, change) {
        (Some(largest), _) => {
            row(name, format!("{largest:.1e}"), "largest change of the conserved components".into())
        }
        (None, Some(_)) => row(name, "–".into(), "not conserved by this scene".into()),
        (None, None) => {}
    }
}
