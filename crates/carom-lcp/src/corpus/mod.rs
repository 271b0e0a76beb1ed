//! Problems to test and compare solvers on: scenes of bodies with contacts, one step of the stepper each, always the same numbers.
//!
//! The scenes are those of Lacoursière and Linde, sections 17 and 18: a box squeezed between two planes, walls of bricks at rest,
//! hit and collapsing, and an A-frame of two legs that carries a heavy load by friction alone; a hanging chain of rods; a tower of planks and
//! piles of rocks whose contacts are redundant.

mod chain;
mod piles;
mod problems;
mod scene;

pub use chain::chain;
pub use piles::{rock_pile, tower};
pub use problems::{Brick, Snapshot, a_frame, one_contact, sliding_cube, squeezed_box, wall};
pub use scene::{Body, Contact, Scene, Stepping};
