//! Contacts that come to rest, and friction of those that rest.

use super::step::Collision;
use super::{BRIEF, ZENO};
use crate::error::Failure;
use crate::impact::MOST_DENSE;
use crate::steppers::shared::cluster::RAISED;
use crate::steppers::shared::held::{Quest, Stride};
use crate::steppers::{Event, Happening, StepReport};
use crate::system::System;

/// Solves with a raised diagonal: each is worth eight digits.
const CORRECTIONS: u32 = 2;
/// Turns in which friction and normal impulses are found, and the change of friction, relative to itself, at which they agree.
const ROUNDS: u32 = 20;
const AGREED: f64 = 1e-12;

impl Collision {
    /// Brings contacts to rest whose rebounds would be over at once: with restitution `e < 1`, speed `u` and acceleration `a` into the
    /// contact they take `2u/(a(1 − e))` in all. Returns how many of those that were hit; their events stand behind those of the impact.
    pub(super) fn settle(&mut self, before: usize) -> usize {
        let h = self.grid[1];
        let contacts = &self.contacts;
        let p = &self.leg.at.p;
        // Those that are slow by the largest force that may press them.
        self.places.clear();
        for place in 0..contacts.members.len() {
            let (speed, e) = (contacts.speed(place, p), contacts.restitution[place]);
            let entries = contacts.g.row(place);
            let force = entries.fold(0.0, |sum, (column, g)| sum + (g * self.scales.push[column]).abs());
            if self.slowest(place, e, force).is_some_and(|slowest| speed <= slowest) {
                self.places.push(place);
            }
        }
        // What presses them, the others being held: W y = push of those that are pressed.
        let count = self.places.len();
        self.press.load([&contacts.y, &contacts.g], &self.places, 0.0);
        self.press.c.iter_mut().zip(&self.places).for_each(|(c, &place)| *c = -contacts.push[place]);
        self.press.solve();
        let mut kept = 0;
        for a in 0..count {
            let place = self.places[a];
            let push = contacts.product([place; 2]) * self.press.y[a];
            let (e, speed) = (contacts.restitution[place], contacts.speed(place, p));
            let pressed = push > 0.0 && self.slowest(place, e, push).is_some_and(|slowest| speed <= slowest);
            if pressed {
                self.places[kept] = place;
                kept += 1;
            }
        }
        self.places.truncate(kept);
        if kept == 0 {
            return 0;
        }
        self.stop(before, h)
    }

    /// The speed up to which a contact comes to rest, by the speed that the forces give it in a step. Rebounds that are no higher than the round-off
    /// of the gap would never become smaller: `½u²/a` is compared with it too.
    fn slowest(&self, place: usize, restitution: f64, push: f64) -> Option<f64> {
        let contacts = &self.contacts;
        let share = if restitution < 1.0 {
            ZENO * (1.0 - restitution)
        } else if self.options.capture {
            BRIEF
        } else {
            return None;
        };
        let lowest = (8.0 * contacts.gap_noise[place] * push.max(0.0) / self.grid[1].abs()).sqrt();
        Some((0.5 * share * push).max(lowest) + contacts.speed_tolerance[place])
    }

    /// `W y = −u` of the chosen contacts. Rows may depend on each other, so that only `Gᵀy` is determined: the diagonal is raised, which keeps
    /// impulses small that cancel each other, and what that leaves is corrected.
    fn find_stop(&mut self) {
        let (contacts, count, p) = (&self.contacts, self.places.len(), &self.leg.at.p);
        let many = count > MOST_DENSE;
        self.press.load([&contacts.y, &contacts.g], &self.places, if many { RAISED } else { 0.0 });
        let (factors, y, left) = (&mut self.friction.factors, &mut self.friction.y, &mut self.left);
        y.clear();
        y.resize(count, 0.0);
        if !many {
            factors.resize(count);
            for (a, &i) in self.places.iter().enumerate() {
                for (b, &j) in self.places.iter().enumerate() {
                    factors.matrix[a * count + b] = contacts.product([i, j]);
                }
                factors.matrix[a * (count + 1)] *= 1.0 + RAISED;
            }
            if factors.factor().is_err() {
                return;
            }
        }
        for _ in 0..CORRECTIONS {
            self.press.times(y, left);
            for (a, &i) in self.places.iter().enumerate() {
                let raise = if many { RAISED / (1.0 + RAISED) * self.press.diagonal(a) * y[a] } else { 0.0 };
                left[a] = -contacts.speed(i, p) - (left[a] - raise);
            }
            if many {
                self.press.c.iter_mut().zip(&*left).for_each(|(c, left)| *c = -left);
                if self.press.solve_free().is_none() {
                    return;
                }
                left.copy_from_slice(&self.press.y);
            } else {
                factors.solve(left);
            }
            y.iter_mut().zip(&*left).for_each(|(y, left)| *y += left);
        }
    }

    /// Takes what is left of the speed of the chosen contacts: `W y = −u`. Returns how many of them were hit.
    fn stop(&mut self, before: usize, h: f64) -> usize {
        let m = self.start_impulse.len();
        self.find_stop();
        let (contacts, p) = (&self.contacts, &mut self.leg.at.p);
        let (t, alpha, impacts) = (self.leg.at.t, (self.leg.at.t - self.grid[0]) / h, self.events.len());
        for (&place, &impulse) in self.places.iter().zip(&self.friction.y) {
            let speed = contacts.speed(place, p);
            let contact = contacts.members[place];
            // Σ y(u + ½W y) with W y = −u.
            let work = 0.5 * impulse * speed;
            let hit = self.events[before..impacts].iter().any(|event| event.contact == contact);
            let (friction, impact) = ([f64::NAN; 2], self.impact_states.len() - 1);
            let what = if hit { Happening::Rest } else { Happening::Kept };
            let event = Event { t, alpha, contact, what, speed, impulse, friction, work, impact };
            if let Some(drift) = contacts.drift.get(place) {
                self.report.surface_work -= drift * impulse;
            }
            // Those that rested before are none of what the impact did, but their impulses are among its impulses.
            if hit {
                self.events.push(event);
            } else if impulse != 0.0 {
                self.kept.push(event);
            }
            self.contact_impulse.add(contact, impulse * h.signum());
            let nu = &contacts.nu[place * m..(place + 1) * m];
            self.start_impulse.iter_mut().zip(nu).for_each(|(sum, nu)| *sum += h.signum() * impulse * nu);
        }
        for (&place, impulse) in self.places.iter().zip(&self.friction.y) {
            contacts.g.add_row(place, *impulse, p);
        }
        self.events.len() - impacts
    }

    /// A leg with contacts that rest. Friction acts at its start and at its end, as forces do in Verlet's step: a contact that sticks stays where
    /// it is, and sliding is of second order. Where steps of Verlet are not explicit, half of it acts at either end, found in turns with the
    /// normal impulses until they agree.
    pub(super) fn fly_held<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<StepReport, Failure> {
        let coefficient = self.options.friction;
        if self.friction.is_rough(system, &self.resting, coefficient) {
            let stride = Stride { state: &self.leg.at, h: tau };
            let quest = Quest { stride, contacts: &self.contacts, candidates: &self.places };
            if let Some(report) = self.holder.step_with_friction(system, quest, coefficient) {
                self.leg.end.copy_from(&self.holder.end);
                self.rubbed = true;
                return report;
            }
        }
        let mut report = self.hold_on(system, tau, false)?;
        self.friction.start(&self.holder.held);
        let rough = self.friction.is_rough(system, &self.holder.held, coefficient);
        let (rounds, mut changed) = (if rough { ROUNDS } else { 0 }, 0.0);
        for _ in 0..rounds {
            // What stops the sliding at the end, or what the normal impulses allow of it.
            self.prepare_friction(system, true)?;
            self.leg.rubbed.copy_from(&self.leg.end);
            self.friction.slide(&mut self.leg.rubbed.p);
            self.prepare_friction(system, false)?;
            self.leg.rubbed.copy_from(&self.leg.at);
            changed = self.friction.act_by_half(&mut self.leg.rubbed.p);
            let again = self.hold_on(system, tau, true)?;
            report.iterations += again.iterations;
            report.residual = report.residual.max(again.residual);
            if changed <= AGREED {
                break;
            }
            self.friction.go_on(&self.holder.held);
        }
        report.residual = report.residual.max(changed);
        Ok(report)
    }

    /// The step with contacts that push, from the start of the leg or from what friction made of it.
    fn hold_on<S: System + ?Sized>(&mut self, system: &S, tau: f64, rubbed: bool) -> Result<StepReport, Failure> {
        let state = if rubbed { &self.leg.rubbed } else { &self.leg.at };
        let quest = Quest { stride: Stride { state, h: tau }, contacts: &self.contacts, candidates: &self.places };
        let report = self.holder.step(system, quest, (&self.places, &[]))?;
        self.leg.end.copy_from(&self.holder.end);
        let (own, holder) = (system.equalities().count(), &self.holder);
        let impulses = holder.start_impulse[own..].iter().zip(&holder.end_impulse[own..]);
        self.friction.normal.clear();
        self.friction.normal.extend(impulses.map(|(start, end)| (start + end).abs()));
        Ok(report)
    }

    /// Directions of sliding of the held contacts at an end of the leg.
    fn prepare_friction<S: System + ?Sized>(&mut self, system: &S, at_end: bool) -> Result<(), Failure> {
        let state = if at_end { &self.leg.end } else { &self.leg.at };
        self.inverse.prepare(system, &state.q)?;
        if let Some(rows) = &mut self.rows {
            rows.prepare(system, &self.inverse, state.t, &state.q)?;
        }
        let given = (&self.inverse, self.rows.as_ref());
        self.friction.prepare(system, state, &self.holder.held, given, self.options.friction);
        self.friction.free_of_normals(system, state, &self.holder.held, given)
    }

    /// The rest of the friction of the contacts that were held on the leg.
    pub(super) fn rub<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        if self.rubbed {
            self.rubbed = false;
            self.friction_work += self.holder.friction_work();
        } else if self.friction.is_rough(system, &self.holder.held, self.options.friction) {
            self.prepare_friction(system, true)?;
            self.friction_work += self.friction.finish(&self.holder.held, &mut self.leg.end.p);
        }
        Ok(())
    }
}
