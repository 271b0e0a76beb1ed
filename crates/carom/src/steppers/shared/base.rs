//! The base rule of methods with contacts, and the energy that their impacts conserve.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::steppers::variational;

/// The base rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Störmer-Verlet, explicit.
    #[default]
    Verlet,
    /// The variational midpoint rule.
    Midpoint,
}

impl Rule {
    /// The smooth step.
    pub fn base(self) -> variational::Config {
        let rule = match self {
            Self::Verlet => variational::Rule::Trapezoid,
            Self::Midpoint => variational::Rule::Midpoint,
        };
        variational::Config { rule, ..variational::Config::default() }
    }

    /// `c` in the metric `A = M⁻¹ + c h² M⁻¹V''M⁻¹` of the second-order shadow Hamiltonian:
    /// Verlet `H + h²(v·V''v/12 − |V'|²/24)`, midpoint `H − h²(v·V''v + |V'|²)/24`, norms in `M⁻¹`.
    pub fn shadow_curvature(self) -> f64 {
        match self {
            Self::Verlet => 1.0 / 6.0,
            Self::Midpoint => -1.0 / 12.0,
        }
    }
}
