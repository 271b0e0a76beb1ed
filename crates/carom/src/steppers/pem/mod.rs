//! `pem`: projected energy-momentum steps, for stiff mechanisms at large steps.
//!
//! Two stages. The first is an energy-momentum step [simo-tarnow-1992, gonzalez-1996] that ends on the constraints [gonzalez-1999]:
//! ```text
//! q1 = q0 + h u,   v1 = 2u − v0,   2M(u − v0) = −h dV + h f_NP(q½, u, t½) + Ḡᵀλ,   g(q1, t1) = 0
//! ```
//! `dV` and the rows of `Ḡ` are discrete gradients, `dV·(q1 − q0) = V(q1) − V(q0)` and `Ḡ(q1 − q0) = g(q1) − g(q0)`: whatever the length
//! of the step, constraint forces do no work and the energy is that of the start. The second stage takes off the part of the velocity that
//! the constraints at `q1` do not allow, `v1⁺ = argmin |v − v1|_M` with `G(q1)v + ∂g/∂t = 0`. It can only take energy, and takes that of motion
//! which the step does not resolve: transverse waves of a taut chain, with `h ω` far beyond what any explicit step bears.
//!
//! Preserved: the energy but for what the projection takes, without non-potential forces and constraints that move; linear and angular
//! momentum of particles, whose elements have discrete gradients along the mean of the differences. Not preserved: the symplectic form;
//! reversibility where the projection acts; momenta of symmetries of a potential that is one expression, whose discrete gradient
//! is the general one. Order 2.
//!
//! Cost: two to six linear systems a step and one of the projection, those of many particles by sparse factors: linear in the links of a
//! chain. Where Newton's method does not converge the step is made of two halves.

mod dense;
mod equations;
mod sparse;
mod step;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use step::Pem;

use crate::error::Failure;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;

/// The loosest tolerance: with it the momentum balance may be off by a hundredth of its terms. Beyond that steps would be accepted before
/// anything was solved.
const LOOSEST: f64 = 0.1;

/// `[method] name = "pem"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How far a constraint may be from zero at the end of a step, in its own unit: above 0, at most 0.1. A tenth of its number is what the momentum
    /// balance may be off by, relative to its terms. Below round-off, round-off counts.
    pub tolerance: f64,
    /// Damps rotations of stiff links against each other. Points have none: only `false`.
    pub filter: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self { tolerance: 1e-8, filter: false }
    }
}

impl Method for Config {
    const NAME: &'static str = "pem";
    const TITLE: &'static str = "projected energy-momentum steps for stiff mechanisms";
    const CITES: &'static [&'static str] = &["simo-tarnow-1992", "gonzalez-1996", "gonzalez-1999"];
    const PRESERVES_OF: &'static str = "of particles with springs, rods and pair potentials";
    type Stepper = Pem;

    fn check(&self) -> Result<(), (&'static str, String)> {
        if !(self.tolerance > 0.0 && self.tolerance <= LOOSEST) {
            let allowed = format!("allowed: a number above 0, at most {LOOSEST}");
            return Err(("tolerance", format!("found {:e}, {allowed}", self.tolerance)));
        }
        if self.filter {
            let reason = "it damps rotations of links, and points and generalised coordinates have none";
            return Err(("filter", format!("found true, allowed: false; {reason}")));
        }
        Ok(())
    }

    fn claims(&self) -> Claims {
        Claims {
            order: 2,
            symplectic: false,
            reversible: false,
            linear_momentum: true,
            angular_momentum: true,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { configuration_mass: false, ..Abilities::VARIATIONAL }
    }

    fn loosened_by(&self) -> Option<String> {
        (self.tolerance > Self::default().tolerance).then(|| format!("tolerance = {:e} allows it", self.tolerance))
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Pem, Failure> {
        Pem::new(self.tolerance, system, start)
    }
}
