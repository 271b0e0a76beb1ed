//! `direct`: contacts by direct substitution, the baselines that `gvi` is compared with
//! [kaufman-pai-2012, App. B; kane-2000].
//!
//! The indicator of the admissible set is put into the potential of a base rule. Gradients and conditions belong to the
//! unknown point `y` of the step, and every contact takes part: `0 ≤ λ/h ⊥ g(y) ≥ 0`, `λ` the impulse of the step.
//! ```text
//! M(x − q)/h = p − (h/2)V_q(½(q + x)) + ½G(y)λ                                             midpoint       (B.3)
//! p' = M(x − q)/h − (h/2)V_q(½(q + x)) + ½G(y)λ        y = ½(q + x)                                       (B.4)
//!                                                      y = x                                              (B.5)
//! x = q + h v + (h²/2)[(1 − 2β)a(q) + 2β a(x)] + (h/2)M⁻¹G(x)λ                             Newmark, IMEX  (B.10)
//! v' = v + h[(1 − γ)a(q) + γ a(x)] + M⁻¹G(x)λ                                                             (B.11)
//! ```
//! and, with `imex = false`, `a` with contact forces at both ends (B.8), (B.9). Those do not determine the force at `q`: it is
//! the one that the step before found at its end, and none at the start.
//!
//! Preserves: linear momentum. The midpoint-constrained form also angular momentum and time reversal, contacts included.
//! Without contact each form is its base rule and keeps all that the rule keeps. Does not preserve: energy, at any contact,
//! in any form [kaufman-pai-2012, Theorem B.1]; the midpoint-constrained form gains without bound, and its nodes leave the admissible set.
//! In lasting contact the endpoint and IMEX forms are of order 1 (measured on a particle that slides inside a circle) and
//! lose angular momentum. The speed of a contact is not projected: at rest its sign changes with every step.
//! Equality constraints are refused: they would be rows that are always held, of order 1 and without their hidden constraints.
//! Cost of a step: Newton's method for the free step, and once more for each set of contacts that is tried.

mod contacts;
mod solve;
mod step;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Failure;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;
use solve::Scheme;
pub use step::Direct;

/// The base rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The implicit midpoint rule.
    #[default]
    Midpoint,
    /// Newmark's method, for a constant mass.
    Newmark,
}

/// The point at which contacts are held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Constraint {
    /// The middle of the step; only with `rule = "midpoint"`. Nodes may penetrate.
    Midpoint,
    /// The end of the step.
    #[default]
    Endpoint,
}

/// `[method] name = "direct"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The base rule.
    pub rule: Rule,
    /// Where contacts are held.
    pub constraint: Constraint,
    /// With `rule = "newmark"`: contact forces fully implicit; otherwise they have the weights of all other forces.
    pub imex: bool,
    /// With `rule = "newmark"`: weight of the end's acceleration in the position, from 0 to 0.5; not 0 without `imex`.
    pub beta: f64,
    /// With `rule = "newmark"`: weight of the end's acceleration in the velocity, from 0 to 1; order 2 only for 0.5.
    pub gamma: f64,
}

impl Default for Config {
    fn default() -> Self {
        let (rule, constraint) = (Rule::default(), Constraint::default());
        Self { rule, constraint, imex: true, beta: 0.25, gamma: 0.5 }
    }
}

impl Config {
    /// Weights of the contact impulses.
    fn scheme(&self) -> Scheme {
        let Self { beta, gamma, .. } = *self;
        let place = if self.constraint == Constraint::Midpoint { 0.5 } else { 1.0 };
        if self.rule == Rule::Midpoint || self.imex {
            // (B.10) minus (B.11): what does not go into the chord goes into the momentum.
            Scheme { place, into_chord: 0.5, into_end: 0.5, carried: None }
        } else {
            // As the forces of `discrete::Newmark`.
            let carried = Some([0.5 - beta, 0.5 + beta - gamma]);
            Scheme { place, into_chord: beta, into_end: gamma - beta, carried }
        }
    }
}

impl Method for Config {
    const NAME: &'static str = "direct";
    const TITLE: &'static str = "contacts by direct substitution into midpoint or Newmark steps, for comparison";
    const CITES: &'static [&'static str] = &["kaufman-pai-2012", "kane-2000"];
    type Stepper = Direct;

    fn check(&self) -> Result<(), (&'static str, String)> {
        let newmark = self.rule == Rule::Newmark;
        if newmark && self.constraint == Constraint::Midpoint {
            Err(("constraint", "found \"midpoint\", allowed with rule = \"newmark\": \"endpoint\"".into()))
        } else if !(0.0..=0.5).contains(&self.beta) {
            Err(("beta", format!("found {}, allowed: a number from 0 to 0.5", self.beta)))
        } else if newmark && !self.imex && self.beta == 0.0 {
            let why = "without it the force at the end of a step does not move that end";
            Err(("beta", format!("found 0, allowed with imex = false: a number above 0, to 0.5; {why}")))
        } else if !(0.0..=1.0).contains(&self.gamma) {
            Err(("gamma", format!("found {}, allowed: a number from 0 to 1", self.gamma)))
        } else {
            Ok(())
        }
    }

    fn claims(&self) -> Claims {
        let order = if self.rule == Rule::Midpoint || self.gamma == 0.5 { 2 } else { 1 };
        // What holds through contacts too; the form of a symplectic step does while the contacts stay the same, which
        // bounds no energy.
        let symmetric = self.constraint == Constraint::Midpoint;
        Claims {
            order,
            symplectic: false,
            reversible: symmetric,
            linear_momentum: true,
            angular_momentum: symmetric,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            regularised: false,
            configuration_mass: self.rule == Rule::Midpoint,
            equalities: false,
            inequalities: true,
            nonholonomic: false,
            forces: true,
            friction: false,
            soft_contacts: false,
        }
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Direct, Failure> {
        Direct::new(self, system, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_do_not_fit_are_refused_by_key() {
        let newmark = Config { rule: Rule::Newmark, ..Config::default() };
        let wrong = |config: Config| config.check().err().map(|(key, _)| key);
        assert_eq!(wrong(Config { constraint: Constraint::Midpoint, ..Config::default() }), None);
        assert_eq!(wrong(Config { constraint: Constraint::Midpoint, ..newmark.clone() }), Some("constraint"));
        assert_eq!(wrong(Config { beta: 0.0, ..newmark.clone() }), None);
        assert_eq!(wrong(Config { beta: 0.0, imex: false, ..newmark.clone() }), Some("beta"));
        assert_eq!(wrong(Config { beta: 0.6, ..newmark.clone() }), Some("beta"));
        assert_eq!(wrong(Config { beta: f64::NAN, ..newmark.clone() }), Some("beta"));
        assert_eq!(wrong(Config { gamma: 1.1, ..newmark }), Some("gamma"));
    }

    #[test]
    fn impulses_of_a_step_add_up() {
        // What enters a step is λ, whatever the scheme: half of the chord's part is in `left`, the rest in `right`.
        for (imex, gamma) in [(true, 0.5), (true, 1.0), (false, 0.5), (false, 0.8)] {
            let config = Config { rule: Rule::Newmark, imex, gamma, ..Config::default() };
            let Scheme { into_chord, into_end, carried, .. } = config.scheme();
            let [chord, end] = carried.unwrap_or_default();
            assert!((into_chord + into_end - if imex { 1.0 } else { gamma }).abs() < 1e-15);
            assert!((chord + end - if imex { 0.0 } else { 1.0 - gamma }).abs() < 1e-15);
        }
    }
}
