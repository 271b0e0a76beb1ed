//! Which particles are near each other: a list with a skin, made from cells [verlet-1967; Quentrec & Brot 1973].
//!
//! The list holds, for every particle, its later partners in ascending order within the cut-off and the skin. It lasts
//! until a particle has moved half the skin; then no pair within the cut-off is missing, so that results do not depend
//! on when it was made. Cells are found by a hash of their place: space has no bounds, and a particle that flies away
//! costs nothing. Cost: O(N) at bounded density; memory grows when it must and is kept.
//!
//! Limits: coordinates up to 1e12 cut-offs, at most 2³² particles.

use super::geometry::{difference, product};
use super::input::Excluded;
use super::shares::Share;
use crate::team::Team;

/// How much wider than the reach of the list a cell is: round-off in the cell of a far particle stays below it.
const WIDER: f64 = 1.001;

/// Whose neighbours they are.
#[derive(Clone, Copy)]
pub struct Of<'a> {
    pub members: &'a [u32],
    pub excluded: &'a Excluded,
}

/// When lists were made, and what they are made with. The lists themselves stand in the shares.
#[derive(Debug, Clone)]
pub struct Neighbours {
    reach: f64,
    skin: f64,
    /// Coordinates at which the list was made, per member.
    places: Vec<f64>,
    made: bool,
    cells: Cells,
}

impl Neighbours {
    /// For pairs nearer than `radius`.
    pub fn new(radius: f64, skin: f64) -> Self {
        Self { reach: radius + skin, skin, places: Vec::new(), made: false, cells: Cells::default() }
    }

    /// Makes the lists of the shares anew if a particle has moved too far.
    #[inline]
    pub fn update<const D: usize>(&mut self, x: &[[f64; D]], of: Of, shares: &mut [Share], team: &Team) {
        if !self.made || self.moved(x, of.members) {
            self.make(x, of, shares, team);
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

    fn make<const D: usize>(&mut self, x: &[[f64; D]], of: Of, shares: &mut [Share], team: &Team) {
        self.made = true;
        self.places.clear();
        self.places.extend(of.members.iter().flat_map(|&i| x[i as usize]));
        let places = self.places.as_chunks::<D>().0;
        self.cells.sort(places, WIDER * self.reach);
        team.each(shares, |share| self.list(places, of, share));
    }

    /// Lists the partners of the rows of a share.
    fn list<const D: usize>(&self, places: &[[f64; D]], of: Of, share: &mut Share) {
        let Share { rows, starts, partners, near, window, .. } = share;
        starts.clear();
        partners.clear();
        starts.push(0);
        let mut end = 0;
        for place in rows.clone() {
            let i = of.members[place] as usize;
            self.cells.later_near(place, &places[place], self.reach, near);
            near.sort_unstable();
            near.dedup();
            let excluded = of.excluded.of(i);
            let later = near.iter().map(|&other| of.members[other as usize]);
            partners.extend(later.filter(|j| excluded.binary_search(j).is_err()));
            starts.push(partners.len());
            end = end.max(i + 1).max(partners.last().map_or(0, |&j| j as usize + 1));
        }
        let first = of.members.get(rows.start).map_or(0, |&i| i as usize);
        *window = first..end.max(first);
    }
}

/// Points sorted by the cell that they are in; cells that share a bucket are not told apart.
#[derive(Debug, Clone, Default)]
struct Cells {
    width: f64,
    /// Where the points of a bucket begin in `order`; the number of buckets is a power of two.
    starts: Vec<u32>,
    /// Points by bucket.
    order: Vec<u32>,
    /// Their coordinates, in that order.
    sorted: Vec<f64>,
}

impl Cells {
    fn sort<const D: usize>(&mut self, points: &[[f64; D]], width: f64) {
        let buckets = (2 * points.len()).next_power_of_two();
        let of = |point: &[f64; D]| bucket(&cell(point, width), buckets);
        self.width = width;
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        self.order.resize(points.len(), 0);
        self.sorted.resize(D * points.len(), 0.0);
        for point in points {
            self.starts[of(point)] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        // From the back: every start comes down to the first of its bucket.
        let sorted = self.sorted.as_chunks_mut::<D>().0;
        for (number, point) in points.iter().enumerate().rev() {
            let start = &mut self.starts[of(point)];
            *start -= 1;
            self.order[*start as usize] = number as u32;
            sorted[*start as usize] = *point;
        }
    }

    /// Fills `out` with the points after `number` that are within `reach` of it; some may stand there twice.
    #[inline]
    fn later_near<const D: usize>(&self, number: usize, point: &[f64; D], reach: f64, out: &mut Vec<u32>) {
        let (own, buckets, sorted) =
            (cell(point, self.width), self.starts.len() - 1, self.sorted.as_chunks::<D>().0);
        let mut count = 0;
        for neighbour in 0..3_i64.pow(D as u32) {
            // The digits of the number to the base 3 are the steps along the axes.
            let step = [neighbour % 3 - 1, neighbour / 3 % 3 - 1, neighbour / 9 - 1];
            let bucket = bucket::<D>(&std::array::from_fn(|k| own[k].wrapping_add(step[k])), buckets);
            let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            if out.len() < count + range.len() {
                out.resize(count + range.len(), 0);
            }
            // Every candidate is written and most are written over: no branch that cannot be foreseen.
            for (&other, place) in self.order[range.clone()].iter().zip(&sorted[range]) {
                let d = difference(point, place);
                out[count] = other;
                count += usize::from((product(&d, &d) <= reach * reach) & (other as usize > number));
            }
        }
        out.truncate(count);
    }
}

/// The cell of a point.
#[inline]
fn cell<const D: usize>(point: &[f64; D], width: f64) -> [i64; D] {
    point.map(|x| (x / width).floor() as i64)
}

/// The bucket of a cell: odd multipliers spread neighbouring cells, the upper bits are the best mixed.
#[inline]
fn bucket<const D: usize>(cell: &[i64; D], buckets: usize) -> usize {
    const ODD: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9];
    let mixed = (0..D).fold(0_u64, |sum, k| sum.wrapping_add((cell[k] as u64).wrapping_mul(ODD[k])));
    ((mixed ^ (mixed >> 32)).wrapping_mul(ODD[0]) >> 32) as usize & (buckets - 1)
}
