//! The parts that a step of `gvi` is made of.

use super::discrete::Reflections;
use super::step::Gvi;
use super::touching::is_closed;
use super::{Energy, Linearized, Predicate};
use crate::error::Failure;
use crate::impact::{Cone, Resolved};
use crate::state::State;
use crate::steppers::shared::held::{Quest, Stride};
use crate::steppers::shared::views::Free;
use crate::steppers::variational::Variational;
use crate::steppers::verlet::Verlet;
use crate::steppers::{Impulses, StepReport, Stepper};
use crate::system::{System, Way};

/// Predictions in a step with `iterate_predictor`.
const MOST_PREDICTIONS: u32 = 100;

impl Gvi {
    /// The free step from `state`, without equality constraints.
    pub(super) fn predict<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<(), Failure> {
        self.arrival_known = false;
        match (&mut self.free, &mut self.predictor) {
            (Variational::Trapezoid(Verlet::Explicit(free)), Some(_)) => {
                free.predict(system, state, h, &mut self.predicted.q)
            }
            (_, Some(predictor)) => {
                self.predicted.copy_from(state);
                self.arrival_known = true;
                predictor.step(&Free(system), &mut self.predicted, h).map(drop).map_err(|error| error.failure)
            }
            (free, None) => {
                self.predicted.copy_from(state);
                self.arrival_known = true;
                free.step(system, &mut self.predicted, h).map(drop).map_err(|error| error.failure)
            }
        }
    }

    /// Gaps at the end of the step, or at the predicted point where none is given; of linearized constraints those of their tangent planes.
    #[inline]
    pub(super) fn look_ahead<S: System + ?Sized>(&mut self, system: &S, end: Option<&[f64]>, h: f64) {
        let Self { config, start, reference, predicted, row, near, .. } = self;
        let (q, t1) = (end.unwrap_or(&predicted.q), start.t + h);
        near.look(system, Way { t: [start.t, t1], q: [&start.q, q] }, 0.0);
        let at = match config.linearized {
            Linearized::None | Linearized::Qp => return,
            Linearized::Qt => &start.q,
            Linearized::Lag | Linearized::Fixed => &*reference,
        };
        let mut gaps = std::mem::take(&mut near.next);
        system.contacts().gaps_of(t1, at, near.ids(), &mut gaps);
        for (gap, &contact) in gaps.iter_mut().zip(near.ids()) {
            row.load(system.contacts(), t1, at, contact);
            *gap += row.iter().fold(0.0, |sum, (k, g)| sum + g * (q[k] - at[k]));
        }
        near.next = gaps;
    }

    /// Active contacts: those that are touched, and those that the prediction runs into. One that it only grazes is left
    /// alone: it is touched at the end of the step.
    pub(super) fn activate<S: System + ?Sized>(&mut self, system: &S, h: f64) -> Result<(), Failure> {
        self.contacts.members.clear();
        for place in 0..self.near.len() {
            let contact = self.near.ids()[place];
            let touched = self.touching.binary_search(&contact).is_ok();
            if touched || (self.near.next[place] <= 0.0 && !self.grazes(system, place, h)?) {
                self.contacts.members.push(contact);
            }
        }
        Ok(())
    }

    /// Whether the prediction arrives tangentially at a contact near the step.
    fn grazes<S: System + ?Sized>(&mut self, system: &S, place: usize, h: f64) -> Result<bool, Failure> {
        let Self { scales, row, predicted, near, start, .. } = self;
        let (contact, gap) = (near.ids()[place], near.next[place]);
        if !is_closed(system, (scales, row), (start.t + h, &predicted.q), (contact, gap), h) {
            return Ok(false);
        }
        if let (false, Some(predictor)) = (self.arrival_known, &mut self.predictor) {
            self.predicted.copy_from(&self.start);
            predictor.step(&Free(system), &mut self.predicted, h).map_err(|error| error.failure)?;
            self.arrival_known = true;
        }
        let (_, tolerance) = self.scales.along(&self.row, h);
        let t1 = self.start.t + h;
        let rate = if system.time_dependence().contacts {
            system.contacts().rates(t1, &self.predicted.q, contact)[0]
        } else {
            0.0
        };
        self.inverse.prepare(system, &self.predicted.q)?;
        // `reflected` is not in use yet.
        let v = &mut self.reflected.p;
        v.copy_from_slice(&self.predicted.p);
        self.inverse.solve(v);
        Ok((self.row.dot(v) + rate).abs() <= tolerance)
    }

    /// Reflects the momentum at the active contacts; those that come to rest are left out. Back in time a contact is approached
    /// where it would be left: the momentum is turned for the law, and turned back.
    pub(super) fn reflect<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Result<Resolved, Failure> {
        let turn = |p: &mut [f64]| {
            if h < 0.0 {
                p.iter_mut().for_each(|p| *p = -*p);
            }
        };
        turn(&mut state.p);
        let resolved = self.reflect_forth(system, state, h);
        turn(&mut state.p);
        resolved
    }

    fn reflect_forth<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Result<Resolved, Failure> {
        let m = system.equalities().count();
        let at = match self.config.linearized {
            Linearized::None | Linearized::Qt => &state.q,
            Linearized::Qp => &self.predicted.q,
            Linearized::Lag | Linearized::Fixed => &self.reference,
        };
        let given = (&self.inverse, self.rows.as_ref());
        self.contacts.evaluate(system, (state.t, at), given, (&self.scales, h), self.config.restitution)?;
        self.choose_captured(&state.p);
        let moving = |gvi: &Self, place: usize| !gvi.captured.contains(&gvi.contacts.members[place]);
        let approached = (0..self.contacts.members.len()).any(|place| {
            moving(self, place) && self.contacts.speed(place, &state.p) < -self.contacts.speed_tolerance[place]
        });
        // The shadow velocity may approach where the velocity does not.
        if !approached && (self.config.energy != Energy::Shadow || self.config.predicate == Predicate::Literal) {
            return Ok(Resolved::default());
        }
        self.metric.apply(system, &self.inverse, (state, h), (&self.contacts.y, &mut self.contacts.z));
        self.choose_approach(&state.p);
        let contacts = &self.contacts;
        let cone = Cone {
            g: &contacts.g,
            z: &contacts.z,
            approach: if self.config.energy == Energy::Shadow { &self.approach } else { &contacts.z },
            offset: &contacts.offset,
            restitution: &contacts.restitution,
            tolerance: &self.tolerance,
        };
        let resolved = match &mut self.discrete {
            None => self.resolver.resolve(&cone, &mut state.p),
            Some(discrete) => {
                let (free, inverse, at) = (&mut self.free, &self.inverse, &self.start);
                let mut scaling = Reflections { discrete, system, free, inverse, at, h };
                self.resolver.resolve_scaled(&cone, &mut state.p, &mut scaling)
            }
        };
        let resolved = resolved.map_err(|stuck| contacts.no_end(system, &stuck))?;
        self.surface_work += contacts.surface_work(&self.resolver.impulse);
        for (place, (&contact, impulse)) in contacts.members.iter().zip(&self.resolver.impulse).enumerate() {
            let impulse = impulse * h.signum();
            self.contact_impulse.add(contact, impulse);
            let nu = &contacts.nu[place * m..(place + 1) * m];
            self.start_impulse.iter_mut().zip(nu).for_each(|(sum, nu)| *sum += impulse * nu);
        }
        Ok(resolved)
    }

    /// By which rows, where these are not those of the velocity, and from which speed on contacts count as approached. A contact at rest is judged by its velocity: its
    /// shadow velocity is none of rest.
    fn choose_approach(&mut self, p: &[f64]) {
        let contacts = &self.contacts;
        self.approach.restart(p.len());
        self.tolerance.clear();
        for (place, contact) in contacts.members.iter().enumerate() {
            let tolerance = contacts.speed_tolerance[place];
            let rests = self.touching.binary_search(contact).is_ok() && contacts.speed(place, p).abs() <= tolerance;
            if self.config.energy == Energy::Shadow {
                let literal = rests || self.config.predicate == Predicate::Literal;
                let rows = if literal { &contacts.y } else { &contacts.z };
                self.approach.push_row(rows.row(place));
            }
            let out = self.captured.contains(contact);
            self.tolerance.push(if out { f64::INFINITY } else { tolerance });
        }
    }

    /// Contacts that come to rest: their rebound would be over within two steps.
    fn choose_captured(&mut self, p: &[f64]) {
        let contacts = &self.contacts;
        self.captured.clear();
        for (place, &contact) in contacts.members.iter().enumerate() {
            let (speed, e) = (contacts.speed(place, p), contacts.restitution[place]);
            let tolerance = contacts.speed_tolerance[place];
            // Only what presses the contact together brings it to rest.
            let slow = speed < -tolerance && -e * speed <= contacts.push[place].max(0.0) + tolerance;
            if slow && self.may_rest(e) {
                self.captured.push(contact);
            }
        }
    }

    /// Predicts with the reflected momentum and reflects at what is in the way then, until nothing is.
    pub(super) fn reflect_further<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
        impact: &mut Resolved,
    ) -> Result<(), Failure> {
        for _ in 0..MOST_PREDICTIONS {
            self.predict(system, state, h)?;
            self.look_ahead(system, None, h);
            let before = self.contacts.members.len();
            for (contact, ..) in self.near.each().filter(|(.., next)| *next <= 0.0) {
                if let Err(place) = self.contacts.members.binary_search(&contact) {
                    self.contacts.members.insert(place, contact);
                }
            }
            if self.contacts.members.len() == before {
                return Ok(());
            }
            impact.add(self.reflect(system, state, h)?);
        }
        let names = self
            .contacts
            .members
            .iter()
            .map(|&contact| format!("`{}` is in the way", system.contacts().name(contact)));
        Err(Failure::Impact { passes: impact.passes, contacts: names.collect::<Vec<_>>().join(", ") })
    }

    /// Whether a contact may come to rest.
    fn may_rest(&self, restitution: f64) -> bool {
        self.config.capture || restitution < 1.0
    }

    /// Contacts that may be held: touched tangentially, or such that may come to rest; and a guess which of them are.
    pub(super) fn choose_candidates(&mut self, p: &[f64]) {
        self.candidates.clear();
        self.guess.clear();
        for place in 0..self.contacts.members.len() {
            let tangent = self.is_tangent(place, p);
            let captured = self.captured.contains(&self.contacts.members[place]);
            if tangent || captured || self.may_rest(self.contacts.restitution[place]) {
                self.candidates.push(place);
            }
            if tangent || captured {
                self.guess.push(place);
            }
        }
    }

    /// Whether a contact is touched and neither approached nor left.
    fn is_tangent(&self, place: usize, p: &[f64]) -> bool {
        let touched = self.touching.binary_search(&self.contacts.members[place]).is_ok();
        touched && self.contacts.speed(place, p).abs() <= self.contacts.speed_tolerance[place]
    }

    /// The step from the reflected state.
    pub(super) fn held_or_free<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        if self.candidates.is_empty() {
            self.holder.held.clear();
            return self.free.step(system, state, h).map_err(|error| error.failure);
        }
        let stride = Stride { state, h };
        let guesses = (&self.guess[..], &self.carrying[..]);
        let quest = Quest { stride, contacts: &self.contacts, candidates: &self.candidates };
        self.holder.forget();
        let report = self.holder.step(system, quest, guesses)?;
        state.copy_from(&self.holder.end);
        Ok(report)
    }

    /// Whether a contact that may come to rest is violated at the end of the step.
    pub(super) fn leaves_violated<S: System + ?Sized>(&self, system: &S) -> bool {
        let own = |contact| system.contacts().material(contact).restitution;
        let e = |contact| self.config.restitution.unwrap_or_else(|| own(contact));
        self.near.each().any(|(contact, _, next)| next < 0.0 && self.may_rest(e(contact)))
    }

    /// Adds contacts that may come to rest and are violated at the end of the step; whether there are any.
    pub(super) fn add_violated<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> bool {
        let before = self.contacts.members.len();
        for near in 0..self.near.len() {
            let (contact, gap, e) = (self.near.ids()[near], self.near.next[near], self.config.restitution);
            let Err(place) = self.contacts.members.binary_search(&contact) else { continue };
            let own = || system.contacts().material(contact).restitution;
            let rests = gap < 0.0 && self.may_rest(e.unwrap_or_else(own));
            let room = (&self.scales, &mut self.row);
            if rests && !is_closed(system, room, (state.t, &state.q), (contact, gap), h) {
                self.contacts.members.insert(place, contact);
            }
        }
        self.contacts.members.len() > before
    }

    /// How many contacts came to rest. What restitution takes of them is booked as the work of an impact, which it counts as; the
    /// rest is the capture's.
    pub(super) fn count_captured(&mut self, impact: &mut Resolved, h: f64) -> u32 {
        let contacts = &self.contacts;
        let mut count = 0;
        self.tolerance.clear();
        for (place, contact) in contacts.members.iter().enumerate() {
            let held = self.holder.held.binary_search(contact).is_ok();
            let fresh = held && !self.is_tangent(place, &self.reflected.p);
            count += u32::from(fresh);
            let takes = fresh && contacts.restitution[place] < 1.0;
            self.tolerance.push(if takes { contacts.speed_tolerance[place] } else { f64::INFINITY });
        }
        if self.tolerance.iter().any(|tolerance| tolerance.is_finite()) {
            self.reflected.p.iter_mut().for_each(|p| *p *= h.signum());
            let cone = Cone {
                g: &contacts.g,
                z: &contacts.y,
                approach: &contacts.y,
                offset: &contacts.offset,
                restitution: &contacts.restitution,
                tolerance: &self.tolerance,
            };
            if let Ok(resolved) = self.resolver.resolve(&cone, &mut self.reflected.p) {
                impact.add(resolved);
            }
        }
        count
    }

    /// Impulses of the step, beside those of reflections.
    pub(super) fn take_impulses<S: System + ?Sized>(&mut self) {
        let (m, holder) = (self.start_impulse.len(), &self.holder);
        let impulses = if self.candidates.is_empty() {
            Stepper::<S>::impulses(&self.free)
        } else {
            Impulses::at_ends(&holder.start_impulse, &holder.end_impulse)
        };
        for (sum, impulse) in self.start_impulse.iter_mut().zip(impulses.start) {
            *sum += impulse;
        }
        self.end_impulse.copy_from_slice(&impulses.end[..m]);
        for (place, &contact) in holder.held.iter().enumerate() {
            let impulse = impulses.start[m + place] + impulses.end[m + place];
            self.contact_impulse.add(contact, 0.0 - impulse);
        }
    }
}
