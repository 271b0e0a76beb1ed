//! Where the next impact is.
//!
//! Every contact that may be hit is searched by itself, and the earliest root counts. Legs that are parabolas are searched with bounds that hold
//! (`shared/roots.rs`), all others in parts that are close to parabolas (`curve.rs`). A gap that is negative where a leg would end always has
//! a root.

use super::curve::{NOISE, Samples, Sought};
use super::step::Collision;
use crate::error::Failure;
use crate::linear::{dot, max_abs};
use crate::steppers::shared::contacts::Row;
use crate::steppers::shared::near::Near;
use crate::steppers::shared::roots::{self, Path, Value};
use crate::system::{ContactId, Parabola, System, Way};

/// Gaps above this multiple of the largest lengths are no contacts: their gradients are not asked for.
const FAR: f64 = 1e-6;
/// Legs whose mean velocity along the impulse is below this share of that at their start are hops.
const HOP: f64 = 0.1;
/// Room above the rates at the ends of a leg, where nothing bounds them.
const ROOM: f64 = 1.5;

/// Room to evaluate gaps in.
#[derive(Debug, Clone)]
pub struct Room {
    /// A place on a path, and the velocity there.
    pub place: Vec<f64>,
    pub speed: Vec<f64>,
    /// Gradient of one contact.
    pub gradient: Row,
}

/// Gaps along a leg.
#[derive(Debug, Clone)]
pub struct Search {
    /// At the start of the leg and at its end.
    pub near: Near,
    /// Whether the leg still ends where they belong to.
    pub ahead: bool,
    pub room: Room,
    /// The parabola through the ends of the leg, in the direction of the step: velocity and acceleration.
    pub v: Vec<f64>,
    pub bow: Vec<f64>,
    /// How far the leg may be from it.
    pub off: Vec<f64>,
    pub samples: Samples,
    /// The bound of the second derivative of the gap that was looked at last, along the whole leg; not a number if none is known.
    pub whole: f64,
    /// The contact that was found.
    pub found: ContactId,
    /// Contacts that are approached where the leg starts, and touched there.
    pub struck: Option<ContactId>,
    /// Contacts that were found at this time without being approached: they may rest, however their gaps are rounded.
    pub grazed: Vec<ContactId>,
}

impl Search {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        let [place, speed, v, bow, off] = [(); 5].map(|()| vec![0.0; n]);
        let room = Room { place, speed, gradient: Row::default() };
        let samples = Samples::new(n);
        Self {
            near: Near::default(),
            ahead: false,
            room,
            v,
            bow,
            off,
            samples,
            whole: f64::NAN,
            found: ContactId(0),
            struck: None,
            grazed: Vec::new(),
        }
    }
}

/// A part of a parabola, in the room.
fn part<'a>(arc: &Parabola<'a>, [t, width]: [f64; 2], room: &'a mut Room) -> Parabola<'a> {
    for (i, (place, speed)) in room.place.iter_mut().zip(&mut room.speed).enumerate() {
        *place = arc.q[i] + t * (arc.v[i] + 0.5 * t * arc.a[i]);
        *speed = arc.v[i] + t * arc.a[i];
    }
    Parabola { t: arc.t + arc.pace * t, q: &room.place, v: &room.speed, duration: width, ..*arc }
}

/// A bound of the second derivative of a gap over a part of a parabola; minus infinity if none is known.
pub fn bend<S: System + ?Sized>(
    system: &S,
    contact: ContactId,
    arc: &Parabola,
    span: [f64; 2],
    room: &mut Room,
) -> f64 {
    let bend = system.contacts().along().and_then(|along| along.bend(&part(arc, span, room), contact));
    bend.map_or(f64::NEG_INFINITY, |bend| bend[0])
}

/// A bound of its rate, likewise.
pub fn rate<S: System + ?Sized>(
    system: &S,
    contact: ContactId,
    arc: &Parabola,
    span: [f64; 2],
    room: &mut Room,
) -> f64 {
    let rate = system.contacts().along().and_then(|along| along.rate(&part(arc, span, room), contact));
    rate.unwrap_or(f64::INFINITY)
}

/// The gap of a contact along a leg that is a parabola.
struct Flight<'a, S: ?Sized> {
    collision: &'a mut Collision,
    system: &'a S,
    /// The contact, and its place among those that are near.
    contact: ContactId,
    place: usize,
    rest: f64,
}

impl<S: System + ?Sized> Path for Flight<'_, S> {
    fn at(&mut self, t: f64) -> Result<Value, Failure> {
        let Self { collision, system, contact, place, .. } = self;
        if t == 0.0 {
            // The leg that was flown last stays as it is: it may be the one to the end.
            return Ok(collision.start_value(*system, *place));
        }
        let gap = collision.gap_at(*system, *contact, t)?;
        let drift = collision.drift(*system, *contact, t);
        let (leg, Search { v, room, .. }) = (&collision.leg, &mut collision.search);
        room.gradient.load(system.contacts(), leg.at.t + t * collision.grid[1].signum(), &leg.end.q, *contact);
        let rate = room.gradient.iter().fold(drift, |sum, (i, g)| sum + g * (v[i] + t * leg.a[i]));
        Ok(Value { gap, rate })
    }

    fn bend(&mut self, t: f64, width: f64) -> f64 {
        if t == 0.0 && width == self.rest && !self.collision.search.whole.is_nan() {
            return self.collision.search.whole;
        }
        let pace = self.collision.grid[1].signum();
        let (leg, Search { v, room, .. }) = (&self.collision.leg, &mut self.collision.search);
        let arc = Parabola { t: leg.at.t, pace, q: &leg.at.q, v, a: &leg.a, duration: self.rest };
        bend(self.system, self.contact, &arc, [t, width], room)
    }

    fn rate(&mut self, t: f64, width: f64) -> f64 {
        let pace = self.collision.grid[1].signum();
        let (leg, Search { v, room, .. }) = (&self.collision.leg, &mut self.collision.search);
        let arc = Parabola { t: leg.at.t, pace, q: &leg.at.q, v, a: &leg.a, duration: self.rest };
        rate(self.system, self.contact, &arc, [t, width], room)
    }

    fn estimate(&mut self) -> Result<f64, Failure> {
        self.collision.fastest(self.system, self.contact, self.rest)
    }

    fn noise(&mut self) -> f64 {
        let (leg, room) = (&self.collision.leg, &mut self.collision.search.room);
        room.gradient.load(self.system.contacts(), leg.at.t, &leg.at.q, self.contact);
        let most = |i: usize| leg.at.q[i].abs().max(leg.end.q[i].abs());
        NOISE * room.gradient.iter().fold(0.0, |sum, (i, g)| sum + g.abs() * most(i))
    }

    fn endless(&self, at: f64, gap: f64, trials: usize) -> Failure {
        Failure::Search { contact: self.system.contacts().name(self.contact), trials, at, gap }
    }
}

impl Collision {
    /// Sorts the contacts that are touched where the leg starts: those that are neither approached nor left rest.
    pub(super) fn look_for_rest<S: System + ?Sized>(&mut self, system: &S) -> Result<(), Failure> {
        self.search.struck = None;
        let far = self.far();
        let h = self.grid[1];
        let taken = !(self.search.grazed.is_empty() && self.histories.held.is_empty());
        if taken || self.search.near.gap.iter().any(|gap| *gap <= far) {
            let known = self.leg.parabolic.then_some(&*self.leg.gradient);
            self.scales.measure(system, &self.inverse, (&self.leg.at, known), h);
        }
        for place in 0..self.search.near.len() {
            let contact = self.search.near.ids()[place];
            if taken && (self.histories.is_held(contact) || self.search.grazed.contains(&contact)) {
                self.resting.push(contact);
                continue;
            }
            let Some(still) = self.touch(system, place, far) else { continue };
            let gap = self.search.near.gap[place];
            let drift = self.drift(system, contact, 0.0);
            let speed = h.signum() * self.search.room.gradient.dot(&self.leg.v) + drift;
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
    pub(super) fn touch<S: System + ?Sized>(&mut self, system: &S, place: usize, far: f64) -> Option<f64> {
        let gap = self.search.near.gap[place];
        if gap > far {
            return None;
        }
        let contact = self.search.near.ids()[place];
        self.search.room.gradient.load(system.contacts(), self.leg.at.t, &self.leg.at.q, contact);
        let (closed, still) = self.scales.along(&self.search.room.gradient, self.grid[1]);
        (gap <= closed).then_some(still)
    }

    /// The speed at which a gap opens because its surfaces move, after `tau` of the leg.
    pub(super) fn drift<S: System + ?Sized>(&self, system: &S, contact: ContactId, tau: f64) -> f64 {
        if !system.time_dependence().contacts {
            return 0.0;
        }
        let (leg, pace) = (&self.leg, self.grid[1].signum());
        let q = if tau > 0.0 { &leg.end.q } else { &leg.at.q };
        pace * system.contacts().rates(leg.at.t + pace * tau, q, contact)[0]
    }

    /// Whether a gap of this value, where the leg starts, is closed; `scales` belong to that place.
    pub(super) fn touch_at<S: System + ?Sized>(&mut self, system: &S, contact: ContactId, gap: f64) -> bool {
        self.search.room.gradient.load(system.contacts(), self.leg.at.t, &self.leg.at.q, contact);
        gap <= self.scales.along(&self.search.room.gradient, self.grid[1]).0
    }

    /// Gaps above this are not closed.
    pub(super) fn far(&self) -> f64 {
        let Near { gap, next, .. } = &self.search.near;
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
        self.contacts.evaluate(system, (at.t, &at.q), given, (&self.scales, h), self.options.restitution)?;
        self.places.clear();
        self.places.extend(0..self.resting.len());
        self.holder.forget();
        Ok(())
    }

    /// Gaps where the leg ends if nothing is hit.
    fn look_ahead<S: System + ?Sized>(&mut self, system: &S, rest: f64) -> Result<(), Failure> {
        self.place(system, rest)?;
        let margin = if system.contacts().is_constant() { 0.0 } else { self.margin(rest) };
        let (at, end) = (&self.leg.at, &self.leg.end);
        let way = Way { t: [at.t, at.t + rest * self.grid[1].signum()], q: [&at.q, &end.q] };
        self.search.near.look(system, way, margin);
        self.search.ahead = true;
        Ok(())
    }

    /// How far two bodies may come nearer to each other on the leg than on straight ways from its start to its end.
    fn margin(&mut self, rest: f64) -> f64 {
        self.bow(rest);
        let flown = self.is_parabola();
        let Search { bow, off, .. } = &self.search;
        let most = match flown {
            true => 0.125 * rest * rest * max_abs(bow),
            false => 0.125 * rest * rest * max_abs(bow) + max_abs(off),
        };
        // Of both bodies, along the diagonal of space.
        2.0 * 3.0_f64.sqrt() * most
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
        self.look_ahead(system, rest)?;
        self.look_for_rest(system)?;
        if let Some(contact) = self.search.struck {
            self.search.found = contact;
            return Ok(Some(0.0));
        }
        if !self.resting.is_empty() {
            self.leg.placed = None;
            self.look_ahead(system, rest)?;
        }
        loop {
            if self.leg.condition.asked && !self.leg.condition.met {
                self.fall_back();
                self.look_ahead(system, rest)?;
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
        // Back in time the impulse is turned round as the path is: the product has the same sign.
        let away = dot(&condition.direction, chord);
        Ok(away <= HOP * start.abs() || away.is_nan())
    }

    /// The earliest root of all gaps.
    fn earliest<S: System + ?Sized>(&mut self, system: &S, rest: f64) -> Result<Sought, Failure> {
        let exact = self.is_parabola();
        self.bow(rest);
        self.search.samples.clear();
        self.keep_none();
        let (mut first, mut limit) = (None, rest);
        for place in 0..self.search.near.len() {
            let contact = self.search.near.ids()[place];
            if self.resting.binary_search(&contact).is_ok() || self.is_clear(system, place, rest) {
                continue;
            }
            let root = if exact {
                roots::first_root(&mut Flight { collision: self, system, contact, place, rest }, limit)?
            } else {
                self.keep();
                match self.first_on_curve(system, place, [limit, rest])? {
                    Sought::Root(root) => root,
                    Sought::Unmet => return Ok(Sought::Unmet),
                }
            };
            if let Some(tau) = root {
                (first, limit) = (Some(tau), tau);
                self.search.found = contact;
            }
        }
        if first.is_none() {
            self.restore();
        }
        Ok(Sought::Root(first))
    }

    /// How fast a gap may change along the leg: by the speeds and gradients at both its ends, with some room.
    pub(super) fn fastest<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: ContactId,
        rest: f64,
    ) -> Result<f64, Failure> {
        self.place(system, rest)?;
        let mut fastest = 0.0_f64;
        for tau in [0.0, rest] {
            let drift = self.drift(system, contact, tau).abs();
            let (leg, gradient) = (&self.leg, &mut self.search.room.gradient);
            let q = if tau > 0.0 { &leg.end.q } else { &leg.at.q };
            gradient.load(system.contacts(), leg.at.t + tau * self.grid[1].signum(), q, contact);
            // The chord is the mean of the speeds at both ends: the last is within twice the difference.
            let speed = |i: usize| leg.v[i].abs().max((2.0 * leg.chord[i] - leg.v[i]).abs());
            let rate = gradient.iter().fold(drift, |sum, (i, g)| sum + g.abs() * speed(i));
            fastest = fastest.max(rate);
        }
        Ok(ROOM * fastest)
    }

    /// Gap and rate where the leg starts.
    pub(super) fn start_value<S: System + ?Sized>(&mut self, system: &S, place: usize) -> Value {
        let contact = self.search.near.ids()[place];
        let drift = self.drift(system, contact, 0.0);
        let Search { v, room, near, .. } = &mut self.search;
        room.gradient.load(system.contacts(), self.leg.at.t, &self.leg.at.q, contact);
        Value { gap: near.gap[place], rate: room.gradient.dot(v) + drift }
    }

    /// The place of the leg after `tau`, perhaps without the momentum there.
    pub(super) fn probe<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<(), Failure> {
        let rough = self.friction.is_rough(system, &self.resting, self.options.friction);
        self.holder.places_only = !self.resting.is_empty() && (self.holder.has_clusters() || !rough);
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
        contact: ContactId,
        tau: f64,
    ) -> Result<f64, Failure> {
        self.probe(system, tau)?;
        let mut gap = [0.0];
        let t = self.leg.at.t + tau * self.grid[1].signum();
        system.contacts().gaps_of(t, &self.leg.end.q, &[contact], &mut gap);
        let [gap] = gap;
        if gap.is_finite() { Ok(gap) } else { Err(Failure::NonFinite { what: "a gap along the path of a step" }) }
    }
}
