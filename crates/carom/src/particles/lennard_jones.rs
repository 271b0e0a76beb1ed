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
}
