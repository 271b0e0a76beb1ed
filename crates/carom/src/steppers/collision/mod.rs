//! What collision integrators have in common: steps of a fixed length, cut at the impacts.
//!
//! A step is a chain of *legs*. On each the base rule runs, with the leg's own length, to the first impact or to the end of the
//! step; at the impact a law changes the momentum:
//! ```text
//! leg:     −D1 L_d(q, x, τ) = p        the first τ ≤ rest with g_k(x(τ)) = 0, else τ = rest
//! impact:  p⁻ = D2 L_d(q, x, τ),       p⁺ = p⁻ + Σ y_k ∇g_k(x) + friction
//! ```
//! In this form of positions and momenta nothing is divided by the fraction of the step. Impacts are ordered in time; those at the same
//! time (to 1e-10 of what a step can change a gap by) are one impact, by the generalised reflection.
//!
//! Contacts that are touched without being approached are held by forces that only push, as in `gvi`. Those with a restitution below 1 come
//! to rest in finite work: if what is left of the rebounds would take less than [`ZENO`] of a step, the contact is brought to rest,
//! and the energy that it had is booked.
//!
//! Methods differ in what they ask of the energy across an impact: see [`Closing`].

mod clear;
mod closing;
mod collapse;
mod curve;
mod few;
mod leg;
mod rest;
mod search;
mod step;
mod strike;

pub use step::Collision;

use carom_lcp::problem::MOST_FRICTION;

use crate::impact::Law;
use crate::steppers::shared::base::Rule;
use crate::steppers::variational;

/// Rebounds whose remaining time is below this share of a step are over.
pub const ZENO: f64 = 1e-5;
/// With `capture`, elastic contacts come to rest whose rebound is over within this share of a step.
pub const BRIEF: f64 = 1e-3;

/// Where time reversal is not kept. Contacts that touch without being approached take part in the generalised reflection, and it may need several
/// passes: from its outcome it need not lead back.
pub const SIMULTANEOUS: &str = "Time reversal: not through impacts of several contacts at once.";
/// Friction of contacts that rest is found in turns with the normal forces where steps are implicit.
pub const TURNING: &str =
    "Order: 1 where a contact slides with friction in a direction that turns, with implicit steps.";

/// What is asked of the energy across an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Closing {
    /// The law's own: the impact conserves `½pᵀAp`, whatever the legs do.
    Law,
    /// The discrete energies of the legs before and after are the same, but for what the law takes.
    Discrete,
    /// The shadow Hamiltonian of the rule is the same before and after the step, but for what the law takes.
    Shadow(Rule),
}

/// How a collision integrator is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// The rule of the legs.
    pub base: variational::Config,
    /// What is asked of the energy.
    pub closing: Closing,
    /// The impact law.
    pub law: Law,
    /// Coefficient of the curvature in the metric of the law; none for `M⁻¹`.
    pub curvature: Option<f64>,
    /// Whether that metric belongs to the length of the leg before the impact, not of the step.
    pub of_leg: bool,
    /// Whether elastic contacts may come to rest.
    pub capture: bool,
    /// Coefficient of restitution of all contacts, instead of their own.
    pub restitution: Option<f64>,
    /// Coefficient of friction of all contacts, instead of their own.
    pub friction: Option<f64>,
}

/// Refuses coefficients outside of their ranges.
pub fn check(restitution: Option<f64>, friction: Option<f64>) -> Result<(), (&'static str, String)> {
    match (restitution, friction) {
        (Some(e), _) if !(0.0..=1.0).contains(&e) => {
            Err(("restitution", format!("found {e}, allowed: a number from 0 to 1")))
        }
        (_, Some(mu)) if !(0.0..=MOST_FRICTION).contains(&mu) => {
            Err(("friction", format!("found {mu}, allowed: a number from 0 to 1e6")))
        }
        _ => Ok(()),
    }
}
