//! No constraints: a set of rows that is empty. Sums over it are 0, and there is nothing else to say of it.

use super::{
    ContactId, ContactSet, Contacts, ContactsAlong, Depths, Equalities, Material, Passage, Softness,
    SparseEqualities, Way,
};

/// No rows. What asks for one by its index is wrong.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRows;

/// The answer to an index of no rows.
const EMPTY: &str = "there are no rows";

impl Equalities for NoRows {
    #[inline]
    fn count(&self) -> usize {
        0
    }
    #[inline]
    fn values(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn rounding(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    #[inline]
    fn jacobian(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn hessian(&self, _t: f64, _q: &[f64], _lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn bend(&self, _t: f64, _q: &[f64], _v: &[f64], _out: &mut [f64]) {}
    #[inline]
    fn rate(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn second_rate(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn jacobian_rate(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn softness(&self, _index: usize) -> Softness {
        panic!("{EMPTY}")
    }
    fn name(&self, _index: usize) -> String {
        panic!("{EMPTY}")
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        None
    }
}

impl Contacts for NoRows {
    #[inline]
    fn count(&self) -> usize {
        0
    }
    #[inline]
    fn is_constant(&self) -> bool {
        true
    }
    fn detect(&self, _way: Way, _margin: f64, _set: &mut ContactSet) {}
    fn samples(&self, _visit: &mut dyn FnMut(ContactId)) {}
    #[inline]
    fn gaps(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    fn gaps_of(&self, _t: f64, _q: &[f64], _contacts: &[ContactId], _out: &mut [f64]) {}
    fn rounding(&self, _t: f64, _q: &[f64], _contacts: &[ContactId], _out: &mut [f64]) {}
    fn gradient(&self, _t: f64, _q: &[f64], _contact: ContactId, _out: &mut [f64]) {
        panic!("{EMPTY}")
    }
    fn partials(&self, _t: f64, _q: &[f64], _contact: ContactId, _put: &mut dyn FnMut(usize, f64)) {
        panic!("{EMPTY}")
    }
    fn hessian(&self, _t: f64, _q: &[f64], _weights: &[(ContactId, f64)], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn rates(&self, _t: f64, _q: &[f64], _contact: ContactId) -> [f64; 2] {
        panic!("{EMPTY}")
    }
    fn gradient_rate(&self, _t: f64, _q: &[f64], _contact: ContactId, _out: &mut [f64]) {
        panic!("{EMPTY}")
    }
    fn material(&self, _contact: ContactId) -> Material {
        panic!("{EMPTY}")
    }
    fn materials(&self, _visit: &mut dyn FnMut(ContactId, Material)) {}
    fn directions(&self, _contact: ContactId) -> usize {
        panic!("{EMPTY}")
    }
    fn tangents(&self, _t: f64, _q: &[f64], _contact: ContactId, _out: &mut [f64]) {
        panic!("{EMPTY}")
    }
    fn slides(&self, _t: f64, _q: &[f64], _contact: ContactId, _put: &mut dyn FnMut(usize, usize, f64)) {
        panic!("{EMPTY}")
    }
    fn name(&self, _contact: ContactId) -> String {
        panic!("{EMPTY}")
    }
    fn passages(&self, _way: Way, _set: (&[ContactId], &[f64]), _found: &mut dyn FnMut(Passage)) -> Depths {
        Depths::Infinite
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        None
    }
}
