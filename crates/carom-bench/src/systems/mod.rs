//! Small systems of the built-in scenes in plain Rust: static types, without a scene.

pub mod particle;
pub mod pogo;
pub mod star;
mod whole;

pub use whole::Whole;
