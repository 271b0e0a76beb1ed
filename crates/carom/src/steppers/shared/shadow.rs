//! The second-order shadow Hamiltonian of a rule: what its steps conserve up to O(h⁴).

use super::base::Rule;
use super::mass::InverseMass;
use crate::linear::{dot, matrix_times};
use crate::state::State;
use crate::system::System;

/// Evaluates the shadow Hamiltonian of systems with a constant mass; with equality constraints it leaves out what these add.
#[derive(Debug, Clone)]
pub struct Shadow {
    v: Vec<f64>,
    gradient: Vec<f64>,
    product: Vec<f64>,
    hessian: Vec<f64>,
}

impl Shadow {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        let vector = || vec![0.0; n];
        Self { v: vector(), gradient: vector(), product: vector(), hessian: vec![0.0; n * n] }
    }

    /// `H + h²(c₁ vᵀV''v − |V'|²/24)`, norms in `M⁻¹`, for steps of length `h`.
    pub fn energy<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        (rule, h): (Rule, f64),
        state: &State,
    ) -> f64 {
        self.v.copy_from_slice(&state.p);
        inverse.solve(&mut self.v);
        system.potential_hessian(state.t, &state.q, &mut self.hessian);
        matrix_times(&self.hessian, &self.v, &mut self.product);
        let bent = dot(&self.v, &self.product);
        system.potential_gradient(state.t, &state.q, &mut self.gradient);
        self.product.copy_from_slice(&self.gradient);
        inverse.solve(&mut self.product);
        let steep = dot(&self.gradient, &self.product);
        // The metric of the kinetic part is M⁻¹ + 2c₁h²M⁻¹V''M⁻¹.
        let correction = 0.5 * rule.shadow_curvature() * bent - steep / 24.0;
        0.5 * dot(&self.v, &state.p) + system.potential(state.t, &state.q) + h * h * correction
    }
}
