//! When Newton's method is done: at the round-off floor, and never before.

/// Residuals below this multiple of ε and of the terms they are summed from are round-off.
pub const FLOOR: f64 = 4.0 * f64::EPSILON;
/// Constraints are closed up to this: coordinates that are rounded to the nearest double leave at most half of it. An
/// iterate that is accepted three ε earlier lets rods whose coordinates are large walk, and the energy with them.
const CLOSED: f64 = f64::EPSILON;
/// Iterations before a step is given up. Steps that converge take 1 to 6.
pub const MOST_ITERATIONS: u32 = 50;
/// A stalled iteration is accepted only with its constraints at least this close (relative).
const LOOSEST_CONSTRAINT: f64 = 1e-9;
/// A stalled iteration that leaves no more than this (relative) is accepted.
pub const STALLED: f64 = 1e-12;

/// How an iteration goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The iterate is the solution.
    Accept,
    /// Correct once more.
    Correct,
    /// It does not converge.
    GiveUp,
}

/// The course of an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Convergence {
    /// Corrections made.
    pub iterations: u32,
    /// The last one, relative to each coordinate's own scale.
    pub correction: f64,
    before: f64,
    /// What the next residual should be, by how the ones before fell.
    expected: f64,
}

impl Default for Convergence {
    fn default() -> Self {
        Self { iterations: 0, correction: f64::INFINITY, before: f64::INFINITY, expected: f64::INFINITY }
    }
}

impl Convergence {
    /// Judges an iterate by its largest relative residual and by that of its constraints. It is accepted if both are
    /// round-off of their terms; or if it no longer falls and what is left of it, or of the last correction, is so
    /// small that only round-off can be the reason. A momentum balance whose terms are all round-off has a relative
    /// residual of 1, hence the correction; a constraint has no such excuse. `noise` is asked last: whether round-off of
    /// the coordinates explains what is left, as where forces cancel in a part of a system that rests.
    pub fn judge(&mut self, residual: f64, constraint: f64, noise: impl FnOnce() -> bool) -> Verdict {
        let stalled = residual > 0.25 * self.before && constraint <= LOOSEST_CONSTRAINT;
        // What is left where far less was to be expected is round-off, and another correction would only change it.
        let closed = constraint <= CLOSED || self.expected <= 0.01 * f64::EPSILON;
        let ratio = if self.before.is_finite() { residual / self.before } else { 1.0 };
        self.expected = residual * ratio.min(1.0);
        self.before = residual;
        let done = residual <= FLOOR && closed;
        if done || (stalled && (residual <= STALLED || self.correction <= 1e-9 || noise())) {
            Verdict::Accept
        } else if self.iterations == MOST_ITERATIONS {
            Verdict::GiveUp
        } else {
            Verdict::Correct
        }
    }

    /// Whether a residual does not fall although constraints are open by more than round-off of their own terms. Then what the rows beside
    /// them spill into them is to be known, by [`Spread`](super::spread::Spread), before the iterate is judged.
    #[inline]
    pub fn is_stuck(&self, residual: f64, constraint: f64) -> bool {
        residual > 0.25 * self.before && constraint > STALLED
    }

    /// Forgets the course so far, but not how many corrections it took.
    pub fn start_again(&mut self) {
        *self = Self { iterations: self.iterations, ..Self::default() };
    }

    /// Whether the next residual should be round-off even if corrections only go on as they did: then the factors at hand
    /// will do.
    pub fn almost_there(&self) -> bool {
        self.expected <= FLOOR
    }

    /// Notes a correction; one with the Jacobian of its iterate converges quadratically.
    pub fn corrected(&mut self, correction: f64, quadratic: bool) {
        self.iterations += 1;
        self.correction = correction;
        if quadratic {
            // ρ was multiplied once: e₂ = e₁ ρ² for quadratic convergence with ρ = e₁/e₀.
            self.expected *= (self.expected / self.before).min(1.0);
        }
    }
}

/// Largest `|change_k| / (|q_k| + reach_k)`; what does not change counts as nothing.
pub fn relative_change(change: impl Iterator<Item = f64>, q: &[f64], reach: &[f64]) -> f64 {
    let mut worst = 0.0;
    for ((change, q), reach) in change.zip(q).zip(reach) {
        // A product and not a quotient: few of them are the largest so far.
        let (change, scale) = (change.abs(), q.abs() + reach);
        if change > worst * scale {
            worst = change / scale;
        }
    }
    worst
}
