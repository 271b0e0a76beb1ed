//! `vci`: variational collision integrator [fetecau-2003].
//!
//! The discrete action is made stationary over the impact's place and time as well. The impact stands where the path meets the
//! constraint, and the discrete energies of the two legs of its step are the same:
//! ```text
//! −D1 L_d(q0, x, αh) = p0,  g(x) = 0                                         (47)
//! D2 L_d(q0, x, αh) + D1 L_d(x, q1, (1−α)h) + μ∇g(x) = 0
//! D3 L_d(q0, x, αh) = D3 L_d(x, q1, (1−α)h)                                  (48)
//! p1 = D2 L_d(x, q1, (1−α)h)                                                 (49)
//! ```
//! and so on for several impacts in a step (78)-(79).
//! Preserves: the symplectic form, through impacts too; momenta of symmetries, exactly; time reversal, but not through impacts of several contacts at
//! once. Order 2 through impacts. Energy: each impact changes it by
//! O(h²), depending on where in the step it falls: in uniform gravity by `(m g²h²/8)(1 − 2α)`. That is a random walk if the
//! impacts are chaotic.
//! The energy condition may have no solution near grazing: see [`Happening::Fallback`](super::Happening). With restitution and friction the law's work is
//! added to the energy [fetecau-2003 (38), (39)], with an external force half of its work in each leg [fetecau-2003 (36), (37)].
//!
//! Differs from [fetecau-2003 (57)]: the factor `h` of the γ rule is restored. Differs from [fetecau-2003 (74)-(79)]: momenta instead of two places,
//! which divide by `α`. Differs from [fetecau-2003 (86)]: at a corner, where the inclusion leaves the direction of the impulse open, the generalised
//! reflection chooses it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::collision::{self, Closing, Collision, Options, SIMULTANEOUS, TURNING};
use super::variational;
use crate::error::Failure;
use crate::impact::Law;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;

/// The discrete Lagrangian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Half at each end of a leg.
    #[default]
    Trapezoid,
    /// At `gamma q0 + (1 − gamma) q1`.
    Gamma,
}

/// `[method] name = "vci"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The discrete Lagrangian.
    pub rule: Rule,
    /// Where the node of `rule = "gamma"` lies: at `gamma q0 + (1 − gamma) q1`, from 0 to 1.
    pub gamma: f64,
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

impl Default for Config {
    fn default() -> Self {
        Self { rule: Rule::default(), gamma: 0.5, capture: false, restitution: None, friction: None }
    }
}

impl Config {
    fn base(&self) -> variational::Config {
        let rule = match self.rule {
            Rule::Trapezoid => variational::Rule::Trapezoid,
            Rule::Gamma => variational::Rule::Gamma,
        };
        variational::Config { rule, gamma: self.gamma }
    }
}

impl Method for Config {
    const NAME: &'static str = "vci";
    const TITLE: &'static str =
        "variational collision integrator: impact times and energies from the discrete action";
    const CITES: &'static [&'static str] = &["fetecau-2003"];
    type Stepper = Collision;

    fn check(&self) -> Result<(), (&'static str, String)> {
        self.base().check()?;
        collision::check(self.restitution, self.friction)
    }

    fn claims(&self) -> Claims {
        Claims { through_impacts: true, ..self.base().claims() }
    }

    fn exceptions(&self) -> &'static [&'static str] {
        &[SIMULTANEOUS, TURNING]
    }

    fn abilities(&self) -> Abilities {
        Abilities { inequalities: true, friction: true, ..Abilities::VARIATIONAL }
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
        Some(self.base())
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Collision, Failure> {
        let (capture, restitution, friction) = (self.capture, self.restitution, self.friction);
        let (base, closing, law) = (self.base(), Closing::Discrete, Law::Generalized);
        let options =
            Options { base, closing, law, curvature: None, of_leg: false, capture, restitution, friction };
        Collision::new(options, system, start)
    }
}
