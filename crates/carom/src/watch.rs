//! Watched quantities: where they cross zero along the motion, also inside a step.
//!
//! In every step a quantity is looked at in [`SAMPLES`] evenly spaced points of the motion ([`Between`]), the node at the end among
//! them. Where its sign has changed, the crossing is closed in to round-off of the fraction of the step that has passed. Two crossings
//! between neighbouring points are not seen. A value of exactly zero has no sign: it is compared with the last that had one, so that
//! a zero at a node is one crossing or, if the quantity turns back there, none; the crossing is then where that zero was seen. Where the
//! motion starts from zero, nothing is crossed. A jump from one sign to the other counts as a crossing.
//!
//! Cost per step: 16 points of the motion and 16 evaluations of every quantity, and about 10 more for a crossing. Nothing is
//! allocated once warm.

use serde::{Deserialize, Serialize};

use crate::between::{Between, Moment};
use crate::bracket::bracket;
use crate::error::{Failure, told};
use crate::observe::Frame;
use crate::system::System;

/// Points in which a quantity is looked at in every step.
pub const SAMPLES: u32 = 16;

/// Which crossings count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Direction {
    /// All of them.
    #[default]
    Any,
    /// From negative to positive.
    Rising,
    /// From positive to negative.
    Falling,
}

/// A function of the motion.
pub trait Quantity {
    /// Its value at a time, for coordinates and velocities.
    fn at(&self, t: f64, q: &[f64], v: &[f64]) -> f64;
}

/// A quantity whose zeros are looked for.
pub struct Watch {
    /// What it is called.
    pub name: String,
    /// The quantity.
    pub quantity: Box<dyn Quantity>,
    /// Which of its crossings count.
    pub direction: Direction,
}

/// A crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// When.
    pub t: f64,
    /// Fraction of the step that had passed.
    pub alpha: f64,
    /// Which of the watches.
    pub watch: usize,
    /// Whether the quantity became positive; otherwise negative.
    pub rising: bool,
}

/// What was seen of a watch so far.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Watched {
    /// Crossings that counted.
    pub count: u64,
    /// When the first was.
    pub first: Option<f64>,
    /// When the last was.
    pub last: Option<f64>,
    /// The last value.
    value: f64,
    /// The sign of the last value that had one; 0 if none had.
    sign: f64,
}

/// Looks out for crossings in every step of a run.
pub struct Lookout<'a> {
    watches: &'a [Watch],
    watched: Vec<Watched>,
    crossings: Vec<Crossing>,
    /// Where the quantities are looked at, and where a crossing is closed in.
    sample: Moment,
    trial: Moment,
}

impl<'a> Lookout<'a> {
    /// For a system of `n` coordinates, from its start.
    pub fn new(watches: &'a [Watch], n: usize) -> Self {
        Self {
            watches,
            watched: vec![Watched::default(); watches.len()],
            crossings: Vec::new(),
            sample: Moment::new(n),
            trial: Moment::new(n),
        }
    }

    /// Takes over what was seen of the same watches before: a run then goes on with the same bits.
    pub fn recall(&mut self, watched: &[Watched]) {
        self.watched.copy_from_slice(watched);
    }

    /// What was seen so far, one per watch.
    pub fn watched(&self) -> &[Watched] {
        &self.watched
    }

    /// The crossings that counted in the last step, in time.
    pub fn crossings(&self) -> &[Crossing] {
        &self.crossings
    }

    /// Looks at the step that led to a frame, or at the start. A quantity that is not finite is an error.
    pub fn observe<S: System + ?Sized>(
        &mut self,
        system: &S,
        between: &mut Between,
        frame: &Frame,
    ) -> Result<(), String> {
        self.crossings.clear();
        let points = if frame.step == 0 { SAMPLES..=SAMPLES } else { 1..=SAMPLES };
        for point in points {
            let s = f64::from(point) / f64::from(SAMPLES);
            let place = between.at(system, frame, s, &mut self.sample);
            place.map_err(|failure| format!("between the nodes, at t = {}: {failure}", told(self.sample.t)))?;
            for index in 0..self.watches.len() {
                let value = self.watches[index].value(&self.sample)?;
                let sign = if value == 0.0 { 0.0 } else { value.signum() };
                if sign * self.watched[index].sign < 0.0 {
                    let ends = [s - f64::from(SAMPLES).recip(), s];
                    self.cross(system, (between, frame), index, ends, value)?;
                }
                let seen = &mut self.watched[index];
                seen.value = value;
                seen.sign = if sign == 0.0 { seen.sign } else { sign };
            }
        }
        let order = |a: &Crossing, b: &Crossing| a.alpha.total_cmp(&b.alpha).then(a.watch.cmp(&b.watch));
        self.crossings.sort_unstable_by(order);
        Ok(())
    }

    /// Closes in a crossing between two points of the step, at the second of which the quantity has the other sign.
    fn cross<S: System + ?Sized>(
        &mut self,
        system: &S,
        (between, frame): (&mut Between, &Frame),
        index: usize,
        ends: [f64; 2],
        value: f64,
    ) -> Result<(), String> {
        let (watch, before) = (&self.watches[index], self.watched[index].value);
        let rising = value > 0.0;
        if watch.direction == if rising { Direction::Falling } else { Direction::Rising } {
            return Ok(());
        }
        let mut bad = None;
        let side = |s: f64| {
            between.at(system, frame, s, &mut self.trial)?;
            let value = watch.value(&self.trial).map_err(|message| {
                bad = Some(message);
                Failure::NonFinite { what: "a watched quantity" }
            })?;
            Ok(if rising { -value } else { value })
        };
        let found =
            if before == 0.0 { Ok(ends[0]) } else { bracket(ends, [before.abs(), -value.abs()], 1.0, side) };
        let alpha = found
            .map_err(|failure: Failure| bad.unwrap_or_else(|| format!("watch `{}`: {failure}", watch.name)))?;
        let t =
            if alpha < 1.0 { between.start() + alpha * (frame.state.t - between.start()) } else { frame.state.t };
        self.crossings.push(Crossing { t, alpha, watch: index, rising });
        let seen = &mut self.watched[index];
        seen.count += 1;
        seen.first = seen.first.or(Some(t));
        seen.last = Some(t);
        Ok(())
    }
}

impl Watch {
    fn value(&self, at: &Moment) -> Result<f64, String> {
        let value = self.quantity.at(at.t, &at.q, &at.v);
        match value.is_finite() {
            true => Ok(value),
            false => Err(format!("watch `{}` is not finite at t = {}", self.name, told(at.t))),
        }
    }
}
