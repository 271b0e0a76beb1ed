//! What a row is measured by whose own coordinates vanish.
//!
//! The violation of a row is round-off if it is small beside the terms that it is made of, `Σ_k |g_k|(|q_k| + reach_k)`. All of them may
//! vanish: `y = 0` while everything moves along x, or two axes at right angles along the axes of space. Newton's method then leaves in such a
//! row what the impulses of the rows beside it spill into it: they are known to round-off of *their* sizes. So a size spreads from row to row
//! through the coordinates that they share, in the metric of the mass `D = diag M`:
//! ```text
//! Notation
//! s_i        size of row i in units of length × mass^½: its size divided by (g_i D⁻¹g_iᵀ)^½
//! w_ik       |g_ik| / (D_k g_i D⁻¹g_iᵀ)^½, the part of coordinate k in row i: Σ_k w_ik² = 1
//!
//! c_k = max_j w_jk s_j,   s_i ← max(s_i, max_k w_ik c_k),   until nothing changes
//! ```
//! Constants have a size too, and may be all that a row has: `(x + 1)² + y² = 1` at the origin is computed from ones.
//! Coordinates and rows that are not connected have no part in it, units cancel, and no size exceeds the largest of the connected ones. It is
//! asked for only where an iteration does not go on; cost: twice the entries of the rows per pass, at most as many passes as rows.

use super::rows::{RowShape, relative};

/// Violations below this part of a size that spread from other rows are round-off: solving for all impulses at once loses more digits than
/// [`FLOOR`](super::newton::FLOOR).
const SPILLED: f64 = 64.0 * f64::EPSILON;

/// Sizes of rows that take those of the rows beside them into account.
#[derive(Debug, Clone)]
pub struct Spread {
    /// `c`.
    moved: Vec<f64>,
    /// Round-off of computing the rows, in units of ε.
    rounding: Vec<f64>,
    /// `s`, and at the end the sizes in units of the rows.
    sizes: Vec<f64>,
}

impl Spread {
    /// For `n` coordinates and at most `m` rows.
    pub fn new(n: usize, m: usize) -> Self {
        Self { moved: vec![0.0; n], rounding: Vec::with_capacity(m), sizes: Vec::with_capacity(m) }
    }

    /// Adds to the sizes of rows what they are computed with beside coordinates; `fill` writes it.
    #[cold]
    pub fn add_rounding(&mut self, own: &mut [f64], fill: impl FnOnce(&mut [f64])) {
        self.rounding.resize(own.len(), 0.0);
        fill(&mut self.rounding);
        own.iter_mut().zip(&self.rounding).for_each(|(own, rounding)| *own += rounding);
    }

    /// From rows with their gradients, the diagonal of the mass, and the sizes of their own terms.
    #[cold]
    pub fn measure(&mut self, shape: &RowShape, g: &[f64], mass: &[f64], own: &[f64]) {
        let inertia = |row: usize| shape.fold_row(row, g, mass, 0.0, |sum, g, m| sum + g * g / m).sqrt();
        self.sizes.clear();
        self.sizes.extend(own.iter().enumerate().map(|(row, size)| {
            let size = size / inertia(row);
            // A row without gradient moves nothing.
            if size.is_finite() { size } else { 0.0 }
        }));
        for _ in 0..own.len() {
            self.moved.fill(0.0);
            for (row, size) in self.sizes.iter().enumerate() {
                let (moved, inertia) = (&mut self.moved, inertia(row));
                shape.each_entry(row, g, |k, g| {
                    if g != 0.0 && inertia > 0.0 {
                        moved[k] = moved[k].max(g.abs() / (mass[k].sqrt() * inertia) * size);
                    }
                });
            }
            let mut grew = false;
            for (row, size) in self.sizes.iter_mut().enumerate() {
                let (moved, inertia, before) = (&self.moved, inertia(row), *size);
                shape.each_entry(row, g, |k, g| {
                    if g != 0.0 && inertia > 0.0 {
                        *size = size.max(g.abs() / (mass[k].sqrt() * inertia) * moved[k]);
                    }
                });
                grew |= *size > before;
            }
            if !grew {
                break;
            }
        }
        for (row, size) in self.sizes.iter_mut().enumerate() {
            *size *= inertia(row);
        }
    }

    /// A violation relative to the size that spread to its row if that explains it as round-off, otherwise relative to its own terms.
    pub fn relative(&self, row: usize, f: f64, own: f64) -> f64 {
        let size = self.sizes[row].max(own);
        if f.abs() <= SPILLED * size { relative(f, size) } else { relative(f, own) }
    }

    /// The largest of them.
    pub fn violation(&self, f: &[f64], own: &[f64]) -> f64 {
        let mut worst = 0.0;
        for (row, (f, own)) in f.iter().zip(own).enumerate() {
            let relative = self.relative(row, *f, *own);
            if relative > worst || relative.is_nan() {
                worst = relative;
            }
        }
        worst
    }

    /// Puts the sizes that explain violations as round-off into the place of the rows' own.
    pub fn widen(&self, f: &[f64], own: &mut [f64]) {
        for ((own, size), f) in own.iter_mut().zip(&self.sizes).zip(f) {
            if f.abs() <= SPILLED * size {
                *own = own.max(*size);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows over `n` coordinates with unit masses but for the last, which is heavy.
    fn spread(n: usize, g: &[f64], own: &[f64]) -> Spread {
        let (mut mass, mut spread) = (vec![1.0; n], Spread::new(n, own.len()));
        mass[n - 1] = 100.0;
        spread.measure(&RowShape::rows(n, own.len()), g, &mass, own);
        spread
    }

    #[test]
    fn sizes_go_from_row_to_row_and_not_beyond() {
        // x, x − y, y − z; and w alone.
        let g = [1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let found = spread(4, &g, &[3.0, 0.0, 0.0, 0.0]);
        for (found, expected) in found.sizes.iter().zip([3.0, 3.0, 1.5, 0.0]) {
            assert!((found - expected).abs() < 1e-15, "{:?}", found);
        }
        let noise = found.violation(&[0.0, 1e-16, -1e-16, 0.0], &[3.0, 0.0, 0.0, 0.0]);
        assert!((noise * 1.5e16 - 1.0).abs() < 1e-14, "{noise:e}");
        // What round-off does not explain counts in full, also of a row that nothing reaches.
        assert_eq!(found.violation(&[0.0, 1e-10, 0.0, 0.0], &[3.0, 0.0, 0.0, 0.0]), 1.0);
        assert_eq!(found.violation(&[0.0, 0.0, 0.0, 1e-16], &[3.0, 0.0, 0.0, 0.0]), 1.0);
        assert!(found.violation(&[0.0, f64::NAN, 0.0, 0.0], &[3.0, 0.0, 0.0, 0.0]).is_nan());
    }

    #[test]
    fn units_of_rows_do_not_matter_and_flat_rows_are_left_out() {
        let g = [2.0, 1.0, 0.5, -1.0];
        let (plain, scaled) = (spread(2, &g, &[0.2, 0.0]), spread(2, &[2e9, 1e9, 5e-10, -1e-9], &[0.2e9, 0.0]));
        for (row, factor) in [(0, 1e9), (1, 1e-9)] {
            let ratio = scaled.sizes[row] / (factor * plain.sizes[row]);
            assert!((ratio - 1.0).abs() < 1e-14, "{ratio}");
        }
        let flat = spread(2, &[0.0, 0.0, 1.0, 1.0], &[0.0, 0.0]);
        assert_eq!(flat.sizes, [0.0, 0.0]);
    }
}
