//! Contacts: gaps that stay open, what happens when they close, and how they lie along a way.

use super::Softness;

/// The path `q + v t + ½ a t²` for `0 ≤ t ≤ duration`: that of a step of Verlet.
#[derive(Debug, Clone, Copy)]
pub struct Parabola<'a> {
    /// Where it starts.
    pub q: &'a [f64],
    /// Velocity there.
    pub v: &'a [f64],
    /// Acceleration.
    pub a: &'a [f64],
    /// How long it is.
    pub duration: f64,
}

/// An impact on a straight way that is longer than the contact is deep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// The contact.
    pub contact: usize,
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

/// Inequality constraints `g(q) ≥ 0`, and the laws of their contacts. Nothing has a default: see [`Equalities`](super::Equalities).
pub trait Contacts {
    /// Number of contacts.
    fn count(&self) -> usize;
    /// `g(q)`.
    fn gaps(&self, q: &[f64], out: &mut [f64]);
    /// `g_i(q)` of some contacts, each at its place in `out`, with the bits of `gaps`; other places may be left as they are.
    fn gaps_of(&self, q: &[f64], contacts: &[usize], out: &mut [f64]);
    /// Bounds of the round-off in `g(q)`, as of the equalities.
    fn rounding(&self, q: &[f64], out: &mut [f64]);
    /// `∂g_i/∂q` of one contact: steps ask for those that are touched alone.
    fn gradient(&self, q: &[f64], index: usize, out: &mut [f64]);
    /// `∂g/∂q`, one row per contact.
    fn jacobian(&self, q: &[f64], out: &mut [f64]);
    /// `Σ λ_i ∂²g_i/∂q²`.
    fn hessian(&self, q: &[f64], lambda: &[f64], out: &mut [f64]);
    /// Newton's coefficient of restitution, from 0 (nothing comes back) to 1 (elastic).
    fn restitution(&self, index: usize) -> f64;
    /// Coefficient of Coulomb friction.
    fn friction(&self, index: usize) -> f64;
    /// How soft a contact is: one with a compliance above 0 is a spring that pushes, and may start closed.
    fn softness(&self, index: usize) -> Softness;
    /// How many directions of sliding a contact has: at most 2, none if nothing is known of them.
    fn directions(&self, index: usize) -> usize;
    /// Rows of the directions of sliding, one per direction: their products with `v` are the components of the velocity at
    /// which the surfaces slide along each other, in a Cartesian frame.
    fn tangents(&self, q: &[f64], index: usize, out: &mut [f64]);
    /// What the contact is called in messages.
    fn name(&self, index: usize) -> String;
    /// Calls `found` with every contact that the straight way from one configuration to another runs into, if the way is longer than the
    /// contact is deep: a method that asks for gaps at nodes alone can miss such an impact. `gap` has the gaps at the start; what is closed
    /// there is left out. The answer is the same for every way.
    fn passages(&self, way: [&[f64]; 2], gap: &[f64], found: &mut dyn FnMut(Passage)) -> Depths;
    /// The rows by their entries, if few coordinates of many are in each.
    fn sparse(&self) -> Option<&dyn SparseContacts>;
    /// Bounds of gaps along parabolas, if any are known: with them no root is ever stepped over.
    fn along(&self) -> Option<&dyn ContactsAlong>;
}

/// Rows of contacts by the entries that can be nonzero.
pub trait SparseContacts {
    /// Calls `put` with every coordinate that a contact depends on, ascending, and the derivative by it, with the bits of
    /// [`Contacts::gradient`].
    fn partials(&self, q: &[f64], index: usize, put: &mut dyn FnMut(usize, f64));
    /// The same for the directions of sliding: `put` gets the direction, the coordinate and the entry of [`Contacts::tangents`].
    fn slides(&self, q: &[f64], index: usize, put: &mut dyn FnMut(usize, usize, f64));
}

/// What methods that locate impacts ask of a gap along a parabola.
pub trait ContactsAlong {
    /// Bounds `[lower, upper]` of the second derivative of `g_i` by time; `None` if none are known.
    fn bend(&self, arc: &Parabola, index: usize) -> Option<[f64; 2]>;
    /// A bound of the rate at which `g_i` changes; `None` if none is known. It serves where the second derivative has
    /// no bound, such as near the centre of a ball.
    fn rate(&self, arc: &Parabola, index: usize) -> Option<f64>;
}
