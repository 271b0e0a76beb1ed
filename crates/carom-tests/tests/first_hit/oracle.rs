//! The first hit of a path by brute force: samples, minima between them, bisection. It shares nothing with the search of the methods.
//!
//! A gap that goes below minus its *band* is a hit, one whose minimum is above its band is none, and what lies between is a graze: either
//! answer is right there.

use carom::error::Failure;
use carom::method::Method;
use carom::state::State;
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::{Stepper, variational};
use carom::system::System;

/// Samples near the start are at `2^-k` of the span, so that whatever leaves and comes back soon is seen to leave.
const HALVINGS: i32 = 48;
/// Steps of a golden section: the width falls by 1e-12.
const SECTIONS: u32 = 58;

/// A leg as a function of its length.
pub struct Path<'a> {
    system: &'a dyn System,
    start: &'a State,
    /// Of time.
    sign: f64,
    shape: Shape,
}

/// What a leg is.
enum Shape {
    /// `q + v τ + ½ a τ²`; coordinates of `still` are not accelerated: something holds them.
    Parabola { v: Vec<f64>, a: Vec<f64>, still: Option<usize> },
    /// One step of the base method, of the length `τ`.
    Base { step: Box<variational::Variational>, end: State },
}

impl<'a> Path<'a> {
    /// Of a mass that is constant and forces of the place alone.
    pub fn parabola(system: &'a dyn System, start: &'a State, sign: f64, still: Option<usize>) -> Self {
        let inverse = InverseMass::new(system, &start.q).expect("a mass");
        let (mut v, mut a) = (start.p.clone(), vec![0.0; start.q.len()]);
        inverse.solve(&mut v);
        system.potential_gradient(start.t, &start.q, &mut a);
        inverse.solve(&mut a);
        a.iter_mut().for_each(|a| *a = -*a);
        still.iter().for_each(|&i| a[i] = 0.0);
        Self { system, start, sign, shape: Shape::Parabola { v, a, still } }
    }

    /// Of a base method.
    pub fn base(
        config: &variational::Config,
        system: &'a dyn System,
        start: &'a State,
        sign: f64,
    ) -> Result<Self, Failure> {
        let step = Box::new(config.stepper(system, start)?);
        Ok(Self { system, start, sign, shape: Shape::Base { step, end: start.clone() } })
    }

    /// Its end, if there is one.
    pub fn at(&mut self, tau: f64, q: &mut [f64]) -> bool {
        let Self { system, start, sign, shape } = self;
        match shape {
            Shape::Parabola { v, a, .. } => {
                for (i, q) in q.iter_mut().enumerate() {
                    *q = start.q[i] + tau * (*sign * v[i] + 0.5 * tau * a[i]);
                }
                true
            }
            Shape::Base { step, end } => {
                end.copy_from(start);
                let made = tau == 0.0 || step.step(*system, end, *sign * tau).is_ok();
                q.copy_from_slice(&end.q);
                made
            }
        }
    }

    /// The state there: `p1 = p0 − ½τ(V'(q0) + V'(q1))` on a parabola.
    pub fn state(&mut self, tau: f64) -> State {
        let mut q = self.start.q.clone();
        self.at(tau, &mut q);
        let Self { system, start, sign, shape } = self;
        let t = start.t + *sign * tau;
        let still = match shape {
            Shape::Base { end, .. } => return State { t, q, p: end.p.clone() },
            Shape::Parabola { still, .. } => still,
        };
        let (mut before, mut after) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        system.potential_gradient(start.t, &start.q, &mut before);
        system.potential_gradient(t, &q, &mut after);
        let kicks = before.iter().zip(&after).map(|(before, after)| 0.5 * *sign * tau * (before + after));
        let mut p: Vec<f64> = start.p.iter().zip(kicks).map(|(p, kick)| p - kick).collect();
        still.iter().for_each(|&i| p[i] = start.p[i]);
        State { t, q, p }
    }
}

/// A hit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// When the gap is zero.
    pub tau: f64,
    /// When it is below minus its band.
    pub deep: f64,
    /// The contact.
    pub contact: usize,
}

/// What happens first on a path.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// The first hit.
    pub hit: Option<Hit>,
    /// Where gaps come into their bands without going below them, before that.
    pub grazes: Vec<(f64, usize)>,
    /// Whether the first hit is so slow that nothing can be told of it.
    pub unclear: bool,
    /// How many hops like the first would fill the step.
    pub hops: f64,
    /// When the look-out started, and where the last leg starts that was looked at: nothing is struck before.
    pub since: f64,
    pub last: State,
}

/// A path and the gaps that are looked at.
pub struct Oracle<'a, 'b> {
    pub path: &'b mut Path<'a>,
    pub system: &'b dyn System,
    pub span: f64,
    pub samples: usize,
    /// Per contact; infinite for one that is not looked at.
    pub bands: &'b [f64],
    q: Vec<f64>,
    gaps: Vec<f64>,
}

/// Times, and gaps at them: one row per time.
pub struct Samples {
    pub times: Vec<f64>,
    pub gaps: Vec<f64>,
}

impl<'a, 'b> Oracle<'a, 'b> {
    pub fn new(
        path: &'b mut Path<'a>,
        system: &'b dyn System,
        (span, samples): (f64, usize),
        bands: &'b [f64],
    ) -> Self {
        let (q, gaps) = (vec![0.0; system.dim()], vec![0.0; system.contacts().count()]);
        Self { path, system, span, samples, bands, q, gaps }
    }

    /// All gaps at a time; `None` where there is no path or they are not numbers.
    fn all(&mut self, tau: f64) -> Option<&[f64]> {
        let made = self.path.at(tau, &mut self.q);
        self.system.contacts().gaps(0.0, &self.q, &mut self.gaps);
        (made && self.gaps.iter().all(|gap| gap.is_finite())).then_some(&self.gaps)
    }

    /// One gap at a time.
    pub fn gap(&mut self, contact: usize, tau: f64) -> Option<f64> {
        self.all(tau).map(|gaps| gaps[contact])
    }

    /// Even samples, and finer ones near the start.
    pub fn sample(&mut self) -> Option<Samples> {
        let pace = self.span / self.samples as f64;
        let mut times = vec![0.0];
        times.extend((1..=HALVINGS).rev().map(|k| self.span * 0.5_f64.powi(k)).filter(|t| *t < pace));
        times.extend((1..=self.samples).map(|k| if k == self.samples { self.span } else { pace * k as f64 }));
        let mut gaps = Vec::with_capacity(times.len() * self.gaps.len());
        for &time in &times {
            gaps.extend_from_slice(self.all(time)?);
        }
        Some(Samples { times, gaps })
    }

    /// The lowest value of a gap between two times, and where.
    pub fn minimum(&mut self, contact: usize, [mut low, mut high]: [f64; 2]) -> Option<(f64, f64)> {
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_left, mut at_right) = (self.gap(contact, left)?, self.gap(contact, right)?);
        for _ in 0..SECTIONS {
            if at_left <= at_right {
                (high, right, at_right) = (right, left, at_left);
                left = high - GOLDEN * (high - low);
                at_left = self.gap(contact, left)?;
            } else {
                (low, left, at_left) = (left, right, at_right);
                right = low + GOLDEN * (high - low);
                at_right = self.gap(contact, right)?;
            }
        }
        Some(if at_left <= at_right { (left, at_left) } else { (right, at_right) })
    }

    /// Where a gap falls below a level that it is not below at `low`, and is at `high`.
    fn crossing(&mut self, contact: usize, level: f64, [mut low, mut high]: [f64; 2]) -> Option<f64> {
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if !(low < middle && middle < high) {
                break;
            }
            if self.gap(contact, middle)? < level { high = middle } else { low = middle }
        }
        Some(low)
    }

    /// The first hit of one contact, and its grazes before.
    fn first_of(&mut self, contact: usize, samples: &Samples, found: &mut Findings) -> Option<()> {
        let (count, band) = (self.bands.len(), self.bands[contact]);
        let Samples { times, gaps } = samples;
        let value = |i: usize| gaps[i * count + contact];
        // The last time at which the gap was not negative, and whether it has been above its band: what starts in it may leave it.
        let (mut open, mut away) = (None, false);
        for i in 0..times.len() {
            if found.hit.is_some_and(|hit| open.is_some_and(|open| hit.tau <= open)) {
                return Some(());
            }
            let (time, here) = (times[i], value(i));
            let mut lowest = (time, here);
            // A minimum between the neighbours, if it may lie lower than the sample by enough.
            if i > 0 && i + 1 < times.len() && here <= value(i - 1) && here <= value(i + 1) {
                let drop = (value(i - 1) - here).max(value(i + 1) - here);
                if here <= 4.0 * drop + band && here >= -band {
                    lowest = self.minimum(contact, [times[i - 1], times[i + 1]])?;
                }
            }
            if lowest.1 < -band {
                let tau = open.map_or(Some(0.0), |open| self.crossing(contact, 0.0, [open, lowest.0]))?;
                let deep = self.crossing(contact, -band, [tau, lowest.0])?;
                if found.hit.is_none_or(|hit| tau < hit.tau) {
                    found.hit = Some(Hit { tau, deep, contact });
                }
                return Some(());
            }
            if away && lowest.1 <= band {
                found.grazes.push((lowest.0, contact));
            }
            away |= here > band;
            if here >= 0.0 {
                open = Some(time);
            }
        }
        if !away {
            found.grazes.push((0.0, contact));
        }
        Some(())
    }

    /// What happens first; `None` if the path does not reach the end of the span.
    pub fn findings(&mut self) -> Option<Findings> {
        let samples = self.sample()?;
        let mut found = Findings::default();
        for contact in 0..self.bands.len() {
            if self.bands[contact].is_finite() {
                self.first_of(contact, &samples, &mut found)?;
            }
        }
        if let Some(hit) = found.hit {
            found.grazes.retain(|(tau, _)| *tau < hit.tau);
        }
        Some(found)
    }
}
