//! The solvers. Each says in its [`Facts`] what it takes, what it guarantees, what it costs and when it fails.

mod basis;
mod best;
pub mod block_pivot;
mod convert;
mod enumeration;
mod form;
mod friction_default;
pub mod interior;
mod lcp_default;
mod lemke;
mod lu;
pub mod newton;
mod pencil;
pub mod pgs;
pub mod registry;
mod simplex;
pub mod splitting;

pub use block_pivot::BlockPivot;
pub use enumeration::Enumeration;
pub use friction_default::FrictionDefault;
pub use interior::Interior;
pub use lcp_default::LcpDefault;
pub use lemke::Lemke;
pub use newton::Newton;
pub use pgs::Pgs;
pub use splitting::{DirectIterative, LaggedBounds};

use pencil::Block;

/// What is known about a solver before it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name, as in tables and on the command line.
    pub name: &'static str,
    /// The problems it takes.
    pub takes: &'static str,
    /// What is guaranteed, and for which of them.
    pub guarantees: &'static str,
    /// Work and memory.
    pub costs: &'static str,
    /// When it fails, and how that shows.
    pub fails: &'static str,
}
