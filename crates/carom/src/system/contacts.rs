//! Contacts: gaps that stay open, what happens when they close, and how they lie along a way.
//!
//! A system of few contacts shows all of them at any time. One of many bodies has far more pairs than ever touch: there `detect` finds the
//! contacts that are near, and nothing is asked of the others. A contact is named by its [`ContactId`], which stays with it: what methods
//! remember, events and recordings go by it.

use serde::{Deserialize, Serialize};

use super::{ContactSet, Softness};

/// Which contact of a system: what touches what, and where. A number that stays the same for as long as the system lives; ids ascend in the order
/// in which the contacts of a system are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ContactId(pub u64);

impl ContactId {
    /// The contact at a place in the list of all.
    #[inline]
    pub const fn of(place: usize) -> Self {
        Self(place as u64)
    }

    /// The place in the list of all.
    #[inline]
    pub const fn place(self) -> usize {
        self.0 as usize
    }
}

/// What the surfaces of a contact are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Newton's coefficient of restitution, from 0 (nothing comes back) to 1 (elastic).
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// How soft the contact is: one with a compliance above 0 is a spring that pushes, and may start closed.
    pub softness: Softness,
}

impl Material {
    /// Elastic, rigid, without friction.
    pub const ELASTIC: Self =
        Self { restitution: 1.0, friction: 0.0, softness: Softness { compliance: None, damping: None } };
}

/// The path `q + v τ + ½ a τ²` for `0 ≤ τ ≤ duration`: that of a step of Verlet. Time runs along it as `t + pace τ`.
#[derive(Debug, Clone, Copy)]
pub struct Parabola<'a> {
    /// When it starts.
    pub t: f64,
    /// Which way time runs: 1, or −1 back in time.
    pub pace: f64,
    /// Where it starts.
    pub q: &'a [f64],
    /// Velocity there.
    pub v: &'a [f64],
    /// Acceleration.
    pub a: &'a [f64],
    /// How long it is.
    pub duration: f64,
}

/// The straight way from one configuration to another.
#[derive(Debug, Clone, Copy)]
pub struct Way<'a> {
    /// When it starts and ends.
    pub t: [f64; 2],
    /// Where.
    pub q: [&'a [f64]; 2],
}

impl<'a> Way<'a> {
    /// No way at all: a place.
    #[inline]
    pub fn at(t: f64, q: &'a [f64]) -> Self {
        Self { t: [t; 2], q: [q; 2] }
    }
}

/// An impact on a straight way that is longer than the contact is deep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// The contact.
    pub contact: ContactId,
    /// Length of the way, as the other side of the contact sees it.
    pub travel: f64,
    /// Length of the longest straight way through the contact.
    pub depth: f64,
}

/// What a system knows of how deep its contacts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    /// No straight way leads out of a contact again, as with walls: none is ever passed through.
    Infinite,
    /// All that it takes to tell which are passed through.
    Known,
    /// Nothing: gaps along the way are all there is.
    Unknown,
}

/// Inequality constraints `g(q, t) ≥ 0`, and the laws of their contacts. Nothing has a default: see [`Equalities`](super::Equalities).
pub trait Contacts {
    /// How many contacts there can be.
    fn count(&self) -> usize;
    /// Whether there are so few that sets always have all of them, those with the ids below [`Self::count`].
    fn is_constant(&self) -> bool;
    /// Makes a set of all contacts whose gap may come down to `margin` somewhere on a straight way. What else is in it does not depend on
    /// what the set was before: the same way gives the same set. See [`ContactSet::find`], which callers use.
    fn detect(&self, way: Way, margin: f64, set: &mut ContactSet);
    /// Some of the contacts, from which one can tell whether a motion of the whole system keeps all of them; with few contacts all.
    fn samples(&self, visit: &mut dyn FnMut(ContactId));
    /// `g(q, t)` of all contacts, by place.
    fn gaps(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `g_i(q, t)` of some contacts, in their order, with the bits of [`Self::gaps`].
    fn gaps_of(&self, t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]);
    /// Bounds of the round-off in `g(q, t)` of some contacts, as of the equalities.
    fn rounding(&self, t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]);
    /// `∂g_i/∂q`: steps ask for those that are touched alone.
    fn gradient(&self, t: f64, q: &[f64], contact: ContactId, out: &mut [f64]);
    /// The same by its entries: calls `put` with every coordinate that the contact depends on, ascending, and the derivative by it, with the
    /// bits of [`Self::gradient`].
    fn partials(&self, t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, f64));
    /// `Σ λ_i ∂²g_i/∂q²`.
    fn hessian(&self, t: f64, q: &[f64], weights: &[(ContactId, f64)], out: &mut [f64]);
    /// `∂g_i/∂t` and `∂²g_i/∂t²`; 0 unless the surfaces move, as [`TimeDependence`](super::TimeDependence) tells.
    fn rates(&self, t: f64, q: &[f64], contact: ContactId) -> [f64; 2];
    /// `∂²g_i/∂q∂t`.
    fn gradient_rate(&self, t: f64, q: &[f64], contact: ContactId, out: &mut [f64]);
    /// What the surfaces are made of.
    fn material(&self, contact: ContactId) -> Material;
    /// Every material that occurs, with a contact that has it: not every contact.
    fn materials(&self, visit: &mut dyn FnMut(ContactId, Material));
    /// How many directions of sliding a contact has: at most 2, none if nothing is known of them.
    fn directions(&self, contact: ContactId) -> usize;
    /// Rows of the directions of sliding, one per direction: their products with `v` are the components of the velocity at
    /// which the surfaces slide along each other, in a Cartesian frame.
    fn tangents(&self, t: f64, q: &[f64], contact: ContactId, out: &mut [f64]);
    /// The same by their entries: `put` gets the direction, the coordinate and the entry.
    fn slides(&self, t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, usize, f64));
    /// What the contact is called in messages.
    fn name(&self, contact: ContactId) -> String;
    /// Calls `found` with every contact of a set that a straight way runs into, if the way is longer than the contact is deep: a method that asks
    /// for gaps at nodes alone can miss such an impact. The gaps of the set are those at the start; what is closed there is left out. The answer
    /// is the same for every way.
    fn passages(&self, way: Way, set: (&[ContactId], &[f64]), found: &mut dyn FnMut(Passage)) -> Depths;
    /// Bounds of gaps along parabolas, if any are known: with them no root is ever stepped over.
    fn along(&self) -> Option<&dyn ContactsAlong>;
}

/// What methods that locate impacts ask of a gap along a parabola.
pub trait ContactsAlong {
    /// Bounds `[lower, upper]` of the second derivative of `g_i` by time; `None` if none are known.
    fn bend(&self, arc: &Parabola, contact: ContactId) -> Option<[f64; 2]>;
    /// A bound of the rate at which `g_i` changes; `None` if none is known. It serves where the second derivative has
    /// no bound, such as near the centre of a ball.
    fn rate(&self, arc: &Parabola, contact: ContactId) -> Option<f64>;
}
