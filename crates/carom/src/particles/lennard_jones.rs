//! The Lennard-Jones potential `4ε((σ/r)¹² − (σ/r)⁶)`.
//!
//! Cost: one division per pair, no square root.

use super::geometry::Jet;
use super::input::{Misuse, not_negative, positive};
use super::law::Law;

/// `4ε((σ/r)¹² − (σ/r)⁶)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LennardJones {
    /// Depth `ε` of the well.
    pub epsilon: f64,
    /// Distance `σ` at which the potential is zero.
    pub sigma: f64,
}

impl LennardJones {
    pub(super) fn check(&self) -> Result<(), Misuse> {
        not_negative("`epsilon` of a Lennard-Jones potential", self.epsilon)?;
        positive("`sigma` of a Lennard-Jones potential", self.sigma)
    }

    /// `1/w` and `(σ²/w)³`.
    #[inline(always)]
    fn powers(&self, w: f64) -> (f64, f64) {
        let inverse = w.recip();
        let s = self.sigma * self.sigma * inverse;
        (inverse, s * s * s)
    }
}

impl Law for LennardJones {
    #[inline]
    fn value(&self, w: f64) -> f64 {
        let (_, s) = self.powers(w);
        4.0 * self.epsilon * s * (s - 1.0)
    }

    #[inline(always)]
    fn first(&self, w: f64) -> f64 {
        let (inverse, s) = self.powers(w);
        12.0 * self.epsilon * inverse * s * (1.0 - 2.0 * s)
    }

    #[inline]
    fn jet(&self, w: f64) -> Jet {
        let (inverse, s) = self.powers(w);
        Jet {
            value: 4.0 * self.epsilon * s * (s - 1.0),
            first: 12.0 * self.epsilon * inverse * s * (1.0 - 2.0 * s),
            second: 24.0 * self.epsilon * (inverse * inverse) * s * (7.0 * s - 2.0),
        }
    }

    /// With `u = 4ε(s² − s)`, `s = σ⁶w⁻³`: differences of powers have `w1 − w0` as a factor.
    #[inline]
    fn quotient(&self, w0: f64, w1: f64) -> f64 {
        let ((inverse0, s0), (inverse1, s1)) = (self.powers(w0), self.powers(w1));
        let sigma2 = self.sigma * self.sigma;
        let (a, b) = (sigma2 * inverse0, sigma2 * inverse1);
        // s1 − s0 = b³ − a³ = (b − a)(a² + ab + b²) and b − a = −(w1 − w0) ab/σ².
        -4.0 * self.epsilon * (s0 + s1 - 1.0) * (a * a + a * b + b * b) * (a * inverse1)
    }
}
