//! Spheres in front of a plane wall: `n·x − d − r` with a unit normal. Linear: the Hessian is zero.

use std::ops::Range;

use super::bend::Arc;
use super::surface::Surface;
use crate::particles::geometry::{Blocks, frame, product, truncated};
use crate::particles::names::Names;
use crate::particles::pool::Rows;
use crate::system::{Material, Parabola, Softness};

/// A half-space `normal · x ≥ offset` that spheres stay in. Any length of the normal gives the same half-space.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Points into the half-space.
    pub normal: Vec<f64>,
    /// Value of `normal · x` on the wall.
    pub offset: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
}

impl Wall {
    /// Its coefficients.
    pub(in crate::particles) fn surface(&self) -> Surface {
        Surface { restitution: self.restitution, friction: self.friction }
    }
}

#[derive(Debug, Clone, Copy)]
struct Contact {
    particle: usize,
    /// A unit vector.
    normal: [f64; 3],
    /// Distance of the wall from the origin plus the radius.
    level: f64,
    wall: usize,
    surface: Surface,
}

/// A pool of spheres in front of walls.
#[derive(Debug, Clone, Default)]
pub struct Walls {
    walls: usize,
    contacts: Vec<Contact>,
    /// By row, as far as it was said.
    softness: Vec<Softness>,
}

impl Walls {
    /// Adds a wall for spheres given by particle and radius. The normal must not be zero.
    pub fn push(&mut self, of: &Wall, normal: [f64; 3], spheres: impl Iterator<Item = (usize, f64)>) {
        let inverse = product(&normal, &normal).sqrt().recip();
        let (normal, wall, surface) = (normal.map(|n| n * inverse), self.walls, of.surface());
        self.walls += 1;
        self.contacts.extend(spheres.map(|(particle, radius)| {
            let level = of.offset * inverse + radius;
            Contact { particle, normal, level, wall, surface }
        }));
    }

    /// What a row is made of; pools of rigid contacts have no room for softness.
    pub fn material(&self, row: usize) -> Material {
        let Surface { restitution, friction } = self.contacts[row].surface;
        Material { restitution, friction, softness: self.softness.get(row).copied().unwrap_or_default() }
    }

    pub fn set_softness(&mut self, rows: Range<usize>, softness: Softness) {
        if !rows.is_empty() {
            self.softness.resize(self.contacts.len(), Softness::default());
            self.softness[rows].fill(softness);
        }
    }

    pub fn tangents<const D: usize>(&self, row: usize, mut put: impl FnMut(usize, usize, [f64; D])) {
        let contact = &self.contacts[row];
        let tangents = frame::<D>(&truncated(&contact.normal));
        tangents.into_iter().take(D - 1).enumerate().for_each(|(k, tangent)| put(k, contact.particle, tangent));
    }

    pub fn value<const D: usize>(&self, x: &[[f64; D]], row: usize) -> f64 {
        self.contacts[row].value(x)
    }

    pub fn bend<const D: usize>(&self, arc: &Parabola, row: usize) -> [f64; 2] {
        let contact = &self.contacts[row];
        [product(&truncated::<D>(&contact.normal), &Arc::of(arc, contact.particle).a); 2]
    }

    pub fn fastest<const D: usize>(&self, arc: &Parabola, row: usize) -> f64 {
        let contact = &self.contacts[row];
        let (arc, normal) = (Arc::of(arc, contact.particle), truncated::<D>(&contact.normal));
        let [first, last] = arc.speeds().map(|v| product(&normal, &v).abs());
        first.max(last)
    }
}

impl Contact {
    #[inline(always)]
    fn value<const D: usize>(&self, x: &[[f64; D]]) -> f64 {
        product(&truncated(&self.normal), &x[self.particle]) - self.level
    }
}

impl Rows for Walls {
    fn len(&self) -> usize {
        self.contacts.len()
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, contact) in out.iter_mut().zip(&self.contacts) {
            *out = contact.value(x);
        }
    }

    fn length(&self, row: usize) -> f64 {
        self.contacts[row].level
    }

    fn gradient<const D: usize>(&self, _x: &[[f64; D]], row: usize, mut put: impl FnMut(usize, [f64; D])) {
        let contact = &self.contacts[row];
        put(contact.particle, truncated(&contact.normal));
    }

    fn add_hessian<const D: usize>(&self, _x: &[[f64; D]], _row: usize, _lambda: f64, _out: &mut Blocks<D>) {}

    fn name(&self, index: usize, of: &Names) -> String {
        let Contact { particle, wall, .. } = self.contacts[index];
        format!("sphere {} at wall {wall}", of.particle(particle))
    }
}
