//! Which contacts are closed, and what a step remembers of it.

use super::Linearized;
use super::step::{Gvi, NEARLY_CLOSED};
use crate::error::Failure;
use crate::linear::max_abs;
use crate::state::State;
use crate::steppers::ForeignMemory;
use crate::steppers::shared::contacts::{Row, Scales};
use crate::system::{ContactId, System};

/// Gaps above this multiple of the largest lengths are no contacts: their gradients are not asked for.
const FAR: f64 = 1e-6;

/// Whether a gap is none; its gradient is left in `row`.
pub(super) fn is_closed<S: System + ?Sized>(
    system: &S,
    (scales, row): (&Scales, &mut Row),
    (t, q): (f64, &[f64]),
    (contact, gap): (ContactId, f64),
    h: f64,
) -> bool {
    row.load(system.contacts(), t, q, contact);
    gap.abs() <= scales.along(row, h).0
}

impl Gvi {
    /// Gaps at a state that is not the end of the last step, and the contacts that are touched there.
    #[cold]
    pub(super) fn survey<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<(), Failure> {
        self.near.survey(system, state.t, &state.q);
        if !self.recalled {
            self.touching.clear();
            self.carrying.clear();
            self.inverse.prepare(system, &state.q)?;
            self.scales.measure(system, &self.inverse, (state, None), h);
            let far = FAR * (max_abs(&self.near.gap) + max_abs(&state.q));
            for place in 0..self.near.len() {
                let (contact, gap) = (self.near.ids()[place], self.near.gap[place]);
                let room = (&self.scales, &mut self.row);
                if gap.abs() <= far && is_closed(system, room, (state.t, &state.q), (contact, gap), h) {
                    self.touching.push(contact);
                    self.carrying.push(contact);
                }
            }
            self.remember();
        }
        self.recalled = false;
        self.known_q.copy_from_slice(&state.q);
        Ok(())
    }

    /// Notes what is touched at the end of the step, whose gaps stand in `next_gap`.
    #[inline]
    pub(super) fn finish<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Result<(), Failure> {
        let held: &[ContactId] = if self.idle { &[] } else { &self.holder.held };
        // Without contacts a gap that closes has fallen by many decades; of those that were closed round-off stays.
        let floor = if self.idle { 0.0 } else { NEARLY_CLOSED * max_abs(&state.q) };
        let nearly = |gap: f64, next: f64| next.abs() <= (NEARLY_CLOSED * gap.abs()).max(floor);
        let newly = |(contact, gap, next)| nearly(gap, next) && held.binary_search(&contact).is_err();
        let near = self.near.each().any(newly);
        let lag = self.config.linearized == Linearized::Lag;
        if lag {
            self.reference.clone_from(&self.start.q);
        }
        if near || lag || self.touching != held || self.carrying != held {
            if near {
                self.inverse.prepare(system, &state.q)?;
                self.scales.measure(system, &self.inverse, (state, None), h);
            }
            self.carrying.clear();
            self.carrying.extend_from_slice(held);
            self.touching.clone_from(&self.carrying);
            if near {
                self.find_newcomers(system, state, h, floor);
            }
            self.remember();
        }
        self.near.go_on();
        self.known_q.clone_from(&state.q);
        Ok(())
    }

    /// Contacts whose gap closed in this step without being held.
    #[cold]
    fn find_newcomers<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64, floor: f64) {
        for near in 0..self.near.len() {
            let (contact, gap, next) = (self.near.ids()[near], self.near.gap[near], self.near.next[near]);
            let Err(place) = self.touching.binary_search(&contact) else { continue };
            let nearly = next.abs() <= (NEARLY_CLOSED * gap.abs()).max(floor);
            let room = (&self.scales, &mut self.row);
            if nearly && is_closed(system, room, (state.t, &state.q), (contact, next), h) {
                self.touching.insert(place, contact);
            }
        }
    }

    /// The contacts at the beginning of a memory, ascending with their number before them, and the rest of it.
    pub(super) fn contacts_in<'m>(&self, memory: &'m [f64]) -> Result<(Vec<ContactId>, &'m [f64]), ForeignMemory> {
        let foreign = || {
            let expected = format!("numbers of contacts below {}, ascending", self.most);
            ForeignMemory { found: "other numbers".into(), expected }
        };
        let (&count, rest) = memory.split_first().ok_or_else(foreign)?;
        // The number is exact: no scene has 2^53 contacts.
        let (contacts, rest) =
            rest.split_at_checked(count as usize).filter(|_| count >= 0.0).ok_or_else(foreign)?;
        let ascends = contacts.windows(2).all(|pair| pair[0] < pair[1]);
        let known = contacts.iter().all(|&contact| contact >= 0.0 && contact < self.most as f64);
        let ids: Vec<ContactId> = contacts.iter().map(|&contact| ContactId(contact as u64)).collect();
        if ascends && known && count.fract() == 0.0 { Ok((ids, rest)) } else { Err(foreign()) }
    }

    /// Writes down what the next step depends on.
    pub(super) fn remember(&mut self) {
        self.memory.clear();
        for contacts in [&self.touching, &self.carrying] {
            self.memory.push(contacts.len() as f64);
            self.memory.extend(contacts.iter().map(|contact| contact.0 as f64));
        }
        self.memory.extend_from_slice(&self.reference);
    }
}
