//! Dense square blocks on a diagonal: the masses of bodies.

use super::{Dense, Misshapen};

/// Dense square blocks on a diagonal, as the masses of bodies are: block after block, each row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks {
    starts: Vec<usize>,
    offsets: Vec<usize>,
    values: Vec<f64>,
}

impl Blocks {
    /// The matrix with these blocks, each a square given by its rows.
    pub fn from_blocks(blocks: &[Dense]) -> Result<Blocks, Misshapen> {
        let mut matrix = Blocks { starts: vec![0], offsets: vec![0], values: Vec::new() };
        for (index, block) in blocks.iter().enumerate() {
            if block.rows() != block.columns() {
                let (rows, columns) = (block.rows(), block.columns());
                return Err(Misshapen(format!("block {index} is {rows} x {columns}, not square")));
            }
            matrix.starts.push(matrix.size() + block.rows());
            matrix.values.extend_from_slice(block.values());
            matrix.offsets.push(matrix.values.len());
        }
        Ok(matrix)
    }

    /// Becomes a copy of another matrix; allocates only where it has not had its size before.
    pub(crate) fn copy_from(&mut self, other: &Blocks) {
        self.starts.clone_from(&other.starts);
        self.offsets.clone_from(&other.offsets);
        self.values.clone_from(&other.values);
    }

    /// Becomes some blocks of another matrix; allocates only where it has not had that size before.
    pub(crate) fn take_blocks(&mut self, whole: &Blocks, blocks: &[usize]) {
        self.starts.clear();
        self.offsets.clear();
        self.values.clear();
        self.starts.push(0);
        self.offsets.push(0);
        for &block in blocks {
            self.starts.push(self.size() + whole.range(block).len());
            self.values.extend_from_slice(whole.block(block));
            self.offsets.push(self.values.len());
        }
    }

    /// The number of rows of the whole matrix.
    pub fn size(&self) -> usize {
        self.starts.last().copied().unwrap_or(0)
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The rows that a block takes.
    pub fn range(&self, block: usize) -> std::ops::Range<usize> {
        self.starts[block]..self.starts[block + 1]
    }

    /// The entries of a block, row after row.
    pub fn block(&self, block: usize) -> &[f64] {
        &self.values[self.offsets[block]..self.offsets[block + 1]]
    }

    /// Blocks of one entry each.
    pub fn diagonal(entries: &[f64]) -> Blocks {
        let starts: Vec<usize> = (0..=entries.len()).collect();
        Blocks { offsets: starts.clone(), starts, values: entries.to_vec() }
    }

    /// Becomes blocks of one entry each; allocates only where it has not had that size before.
    pub(crate) fn become_diagonal(&mut self, entries: impl Iterator<Item = f64>) {
        self.values.clear();
        self.values.extend(entries);
        for places in [&mut self.starts, &mut self.offsets] {
            places.clear();
            places.extend(0..=self.values.len());
        }
    }

    /// The block that a row belongs to.
    pub fn block_of(&self, row: usize) -> usize {
        if self.count() == self.size() {
            return row;
        }
        self.starts.partition_point(|&start| start <= row) - 1
    }

    /// `out = self x`.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        for b in 0..self.count() {
            let range = self.range(b);
            let n = range.len();
            for (i, row) in range.clone().enumerate() {
                let entries = &self.block(b)[i * n..(i + 1) * n];
                out[row] = entries.iter().zip(&x[range.clone()]).map(|(a, b)| a * b).sum();
            }
        }
    }

    /// The inverse, block by block, by Cholesky's factors; the index of the first block that is not positive definite otherwise.
    pub fn inverse(&self) -> Result<Blocks, usize> {
        let mut inverse = self.clone();
        for b in 0..self.count() {
            let n = self.range(b).len();
            let block = &mut inverse.values[self.offsets[b]..self.offsets[b + 1]];
            invert_positive(n, block).map_err(|()| b)?;
        }
        Ok(inverse)
    }
}

/// Replaces a symmetric positive definite matrix by its inverse.
fn invert_positive(n: usize, a: &mut [f64]) -> Result<(), ()> {
    // Cholesky's factor L in the lower half.
    for j in 0..n {
        for i in j..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return Err(());
                }
                a[j * n + j] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    // L⁻¹ in place.
    for j in 0..n {
        a[j * n + j] = 1.0 / a[j * n + j];
        for i in j + 1..n {
            let mut sum = 0.0;
            for k in j..i {
                sum -= a[i * n + k] * a[k * n + j];
            }
            a[i * n + j] = sum / a[i * n + i];
        }
    }
    // L⁻ᵀ L⁻¹.
    for i in 0..n {
        for j in 0..=i {
            let mut sum = 0.0;
            for k in i..n {
                sum += a[k * n + i] * a[k * n + j];
            }
            a[i * n + j] = sum;
        }
    }
    for i in 0..n {
        for j in 0..i {
            a[j * n + i] = a[i * n + j];
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_of_blocks_undoes_them() {
        let one = Dense::from_rows(&[vec![4.0]]).expect("a matrix");
        let three = Dense::from_rows(&[vec![4.0, 1.0, 0.5], vec![1.0, 3.0, -0.25], vec![0.5, -0.25, 2.0]]);
        let blocks = Blocks::from_blocks(&[one, three.expect("a matrix")]).expect("square blocks");
        let x = [1.0, -2.0, 3.0, 0.5];
        let (mut y, mut back) = ([0.0; 4], [0.0; 4]);
        blocks.times(&x, &mut y);
        blocks.inverse().expect("positive definite").times(&y, &mut back);
        for (a, b) in x.iter().zip(back) {
            assert!((a - b).abs() < 1e-14, "{a} came back as {b}");
        }
        assert_eq!([blocks.block_of(0), blocks.block_of(1), blocks.block_of(3)], [0, 1, 1]);
    }

    #[test]
    fn a_block_without_an_inverse_is_named() {
        let good = Dense::from_rows(&[vec![1.0]]).expect("a matrix");
        let bad = Dense::from_rows(&[vec![1.0, 2.0], vec![2.0, 1.0]]).expect("a matrix");
        assert_eq!(Blocks::from_blocks(&[good, bad]).expect("square blocks").inverse(), Err(1));
    }
}
