//! Levenberg and Marquardt's steps on the natural map, for the end of problems on which Newton's method stalls.
//!
//! Where W has less rank than rows, answers are not isolated and Newton's matrix J = A + R W is singular at all of them. The step d with
//! (JᵀJ + λ) d = −JᵀF exists for every λ > 0, goes to the nearest answer, and λ that falls with the residual keeps it fast. J has no unit:
//! F and the impulses have the same.
//!
//! JᵀJ is dense here: n² numbers are kept and n³ operations made in each step, up to [`MOST_ROWS`] rows. W of bodies is formed, which
//! allocates, as does the first use for a size; this is for the end of a solve.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, MatMut, MatRef, Par};

use super::evaluate;
use crate::outcome::Limits;
use crate::problem::Motion;
use crate::solvers::best::Best;
use crate::solvers::form::Form;
use crate::solvers::pencil::{Block, Blocks, Compliance, entries};

/// Rows up to which dense factors are made: 2000 take 0.1 GB and some seconds a step.
pub(crate) const MOST_ROWS: usize = 2000;

/// λ of the first step, times the relative residual.
const FIRST_LAMBDA: f64 = 1e-3;

/// λ stays between these: below the first JᵀJ is singular by rounding, above the other no step moves anything.
const LAMBDAS: [f64; 2] = [1e-15, 1e3];

/// Steps over which the residual must halve.
const PATIENCE: usize = 12;

/// The matrices of the steps and what a search needs besides.
pub(crate) struct Levenberg {
    /// J, JᵀJ and its factors, by columns.
    jacobian: Vec<f64>,
    normal: Vec<f64>,
    factors: Vec<f64>,
    memory: MemBuffer,
    z: Vec<f64>,
    trial: Vec<f64>,
    w: Vec<f64>,
    f: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    a: Vec<Block>,
    r: Vec<Block>,
    motion: Motion,
}

impl Default for Levenberg {
    fn default() -> Levenberg {
        let vector = Vec::new;
        Levenberg {
            jacobian: vector(),
            normal: vector(),
            factors: vector(),
            memory: MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(0, Par::Seq, Default::default())),
            z: vector(),
            trial: vector(),
            w: vector(),
            f: vector(),
            gradient: vector(),
            step: vector(),
            a: Vec::new(),
            r: Vec::new(),
            motion: Motion::default(),
        }
    }
}

impl Levenberg {
    /// Steps from the best iterate until the tolerance is reached, `most` steps are made or the residual no longer halves; their number.
    pub fn polish<P: Form>(&mut self, problem: &P, best: &mut Best, limits: &Limits, most: usize) -> usize {
        let n = problem.size();
        let formed;
        let compliance = match problem.compliance() {
            _ if n > MOST_ROWS => return 0,
            Compliance::Matrix(w) => Compliance::Matrix(w),
            Compliance::Bodies(saddle) => {
                formed = saddle.schur().0;
                Compliance::Matrix(&formed)
            }
        };
        self.resize(n);
        best.copy_to(&mut self.z);
        let mut size = evaluate(
            problem,
            1.0,
            &self.z,
            &mut self.w,
            &mut self.f,
            &mut self.motion,
            Some((&mut self.a, &mut self.r)),
        );
        let mut lambda = FIRST_LAMBDA * best.relative_of(size);
        let (mut milestone, mut since) = (size, 0);
        for steps in 0..most {
            if size == 0.0 || !size.is_finite() || limits.late() {
                return steps;
            }
            self.linearise(problem, compliance);
            let next = loop {
                lambda = lambda.clamp(LAMBDAS[0], LAMBDAS[1]);
                if self.find_step(lambda) {
                    for k in 0..n {
                        self.trial[k] = self.z[k] + self.step[k];
                    }
                    let next =
                        evaluate(problem, 1.0, &self.trial, &mut self.w, &mut self.f, &mut self.motion, None);
                    if next < size {
                        break next;
                    }
                }
                if lambda >= LAMBDAS[1] {
                    return steps + 1;
                }
                lambda *= 8.0;
            };
            // A step that does what the linear map promises allows a bolder one.
            lambda *= if next < 0.5 * size { 0.05 } else { 0.5 };
            std::mem::swap(&mut self.z, &mut self.trial);
            let blocks = Some((&mut self.a, &mut self.r));
            size = evaluate(problem, 1.0, &self.z, &mut self.w, &mut self.f, &mut self.motion, blocks);
            if best.offer(problem, &self.z).relative <= limits.tolerance {
                return steps + 1;
            }
            since += 1;
            if size <= 0.5 * milestone {
                (milestone, since) = (size, 0);
            } else if since > PATIENCE {
                return steps + 1;
            }
        }
        most
    }

    fn resize(&mut self, n: usize) {
        if self.z.len() != n {
            let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
            self.memory = MemBuffer::new(scratch);
        }
        for vector in [&mut self.z, &mut self.trial, &mut self.w, &mut self.f, &mut self.gradient, &mut self.step] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        for matrix in [&mut self.jacobian, &mut self.normal, &mut self.factors] {
            matrix.clear();
            matrix.resize(n * n, 0.0);
        }
    }

    /// J, JᵀJ and JᵀF at the iterate.
    fn linearise<P: Form>(&mut self, problem: &P, compliance: Compliance) {
        let (n, shape) = (self.z.len(), problem.shape());
        self.jacobian.fill(0.0);
        let jacobian = &mut self.jacobian;
        let (a, r) = (Blocks { equality: 0.0, contacts: &self.a }, Blocks { equality: 1.0, contacts: &self.r });
        entries(compliance, shape, 0, a, r, |row, column, value| jacobian[column * n + row] += value);
        // Rows of equalities are ρ w in the map.
        for column in jacobian.chunks_exact_mut(n.max(1)) {
            column[..shape.equalities].iter_mut().zip(problem.rho()).for_each(|(value, rho)| *value *= rho);
        }
        for (gradient, column) in self.gradient.iter_mut().zip(jacobian.chunks_exact(n.max(1))) {
            *gradient = column.iter().zip(&self.f).map(|(a, b)| a * b).sum();
        }
        let jacobian = MatRef::from_column_major_slice(jacobian, n, n);
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let normal = MatMut::from_column_major_slice_mut(&mut self.normal, n, n);
        matmul(normal, lower, Accum::Replace, jacobian.transpose(), full, jacobian, full, 1.0, Par::Seq);
    }

    /// The step for λ; false where JᵀJ + λ is not positive definite by its factors.
    fn find_step(&mut self, lambda: f64) -> bool {
        let n = self.z.len();
        self.factors.copy_from_slice(&self.normal);
        (0..n).for_each(|k| self.factors[k * n + k] += lambda);
        let factors = MatMut::from_column_major_slice_mut(&mut self.factors, n, n);
        let stack = MemStack::new(&mut self.memory);
        if llt::factor::cholesky_in_place(factors, Default::default(), Par::Seq, stack, Default::default()).is_err()
        {
            return false;
        }
        self.step.iter_mut().zip(&self.gradient).for_each(|(step, gradient)| *step = -gradient);
        let factors = MatRef::from_column_major_slice(&self.factors, n, n);
        let right = MatMut::from_column_major_slice_mut(&mut self.step, n, 1);
        llt::solve::solve_in_place(factors, right, Par::Seq, MemStack::new(&mut self.memory));
        self.step.iter().all(|value| value.is_finite())
    }
}
