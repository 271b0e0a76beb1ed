//! Which particles are near each other: a list with a skin, made from cells [verlet-1967; Quentrec & Brot 1973].
//!
//! The list holds, for every particle, its later partners in ascending order within the cut-off and the skin. It lasts
//! until a particle has moved half the skin; then no pair within the cut-off is missing, so that results do not depend
//! on when it was made. Cells are those of the broad phase: space has no bounds, and a particle that flies away costs
//! nothing. Cost: O(N) at bounded density; memory grows when it must and is kept.
//!
//! Limits: coordinates up to 1e12 cut-offs, at most 2³² particles.

use super::geometry::{difference, product};
use super::input::Excluded;
use crate::broad::Pairs;

/// The list, and what it is made with.
#[derive(Debug, Clone)]
pub struct Neighbours {
    reach: f64,
    skin: f64,
    /// Coordinates at which the list was made, per member.
    places: Vec<f64>,
    /// Where the partners of each member begin; empty before the list is made.
    starts: Vec<usize>,
    partners: Vec<u32>,
    /// Pairs of places within the reach.
    pairs: Pairs,
}

impl Neighbours {
    /// For pairs nearer than `radius`.
    pub fn new(radius: f64, skin: f64) -> Self {
        let (places, starts, partners) = (Vec::new(), Vec::new(), Vec::new());
        Self { reach: radius + skin, skin, places, starts, partners, pairs: Pairs::default() }
    }

    /// Later partners of the member at that place of the list of members.
    #[inline]
    pub fn of(&self, place: usize) -> &[u32] {
        &self.partners[self.starts[place]..self.starts[place + 1]]
    }

    /// Makes the list anew if a particle has moved too far.
    #[inline]
    pub fn update<const D: usize>(&mut self, x: &[[f64; D]], members: &[u32], excluded: &Excluded) {
        if self.starts.is_empty() || self.moved(x, members) {
            self.make(x, members, excluded);
        }
    }

    fn moved<const D: usize>(&self, x: &[[f64; D]], members: &[u32]) -> bool {
        // A little less than half the skin, for round-off; a comparison with NaN counts as moved.
        let most = (0.499 * self.skin) * (0.499 * self.skin);
        let places = self.places.as_chunks::<D>().0;
        let near = |(&i, place): (&u32, &[f64; D])| {
            let d = difference(place, &x[i as usize]);
            product(&d, &d) <= most
        };
        !members.iter().zip(places).all(near)
    }

    fn make<const D: usize>(&mut self, x: &[[f64; D]], members: &[u32], excluded: &Excluded) {
        self.places.clear();
        self.places.extend(members.iter().flat_map(|&i| x[i as usize]));
        // Spheres of half the reach meet where centres are within it.
        let mut pairs = self.pairs.within(self.places.as_chunks::<D>().0, 0.5 * self.reach);
        self.starts.clear();
        self.partners.clear();
        self.starts.push(0);
        for (place, &i) in members.iter().enumerate() {
            let count = pairs.iter().take_while(|pair| pair[0] as usize == place).count();
            let (own, rest) = pairs.split_at(count);
            let excluded = excluded.of(i as usize);
            let partners = own.iter().map(|pair| members[pair[1] as usize]);
            self.partners.extend(partners.filter(|j| excluded.binary_search(j).is_err()));
            self.starts.push(self.partners.len());
            pairs = rest;
        }
    }
}
