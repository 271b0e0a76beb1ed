//! Experiments: a paper's claims, each measured by runs and judged by a criterion.
//!
//! An experiment is one file. It names runs of built-in scenes, or solves of complementarity problems, and claims with an expression over what the runs came to
//! and a criterion for its value. The verdict is computed from these two alone; the verdict that the file expects is only
//! compared with it.
//!
//! The way of an experiment: [`Experiment::read`] → [`Experiment::jobs`] → [`Job::run`], in any order and on any thread →
//! [`Experiment::judge`] and [`Experiment::draw`].

mod change;
mod claims;
mod computation;
mod ensemble;
mod figure;
mod formula;
mod gauge;
mod impacts;
mod inside;
mod map;
mod quantities;
mod read;
mod recurrence;
mod run;
mod sensitivity;
mod settings;
mod solvers;
mod statistic;
mod tabled;
mod verdict;

pub use change::Change;
pub use quantities::{MAP_QUANTITIES, ORDER_QUANTITIES, RUN_QUANTITIES, STATE_QUANTITIES};
pub use run::{Found, Job};
pub use sensitivity::Threshold;
pub use settings::Refused;
pub use solvers::SOLVE_QUANTITIES;
pub use statistic::{STATISTICS, Statistic};
pub use verdict::{Finding, Judgement, Says, Verdict};

use crate::document::Source;
use ensemble::Member;
use figure::Drawing;
use formula::Formula;
use settings::Start;
use tabled::Tabled;

/// The papers whose experiments are known by name, with their keys in `references.bib`.
pub const PAPERS: [(&str, &str); 5] = [
    ("kaufman-pai", "kaufman-pai-2012"),
    ("fetecau", "fetecau-2003"),
    ("pekarek-murphey", "pekarek-murphey-2012"),
    ("muehlebach", "muehlebach-2016"),
    ("lacoursiere-linde", "lacoursiere-linde-2011"),
];

/// An experiment that comes with carom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInExperiment {
    /// Its paper: the folder's name.
    pub paper: &'static str,
    /// Its name: the file's.
    pub id: &'static str,
    /// Its text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/experiments.rs"));

/// What a paper shows in one place, and how it is measured here.
pub struct Experiment {
    /// The paper, if it is known.
    pub paper: Option<String>,
    /// Its name.
    pub id: String,
    /// One line.
    pub title: String,
    /// What is run, and what the paper leaves open.
    pub description: Option<String>,
    /// The figure or section of the paper.
    pub place: Option<String>,
    /// Keys of `references.bib`.
    pub cites: Vec<String>,
    /// The claims.
    pub claims: Vec<Claim>,
    /// The text that it was read from.
    pub source: Source,
    /// Other parameters and other laws, each with the claims whose verdicts hang on it.
    pub mutations: Vec<Change>,
    /// Other starts.
    pub starts: Vec<Change>,
    /// How many times longer runs are than the file says.
    horizon: f64,
    plans: Vec<Plan>,
    drawings: Vec<Drawing>,
}

/// A claim.
#[derive(Debug)]
pub struct Claim {
    /// Its name in the experiment.
    pub id: String,
    /// What is claimed.
    pub claim: String,
    /// Who says so.
    pub says: Says,
    /// What the paper does not give of the data that it is about, if so: no run can decide it then.
    pub missing: Option<String>,
    /// The figure or section of the paper, where it differs from the experiment's.
    pub place: Option<String>,
    /// What the paper gives.
    pub paper_value: Option<PaperValue>,
    /// The expression that is measured, as it is written.
    pub measured: String,
    /// Its unit.
    pub unit: Option<String>,
    /// When the claim holds.
    pub criterion: Criterion,
    /// The verdict recorded for the published parameters.
    pub expected: Verdict,
    /// Why it is so.
    pub reason: String,
    /// Whether it is about the long horizons only.
    pub full: bool,
    /// Why no change of the runs can give another verdict, if so.
    pub no_mutation: Option<String>,
    /// What belongs to the claim and is not varied to see how the verdict depends on it, of [`Claim::FIXED`].
    pub fixed: Vec<String>,
    formula: Formula,
}

/// A value as the paper gives it.
#[derive(Debug, Clone, PartialEq)]
pub enum PaperValue {
    /// A number.
    Number(f64),
    /// Words.
    Text(String),
}

/// When a measured value satisfies a claim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Not above this.
    AtMost(f64),
    /// Not below this.
    AtLeast(f64),
    /// From one to the other.
    Between(f64, f64),
    /// At this, up to a distance.
    Near(f64, f64),
}

/// Which part of an experiment is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// The long horizons, and the claims about them.
    pub full: bool,
    /// Only the claims of these names; all if there are none.
    pub only: Vec<String>,
}

/// Runs of one scene, a convergence study of it, or solves of complementarity problems.
struct Plan {
    name: String,
    label: String,
    /// The scene; a solve has none.
    start: Option<Start>,
    kind: PlanKind,
}

enum PlanKind {
    /// One run, or one for every member of an ensemble, with the times and the numbers of impacts at which states are kept,
    /// and the run that each is compared with inside its steps.
    Run {
        members: Vec<Member>,
        ensemble: bool,
        times: Vec<f64>,
        after: Vec<u64>,
        inside: inside::Settings,
        recurs: Option<recurrence::Recurrence>,
        reference: Option<Box<Start>>,
    },
    /// Regions of a plane about impact configurations, the members of the map.
    Map(map::Map),
    /// Errors over step lengths.
    Order { steps: Vec<f64>, reference: Option<Box<Start>> },
    /// A complementarity problem, or one for every member of an ensemble, and a solver.
    Solve(solvers::Solve),
    /// A computation that is about no scene, or one for every member of an ensemble.
    Computation(computation::Computation),
}

impl PlanKind {
    /// The name of its table in the file.
    fn name(&self) -> &'static str {
        match self {
            Self::Run { .. } => "run",
            Self::Map(_) => "map",
            Self::Order { .. } => "order",
            Self::Solve(_) => "solve",
            Self::Computation(_) => "computation",
        }
    }
}

impl Plan {
    /// How many members an ensemble has; none of what is no ensemble.
    fn members(&self) -> Option<usize> {
        match &self.kind {
            PlanKind::Run { members, ensemble: true, .. } => Some(members.len()),
            PlanKind::Map(map) => Some(map.at.len()),
            _ => self.tabled().filter(|tabled| tabled.ensemble).map(|tabled| tabled.members.len()),
        }
    }

    /// The table of what has no scene.
    fn tabled(&self) -> Option<&Tabled> {
        match &self.kind {
            PlanKind::Solve(solve) => Some(&solve.0),
            PlanKind::Computation(computation) => Some(&computation.tabled),
            PlanKind::Run { .. } | PlanKind::Map(_) | PlanKind::Order { .. } => None,
        }
    }

    /// Every set of settings that a scene is read with.
    fn starts(&mut self) -> impl Iterator<Item = &mut Start> {
        let reference = match &mut self.kind {
            PlanKind::Order { reference, .. } | PlanKind::Run { reference, .. } => reference.as_deref_mut(),
            PlanKind::Map(_) | PlanKind::Solve(_) | PlanKind::Computation(_) => None,
        };
        self.start.iter_mut().chain(reference)
    }
}

impl Experiment {
    /// Paper and name.
    pub fn full_name(&self) -> String {
        match &self.paper {
            Some(paper) => format!("{paper}/{}", self.id),
            None => self.id.clone(),
        }
    }

    /// The claims that are judged.
    pub fn chosen<'a>(&'a self, choice: &'a Choice) -> impl Iterator<Item = &'a Claim> {
        let named = |claim: &Claim| choice.only.is_empty() || choice.only.contains(&claim.id);
        self.claims.iter().filter(move |claim| named(claim) && (choice.full || !claim.full))
    }

    /// Whether a plan is needed for what was chosen; figures are drawn of everything that is chosen whole.
    fn needs(&self, choice: &Choice, plan: usize) -> bool {
        let claimed = self.chosen(choice).any(|claim| claim.formula.uses(plan));
        claimed || (choice.only.is_empty() && self.drawings.iter().any(|drawing| drawing.uses(plan, choice.full)))
    }
}

impl Criterion {
    /// Whether a value satisfies it.
    pub fn holds(&self, value: f64) -> bool {
        match *self {
            Self::AtMost(most) => value <= most,
            Self::AtLeast(least) => value >= least,
            Self::Between(least, most) => (least..=most).contains(&value),
            Self::Near(target, distance) => (value - target).abs() <= distance,
        }
    }
}

impl std::fmt::Display for Criterion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtMost(most) => write!(f, "at most {most:?}"),
            Self::AtLeast(least) => write!(f, "at least {least:?}"),
            Self::Between(least, most) => write!(f, "between {least:?} and {most:?}"),
            Self::Near(target, distance) => write!(f, "{target:?} ± {distance:?}"),
        }
    }
}
