//! Linear systems of few unknowns, and of systems without a pattern: the exact but for O(h²) Jacobian by LU, the projection by Cholesky.

use super::equations::{Equations, Start};
use crate::error::{Failure, Row};
use crate::linear::Lu;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::projection::ConstraintRows;
use crate::steppers::shared::rows::RowShape;
use crate::system::System;

/// Full matrices.
#[derive(Debug, Clone)]
pub(super) struct Dense {
    lu: Lu,
    right: Vec<f64>,
    /// Second derivatives of the potential and the constraints, of forces by place and by velocity.
    bends: [Vec<f64>; 2],
    by_force: Option<[Vec<f64>; 2]>,
    mass: Vec<f64>,
    rows: Option<ConstraintRows>,
    p: Vec<f64>,
}

impl Dense {
    pub fn new<S: System + ?Sized>(
        system: &S,
        inverse: &InverseMass,
        shape: &RowShape,
        start: &State,
    ) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let by_force = if system.forces().is_some() { n } else { 0 };
        let matrices = [[n + m, n + m], [n, n], [n, n], [n, n], [by_force, n], [by_force, n], [m, m]];
        Failure::unless_they_fit("a step by full matrices", &matrices)?;
        let square = || vec![0.0; n * n];
        let mut mass = square();
        system.mass().matrix(&start.q, &mut mass);
        let rows = if m > 0 { Some(ConstraintRows::at(shape.clone(), system, inverse, start)?) } else { None };
        let by_force = system.forces().map(|_| [square(), square()]);
        let bends = [square(), square()];
        Ok(Self { lu: Lu::new(n + m), right: vec![0.0; n + m], bends, by_force, mass, rows, p: vec![0.0; n] })
    }

    /// The correction of `(u, λ)` at an iterate.
    pub fn correct<S: System + ?Sized>(
        &mut self,
        system: &S,
        start: Start,
        at: &Equations,
    ) -> Result<(&[f64], &[f64]), Failure> {
        let (n, m, h) = (at.u.len(), at.lambda.len(), start.h);
        let (half, size) = (start.t + 0.5 * h, n + m);
        let [of_potential, of_rows] = &mut self.bends;
        system.potential_hessian(half, &at.middle, of_potential);
        of_rows.fill(0.0);
        if m > 0 {
            system.equalities().hessian(half, &at.middle, &at.lambda, of_rows);
        }
        if let (Some(forces), Some([by_q, by_v])) = (system.forces(), &mut self.by_force) {
            forces.jacobians(half, &at.middle, &at.u, by_q, by_v);
        }
        let matrix = &mut self.lu.matrix;
        matrix.fill(0.0);
        // ∂/∂u of a discrete gradient is h/2 of the second derivatives half way, exact for quadratic functions.
        for i in 0..n {
            for k in 0..n {
                let place = i * n + k;
                let mut value = 2.0 * self.mass[place] + 0.5 * h * (h * of_potential[place] - of_rows[place]);
                if let Some([by_q, by_v]) = &self.by_force {
                    value -= h * (0.5 * h * by_q[place] + by_v[place]);
                }
                matrix[i * size + k] = value;
            }
        }
        for row in 0..m {
            at.shape.each_entry(row, &at.mean, |k, g| matrix[k * size + n + row] = -g);
            at.shape.each_entry(row, &at.g1, |k, g| matrix[(n + row) * size + k] = g);
        }
        self.lu.factor().map_err(|breakdown| {
            let row = match breakdown.index.checked_sub(n) {
                None => Row::coordinate(system, breakdown.index),
                Some(row) => Row::equality(system, row),
            };
            Failure::Singular { row, pivot: breakdown.pivot }
        })?;
        for (right, balance) in self.right.iter_mut().zip(&at.balance) {
            *right = -balance;
        }
        for (right, f) in self.right[n..].iter_mut().zip(&at.f1) {
            *right = -f / h;
        }
        self.lu.solve(&mut self.right);
        Ok(self.right.split_at(n))
    }

    /// Projects `v` onto `G v + rate = 0` with the rows at the end of the step. The impulse is that of which `−Gᵀ` acted. Returns the relative
    /// residual.
    pub fn project<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        (t1, at, rate): (f64, &Equations, &[f64]),
        (v, impulse): (&mut [f64], &mut [f64]),
    ) -> Result<f64, Failure> {
        let Some(rows) = &mut self.rows else { return Ok(0.0) };
        rows.g.copy_from_slice(&at.g1);
        rows.factor(system, inverse, t1, &at.q1)?;
        rows.rate.copy_from_slice(rate);
        system.mass().times(&at.q1, v, &mut self.p);
        let residual = rows.project(inverse, &mut self.p);
        v.copy_from_slice(&self.p);
        inverse.solve(v);
        impulse.copy_from_slice(&rows.impulse);
        Ok(residual)
    }
}
