//! Which rows of a pattern have coordinates in common.

use crate::system::Pattern;

/// Pairs of rows with common blocks.
#[derive(Debug, Clone)]
pub struct Overlaps {
    /// Both ways and each with itself; those on and below the diagonal first.
    pub pairs: Vec<[usize; 2]>,
    /// How many of them are on or below the diagonal.
    pub lower: usize,
    /// Where the common blocks of each pair begin in `common`.
    starts: Vec<usize>,
    /// Places of a common block in both rows.
    common: Vec<[usize; 2]>,
}

impl Overlaps {
    /// The rows on each block, a block with its rows in ascending order.
    fn rows_on(pattern: &Pattern) -> Vec<Vec<usize>> {
        let blocks = pattern.blocks();
        let mut rows_on = vec![Vec::new(); blocks.iter().max().map_or(0, |last| last + 1)];
        for row in 0..pattern.rows() {
            pattern.range(row).for_each(|place| rows_on[blocks[place]].push(row));
        }
        rows_on
    }

    /// The most pairs that a pattern can have.
    pub fn most(pattern: &Pattern) -> usize {
        Self::rows_on(pattern)
            .iter()
            .map(|rows| rows.len().saturating_mul(rows.len()))
            .fold(0, usize::saturating_add)
    }

    /// Those of a pattern.
    pub fn new(pattern: &Pattern) -> Self {
        let (blocks, rows_on) = (pattern.blocks(), Self::rows_on(pattern));
        let (mut pairs, mut lower) = (Vec::new(), 0);
        let mut partners = Vec::new();
        for i in 0..pattern.rows() {
            partners.clear();
            partners.extend(blocks[pattern.range(i)].iter().flat_map(|&block| rows_on[block].iter().copied()));
            partners.sort_unstable();
            partners.dedup();
            pairs.extend(partners.iter().map(|&j| [i, j]));
            lower += partners.partition_point(|&j| j <= i);
        }
        pairs.sort_by_key(|[i, j]| i < j);
        let (mut starts, mut common) = (vec![0], Vec::new());
        for &[i, j] in &pairs {
            let other = &blocks[pattern.range(j)];
            for place in pattern.range(i) {
                let found = other.binary_search(&blocks[place]);
                common.extend(found.map(|at| [place, pattern.range(j).start + at]).ok());
            }
            starts.push(common.len());
        }
        Self { pairs, lower, starts, common }
    }

    /// The common blocks of a pair.
    #[inline]
    pub fn common(&self, pair: usize) -> &[[usize; 2]] {
        &self.common[self.starts[pair]..self.starts[pair + 1]]
    }
}
