//! The best iterate so far, judged by the problem itself and by nothing else.

use crate::cone::norm;
use crate::outcome::{Failure, Limits, Solved, Unsolved};
use crate::problem::Motion;
use crate::residual::{Judged, Residual};

/// The best iterate so far and its residual: the same numbers as [`Judged::residual`] gives, without its allocations.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    z: Vec<f64>,
    residual: Residual,
    at_zero: f64,
    w: Vec<f64>,
    map: Vec<f64>,
    motion: Motion,
}

impl Default for Best {
    fn default() -> Best {
        let residual = Residual { absolute: f64::INFINITY, relative: f64::INFINITY };
        Best { z: Vec::new(), residual, at_zero: 0.0, w: Vec::new(), map: Vec::new(), motion: Motion::default() }
    }
}

impl Best {
    /// Begins anew with the start of a solve as the best so far.
    pub fn begin<P: Judged + ?Sized>(&mut self, problem: &P, z: &[f64]) -> Residual {
        let n = problem.size();
        for vector in [&mut self.z, &mut self.w, &mut self.map] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        problem.natural_map_with(&self.z, &mut self.w, &mut self.map, &mut self.motion);
        self.at_zero = norm(&self.map);
        self.residual = self.judge(problem, z);
        self.z.copy_from_slice(z);
        self.residual
    }

    /// The residual of an iterate, which is kept if it is better than every one before.
    pub fn offer<P: Judged + ?Sized>(&mut self, problem: &P, z: &[f64]) -> Residual {
        let residual = self.judge(problem, z);
        if residual.absolute < self.residual.absolute {
            self.residual = residual;
            self.z.copy_from_slice(z);
        }
        residual
    }

    /// The residual of the best iterate.
    pub fn residual(&self) -> Residual {
        self.residual
    }

    /// Copies the best iterate.
    pub fn copy_to(&self, z: &mut [f64]) {
        z.copy_from_slice(&self.z);
    }

    /// ‖F(0)‖.
    pub fn at_zero(&self) -> f64 {
        self.at_zero
    }

    /// A norm of a map relative to that of the natural map at 0.
    pub fn relative_of(&self, absolute: f64) -> f64 {
        Residual::from_norms(absolute, self.at_zero).relative
    }

    /// Hands out the best iterate with the verdict on it.
    pub fn finish(
        &self,
        z: &mut [f64],
        limits: &Limits,
        iterations: usize,
        failure: Failure,
    ) -> Result<Solved, Unsolved> {
        z.copy_from_slice(&self.z);
        let residual = self.residual;
        if residual.relative <= limits.tolerance {
            Ok(Solved { iterations, residual })
        } else {
            Err(Unsolved { failure, iterations, residual })
        }
    }

    fn judge<P: Judged + ?Sized>(&mut self, problem: &P, z: &[f64]) -> Residual {
        problem.natural_map_with(z, &mut self.w, &mut self.map, &mut self.motion);
        let absolute = norm(&self.map);
        Residual::from_norms(if absolute.is_finite() { absolute } else { f64::INFINITY }, self.at_zero)
    }
}
