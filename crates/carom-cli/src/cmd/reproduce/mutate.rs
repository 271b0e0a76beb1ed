//! `carom reproduce --mutations`: whether other parameters and other laws give other verdicts.

use carom_io::experiment::{Choice, Experiment, Job, Verdict};
use serde_json::{Value, json};

use super::{Args, pool, select};
use crate::fail::Fail;
use crate::print::{self, wrapped};

/// A claim under a mutation.
struct Row<'a> {
    experiment: &'a Experiment,
    mutation: &'a str,
    what: &'a str,
    claim: &'a str,
    expected: Verdict,
    found: Result<Verdict, String>,
}

impl Row<'_> {
    fn flips(&self) -> bool {
        self.found.as_ref().is_ok_and(|found| *found != self.expected)
    }
}

/// Makes the runs of every mutation that a chosen claim hangs on, and says what became of the verdicts; an error if one stays.
pub fn run(args: &Args, experiments: &[Experiment], choice: &Choice) -> Result<(), Fail> {
    let mut staged = Vec::new();
    for experiment in experiments {
        for mutation in &experiment.mutations {
            let chosen = |id: &&String| experiment.chosen(choice).any(|claim| claim.id == **id);
            let only: Vec<String> = mutation.flips.iter().filter(chosen).cloned().collect();
            if only.is_empty() {
                continue;
            }
            let changed = experiment
                .changed(mutation, args.full)
                .map_err(|problems| select::wrong(problems, &experiment.source, args.json))?;
            staged.push((experiment, mutation, changed, Choice { full: choice.full, only }));
        }
    }
    let jobs: Vec<Vec<Job>> = staged.iter().map(|(.., changed, choice)| changed.jobs(choice)).collect();
    let mut results = pool::run(&jobs, args.threads.map(usize::from), args.quiet).into_iter();
    let mut rows = Vec::new();
    for ((experiment, mutation, changed, choice), jobs) in staged.iter().zip(&jobs) {
        let found: Result<Vec<_>, _> = results.by_ref().take(jobs.len()).collect();
        let found = found.map_err(|problems| select::wrong(problems, &experiment.source, args.json))?;
        for judgement in changed.judge(choice, &found) {
            let claim = experiment.claims.iter().find(|claim| claim.id == judgement.claim.id);
            let claim = claim.ok_or_else(|| Fail::Failed(format!("error: `{}` is gone", judgement.claim.id)))?;
            rows.push(Row {
                experiment,
                mutation: &mutation.name,
                what: &mutation.what,
                claim: &claim.id,
                expected: claim.expected,
                found: judgement.finding.map(|finding| finding.verdict),
            });
        }
    }
    if args.json {
        print::json(&document(&rows))?;
    } else if !args.quiet {
        print::out(&text(&rows, experiments, choice))?;
    }
    let stay: Vec<String> = rows.iter().filter(|row| !row.flips()).map(stays).collect();
    if stay.is_empty() { Ok(()) } else { Err(Fail::Failed(stay.join("\n"))) }
}

fn stays(row: &Row) -> String {
    let found = match &row.found {
        Ok(verdict) => format!("the verdict stays: {}", verdict.name()),
        Err(reason) => format!("no verdict can be computed: {reason}"),
    };
    format!("error: {}: {}: with the mutation `{}` {found}", row.experiment.full_name(), row.claim, row.mutation)
}

fn document(rows: &[Row]) -> Value {
    let entry = |row: &Row| {
        json!({
            "paper": row.experiment.paper,
            "experiment": row.experiment.id,
            "mutation": row.mutation,
            "what": row.what,
            "claim": row.claim,
            "expected": row.expected,
            "verdict": row.found.as_ref().ok(),
            "flips": row.flips(),
            "error": row.found.as_ref().err(),
        })
    };
    json!({ "mutations": rows.iter().map(entry).collect::<Vec<_>>() })
}

fn text(rows: &[Row], experiments: &[Experiment], choice: &Choice) -> String {
    let mut text = String::new();
    for experiment in experiments {
        text.push_str(&wrapped(&format!("{}: {}", experiment.full_name(), experiment.title), 0, 0));
        let mut mutation = "";
        for row in rows.iter().filter(|row| row.experiment.full_name() == experiment.full_name()) {
            if row.mutation != mutation {
                mutation = row.mutation;
                text.push_str(&wrapped(&format!("  {mutation}: {}", row.what), 0, 4));
            }
            let found = row.found.as_ref().map_or("no verdict", |verdict| verdict.name());
            text.push_str(&format!("    {}: {} → {found}\n", row.claim, row.expected.name()));
        }
        for claim in experiment.chosen(choice) {
            if let Some(why) = &claim.no_mutation {
                text.push_str(&wrapped(&format!("  {}: no mutation: {why}", claim.id), 0, 4));
            }
        }
        text.push('\n');
    }
    let flipped = rows.iter().filter(|row| row.flips()).count();
    text + &format!("{flipped} of {} verdicts become others\n", rows.len())
}
