//! The short way of few coordinates with a diagonal mass: a step of Verlet in the air.
//!
//! Bit for bit what the long way gives; with few coordinates its lists are the cost.

use super::step::Collision;
use crate::state::State;
use crate::steppers::StepReport;
use crate::system::{Parabola, System};

/// A gap that is smaller than this share of what a step changes it by may be closed: the long way decides.
const NEARLY_CLOSED: f64 = 1e-6;

impl Collision {
    /// The step of `N` coordinates, if no contact is near. `None` if it is not that simple, or not finite: nothing has changed then.
    #[inline(always)]
    pub(super) fn advance_few<const N: usize, S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Option<StepReport> {
        let inverse = *self.inverse.reciprocals()?.first_chunk::<N>()?;
        let (q, p) = (*state.q.first_chunk::<N>()?, *state.p.first_chunk::<N>()?);
        if !self.gradient_known || !self.simple || self.known_q.first_chunk::<N>()? != &q || h <= 0.0 {
            return None;
        }
        let gradient = *self.leg.gradient.first_chunk::<N>()?;
        let (mut v, mut a, mut half, mut q1) = ([0.0; N], [0.0; N], [0.0; N], [0.0; N]);
        for i in 0..N {
            half[i] = p[i] - 0.5 * h * gradient[i];
            q1[i] = q[i] + h * (half[i] * inverse[i]);
            (v[i], a[i]) = (p[i] * inverse[i], -(gradient[i] * inverse[i]));
        }
        let contacts = system.contacts();
        contacts.gaps(state.t + h, &q1, &mut self.search.near.next);
        let arc = Parabola { t: state.t, pace: 1.0, q: &q, v: &v, a: &a, duration: h };
        for (contact, gap, next) in self.search.near.each() {
            let lowest = gap.min(next);
            let upper = contacts.along()?.bend(&arc, contact)?[1];
            let near = (upper.max(0.0) * h * h / 8.0).max(NEARLY_CLOSED * (gap - next).abs());
            // No comparison with what is not a number counts as clear.
            if !(lowest > near && upper < f64::INFINITY) {
                return None;
            }
        }
        let mut next_gradient = [0.0; N];
        system.potential_gradient(state.t + h, &q1, &mut next_gradient);
        let (mut p1, mut zero) = ([0.0; N], 0.0);
        for i in 0..N {
            p1[i] = half[i] - 0.5 * h * next_gradient[i];
            // Not zero as soon as a number is not finite.
            zero += p1[i] * 0.0 + q1[i] * 0.0;
        }
        if zero != 0.0 {
            return None;
        }
        if !self.idle {
            self.contact_impulse.clear();
            self.events.clear();
            self.impact_states.clear();
            self.idle = true;
        }
        *self.leg.gradient.first_chunk_mut::<N>()? = next_gradient;
        (*state.q.first_chunk_mut::<N>()?, *state.p.first_chunk_mut::<N>()?) = (q1, p1);
        *self.known_q.first_chunk_mut::<N>()? = q1;
        self.search.near.go_on();
        state.t += h;
        Some(StepReport::default())
    }
}
