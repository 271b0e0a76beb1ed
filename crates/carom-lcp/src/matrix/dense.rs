//! A dense matrix, row after row.

use super::Misshapen;

/// A dense matrix, row after row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dense {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Dense {
    /// The matrix with every entry 0.
    pub fn zeros(rows: usize, columns: usize) -> Dense {
        Dense { rows, columns, values: vec![0.0; rows * columns] }
    }

    /// The matrix with these rows, all of one length.
    pub fn from_rows(rows: &[Vec<f64>]) -> Result<Dense, Misshapen> {
        let columns = rows.first().map_or(0, Vec::len);
        if let Some((row, wrong)) = rows.iter().enumerate().find(|(_, row)| row.len() != columns) {
            let length = wrong.len();
            return Err(Misshapen(format!("row {row} has {length} entries where row 0 has {columns}")));
        }
        Ok(Dense { rows: rows.len(), columns, values: rows.concat() })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The entries, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// One row, to be changed.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// `out = self x`.
    pub fn times(&self, x: &[f64], out: &mut [f64]) {
        for (row, value) in out.iter_mut().enumerate() {
            *value = self.row(row).iter().zip(x).map(|(a, b)| a * b).sum();
        }
    }
}

impl std::ops::Index<(usize, usize)> for Dense {
    type Output = f64;
    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.values[row * self.columns + column]
    }
}

impl std::ops::IndexMut<(usize, usize)> for Dense {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.values[row * self.columns + column]
    }
}
