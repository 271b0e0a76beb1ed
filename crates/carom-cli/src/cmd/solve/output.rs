//! What `solve` says: table, JSON, verdict, and the list of solvers.

use std::collections::BTreeSet;
use std::path::Path;

use carom_io::document::printable;
use carom_lcp::solvers::registry::{Answer, SOLVERS};
use serde::Serialize;
use serde_json::{Value, json};

use super::input::{Loaded, Wrong};
use super::profile::Profile;
use crate::fail::Fail;
use crate::print::{duration, lists, short, wrapped};

/// The answer to one problem.
#[derive(Clone, Serialize)]
pub struct Report {
    pub name: String,
    pub kind: &'static str,
    pub size: usize,
    /// The solver that gave the answer.
    pub solver: &'static str,
    pub iterations: usize,
    pub residual: f64,
    /// `null` where it is infinite: nothing is left to be relative to.
    pub residual_relative: f64,
    pub seconds: f64,
    pub solved: bool,
    pub solution: Vec<f64>,
    pub file: String,
    /// Why it is not solved.
    pub reason: Option<String>,
}

impl Report {
    pub fn new(loaded: &Loaded, answer: Answer, seconds: f64, solution: Vec<f64>) -> Report {
        let (iterations, residual, reason) = match answer.result {
            Ok(solved) => (solved.iterations, solved.residual, None),
            Err(unsolved) => (unsolved.iterations, unsolved.residual, Some(unsolved.failure.to_string())),
        };
        Report {
            name: loaded.name.clone(),
            kind: loaded.problem.kind(),
            size: solution.len(),
            solver: answer.solver,
            iterations,
            residual: residual.absolute,
            residual_relative: residual.relative,
            seconds,
            solved: reason.is_none(),
            solution,
            file: loaded.file.clone(),
            reason,
        }
    }

    /// The solution in one line: all of a short one, of a long one the beginning and its size.
    fn answer(&self) -> String {
        const MOST: usize = 8;
        let letter = if self.kind.ends_with("friction") { "r" } else { "z" };
        let numbers: Vec<String> = self.solution.iter().take(MOST).map(|value| short(*value)).collect();
        let shown = numbers.join(", ");
        if self.solution.len() <= MOST {
            return format!("{letter} = {shown}");
        }
        let norm = self.solution.iter().map(|value| value * value).sum::<f64>().sqrt();
        let count = self.solution.len();
        format!("{letter} = {shown}, … ({count} numbers, ‖{letter}‖ = {}; all with --json)", short(norm))
    }
}

/// The document of `carom solve --json`, and `solve.json`.
#[derive(Serialize)]
pub struct Document<'a> {
    /// First, so that the folder is known as that of `solve`.
    carom: &'static str,
    problems: &'a [Report],
    /// Files that are no problems, or that the solver does not take.
    wrong: Vec<&'a carom_io::document::Diagnostic>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<Value>,
}

impl<'a> Document<'a> {
    pub fn new(problems: &'a [Report], profile: Option<&Profile>, wrong: &'a [Wrong]) -> Document<'a> {
        let wrong = wrong.iter().map(|wrong| &wrong.diagnostic).collect();
        Document { carom: env!("CARGO_PKG_VERSION"), problems, wrong, profile: profile.map(Profile::json) }
    }
}

/// The tables for a reader.
pub fn text(reports: &[Report], profile: Option<&Profile>, folder: Option<&Path>) -> String {
    let mut text = table(reports);
    let solved = reports.iter().filter(|report| report.solved).count();
    let seconds: f64 = reports.iter().map(|report| report.seconds).sum();
    let how = match profile {
        None => format!("in {}", duration(seconds)),
        Some(_) => "by at least one solver; the fastest answers are shown".into(),
    };
    text.push_str(&format!("\n{solved} of {} solved {how}\n", reports.len()));
    if let Some(profile) = profile {
        text.push_str(&profile.text());
    }
    if let Some(folder) = folder {
        let drawn = if profile.is_some() { ", profile.svg, profile.png, profile.csv" } else { "" };
        text.push_str(&format!("\n{}: solve.json{drawn}\n", folder.display()));
    }
    text
}

/// A name as it can be printed in one cell: control characters escaped, with its file where others have the same name.
fn shown(name: &str, file: Option<&str>) -> String {
    let name: String = match name.trim().is_empty() {
        true => "(no name)".into(),
        false => printable(name),
    };
    file.map_or_else(|| name.clone(), |file| format!("{name} ({file})"))
}

/// Whether another problem has the same name.
fn repeated(reports: &[Report], report: &Report) -> bool {
    reports.iter().filter(|other| other.name == report.name).count() > 1
}

fn table(reports: &[Report]) -> String {
    let heads = ["problem", "kind", "size", "solver", "iterations", "residual", "relative", "seconds", ""];
    let mut rows = vec![heads.map(String::from).to_vec()];
    for report in reports {
        rows.push(vec![
            shown(&report.name, repeated(reports, report).then_some(report.file.as_str())),
            report.kind.to_string(),
            report.size.to_string(),
            report.solver.to_string(),
            report.iterations.to_string(),
            format!("{:.2e}", report.residual),
            format!("{:.2e}", report.residual_relative),
            format!("{:.2e}", report.seconds),
            report.reason.as_ref().map_or_else(|| "solved".into(), |reason| format!("NOT SOLVED: {reason}")),
        ]);
    }
    // Below every row but the head stands the answer.
    let mut text = String::new();
    for (lines, report) in lists(&rows).iter().zip([None].into_iter().chain(reports.iter().map(Some))) {
        text.push_str(lines);
        text.extend(report.filter(|report| report.solved).map(|report| wrapped(&report.answer(), 2, 6)));
    }
    text
}

/// Whether every file was a problem and every problem was solved.
pub fn verdict(reports: &[Report], wrong: &[Wrong], problems: usize) -> Result<(), Fail> {
    let mut messages: Vec<String> = wrong.iter().map(|wrong| wrong.shown.clone()).collect();
    let unsolved: Vec<&Report> = reports.iter().filter(|report| !report.solved).collect();
    if let Some(first) = unsolved.first() {
        let reason = first.reason.as_deref().unwrap_or_default();
        let (count, all) = (unsolved.len(), reports.len());
        let verb = if count == 1 { "is" } else { "are" };
        let problems = if all == 1 { "problem" } else { "problems" };
        let which = if count == 1 { "" } else { "the first, " };
        messages.push(format!(
            "error: {count} of {all} {problems} {verb} not solved: {which}{}: {reason}",
            shown(&first.name, None)
        ));
    }
    if reports.len() < problems {
        messages.push(format!("error: interrupted after {} of {problems} problems", reports.len()));
    }
    if messages.is_empty() {
        return Ok(());
    }
    if wrong.is_empty() {
        return Err(Fail::Failed(messages.join("\n")));
    }
    let files: BTreeSet<&str> = wrong.iter().map(|wrong| wrong.diagnostic.source.as_str()).collect();
    let (count, all) = (files.len(), files.len() + problems);
    messages.push(format!("{count} of {all} files {} wrong", if count == 1 { "is" } else { "are" }));
    Err(Fail::Input(messages.join("\n\n")))
}

/// The list of solvers as data.
pub fn listed() -> Value {
    let row = |entry: &carom_lcp::solvers::registry::Entry| {
        let facts = entry.facts;
        json!({
            "name": facts.name,
            "other_name": entry.other_name,
            "kinds": entry.kinds,
            "law": entry.law.map(carom_lcp::Law::name),
            "takes": facts.takes,
            "guarantees": facts.guarantees,
            "costs": facts.costs,
            "fails": facts.fails,
        })
    };
    SOLVERS.iter().map(row).collect()
}

/// The list of solvers for a reader.
pub fn listing() -> String {
    const INDENT: usize = 14;
    let mut text = String::new();
    for entry in &SOLVERS {
        let facts = entry.facts;
        let other = entry.other_name.map_or_else(String::new, |name| format!(" (also {name})"));
        text.push_str(&format!("{}{other}\n", facts.name));
        let law = entry.law.map_or_else(String::new, |law| format!(", law {}", law.name()));
        let kinds = format!("{}{law}", entry.kinds.join(", "));
        let rows = [
            ("kinds", kinds.as_str()),
            ("takes", facts.takes),
            ("guarantees", facts.guarantees),
            ("costs", facts.costs),
            ("fails", facts.fails),
        ];
        for (what, words) in rows {
            text.push_str(&wrapped(&format!("  {what:<width$}{words}", width = INDENT - 2), 0, INDENT));
        }
        text.push('\n');
    }
    text + "`default` is used unless --solver names another.\n"
}
