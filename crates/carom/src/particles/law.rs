//! Pair potentials as functions of the squared distance, and how they end at a cut-off.
//!
//! With a cut-off the potential is multiplied by a polynomial that falls from 1 to 0 between `switch_from` and `radius`:
//! `S = 1 − x³(10 − 15x + 6x²)`, `x = (r² − a²)/(b² − a²)`. Potential, force and Hessian are continuous, and the
//! potential is unchanged inside `switch_from`. (Shifting the potential alone would leave a jump of the force, shifting
//! the force a jump of the Hessian and a change at every distance; both cost order or energy in long runs.)

use super::geometry::Jet;
use super::input::{Misuse, positive};

/// A potential `u(w)` of the squared distance `w`.
pub trait Law: Sync {
    /// `u`.
    fn value(&self, w: f64) -> f64;
    /// `u'`, the derivative by `w`: half the slope over the distance.
    fn first(&self, w: f64) -> f64;
    /// `u`, `u'` and `u''`.
    fn jet(&self, w: f64) -> Jet;
    /// `(u(w1) − u(w0))/(w1 − w0)`: what takes the place of `u'` in a discrete gradient. For close distances, where the difference would
    /// lose digits, the mean of `u'`.
    fn quotient(&self, w0: f64, w1: f64) -> f64 {
        let way = w1 - w0;
        if way.abs() > CLOSE * w0.max(w1) {
            return (self.value(w1) - self.value(w0)) / way;
        }
        gauss(|x| self.first(w0 + x * way))
    }
}

/// Squared distances that differ by less than this part are close: the error of the mean is then below round-off even for potentials like
/// `r⁻¹²`, and the difference loses three digits at most.
const CLOSE: f64 = 1.0 / 512.0;

/// The mean over 0 to 1 by three points of Gauss: exact for polynomials of degree 5.
fn gauss(function: impl Fn(f64) -> f64) -> f64 {
    const OFF: f64 = 0.387_298_334_620_741_7;
    (5.0 * (function(0.5 - OFF) + function(0.5 + OFF)) + 8.0 * function(0.5)) / 18.0
}

/// Where a pair potential ends, and how far beyond it neighbours are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cutoff {
    /// Pairs at this distance and beyond do not interact.
    pub radius: f64,
    /// Pairs nearer than this interact as if there were no cut-off; less than `radius`.
    pub switch_from: f64,
    /// How far beyond `radius` pairs are listed; the list lasts until a particle has moved half of it. It changes the
    /// speed and no bit of a result. Infinite: no list, all pairs are looked at.
    pub skin: f64,
}

impl Cutoff {
    /// Switched over the last tenth of the radius, with a skin that suits dense fluids.
    pub fn at(radius: f64) -> Self {
        Self { radius, switch_from: 0.9 * radius, skin: 0.12 * radius }
    }

    pub(super) fn check(&self) -> Result<(), Misuse> {
        positive("the radius of a cut-off", self.radius)?;
        if !(0.0..self.radius).contains(&self.switch_from) {
            let allowed = "from 0 to less than the radius";
            return Err(Misuse::Number { what: "`switch_from` of a cut-off", value: self.switch_from, allowed });
        }
        match self.skin == f64::INFINITY {
            true => Ok(()),
            false => positive("the skin of a cut-off", self.skin),
        }
    }
}

/// A law that ends at a cut-off, or nowhere.
#[derive(Debug, Clone)]
pub struct Ended<L> {
    law: L,
    /// Squares of the distances where the end begins and where it is reached.
    begin: f64,
    end: f64,
}

impl<L: Law> Ended<L> {
    pub fn new(law: L, cutoff: Option<&Cutoff>) -> Self {
        let square = |distance: Option<f64>| distance.map_or(f64::INFINITY, |r| r * r);
        Self { law, begin: square(cutoff.map(|c| c.switch_from)), end: square(cutoff.map(|c| c.radius)) }
    }

    /// Whether there is a cut-off.
    #[inline]
    pub fn ends(&self) -> bool {
        self.end < f64::INFINITY
    }

    /// Whether a pair does not interact; one whose distance is not a number does.
    #[inline(always)]
    pub fn beyond(&self, w: f64) -> bool {
        w >= self.end
    }

    #[inline]
    pub fn value(&self, w: f64) -> f64 {
        if w > self.begin { self.law.value(w) * self.switch(w).value } else { self.law.value(w) }
    }

    #[inline(always)]
    pub fn first(&self, w: f64) -> f64 {
        if w > self.begin { self.switched(w).first } else { self.law.first(w) }
    }

    #[inline]
    pub fn jet(&self, w: f64) -> Jet {
        if w > self.begin { self.switched(w) } else { self.law.jet(w) }
    }

    /// `(u(w1) − u(w0))/(w1 − w0)` of the potential with its end, which is zero beyond it.
    pub fn quotient(&self, w0: f64, w1: f64) -> f64 {
        let quotient = self.law.quotient(w0, w1);
        if w0.max(w1) <= self.begin {
            return quotient;
        }
        // A product: (uS)1 − (uS)0 = (u1 − u0)(S0 + S1)/2 + (u0 + u1)(S1 − S0)/2. S is a polynomial of degree 5 between its ends, where
        // its argument is held.
        let scale = (self.end - self.begin).recip();
        let x = |w: f64| ((w - self.begin) * scale).clamp(0.0, 1.0);
        let (x0, x1) = (x(w0), x(w1));
        let slope = if x0 == x1 { scale } else { (x1 - x0) / (w1 - w0) };
        let along = gauss(|s| {
            let (x, y) = (x0 + s * (x1 - x0), 1.0 - x0 - s * (x1 - x0));
            -30.0 * (x * y) * (x * y)
        });
        let [s0, s1] = [x0, x1].map(|x| 1.0 - x * x * x * (10.0 - 15.0 * x + 6.0 * x * x));
        0.5 * (quotient * (s0 + s1) + (self.law.value(w0) + self.law.value(w1)) * along * slope)
    }

    fn switch(&self, w: f64) -> Jet {
        let scale = (self.end - self.begin).recip();
        let x = (w - self.begin) * scale;
        let y = 1.0 - x;
        Jet {
            value: 1.0 - x * x * x * (10.0 - 15.0 * x + 6.0 * x * x),
            first: -30.0 * (x * y) * (x * y) * scale,
            second: -60.0 * (x * y) * (y - x) * (scale * scale),
        }
    }

    fn switched(&self, w: f64) -> Jet {
        let (u, s) = (self.law.jet(w), self.switch(w));
        Jet {
            value: u.value * s.value,
            first: u.first * s.value + u.value * s.first,
            second: u.second * s.value + 2.0 * u.first * s.first + u.value * s.second,
        }
    }
}
