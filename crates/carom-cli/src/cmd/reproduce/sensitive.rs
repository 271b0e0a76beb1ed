//! `carom reproduce --sensitivity`: whether verdicts hang on thresholds, horizons and starts.

use carom_io::document::Diagnostic;
use carom_io::experiment::{Choice, Experiment, Job, Judgement, Says, Threshold, Verdict};
use serde_json::{Value, json};

use super::{Args, pool, select};
use crate::fail::Fail;
use crate::print;

/// What is changed of an experiment.
const LENGTHS: [(&str, f64); 2] = [("half the time", 0.5), ("twice the time", 2.0)];
const THRESHOLDS: [(&str, Threshold); 2] =
    [("half the threshold", Threshold::Half), ("twice the threshold", Threshold::Double)];

/// A claim with its verdict and those that changes give.
struct Row<'a> {
    experiment: &'a Experiment,
    claim: &'a str,
    says: Says,
    verdict: Option<Verdict>,
    /// By what was changed; nothing where the change does not apply to the claim.
    others: Vec<(String, Option<Result<Verdict, String>>)>,
}

impl Row<'_> {
    /// Changes with which the verdict is another one, or there is none.
    fn changes(&self) -> impl Iterator<Item = (&str, &Result<Verdict, String>)> {
        let others = self.others.iter().filter_map(|(change, other)| Some((change.as_str(), other.as_ref()?)));
        others.filter(|(_, other)| other.as_ref().ok() != self.verdict.as_ref())
    }
}

/// Makes all runs as they are, half and twice as long, and from the other starts.
pub fn run(args: &Args, experiments: &[Experiment], choice: &Choice) -> Result<(), Fail> {
    let mut rows: Vec<Row> = Vec::new();
    for experiment in experiments {
        rows.extend(of_experiment(args, experiment, choice)?);
    }
    if args.json {
        print::json(&document(&rows))
    } else if args.quiet {
        Ok(())
    } else {
        print::out(&text(&rows))
    }
}

fn of_experiment<'a>(args: &Args, experiment: &'a Experiment, choice: &Choice) -> Result<Vec<Row<'a>>, Fail> {
    let wrong = |problems: Vec<Diagnostic>| select::wrong(problems, &experiment.source, args.json);
    let mut variants = vec![(String::new(), experiment.stretched(1.0).map_err(wrong)?)];
    for (name, factor) in LENGTHS {
        variants.push((name.to_string(), experiment.stretched(factor).map_err(wrong)?));
    }
    for start in &experiment.starts {
        variants.push((start.what.clone(), experiment.changed(start, args.full).map_err(wrong)?));
    }
    // Figures are not drawn: only the runs that claims need are made.
    let only = experiment.chosen(choice).map(|claim| claim.id.clone()).collect();
    let choice = Choice { full: choice.full, only };
    let jobs: Vec<Vec<Job>> = variants.iter().map(|(_, variant)| variant.jobs(&choice)).collect();
    let mut results = pool::run(&jobs, args.threads.map(usize::from), args.quiet).into_iter();
    let mut rows: Vec<Row> = Vec::new();
    for (place, ((name, variant), jobs)) in variants.iter().zip(&jobs).enumerate() {
        let found: Result<Vec<_>, _> = results.by_ref().take(jobs.len()).collect();
        let judged = variant.judge(&choice, &found.map_err(wrong)?);
        if place == 0 {
            rows.extend(judged.iter().filter_map(|judgement| row(experiment, judgement)));
            continue;
        }
        let stretched = place <= LENGTHS.len();
        for (row, judgement) in rows.iter_mut().zip(&judged) {
            let applies = !stretched || judgement.claim.may_stretch();
            let verdict = judgement.finding.as_ref().map(|finding| finding.verdict).map_err(Clone::clone);
            row.others.push((name.clone(), applies.then_some(verdict)));
        }
    }
    Ok(rows)
}

/// The row of a claim as it is, with other thresholds.
fn row<'a>(experiment: &'a Experiment, judgement: &Judgement) -> Option<Row<'a>> {
    let claim = experiment.claims.iter().find(|claim| claim.id == judgement.claim.id)?;
    let finding = judgement.finding.as_ref().ok();
    let at = |(name, threshold): (&str, Threshold)| {
        (name.to_string(), finding.and_then(|finding| claim.verdict_at(finding, threshold)).map(Ok))
    };
    let verdict = finding.map(|finding| finding.verdict);
    Some(Row { experiment, claim: &claim.id, says: claim.says, verdict, others: THRESHOLDS.map(at).to_vec() })
}

fn document(rows: &[Row]) -> Value {
    let entry = |row: &Row| {
        let other = |(change, verdict): &(String, Option<Result<Verdict, String>>)| {
            let (found, error) = (verdict.as_ref().and_then(|verdict| verdict.as_ref().ok()), verdict.as_ref());
            json!({ "change": change, "verdict": found, "error": error.and_then(|verdict| verdict.as_ref().err()) })
        };
        let others: Vec<Value> = row.others.iter().map(other).collect();
        json!({
            "paper": row.experiment.paper,
            "experiment": row.experiment.id,
            "claim": row.claim,
            "says": row.says,
            "verdict": row.verdict,
            "changes": row.changes().count(),
            "others": others,
        })
    };
    json!({ "sensitivity": rows.iter().map(entry).collect::<Vec<_>>() })
}

fn text(rows: &[Row]) -> String {
    let name = |verdict: Option<Verdict>| verdict.map_or("no verdict", Verdict::name);
    let mut text = String::new();
    let mut experiment = String::new();
    for row in rows {
        let here = row.experiment.full_name();
        if here != experiment {
            text.push_str(&format!(
                "{}{here}: {}\n",
                if experiment.is_empty() { "" } else { "\n" },
                row.experiment.title
            ));
            experiment = here;
        }
        let changes: Vec<String> = row
            .changes()
            .map(|(change, verdict)| format!("{change}: {}", name(verdict.as_ref().ok().copied())))
            .collect();
        let changes = if changes.is_empty() { "stays".to_string() } else { changes.join("; ") };
        let line = format!("  {} ({}): {}; {changes}", row.claim, row.says.name(), name(row.verdict));
        text.push_str(&print::wrapped(&line, 0, 4));
    }
    let of_papers = |stay: bool| {
        rows.iter().filter(|row| row.says == Says::Paper && (row.changes().count() == 0) == stay).count()
    };
    let (stay, all) = (of_papers(true), of_papers(true) + of_papers(false));
    text + &format!("\n{stay} of {all} verdicts on claims of the papers stay with every change\n")
}
