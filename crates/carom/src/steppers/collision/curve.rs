//! The first root of a gap on a leg that is no parabola: implicit rules, masses that depend on the place, equality constraints, contacts that rest,
//! and legs whose momentum depends on their length.
//!
//! The leg is cut in halves until each part is close to the parabola through its ends and its middle. How close, two more places tell, at its
//! quarters: where the parabola is off by a third-order term, they see 97 % of the largest difference. Four times what they see is the *margin*. A part is
//! clear if the gap on its parabola, by bounds that hold, stays above the margin; it is cut where it does not. Parts from which a gap
//! falls below zero for good are closed in on the leg itself.
//!
//! Limits: the margin is an estimate. What the leg does between five places that lie on one parabola is not seen.

use super::search::{Room, bend, rate};
use super::step::Collision;
use crate::bracket::bracket;
use crate::error::Failure;
use crate::steppers::shared::roots::{self, Path, Value};
use crate::system::{ContactId, Parabola, System};

/// What a part may be off its parabola by, in terms of what the quarters show.
const SAFETY: f64 = 4.0;
/// The same of its rate at the start of the part, over its length: of a third-order term it is 10.7 times its value at a quarter.
const RATE: f64 = 12.0;
/// Parts are cut down to the leg over 2 to this power.
const DEEPEST: u32 = 30;
/// Parts are not cut further after cutting hardly made the margin smaller so many times: where different sets of contacts are held for different
/// lengths of a leg, and these depend on each other up to round-off, it jumps.
const ROUGH: u32 = 3;
/// Halvings that close in the smallest gap on a parabola.
const HALVINGS: u32 = 40;
/// Places that most searches take at most.
const USUAL: usize = 128;
/// Places on a leg before a search is given up.
const MOST_SAMPLES: usize = 4000;
/// The same on legs with contacts that rest: after that parts are cut no further. What holds them is known to 1e-10 of a step only.
const MOST_HELD: usize = 200;
/// Round-off of a gap, relative to the terms that it is made of.
pub const NOISE: f64 = 8.0 * f64::EPSILON;

/// What a search found.
pub enum Sought {
    /// The first root, if there is one.
    Root(Option<f64>),
    /// The condition on the momentum has no solution for a length that was tried.
    Unmet,
}

/// A part of a leg: one of `2^depth` equal ones.
#[derive(Debug, Clone, Copy)]
struct Cut {
    number: u64,
    depth: u32,
    /// The margin of the part that it was cut from, and how often cutting made it hardly smaller.
    margin: f64,
    rough: u32,
}

/// Places on a leg by its length.
#[derive(Debug, Clone)]
pub struct Samples {
    tau: Vec<f64>,
    q: Vec<f64>,
    /// Parts that are still to be searched.
    parts: Vec<Cut>,
    /// The parabola of a part.
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Samples {
    /// For `n` coordinates, with room for most searches.
    pub fn new(n: usize) -> Self {
        let room = Vec::with_capacity;
        Self {
            tau: room(USUAL),
            q: room(USUAL * n),
            parts: Vec::with_capacity(USUAL),
            v: vec![0.0; n],
            a: vec![0.0; n],
        }
    }

    /// Forgets all places.
    pub fn clear(&mut self) {
        self.tau.clear();
        self.q.clear();
    }

    fn place(&self, index: usize, n: usize) -> &[f64] {
        &self.q[index * n..(index + 1) * n]
    }
}

/// A part of a leg that is taken as a parabola.
struct Part {
    /// The place where it starts, and the length of the leg to there.
    from: usize,
    since: f64,
    width: f64,
    /// What a gap may be off by.
    margin: f64,
    /// What its round-off is.
    noise: f64,
    /// Whether the surface is left here.
    leaving: bool,
}

/// A root that lies between two lengths of a leg.
struct Bracket {
    times: [f64; 2],
    values: [f64; 2],
    /// What counts as zero.
    floor: f64,
    /// Whether values are divided by time: the root at the start of the leg does not count.
    divided: bool,
}

/// A gap on the parabola of a part, less a margin and what it is off by per time.
struct Model<'a, S: ?Sized> {
    system: &'a S,
    contact: ContactId,
    arc: Parabola<'a>,
    room: &'a mut Room,
    margin: f64,
    slope: f64,
    noise: f64,
}

impl<S: System + ?Sized> Path for Model<'_, S> {
    fn at(&mut self, t: f64) -> Result<Value, Failure> {
        let Self { system, contact, arc, room, .. } = self;
        for (i, (place, speed)) in room.place.iter_mut().zip(&mut room.speed).enumerate() {
            *place = arc.q[i] + t * (arc.v[i] + 0.5 * t * arc.a[i]);
            *speed = arc.v[i] + t * arc.a[i];
        }
        let (now, mut gap) = (arc.t + arc.pace * t, [0.0]);
        system.contacts().gaps_of(now, &room.place, &[*contact], &mut gap);
        room.gradient.load(system.contacts(), now, &room.place, *contact);
        let mut rate = room.gradient.dot(&room.speed);
        if system.time_dependence().contacts {
            rate += arc.pace * system.contacts().rates(now, &room.place, *contact)[0];
        }
        Ok(Value { gap: gap[0] - self.margin - self.slope * t, rate: rate - self.slope })
    }

    fn bend(&mut self, t: f64, width: f64) -> f64 {
        bend(self.system, self.contact, &self.arc, [t, width], self.room)
    }

    fn rate(&mut self, t: f64, width: f64) -> f64 {
        rate(self.system, self.contact, &self.arc, [t, width], self.room) + self.slope
    }

    fn estimate(&mut self) -> Result<f64, Failure> {
        let [start, end] = [self.at(0.0)?.rate.abs(), self.at(self.arc.duration)?.rate.abs()];
        Ok(2.0 * start.max(end))
    }

    fn noise(&mut self) -> f64 {
        self.noise
    }

    fn endless(&self, at: f64, gap: f64, trials: usize) -> Failure {
        Failure::Search { contact: self.system.contacts().name(self.contact), trials, at, gap }
    }
}

impl Collision {
    /// The first root of a gap in `(0, limit]`, on a leg of which all lengths up to `rest` may be tried.
    pub(super) fn first_on_curve<S: System + ?Sized>(
        &mut self,
        system: &S,
        place: usize,
        [limit, rest]: [f64; 2],
    ) -> Result<Sought, Failure> {
        let contact = self.search.near.ids()[place];
        let start = self.start_value(system, place);
        let floor = start.gap.min(0.0);
        self.search.samples.parts.clear();
        self.search.samples.parts.push(Cut { number: 0, depth: 0, margin: f64::INFINITY, rough: 0 });
        while let Some(Cut { number, depth, margin: before, rough }) = self.search.samples.parts.pop() {
            let width = rest * 0.5_f64.powi(depth as i32);
            let from = number as f64 * width;
            if from >= limit {
                break;
            }
            let times = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| from + share * width);
            let (mut index, mut gaps) = ([0; 5], [0.0; 5]);
            // The end of the whole leg has just been flown.
            for k in [4, 0, 1, 2, 3] {
                let Some(sample) = self.sample(system, times[k])? else { return Ok(Sought::Unmet) };
                index[k] = sample;
                let (n, Samples { q, .. }) = (self.leg.at.q.len(), &self.search.samples);
                let t = self.leg.at.t + times[k] * self.grid[1].signum();
                let place = &q[sample * n..(sample + 1) * n];
                system.contacts().gaps_of(t, place, &[contact], &mut gaps[k..=k]);
                gaps[k] -= floor;
                if !gaps[k].is_finite() {
                    return Err(Failure::NonFinite { what: "a gap along the path of a step" });
                }
            }
            let (trials, holds) = (self.search.samples.tau.len(), !self.resting.is_empty());
            let (margin, noise) = self.fit(system, contact, index, [from, width]);
            if trials > MOST_SAMPLES && !holds {
                // So close to the surface for so long: it is touched.
                self.scales.measure(system, &self.inverse, (&self.leg.at, None), self.grid[1]);
                if number > 0 && self.touch_at(system, contact, gaps[0]) {
                    return Ok(Sought::Root((from <= limit).then_some(from)));
                }
                return Err(Failure::Search {
                    contact: system.contacts().name(contact),
                    trials,
                    at: from,
                    gap: gaps[0],
                });
            }
            let leaving = number == 0 && start.rate > 0.0 && gaps[0] <= noise;
            let part = Part { from: index[0], since: from, width, margin, noise, leaving };
            let jumps = holds && margin > 0.7 * before && margin > 16.0 * noise;
            let rough = rough + u32::from(jumps);
            // All along the surface: no place tells more.
            let grazes = margin <= 2.0 * noise && gaps.iter().all(|gap| gap.abs() <= 4.0 * noise);
            let last = depth == DEEPEST || rough == ROUGH || grazes || (holds && trials > MOST_HELD);
            let halves = [1, 0].map(|half| Cut { number: 2 * number + half, depth: depth + 1, margin, rough });
            match (1..5).find(|&k| gaps[k] < 0.0) {
                Some(k) if last || self.falls(system, contact, &part) => {
                    let divided = leaving && k == 1;
                    let values = if divided { [start.rate, gaps[1] / times[1]] } else { [gaps[k - 1], gaps[k]] };
                    let place = Bracket { times: [times[k - 1], times[k]], values, floor, divided };
                    return self.close_in(system, contact, place, limit);
                }
                Some(3 | 4) => self.search.samples.parts.extend(halves),
                Some(_) => self.search.samples.parts.push(halves[1]),
                None => match self.meet(system, contact, &part)? {
                    Some(_) if !last => self.search.samples.parts.extend(halves),
                    None => {}
                    // The shortest parts there are, or round-off where a surface is left.
                    Some(_) if leaving || !holds => {}
                    // The place where the gap is smallest on the parabola has the last word.
                    Some(t) => {
                        let t = from + t;
                        let gap = self.gap_at(system, contact, t)? - floor;
                        if self.leg.condition.asked && !self.leg.condition.met {
                            return Ok(Sought::Unmet);
                        }
                        if gap < -4.0 * noise {
                            let values = [gaps[0], gap];
                            let place = Bracket { times: [from, t], values, floor, divided: false };
                            return self.close_in(system, contact, place, limit);
                        }
                    }
                },
            }
        }
        Ok(Sought::Root(None))
    }

    /// The place of the leg after `tau`, by its number; `None` if the condition on the momentum has no solution there.
    fn sample<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<Option<usize>, Failure> {
        if let Some(index) = self.search.samples.tau.iter().rposition(|known| *known == tau) {
            return Ok(Some(index));
        }
        if tau > 0.0 {
            self.probe(system, tau)?;
            if self.leg.condition.asked && !self.leg.condition.met {
                return Ok(None);
            }
        }
        let (samples, leg) = (&mut self.search.samples, &self.leg);
        samples.tau.push(tau);
        samples.q.extend_from_slice(if tau > 0.0 { &leg.end.q } else { &leg.at.q });
        Ok(Some(samples.tau.len() - 1))
    }

    /// The parabola of a part through its ends and its middle; what a gap may be off by on it, and its round-off.
    fn fit<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: ContactId,
        [from, quarter, middle, three_quarters, to]: [usize; 5],
        [since, width]: [f64; 2],
    ) -> (f64, f64) {
        let n = self.leg.at.q.len();
        let samples = &mut self.search.samples;
        let at = |index: usize, i: usize| samples.q[index * n + i];
        for i in 0..n {
            let (half, whole) = (at(middle, i) - at(from, i), at(to, i) - at(from, i));
            samples.v[i] = (4.0 * half - whole) / width;
            samples.a[i] = 4.0 * (whole - 2.0 * half) / (width * width);
        }
        let Room { gradient, .. } = &mut self.search.room;
        // The gradient turns along the part: what counts is how long it is, over the coordinates that it ever has. A length that is no
        // number makes no part clear.
        let (mut longest, mut off, mut noise) = (0.0_f64, 0.0_f64, 0.0_f64);
        for (place, tau) in [(from, since), (middle, since + 0.5 * width), (to, since + width)] {
            let q = samples.place(place, n);
            gradient.load(system.contacts(), self.leg.at.t + tau * self.grid[1].signum(), q, contact);
            let (mut length, mut apart, mut size) = (0.0, 0.0, 0.0);
            for (i, g) in gradient.iter().filter(|(_, g)| *g != 0.0) {
                let seen = [(quarter, 0.25 * width), (three_quarters, 0.75 * width)].map(|(place, t)| {
                    let model = at(from, i) + t * (samples.v[i] + 0.5 * t * samples.a[i]);
                    (at(place, i) - model).abs()
                });
                let most = seen[0].max(seen[1]);
                apart += most * most;
                length += g * g;
                // A place is the start of the leg and the way from there: its round-off is that of both.
                let start = self.leg.at.q[i];
                size += g.abs() * (start.abs() + (q[i] - start).abs());
            }
            longest = if length <= longest { longest } else { length };
            (off, noise) = (off.max(apart), noise.max(NOISE * size));
        }
        let margin = (longest * off).sqrt();
        (SAFETY * margin + noise, noise)
    }

    /// Whether a gap becomes smaller all along the part whose parabola was fitted last.
    fn falls<S: System + ?Sized>(&mut self, system: &S, contact: ContactId, part: &Part) -> bool {
        let (n, pace) = (self.leg.at.q.len(), self.grid[1].signum());
        let t = self.leg.at.t + pace * part.since;
        let (samples, Room { gradient, .. }) = (&self.search.samples, &mut self.search.room);
        let Samples { v, a, .. } = samples;
        let arc = Parabola { t, pace, q: samples.place(part.from, n), v, a, duration: part.width };
        gradient.load(system.contacts(), t, arc.q, contact);
        let drift = match system.time_dependence().contacts {
            true => pace * system.contacts().rates(t, arc.q, contact)[0],
            false => 0.0,
        };
        let bend = system.contacts().along().and_then(|along| along.bend(&arc, contact));
        bend.is_some_and(|[_, upper]| {
            upper < f64::INFINITY
                && gradient.dot(v) + drift + upper.max(0.0) * part.width < -RATE * part.margin / part.width
        })
    }

    /// `None` if the gap stays above the margin on the parabola that was fitted last; otherwise when it is smallest after it has met the margin.
    fn meet<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: ContactId,
        part: &Part,
    ) -> Result<Option<f64>, Failure> {
        let (n, pace) = (self.leg.at.q.len(), self.grid[1].signum());
        let t = self.leg.at.t + pace * part.since;
        let (samples, room) = (&self.search.samples, &mut self.search.room);
        let Samples { v, a, .. } = samples;
        let arc = Parabola { t, pace, q: samples.place(part.from, n), v, a, duration: part.width };
        let [margin, slope] =
            if part.leaving { [0.0, RATE * part.margin / part.width] } else { [part.margin, 0.0] };
        let mut model = Model { system, contact, arc, room, margin, slope, noise: part.noise };
        let start = model.at(0.0)?;
        let open = if part.leaving { start.rate > 0.0 } else { start.gap > 0.0 };
        let met = if open { roots::first_root(&mut model, part.width)? } else { Some(0.0) };
        let Some(mut low) = met else { return Ok(None) };
        let mut high = part.width;
        for _ in 0..HALVINGS {
            let half = 0.5 * (low + high);
            if model.at(half)?.rate < 0.0 {
                low = half;
            } else {
                high = half;
            }
        }
        Ok(Some(high))
    }

    /// The root between two lengths of the leg.
    fn close_in<S: System + ?Sized>(
        &mut self,
        system: &S,
        contact: ContactId,
        Bracket { times, values, floor, divided }: Bracket,
        limit: f64,
    ) -> Result<Sought, Failure> {
        let mut unmet = false;
        let root = bracket(times, values, limit, |t| {
            let gap = self.gap_at(system, contact, t)? - floor;
            unmet |= self.leg.condition.asked && !self.leg.condition.met;
            Ok(if divided { gap / t } else { gap })
        })?;
        Ok(if unmet { Sought::Unmet } else { Sought::Root((root <= limit).then_some(root)) })
    }
}
