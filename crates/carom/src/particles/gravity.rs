//! Gravity: uniform, `−m g·x`, and Newton's between all pairs, `−G m_i m_j / r`.
//!
//! Newton's is not softened: particles that meet give NaN. Cost: the uniform field one product per coordinate, Newton's
//! one square root and one division per pair, `N(N − 1)/2` of them.

use super::geometry::{Blocks, Jet, add, difference, mean, product, radial_block, truncated};
use super::pool::{Ends, Place, Potentials};

/// The same acceleration everywhere in space, for each particle its own: the sum of the fields that act on it.
#[derive(Debug, Clone)]
pub struct Uniform {
    accelerations: Vec<[f64; 3]>,
}

impl Uniform {
    /// No gravity for that many particles.
    pub fn none(count: usize) -> Self {
        Self { accelerations: vec![[0.0; 3]; count] }
    }

    /// Adds an acceleration of some of them.
    pub fn add(&mut self, acceleration: [f64; 3], members: &[usize]) {
        for &i in members {
            add(&mut self.accelerations[i], &acceleration);
        }
    }
}

impl Potentials for Uniform {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        let terms = at.x.iter().zip(at.mass).zip(&self.accelerations);
        -terms.fold(0.0, |sum, ((x, m), g)| sum + m * product(&truncated(g), x))
    }

    #[inline]
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        for ((out, m), g) in out.iter_mut().zip(at.mass).zip(&self.accelerations) {
            for k in 0..D {
                out[k] -= m * g[k];
            }
        }
    }

    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        self.add_gradient(Place { t: between.t, x: between.start, mass: between.mass }, out);
    }

    fn add_hessian<const D: usize>(&self, _at: Place<D>, _out: &mut Blocks<D>) {}
}

/// Attraction between all pairs.
#[derive(Debug, Clone, Copy)]
pub struct Newton {
    pub constant: f64,
}

impl Newton {
    /// `u(w) = −c w^(−½)`.
    #[inline]
    fn jet(c: f64, w: f64) -> Jet {
        let value = -c / w.sqrt();
        let first = -0.5 * value / w;
        Jet { value, first, second: -1.5 * first / w }
    }
}

impl Potentials for Newton {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        let mut sum = 0.0;
        for i in 0..at.x.len() {
            for j in i + 1..at.x.len() {
                let d = difference(&at.x[i], &at.x[j]);
                sum += Self::jet(self.constant * at.mass[i] * at.mass[j], product(&d, &d)).value;
            }
        }
        sum
    }

    #[inline]
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        for i in 0..at.x.len() {
            let (x, c) = (at.x[i], self.constant * at.mass[i]);
            let mut own = out[i];
            for j in i + 1..at.x.len() {
                let d = difference(&x, &at.x[j]);
                let w = product(&d, &d);
                let factor = c * at.mass[j] / (w * w.sqrt());
                for k in 0..D {
                    own[k] -= factor * d[k];
                    out[j][k] += factor * d[k];
                }
            }
            out[i] = own;
        }
    }

    /// `(u(w1) − u(w0))/(w1 − w0) = c/(r0 r1 (r0 + r1))`.
    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        let Ends { start, end, mass, .. } = between;
        for i in 0..start.len() {
            for j in i + 1..start.len() {
                let (d0, d1) = (difference(&start[i], &start[j]), difference(&end[i], &end[j]));
                let (r0, r1) = (product(&d0, &d0).sqrt(), product(&d1, &d1).sqrt());
                let factor = 2.0 * self.constant * mass[i] * mass[j] / (r0 * r1 * (r0 + r1));
                let d = mean(&d0, &d1);
                for k in 0..D {
                    out[i][k] -= factor * d[k];
                    out[j][k] += factor * d[k];
                }
            }
        }
    }

    fn add_hessian<const D: usize>(&self, at: Place<D>, out: &mut Blocks<D>) {
        for i in 0..at.x.len() {
            for j in i + 1..at.x.len() {
                let d = difference(&at.x[i], &at.x[j]);
                let jet = Self::jet(self.constant * at.mass[i] * at.mass[j], product(&d, &d));
                out.add_pair(i, j, &radial_block(&d, jet, 1.0));
            }
        }
    }
}
