//! What is asked of the energy after an impact, and the momentum that answers it.
//!
//! The impulse that the law gives along the normals is scaled by `s`, close to 1, until
//! ```text
//! E_d(x, ·, τ_b) = E_d(q, x, τ_a) + W          [fetecau-2003 (48), (39)], W ≤ 0 the work of the law
//! ```
//! `E_d` is to leading order a parabola in `s`, whose larger root reflects and whose smaller one passes through. From `s = 1` the
//! secant method finds the first. There may be none: near grazing, or late in a chain of rebounds that restitution makes smaller. Then the law's own
//! momentum (`s = 1`) is taken, and counted.
//!
//! With a restitution below 1 the condition shifts the energy of a rebound by O(h²), whatever is left of it. Where that is more than
//! a hundredth of the rebound, the law's momentum is taken as well.

use super::Closing;
use super::leg::Place;
use super::step::Collision;
use crate::discrete::{Chord, Side};
use crate::error::Failure;
use crate::linear::dot;
use crate::steppers::Happening;
use crate::steppers::shared::contacts::ContactRows;
use crate::steppers::shared::scale::{self, Measure};
use crate::system::System;

/// The condition on the momentum of a leg.
#[derive(Debug, Clone, Default)]
pub struct Condition {
    /// Whether there is one.
    pub asked: bool,
    /// The energy to be met.
    pub target: f64,
    /// Momentum without the impulse along the normals.
    pub before: Vec<f64>,
    /// That impulse, as the law gives it.
    pub direction: Vec<f64>,
    /// `M⁻¹` times it.
    pub velocity: Vec<f64>,
    /// What the impulse is scaled by.
    pub scale: f64,
    /// What it would be scaled by for a leg of no length; not a number if the condition has no solution there.
    pub early: f64,
    /// Whether the law took energy.
    pub lossy: bool,
    /// Kinetic energy along the impulse after the impact.
    pub rebound: f64,
    /// Where the events of the impact begin among those of the step.
    pub events: usize,
    /// Whether the last solve found a root.
    pub met: bool,
}

impl Condition {
    /// For `n` coordinates.
    pub fn resize(&mut self, n: usize) {
        self.before.resize(n, 0.0);
        self.direction.resize(n, 0.0);
        self.velocity.resize(n, 0.0);
    }

    /// How much the scale may differ between lengths of the leg: twice what lies between none and the one that was tried last.
    pub fn spread(&self) -> f64 {
        let spread = 2.0 * (self.scale - self.early).abs();
        if spread.is_nan() { f64::INFINITY } else { spread }
    }

    /// `direction = Σ y_k G_k`.
    pub fn take_direction(&mut self, contacts: &ContactRows, impulses: &[f64], sign: f64) {
        self.direction.fill(0.0);
        for (place, impulse) in impulses.iter().enumerate() {
            contacts.g.add_row(place, sign * impulse, &mut self.direction);
        }
    }
}

impl Collision {
    /// Sets the momentum to `before + s·direction`.
    fn set_scale(&mut self, scale: f64) {
        let (leg, condition) = (&mut self.leg.at, &self.leg.condition);
        for ((p, before), direction) in leg.p.iter_mut().zip(&condition.before).zip(&condition.direction) {
            *p = before + scale * direction;
        }
    }

    /// Finds the momentum that meets the condition for a leg of length `tau`, and flies it.
    pub(super) fn close<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<(), Failure> {
        // The terms that the energy is summed from: it may be small itself.
        let potential = system.potential(self.leg.at.t, &self.leg.at.q);
        let size = potential.abs() + (self.leg.condition.target - potential).abs();
        let Condition { lossy, rebound, .. } = self.leg.condition;
        let found = scale::find(Measure { size, lossy, rebound }, |scale| {
            self.set_scale(scale);
            self.fly(system, tau)?;
            self.report.iterations += 1;
            let miss = self.closing_energy(system, tau) - self.leg.condition.target;
            Ok([miss, dot(&self.leg.condition.direction, &self.leg.chord)])
        })?;
        self.leg.condition.met = found.is_some();
        self.leg.condition.scale = found.unwrap_or(1.0);
        if found.is_none() {
            self.set_scale(1.0);
            self.fly(system, tau)?;
        }
        Ok(())
    }

    /// Where the energy of the whole step is asked for, the momentum is found once: for a leg to the end of the step.
    pub(super) fn close_step<S: System + ?Sized>(&mut self, system: &S, rest: f64) -> Result<(), Failure> {
        let Closing::Shadow(rule) = self.options.closing else { return Ok(()) };
        if self.leg.condition.asked && rest > 0.0 {
            let before = self.shadow.energy(system, &self.inverse, (rule, self.grid[1]), &self.origin);
            self.leg.condition.target = before + self.report.impact_work + self.friction_work;
            self.close(system, rest)?;
            self.book_condition();
            self.leg.condition.asked = false;
            self.set_off(system, Place::Same)?;
        }
        Ok(())
    }

    /// The energy that the condition is about, for the leg that was flown last.
    fn closing_energy<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> f64 {
        match self.options.closing {
            Closing::Law | Closing::Discrete => self.discrete_energy(system, tau, Side::Start),
            Closing::Shadow(rule) => {
                self.complete(system, tau);
                self.shadow.energy(system, &self.inverse, (rule, self.grid[1]), &self.leg.end)
            }
        }
    }

    /// Takes the law's momentum instead of one that meets the condition, for this leg whatever its length.
    pub(super) fn fall_back(&mut self) {
        (self.leg.condition.met, self.leg.condition.scale) = (false, 1.0);
        self.set_scale(1.0);
        self.leg.placed = None;
        self.book_condition();
    }

    /// Notes how the condition was met in the events of the impact.
    pub(super) fn book_condition(&mut self) {
        let condition = &mut self.leg.condition;
        for event in self.events[condition.events..].iter_mut().filter(|event| event.what != Happening::Kept) {
            // Scaled once: a condition is booked where the leg has its final length.
            self.contact_impulse.add(event.contact, (condition.scale - 1.0) * event.impulse);
            event.impulse *= condition.scale;
            if !condition.met {
                event.what = Happening::Fallback;
            }
        }
        if !condition.met {
            self.report.fallbacks += 1;
        }
        condition.asked = false;
    }

    /// `E_d` of the leg that was flown last.
    pub(super) fn discrete_energy<S: System + ?Sized>(&mut self, system: &S, tau: f64, side: Side) -> f64 {
        let leg = &mut self.leg;
        let chord = Chord { t0: leg.at.t, h: tau * self.grid[1].signum(), q0: &leg.at.q, v: &leg.chord };
        leg.rule.energy(system, chord, side)
    }
}
