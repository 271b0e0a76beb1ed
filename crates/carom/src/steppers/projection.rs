//! `projection`: a free step, and the nearest point of the constraints to where it leads.
//!
//! ```text
//! p* = p0 + h F(q0, v0, t0),  q* = q0 + h M⁻¹p*                     F = −V_q + f_NP
//! M u = p* − G(q1)ᵀλ,  q1 = q0 + h u,  f(q1, t1) = 0                the point nearest to q*, measured by M
//! p1 = M u  (`velocity = "difference"`),  or  p1 = p* − G(q1)ᵀμ,  G(q1) M⁻¹p1 + ∂f/∂t = 0  (`"projected"`)
//! ```
//! The projections of [lacoursiere-linde-2011, figures 3 and 5]; with differences, position based dynamics solved exactly. Order 1. Positions hold
//! to round-off, velocities only if they are projected. Linear momentum is exact. Nothing else is kept where there are constraints: gradients
//! at the end of the step take energy and angular momentum out of the motion along the constraints, the more the longer the step. Without
//! constraints it is symplectic Euler. A comparison, not for results. Cost: one dense LU of size `n + m` per iteration. Constant mass only.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::shared::mass::InverseMass;
use super::shared::newton::{Convergence, FLOOR, STALLED, Verdict, relative_change};
use super::shared::projection::ConstraintRows;
use super::shared::rows::{RowShape, relative_violation};
use super::shared::spread::Spread;
use super::{Impulses, StepReport, Stepper};
use crate::error::{Failure, Row, StepError};
use crate::linear::{Breakdown, Lu, max_abs};
use crate::method::{Abilities, Claims, Method};
use crate::state::{State, all_finite};
use crate::system::System;

/// What the velocity after a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Velocity {
    /// `(q1 − q0)/h`: it violates the hidden constraints by O(h).
    #[default]
    Difference,
    /// That of the free step, projected onto the hidden constraints.
    Projected,
}

/// `[method] name = "projection"`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What the velocity after a step is.
    pub velocity: Velocity,
}

impl Method for Config {
    const NAME: &'static str = "projection";
    const TITLE: &'static str = "A free step and the nearest point of the equality constraints: a comparison";
    const CITES: &'static [&'static str] = &["lacoursiere-linde-2011"];
    type Stepper = Projection;

    fn claims(&self) -> Claims {
        Claims {
            order: 1,
            symplectic: false,
            reversible: false,
            linear_momentum: true,
            angular_momentum: false,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { configuration_mass: false, ..Abilities::VARIATIONAL }
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Projection, Failure> {
        Projection::new(self.velocity, system, start)
    }
}

/// The step.
#[derive(Debug, Clone)]
pub struct Projection {
    velocity: Velocity,
    inverse: InverseMass,
    rows: ConstraintRows,
    /// `p*`.
    free: Vec<f64>,
    force: Vec<f64>,
    extra: Vec<f64>,
    u: Vec<f64>,
    q1: Vec<f64>,
    p1: Vec<f64>,
    lambda: Vec<f64>,
    lambda_scale: Vec<f64>,
    f: Vec<f64>,
    sizes: Vec<f64>,
    spread: Spread,
    residual: Vec<f64>,
    magnitude: Vec<f64>,
    reach: Vec<f64>,
    /// `M`, as a full matrix.
    mass: Vec<f64>,
    bend: Vec<f64>,
    correction: Vec<f64>,
    lu: Lu,
    none: Vec<f64>,
}

impl Projection {
    fn new<S: System + ?Sized>(velocity: Velocity, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        // Without constraints nothing is solved.
        let (square, size) = if m > 0 { (n * n, n + m) } else { (0, 0) };
        let side = if m > 0 { n } else { 0 };
        Failure::unless_they_fit("a projection", &[[size, size], [side, side], [side, side], [m, m]])?;
        let inverse = InverseMass::new(system, &start.q)?;
        let rows = ConstraintRows::at(RowShape::of(system, &inverse), system, &inverse, start)?;
        let mut mass = vec![0.0; square];
        if m > 0 {
            system.mass().matrix(&start.q, &mut mass);
        }
        let vector = || vec![0.0; n];
        let multipliers = || vec![0.0; m];
        Ok(Self {
            velocity,
            inverse,
            rows,
            free: vector(),
            force: vector(),
            extra: vector(),
            u: vector(),
            q1: vector(),
            p1: vector(),
            lambda: multipliers(),
            lambda_scale: multipliers(),
            f: multipliers(),
            sizes: multipliers(),
            spread: Spread::new(n, m),
            residual: vector(),
            magnitude: vector(),
            reach: vector(),
            mass,
            bend: vec![0.0; square],
            correction: vec![0.0; size],
            lu: Lu::new(size),
            none: multipliers(),
        })
    }

    fn advance<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<StepReport, Failure> {
        let t1 = state.t + h;
        self.go_free(system, state, h);
        let mut report = StepReport::default();
        self.p1.copy_from_slice(&self.free);
        if !self.f.is_empty() {
            report = self.find_nearest(system, state, h)?;
            match self.velocity {
                Velocity::Difference => {
                    self.rows.shape.add_transposed_times(&self.rows.g, &self.lambda, -1.0, &mut self.p1);
                }
                Velocity::Projected => {
                    self.rows.prepare(system, &self.inverse, t1, &self.q1)?;
                    report.residual = report.residual.max(self.rows.project(&self.inverse, &mut self.p1));
                }
            }
        }
        if all_finite(&self.q1) && all_finite(&self.p1) {
            Ok(report)
        } else {
            Err(Failure::NonFinite { what: "the state after the step" })
        }
    }

    /// `p*` and `q*`, and how far the terms of the step would carry each coordinate.
    fn go_free<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        system.potential_gradient(state.t, &state.q, &mut self.force);
        if let Some(forces) = system.forces() {
            self.u.copy_from_slice(&state.p);
            self.inverse.solve(&mut self.u);
            forces.force(state.t, &state.q, &self.u, &mut self.extra);
            self.force.iter_mut().zip(&self.extra).for_each(|(force, extra)| *force -= extra);
        }
        for (i, (free, p)) in self.free.iter_mut().zip(&state.p).enumerate() {
            let push = h * self.force[i];
            *free = p - push;
            self.reach[i] = h.abs() * (p.abs() + push.abs()) / self.inverse.diagonal[i];
        }
        self.u.copy_from_slice(&self.free);
        self.inverse.solve(&mut self.u);
        self.place(state, h);
    }

    fn place(&mut self, state: &State, h: f64) {
        for ((q1, q0), u) in self.q1.iter_mut().zip(&state.q).zip(&self.u) {
            *q1 = q0 + h * u;
        }
    }

    /// Newton's method on `(u, λ)` from `q*` and no multipliers.
    fn find_nearest<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        let n = state.q.len();
        self.lambda.fill(0.0);
        let mut newton = Convergence::default();
        let mut residual = loop {
            let (mut residual, worst, mut constraint) = self.judge(system, state, h)?;
            if newton.is_stuck(residual, constraint) {
                constraint = self.spilled(system, state.t + h, h);
                residual = relative_violation(&self.residual, &self.magnitude).0.max(constraint);
            }
            match newton.judge(residual, constraint, || false) {
                Verdict::Accept => break residual,
                Verdict::Correct => newton.corrected(self.correct(system, state, h)?, true),
                Verdict::GiveUp => {
                    let Convergence { iterations, correction, .. } = newton;
                    let row = row(system, n, worst);
                    return Err(Failure::NotConverged { iterations, residual, row, correction });
                }
            }
        };
        if residual > FLOOR {
            residual = self.settled_residual(system, state.t + h, h);
        }
        Ok(StepReport { iterations: newton.iterations, residual, ..StepReport::default() })
    }

    /// The equations at `(u, λ)`: the largest relative residual, its row (those of the constraints behind those of the coordinates) and the
    /// largest of the constraints.
    fn judge<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<(f64, usize, f64), Failure> {
        let (shape, n) = (&self.rows.shape, state.q.len());
        shape.evaluate(system, state.t + h, &self.q1, [&mut self.f, &mut self.rows.g]);
        for (scale, (q, reach)) in self.extra.iter_mut().zip(self.q1.iter().zip(&self.reach)) {
            *scale = q.abs() + reach;
        }
        shape.sizes(&self.rows.g, &self.extra, &self.f, &mut self.sizes);
        system.mass().times(&state.q, &self.u, &mut self.residual);
        for ((r, size), free) in self.residual.iter_mut().zip(&mut self.magnitude).zip(&self.free) {
            (*r, *size) = (*r - free, r.abs() + free.abs());
        }
        shape.add_transposed_times(&self.rows.g, &self.lambda, 1.0, &mut self.residual);
        for (row, lambda) in self.lambda.iter().enumerate() {
            shape.each_entry(row, &self.rows.g, |i, g| self.magnitude[i] += (g * lambda).abs());
        }
        let (constraint, index) = relative_violation(&self.f, &self.sizes);
        let (balance, coordinate) = relative_violation(&self.residual, &self.magnitude);
        // A comparison with NaN is false, so both are looked at.
        if !(constraint.is_finite() && balance.is_finite()) {
            return Err(Failure::NonFinite { what: "a residual of the step's equations" });
        }
        let worst = if balance > constraint { (balance, coordinate) } else { (constraint, n + index) };
        Ok((worst.0, worst.1, constraint))
    }

    /// The largest violation of a constraint where impulses and the sizes of all rows count.
    #[cold]
    fn spilled<S: System + ?Sized>(&mut self, system: &S, t1: f64, h: f64) -> f64 {
        for (k, scale) in self.extra.iter_mut().enumerate() {
            *scale = self.q1[k].abs() + self.reach[k] + h.abs() * self.magnitude[k] / self.inverse.diagonal[k];
        }
        self.rows.shape.sizes(&self.rows.g, &self.extra, &self.f, &mut self.sizes);
        let q1 = &self.q1;
        self.spread.add_rounding(&mut self.sizes, |out| system.equalities().rounding(t1, q1, out));
        self.spread.measure(&self.rows.shape, &self.rows.g, &self.inverse.diagonal, &self.sizes);
        self.spread.violation(&self.f, &self.sizes)
    }

    /// The residual of a solution that stalled above the floor: terms that are round-off themselves are measured by the momentum of a
    /// coordinate at the speed of the fastest.
    fn settled_residual<S: System + ?Sized>(&mut self, system: &S, t1: f64, h: f64) -> f64 {
        let (speed, mut worst) = (max_abs(&self.u), relative_violation(&self.f, &self.sizes).0);
        if worst > STALLED {
            worst = self.spilled(system, t1, h);
        }
        for ((r, size), mass) in self.residual.iter().zip(&self.magnitude).zip(&self.inverse.diagonal) {
            worst = worst.max(if *r == 0.0 { 0.0 } else { r.abs() / (size + mass * speed) });
        }
        worst
    }

    /// One correction by `[[M + h Σ λ_i ∂²f_i/∂q², Gᵀ], [G, 0]]`, all at `q1`; returns its size relative to the end point. Multipliers are in
    /// units that make their columns as large as the mass.
    fn correct<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<f64, Failure> {
        let (n, m, shape) = (self.u.len(), self.f.len(), &self.rows.shape);
        let width = n + m;
        system.equalities().hessian(state.t + h, &self.q1, &self.lambda, &mut self.bend);
        let matrix = &mut self.lu.matrix;
        matrix.fill(0.0);
        for (i, (mass, bend)) in self.mass.chunks_exact(n).zip(self.bend.chunks_exact(n)).enumerate() {
            let entries = matrix[i * width..i * width + n].iter_mut();
            entries.zip(mass).zip(bend).for_each(|((out, mass), bend)| *out = mass + h * bend);
        }
        for row in 0..m {
            let mut largest = 0.0_f64;
            let diagonal = &self.inverse.diagonal;
            shape.each_entry(row, &self.rows.g, |i, g| largest = largest.max((g / diagonal[i]).abs()));
            let scale = if largest > 0.0 && largest.is_finite() { largest.recip() } else { 1.0 };
            self.lambda_scale[row] = scale;
            shape.each_entry(row, &self.rows.g, |i, g| {
                matrix[i * width + n + row] = g * scale;
                matrix[(n + row) * width + i] = g;
            });
        }
        let (momentum, constraint) = self.correction.split_at_mut(n);
        momentum.copy_from_slice(&self.residual);
        constraint.iter_mut().zip(&self.f).for_each(|(out, f)| *out = f / h);
        self.lu
            .factor()
            .map_err(|Breakdown { index, pivot }| Failure::Singular { row: row(system, n, index), pivot })?;
        self.lu.solve(&mut self.correction);
        let changes = self.correction[..n].iter().map(|change| h * change);
        let moved = relative_change(changes, &self.q1, &self.reach);
        self.u.iter_mut().zip(&self.correction).for_each(|(u, change)| *u -= change);
        let changes = self.correction[n..].iter().zip(&self.lambda_scale);
        self.lambda.iter_mut().zip(changes).for_each(|(lambda, (change, scale))| *lambda -= change * scale);
        self.place(state, h);
        Ok(moved)
    }
}

/// The equation of a row of the linear system.
fn row<S: System + ?Sized>(system: &S, n: usize, index: usize) -> Row {
    if index < n { Row::coordinate(system, index) } else { Row::equality(system, index - n) }
}

impl<S: System + ?Sized> Stepper<S> for Projection {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let report = self.advance(system, state, h).map_err(|failure| StepError { t: state.t, h, failure })?;
        state.t += h;
        std::mem::swap(&mut state.q, &mut self.q1);
        std::mem::swap(&mut state.p, &mut self.p1);
        Ok(report)
    }

    fn impulses(&self) -> Impulses<'_> {
        let end = match self.velocity {
            Velocity::Difference => &self.lambda,
            Velocity::Projected => &self.rows.impulse,
        };
        Impulses::at_ends(&self.none, end)
    }
}
