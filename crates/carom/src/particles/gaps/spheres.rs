//! Spheres beside each other: `|x_j − x_i| − r_i − r_j`.
//!
//! Cost: one square root per row. Spheres with the same centre have no gradient and give NaN.

use super::bend::Arc;
use super::passage::Way;
use super::surface::Surface;
use crate::particles::geometry::{Blocks, Jet, difference, frame, product, radial_block};
use crate::particles::names::Names;
use crate::particles::pool::Rows;
use crate::system::{Parabola, Passage, Softness};

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
    /// By row, as far as it was said.
    softness: Vec<Softness>,
    /// The least sum of radii.
    least: Option<f64>,
}

impl Spheres {
    pub fn push(&mut self, pair: (usize, usize), apart: f64, surface: Surface) {
        self.contacts.push(Contact { pair, apart, surface });
        self.least = Some(self.least.map_or(apart, |least| least.min(apart)));
    }

    pub fn least(&self) -> Option<f64> {
        self.least
    }

    pub fn restitution(&self, row: usize) -> f64 {
        self.contacts[row].surface.restitution
    }

    pub fn friction(&self, row: usize) -> f64 {
        self.contacts[row].surface.friction
    }

    /// How soft a row is; pools of rigid contacts have no room for it.
    pub fn softness(&self, row: usize) -> Softness {
        self.softness.get(row).copied().unwrap_or_default()
    }

    pub fn set_softness(&mut self, row: usize, softness: Softness) {
        self.softness.resize(self.contacts.len(), Softness::default());
        self.softness[row] = softness;
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

    pub fn value<const D: usize>(&self, x: &[[f64; D]], row: usize) -> f64 {
        self.contacts[row].value(x)
    }

    pub fn bend<const D: usize>(&self, arc: &Parabola, row: usize) -> [f64; 2] {
        Arc::<D>::between(arc, self.contacts[row].pair).length_bend()
    }

    pub fn fastest<const D: usize>(&self, arc: &Parabola, row: usize) -> f64 {
        Arc::<D>::between(arc, self.contacts[row].pair).fastest()
    }

    /// Pairs that run through each other.
    pub fn passages<const D: usize>(&self, way: &Way<D>, gap: &[f64], found: &mut dyn FnMut(Passage)) {
        // What two can travel towards each other.
        let reach = 2.0 * way.longest;
        if self.least.is_none_or(|least| 2.0 * least >= reach) {
            return;
        }
        for (contact, (Contact { pair: (i, j), apart, .. }, &gap)) in self.contacts.iter().zip(gap).enumerate() {
            if gap > 0.0
                && gap < reach
                && let Some(travel) = way.of(*j).seen_from(&way.of(*i)).through(*apart)
            {
                found(Passage { contact, travel, depth: 2.0 * apart });
            }
        }
    }
}

impl Contact {
    #[inline(always)]
    fn value<const D: usize>(&self, x: &[[f64; D]]) -> f64 {
        let d = difference(&x[self.pair.0], &x[self.pair.1]);
        product(&d, &d).sqrt() - self.apart
    }
}

impl Rows for Spheres {
    fn len(&self) -> usize {
        self.contacts.len()
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, contact) in out.iter_mut().zip(&self.contacts) {
            *out = contact.value(x);
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
