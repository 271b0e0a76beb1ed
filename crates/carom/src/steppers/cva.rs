//! `cva`: collision Verlet, the discrete projected Hamilton's principle [pekarek-murphey-2012 (14)-(21)].
//!
//! A leg to the impact, the reflection there, and a leg to the end of the step:
//! ```text
//! (x, p⁻) = Ψ_αh(q0, p0),  g(x) = 0                                          (19)
//! p⁺ = p⁻R(x),  R = I − 2 M⁻¹∇g ∇gᵀ/(∇gᵀM⁻¹∇g), momenta as rows               (12), (20)
//! (q1, p1) = Ψ_(1−α)h(x, p⁺)                                                 (21)
//! ```
//! `Ψ` is the step of the discrete Lagrangian of the rule. For the trapezoid rule of a mass that depends on the configuration that is
//! `v = (½(M0 + M1))⁻¹p½`, not the generalised Störmer-Verlet method, which has `v = ½(M0⁻¹ + M1⁻¹)p½`; with it (19)-(21) are the discrete
//! projected Hamilton's principle (15)-(18), in momenta.
//! Preserves: momenta of symmetries, exactly; energy in the reflection, exactly; time reversal, but not through impacts of several contacts at once.
//! Order 2 through impacts. The symplectic form is preserved between impacts but not through them: `JᵀΩJ − Ω = ±dτ ∧ d(E_d⁻ − E_d⁺)`, of O(h²), which vanishes in uniform gravity.
//! Its energy is nevertheless better than that of `vci` in every run made.
//!
//! `energy = "shadow"` scales the impulse so that the shadow Hamiltonian of the rule is the same before and after the step
//! [after bond-leimkuhler-2007]. `energy = "local-shadow"` and `"leg-shadow"` reflect in its metric at the impact, for comparisons as in
//! [kaufman-pai-2012]: with the first, rebounds may become smaller for ever, until a step has no end, which is an error.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collision::{self, Closing, Collision, Options, SIMULTANEOUS, TURNING};
pub use super::shared::base::Rule;
use super::variational;
use crate::error::Failure;
use crate::impact::Law;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;

/// The energy that impacts conserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Energy {
    /// `H`, in the reflection.
    #[default]
    Hamiltonian,
    /// The shadow Hamiltonian of the rule, from the start of the step to its end.
    Shadow,
    /// The shadow Hamiltonian of the rule with the length of the step, in the reflection.
    LocalShadow,
    /// The shadow Hamiltonian of the rule with the length of the leg before the impact, in the reflection.
    LegShadow,
}

/// `[method] name = "cva"`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The rule of the legs.
    pub rule: Rule,
    /// The law of impacts at several contacts at once.
    pub reflection: Law,
    /// The energy that impacts conserve; other than `hamiltonian` it needs a constant mass.
    pub energy: Energy,
    /// Let elastic contacts come to rest whose rebound would be over within a thousandth of a step; contacts with a restitution below
    /// 1 always do, when what is left of their rebounds takes no time.
    pub capture: bool,
    /// Coefficient of restitution of all contacts, instead of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coefficient of friction of all contacts, instead of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

impl Method for Config {
    const NAME: &'static str = "cva";
    const TITLE: &'static str =
        "collision Verlet: located impacts with reflections, the discrete projected Hamilton's principle";
    const CITES: &'static [&'static str] = &["pekarek-murphey-2012"];
    type Stepper = Collision;

    fn check(&self) -> Result<(), (&'static str, String)> {
        collision::check(self.restitution, self.friction)
    }

    fn claims(&self) -> Claims {
        Claims {
            order: 2,
            symplectic: false,
            reversible: true,
            linear_momentum: true,
            angular_momentum: true,
            through_impacts: true,
        }
    }

    fn exceptions(&self) -> &'static [&'static str] {
        &[SIMULTANEOUS, TURNING]
    }

    fn abilities(&self) -> Abilities {
        let configuration_mass = self.energy == Energy::Hamiltonian;
        Abilities { configuration_mass, inequalities: true, friction: true, ..Abilities::VARIATIONAL }
    }

    fn friction_of_all(&self) -> Option<f64> {
        self.friction
    }

    fn restitution_of_all(&self) -> Option<f64> {
        self.restitution
    }

    fn locates_impacts(&self) -> bool {
        true
    }

    fn discrete_lagrangian(&self) -> Option<variational::Config> {
        Some(self.rule.base())
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Collision, Failure> {
        let closing = if self.energy == Energy::Shadow { Closing::Shadow(self.rule) } else { Closing::Law };
        let curvature = matches!(self.energy, Energy::LocalShadow | Energy::LegShadow);
        let curvature = curvature.then_some(self.rule.shadow_curvature());
        let of_leg = self.energy == Energy::LegShadow;
        let (base, law, restitution, friction) =
            (self.rule.base(), self.reflection, self.restitution, self.friction);
        Collision::new(
            Options { base, closing, law, curvature, of_leg, capture: self.capture, restitution, friction },
            system,
            start,
        )
    }
}
