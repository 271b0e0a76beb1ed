//! Which gaps are near: pairs of spheres by the broad phase, spheres at walls and balls one by one.
//!
//! What is found on a way is a function of the way and the margin alone. Cost: that of the broad phase, and two gaps for every sphere at every wall.

use super::{Gaps, Rows as _};
use crate::broad::Broad;
use crate::particles::geometry::{difference, product};
use crate::system::{ContactId, ContactSet};

/// What a search needs, kept from one to the next.
#[derive(Debug, Clone, Default)]
pub struct Room {
    broad: Broad,
    centres: Vec<f64>,
    radii: Vec<f64>,
}

impl Gaps {
    /// Puts everything into the set whose gap may come down to `margin` on the straight ways of the particles.
    pub fn detect<const D: usize>(&self, [from, to]: [&[[f64; D]]; 2], margin: f64, set: &mut ContactSet) {
        // Listed pairs are few.
        (0..self.spheres.listed()).for_each(|row| set.push(ContactId::of(row)));
        let mut room = std::mem::take(set.room());
        for group in self.spheres.groups() {
            // The middle of a way, and half of it beside the radius; members that are left out meet nothing.
            room.centres.clear();
            room.radii.clear();
            room.radii.resize(from.len(), -1.0);
            let middle = |(a, b): (&[f64; D], &[f64; D])| std::array::from_fn::<f64, D, _>(|k| 0.5 * (a[k] + b[k]));
            room.centres.extend(from.iter().zip(to).flat_map(middle));
            for (&member, radius) in group.members.iter().zip(&group.radii) {
                let way = difference(&from[member as usize], &to[member as usize]);
                room.radii[member as usize] = radius + 0.5 * (product(&way, &way).sqrt() + margin);
            }
            let pairs = room.broad.pairs(room.centres.as_chunks::<D>().0, &room.radii);
            pairs.iter().filter_map(|&pair| group.row(pair)).for_each(|row| set.push(ContactId::of(row)));
        }
        *set.room() = room;
        let (walls, balls) = (self.spheres.len(), self.spheres.len() + self.walls.len());
        for row in 0..self.walls.len() {
            if self.walls.value(from, row).min(self.walls.value(to, row)) <= margin {
                set.push(ContactId::of(walls + row));
            }
        }
        for row in 0..self.balls.len() {
            if self.balls.least([from, to], row) <= margin {
                set.push(ContactId::of(balls + row));
            }
        }
    }
}
