//! `carom sweep SCENE --vary key=a:b:n`.

mod cost;
mod figure;
mod plan;
mod table;
mod work;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;
use std::time::Instant;

use carom::run::Ended;
use carom_io::document::{Diagnostic, Edit, Source};
use carom_io::folder::SweepFolder;
use carom_io::report::RunReport;
use carom_io::scene::Scene;
use carom_io::trial::Trial;
use clap::Args as ClapArgs;
use figure::{Last, Part};
use plan::{Plan, Point};
use serde::{Serialize, Serializer};
use serde_json::json;
use work::Work;

use crate::consent::Consent;
use crate::fail::Fail;
use crate::figure_file::FigureFile;
use crate::input::{SceneArgs, SceneError, refuse};
use crate::interrupt;
use crate::numbers;
use crate::print::{self, duration};
use crate::progress::SweepProgress;
use crate::strict;

/// Options of `sweep`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Values of a key: n of them from a to b, both ends included, or a list (repeatable: the grid of all)
    #[arg(long, value_name = "KEY.PATH=A:B:N|V1,V2", required = true)]
    vary: Vec<String>,
    /// Instead of the grid run N random points; ranges are then written a:b
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::whole::<u32>(1, u64::from(u32::MAX)))]
    sample: Option<u32>,
    /// Seed of the random points [default: 0]
    #[arg(long, value_name = "S", requires = "sample", allow_negative_numbers = true, value_parser = numbers::whole::<u64>(0, u64::MAX))]
    seed: Option<u64>,
    /// Folder of the table; an earlier sweep there is replaced, anything else is refused [default: runs/sweep-SCENE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Draw the range of the energy over the varied key into this file, .svg or .png
    #[arg(long, value_name = "FILE")]
    figure: Option<PathBuf>,
    /// Draw a dot for the end of each run instead, over the first key: q.NAME, v.NAME or p.NAME of a coordinate
    #[arg(long, value_name = "COLUMN", requires = "figure")]
    draw: Option<String>,
    /// One JSON document on standard output, everything else on standard error
    #[arg(long)]
    json: bool,
    /// No progress, no table
    #[arg(long)]
    quiet: bool,
    /// End with 1 when a run cannot be trusted; everything is kept
    #[arg(long)]
    strict: bool,
    /// Threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::whole::<u16>(1, 65535))]
    threads: Option<u16>,
    #[command(flatten)]
    consent: Consent,
}

/// A run that has ended.
struct Row {
    point: Point,
    report: RunReport,
}

/// The document of `carom sweep --json`, and `sweep.json`.
#[derive(Serialize)]
struct Document<'a> {
    /// First, so that the folder is known as that of a sweep.
    carom: &'static str,
    scene: &'a str,
    /// `null` if the runs have several.
    method: Option<&'static str>,
    vary: &'a [&'a str],
    sample: Option<u32>,
    seed: Option<u64>,
    /// Of the whole sweep; more than `runs` has if it was interrupted.
    points: usize,
    #[serde(serialize_with = "runs")]
    runs: &'a [Row],
    threads: usize,
    wall_seconds: f64,
}

fn runs<S: Serializer>(rows: &&[Row], serializer: S) -> Result<S::Ok, S::Error> {
    serializer
        .collect_seq(rows.iter().map(|Row { point, report }| json!({ "point": point.to_json(), "report": report })))
}

/// The scene's text, what the command line changes of it, and the points.
struct Sweep {
    name: String,
    source: Source,
    edits: Vec<Edit>,
    plan: Plan,
    threads: usize,
}

/// Runs a scene at every point.
pub fn run(args: &Args) -> Result<(), Fail> {
    let file = FigureFile::of(args.figure.as_deref(), args.json)?;
    let seed = args.sample.map(|_| args.seed.unwrap_or(0));
    let sample = args.sample.map(|count| count as usize).zip(seed);
    let plan = Plan::new(&args.vary, sample).map_err(|message| refuse(args.json, "--vary", message))?;
    let drawable = if args.draw.is_some() { plan.begins_numeric() } else { plan.is_numeric() };
    if file.is_some() && !drawable {
        let message = match args.draw {
            Some(_) => "it is drawn over the first key: give it numbers",
            None => {
                "it is drawn over one key with numbers: give one --vary of numbers, or say with --draw what the end of runs is to show"
            }
        };
        return Err(refuse(args.json, "--figure", message.to_string()));
    }
    let (name, source) = args.scene.source(args.json)?;
    let cores = || available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or_else(cores, usize::from).min(plan.count());
    let sweep = Sweep { name, source, edits: args.scene.edits(), plan, threads };
    let out = args.out.clone().unwrap_or_else(|| Path::new("runs").join(format!("sweep-{}", sweep.name)));
    sweep.settle(&out, args)?;
    let stop = interrupt::flag()?;
    let drawn = args.draw.as_deref().map(|column| sweep.last(column)).transpose();
    let drawn = drawn.map_err(|message| refuse(args.json, "--draw", message))?;
    sweep.check(&stop, args)?;
    let folder = SweepFolder::create(&out).map_err(|error| refuse(args.json, "--out", error.to_string()))?;

    let begun = Instant::now();
    let rows = sweep.runs(&stop, args.quiet)?;
    let wall_seconds = begun.elapsed().as_secs_f64();

    let keys = sweep.plan.keys();
    let first = rows.first().map(|row| row.report.method);
    let document = Document {
        carom: env!("CARGO_PKG_VERSION"),
        scene: &sweep.name,
        method: first.filter(|&method| rows.iter().all(|row| row.report.method == method)),
        vary: &keys,
        sample: args.sample,
        seed,
        points: sweep.plan.count(),
        runs: &rows,
        threads,
        wall_seconds,
    };
    let title = sweep.title(document.method);
    // A sweep that was interrupted before its first row takes nobody's place.
    let written = match rows.is_empty() {
        true => Ok(()),
        false => folder
            .write(&table::csv(&keys, &rows), &document)
            .map_err(|error| Fail::Failed(format!("error: {error}"))),
    };
    let file = file.filter(|_| !rows.is_empty());
    let figure = || match &drawn {
        Some(last) => figure::ends(&title, keys[0], &rows, last),
        None => figure::figure(&title, keys[0], &rows),
    };
    let drawn = file.map_or(Ok(()), |file| file.write(&figure()));
    let printed = if args.json {
        print::json(&document)
    } else if !args.quiet && !rows.is_empty() {
        let table = table::printed(&keys, &rows);
        print::out(&format!("{title}\n\n{table}\n{}", sweep.summary(&rows, wall_seconds, &folder)))
    } else {
        Ok(())
    };
    // Files that are missing are the news, whether or not a run failed.
    written.and(drawn)?;
    let strict = strict::runs(args.strict, rows.len(), named(&rows));
    let told = file.filter(|_| !args.quiet).map_or(Ok(()), |file| file.tell(args.json));
    sweep.verdict(&rows, &folder).and(printed).and(told).and(strict)
}

/// The reports by their points.
fn named(rows: &[Row]) -> impl Iterator<Item = (String, &RunReport)> {
    rows.iter().map(|row| (row.point.shown(), &row.report))
}

impl Sweep {
    /// The scene at a point.
    fn scene(&self, point: &Point) -> Result<Scene, Vec<Diagnostic>> {
        let edits: Vec<Edit> = self.edits.iter().cloned().chain(point.edits()).collect();
        Scene::read(&self.name, &self.source, &edits)
    }

    /// What of the end of a run a column is, by the scene at the first point.
    fn last(&self, column: &str) -> Result<Last, String> {
        let Ok(scene) = self.scene(&self.plan.point(0)) else {
            // What is wrong with it is told with its place.
            return Ok(Last { name: column.to_string(), part: Part::Place, coordinate: 0 });
        };
        let system = &scene.problem.system;
        let names: Vec<String> = (0..system.dim()).map(|i| system.coordinate_name(i)).collect();
        let parts = [("q.", Part::Place), ("v.", Part::Velocity), ("p.", Part::Momentum)];
        let found = parts.into_iter().find_map(|(head, part)| {
            let coordinate = names.iter().position(|name| Some(name.as_str()) == column.strip_prefix(head))?;
            Some(Last { name: column.to_string(), part, coordinate })
        });
        found.ok_or_else(|| {
            let few: Vec<String> = names.iter().take(5).map(|name| format!("q.{name}")).collect();
            format!("`{column}` is unknown; write q., v. or p. and a coordinate: {}", few.join(", "))
        })
    }

    /// Reads the scene at every point, so that what is wrong with one is known before any is run. The first in the order of
    /// the points is reported, however many threads there are.
    fn check(&self, stop: &AtomicBool, args: &Args) -> Result<(), Fail> {
        let found = AtomicBool::new(false);
        let mut wrong: Option<(usize, Vec<Diagnostic>)> = None;
        let read = |index: usize| {
            let result = self.scene(&self.plan.point(index)).err();
            if result.is_some() || stop.load(Ordering::Relaxed) {
                found.store(true, Ordering::Relaxed);
            }
            result
        };
        let progress = SweepProgress::new(self.plan.count() as u64, "points read", args.quiet);
        let work = Work { count: self.plan.count(), threads: self.threads, stop: &found };
        let ended = work.each(read, |index, result| {
            progress.ended();
            if let Some(problems) = result.filter(|_| wrong.as_ref().is_none_or(|(first, _)| index < *first)) {
                wrong = Some((index, problems));
            }
        });
        progress.finish();
        ended.map_err(|error| self.no_thread(&error))?;
        let Some((index, problems)) = wrong else {
            return match stop.load(Ordering::Relaxed) {
                true => Err(Fail::Failed("error: interrupted before the first run".into())),
                false => Ok(()),
            };
        };
        let point = self.plan.point(index);
        if args.json {
            // Whether or not somebody reads it, the input is wrong.
            let _ = print::json(&json!({ "valid": false, "problems": problems, "point": point.to_json() }));
        }
        let at = format!("at point {} of {}: {}", index + 1, self.plan.count(), point.shown());
        Err(match SceneError::Wrong(problems, self.source.clone()).into() {
            Fail::Input(message) => Fail::Input(format!("{message}, {at}; nothing was run")),
            other => other,
        })
    }

    /// Runs every point; rows are in the order of the points. A run that is interrupted has no row.
    fn runs(&self, stop: &AtomicBool, quiet: bool) -> Result<Vec<Row>, Fail> {
        let progress = SweepProgress::new(self.plan.count() as u64, "runs", quiet);
        let one = |index: usize| -> Result<Option<Row>, String> {
            let point = self.plan.point(index);
            let wrong =
                |problems: Vec<Diagnostic>| problems.first().map_or_else(String::new, |p| p.message.clone());
            let scene = self.scene(&point).map_err(wrong)?;
            let trial = Trial::run(&scene, &mut [], stop).map_err(|refusal| refusal.to_string())?;
            if let Some(Ended::Interrupted { .. }) = trial.outcome.ended {
                return Ok(None);
            }
            let report = trial.report(&scene);
            Ok(Some(Row { point, report }))
        };
        let mut rows: Vec<Row> = Vec::with_capacity(self.plan.count());
        let mut refused = None;
        let work = Work { count: self.plan.count(), threads: self.threads, stop };
        let ended = work.each(one, |_, result| {
            progress.ended();
            match result {
                Ok(row) => rows.extend(row),
                Err(message) => refused = Some(message),
            }
        });
        progress.finish();
        ended.map_err(|error| self.no_thread(&error))?;
        if let Some(message) = refused {
            return Err(Fail::Input(format!("error: {message}")));
        }
        rows.sort_unstable_by_key(|row| row.point.index);
        Ok(rows)
    }

    fn no_thread(&self, error: &std::io::Error) -> Fail {
        Fail::Failed(format!(
            "error: {} threads cannot be started ({error}); give fewer with --threads",
            self.threads
        ))
    }

    fn title(&self, method: Option<&str>) -> String {
        let method = method.map_or_else(String::new, |method| format!(" with {method}"));
        format!("{}{method}", self.name)
    }

    /// What stands under the table.
    fn summary(&self, rows: &[Row], seconds: f64, folder: &SweepFolder) -> String {
        let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let mut text = format!(
            "{} in {} on {}; {}: sweep.csv, sweep.json\n",
            plural(rows.len(), "run"),
            duration(seconds),
            plural(self.threads, "thread"),
            folder.path().display()
        );
        let largest = |of: fn(&RunReport) -> Option<f64>| {
            let values = rows.iter().filter_map(|row| Some((of(&row.report)?, &row.point)));
            // The first of equals, whatever is not a number left out.
            values.filter(|(value, _)| value.is_finite()).reduce(|a, b| if b.0 > a.0 { b } else { a })
        };
        if let Some((change, point)) = largest(relative_change) {
            text.push_str(&format!("largest |E - E0|/|E0|: {change:.2e} at {}\n", point.shown()));
        }
        if let Some((depth, point)) =
            largest(|report| report.constraints.max_penetration.filter(|&depth| depth > 0.0))
        {
            text.push_str(&format!("largest penetration: {depth:.1e} at {}\n", point.shown()));
        }
        if let Some(distrusted) = strict::summary(rows.len(), named(rows)) {
            text.push_str(&format!("{distrusted}\n"));
        }
        let mut noted = rows.iter().flat_map(|row| row.report.remarks().map(|note| (note, &row.point)));
        if let Some((note, point)) = noted.next() {
            let more = match noted.count() {
                0 => String::new(),
                more => format!(" ({more} more in sweep.json)"),
            };
            text.push_str(&format!("note: at {}: {note}{more}\n", point.shown()));
        }
        text
    }

    /// Whether every run was made, and made to its end.
    fn verdict(&self, rows: &[Row], folder: &SweepFolder) -> Result<(), Fail> {
        let (made, all, folder) = (rows.len(), self.plan.count(), folder.path().display());
        let mut failed = rows.iter().filter_map(|row| Some((&row.point, row.report.ended.as_ref()?)));
        let mut messages = Vec::new();
        if let Some((point, reason)) = failed.next() {
            let count = 1 + failed.count();
            messages.push(format!("error: {count} of {all} runs failed; the first at {}: {reason}", point.shown()));
        }
        if made < all {
            messages.push(format!("error: interrupted after {made} of {all} runs"));
        }
        if messages.is_empty() {
            return Ok(());
        }
        let kept = if made == 0 { "nothing".to_string() } else { format!("{made} of {all} rows in {folder}") };
        Err(Fail::Failed(format!("{}\nkept: {kept}", messages.join("\n"))))
    }
}

/// The largest departure of the energy, relative to its start, of a scene that conserves it.
fn relative_change(report: &RunReport) -> Option<f64> {
    let energy = &report.energy;
    let change = (energy.max - energy.initial).max(energy.initial - energy.min);
    (energy.initial != 0.0 && energy.changed_by.is_empty()).then(|| change / energy.initial.abs())
}
