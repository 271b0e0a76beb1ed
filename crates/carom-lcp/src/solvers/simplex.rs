//! Is there z, w ≥ 0 with w − M z = q? A dense first phase of the simplex method, with a certificate for no.
//!
//! ```text
//! // Notation
//! //   A x = b, x ≥ 0:  A = [−M, I], x = (z, w), b = q, without the columns of variables that are held at 0
//! //   Farkas: there is no x where yᵀA ≤ 0 and yᵀb > 0
//! ```

use super::basis::Variable;
use super::lu::Sum;
use crate::outcome::Limits;
use crate::problem::Lcp;

/// What counts as 0 in the tableau, whose right-hand side is scaled to 1.
const ZERO: f64 = 1e-11;
/// A certificate holds where yᵀb is this part of |y|ᵀ|b| at least …
const MARGIN: f64 = 1e-9;
/// … and no entry of yᵀA is more than this part of |y|ᵀ|A| above 0: it then proves what it says of data changed by this part at most.
const ROUNDING: f64 = 1e-12;

/// The answer of the first phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The basis is feasible, to rounding.
    Feasible,
    /// There is no such x: the certificate has been checked against the data.
    Empty,
    /// Rounding hides the answer.
    Unknown,
}

/// The tableau, kept between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Simplex {
    /// [B⁻¹A, B⁻¹S, B⁻¹b] with S the signs that make b not negative, row after row.
    rows: Vec<f64>,
    signs: Vec<f64>,
    basis: Vec<Variable>,
    certificate: Vec<f64>,
    prices: Vec<f64>,
}

impl Simplex {
    /// Decides, unless the time is over. `held` says which variables are held at 0: z first, then w.
    pub fn decide(&mut self, problem: &Lcp, held: &[bool], limits: &Limits) -> Answer {
        let n = problem.q.len();
        let width = 3 * n + 1;
        let level = problem.q.iter().fold(0.0, |size: f64, q| size.max(q.abs()));
        self.begin(problem, if level > 0.0 { level } else { 1.0 });
        let allowed = |column: usize| column < 2 * n && !held[column];
        for pivot in 0..50 * (n + 4) {
            if limits.late() {
                return Answer::Unknown;
            }
            self.price(n);
            // The steepest column first; after a while Bland's rule, which cannot cycle.
            let entering = if pivot < 10 * (n + 4) {
                (0..2 * n)
                    .filter(|&j| allowed(j) && self.prices[j] > ZERO)
                    .reduce(|best, j| if self.prices[j] > self.prices[best] { j } else { best })
            } else {
                (0..2 * n).find(|&j| allowed(j) && self.prices[j] > ZERO)
            };
            let Some(entering) = entering else {
                break;
            };
            // The sum of the added variables is bounded below: some row always limits the step, but for rounding.
            let Some(leaving) = self.leaving(entering, n) else {
                return Answer::Unknown;
            };
            self.exchange(leaving, entering, width);
            self.basis[leaving] = variable(entering, n);
        }
        let infeasibility: f64 = (0..n)
            .filter(|&i| matches!(self.basis[i], Variable::Added(_)))
            .map(|i| self.rows[i * width + 3 * n])
            .sum();
        if infeasibility <= ZERO {
            Answer::Feasible
        } else if self.proves(problem, held) {
            Answer::Empty
        } else {
            Answer::Unknown
        }
    }

    /// The basis of the last answer.
    pub fn basis(&self) -> &[Variable] {
        &self.basis
    }

    fn begin(&mut self, problem: &Lcp, level: f64) {
        let n = problem.q.len();
        let width = 3 * n + 1;
        self.rows.clear();
        self.rows.resize(n * width, 0.0);
        self.signs.clear();
        self.signs.extend(problem.q.iter().map(|&q| if q < 0.0 { -1.0 } else { 1.0 }));
        self.basis.clear();
        self.basis.extend((0..n).map(Variable::Added));
        for (i, row) in self.rows.chunks_exact_mut(width).enumerate() {
            let sign = self.signs[i];
            for j in 0..n {
                row[j] = -sign * problem.m[(i, j)];
            }
            row[n + i] = sign;
            row[2 * n + i] = 1.0;
            row[3 * n] = sign * problem.q[i] / level;
        }
    }

    /// yᵀ[A, S, b] for the price 1 of every added variable.
    fn price(&mut self, n: usize) {
        let width = 3 * n + 1;
        self.prices.clear();
        self.prices.resize(width, 0.0);
        for (row, variable) in self.rows.chunks_exact(width).zip(&self.basis) {
            if let Variable::Added(_) = variable {
                self.prices.iter_mut().zip(row).for_each(|(price, value)| *price += value);
            }
        }
    }

    /// The row with the least ratio; ties by added variables first, then by the larger pivot.
    fn leaving(&self, entering: usize, n: usize) -> Option<usize> {
        let width = 3 * n + 1;
        let mut least: Option<(usize, f64, f64)> = None;
        for i in 0..n {
            let pivot = self.rows[i * width + entering];
            if pivot <= ZERO {
                continue;
            }
            let ratio = self.rows[i * width + 3 * n].max(0.0) / pivot;
            let better = least.is_none_or(|(j, other, size)| {
                let added = |i: usize| matches!(self.basis[i], Variable::Added(_));
                if (ratio - other).abs() > ZERO * ratio.max(other) {
                    ratio < other
                } else if added(i) != added(j) {
                    added(i)
                } else {
                    pivot > size
                }
            });
            if better {
                least = Some((i, ratio, pivot));
            }
        }
        least.map(|(row, _, _)| row)
    }

    fn exchange(&mut self, leaving: usize, entering: usize, width: usize) {
        let (before, rest) = self.rows.split_at_mut(leaving * width);
        let (source, after) = rest.split_at_mut(width);
        let pivot = source[entering];
        source.iter_mut().for_each(|value| *value /= pivot);
        for row in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let factor = row[entering];
            if factor != 0.0 {
                row.iter_mut().zip(source.iter()).for_each(|(value, source)| *value -= factor * source);
            }
        }
    }

    /// Whether y, read off the tableau, is a certificate for the data themselves.
    fn proves(&mut self, problem: &Lcp, held: &[bool]) -> bool {
        let n = problem.q.len();
        self.price(n);
        self.certificate.clear();
        self.certificate.extend((0..n).map(|i| self.prices[2 * n + i] * self.signs[i]));
        let y = &mut self.certificate;
        // What is rounding in y would be a large relative error of a column that it alone touches.
        let size = y.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
        y.iter_mut().filter(|value| value.abs() < ROUNDING * size).for_each(|value| *value = 0.0);
        let product = |entry: &dyn Fn(usize) -> f64| {
            let (mut sum, mut size) = (Sum::default(), 0.0);
            for (i, &factor) in y.iter().enumerate() {
                sum.add(factor, entry(i));
                size += (factor * entry(i)).abs();
            }
            (sum.value(), size)
        };
        let (gain, size) = product(&|i| problem.q[i]);
        gain > MARGIN * size
            && (0..2 * n).filter(|&j| !held[j]).all(|j| {
                let (value, size) = product(&|i| variable(j, n).entry(problem, i));
                value <= ROUNDING * size
            })
    }
}

fn variable(column: usize, n: usize) -> Variable {
    if column < n { Variable::Z(column) } else { Variable::W(column - n) }
}
