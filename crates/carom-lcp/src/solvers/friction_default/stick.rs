//! The answer in which every contact sticks, W z = −q, of least norm.
//!
//! W is singular wherever contacts are redundant, so that there are many such answers or none. The one of least norm is found by repeating
//! z ← z − (W + δ)⁻¹ (W z + q) from z = 0. Each step reduces the error along an eigenvector with eigenvalue λ by the factor δ/(λ + δ), so two or
//! three steps are enough. They share one factorisation, the one that Newton's method uses. In a pile at rest this answer commonly lies in all cones.

use crate::outcome::Limits;
use crate::problem::Motion;
use crate::solvers::best::Best;
use crate::solvers::form::Form;
use crate::solvers::pencil::{Block, Blocks, Pencil, UNIT};

/// δ relative to the mean diagonal entry of W: far above rounding, below the eigenvalues that matter.
const SHIFT: f64 = 1e-8;

/// The most steps; the residual must fall by ten in each.
const STEPS: usize = 5;

/// Room for the steps.
#[derive(Default)]
pub(super) struct Stick {
    z: Vec<f64>,
    step: Vec<f64>,
    shift: Vec<Block>,
    unit: Vec<Block>,
    motion: Motion,
}

impl Stick {
    /// Offers what it finds; the number of steps, 0 where the matrix cannot be factored. The pencil is that of the problem.
    pub fn offer<P: Form>(&mut self, problem: &P, pencil: &mut Pencil, best: &mut Best, limits: &Limits) -> usize {
        let (n, shape) = (problem.size(), problem.shape());
        let delta = SHIFT * (0..n).map(|row| problem.diagonal(row)).sum::<f64>() / n.max(1) as f64;
        self.shift.clear();
        self.shift.resize(shape.contacts, UNIT.map(|row| row.map(|value| delta * value)));
        self.unit.clear();
        self.unit.resize(shape.contacts, UNIT);
        let (left, right) =
            (Blocks { equality: delta, contacts: &self.shift }, Blocks { equality: 1.0, contacts: &self.unit });
        if !(delta > 0.0 && pencil.factor(problem.compliance(), left, right)) {
            return 0;
        }
        for vector in [&mut self.z, &mut self.step] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        let mut before = f64::INFINITY;
        for steps in 1..=STEPS {
            problem.slacks(&self.z, &mut self.step, &mut self.motion);
            if !pencil.solve(problem.compliance(), &mut self.step) {
                return steps;
            }
            self.z.iter_mut().zip(&self.step).for_each(|(z, step)| *z -= step);
            let now = best.offer(problem, &self.z);
            // The first answer is off by δ/λ; what a contact outside its cone leaves stays.
            let falls = now.absolute < 0.1 * before;
            if now.relative <= limits.tolerance || !falls {
                return steps;
            }
            before = now.absolute;
        }
        STEPS
    }
}
