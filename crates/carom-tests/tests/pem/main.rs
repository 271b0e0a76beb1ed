//! Projected energy-momentum steps: a light chain under a heavy load at 60 steps a second, exact energy and momenta of free particles, and
//! the discrete gradients that they come from.
//!
//! The chain is that of the study of stiff mechanisms, with points instead of rods that have moments of inertia.

mod chain;
mod free;
mod gradients;
mod reference;
mod sparse;
mod swing;
