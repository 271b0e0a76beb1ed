//! Rods: equality rows `|d| − l`, in units of length, between two particles or to a fixed point.
//!
//! Lengths are positive: where the ends of a rod meet there is no gradient, and the rows are NaN. Cost: one square root
//! per row and call.

use super::geometry::{Blocks, Jet, mean, product, radial_block};
use super::input::{End, Link};
use super::names::Names;
use super::pool::Rows;
use crate::system::Softness;

/// A pool of rods.
#[derive(Debug, Clone, Default)]
pub struct Rods {
    rods: Vec<(Link, f64)>,
    /// Per rod.
    softness: Vec<Softness>,
}

/// Writes the gradients of a function of the difference by the particles of a link, these in ascending order; returns what is behind them.
#[inline(always)]
fn put<'a, const D: usize>(link: &Link, gradient: &[f64; D], out: &'a mut [[f64; D]]) -> &'a mut [[f64; D]] {
    match (link.other, out) {
        (End::Particle(other), [first, second, rest @ ..]) => {
            let sign = if other > link.particle { 1.0 } else { -1.0 };
            (*first, *second) = (gradient.map(|d| -sign * d), gradient.map(|d| sign * d));
            rest
        }
        (_, [first, rest @ ..]) => {
            *first = gradient.map(|d| -d);
            rest
        }
        (_, []) => &mut [],
    }
}

impl Rods {
    pub fn push(&mut self, link: Link, length: f64) {
        self.rods.push((link, length));
        self.softness.push(Softness::default());
    }

    pub fn set_softness(&mut self, row: usize, softness: Softness) {
        self.softness[row] = softness;
    }

    pub fn softness(&self, row: usize) -> Softness {
        self.softness[row]
    }

    /// Values, and gradients by the particles that each rod connects, these in ascending order.
    #[inline(always)]
    pub fn entries<const D: usize>(&self, x: &[[f64; D]], f: &mut [f64], mut out: &mut [[f64; D]]) {
        for ((link, length), f) in self.rods.iter().zip(f) {
            let d = link.difference(x);
            let distance = product(&d, &d).sqrt();
            let inverse = distance.recip();
            *f = distance - length;
            out = put(link, &d.map(|d| d * inverse), out);
        }
    }

    /// Discrete gradients in the order of [`Rods::entries`]: `|d1| − |d0| = (d0 + d1)·(d1 − d0)/(|d0| + |d1|)`, along the mean of the
    /// differences and therefore without a moment about any point half way.
    pub fn discrete_entries<const D: usize>(&self, start: &[[f64; D]], end: &[[f64; D]], mut out: &mut [[f64; D]]) {
        for (link, _) in &self.rods {
            let (d0, d1) = (link.difference(start), link.difference(end));
            let scale = 2.0 / (product(&d0, &d0).sqrt() + product(&d1, &d1).sqrt());
            out = put(link, &mean(&d0, &d1).map(|d| d * scale), out);
        }
    }

    /// The Hessian of a row over the coordinates of the particles that it connects, these in ascending order. Both orders of a pair
    /// give the same: the blocks depend on the square of the difference.
    pub fn row_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, out: &mut [f64]) {
        let (link, _) = &self.rods[row];
        let d = link.difference(x);
        let block = radial_block(&d, Jet::distance(product(&d, &d)), 1.0);
        let ends = if matches!(link.other, End::Particle(_)) { 2 } else { 1 };
        let mut out = Blocks::new(D * ends, out);
        match ends {
            1 => out.add(0, 0, 1.0, &block),
            _ => out.add_pair(0, 1, &block),
        }
    }

    /// `vᵀ∂²f v = (|w|² − (n·w)²)/|d|`, `w` the relative velocity and `n` the direction.
    pub fn bend<const D: usize>(&self, x: &[[f64; D]], v: &[[f64; D]], out: &mut [f64]) {
        for (out, (link, _)) in out.iter_mut().zip(&self.rods) {
            let (d, w) = (link.difference(x), link.relative(v));
            let inverse = product(&d, &d).sqrt().recip();
            let along = product(&d, &w) * inverse;
            *out = (product(&w, &w) - along * along) * inverse;
        }
    }
}

impl Rows for Rods {
    fn len(&self) -> usize {
        self.rods.len()
    }

    #[inline]
    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, (link, length)) in out.iter_mut().zip(&self.rods) {
            let d = link.difference(x);
            *out = product(&d, &d).sqrt() - length;
        }
    }

    fn length(&self, row: usize) -> f64 {
        self.rods[row].1
    }

    #[inline(always)]
    fn gradient<const D: usize>(&self, x: &[[f64; D]], row: usize, mut put: impl FnMut(usize, [f64; D])) {
        let (link, _) = &self.rods[row];
        let d = link.difference(x);
        let inverse = product(&d, &d).sqrt().recip();
        put(link.particle, d.map(|d| -(d * inverse)));
        if let End::Particle(other) = link.other {
            put(other, d.map(|d| d * inverse));
        }
    }

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, lambda: f64, out: &mut Blocks<D>) {
        let (link, _) = &self.rods[row];
        let d = link.difference(x);
        link.add_block(&radial_block(&d, Jet::distance(product(&d, &d)), lambda), out);
    }

    fn name(&self, index: usize, of: &Names) -> String {
        format!("rod {}", of.link(&self.rods[index].0))
    }
}
