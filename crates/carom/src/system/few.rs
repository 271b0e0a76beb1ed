//! Few rigid contacts without friction, whose surfaces rest: what systems in plain Rust mostly have.

use super::{ContactId, ContactSet, Contacts, ContactsAlong, Depths, Material, Passage, Way};

/// The gaps `g(q)` of a handful of contacts: at most 64, of at most 64 coordinates. What implements this is [`Contacts`].
pub trait FewContacts {
    /// Number of contacts.
    fn count(&self) -> usize;
    /// `g(q)`.
    fn gaps(&self, q: &[f64], out: &mut [f64]);
    /// `∂g/∂q` of one.
    fn gradient(&self, q: &[f64], place: usize, out: &mut [f64]);
    /// Adds `λ ∂²g/∂q²` of one.
    fn add_hessian(&self, q: &[f64], place: usize, lambda: f64, out: &mut [f64]);
    /// Coefficient of restitution of one.
    fn restitution(&self, place: usize) -> f64;
    /// Bounds of the round-off in a gap, as [`Contacts::rounding`].
    fn rounding(&self, place: usize) -> f64;
    /// What is known of how deep they are.
    fn depths(&self) -> Depths;
    /// What one is called in messages.
    fn name(&self, place: usize) -> String;
    /// Bounds of gaps along parabolas, if any are known.
    fn along(&self) -> Option<&dyn ContactsAlong>;
}

/// Coordinates of systems of few contacts.
const MOST: usize = 64;
/// Contacts of such a system.
const MOST_CONTACTS: usize = 64;

impl<T: FewContacts> Contacts for T {
    #[inline]
    fn count(&self) -> usize {
        FewContacts::count(self)
    }
    #[inline]
    fn is_constant(&self) -> bool {
        true
    }
    fn detect(&self, _way: Way, _margin: f64, set: &mut ContactSet) {
        (0..FewContacts::count(self)).for_each(|place| set.push(ContactId::of(place)));
    }
    fn samples(&self, visit: &mut dyn FnMut(ContactId)) {
        (0..FewContacts::count(self)).for_each(|place| visit(ContactId::of(place)));
    }
    #[inline]
    fn gaps(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        FewContacts::gaps(self, q, out);
    }
    #[inline]
    fn gaps_of(&self, _t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        let (mut room, count) = ([0.0; MOST_CONTACTS], FewContacts::count(self));
        FewContacts::gaps(self, q, &mut room[..count]);
        out.iter_mut().zip(contacts).for_each(|(out, contact)| *out = room[contact.place()]);
    }
    fn rounding(&self, _t: f64, _q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        out.iter_mut().zip(contacts).for_each(|(out, contact)| *out = FewContacts::rounding(self, contact.place()));
    }
    #[inline]
    fn gradient(&self, _t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        FewContacts::gradient(self, q, contact.place(), out);
    }
    #[inline]
    fn partials(&self, _t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, f64)) {
        let row = &mut [0.0; MOST][..q.len()];
        FewContacts::gradient(self, q, contact.place(), row);
        row.iter().enumerate().filter(|(_, entry)| **entry != 0.0).for_each(|(column, &entry)| put(column, entry));
    }
    fn hessian(&self, _t: f64, q: &[f64], weights: &[(ContactId, f64)], out: &mut [f64]) {
        out.fill(0.0);
        weights.iter().for_each(|&(contact, weight)| self.add_hessian(q, contact.place(), weight, out));
    }
    fn rates(&self, _t: f64, _q: &[f64], _contact: ContactId) -> [f64; 2] {
        [0.0; 2]
    }
    fn gradient_rate(&self, _t: f64, _q: &[f64], _contact: ContactId, out: &mut [f64]) {
        out.fill(0.0);
    }
    #[inline]
    fn material(&self, contact: ContactId) -> Material {
        Material { restitution: FewContacts::restitution(self, contact.place()), ..Material::ELASTIC }
    }
    fn materials(&self, visit: &mut dyn FnMut(ContactId, Material)) {
        (0..FewContacts::count(self)).map(ContactId::of).for_each(|contact| visit(contact, self.material(contact)));
    }
    fn directions(&self, _contact: ContactId) -> usize {
        0
    }
    fn tangents(&self, _t: f64, _q: &[f64], _contact: ContactId, _out: &mut [f64]) {}
    fn slides(&self, _t: f64, _q: &[f64], _contact: ContactId, _put: &mut dyn FnMut(usize, usize, f64)) {}
    fn name(&self, contact: ContactId) -> String {
        FewContacts::name(self, contact.place())
    }
    fn passages(&self, _way: Way, _set: (&[ContactId], &[f64]), _found: &mut dyn FnMut(Passage)) -> Depths {
        self.depths()
    }
    #[inline]
    fn along(&self) -> Option<&dyn ContactsAlong> {
        FewContacts::along(self)
    }
}
