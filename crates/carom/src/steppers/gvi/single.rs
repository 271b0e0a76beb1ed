//! The short way of small systems: few coordinates in the air, and one elastic contact that is run into.
//!
//! Bit for bit what the long way gives: with few coordinates its lists are the cost. A pogo stick takes a third of the time.

use super::step::Gvi;
use super::{Energy, Linearized};
use crate::error::Failure;
use crate::linear::dot;
use crate::state::State;
use crate::steppers::{StepReport, Stepper};
use crate::system::System;

impl Gvi {
    /// The step of `N` coordinates without equality constraints if nothing is touched and at most one elastic contact is in the way.
    /// `None` if it is not that simple: the state is then as it was, as it is after a failure.
    #[inline]
    pub(super) fn advance_few<const N: usize, S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Option<Result<StepReport, Failure>> {
        if !(self.touching.is_empty() && self.carrying.is_empty() && self.plain) {
            return None;
        }
        let (t0, q0, p0) = (state.t, *state.q.first_chunk::<N>()?, *state.p.first_chunk::<N>()?);
        if self.known_q.first_chunk::<N>()? != &q0 {
            return None;
        }
        let report = match self.free.step(system, state, h) {
            Ok(report) => report,
            Err(error) => return Some(Err(error.failure)),
        };
        system.gap(&state.q, &mut self.next_gap);
        if self.is_clear() {
            if !self.idle {
                self.contact_impulse.fill(0.0);
                self.idle = true;
            }
            *self.known_q.first_chunk_mut::<N>()? = *state.q.first_chunk::<N>()?;
            self.gap.copy_from_slice(&self.next_gap);
            return Some(Ok(report));
        }
        (state.t, *state.q.first_chunk_mut::<N>()?, *state.p.first_chunk_mut::<N>()?) = (t0, q0, p0);
        let bounced = self.bounce(system, state, h)?;
        if bounced.is_err() {
            (state.t, *state.q.first_chunk_mut::<N>()?, *state.p.first_chunk_mut::<N>()?) = (t0, q0, p0);
        }
        Some(bounced)
    }

    /// Whether steps may take the short ways at all.
    pub(super) fn is_plain<S: System + ?Sized>(&self, system: &S) -> bool {
        let config = &self.config;
        self.predictor.is_none() && system.forces().is_none() && config.linearized == Linearized::None
    }

    /// The step into a single elastic contact, whose gaps ahead stand in `next_gap`. `None` if it is not that simple: the state is
    /// then as it was.
    #[inline]
    pub(super) fn bounce<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Option<Result<StepReport, Failure>> {
        let config = &self.config;
        let simple =
            self.plain && config.energy == Energy::Hamiltonian && !config.iterate_predictor && !config.capture;
        if !simple || !self.touching.is_empty() {
            return None;
        }
        let mut ahead =
            (0..self.gap.len()).filter(|&i| self.next_gap[i] <= super::step::NEARLY_CLOSED * self.gap[i].abs());
        let (contact, None) = (ahead.next()?, ahead.next()) else { return None };
        let elastic = config.restitution.unwrap_or_else(|| system.restitution(contact)) == 1.0;
        let inverse = self.inverse.reciprocals().filter(|_| elastic)?;
        self.approach.resize(2 * state.q.len(), 0.0);
        let (g, y) = self.approach.split_at_mut(state.q.len());
        system.gap_gradient(&state.q, contact, g);
        for ((y, g), inverse) in y.iter_mut().zip(&*g).zip(inverse) {
            *y = g * inverse;
        }
        self.scales.measure(system, &self.inverse, state, h);
        let (gap, tolerance) = self.scales.along(g, h);
        let (speed, next) = (dot(y, &state.p) + 0.0, self.next_gap[contact]);
        if next > 0.0 || next.abs() <= gap || speed >= -tolerance {
            return None;
        }
        // The reflection of `impact` for one contact: y = −2 (G·v)/(G M⁻¹Gᵀ).
        let impulse = -2.0 * speed / dot(y, g);
        if !(impulse > 0.0 && impulse.is_finite()) {
            return None;
        }
        for (p, g) in state.p.iter_mut().zip(&*g) {
            *p += impulse * g;
        }
        self.idle = false;
        self.contact_impulse.fill(0.0);
        self.contact_impulse[contact] = impulse;
        self.holder.held.clear();
        Some(self.free.step(system, state, h).map_err(|error| error.failure).and_then(|mut report| {
            system.gap(&state.q, &mut self.next_gap);
            (report.impacts, report.active) = (1, true);
            self.finish(system, state, h)?;
            Ok(report)
        }))
    }
}
