//! What a run is worth: decided once, for the terminal, `run.json` and the page alike, which only show it.
//!
//! First size, then slope. Errors of energy, violations of constraints, penetrations and changes of momenta are compared with scales of the
//! scene itself (`scales.rs`, `gauge.rs`); beyond the limits of [`limits`] the run has failed in substance, however smooth it looks. Below
//! them slopes and losses become notes. A value that is not a number is beyond every limit.

mod bodies;
mod conservation;
mod energy;
mod gauge;
pub mod limits;
mod octaves;
mod scales;
mod solves;
mod trend;
mod words;

use serde::Serialize;

use super::ledger::Ledger;
use super::summary::Summary;
use crate::method::AnyMethod;
use crate::problem::Problem;
use crate::run::Outcome;

pub use conservation::Conservation;
pub use gauge::{Deepest, EnergyGauge, Gauge, Loose, Peak};
pub use trend::EnergyTrend;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A step that could not be made ended the run.
    Failure,
    /// Energy that nothing accounts for, or that the steps gave.
    Energy,
    /// Energy that the method took from a scene that conserves it.
    Losses,
    /// A slope of the energy that leads beyond its limit soon.
    Drift,
    /// Violations of equality constraints.
    Constraints,
    /// Penetration of contacts.
    Penetration,
    /// Contacts that steps passed through.
    MissedContacts,
    /// Momenta that the method claims to keep.
    Momentum,
    /// Solves that left more than is demanded by default.
    LooseSolves,
}

/// Something that the user should know of a run, in numbers and in a sentence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// Whether the run can be trusted all the same.
    pub trustworthy: bool,
    /// What was measured.
    pub value: f64,
    /// What it was compared with.
    pub limit: f64,
    /// The scale of the scene that the limit is a part of.
    pub scale: f64,
    /// In words, with the numbers.
    pub sentence: String,
}

impl Finding {
    /// One that is worth a note beyond the first of two parts of a scale, and cannot be trusted beyond the second.
    fn beyond([noted, limit]: [f64; 2], value: f64, scale: f64) -> Option<Level> {
        // Not `value > limit`: what is no number is beyond.
        let within = |part: f64| value <= part * scale;
        match (within(limit), within(noted)) {
            (false, _) => Some(Level { trustworthy: false, limit: limit * scale }),
            (true, false) => Some(Level { trustworthy: true, limit: noted * scale }),
            _ => None,
        }
    }
}

/// How far beyond.
struct Level {
    trustworthy: bool,
    limit: f64,
}

/// What findings are made of.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The problem, whose start has the scales.
    pub problem: &'a Problem,
    /// The method.
    pub method: &'a AnyMethod,
    /// Length of a step.
    pub h: f64,
    /// What came of the run.
    pub outcome: &'a Outcome,
    /// What was measured.
    pub summary: &'a Summary,
    /// The accounts of energy.
    pub ledger: Option<&'a Ledger>,
}

/// All findings of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Findings {
    /// Whether the scene conserves energy, and what changes it.
    pub conservation: Conservation,
    /// What the slope of the energy says.
    pub trend: EnergyTrend,
    /// In the order of [`Kind`].
    pub found: Vec<Finding>,
}

impl Findings {
    /// Of a run.
    pub fn of(run: &Evidence) -> Self {
        let conservation = Conservation::of(run.method, &*run.problem.system);
        let scales = energy::scales(run, &conservation);
        let scale = scales.motion;
        let error = energy::error(run, &conservation, scale);
        let within = error.as_ref().is_none_or(|error| error.trustworthy);
        let trend = EnergyTrend::of(run, &conservation, error.is_none());
        let mut found = Vec::new();
        found.extend(solves::failure(run));
        found.extend(error);
        let losses = energy::losses(run, &conservation, scales);
        // What a method takes has a slope, and an account that says more.
        found.extend(losses.or_else(|| trend::drift(run, trend, scale)));
        found.extend(bodies::constraints(run));
        found.extend(bodies::penetration(run));
        found.extend(bodies::missed_contacts(run));
        if within {
            // The momenta of a run that explodes change by the round-off of what they have become.
            found.extend(bodies::momentum(run, scale));
        }
        found.extend(solves::loose(run));
        Self { conservation, trend, found }
    }

    /// Whether nothing found is beyond its limit.
    pub fn trustworthy(&self) -> bool {
        self.found.iter().all(|finding| finding.trustworthy)
    }
}

#[cfg(test)]
mod tests;
