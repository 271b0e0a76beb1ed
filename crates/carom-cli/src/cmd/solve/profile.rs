//! Performance profiles [dolan-more-2002]: how large a part of the problems a solver solves within a factor of the fastest time.

use std::time::{Duration, Instant};

use carom_lcp::solvers::registry::SOLVERS;
use serde_json::{Value, json};

use super::Budget;
use super::input::Loaded;
use super::output::Report;
use crate::print::table;

/// A solve that is faster than this is timed again, and the shortest time counts.
const SHORT: Duration = Duration::from_millis(20);
/// How often at most.
const TIMES: usize = 5;

/// Problems that the same solvers are for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Bounds,
    Friction,
}

impl Group {
    pub const ALL: [Group; 2] = [Group::Bounds, Group::Friction];

    pub fn name(self) -> &'static str {
        match self {
            Group::Bounds => "problems with bounds",
            Group::Friction => "problems with friction",
        }
    }
}

/// A solver on a problem.
struct Run {
    seconds: f64,
    solved: bool,
    iterations: usize,
    residual: f64,
    residual_relative: f64,
    reason: Option<String>,
}

/// A problem with what each solver of the list did on it; `None` where it does not take it.
struct Compared {
    name: String,
    group: Group,
    runs: Vec<Option<Run>>,
}

impl Compared {
    fn fastest(&self) -> f64 {
        let solved = self.runs.iter().flatten().filter(|run| run.solved);
        solved.map(|run| run.seconds).fold(f64::INFINITY, f64::min)
    }
}

/// What a solver did on the problems of a group.
pub struct Line {
    pub solver: &'static str,
    /// Times relative to the fastest solver of the same problem, ascending; none for a problem that it did not solve.
    pub ratios: Vec<f64>,
    /// How many problems it takes.
    pub taken: usize,
    /// In the order of the problems; `None` where it did not solve one.
    seconds: Vec<Option<f64>>,
}

impl Line {
    /// How many problems it solves within a factor of the fastest time.
    pub fn within(&self, factor: f64) -> usize {
        self.ratios.partition_point(|ratio| *ratio <= factor)
    }
}

/// All solvers on all problems.
#[derive(Default)]
pub struct Profile {
    problems: Vec<Compared>,
}

impl Profile {
    /// Runs every solver that takes the problem; the fastest answer, or the nearest one if none solves it.
    pub fn compare(&mut self, budget: Budget, loaded: &Loaded, ended: impl Fn()) -> Report {
        let mut runs = Vec::new();
        let mut best: Option<Report> = None;
        for entry in &SOLVERS {
            let run = entry.takes(&loaded.problem).then(|| {
                let begun = Instant::now();
                let mut report = budget.solve(entry, loaded);
                for _ in 1..TIMES {
                    if begun.elapsed() > SHORT {
                        break;
                    }
                    report.seconds = report.seconds.min(budget.solve(entry, loaded).seconds);
                }
                let run = Run {
                    seconds: report.seconds,
                    solved: report.solved,
                    iterations: report.iterations,
                    residual: report.residual,
                    residual_relative: report.residual_relative,
                    reason: report.reason.clone(),
                };
                let better = best.as_ref().is_none_or(|best| match (report.solved, best.solved) {
                    (true, true) => report.seconds < best.seconds,
                    (false, false) => report.residual < best.residual,
                    (solved, _) => solved,
                });
                if better {
                    best = Some(report);
                }
                run
            });
            runs.push(run);
            ended();
        }
        let friction = ["friction", "global-friction"].contains(&loaded.problem.kind());
        let group = if friction { Group::Friction } else { Group::Bounds };
        self.problems.push(Compared { name: loaded.name.clone(), group, runs });
        best.unwrap_or_else(|| budget.solve(&SOLVERS[0], loaded))
    }

    /// How many problems a group has.
    pub fn count(&self, group: Group) -> usize {
        self.problems.iter().filter(|problem| problem.group == group).count()
    }

    /// The solvers that take problems of a group: those that solve most first, then the faster ones.
    pub fn lines(&self, group: Group) -> Vec<Line> {
        let problems: Vec<&Compared> = self.problems.iter().filter(|problem| problem.group == group).collect();
        let mut lines: Vec<Line> = SOLVERS
            .iter()
            .enumerate()
            .map(|(k, entry)| {
                let solved =
                    |problem: &&Compared| problem.runs[k].as_ref().filter(|run| run.solved).map(|run| run.seconds);
                let seconds: Vec<Option<f64>> = problems.iter().map(solved).collect();
                let mut ratios: Vec<f64> = problems
                    .iter()
                    .zip(&seconds)
                    .filter_map(|(problem, seconds)| Some((*seconds)? / problem.fastest()))
                    .collect();
                ratios.sort_by(f64::total_cmp);
                let taken = problems.iter().filter(|problem| problem.runs[k].is_some()).count();
                Line { solver: entry.facts.name, ratios, taken, seconds }
            })
            .filter(|line| line.taken > 0)
            .collect();
        let area = |line: &Line| line.ratios.iter().map(|ratio| ratio.ln()).sum::<f64>();
        lines.sort_by(|a, b| b.ratios.len().cmp(&a.ratios.len()).then(area(a).total_cmp(&area(b))));
        lines
    }

    /// The table of counts, one for each group.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for group in Group::ALL.into_iter().filter(|group| self.count(*group) > 0) {
            let heads =
                ["  solver", "takes", "solved", "fastest", "within 2", "within 10", "within 100", "median seconds"];
            let mut rows = vec![heads.map(String::from).to_vec()];
            for line in self.lines(group) {
                let mut row =
                    vec![format!("  {}", line.solver), line.taken.to_string(), line.ratios.len().to_string()];
                row.extend([1.0, 2.0, 10.0, 100.0].map(|factor| line.within(factor).to_string()));
                let mut seconds: Vec<f64> = line.seconds.iter().flatten().copied().collect();
                seconds.sort_by(f64::total_cmp);
                row.push(
                    seconds.get(seconds.len() / 2).map_or_else(|| "–".into(), |median| format!("{median:.2e}")),
                );
                rows.push(row);
            }
            text.push_str(&format!(
                "\n{} {}, each within a factor of the fastest:\n\n",
                self.count(group),
                group.name()
            ));
            text.push_str(&table(&rows, 1));
        }
        text
    }

    /// The counts as data.
    pub fn json(&self) -> Value {
        let groups = Group::ALL.into_iter().filter(|group| self.count(*group) > 0).map(|group| {
            let names: Vec<&str> =
                self.problems.iter().filter(|problem| problem.group == group).map(|p| p.name.as_str()).collect();
            let solvers: Vec<Value> = self
                .lines(group)
                .iter()
                .map(|line| {
                    json!({
                        "name": line.solver,
                        "takes": line.taken,
                        "solved": line.ratios.len(),
                        "fastest": line.within(1.0),
                        "within_2": line.within(2.0),
                        "within_10": line.within(10.0),
                        "within_100": line.within(100.0),
                        "seconds": line.seconds,
                    })
                })
                .collect();
            json!({ "group": group.name(), "problems": names, "solvers": solvers })
        });
        groups.collect()
    }

    /// Every solve, one to a line.
    pub fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let mut text = String::from("problem,solver,solved,seconds,iterations,residual,residual_relative,reason\n");
        for problem in &self.problems {
            for (entry, run) in SOLVERS.iter().zip(&problem.runs) {
                let Some(run) = run else { continue };
                text.push_str(&format!(
                    "{},{},{},{:?},{},{:?},{:?},{}\n",
                    quoted(&problem.name),
                    entry.facts.name,
                    run.solved,
                    run.seconds,
                    run.iterations,
                    run.residual,
                    run.residual_relative,
                    quoted(run.reason.as_deref().unwrap_or_default())
                ));
            }
        }
        text
    }
}
