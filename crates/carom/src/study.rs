//! Convergence studies: errors over step lengths against a reference, with slopes.

use std::time::Instant;

use crate::error::{StepError, told};
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
    /// Slopes from the level before: halving the step divides the error by 2 to this power. Not finite where an error is 0.
    pub slope: Option<(f64, f64)>,
    /// Linear systems solved.
    pub iterations: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A step length that the method fails with.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedLevel {
    /// Number of steps.
    pub steps: u64,
    /// Their length.
    pub h: f64,
    /// Why, and when.
    pub error: StepError,
}

/// A convergence study.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// The levels that were reached, from the longest steps to the shortest.
    pub levels: Vec<Level>,
    /// Those that failed.
    pub failed: Vec<FailedLevel>,
    /// The order that the last three levels above round-off show, the lower one of q and p; `None` if fewer than two are.
    pub observed: Option<f64>,
}

/// An error below this part of the largest number of the reference is round-off.
const ROUND_OFF: f64 = 1e-12;
/// How many levels tell the order.
const TELLING: usize = 3;

impl Study {
    fn new(levels: Vec<Level>, failed: Vec<FailedLevel>, exact: &State) -> Self {
        let observed = |values: &[f64], error: fn(&Level) -> f64| {
            let round_off = ROUND_OFF * values.iter().fold(0.0_f64, |size, value| size.max(value.abs()));
            let telling = levels.iter().rev().filter(|level| error(level) > round_off).take(TELLING);
            exponent(&telling.map(|level| (level.h, error(level))).collect::<Vec<_>>())
        };
        let (q, p) = (observed(&exact.q, |level| level.error_q), observed(&exact.p, |level| level.error_p));
        let lower = q.into_iter().chain(p).min_by(f64::total_cmp);
        Self { observed: lower, levels, failed }
    }
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
    #[error("the reference has {found} coordinates at t = {}; needed are {needed} at t = {}", told(*t), told(*end))]
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

/// Runs `first · 2^k` steps over `span` for every level `k`. Levels that fail are told: long steps may, where shorter ones do not.
pub fn order(
    problem: &Problem,
    method: &AnyMethod,
    (span, first, levels): (f64, u64, u32),
    reference: &Reference,
) -> Result<Study, StudyError> {
    let exact = exact(problem, method, (span, first << (levels - 1)), reference)?;
    let (mut found, mut failed): (Vec<Level>, Vec<FailedLevel>) = (Vec::new(), Vec::new());
    for steps in (0..levels).map(|level| first << level) {
        match level(problem, method, (span, steps), &exact, found.last()) {
            Ok(level) => found.push(level),
            Err(StudyError::Step { steps, error }) => {
                failed.push(FailedLevel { steps, h: span / steps as f64, error });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Study::new(found, failed, &exact))
}

/// Runs so many steps over `span` for every level; one that fails is an error.
pub fn levels_of(
    problem: &Problem,
    method: &AnyMethod,
    (span, steps): (f64, &[u64]),
    reference: &Reference,
) -> Result<Vec<Level>, StudyError> {
    let exact = exact(problem, method, (span, steps.iter().max().copied().unwrap_or(1)), reference)?;
    let mut found: Vec<Level> = Vec::new();
    for &steps in steps {
        let level = level(problem, method, (span, steps), &exact, found.last())?;
        found.push(level);
    }
    Ok(found)
}

/// The state at the end that errors are measured against.
fn exact(
    problem: &Problem,
    method: &AnyMethod,
    (span, finest): (f64, u64),
    reference: &Reference,
) -> Result<State, StudyError> {
    match reference {
        Reference::Fine(finer) => {
            let finest = finest * finer;
            let ((coarse, _), (fine, _)) =
                (run(problem, method, span, finest / 2)?, run(problem, method, span, finest)?);
            let gain = f64::from(1_u32 << method.claims().order) - 1.0;
            let limit = |fine: &[f64], coarse: &[f64]| -> Vec<f64> {
                fine.iter().zip(coarse).map(|(fine, coarse)| fine + (fine - coarse) / gain).collect()
            };
            Ok(State { t: fine.t, q: limit(&fine.q, &coarse.q), p: limit(&fine.p, &coarse.p) })
        }
        Reference::Given(state) => {
            let (needed, end) = (problem.system.dim(), problem.initial.t + span);
            if state.q.len() != needed || (state.t - end).abs() > 1e-9 * end.abs().max(span) {
                return Err(StudyError::Reference { found: state.q.len(), t: state.t, needed, end });
            }
            Ok(state.clone())
        }
    }
}

fn level(
    problem: &Problem,
    method: &AnyMethod,
    (span, steps): (f64, u64),
    exact: &State,
    last: Option<&Level>,
) -> Result<Level, StudyError> {
    let begin = Instant::now();
    let (state, iterations) = run(problem, method, span, steps)?;
    let (seconds, h) = (begin.elapsed().as_secs_f64(), span / steps as f64);
    let (error_q, error_p) = (largest_difference(&state.q, &exact.q), largest_difference(&state.p, &exact.p));
    let slope = last.map(|last| {
        let finer = (last.h / h).log2();
        ((last.error_q / error_q).log2() / finer, (last.error_p / error_p).log2() / finer)
    });
    Ok(Level { steps, h, error_q, error_p, slope, iterations, seconds })
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
