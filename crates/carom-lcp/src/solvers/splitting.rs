//! Splittings: a direct method for what must be accurate, something cheaper or simpler for friction.
//!
//! [`DirectIterative`] solves equalities and normals directly with friction held [(96)], then sweeps the contacts with the equalities
//! held [(97)], and ends with the direct solve. [`LaggedBounds`] is the splitting (W, Ũ) of [(84), (90)]: everything directly under
//! the box law, with bounds μν from the solve before.

use super::Facts;
use super::block_pivot::BlockPivot;
use super::pgs::{Form, Options, Part, Pgs, Shape, Swept, Variant};
use crate::matrix::Sparse;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Law, Mlcp};
use crate::residual::Residual;

/// The relative residual asked of a direct solve: less than it can reach, so that it ends at a feasible index set.
const DIRECT_TOLERANCE: f64 = 1e-15;

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

/// Direct-iterative splitting [(96), (97)]. Its answer always comes from a direct solve: equalities hold and normals are complementary
/// to rounding, only friction is approximate.
///
/// Every solve puts the matrix of the direct part together and allocates for it.
#[derive(Clone, Debug, Default)]
pub struct DirectIterative {
    /// The choices.
    pub coupling: Coupling,
    pgs: Pgs,
    pivot: BlockPivot,
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
        let shape = problem.shape();
        let (w, q) = matrix(problem.form());
        let kept: Vec<usize> = (0..z.len())
            .filter(|&row| row < shape.singles || (row - shape.singles).is_multiple_of(shape.dimension))
            .collect();
        let mut direct = principal(&w, &q, &kept, &shape);
        let mut impulses = vec![0.0; kept.len()];
        self.pgs.options = Options { variant: self.coupling.variant, ..Options::default() };
        let mut pivots = self.direct(&mut direct, &w, &q, &kept, &mut impulses, z);
        for _ in 0..couplings {
            if !observer(Stage::Direct { pivots }, z) {
                return;
            }
            self.pgs.sweep(problem, self.coupling.part, self.coupling.sweeps, z, |_| {});
            observer(Stage::Sweeps, z);
            pivots = self.direct(&mut direct, &w, &q, &kept, &mut impulses, z);
        }
        observer(Stage::Direct { pivots }, z);
    }

    /// Solves for the kept rows with the others held [(96)]; says the number of factorizations.
    fn direct(
        &mut self,
        direct: &mut Mlcp,
        w: &Sparse,
        q: &[f64],
        kept: &[usize],
        impulses: &mut [f64],
        z: &mut [f64],
    ) -> usize {
        for (k, &row) in kept.iter().enumerate() {
            impulses[k] = std::mem::take(&mut z[row]);
        }
        for (k, &row) in kept.iter().enumerate() {
            direct.q[k] = q[row] + w.row_times(row, z);
        }
        let pivots = pivot(&mut self.pivot, direct, impulses);
        for (k, &row) in kept.iter().enumerate() {
            z[row] = impulses[k];
        }
        pivots
    }

    fn solve_any<P: Swept>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let couplings = limits.iterations.unwrap_or(self.coupling.couplings);
        let mut outers = Outers::new(limits);
        let mut last = z.to_vec();
        self.couple(problem, couplings, &mut last, |stage, z| match stage {
            Stage::Direct { .. } => outers.offer(problem, z),
            Stage::Sweeps => true,
        });
        outers.finish(problem, z)
    }
}

impl<P: Swept> Solver<P> for DirectIterative {
    /// Solves; an iteration is a coupling. On failure the best iterate after a direct solve is left in `z`.
    fn solve(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.solve_any(problem, z, limits)
    }
}

/// The splitting (W, Ũ) [(84), (90)]: all rows at once by block pivoting under the box law, with the bounds μν of the solve before.
///
/// Differs from [(90)]: q + (H − N) z, where (H − N) q is printed. The iterates are bounded [Lemma 19.1]; they need not converge.
///
/// Every solve puts the matrix together and allocates for it.
#[derive(Clone, Debug)]
pub struct LaggedBounds {
    /// The most solves with new bounds of a solve that has no limit of its own.
    pub rounds: usize,
    /// The most factorizations of one of them.
    pub pivots: usize,
    pivot: BlockPivot,
}

impl Default for LaggedBounds {
    /// 20 rounds of at most 1000 factorizations.
    fn default() -> LaggedBounds {
        LaggedBounds { rounds: 20, pivots: 1000, pivot: BlockPivot::default() }
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
        let shape = problem.shape();
        let (w, q) = matrix(problem.form());
        let all: Vec<usize> = (0..z.len()).collect();
        let mut direct = principal(&w, &q, &all, &shape);
        let mut before = z.to_vec();
        for _ in 0..rounds {
            for (contact, mu) in shape.mu.iter().enumerate() {
                let first = shape.singles + contact * shape.dimension;
                for row in first + 1..first + shape.dimension {
                    let reach = mu * z[first].max(0.0);
                    (direct.lower[row], direct.upper[row]) = (-reach, reach);
                }
            }
            let limits = Limits { tolerance: DIRECT_TOLERANCE, iterations: Some(self.pivots), deadline: None };
            let pivots = factorizations(self.pivot.solve(&direct, z, &limits));
            if !observer(pivots, z) {
                return false;
            }
            if z == before {
                return true;
            }
            before.copy_from_slice(z);
        }
        false
    }

    fn solve_any<P: Swept>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        if problem.shape().law != Law::Box {
            let residual = problem.residual(z);
            let failure = Failure::Unsuitable("lagged bounds are for the box law".to_string());
            return Err(Unsolved { failure, iterations: 0, residual });
        }
        let rounds = limits.iterations.unwrap_or(self.rounds);
        let mut outers = Outers::new(limits);
        let mut last = z.to_vec();
        if self.lag(problem, rounds, &mut last, |_, z| outers.offer(problem, z)) {
            outers.failure = Failure::Stalled;
        }
        outers.finish(problem, z)
    }
}

impl<P: Swept> Solver<P> for LaggedBounds {
    /// Solves; an iteration is a solve with new bounds.
    fn solve(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.solve_any(problem, z, limits)
    }
}

/// The best of the outer iterates.
struct Outers<'a> {
    limits: &'a Limits,
    best: Option<(Residual, Vec<f64>)>,
    count: usize,
    failure: Failure,
}

impl Outers<'_> {
    fn new(limits: &Limits) -> Outers<'_> {
        Outers { limits, best: None, count: 0, failure: Failure::Iterations }
    }

    /// Judges an iterate; whether to go on.
    fn offer<P: Swept>(&mut self, problem: &P, z: &[f64]) -> bool {
        let residual = problem.residual(z);
        self.count += 1;
        if self.best.as_ref().is_none_or(|(best, _)| residual.absolute < best.absolute) {
            self.best = Some((residual, z.to_vec()));
        }
        if self.limits.late() {
            self.failure = Failure::Deadline;
            return false;
        }
        residual.relative > self.limits.tolerance
    }

    /// The verdict on the best iterate, which is left in `z`; on `z` itself where there was none.
    fn finish<P: Swept>(self, problem: &P, z: &mut [f64]) -> Result<Solved, Unsolved> {
        let residual = match self.best {
            Some((residual, best)) => {
                z.copy_from_slice(&best);
                residual
            }
            None => problem.residual(z),
        };
        if residual.relative <= self.limits.tolerance {
            return Ok(Solved { iterations: self.count, residual });
        }
        Err(Unsolved { failure: self.failure, iterations: self.count, residual })
    }
}

fn matrix(form: Form<'_>) -> (Sparse, Vec<f64>) {
    match form {
        Form::Bodies(saddle) => saddle.schur(),
        Form::Matrix(matrix, q) => (matrix.clone(), q.to_vec()),
    }
}

/// The problem of some rows alone: equalities free, normals from 0 up, tangents at 0.
fn principal(w: &Sparse, q: &[f64], kept: &[usize], shape: &Shape<'_>) -> Mlcp {
    let mut triplets = Vec::new();
    let mut place = vec![usize::MAX; q.len()];
    for (k, &row) in kept.iter().enumerate() {
        place[row] = k;
    }
    for (k, &row) in kept.iter().enumerate() {
        let entries = w.row(row).filter(|&(column, _)| place[column] != usize::MAX);
        triplets.extend(entries.map(|(column, value)| (k, place[column], value)));
    }
    let n = kept.len();
    let h = Sparse::from_triplets(n, n, &triplets).expect("places are inside the matrix");
    let bounds = |row: usize| {
        if let (Some((lower, upper)), true) = (shape.bounds, row < shape.singles) {
            (lower[row], upper[row])
        } else if row < shape.singles {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else if (row - shape.singles).is_multiple_of(shape.dimension) {
            (0.0, f64::INFINITY)
        } else {
            (0.0, 0.0)
        }
    };
    let (lower, upper) = kept.iter().map(|&row| bounds(row)).unzip();
    let q = kept.iter().map(|&row| q[row]).collect();
    Mlcp::new(h, q, lower, upper).expect("numbers of a problem are finite")
}

/// Solves by block pivoting as well as it goes; says the number of factorizations.
fn pivot(pivot: &mut BlockPivot, problem: &Mlcp, z: &mut [f64]) -> usize {
    factorizations(pivot.solve(problem, z, &Limits { tolerance: DIRECT_TOLERANCE, ..Limits::default() }))
}

fn factorizations(outcome: Result<Solved, Unsolved>) -> usize {
    match outcome {
        Ok(solved) => solved.iterations,
        Err(unsolved) => unsolved.iterations,
    }
}
