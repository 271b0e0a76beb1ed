//! Where the entries of a saddle-point problem stand in the reordered matrix.

use faer::sparse::{SymbolicSparseColMat, SymbolicSparseColMatRef};

use crate::matrix::Misshapen;
use crate::problem::Saddle;

/// An index of a row or entry. Half the size of an address: most of the time goes into reading the factors.
pub(super) type Index = u32;

/// The upper half of P K Pᵀ by columns, K = [[M, Gᵀ], [G, −T]], and where each number of a [`Saddle`] stands in it.
///
/// Every entry of a mass block is part of the pattern, zero or not: a moment of inertia that is diagonal now is not after the body
/// has turned.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Rows of K in the order of elimination.
    pub order: Vec<usize>,
    /// Where each row of K is in that order.
    pub place: Vec<usize>,
    /// Rows ascend in each column; the last entry of a column is its diagonal.
    upper: SymbolicSparseColMat<Index>,
    bodies: usize,
    /// The slot of each entry: lower halves of the mass blocks, then G row after row, then T.
    slots: Vec<usize>,
    jacobian: (Vec<usize>, Vec<usize>),
    blocks: Vec<usize>,
}

impl Pattern {
    /// The pattern of a problem whose rows are eliminated in this order, if that is a permutation of all rows of K.
    pub fn new(saddle: &Saddle, order: Vec<usize>) -> Result<Pattern, Misshapen> {
        let size = saddle.p.len() + saddle.q.len();
        let mut place = vec![usize::MAX; size];
        for (k, &row) in order.iter().enumerate() {
            match place.get_mut(row) {
                Some(place) if *place == usize::MAX => *place = k,
                _ => return Err(Misshapen(format!("row {row} is twice in the order or outside 0..{size}"))),
            }
        }
        if order.len() != size {
            return Err(Misshapen(format!("the order names {} of {size} rows", order.len())));
        }
        let mut entries = Vec::new();
        for_each_place(saddle, |i, j| {
            let (a, b) = (place[i], place[j]);
            entries.push((a.max(b), a.min(b)));
        });
        if entries.len() > Index::MAX as usize {
            return Err(Misshapen(format!("{} entries are more than can be numbered", entries.len())));
        }
        // Sorted by row, then, keeping that, by column: linear in the number of entries.
        let (by_row, _) = sorted((0..entries.len()).collect(), size, |entry| entries[entry].1);
        let (by_column, starts) = sorted(by_row, size, |entry| entries[entry].0);
        let mut slots = vec![0; entries.len()];
        by_column.iter().enumerate().for_each(|(slot, &entry)| slots[entry] = slot);
        let rows = by_column.iter().map(|&entry| entries[entry].1 as Index).collect();
        let starts = starts.into_iter().map(|start| start as Index).collect();
        let upper = SymbolicSparseColMat::new_checked(size, size, starts, None, rows);
        let (jacobian, blocks) = (jacobian_pattern(saddle), block_starts(saddle).collect());
        Ok(Pattern { order, place, upper, bodies: saddle.p.len(), slots, jacobian, blocks })
    }

    /// The number of rows of K.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// The number of rows of M, which come first in K.
    pub fn bodies(&self) -> usize {
        self.bodies
    }

    /// The number of entries.
    pub fn entries(&self) -> usize {
        self.upper.row_idx().len()
    }

    /// The entries of a column.
    pub fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.upper.col_ptr()[column] as usize..self.upper.col_ptr()[column + 1] as usize
    }

    /// The rows of the entries.
    pub fn rows(&self) -> &[Index] {
        self.upper.row_idx()
    }

    /// The pattern as faer takes it.
    pub fn upper(&self) -> SymbolicSparseColMatRef<'_, Index> {
        self.upper.as_ref()
    }

    /// Writes the numbers of a problem and T of its own or another into the entries, if its pattern is this one.
    pub fn load(&self, saddle: &Saddle, t: &[f64], values: &mut [f64]) -> Result<(), Misshapen> {
        self.expect_same(saddle)?;
        let mut slots = self.slots.iter();
        let mut put = |value: f64| values[*slots.next().expect("a slot for every entry")] = value;
        for b in 0..saddle.mass.count() {
            let n = saddle.mass.range(b).len();
            let block = saddle.mass.block(b);
            for i in 0..n {
                block[i * n..i * n + i + 1].iter().for_each(|&value| put(value));
            }
        }
        saddle.jacobian.values().iter().for_each(|&value| put(value));
        t.iter().for_each(|&value| put(-value));
        Ok(())
    }

    fn expect_same(&self, saddle: &Saddle) -> Result<(), Misshapen> {
        if saddle.p.len() != self.bodies || saddle.q.len() != self.size() - self.bodies {
            let (n, m) = (self.bodies, self.size() - self.bodies);
            let (rows, columns) = (saddle.q.len(), saddle.p.len());
            return Err(Misshapen(format!("G is {rows} x {columns} where {m} x {n} was analysed")));
        }
        if !block_starts(saddle).eq(self.blocks.iter().copied()) {
            return Err(Misshapen("the masses have other blocks than those analysed".into()));
        }
        let mut start = 0;
        for row in 0..saddle.q.len() {
            let (columns, _) = saddle.jacobian.row_parts(row);
            if columns != &self.jacobian.1[start..self.jacobian.0[row]] {
                return Err(Misshapen(format!("row {row} of G has entries at other places than those analysed")));
            }
            start = self.jacobian.0[row];
        }
        Ok(())
    }
}

/// Calls with row and column in K of every entry, in the order of `Pattern::slots`.
fn for_each_place(saddle: &Saddle, mut each: impl FnMut(usize, usize)) {
    let n = saddle.p.len();
    for b in 0..saddle.mass.count() {
        let range = saddle.mass.range(b);
        for i in range.clone() {
            (range.start..=i).for_each(|j| each(i, j));
        }
    }
    for row in 0..saddle.q.len() {
        saddle.jacobian.row_parts(row).0.iter().for_each(|&column| each(n + row, column));
    }
    (0..saddle.q.len()).for_each(|row| each(n + row, n + row));
}

/// The items in ascending order of their keys below `keys`, equal ones as they were, and where each key begins.
fn sorted(items: Vec<usize>, keys: usize, key: impl Fn(usize) -> usize) -> (Vec<usize>, Vec<usize>) {
    let mut starts = vec![0; keys + 1];
    items.iter().for_each(|&item| starts[key(item) + 1] += 1);
    for key in 0..keys {
        starts[key + 1] += starts[key];
    }
    let (mut next, mut out) = (starts.clone(), vec![0; items.len()]);
    for item in items {
        let slot = &mut next[key(item)];
        out[*slot] = item;
        *slot += 1;
    }
    (out, starts)
}

/// Where each row of G ends, and the columns of all.
fn jacobian_pattern(saddle: &Saddle) -> (Vec<usize>, Vec<usize>) {
    let (mut ends, mut columns) = (Vec::new(), Vec::new());
    for row in 0..saddle.q.len() {
        columns.extend_from_slice(saddle.jacobian.row_parts(row).0);
        ends.push(columns.len());
    }
    (ends, columns)
}

fn block_starts(saddle: &Saddle) -> impl Iterator<Item = usize> + '_ {
    (0..saddle.mass.count()).map(|b| saddle.mass.range(b).start)
}
