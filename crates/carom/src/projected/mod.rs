//! The projected Hamilton's principle of Pekarek & Murphey: impacts without nonsmooth paths.
//!
//! A smooth path `z(t)` runs on through the boundary `φ = 0` of the feasible set `C`, and a map `P` folds it back:
//! `q(t) = P(z(t))` bounces. [`Reflection`] is `R(q)` of (12), [`Projection`] the candidate `P` of (13) about an impact
//! configuration, with the preimages that Lemma 2 builds `z(t)` of, and [`Regions`] the sets `C`, `N` and the rest of a
//! plane, as in Figure 1.
//!
//! Nothing here is needed to integrate: the collision integrator `cva` works on `q` alone and is the discrete principle in
//! other words (Lemma 4). These functions are for looking at the principle itself.

// Notation
//   φ         gap of the chosen contact
//   zi        impact configuration, φ(zi) = 0
//   n         ∇φ, a column
//   w         M⁻¹n/(nᵀM⁻¹n): the direction in which P moves points; nᵀw = 1
//   R         I − 2wnᵀ

mod projection;
mod reflection;
mod regions;

pub use projection::{Projection, Region};
pub use reflection::Reflection;
pub use regions::{Plane, Regions};

/// Why there is no projection.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProjectionError {
    /// The system has no such contact.
    #[error("contact {contact} does not exist: the system has {count} inequalities")]
    Contact {
        /// The contact.
        contact: usize,
        /// Inequalities of the system.
        count: usize,
    },
    /// The configuration has another number of coordinates.
    #[error("the configuration has {found} coordinates, the system {needed}")]
    Size {
        /// Coordinates given.
        found: usize,
        /// Coordinates needed.
        needed: usize,
    },
    /// The principle is stated for free coordinates.
    #[error("the system has equality or nonholonomic constraints; the principle is stated without them")]
    Constrained,
    /// The configuration is not on the boundary.
    #[error("the configuration is not on the boundary: its gap is {gap:e}, about {distance:e} away")]
    OffBoundary {
        /// Gap there.
        gap: f64,
        /// Distance to the boundary, to first order.
        distance: f64,
    },
    /// There is no direction of reflection.
    #[error("there is no reflection: nᵀM⁻¹n is {square:e}")]
    Degenerate {
        /// `nᵀM⁻¹n`; NaN if the mass matrix is not positive definite.
        square: f64,
    },
}
