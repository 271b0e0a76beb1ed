//! The solvers by name: one list for commands, tables and comparisons.
//!
//! Every call makes its solver anew. Who solves many problems of one shape keeps a solver instead.

use super::convert::AsLcp;
use super::pgs::{Options, Variant};
use super::splitting::Coupling;
use super::{
    BlockPivot, DirectIterative, Enumeration, Facts, FrictionDefault, Interior, LaggedBounds, LcpDefault, Lemke,
    Newton, Pgs,
};
use crate::matrix::Sparse;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved, too_large, verdict};
use crate::problem::{Friction, GlobalFriction, Law, Lcp, Mlcp, Problem, SaddleMlcp};
use crate::residual::{Judged, Residual};

/// What a solver that was asked for answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The solver that gave the answer: of several that were tried, the one that solved the problem or came nearest.
    pub solver: &'static str,
    /// The outcome, by the residual of the problem as it was given, whatever form it was solved in.
    pub result: Result<Solved, Unsolved>,
}

/// A solver of the list.
#[derive(Clone, Copy)]
pub struct Entry {
    /// What is known about it.
    pub facts: Facts,
    /// Another name it is found by.
    pub other_name: Option<&'static str>,
    /// The kinds of problems it takes.
    pub kinds: &'static [&'static str],
    /// The law of friction it is for, if only one.
    pub law: Option<Law>,
    run: fn(&Problem, &mut [f64], &Limits) -> Answer,
}

/// Iterations of the solvers that only repeat themselves: far more than in a step of a simulation, where a rough answer in time is what
/// they are for. Here the answer is what counts, and a deadline is the limit that users give.
const SWEEPS: usize = 100_000;
/// See [`SWEEPS`].
const COUPLINGS: usize = 2_000;
/// See [`SWEEPS`].
const ROUNDS: usize = 200;

const LCPS: &[&str] = &["lcp", "mlcp", "saddle-mlcp"];
const FRICTION: &[&str] = &["friction", "global-friction"];
const ALL: &[&str] = &["lcp", "mlcp", "saddle-mlcp", "friction", "global-friction"];

/// The solvers, the default first. Where one takes a problem only in another form, the problem is brought into it.
pub static SOLVERS: [Entry; 13] = [
    Entry { run: default, ..entry(DEFAULT, ALL) },
    Entry {
        run: |p, z, l| in_any_form(&mut BlockPivot::default(), BLOCK_PIVOT, p, z, l),
        ..entry(BLOCK_PIVOT, LCPS)
    },
    Entry { run: |p, z, l| bounded(&mut Lemke::default(), LEMKE, p, z, l), ..entry(LEMKE, LCPS) },
    Entry { run: |p, z, l| bounded(&mut Listing::default(), ENUMERATION, p, z, l), ..entry(ENUMERATION, LCPS) },
    Entry {
        other_name: Some("pgs-exact-tangents"),
        run: |p, z, l| sweeps(Variant::ExactTangents, PGS, p, z, l),
        ..entry(PGS, ALL)
    },
    Entry {
        law: Some(Law::Cone),
        run: |p, z, l| sweeps(Variant::ExactCone, PGS_EXACT_CONE, p, z, l),
        ..entry(PGS_EXACT_CONE, FRICTION)
    },
    Entry {
        run: |p, z, l| sweeps(Variant::BlockTangents, PGS_BLOCK_TANGENTS, p, z, l),
        ..entry(PGS_BLOCK_TANGENTS, FRICTION)
    },
    Entry {
        run: |p, z, l| sweeps(Variant::BlockProjection, PGS_BLOCK_PROJECTION, p, z, l),
        ..entry(PGS_BLOCK_PROJECTION, FRICTION)
    },
    Entry { run: |p, z, l| sweeps(Variant::Separate, PGS_SEPARATE, p, z, l), ..entry(PGS_SEPARATE, FRICTION) },
    Entry {
        other_name: Some("splitting"),
        run: |p, z, l| {
            let coupling = Coupling { couplings: COUPLINGS, ..Coupling::default() };
            friction(&mut DirectIterative::new(coupling), SPLITTING, p, z, l)
        },
        ..entry(SPLITTING, FRICTION)
    },
    Entry {
        law: Some(Law::Box),
        run: |p, z, l| {
            let mut solver = LaggedBounds::default();
            solver.rounds = ROUNDS;
            friction(&mut solver, LAGGED_BOUNDS, p, z, l)
        },
        ..entry(LAGGED_BOUNDS, FRICTION)
    },
    Entry { run: |p, z, l| friction(&mut Newton::default(), NEWTON, p, z, l), ..entry(NEWTON, FRICTION) },
    Entry {
        law: Some(Law::Cone),
        run: |p, z, l| friction(&mut Interior::default(), INTERIOR, p, z, l),
        ..entry(INTERIOR, FRICTION)
    },
];

const DEFAULT: Facts = Facts {
    name: "default",
    takes: "every problem",
    guarantees: "with bounds: what block pivoting (P matrices) and Lemke's method (copositive-plus matrices) guarantee, and up to 13 \
                 unknowns a solution or the proof that there is none, unless rounding hides it; with friction: nothing (no method has \
                 any guarantee there)",
    costs: "with bounds those of block pivoting where it succeeds, else of the others on top; with friction a few sparse LU of a \
            warm start, some hundred of a hard problem",
    fails: "where all that it tries fails; the best of the answers is kept and its solver named",
};
const BLOCK_PIVOT: Facts = BlockPivot::FACTS;
const LEMKE: Facts = Lemke::FACTS;
const ENUMERATION: Facts = Enumeration::FACTS;
const PGS: Facts = Pgs::FACTS;
const PGS_EXACT_CONE: Facts = Facts {
    name: "pgs-exact-cone",
    takes: "friction problems by bodies or matrix with the cone",
    guarantees: "nothing; where it comes to rest the friction is right",
    fails: "slow for high ratios of masses and redundant contacts; says the limit of iterations",
    ..PGS
};
const PGS_BLOCK_TANGENTS: Facts = Facts {
    name: "pgs-block-tangents",
    takes: "friction problems by bodies or matrix",
    guarantees: "nothing; an answer where every contact sticks or is open",
    fails: "the two tangents are solved as if the contact stuck and cut to the bound: wrong friction where it slides and they are \
            coupled",
    ..PGS
};
const PGS_BLOCK_PROJECTION: Facts = Facts {
    name: "pgs-block-projection",
    fails: "all rows of a contact are solved as if it stuck and the tangents cut to the bound: neither friction nor normal impulse \
            need be right where it slides",
    ..PGS_BLOCK_TANGENTS
};
const PGS_SEPARATE: Facts = Facts {
    name: "pgs-separate",
    fails: "the tangents are solved one by one and scaled to the bound: wrong friction where a contact slides and they are coupled",
    ..PGS_BLOCK_TANGENTS
};
const SPLITTING: Facts = DirectIterative::FACTS;
const LAGGED_BOUNDS: Facts = LaggedBounds::FACTS;
const NEWTON: Facts = Newton::FACTS;
const INTERIOR: Facts = Interior::FACTS;

/// An entry without a solver: the lines of the list say which.
const fn entry(facts: Facts, kinds: &'static [&'static str]) -> Entry {
    Entry { facts, other_name: None, kinds, law: None, run: default }
}

impl Entry {
    /// Whether the solver takes a problem.
    pub fn takes(&self, problem: &Problem) -> bool {
        let law = match problem {
            Problem::Friction(problem) => Some(problem.law),
            Problem::GlobalFriction(problem) => Some(problem.law),
            _ => None,
        };
        self.kinds.contains(&problem.kind()) && (self.law.is_none() || law.is_none() || self.law == law)
    }

    /// Solves a problem from `z`, which has its size and receives the answer, on failure the best iterate. A problem that the
    /// solver does not take is refused.
    pub fn solve(&self, problem: &Problem, z: &mut [f64], limits: &Limits) -> Answer {
        let size = problem.judge().size();
        let refused = |message: String, residual: Residual| {
            let failure = Failure::Unsuitable(message);
            Answer { solver: self.facts.name, result: Err(Unsolved { failure, iterations: 0, residual }) }
        };
        if z.len() != size {
            let residual = Residual { absolute: f64::INFINITY, relative: f64::INFINITY };
            return refused(format!("the start has {} entries where the problem has {size}", z.len()), residual);
        }
        match self.refusal(problem) {
            None => (self.run)(problem, z, limits),
            Some(message) => refused(message, problem.judge().residual(z)),
        }
    }

    /// Why the solver does not take a problem, with those that do; `None` where it does.
    fn refusal(&self, problem: &Problem) -> Option<String> {
        if self.takes(problem) {
            return None;
        }
        let others: Vec<&str> =
            SOLVERS.iter().filter(|entry| entry.takes(problem)).map(|entry| entry.facts.name).collect();
        let law = match self.law.filter(|_| self.kinds.contains(&problem.kind())) {
            Some(law) => format!(" with another law than `{}`", law.name()),
            None => String::new(),
        };
        let (name, kind) = (self.facts.name, problem.kind());
        Some(format!("{name} does not take problems of kind `{kind}`{law}; those that do: {}", others.join(", ")))
    }
}

/// The solver of a name; else what is wrong with it and which names there are.
pub fn find(name: &str) -> Result<&'static Entry, String> {
    let named = |entry: &&Entry| entry.facts.name == name || entry.other_name == Some(name);
    SOLVERS.iter().find(named).ok_or_else(|| {
        let names: Vec<&str> = SOLVERS.iter().map(|entry| entry.facts.name).collect();
        format!("there is no solver `{name}`; solvers: {}", names.join(", "))
    })
}

/// Whether the solver of a name takes a problem; else why not and which do.
pub fn applicable(name: &str, problem: &Problem) -> Result<(), String> {
    find(name)?.refusal(problem).map_or(Ok(()), Err)
}

/// Solves a problem by the solver of a name: see [`Entry::solve`]. The error is that of [`find`].
pub fn solve(problem: &Problem, name: &str, z: &mut [f64], limits: &Limits) -> Result<Answer, String> {
    Ok(find(name)?.solve(problem, z, limits))
}

fn default(problem: &Problem, z: &mut [f64], limits: &Limits) -> Answer {
    if FRICTION.contains(&problem.kind()) {
        let mut solver = FrictionDefault::default();
        let answer = friction(&mut solver, DEFAULT, problem, z, limits);
        return Answer { solver: solver.used(), ..answer };
    }
    let mut solver = LcpDefault::default();
    let answer = in_any_form(&mut solver, DEFAULT, problem, z, limits);
    Answer { solver: solver.used(), ..answer }
}

/// A solver of problems with bounds that takes those of bodies as they are.
fn in_any_form<S: Solver<Lcp> + Solver<Mlcp> + Solver<SaddleMlcp>>(
    solver: &mut S,
    facts: Facts,
    problem: &Problem,
    z: &mut [f64],
    limits: &Limits,
) -> Answer {
    match problem {
        Problem::SaddleMlcp(problem) => Answer { solver: facts.name, result: solver.solve(problem, z, limits) },
        _ => bounded(solver, facts, problem, z, limits),
    }
}

/// A solver of problems with bounds by their matrix; those of bodies are reduced to it.
fn bounded<S: Solver<Lcp> + Solver<Mlcp>>(
    solver: &mut S,
    facts: Facts,
    problem: &Problem,
    z: &mut [f64],
    limits: &Limits,
) -> Answer {
    let result = match problem {
        Problem::Lcp(problem) => solver.solve(problem, z, limits),
        Problem::Mlcp(problem) => solver.solve(problem, z, limits),
        Problem::SaddleMlcp(given) => {
            let result = solver.solve(&given.reduced(), z, limits);
            judged(given, result, z, limits)
        }
        Problem::Friction(_) | Problem::GlobalFriction(_) => not_taken(problem, facts, z),
    };
    Answer { solver: facts.name, result }
}

/// A solver of friction problems in both forms.
fn friction<S: Solver<Friction> + Solver<GlobalFriction>>(
    solver: &mut S,
    facts: Facts,
    problem: &Problem,
    z: &mut [f64],
    limits: &Limits,
) -> Answer {
    let result = match problem {
        Problem::Friction(problem) => solver.solve(problem, z, limits),
        Problem::GlobalFriction(problem) => solver.solve(problem, z, limits),
        _ => not_taken(problem, facts, z),
    };
    Answer { solver: facts.name, result }
}

fn sweeps(variant: Variant, facts: Facts, problem: &Problem, z: &mut [f64], limits: &Limits) -> Answer {
    let mut pgs = Pgs::new(Options { variant, sweeps: SWEEPS, ..Options::default() });
    let result = match problem {
        Problem::Lcp(given) => {
            let n = given.q.len();
            let h = Sparse::from_dense(&given.m);
            let mixed = Mlcp { h, q: given.q.clone(), lower: vec![0.0; n], upper: vec![f64::INFINITY; n] };
            let result = pgs.solve(&mixed, z, limits);
            judged(given, result, z, limits)
        }
        Problem::Mlcp(problem) => pgs.solve(problem, z, limits),
        Problem::SaddleMlcp(problem) => pgs.solve(problem, z, limits),
        Problem::Friction(problem) => pgs.solve(problem, z, limits),
        Problem::GlobalFriction(problem) => pgs.solve(problem, z, limits),
    };
    Answer { solver: facts.name, result }
}

/// The verdict of the problem that was given on what was solved in another form.
fn judged<P: Judged>(
    given: &P,
    result: Result<Solved, Unsolved>,
    z: &[f64],
    limits: &Limits,
) -> Result<Solved, Unsolved> {
    match result {
        Ok(solved) => verdict(given, z, limits, solved.iterations, Failure::Stalled),
        Err(unsolved) => verdict(given, z, limits, unsolved.iterations, unsolved.failure),
    }
}

fn not_taken(problem: &Problem, facts: Facts, z: &[f64]) -> Result<Solved, Unsolved> {
    let failure =
        Failure::Unsuitable(format!("{} does not take problems of kind `{}`", facts.name, problem.kind()));
    Err(Unsolved { failure, iterations: 0, residual: problem.judge().residual(z) })
}

/// The enumeration, for mixed LCPs too.
#[derive(Default)]
struct Listing(Enumeration);

impl Solver<Lcp> for Listing {
    fn solve(&mut self, problem: &Lcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.0.solve(problem, z, limits)
    }
}

impl Solver<Mlcp> for Listing {
    fn solve(&mut self, problem: &Mlcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        if z.len() > AsLcp::MOST {
            return Err(too_large(ENUMERATION.name, AsLcp::MOST, problem, z));
        }
        AsLcp::of(problem).solve(problem, z, limits, |lcp, x| self.0.solve(lcp, x, limits))
    }
}
