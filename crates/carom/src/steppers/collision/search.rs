//! Where the next impact is.

use super::step::Collision;
use crate::error::Failure;
use crate::linear::{dot, max_abs};
use crate::steppers::shared::roots::{self, Value};
use crate::system::{Parabola, System};

/// Gaps above this multiple of the largest lengths are no contacts: their gradients are not asked for.
const FAR: f64 = 1e-6;
/// Relative widening of bounds where the momentum depends on the length of the leg.
const WIDENED: f64 = 0.1;
/// How near a root lies to that of the parabola that a leg is taken as, as a share of the leg.
const NEAR: f64 = 0.01;
/// Room above the rates at the ends of a leg.
const ROOM: f64 = 1.5;

/// Gaps along a leg.
#[derive(Debug, Clone)]
pub struct Search {
    /// At the start of the leg.
    pub gap: Vec<f64>,
    /// At its end.
    pub next: Vec<f64>,
    /// At a place in between.
    pub between: Vec<f64>,
    /// Of one contact.
    pub gradient: Vec<f64>,
    /// Acceleration of the parabola that a leg is taken as, and a place on it.
    bow: Vec<f64>,
    place: Vec<f64>,
    /// The contact that was found.
    pub found: usize,
    /// Contacts that are approached where the leg starts, and touched there.
    pub struck: Option<usize>,
}

impl Search {
    /// For `n` coordinates and `k` contacts.
    pub fn new(n: usize, k: usize) -> Self {
        let gaps = || vec![0.0; k];
        let (gap, next, between) = (gaps(), gaps(), gaps());
        let [gradient, bow, place] = [(); 3].map(|()| vec![0.0; n]);
        Self { gap, next, between, gradient, bow, place, found: 0, struck: None }
    }
}

impl Collision {
    /// Sorts the contacts that are touched where the leg starts: those that are neither approached nor left rest.
    pub(super) fn look_for_rest<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        self.search.struck = None;
        let far = self.far();
        let h = self.grid[1];
        if self.search.gap.iter().any(|gap| *gap <= far) {
            self.scales.measure(system, &self.inverse, &self.leg.at, h);
        }
        for contact in 0..self.search.gap.len() {
            let Some(still) = self.touch(system, contact, far) else { continue };
            let gap = self.search.gap[contact];
            let speed = h.signum() * dot(&self.search.gradient, &self.leg.v);
            if speed.abs() <= still {
                self.resting.push(contact);
            } else if speed < 0.0 && (gap <= 0.0 || self.search.struck.is_none()) {
                self.search.struck = Some(contact);
            }
        }
        if !self.resting.is_empty() {
            self.hold(system)?;
        }
        Ok(())
    }

    /// The speed that counts as none at a contact that is touched at the start of the leg; its gradient stands in `search`.
    pub(super) fn touch<S: System + ?Sized>(&mut self, system: &S, contact: usize, far: f64) -> Option<f64> {
        let gap = self.search.gap[contact];
        if gap > far {
            return None;
        }
        system.gap_gradient(&self.leg.at.q, contact, &mut self.search.gradient);
        let (closed, still) = self.scales.along(&self.search.gradient, self.grid[1]);
        (gap <= closed).then_some(still)
    }

    /// Gaps above this are not closed.
    pub(super) fn far(&self) -> f64 {
        let Search { gap, next, .. } = &self.search;
        let change = gap.iter().zip(next).fold(0.0_f64, |max, (gap, next)| max.max((next - gap).abs()));
        FAR * (max_abs(gap) + max_abs(&self.leg.at.q) + change)
    }

    /// The rows of the contacts that rest.
    fn hold<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        let (at, h) = (&self.leg.at, self.grid[1]);
        if let Some(rows) = &mut self.rows {
            rows.prepare(system, &self.inverse, at.t, &at.q)?;
        }
        self.contacts.members.clear();
        self.contacts.members.extend_from_slice(&self.resting);
        let given = (&self.inverse, self.rows.as_ref());
        self.contacts.evaluate(system, &at.q, given, (&self.scales, h), self.options.restitution);
        self.places.clear();
        self.places.extend(0..self.resting.len());
        Ok(())
    }

    /// How long the leg is until its first impact; `None` if there is none in `rest`. The contact stands in `search.found`.
    pub(super) fn first_impact<S: System + ?Sized>(
        &mut self,
        system: &S,
        rest: f64,
    ) -> Result<Option<f64>, Failure> {
        if rest <= 0.0 {
            return Ok(None);
        }
        self.place(system, rest)?;
        system.gap(&self.leg.end.q, &mut self.search.next);
        self.look_for_rest(system)?;
        if let Some(contact) = self.search.struck {
            self.search.found = contact;
            return Ok(Some(0.0));
        }
        if !self.resting.is_empty() {
            self.leg.placed = None;
            self.place(system, rest)?;
            system.gap(&self.leg.end.q, &mut self.search.next);
        }
        if !self.is_parabola() {
            self.bow(rest);
        }
        let (mut first, mut limit) = (None, rest);
        for contact in 0..self.search.gap.len() {
            if self.resting.binary_search(&contact).is_ok() {
                continue;
            }
            let bend = self.bend(system, contact, rest);
            let rate = if bend.is_some() { 0.0 } else { self.fastest(system, contact, rest)? };
            if self.is_clear(contact, rate, bend, rest) {
                continue;
            }
            let root = match bend {
                Some([lower, _]) if self.is_parabola() => {
                    roots::advance(limit, (-lower).max(0.0), |t| self.value(system, contact, t))?
                }
                Some([lower, _]) => {
                    let near = roots::advance(limit, (-lower).max(0.0), |t| Ok(self.bowed(system, contact, t)))?;
                    self.settle_root(system, contact, near, limit)?
                }
                None => {
                    let start = self.start_value(system, contact);
                    roots::march(limit, rate, start, start.leaves(rest), |t| self.gap_at(system, contact, t))?
                }
            };
            if let Some(tau) = root {
                (first, limit) = (Some(tau), tau);
                self.search.found = contact;
            }
        }
        Ok(first)
    }

    /// Whether the leg is a parabola, or one up to what a condition changes of its momentum.
    fn is_parabola(&self) -> bool {
        self.leg.parabolic && self.resting.is_empty()
    }

    /// Bounds of the second derivative of a gap along the leg. One that is no parabola is taken as that through its ends with the velocity at
    /// its start, which is off by the third order of its length; there, and where the momentum depends on the length, they are widened.
    fn bend<S: System + ?Sized>(&self, system: &S, contact: usize, duration: f64) -> Option<[f64; 2]> {
        if self.grid[1] < 0.0 {
            return None;
        }
        let (leg, exact) = (&self.leg, self.is_parabola());
        let a = if exact { &leg.a } else { &self.search.bow };
        let arc = Parabola { q: &leg.at.q, v: &leg.v, a, duration };
        let [lower, upper] = system.gap_bend(&arc, contact).filter(|bend| bend[0].is_finite())?;
        let width = if leg.condition.asked || !exact { WIDENED } else { 0.0 };
        Some([lower - width * lower.abs(), upper + width * upper.abs()])
    }

    /// The acceleration of the parabola that a leg is taken as.
    fn bow(&mut self, rest: f64) {
        let leg = &self.leg;
        let ends = leg.at.q.iter().zip(&leg.end.q).zip(&leg.v);
        for (bow, ((q, end), v)) in self.search.bow.iter_mut().zip(ends) {
            *bow = 2.0 * ((end - q) / rest - v) / rest;
        }
    }

    /// Gap and rate on that parabola.
    fn bowed<S: System + ?Sized>(&mut self, system: &S, contact: usize, tau: f64) -> Value {
        let (leg, Search { bow, place, between, gradient, .. }) = (&self.leg, &mut self.search);
        for (i, place) in place.iter_mut().enumerate() {
            *place = leg.at.q[i] + tau * (leg.v[i] + 0.5 * tau * bow[i]);
        }
        system.gap(place, between);
        system.gap_gradient(place, contact, gradient);
        let rate = gradient.iter().enumerate().fold(0.0, |sum, (i, g)| sum + g * (leg.v[i] + tau * bow[i]));
        Value { gap: between[contact], rate }
    }

    /// The root on the leg itself, near that on the parabola.
    fn settle_root<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: usize,
        near: Option<f64>,
        limit: f64,
    ) -> Result<Option<f64>, Failure> {
        let start = self.start_value(system, contact);
        let leaving = start.leaves(limit);
        let value = |this: &mut Self, t: f64| -> Result<f64, Failure> {
            let gap = this.gap_at(system, contact, t)?;
            Ok(if leaving { gap / t } else { gap })
        };
        let (near, width) = (near.unwrap_or(limit), NEAR * limit);
        let (mut low, mut high) = ((near - width).max(0.0), (near + width).min(limit));
        let mut after = value(self, high)?;
        if after >= 0.0 && high < limit {
            (low, high) = (high, limit);
            after = value(self, high)?;
        }
        if after >= 0.0 {
            return Ok(None);
        }
        let mut before = if low > 0.0 { value(self, low)? } else { -1.0 };
        if before < 0.0 {
            (low, before) = (0.0, if leaving { start.rate } else { start.gap.max(0.0) });
        }
        roots::bracket([low, high], [before, after], limit, |t| value(self, t)).map(Some)
    }

    /// How fast a gap may change along the leg: by the speeds and gradients at both its ends, with some room.
    fn fastest<S: System + ?Sized>(&mut self, system: &S, contact: usize, rest: f64) -> Result<f64, Failure> {
        self.place(system, rest)?;
        let mut fastest = 0.0_f64;
        for at_end in [false, true] {
            let q = if at_end { &self.leg.end.q } else { &self.leg.at.q };
            system.gap_gradient(q, contact, &mut self.search.gradient);
            let speeds = self.leg.v.iter().zip(&self.leg.chord);
            // The chord is the mean of the speeds at both ends: the last is within twice the difference.
            let terms = self.search.gradient.iter().zip(speeds);
            let rate = terms.fold(0.0, |sum, (g, (v, chord))| sum + g.abs() * v.abs().max((2.0 * chord - v).abs()));
            fastest = fastest.max(rate);
        }
        Ok(ROOM * fastest)
    }

    /// Gap and rate where the leg starts.
    fn start_value<S: System + ?Sized>(&mut self, system: &S, contact: usize) -> Value {
        system.gap_gradient(&self.leg.at.q, contact, &mut self.search.gradient);
        let rate = self.grid[1].signum() * dot(&self.search.gradient, &self.leg.v);
        Value { gap: self.search.gap[contact], rate }
    }

    /// Whether a gap stays open between its two ends: a chord is undercut by at most `max g'' τ²/8`; at a given rate it
    /// cannot be closed and opened again if both ends together are wider than what the rate allows.
    fn is_clear(&self, contact: usize, rate: f64, bend: Option<[f64; 2]>, rest: f64) -> bool {
        let (gap, next) = (self.search.gap[contact], self.search.next[contact]);
        match bend {
            _ if next < 0.0 => false,
            Some([_, upper]) => gap.min(next) > upper.max(0.0) * rest * rest / 8.0,
            None => gap + next > rate * rest,
        }
    }

    /// Gap and rate after `tau` on a parabola.
    fn value<S: System + ?Sized>(&mut self, system: &S, contact: usize, tau: f64) -> Result<Value, Failure> {
        if tau == 0.0 {
            // The leg that was flown last stays as it is: it may be the one to the end.
            return Ok(self.start_value(system, contact));
        }
        let gap = self.gap_at(system, contact, tau)?;
        let (leg, gradient) = (&self.leg, &mut self.search.gradient);
        system.gap_gradient(&leg.end.q, contact, gradient);
        let rate =
            gradient.iter().zip(leg.v.iter().zip(&leg.a)).fold(0.0, |sum, (g, (v, a))| sum + g * (v + tau * a));
        Ok(Value { gap, rate })
    }

    /// Gap after `tau`.
    fn gap_at<S: System + ?Sized>(&mut self, system: &S, contact: usize, tau: f64) -> Result<f64, Failure> {
        self.place(system, tau)?;
        system.gap(&self.leg.end.q, &mut self.search.between);
        let gap = self.search.between[contact];
        if gap.is_finite() { Ok(gap) } else { Err(Failure::NonFinite { what: "a gap along the path of a step" }) }
    }
}
