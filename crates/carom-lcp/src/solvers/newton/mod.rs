//! Semismooth Newton on the natural map of the exact cone, on the sparse structure of the problem.
//!
//! Each contact's map F = r − P_K(r − ρ (u + μ‖u_t‖ e_n)) is differentiated exactly [Alart and Curnier's idea on De Saxcé's map]. A step is
//! cut until ‖F‖ falls. Two things make it work on contact problems: W is regularised by δ that vanishes with the residual
//! (W has far more rows than rank in most of them), and where a step length ρ leads to a dead end the search begins again from the
//! best iterate with another one.

pub(crate) mod levenberg;
mod map;

use super::best::Best;
use super::form::Form;
use super::pencil::{Blocks, Pencil, Shape};
use super::{Block, Facts};
use crate::cone::norm;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::{Friction, GlobalFriction, Motion};
use map::linearise;

/// Multiples of the natural map's ρ, in the order they are tried.
const SCALES: [f64; 7] = [1.0, 10.0, 0.1, 100.0, 1e3, 1e4, 1e5];

/// δ is this times the relative residual.
const REGULARISATION: f64 = 1e-4;

/// δ never falls below this nor rises above [`MOST_REGULARISATION`]. W is regularised by δ in the unit of each contact's own block.
const LEAST_REGULARISATION: f64 = 1e-12;

/// See [`LEAST_REGULARISATION`].
const MOST_REGULARISATION: f64 = 1e-3;

/// A step shorter than this fraction of Newton's is a dead end.
const SHORTEST_STEP: f64 = 1e-3;

/// Semismooth Newton with line search, vanishing regularisation and restarts over ρ.
///
/// A second solve of a problem of the same pattern allocates nothing where its matrix is dense (at most 60 rows, or a quarter full) or has at
/// most 800 coordinates of bodies and no T is tiny; else some ten times in each factorisation.
#[derive(Default)]
pub struct Newton {
    best: Best,
    pencil: Pencil,
    space: Space,
}

/// What one search needs.
#[derive(Default)]
struct Space {
    z: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    a: Vec<Block>,
    r: Vec<Block>,
    regularised: Vec<Block>,
    motion: Motion,
}

impl Newton {
    /// What is known before it is run.
    pub const FACTS: Facts = Facts {
        name: "newton",
        takes: "friction problems by matrix or bodies, cone or box, with equalities",
        guarantees: "‖F‖ of the ρ at hand never rises, nor does the residual of what is kept; quadratic near a solution whose contacts are clearly open, sticking or sliding",
        costs: "one sparse LU per iteration, commonly 5 to 100 iterations; memory of the factors",
        fails: "far from a solution it may stop where no ρ lets ‖F‖ fall; box friction at corners; says stalled",
    };

    /// The linear systems of a problem, which other methods share; `None` where their pattern cannot be analysed.
    pub(crate) fn pencil<P: Form>(&mut self, problem: &P) -> Option<&mut Pencil> {
        self.pencil.renew(problem.compliance(), problem.shape()).then_some(&mut self.pencil)
    }

    /// Iterations of one search before the next ρ is tried.
    const SEARCH: usize = 60;

    pub(crate) fn run<P: Form>(&mut self, problem: &P, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let start = self.best.begin(problem, z);
        if start.relative <= limits.tolerance {
            return self.best.finish(z, limits, 0, Failure::Stalled);
        }
        if !self.pencil.renew(problem.compliance(), problem.shape()) {
            return self.best.finish(z, limits, 0, Failure::Singular("the pattern cannot be analysed".into()));
        }
        let most = limits.iterations.unwrap_or(SCALES.len() * Self::SEARCH);
        let mut iterations = 0;
        let mut failure = Failure::Stalled;
        // A pass over all ρ is repeated as long as it gains a factor of 10.
        loop {
            let before = self.best.residual().absolute;
            for scale in SCALES {
                self.best.copy_to(z);
                let budget = Self::SEARCH.min(most - iterations);
                iterations += self.search(problem, scale, z, limits, budget);
                if self.best.residual().relative <= limits.tolerance {
                    return self.best.finish(z, limits, iterations, failure);
                }
                if iterations >= most {
                    failure = Failure::Iterations;
                } else if limits.late() {
                    failure = Failure::Deadline;
                }
                if failure != Failure::Stalled {
                    return self.best.finish(z, limits, iterations, failure);
                }
            }
            let after = self.best.residual().absolute;
            if !after.is_finite() || after > 0.1 * before {
                return self.best.finish(z, limits, iterations, failure);
            }
        }
    }

    /// One search with one multiple of ρ; the number of iterations.
    fn search<P: Form>(&mut self, problem: &P, scale: f64, z: &[f64], limits: &Limits, budget: usize) -> usize {
        let Space { z: here, w, f, trial, step, a, r, regularised, motion } = &mut self.space;
        let pencil = &mut self.pencil;
        let n = problem.size();
        for vector in [&mut *here, &mut *w, &mut *f, &mut *trial, &mut *step] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        here.copy_from_slice(z);
        let mean_diagonal = (0..n).map(|row| problem.diagonal(row)).sum::<f64>() / n.max(1) as f64;
        let mut size = evaluate(problem, scale, here, w, f, motion, Some((&mut *a, &mut *r)));
        for iteration in 0..budget {
            let relative = self.best.relative_of(size);
            let delta = (REGULARISATION * relative).clamp(LEAST_REGULARISATION, MOST_REGULARISATION);
            regularise(problem, a, r, delta, regularised);
            let left = Blocks { equality: delta * mean_diagonal, contacts: regularised };
            if !pencil.factor(problem.compliance(), left, Blocks { equality: 1.0, contacts: r }) {
                return iteration;
            }
            step.iter_mut().zip(&*f).for_each(|(step, f)| *step = -f);
            unscale_equalities(problem, scale, step);
            if !pencil.solve(problem.compliance(), step) {
                return iteration;
            }
            let mut length = 1.0;
            let next = loop {
                for k in 0..n {
                    trial[k] = here[k] + length * step[k];
                }
                let next = evaluate(problem, scale, trial, w, f, motion, None);
                if next < (1.0 - 1e-4 * length) * size {
                    break next;
                }
                length *= 0.5;
                if length < SHORTEST_STEP {
                    return iteration + 1;
                }
            };
            std::mem::swap(here, trial);
            size = next;
            let residual = self.best.offer(problem, here);
            if residual.relative <= limits.tolerance || limits.late() {
                return iteration + 1;
            }
            evaluate(problem, scale, here, w, f, motion, Some((&mut *a, &mut *r)));
        }
        budget
    }
}

/// F with ρ times `scale`, and its derivatives where asked for; ‖F‖.
fn evaluate<P: Form>(
    problem: &P,
    scale: f64,
    z: &[f64],
    w: &mut [f64],
    f: &mut [f64],
    motion: &mut Motion,
    derivatives: Option<(&mut Vec<Block>, &mut Vec<Block>)>,
) -> f64 {
    let (shape, rho) = (problem.shape(), problem.rho());
    problem.slacks(z, w, motion);
    for row in 0..shape.equalities {
        f[row] = rho[row] * scale * w[row];
    }
    let mut blocks = derivatives;
    if let Some((a, r)) = &mut blocks {
        a.clear();
        r.clear();
    }
    for (contact, &mu) in problem.mu().iter().enumerate() {
        let first = shape.equalities + contact * shape.dimension;
        let rows = first..first + shape.dimension;
        let rho = rho[shape.equalities + contact] * scale;
        let map = linearise(problem.law(), shape.dimension, mu, rho, &z[rows.clone()], &w[rows.clone()]);
        f[rows].copy_from_slice(&map.value[..shape.dimension]);
        if let Some((a, r)) = &mut blocks {
            a.push(map.a);
            r.push(map.r);
        }
    }
    norm(f)
}

/// A + R δ/ρ: the matrix of the problem with W + δ/ρ, for each contact in the unit of its own block of W.
fn regularise<P: Form>(problem: &P, a: &[Block], r: &[Block], delta: f64, sum: &mut Vec<Block>) {
    let (Shape { equalities, .. }, rho) = (problem.shape(), problem.rho());
    sum.clear();
    sum.extend_from_slice(a);
    for (c, sum) in sum.iter_mut().enumerate() {
        let shift = delta / rho[equalities + c];
        for i in 0..3 {
            for j in 0..3 {
                sum[i][j] += shift * r[c][i][j];
            }
        }
    }
}

/// Rows of equalities are solved as w = 0, not as ρ w = 0.
fn unscale_equalities<P: Form>(problem: &P, scale: f64, step: &mut [f64]) {
    for row in 0..problem.shape().equalities {
        step[row] /= problem.rho()[row] * scale;
    }
}

impl Solver<Friction> for Newton {
    fn solve(&mut self, problem: &Friction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.run(problem, z, limits)
    }
}

impl Solver<GlobalFriction> for Newton {
    fn solve(&mut self, problem: &GlobalFriction, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        self.run(problem, z, limits)
    }
}
