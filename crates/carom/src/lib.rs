//! Mechanics with contact, simulated so that its structure survives.
//!
//! One description of a mechanical system ([`system::System`]), methods that run on it ([`steppers`]), and a run loop
//! that reports what was kept and what was not ([`run`]). No files, no printing, and no threads but those of a
//! [`team::Team`] that is handed in.

pub mod between;
mod bracket;
pub mod broad;
pub mod computations;
pub mod discrete;
pub mod error;
pub mod impact;
pub mod lagrangian;
pub mod linear;
pub mod measures;
pub mod method;
pub mod observe;
pub mod particles;
pub mod plates;
pub mod problem;
pub mod projected;
pub mod random;
pub mod run;
pub mod state;
pub mod steppers;
pub mod study;
pub mod system;
pub mod team;
pub mod testing;
pub mod watch;
