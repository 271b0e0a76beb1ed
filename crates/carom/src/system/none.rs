//! No constraints: a set of rows that is empty. Sums over it are 0, and there is nothing else to say of it.

use super::{Contacts, ContactsAlong, Depths, Equalities, Passage, Softness, SparseContacts, SparseEqualities};

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
    fn gaps(&self, _q: &[f64], _out: &mut [f64]) {}
    fn gaps_of(&self, _q: &[f64], _contacts: &[usize], _out: &mut [f64]) {}
    fn rounding(&self, _q: &[f64], _out: &mut [f64]) {}
    fn gradient(&self, _q: &[f64], _index: usize, _out: &mut [f64]) {
        panic!("{EMPTY}")
    }
    fn jacobian(&self, _q: &[f64], _out: &mut [f64]) {}
    fn hessian(&self, _q: &[f64], _lambda: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn restitution(&self, _index: usize) -> f64 {
        panic!("{EMPTY}")
    }
    fn friction(&self, _index: usize) -> f64 {
        panic!("{EMPTY}")
    }
    fn softness(&self, _index: usize) -> Softness {
        panic!("{EMPTY}")
    }
    fn directions(&self, _index: usize) -> usize {
        panic!("{EMPTY}")
    }
    fn tangents(&self, _q: &[f64], _index: usize, _out: &mut [f64]) {
        panic!("{EMPTY}")
    }
    fn name(&self, _index: usize) -> String {
        panic!("{EMPTY}")
    }
    fn passages(&self, _way: [&[f64]; 2], _gap: &[f64], _found: &mut dyn FnMut(Passage)) -> Depths {
        Depths::Infinite
    }
    fn sparse(&self) -> Option<&dyn SparseContacts> {
        None
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        None
    }
}
