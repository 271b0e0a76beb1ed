//! The contacts that a step looks at.

use super::{ContactId, Contacts, Way};
use crate::particles::Room;

/// Contacts by id, ascending: all of a system with few, of others those that were found near.
#[derive(Debug, Clone, Default)]
pub struct ContactSet {
    ids: Vec<ContactId>,
    /// The set before.
    last: Vec<ContactId>,
    /// Whether the set is all contacts of its system: then places are ids.
    whole: bool,
    room: Room,
}

impl ContactSet {
    /// Makes it the set of all contacts whose gap may come down to `margin` on a straight way, or of all contacts of a system that
    /// has few. Returns whether it is another one than before.
    #[inline]
    pub fn find(&mut self, contacts: &(impl Contacts + ?Sized), way: Way, margin: f64) -> bool {
        if contacts.is_constant() {
            return self.take_all(contacts.count());
        }
        self.whole = false;
        std::mem::swap(&mut self.ids, &mut self.last);
        self.ids.clear();
        contacts.detect(way, margin, self);
        debug_assert!(self.ids.is_sorted_by(|a, b| a < b));
        self.ids != self.last
    }

    #[inline]
    fn take_all(&mut self, count: usize) -> bool {
        if self.whole && self.ids.len() == count {
            return false;
        }
        self.ids.clear();
        self.ids.extend((0..count).map(ContactId::of));
        self.whole = true;
        true
    }

    /// Adds a contact; ids must ascend.
    #[inline]
    pub fn push(&mut self, contact: ContactId) {
        self.ids.push(contact);
    }

    /// What a search keeps for the next one, to save work.
    pub(crate) fn room(&mut self) -> &mut Room {
        &mut self.room
    }

    /// Its contacts.
    #[inline]
    pub fn ids(&self) -> &[ContactId] {
        &self.ids
    }

    /// The place of a contact in the set.
    #[inline]
    pub fn place(&self, contact: ContactId) -> Option<usize> {
        if self.whole {
            return Some(contact.place()).filter(|place| *place < self.ids.len());
        }
        self.ids.binary_search(&contact).ok()
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::ContactSet;
    use crate::particles::{Particles, Selection, Surface};
    use crate::system::{ContactId, System, Way};

    #[test]
    fn few_contacts_are_all_in_the_set() {
        let mut system = Particles::new(2, vec![1.0; 3]).expect("right");
        system.set_radii(vec![0.1; 3]).expect("right");
        let surface = Surface { restitution: 1.0, friction: 0.0 };
        system.add_sphere_gaps(&Selection::default(), surface).expect("right");
        let (mut set, q) = (ContactSet::default(), [0.0, 0.0, 1.0, 0.0, 9.0, 9.0]);
        assert!(set.find(system.contacts(), Way::at(0.0, &q), 0.0));
        assert!(!set.find(system.contacts(), Way::at(0.0, &q), 0.0));
        assert_eq!(set.ids(), [0, 1, 2].map(ContactId));
        assert_eq!([0, 2, 3].map(|id| set.place(ContactId(id))), [Some(0), Some(2), None]);
    }
}
