//! The system with the impulses eliminated: what is left has one row for each coordinate of the bodies.

use super::{Block, Blocks, Shape};
use crate::problem::Saddle;

// Notation
//   C     A + R T of one contact or equality row
//   dv    M⁻¹ Gᵀ dr
//   (M + Gᵀ C⁻¹ R G) dv = Gᵀ C⁻¹ b,   dr = C⁻¹ (b − R G dv)

/// T of a row relative to its diagonal entry of W down to which impulses are eliminated: C⁻¹ R grows like 1/T where a contact sticks, and
/// what the factors of the rest lose grows with it.
pub(super) const LEAST_T: f64 = 1e-9;

/// C⁻¹ and C⁻¹ R of every group of rows: equalities one by one, then contacts.
#[derive(Default)]
pub(super) struct Eliminated {
    inverse: Vec<Block>,
    scaled: Vec<Block>,
}

/// The columns of G that each group of rows has entries in, ascending, and the entries by row.
#[derive(Default)]
pub(super) struct Groups {
    starts: Vec<usize>,
    columns: Vec<usize>,
    rows: Vec<[f64; 3]>,
}

impl Groups {
    /// Reads the groups of a problem; allocates only where there have not been so many entries before.
    pub fn read(&mut self, saddle: &Saddle, shape: Shape) {
        let Groups { starts, columns, rows } = self;
        starts.clear();
        columns.clear();
        rows.clear();
        starts.push(0);
        for (first, count) in shape.groups() {
            let begin = columns.len();
            for row in first..first + count {
                columns.extend_from_slice(saddle.jacobian.row_parts(row).0);
            }
            columns[begin..].sort_unstable();
            let mut end = begin;
            for k in begin..columns.len() {
                if end == begin || columns[end - 1] != columns[k] {
                    columns[end] = columns[k];
                    end += 1;
                }
            }
            columns.truncate(end);
            let entry = |row: usize, column: usize| {
                if row < count { saddle.jacobian.get(first + row, column) } else { 0.0 }
            };
            rows.extend(columns[begin..].iter().map(|&column| std::array::from_fn(|row| entry(row, column))));
            starts.push(end);
        }
    }

    /// The columns of a group and their entries.
    fn group(&self, group: usize) -> (&[usize], &[[f64; 3]]) {
        let range = self.starts[group]..self.starts[group + 1];
        (&self.columns[range.clone()], &self.rows[range])
    }
}

impl Eliminated {
    /// Computes C⁻¹ and C⁻¹ R; false where a block has no inverse.
    pub fn read(&mut self, saddle: &Saddle, shape: Shape, a: Blocks, r: Blocks) -> bool {
        self.inverse.clear();
        self.scaled.clear();
        for (first, count) in shape.groups() {
            let (mut c, mut scale) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
            for i in 0..count {
                let (own, factors) = (a.row(shape, first + i), r.row(shape, first + i));
                for j in 0..count {
                    scale[i][j] = factors[j];
                    c[i][j] = own[j] + factors[j] * saddle.t[first + j];
                }
            }
            let Some(inverse) = inverse(count, &c) else { return false };
            self.scaled.push(product(count, &inverse, &scale));
            self.inverse.push(inverse);
        }
        true
    }

    /// Calls `put` with every entry of M + Gᵀ C⁻¹ R G, always in the same order; entries at the same place are meant to be added.
    pub fn entries(&self, saddle: &Saddle, groups: &Groups, mut put: impl FnMut(usize, usize, f64)) {
        for body in 0..saddle.mass.count() {
            let range = saddle.mass.range(body);
            for (k, value) in saddle.mass.block(body).iter().enumerate() {
                put(range.start + k / range.len(), range.start + k % range.len(), *value);
            }
        }
        for (group, block) in self.scaled.iter().enumerate() {
            let (columns, rows) = groups.group(group);
            for (j, &column) in columns.iter().enumerate() {
                let right: [f64; 3] = std::array::from_fn(|k| (0..3).map(|l| block[k][l] * rows[j][l]).sum());
                for (i, &row) in columns.iter().enumerate() {
                    put(row, column, (0..3).map(|k| rows[i][k] * right[k]).sum());
                }
            }
        }
    }

    /// Gᵀ C⁻¹ b, with C⁻¹ b left in `x`, which holds b.
    pub fn reduce(&self, shape: Shape, saddle: &Saddle, x: &mut [f64], right: &mut [f64]) {
        for (group, (first, count)) in shape.groups().enumerate() {
            let b: [f64; 3] = std::array::from_fn(|k| if k < count { x[first + k] } else { 0.0 });
            for i in 0..count {
                x[first + i] = (0..count).map(|k| self.inverse[group][i][k] * b[k]).sum();
            }
        }
        saddle.jacobian.add_transposed_times(x, right);
    }

    /// dr = C⁻¹ b − C⁻¹ R G dv, with C⁻¹ b in `x`.
    pub fn expand(&self, shape: Shape, saddle: &Saddle, dv: &[f64], x: &mut [f64]) {
        for (group, (first, count)) in shape.groups().enumerate() {
            let slip: [f64; 3] =
                std::array::from_fn(|k| if k < count { saddle.jacobian.row_times(first + k, dv) } else { 0.0 });
            for i in 0..count {
                x[first + i] -= (0..count).map(|k| self.scaled[group][i][k] * slip[k]).sum::<f64>();
            }
        }
    }
}

fn product(n: usize, a: &Block, b: &Block) -> Block {
    let mut c = [[0.0; 3]; 3];
    for i in 0..n {
        for j in 0..n {
            c[i][j] = (0..n).map(|k| a[i][k] * b[k][j]).sum();
        }
    }
    c
}

/// The inverse of a block of n rows, by elimination with exchange of rows.
fn inverse(n: usize, block: &Block) -> Option<Block> {
    let mut a = *block;
    let mut inverse = super::UNIT;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        if a[pivot][k] == 0.0 || !a[pivot][k].is_finite() {
            return None;
        }
        a.swap(k, pivot);
        inverse.swap(k, pivot);
        let factor = 1.0 / a[k][k];
        for j in 0..n {
            a[k][j] *= factor;
            inverse[k][j] *= factor;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[i][k];
            for j in 0..n {
                a[i][j] -= factor * a[k][j];
                inverse[i][j] -= factor * inverse[k][j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_times_its_inverse_is_the_unit() {
        let block = [[0.0, 2.0, 1.0], [3.0, -1.0, 0.5], [1.0, 0.25, -2.0]];
        let unit = product(3, &block, &inverse(3, &block).expect("regular"));
        for i in 0..3 {
            for j in 0..3 {
                assert!((unit[i][j] - if i == j { 1.0 } else { 0.0 }).abs() < 1e-15, "{unit:?}");
            }
        }
        assert_eq!(inverse(2, &[[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0; 3]]), None);
    }
}
