//! `carom order SCENE`.

mod figure;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use carom::error::told;
use carom::state::State;
use carom::study::{Level, Reference, Study, StudyError, order};
use carom_io::estimate::{PART, seconds_per_step};
use carom_io::folder::ended_run;
use carom_io::recording::examine;
use carom_io::report::RunReport;
use carom_io::scene::Scene;
use carom_io::trial::Trial;
use clap::Args as ClapArgs;
use figure::OrderFigure;
use serde_json::{Value, json};

use crate::consent::{self, Consent, Cost};
use crate::fail::Fail;
use crate::figure_file::FigureFile;
use crate::hint;
use crate::input::{SceneArgs, helped};
use crate::numbers;
use crate::print;
use crate::strict;
use crate::threads::Threads;

/// Options of `order`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Step lengths: the scene's, and each half of the one before
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true, value_parser = numbers::whole::<u32>(2, 20))]
    levels: u32,
    /// A run folder whose last state is the reference; without it the method itself with finer steps, extrapolated
    #[arg(long, value_name = "RUN")]
    reference: Option<PathBuf>,
    /// Add the work: linear systems and seconds
    #[arg(long)]
    work: bool,
    /// Draw errors over step lengths (with --work over time too) into this file, .svg or .png
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// End with 1 when the run of a level cannot be trusted
    #[arg(long)]
    strict: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    consent: Consent,
}

/// How much finer the reference is than the finest level.
const FINER: u64 = 8;
/// The most steps of a run, as in a scene.
const MOST_STEPS: f64 = 1e15;

/// Studies the convergence of a scene's method.
pub fn run(args: &Args) -> Result<(), Fail> {
    // Before anything is computed: a name that cannot be written is known now.
    let file = FigureFile::of(args.figure.as_deref(), args.json)?;
    file.map_or(Ok(()), |file| file.has_place(args.json))?;
    let mut scene = args.scene.read_with(args.json, &args.threads.team())?;
    let (steps, h) = (scene.run.steps, scene.run.h);
    if steps == 0 {
        return Err(Fail::Input("error: the scene's run has no steps: give --until or --steps".into()));
    }
    let reference = match &args.reference {
        None => Reference::Fine(FINER),
        Some(folder) => Reference::Given(last_state(folder).map_err(|message| {
            let help = helped(hint::run_folder(folder).filter(|_| !folder.exists()));
            Fail::Input(format!("error: --reference: {}: {message}{help}", folder.display()))
        })?),
    };
    settle(&scene, &reference, args)?;
    let span = (steps as f64 * h, steps, args.levels);
    let study = order(&scene.problem, &scene.method, span, &reference).map_err(|error| match error {
        StudyError::Refused(_) | StudyError::Reference { .. } => Fail::Input(format!("error: {error}")),
        StudyError::Step { .. } => Fail::Failed(format!("error: {error}")),
    })?;
    let levels = &study.levels;
    let reports = trials(&mut scene, levels)?;
    let named = || levels.iter().zip(&reports).map(|(level, report)| (format!("h = {}", told(level.h)), report));
    let claimed = scene.method.claims().order;
    if let Some(file) = &file {
        let title = format!("{} with {}", scene.name, scene.method.name());
        file.write(&OrderFigure { title, levels, claimed, work: args.work }.figure())?;
    }
    if args.json {
        let rows: Vec<Value> = levels.iter().zip(&reports).map(row).collect();
        let failed: Vec<Value> = study
            .failed
            .iter()
            .map(|level| json!({ "steps": level.steps, "h": level.h, "error": level.error.to_string() }))
            .collect();
        let document = json!({
            "scene": scene.name,
            "method": scene.method.name(),
            "claimed_order": claimed,
            "observed_order": study.observed,
            "shown": study.observed.map(|observed| shows(observed, claimed)),
            "levels": rows,
            "failed": failed,
        });
        print::json(&document)?;
    } else {
        let distrusted = strict::summary(levels.len(), named()).map_or_else(String::new, |found| found + "\n");
        print::out(&(text(args, &scene, &study) + &distrusted))?;
    }
    file.map_or(Ok(()), |file| file.tell(args.json)).and(strict::runs(args.strict, levels.len(), named()))
}

/// What is printed for a reader.
fn text(args: &Args, scene: &Scene, study: &Study) -> String {
    let against = match &args.reference {
        None => format!("the same method with {FINER} times finer steps than the last, extrapolated"),
        Some(folder) => folder.display().to_string(),
    };
    let t = scene.problem.initial.t + scene.run.steps as f64 * scene.run.h;
    let (name, method, claims) = (&scene.name, scene.method.name(), scene.method.claims());
    let head = format!("{name} with {method} to t = {}, against {against}\n\n", print::short(t));
    let contacts = scene.problem.system.contacts().count() > 0;
    let limit = match claims.through_impacts {
        _ if !contacts => "",
        true => " through impacts too, as long as the motion is not chaotic",
        false => " between impacts; through them errors are of first order and scatter",
    };
    let failed = study.failed.iter().map(|level| {
        let text = format!("h = {}, {} steps, failed: {}", print::short(level.h), level.steps, level.error);
        print::wrapped(&text, 2, 4)
    });
    let failed = failed.collect::<String>();
    let verdict = match study.observed {
        None => "fewer than two levels have errors above round-off: no order can be seen.".to_string(),
        Some(observed) if shows(observed, claims.order) => format!("the last levels show {observed:.2}."),
        Some(observed) => format!(
            "NOT SHOWN here: the last levels show {observed:.2}. Steps may be too long still, the motion chaotic{}, or the reference no better than \
             the levels.",
            if contacts { ", impacts between" } else { "" }
        ),
    };
    let verdict = print::wrapped(&format!("{method} claims order {}{limit}; {verdict}", claims.order), 0, 2);
    head + &table(&study.levels, args.work) + &failed + "\n" + &verdict
}

/// How far below the claimed order the slope of a few levels may be that show it.
const CLOSE: f64 = 0.25;

fn shows(observed: f64, claimed: u32) -> bool {
    observed > f64::from(claimed) - CLOSE
}

/// Refuses steps that cannot be counted, and asks before a study that is long.
fn settle(scene: &Scene, reference: &Reference, args: &Args) -> Result<(), Fail> {
    let finest = scene.run.steps as f64 * f64::from(1_u32 << (args.levels - 1));
    let (finer, of_reference) = match reference {
        // The reference and, to extrapolate it, one of twice the step.
        Reference::Fine(finer) => (*finer as f64, 1.5 * *finer as f64 * finest),
        Reference::Given(_) => (1.0, 0.0),
    };
    if finer * finest > MOST_STEPS {
        return Err(Fail::Input(format!(
            "error: --levels {}: from {} steps on, the finest run would have {:.1e} steps; the limit is {MOST_STEPS:.0e}: take fewer levels, \
             longer steps or an earlier end",
            args.levels,
            scene.run.steps,
            finer * finest
        )));
    }
    // Every level once for its time, and once for its report.
    let all = 2.0 * (2.0 * finest - scene.run.steps as f64) + of_reference;
    let each = seconds_per_step(&scene.problem, &scene.method, scene.run.h, all as u64 / PART);
    let seconds = each.map(|each| each * all);
    Cost {
        what: "study",
        scene: scene.name.clone(),
        disk: 0.0,
        free: None,
        memory: consent::memory(),
        seconds,
        details: format!("{all:.1e} steps"),
        later_contacts: false,
        remedies: "take fewer --levels, longer steps or an earlier end (--until, --steps)",
    }
    .settle(&args.consent, args.json)
}

/// Reports of runs with the steps of every level, made again: those of the study are timed, without observers.
fn trials(scene: &mut Scene, levels: &[Level]) -> Result<Vec<RunReport>, Fail> {
    let (h, steps, stop) = (scene.run.h, scene.run.steps, AtomicBool::new(false));
    let mut run = |level: &Level| {
        (scene.run.h, scene.run.steps) = (level.h, level.steps);
        let trial =
            Trial::run(scene, &mut [], &stop).map_err(|refusal| Fail::Input(format!("error: {refusal}")))?;
        Ok(trial.report(scene))
    };
    let reports = levels.iter().map(&mut run).collect();
    (scene.run.h, scene.run.steps) = (h, steps);
    reports
}

fn row((level, report): (&Level, &RunReport)) -> Value {
    json!({
        "steps": level.steps,
        "h": level.h,
        "error_q": level.error_q,
        "error_p": level.error_p,
        "slope_q": level.slope.map(|slope| slope.0).filter(|slope| slope.is_finite()),
        "slope_p": level.slope.map(|slope| slope.1).filter(|slope| slope.is_finite()),
        "iterations": level.iterations,
        "seconds": level.seconds,
        "trustworthy": report.trustworthy,
        "findings": report.findings,
    })
}

fn table(levels: &[Level], work: bool) -> String {
    let mut heads = vec!["  steps", "h", "error in q", "slope", "error in p", "slope"];
    if work {
        heads.extend(["linear systems", "ms"]);
    }
    let mut rows = vec![heads.into_iter().map(String::from).collect::<Vec<_>>()];
    for level in levels {
        let slope = |pick: fn((f64, f64)) -> f64| match level.slope.map(pick) {
            None => String::new(),
            Some(slope) if slope.is_finite() => format!("{slope:.3}"),
            Some(_) => "–".into(),
        };
        let mut cells = vec![
            format!("  {}", level.steps),
            format!("{:.4e}", level.h),
            format!("{:.3e}", level.error_q),
            slope(|slope| slope.0),
            format!("{:.3e}", level.error_p),
            slope(|slope| slope.1),
        ];
        if work {
            cells.extend([level.iterations.to_string(), format!("{:.3}", level.seconds * 1e3)]);
        }
        rows.push(cells);
    }
    print::table(&rows, 2)
}

/// The last state of a run.
fn last_state(folder: &Path) -> Result<State, String> {
    if !folder.is_dir() {
        return Err("there is no such folder".into());
    }
    let report = ended_run(folder).map_err(|error| error.to_string())?;
    examine(folder).map_err(|error| error.to_string())?;
    let report = report.ok_or("run.json is missing: the run goes on, or was cut off")?;
    let numbers =
        |key: &str| -> Option<Vec<f64>> { report["final"][key].as_array()?.iter().map(Value::as_f64).collect() };
    match (report["t"].as_f64(), numbers("q"), numbers("p")) {
        (Some(t), Some(q), Some(p)) if report["complete"] == true => Ok(State { t, q, p }),
        (Some(_), Some(_), Some(_)) => Err("the run is not complete".into()),
        _ => Err("it has no last state".into()),
    }
}
