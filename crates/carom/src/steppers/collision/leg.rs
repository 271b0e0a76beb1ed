//! A leg: the base rule from a state, as a function of the leg's length.

use std::sync::atomic::Ordering;

use super::Options;
use super::closing::Condition;
use super::step::Collision;
use crate::discrete::LinearPath;
use crate::error::Failure;
use crate::state::State;
use crate::steppers::variational::Rule;
use crate::steppers::{Impulses, Stepper};
use crate::system::System;

/// Chord velocities of legs shorter than this share of the step are not made of differences of places.
const SHORT: f64 = 1e-6;

/// What is known of the place where a leg starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Place {
    /// Nothing.
    New,
    /// The last step ended there: its gaps.
    Last,
    /// Another leg of the step ended there: its gaps, and of a parabola its forces.
    Arrival,
    /// The leg before started there too, or its place needs nothing else: all but the momentum.
    Same,
}

/// A length of a leg: momenta at its start and between the two half kicks, end, chord velocity, scale of the condition.
#[derive(Debug, Clone)]
struct Kept {
    tau: Option<f64>,
    p: Vec<f64>,
    half: Vec<f64>,
    end: State,
    chord: Vec<f64>,
    scale: f64,
}

/// The leg of a step that is under way.
#[derive(Debug, Clone)]
pub struct Leg {
    /// Where it starts.
    pub at: State,
    /// Where it ends, after the length that was tried last.
    pub end: State,
    /// How long it is, once it has been flown.
    pub tau: f64,
    /// The length that `end` belongs to.
    pub placed: Option<f64>,
    /// `M⁻¹p` at the start.
    pub v: Vec<f64>,
    /// Chord velocity `(x − q)/τ`.
    pub chord: Vec<f64>,
    /// What is asked of the momentum at the start.
    pub condition: Condition,
    /// The rule, for its discrete energy.
    pub rule: LinearPath,
    /// Whether the path is a parabola: the trapezoid rule with a constant mass, and nothing but forces of the place.
    pub parabolic: bool,
    /// `∂V/∂q − f` at the start, of a parabola.
    pub gradient: Vec<f64>,
    /// The same at the end.
    pub next_gradient: Vec<f64>,
    /// Acceleration, of a parabola.
    pub a: Vec<f64>,
    /// The leg to the end of the step, while shorter lengths are tried.
    kept: Kept,
    /// The start with half of the friction of the leg.
    pub rubbed: State,
    /// Momentum between the two half kicks.
    half: Vec<f64>,
    force: Vec<f64>,
}

impl Leg {
    /// For a system.
    pub fn new<S: System + ?Sized>(options: &Options, system: &S, start: &State) -> Self {
        let n = system.dim();
        let vector = || vec![0.0; n];
        let coupled = system.forces().is_some_and(|forces| forces.depends_on_velocity());
        let trapezoid = options.base.rule == Rule::Trapezoid;
        let parabolic = trapezoid && system.mass().is_constant() && !coupled && system.equalities().count() == 0;
        Self {
            at: start.clone(),
            end: start.clone(),
            tau: 0.0,
            placed: None,
            v: vector(),
            chord: vector(),
            condition: Condition::default(),
            rule: options.base.path(n),
            parabolic,
            gradient: vector(),
            next_gradient: vector(),
            a: vector(),
            kept: Kept { tau: None, p: vector(), half: vector(), end: start.clone(), chord: vector(), scale: 1.0 },
            rubbed: start.clone(),
            half: vector(),
            force: vector(),
        }
    }

    /// `∂V/∂q − f` at a place.
    fn evaluate<S: System + ?Sized>(&mut self, system: &S, t: f64, at_end: bool) {
        let (q, out) =
            if at_end { (&self.end.q, &mut self.next_gradient) } else { (&self.at.q, &mut self.gradient) };
        system.potential_gradient(t, q, out);
        if let Some(forces) = system.forces() {
            forces.force(t, q, &self.v, &mut self.force);
            out.iter_mut().zip(&self.force).for_each(|(out, force)| *out -= force);
        }
    }
}

impl Collision {
    /// Keeps what was flown last, if no impulses of held rows belong to it.
    pub(super) fn keep(&mut self) {
        let free = self.rows.is_none() && self.resting.is_empty();
        let Leg { at, half, end, chord, placed, condition, kept, .. } = &mut self.leg;
        if free && kept.tau.is_none() && (condition.met || !condition.asked) {
            kept.p.copy_from_slice(&at.p);
            kept.half.copy_from_slice(half);
            kept.end.copy_from(end);
            kept.chord.copy_from_slice(chord);
            (kept.tau, kept.scale) = (*placed, condition.scale);
        }
    }

    /// Nothing is kept.
    pub(super) fn keep_none(&mut self) {
        self.leg.kept.tau = None;
    }

    /// Takes up what was kept again.
    pub(super) fn restore(&mut self) {
        let Leg { at, half, end, chord, placed, condition, kept, .. } = &mut self.leg;
        if kept.tau.is_some() {
            at.p.copy_from_slice(&kept.p);
            half.copy_from_slice(&kept.half);
            end.copy_from(&kept.end);
            chord.copy_from_slice(&kept.chord);
            (*placed, condition.scale, condition.met) = (kept.tau, kept.scale, condition.asked);
            self.search.ahead = true;
        }
    }

    /// Makes everything ready for a leg from `leg.at`: velocity, gaps, forces.
    pub(super) fn set_off<S: System + ?Sized>(&mut self, system: &S, place: Place) -> Result<(), Failure> {
        if matches!(place, Place::New | Place::Last) {
            self.inverse.prepare(system, &self.leg.at.q)?;
        }
        if place == Place::New {
            self.search.near.survey(system, self.leg.at.t, &self.leg.at.q);
        }
        self.leg.v.copy_from_slice(&self.leg.at.p);
        self.inverse.solve(&mut self.leg.v);
        self.leg.placed = None;
        if self.leg.parabolic {
            match place {
                Place::Same => {}
                Place::Arrival if self.resting.is_empty() => {
                    std::mem::swap(&mut self.leg.gradient, &mut self.leg.next_gradient);
                }
                Place::Arrival | Place::Last | Place::New => {
                    let t = self.leg.at.t;
                    self.leg.evaluate(system, t, false);
                }
            }
            self.leg.a.copy_from_slice(&self.leg.gradient);
            self.inverse.solve(&mut self.leg.a);
            self.leg.a.iter_mut().for_each(|a| *a = -*a);
        }
        self.resting.clear();
        Ok(())
    }

    /// The end of the leg after `tau ≥ 0`, and its chord velocity; of a parabola the place only. The momentum at the start is
    /// made to satisfy its condition first.
    pub(super) fn place<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<(), Failure> {
        if self.leg.placed == Some(tau) {
            return Ok(());
        }
        self.leg.placed = None;
        self.search.ahead = false;
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Failure::Interrupted);
        }
        if self.leg.condition.asked && tau > 0.0 {
            self.close(system, tau)?;
        } else {
            self.fly(system, tau)?;
        }
        self.leg.placed = Some(tau);
        Ok(())
    }

    /// The same from the momentum as it is.
    pub(super) fn fly<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<(), Failure> {
        let tau = tau * self.grid[1].signum();
        let leg = &mut self.leg;
        if tau == 0.0 {
            leg.end.copy_from(&leg.at);
            leg.chord.copy_from_slice(&leg.v);
            leg.half.copy_from_slice(&leg.at.p);
            return Ok(());
        }
        if leg.parabolic && self.resting.is_empty() {
            for ((half, p), gradient) in leg.half.iter_mut().zip(&leg.at.p).zip(&leg.gradient) {
                *half = p - 0.5 * tau * gradient;
            }
            leg.chord.copy_from_slice(&leg.half);
            self.inverse.solve(&mut leg.chord);
            for ((x, q), v) in leg.end.q.iter_mut().zip(&leg.at.q).zip(&leg.chord) {
                *x = q + tau * v;
            }
            return Ok(());
        }
        let report = if self.resting.is_empty() {
            leg.end.copy_from(&leg.at);
            self.free.step(system, &mut leg.end, tau).map_err(|error| error.failure)?
        } else {
            self.fly_held(system, tau)?
        };
        self.report.iterations += report.iterations;
        self.report.residual = self.report.residual.max(report.residual);
        let leg = &mut self.leg;
        match self.free.chord().filter(|_| self.resting.is_empty()) {
            Some(chord) => leg.chord.copy_from_slice(chord),
            // The discrete energy of a short leg is that of its ends.
            None if tau.abs() < SHORT * self.grid[1].abs() => leg.chord.copy_from_slice(&leg.v),
            None => {
                for ((v, x), q) in leg.chord.iter_mut().zip(&leg.end.q).zip(&leg.at.q) {
                    *v = (x - q) / tau;
                }
            }
        }
        Ok(())
    }

    /// Time and momentum at the end of the leg that was flown last.
    pub(super) fn complete<S: System + ?Sized>(&mut self, system: &S, tau: f64) {
        let signed = tau * self.grid[1].signum();
        self.leg.end.t = self.leg.at.t + signed;
        if self.leg.parabolic && self.resting.is_empty() {
            let t = self.leg.end.t;
            self.leg.evaluate(system, t, true);
            let leg = &mut self.leg;
            for ((p, half), gradient) in leg.end.p.iter_mut().zip(&leg.half).zip(&leg.next_gradient) {
                *p = half - 0.5 * signed * gradient;
            }
        }
    }

    /// Goes to the end of the leg: place and momentum there.
    pub(super) fn arrive<S: System + ?Sized>(&mut self, system: &S, tau: f64) -> Result<(), Failure> {
        let tau = tau.max(0.0);
        self.place(system, tau)?;
        self.impact_states.close(&self.leg.at.p);
        self.complete(system, tau);
        self.leg.tau = tau;
        if tau > 0.0 && !(self.leg.parabolic && self.resting.is_empty()) {
            self.take_impulses(system);
        }
        if self.leg.condition.asked {
            self.book_condition();
        }
        if tau > 0.0 && !self.resting.is_empty() {
            self.rub(system)?;
        }
        Ok(())
    }

    /// Impulses of the constraints and resting contacts in the leg.
    fn take_impulses<S: System + ?Sized>(&mut self, system: &S) {
        let m = system.equalities().count();
        let impulses = if self.resting.is_empty() {
            Stepper::<S>::impulses(&self.free)
        } else {
            Impulses::at_ends(&self.holder.start_impulse, &self.holder.end_impulse)
        };
        for row in 0..m {
            self.start_impulse[row] += impulses.start[row];
            self.end_impulse[row] += impulses.end[row];
        }
        if self.resting.is_empty() {
            return;
        }
        self.report.active |= !self.holder.held.is_empty();
        self.report.surface_work += self.holder.surface_work(system, &self.leg.at);
        for (place, &contact) in self.holder.held.iter().enumerate() {
            let impulse = impulses.start[m + place] + impulses.end[m + place];
            self.contact_impulse.add(contact, 0.0 - impulse);
        }
    }
}
