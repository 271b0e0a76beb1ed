//! `newmark`: Newmark's β-γ method for a constant mass, equality constraints in RATTLE form.
//!
//! Constraint impulses enter as in RATTLE: along `G(q0)` into the position, along `G(q0)` and `G(q1)` into the
//! velocity. With γ = ½ the step is symmetric, hence of order 2, constrained too. The equations stand in
//! `discrete::Newmark`, the step is `Implicit`. Energy and, for β ≠ 0, angular momentum oscillate; they do not drift
//! for γ = ½.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::implicit::Implicit;
use crate::discrete::Newmark;
use crate::error::Failure;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;

/// `[method] name = "newmark"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Weight of the end's acceleration in the position, from 0 to 0.5.
    pub beta: f64,
    /// Weight of the end's acceleration in the velocity, from 0 to 1; order 2 only for 0.5.
    pub gamma: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { beta: 0.25, gamma: 0.5 }
    }
}

impl Method for Config {
    const NAME: &'static str = "newmark";
    const TITLE: &'static str = "Newmark's method, with equality constraints in RATTLE form";
    const CITES: &'static [&'static str] = &["newmark-1959", "kane-2000"];
    type Stepper = Implicit<Newmark>;

    fn check(&self) -> Result<(), (&'static str, String)> {
        if !(0.0..=0.5).contains(&self.beta) {
            Err(("beta", format!("found {}, allowed: a number from 0 to 0.5", self.beta)))
        } else if !(0.0..=1.0).contains(&self.gamma) {
            Err(("gamma", format!("found {}, allowed: a number from 0 to 1", self.gamma)))
        } else {
            Ok(())
        }
    }

    fn claims(&self) -> Claims {
        let symmetric = self.gamma == 0.5;
        // β = 0, γ = ½ is Verlet.
        let verlet = symmetric && self.beta == 0.0;
        let order = if symmetric { 2 } else { 1 };
        Claims {
            order,
            symplectic: verlet,
            reversible: symmetric,
            linear_momentum: true,
            angular_momentum: verlet,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { configuration_mass: false, ..Abilities::VARIATIONAL }
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Self::Stepper, Failure> {
        Implicit::new(Newmark::new(self.beta, self.gamma, system.dim()), system, start)
    }
}
