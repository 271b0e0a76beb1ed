//! Spheres beside each other: `|x_j − x_i| − r_i − r_j`.
//!
//! Cost: one square root per row. Spheres with the same centre have no gradient and give NaN.

use super::bend::Arc;
use super::passage::Way;
use super::surface::Surface;
use crate::particles::geometry::{Blocks, Jet, difference, frame, product, radial_block};
use crate::particles::names::Names;
use crate::particles::pool::Rows;
use crate::system::{ContactId, Material, Parabola, Passage, Softness};

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

    /// What a row is made of; pools of rigid contacts have no room for softness.
    pub fn material(&self, row: usize) -> Material {
        let Surface { restitution, friction } = self.contacts[row].surface;
        Material { restitution, friction, softness: self.softness.get(row).copied().unwrap_or_default() }
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

    /// Whether ways are so short that nothing runs through anything.
    pub fn are_deep<const D: usize>(&self, way: &Way<D>) -> bool {
        self.least.is_none_or(|least| 2.0 * least >= 2.0 * way.longest)
    }

    /// Whether a pair with this gap at the start runs through each other.
    pub fn passage<const D: usize>(&self, way: &Way<D>, row: usize, gap: f64) -> Option<Passage> {
        let Contact { pair: (i, j), apart, .. } = self.contacts[row];
        // What two can travel towards each other.
        let near = gap > 0.0 && gap < 2.0 * way.longest;
        let travel = near.then(|| way.of(j).seen_from(&way.of(i)).through(apart)).flatten()?;
        Some(Passage { contact: ContactId::of(row), travel, depth: 2.0 * apart })
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

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, lambda: f64, out: &mut Blocks<D>) {
        let (i, j) = self.contacts[row].pair;
        let d = difference(&x[i], &x[j]);
        out.add_pair(i, j, &radial_block(&d, Jet::distance(product(&d, &d)), lambda));
    }

    fn name(&self, index: usize, of: &Names) -> String {
        let (i, j) = self.contacts[index].pair;
        format!("spheres {}-{}", of.particle(i), of.particle(j))
    }
}
