//! Gravity: uniform, `−m g·x`, and Newton's between all pairs, `−G m_i m_j / r`.
//!
//! Newton's is not softened: particles that meet give NaN. Many particles are cut into shares that threads work on at the same time. Cost: the uniform field one product per coordinate, Newton's
//! one square root and one division per pair, `N(N − 1)/2` of them.

use std::ops::Range;

use super::geometry::{Blocks, Jet, add, difference, mean, product, radial_block, truncated};
use super::pool::{Ends, Place, Potentials};
use super::shares::{Cut, Share, Shelf, add_gradients, sum_values};

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

    /// Takes the weights off a gradient: it is the same everywhere.
    #[inline]
    fn subtract<const D: usize>(&self, mass: &[f64], out: &mut [[f64; D]]) {
        for ((out, m), g) in out.iter_mut().zip(mass).zip(&self.accelerations) {
            for k in 0..D {
                out[k] -= m * g[k];
            }
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
        self.subtract(at.mass, out);
    }

    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        self.subtract(between.mass, out);
    }

    fn add_hessian<const D: usize>(&self, _at: Place<D>, _out: &mut Blocks<D>) {}
}

/// Attraction between all pairs.
#[derive(Debug)]
pub struct Newton {
    constant: f64,
    ranges: Vec<Range<usize>>,
    kept: Shelf<Vec<Share>>,
}

impl Newton {
    pub fn new(constant: f64, count: usize) -> Self {
        Self { constant, ranges: Cut::AllPairs.ranges(count), kept: Shelf::default() }
    }

    /// `u(w) = −c w^(−½)`.
    #[inline]
    fn jet(c: f64, w: f64) -> Jet {
        let value = -c / w.sqrt();
        let first = -0.5 * value / w;
        Jet { value, first, second: -1.5 * first / w }
    }

    /// Works on the shares of the rows.
    fn with_shares<R>(&self, count: usize, work: impl FnOnce(&mut [Share]) -> R) -> R {
        let new = || {
            let mut shares = Share::all(&self.ranges);
            shares.iter_mut().for_each(|share| share.window = share.rows.start..count);
            shares
        };
        self.kept.with(new, |shares| work(shares))
    }

    fn sum<const D: usize>(&self, at: Place<D>, rows: Range<usize>) -> f64 {
        let mut sum = 0.0;
        for i in rows {
            for j in i + 1..at.x.len() {
                let d = difference(&at.x[i], &at.x[j]);
                sum += Self::jet(self.constant * at.mass[i] * at.mass[j], product(&d, &d)).value;
            }
        }
        sum
    }

    #[inline]
    fn push<const D: usize>(&self, at: Place<D>, rows: Range<usize>, out: &mut [[f64; D]]) {
        for i in rows {
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
}

impl Potentials for Newton {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        match self.ranges.len() {
            1 => self.sum(at, 0..at.x.len()),
            _ => self.with_shares(at.x.len(), |shares| {
                sum_values(at.team, shares, |share| self.sum(at, share.rows.clone()))
            }),
        }
    }

    #[inline]
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        match self.ranges.len() {
            1 => self.push(at, 0..at.x.len(), out),
            _ => self.with_shares(at.x.len(), |shares| {
                add_gradients(at.team, shares, out, |share, out| self.push(at, share.rows.clone(), out));
            }),
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
