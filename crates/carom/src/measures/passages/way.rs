//! Gaps along the straight way from node to node, of systems that do not know how deep their contacts are.
//!
//! Along the way a gap that can be passed is taken for convex, as a distance is. Then its chords bound it from below, and three values show
//! most gaps to stay open. Otherwise its least value is searched by golden sections, the ends of the part below 0 by bisection. The way through
//! a ball off its centre is shorter by the cosine of the angle θ between the velocity and the normal where it enters; the depth is what it would be along
//! the normal. Angles are measured by the mass, among the coordinates that the gap depends on.

use crate::error::Failure;
use crate::linear::dot;
use crate::steppers::shared::mass::InverseMass;
use crate::system::{self, ContactId, System};

/// Golden sections of the way, to 1e-5 of it, and bisections, to 1e-7.
const SECTIONS: usize = 24;
const BISECTIONS: usize = 24;
/// Of the terms that a gap is made of: a gap that is closed by less is closed by round-off.
const ROUND_OFF: f64 = 1e-12;

/// Room for points of a way.
#[derive(Debug, Clone, Default)]
pub struct Room {
    /// A point.
    pub q: Vec<f64>,
    middle: Vec<f64>,
    gradient: Vec<f64>,
    inverse: Vec<f64>,
    by: Vec<f64>,
    far: Vec<f64>,
}

impl Room {
    /// Puts the point where a velocity leads in the time `h`.
    pub fn ahead(&mut self, q: &[f64], v: &[f64], h: f64) {
        self.q.clear();
        self.q.extend(q.iter().zip(v).map(|(q, v)| q + h * v));
    }
}

/// The straight way between two nodes.
pub struct Way<'a, S: ?Sized> {
    system: &'a S,
    t: [f64; 2],
    ends: [&'a [f64]; 2],
    /// The time of the point in the room.
    now: f64,
    room: &'a mut Room,
}

impl<'a, S: System + ?Sized> Way<'a, S> {
    /// Between these nodes.
    pub fn new(system: &'a S, course: system::Way<'a>, room: &'a mut Room) -> Self {
        for part in [&mut room.q, &mut room.gradient, &mut room.inverse, &mut room.by, &mut room.far] {
            part.resize(system.dim(), 0.0);
        }
        Self { system, t: course.t, ends: course.q, now: course.t[0], room }
    }

    /// Takes the gaps of contacts half way, which [`Self::may_close`] asks for.
    pub fn halve(&mut self, contacts: &[ContactId]) {
        self.go_to(0.5);
        self.room.middle.resize(contacts.len(), 0.0);
        self.system.contacts().gaps_of(self.now, &self.room.q, contacts, &mut self.room.middle);
    }

    fn go_to(&mut self, s: f64) {
        let [start, end] = self.ends;
        self.now = self.t[0] + s * (self.t[1] - self.t[0]);
        for (q, (a, b)) in self.room.q.iter_mut().zip(start.iter().zip(end)) {
            *q = a + s * (b - a);
        }
    }

    fn gap(&mut self, contact: ContactId, s: f64) -> f64 {
        self.go_to(s);
        let mut gap = [0.0];
        self.system.contacts().gaps_of(self.now, &self.room.q, &[contact], &mut gap);
        gap[0]
    }

    /// Whether a gap with these ends may close in between: on each half the chord of the other one, made longer, bounds it from below.
    pub fn may_close(&self, place: usize, [start, end]: [f64; 2]) -> bool {
        2.0 * self.room.middle[place] < start.max(end)
    }

    /// The depth of a contact as a part of the way, if the way leads through it, is longer, and the gap is open at both ends.
    pub fn share_inside(&mut self, contact: ContactId) -> Result<Option<f64>, Failure> {
        let round_off = self.round_off(contact);
        let (least, deepest) = self.least(contact);
        if deepest.is_nan() || deepest >= -round_off {
            return Ok(None);
        }
        let [enters, leaves] = [0.0, 1.0].map(|outside| self.boundary(contact, outside, least));
        let share = (leaves - enters) / self.steepness(contact, enters)?;
        Ok((share > 0.0 && share < 1.0).then_some(share))
    }

    /// The depth of a contact as a part of the way, if the way leads into it and past its middle: there a push along the gradient would drive
    /// through it what it should hold back. Such a way need not be longer than the contact is deep.
    pub fn share_past_the_middle(&mut self, contact: ContactId) -> Result<Option<f64>, Failure> {
        if !self.is_turned(contact)? {
            return Ok(None);
        }
        let round_off = self.round_off(contact);
        let (least, deepest) = self.least(contact);
        if deepest.is_nan() || deepest >= -round_off {
            return Ok(None);
        }
        let enters = self.boundary(contact, 0.0, least);
        let share = 2.0 * (least - enters) / self.steepness(contact, enters)?;
        Ok((share > 0.0).then_some(share))
    }

    /// Whether a gap opens along the way at its end, against its gradient at the start.
    fn is_turned(&mut self, contact: ContactId) -> Result<bool, Failure> {
        let ([start, end], [before, after], system) = (self.ends, self.t, self.system);
        let Room { gradient, inverse, far, .. } = &mut *self.room;
        system.contacts().gradient(after, end, contact, far);
        let rate: f64 = far.iter().zip(start.iter().zip(end)).map(|(g, (a, b))| g * (b - a)).sum();
        if rate > 0.0 {
            system.contacts().gradient(before, start, contact, gradient);
            inverse.copy_from_slice(gradient);
            InverseMass::new(system, start)?.solve(inverse);
            return Ok(dot(inverse, far) < 0.0);
        }
        Ok(false)
    }

    /// What round-off makes of a gap, half way.
    fn round_off(&mut self, contact: ContactId) -> f64 {
        self.go_to(0.5);
        let Room { q, gradient, .. } = &mut *self.room;
        self.system.contacts().gradient(self.now, q, contact, gradient);
        ROUND_OFF * gradient.iter().zip(&*q).map(|(g, q)| (g * q).abs()).sum::<f64>()
    }

    /// Where a gap is least, and how much that is.
    fn least(&mut self, contact: ContactId) -> (f64, f64) {
        let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
        let (mut from, mut to) = (0.0, 1.0);
        let mut inner = [to - golden * (to - from), from + golden * (to - from)];
        let mut gaps = inner.map(|s| self.gap(contact, s));
        for _ in 0..SECTIONS {
            if gaps[0] < gaps[1] {
                to = inner[1];
                let s = to - golden * (to - from);
                (inner, gaps) = ([s, inner[0]], [self.gap(contact, s), gaps[0]]);
            } else {
                from = inner[0];
                let s = from + golden * (to - from);
                (inner, gaps) = ([inner[1], s], [gaps[1], self.gap(contact, s)]);
            }
        }
        if gaps[0] < gaps[1] { (inner[0], gaps[0]) } else { (inner[1], gaps[1]) }
    }

    /// Where a gap closes between a place where it is open and one where it is closed.
    fn boundary(&mut self, contact: ContactId, mut open: f64, mut closed: f64) -> f64 {
        for _ in 0..BISECTIONS {
            let s = 0.5 * (open + closed);
            if self.gap(contact, s) > 0.0 {
                open = s;
            } else {
                closed = s;
            }
        }
        0.5 * (open + closed)
    }

    /// `cos θ = −∇g·v / √(∇gᵀM⁻¹∇g · vᵀMv)` where the way enters; `v` without the coordinates that the gap does not depend on.
    fn steepness(&mut self, contact: ContactId, enters: f64) -> Result<f64, Failure> {
        self.go_to(enters);
        let ([start, end], now, system) = (self.ends, self.now, self.system);
        let Room { q, gradient, inverse, by, .. } = &mut *self.room;
        system.contacts().gradient(now, q, contact, gradient);
        for (k, by) in by.iter_mut().enumerate() {
            *by = if gradient[k] == 0.0 { 0.0 } else { end[k] - start[k] };
        }
        inverse.copy_from_slice(gradient);
        InverseMass::new(system, q)?.solve(inverse);
        let (rate, mobility) = (dot(gradient, by), dot(gradient, inverse));
        // The gradient has served: M v.
        system.mass().times(q, by, gradient);
        Ok(-rate / (mobility * dot(by, gradient)).sqrt())
    }
}
