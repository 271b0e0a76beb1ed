//! Solves: a problem of the corpus of complementarity problems, a solver, and what it does iteration by iteration.

mod enumeration;
mod history;
mod measures;
mod problem;
mod solver;

pub use measures::SOLVE_QUANTITIES;

pub(super) use history::{History, Point};
pub(super) use measures::OF_ERRORS;

use super::ensemble::{self, Member};
use super::quantities::Quantities;
use super::read::name;
use super::settings::Setting;
use super::tabled::{Tabled, named};
use super::{Plan, PlanKind};
use crate::document::{Diagnostic, Source, Table, TableReader};
use history::Begin;
use problem::{Optional as _, Problem};
use solver::Solver;

const KEYS: [&str; 9] = ["name", "label", "labels", "problem", "solver", "start", "looks", "vary", "members"];
/// Those that settings can change.
const SETTABLE: [&str; 4] = ["problem", "solver", "start", "looks"];

/// A solve, or one for every member of an ensemble.
#[derive(Clone)]
pub(super) struct Solve(pub Tabled);

/// A solve as it is made.
struct Made {
    names: (&'static str, &'static str),
    problem: Problem,
    solver: Solver,
    begin: Begin,
    looks: Vec<usize>,
}

/// What a solve came to.
pub(super) struct Solution {
    /// The names of the problem and of the solver.
    pub names: (&'static str, &'static str),
    /// The solver's history and the quantities of it, or why there are none.
    pub found: Result<(Quantities, History), String>,
}

/// Reads a `[[solve]]`.
pub(super) fn read(table: &TableReader, source: &Source) -> Option<Plan> {
    table.finish(&KEYS);
    let plan_name = table.required("name").and_then(|item| name(&item));
    let label = table.string("label");
    let ensemble = ensemble::read(table, source).and_then(|ensemble| labelled(table, ensemble));
    let mut kept = Table::default();
    for key in ["problem", "solver"] {
        kept.insert(key, named(&table.required(key)?)?);
    }
    for key in ["start", "looks"] {
        if let Some(value) = table.get(key) {
            kept.insert(key, value.clone());
        }
    }
    let (plan_name, ensemble) = (plan_name?, ensemble?);
    let solve = Solve(Tabled::new(kept, ensemble));
    solve.0.check(table, source, decode)?;
    let label = label.unwrap_or(&plan_name).to_string();
    Some(Plan { name: plan_name, label, start: None, kind: PlanKind::Solve(solve) })
}

/// The members of an ensemble with their names in figures, where there are such.
fn labelled(table: &TableReader, (mut members, ensemble): (Vec<Member>, bool)) -> Option<(Vec<Member>, bool)> {
    let Some(item) = table.item("labels") else { return Some((members, ensemble)) };
    let labels = item.array()?;
    if !ensemble || labels.len() != members.len() {
        item.report("there must be as many labels as members", None);
        return None;
    }
    for (member, label) in members.iter_mut().zip(labels) {
        member.label = label.string()?.to_string();
    }
    Some((members, ensemble))
}

impl Solve {
    /// Adds a setting if every member takes it.
    pub fn set(&mut self, setting: &Setting, source: &Source) -> Result<(), Vec<Diagnostic>> {
        self.0.set(setting, source, decode)
    }

    /// Solves for one member; errors against the exact solution are taken where they are wanted.
    pub fn run(&self, member: usize, source: &Source, errors: bool) -> Result<Solution, Vec<Diagnostic>> {
        let Made { names, problem, solver, begin, looks } =
            self.0.decode(&self.0.members[member], source, decode)?;
        let history = History::of(&problem, &solver, begin, errors);
        let found = history.map(|history| (measures::measured(&problem, &history, &looks), history));
        Ok(Solution { names, found })
    }
}

fn decode(root: &TableReader) -> Option<Made> {
    root.finish(&SETTABLE);
    let (problem_name, problem) = Problem::read(&root.required("problem")?.table()?)?;
    let (solver_name, solver) = Solver::read(&root.required("solver")?.table()?, &problem)?;
    let begin = match root.choice_or("start", "zero", &["zero", "solution"])? {
        "solution" => Begin::Solution,
        _ => Begin::Zero,
    };
    let mut looks = Vec::new();
    for item in root.array("looks").unwrap_or_default() {
        match item.integer()? {
            look if look > 0 => looks.push(look as usize),
            _ => return item.mismatch("the number of an iteration, from 1"),
        }
    }
    let names = (problem_name, solver_name);
    Some(Made { names, problem, solver, begin, looks })
}
