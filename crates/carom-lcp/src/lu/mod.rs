//! Sparse L U of a matrix whose pattern stays while its numbers change, without pivoting.
//!
//! For matrices that need no pivoting but are not symmetric: [[K, Aᵀ], [B, 0]] with a symmetric positive definite K, such as a mass and some
//! stiffness, and B not far from A. Rows of B come after all their columns, so that their pivots are −B K⁻¹Aᵀ and never the zeros of the
//! diagonal. A pivot that is round-off of its row's terms is an error; a small one costs digits, which an iteration that measures its own
//! residual gains back.
//!
//! The pattern is analysed once ([`Plan`]); factors are made and used without allocation, by scalar arithmetic in a fixed order: the same bits
//! everywhere. Cost: [`Plan::operations`] multiplications, 24 bytes per pair of entries of the factors.

mod plan;

pub use plan::Plan;

use crate::matrix::Sparse;

/// A pivot below this part of the largest of the terms that it is the sum of is round-off.
const CANCELLED: f64 = 4.0 * f64::EPSILON;

/// A pivot that is round-off, or no number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoPivot {
    /// The row of the matrix.
    pub row: usize,
    /// The pivot, relative to its terms.
    pub pivot: f64,
}

/// Rows of a triangular factor, without its diagonal.
#[derive(Clone, Debug)]
struct Triangle {
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// The factors, and room to make them.
#[derive(Clone, Debug)]
pub struct Lu {
    order: Vec<u32>,
    place: Vec<u32>,
    lower: Triangle,
    upper: Triangle,
    /// Reciprocals of the pivots.
    inverse: Vec<f64>,
    work: Vec<f64>,
}

impl Triangle {
    fn new(counts: impl Iterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        for count in counts {
            starts.push(starts[starts.len() - 1] + count);
        }
        let entries = starts[starts.len() - 1];
        Self { starts, columns: vec![0; entries], values: vec![0.0; entries] }
    }

    #[inline(always)]
    fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.columns[range.clone()], &self.values[range])
    }
}

impl Lu {
    /// Room for the factors.
    pub fn new(plan: &Plan) -> Lu {
        let size = plan.order.len();
        let mut seen = vec![u32::MAX; size];
        let mut counts = vec![0; size];
        (0..size).for_each(|k| plan.each_before(k, &mut seen, |_| counts[k] += 1));
        let mut lower = Triangle::new(counts.into_iter());
        let mut upper = Triangle::new(plan.below.iter().map(|&count| count as usize));
        seen.fill(u32::MAX);
        let mut next = upper.starts.clone();
        for k in 0..size {
            let mut end = lower.starts[k];
            plan.each_before(k, &mut seen, |at| {
                lower.columns[end] = at;
                end += 1;
                upper.columns[next[at as usize]] = k as u32;
                next[at as usize] += 1;
            });
            lower.columns[lower.starts[k]..end].sort_unstable();
        }
        let (order, place) = (plan.order.clone(), plan.place.clone());
        Lu { order, place, lower, upper, inverse: vec![0.0; size], work: vec![0.0; size] }
    }

    /// Factors a matrix of the pattern that was planned for.
    ///
    /// # Panics
    /// Where the matrix has another size. Entries outside of the pattern give wrong factors.
    pub fn factor(&mut self, matrix: &Sparse) -> Result<(), NoPivot> {
        assert_eq!(matrix.rows(), self.order.len(), "the size that was planned for");
        let Lu { order, place, lower, upper, inverse, work } = self;
        for (k, &row) in order.iter().enumerate() {
            let (columns, values) = matrix.row_parts(row as usize);
            for (&column, value) in columns.iter().zip(values) {
                work[place[column] as usize] = *value;
            }
            let mut terms = work[k].abs();
            let range = lower.starts[k]..lower.starts[k + 1];
            for (&before, entry) in lower.columns[range.clone()].iter().zip(&mut lower.values[range]) {
                let before = before as usize;
                let factor = std::mem::take(&mut work[before]) * inverse[before];
                *entry = factor;
                if factor == 0.0 {
                    continue;
                }
                let (columns, values) = upper.row(before);
                for (&column, value) in columns.iter().zip(values) {
                    work[column as usize] -= factor * value;
                }
                terms = terms.max(work[k].abs());
            }
            let pivot = std::mem::take(&mut work[k]);
            let range = upper.starts[k]..upper.starts[k + 1];
            for (&column, entry) in upper.columns[range.clone()].iter().zip(&mut upper.values[range]) {
                *entry = std::mem::take(&mut work[column as usize]);
            }
            inverse[k] = pivot.recip();
            // Neither a zero nor a NaN is above.
            if !(pivot.abs() > CANCELLED * terms && inverse[k].is_finite() && pivot.is_finite()) {
                work.fill(0.0);
                let pivot = if pivot == 0.0 { 0.0 } else { pivot / terms };
                return Err(NoPivot { row: row as usize, pivot });
            }
        }
        Ok(())
    }

    /// Solves with the factors; `b` becomes the solution.
    ///
    /// # Panics
    /// Where `b` has another size.
    pub fn solve(&mut self, b: &mut [f64]) {
        let Lu { order, lower, upper, inverse, work, .. } = self;
        assert_eq!(b.len(), order.len(), "one entry for each row");
        for (k, &row) in order.iter().enumerate() {
            let (columns, values) = lower.row(k);
            let terms = columns.iter().zip(values);
            work[k] = terms.fold(b[row as usize], |sum, (&column, value)| sum - value * work[column as usize]);
        }
        for (k, &row) in order.iter().enumerate().rev() {
            let (columns, values) = upper.row(k);
            let terms = columns.iter().zip(values);
            let sum = terms.fold(work[k], |sum, (&column, value)| sum - value * work[column as usize]);
            work[k] = sum * inverse[k];
            b[row as usize] = work[k];
        }
        work.fill(0.0);
    }
}
