//! The equations of the first stage at an iterate, with the sizes of their terms.
//!
//! Notation: `u` the mean velocity of the step, `λ` impulses, `Ḡ` discrete gradients of the constraints, `G1` their gradients at the end.

use crate::discrete::NOISE;
use crate::error::{Failure, Row};
use crate::linear::{matrix_times, max_abs};
use crate::state::all_finite;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::newton::FLOOR;
use crate::steppers::shared::rows::{RowShape, relative};
use crate::steppers::shared::spread::Spread;
use crate::system::{Mass, Segment, System};

/// Relative residual of the momentum balance per unit of the tolerance.
const BALANCE: f64 = 0.1;

/// Where a step starts, and how long it is.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub t: f64,
    pub h: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
}

/// How far an iterate is from a solution.
#[derive(Debug, Clone, Copy)]
pub(super) struct Merit {
    /// Largest part of what is allowed; at most 1 if the iterate is accepted.
    pub share: f64,
    /// Largest residual relative to its terms.
    pub relative: f64,
    /// The row that `share` is from: a coordinate, or behind all of them a constraint.
    pub row: usize,
}

/// The iterate and its equations.
#[derive(Debug, Clone)]
pub(super) struct Equations {
    pub shape: RowShape,
    pub u: Vec<f64>,
    pub lambda: Vec<f64>,
    pub q1: Vec<f64>,
    pub middle: Vec<f64>,
    /// `2M(u − v0) + h dV − h f_NP − Ḡᵀλ`.
    pub balance: Vec<f64>,
    /// `g(q1, t1)`.
    pub f1: Vec<f64>,
    pub g1: Vec<f64>,
    /// `Ḡ`.
    pub mean: Vec<f64>,
    /// Diagonal of `M`.
    diagonal: Vec<f64>,
    force: Vec<f64>,
    extra: Vec<f64>,
    /// Sizes of the terms of `balance`, and of what round-off spills into it from elsewhere: the momentum of a coordinate at the speed of the
    /// fastest one, and the impulses of rows that have it.
    sizes: Vec<f64>,
    spilled: Vec<f64>,
    scale: Vec<f64>,
    spread: Spread,
    /// Round-off of computing the rows at the start, in units of ε.
    rounding: Vec<f64>,
    /// Values at the ends and half way, all at the time in the middle.
    values: [Vec<f64>; 3],
    moving: bool,
}

impl Equations {
    pub fn new<S: System + ?Sized>(system: &S, inverse: &InverseMass) -> Self {
        let (n, m) = (system.dim(), system.equalities().count());
        let (vector, row) = (|| vec![0.0; n], || vec![0.0; m]);
        let shape = RowShape::of(system, inverse);
        let entries = || vec![0.0; shape.entries()];
        Self {
            u: vector(),
            lambda: row(),
            q1: vector(),
            middle: vector(),
            balance: vector(),
            f1: row(),
            g1: entries(),
            mean: entries(),
            diagonal: inverse.diagonal.clone(),
            force: vector(),
            extra: vector(),
            sizes: vector(),
            spilled: vector(),
            scale: row(),
            spread: Spread::new(n, m),
            rounding: row(),
            values: [row(), row(), row()],
            moving: system.time_dependence().equalities,
            shape,
        }
    }

    /// What of the equations stays the same in all iterations.
    pub fn begin<S: System + ?Sized>(&mut self, system: &S, start: Start) {
        system.equalities().values(start.t + 0.5 * start.h, start.q, &mut self.values[0]);
        // Where coordinates hardly move off zero, a difference of values is nothing but this.
        system.equalities().rounding(start.t, start.q, &mut self.rounding);
    }

    /// Everything at the iterate `(u, λ)`.
    pub fn evaluate<S: System + ?Sized>(&mut self, system: &S, start: Start) {
        let Start { t, h, q, v } = start;
        let half = t + 0.5 * h;
        for (k, u) in self.u.iter().enumerate() {
            (self.q1[k], self.middle[k]) = (q[k] + h * u, q[k] + 0.5 * h * u);
        }
        self.shape.evaluate(system, t + h, &self.q1, [&mut self.f1, &mut self.g1]);
        self.mean_rows(system, half, q);
        let segment = Segment { t: half, start: q, end: &self.q1, middle: &self.middle };
        system.potential_discrete_gradient(&segment, &mut self.force);
        for (k, size) in self.sizes.iter_mut().enumerate() {
            *size = 2.0 * self.diagonal[k] * (self.u[k].abs() + v[k].abs()) + (h * self.force[k]).abs();
        }
        if let Some(forces) = system.forces() {
            forces.force(half, &self.middle, &self.u, &mut self.extra);
            for k in 0..self.extra.len() {
                self.sizes[k] += (h * self.extra[k]).abs();
                self.force[k] -= self.extra[k];
            }
        }
        for (k, change) in self.extra.iter_mut().enumerate() {
            *change = 2.0 * (self.u[k] - v[k]);
        }
        match system.mass() {
            Mass::Constant(m) => matrix_times(m, &self.extra, &mut self.balance),
            _ => self.balance.iter_mut().enumerate().for_each(|(k, out)| *out = self.diagonal[k] * self.extra[k]),
        }
        for (balance, force) in self.balance.iter_mut().zip(&self.force) {
            *balance += h * force;
        }
        let speed = max_abs(&self.u);
        for (spilled, mass) in self.spilled.iter_mut().zip(&self.diagonal) {
            *spilled = 2.0 * mass * speed;
        }
        for (row, lambda) in self.lambda.iter().enumerate() {
            let (balance, sizes, spilled) = (&mut self.balance, &mut self.sizes, &mut self.spilled);
            let mut largest = 0.0_f64;
            self.shape.each_entry(row, &self.mean, |k, g| {
                balance[k] -= g * lambda;
                sizes[k] += (g * lambda).abs();
                largest = largest.max((g * lambda).abs());
            });
            self.shape.each_entry(row, &self.mean, |k, g| spilled[k] += if g == 0.0 { 0.0 } else { largest });
        }
    }

    /// `Ḡ`: the system's own, or the gradients half way with the correction of Gonzalez, each along the columns of its row alone and in
    /// the metric of the mass.
    fn mean_rows<S: System + ?Sized>(&mut self, system: &S, half: f64, q: &[f64]) {
        let (shape, mean, diagonal) = (&self.shape, &mut self.mean, &self.diagonal);
        let (q1, middle) = (&self.q1, &self.middle);
        let segment = Segment { t: half, start: q, end: q1, middle };
        let sparse = system.equalities().sparse().filter(|_| shape.pattern().is_some());
        if self.f1.is_empty() || sparse.is_some_and(|rows| rows.discrete_entries(&segment, mean)) {
            return;
        }
        let [before, after, between] = &mut self.values;
        if self.moving {
            system.equalities().values(half, q1, after);
        } else {
            after.copy_from_slice(&self.f1);
        }
        shape.evaluate(system, half, middle, [between, mean]);
        for row in 0..self.f1.len() {
            let (mut along, mut length) = (0.0, 0.0);
            let mut size = before[row].abs() + after[row].abs() + self.rounding[row];
            shape.each_entry(row, mean, |k, g| {
                if g != 0.0 {
                    let way = q1[k] - q[k];
                    along += g * way;
                    length += diagonal[k] * way * way;
                    // Values are rounded with their coordinates.
                    size += (g * q1[k]).abs();
                }
            });
            let defect = after[row] - before[row] - along;
            if defect.abs() > NOISE * size && length > 0.0 {
                shape.each_entry_mut(row, mean, |k, g| {
                    if *g != 0.0 {
                        *g += defect / length * (diagonal[k] * (q1[k] - q[k]));
                    }
                });
            }
        }
    }

    /// How far the iterate is from a solution; an error where it is not finite.
    pub fn judge(&mut self, start: Start, tolerance: f64) -> Result<Merit, Failure> {
        if !(all_finite(&self.balance) && all_finite(&self.f1) && all_finite(&self.g1)) {
            return Err(Failure::NonFinite { what: "an equation of the step" });
        }
        for (k, scale) in self.extra.iter_mut().enumerate() {
            *scale = self.q1[k].abs() + (start.h * self.u[k]).abs();
        }
        self.shape.sizes(&self.g1, &self.extra, &self.f1, &mut self.scale);
        Ok(self.merit(tolerance))
    }

    /// The same where the terms of the step and the sizes of all rows count: what the terms would carry a coordinate by may be far more than
    /// the way that is left of them.
    #[cold]
    pub fn judge_beside(&mut self, start: Start, tolerance: f64) -> Merit {
        for (k, scale) in self.extra.iter_mut().enumerate() {
            *scale = self.q1[k].abs() + 0.5 * start.h.abs() * self.sizes[k] / self.diagonal[k];
        }
        self.shape.sizes(&self.g1, &self.extra, &self.f1, &mut self.scale);
        self.scale.iter_mut().zip(&self.rounding).for_each(|(scale, rounding)| *scale += rounding);
        self.spread.measure(&self.shape, &self.g1, &self.diagonal, &self.scale);
        self.spread.widen(&self.f1, &mut self.scale);
        self.merit(tolerance)
    }

    fn merit(&self, tolerance: f64) -> Merit {
        let n = self.balance.len();
        let mut merit = Merit { share: 0.0, relative: 0.0, row: 0 };
        let mut note = |share: f64, relative: f64, row: usize| {
            if share > merit.share {
                (merit.share, merit.row) = (share, row);
            }
            merit.relative = merit.relative.max(relative);
        };
        for (k, balance) in self.balance.iter().enumerate() {
            if *balance != 0.0 {
                let whole = self.sizes[k] + self.spilled[k];
                let allowed = BALANCE * tolerance * self.sizes[k] + FLOOR * whole;
                note(balance.abs() / allowed, balance.abs() / whole, k);
            }
        }
        for (row, (f, size)) in self.f1.iter().zip(&self.scale).enumerate() {
            if *f != 0.0 {
                note(f.abs() / tolerance.max(f64::EPSILON * size), relative(*f, *size), n + row);
            }
        }
        merit
    }

    /// Largest rate `G v + rate` of a constraint at the end, relative to its terms or, where these vanish, to those of the rows beside it.
    #[cold]
    pub fn rate_beside(&mut self, rate: &[f64], v: &[f64]) -> f64 {
        let rates = &mut self.values[2];
        for (row, (value, size)) in rates.iter_mut().zip(&mut self.scale).enumerate() {
            let start = (rate[row], rate[row].abs());
            let add = |(sum, size): (f64, f64), g: f64, v: f64| (sum + g * v, size + (g * v).abs());
            (*value, *size) = self.shape.fold_row(row, &self.g1, v, start, add);
        }
        self.spread.measure(&self.shape, &self.g1, &self.diagonal, &self.scale);
        self.spread.violation(rates, &self.scale)
    }

    /// Whether every constraint is as close to zero as round-off and the coordinates let it be.
    pub fn closed(&self) -> bool {
        self.f1.iter().zip(&self.scale).all(|(f, size)| f.abs() <= FLOOR * size)
    }

    /// Largest change of a coordinate by the correction `change` of `u`, relative to where it is.
    pub fn moved(&self, h: f64, change: &[f64]) -> f64 {
        let mut worst = 0.0_f64;
        for (k, change) in change.iter().enumerate() {
            let change = (h * change).abs();
            if change > 0.0 {
                worst = worst.max(change / (self.q1[k].abs() + (h * self.u[k]).abs()));
            }
        }
        worst
    }

    /// Work of the impulses `λ` along the step.
    pub fn work(&self) -> f64 {
        if !self.moving {
            return 0.0;
        }
        let along = |row: usize| self.shape.fold_row(row, &self.mean, &self.u, 0.0, |sum, g, u| sum + g * u);
        self.lambda.iter().enumerate().fold(0.0, |sum, (row, lambda)| sum + lambda * along(row))
    }

    /// The row of a [`Merit`], by name.
    pub fn row<S: System + ?Sized>(&self, system: &S, row: usize) -> Row {
        match row.checked_sub(self.balance.len()) {
            None => Row::coordinate(system, row),
            Some(row) => Row::equality(system, row),
        }
    }
}
