//! The solvers.

pub mod pgs;

/// What is known of a solver, for tables and help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Its name, as in files and tables.
    pub name: &'static str,
    /// The problems it takes.
    pub takes: &'static str,
    /// What it guarantees.
    pub guarantees: &'static str,
    /// What it costs.
    pub costs: &'static str,
    /// Where it fails.
    pub fails: &'static str,
}
