//! Legs of every kind: the method, and the base method that its legs are steps of.

use carom::error::Failure;
use carom::method::Method;
use carom::state::State;
use carom::steppers::collision::Collision;
use carom::steppers::{cva, variational, vci};
use carom::system::System;
use carom_tests::fuzz::Dice;

use super::dice::Draws;
use super::kinds::Kind;

/// What a leg is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Leg {
    /// The trapezoid rule with a constant mass and forces of the place.
    Parabola,
    /// The midpoint rule of `cva`.
    Midpoint,
    /// The rule of `vci` with a node anywhere.
    Gamma,
    /// Forces that depend on the velocity.
    Drag,
    /// A mass that depends on the place.
    Mass,
    /// Rods and pins.
    Equality,
    /// Something rests on a floor meanwhile.
    Held,
    /// Back in time.
    Backward,
}

impl Leg {
    pub const ALL: [Self; 8] = [
        Self::Parabola,
        Self::Midpoint,
        Self::Gamma,
        Self::Drag,
        Self::Mass,
        Self::Equality,
        Self::Held,
        Self::Backward,
    ];

    /// Whether there are such legs with gaps of that kind.
    pub fn suits(self, kind: Kind) -> bool {
        match self {
            Self::Mass => true,
            _ if kind == Kind::Curved => false,
            Self::Equality => kind != Kind::Spheres(1),
            Self::Held => kind.of_particles() && kind != Kind::Spheres(1),
            _ => true,
        }
    }
}

/// A method with options.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    Cva(cva::Rule),
    Vci(vci::Rule, f64),
}

impl Choice {
    /// One that has such legs.
    pub fn draw(leg: Leg, dice: &mut Dice) -> Self {
        let gamma = [0.0, 0.25, 0.5, 0.8, 1.0][dice.below(5)];
        let trapezoid =
            if dice.chance(0.5) { Self::Cva(cva::Rule::Verlet) } else { Self::Vci(vci::Rule::Trapezoid, 0.5) };
        match leg {
            Leg::Parabola => trapezoid,
            Leg::Midpoint => Self::Cva(cva::Rule::Midpoint),
            Leg::Gamma => Self::Vci(vci::Rule::Gamma, gamma),
            Leg::Mass if dice.chance(0.25) => Self::Vci(vci::Rule::Gamma, gamma),
            _ if dice.chance(0.3) => Self::Cva(cva::Rule::Midpoint),
            _ => trapezoid,
        }
    }

    pub fn stepper(self, system: &dyn System, start: &State) -> Result<Collision, Failure> {
        match self {
            Self::Cva(rule) => cva::Config { rule, ..Default::default() }.stepper(system, start),
            Self::Vci(rule, gamma) => vci::Config { rule, gamma, ..Default::default() }.stepper(system, start),
        }
    }

    /// The base method.
    pub fn base(self) -> variational::Config {
        let (rule, gamma) = match self {
            Self::Cva(cva::Rule::Verlet) | Self::Vci(vci::Rule::Trapezoid, _) => {
                (variational::Rule::Trapezoid, 0.5)
            }
            Self::Cva(cva::Rule::Midpoint) => (variational::Rule::Midpoint, 0.5),
            Self::Vci(vci::Rule::Gamma, gamma) => (variational::Rule::Gamma, gamma),
        };
        variational::Config { rule, gamma }
    }

    /// Whether its legs are parabolas where the mass is constant and forces are of the place.
    pub fn is_explicit(self) -> bool {
        self.base().rule == variational::Rule::Trapezoid
    }
}
