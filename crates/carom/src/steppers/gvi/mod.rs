//! `gvi`: geometric integration with inequality constraints [kaufman-pai-2012].
//!
//! A step of a base rule, with two additions. Before it, the momentum is reflected at the contacts that the free step would
//! run into; in it, contacts that are touched tangentially are held by forces that only push:
//! ```text
//! q^p: −D1 L_d(q, q^p) = p                                     predictor                      (8.1)
//! A = {i : g_i(q^p) ≤ 0} ∪ {i : g_i(q) = 0}                    active contacts                (6.3)
//! p⁺ = R(q, p, A)                                              reflection                     (7.2)
//! S = {i : g_i(q) = 0, ∇g_i(q)·v⁺ = 0}                         tangent contacts               (7.1)
//! −D1 L_d(q, x) = p⁺ + G_S(q)λ + F(q)ν, f(x) = 0               with 0 ≤ λ ⊥ g_S(x) ≥ 0        (7.3), (7.4), (7.8)
//! p' = D2 L_d(q, x) + [G_J F](x)μ, [G_J F]ᵀM⁻¹p' = 0           J: contacts held at x          (7.5), (7.6), (7.9)
//! ```
//! Preserves: momenta of symmetries, exactly; the symplectic form, as long as the set of contacts does not change
//! [kaufman-pai-2012, Theorem 5.1]; energy, as the base rule does between impacts and exactly in a reflection. Not both at once: a
//! reflection that conserves `H` moves the shadow energy of the steps. It is bounded through impacts where a theorem says so: for a quadratic
//! potential without joints or held contacts Verlet steps conserve `H − (h²/8)|V_q|²` and midpoint steps `H`, and so do
//! reflections, which change kinetic energy alone. Otherwise it walks, and large steps can make it grow until a step fails: see `WALKS`.
//! It does not locate impacts: order 1 through them, and penetrations of O(h v) where an impact follows from another one.
//! Cost of a step without contact: that of the base rule and one evaluation of the gaps; with equality constraints one more
//! prediction.
//!
//! Differs from [kaufman-pai-2012 (7.7)]: gradients of all active contacts, predicted ones too, are freed of what equality constraints take.
//! Differs from [kaufman-pai-2012, App. A]: see [`crate::impact`] and `predicate`.

mod discrete;
mod phases;
mod single;
mod step;
mod touching;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::shared::base::Rule;
use super::variational;
use crate::error::Failure;
use crate::impact::Law;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;
pub use step::Gvi;

/// The energy that a reflection conserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Energy {
    /// `H`.
    #[default]
    Hamiltonian,
    /// The second-order shadow Hamiltonian of the rule, which the steps between impacts conserve much better than `H`.
    Shadow,
    /// The discrete energy `−∂L_d/∂h` of the rule: the step after a reflection has that of the step before it.
    Discrete,
}

/// The velocity by which a contact counts as approached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Predicate {
    /// The velocity `∂E/∂p` of the conserved energy: then a reflection always exists.
    #[default]
    Shadow,
    /// `M⁻¹p` as printed: with `energy = "shadow"` there may be no reflection, which is an error.
    Literal,
}

/// Where the gradients of reflections are taken, for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Linearized {
    /// At the start of the step, constraints are nonlinear.
    #[default]
    None,
    /// Of constraints that are linear around the start of the step.
    Qt,
    /// Around the predicted point.
    Qp,
    /// Around the start of the step before.
    Lag,
    /// Around the start of the run.
    Fixed,
}

/// What becomes of the energy through impacts where reflections conserve `H`.
pub const WALKS: &str = "Energy: through impacts bounded for quadratic potentials without joints or held contacts; otherwise it walks, and with large steps it may grow without bound.";
/// The same where they conserve the shadow Hamiltonian.
pub const WALKS_SLOWLY: &str = "Energy: through impacts it walks, as a rule more slowly than with `hamiltonian`, and is not bounded in general.";
/// The same where they conserve the discrete energy.
pub const WALKS_FASTER: &str = "Energy: through impacts it walks, of quadratic potentials too, and with large steps it may grow without bound.";

/// `[method] name = "gvi"`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The base rule.
    pub rule: Rule,
    /// The impact law.
    pub reflection: Law,
    /// The energy that reflections conserve; `shadow` needs a constant mass.
    pub energy: Energy,
    /// The velocity by which contacts are chosen.
    pub predicate: Predicate,
    /// Where gradients of reflections are taken.
    pub linearized: Linearized,
    /// Predict again after a reflection, until no further contact is found: penetrations become O(h²).
    pub iterate_predictor: bool,
    /// Let contacts come to rest whose rebound would not outlast two steps; contacts with a restitution below 1 always do.
    pub capture: bool,
    /// Coefficient of restitution of all contacts, instead of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

impl Method for Config {
    const NAME: &'static str = "gvi";
    const TITLE: &'static str =
        "geometric integration with inequality constraints: smooth steps and generalized reflections";
    const CITES: &'static [&'static str] = &["kaufman-pai-2012"];
    type Stepper = Gvi;

    fn check(&self) -> Result<(), (&'static str, String)> {
        match self.restitution {
            Some(e) if !(0.0..=1.0).contains(&e) => {
                Err(("restitution", format!("found {e}, allowed: a number from 0 to 1")))
            }
            _ => Ok(()),
        }
    }

    fn claims(&self) -> Claims {
        Claims {
            order: 2,
            symplectic: true,
            reversible: true,
            linear_momentum: true,
            angular_momentum: true,
            through_impacts: false,
        }
    }

    fn exceptions(&self) -> &'static [&'static str] {
        match self.energy {
            Energy::Hamiltonian => &[WALKS],
            Energy::Shadow => &[WALKS_SLOWLY],
            Energy::Discrete => &[WALKS_FASTER],
        }
    }

    fn abilities(&self) -> Abilities {
        let configuration_mass = self.energy != Energy::Shadow;
        Abilities { configuration_mass, inequalities: true, ..Abilities::VARIATIONAL }
    }

    fn restitution_of_all(&self) -> Option<f64> {
        self.restitution
    }

    fn discrete_lagrangian(&self) -> Option<variational::Config> {
        Some(self.rule.base())
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Gvi, Failure> {
        Gvi::new(self, system, start)
    }
}
