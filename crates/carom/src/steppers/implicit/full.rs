//! The Newton matrix in full.

use super::Implicit;
use crate::linear::Breakdown;

impl<R> Implicit<R> {
    /// Solves `[[D, G0ᵀ], [G1, 0]] (δv, δλ) = (r, c)` for a diagonal `D`: `G1 D⁻¹G0ᵀδλ = G1 D⁻¹r − c`, `δv = D⁻¹(r − G0ᵀδλ)`.
    /// Where forces do not couple coordinates, as in uniform gravity, this is a system of `m` unknowns and not of `n + m`.
    pub(super) fn eliminate(&mut self, n: usize) -> Result<(), Breakdown> {
        let (rows, (momentum, multipliers)) = (&mut self.rows, self.correction.split_at_mut(n));
        // The room of `reach`, which is measured after this, and of `z`, which is made at the end of the step.
        for (i, (inverse, r)) in self.reach.iter_mut().zip(&mut *momentum).enumerate() {
            *inverse = self.jacobian[i * (n + 1)].recip();
            *r *= *inverse;
        }
        rows.shape.divide_columns(&self.reach, &self.g0, &mut rows.z);
        for (row, c) in multipliers.iter_mut().enumerate() {
            *c = rows.shape.fold_row(row, &rows.g, momentum, -*c, |sum, g, r| sum + g * r);
        }
        rows.shape.products(&rows.g, &rows.z, &mut self.schur.matrix);
        self.schur.factor().map_err(|breakdown| Breakdown { index: n + breakdown.index, ..breakdown })?;
        self.schur.solve(multipliers);
        rows.shape.add_transposed_times(&rows.z, multipliers, -1.0, momentum);
        self.lambda_scale.fill(1.0);
        Ok(())
    }

    /// `[[∂left/∂v, G0ᵀ], [G1, 0]]`, the multipliers in units that make their columns as large as the mass: a
    /// molecule in SI units is as well conditioned as a pendulum.
    pub(super) fn assemble(&mut self) {
        let (n, m) = (self.v.len(), self.f.len());
        self.lu.matrix.fill(0.0);
        for i in 0..n {
            self.lu.matrix[i * (n + m)..i * (n + m) + n].copy_from_slice(&self.jacobian[i * n..(i + 1) * n]);
        }
        for j in 0..m {
            let (shape, matrix, jacobian) = (&self.rows.shape, &mut self.lu.matrix, &self.jacobian);
            let mut largest = 0.0_f64;
            shape.each_entry(j, &self.g0, |i, g| largest = largest.max((g / jacobian[i * (n + 1)]).abs()));
            let scale = if largest > 0.0 && largest.is_finite() { largest.recip() } else { 1.0 };
            self.lambda_scale[j] = scale;
            shape.each_entry(j, &self.g0, |i, g| matrix[i * (n + m) + n + j] = g * scale);
            shape.each_entry(j, &self.rows.g, |i, g| matrix[(n + j) * (n + m) + i] = g);
        }
    }
}

/// Whether an `n × n` matrix has entries on its diagonal only, and these not zero.
pub(super) fn is_diagonal(matrix: &[f64], n: usize) -> bool {
    let zero = |row: &[f64]| row.iter().all(|entry| *entry == 0.0);
    let mut rows = matrix.chunks_exact(n).take(n).enumerate();
    rows.all(|(i, row)| row[i] != 0.0 && zero(&row[..i]) && zero(&row[i + 1..]))
}
