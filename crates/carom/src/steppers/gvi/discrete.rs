//! Reflections that conserve the discrete energy of the rule.
//!
//! The energy that [kaufman-pai-2012 (6.9)] leaves open is here that of [fetecau-2003 (48)], `E_d = −∂L_d/∂h`: the step that
//! starts at `(q, p⁺)` has that of the step that arrives at `(q, p⁻)`,
//! ```text
//! E⁺(q, p⁺) = E⁻(q, p⁻) + W        p⁺ = p⁻ + s Gᵀy per reflection of the law, W ≤ 0 its work
//! ```
//! Both are functions of the state: `E⁻` is that of the step of `−h`. As a function of `p` neither is quadratic,
//! ```text
//! E_d = H + 3(H₂ − H) + O(h³)      H₂: the shadow Hamiltonian of second order
//! ```
//! so the direction of an impulse is that of the law in the metric `M⁻¹`, and its length `s`, near 1, the root of a scalar equation.
//! Near grazing there may be none: then `s = 1`, and the fallback is counted.

use crate::discrete::{Chord, LinearPath, Side};
use crate::error::Failure;
use crate::impact::Scaling;
use crate::linear::dot;
use crate::state::State;
use crate::steppers::Stepper;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::scale::{self, Measure};
use crate::steppers::variational::Variational;
use crate::steppers::verlet::Verlet;
use crate::system::System;

/// Workspace of the reflections of a step, and what they came to.
#[derive(Debug, Clone)]
pub struct Discrete {
    rule: LinearPath,
    trial: State,
    /// Chord velocity of the trial.
    v: Vec<f64>,
    /// `∂V/∂q − f` at the start of the step, of an explicit rule.
    gradient: Vec<f64>,
    force: Vec<f64>,
    /// The energy that the next reflection is to have; none before the first of the step.
    target: Option<f64>,
    /// Reflections of the step without a solution.
    pub fallbacks: u32,
    /// Trials in the step.
    pub trials: u32,
}

impl Discrete {
    /// For a rule and a system of `n` coordinates.
    pub fn new(rule: LinearPath, start: &State) -> Self {
        let vector = || vec![0.0; start.q.len()];
        let (trial, target) = (start.clone(), None);
        Self { rule, trial, v: vector(), gradient: vector(), force: vector(), target, fallbacks: 0, trials: 0 }
    }

    /// Nothing has been reflected in the step yet.
    pub fn start(&mut self) {
        (self.target, self.fallbacks, self.trials) = (None, 0, 0);
    }
}

/// The reflections of a law at a state.
pub struct Reflections<'a, S: System + ?Sized> {
    /// Workspace.
    pub discrete: &'a mut Discrete,
    /// The system.
    pub system: &'a S,
    /// The rule's step, equality constraints included.
    pub free: &'a mut Variational,
    /// Prepared at the state.
    pub inverse: &'a InverseMass,
    /// Time and place; not the momentum, which is the law's.
    pub at: &'a State,
    /// Length of the step. Back in time the law's momentum is turned around.
    pub h: f64,
}

impl<S: System + ?Sized> Reflections<'_, S> {
    /// Whether the chord velocity is known without a step.
    fn explicit(&self) -> bool {
        matches!(self.free, Variational::Trapezoid(Verlet::Explicit(_))) && self.system.equalities().count() == 0
    }

    /// Forces at the place, where they give the chord velocity.
    fn prepare(&mut self) {
        if !self.explicit() {
            return;
        }
        let (State { t, q, .. }, room) = (self.at, &mut *self.discrete);
        self.system.potential_gradient(*t, q, &mut room.gradient);
        if let Some(forces) = self.system.forces() {
            forces.force(*t, q, &room.v, &mut room.force);
            room.gradient.iter_mut().zip(&room.force).for_each(|(gradient, force)| *gradient -= force);
        }
    }

    /// `E_d` of the step of length `h` from the place with the law's momentum `p + s d`.
    fn energy(&mut self, h: f64, p: &[f64], (s, d): (f64, &[f64])) -> Result<f64, Failure> {
        let (turn, explicit, room) = (self.h.signum(), self.explicit(), &mut *self.discrete);
        for (trial, (p, d)) in room.trial.p.iter_mut().zip(p.iter().zip(d)) {
            *trial = turn * (p + s * d);
        }
        if explicit {
            for ((v, p), gradient) in room.v.iter_mut().zip(&room.trial.p).zip(&room.gradient) {
                *v = p - 0.5 * h * gradient;
            }
            self.inverse.solve(&mut room.v);
        } else {
            room.trial.t = self.at.t;
            room.trial.q.copy_from_slice(&self.at.q);
            self.free.step(self.system, &mut room.trial, h).map_err(|error| error.failure)?;
            match self.free.chord() {
                Some(chord) => room.v.copy_from_slice(chord),
                None => {
                    for ((v, x), q) in room.v.iter_mut().zip(&room.trial.q).zip(&self.at.q) {
                        *v = (x - q) / h;
                    }
                }
            }
        }
        let chord = Chord { t0: self.at.t, h, q0: &self.at.q, v: &room.v };
        Ok(room.rule.energy(self.system, chord, Side::Start))
    }

    /// The factor of the impulse, if there is one.
    fn find(&mut self, p: &[f64], d: &[f64], work: f64) -> Result<Option<f64>, Failure> {
        let before = match self.discrete.target {
            Some(before) => before,
            None => {
                self.prepare();
                self.energy(-self.h, p, (0.0, d))?
            }
        };
        let target = before + work;
        self.discrete.target = Some(target);
        let potential = self.system.potential(self.at.t, &self.at.q);
        let size = potential.abs() + (target - potential).abs();
        // Notation: u(s) = dᵀM⁻¹(p + s d), to O(h²) the slope of the energy in s.
        self.discrete.v.copy_from_slice(d);
        self.inverse.solve(&mut self.discrete.v);
        let (before, inertia) = (dot(&self.discrete.v, p), dot(&self.discrete.v, d));
        let u = |s: f64| before + s * inertia;
        let measure = Measure { size, lossy: work < 0.0, rebound: 0.5 * u(1.0) * u(1.0) / inertia };
        scale::search(measure, |s| {
            self.discrete.trials += 1;
            Ok([self.energy(self.h, p, (s, d))? - target, u(s)])
        })
    }
}

impl<S: System + ?Sized> Scaling for Reflections<'_, S> {
    fn factor(&mut self, p: &[f64], d: &[f64], work: f64) -> f64 {
        // A trial step that fails is one without a solution; the step itself will say why if it fails too.
        self.find(p, d, work).ok().flatten().unwrap_or_else(|| {
            self.discrete.fallbacks += 1;
            1.0
        })
    }
}
