//! `midpoint` and `variational`: steps of any discrete Lagrangian of the family, by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::implicit::Implicit;
use super::shared::base;
use super::verlet::Verlet;
use super::{Impulses, StepReport, Stepper};
use crate::discrete::LinearPath;
use crate::error::{Failure, StepError};
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::System;

/// `[method] name = "midpoint"`: no options.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Midpoint {}

impl Method for Midpoint {
    const NAME: &'static str = "midpoint";
    const TITLE: &'static str = "variational midpoint rule, with equality constraints in RATTLE form";
    const CITES: &'static [&'static str] = &["marsden-west-2001", "leimkuhler-skeel-1994"];
    type Stepper = Implicit<LinearPath>;

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

    fn abilities(&self) -> Abilities {
        Abilities::VARIATIONAL
    }

    fn discrete_lagrangian(&self) -> Option<Config> {
        Some(Config { rule: Rule::Midpoint, ..Config::default() })
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Self::Stepper, Failure> {
        Implicit::new(LinearPath::midpoint(system.dim()), system, start)
    }
}

/// A quadrature rule of the discrete Lagrangian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Half at each end.
    #[default]
    Trapezoid,
    /// One node in the middle.
    Midpoint,
    /// One node at `gamma q0 + (1 − gamma) q1`.
    Gamma,
}

/// `[method] name = "variational"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The quadrature of the discrete Lagrangian.
    pub rule: Rule,
    /// Where the node of `rule = "gamma"` lies: at `gamma q0 + (1 − gamma) q1`, from 0 to 1.
    pub gamma: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { rule: Rule::default(), gamma: 0.5 }
    }
}

impl Config {
    fn symmetric(&self) -> bool {
        self.rule != Rule::Gamma || self.gamma == 0.5
    }

    /// The discrete Lagrangian for `n` coordinates.
    pub fn path(&self, n: usize) -> LinearPath {
        match self.rule {
            Rule::Trapezoid => LinearPath::trapezoid(n),
            Rule::Midpoint => LinearPath::midpoint(n),
            Rule::Gamma => LinearPath::gamma(self.gamma, n),
        }
    }

    /// The rule whose shadow Hamiltonian is that of these steps; none for a rule of order 1.
    pub fn shadow_rule(&self) -> Option<base::Rule> {
        self.symmetric().then_some(match self.rule {
            Rule::Trapezoid => base::Rule::Verlet,
            Rule::Midpoint | Rule::Gamma => base::Rule::Midpoint,
        })
    }
}

impl Method for Config {
    const NAME: &'static str = "variational";
    const TITLE: &'static str = "variational step of a discrete Lagrangian chosen by name";
    const CITES: &'static [&'static str] = &["marsden-west-2001", "leimkuhler-skeel-1994"];
    type Stepper = Variational;

    fn check(&self) -> Result<(), (&'static str, String)> {
        if (0.0..=1.0).contains(&self.gamma) {
            Ok(())
        } else {
            Err(("gamma", format!("found {}, allowed: a number from 0 to 1", self.gamma)))
        }
    }

    fn claims(&self) -> Claims {
        let symmetric = self.symmetric();
        let order = if symmetric { 2 } else { 1 };
        Claims {
            order,
            symplectic: true,
            reversible: symmetric,
            linear_momentum: true,
            angular_momentum: true,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities::VARIATIONAL
    }

    fn discrete_lagrangian(&self) -> Option<Config> {
        Some(self.clone())
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Variational, Failure> {
        Ok(match self.rule {
            Rule::Trapezoid => Variational::Trapezoid(Verlet::new(system, start)?),
            Rule::Midpoint | Rule::Gamma => {
                Variational::Node(Box::new(Implicit::new(self.path(system.dim()), system, start)?))
            }
        })
    }
}

/// The step of a rule.
#[derive(Debug, Clone)]
pub enum Variational {
    /// Explicit where it can be.
    Trapezoid(Verlet),
    /// One node inside the step.
    Node(Box<Implicit<LinearPath>>),
}

impl Variational {
    /// The chord velocity of the last step, where the step solves for it.
    pub(crate) fn chord(&self) -> Option<&[f64]> {
        match self {
            Self::Trapezoid(Verlet::Explicit(_)) => None,
            Self::Trapezoid(Verlet::Implicit(stepper)) => Some(stepper.chord()),
            Self::Node(stepper) => Some(stepper.chord()),
        }
    }

    /// Forgets what was evaluated at the last state: the constraints are others.
    pub(crate) fn forget(&mut self) {
        if let Self::Trapezoid(stepper) = self {
            stepper.forget();
        }
    }
}

impl<S: System + ?Sized> Stepper<S> for Variational {
    #[inline]
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        match self {
            Self::Trapezoid(stepper) => stepper.step(system, state, h),
            Self::Node(stepper) => stepper.step(system, state, h),
        }
    }

    fn impulses(&self) -> Impulses<'_> {
        match self {
            Self::Trapezoid(stepper) => Stepper::<S>::impulses(stepper),
            Self::Node(stepper) => Stepper::<S>::impulses(&**stepper),
        }
    }
}
