//! Corrections with the mass alone: where a step is short against the periods of the motion, no matrix is needed.
//!
//! With a constant mass and without constraints the Newton matrix is `I ⊗ M` up to terms of `h²K`. Without them a correction is `δU = M⁻¹r`
//! and costs what an evaluation costs; the residual falls by a factor of the size of `h²M⁻¹K`. How fast it falls is seen after one of them,
//! and where that is too slow, Newton's method goes on from there.

use super::stages::{Distance, combine};
use super::step::Galerkin;
use crate::state::State;
use crate::steppers::shared::newton::FLOOR;
use crate::system::System;

/// Each correction must make the residual fall to this part of it.
const SLOW: f64 = 0.2;
/// A factorisation takes as long as one such correction per so many unknowns, or longer.
const UNKNOWNS_PER_CORRECTION: usize = 4;
/// With room for fewer corrections than the first they are not tried, and more than the second are not made.
const ROOM: [usize; 2] = [4, 12];

/// Where corrections with the mass alone have led.
#[derive(Debug, Clone, Copy)]
pub enum Relaxed {
    /// To the solution, with this residual.
    Done(f64),
    /// To an iterate whose stages and residual are evaluated.
    Here(Distance),
    /// To one that is to be evaluated.
    Elsewhere,
}

impl Galerkin {
    /// Corrections with the mass alone, as long as they come to the end soon.
    pub(super) fn relax<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> Relaxed {
        let most = (self.u.len() / UNKNOWNS_PER_CORRECTION).min(ROOM[1]);
        if most < ROOM[0] || self.nc > 0 || self.separate || self.mass.is_empty() {
            return Relaxed::Elsewhere;
        }
        let mut before = f64::INFINITY;
        for iterations in 0..=most {
            let evaluated = self.evaluate(system, state, h).and_then(|()| self.residual(system, state, h));
            let distance = match evaluated {
                Ok(distance) if distance.residual < before => distance,
                _ => {
                    if iterations > 0 {
                        self.u.iter_mut().zip(&self.correction).for_each(|(u, correction)| *u += correction);
                    }
                    return Relaxed::Elsewhere;
                }
            };
            let residual = distance.residual;
            if residual <= FLOOR {
                // One more correction, for the end point alone: what is left of a linear convergence has a sign.
                self.correct_by_mass();
                combine(Some(&state.q), h, &self.tables.b, &self.u, &mut self.q1);
                return Relaxed::Done(residual);
            }
            // After the start, whose distance tells nothing of the ratio.
            let ratio = residual / before;
            if ratio > SLOW || residual * ratio.powi((most - iterations) as i32) > FLOOR {
                return Relaxed::Here(distance);
            }
            before = residual;
            self.correct_by_mass();
        }
        Relaxed::Elsewhere
    }

    fn correct_by_mass(&mut self) {
        self.corrections += 1;
        self.correction.copy_from_slice(&self.unbalance);
        for (correction, u) in self.correction.chunks_exact_mut(self.n).zip(self.u.chunks_exact_mut(self.n)) {
            self.inverse.solve(correction);
            u.iter_mut().zip(correction).for_each(|(u, correction)| *u -= *correction);
        }
    }
}
