//! A sparse matrix by rows, columns ascending in each row, no entry twice.

use super::{Dense, Misshapen};

/// A sparse matrix by rows; in each row the columns ascend and none is there twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparse {
    rows: usize,
    columns: usize,
    starts: Vec<usize>,
    indices: Vec<usize>,
    values: Vec<f64>,
}

impl Sparse {
    /// A matrix from `(row, column, value)` in any order; values at the same place are added up in the order given.
    pub fn from_triplets(
        rows: usize,
        columns: usize,
        triplets: &[(usize, usize, f64)],
    ) -> Result<Sparse, Misshapen> {
        if let Some((row, column, _)) = triplets.iter().find(|(row, column, _)| *row >= rows || *column >= columns)
        {
            return Err(Misshapen(format!("entry ({row}, {column}) is outside {rows} x {columns}")));
        }
        let mut order: Vec<usize> = (0..triplets.len()).collect();
        order.sort_by_key(|&k| (triplets[k].0, triplets[k].1));
        let mut matrix = Sparse { rows, columns, starts: vec![0; rows + 1], ..Sparse::default() };
        let mut last = None;
        for k in order {
            let (row, column, value) = triplets[k];
            if last == Some((row, column)) {
                *matrix.values.last_mut().expect("an entry was just put there") += value;
            } else {
                matrix.indices.push(column);
                matrix.values.push(value);
                matrix.starts[row + 1] += 1;
                last = Some((row, column));
            }
        }
        for row in 0..rows {
            matrix.starts[row + 1] += matrix.starts[row];
        }
        Ok(matrix)
    }

    /// Becomes a matrix without rows; room for entries is kept.
    pub fn restart(&mut self, columns: usize) {
        (self.rows, self.columns) = (0, columns);
        self.starts.clear();
        self.starts.push(0);
        self.indices.clear();
        self.values.clear();
    }

    /// Adds a row, its columns ascending; allocates only where there have not been so many entries before.
    ///
    /// # Panics
    /// Where a column is outside the matrix or not above the one before it.
    pub fn push_row(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        let begin = self.indices.len();
        for (column, value) in entries {
            let ascending = self.indices[begin..].last().is_none_or(|last| *last < column);
            assert!(ascending && column < self.columns, "column {column} of {} is out of order", self.columns);
            self.indices.push(column);
            self.values.push(value);
        }
        self.rows += 1;
        self.starts.push(self.indices.len());
    }

    /// Adds an entry to the row that [`Self::end_row`] will end; as [`Self::push_row`] where entries come one by one.
    ///
    /// # Panics
    /// Where the column is outside the matrix or not above the one before it.
    #[inline]
    pub fn push_entry(&mut self, column: usize, value: f64) {
        let begin = self.starts.last().copied().unwrap_or(0);
        let ascending = self.indices[begin..].last().is_none_or(|last| *last < column);
        assert!(ascending && column < self.columns, "column {column} of {} is out of order", self.columns);
        self.indices.push(column);
        self.values.push(value);
    }

    /// Ends a row.
    #[inline]
    pub fn end_row(&mut self) {
        self.rows += 1;
        self.starts.push(self.indices.len());
    }

    /// Becomes a copy of another matrix; allocates only where it has not had so many entries before.
    pub fn copy_from(&mut self, other: &Sparse) {
        (self.rows, self.columns) = (other.rows, other.columns);
        self.starts.clone_from(&other.starts);
        self.indices.clone_from(&other.indices);
        self.values.clone_from(&other.values);
    }

    /// Multiplies every column by a factor.
    pub fn scale_columns(&mut self, factors: &[f64]) {
        self.values.iter_mut().zip(&self.indices).for_each(|(value, &column)| *value *= factors[column]);
    }

    /// `out += factor · row`.
    #[inline]
    pub fn add_row(&self, row: usize, factor: f64, out: &mut [f64]) {
        let (columns, values) = self.row_parts(row);
        for (&column, &value) in columns.iter().zip(values) {
            out[column] += factor * value;
        }
    }

    /// Product of a row with one of another matrix of as many columns: terms of common columns, in their order.
    #[inline]
    pub fn row_product(&self, row: usize, other: &Sparse, other_row: usize) -> f64 {
        let ((a, x), (b, y)) = (self.row_parts(row), other.row_parts(other_row));
        if a == b {
            return x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y);
        }
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < a.len() && j < b.len() {
            if a[i] == b[j] {
                sum += x[i] * y[j];
            }
            let (left, right) = (a[i], b[j]);
            i += usize::from(left <= right);
            j += usize::from(right <= left);
        }
        sum
    }

    /// The entries of a dense matrix that are not 0.
    pub fn from_dense(dense: &Dense) -> Sparse {
        let mut triplets = Vec::new();
        for row in 0..dense.rows() {
            for (column, &value) in dense.row(row).iter().enumerate() {
                if value != 0.0 {
                    triplets.push((row, column, value));
                }
            }
        }
        Sparse::from_triplets(dense.rows(), dense.columns(), &triplets).expect("indices of a matrix are inside it")
    }

    /// The same matrix, dense.
    pub fn to_dense(&self) -> Dense {
        let mut dense = Dense::zeros(self.rows, self.columns);
        for row in 0..self.rows {
            for (column, value) in self.row(row) {
                dense[(row, column)] = value;
            }
        }
        dense
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Sparse {
        let triplets: Vec<_> =
            (0..self.rows).flat_map(|row| self.row(row).map(move |(column, value)| (column, row, value))).collect();
        Sparse::from_triplets(self.columns, self.rows, &triplets).expect("indices of a matrix are inside it")
    }

    /// Becomes some rows of another matrix, in the order given; allocates only where it has not had so many entries before.
    pub(crate) fn take_rows(&mut self, whole: &Sparse, rows: &[usize]) {
        self.take(whole, rows, whole.columns, Some);
    }

    /// Becomes the principal submatrix of some rows of another matrix, ascending; `place` has the number of each of them and what is
    /// not below their count for the others. Allocates only where it has not had so many entries before.
    pub(crate) fn take_principal(&mut self, whole: &Sparse, rows: &[usize], place: &[usize]) {
        self.take_some(whole, rows, rows.len(), place);
    }

    /// The same with other columns than rows.
    pub(crate) fn take_some(&mut self, whole: &Sparse, rows: &[usize], columns: usize, place: &[usize]) {
        self.take(whole, rows, columns, |column| Some(place[column]).filter(|&place| place < columns));
    }

    fn take(&mut self, whole: &Sparse, rows: &[usize], columns: usize, place: impl Fn(usize) -> Option<usize>) {
        (self.rows, self.columns) = (rows.len(), columns);
        self.starts.clear();
        self.indices.clear();
        self.values.clear();
        self.starts.push(0);
        for &row in rows {
            for (column, value) in whole.row(row) {
                if let Some(column) = place(column) {
                    self.indices.push(column);
                    self.values.push(value);
                }
            }
            self.starts.push(self.indices.len());
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of entries stored.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// The columns and values of one row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (indices, values) = self.row_parts(row);
        indices.iter().copied().zip(values.iter().copied())
    }

    /// The columns and the values of one row, as slices.
    pub fn row_parts(&self, row: usize) -> (&[usize], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Makes the values of a row zero; the pattern stays as it is.
    pub fn clear_row(&mut self, row: usize) {
        self.values[self.starts[row]..self.starts[row + 1]].fill(0.0);
    }

    /// All values, row after row; the pattern stays as it is.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, row after row, to be changed; the pattern stays as it is.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// The entry at a place, 0 where none is stored.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let (indices, values) = self.row_parts(row);
        indices.binary_search(&column).map_or(0.0, |k| values[k])
    }

    /// One row times a vector.
    pub fn row_times(&self, row: usize, x: &[f64]) -> f64 {
        let (columns, values) = self.row_parts(row);
        columns.iter().zip(values).fold(0.0, |sum, (&column, &value)| sum + value * x[column])
    }

    /// `out = self x`.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        for (row, value) in out.iter_mut().enumerate() {
            *value = self.row_times(row, x);
        }
    }

    /// `out += selfᵀ x`.
    pub fn add_transposed_times(&self, x: &[f64], out: &mut [f64]) {
        for (row, &factor) in x.iter().enumerate() {
            for (column, value) in self.row(row) {
                out[column] += value * factor;
            }
        }
    }
}
