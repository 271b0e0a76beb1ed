//! Lemke's complementary pivoting: small, dense, a reference for other solvers.
//!
//! ```text
//! // Notation
//! //   w − M z − d z₀ = q,   w, z, z₀ ≥ 0,   d > 0 the covering vector
//! ```
//!
//! z₀ enters where q is most negative relative to d; from then on the complement of the variable that left enters, until z₀ leaves (a
//! solution) or nothing can leave (a ray). Ties between leaving rows are broken by the lexicographic order of the rows of
//! \[B⁻¹q, B⁻¹\], so that degenerate problems do not cycle.

use super::Facts;
use super::basis::{Basis, Variable};
use super::best::Best;
use super::convert::AsLcp;
use super::lu::Lu;
use crate::outcome::{Failure, Limits, Solved, Solver, Unsolved, too_large};
use crate::problem::{Lcp, Mlcp};

/// Pivots after which the inverse of the basis is made anew from the data.
const FRESH: usize = 40;
/// What counts as 0 in an entering column, relative to its largest entry.
const PIVOT: f64 = 1e-11;
/// What counts as a tie of ratios, relative to the larger one.
const TIE: f64 = 1e-12;
/// The rounding that pivots leave in [B⁻¹q, B⁻¹], relative to the sizes |B⁻¹||q| and the largest entries of row and column.
const NOISE: f64 = 64.0 * f64::EPSILON;

/// Lemke's method for [`Lcp`], and for [`Mlcp`] by its conversion to an LCP.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// d, positive; all 1 where there is none. Other covers lead along other paths, which may reach a solution where one ends in a
    /// ray.
    pub cover: Option<Vec<f64>>,
    basis: Vec<Variable>,
    /// [B⁻¹q, B⁻¹], row after row.
    rows: Vec<f64>,
    of_columns: Vec<f64>,
    of_rows: Vec<f64>,
    of_values: Vec<f64>,
    column: Vec<f64>,
    entering: Vec<f64>,
    answer: Vec<f64>,
    lu: Lu,
    exact: Basis,
    best: Best,
}

/// How a path ends.
enum End {
    Solution,
    Failed(Failure),
}

impl Lemke {
    /// What is known about it.
    pub const FACTS: Facts = Facts {
        name: "lemke",
        takes: "LCPs; mixed LCPs as the LCP they are equivalent to",
        guarantees: "finite, also on degenerate problems; a solution for copositive-plus M where M z + q >= 0 has one at all, for \
                     strictly copositive and P matrices always",
        costs: "n^2 per pivot, about n to 3n pivots, 2^n at worst; n^2 numbers; no allocation once warm",
        fails: "in a ray on other matrices, which proves nothing there; by rounding where bases are nearly singular: the answer is \
                solved afresh from its basis and judged by its residual",
    };

    /// The most unknowns: its factors are dense.
    pub const MOST: usize = 2000;

    fn run(&mut self, problem: &Lcp, limits: &Limits, pivots: &mut usize) -> End {
        let n = problem.q.len();
        if problem.q.iter().all(|&q| q >= 0.0) {
            self.basis.clear();
            self.basis.extend((0..n).map(Variable::W));
            return End::Solution;
        }
        self.begin(problem);
        let mut leaving = self.first_row(problem);
        let mut entering = Variable::Added(0);
        let most = limits.iterations.unwrap_or(200 + 50 * n);
        loop {
            self.pivot(leaving);
            let left = std::mem::replace(&mut self.basis[leaving], entering);
            *pivots += 1;
            if left == Variable::Added(0) {
                return End::Solution;
            }
            if *pivots >= most {
                return End::Failed(Failure::Iterations);
            }
            if limits.late() {
                return End::Failed(Failure::Deadline);
            }
            if pivots.is_multiple_of(FRESH) && self.refresh(problem, limits).is_none() {
                return End::Failed(match limits.late() {
                    true => Failure::Deadline,
                    false => Failure::Singular("the basis of the pivoting path".into()),
                });
            }
            entering = left.complement();
            self.column_of(problem, entering);
            match self.leaving_row(problem) {
                Some(row) => leaving = row,
                None => return End::Failed(Failure::Ray),
            }
        }
    }

    /// The basis of all w, and the column of z₀ as the entering one.
    fn begin(&mut self, problem: &Lcp) {
        let n = problem.q.len();
        self.basis.clear();
        self.basis.extend((0..n).map(Variable::W));
        self.rows.clear();
        self.rows.resize(n * (n + 1), 0.0);
        for i in 0..n {
            self.rows[i * (n + 1)] = problem.q[i];
            self.rows[i * (n + 1) + 1 + i] = 1.0;
        }
        self.entering.clear();
        self.entering.resize(n, 0.0);
        self.column.clear();
        self.column.extend((0..n).map(|i| -cover(&self.cover, i)));
    }

    /// The row that leaves for z₀: the lexicographically least of [q, I] / d, so that all rows are positive afterwards.
    fn first_row(&self, problem: &Lcp) -> usize {
        let ratio = |i: usize| problem.q[i] / cover(&self.cover, i);
        (1..problem.q.len()).fold(0, |least, i| if ratio(i) <= ratio(least) { i } else { least })
    }

    /// The entering column B⁻¹ a.
    fn column_of(&mut self, problem: &Lcp, variable: Variable) {
        let n = problem.q.len();
        for row in 0..n {
            self.entering[row] = entry(problem, &self.cover, variable, row);
        }
        self.column.clear();
        for row in self.rows.chunks_exact(n + 1) {
            self.column.push(row[1..].iter().zip(&self.entering).map(|(a, b)| a * b).sum());
        }
    }

    /// The row that leaves: the least ratio, ties by z₀ first, then lexicographically.
    fn leaving_row(&mut self, problem: &Lcp) -> Option<usize> {
        self.measure(problem);
        let largest = largest(&self.column);
        let mut least: Option<usize> = None;
        for i in (0..self.basis.len()).filter(|&i| self.column[i] > PIVOT * largest) {
            if least.is_none_or(|least| self.before(i, least)) {
                least = Some(i);
            }
        }
        least
    }

    /// The rounding to expect in [B⁻¹q, B⁻¹], by rows and by columns.
    fn measure(&mut self, problem: &Lcp) {
        let n = self.basis.len();
        self.of_columns.clear();
        self.of_columns.resize(n + 1, 0.0);
        self.of_rows.clear();
        self.of_values.clear();
        for row in self.rows.chunks_exact(n + 1) {
            self.of_columns.iter_mut().zip(row).for_each(|(size, value)| *size = size.max(NOISE * value.abs()));
            self.of_rows.push(NOISE * largest(&row[1..]));
            self.of_values.push(NOISE * row[1..].iter().zip(&problem.q).map(|(a, q)| (a * q).abs()).sum::<f64>());
        }
    }

    /// Whether row `i` leaves before row `j`.
    fn before(&self, i: usize, j: usize) -> bool {
        let width = self.basis.len() + 1;
        let (a, b) = (self.column[i], self.column[j]);
        for k in 0..width {
            let (x, y) = (self.rows[i * width + k] / a, self.rows[j * width + k] / b);
            let rounding = if k == 0 {
                self.of_values[i] / a + self.of_values[j] / b
            } else {
                self.of_columns[k].max(self.of_rows[i]) / a + self.of_columns[k].max(self.of_rows[j]) / b
            };
            if (x - y).abs() > TIE * x.abs().max(y.abs()) + rounding {
                return x < y;
            }
            if k == 0 && [self.basis[i], self.basis[j]].contains(&Variable::Added(0)) {
                return self.basis[i] == Variable::Added(0);
            }
        }
        false
    }

    /// Exchanges the entering column with the basic one of a row.
    fn pivot(&mut self, leaving: usize) {
        let n = self.basis.len();
        let width = n + 1;
        let pivot = self.column[leaving];
        self.rows[leaving * width..(leaving + 1) * width].iter_mut().for_each(|value| *value /= pivot);
        let (before, rest) = self.rows.split_at_mut(leaving * width);
        let (source, after) = rest.split_at_mut(width);
        let others = before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width));
        let columns = self.column[..leaving].iter().chain(&self.column[leaving + 1..]);
        for (row, &factor) in others.zip(columns) {
            if factor != 0.0 {
                row.iter_mut().zip(source.iter()).for_each(|(value, source)| *value -= factor * source);
            }
        }
    }

    /// [B⁻¹q, B⁻¹] from the data; `None` where B is singular or the time is over.
    fn refresh(&mut self, problem: &Lcp, limits: &Limits) -> Option<()> {
        let n = self.basis.len();
        let factors = self.lu.begin(n);
        for i in 0..n {
            for (k, &variable) in self.basis.iter().enumerate() {
                factors[i * n + k] = entry(problem, &self.cover, variable, i);
            }
        }
        self.lu.factor().ok()?;
        for k in 0..=n {
            if limits.late() {
                return None;
            }
            if k == 0 {
                self.entering.copy_from_slice(&problem.q);
            } else {
                self.entering.fill(0.0);
                self.entering[k - 1] = 1.0;
            }
            self.lu.solve(&mut self.entering);
            for i in 0..n {
                self.rows[i * (n + 1) + k] = self.entering[i];
            }
        }
        Some(())
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |size: f64, value| size.max(value.abs()))
}

fn cover(cover: &Option<Vec<f64>>, row: usize) -> f64 {
    cover.as_ref().map_or(1.0, |cover| cover[row])
}

/// An entry of a column of w − M z − d z₀.
fn entry(problem: &Lcp, d: &Option<Vec<f64>>, variable: Variable, row: usize) -> f64 {
    match variable {
        Variable::Added(_) => -cover(d, row),
        other => other.entry(problem, row),
    }
}

impl Solver<Lcp> for Lemke {
    /// `z` is not a start: the path begins at 0.
    fn solve(&mut self, problem: &Lcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        let n = problem.q.len();
        if n > Lemke::MOST {
            return Err(too_large(Lemke::FACTS.name, Lemke::MOST, problem, z));
        }
        self.best.begin(problem, z);
        self.answer.clear();
        self.answer.resize(n, 0.0);
        if let Some(cover) = &self.cover
            && (cover.len() != n || cover.iter().any(|&d| !(d > 0.0 && d.is_finite())))
        {
            let failure = Failure::Unsuitable(format!("the cover needs {n} positive numbers"));
            return self.best.finish(z, limits, 0, failure);
        }
        let mut pivots = 0;
        let failure = match self.run(problem, limits, &mut pivots) {
            End::Failed(failure) => failure,
            End::Solution => match self.exact.values(problem, &self.basis, &mut self.answer) {
                None => Failure::Singular("the basis at the end of the pivoting path".into()),
                Some(()) => {
                    self.answer.iter_mut().for_each(|value| *value = value.max(0.0));
                    self.best.offer(problem, &self.answer);
                    Failure::Stalled
                }
            },
        };
        self.best.finish(z, limits, pivots, failure)
    }
}

impl Solver<Mlcp> for Lemke {
    /// Converts, solves, converts back; the conversion allocates.
    fn solve(&mut self, problem: &Mlcp, z: &mut [f64], limits: &Limits) -> Result<Solved, Unsolved> {
        if z.len() > AsLcp::MOST {
            return Err(too_large(Lemke::FACTS.name, AsLcp::MOST, problem, z));
        }
        AsLcp::of(problem).solve(problem, z, limits, |lcp, x| self.solve(lcp, x, limits))
    }
}
