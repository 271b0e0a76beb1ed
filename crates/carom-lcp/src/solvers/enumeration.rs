//! Implicit enumeration of the complementary bases of small LCPs: a solution, or the proof that there is none.
//!
//! A node of the search holds z_i = 0 or w_i = 0 for some rows. Whether anything is left of it, w − M z = q with z, w ≥ 0, is decided
//! by a linear program; if not, its certificate excludes all complementary bases below the node at once. Otherwise the vertex found
//! either is complementary, which is a solution, or one of its rows is branched on. At a leaf every row is held: singular principal
//! submatrices need no special care, for the linear program decides those leaves too.

use super::Facts;
use super::basis::Basis;
use super::best::Best;
use super::simplex::{Answer, Simplex};
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved};
use crate::problem::Lcp;
use crate::residual::Judged;

/// The nodes looked at if no limit is given.
const NODES: usize = 200_000;

/// A row to be held, after the first `depth` of those held are kept.
#[derive(Clone, Copy, Debug)]
struct Branch {
    depth: usize,
    row: usize,
    /// z_row = 0, otherwise w_row = 0.
    at_zero: bool,
}

/// Implicit enumeration for [`Lcp`].
#[derive(Clone, Debug, Default)]
pub struct Enumeration {
    simplex: Simplex,
    exact: Basis,
    /// Variables held at 0: z first, then w.
    held: Vec<bool>,
    trail: Vec<usize>,
    open: Vec<Branch>,
    z: Vec<f64>,
    w: Vec<f64>,
    map: Vec<f64>,
    best: Best,
}

impl Enumeration {
    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "enumeration",
        takes: "LCPs, small ones: up to about 16 rows whatever the matrix",
        guarantees: "a solution or, up to relative changes of 1e-12 of the data, the proof that there is none",
        costs: "a linear program of n rows for each node, of which there may be 2^(n+1); one where M z + q >= 0 has no solution at all; \
                no allocation once warm",
        fails: "by its limit of nodes; where rounding hides the answer it says so instead of claiming a proof",
    };
}

impl Solver<Lcp> for Enumeration {
    /// An iteration is a node. `z` is not a start.
    fn solve(&mut self, problem: &Lcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let n = problem.q.len();
        self.best.begin(problem, z);
        for vector in [&mut self.z, &mut self.w, &mut self.map] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        self.held.clear();
        self.held.resize(2 * n, false);
        self.trail.clear();
        self.open.clear();
        let (mut nodes, mut certain) = (0, true);
        let most = limits.iterations.unwrap_or(NODES);
        let failure = loop {
            nodes += 1;
            let depth = self.trail.len();
            match self.simplex.decide(problem, &self.held, limits) {
                Answer::Empty => {}
                Answer::Unknown if depth == n => certain = false,
                Answer::Feasible | Answer::Unknown => {
                    let relative = self.vertex(problem);
                    if relative <= limits.tolerance {
                        break Failure::Stalled;
                    }
                    match self.branching_row() {
                        Some(row) => {
                            let first = self.z[row] <= self.w[row];
                            self.open.push(Branch { depth, row, at_zero: !first });
                            self.open.push(Branch { depth, row, at_zero: first });
                        }
                        // Feasible, complementary, and yet not within the tolerance.
                        None => certain = false,
                    }
                }
            }
            let Some(branch) = self.open.pop() else {
                break if !certain {
                    Failure::Stalled
                } else if nodes == 1 {
                    Failure::Infeasible("there is no z >= 0 with M z + q >= 0".into())
                } else {
                    Failure::Infeasible(format!(
                        "none of the 2^{n} complementary bases is feasible ({nodes} nodes)"
                    ))
                };
            };
            if nodes >= most {
                break Failure::Iterations;
            }
            if limits.late() {
                break Failure::Deadline;
            }
            for variable in self.trail.drain(branch.depth..) {
                self.held[variable] = false;
            }
            let variable = if branch.at_zero { branch.row } else { n + branch.row };
            self.held[variable] = true;
            self.trail.push(variable);
        };
        self.best.finish(z, limits, nodes, failure)
    }
}

impl Enumeration {
    /// The vertex of the last linear program as z and w, and its relative residual.
    fn vertex(&mut self, problem: &Lcp) -> f64 {
        if self.exact.values(problem, self.simplex.basis(), &mut self.z).is_none() {
            self.z.fill(0.0);
        }
        self.z.iter_mut().for_each(|value| *value = value.max(0.0));
        problem.natural_map(&self.z, &mut self.w, &mut self.map);
        self.best.offer(problem, &self.z).relative
    }

    /// The row that is not held and farthest from complementary; the first that is not held where all are complementary.
    fn branching_row(&self) -> Option<usize> {
        let n = self.z.len();
        (0..n)
            .filter(|&i| !self.held[i] && !self.held[n + i])
            .reduce(|best, i| if self.map[i].abs() > self.map[best].abs() { i } else { best })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Dense;

    fn solve(rows: &[Vec<f64>], q: &[f64]) -> (Result<Solved, Unsolved>, Vec<f64>) {
        let problem = Lcp::new(Dense::from_rows(rows).expect("rows"), q.to_vec()).expect("a problem");
        let mut z = vec![0.0; q.len()];
        let limits = Limits { tolerance: 1e-12, ..Limits::default() };
        (Enumeration::default().solve(&problem, &mut z, &limits), z)
    }

    #[test]
    fn no_solution_is_proved_also_where_the_inequalities_alone_have_one() {
        let proved = |rows: &[Vec<f64>], q: &[f64]| {
            let unsolved = solve(rows, q).0.expect_err("there is no solution");
            assert!(matches!(unsolved.failure, Failure::Infeasible(_)), "{unsolved}");
            unsolved.iterations
        };
        // w₁ = −z₂ − 1 is negative whatever z is: one linear program tells.
        assert_eq!(proved(&[vec![0.0, -1.0], vec![0.0, -1.0]], &[-1.0, 1.0]), 1);
        // w₁ = z₂ − 1 and w₂ = 1 are not negative for z₂ ≥ 1, but w₂ > 0 asks for z₂ = 0.
        assert!(proved(&[vec![0.0, 1.0], vec![0.0, 0.0]], &[-1.0, 1.0]) > 1);
        // Of the second row a solution: w₂ = 0 lets z₂ be 1.
        solve(&[vec![0.0, 1.0], vec![0.0, 0.0]], &[-1.0, 0.0]).0.expect("a solution");
    }

    #[test]
    fn a_solution_of_a_singular_basis_is_found() {
        let (answer, z) = solve(&[vec![1.0, 1.0], vec![1.0, 1.0]], &[-1.0, -1.0]);
        answer.expect("a solution");
        assert!((z[0] + z[1] - 1.0).abs() < 1e-14, "{z:?}");
    }

    #[test]
    fn nothing_and_one_row() {
        assert!(solve(&[], &[]).0.is_ok());
        assert!(solve(&[vec![0.0]], &[1.0]).0.is_ok());
        assert!(matches!(solve(&[vec![0.0]], &[-1.0]).0.expect_err("w < 0").failure, Failure::Infeasible(_)));
    }
}
