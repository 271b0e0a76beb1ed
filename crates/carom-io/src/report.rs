//! `run.json`: what a run came to, in numbers.

use carom::error::told;
use carom::impact::Law;
use carom::measures::{
    Account, EnergyTrend, Evidence, Extremes, Finding, Findings, Ledger, Summary, SymmetryChange,
};
use carom::method::AnyMethod;
use carom::problem::Level;
use carom::run::Outcome;
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::spook::Stiffness;
use carom::watch::{Watch, Watched};
use serde::Serialize;

use crate::passages;
use crate::scene::Scene;

/// The document of `carom run --json`. A quantity without meaning for the scene or method is `null`.
#[derive(Debug, Clone, Serialize)]
pub struct RunReport {
    /// Version of carom.
    pub carom: &'static str,
    /// Name of the scene.
    pub scene: String,
    /// Name of the method.
    pub method: &'static str,
    /// Length of a step.
    pub h: f64,
    /// Steps made.
    pub steps: u64,
    /// Time at the end.
    pub t: f64,
    /// Seconds that the run took.
    pub wall_seconds: f64,
    /// Steps per second.
    pub steps_per_second: Option<f64>,
    /// Energy.
    pub energy: Energy,
    /// Momentum.
    pub momentum: MomentumChange,
    /// Declared symmetries.
    pub symmetries: Option<Vec<SymmetryChange>>,
    /// Constraints.
    pub constraints: Constraints,
    /// What the regularisation of constraints did; `null` for a method that holds them, or without any.
    pub regularisation: Option<Regularised>,
    /// The accounts of energy; `null` if nothing is exchanged and they were not asked for.
    pub ledger: Option<Accounts>,
    /// Reflections or located impacts.
    pub impacts: Option<u64>,
    /// Change of the energy in steps with impacts; `null` without inequalities or impacts.
    pub impact_energy: Option<PerImpact>,
    /// Steps with a contact impulse.
    pub active_steps: Option<u64>,
    /// Contacts that came to rest by a capture rule.
    pub captured: Option<u64>,
    /// Impacts at which the method's own rule had no solution, or steps of `pem` made of halves; `null` where none was taken and the method
    /// locates no events.
    pub fallbacks: Option<u64>,
    /// Impacts with friction whose restitutions were lowered, since they would have gained energy.
    pub restitution_lowered: Option<u64>,
    /// Contacts that were approached still after the reflection of their step; `null` unless the impact law is applied only once.
    pub left_approached: Option<u64>,
    /// When a contact came to rest last; `null` if none was seen to.
    pub rest_time: Option<f64>,
    /// What is watched; `null` if nothing is.
    pub watches: Option<Vec<WatchCount>>,
    /// Solver.
    pub solver: Solver,
    /// The last state.
    #[serde(rename = "final")]
    pub last: FinalState,
    /// Whether every step was made.
    pub complete: bool,
    /// Why the run ended early.
    pub ended: Option<String>,
    /// Whether the run has not failed in substance: no finding is beyond its limit. `null` of a run without steps.
    pub trustworthy: Option<bool>,
    /// What was found of errors, losses and solves, with what it was compared with.
    pub findings: Vec<Finding>,
    /// What the user should know beside that.
    pub notes: Vec<String>,
}

/// Energy over all steps.
#[derive(Debug, Clone, Serialize)]
pub struct Energy {
    /// At the start.
    pub initial: f64,
    /// At the end.
    #[serde(rename = "final")]
    pub last: f64,
    /// Smallest.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// Least-squares slope.
    pub slope: Option<f64>,
    /// Standard error of the slope.
    pub slope_error: Option<f64>,
    /// What the slope says.
    pub trend: EnergyTrend,
    /// What of the scene changes its energy; empty if the scene conserves it.
    pub changed_by: Vec<String>,
}

/// Change of momentum since the start.
#[derive(Debug, Clone, Serialize)]
pub struct MomentumChange {
    /// Largest over the run among the conserved components of linear momentum.
    pub linear_max_change: Option<f64>,
    /// The same for angular momentum.
    pub angular_max_change: Option<f64>,
    /// At the end, by component.
    pub linear_change: Option<Vec<f64>>,
    /// At the end, by component.
    pub angular_change: Option<Vec<f64>>,
}

/// The accounts of energy over all steps.
#[derive(Debug, Clone, Serialize)]
pub struct Accounts {
    /// Change of energy since the start.
    pub stored: f64,
    /// All that came in.
    pub entered: f64,
    /// All that went out.
    pub left: f64,
    /// What sources put in (forces, moving constraints, motors, potentials that depend on time), less what they took out.
    pub from_sources: f64,
    /// Through what.
    pub sources: Vec<Account>,
    /// What no source explains, at the end: the integrator's error.
    pub error: f64,
    /// The largest of it.
    pub error_max: f64,
}

/// Change of the energy in steps with impacts.
#[derive(Debug, Clone, Serialize)]
pub struct PerImpact {
    /// How many such steps there were.
    pub steps: u64,
    /// In the mean.
    pub mean: f64,
    /// The farthest from 0.
    pub worst: f64,
}

/// Crossings of a watched expression.
#[derive(Debug, Clone, Serialize)]
pub struct WatchCount {
    /// Its name.
    pub name: String,
    /// How many there were.
    pub count: u64,
    /// When the first was.
    pub first: Option<f64>,
    /// When the last was.
    pub last: Option<f64>,
}

/// What the regularisation of constraints did.
#[derive(Debug, Clone, Serialize)]
pub struct Regularised {
    /// Largest |f| that it makes one expect: (h²/4 + hτ/2) vᵀHv + ε · force.
    pub expected_equality: f64,
    /// Largest |f| that was there.
    pub max_equality: Option<f64>,
    /// Energy at nodes with what the compliance of the constraints stores.
    pub energy: Extremes,
    /// Largest h ω of motion across constraints under load, ω by a bound from above; `null` where it is not known. Above 2 such motion is unstable unless
    /// `stiffness` helps.
    pub lateral: Option<f64>,
}

/// Largest violations.
#[derive(Debug, Clone, Serialize)]
pub struct Constraints {
    /// Largest |f|.
    pub max_equality: Option<f64>,
    /// Largest |df/dt|.
    pub max_equality_velocity: Option<f64>,
    /// Largest max(0, −g).
    pub max_penetration: Option<f64>,
}

/// What the solver did.
#[derive(Debug, Clone, Serialize)]
pub struct Solver {
    /// Mean iterations per step.
    pub iterations_mean: Option<f64>,
    /// Most iterations in a step.
    pub iterations_max: u32,
    /// Largest relative residual of an accepted step.
    pub worst_residual: f64,
    /// Solves that failed.
    pub failures: u64,
    /// Steps that were made of shorter ones.
    pub halved_steps: u64,
}

/// The last state.
#[derive(Debug, Clone, Serialize)]
pub struct FinalState {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Momenta.
    pub p: Vec<f64>,
    /// Velocities at the node, of a method whose own live between nodes; `null` otherwise.
    pub v_node: Option<Vec<f64>>,
}

impl RunReport {
    /// Why the run cannot be trusted, the gravest kind first; nothing of one that can.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        self.findings.iter().filter(|finding| !finding.trustworthy).map(|finding| finding.sentence.as_str())
    }

    /// Findings that leave the run trustworthy, then the notes.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        let findings = self.findings.iter().filter(|finding| finding.trustworthy).map(|finding| &finding.sentence);
        findings.chain(&self.notes).map(String::as_str)
    }

    /// The report of a run that took `seconds`, with its accounts of energy and what was seen of its watches.
    pub fn new(
        scene: &Scene,
        outcome: &Outcome,
        summary: &Summary,
        (ledger, watched): (Option<&Ledger>, &[Watched]),
        seconds: f64,
    ) -> Self {
        let state = &outcome.state;
        let system = &*scene.problem.system;
        let mut v = state.p.clone();
        match InverseMass::new(system, &state.q) {
            Ok(inverse) => inverse.solve(&mut v),
            Err(_) => v.fill(f64::NAN),
        }
        let findings = Findings::of(&Evidence {
            problem: &scene.problem,
            method: &scene.method,
            h: scene.run.h,
            outcome,
            summary,
            ledger,
        });
        let trend = summary.energy_trend();
        let energy = summary.energy;
        let value = |pick: fn(carom::measures::Extremes) -> f64| energy.map_or(f64::NAN, pick);
        let some = |changes: &[f64]| (!changes.is_empty()).then(|| changes.to_vec());
        let ((linear, linear_max), (angular, angular_max)) = (summary.linear(), summary.angular());
        Self {
            carom: env!("CARGO_PKG_VERSION"),
            scene: scene.name.clone(),
            method: scene.method.name(),
            h: scene.run.h,
            steps: outcome.steps,
            t: state.t,
            wall_seconds: seconds,
            steps_per_second: (seconds > 0.0).then(|| outcome.steps as f64 / seconds),
            energy: Energy {
                initial: value(|energy| energy.initial),
                last: value(|energy| energy.last),
                min: value(|energy| energy.min),
                max: value(|energy| energy.max),
                slope: trend.map(|trend| trend.slope),
                slope_error: trend.and_then(|trend| trend.error),
                trend: findings.trend,
                changed_by: findings.conservation.broken_by.clone(),
            },
            momentum: MomentumChange {
                linear_max_change: linear_max,
                angular_max_change: angular_max,
                linear_change: some(linear),
                angular_change: some(angular),
            },
            symmetries: (!summary.symmetries.is_empty()).then(|| summary.symmetries.clone()),
            ledger: ledger.map(|ledger| {
                let (entered, left) = ledger.totals();
                let (stored, sources) = (ledger.stored, ledger.sources.clone());
                let (error, error_max, from_sources) = (ledger.error(), ledger.error_max, ledger.from_sources());
                Accounts { stored, entered, left, from_sources, sources, error, error_max }
            }),
            regularisation: summary.expected_equality.zip(summary.soft_energy).map(
                |(expected_equality, energy)| {
                    let lateral = summary.lateral.filter(|lateral| *lateral > 0.0);
                    Regularised { expected_equality, max_equality: summary.max_equality, energy, lateral }
                },
            ),
            constraints: Constraints {
                max_equality: summary.max_equality,
                max_equality_velocity: summary.max_equality_velocity,
                max_penetration: summary.max_penetration,
            },
            impacts: summary.impacts,
            impact_energy: summary.impact_energy.filter(|found| found.steps > 0).map(|found| PerImpact {
                steps: found.steps,
                mean: found.sum / found.steps as f64,
                worst: found.worst,
            }),
            active_steps: summary.active_steps,
            captured: summary.impacts.map(|_| summary.captured),
            fallbacks: summary.fallbacks,
            restitution_lowered: summary.impacts.map(|_| summary.lowered),
            left_approached: reflects_once(scene).then_some(summary.approached),
            rest_time: summary.rest_time,
            watches: (!watched.is_empty()).then(|| {
                let count = |(watch, &Watched { count, first, last, .. }): (&Watch, &Watched)| WatchCount {
                    name: watch.name.clone(),
                    count,
                    first,
                    last,
                };
                scene.watches.iter().zip(watched).map(count).collect()
            }),
            solver: Solver {
                iterations_mean: summary.iterations_mean(),
                iterations_max: summary.iterations_max,
                worst_residual: summary.worst_residual,
                failures: outcome.failures,
                halved_steps: outcome.halved_steps,
            },
            last: FinalState {
                q: state.q.clone(),
                v,
                p: state.p.clone(),
                v_node: summary.node_velocity().map(<[f64]>::to_vec),
            },
            complete: outcome.ended.is_none(),
            ended: outcome.ended.as_ref().map(ToString::to_string),
            trustworthy: (outcome.steps > 0 || !findings.trustworthy()).then(|| findings.trustworthy()),
            findings: findings.found,
            notes: {
                let mut notes = notes(scene);
                notes.extend(halved(scene, outcome));
                notes.extend(unanswered(summary));
                notes.extend(lateral(scene, summary));
                notes.extend(inside_halves(scene, summary));
                notes.extend(left_approached(summary));
                notes.extend(passages::note(scene, summary));
                notes
            },
        }
    }
}

/// What the user should know before a run: a rounded end, a projected state.
pub fn notes(scene: &Scene) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(until) = scene.run.rounded_from {
        let (steps, h) = (scene.run.steps, scene.run.h);
        let end = scene.problem.initial.t + steps as f64 * h;
        notes.push(format!(
            "until = {} is no multiple of the step: the run has {steps} steps and ends at {}",
            told(until),
            told(end)
        ));
    }
    let problem = &scene.problem;
    for (name, slope) in scene.normalised_gaps() {
        notes.push(format!(
            "`{name}` is not a length as it is written: it was divided by the length of its gradient, {slope:.4} near the start"
        ));
    }
    notes.extend(scene.method.warnings(&*problem.system, &problem.initial, scene.run.h));
    for adjustment in &scene.problem.adjustments {
        let what = match adjustment.of {
            Level::Position => "position",
            Level::Velocity => "velocity",
        };
        notes.push(format!(
            "the initial {what} was off `{}` by {:.1e} (relative) and was projected; largest change {:.1e}",
            adjustment.constraint, adjustment.relative, adjustment.change
        ));
    }
    notes
}

fn inside_halves(scene: &Scene, summary: &Summary) -> Option<String> {
    let count = summary.fallbacks.filter(|count| *count > 0 && scene.problem.system.contacts().count() == 0)?;
    let times = if count == 1 { "once" } else { &format!("{count} times") };
    Some(format!(
        "{times} the method made a step, or a part of one, of two halves, because its iteration did not converge"
    ))
}

/// Whether the method applies a law that may leave contacts approached.
fn reflects_once(scene: &Scene) -> bool {
    matches!(&scene.method, AnyMethod::Gvi(config) if config.reflection == Law::MoreauLiteral)
}

fn left_approached(summary: &Summary) -> Option<String> {
    let count = summary.approached;
    let contacts = if count == 1 { "1 contact was" } else { &format!("{count} contacts were") };
    (count > 0).then(|| {
        format!(
            "{contacts} still approached after a reflection: Moreau's law as printed does not prevent it; reflection = \"moreau\" does"
        )
    })
}

/// Motion across loaded constraints that the steps are too long for.
fn lateral(scene: &Scene, summary: &Summary) -> Option<String> {
    let AnyMethod::Spook(config) = &scene.method else { return None };
    let found = summary.lateral.filter(|lateral| *lateral > 2.0 && config.stiffness == Stiffness::None)?;
    let h = 2.0 * scene.run.h / found;
    let pem = if scene.problem.system.contacts().count() == 0 { "method `pem`, " } else { "" };
    Some(format!(
        "bodies under tension may move across it with h ω up to {found:.2} (a bound from above): such motion grows beyond 2; {pem}stiffness = \
         \"geometric\" or steps below {h:.2e} avoid it"
    ))
}

fn unanswered(summary: &Summary) -> Option<String> {
    let count = summary.unanswered;
    let rows = if count == 1 { "row has" } else { "rows have" };
    (count > 0).then(|| {
        format!(
            "{count} recorded {rows} entries without a number (NaN): a step of a probe failed there, the step was made of shorter ones, or a number was too large"
        )
    })
}

fn halved(scene: &Scene, outcome: &Outcome) -> Option<String> {
    let count = outcome.halved_steps;
    let plural =
        if count == 1 { "step failed at full length and was" } else { "steps failed at full length and were" };
    let map = if scene.method.claims().symplectic { ": another symplectic map there" } else { "" };
    (count > 0).then(|| format!("{count} {plural} halved{map}"))
}
