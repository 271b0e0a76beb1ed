//! Complementarity and friction-contact problems as plain data, one residual that judges every solver, and solvers.
//!
//! A problem is data ([`problem`]) that can be saved, loaded and solved again. What a solver returns is judged from outside by
//! one natural map ([`residual`]); a solver's own idea of its progress is never reported as quality. A solve that fails returns
//! its best iterate with that residual and says why ([`Unsolved`]).
//!
//! The notation is that of Lacoursière and Linde: impulses z, slacks w = H z + q, in saddle-point form
//! M v − Gᵀz + p = 0, w = G v + T z + q [lacoursiere-linde-2011 (108)].

pub mod cone;
pub mod corpus;
pub mod elimination;
pub mod ldlt;
pub mod lu;
pub mod matrix;
pub mod outcome;
pub mod problem;
pub mod residual;
pub mod solvers;
pub mod warm;

pub use ldlt::Ldlt;
pub use matrix::{Blocks, Dense, Sparse};
pub use outcome::{Failure, Limits, Solved, Solver, Unsolved};
pub use problem::{
    FileError, FileErrors, Friction, GlobalFriction, Law, Lcp, LinearizedFriction, Mlcp, Named, Problem, Saddle,
    SaddleMlcp,
};
pub use residual::{Judged, Residual};
pub use solvers::{
    BlockPivot, DirectIterative, Enumeration, Facts, FrictionDefault, Interior, LaggedBounds, LcpDefault, Lemke,
    Newton, Pgs,
};
