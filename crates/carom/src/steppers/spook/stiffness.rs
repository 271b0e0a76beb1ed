//! Geometric stiffness as rows: the positive part of `K = −Σ (λ_i/h) ∂²g_i/∂q²` in `½h²K(v1 − v0)`.
//!
//! With `K⁺ = Σ κ_j b_jb_jᵀ` the term is that of rows `b_j v1 + η_j/(½h²κ_j) = b_j v0`, which have the form of all others: the masses stay as
//! they are, and the factors sparse. Rows of a pattern give their positive parts one by one, others together.

use super::super::shared::eigen::symmetric_eigen;
use crate::error::Failure;
use crate::state::State;
use crate::system::System;

/// Eigenvalues below this part of the largest are none.
const NEGLIGIBLE: f64 = 1e-12;

/// The rows of geometric stiffness.
#[derive(Debug, Clone)]
pub struct Geometric {
    /// For each equality with a pattern, or for all together: its columns.
    groups: Vec<Group>,
    /// Columns and values of the rows.
    columns: Vec<usize>,
    values: Vec<f64>,
    /// `1/(½h²κ)` of each.
    t: Vec<f64>,
    hessian: Vec<f64>,
    vectors: Vec<f64>,
}

#[derive(Debug, Clone)]
struct Group {
    /// First row and how many; the first entry of the first row.
    rows: std::ops::Range<usize>,
    first: usize,
    width: usize,
}

impl Geometric {
    /// For a system; rows of a pattern have as many rows here as their Hessian has eigenvalues at the start.
    pub fn new<S: System + ?Sized>(system: &S, start: &State) -> Result<Self, Failure> {
        let n = system.dim();
        let mut new = Self {
            groups: Vec::new(),
            columns: Vec::new(),
            values: Vec::new(),
            t: Vec::new(),
            hessian: Vec::new(),
            vectors: Vec::new(),
        };
        match system.equalities().sparse() {
            None => {
                Failure::unless_it_fits("the geometric stiffness", n, n)?;
                new.push(&(0..n).collect::<Vec<_>>(), n);
            }
            Some(sparse) => {
                let pattern = sparse.pattern();
                for row in 0..pattern.rows() {
                    let w = pattern.width();
                    let blocks = &pattern.blocks()[pattern.range(row)];
                    let columns: Vec<usize> = blocks.iter().flat_map(|b| (0..w).map(move |k| w * b + k)).collect();
                    let k = columns.len();
                    let (mut hessian, mut vectors) = (vec![0.0; k * k], vec![0.0; k * k]);
                    sparse.row_hessian(start.t, &start.q, row, &mut hessian);
                    symmetric_eigen(k, &mut hessian, &mut vectors);
                    let most = (0..k).fold(0.0_f64, |most, j| most.max(hessian[j * (k + 1)].abs()));
                    let rank = (0..k).filter(|j| hessian[j * (k + 1)].abs() > NEGLIGIBLE * most).count();
                    new.push(&columns, rank);
                }
            }
        }
        let widest = new.groups.iter().map(|group| group.width).max().unwrap_or(0);
        new.hessian = vec![0.0; widest * widest];
        new.vectors = vec![0.0; widest * widest];
        Ok(new)
    }

    fn push(&mut self, columns: &[usize], rows: usize) {
        let (begin, first) = (self.t.len(), self.values.len());
        self.groups.push(Group { rows: begin..begin + rows, first, width: columns.len() });
        for _ in 0..rows {
            self.t.push(1.0);
            self.columns.extend_from_slice(columns);
        }
        self.values.resize(self.columns.len(), 0.0);
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.t.len()
    }

    /// The equality that a row belongs to; the first if it belongs to all.
    pub fn owner(&self, row: usize) -> usize {
        self.groups.iter().position(|group| group.rows.contains(&row)).unwrap_or(0)
    }

    /// All values, row by row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Columns and values of a row.
    pub fn entries(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let group = &self.groups[self.groups.partition_point(|group| group.rows.end <= row)];
        let begin = group.first + (row - group.rows.start) * group.width;
        let range = begin..begin + group.width;
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// T of a row.
    pub fn regularisation(&self, row: usize) -> f64 {
        self.t[row]
    }

    /// The rows at a configuration, with the impulses of the step before.
    pub fn evaluate<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        impulses: &[f64],
        h: f64,
    ) -> Result<(), Failure> {
        let sparse = system.equalities().sparse();
        for (place, group) in self.groups.iter().enumerate() {
            let k = group.width;
            let hessian = &mut self.hessian[..k * k];
            // K of this group, of force −λ/h along each Hessian.
            let sign = if let Some(sparse) = sparse {
                sparse.row_hessian(state.t, &state.q, place, hessian);
                -impulses[place] / h
            } else {
                system.equalities().hessian(state.t, &state.q, impulses, hessian);
                -1.0 / h
            };
            hessian.iter_mut().for_each(|entry| *entry *= sign);
            symmetric_eigen(k, hessian, &mut self.vectors[..k * k]);
            let most = (0..k).fold(0.0_f64, |most, j| most.max(hessian[j * (k + 1)].abs()));
            if !most.is_finite() {
                return Err(Failure::NonFinite { what: "the geometric stiffness" });
            }
            let mut rows = group.rows.clone();
            for j in (0..k).filter(|j| hessian[j * (k + 1)] > NEGLIGIBLE * most) {
                let Some(row) = rows.next() else { break };
                let begin = group.first + (row - group.rows.start) * k;
                // Eigenvectors are the columns.
                (0..k).for_each(|i| self.values[begin + i] = self.vectors[i * k + j]);
                self.t[row] = 1.0 / (0.5 * h * h * hessian[j * (k + 1)]);
            }
            for row in rows {
                // No stiffness: a row of zeros that takes no impulse.
                let begin = group.first + (row - group.rows.start) * k;
                self.values[begin..begin + k].fill(0.0);
                self.t[row] = 1.0;
            }
        }
        Ok(())
    }
}
