//! Sums over pairs, cut into shares that threads work on at the same time.
//!
//! A share is a range of particles with their later partners, and a sum of its own; the sums are added in the order of the shares. What the
//! shares are depends on the number of particles alone: not on the threads, not on where the particles are and not on when a list was made.
//! So results have the same bits for every number of threads. Few particles are one share, whose sum is the result itself.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::geometry::{add, points, points_mut};
use crate::team::Team;

/// From this many particles on sums with a cut-off are cut: an evaluation then takes some 0.3 ms.
const LISTED: usize = 2048;
/// The same for sums over all pairs.
const ALL_PAIRS: usize = 512;
/// From this many particles on there are more shares.
const MANY: usize = 16_384;

/// How sums over particles are cut.
#[derive(Debug, Clone, Copy)]
pub enum Cut {
    /// Every particle has about as many partners.
    Even,
    /// All later particles are partners.
    AllPairs,
}

impl Cut {
    /// The ranges of that many rows.
    pub fn ranges(self, rows: usize) -> Vec<Range<usize>> {
        let least = match self {
            Self::Even => LISTED,
            Self::AllPairs => ALL_PAIRS,
        };
        let shares = match rows {
            _ if rows < least => 1,
            _ if rows < MANY => 16,
            _ => 32,
        };
        let begin = |share: usize| match self {
            Self::Even => share * rows / shares,
            Self::AllPairs => begin_of(share, shares, rows),
        };
        (0..shares).map(|share| begin(share)..begin(share + 1)).collect()
    }
}

/// The first row of a share of all pairs `i < j`: those before it have their part of the pairs. Behind the last share, the number of rows.
fn begin_of(share: usize, shares: usize, rows: usize) -> usize {
    if share == shares {
        return rows;
    }
    // Row i has rows − 1 − i pairs.
    let before = |row: usize| row as u64 * (2 * rows as u64 - row as u64 - 1) / 2;
    let all = rows as u64 * (rows as u64).saturating_sub(1) / 2;
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low.midpoint(high);
        match before(middle) * (shares as u64) < all * share as u64 {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// One range of rows with what it works on.
#[derive(Debug, Default)]
pub struct Share {
    /// Places in the list of members.
    pub rows: Range<usize>,
    /// Where the partners of each row begin, and the partners, if they are listed.
    pub starts: Vec<usize>,
    pub partners: Vec<u32>,
    /// Members near the one that is looked at.
    pub near: Vec<u32>,
    /// The particles that occur in it.
    pub window: Range<usize>,
    /// Its part of a gradient, for every particle; of use in the window alone.
    sum: Vec<f64>,
    value: f64,
}

impl Share {
    pub fn all(ranges: &[Range<usize>]) -> Vec<Self> {
        ranges.iter().map(|rows| Self { rows: rows.clone(), ..Self::default() }).collect()
    }

    /// Listed partners of a row.
    #[inline(always)]
    pub fn partners_of(&self, row: usize) -> &[u32] {
        let place = row - self.rows.start;
        &self.partners[self.starts[place]..self.starts[place + 1]]
    }
}

/// Adds the gradients of the shares to that of all, where `work` adds that of one.
pub fn add_gradients<const D: usize>(
    team: &Team,
    shares: &mut [Share],
    out: &mut [[f64; D]],
    work: impl Fn(&Share, &mut [[f64; D]]) + Sync,
) {
    let count = out.len();
    team.each(shares, |share| {
        let mut sum = std::mem::take(&mut share.sum);
        sum.resize(D * count, 0.0);
        let places = points_mut(&mut sum);
        places[share.window.clone()].fill([0.0; D]);
        work(share, places);
        share.sum = sum;
    });
    // A few pieces of the result, each in the order of the shares. What is added to is never −0, so that zeros change no bit.
    let shares = &*shares;
    team.pieces(out, PIECE, |first, piece| {
        for share in shares {
            let window = share.window.start.max(first)..share.window.end.min(first + piece.len());
            if !window.is_empty() {
                let sum = &points::<D>(&share.sum)[window.clone()];
                piece[window.start - first..].iter_mut().zip(sum).for_each(|(out, sum)| add(out, sum));
            }
        }
    });
}

/// How many particles of a result are added up at once.
const PIECE: usize = 2048;

/// The sum of the values of the shares.
pub fn sum_values(team: &Team, shares: &mut [Share], work: impl Fn(&Share) -> f64 + Sync) -> f64 {
    team.each(shares, |share| share.value = work(share));
    shares.iter().fold(0.0, |sum, share| sum + share.value)
}

/// What evaluations work on, kept from one to the next. Evaluations at the same time have one each.
#[derive(Debug)]
pub struct Shelf<T>(Mutex<Vec<T>>);

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> Shelf<T> {
    /// Works on what was put back last, or on something new.
    #[inline]
    pub fn with<R>(&self, new: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        // Nobody panics while it is locked.
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = kept().pop();
        let mut taken = taken.unwrap_or_else(new);
        let result = work(&mut taken);
        kept().push(taken);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_all_rows_and_have_about_as_many_pairs() {
        for cut in [Cut::Even, Cut::AllPairs] {
            for rows in [0, 1, 2, 511, 512, 2047, 2048, 5000, 16_383, 16_384, 1_000_000] {
                let ranges = cut.ranges(rows);
                assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{rows}");
                assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, rows));
                let weight = |range: &Range<usize>| match cut {
                    Cut::Even => range.len() as f64,
                    Cut::AllPairs => range.clone().map(|row| (rows - 1 - row) as f64).sum(),
                };
                let mean = ranges.iter().map(weight).sum::<f64>() / ranges.len() as f64;
                // A share is off by one row at most.
                let row = if matches!(cut, Cut::Even) { 1.0 } else { rows as f64 };
                assert!(ranges.iter().all(|range| (weight(range) - mean).abs() <= row), "{rows}");
                assert_eq!(ranges.len() > 1, rows >= if matches!(cut, Cut::Even) { LISTED } else { ALL_PAIRS });
            }
        }
    }
}
