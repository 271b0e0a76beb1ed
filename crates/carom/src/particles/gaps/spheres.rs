//! Spheres beside each other: `|x_j − x_i| − r_i − r_j`.
//!
//! Cost: one square root per row. Spheres with the same centre have no gradient and give NaN.

use super::bend::Arc;
use super::surface::Surface;
use crate::particles::geometry::{Blocks, Jet, difference, frame, product, radial_block};
use crate::particles::names::Names;
use crate::particles::pool::Rows;
use crate::system::Parabola;

#[derive(Debug, Clone, Copy)]
struct Contact {
    pair: (usize, usize),
    /// Sum of the radii.
    apart: f64,
    surface: Surface,
}

/// A pool of pairs of spheres.
#[derive(Debug, Clone, Default)]
pub struct Spheres {
    contacts: Vec<Contact>,
}

impl Spheres {
    pub fn push(&mut self, pair: (usize, usize), apart: f64, surface: Surface) {
        self.contacts.push(Contact { pair, apart, surface });
    }

    pub fn restitution(&self, row: usize) -> f64 {
        self.contacts[row].surface.restitution
    }

    pub fn friction(&self, row: usize) -> f64 {
        self.contacts[row].surface.friction
    }

    pub fn tangents<const D: usize>(
        &self,
        x: &[[f64; D]],
        row: usize,
        mut put: impl FnMut(usize, usize, [f64; D]),
    ) {
        let (i, j) = self.contacts[row].pair;
        let d = difference(&x[i], &x[j]);
        let inverse = product(&d, &d).sqrt().recip();
        for (k, tangent) in frame(&d.map(|d| d * inverse)).into_iter().take(D - 1).enumerate() {
            put(k, i, tangent.map(|t| -t));
            put(k, j, tangent);
        }
    }

    pub fn bend<const D: usize>(&self, arc: &Parabola, row: usize) -> [f64; 2] {
        Arc::<D>::between(arc, self.contacts[row].pair).length_bend()
    }
}

impl Rows for Spheres {
    fn len(&self) -> usize {
        self.contacts.len()
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, Contact { pair: (i, j), apart, .. }) in out.iter_mut().zip(&self.contacts) {
            let d = difference(&x[*i], &x[*j]);
            *out = product(&d, &d).sqrt() - apart;
        }
    }

    fn length(&self, row: usize) -> f64 {
        self.contacts[row].apart
    }

    fn gradient<const D: usize>(&self, x: &[[f64; D]], row: usize, mut put: impl FnMut(usize, [f64; D])) {
        let (i, j) = self.contacts[row].pair;
        let d = difference(&x[i], &x[j]);
        let inverse = product(&d, &d).sqrt().recip();
        put(i, d.map(|d| -(d * inverse)));
        put(j, d.map(|d| d * inverse));
    }

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], lambda: &[f64], out: &mut Blocks<D>) {
        for (Contact { pair: (i, j), .. }, &lambda) in self.contacts.iter().zip(lambda) {
            let d = difference(&x[*i], &x[*j]);
            out.add_pair(*i, *j, &radial_block(&d, Jet::distance(product(&d, &d)), lambda));
        }
    }

    fn name(&self, index: usize, of: &Names) -> String {
        let (i, j) = self.contacts[index].pair;
        format!("spheres {}-{}", of.particle(i), of.particle(j))
    }
}
