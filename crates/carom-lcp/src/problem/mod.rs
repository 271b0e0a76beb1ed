//! The problems, as plain data.

pub(crate) mod bounded;
mod file;
pub(crate) mod friction;
mod global;
mod polygon;
pub(crate) mod saddle;

pub use bounded::{Lcp, Mlcp, Room, SaddleMlcp};
pub use file::{FileError, FileErrors, Named};
pub use friction::{Friction, Law, MOST_FRICTION};
pub use global::GlobalFriction;
pub use polygon::LinearizedFriction;
pub use saddle::{Motion, Moved, Saddle};

use crate::residual::Judged;

/// A problem of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Problem {
    /// LCP(M, q).
    Lcp(Lcp),
    /// Mixed LCP with bounds, by its matrix.
    Mlcp(Mlcp),
    /// Mixed LCP with bounds, in saddle-point form.
    SaddleMlcp(SaddleMlcp),
    /// Friction-contact problem, by its matrix.
    Friction(Friction),
    /// Friction-contact problem in global form: bodies, equality rows, contacts.
    GlobalFriction(GlobalFriction),
}

impl Problem {
    /// The name of the kind, as in files and tables.
    pub fn kind(&self) -> &'static str {
        match self {
            Problem::Lcp(_) => "lcp",
            Problem::Mlcp(_) => "mlcp",
            Problem::SaddleMlcp(_) => "saddle-mlcp",
            Problem::Friction(_) => "friction",
            Problem::GlobalFriction(_) => "global-friction",
        }
    }

    /// The problem as a judge of answers.
    pub fn judge(&self) -> &dyn Judged {
        match self {
            Problem::Lcp(problem) => problem,
            Problem::Mlcp(problem) => problem,
            Problem::SaddleMlcp(problem) => problem,
            Problem::Friction(problem) => problem,
            Problem::GlobalFriction(problem) => problem,
        }
    }
}
