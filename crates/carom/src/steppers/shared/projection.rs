//! The hidden velocity constraint: `p1 = p − G(q1)ᵀμ` with `G(q1) M(q1)⁻¹p1 + ∂f/∂t = 0`.
//!
//! The second half of RATTLE [Andersen 1983]. Constraint impulses along the gradients at the node keep every
//! momentum that belongs to a symmetry of `f`. Cost: `m` solves with the mass matrix and one `m × m` Cholesky.

use super::mass::InverseMass;
use super::newton::FLOOR;
use crate::error::{Failure, Row};
use crate::linear::{Breakdown, Cholesky, add_transposed_times, dot, max_abs};
use crate::state::State;
use crate::system::System;

/// Constraint rows at one node and the factors of `G M⁻¹Gᵀ` there.
#[derive(Debug, Clone)]
pub struct ConstraintRows {
    n: usize,
    /// `G`, `m × n`.
    pub g: Vec<f64>,
    /// `G M⁻¹`, `m × n`.
    pub z: Vec<f64>,
    /// `∂f/∂t`.
    pub rate: Vec<f64>,
    schur: Cholesky,
    mu: Vec<f64>,
}

impl ConstraintRows {
    /// The rows at a state; an error if they depend on each other there.
    pub fn at<S: System + ?Sized>(system: &S, inverse: &InverseMass, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities());
        let mut rows = Self {
            n,
            g: vec![0.0; m * n],
            z: vec![0.0; m * n],
            rate: vec![0.0; m],
            schur: Cholesky::new(m),
            mu: vec![0.0; m],
        };
        rows.prepare(system, inverse, start.t, &start.q)?;
        Ok(rows)
    }

    /// Rows and factors at `(t, q)`; `inverse` must be prepared at `q`.
    pub fn prepare<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        t: f64,
        q: &[f64],
    ) -> Result<(), Failure> {
        let (n, m) = (self.n, self.mu.len());
        system.equality_jacobian(t, q, &mut self.g);
        system.equality_rate(t, q, &mut self.rate);
        self.z.copy_from_slice(&self.g);
        for row in self.z.chunks_exact_mut(n) {
            inverse.solve(row);
        }
        for i in 0..m {
            for j in 0..=i {
                self.schur.matrix[i * m + j] = dot(&self.g[i * n..(i + 1) * n], &self.z[j * n..(j + 1) * n]);
            }
        }
        self.schur.factor().map_err(|Breakdown { index, pivot }| {
            let row = Row::equality(system, index);
            if max_abs(&self.g[index * n..(index + 1) * n]) == 0.0 {
                Failure::Flat { row }
            } else {
                Failure::Redundant { row, pivot }
            }
        })
    }

    /// Projects `p`; the second pass removes the round-off of the first. Returns the largest relative residual.
    pub fn project(&mut self, p: &mut [f64]) -> f64 {
        let mut worst = self.residual(p);
        for _ in 0..3 {
            if worst <= FLOOR {
                break;
            }
            self.schur.solve(&mut self.mu);
            add_transposed_times(&self.g, &self.mu, -1.0, p);
            let before = worst;
            worst = self.residual(p);
            if worst > 0.5 * before {
                break;
            }
        }
        worst
    }

    /// `μ := G M⁻¹p + ∂f/∂t`; returns the largest entry relative to its terms.
    fn residual(&mut self, p: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for ((mu, rate), z) in self.mu.iter_mut().zip(&self.rate).zip(self.z.chunks_exact(self.n)) {
            let (mut sum, mut size) = (*rate, rate.abs());
            for (z, p) in z.iter().zip(p) {
                sum += z * p;
                size += (z * p).abs();
            }
            *mu = sum;
            if size > 0.0 {
                worst = worst.max(sum.abs() / size);
            }
        }
        worst
    }
}

/// Largest `|f_i|` relative to `Σ_k |G_ik|(|q_k| + reach_k)`, the size of what its round-off comes from, and its index.
/// `reach_k` is how far the terms of the step would carry the coordinate: a point that is held on `y = 0` has a scale
/// through it, and coordinates that do not occur in a row have no say in it.
pub fn relative_violation(f: &[f64], g: &[f64], q: &[f64], reach: &[f64]) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for (i, (f, row)) in f.iter().zip(g.chunks_exact(q.len())).enumerate() {
        let mut size = 0.0;
        for ((g, q), reach) in row.iter().zip(q).zip(reach) {
            size += g.abs() * (q.abs() + reach);
        }
        let relative = if *f == 0.0 { 0.0 } else { f.abs() / size };
        if relative > worst.0 || relative.is_nan() {
            worst = (relative, i);
        }
    }
    worst
}
