//! Why a step failed. Numbers, not adjectives: what was asked of the solver, how far it came, which row was worst.

use std::fmt;

use crate::system::{ContactId, System};

/// An equation of a step, by index and name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// Momentum balance of a coordinate.
    Coordinate(usize, String),
    /// An equality constraint.
    Equality(usize, String),
    /// An inequality constraint that is held.
    Contact(ContactId, String),
    /// A nonholonomic row.
    Velocity(usize, String),
}

impl Row {
    /// The momentum balance of a coordinate of the system.
    pub fn coordinate<S: System + ?Sized>(system: &S, index: usize) -> Self {
        Self::Coordinate(index, system.coordinate_name(index))
    }

    /// An equality constraint of the system.
    pub fn equality<S: System + ?Sized>(system: &S, index: usize) -> Self {
        Self::Equality(index, system.equalities().name(index))
    }

    /// An inequality constraint of the system.
    pub fn contact<S: System + ?Sized>(system: &S, contact: ContactId) -> Self {
        Self::Contact(contact, system.contacts().name(contact))
    }

    /// A nonholonomic row of the system.
    pub fn velocity<S: System + ?Sized>(system: &S, index: usize) -> Self {
        Self::Velocity(index, system.nonholonomic().map_or_else(String::new, |rows| rows.name(index)))
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Row::Coordinate(_, name) => write!(f, "the momentum balance of coordinate `{name}`"),
            Row::Equality(_, name) => write!(f, "equality constraint `{name}`"),
            Row::Contact(_, name) => write!(f, "inequality constraint `{name}`"),
            Row::Velocity(_, name) => write!(f, "row of velocities `{name}`"),
        }
    }
}

/// A complementarity problem that was not solved: how far its solver came.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error(
    "the problem of {rows} impulses of the {stage} was not solved by `{solver}`: {reason} after {iterations} iterations, relative \
     residual {residual:.3e}, allowed {tolerance:.1e}; worst is {row}"
)]
pub struct Unsolved {
    /// `step` or `impact`.
    pub stage: &'static str,
    /// The solver.
    pub solver: &'static str,
    /// How many unknowns it has.
    pub rows: usize,
    /// Why it ended.
    pub reason: String,
    /// Iterations in its own unit.
    pub iterations: usize,
    /// The residual that was reached, relative to that of no impulses.
    pub residual: f64,
    /// The residual that would do.
    pub tolerance: f64,
    /// The row with the largest part of it.
    pub row: Row,
}

/// What went wrong inside a step.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Failure {
    /// Newton's method did not reach the round-off floor.
    #[error(
        "Newton's method did not converge in {iterations} iterations: relative residual {residual:.3e} in {row}, \
         last relative correction {correction:.3e}"
    )]
    NotConverged {
        /// Iterations made.
        iterations: u32,
        /// Largest residual relative to the terms it is made of.
        residual: f64,
        /// Where it stands.
        row: Row,
        /// Last correction relative to the unknowns.
        correction: f64,
    },
    /// The search for the end point along the gradients at the start of a step found none on a constraint.
    #[error(
        "Newton's method found no point of the constraints along their gradients at the start of the step: relative residual \
         {residual:.3e} in {row} after {iterations} iterations, {closest:.3e} at best; the step may be too long for its speed, so that the \
         search line misses the constraint: take a smaller step"
    )]
    OutOfReach {
        /// Iterations made.
        iterations: u32,
        /// Largest violation of a constraint at the last of them, relative to the terms that it is made of.
        residual: f64,
        /// The smallest of these over all iterations.
        closest: f64,
        /// The constraint with the largest violation at the end.
        row: Row,
    },
    /// The linear system of a step is singular.
    #[error("the linear system of the step is singular at {row} (relative pivot {pivot:.3e})")]
    Singular {
        /// The row that cannot be told from the others.
        row: Row,
        /// Pivot relative to its row.
        pivot: f64,
    },
    /// Constraint rows depend on each other.
    #[error("{row} depends on the constraints before it (relative pivot {pivot:.3e})")]
    Redundant {
        /// The constraint.
        row: Row,
        /// Pivot relative to its diagonal entry.
        pivot: f64,
    },
    /// The gradient of a constraint vanishes.
    #[error("the gradient of {row} vanishes")]
    Flat {
        /// The constraint.
        row: Row,
    },
    /// The mass matrix is not positive definite at a configuration that was reached.
    #[error("the mass matrix is not positive definite: relative pivot {pivot:.3e} at coordinate `{name}`")]
    Mass {
        /// The coordinate.
        name: String,
        /// Pivot relative to its diagonal entry.
        pivot: f64,
    },
    /// Full matrices of this system would take more memory than [`MOST_BYTES`].
    #[error(
        "{what} needs {}, the largest of {rows} × {columns} numbers; the limit is {}",
        in_words(*.bytes), in_words(MOST_BYTES as f64)
    )]
    TooLarge {
        /// What they are needed for.
        what: &'static str,
        /// Rows of the largest matrix.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// Bytes of all of them.
        bytes: f64,
    },
    /// An impact law came to no end.
    #[error(
        "the impact has no end: after {passes} reflections {contacts}; contacts without a way out, or too many of them"
    )]
    Impact {
        /// Reflections made.
        passes: u32,
        /// The contacts that are still approached, with their speeds.
        contacts: String,
    },
    /// The search for the first impact of a contact did not end.
    #[error(
        "the first impact with `{contact}` was not located: after {trials} trials the path is {gap:.3e} from contact, {at:.6e} into the \
         leg of the step; shorter steps may help"
    )]
    Search {
        /// The contact.
        contact: String,
        /// Places tried.
        trials: usize,
        /// How far into the leg the search came.
        at: f64,
        /// The gap there.
        gap: f64,
    },
    /// Impacts follow each other so fast that the step comes to no end.
    #[error(
        "the step stalls: {impacts} impacts, the last one at t = {} with `{contact}`, approached with {:.3e}; \
         smaller steps may help, and method.capture = true lets contacts that are pressed and hardly bounce come to rest",
        told(*at),
        -speed
    )]
    Stalled {
        /// Impacts in the step.
        impacts: usize,
        /// The contact that was hit last.
        contact: String,
        /// When.
        at: f64,
        /// Its speed of separation before that.
        speed: f64,
    },
    /// No set of contacts solves the complementarity conditions of a step.
    #[error("no set of contacts holds among {contacts}: {sets} sets tried, the last one {reason}")]
    Contacts {
        /// The contacts that may be held.
        contacts: String,
        /// Sets tried.
        sets: u32,
        /// What was wrong with the last one.
        reason: String,
    },
    /// The contacts of a cluster were not held.
    #[error(
        "{contacts} contacts that may rest are not held after {programmes} quadratic programmes: `{contact}` is off by {by:.3e}"
    )]
    Cluster {
        /// Contacts that may be held.
        contacts: usize,
        /// Programmes solved.
        programmes: u32,
        /// The worst of them.
        contact: String,
        /// What it is off by.
        by: f64,
    },
    /// Normals and friction of contacts that rest were not found together.
    #[error(
        "no friction was found after {problems} problems for what may rest (contacts: {contacts}): `{contact}` is off by the speed {by:.3e}; \
         contacts that wedge themselves or each other with so much friction may have no answer at all"
    )]
    Rubbing {
        /// Contacts that may be held.
        contacts: usize,
        /// Problems solved.
        problems: u32,
        /// The worst of them.
        contact: String,
        /// What it is off by.
        by: f64,
    },
    /// The complementarity problem of a step was not solved.
    #[error("{0}")]
    Unsolved(Box<Unsolved>),
    /// Motors with bounded forces beside friction.
    #[error("the step was not solved: {reason}; other compliances, or shorter steps, may help")]
    Motors {
        /// What was tried.
        reason: String,
    },
    /// The equations of a step cannot be put together.
    #[error("the equations of the step cannot be put together: {reason}")]
    Form {
        /// Why.
        reason: String,
    },
    /// The run was asked to stop while the step was being made.
    #[error("interrupted")]
    Interrupted,
    /// A number became infinite or undefined.
    #[error("{what} is not finite")]
    NonFinite {
        /// What.
        what: &'static str,
    },
}

/// The most memory that full matrices made at one place may take together, in bytes.
///
/// A constant and no share of the machine's memory: which systems a method takes is then the same everywhere.
pub const MOST_BYTES: usize = 4_000_000_000;

/// Bytes with a unit, in two or three digits.
pub fn in_words(bytes: f64) -> String {
    const UNITS: [(f64, &str); 6] =
        [(1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let Some((size, unit)) = UNITS.into_iter().find(|(size, _)| bytes >= *size) else {
        return format!("{bytes:.0} bytes");
    };
    let value = bytes / size;
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

impl Failure {
    /// Refuses a full matrix beyond the limit.
    pub fn unless_it_fits(what: &'static str, rows: usize, columns: usize) -> Result<(), Self> {
        Self::unless_they_fit(what, &[[rows, columns]])
    }

    /// Refuses full matrices, given by rows and columns, that are beyond the limit together. To be asked before any of them is made.
    pub fn unless_they_fit(what: &'static str, matrices: &[[usize; 2]]) -> Result<(), Self> {
        let size = |[rows, columns]: &[usize; 2]| 8.0 * *rows as f64 * *columns as f64;
        let bytes: f64 = matrices.iter().map(size).sum();
        match matrices.iter().max_by(|a, b| size(a).total_cmp(&size(b))) {
            Some(&[rows, columns]) if bytes > MOST_BYTES as f64 => {
                Err(Self::TooLarge { what, rows, columns, bytes })
            }
            _ => Ok(()),
        }
    }
}

/// A step that was not made; the state is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("step from t = {} with h = {}: {failure}", told(*t), told(*h))]
pub struct StepError {
    /// Time at the start of the step.
    pub t: f64,
    /// Its length.
    pub h: f64,
    /// What went wrong.
    pub failure: Failure,
}

/// A number as it is told to a reader: the nearest of 15 digits, without the round-off in the last bits of a double.
pub fn told(value: f64) -> f64 {
    format!("{value:.14e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::{Failure, StepError, in_words, told};

    #[test]
    fn round_off_is_not_told() {
        let (sum, time) = (0.1 + 0.2, 24.0 * 0.1);
        assert_eq!([told(sum), told(time), told(-0.0), told(1e300)], [0.3, 2.4, 0.0, 1e300]);
        assert_eq!(told(1.0 / 3.0).to_string(), "0.333333333333333");
        assert!(told(f64::NAN).is_nan() && told(f64::INFINITY) == f64::INFINITY);
        let failure = Failure::Interrupted;
        let error = StepError { t: time, h: sum, failure: failure.clone() };
        assert_eq!(error.to_string(), format!("step from t = 2.4 with h = 0.3: {failure}"));
    }

    #[test]
    fn matrices_are_counted_together_and_refused_with_their_size() {
        let n = 10_000;
        // Each of them takes 0.8 GB.
        assert_eq!(Failure::unless_they_fit("a step", &[[n, n]; 5]), Ok(()));
        let refused =
            Failure::unless_they_fit("a step", &[[n, n], [n, n], [n, n], [n, n], [n, n], [3, 1]]).unwrap_err();
        let said = "a step needs 4.0 GB, the largest of 10000 × 10000 numbers; the limit is 4.0 GB";
        assert_eq!(refused.to_string(), said);
        let huge = Failure::unless_it_fits("a step", usize::MAX, usize::MAX).unwrap_err();
        let side = usize::MAX;
        assert!(
            huge.to_string().contains(&format!(" EB, the largest of {side} × {side} numbers; the limit is")),
            "{huge}"
        );
        assert_eq!(Failure::unless_they_fit("nothing", &[]), Ok(()));
    }

    #[test]
    fn bytes_have_a_unit() {
        let words = [0.0, 999.0, 1e3, 2.34e6, 4.4e10, 8e13, 4.1e15, 3e20].map(in_words);
        assert_eq!(words, ["0 bytes", "999 bytes", "1.0 kB", "2.3 MB", "44 GB", "80 TB", "4.1 PB", "300 EB"]);
    }
}
