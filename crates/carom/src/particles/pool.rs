//! What pools of elements of one kind have in common; the system is the sum of its pools.

use super::geometry::Blocks;
use super::names::Names;
use crate::team::Team;

/// Where potentials are evaluated.
#[derive(Clone, Copy)]
pub struct Place<'a, const D: usize> {
    pub t: f64,
    pub x: &'a [[f64; D]],
    /// Mass per particle.
    pub mass: &'a [f64],
    pub team: &'a Team,
}

/// Where potentials start and end.
#[derive(Clone, Copy)]
pub struct Ends<'a, const D: usize> {
    pub t: f64,
    pub start: &'a [[f64; D]],
    pub end: &'a [[f64; D]],
    /// Mass per particle.
    pub mass: &'a [f64],
}

/// Potentials of one kind. Derivatives are added to what is there.
pub trait Potentials {
    /// The sum of their values.
    fn value<const D: usize>(&self, at: Place<D>) -> f64;
    /// Adds the gradient.
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]);
    /// Adds a discrete gradient: its product with the way from the start to the end is the difference of the values.
    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]);
    /// Adds the Hessian.
    fn add_hessian<const D: usize>(&self, at: Place<D>, out: &mut Blocks<D>);
}

/// Constraint rows of one kind.
pub trait Rows {
    /// Number of rows.
    fn len(&self) -> usize;
    /// Their values.
    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]);
    /// The length that the round-off of a row comes from beside its coordinates.
    fn length(&self, row: usize) -> f64;
    /// Writes the gradient of a row: `put(particle, part)` for each particle that it depends on.
    fn gradient<const D: usize>(&self, x: &[[f64; D]], row: usize, put: impl FnMut(usize, [f64; D]));
    /// Adds `λ` times the Hessian of a row.
    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, lambda: f64, out: &mut Blocks<D>);
    /// What a row is called in messages, with the names of particles.
    fn name(&self, index: usize, of: &Names) -> String;
}
