//! What the tests of methods share: scenes, runs, dual numbers, step maps with exact Jacobians, controls that must fail.

pub mod comparison;
pub mod control;
pub mod dual;
pub mod full;
pub mod fuzz;
pub mod galerkin;
pub mod map;
pub mod reference;
pub mod runs;
pub mod symplectic;
pub mod variants;
pub mod written;
