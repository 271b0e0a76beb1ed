//! `carom reproduce --mutations`: whether other parameters and other laws give other verdicts.

use carom_io::experiment::{Change, Choice, Experiment, Job, Verdict};
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
    /// The verdict of the published runs, made in the same go.
    published: Result<Verdict, String>,
    found: Result<Verdict, String>,
}

impl Row<'_> {
    fn flips(&self) -> bool {
        matches!((&self.published, &self.found), (Ok(published), Ok(found)) if published != found)
    }
}

/// An experiment as it is published, or with a mutation.
struct Staged<'a> {
    experiment: &'a Experiment,
    mutation: Option<(&'a Change, Experiment)>,
    choice: Choice,
}

impl Staged<'_> {
    fn made(&self) -> &Experiment {
        self.mutation.as_ref().map_or(self.experiment, |(_, changed)| changed)
    }
}

/// Makes the published runs and those of every mutation that a chosen claim hangs on, and says what became of the verdicts; an error if
/// one stays, or if a claim hangs on no mutation and does not say why.
pub fn run(args: &Args, experiments: &[Experiment], choice: &Choice) -> Result<(), Fail> {
    let mut staged = Vec::new();
    for experiment in experiments {
        staged.push(Staged { experiment, mutation: None, choice: choice.clone() });
        for mutation in &experiment.mutations {
            let chosen = |id: &&String| experiment.chosen(choice).any(|claim| claim.id == **id);
            let only: Vec<String> = mutation.flips.iter().filter(chosen).cloned().collect();
            if only.is_empty() {
                continue;
            }
            let changed = experiment
                .changed(mutation, args.full)
                .map_err(|problems| select::wrong(problems, &experiment.source, args.json))?;
            let choice = Choice { full: choice.full, only };
            staged.push(Staged { experiment, mutation: Some((mutation, changed)), choice });
        }
    }
    let jobs: Vec<Vec<Job>> = staged.iter().map(|staged| staged.made().jobs(&staged.choice)).collect();
    let mut results = pool::run(&jobs, args.threads.map(usize::from), args.quiet).into_iter();
    let (mut rows, mut wrong) = (Vec::new(), Vec::new());
    let mut published: Vec<(String, Result<Verdict, String>)> = Vec::new();
    for (staged, jobs) in staged.iter().zip(&jobs) {
        let experiment = staged.experiment;
        let found: Result<Vec<_>, _> = results.by_ref().take(jobs.len()).collect();
        let found = found.map_err(|problems| select::wrong(problems, &experiment.source, args.json))?;
        let judged = staged.made().judge(&staged.choice, &found).into_iter();
        let verdicts =
            judged.map(|judged| (judged.claim.id.clone(), judged.finding.map(|finding| finding.verdict)));
        let Some((mutation, _)) = &staged.mutation else {
            published = verdicts.collect();
            wrong.extend(published.iter().filter_map(|(id, verdict)| unfounded(experiment, id, verdict)));
            continue;
        };
        for (id, found) in verdicts {
            let known = experiment.claims.iter().find(|claim| claim.id == id);
            let claim = &known.ok_or_else(|| Fail::Failed(format!("error: `{id}` is gone")))?.id;
            let own = published.iter().find(|(own, _)| *own == id).map(|(_, verdict)| verdict.clone());
            let published = own.unwrap_or_else(|| Err("the claim was not judged".into()));
            rows.push(Row { experiment, mutation: &mutation.name, what: &mutation.what, claim, published, found });
        }
    }
    if args.json {
        print::json(&document(&rows))?;
    } else if !args.quiet {
        print::out(&text(&rows, experiments, choice))?;
    }
    wrong.extend(rows.iter().filter(|row| !row.flips()).map(stays));
    if wrong.is_empty() { Ok(()) } else { Err(Fail::Failed(wrong.join("\n"))) }
}

/// What is wrong with a claim before anything is changed: no verdict or not the recorded one, or no mutation that it hangs on.
fn unfounded(experiment: &Experiment, id: &str, verdict: &Result<Verdict, String>) -> Option<String> {
    let claim = experiment.claims.iter().find(|claim| claim.id == id)?;
    let told = |what: String| Some(format!("error: {}: {id}: {what}", experiment.full_name()));
    match verdict {
        Err(reason) => return told(format!("no verdict can be computed: {reason}")),
        Ok(found) if *found != claim.expected => {
            return told(format!("{}, expected: {}", found.name(), claim.expected.name()));
        }
        Ok(Verdict::Undecidable) => return None,
        Ok(_) => {}
    }
    let hangs = experiment.mutations.iter().any(|mutation| mutation.flips.contains(&claim.id));
    match (hangs, claim.no_mutation.is_some()) {
        (false, false) => told("no mutation flips it, and `no_mutation` does not say why".into()),
        _ => None,
    }
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
            "published": row.published.as_ref().ok(),
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
            let published = row.published.as_ref().map_or("no verdict", |verdict| verdict.name());
            text.push_str(&format!("    {}: {published} → {found}\n", row.claim));
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
