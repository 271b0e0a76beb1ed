//! Pieces that several methods are made of.

pub mod mass;
pub mod newton;
pub mod projection;
pub mod rows;
pub mod views;
