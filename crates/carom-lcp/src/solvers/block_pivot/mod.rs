//! Block pivoting for mixed LCPs: Algorithm 21.2 of Lacoursière and Linde, corrected, with the safeguard of Júdice and Pires.
//!
//! ```text
//! // Notation
//! //   α          rows between their bounds, w = 0          (active)
//! //   σ_l, σ_u   rows at the lower, the upper bound
//! solve      H_αα z_α = −q_α − H_ασl l − H_ασu u,   w = H z + q in σ_l and σ_u
//! exchange   i ∈ α:   z < l to σ_l, z > u to σ_u
//!            i ∈ σ_l: w < 0 to α       i ∈ σ_u: w > 0 to α
//! ```
//!
//! until nothing is to be exchanged: then s = max(l − z, z − u, 0) on α, max(−w, 0) on σ_l, max(w, 0) on σ_u is 0 [lacoursiere-linde-2011 (114)].
//!
//! Differs from [lacoursiere-linde-2011 (114)]: |u − l| as printed on α does not vanish at a solution; s is taken before the exchange.
//!
//! Exchanging all infeasible rows at once (the paper's plain method) is fast and cycles now and then. With the safeguard, full
//! exchanges go on while the number of infeasible rows falls, with five misses allowed. Then a path is tried, once: the problem is
//! changed so that the present sets solve it, and led back to itself with one exchange wherever a row meets its bound. Should that not
//! get through, rows are exchanged one at a time, the least index first (Murty), until the number of infeasible rows is below its
//! best. Murty's rule alone is finite too, but on nearly singular problems with bounds on both sides it takes thousands of exchanges
//! where the path takes dozens.
//!
//! Where a principal submatrix is singular, the safeguarded method turns to proximal rounds: H + S with a small diagonal S and q − S c,
//! c the answer of the round before. For monotone H these converge to a solution if there is one.

mod bodies;
mod exchange;
mod path;
mod principal;
mod sparse;

pub use bodies::{SaddlePrincipal, SaddleSpace};
pub use exchange::{Bounds, Exchanges, Method};
pub use principal::{DensePrincipal, DenseSpace, Perturbation, PrincipalSolve, Rows, Singular};

use super::Facts;
use crate::outcome::{Limits, Solved, Solver, Unsolved, too_large};
use crate::problem::saddle::Motion;
use crate::problem::{Lcp, Mlcp, SaddleMlcp};
use bodies::Judge;
use sparse::{SparsePrincipal, is_sparse};

/// Block pivoting for [`Lcp`] and [`Mlcp`] by dense factors, for [`SaddleMlcp`] by sparse ones. The start set is read off the incoming z: rows strictly between their
/// bounds are active.
#[derive(Clone, Debug)]
pub struct BlockPivot {
    /// What is done where full exchanges do not get on.
    pub method: Method,
    exchanges: Exchanges,
    space: DenseSpace,
    sparse: SaddleSpace,
    motion: Motion,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

impl BlockPivot {
    /// The paper's method without the safeguard.
    pub fn plain() -> BlockPivot {
        BlockPivot::with(Method { safeguard: false, path: false })
    }

    /// Block pivoting by full exchanges and, as its only safeguard, Murty's least index: the method of Júdice and Pires.
    pub fn least_index() -> BlockPivot {
        BlockPivot::with(Method { safeguard: true, path: false })
    }

    fn with(method: Method) -> BlockPivot {
        BlockPivot {
            method,
            exchanges: Exchanges::default(),
            space: DenseSpace::default(),
            sparse: SaddleSpace::default(),
            motion: Motion::default(),
            lower: Vec::new(),
            upper: Vec::new(),
        }
    }

    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "block-pivot",
        takes: "LCPs and mixed LCPs with bounds, by their matrix or in saddle-point form",
        guarantees: "finite for P matrices (symmetric positive definite, quasi-definite) up to rounding, whatever the start",
        costs: "k^3/3 multiplications per factorization of the k rows between their bounds, those of the sparse factors of all bodies \
                and rows in saddle-point form; few factorizations where H is well conditioned, more where it is nearly singular (at \
                most 70 measured, n = 30); 2^n at worst; no allocation once warm",
        fails: "on matrices that are not P: the limit of iterations, or a singular principal submatrix that proximal rounds do not \
                overcome; the best iterate is returned with its residual",
    };
}

impl Default for BlockPivot {
    /// The safeguarded method.
    fn default() -> BlockPivot {
        BlockPivot::with(Method { safeguard: true, path: true })
    }
}

/// Rows up to which dense factors are tried: 200 MB.
const MOST_DENSE_ROWS: usize = 5000;

impl Solver<Mlcp> for BlockPivot {
    /// Solves by dense factors without allocation once warm, large problems with few entries by sparse ones.
    fn solve(&mut self, problem: &Mlcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let bounds = Bounds { lower: &problem.lower, upper: &problem.upper };
        if is_sparse(&problem.h)
            && let Some(mut principal) = SparsePrincipal::new(&problem.h, &problem.q)
        {
            return self.exchanges.solve(problem, &mut principal, bounds, self.method, z, limits);
        }
        if z.len() > MOST_DENSE_ROWS {
            return Err(too_large(BlockPivot::FACTS.name, MOST_DENSE_ROWS, problem, z));
        }
        let mut principal = DensePrincipal::new(&problem.h, &problem.q, &mut self.space);
        self.exchanges.solve(problem, &mut principal, bounds, self.method, z, limits)
    }
}

impl Solver<Lcp> for BlockPivot {
    fn solve(&mut self, problem: &Lcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        for (bound, value) in [(&mut self.lower, 0.0), (&mut self.upper, f64::INFINITY)] {
            bound.clear();
            bound.resize(z.len(), value);
        }
        if z.len() > MOST_DENSE_ROWS {
            return Err(too_large(BlockPivot::FACTS.name, MOST_DENSE_ROWS, problem, z));
        }
        let mut principal = DensePrincipal::new(&problem.m, &problem.q, &mut self.space);
        let bounds = Bounds { lower: &self.lower, upper: &self.upper };
        self.exchanges.solve(problem, &mut principal, bounds, self.method, z, limits)
    }
}

impl Solver<SaddleMlcp> for BlockPivot {
    /// Solves by sparse factors. A problem with the pattern of the one before is not analysed anew and allocates nothing.
    fn solve(&mut self, problem: &SaddleMlcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let mut principal = SaddlePrincipal::new(&problem.saddle, &mut self.sparse);
        let judge = Judge::new(problem, &mut self.motion);
        let bounds = Bounds { lower: &problem.lower, upper: &problem.upper };
        self.exchanges.solve(&judge, &mut principal, bounds, self.method, z, limits)
    }
}
