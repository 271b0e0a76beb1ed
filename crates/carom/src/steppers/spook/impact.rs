//! The impact before a step [(71), corrected]: contacts that are closed and approached, all joints with them.

use carom_lcp::problem::Room;
use carom_lcp::{BlockPivot, SaddleMlcp, Solver as _};

use super::options::Config;
use super::rows::{At, Contact, Rows};
use super::solve::{limits, worst_row};
use crate::error::{Failure, Unsolved};
use crate::linear::dot;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::system::System;

// Notation
//   v⁻, v⁺   velocities before and after
//   Ψ        coefficients of restitution
//   ν        impulses of the contacts
//
//   M v⁺ − Gᵀλ − Nᵀν = M v⁻,   G v⁺ + T_G λ = −G v⁻,   N v⁺ + ΨN v⁻ + T_N ν ≥ 0  ⊥  ν ≥ 0
//
// 2(K⁺ − K⁻) = −λᵀT_G λ + νᵀ(I − Ψ)N v⁻ − νᵀT_N ν: no energy comes in as long as N v⁻ ≤ 0. Differs from [(71)]: +G v⁻ as printed lets
// energy in, and contacts that separate must be left out.

/// An approach slower than this part of the speed that forces give in a step is rest.
const REST: f64 = 1e-6;

/// The impact before a step.
pub struct Impact {
    rows: Rows,
    pivot: BlockPivot,
    mixed: SaddleMlcp,
    room: Room,
    /// Impulses of joints and contacts.
    z: Vec<f64>,
    before: Vec<f64>,
    row: Vec<f64>,
    push: Vec<f64>,
    /// Whether there was one.
    pub happened: bool,
    /// Contacts with an impulse.
    pub count: u32,
    /// Energy that it took, as a negative number.
    pub work: f64,
    /// What the velocities changed by.
    pub change: Vec<f64>,
    /// Factorisations.
    pub iterations: u32,
    /// Relative residual.
    pub residual: f64,
}

impl Impact {
    /// For a system.
    pub fn new<S: System + ?Sized>(config: &Config, system: &S, start: &State) -> Result<Self, Failure> {
        let n = system.dim();
        Ok(Self {
            rows: Rows::new(&Config { stiffness: Default::default(), ..config.clone() }, system, start)?,
            pivot: BlockPivot::default(),
            mixed: SaddleMlcp { saddle: Default::default(), lower: Vec::new(), upper: Vec::new() },
            room: Room::default(),
            z: Vec::new(),
            before: vec![0.0; n],
            row: vec![0.0; n],
            push: vec![0.0; n],
            happened: false,
            count: 0,
            work: 0.0,
            change: vec![0.0; n],
            iterations: 0,
            residual: 0.0,
        })
    }

    /// Impulses of the equalities and contacts of the impact, if there was one.
    pub fn impulses(&self) -> (&[f64], impl Iterator<Item = (usize, f64)> + '_) {
        let (m, joints) = (self.rows.f.len(), self.rows.joints());
        let count = if self.happened { self.rows.contacts.len() } else { 0 };
        let equalities = if self.happened { &self.z[..m] } else { &[] };
        (equalities, (0..count).map(move |place| (self.rows.contacts[place].index, self.z[joints + place])))
    }

    /// Lets the closed contacts that are approached have their impact; `p` and `v` become those after it.
    pub fn strike<S: System + ?Sized>(
        &mut self,
        config: &Config,
        system: &S,
        (state, h): (&State, f64),
        (closed, force, inverse): (&[Contact], &[f64], &InverseMass),
        [p, v]: [&mut [f64]; 2],
    ) -> Result<(), Failure> {
        (self.happened, self.count, self.work) = (false, 0, 0.0);
        (self.iterations, self.residual) = (0, 0.0);
        self.rows.contacts.clear();
        if !config.impact || closed.is_empty() {
            return Ok(());
        }
        self.push.copy_from_slice(force);
        inverse.solve(&mut self.push);
        for contact in closed.iter().filter(|contact| contact.gap <= 0.0) {
            system.gap_gradient(&state.q, contact.index, &mut self.row);
            let (speed, rest) = (dot(&self.row, v), REST * h * dot(&self.row, &self.push).abs());
            if speed <= rest {
                self.rows.contacts.push(*contact);
                self.happened |= speed < -(config.threshold + rest);
            }
        }
        if !self.happened {
            return Ok(());
        }
        self.rows.dimension = 1;
        self.rows.make(config, system, &At { state, v, h, centred: false }, &[])?;
        self.sides(config, system, v)?;
        self.rows.set_momentum(p, force, 0.0);
        self.solve(system)?;
        self.before.copy_from_slice(v);
        self.rows.momentum_after(&self.z, p);
        v.copy_from_slice(p);
        inverse.solve(v);
        for (change, (after, before)) in self.change.iter_mut().zip(v.iter().zip(&self.before)) {
            *change = after - before;
        }
        // K⁺ − K⁻ = ½(v⁺ + v⁻)·M(v⁺ − v⁻), row by row.
        self.work = (0..self.z.len())
            .map(|row| 0.5 * self.z[row] * (self.rows.speed(row, v) + self.rows.speed(row, &self.before)))
            .sum();
        self.count = self.z[self.rows.joints()..].iter().filter(|impulse| **impulse > 0.0).count() as u32;
        Ok(())
    }

    /// T and right-hand sides of the impact in the place of those of a step.
    fn sides<S: System + ?Sized>(&mut self, config: &Config, system: &S, v: &[f64]) -> Result<(), Failure> {
        let form = |wrong: carom_lcp::matrix::Misshapen| Failure::Form { reason: wrong.to_string() };
        let joints = self.rows.joints();
        let rows = &mut self.rows;
        let [m, s, _] = rows.counts();
        rows.saddle.t.fill(0.0);
        rows.saddle.renew().map_err(form)?;
        for row in 0..rows.saddle.q.len() {
            let speed = rows.speed(row, v);
            rows.saddle.t[row] = config.impact_regularisation * rows.saddle.diagonal(row);
            rows.saddle.q[row] = if row < m {
                // Joints that move keep their own speed −∂g/∂t.
                speed + 2.0 * rows.rates().get(row).copied().unwrap_or(0.0)
            } else if row < joints {
                // q of the step is −a(t) there.
                speed + 2.0 * rows.saddle.q[row]
            } else {
                let contact = rows.contacts[row - joints].index;
                let restitution = config.restitution.unwrap_or_else(|| system.restitution(contact));
                if speed < -config.threshold { restitution * speed } else { 0.0 }
            };
            if (m + s..joints).contains(&row) {
                // Motors have no impulses that are not those of a step.
                (rows.lower[row], rows.upper[row]) =
                    match rows.lower[row].is_finite() || rows.upper[row].is_finite() {
                        true => (0.0, 0.0),
                        false => (f64::NEG_INFINITY, f64::INFINITY),
                    };
            }
        }
        rows.saddle.renew().map_err(form)
    }

    fn solve<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        let joints = self.rows.joints();
        let rows = &mut self.rows;
        self.z.clear();
        self.z.resize(rows.saddle.q.len(), 0.0);
        // Contacts that are approached mostly have an impulse: all are tried first.
        self.z[joints..].fill(1.0);
        rows.lend(&mut self.mixed);
        let at_zero = self.mixed.at_zero(&mut self.room);
        let Some(limits) = limits(1e-8, at_zero, &self.mixed.saddle.p) else {
            rows.lend(&mut self.mixed);
            self.z.fill(0.0);
            return Ok(());
        };
        let answer = self.pivot.solve(&self.mixed, &mut self.z, &limits);
        let worst = if answer.is_err() { worst_row(&self.mixed, &self.z) } else { 0 };
        rows.lend(&mut self.mixed);
        match answer {
            Ok(solved) => {
                (self.iterations, self.residual) = (solved.iterations as u32, solved.residual.relative);
                Ok(())
            }
            Err(unsolved) => Err(Failure::Unsolved(Box::new(Unsolved {
                stage: "impact",
                solver: "block-pivot",
                rows: self.z.len(),
                reason: unsolved.failure.to_string(),
                iterations: unsolved.iterations,
                residual: unsolved.residual.relative,
                tolerance: limits.tolerance,
                row: rows.name(system, worst),
            }))),
        }
    }
}
