//! Systems: from parts written in Rust, and from expressions.

pub mod definition;
pub mod expressed;
pub mod expression;
pub mod field;
pub mod length;
pub(crate) mod local;
mod mass;
pub(crate) mod motion;
pub mod parts;
