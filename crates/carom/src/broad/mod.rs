//! Broad phase: which of many spheres meet, in 1, 2 or 3 dimensions.
//!
//! The answer is a function of centres and radii alone: `|c_i − c_j| ≤ r_i + r_j` in the arithmetic of `f64`. What is
//! kept from one question to the next only saves work: a list of the pairs of enlarged spheres (a list with a skin
//! [verlet-1967]). It holds while every sphere lies inside its enlarged one; then no pair is missing. How
//! much to enlarge is the business of `skin.rs`, cells of `cells.rs`.
//!
//! Cost: O(N) at bounded density, for spheres of very different sizes too. Memory: up to 150 bytes an item and 24 a
//! pair of the list; it grows when it must and is kept.
//!
//! Limits: fewer than 2³² items; cells tell apart what is smaller than 1e-14 of its distance from the origin only
//! roughly, which costs time and no result. An item meets nothing if its radius is negative, or if its radius or a
//! coordinate is not finite or beyond 1e150.

mod cells;
mod rows;
mod skin;

use cells::Cells;
use rows::Rows;
use skin::Skin;

/// Coordinates and radii beyond it count as not finite: their squares would not be.
const FARTHEST: f64 = 1e150;

/// A sphere lies inside its enlarged one if it does in one smaller by this factor: room for round-off in distances.
const INSIDE: f64 = 1.0 - 1e-12;

/// Least enlargement, as a part of the radius, and least enlarged radius: above round-off.
const LEAST_PART: f64 = 1e-9;
const LEAST: f64 = 1e-130;

/// The radius of an enlarged sphere that meets nothing.
const NOWHERE: f64 = -1.0;

/// Which of many items may be near each other. It owns lists and cells, and allocates nothing once these have grown.
#[derive(Debug, Clone, Default)]
pub struct Broad {
    dimension: usize,
    /// Places and radii when the list was made, and the radii of the enlarged spheres.
    places: Vec<f64>,
    radii: Vec<f64>,
    enlarged: Vec<f64>,
    /// Pairs of enlarged spheres that meet.
    list: Rows,
    cells: Cells,
    skin: Skin,
    /// The answer at its beginning; as long as the list.
    answer: Vec<[u32; 2]>,
}

impl Broad {
    /// All pairs `[i, j]`, `i < j`, ascending, of items whose spheres meet. Items beyond the shorter slice do not count.
    pub fn pairs<const D: usize>(&mut self, centres: &[[f64; D]], radii: &[f64]) -> &[[u32; 2]] {
        let size = centres.len().min(radii.len());
        let (centres, radii) = (&centres[..size], &radii[..size]);
        if !self.holds(centres, radii) {
            self.make(centres, radii);
        }
        let met = self.select(centres, radii);
        self.skin.answered(self.list.pairs().len(), met);
        &self.answer[..met]
    }

    /// Whether no pair can be missing in the list.
    fn holds<const D: usize>(&self, centres: &[[f64; D]], radii: &[f64]) -> bool {
        let kept = self.places.as_chunks::<D>().0.iter().zip(&self.enlarged);
        self.dimension == D
            && self.enlarged.len() == radii.len()
            && centres.iter().zip(radii).zip(kept).all(|((centre, &radius), (place, &enlarged))| {
                let room = enlarged * INSIDE - radius;
                // A comparison with NaN counts as not inside.
                let inside = (room >= 0.0) & (square(centre, place) <= room * room);
                taken(centre, radius) == (enlarged >= 0.0) && (inside || enlarged < 0.0)
            })
    }

    fn make<const D: usize>(&mut self, centres: &[[f64; D]], radii: &[f64]) {
        let places = self.places.as_chunks::<D>().0;
        if self.dimension == D && self.enlarged.len() == radii.len() {
            let moves = centres.iter().zip(places).zip(radii.iter().zip(&self.radii));
            self.skin.measure(
                moves.map(|((centre, place), (radius, kept))| {
                    square(centre, place).sqrt() + (radius - kept).max(0.0)
                }),
            );
        } else {
            self.skin.forget();
        }
        self.dimension = D;
        self.places.clear();
        self.places.extend(centres.iter().flatten());
        self.radii.clear();
        self.radii.extend(radii);
        if let Some(most) = self.skin.budget(radii.len()) {
            self.enlarge(centres, |skin, i| skin.of(i));
            let looked = self.cells.pairs(centres, &self.enlarged, most, &mut self.list);
            if let Some(looked) = looked {
                self.skin.made(looked, true);
                return;
            }
            self.skin.refuse();
        }
        self.enlarge(centres, |_, _| 0.0);
        let looked = self.cells.pairs(centres, &self.enlarged, usize::MAX, &mut self.list);
        self.skin.made(looked.unwrap_or(0), false);
    }

    /// Chooses the radii of the enlarged spheres.
    fn enlarge<const D: usize>(&mut self, centres: &[[f64; D]], skin: impl Fn(&Skin, usize) -> f64) {
        self.enlarged.clear();
        self.enlarged.extend(centres.iter().zip(&self.radii).enumerate().map(|(i, (centre, &radius))| {
            let wider = (radius * (1.0 + LEAST_PART) + skin(&self.skin, i)).max(LEAST);
            if taken(centre, radius) { wider } else { NOWHERE }
        }));
    }

    /// Puts those of the list that meet into the answer and counts them.
    fn select<const D: usize>(&mut self, centres: &[[f64; D]], radii: &[f64]) -> usize {
        let list = self.list.pairs();
        if self.answer.len() < list.len() {
            self.answer.resize(list.len(), [0; 2]);
        }
        let mut count = 0;
        // Every candidate is written and most are written over: no branch that cannot be foreseen.
        for pair in list {
            let [i, j] = pair.map(|i| i as usize);
            let sum = radii[i] + radii[j];
            self.answer[count] = *pair;
            count += usize::from(square(&centres[i], &centres[j]) <= sum * sum);
        }
        count
    }
}

/// Whether an item can meet others.
#[inline]
fn taken<const D: usize>(centre: &[f64; D], radius: f64) -> bool {
    (0.0..=FARTHEST).contains(&radius) && centre.iter().all(|x| x.abs() <= FARTHEST)
}

/// The square of a distance.
#[inline(always)]
fn square<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let square = |k: usize| (b[k] - a[k]) * (b[k] - a[k]);
    (1..D).fold(square(0), |sum, k| sum + square(k))
}

#[cfg(test)]
mod tests;
