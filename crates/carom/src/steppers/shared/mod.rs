//! Pieces that several methods are made of.

pub mod base;
pub mod cluster;
pub mod contacts;
pub mod eigen;
pub mod friction;
pub mod held;
pub mod mass;
pub mod near;
pub mod newton;
pub mod overlaps;
pub mod products;
pub mod projection;
pub mod roots;
pub mod rows;
pub mod rubbing;
pub mod scale;
pub mod shadow;
pub mod spread;
pub mod views;
