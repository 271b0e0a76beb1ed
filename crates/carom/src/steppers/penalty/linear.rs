//! One Newton step from the start of the step: `F` is replaced by its linear part at `(q0, v0)` and the time where the rule takes it.

use super::springs::Springs;
use crate::error::{Failure, Row};
use crate::linear::{Breakdown, Lu};
use crate::state::{State, all_finite};
use crate::steppers::StepReport;
use crate::steppers::shared::mass::InverseMass;
use crate::system::System;

/// The linearised step: `(M + a²K + a D) u = p0 + a (F0 + D v0)` with `a = θ h`, `K = −∂F/∂q`, `D = −∂F/∂v`.
#[derive(Debug, Clone)]
pub struct Linear {
    theta: f64,
    bent: bool,
    springs: Springs,
    inverse: InverseMass,
    v0: Vec<f64>,
    right: Vec<f64>,
    u: Vec<f64>,
    q1: Vec<f64>,
    p1: Vec<f64>,
    matrix: Vec<f64>,
    lu: Lu,
}

impl Linear {
    /// With the second derivatives of the constraints if `bent`.
    pub fn new(theta: f64, bent: bool, springs: Springs, inverse: InverseMass) -> Self {
        let n = inverse.diagonal.len();
        let vector = || vec![0.0; n];
        let (matrix, lu) = (vec![0.0; n * n], Lu::new(n));
        let (v0, right, u, q1, p1) = (vector(), vector(), vector(), vector(), vector());
        Self { theta, bent, springs, inverse, v0, right, u, q1, p1, matrix, lu }
    }

    /// The springs, at the start of the last step.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }

    /// Solves for `u` and the momentum at the end.
    pub fn advance<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        let (a, n) = (self.theta * h, state.q.len());
        let t = state.t + a;
        self.v0.copy_from_slice(&state.p);
        self.inverse.solve(&mut self.v0);
        self.springs.pull(system, t, [&state.q, &self.v0, &self.v0], 0.0);
        self.springs.stiffen(system, t, &self.v0, self.bent);
        self.springs.matrix(system, a, &mut self.matrix);
        for (i, right) in self.right.iter_mut().enumerate() {
            let damped = crate::linear::dot(&self.springs.by_v[i * n..(i + 1) * n], &self.v0);
            *right = state.p[i] + a * (self.springs.force[i] + damped);
        }
        self.lu.matrix.copy_from_slice(&self.matrix);
        self.lu.factor().map_err(|Breakdown { index, pivot }| Failure::Singular {
            row: Row::coordinate(system, index),
            pivot,
        })?;
        self.u.copy_from_slice(&self.right);
        self.lu.solve(&mut self.u);
        system.mass().times(&state.q, &self.u, &mut self.p1);
        // p1 = M u + (1 − θ) h F with θ h F = M u − p0.
        let rest = (1.0 - self.theta) / self.theta;
        self.p1.iter_mut().zip(&state.p).for_each(|(p1, p0)| *p1 += rest * (*p1 - p0));
        self.springs.stretch(&self.u, a);
        for ((q1, q0), u) in self.q1.iter_mut().zip(&state.q).zip(&self.u) {
            *q1 = q0 + h * u;
        }
        if all_finite(&self.q1) && all_finite(&self.p1) {
            Ok(StepReport { iterations: 1, residual: self.residual(), ..StepReport::default() })
        } else {
            Err(Failure::NonFinite { what: "the state after the step" })
        }
    }

    /// Largest residual of the linear system relative to its terms.
    fn residual(&self) -> f64 {
        let mut worst = 0.0_f64;
        for (row, right) in self.matrix.chunks_exact(self.u.len().max(1)).zip(&self.right) {
            let terms = row.iter().zip(&self.u).map(|(a, u)| a * u);
            let (sum, size) = terms.fold((-right, right.abs()), |(sum, size), x| (sum + x, size + x.abs()));
            worst = worst.max(if sum == 0.0 { 0.0 } else { sum.abs() / size });
        }
        worst
    }

    /// Takes the step that was solved for.
    pub fn take_over(&mut self, state: &mut State, h: f64) {
        std::mem::swap(&mut state.q, &mut self.q1);
        std::mem::swap(&mut state.p, &mut self.p1);
        state.t += h;
    }
}
