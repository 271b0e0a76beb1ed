//! Pairs of spheres that meet, from cells of space: a grid per size of spheres.
//!
//! Spheres are sorted into levels by their radii; the cells of a level are as wide as its largest sphere. A sphere looks
//! for partners in its own level and in those of larger spheres, there in 2 to 3 cells along each axis; so a large sphere
//! among small ones costs them one look each. Cells are found by a hash: space has no bounds. Cells next to each other
//! along the first axis are next to each other in memory too.
//!
//! No pair is lost to round-off: places of cells are monotone functions of coordinates. Cells that share a bucket are
//! not told apart, which costs distances and no result. Cost: O(N) at bounded density, times the occupied levels.

use super::rows::Rows;
use super::square;

/// Sizes of spheres in one level differ by up to 2^EXPONENTS.
const EXPONENTS: u32 = 2;

/// Levels that there can be: one for every EXPONENTS binary exponents.
const LEVELS: usize = 2048 >> EXPONENTS.ilog2();

/// A sphere far from the origin counts as this part of its distance at least: cells along an axis are then fewer than
/// 2⁵⁰ and their numbers have no round-off to speak of.
const FAR: f64 = 1.0 / (1_u64 << 49) as f64;

/// Fewest buckets: more than the cells in which a sphere looks along an axis.
const FEWEST: usize = 8;

/// Room for round-off in sums of radii and in the test of a distance.
const WIDER: f64 = 1.0 + 1e-9;

/// Spheres of similar size.
#[derive(Debug, Clone, Copy)]
struct Level {
    bin: u32,
    /// The largest radius that counts here.
    radius: f64,
}

/// Spheres sorted by the cell that they are in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells {
    levels: Vec<Level>,
    /// The largest radius per level, occupied or not.
    radii_of_bins: Vec<f64>,
    /// Where the spheres of a bucket begin in `order`; the number of buckets is a power of two.
    starts: Vec<u32>,
    /// Spheres by bucket, their centres and radii in that order.
    order: Vec<u32>,
    centres: Vec<f64>,
    radii: Vec<f64>,
    /// The bucket of each sphere.
    buckets: Vec<u32>,
}

impl Cells {
    /// Fills `rows` with the pairs of spheres that meet. A sphere with a negative radius meets none; the others have
    /// radii above 0 and are finite. Gives the number of distances looked at, or nothing if they were more than `most`.
    pub(crate) fn pairs<const D: usize>(
        &mut self,
        centres: &[[f64; D]],
        radii: &[f64],
        most: usize,
        rows: &mut Rows,
    ) -> Option<usize> {
        self.sort(centres, radii);
        rows.clear();
        let mut looked = 0;
        for place in 0..self.order.len() {
            looked += self.look::<D>(place, rows);
            if looked > most {
                return None;
            }
        }
        rows.sort(radii.len());
        Some(looked)
    }

    /// Levels first, then spheres by their buckets.
    fn sort<const D: usize>(&mut self, centres: &[[f64; D]], radii: &[f64]) {
        self.radii_of_bins.clear();
        self.radii_of_bins.resize(LEVELS, 0.0);
        let mut count = 0_usize;
        for (centre, &radius) in centres.iter().zip(radii).filter(|(_, radius)| **radius >= 0.0) {
            let size = size(centre, radius);
            let most = &mut self.radii_of_bins[bin(size) as usize];
            *most = most.max(size);
            count += 1;
        }
        self.levels.clear();
        let occupied = self.radii_of_bins.iter().enumerate().filter(|(_, radius)| **radius > 0.0);
        self.levels.extend(occupied.map(|(bin, &radius)| Level { bin: bin as u32, radius }));

        let mask = (2 * count).next_power_of_two().max(FEWEST) - 1;
        self.starts.clear();
        self.starts.resize(mask + 2, 0);
        self.buckets.clear();
        for (centre, &radius) in centres.iter().zip(radii) {
            let bucket = if radius >= 0.0 {
                let bin = bin(size(centre, radius));
                let bucket = bucket(bin, &cell(centre, self.radii_of_bins[bin as usize]), mask);
                self.starts[bucket] += 1;
                bucket
            } else {
                0
            };
            self.buckets.push(bucket as u32);
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.order.resize(count, 0);
        self.radii.resize(count, 0.0);
        self.centres.resize(D * count, 0.0);
        // From the back: every start comes down to the first of its bucket.
        let sorted = self.centres.as_chunks_mut::<D>().0;
        for (number, &radius) in radii.iter().enumerate().rev().filter(|(_, radius)| **radius >= 0.0) {
            let start = &mut self.starts[self.buckets[number] as usize];
            *start -= 1;
            let place = *start as usize;
            self.order[place] = number as u32;
            self.radii[place] = radius;
            sorted[place] = centres[number];
        }
    }

    /// Partners of the sphere at that place of the order; those of its own level only in cells from its own on.
    #[inline]
    fn look<const D: usize>(&self, place: usize, rows: &mut Rows) -> usize {
        let (centre, radius) = (&self.centres.as_chunks::<D>().0[place], self.radii[place]);
        let own = bin(size(centre, radius));
        let first = self.levels.partition_point(|level| level.bin < own);
        let mask = self.starts.len() - 2;
        let mut looked = 0;
        for level in &self.levels[first..] {
            let reach = (radius + level.radius) * WIDER;
            let low = cell(&centre.map(|x| x - reach), level.radius);
            let high = cell(&centre.map(|x| x + reach), level.radius);
            let here = if level.bin == own { Some(cell(centre, level.radius)) } else { None };
            let mut at = low;
            loop {
                // A row of cells along the first axis.
                let mut from = 0;
                at[0] = low[0];
                let later = here.is_none_or(|here| at[1..].iter().rev().ge(here[1..].iter().rev()));
                if let Some(here) = here.filter(|here| at[1..] == here[1..]) {
                    at[0] = here[0];
                    from = place + 1;
                }
                if later {
                    let begin = bucket(level.bin, &at, mask);
                    let end = begin + (high[0] - at[0]) as usize + 1;
                    // The buckets are a ring.
                    looked += self.meet::<D>(place, [begin, end.min(mask + 1)], from, rows);
                    if end > mask + 1 {
                        let end = (end - (mask + 1)).min(begin);
                        looked += self.meet::<D>(place, [0, end], 0, rows);
                    }
                }
                if !next_row(&mut at, &low, &high) {
                    break;
                }
            }
        }
        looked
    }

    /// Adds the pairs of the sphere at `place` with those of some buckets, from a place of the order on.
    #[inline]
    fn meet<const D: usize>(&self, place: usize, buckets: [usize; 2], from: usize, rows: &mut Rows) -> usize {
        let [begin, end] = buckets.map(|bucket| self.starts[bucket] as usize);
        let begin = begin.max(from);
        if begin >= end {
            return 0;
        }
        let centres = self.centres.as_chunks::<D>().0;
        let (own, radius, number) = (&centres[place], self.radii[place], self.order[place]);
        let others = self.order[begin..end].iter().zip(&centres[begin..end]).zip(&self.radii[begin..end]);
        rows.add(
            end - begin,
            others.map(|((&other, centre), &r)| {
                (
                    [number.min(other), number.max(other)],
                    (square(own, centre) <= (radius + r) * (radius + r)) & (other != number),
                )
            }),
        );
        end - begin
    }
}

/// The radius that a sphere counts with.
#[inline]
fn size<const D: usize>(centre: &[f64; D], radius: f64) -> f64 {
    centre.iter().fold(radius, |size, x| size.max(FAR * x.abs()))
}

/// The level of a size above 0: the upper bits of its exponent.
#[inline]
fn bin(size: f64) -> u32 {
    (size.to_bits() >> (52 + EXPONENTS.ilog2())) as u32
}

/// The cell of a point in a level with that largest radius.
#[inline]
fn cell<const D: usize>(point: &[f64; D], radius: f64) -> [i64; D] {
    let width = 2.0 * WIDER * radius;
    point.map(|x| (x / width).floor() as i64)
}

/// The next row of cells, if there is one.
#[inline]
fn next_row<const D: usize>(at: &mut [i64; D], low: &[i64; D], high: &[i64; D]) -> bool {
    for k in 1..D {
        if at[k] < high[k] {
            at[k] += 1;
            return true;
        }
        at[k] = low[k];
    }
    false
}

/// The bucket of a cell: the row at a place that looks random, its cells one after the other.
#[inline]
fn bucket<const D: usize>(bin: u32, cell: &[i64; D], mask: usize) -> usize {
    const ODD: [u64; 3] = [0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9];
    let mixed = (1..D).fold(u64::from(bin).wrapping_mul(ODD[0]), |sum, k| {
        sum.wrapping_add((cell[k] as u64).wrapping_mul(ODD[k % ODD.len()]))
    });
    let row = (mixed ^ (mixed >> 32)).wrapping_mul(ODD[0]) >> 32;
    row.wrapping_add(cell[0] as u64) as usize & mask
}
