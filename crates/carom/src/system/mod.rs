//! What a mechanical system is: one description that every method runs on.
//!
//! `L(q, v, t) = ½ vᵀM(q)v − V(q, t)`, equality constraints `f(q, t) = 0`, inequality constraints `g(q, t) ≥ 0`,
//! nonholonomic rows `A(q)v = a(t)` and non-potential forces `f_NP(q, v, t)`, each with exact first and second
//! derivatives. Everything works on slices of `f64`; matrices are row-major. The traits can be boxed: methods are
//! written once over `S: System + ?Sized` and run on a concrete type (static dispatch) or on `dyn System` alike.

mod contacts;
mod dynamics;
mod equalities;
mod few;
mod mass;
mod none;
mod nonholonomic;
mod pattern;
mod set;

pub use contacts::{ContactId, Contacts, ContactsAlong, Depths, Material, Parabola, Passage, Way};
pub use dynamics::{Dynamics, Forces, Segment, SparseHessian, TimeDependence};
pub use equalities::{Equalities, Softness, SparseEqualities, bend_of_hessians};
pub use few::FewContacts;
pub use mass::{ConfigurationMass, Mass};
pub use none::NoRows;
pub use nonholonomic::Nonholonomic;
pub use pattern::Pattern;
pub use set::ContactSet;

/// A mechanical system: its dynamics, and parts for its constraints. Of constraints that it has not it gives [`NoRows`]: rows of which there are
/// none are rows, and steps need not ask whether there are any before they add over them.
pub trait System: Dynamics {
    /// Equality constraints.
    fn equalities(&self) -> &dyn Equalities;
    /// Inequality constraints.
    fn contacts(&self) -> &dyn Contacts;
    /// Rows of velocities, if there are any.
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic>;
}
