//! The implicit momentum step that midpoint, γ, Newmark and, for `M(q)`, Verlet share.
//!
//! From `(q0, p0)`, with `G = ∂f/∂q` and the discrete Legendre transforms `left`, `right` of the rule:
//! ```text
//! left(v) = p0 − G(q0)ᵀλ,   f(q0 + h v, t1) = 0          (position constraint)
//! p1 = right(v) − G(q1)ᵀμ,  G(q1) M⁻¹p1 + ∂f/∂t = 0      (hidden velocity constraint)
//! ```
//! This is RATTLE for any discrete Lagrangian [marsden-west-2001, section 3.5; leimkuhler-skeel-1994]: symplectic on
//! the constraint manifold if the rule is, and exact for momenta of symmetries of `L_d` and `f`. Newton's method runs
//! with the analytic Jacobian to the round-off floor. Cost per iteration: one Jacobian of `left`, one LU of size
//! `n + m`, or of size `m` where that Jacobian is diagonal; for many coordinates of which few are coupled, sparse factors.

mod entries;
mod full;

use entries::Entries;
use full::is_diagonal;

use super::shared::mass::InverseMass;
use super::shared::newton::{Convergence, FLOOR, MOST_ITERATIONS, STALLED, Verdict, relative_change};
use super::shared::projection::ConstraintRows;
use super::shared::rows::{RowShape, relative_violation};
use super::shared::spread::Spread;
use super::{Impulses, StepReport, Stepper};
use crate::discrete::{Chord, Legendre};
use crate::error::{Failure, Row, StepError};
use crate::linear::{Breakdown, Lu, max_abs};
use crate::state::{State, all_finite};
use crate::system::System;

/// Below this numbers have no digits to spare: what is left of such terms is round-off.
const TINY: f64 = f64::MIN_POSITIVE / f64::EPSILON;

/// An iteration that stalled is no solution if more than this is left of an equation, relative to its terms and not explained by
/// round-off: springs of 1e10 N/m leave 1e-9.
const LOOSEST: f64 = 1e-6;

/// The step of a rule.
#[derive(Debug, Clone)]
pub struct Implicit<R> {
    rule: R,
    inverse: InverseMass,
    rows: ConstraintRows,
    g0: Vec<f64>,
    v: Vec<f64>,
    lambda: Vec<f64>,
    lambda_scale: Vec<f64>,
    q1: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    magnitude: Vec<f64>,
    reach: Vec<f64>,
    f: Vec<f64>,
    sizes: Vec<f64>,
    spread: Spread,
    jacobian: Vec<f64>,
    correction: Vec<f64>,
    lu: Lu,
    /// Of the multipliers alone.
    schur: Lu,
    /// In the place of the full matrices.
    entries: Option<Box<Entries>>,
}

impl<R> Implicit<R> {
    /// Sized for the system; refused if its mass is singular or its constraints depend on each other at the start.
    pub fn new<S: System + ?Sized>(rule: R, system: &S, start: &State) -> Result<Self, Failure>
    where
        R: Legendre<S>,
    {
        let (n, m) = (system.dim(), system.equalities().count());
        let full = || {
            // The Newton matrix, the Jacobian, two matrices of the rule, and those of the multipliers.
            let matrices = [[n + m, n + m], [n, n], [n, n], [n, n], [m, m], [m, m]];
            Failure::unless_they_fit("an implicit step", &matrices)
        };
        let suits = entries::suits(&rule, system);
        if !suits {
            full()?;
        }
        let vector = || vec![0.0; n];
        let inverse = InverseMass::new(system, &start.q)?;
        let shape = RowShape::of(system, &inverse);
        let entries = if suits { Entries::new(&rule, system, &shape)?.map(Box::new) } else { None };
        if suits && entries.is_none() {
            full()?;
        }
        let (n_full, m_full) = if entries.is_some() { (0, 0) } else { (n, m) };
        let rows = ConstraintRows::at(shape, system, &inverse, start)?;
        Ok(Self {
            rule,
            g0: vec![0.0; rows.g.len()],
            rows,
            inverse,
            v: vector(),
            lambda: vec![0.0; m],
            lambda_scale: vec![0.0; m],
            q1: vector(),
            left: vector(),
            right: vector(),
            magnitude: vector(),
            reach: vector(),
            f: vec![0.0; m],
            sizes: vec![0.0; m],
            spread: Spread::new(n, m),
            jacobian: vec![0.0; n_full * n_full],
            correction: vec![0.0; n + m],
            lu: Lu::new(n_full + m_full),
            schur: Lu::new(m_full),
            entries,
        })
    }

    /// The rule, as the last step left it.
    pub(crate) fn rule(&self) -> &R {
        &self.rule
    }

    /// The chord velocity of the last step.
    pub(crate) fn chord(&self) -> &[f64] {
        &self.v
    }

    /// `n` is the number of coordinates: where it is a constant, everything below unrolls.
    #[inline(always)]
    fn advance<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
        n: usize,
    ) -> Result<StepReport, Failure>
    where
        R: Legendre<S>,
    {
        let t1 = state.t + h;
        self.inverse.prepare(system, &state.q)?;
        self.v[..n].copy_from_slice(&state.p[..n]);
        self.inverse.solve(&mut self.v[..n]);
        self.rows.shape.evaluate(system, state.t, &state.q, [&mut self.f, &mut self.g0]);
        self.lambda.fill(0.0);

        let mut newton = Convergence::default();
        let residual = loop {
            let (mut residual, worst, mut constraint) = self.residual(system, state, h, n)?;
            if newton.is_stuck(residual, constraint) {
                constraint = self.spilled(system, t1);
                residual = self.balance(n).0.max(constraint);
            }
            let verdict = newton.judge(residual, constraint, || self.only_noise(system, state, h, n));
            let stalled = verdict == Verdict::Accept && residual > FLOOR;
            let residual = if stalled { self.settled_residual(system, t1, n) } else { residual };
            // Forces that grow without bound far from the start make any correction look small beside them.
            let false_end = stalled && residual > LOOSEST && !self.only_noise(system, state, h, n);
            if verdict == Verdict::Accept && !false_end {
                break residual;
            }
            if verdict == Verdict::GiveUp || newton.iterations >= MOST_ITERATIONS {
                let Convergence { iterations, correction, .. } = newton;
                let row = row(system, n, worst);
                return Err(Failure::NotConverged { iterations, residual, row, correction });
            }
            newton.corrected(self.correct(system, state, h, n)?, true);
        };
        let mut report = StepReport { iterations: newton.iterations, residual, ..StepReport::default() };
        if !self.f.is_empty() {
            self.inverse.prepare(system, &self.q1)?;
            self.rows.prepare(system, &self.inverse, t1, &self.q1)?;
            report.residual = report.residual.max(self.rows.project(&self.inverse, &mut self.right));
        }
        if all_finite(&self.q1[..n]) && all_finite(&self.right[..n]) {
            Ok(report)
        } else {
            Err(Failure::NonFinite { what: "the state after the step" })
        }
    }

    /// Momenta, constraint values and rows at the current iterate; the largest relative residual, its row (those of the constraints
    /// behind those of the coordinates) and the largest of the constraints.
    #[inline(always)]
    fn residual<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
        n: usize,
    ) -> Result<(f64, usize, f64), Failure>
    where
        R: Legendre<S>,
    {
        let t1 = state.t + h;
        let (v, q0, p0, q1) = (&self.v[..n], &state.q[..n], &state.p[..n], &mut self.q1[..n]);
        let (left, magnitude) = (&mut self.left[..n], &mut self.magnitude[..n]);
        let chord = Chord { t0: state.t, h, q0, v };
        self.rule.momenta(system, chord, left, &mut self.right[..n], magnitude);
        // `left` becomes the residual left − p0 + G0ᵀλ.
        for i in 0..n {
            left[i] -= p0[i];
            magnitude[i] += p0[i].abs();
            q1[i] = q0[i] + h * v[i];
        }
        let mut worst = (0.0, 0);
        if !self.f.is_empty() {
            let shape = &self.rows.shape;
            shape.add_transposed_times(&self.g0, &self.lambda, 1.0, &mut self.left);
            for (row, lambda) in self.lambda.iter().enumerate() {
                shape.each_entry(row, &self.g0, |i, g| self.magnitude[i] += (g * lambda).abs());
            }
            self.measure_reach(h, n);
            self.rows.shape.evaluate(system, t1, &self.q1, [&mut self.f, &mut self.rows.g]);
            // The place of the next correction holds the scale of each coordinate.
            for (scale, (q, reach)) in self.correction.iter_mut().zip(self.q1.iter().zip(&self.reach)) {
                *scale = q.abs() + reach;
            }
            self.rows.shape.sizes(&self.rows.g, &self.correction[..n], &self.f, &mut self.sizes);
            let (relative, index) = relative_violation(&self.f, &self.sizes);
            worst = (relative, n + index);
        }
        let constraint = worst.0;
        let balance = self.balance(n);
        if balance.0 > worst.0 || balance.0.is_nan() {
            worst = balance;
        }
        if worst.0.is_finite() && constraint.is_finite() {
            Ok((worst.0, worst.1, constraint))
        } else {
            Err(Failure::NonFinite { what: "a residual of the step's equations" })
        }
    }

    /// The largest relative residual of a momentum balance and its row.
    #[inline(always)]
    fn balance(&self, n: usize) -> (f64, usize) {
        let mut worst = (0.0, 0);
        for (i, (r, magnitude)) in self.left[..n].iter().zip(&self.magnitude[..n]).enumerate() {
            let relative = if *r == 0.0 { 0.0 } else { r.abs() / magnitude.max(TINY) };
            if relative > worst.0 || relative.is_nan() {
                worst = (relative, i);
            }
        }
        worst
    }

    /// The largest violation of a constraint where the sizes of all rows count.
    #[cold]
    fn spilled<S: System + ?Sized>(&mut self, system: &S, t1: f64) -> f64 {
        let q1 = &self.q1;
        self.spread.add_rounding(&mut self.sizes, |out| system.equalities().rounding(t1, q1, out));
        self.spread.measure(&self.rows.shape, &self.rows.g, &self.inverse.diagonal, &self.sizes);
        self.spread.violation(&self.f, &self.sizes)
    }

    /// How far the terms of the step would carry each coordinate: its own scale, whatever the others do.
    #[inline(always)]
    fn measure_reach(&mut self, h: f64, n: usize) {
        let (reach, magnitude) = (&mut self.reach[..n], &self.magnitude[..n]);
        for i in 0..n {
            reach[i] = h.abs() * magnitude[i] / self.inverse.diagonal[i];
        }
    }

    /// Whether what is left of every momentum balance is what coordinates that are rounded to doubles leave: a force is a
    /// difference of terms that may be much larger than itself.
    #[cold]
    fn only_noise<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64, n: usize) -> bool
    where
        R: Legendre<S>,
    {
        let chord = Chord { t0: state.t, h, q0: &state.q[..n], v: &self.v[..n] };
        match &mut self.entries {
            Some(entries) => entries.load(system, chord),
            None => self.rule.left_jacobian(system, chord, &mut self.jacobian),
        }
        (0..n).all(|i| {
            // Without the mass: it multiplies the velocity, not a rounded coordinate.
            let terms = match &self.entries {
                Some(entries) => entries.terms(i, &self.q1),
                None => {
                    let row = &self.jacobian[i * n..(i + 1) * n];
                    let entry = |j: usize| row[j] - if i == j { self.inverse.diagonal[i] } else { 0.0 };
                    self.q1[..n].iter().enumerate().fold(0.0, |sum, (j, q)| sum + (entry(j) * q).abs())
                }
            };
            // Below the smallest normal number digits are lost, whatever the terms.
            self.left[i].abs() <= FLOOR * (self.magnitude[i] + 2.0 * terms / h.abs()) + f64::MIN_POSITIVE
        })
    }

    /// The residual of a solution that stalled above the floor: terms that are round-off themselves are measured by the
    /// momentum of a coordinate at the speed of the fastest.
    fn settled_residual<S: System + ?Sized>(&mut self, system: &S, t1: f64, n: usize) -> f64 {
        let (speed, mut worst) = (max_abs(&self.v), relative_violation(&self.f, &self.sizes).0);
        if worst > STALLED {
            worst = self.spilled(system, t1);
        }
        for i in 0..n {
            let size = self.magnitude[i] + self.inverse.diagonal[i] * speed;
            worst = worst.max(if self.left[i] == 0.0 { 0.0 } else { self.left[i].abs() / size.max(TINY) });
        }
        worst
    }

    /// One Newton correction of `(v, λ)`; returns its size relative to the end point.
    #[inline(always)]
    fn correct<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64, n: usize) -> Result<f64, Failure>
    where
        R: Legendre<S>,
    {
        let m = self.f.len();
        let chord = Chord { t0: state.t, h, q0: &state.q[..n], v: &self.v[..n] };
        let (momentum, constraint) = self.correction.split_at_mut(n);
        momentum.copy_from_slice(&self.left[..n]);
        for (out, f) in constraint.iter_mut().zip(&self.f) {
            *out = f / h;
        }
        // Two calls and not one with n + m: without constraints the size is a constant where `n` is.
        let solved = if n > 3
            && let Some(entries) = &mut self.entries
        {
            entries.load(system, chord);
            entries.take_rows(&self.rows.shape, [&self.g0, &self.rows.g], &mut self.lambda_scale);
            entries.solve(&mut self.correction)
        } else if m == 0 {
            self.rule.left_jacobian(system, chord, &mut self.lu.matrix);
            if n > 3 && is_diagonal(&self.lu.matrix, n) {
                let diagonal = self.lu.matrix.iter().step_by(n + 1);
                self.correction.iter_mut().zip(diagonal).for_each(|(correction, d)| *correction /= d);
                Ok(())
            } else {
                self.lu.solve_once(n, &mut self.correction)
            }
        } else {
            self.rule.left_jacobian(system, chord, &mut self.jacobian);
            if is_diagonal(&self.jacobian, n) {
                self.eliminate(n)
            } else {
                self.assemble();
                self.lu.solve_once(n + m, &mut self.correction)
            }
        };
        solved.map_err(|Breakdown { index, pivot }| Failure::Singular { row: row(system, n, index), pivot })?;
        self.measure_reach(h, n);
        let (correction, v) = (&self.correction[..n], &mut self.v[..n]);
        let moved = relative_change(correction.iter().map(|change| h * change), &state.q[..n], &self.reach[..n]);
        for i in 0..n {
            v[i] -= correction[i];
        }
        for j in 0..m {
            self.lambda[j] -= self.correction[n + j] * self.lambda_scale[j];
        }
        Ok(moved)
    }
}

/// The equation of a row of the linear system.
fn row<S: System + ?Sized>(system: &S, n: usize, index: usize) -> Row {
    if index < n { Row::coordinate(system, index) } else { Row::equality(system, index - n) }
}

impl<S: System + ?Sized, R: Legendre<S>> Stepper<S> for Implicit<R> {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        // Few coordinates get code of their own, from the same source: 7 times a hand-written loop without it.
        let report = match state.q.len() {
            1 => self.advance(system, state, h, 1),
            2 => self.advance(system, state, h, 2),
            3 => self.advance(system, state, h, 3),
            n => self.advance(system, state, h, n),
        };
        let report = report.map_err(|failure| StepError { t: state.t, h, failure })?;
        state.t += h;
        std::mem::swap(&mut state.q, &mut self.q1);
        std::mem::swap(&mut state.p, &mut self.right);
        Ok(report)
    }

    fn impulses(&self) -> Impulses<'_> {
        Impulses::at_ends(&self.lambda, &self.rows.impulse)
    }
}
