//! The solver for LCPs and mixed LCPs of which nothing is known.

use super::Facts;
use super::best::Best;
use super::block_pivot::BlockPivot;
use super::convert::AsLcp;
use super::enumeration::Enumeration;
use super::lemke::Lemke;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Lcp, Mlcp, SaddleMlcp};
use crate::residual::Judged;

/// Principal solves of block pivoting for each unknown, and besides: more only where the matrix is not P and others do better.
const PIVOTS: (usize, usize) = (4, 100);
/// Covers that Lemke's method is tried with, the one of ones among them.
const COVERS: usize = 8;
/// Unknowns up to which a linear program is asked whether there can be a solution at all.
const LINEAR_PROGRAM: usize = 200;
/// Nodes of the enumeration times n³: all of them up to 13 unknowns, about two seconds of work whatever n.
const NODES: usize = 50_000_000;

/// Block pivoting; if that fails Lemke's method along several paths; if they fail the enumeration, which also proves that there is no
/// solution where that is so. The best iterate of all is kept.
#[derive(Clone, Debug, Default)]
pub struct LcpDefault {
    block_pivot: BlockPivot,
    lemke: Lemke,
    enumeration: Enumeration,
    used: &'static str,
}

impl LcpDefault {
    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "default",
        takes: "LCPs and mixed LCPs",
        guarantees: "what block pivoting (P matrices) and Lemke's method (copositive-plus matrices) guarantee; with up to 13 unknowns a \
                     solution or the proof that there is none, unless rounding hides it",
        costs: "those of block pivoting where it succeeds, and no allocation once warm for LCPs; else those of the others on top",
        fails: "large problems whose matrix is neither P nor copositive",
    };

    /// The solver that gave the last answer: that solved it, or came nearest.
    pub fn used(&self) -> &'static str {
        self.used
    }

    /// The limits of block pivoting.
    fn first(limits: &Limits, n: usize) -> Limits {
        let own = PIVOTS.0 * n + PIVOTS.1;
        Limits { iterations: Some(limits.iterations.map_or(own, |most| most.min(own))), ..*limits }
    }

    /// What comes after block pivoting has failed with `so_far`, whose best iterate is in `z`.
    fn others(
        &mut self,
        problem: &Lcp,
        z: &mut [f64],
        limits: &Limits,
        mut so_far: Unsolved,
    ) -> Result<Solved, Unsolved> {
        let n = problem.q.len();
        let mut iterations = so_far.iterations;
        // The limit of iterations is one of the whole; each method has what is left of it.
        let left = |used: usize, own: Option<usize>| Limits {
            iterations: match (limits.iterations, own) {
                (Some(all), own) => Some(all.saturating_sub(used).min(own.unwrap_or(usize::MAX))),
                (None, own) => own,
            },
            ..*limits
        };
        let mut candidate = vec![0.0; n];
        for path in 0..=COVERS + 1 {
            if limits.late() {
                so_far.failure = Failure::Deadline;
                break;
            }
            if limits.iterations.is_some_and(|most| iterations >= most) {
                so_far.failure = Failure::Iterations;
                break;
            }
            candidate.fill(0.0);
            // First the usual path; then whether there can be a solution; then other paths; last the enumeration.
            let (name, answer) = if path == 0 || (2..=COVERS).contains(&path) {
                self.lemke.cover = (path > 0).then(|| cover(path, n));
                (Lemke::FACTS.name, self.lemke.solve(problem, &mut candidate, &left(iterations, None)))
            } else if n <= LINEAR_PROGRAM {
                let nodes = if path == 1 { 1 } else { (NODES / (n * n * n).max(1)).max(1) };
                let limits = left(iterations, Some(nodes));
                (Enumeration::FACTS.name, self.enumeration.solve(problem, &mut candidate, &limits))
            } else {
                continue;
            };
            match answer {
                Ok(solved) => {
                    self.used = name;
                    z.copy_from_slice(&candidate);
                    return Ok(Solved { iterations: iterations + solved.iterations, ..solved });
                }
                Err(unsolved) => {
                    iterations += unsolved.iterations;
                    if unsolved.residual.absolute < so_far.residual.absolute {
                        self.used = name;
                        z.copy_from_slice(&candidate);
                        so_far.residual = unsolved.residual;
                    }
                    so_far.failure = unsolved.failure;
                    if let Failure::Infeasible(_) = so_far.failure {
                        break;
                    }
                }
            }
        }
        Err(Unsolved { iterations, ..so_far })
    }

    /// [`LcpDefault::others`] for the LCP of a mixed one, which block pivoting has not seen in this form.
    fn others_of(
        &mut self,
        lcp: &Lcp,
        x: &mut [f64],
        limits: &Limits,
        mixed: Unsolved,
    ) -> Result<Solved, Unsolved> {
        let residual = lcp.residual(x);
        self.others(lcp, x, limits, Unsolved { residual, ..mixed })
    }
}

/// Positive numbers between 1/8 and 8 that differ from path to path, by fractional parts of multiples of the golden ratio.
fn cover(path: usize, n: usize) -> Vec<f64> {
    let golden = 0.618_033_988_749_894_9;
    let even = |i: usize| (((i + 1) * (2 * path + 1)) as f64 * golden).fract();
    // Half of them below 1, half above.
    (0..n)
        .map(|i| if even(i) < 0.5 { 0.125 + 1.75 * even(i) } else { 1.0 / (0.125 + 1.75 * (1.0 - even(i))) })
        .collect()
}

impl Solver<Lcp> for LcpDefault {
    fn solve(&mut self, problem: &Lcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.used = BlockPivot::FACTS.name;
        match self.block_pivot.solve(problem, z, &LcpDefault::first(limits, z.len())) {
            Err(unsolved) if z.len() <= Lemke::MOST => self.others(problem, z, limits, unsolved),
            solved => solved,
        }
    }
}

impl Solver<Mlcp> for LcpDefault {
    fn solve(&mut self, problem: &Mlcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.used = BlockPivot::FACTS.name;
        let unsolved = match self.block_pivot.solve(problem, z, &LcpDefault::first(limits, z.len())) {
            Err(unsolved) => unsolved,
            solved => return solved,
        };
        if z.len() > AsLcp::MOST {
            return Err(unsolved);
        }
        let before = unsolved.residual.absolute;
        let answer =
            AsLcp::of(problem).solve(problem, z, limits, |lcp, x| self.others_of(lcp, x, limits, unsolved));
        if answer.as_ref().is_err_and(|unsolved| unsolved.residual.absolute >= before) {
            self.used = BlockPivot::FACTS.name;
        }
        answer
    }
}

impl Solver<SaddleMlcp> for LcpDefault {
    /// Block pivoting by sparse factors; if that fails the ways of [`Mlcp`] on the Schur complement.
    fn solve(&mut self, problem: &SaddleMlcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.used = BlockPivot::FACTS.name;
        let first = match self.block_pivot.solve(problem, z, &LcpDefault::first(limits, z.len())) {
            Err(unsolved) => unsolved,
            solved => return solved,
        };
        if limits.late() || limits.iterations.is_some_and(|most| first.iterations >= most) {
            return Err(first);
        }
        let mut best = Best::default();
        best.begin(problem, z);
        let mut candidate = z.to_vec();
        let left = Limits { iterations: limits.iterations.map(|most| most - first.iterations), ..*limits };
        let (iterations, failure) = match Solver::<Mlcp>::solve(self, &problem.reduced(), &mut candidate, &left) {
            Ok(solved) => (solved.iterations, Failure::Stalled),
            Err(unsolved) => (unsolved.iterations, unsolved.failure),
        };
        if best.offer(problem, &candidate).absolute >= first.residual.absolute {
            self.used = BlockPivot::FACTS.name;
        }
        best.finish(z, limits, first.iterations + iterations, failure)
    }
}
