//! What the slope of the energy says, where its size says nothing.

use serde::Serialize;

use super::conservation::Conservation;
use super::limits::{CHANCE, ENERGY, FEWEST_STEPS, SOON, SUMS};
use super::words::short;
use super::{Evidence, Finding, Kind};

/// What the slope of the energy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnergyTrend {
    /// The scene does not conserve energy: slopes say nothing of the steps.
    NotConserved,
    /// The energy is off by so much that no slope says anything.
    Failed,
    /// Too few steps to speak of drift.
    FewSteps,
    /// What sums of doubles leave.
    RoundOff,
    /// 0 within three standard errors.
    NoDrift,
    /// Beyond them.
    Drift,
}

impl EnergyTrend {
    /// Of a run, whose energy is off by little, or not.
    pub(super) fn of(run: &Evidence, conservation: &Conservation, within: bool) -> Self {
        let (trend, energy) = (run.summary.energy_trend(), run.summary.energy);
        if !conservation.holds() {
            return Self::NotConserved;
        }
        if !within {
            return Self::Failed;
        }
        let Some(((slope, error), energy)) = trend
            .and_then(|trend| Some((trend.slope, trend.error?)))
            .zip(energy)
            .filter(|_| run.outcome.steps >= FEWEST_STEPS)
        else {
            return Self::FewSteps;
        };
        let span = run.outcome.steps as f64 * run.h;
        if slope.abs() * span.abs() <= SUMS * energy.initial.abs().max(energy.max.abs()) {
            Self::RoundOff
        } else if slope.abs() <= CHANCE * error {
            Self::NoDrift
        } else {
            Self::Drift
        }
    }
}

/// A drift that leads beyond the limit soon.
pub fn drift(run: &Evidence, trend: EnergyTrend, scale: f64) -> Option<Finding> {
    let slope = run.summary.energy_trend().filter(|_| trend == EnergyTrend::Drift)?.slope;
    let (span, limit) = (run.outcome.steps as f64 * run.h.abs(), ENERGY[1] * scale);
    let time = limit / slope.abs();
    (time < SOON * span).then(|| {
        let sentence = format!(
            "the energy drifts by {} per unit of time: at this rate it is off by {}, {} times the energy of the motion, after {} units of time",
            short(slope),
            short(limit),
            ENERGY[1],
            short(time)
        );
        Finding { kind: Kind::Drift, trustworthy: true, value: slope, limit, scale, sentence }
    })
}
