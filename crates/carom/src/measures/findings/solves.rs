//! Solves that failed, and solves that left more than is demanded by default.

use super::limits::{DEMANDED, SOLVED};
use super::words::{place, short, times};
use super::{Evidence, Finding, Kind};
use crate::run::Ended;

/// The step that ended the run. Runs that were stopped, or whose disk was full, are judged by the steps that they made.
pub fn failure(run: &Evidence) -> Option<Finding> {
    let Some(Ended::Step { step, .. }) = &run.outcome.ended else { return None };
    let sentence = format!(
        "the run ended early, at t = {}: step {step} could not be made, and where the motion goes from there is not known",
        short(run.outcome.state.t)
    );
    Some(Finding { kind: Kind::Failure, trustworthy: false, value: 1.0, limit: 0.0, scale: 1.0, sentence })
}

/// Steps whose equations were solved loosely, since an option of the method allows it.
pub fn loose(run: &Evidence) -> Option<Finding> {
    let loose = run.summary.gauge.loose;
    if loose.steps == 0 {
        return None;
    }
    let value = loose.worst.value;
    let because = run.method.loosened_by().map_or_else(String::new, |option| format!("; {option}"));
    let sentence = format!(
        "{} of {} {} solved loosely: worst relative residual {} {}, where {DEMANDED:.0e} is demanded by default{because}",
        loose.steps,
        times(run.outcome.steps, "step"),
        if loose.steps == 1 { "was" } else { "were" },
        short(value),
        place(&loose.worst)
    );
    let trustworthy = value <= SOLVED;
    let limit = if trustworthy { DEMANDED } else { SOLVED };
    Some(Finding { kind: Kind::LooseSolves, trustworthy, value, limit, scale: 1.0, sentence })
}
