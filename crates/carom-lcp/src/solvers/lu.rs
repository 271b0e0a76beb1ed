//! LU factors of a small dense matrix, and sums of products that round only once.
//!
//! Plain loops in one order: the same bits on every machine.

/// A sum of products carried with twice the digits (error-free transformations of Dekker and Knuth).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// The sum that begins with a number.
    pub fn of(value: f64) -> Sum {
        Sum { high: value, low: 0.0 }
    }

    /// Adds `a b`.
    pub fn add(&mut self, a: f64, b: f64) {
        let product = a * b;
        let rounded_off = a.mul_add(b, -product);
        let sum = self.high + product;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (product - part) + rounded_off;
        self.high = sum;
    }

    /// The sum, rounded.
    pub fn value(self) -> f64 {
        self.high + self.low
    }
}

/// L U = P A of a dense square matrix, row exchanges by the largest entry relative to its row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lu {
    size: usize,
    factors: Vec<f64>,
    order: Vec<usize>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    permuted: Vec<f64>,
}

impl Lu {
    /// The space for a matrix of this size, all 0, row after row: fill it, then [`Lu::factor`].
    pub fn begin(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        self.factors.clear();
        self.factors.resize(size * size, 0.0);
        &mut self.factors
    }

    /// Factors what [`Lu::begin`] gave out. An error names the column that depends on those before it, to about
    /// `16 size` units of rounding of the scaled matrix.
    pub fn factor(&mut self) -> Result<(), usize> {
        let n = self.size;
        self.order.clear();
        self.order.extend(0..n);
        self.permuted.clear();
        self.permuted.resize(n, 0.0);
        self.row_scale.clear();
        self.row_scale.extend(self.factors.chunks_exact(n.max(1)).map(largest));
        self.column_scale.clear();
        self.column_scale.resize(n, 0.0);
        for (row, scale) in self.factors.chunks_exact(n.max(1)).zip(&self.row_scale) {
            for (column, value) in self.column_scale.iter_mut().zip(row) {
                *column = column.max(value.abs() / scale);
            }
        }
        let rounding = 16.0 * n as f64 * f64::EPSILON;
        for k in 0..n {
            let (mut pivot, mut size) = (k, -1.0);
            for i in k..n {
                let entry = self.factors[i * n + k].abs() / self.row_scale[i];
                if entry > size {
                    (pivot, size) = (i, entry);
                }
            }
            // The comparison is also false where a number is not one.
            let regular = size > rounding * self.column_scale[k] && size.is_finite();
            if !regular {
                return Err(k);
            }
            if pivot != k {
                self.order.swap(k, pivot);
                self.row_scale.swap(k, pivot);
                let (above, below) = self.factors.split_at_mut(pivot * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
            }
            let (above, below) = self.factors.split_at_mut((k + 1) * n);
            let source = &above[k * n + k..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / source[0];
                row[k] = factor;
                if factor != 0.0 {
                    for (value, above) in row[k + 1..].iter_mut().zip(&source[1..]) {
                        *value -= factor * above;
                    }
                }
            }
        }
        Ok(())
    }

    /// Replaces `b` by A⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.size;
        for (value, &row) in self.permuted.iter_mut().zip(&self.order) {
            *value = b[row];
        }
        let x = &mut self.permuted;
        for i in 0..n {
            let row = &self.factors[i * n..i * n + i];
            x[i] -= row.iter().zip(x.iter()).map(|(a, b)| a * b).sum::<f64>();
        }
        for i in (0..n).rev() {
            let row = &self.factors[i * n..(i + 1) * n];
            let sum: f64 = row[i + 1..].iter().zip(&x[i + 1..]).map(|(a, b)| a * b).sum();
            x[i] = (x[i] - sum) / row[i];
        }
        b.copy_from_slice(x);
    }
}

/// The largest entry in size; 1 where all are 0, so that it can divide.
fn largest(row: &[f64]) -> f64 {
    let size = row.iter().fold(0.0, |size: f64, value| size.max(value.abs()));
    if size > 0.0 { size } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_solve_with_rows_that_must_be_exchanged_and_scales_far_apart() {
        let a = [0.0, 2e-20, 1e-20, 1e12, 0.0, 3e12, 1.0, 1.0, 0.0];
        let x = [1.0, -2.0, 3.0];
        let mut b: Vec<f64> = a.chunks(3).map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect();
        let mut lu = Lu::default();
        lu.begin(3).copy_from_slice(&a);
        lu.factor().expect("a regular matrix");
        lu.solve(&mut b);
        for (got, want) in b.iter().zip(x) {
            assert!((got - want).abs() < 1e-14, "{got} for {want}");
        }
    }

    #[test]
    fn a_column_that_depends_on_others_is_named() {
        let mut lu = Lu::default();
        lu.begin(3).copy_from_slice(&[1.0, 0.1, 0.3, 2.0, 0.2, 0.1, 4.0, 0.4, 7.0]);
        assert_eq!(lu.factor(), Err(1));
        lu.begin(1);
        assert_eq!(lu.factor(), Err(0));
        lu.begin(0);
        assert_eq!(lu.factor(), Ok(()));
    }

    #[test]
    fn a_sum_keeps_what_plain_addition_loses() {
        let mut sum = Sum::of(1.0);
        sum.add(1e10, 1e10);
        sum.add(-1e10, 1e10);
        sum.add(1.0 + f64::EPSILON, 1.0 + f64::EPSILON);
        sum.add(-1.0, 1.0);
        assert_eq!(sum.value(), 1.0 + 2.0 * f64::EPSILON);
    }
}
