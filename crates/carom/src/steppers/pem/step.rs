//! The step: Newton's method for the first stage, the projection, and halves where it does not converge.

use super::dense::Dense;
use super::equations::{Equations, Start};
use super::sparse::Factors;
use crate::error::{Failure, StepError};
use crate::linear::{dot, max_abs};
use crate::state::{State, all_finite};
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::newton::STALLED;
use crate::steppers::{ForeignMemory, Impulses, StepReport, Stepper, take_over};
use crate::system::System;

/// Iterations before a step is halved. Steps that converge take 2 to 7.
const MOST_ITERATIONS: u32 = 12;
/// How often a step is halved before it fails: down to 1/256.
const MOST_HALVINGS: u32 = 8;
/// Beyond so many unknowns sparse factors are faster than full ones.
const MANY: usize = 48;
/// The same without constraints: full matrices have the bends of potentials, which let Newton's method converge at longer steps.
const MANY_FREE: usize = 400;
/// What does not fall any more is round-off if it is at most this part of its terms, or if the last correction moved no coordinate by more
/// than [`STILL`] of it.
const LOOSEST: f64 = 1e-12;
const STILL: f64 = 8.0 * f64::EPSILON;

/// Why an attempt failed; rows are named, which allocates, only where the whole step fails.
enum Stop {
    /// Newton's method did not converge: relative residual, its row, and the last correction.
    Slow { residual: f64, row: usize, correction: f64 },
    /// Something else.
    Broken(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Self::Broken(failure)
    }
}

/// Linear systems.
enum Solver {
    Full(Box<Dense>),
    Sparse(Box<Factors>),
}

/// Projected energy-momentum steps for one system.
pub struct Pem {
    tolerance: f64,
    inverse: InverseMass,
    equations: Equations,
    solver: Solver,
    /// Where the step has come to.
    q: Vec<f64>,
    v: Vec<f64>,
    v1: Vec<f64>,
    /// Acceleration and constraint forces of the last step: what the next one starts its iteration from.
    memory: Vec<f64>,
    /// The memory before the step, for one that fails.
    kept: Vec<f64>,
    rate: Vec<f64>,
    taken: Vec<f64>,
    impulse: Vec<f64>,
    work: f64,
}

impl Pem {
    /// Sized for the system; refused if its mass is singular, or its constraints depend on each other at the start where full matrices
    /// are taken.
    pub fn new<S: System + ?Sized>(tolerance: f64, system: &S, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let inverse = InverseMass::new(system, &start.q)?;
        let equations = Equations::new(system, &inverse);
        let sparse = if n + m > if m > 0 { MANY } else { MANY_FREE } {
            Factors::new(system, &equations.shape)
        } else {
            None
        };
        let solver = match sparse {
            Some(factors) => Solver::Sparse(Box::new(factors)),
            None => Solver::Full(Box::new(Dense::new(system, &inverse, &equations.shape, start)?)),
        };
        let (vector, row) = (|| vec![0.0; n], || vec![0.0; m]);
        let mut new = Self {
            tolerance,
            inverse,
            equations,
            solver,
            q: vector(),
            v: vector(),
            v1: vector(),
            memory: vec![0.0; n + m],
            kept: vec![0.0; n + m],
            rate: row(),
            taken: row(),
            impulse: row(),
            work: 0.0,
        };
        new.look_ahead(system, start)?;
        Ok(new)
    }

    /// The memory of a first step: acceleration and constraint forces at the start. Without them the iteration would know nothing of how
    /// taut rods are.
    fn look_ahead<S: System + ?Sized>(&mut self, system: &S, start: &State) -> Result<(), Failure> {
        let State { t, q, p } = start;
        let n = q.len();
        self.v.copy_from_slice(p);
        self.inverse.solve(&mut self.v);
        system.potential_gradient(*t, q, &mut self.v1);
        self.v1.iter_mut().for_each(|force| *force = -*force);
        if let Some(forces) = system.forces() {
            forces.force(*t, q, &self.v, &mut self.q);
            self.v1.iter_mut().zip(&self.q).for_each(|(sum, force)| *sum += force);
        }
        self.inverse.solve(&mut self.v1);
        let at = &mut self.equations;
        at.shape.evaluate(system, *t, q, [&mut at.f1, &mut at.g1]);
        at.q1.copy_from_slice(q);
        // G a + vᵀg_qq v + g_tt = 0; what the mixed derivative adds where constraints move is left out of this first guess.
        system.equalities().bend(*t, q, &self.v, &mut self.rate);
        system.equalities().second_rate(*t, q, &mut self.impulse);
        self.rate.iter_mut().zip(&self.impulse).for_each(|(sum, rate)| *sum += rate);
        self.project(system, *t)?;
        self.memory[..n].copy_from_slice(&self.v1);
        for (force, taken) in self.memory[n..].iter_mut().zip(&self.taken) {
            *force = -taken;
        }
        if !all_finite(&self.memory) {
            self.memory.fill(0.0);
        }
        Ok(())
    }

    /// `v1` onto `G v + rate = 0` with the rows at the end. Returns the relative residual.
    fn project<S: System + ?Sized>(&mut self, system: &S, t1: f64) -> Result<f64, Failure> {
        let (at, rate, out) = (&self.equations, &self.rate, (&mut self.v1[..], &mut self.taken[..]));
        match &mut self.solver {
            Solver::Full(dense) => dense.project(system, &self.inverse, (t1, at, rate), out),
            Solver::Sparse(factors) => factors.project(system, (at, rate), out),
        }
    }

    /// From `(q, v)` by `h`, in halves if it must be. On failure what it came to is not defined.
    fn advance<S: System + ?Sized>(
        &mut self,
        system: &S,
        (t, h): (f64, f64),
        depth: u32,
        report: &mut StepReport,
    ) -> Result<(), Failure> {
        match self.attempt(system, (t, h), report) {
            Err(Stop::Broken(failure)) if depth == MOST_HALVINGS => Err(failure),
            Err(Stop::Slow { residual, row, correction }) if depth == MOST_HALVINGS => {
                let (iterations, row) = (MOST_ITERATIONS, self.equations.row(system, row));
                Err(Failure::NotConverged { iterations, residual, row, correction })
            }
            Err(_) => {
                report.fallbacks += 1;
                self.advance(system, (t, 0.5 * h), depth + 1, report)?;
                self.advance(system, (t + 0.5 * h, 0.5 * h), depth + 1, report)
            }
            Ok(()) => Ok(()),
        }
    }

    /// Both stages; where they fail nothing but the workspace has changed.
    fn attempt<S: System + ?Sized>(
        &mut self,
        system: &S,
        (t, h): (f64, f64),
        report: &mut StepReport,
    ) -> Result<(), Stop> {
        let start = Start { t, h, q: &self.q, v: &self.v };
        let (at, n) = (&mut self.equations, self.q.len());
        let (acceleration, force) = self.memory.split_at(n);
        for (k, u) in at.u.iter_mut().enumerate() {
            *u = self.v[k] + 0.5 * h * acceleration[k];
        }
        for (lambda, force) in at.lambda.iter_mut().zip(force) {
            *lambda = h * force;
        }
        at.begin(system, start);
        let (mut iterations, mut correction, mut last) = (0, f64::INFINITY, f64::INFINITY);
        let residual = loop {
            at.evaluate(system, start);
            let mut merit = at.judge(start, self.tolerance)?;
            if merit.relative > STALLED && (merit.share <= 1.0 || merit.share > 0.25 * last) {
                merit = at.judge_beside(start, self.tolerance);
            }
            let stalled = merit.share > 0.25 * last && at.closed();
            let still = stalled && (merit.relative <= LOOSEST || correction <= STILL);
            if merit.share <= 1.0 || still {
                break merit.relative;
            }
            if iterations == MOST_ITERATIONS {
                return Err(Stop::Slow { residual: merit.relative, row: merit.row, correction });
            }
            last = merit.share;
            let (change, impulse) = match &mut self.solver {
                Solver::Full(dense) => dense.correct(system, start, at)?,
                Solver::Sparse(factors) => factors.correct(system, start, at)?,
            };
            iterations += 1;
            report.iterations += 1;
            correction = at.moved(h, change);
            at.u.iter_mut().zip(change).for_each(|(u, change)| *u += change);
            at.lambda.iter_mut().zip(impulse).for_each(|(lambda, change)| *lambda += change);
        };
        for (v1, (u, v)) in self.v1.iter_mut().zip(at.u.iter().zip(&self.v)) {
            *v1 = 2.0 * u - v;
        }
        let work = at.work();
        system.equalities().rate(t + h, &at.q1, &mut self.rate);
        let mut off = self.project(system, t + h)?;
        if off > STALLED {
            off = self.equations.rate_beside(&self.rate, &self.v1);
        }
        let at = &self.equations;
        // Of a system at rest the velocities are round-off of its places, and so is what is left of their rows.
        if max_abs(&self.v1) <= 16.0 * f64::EPSILON * max_abs(&at.q1) / h.abs() {
            off = 0.0;
        }
        if !(all_finite(&self.v1) && all_finite(&at.q1)) {
            return Err(Failure::NonFinite { what: "the state after the step" }.into());
        }
        // The power of −Gᵀμ is −μᵀG v = μᵀ∂g/∂t.
        self.work += work + dot(&self.taken, &self.rate);
        report.residual = report.residual.max(residual).max(off);
        for (row, sum) in self.impulse.iter_mut().enumerate() {
            *sum += self.taken[row] - at.lambda[row];
            self.memory[n + row] = at.lambda[row] / h;
        }
        for k in 0..n {
            self.memory[k] = (self.v1[k] - self.v[k]) / h;
        }
        self.q.copy_from_slice(&at.q1);
        self.v.copy_from_slice(&self.v1);
        Ok(())
    }
}

impl<S: System + ?Sized> Stepper<S> for Pem {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        self.q.copy_from_slice(&state.q);
        self.v.copy_from_slice(&state.p);
        self.inverse.solve(&mut self.v);
        self.impulse.fill(0.0);
        self.work = 0.0;
        self.kept.copy_from_slice(&self.memory);
        if let Err(failure) = self.advance(system, (state.t, h), 0, &mut report) {
            self.memory.copy_from_slice(&self.kept);
            return Err(StepError { t: state.t, h, failure });
        }
        state.t += h;
        state.q.copy_from_slice(&self.q);
        system.mass().times(&self.q, &self.v, &mut state.p);
        Ok(report)
    }

    fn impulses(&self) -> Impulses<'_> {
        Impulses { start: &[], inside: &self.impulse, end: &[], inside_work: self.work }
    }

    fn memory(&self) -> &[f64] {
        &self.memory
    }

    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        take_over(&mut self.memory, memory)
    }
}
