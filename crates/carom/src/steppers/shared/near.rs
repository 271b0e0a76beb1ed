//! The contacts that a step may meet, with their gaps at its ends, and what they do to it.

use crate::linear::max_abs;
use crate::steppers::ContactImpulse;
use crate::system::{ContactId, ContactSet, System, Way};

/// Gaps above this part of the largest coordinates are open: round-off, and what counts as closed, is far below it.
const OPEN: f64 = 1e-8;

/// Gaps above this multiple of the largest coordinates do not occur between bodies of a system; and what the nearest gap may have grown by since
/// the last look.
const WHOLE: f64 = 8.0;
const WIDER: f64 = 1.5;

/// Contacts along a way, and their gaps where it starts and ends.
#[derive(Debug, Clone, Default)]
pub struct Near {
    set: ContactSet,
    /// Gaps where the way starts.
    pub gap: Vec<f64>,
    /// Gaps where it ends.
    pub next: Vec<f64>,
}

impl Near {
    /// Looks for the contacts of a place, and takes their gaps there as those at the start.
    pub fn survey<S: System + ?Sized>(&mut self, system: &S, t: f64, q: &[f64]) {
        self.set.find(system.contacts(), Way::at(t, q), OPEN * max_abs(q));
        self.take_start(system, t, q);
        self.next.resize(self.set.len(), 0.0);
    }

    /// Takes the gaps of the same contacts at a place on the way as those at the start of another.
    pub fn take_start<S: System + ?Sized>(&mut self, system: &S, t: f64, q: &[f64]) {
        self.gap.resize(self.set.len(), 0.0);
        system.contacts().gaps_of(t, q, self.set.ids(), &mut self.gap);
    }

    /// Looks for the contacts whose gap may come down to nothing, or to `margin`, along a way from the place that gaps at the start belong to.
    /// Their gaps at its end are known then.
    #[inline]
    pub fn look<S: System + ?Sized>(&mut self, system: &S, way: Way, margin: f64) {
        let contacts = system.contacts();
        if contacts.is_constant() {
            if self.set.find(contacts, way, 0.0) {
                self.take_start(system, way.t[0], way.q[0]);
                self.next.resize(self.set.len(), 0.0);
            }
            return contacts.gaps(way.t[1], way.q[1], &mut self.next);
        }
        let round_off = OPEN * (max_abs(way.q[0]) + max_abs(way.q[1]));
        if self.set.find(contacts, way, margin + round_off) {
            self.take_start(system, way.t[0], way.q[0]);
        }
        self.next.resize(self.set.len(), 0.0);
        contacts.gaps_of(way.t[1], way.q[1], self.set.ids(), &mut self.next);
    }

    /// The end of the way is the start of the next one.
    #[inline]
    pub fn go_on(&mut self) {
        std::mem::swap(&mut self.gap, &mut self.next);
    }

    /// The contacts, ascending.
    #[inline]
    pub fn ids(&self) -> &[ContactId] {
        self.set.ids()
    }

    /// The place of a contact among them.
    #[inline]
    pub fn place(&self, contact: ContactId) -> Option<usize> {
        self.set.place(contact)
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// Every contact with its gaps at the start and at the end.
    #[inline]
    pub fn each(&self) -> impl Iterator<Item = (ContactId, f64, f64)> + '_ {
        let gaps = self.gap.iter().zip(&self.next);
        self.set.ids().iter().zip(gaps).map(|(&contact, (&gap, &next))| (contact, gap, next))
    }
}

/// The contacts of a place that are not open, and the nearest one.
#[derive(Debug, Clone, Default)]
pub struct Nearest {
    set: ContactSet,
    /// Their gaps.
    pub gap: Vec<f64>,
    /// Up to which gap contacts were looked for last.
    margin: f64,
}

impl Nearest {
    /// Looks for them. The least gap does not depend on what was looked for before.
    pub fn look<S: System + ?Sized>(&mut self, system: &S, t: f64, q: &[f64]) {
        let contacts = system.contacts();
        if contacts.is_constant() {
            self.set.find(contacts, Way::at(t, q), 0.0);
            self.gap.resize(self.set.len(), 0.0);
            return contacts.gaps(t, q, &mut self.gap);
        }
        let extent = max_abs(q);
        // Beyond it nothing is left to be found.
        let farthest = WHOLE * extent;
        self.margin = self.margin.clamp(OPEN * extent, farthest);
        loop {
            self.set.find(contacts, Way::at(t, q), self.margin);
            self.gap.resize(self.set.len(), 0.0);
            contacts.gaps_of(t, q, self.set.ids(), &mut self.gap);
            let least = self.gap.iter().copied().fold(f64::INFINITY, f64::min);
            if least <= self.margin || self.margin >= farthest || extent == 0.0 || !extent.is_finite() {
                self.margin = WIDER * least.abs();
                return;
            }
            self.margin = if least.is_finite() { least } else { (4.0 * self.margin).min(farthest) };
        }
    }

    /// Which they are.
    pub fn ids(&self) -> &[ContactId] {
        self.set.ids()
    }
}

/// Impulses of contacts in a step, ascending; contacts without one are not there.
#[derive(Debug, Clone, Default)]
pub struct ContactImpulses {
    list: Vec<ContactImpulse>,
}

impl ContactImpulses {
    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.list.clear();
    }

    /// The place of a contact, which is made if it has none.
    #[inline]
    fn of(&mut self, contact: ContactId) -> &mut ContactImpulse {
        let place = self.list.binary_search_by_key(&contact, |impulse| impulse.contact).unwrap_or_else(|place| {
            self.list.insert(place, ContactImpulse { contact, normal: 0.0, friction: [0.0; 2] });
            place
        });
        &mut self.list[place]
    }

    /// Adds an impulse along the gradient.
    #[inline]
    pub fn add(&mut self, contact: ContactId, impulse: f64) {
        self.of(contact).normal += impulse;
    }

    /// Adds impulses along the directions of sliding.
    pub fn add_friction(&mut self, contact: ContactId, impulses: &[f64]) {
        let own = &mut self.of(contact).friction;
        own.iter_mut().zip(impulses).for_each(|(sum, impulse)| *sum += impulse);
    }

    /// Adds those of another step.
    pub fn add_all(&mut self, others: &[ContactImpulse]) {
        for other in others {
            let own = self.of(other.contact);
            own.normal += other.normal;
            own.friction.iter_mut().zip(other.friction).for_each(|(sum, impulse)| *sum += impulse);
        }
    }

    /// All of them.
    #[inline]
    pub fn as_slice(&self) -> &[ContactImpulse] {
        &self.list
    }
}

/// The impulse of a contact along its gradient, of a list in their order; 0 if it has none.
pub fn normal_impulse(impulses: &[ContactImpulse], contact: ContactId) -> f64 {
    let place = impulses.binary_search_by_key(&contact, |impulse| impulse.contact);
    place.map_or(0.0, |place| impulses[place].normal)
}
