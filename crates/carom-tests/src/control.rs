//! Methods that must fail tests.

use carom::error::StepError;
use carom::state::State;
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::{StepReport, Stepper};
use carom::system::{Mass, System};

/// Explicit Euler in `(q, p)`: order 1, not symplectic, not symmetric, blind to constraints.
pub struct Euler;

impl<S: System + ?Sized> Stepper<S> for Euler {
    fn step(&mut self, system: &S, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let n = state.q.len();
        let (mut v, mut force) = (state.p.clone(), vec![0.0; n]);
        let inverse = InverseMass::new(system, &state.q).map_err(|failure| StepError { t: state.t, h, failure })?;
        inverse.solve(&mut v);
        system.potential_gradient(state.t, &state.q, &mut force);
        let mut kinetic = vec![0.0; n];
        if let Mass::Configuration(mass) = system.mass() {
            mass.kinetic_gradient(&state.q, &v, &mut kinetic);
        }
        for i in 0..n {
            state.q[i] += h * v[i];
            state.p[i] += h * (kinetic[i] - force[i]);
        }
        state.t += h;
        Ok(StepReport::default())
    }
}
