//! `carom reproduce [PAPER[/EXPERIMENT]]`.

mod listing;
mod mutate;
mod output;
mod pool;
mod select;
mod sensitive;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use carom_io::document::{hint, near};
use carom_io::experiment::{Choice, Experiment, Found, Job, Judgement};
use carom_io::figure::Figure;
use carom_io::folder::whole;
use clap::Args as ClapArgs;
use serde_json::json;

use crate::fail::Fail;
use crate::numbers;
use crate::print;

/// Options of `reproduce`.
#[derive(ClapArgs)]
pub struct Args {
    /// A paper, one of its experiments, or a .toml file; without it all experiments
    #[arg(value_name = "PAPER[/EXPERIMENT]")]
    what: Option<String>,
    /// Exit 1 if a verdict is not the one recorded as expected
    #[arg(long)]
    check: bool,
    /// The long horizons of the papers, and the claims about them
    #[arg(long)]
    full: bool,
    /// Only the claim of this name (repeatable); figures are left out
    #[arg(long, value_name = "CLAIM")]
    only: Vec<String>,
    /// Change every run, after its own settings, like parameters.g=1.62 (repeatable)
    #[arg(long, value_name = "KEY.PATH=VALUE")]
    set: Vec<String>,
    /// Folder of the figures
    #[arg(long, value_name = "DIR", default_value = "runs/reproduce")]
    out: PathBuf,
    /// Write the figures as PNG too
    #[arg(long)]
    png: bool,
    /// List the experiments and their claims; run nothing
    #[arg(long)]
    list: bool,
    /// Whether the mutations of the experiments give other verdicts; exit 1 if one does not
    #[arg(long, conflicts_with_all = ["check", "sensitivity", "set", "png", "list"])]
    mutations: bool,
    /// Whether verdicts change with half and twice the threshold and the time, and from other starts
    #[arg(long, conflicts_with_all = ["check", "set", "png", "list"])]
    sensitivity: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
    /// No progress, no report
    #[arg(long)]
    quiet: bool,
    /// Threads to use [default: all cores]; the result does not depend on it
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::whole::<u16>(1, 65535))]
    threads: Option<u16>,
}

/// Pixels of a PNG per px of the figure.
const SCALE: f32 = 2.0;

/// An experiment with what its runs came to.
pub struct Made<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its runs.
    pub found: Vec<Found>,
    /// Its claims.
    pub judged: Vec<Judgement<'a>>,
    /// Its figures, where they were written.
    pub figures: Vec<PathBuf>,
}

/// Makes the experiments again.
pub fn run(args: &Args) -> Result<(), Fail> {
    if args.check && !args.set.is_empty() {
        let reason = "the expected verdicts are those of the published parameters";
        return Err(refuse(args, "--check", format!("it cannot be used with --set: {reason}")));
    }
    let mut experiments =
        select::experiments(args.what.as_deref(), args.list).map_err(|error| select::report(error, args.json))?;
    if args.list {
        return listing::list(&experiments, args.json);
    }
    let choice = Choice { full: args.full, only: args.only.clone() };
    choose(&mut experiments, &choice).map_err(|message| refuse(args, "--only", message))?;
    if args.mutations {
        return mutate::run(args, &experiments, &choice);
    }
    if args.sensitivity {
        return sensitive::run(args, &experiments, &choice);
    }
    for argument in &args.set {
        set(&mut experiments, argument, args)?;
    }
    let jobs: Vec<Vec<Job>> = experiments.iter().map(|experiment| experiment.jobs(&choice)).collect();
    let mut results = pool::run(&jobs, args.threads.map(usize::from), args.quiet).into_iter();
    let mut made = Vec::new();
    for (experiment, jobs) in experiments.iter().zip(&jobs) {
        let found: Result<Vec<Found>, _> = results.by_ref().take(jobs.len()).collect();
        let found = found.map_err(|problems| select::wrong(problems, &experiment.source, args.json))?;
        let judged = experiment.judge(&choice, &found);
        let drawn = if args.only.is_empty() { experiment.draw(args.full, &found) } else { Vec::new() };
        let figures =
            write(args, experiment, &drawn).map_err(|message| Fail::Failed(format!("error: --out: {message}")))?;
        made.push(Made { experiment, found, judged, figures });
    }
    if args.json {
        print::json(&output::document(&made))?;
    } else if !args.quiet {
        print::out(&output::text(&made))?;
    }
    verdict(&made, args.check)
}

/// Leaves the experiments that have a claim to judge; an error says which names of claims are unknown.
fn choose(experiments: &mut Vec<Experiment>, choice: &Choice) -> Result<(), String> {
    let known = |id: &String| experiments.iter().any(|e| e.claims.iter().any(|claim| claim.id == *id));
    if let Some(unknown) = choice.only.iter().find(|id| !known(id)) {
        let all: Vec<&str> =
            experiments.iter().flat_map(|e| e.claims.iter().map(|claim| claim.id.as_str())).collect();
        let meant = hint(&near(unknown, &all), "`carom reproduce --list --json` names all");
        return Err(format!("there is no claim `{unknown}`; {meant}"));
    }
    experiments.retain(|experiment| experiment.chosen(choice).next().is_some());
    match experiments.is_empty() {
        true => Err("the claims are about long horizons: add --full".into()),
        false => Ok(()),
    }
}

/// Applies a `--set` to all runs; at least one must take it.
fn set(experiments: &mut [Experiment], argument: &str, args: &Args) -> Result<(), Fail> {
    let (mut taken, mut refused) = (0, Vec::new());
    for (place, experiment) in experiments.iter_mut().enumerate() {
        let (count, problems) = experiment.set(argument, args.full);
        taken += count;
        refused.extend(problems.into_iter().map(|problem| (place, problem)));
    }
    let fatal = refused.iter().position(|(_, refused)| taken == 0 || !refused.itself);
    if let Some(fatal) = fatal {
        let (place, refused) = refused.swap_remove(fatal);
        return Err(select::wrong(refused.problems, &experiments[place].source, args.json));
    }
    for (place, refused) in &refused {
        if !args.quiet {
            let (name, run) = (experiments[*place].full_name(), &refused.run);
            // Where nobody reads standard error, the settings in the JSON document say the same.
            let _ =
                writeln!(io::stderr(), "note: run `{run}` of {name} does not take {argument} and is left as it is");
        }
    }
    Ok(())
}

fn write(args: &Args, experiment: &Experiment, drawn: &[(String, Figure)]) -> Result<Vec<PathBuf>, String> {
    let folder = experiment.paper.as_ref().map_or_else(|| args.out.clone(), |paper| args.out.join(paper));
    let failed = |path: &Path, error: String| format!("{}: {error}", path.display());
    let mut paths = Vec::new();
    for (name, figure) in drawn {
        std::fs::create_dir_all(&folder).map_err(|error| failed(&folder, error.to_string()))?;
        let stem = format!("{}-{name}", experiment.id);
        let path = folder.join(format!("{stem}.svg"));
        whole::write(&path, figure.to_svg().as_bytes()).map_err(|error| failed(&path, error.to_string()))?;
        paths.push(path);
        if args.png {
            let path = folder.join(format!("{stem}.png"));
            let bytes = figure.to_png(SCALE).map_err(|error| failed(&path, error.to_string()))?;
            whole::write(&path, &bytes).map_err(|error| failed(&path, error.to_string()))?;
            paths.push(path);
        }
    }
    Ok(paths)
}

/// How the command ends: 1 if a verdict could not be computed or, where asked for, is not the expected one.
fn verdict(made: &[Made], check: bool) -> Result<(), Fail> {
    let mut problems = Vec::new();
    for made in made {
        for judgement in &made.judged {
            let (name, claim) = (made.experiment.full_name(), judgement.claim);
            match &judgement.finding {
                Err(reason) => {
                    problems.push(format!("error: {name}: {}: no verdict can be computed: {reason}", claim.id));
                }
                Ok(finding) if check && finding.verdict != claim.expected => {
                    let (found, expected) = (finding.verdict.name(), claim.expected.name());
                    problems.push(format!("error: {name}: {}: {found}, expected: {expected}", claim.id));
                }
                Ok(_) => {}
            }
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(Fail::Failed(problems.join("\n"))) }
}

/// An option that cannot be used like this, as exit 2 and, where asked for, as JSON.
fn refuse(args: &Args, option: &str, message: String) -> Fail {
    if args.json {
        let problem = json!({ "file": option, "line": null, "column": null, "key": option, "message": message, "help": null });
        // Whether or not somebody reads it, the option cannot be used.
        let _ = print::json(&json!({ "valid": false, "problems": [problem] }));
    }
    Fail::Input(format!("error: {option}: {message}"))
}
