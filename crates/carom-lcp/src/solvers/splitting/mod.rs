//! Splittings: a direct method for what must be accurate, something cheaper or simpler for friction.
//!
//! [`DirectIterative`] solves equalities and normals directly with friction held [lacoursiere-linde-2011 (96)], then sweeps the contacts with the equalities
//! held [lacoursiere-linde-2011 (97)], and ends with the direct solve. [`LaggedBounds`] is the splitting (W, Ũ) of [lacoursiere-linde-2011 (84), (90)]: everything directly under
//! the box law, with bounds μν from the solve before.

mod direct;

use super::Facts;
use super::pgs::{Options, Part, Pgs, Swept, Variant, Workspace};
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::Law;
use crate::residual::Residual;
use direct::{Direct, Kept};

/// A stage of a splitting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// A direct solve.
    Direct {
        /// Factorizations.
        pivots: usize,
    },
    /// The sweeps.
    Sweeps,
}

/// The choices of [`DirectIterative`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coupling {
    /// How the sweeps solve one contact.
    pub variant: Variant,
    /// Normals and tangents, or tangents with the normals of the direct solve.
    pub part: Part,
    /// Sweeps between two direct solves.
    pub sweeps: usize,
    /// Rounds of sweeps and a direct solve, after the first direct solve, of a solve that has no limit of its own.
    pub couplings: usize,
}

impl Default for Coupling {
    /// Exact tangents, contacts, 15 sweeps, 5 couplings: the numbers of the paper.
    fn default() -> Coupling {
        Coupling { variant: Variant::ExactTangents, part: Part::Contacts, sweeps: 15, couplings: 5 }
    }
}

/// Direct-iterative splitting [lacoursiere-linde-2011 (96), (97)]. Its answer always comes from a direct solve: equalities hold and normals are complementary
/// to rounding, only friction is approximate.
///
/// The direct part is solved by sparse factors where the problem has bodies. A second solve of a problem of the same pattern allocates
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct DirectIterative {
    /// The choices.
    pub coupling: Coupling,
    stages: Stages,
    space: Space,
}

/// The solvers of the two stages.
#[derive(Clone, Debug, Default)]
struct Stages {
    pgs: Pgs,
    direct: Direct,
}

impl DirectIterative {
    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "direct-iterative",
        takes: "friction problems by bodies or matrix",
        guarantees: "equalities and normals exact for the friction it ends with; none about friction",
        costs: "a few factorizations of the active equalities and normals and some sweeps for each coupling",
        fails: "slow where friction carries load through joints: equalities are held while friction is swept; with tangents that \
                are not exact it ends at wrong friction",
    };

    /// The solver with these choices.
    pub fn new(coupling: Coupling) -> DirectIterative {
        DirectIterative { coupling, ..DirectIterative::default() }
    }

    /// A direct solve and then a number of couplings, from `z`; the last iterate is left there, unjudged. The observer is called
    /// after each stage and goes on by answering `true`; only after a direct solve does it stop anything.
    pub fn couple<P: Swept>(
        &mut self,
        problem: &P,
        couplings: usize,
        z: &mut [f64],
        mut observer: impl FnMut(Stage, &[f64]) -> bool,
    ) {
        self.stages.couple(problem, &Coupling { couplings, ..self.coupling }, z, &mut observer);
    }

    fn solve_any<P: Swept>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let couplings = limits.iterations.unwrap_or(self.coupling.couplings);
        let coupling = Coupling { couplings, ..self.coupling };
        let (mut outers, last) = Outers::new(problem, limits, &mut self.space, z);
        self.stages.direct.deadline = limits.deadline;
        self.stages.couple(problem, &coupling, last, &mut |stage, z| match stage {
            Stage::Direct { .. } => outers.offer(z),
            Stage::Sweeps => true,
        });
        self.stages.direct.deadline = None;
        outers.finish(z)
    }
}

impl Stages {
    /// As [`DirectIterative::couple`].
    fn couple<P: Swept>(
        &mut self,
        problem: &P,
        coupling: &Coupling,
        z: &mut [f64],
        observer: &mut impl FnMut(Stage, &[f64]) -> bool,
    ) {
        let form = problem.form();
        self.direct.read(form, &problem.shape(), Kept::Normals);
        self.pgs.options = Options { variant: coupling.variant, ..Options::default() };
        let mut pivots = self.direct.solve(form, z, None);
        for _ in 0..coupling.couplings {
            if !observer(Stage::Direct { pivots }, z) {
                return;
            }
            self.pgs.sweep(problem, coupling.part, coupling.sweeps, z, |_| {});
            observer(Stage::Sweeps, z);
            pivots = self.direct.solve(form, z, None);
        }
        observer(Stage::Direct { pivots }, z);
    }
}

impl<P: Swept> Solver<P> for DirectIterative {
    /// Solves; an iteration is a coupling. On failure the best iterate after a direct solve is left in `z`.
    fn solve(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.solve_any(problem, z, limits)
    }
}

/// The splitting (W, Ũ) [lacoursiere-linde-2011 (84), (90)]: all rows at once by block pivoting under the box law, with the bounds μν of the solve before.
///
/// Differs from [lacoursiere-linde-2011 (90)]: q + (H − N) z, where (H − N) q is printed. The iterates are bounded [lacoursiere-linde-2011, lemma 19.1]; they need not converge.
///
/// Solved by sparse factors where the problem has bodies. A second solve of a problem of the same pattern allocates nothing.
#[derive(Clone, Debug)]
pub struct LaggedBounds {
    /// The most solves with new bounds of a solve that has no limit of its own.
    pub rounds: usize,
    /// The most factorizations of one of them.
    pub pivots: usize,
    lag: Lag,
    space: Space,
}

/// The solves and what the bounds come from.
#[derive(Clone, Debug, Default)]
struct Lag {
    direct: Direct,
    before: Vec<f64>,
}

impl Default for LaggedBounds {
    /// 20 rounds of at most 1000 factorizations.
    fn default() -> LaggedBounds {
        LaggedBounds { rounds: 20, pivots: 1000, lag: Lag::default(), space: Space::default() }
    }
}

impl LaggedBounds {
    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "lagged-bounds",
        takes: "friction problems under the box law, by bodies or matrix",
        guarantees: "bounded iterates where W is a P matrix; no convergence",
        costs: "factorizations of all active rows, tens to hundreds for each round",
        fails: "bounds and friction chase each other where contacts open and slide together, as in collapsing walls",
    };

    /// A number of rounds from `z`, whose normal impulses give the first bounds; the last iterate is left there, unjudged. The
    /// observer is called after each round with the number of factorizations and goes on by answering `true`. A round that changes
    /// nothing is the last: the next would be the same. Says whether that happened.
    pub fn lag<P: Swept>(
        &mut self,
        problem: &P,
        rounds: usize,
        z: &mut [f64],
        mut observer: impl FnMut(usize, &[f64]) -> bool,
    ) -> bool {
        self.lag.run(problem, [rounds, self.pivots], z, &mut observer)
    }

    fn solve_any<P: Swept>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        if problem.shape().law != Law::Box {
            let residual = problem.residual(z);
            let failure = Failure::Unsuitable("lagged bounds are for the box law".to_string());
            return Err(Unsolved { failure, iterations: 0, residual });
        }
        let rounds = limits.iterations.unwrap_or(self.rounds);
        let (mut outers, last) = Outers::new(problem, limits, &mut self.space, z);
        self.lag.direct.deadline = limits.deadline;
        if self.lag.run(problem, [rounds, self.pivots], last, &mut |_, z| outers.offer(z)) {
            outers.failure = Failure::Stalled;
        }
        self.lag.direct.deadline = None;
        outers.finish(z)
    }
}

impl Lag {
    /// As [`LaggedBounds::lag`], with the most rounds and the most factorizations of one.
    fn run<P: Swept>(
        &mut self,
        problem: &P,
        [rounds, most]: [usize; 2],
        z: &mut [f64],
        observer: &mut impl FnMut(usize, &[f64]) -> bool,
    ) -> bool {
        let (form, shape) = (problem.form(), problem.shape());
        self.direct.read(form, &shape, Kept::All);
        self.before.clear();
        self.before.extend_from_slice(z);
        for _ in 0..rounds {
            for (contact, mu) in shape.mu.iter().enumerate() {
                let first = shape.singles + contact * shape.dimension;
                let reach = mu * z[first].max(0.0);
                (first + 1..first + shape.dimension).for_each(|row| self.direct.bound(form, row, reach));
            }
            let pivots = self.direct.solve(form, z, Some(most));
            if !observer(pivots, z) {
                return false;
            }
            if z == self.before {
                return true;
            }
            self.before.copy_from_slice(z);
        }
        false
    }
}

impl<P: Swept> Solver<P> for LaggedBounds {
    /// Solves; an iteration is a solve with new bounds.
    fn solve(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.solve_any(problem, z, limits)
    }
}

/// The room to judge outer iterates and to keep the best, kept between solves.
#[derive(Clone, Debug, Default)]
struct Space {
    workspace: Workspace,
    last: Vec<f64>,
    best: Vec<f64>,
}

/// The best of the outer iterates.
struct Outers<'a, P> {
    problem: &'a P,
    limits: &'a Limits,
    workspace: &'a mut Workspace,
    /// The best of them.
    kept: &'a mut Vec<f64>,
    at_zero: f64,
    best: Option<Residual>,
    count: usize,
    failure: Failure,
}

impl<'a, P: Swept> Outers<'a, P> {
    /// Beside it the iterate that begins at `z`.
    fn new(
        problem: &'a P,
        limits: &'a Limits,
        space: &'a mut Space,
        z: &[f64],
    ) -> (Outers<'a, P>, &'a mut Vec<f64>) {
        let (form, shape) = (problem.form(), problem.shape());
        let Space { workspace, last, best: kept } = space;
        workspace.read(form, &shape);
        let at_zero = workspace.at_zero(form, &shape);
        last.clear();
        last.extend_from_slice(z);
        let failure = Failure::Iterations;
        (Outers { problem, limits, workspace, kept, at_zero, best: None, count: 0, failure }, last)
    }

    fn residual(&mut self, z: &[f64]) -> Residual {
        self.workspace.residual(self.problem.form(), &self.problem.shape(), z, self.at_zero)
    }

    /// Judges an iterate; whether to go on.
    fn offer(&mut self, z: &[f64]) -> bool {
        let residual = self.residual(z);
        self.count += 1;
        if self.best.is_none_or(|best| residual.absolute < best.absolute) {
            self.best = Some(residual);
            self.kept.clear();
            self.kept.extend_from_slice(z);
        }
        if self.limits.late() {
            self.failure = Failure::Deadline;
            return false;
        }
        residual.relative > self.limits.tolerance
    }

    /// The verdict on the best iterate, which is left in `z`; on `z` itself where there was none.
    fn finish(mut self, z: &mut [f64]) -> Result<Solved, Unsolved> {
        let residual = match self.best {
            Some(residual) => {
                z.copy_from_slice(self.kept);
                residual
            }
            None => self.residual(z),
        };
        if residual.relative <= self.limits.tolerance {
            return Ok(Solved { iterations: self.count, residual });
        }
        Err(Unsolved { failure: self.failure, iterations: self.count, residual })
    }
}
