//! What a solver is given besides the problem, and what it answers.

use std::time::Instant;

use crate::residual::{Judged, Residual};

/// When a solver stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The relative residual that counts as solved.
    pub tolerance: f64,
    /// The most iterations, in the solver's own unit; `None` is the solver's own limit.
    pub iterations: Option<usize>,
    /// The time at which to give up. Answers that met it may differ between runs.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    /// A relative residual of 1e-8, the solver's own limit of iterations, no deadline.
    fn default() -> Limits {
        Limits { tolerance: 1e-8, iterations: None, deadline: None }
    }
}

impl Limits {
    /// Whether the deadline has passed.
    pub fn late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A solve that reached its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solved {
    /// Iterations in the solver's own unit.
    pub iterations: usize,
    /// The residual of the answer, of the problem's natural map.
    pub residual: Residual,
}

/// A solve that did not: the unknowns hold the best iterate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("not solved after {iterations} iterations: {failure} (best relative residual {:.2e})", residual.relative)]
pub struct Unsolved {
    /// Why.
    pub failure: Failure,
    /// Iterations in the solver's own unit.
    pub iterations: usize,
    /// The residual of the best iterate, of the problem's natural map.
    pub residual: Residual,
}

/// Why a solve did not reach its tolerance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    /// There is no solution, proved up to changes of the data by rounding (1e-12 of them).
    #[error("the problem has no solution: {0}")]
    Infeasible(String),
    /// The path of a pivoting method left to infinity: the problem has no solution or is not of a kind the method can solve.
    #[error("the pivoting path leads to infinity")]
    Ray,
    /// The limit of iterations was reached.
    #[error("the limit of iterations was reached")]
    Iterations,
    /// The deadline passed.
    #[error("the time is over")]
    Deadline,
    /// Nothing the solver can do brings the residual further down.
    #[error("no further progress")]
    Stalled,
    /// A matrix that had to be factored is singular.
    #[error("singular matrix: {0}")]
    Singular(String),
    /// The solver does not take this problem.
    #[error("{0}")]
    Unsuitable(String),
}

/// A solver of one kind of problem. It owns its workspace: a second solve of a problem of the same shape allocates nothing where the
/// solver says so.
pub trait Solver<P: Judged> {
    /// Solves the problem. `z` is the start in and the answer out: on failure the best iterate by the problem's own residual.
    fn solve(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved>;
}

/// The verdict on an answer: solved where its relative residual is within the tolerance.
pub fn verdict<P: Judged + ?Sized>(
    problem: &P,
    z: &[f64],
    limits: &Limits,
    iterations: usize,
    failure: Failure,
) -> Result<Solved, Unsolved> {
    let residual = problem.residual(z);
    if residual.relative <= limits.tolerance {
        Ok(Solved { iterations, residual })
    } else {
        Err(Unsolved { failure, iterations, residual })
    }
}

/// The refusal of a problem that is too large for a solver.
pub(crate) fn too_large<P: Judged + ?Sized>(name: &str, most: usize, problem: &P, z: &[f64]) -> Unsolved {
    let failure = Failure::Unsuitable(format!(
        "{name} takes up to {most} unknowns here, not {}: its factors are dense; sparse are those of mixed LCPs with few entries and of \
         problems in saddle-point form",
        z.len()
    ));
    Unsolved { failure, iterations: 0, residual: problem.residual(z) }
}
