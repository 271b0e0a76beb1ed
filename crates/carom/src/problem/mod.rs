//! A system with its initial state: checked, and put onto the constraints where it is off them by rounding only.
//!
//! Constraints that give way may start violated, as a spring may start stretched, and are left as they are: equalities with a
//! compliance of their own above 0, inequalities likewise, nonholonomic rows with a slip above 0 or a bounded force. A method that
//! holds equalities exactly refuses such a start, and one without soft contacts refuses their compliance.

pub(crate) mod lines;
mod onto;
mod settle;

use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::measures::Symmetry;
use crate::state::{State, all_finite};
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::near::Near;
use crate::system::{ContactId, Mass, System};
use lines::Lines;
pub(crate) use settle::violated;
use settle::{settle_positions, settle_velocities};

/// A state further off a constraint than this (relative) is refused, a closer one is projected.
pub const ROUNDING: f64 = 1e-6;

/// Which coordinates are Cartesian positions of points: linear and angular momentum refer to them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Points {
    /// 1, 2 or 3; 0 without points.
    pub dimension: usize,
    /// Per point, the indices of its coordinates.
    pub members: Vec<Vec<usize>>,
    /// In the plane, coordinates that are angles of bodies: their momenta are part of the angular momentum.
    #[serde(default)]
    pub spins: Vec<usize>,
}

/// A system, its initial state and what its coordinates mean. It names no method.
pub struct Problem {
    /// The system.
    pub system: Box<dyn System>,
    /// Its state at the start.
    pub initial: State,
    /// Its points.
    pub points: Points,
    /// Symmetries that were declared; whether they are any is measured.
    pub symmetries: Vec<Symmetry>,
    /// What was moved to put the state onto the constraints.
    pub adjustments: Vec<Adjustment>,
}

/// The initial state was off a constraint by rounding and was projected.
#[derive(Debug, Clone, PartialEq)]
pub struct Adjustment {
    /// Name of the constraint that was violated most.
    pub constraint: String,
    /// Whether positions or velocities were changed.
    pub of: Level,
    /// Violation before, relative.
    pub relative: f64,
    /// Largest change of a coordinate or velocity.
    pub change: f64,
}

/// Where a constraint acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// On positions.
    Position,
    /// On velocities.
    Velocity,
}

/// Why a state is no start of a system.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Inconsistency {
    /// A number is not finite.
    #[error("{what} is not finite at the initial state")]
    NonFinite {
        /// What.
        what: String,
    },
    /// The mass matrix is singular or indefinite.
    #[error("the mass matrix is {kind} at the initial state: pivot {pivot:.3e} (relative) at coordinate `{name}`")]
    Mass {
        /// `singular` or `indefinite`.
        kind: &'static str,
        /// Pivot relative to its diagonal entry.
        pivot: f64,
        /// The coordinate.
        name: String,
    },
    /// `f(q0) ≠ 0`.
    #[error("the initial state violates equality constraint `{name}`: f(q0) = {value:e}, {relative:.1e} relative")]
    Equality {
        /// The constraint's index.
        index: usize,
        /// Its name.
        name: String,
        /// Its value.
        value: f64,
        /// Relative to its terms.
        relative: f64,
    },
    /// `g(q0) < 0`.
    #[error("the initial state violates inequality constraint `{name}`: g(q0) = {value:e} < 0")]
    Gap {
        /// The contact.
        contact: ContactId,
        /// Its name.
        name: String,
        /// Its value.
        value: f64,
    },
    /// `G v0 + ∂f/∂t ≠ 0`.
    #[error(
        "the initial velocity violates the hidden constraint of `{name}`: d/dt f = {value:e}, {relative:.1e} relative"
    )]
    Velocity {
        /// The constraint's index.
        index: usize,
        /// Its name.
        name: String,
        /// Rate of the constraint.
        value: f64,
        /// Relative to its terms.
        relative: f64,
    },
    /// `A(q0) v0 ≠ a(t0)`.
    #[error("the initial velocity violates `{name}`: A v − a = {value:e}, {relative:.1e} relative")]
    Nonholonomic {
        /// The row's index.
        index: usize,
        /// Its name.
        name: String,
        /// Value of the row.
        value: f64,
        /// Relative to its terms.
        relative: f64,
    },
    /// The constraints do not fit into memory.
    #[error("{0}")]
    TooLarge(Failure),
    /// The state is off by rounding but cannot be projected.
    #[error(
        "the initial state is off its constraints by rounding and could not be projected: row {row} depends on others"
    )]
    Redundant {
        /// The row.
        row: usize,
    },
}

impl Problem {
    /// Checks everything and projects what is off by rounding; all that is wrong comes back.
    pub fn new(
        system: Box<dyn System>,
        t: f64,
        mut q: Vec<f64>,
        mut v: Vec<f64>,
        points: Points,
    ) -> Result<Self, Vec<Inconsistency>> {
        let found = not_finite(&*system, t, &q, &v);
        let mut wrong = found.map_err(|failure| vec![Inconsistency::TooLarge(failure)])?;
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let mut inverse = match InverseMass::new(&*system, &q) {
            Ok(inverse) => inverse,
            Err(failure) => return Err(vec![mass_inconsistency(failure)]),
        };
        let mut adjustments = Vec::new();
        match settle_positions(&*system, &inverse, t, &mut q) {
            Ok(adjustment) => adjustments.extend(adjustment),
            Err(found) => wrong.extend(found),
        }
        if let Err(failure) = inverse.prepare(&*system, &q) {
            return Err(vec![mass_inconsistency(failure)]);
        }
        match settle_velocities(&*system, &inverse, t, &q, &mut v) {
            Ok(adjustment) => adjustments.extend(adjustment),
            Err(found) => wrong.extend(found),
        }
        if wrong.is_empty() {
            let initial = State::from_velocity(&*system, t, &q, &v);
            for (of, numbers) in [("", &initial.q), ("the momentum of ", &initial.p)] {
                if let Some(i) = numbers.iter().position(|number| !number.is_finite()) {
                    let what = format!("{of}coordinate `{}`", system.coordinate_name(i));
                    return Err(vec![Inconsistency::NonFinite { what }]);
                }
            }
            Ok(Self { system, initial, points, symmetries: Vec::new(), adjustments })
        } else {
            Err(wrong)
        }
    }
}

fn not_finite(system: &dyn System, t: f64, q: &[f64], v: &[f64]) -> Result<Vec<Inconsistency>, Failure> {
    let n = system.dim();
    let mut gradient = vec![0.0; n];
    system.potential_gradient(t, q, &mut gradient);
    // A diagonal mass needs no n × n numbers: there may be many coordinates.
    let mass = match system.mass() {
        Mass::Diagonal(mass) | Mass::Constant(mass) => all_finite(mass),
        mass => {
            Failure::unless_it_fits("a mass matrix that is not diagonal", n, n)?;
            let mut entries = vec![0.0; n * n];
            mass.matrix(q, &mut entries);
            all_finite(&entries)
        }
    };
    let mut force = vec![0.0; n];
    if let Some(forces) = system.forces() {
        forces.force(t, q, v, &mut force);
    }
    let mut found: Vec<String> = [
        ("the time", t.is_finite()),
        ("the potential", system.potential(t, q).is_finite()),
        ("the gradient of the potential", all_finite(&gradient)),
        ("the mass matrix", mass),
        ("a non-potential force", all_finite(&force)),
    ]
    .into_iter()
    .filter(|(_, finite)| !finite)
    .map(|(what, _)| what.to_string())
    .collect();
    for i in (0..n).filter(|&i| !(q[i].is_finite() && v[i].is_finite())) {
        found.push(format!("coordinate `{}` or its velocity", system.coordinate_name(i)));
    }
    let (m, contacts) = (system.equalities().count(), contacts_at(system, t, q));
    let mut values = vec![0.0; m + contacts.len()];
    system.equalities().values(t, q, &mut values[..m]);
    system.contacts().gaps_of(t, q, &contacts, &mut values[m..]);
    let rows = Lines::of_equalities(system, t, q)?.then(Lines::of_gaps(system, t, q, &contacts));
    for (i, value) in values.iter().enumerate() {
        if !(value.is_finite() && rows.is_finite(i)) {
            let name = if i < m { system.equalities().name(i) } else { system.contacts().name(contacts[i - m]) };
            found.push(format!("constraint `{name}` or its gradient"));
        }
    }
    Ok(found.into_iter().map(|what| Inconsistency::NonFinite { what }).collect())
}

/// The contacts of a place that may be closed; of few all.
pub fn contacts_at(system: &dyn System, t: f64, q: &[f64]) -> Vec<ContactId> {
    let mut near = Near::default();
    near.survey(system, t, q);
    near.ids().to_vec()
}

fn mass_inconsistency(failure: Failure) -> Inconsistency {
    match failure {
        Failure::Mass { name, pivot } => {
            let kind = if pivot < -1e-12 { "indefinite" } else { "singular" };
            Inconsistency::Mass { kind, pivot, name }
        }
        other => Inconsistency::NonFinite { what: other.to_string() },
    }
}
