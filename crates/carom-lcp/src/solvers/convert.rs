//! A mixed LCP as an LCP.

use super::best::Best;
use super::lu::Lu;
use crate::matrix::Dense;
use crate::outcome::{Failure, Limits, Solved, Unsolved};
use crate::problem::{Lcp, Mlcp};

/// z_i = base + sign x of one unknown of the LCP.
#[derive(Clone, Copy, Debug)]
struct Part {
    row: usize,
    sign: f64,
}

/// The LCP that a mixed LCP is equivalent to.
///
/// | row | becomes |
/// |---|---|
/// | z ≥ l | x = z − l ⟂ w |
/// | z ≤ u | x = u − z ⟂ −w |
/// | l ≤ z ≤ u | x = z − l ⟂ w + y, y ⟂ u − l − x |
/// | l = u | is a constant |
/// | no bounds | is eliminated by w = 0; where that matrix is singular: z = x − y, x ⟂ w, y ⟂ −w |
#[derive(Clone, Debug)]
pub(crate) struct AsLcp {
    pub lcp: Lcp,
    /// Unknowns x of the LCP that are parts of z; the y of upper bounds follow them.
    parts: Vec<Part>,
    /// z where every x is 0, without the eliminated rows.
    base: Vec<f64>,
    /// Eliminated rows, with z_e = constant + slope x.
    eliminated: Vec<usize>,
    constant: Vec<f64>,
    slope: Vec<Vec<f64>>,
}

impl AsLcp {
    /// The most unknowns of the mixed LCP: the LCP is dense and takes their cube to make.
    pub const MOST: usize = 1000;

    /// The LCP of a mixed LCP.
    pub fn of(problem: &Mlcp) -> AsLcp {
        let n = problem.q.len();
        let h = problem.h.to_dense();
        let free = |i: usize| problem.lower[i] == f64::NEG_INFINITY && problem.upper[i] == f64::INFINITY;
        let mut lu = Lu::default();
        let mut eliminated: Vec<usize> = (0..n).filter(|&i| free(i)).collect();
        let size = eliminated.len();
        let factors = lu.begin(size);
        for (a, &i) in eliminated.iter().enumerate() {
            for (b, &j) in eliminated.iter().enumerate() {
                factors[a * size + b] = h[(i, j)];
            }
        }
        let eliminate = lu.factor().is_ok();
        if !eliminate {
            eliminated.clear();
        }
        let (mut parts, mut base, mut tops) = (Vec::new(), vec![0.0; n], Vec::new());
        for i in 0..n {
            let (l, u) = (problem.lower[i], problem.upper[i]);
            if free(i) {
                if !eliminate {
                    parts.extend([Part { row: i, sign: 1.0 }, Part { row: i, sign: -1.0 }]);
                }
            } else if l == f64::NEG_INFINITY {
                base[i] = u;
                parts.push(Part { row: i, sign: -1.0 });
            } else {
                base[i] = l;
                if u < f64::INFINITY && l < u {
                    tops.push((parts.len(), u - l));
                }
                if l < u {
                    parts.push(Part { row: i, sign: 1.0 });
                }
            }
        }
        // z_e = constant + slope x.
        let mut constant: Vec<f64> =
            eliminated.iter().map(|&i| -problem.h.row_times(i, &base) - problem.q[i]).collect();
        let mut slope = vec![vec![0.0; parts.len()]; eliminated.len()];
        if !eliminated.is_empty() {
            lu.solve(&mut constant);
            for (k, part) in parts.iter().enumerate() {
                let mut column: Vec<f64> = eliminated.iter().map(|&i| -part.sign * h[(i, part.row)]).collect();
                lu.solve(&mut column);
                column.iter().zip(&mut slope).for_each(|(value, row)| row[k] = *value);
            }
        }
        let unknowns = parts.len() + tops.len();
        let (mut m, mut q) = (Dense::zeros(unknowns, unknowns), vec![0.0; unknowns]);
        for (a, part) in parts.iter().enumerate() {
            let at = |j: usize| h[(part.row, j)];
            q[a] = problem.q[part.row] + problem.h.row_times(part.row, &base);
            q[a] += eliminated.iter().zip(&constant).map(|(&e, value)| at(e) * value).sum::<f64>();
            q[a] *= part.sign;
            for (b, other) in parts.iter().enumerate() {
                let through: f64 = eliminated.iter().zip(&slope).map(|(&e, row)| at(e) * row[b]).sum();
                m[(a, b)] = part.sign * (at(other.row) * other.sign + through);
            }
        }
        for (k, &(part, reach)) in tops.iter().enumerate() {
            let row = parts.len() + k;
            m[(part, row)] = 1.0;
            m[(row, part)] = -1.0;
            q[row] = reach;
        }
        AsLcp { lcp: Lcp { m, q }, parts, base, eliminated, constant, slope }
    }

    /// z of an answer x.
    pub fn back(&self, x: &[f64], z: &mut [f64]) {
        z.copy_from_slice(&self.base);
        for (part, value) in self.parts.iter().zip(x) {
            z[part.row] += part.sign * value;
        }
        for ((&row, constant), slope) in self.eliminated.iter().zip(&self.constant).zip(&self.slope) {
            z[row] = constant + slope.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
        }
    }

    /// Solves the LCP by `inner` from x = 0 and answers for the mixed one, by its own residual.
    pub fn solve(
        &self,
        problem: &Mlcp,
        z: &mut [f64],
        limits: &Limits,
        inner: impl FnOnce(&Lcp, &mut [f64]) -> Result<Solved, Unsolved>,
    ) -> Result<Solved, Unsolved> {
        let mut best = Best::default();
        best.begin(problem, z);
        let mut x = vec![0.0; self.lcp.q.len()];
        let (iterations, failure) = match inner(&self.lcp, &mut x) {
            Ok(solved) => (solved.iterations, Failure::Stalled),
            // What was proved is said of the LCP; this is the same for the mixed one.
            Err(Unsolved { failure: Failure::Infeasible(_), iterations, .. }) => (
                iterations,
                Failure::Infeasible("no z within the bounds has slacks of the signs they ask for".into()),
            ),
            Err(unsolved) => (unsolved.iterations, unsolved.failure),
        };
        self.back(&x, z);
        for (i, value) in z.iter_mut().enumerate() {
            *value = value.clamp(problem.lower[i], problem.upper[i]);
        }
        let candidate = z.to_vec();
        best.offer(problem, &candidate);
        best.finish(z, limits, iterations, failure)
    }
}
