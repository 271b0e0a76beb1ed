//! `carom solve FILES…`.

mod figure;
mod folder;
mod input;
mod output;
mod profile;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use carom_io::document::{hint, near};
use carom_lcp::Limits;
use carom_lcp::solvers::registry::{self, Entry, SOLVERS};
use clap::Args as ClapArgs;
use folder::SolveFolder;
use input::{Loaded, Wrong};
use output::{Document, Report};
use profile::Profile;

use crate::fail::Fail;
use crate::input::refuse;
use crate::interrupt;
use crate::numbers::MOST_SECONDS;
use crate::print;
use crate::progress::SweepProgress;

/// Options of `solve`.
#[derive(ClapArgs)]
pub struct Args {
    /// Files of problems (.json), or folders of them
    #[arg(value_name = "FILES", required_unless_present = "solvers")]
    files: Vec<PathBuf>,
    /// The solver: see --solvers
    #[arg(long, value_name = "NAME", default_value = "default")]
    solver: String,
    /// The relative residual that counts as solved
    #[arg(long, value_name = "T", default_value = "1e-8", allow_hyphen_values = true)]
    tolerance: String,
    /// The most seconds for each problem, and with --profile for each solver on it
    #[arg(long, value_name = "X", default_value = "5", allow_hyphen_values = true)]
    max_seconds: String,
    /// Compare all solvers: which solves how many problems how fast, as table, SVG and PNG
    #[arg(long, conflicts_with = "solver")]
    profile: bool,
    /// Write solve.json to this folder, and what --profile draws [default with --profile: runs/solve]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// List the solvers: what they take, guarantee and cost, and when they fail
    #[arg(long)]
    solvers: bool,
    /// One JSON document on standard output, everything else on standard error
    #[arg(long)]
    json: bool,
    /// No progress, no table
    #[arg(long)]
    quiet: bool,
}

impl Args {
    /// The folder to write to.
    fn folder(&self) -> Option<&Path> {
        self.out.as_deref().or(self.profile.then_some(Path::new("runs/solve")))
    }
}

/// The tolerance, and the time for one solve.
#[derive(Clone, Copy)]
struct Budget {
    tolerance: f64,
    time: Duration,
}

impl Budget {
    fn of(args: &Args) -> Result<Budget, Fail> {
        let number = |option: &str, text: &str, allowed: &str, fits: fn(f64) -> bool| match text.parse::<f64>() {
            Ok(value) if fits(value) => Ok(value),
            _ => Err(refuse(args.json, option, format!("found {text}, allowed is a number {allowed}"))),
        };
        let tolerance =
            number("--tolerance", &args.tolerance, "above 0 and below 1", |value| value > 0.0 && value < 1.0)?;
        let most = format!("of seconds above 0, up to {MOST_SECONDS:e}");
        let seconds =
            number("--max-seconds", &args.max_seconds, &most, |value| value > 0.0 && value <= MOST_SECONDS)?;
        let time = Duration::from_secs_f64(seconds);
        Ok(Budget { tolerance, time })
    }

    /// Solves a problem from 0.
    fn solve(&self, entry: &Entry, loaded: &Loaded) -> Report {
        let problem = &loaded.problem;
        let begun = Instant::now();
        let limits = Limits { tolerance: self.tolerance, iterations: None, deadline: begun.checked_add(self.time) };
        let mut solution = vec![0.0; problem.judge().size()];
        let answer = entry.solve(problem, &mut solution, &limits);
        Report::new(loaded, answer, begun.elapsed().as_secs_f64(), solution)
    }
}

/// The refusal of a solver, with the one that may have been meant.
fn meant(args: &Args, message: String) -> String {
    let names: Vec<&str> =
        SOLVERS.iter().flat_map(|entry| [Some(entry.facts.name), entry.other_name]).flatten().collect();
    match near(&args.solver, &names)[..] {
        [] => message,
        ref meant => format!("{message}; {}", hint(meant, "").trim_end()),
    }
}

/// Solves problems.
pub fn run(args: &Args) -> Result<(), Fail> {
    if args.solvers {
        return if args.json { print::json(&output::listed()) } else { print::out(&output::listing()) };
    }
    let budget = Budget::of(args)?;
    let entry =
        registry::find(&args.solver).map_err(|message| refuse(args.json, "--solver", meant(args, message)))?;
    let (mut loaded, mut wrong) = input::load(&args.files);
    if !args.profile {
        loaded.retain(|loaded| match registry::applicable(&args.solver, &loaded.problem) {
            Ok(()) => true,
            Err(message) => {
                wrong.push(Wrong::refused(&loaded.file, message));
                false
            }
        });
    }
    let folder = match args.folder() {
        Some(path) => Some(SolveFolder::create(path).map_err(|message| refuse(args.json, "--out", message))?),
        None => None,
    };

    let stop = interrupt::flag()?;
    let each = if args.profile { SOLVERS.len() } else { 1 };
    let progress = SweepProgress::new((loaded.len() * each) as u64, "solves", args.quiet);
    let mut reports = Vec::new();
    let mut profile = args.profile.then(Profile::default);
    for problem in &loaded {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        reports.push(match &mut profile {
            None => budget.solve(entry, problem),
            Some(profile) => profile.compare(budget, problem, || progress.ended()),
        });
        if !args.profile {
            progress.ended();
        }
    }
    progress.finish();

    let document = Document::new(&reports, profile.as_ref(), &wrong);
    let written = folder.map_or(Ok(()), |folder| folder.write(&document, profile.as_ref(), budget));
    let printed = if args.json {
        print::json(&document)
    } else if args.quiet || reports.is_empty() {
        Ok(())
    } else {
        print::out(&output::text(&reports, profile.as_ref(), args.folder()))
    };
    written?;
    output::verdict(&reports, &wrong, loaded.len()).and(printed)
}
