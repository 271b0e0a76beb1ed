//! Where the next impact is.
//!
//! Every contact that may be hit is searched by itself, and the earliest root counts. Legs that are parabolas are searched with bounds that hold
//! (`shared/roots.rs`), all others in parts that are close to parabolas (`curve.rs`). A gap that is negative where a leg would end always has
//! a root.

use super::curve::{NOISE, Samples, Sought};
use super::step::Collision;
use crate::error::Failure;
use crate::linear::{dot, max_abs};
use crate::steppers::shared::roots::{self, Path, Value};
use crate::system::{Parabola, System};

/// Gaps above this multiple of the largest lengths are no contacts: their gradients are not asked for.
const FAR: f64 = 1e-6;
/// How far a leg may be from the parabola through its ends, as a share of the way that the speeds at its ends make: third-order terms of a
/// motion with frequency ω stay below it for legs up to 2/ω.
const OFF: f64 = 0.125;
/// Legs whose mean velocity along the impulse is below this share of that at their start are hops.
const HOP: f64 = 0.1;
/// Room above the rates at the ends of a leg, where nothing bounds them.
const ROOM: f64 = 1.5;
/// Leaving a surface, what a leg is off by grows from nothing: its rate at the start, over the length of the leg, is at most this multiple of what
/// it comes to.
const OFF_RATE: f64 = 8.0;

/// Room to evaluate gaps in.
#[derive(Debug, Clone)]
pub struct Room {
    /// A place on a path, and the velocity there.
    pub place: Vec<f64>,
    pub speed: Vec<f64>,
    /// Of one contact.
    pub gradient: Vec<f64>,
    /// Of all contacts.
    pub gaps: Vec<f64>,
}

/// Gaps along a leg.
#[derive(Debug, Clone)]
pub struct Search {
    /// At the start of the leg.
    pub gap: Vec<f64>,
    /// At its end.
    pub next: Vec<f64>,
    pub room: Room,
    /// The parabola through the ends of the leg, in the direction of the step: velocity and acceleration.
    pub v: Vec<f64>,
    pub bow: Vec<f64>,
    /// How far the leg may be from it.
    off: Vec<f64>,
    pub samples: Samples,
    /// The contact that was found.
    pub found: usize,
    /// Contacts that are approached where the leg starts, and touched there.
    pub struck: Option<usize>,
    /// Contacts that were found at this time without being approached: they may rest, however their gaps are rounded.
    pub grazed: Vec<usize>,
}

impl Search {
    /// For `n` coordinates and `k` contacts.
    pub fn new(n: usize, k: usize) -> Self {
        let [gap, next, gaps] = [(); 3].map(|()| vec![0.0; k]);
        let [place, speed, gradient, v, bow, off] = [(); 6].map(|()| vec![0.0; n]);
        let room = Room { place, speed, gradient, gaps };
        let samples = Samples::new(n);
        Self { gap, next, room, v, bow, off, samples, found: 0, struck: None, grazed: Vec::new() }
    }
}

/// A part of a parabola, in the room.
fn part<'a>(arc: &Parabola<'a>, [t, width]: [f64; 2], room: &'a mut Room) -> Parabola<'a> {
    for (i, (place, speed)) in room.place.iter_mut().zip(&mut room.speed).enumerate() {
        *place = arc.q[i] + t * (arc.v[i] + 0.5 * t * arc.a[i]);
        *speed = arc.v[i] + t * arc.a[i];
    }
    Parabola { q: &room.place, v: &room.speed, a: arc.a, duration: width }
}

/// A bound of the second derivative of a gap over a part of a parabola; minus infinity if none is known.
pub fn bend<S: System + ?Sized>(
    system: &S,
    contact: usize,
    arc: &Parabola,
    span: [f64; 2],
    room: &mut Room,
) -> f64 {
    system.gap_bend(&part(arc, span, room), contact).map_or(f64::NEG_INFINITY, |bend| bend[0])
}

/// A bound of its rate, likewise.
pub fn rate<S: System + ?Sized>(
    system: &S,
    contact: usize,
    arc: &Parabola,
    span: [f64; 2],
    room: &mut Room,
) -> f64 {
    system.gap_rate(&part(arc, span, room), contact).unwrap_or(f64::INFINITY)
}

/// The gap of a contact along a leg that is a parabola.
struct Flight<'a, S: ?Sized> {
    collision: &'a mut Collision,
    system: &'a S,
    contact: usize,
    rest: f64,
}

impl<S: System + ?Sized> Path for Flight<'_, S> {
    fn at(&mut self, t: f64) -> Result<Value, Failure> {
        let Self { collision, system, contact, .. } = self;
        if t == 0.0 {
            // The leg that was flown last stays as it is: it may be the one to the end.
            return Ok(collision.start_value(*system, *contact));
        }
        let gap = collision.gap_at(*system, *contact, t)?;
        let (leg, Search { v, room, .. }) = (&collision.leg, &mut collision.search);
        system.gap_gradient(&leg.end.q, *contact, &mut room.gradient);
        let rate =
            room.gradient.iter().zip(v.iter().zip(&leg.a)).fold(0.0, |sum, (g, (v, a))| sum + g * (v + t * a));
        Ok(Value { gap, rate })
    }

    fn bend(&mut self, t: f64, width: f64) -> f64 {
        let (leg, Search { v, room, .. }) = (&self.collision.leg, &mut self.collision.search);
        let arc = Parabola { q: &leg.at.q, v, a: &leg.a, duration: self.rest };
        bend(self.system, self.contact, &arc, [t, width], room)
    }

    fn rate(&mut self, t: f64, width: f64) -> f64 {
        let (leg, Search { v, room, .. }) = (&self.collision.leg, &mut self.collision.search);
        let arc = Parabola { q: &leg.at.q, v, a: &leg.a, duration: self.rest };
        rate(self.system, self.contact, &arc, [t, width], room)
    }

    fn estimate(&mut self) -> Result<f64, Failure> {
        self.collision.fastest(self.system, self.contact, self.rest)
    }

    fn noise(&mut self) -> f64 {
        let (leg, room) = (&self.collision.leg, &mut self.collision.search.room);
        self.system.gap_gradient(&leg.at.q, self.contact, &mut room.gradient);
        let ends = leg.at.q.iter().zip(&leg.end.q);
        let size =
            room.gradient.iter().zip(ends).fold(0.0, |sum, (g, (q, x))| sum + g.abs() * q.abs().max(x.abs()));
        NOISE * size
    }

    fn endless(&self, at: f64, gap: f64, trials: usize) -> Failure {
        Failure::Search { contact: self.system.gap_name(self.contact), trials, at, gap }
    }
}

impl Collision {
    /// Sorts the contacts that are touched where the leg starts: those that are neither approached nor left rest.
    pub(super) fn look_for_rest<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        self.search.struck = None;
        let far = self.far();
        let h = self.grid[1];
        let taken = !(self.search.grazed.is_empty() && self.histories.held.is_empty());
        if taken || self.search.gap.iter().any(|gap| *gap <= far) {
            self.scales.measure(system, &self.inverse, &self.leg.at, h);
        }
        for contact in 0..self.search.gap.len() {
            if self.histories.is_held(contact) || self.search.grazed.contains(&contact) {
                self.resting.push(contact);
                continue;
            }
            let Some(still) = self.touch(system, contact, far) else { continue };
            let gap = self.search.gap[contact];
            let speed = h.signum() * dot(&self.search.room.gradient, &self.leg.v);
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
        system.gap_gradient(&self.leg.at.q, contact, &mut self.search.room.gradient);
        let (closed, still) = self.scales.along(&self.search.room.gradient, self.grid[1]);
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
        self.holder.forget();
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
        loop {
            if self.leg.condition.asked && !self.leg.condition.met {
                self.fall_back();
                self.place(system, rest)?;
                system.gap(&self.leg.end.q, &mut self.search.next);
            }
            match self.earliest(system, rest)? {
                Sought::Root(Some(tau)) if self.leg.condition.asked && self.is_hop(system, tau)? => {
                    self.leg.condition.met = false;
                }
                Sought::Root(first) => return Ok(first),
                Sought::Unmet => self.leg.condition.met = false,
            }
        }
    }

    /// Whether forces alone bring the leg back to where it started from, seen along the impulse. Then its discrete energy does not depend on the
    /// speed at which it set off, and the condition does not tell that speed.
    fn is_hop<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<bool, Failure> {
        self.place(system, tau)?;
        let (condition, chord) = (&self.leg.condition, &self.leg.chord);
        let start: f64 = condition.velocity.iter().zip(&self.leg.at.p).map(|(d, p)| d * p).sum();
        let mean = dot(&condition.direction, chord);
        let away = mean * self.grid[1].signum();
        Ok(away <= HOP * start.abs() || away.is_nan())
    }

    /// The earliest root of all gaps.
    fn earliest<S: System + ?Sized>(&mut self, system: &S, rest: f64) -> Result<Sought, Failure> {
        let exact = self.is_parabola();
        self.bow(rest);
        self.search.samples.clear();
        let (mut first, mut limit) = (None, rest);
        for contact in 0..self.search.gap.len() {
            if self.resting.binary_search(&contact).is_ok() || self.is_clear(system, contact, rest) {
                continue;
            }
            let root = if exact {
                roots::first_root(&mut Flight { collision: self, system, contact, rest }, limit)?
            } else {
                match self.first_on_curve(system, contact, [limit, rest])? {
                    Sought::Root(root) => root,
                    Sought::Unmet => return Ok(Sought::Unmet),
                }
            };
            if let Some(tau) = root {
                (first, limit) = (Some(tau), tau);
                self.search.found = contact;
            }
        }
        Ok(Sought::Root(first))
    }

    /// Whether the leg is a parabola.
    fn is_parabola(&self) -> bool {
        self.leg.parabolic && self.resting.is_empty() && !self.leg.condition.asked
    }

    /// The parabola through the ends of the leg with the velocity at its start, and how far the leg may be from it.
    fn bow(&mut self, rest: f64) {
        let (leg, Search { v, bow, off, .. }) = (&self.leg, &mut self.search);
        let sign = self.grid[1].signum();
        if leg.condition.asked {
            // The momentum that the condition asks for.
            v.copy_from_slice(&leg.at.p);
            self.inverse.solve(v);
        } else {
            v.copy_from_slice(&leg.v);
        }
        let flown = leg.parabolic && self.resting.is_empty();
        if flown && !leg.condition.asked {
            v.iter_mut().for_each(|v| *v *= sign);
            bow.copy_from_slice(&leg.a);
            return;
        }
        let spread = if leg.condition.asked { leg.condition.spread() } else { 0.0 };
        for (i, v) in v.iter_mut().enumerate() {
            *v *= sign;
            let chord = (leg.end.q[i] - leg.at.q[i]) / rest;
            bow[i] = if flown { leg.a[i] } else { 2.0 * (chord - *v) / rest };
            off[i] = if flown { 0.0 } else { OFF * rest * (v.abs() + (2.0 * chord - *v).abs()) };
            if leg.condition.asked {
                off[i] += rest * spread * leg.condition.velocity[i].abs();
            }
        }
    }

    /// What a gap may be off by where the leg is off its parabola.
    fn blur<S: System + ?Sized>(&mut self, system: &S, contact: usize) -> f64 {
        let (leg, Search { room, off, .. }) = (&self.leg, &mut self.search);
        let ends = [&leg.end.q, &leg.at.q].map(|q| {
            system.gap_gradient(q, contact, &mut room.gradient);
            room.gradient.iter().zip(&*off).fold(0.0, |sum, (g, off)| sum + g.abs() * off)
        });
        if ends[0] > ends[1] { ends[0] } else { ends[1] }
    }

    /// Whether a gap stays open between its two ends. At a bounded rate it cannot be closed and opened again if both ends together are wider
    /// than what the rate allows; a chord is undercut by at most `max g'' τ²/8`; and a surface that is left fast enough is not met again.
    /// Every comparison with a bound that is no number is false.
    fn is_clear<S: System + ?Sized>(&mut self, system: &S, contact: usize, rest: f64) -> bool {
        let (gap, next) = (self.search.gap[contact], self.search.next[contact]);
        if !(gap >= 0.0 && next >= 0.0) {
            return false;
        }
        let exact = self.is_parabola();
        let blur = if exact { 0.0 } else { self.blur(system, contact) };
        let Search { v, bow, room, .. } = &self.search;
        let arc = Parabola { q: &self.leg.at.q, v, a: bow, duration: rest };
        let bend = system.gap_bend(&arc, contact);
        if let Some([lower, upper]) = bend {
            if upper < f64::INFINITY && gap.min(next) > upper.max(0.0) * rest * rest / 8.0 + blur {
                return true;
            }
            // Of legs that are no parabolas the gradient at the start was asked for last.
            let leaves = !exact && lower > f64::NEG_INFINITY && {
                dot(&room.gradient, v) - OFF_RATE * blur / rest + 0.5 * lower.min(0.0) * rest > 0.0
            };
            if leaves && next > 0.0 {
                return true;
            }
        }
        system.gap_rate(&arc, contact).is_some_and(|rate| gap + next > rate * rest + 2.0 * blur)
    }

    /// How fast a gap may change along the leg: by the speeds and gradients at both its ends, with some room.
    pub(super) fn fastest<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: usize,
        rest: f64,
    ) -> Result<f64, Failure> {
        self.place(system, rest)?;
        let mut fastest = 0.0_f64;
        for at_end in [false, true] {
            let q = if at_end { &self.leg.end.q } else { &self.leg.at.q };
            system.gap_gradient(q, contact, &mut self.search.room.gradient);
            let speeds = self.leg.v.iter().zip(&self.leg.chord);
            // The chord is the mean of the speeds at both ends: the last is within twice the difference.
            let terms = self.search.room.gradient.iter().zip(speeds);
            let rate = terms.fold(0.0, |sum, (g, (v, chord))| sum + g.abs() * v.abs().max((2.0 * chord - v).abs()));
            fastest = fastest.max(rate);
        }
        Ok(ROOM * fastest)
    }

    /// Gap and rate where the leg starts.
    pub(super) fn start_value<S: System + ?Sized>(&mut self, system: &S, contact: usize) -> Value {
        let Search { v, room, gap, .. } = &mut self.search;
        system.gap_gradient(&self.leg.at.q, contact, &mut room.gradient);
        Value { gap: gap[contact], rate: dot(&room.gradient, v) }
    }

    /// The place of the leg after `tau`, perhaps without the momentum there.
    pub(super) fn probe<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<(), Failure> {
        let rough = self.friction.is_rough(system, &self.resting, self.options.friction);
        self.holder.places_only = !self.resting.is_empty() && !rough;
        let placed = self.place(system, tau);
        if self.holder.places_only {
            (self.leg.placed, self.holder.places_only) = (None, false);
        }
        placed
    }

    /// Gap after `tau`.
    pub(super) fn gap_at<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: usize,
        tau: f64,
    ) -> Result<f64, Failure> {
        self.probe(system, tau)?;
        system.gap_of(&self.leg.end.q, &[contact], &mut self.search.room.gaps);
        let gap = self.search.room.gaps[contact];
        if gap.is_finite() { Ok(gap) } else { Err(Failure::NonFinite { what: "a gap along the path of a step" }) }
    }
}
