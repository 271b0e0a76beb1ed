//! The length of an impulse that meets a condition on an energy.
//!
//! The energy after an impulse `s d` is to leading order a parabola in `s`, whose larger root reflects and whose smaller one passes
//! through. From the law's own impulse, `s = 1`, the secant method finds the first. There may be none: near grazing, or late in a
//! chain of rebounds that restitution makes smaller. Where the secant method leaves the range of `s`, [`search`] still brackets a root.

use super::newton::FLOOR;
use crate::error::Failure;

/// Trials of `s`; 4 to 6 are the rule.
const MOST_TRIALS: u32 = 40;
/// Relative changes of a dissipative rebound's energy up to which the condition is believed.
const TRUSTED: f64 = 1e-2;

/// What the condition is measured by.
#[derive(Debug, Clone, Copy)]
pub struct Measure {
    /// Size of the terms that the energy is summed from: it may be small itself.
    pub size: f64,
    /// Whether the law took energy. Then the condition shifts the energy of a rebound by O(h²), whatever remains of it: beyond
    /// `TRUSTED` of it there is no answer.
    pub lossy: bool,
    /// Kinetic energy along the impulse after the impact.
    pub rebound: f64,
}

/// By how much the energy misses its target with an impulse `s d`, and its slope in `s` there.
pub type Missed = [f64; 2];

/// The factor `s`, between 0 and 2, with which the energy is its target; none if there is no such reflection.
pub fn find(
    measure: Measure,
    mut missed: impl FnMut(f64) -> Result<Missed, Failure>,
) -> Result<Option<f64>, Failure> {
    let (mut scale, mut before) = (1.0, None);
    for trial in 0..MOST_TRIALS {
        let [miss, own_slope] = missed(scale)?;
        let slope = match before {
            None => own_slope,
            Some((last, other)) => (miss - other) / (scale - last),
        };
        // Round-off: below it, or near it and no longer falling.
        let stalled = before.is_some_and(|(_, other): (f64, f64)| miss.abs() >= 0.5 * other.abs());
        if miss.abs() <= FLOOR * measure.size || (stalled && miss.abs() <= 1e-12 * measure.size) {
            return Ok(Some(scale));
        }
        let trusted = trial > 0 || !measure.lossy || miss.abs() <= TRUSTED * measure.rebound;
        // Beyond the vertex of the parabola there is no reflection.
        if !(trusted && slope > 0.0 && miss.is_finite()) {
            return Ok(None);
        }
        before = Some((scale, miss));
        scale -= miss / slope;
        if !(scale > 0.0 && scale < 2.0) {
            return Ok(None);
        }
    }
    Ok(None)
}

/// The same, and where the secant method fails a search of a bracket: between the vertex of the parabola through three trials and 2.
pub fn search(
    measure: Measure,
    mut missed: impl FnMut(f64) -> Result<Missed, Failure>,
) -> Result<Option<f64>, Failure> {
    let found = find(measure, &mut missed)?;
    if found.is_some() || measure.lossy {
        return Ok(found);
    }
    // Notation: f = a (s − vertex)² + … through s = 1/2, 1 and 2, by divided differences.
    let mut f = |s: f64| Ok(missed(s)?[0]);
    let [half, one, two] = [f(0.5)?, f(1.0)?, f(2.0)?];
    let (first, second) = (2.0 * (one - half), two - one);
    let bend = (second - first) / 1.5;
    let vertex = 0.75 - 0.5 * first / bend;
    let low = if bend > 0.0 && vertex > 0.0 && vertex < 2.0 { vertex } else { 0.5 };
    let (mut low, mut high) = (low, if one > 0.0 && low < 1.0 { 1.0 } else { 2.0 });
    if !(f(low)? < 0.0 && f(high)? >= 0.0) {
        return Ok(None);
    }
    // 2⁻⁵³ of the bracket is round-off of s.
    for _ in 0..f64::MANTISSA_DIGITS {
        let middle = 0.5 * (low + high);
        if f(middle)? < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Ok(Some(high))
}
