//! The hidden velocity constraint: `p1 = p − G(q1)ᵀμ` with `G(q1) M(q1)⁻¹p1 + ∂f/∂t = 0`.
//!
//! The second half of RATTLE [andersen-1983]. Constraint impulses along the gradients at the node keep every
//! momentum that belongs to a symmetry of `f`. Cost: `m` solves with the mass matrix and one `m × m` factorisation, sparse for many rows.

use super::mass::InverseMass;
use super::newton::FLOOR;
use super::products::Definite;
use super::rows::RowShape;
use super::spread::Spread;
use crate::error::{Failure, Row};
use crate::linear::Breakdown;
use crate::state::State;
use crate::system::System;

/// Constraint rows at one node and the factors of `G M⁻¹Gᵀ` there.
#[derive(Debug, Clone)]
pub struct ConstraintRows {
    /// Which entries are stored.
    pub shape: RowShape,
    /// `G`.
    pub g: Vec<f64>,
    /// `G M⁻¹`.
    pub z: Vec<f64>,
    /// `∂f/∂t`.
    pub rate: Vec<f64>,
    schur: Definite,
    mu: Vec<f64>,
    /// Size of what the impulses of a projection put onto every coordinate.
    pushed: Vec<f64>,
    /// The impulse that the last projection took off, `−Gᵀ` of it.
    pub impulse: Vec<f64>,
    sizes: Vec<f64>,
    spread: Spread,
}

impl ConstraintRows {
    /// The rows at a state; an error if they depend on each other there.
    pub fn at<S: System + ?Sized>(
        shape: RowShape,
        system: &S,
        inverse: &InverseMass,
        start: &State,
    ) -> Result<Self, Failure> {
        let (m, entries) = (shape.count(), shape.entries());
        let schur = Definite::new("holding the constraints", &shape)?;
        let mut rows = Self {
            shape,
            g: vec![0.0; entries],
            z: vec![0.0; entries],
            rate: vec![0.0; m],
            schur,
            mu: vec![0.0; m],
            pushed: vec![0.0; system.dim()],
            impulse: vec![0.0; m],
            sizes: vec![0.0; m],
            spread: Spread::new(system.dim(), m),
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
        self.shape.evaluate(system, t, q, [&mut self.mu, &mut self.g]);
        self.factor(system, inverse, t, q)
    }

    /// Factors at `(t, q)` from the rows `g` there; `inverse` must be prepared at `q`.
    pub fn factor<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        t: f64,
        q: &[f64],
    ) -> Result<(), Failure> {
        system.equalities().rate(t, q, &mut self.rate);
        self.shape.divide_by_mass(inverse, &self.g, &mut self.z);
        self.schur.factor(&self.shape, &self.g, &self.z).map_err(|Breakdown { index, pivot }| {
            let row = Row::equality(system, index);
            if self.shape.fold_row(index, &self.g, q, true, |flat, g, _| flat && g == 0.0) {
                Failure::Flat { row }
            } else {
                Failure::Redundant { row, pivot }
            }
        })
    }

    /// Takes a violation `f` off the position to first order: `q −= M⁻¹Gᵀ(G M⁻¹Gᵀ)⁻¹f`. `f` becomes the multipliers.
    pub fn pull_back(&self, f: &mut [f64], q: &mut [f64]) {
        self.schur.solve(f);
        self.shape.add_transposed_times(&self.z, f, -1.0, q);
    }

    /// Takes off a row what equality constraints take of an impulse along it: `g −= Gᵀν`, `ν = (G M⁻¹Gᵀ)⁻¹G M⁻¹g`.
    pub fn free(&self, g: &mut [f64], nu: &mut [f64]) {
        for (row, nu) in nu.iter_mut().enumerate() {
            *nu = self.shape.fold_row(row, &self.z, g, 0.0, |sum, z, g| sum + z * g);
        }
        self.schur.solve(nu);
        self.shape.add_transposed_times(&self.g, nu, -1.0, g);
    }

    /// Projects `p`; the second pass removes the round-off of the first. Returns the largest relative residual.
    pub fn project(&mut self, inverse: &InverseMass, p: &mut [f64]) -> f64 {
        let mut worst = self.residual(p);
        self.impulse.fill(0.0);
        for _ in 0..3 {
            if worst <= FLOOR {
                break;
            }
            self.schur.solve(&mut self.mu);
            self.shape.add_transposed_times(&self.g, &self.mu, -1.0, p);
            for (impulse, mu) in self.impulse.iter_mut().zip(&self.mu) {
                *impulse += mu;
            }
            let before = worst;
            worst = self.residual(p);
            if worst > 0.5 * before {
                break;
            }
        }
        if worst > FLOOR { self.settled_residual(inverse, p) } else { worst }
    }

    /// The largest `μ` relative to what the impulses of the projection moved: of a body that rests nothing but round-off is left. A row
    /// beside which other rows move is measured by them.
    #[cold]
    fn settled_residual(&mut self, inverse: &InverseMass, p: &[f64]) -> f64 {
        self.pushed.fill(0.0);
        for (row, impulse) in self.impulse.iter().enumerate() {
            let pushed = &mut self.pushed;
            self.shape.each_entry(row, &self.g, |k, g| pushed[k] += (g * impulse).abs());
        }
        self.pushed.iter_mut().zip(p).for_each(|(pushed, p)| *pushed = pushed.max(p.abs()));
        for (row, (size, rate)) in self.sizes.iter_mut().zip(&self.rate).enumerate() {
            *size = self.shape.fold_row(row, &self.z, &self.pushed, rate.abs(), |sum, z, p| sum + (z * p).abs());
        }
        self.spread.measure(&self.shape, &self.g, &inverse.diagonal, &self.sizes);
        self.spread.violation(&self.mu, &self.sizes)
    }

    /// `μ := G M⁻¹p + ∂f/∂t`; returns the largest entry relative to its terms.
    fn residual(&mut self, p: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for (row, (mu, rate)) in self.mu.iter_mut().zip(&self.rate).enumerate() {
            let start = (*rate, rate.abs());
            let (sum, size) = self
                .shape
                .fold_row(row, &self.z, p, start, |(sum, size), z, p| (sum + z * p, size + (z * p).abs()));
            *mu = sum;
            if size > 0.0 {
                worst = worst.max(sum.abs() / size);
            }
        }
        worst
    }
}
