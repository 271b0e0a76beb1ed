//! A system with its initial state: checked, and put onto the constraints where it is off them by rounding only.

use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::linear::{Cholesky, add_transposed_times, dot};
use crate::measures::Symmetry;
use crate::state::{State, all_finite};
use crate::steppers::shared::mass::InverseMass;
use crate::system::{Mass, System};

/// A state further off a constraint than this (relative) is refused, a closer one is projected.
pub const ROUNDING: f64 = 1e-6;
/// A state closer than this (relative) is left as it is.
const ON: f64 = 16.0 * f64::EPSILON;

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
        /// The constraint's index.
        index: usize,
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

/// One row that the start has to satisfy.
struct Residual {
    value: f64,
    size: f64,
}

impl Residual {
    fn relative(&self) -> f64 {
        if self.value == 0.0 { 0.0 } else { self.value.abs() / self.size }
    }
}

/// The size that round-off in a row's value comes from: `|g||x|`, so that a component that should be zero has a scale.
fn row_size(row: &[f64], x: &[f64]) -> f64 {
    (dot(row, row) * dot(x, x)).sqrt()
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
        let rows = system.equalities() + system.inequalities();
        if let Err(failure) = Failure::unless_it_fits("the matrix of constraint gradients", rows, system.dim()) {
            return Err(vec![Inconsistency::TooLarge(failure)]);
        }
        let mut wrong = not_finite(&*system, t, &q, &v);
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
            Ok(Self { system, initial, points, symmetries: Vec::new(), adjustments })
        } else {
            Err(wrong)
        }
    }
}

fn not_finite(system: &dyn System, t: f64, q: &[f64], v: &[f64]) -> Vec<Inconsistency> {
    let n = system.dim();
    let mut gradient = vec![0.0; n];
    system.potential_gradient(t, q, &mut gradient);
    // A diagonal mass needs no n × n numbers: there may be many coordinates.
    let mass = match system.mass() {
        Mass::Diagonal(mass) | Mass::Constant(mass) => all_finite(mass),
        mass => {
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
    let (m, k) = (system.equalities(), system.inequalities());
    let (mut values, mut rows) = (vec![0.0; m + k], vec![0.0; (m + k) * n]);
    system.equality(t, q, &mut values[..m]);
    system.equality_jacobian(t, q, &mut rows[..m * n]);
    system.gap(q, &mut values[m..]);
    system.gap_jacobian(q, &mut rows[m * n..]);
    for (i, (value, row)) in values.iter().zip(rows.chunks_exact(n)).enumerate() {
        if !(value.is_finite() && all_finite(row)) {
            let name = if i < m { system.equality_name(i) } else { system.gap_name(i - m) };
            found.push(format!("constraint `{name}` or its gradient"));
        }
    }
    found.into_iter().map(|what| Inconsistency::NonFinite { what }).collect()
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

/// Solves `rows M⁻¹rowsᵀ y = values` and takes `M⁻¹rowsᵀy` off `x`.
fn take_off(inverse: &InverseMass, rows: &[f64], values: &[f64], x: &mut [f64]) -> Result<(), usize> {
    let (n, m) = (x.len(), values.len());
    let mut z = rows.to_vec();
    for row in z.chunks_exact_mut(n) {
        inverse.solve(row);
    }
    let mut schur = Cholesky::new(m);
    for i in 0..m {
        for j in 0..=i {
            schur.matrix[i * m + j] = dot(&rows[i * n..(i + 1) * n], &z[j * n..(j + 1) * n]);
        }
    }
    schur.factor().map_err(|breakdown| breakdown.index)?;
    let mut y = values.to_vec();
    schur.solve(&mut y);
    add_transposed_times(&z, &y, -1.0, x);
    Ok(())
}

fn settle_positions(
    system: &dyn System,
    inverse: &InverseMass,
    t: f64,
    q: &mut [f64],
) -> Result<Option<Adjustment>, Vec<Inconsistency>> {
    let (n, m, k) = (system.dim(), system.equalities(), system.inequalities());
    let (mut f, mut g) = (vec![0.0; m + k], vec![0.0; (m + k) * n]);
    let mut evaluate = |q: &[f64]| -> (Vec<Residual>, Vec<f64>) {
        system.equality(t, q, &mut f[..m]);
        system.gap(q, &mut f[m..]);
        system.equality_jacobian(t, q, &mut g[..m * n]);
        system.gap_jacobian(q, &mut g[m * n..]);
        let residuals =
            f.iter().zip(g.chunks_exact(n)).map(|(&value, row)| Residual { value, size: row_size(row, q) });
        (residuals.collect(), g.clone())
    };
    let (residuals, _) = evaluate(q);
    let mut wrong = Vec::new();
    let mut worst: Option<(usize, f64)> = None;
    // Gaps that are negative by rounding are closed with the equalities.
    let mut held: Vec<usize> = (0..m).collect();
    for (i, residual) in residuals.iter().enumerate() {
        let relative = residual.relative();
        if i >= m && residual.value >= 0.0 {
            continue;
        }
        if relative > ROUNDING || relative.is_nan() {
            let (value, index) = (residual.value, i);
            wrong.push(if i < m {
                Inconsistency::Equality { index, name: system.equality_name(i), value, relative }
            } else {
                Inconsistency::Gap { index: i - m, name: system.gap_name(i - m), value }
            });
            continue;
        }
        if i >= m {
            held.push(i);
        }
        if relative > worst.map_or(ON, |(_, worst)| worst) || (i >= m && worst.is_none()) {
            worst = Some((i, relative));
        }
    }
    let Some((index, relative)) = worst.filter(|_| wrong.is_empty()) else {
        return if wrong.is_empty() { Ok(None) } else { Err(wrong) };
    };
    let start = q.to_vec();
    for _ in 0..20 {
        let (residuals, rows) = evaluate(q);
        if held.iter().all(|&i| residuals[i].relative() <= ON / 4.0 && (i < m || residuals[i].value >= 0.0)) {
            break;
        }
        let chosen: Vec<f64> = held.iter().flat_map(|&i| rows[i * n..(i + 1) * n].iter().copied()).collect();
        // A gap is closed to just above zero, so that it does not stay negative by the last digit.
        let lift = |i: usize| if i < m { 0.0 } else { f64::EPSILON * residuals[i].size };
        let values: Vec<f64> = held.iter().map(|&i| residuals[i].value - lift(i)).collect();
        take_off(inverse, &chosen, &values, q).map_err(|row| vec![Inconsistency::Redundant { row: held[row] }])?;
    }
    let constraint = if index < m { system.equality_name(index) } else { system.gap_name(index - m) };
    let change = start.iter().zip(&*q).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    Ok(Some(Adjustment { constraint, of: Level::Position, relative, change }))
}

fn settle_velocities(
    system: &dyn System,
    inverse: &InverseMass,
    t: f64,
    q: &[f64],
    v: &mut [f64],
) -> Result<Option<Adjustment>, Vec<Inconsistency>> {
    let (n, m) = (system.dim(), system.equalities());
    let k = system.nonholonomic().map_or(0, |rows| rows.rows());
    let (mut rows, mut offset, mut unused) = (vec![0.0; (m + k) * n], vec![0.0; m + k], vec![0.0; k]);
    system.equality_jacobian(t, q, &mut rows[..m * n]);
    system.equality_rate(t, q, &mut offset[..m]);
    if let Some(nonholonomic) = system.nonholonomic() {
        nonholonomic.matrix(q, &mut rows[m * n..]);
        nonholonomic.rates(t, &mut offset[m..], &mut unused);
        for a in &mut offset[m..] {
            *a = -*a;
        }
    }
    let evaluate = |v: &[f64]| -> Vec<Residual> {
        let rows = rows.chunks_exact(n).zip(&offset);
        rows.map(|(row, o)| Residual { value: dot(row, v) + o, size: row_size(row, v) + o.abs() }).collect()
    };
    let mut wrong = Vec::new();
    let mut worst = (0, ON);
    for (i, residual) in evaluate(v).iter().enumerate() {
        let (relative, value) = (residual.relative(), residual.value);
        if relative > ROUNDING || relative.is_nan() {
            wrong.push(match system.nonholonomic().filter(|_| i >= m) {
                None => Inconsistency::Velocity { index: i, name: system.equality_name(i), value, relative },
                Some(rows) => Inconsistency::Nonholonomic { index: i - m, name: rows.name(i - m), value, relative },
            });
        } else if relative > worst.1 {
            worst = (i, relative);
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let (index, relative) = worst;
    if relative <= ON {
        return Ok(None);
    }
    let start = v.to_vec();
    for _ in 0..2 {
        let values: Vec<f64> = evaluate(v).iter().map(|residual| residual.value).collect();
        take_off(inverse, &rows, &values, v).map_err(|row| vec![Inconsistency::Redundant { row }])?;
    }
    let constraint = match system.nonholonomic().filter(|_| index >= m) {
        None => system.equality_name(index),
        Some(rows) => rows.name(index - m),
    };
    let change = start.iter().zip(&*v).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    Ok(Some(Adjustment { constraint, of: Level::Velocity, relative, change }))
}
