//! Whether a start satisfies the constraints, and the projection of one that is off them by rounding.

use super::lines::Lines;
use super::onto::{Factors, Unfactored};
use super::{Adjustment, Inconsistency, Level, ROUNDING, contacts_at};
use crate::error::Failure;
use crate::linear::dot;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::newton::FLOOR;
use crate::steppers::shared::rows::relative;
use crate::system::{Nonholonomic, System};

/// A state closer than this (relative) is left as it is.
const ON: f64 = 16.0 * f64::EPSILON;

/// Whether an equality may start violated.
fn gives_way<S: System + ?Sized>(system: &S, equality: usize) -> bool {
    system.equalities().softness(equality).gives_way()
}

/// Whether a nonholonomic row may start violated: a motor starts from rest.
fn yields(rows: &dyn Nonholonomic, row: usize) -> bool {
    rows.slip(row).is_some_and(|slip| slip > 0.0) || rows.force_bounds(row).into_iter().any(f64::is_finite)
}

/// The first equality that gives way and is violated, in its value or its rate, by more than rounding: its index and its value, or rate.
pub fn violated<S: System + ?Sized>(system: &S, start: &State) -> Option<(usize, Level, f64)> {
    let m = system.equalities().count();
    if !(0..m).any(|row| gives_way(system, row)) {
        return None;
    }
    let mut v = start.p.clone();
    InverseMass::new(system, &start.q).ok()?.solve(&mut v);
    let (mut f, mut rounding, mut rate) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
    system.equalities().rounding(start.t, &start.q, &mut rounding);
    system.equalities().values(start.t, &start.q, &mut f);
    system.equalities().rate(start.t, &start.q, &mut rate);
    let lines = Lines::of_equalities(system, start.t, &start.q).ok()?;
    let (place_square, speed_square) = (dot(&start.q, &start.q), dot(&v, &v));
    (0..m).filter(|&row| gives_way(system, row)).find_map(|row| {
        let size = row_size(&lines, row, place_square);
        let place = Residual { value: f[row], size, rounding: rounding[row] };
        let (value, size) = (lines.dot(row, &v) + rate[row], row_size(&lines, row, speed_square) + rate[row].abs());
        let speed = Residual { value, size, rounding: 0.0 };
        let found = [(Level::Position, place), (Level::Velocity, speed)];
        let (level, residual) = found.into_iter().find(|(_, residual)| residual.relative() > ROUNDING)?;
        Some((row, level, residual.value))
    })
}

/// One row that the start has to satisfy.
struct Residual {
    value: f64,
    size: f64,
    /// Round-off of computing it, in units of ε.
    rounding: f64,
}

impl Residual {
    /// Where coordinates are zero, the constants of a row are all that it can be off by. Not a number where the size overflows: beside an infinite size
    /// everything would be rounding.
    fn relative(&self) -> f64 {
        if self.size == f64::INFINITY && self.value != 0.0 {
            return f64::NAN;
        }
        let relative = relative(self.value, self.size);
        let rounding = relative > ROUNDING && self.value.abs() <= FLOOR * self.rounding;
        if rounding { 0.0 } else { relative }
    }
}

/// The size that round-off in a row's value comes from: `|g||x|`, so that a component that should be zero has a scale. `square` is `x·x`.
fn row_size(lines: &Lines, row: usize, square: f64) -> f64 {
    (lines.square(row) * square).sqrt()
}

/// Rows that do not fit into memory.
fn too_large(failure: Failure) -> Vec<Inconsistency> {
    vec![Inconsistency::TooLarge(failure)]
}

/// Rows that a start cannot be projected onto.
fn not_factored(wrong: Unfactored, held: &[usize]) -> Vec<Inconsistency> {
    match wrong {
        Unfactored::TooLarge(failure) => too_large(failure),
        Unfactored::Redundant(row) => vec![Inconsistency::Redundant { row: held[row] }],
    }
}

/// Checks the places and projects them if they are off by rounding.
pub fn settle_positions(
    system: &dyn System,
    inverse: &InverseMass,
    t: f64,
    q: &mut [f64],
) -> Result<Option<Adjustment>, Vec<Inconsistency>> {
    let (m, contacts) = (system.equalities().count(), contacts_at(system, t, q));
    let (mut f, mut rounding) = (vec![0.0; m + contacts.len()], vec![0.0; m + contacts.len()]);
    let mut evaluate = |q: &[f64]| -> Result<(Vec<Residual>, Lines), Vec<Inconsistency>> {
        system.equalities().values(t, q, &mut f[..m]);
        system.contacts().gaps_of(t, q, &contacts, &mut f[m..]);
        system.equalities().rounding(t, q, &mut rounding[..m]);
        system.contacts().rounding(t, q, &contacts, &mut rounding[m..]);
        let lines = Lines::of_equalities(system, t, q).map_err(too_large)?;
        let lines = lines.then(Lines::of_gaps(system, t, q, &contacts));
        let square = dot(q, q);
        let residual = |(row, (&value, &rounding)): (usize, (&f64, &f64))| Residual {
            value,
            size: row_size(&lines, row, square),
            rounding,
        };
        Ok((f.iter().zip(&rounding).enumerate().map(residual).collect(), lines))
    };
    let (residuals, _) = evaluate(q)?;
    let mut wrong = Vec::new();
    let mut worst: Option<(usize, f64)> = None;
    // Gaps that are negative by rounding are closed with the equalities.
    let mut held: Vec<usize> = (0..m).filter(|&row| !gives_way(system, row)).collect();
    for (i, residual) in residuals.iter().enumerate() {
        let relative = residual.relative();
        let free = match i.checked_sub(m) {
            None => gives_way(system, i),
            Some(place) => {
                residual.value >= 0.0 || system.contacts().material(contacts[place]).softness.gives_way()
            }
        };
        if free {
            continue;
        }
        if relative > ROUNDING || relative.is_nan() {
            let (value, index) = (residual.value, i);
            wrong.push(if i < m {
                Inconsistency::Equality { index, name: system.equalities().name(i), value, relative }
            } else {
                Inconsistency::Gap {
                    contact: contacts[i - m],
                    name: system.contacts().name(contacts[i - m]),
                    value,
                }
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
        let (residuals, lines) = evaluate(q)?;
        if held.iter().all(|&i| residuals[i].relative() <= ON / 4.0 && (i < m || residuals[i].value >= 0.0)) {
            break;
        }
        let factors = Factors::of(inverse, &lines, &held).map_err(|wrong| not_factored(wrong, &held))?;
        // A gap is closed to just above zero, so that it does not stay negative by the last digit.
        let lift = |i: usize| if i < m { 0.0 } else { f64::EPSILON * residuals[i].size };
        let values: Vec<f64> = held.iter().map(|&i| residuals[i].value - lift(i)).collect();
        factors.take_off(values, q);
    }
    let constraint = match index.checked_sub(m) {
        None => system.equalities().name(index),
        Some(place) => system.contacts().name(contacts[place]),
    };
    let change = start.iter().zip(&*q).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    Ok(Some(Adjustment { constraint, of: Level::Position, relative, change }))
}

/// Checks the velocities and projects them if they are off by rounding.
pub fn settle_velocities(
    system: &dyn System,
    inverse: &InverseMass,
    t: f64,
    q: &[f64],
    v: &mut [f64],
) -> Result<Option<Adjustment>, Vec<Inconsistency>> {
    let m = system.equalities().count();
    let k = system.nonholonomic().map_or(0, |rows| rows.rows());
    let (mut offset, mut unused) = (vec![0.0; m + k], vec![0.0; k]);
    let lines = Lines::of_equalities(system, t, q).map_err(too_large)?;
    let lines = lines.then(Lines::of_velocities(system, q).map_err(too_large)?);
    system.equalities().rate(t, q, &mut offset[..m]);
    if let Some(nonholonomic) = system.nonholonomic() {
        nonholonomic.rates(t, &mut offset[m..], &mut unused);
        for a in &mut offset[m..] {
            *a = -*a;
        }
    }
    let evaluate = |v: &[f64]| -> Vec<Residual> {
        let square = dot(v, v);
        let residual = |(row, o): (usize, &f64)| {
            let (value, size) = (lines.dot(row, v) + o, row_size(&lines, row, square) + o.abs());
            Residual { value, size, rounding: 0.0 }
        };
        offset.iter().enumerate().map(residual).collect()
    };
    let mut wrong = Vec::new();
    let mut worst = (0, ON);
    let free = |row: usize| match system.nonholonomic().filter(|_| row >= m) {
        None => gives_way(system, row),
        Some(rows) => yields(rows, row - m),
    };
    let held: Vec<usize> = (0..m + k).filter(|&row| !free(row)).collect();
    for (i, residual) in evaluate(v).iter().enumerate().filter(|(i, _)| !free(*i)) {
        let (relative, value) = (residual.relative(), residual.value);
        if relative > ROUNDING || relative.is_nan() {
            wrong.push(match system.nonholonomic().filter(|_| i >= m) {
                None => Inconsistency::Velocity { index: i, name: system.equalities().name(i), value, relative },
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
    let factors = Factors::of(inverse, &lines, &held).map_err(|wrong| not_factored(wrong, &held))?;
    for _ in 0..2 {
        let residuals = evaluate(v);
        let values: Vec<f64> = held.iter().map(|&i| residuals[i].value).collect();
        factors.take_off(values, v);
    }
    let constraint = match system.nonholonomic().filter(|_| index >= m) {
        None => system.equalities().name(index),
        Some(rows) => rows.name(index - m),
    };
    let change = start.iter().zip(&*v).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    Ok(Some(Adjustment { constraint, of: Level::Velocity, relative, change }))
}
