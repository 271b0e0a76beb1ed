//! Which entries of rows can be nonzero.

/// Which coordinates constraint rows can depend on: blocks of equally many coordinates, such as the points of a space.
/// Block `b` of width `w` stands for the columns from `w b` to `w b + w − 1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    width: usize,
    starts: Vec<usize>,
    blocks: Vec<usize>,
}

impl Pattern {
    /// Without rows yet; a width that is not 1, 2 or 3 counts as 1.
    pub fn new(width: usize) -> Self {
        let width = if (1..=3).contains(&width) { width } else { 1 };
        Self { width, starts: vec![0], blocks: Vec::new() }
    }

    /// Adds a row with these blocks, ascending.
    pub fn push_row(&mut self, blocks: impl IntoIterator<Item = usize>) {
        self.blocks.extend(blocks);
        debug_assert!(self.blocks[self.starts[self.rows()]..].is_sorted_by(|a, b| a < b));
        self.starts.push(self.blocks.len());
    }

    /// Coordinates per block.
    #[inline]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Where the blocks of a row stand among all blocks.
    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// The columns that the blocks of a row stand for, ascending.
    pub fn columns(&self, row: usize) -> impl Iterator<Item = usize> + '_ {
        self.blocks[self.range(row)].iter().flat_map(|&block| self.width * block..self.width * (block + 1))
    }

    /// How many entries all rows have.
    pub fn entries(&self) -> usize {
        self.width * self.blocks.len()
    }

    /// The blocks of all rows, row by row.
    #[inline]
    pub fn blocks(&self) -> &[usize] {
        &self.blocks
    }
}
