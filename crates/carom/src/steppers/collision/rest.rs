//! Contacts that come to rest, and friction of those that rest.

use super::step::Collision;
use super::{BRIEF, ZENO};
use crate::error::{Failure, Row};
use crate::linear::dot;
use crate::steppers::{Event, Happening};
use crate::system::System;

impl Collision {
    /// Brings contacts to rest whose rebounds would be over at once: with restitution `e < 1`, speed `u` and acceleration `a` into the
    /// contact they take `2u/(a(1 − e))` in all. Returns how many of those that were hit; their events stand behind those of the impact.
    pub(super) fn settle<S: System + ?Sized>(&mut self, system: &S, before: usize) -> Result<usize, Failure> {
        let (n, h) = (self.leg.at.q.len(), self.grid[1]);
        let contacts = &self.contacts;
        let p = &self.leg.at.p;
        // Those that are slow by the largest force that may press them.
        self.places.clear();
        for place in 0..contacts.members.len() {
            let (speed, e) = (contacts.speed(place, p), contacts.restitution[place]);
            let range = place * n..(place + 1) * n;
            let force =
                contacts.g[range].iter().zip(&self.scales.push).fold(0.0, |sum, (g, a)| sum + (g * a).abs());
            if self.slowness(e).is_some_and(|slow| speed <= slow * force + contacts.speed_tolerance[place]) {
                self.places.push(place);
            }
        }
        // What presses them, the others being held: W y = push of those that are pressed.
        let count = self.places.len();
        self.press.resize(count);
        for (a, &i) in self.places.iter().enumerate() {
            for (b, &j) in self.places.iter().enumerate() {
                self.press.w[a * count + b] = dot(&contacts.y[i * n..(i + 1) * n], &contacts.g[j * n..(j + 1) * n]);
            }
            self.press.c[a] = -contacts.push[i];
        }
        self.press.solve();
        let mut kept = 0;
        for a in 0..count {
            let place = self.places[a];
            let push = self.press.w[a * count + a] * self.press.y[a];
            let slow = self.slowness(contacts.restitution[place]).unwrap_or(0.0);
            if push > 0.0 && contacts.speed(place, p) <= slow * push + contacts.speed_tolerance[place] {
                self.places[kept] = place;
                kept += 1;
            }
        }
        self.places.truncate(kept);
        if kept == 0 {
            return Ok(0);
        }
        self.stop(system, before, h)
    }

    /// Which share of the speed that the forces give in a step is slow.
    fn slowness(&self, restitution: f64) -> Option<f64> {
        if restitution < 1.0 {
            Some(0.5 * ZENO * (1.0 - restitution))
        } else {
            self.options.capture.then_some(0.5 * BRIEF)
        }
    }

    /// Takes what is left of the speed of the chosen contacts: `W y = −u`. Their rows are independent: of dependent ones the
    /// programme above presses some only. Returns how many were hit.
    fn stop<S: System + ?Sized>(&mut self, system: &S, before: usize, h: f64) -> Result<usize, Failure> {
        let (n, m, count) = (self.leg.at.q.len(), self.start_impulse.len(), self.places.len());
        let contacts = &self.contacts;
        let (p, factors) = (&mut self.leg.at.p, &mut self.friction.factors);
        factors.resize(count);
        self.friction.y.resize(count, 0.0);
        for (a, &i) in self.places.iter().enumerate() {
            for (b, &j) in self.places.iter().enumerate() {
                factors.matrix[a * count + b] =
                    dot(&contacts.y[i * n..(i + 1) * n], &contacts.g[j * n..(j + 1) * n]);
            }
            self.friction.y[a] = -contacts.speed(i, p);
        }
        factors.factor().map_err(|breakdown| {
            let contact = contacts.members[self.places[breakdown.index]];
            Failure::Redundant { row: Row::contact(system, contact), pivot: breakdown.pivot }
        })?;
        factors.solve(&mut self.friction.y[..count]);
        let (t, alpha, impacts) = (self.leg.at.t, (self.leg.at.t - self.grid[0]) / h, self.events.len());
        for (&place, &impulse) in self.places.iter().zip(&self.friction.y) {
            let speed = contacts.speed(place, p);
            let contact = contacts.members[place];
            // ½u² over the inertia of the contact, as if it were alone: exact for one.
            let work = -0.5 * speed * speed / contacts.inertia(place, n);
            // Those that rested before are none of the events.
            if self.events[before..impacts].iter().any(|event| event.contact == contact) {
                self.events.push(Event { t, alpha, contact, what: Happening::Rest, speed, impulse, work });
            }
            self.contact_impulse[contact] += impulse * h.signum();
            let nu = &contacts.nu[place * m..(place + 1) * m];
            self.start_impulse.iter_mut().zip(nu).for_each(|(sum, nu)| *sum += h.signum() * impulse * nu);
        }
        for (&place, impulse) in self.places.iter().zip(&self.friction.y) {
            let g = &contacts.g[place * n..(place + 1) * n];
            p.iter_mut().zip(g).for_each(|(p, g)| *p += impulse * g);
        }
        Ok(self.events.len() - impacts)
    }

    /// Friction of the contacts that were held on the leg: at its end, bounded by what held them.
    pub(super) fn rub<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        let held = &self.holder.held;
        let own = system.equalities();
        self.friction.normal.clear();
        let impulses = (&self.holder.start_impulse, &self.holder.end_impulse);
        self.friction
            .normal
            .extend((0..held.len()).map(|row| (impulses.0[own + row] + impulses.1[own + row]).abs()));
        let end = &mut self.leg.end;
        let coefficient = self.options.friction;
        if !self.friction.is_rough(system, held, coefficient) {
            return Ok(());
        }
        self.inverse.prepare(system, &end.q)?;
        if let Some(rows) = &mut self.rows {
            rows.prepare(system, &self.inverse, end.t, &end.q)?;
        }
        let given = (&self.inverse, self.rows.as_ref());
        self.friction.prepare(system, end, held, given, coefficient);
        self.friction.free_of_normals(system, end, held, given)?;
        self.report.impact_work += self.friction.rub(&mut end.p);
        Ok(())
    }
}
