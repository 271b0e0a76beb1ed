//! Matrices as plain data: dense by rows, sparse by rows, and dense blocks on a diagonal.

mod blocks;
mod dense;
mod sparse;

pub use blocks::Blocks;
pub use dense::Dense;
pub use sparse::Sparse;

/// What is wrong with the shape or the numbers of a matrix or vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Misshapen(pub String);
