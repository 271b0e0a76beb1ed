//! Convergence studies: errors over step lengths against a reference, with slopes.

use std::time::Instant;

use crate::error::StepError;
use crate::method::{AnyMethod, Refusal};
use crate::problem::Problem;
use crate::state::State;

/// One step length of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// Number of steps.
    pub steps: u64,
    /// Their length.
    pub h: f64,
    /// Largest error of a coordinate at the end.
    pub error_q: f64,
    /// Largest error of a momentum at the end.
    pub error_p: f64,
    /// Slopes from the level before: halving the step divides the error by 2 to this power.
    pub slope: Option<(f64, f64)>,
    /// Linear systems solved.
    pub iterations: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// What the errors are measured against.
#[derive(Debug, Clone, PartialEq)]
pub enum Reference {
    /// The same method with steps this many times finer than the finest level, extrapolated by its claimed order.
    Fine(u64),
    /// A state at the end that is known from elsewhere.
    Given(State),
}

/// Why a study could not be made.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StudyError {
    /// The method does not take the system.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A step failed.
    #[error("with {steps} steps: {error}")]
    Step {
        /// Number of steps of the run.
        steps: u64,
        /// Why.
        error: StepError,
    },
    /// The given reference is a state of another system or time.
    #[error("the reference has {found} coordinates at t = {t}; needed are {needed} at t = {end}")]
    Reference {
        /// Its coordinates.
        found: usize,
        /// Its time.
        t: f64,
        /// Coordinates of the problem.
        needed: usize,
        /// Time at the end.
        end: f64,
    },
}

/// Runs to the end of `span` in `steps` steps; the state there and the linear systems solved.
fn run(problem: &Problem, method: &AnyMethod, span: f64, steps: u64) -> Result<(State, u64), StudyError> {
    let system = &*problem.system;
    let mut stepper = method.stepper(system, &problem.initial)?;
    let (mut state, mut iterations) = (problem.initial.clone(), 0);
    let h = span / steps as f64;
    for k in 1..=steps {
        let report = stepper.step(system, &mut state, h).map_err(|error| StudyError::Step { steps, error })?;
        state.t = problem.initial.t + k as f64 * h;
        iterations += u64::from(report.iterations);
    }
    Ok((state, iterations))
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()))
}

/// Runs `first · 2^k` steps over `span` for every level `k`.
pub fn order(
    problem: &Problem,
    method: &AnyMethod,
    (span, first, levels): (f64, u64, u32),
    reference: &Reference,
) -> Result<Vec<Level>, StudyError> {
    let steps: Vec<u64> = (0..levels).map(|level| first << level).collect();
    levels_of(problem, method, (span, &steps), reference)
}

/// Runs so many steps over `span` for every level.
pub fn levels_of(
    problem: &Problem,
    method: &AnyMethod,
    (span, steps): (f64, &[u64]),
    reference: &Reference,
) -> Result<Vec<Level>, StudyError> {
    let exact = match reference {
        Reference::Fine(finer) => {
            let finest = steps.iter().max().copied().unwrap_or(1) * finer;
            let ((coarse, _), (fine, _)) =
                (run(problem, method, span, finest / 2)?, run(problem, method, span, finest)?);
            let gain = f64::from(1_u32 << method.claims().order) - 1.0;
            let limit = |fine: &[f64], coarse: &[f64]| -> Vec<f64> {
                fine.iter().zip(coarse).map(|(fine, coarse)| fine + (fine - coarse) / gain).collect()
            };
            State { t: fine.t, q: limit(&fine.q, &coarse.q), p: limit(&fine.p, &coarse.p) }
        }
        Reference::Given(state) => {
            let (needed, end) = (problem.system.dim(), problem.initial.t + span);
            if state.q.len() != needed || (state.t - end).abs() > 1e-9 * end.abs().max(span) {
                return Err(StudyError::Reference { found: state.q.len(), t: state.t, needed, end });
            }
            state.clone()
        }
    };
    let mut found: Vec<Level> = Vec::new();
    for &steps in steps {
        let begin = Instant::now();
        let (state, iterations) = run(problem, method, span, steps)?;
        let (seconds, h) = (begin.elapsed().as_secs_f64(), span / steps as f64);
        let (error_q, error_p) = (largest_difference(&state.q, &exact.q), largest_difference(&state.p, &exact.p));
        let slope = found.last().map(|last| {
            let finer = (last.h / h).log2();
            ((last.error_q / error_q).log2() / finer, (last.error_p / error_p).log2() / finer)
        });
        found.push(Level { steps, h, error_q, error_p, slope, iterations, seconds });
    }
    Ok(found)
}

/// The exponent of a power law: the least-squares slope of the logarithms of `(h, error)`. None if fewer than two step
/// lengths differ or if an error is not positive, as one that is exactly 0.
pub fn exponent(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(|point| pick(point).ln()).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let (mut xx, mut xy) = (0.0, 0.0);
    for (h, error) in points {
        let along = h.ln() - x;
        xx += along * along;
        xy += along * (error.ln() - y);
    }
    (xx > 0.0 && xy.is_finite()).then(|| xy / xx)
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let law: Vec<(f64, f64)> = [0.3, 0.1, 0.04].iter().map(|h: &f64| (*h, 7.0 * h.powf(2.5))).collect();
        assert!((exponent(&law).unwrap() - 2.5).abs() < 1e-13);
        for none in [&[][..], &[(0.1, 1.0)], &[(0.1, 1.0), (0.1, 2.0)], &[(0.1, 0.0), (0.2, 1.0)]] {
            assert_eq!(exponent(none), None, "{none:?}");
        }
    }
}
