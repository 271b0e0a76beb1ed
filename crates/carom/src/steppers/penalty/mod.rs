//! `penalty`: equality constraints as stiff springs, integrated by implicit Euler or the implicit midpoint rule.
//!
//! `V_pen = V + Σ ½ k_i f_i(q, t)²` instead of `f = 0` [lacoursiere-linde-2011, sections 3 and 17.1]. With `u` the velocity of the chord and `θ = 1`
//! (Euler) or `½` (midpoint):
//! ```text
//! M u = p0 + θ h F(q0 + θ h u, u, t0 + θ h),  q1 = q0 + h u,  p1 = M u + (1 − θ) h F,  F = −V_q − Gᵀk f + f_NP
//! ```
//! solved by Newton's method to round-off, or by one step of it from the start of the step (`linearized`).
//!
//! Preserves: with the nonlinear midpoint rule the symplectic form and angular momentum of the softened system; linear momentum always.
//! It does not hold constraints: they yield by `force / k`, and oscillate with the frequency of their springs. Neither does stability on a
//! linear oscillator save the nonlinear one: stiff springs blow the midpoint rule up, and implicit Euler stops the motion along the
//! constraints. A comparison, not for results. Cost: one dense LU of size `n` per iteration. Constant mass only.

mod linear;
mod springs;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::linear::Linear;
use self::springs::{Springs, Theta};
use super::implicit::Implicit;
use super::shared::mass::InverseMass;
use super::shared::views::Free;
use super::{Impulses, StepReport, Stepper};
use crate::error::{Failure, StepError};
use crate::measures::Role;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;

/// Where the force of a step is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// At the end of the step.
    #[default]
    Euler,
    /// In its middle.
    Midpoint,
}

impl Rule {
    /// The fraction of the step after which the force is taken.
    fn theta(self) -> f64 {
        match self {
            Self::Euler => 1.0,
            Self::Midpoint => 0.5,
        }
    }
}

/// Whether and how the force is linearised at the start of the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Linearized {
    /// Not: Newton's method runs to round-off.
    #[default]
    None,
    /// The springs by `k GᵀG`.
    GaussNewton,
    /// The springs by `k (GᵀG + Σ f_i ∂²f_i/∂q²)`.
    Full,
}

/// Beyond that the round-off of a constraint of size 1, some 1e-16, pulls with a force of 1.
const STIFFEST: f64 = 1e16;

/// `[method] name = "penalty"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where the force is taken.
    pub rule: Rule,
    /// One Newton step from the start of the step instead of a solution.
    pub linearized: Linearized,
    /// Stiffness `k` of the springs, above 0, at most 1e16: force per violation. A row with a compliance above 0 of its own has its reciprocal.
    pub stiffness: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { rule: Rule::default(), linearized: Linearized::default(), stiffness: 1e6 }
    }
}

impl Method for Config {
    const NAME: &'static str = "penalty";
    const TITLE: &'static str =
        "Equality constraints as stiff springs, by implicit Euler or midpoint: a comparison";
    const CITES: &'static [&'static str] = &["lacoursiere-linde-2011"];
    type Stepper = Penalty;

    fn check(&self) -> Result<(), (&'static str, String)> {
        if self.stiffness > 0.0 && self.stiffness <= STIFFEST {
            Ok(())
        } else {
            let allowed = format!("allowed: a number above 0, at most {STIFFEST:e}");
            Err(("stiffness", format!("found {:e}, {allowed}", self.stiffness)))
        }
    }

    fn claims(&self) -> Claims {
        let solved = self.rule == Rule::Midpoint && self.linearized == Linearized::None;
        Claims {
            order: if self.rule == Rule::Midpoint { 2 } else { 1 },
            symplectic: solved,
            reversible: solved,
            linear_momentum: true,
            angular_momentum: solved,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { configuration_mass: false, regularised: true, ..Abilities::VARIATIONAL }
    }

    fn accounts(&self) -> &'static [(&'static str, Role)] {
        &[("springs of constraints", Role::Store)]
    }

    fn loosened_by(&self) -> Option<String> {
        Some(format!("stiffness = {:e} leaves no more digits", self.stiffness))
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Penalty, Failure> {
        let n = system.dim();
        // Newton's or the linear system, the Jacobian, three matrices of the springs.
        Failure::unless_they_fit("an implicit step with springs", &[[n, n]; 6])?;
        let inverse = InverseMass::new(system, &start.q)?;
        let springs = Springs::new(system, &inverse, self.stiffness);
        let stiffness = springs.stiffness().to_vec();
        let theta = self.rule.theta();
        let form = if self.linearized == Linearized::None {
            let rule = Theta::new(theta, springs);
            Form::Solved(Box::new(Implicit::new(rule, &Free(system), start)?))
        } else {
            Form::Linear(Box::new(Linear::new(theta, self.linearized == Linearized::Full, springs, inverse)))
        };
        let zeros = || vec![0.0; system.equalities().count()];
        let accounts = Accounts { stiffness, values: zeros(), stored: None, work: [0.0] };
        Ok(Penalty { form, theta, none: zeros(), impulse: zeros(), rate: zeros(), work: 0.0, accounts })
    }
}

/// The step.
#[derive(Debug, Clone)]
pub struct Penalty {
    form: Form,
    theta: f64,
    none: Vec<f64>,
    /// Impulses of the springs in the last step.
    impulse: Vec<f64>,
    rate: Vec<f64>,
    /// Work that they did, as far as constraints move.
    work: f64,
    accounts: Accounts,
}

/// The energy that the springs keep, from node to node.
#[derive(Debug, Clone)]
struct Accounts {
    stiffness: Vec<f64>,
    values: Vec<f64>,
    /// At the last node that was asked for.
    stored: Option<f64>,
    /// What they gave since the node before.
    work: [f64; 1],
}

impl Accounts {
    fn show<S: System + ?Sized>(&mut self, system: &S, state: &State) {
        system.equalities().values(state.t, &state.q, &mut self.values);
        let stored = self.stiffness.iter().zip(&self.values).map(|(k, f)| 0.5 * k * f * f).sum();
        self.work = [self.stored.map_or(0.0, |before| before - stored)];
        self.stored = Some(stored);
    }
}

#[derive(Debug, Clone)]
enum Form {
    Solved(Box<Implicit<Theta>>),
    Linear(Box<Linear>),
}

impl<S: System + ?Sized> Stepper<S> for Penalty {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let t = state.t + self.theta * h;
        let (report, springs) = match &mut self.form {
            Form::Solved(implicit) => {
                let report = implicit.step(&Free(system), state, h)?;
                (report, implicit.rule().springs())
            }
            Form::Linear(linear) => {
                let report = linear.advance(system, state, h);
                let report = report.map_err(|failure| StepError { t: state.t, h, failure })?;
                linear.take_over(state, h);
                (report, linear.springs())
            }
        };
        for (impulse, force) in self.impulse.iter_mut().zip(springs.forces()) {
            *impulse = h * force;
        }
        if system.time_dependence().equalities {
            system.equalities().rate(t, springs.place(), &mut self.rate);
            self.work = crate::linear::dot(&self.impulse, &self.rate);
        }
        Ok(report)
    }

    fn node_velocity(&mut self, system: &S, state: &State, _h: f64, _v: &mut [f64]) -> bool {
        self.accounts.show(system, state);
        false
    }

    fn works(&self) -> &[f64] {
        &self.accounts.work
    }

    fn impulses(&self) -> Impulses<'_> {
        Impulses { start: &self.none, inside: &self.impulse, end: &self.none, inside_work: self.work }
    }
}
