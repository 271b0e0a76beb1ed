//! An impact: the contacts that are hit, and the momentum after it.

use super::Closing;
use super::step::Collision;
use crate::discrete::Side;
use crate::error::Failure;
use crate::impact::Cone;
use crate::linear::dot;
use crate::steppers::shared::roots::RESOLUTION;
use crate::steppers::{Event, Happening};
use crate::system::System;

impl Collision {
    /// Changes the momentum at the end of the leg by the impact law; the next leg starts there.
    pub(super) fn strike<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        let energy = match self.options.closing {
            Closing::Discrete => self.discrete_energy(system, self.leg.tau, Side::End),
            Closing::Law | Closing::Shadow(_) => 0.0,
        };
        self.leg.at.copy_from(&self.leg.end);
        self.impact_states.open(self.leg.tau, &self.leg.at);
        self.gather(system)?;
        let before = self.events.len();
        // Back in time a contact is approached where it would be left: the momentum is turned for the law, and turned back.
        self.turn();
        let surfaces = self.report.surface_work;
        let work = self.apply_law(system, before)?;
        self.note_impacts(system, before)?;
        let came_to_rest = self.settle(before);
        self.turn();
        self.report.impact_work += work;
        self.report.impacts += (self.events.len() - before - came_to_rest) as u32;
        self.report.captured += came_to_rest as u32;
        self.report.active = true;
        let asks = self.options.closing != Closing::Law && self.events.len() > before && came_to_rest == 0;
        if asks {
            let given = work + (self.report.surface_work - surfaces);
            self.ask(system, energy + given, work < 0.0, before);
        }
        self.leg.condition.asked = asks;
        if self.leg.tau > RESOLUTION * self.grid[1].abs() {
            self.search.grazed.clear();
        }
        for (place, &contact) in self.contacts.members.iter().enumerate() {
            let left = self.contacts.speed(place, &self.leg.at.p) < -self.contacts.speed_tolerance[place];
            if left && self.contacts.restitution[place] < 1.0 && !self.search.grazed.contains(&contact) {
                self.search.grazed.push(contact);
            }
        }
        self.note_graze(before);
        self.events.append(&mut self.kept);
        Ok(())
    }

    fn turn(&mut self) {
        if self.grid[1] < 0.0 {
            self.leg.at.p.iter_mut().for_each(|p| *p = -*p);
        }
    }

    /// The contacts that are touched where the impact is, with their rows.
    fn gather<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        let (at, h) = (&self.leg.at, self.grid[1]);
        self.inverse.prepare(system, &at.q)?;
        if let Some(rows) = &mut self.rows {
            rows.prepare(system, &self.inverse, at.t, &at.q)?;
        }
        let known = (self.leg.parabolic && self.resting.is_empty()).then_some(&*self.leg.next_gradient);
        self.scales.measure(system, &self.inverse, (at, known), h);
        self.search.near.take_start(system, at.t, &at.q);
        self.contacts.members.clear();
        let far = self.far();
        for place in 0..self.search.near.len() {
            let contact = self.search.near.ids()[place];
            if contact == self.search.found || self.touch(system, place, far).is_some() {
                self.contacts.members.push(contact);
            }
        }
        let (at, given) = (&self.leg.at, (&self.inverse, self.rows.as_ref()));
        self.contacts.evaluate(system, (at.t, &at.q), given, (&self.scales, h), self.options.restitution)?;
        for (restitution, &contact) in self.contacts.restitution.iter_mut().zip(&self.contacts.members) {
            if !self.histories.bounces(contact) {
                *restitution = 0.0;
            }
        }
        let state = (&self.leg.at, if self.options.of_leg { self.leg.tau } else { h });
        self.metric.apply(system, &self.inverse, state, (&self.contacts.y, &mut self.contacts.z));
        Ok(())
    }

    /// The impact law: normal impulses, and friction. Returns the energy that it took.
    fn apply_law<S: System + ?Sized>(&mut self, system: &S, before: usize) -> Result<f64, Failure> {
        let (contacts, sign) = (&self.contacts, self.grid[1].signum());
        let (t, alpha) = (self.leg.at.t, (self.leg.at.t - self.grid[0]) / self.grid[1]);
        let impact = self.impact_states.len() - 1;
        for (place, &contact) in contacts.members.iter().enumerate() {
            let speed = contacts.speed(place, &self.leg.at.p);
            let (what, impulse, friction, work) = (Happening::Impact, 0.0, [f64::NAN; 2], 0.0);
            self.events.push(Event { t, alpha, contact, what, speed, impulse, friction, work, impact });
        }
        let cone = Cone {
            g: &contacts.g,
            z: &contacts.z,
            approach: &contacts.z,
            offset: &contacts.offset,
            restitution: &contacts.restitution,
            tolerance: &contacts.speed_tolerance,
        };
        let given = (&self.inverse, self.rows.as_ref());
        let coefficient = self.options.friction;
        let rough = self.friction.prepare(system, &self.leg.at, &contacts.members, given, coefficient);
        let resolved = if rough {
            let state = (&self.leg.at, if self.options.of_leg { self.leg.tau } else { self.grid[1] });
            self.friction.measure(|rows| self.metric.apply(system, &self.inverse, state, rows));
            let rough = self.friction.rough(cone);
            let sum = self.rough.resolve(&rough, &mut self.leg.at.p);
            sum.map(|sum| {
                self.report.lowered += sum.lowered;
                self.report.residual = self.report.residual.max(sum.residual);
                sum.resolved
            })
        } else {
            self.resolver.resolve(&cone, &mut self.leg.at.p)
        };
        let resolved = resolved.map_err(|stuck| contacts.no_end(system, &stuck))?;
        // What the impulses of contacts put onto equality constraints.
        let m = self.start_impulse.len();
        let impulses = if rough { &self.rough.normal } else { &self.resolver.impulse };
        self.report.surface_work += contacts.surface_work(impulses);
        for (place, (&contact, impulse)) in contacts.members.iter().zip(impulses).enumerate() {
            self.contact_impulse.add(contact, impulse * sign);
            self.events[before + place].impulse = *impulse;
            if rough {
                self.events[before + place].friction = self.friction.of_contact(place, &self.rough.tangent);
            }
            let nu = &contacts.nu[place * m..(place + 1) * m];
            self.start_impulse.iter_mut().zip(nu).for_each(|(sum, nu)| *sum += sign * impulse * nu);
        }
        self.leg.condition.take_direction(contacts, impulses, sign);
        let mut place = 0;
        self.events.retain(|event| {
            place += 1;
            place <= before || event.impulse > 0.0
        });
        if let Some(event) = self.events.get_mut(before) {
            event.work = resolved.work;
        }
        Ok(resolved.work)
    }

    /// Notes the contact that was found if the impact gave it no impulse because it is neither approached nor left. One that is left although its gap
    /// closes is pushed by what others hold, if it was found at once; otherwise forces at the end of the leg turned it round, and it just leaves.
    fn note_graze(&mut self, before: usize) {
        let found = self.search.found;
        let Some(place) = self.contacts.place(found) else { return };
        let hit = self.events[before..].iter().any(|event| event.contact == found);
        let slow = self.contacts.speed(place, &self.leg.at.p).abs() <= self.contacts.speed_tolerance[place];
        let at_once = self.leg.tau <= RESOLUTION * self.grid[1].abs() && !self.resting.is_empty();
        if !hit && (slow || at_once) && !self.search.grazed.contains(&found) {
            self.search.grazed.push(found);
        }
    }

    /// What is asked of the next leg.
    fn ask<S: System + ?Sized>(&mut self, system: &S, target: f64, lossy: bool, events: usize) {
        let condition = &mut self.leg.condition;
        (condition.target, condition.lossy, condition.events) = (target, lossy, events);
        (condition.scale, condition.met) = (1.0, true);
        // What the momentum is without the impulse along the normals: friction stays.
        for ((before, p), direction) in condition.before.iter_mut().zip(&self.leg.at.p).zip(&condition.direction) {
            *before = p - direction;
        }
        condition.velocity.copy_from_slice(&condition.direction);
        self.inverse.solve(&mut condition.velocity);
        let (v, at) = (&condition.velocity, &self.leg.at);
        let (along, inertia) = (dot(v, &at.p), dot(v, &condition.direction));
        condition.rebound = if inertia > 0.0 { 0.5 * along * along / inertia } else { 0.0 };
        // A leg of no length has the energy T + V: ½ inertia (s² − 1) + along_before (s − 1) + H⁺ = target.
        self.leg.v.copy_from_slice(&at.p);
        self.inverse.solve(&mut self.leg.v);
        let energy = 0.5 * dot(&self.leg.v, &at.p) + system.potential(at.t, &at.q);
        let speed = along * along + 2.0 * inertia * (target - energy);
        condition.early = 1.0 + (speed.sqrt() - along) / inertia;
    }
}
