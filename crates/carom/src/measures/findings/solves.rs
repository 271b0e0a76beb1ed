//! Solves that left more than is demanded by default.

use super::limits::{DEMANDED, SOLVED};
use super::words::{place, short, times};
use super::{Evidence, Finding, Kind};

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
        times(run.steps, "step"),
        if loose.steps == 1 { "was" } else { "were" },
        short(value),
        place(&loose.worst)
    );
    let trustworthy = value <= SOLVED;
    let limit = if trustworthy { DEMANDED } else { SOLVED };
    Some(Finding { kind: Kind::LooseSolves, trustworthy, value, limit, scale: 1.0, sentence })
}
