//! Spheres in front of a plane wall: `n·x − d − r` with a unit normal. Linear: the Hessian is zero.

use crate::particles::geometry::{Blocks, product, truncated};
use crate::particles::names::Names;
use crate::particles::pool::Rows;

/// A half-space `normal · x ≥ offset` that spheres stay in. Any length of the normal gives the same half-space.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Points into the half-space.
    pub normal: Vec<f64>,
    /// Value of `normal · x` on the wall.
    pub offset: f64,
}

#[derive(Debug, Clone, Copy)]
struct Contact {
    particle: usize,
    /// A unit vector.
    normal: [f64; 3],
    /// Distance of the wall from the origin plus the radius.
    level: f64,
    wall: usize,
}

/// A pool of spheres in front of walls.
#[derive(Debug, Clone, Default)]
pub struct Walls {
    walls: usize,
    contacts: Vec<Contact>,
}

impl Walls {
    /// Adds a wall for spheres given by particle and radius. The normal must not be zero.
    pub fn push(&mut self, normal: [f64; 3], offset: f64, spheres: impl Iterator<Item = (usize, f64)>) {
        let inverse = product(&normal, &normal).sqrt().recip();
        let (normal, wall) = (normal.map(|n| n * inverse), self.walls);
        self.walls += 1;
        let contact = |(particle, radius)| Contact { particle, normal, level: offset * inverse + radius, wall };
        self.contacts.extend(spheres.map(contact));
    }
}

impl Rows for Walls {
    fn len(&self) -> usize {
        self.contacts.len()
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, contact) in out.iter_mut().zip(&self.contacts) {
            *out = product(&truncated(&contact.normal), &x[contact.particle]) - contact.level;
        }
    }

    fn gradients<const D: usize>(&self, _x: &[[f64; D]], mut put: impl FnMut(usize, usize, [f64; D])) {
        for (row, contact) in self.contacts.iter().enumerate() {
            put(row, contact.particle, truncated(&contact.normal));
        }
    }

    fn add_hessian<const D: usize>(&self, _x: &[[f64; D]], _lambda: &[f64], _out: &mut Blocks<D>) {}

    fn name(&self, index: usize, of: &Names) -> String {
        let Contact { particle, wall, .. } = self.contacts[index];
        format!("sphere {} at wall {wall}", of.particle(particle))
    }
}
