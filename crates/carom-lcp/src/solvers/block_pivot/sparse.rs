//! Principal submatrices of a large sparse matrix, by sparse LU factors of the whole with the clamped rows replaced.

use super::principal::{
    Corrections, Perturbation, PrincipalSolve, Singular, finish_rows, largest, row_scale, slack,
};
use crate::matrix::Sparse;
use crate::solvers::pencil::{Block, Blocks, Compliance, Pencil, Shape};

/// Rows up to which dense factors are taken whatever the pattern.
const DENSE_ROWS: usize = 300;

/// Whether a matrix is worth sparse factors: many rows, and less than a tenth of them full.
pub(super) fn is_sparse(matrix: &Sparse) -> bool {
    matrix.rows() > DENSE_ROWS && 10 * matrix.entries() < matrix.rows() * matrix.rows()
}

/// The principal submatrices of H with q: z_i = its clamped value in the rows that are not active, w_i = 0 in the others, as one system
/// whose pattern is analysed once. Allocates.
pub(super) struct SparsePrincipal<'a> {
    matrix: &'a Sparse,
    q: &'a [f64],
    pencil: Pencil,
    a: Vec<Block>,
    r: Vec<Block>,
}

impl<'a> SparsePrincipal<'a> {
    /// `None` where the pattern cannot be analysed.
    pub fn new(matrix: &'a Sparse, q: &'a [f64]) -> Option<SparsePrincipal<'a>> {
        let shape = Shape { equalities: 0, dimension: 1, contacts: q.len() };
        let mut pencil = Pencil::default();
        let analysed = pencil.renew(Compliance::Matrix(matrix), shape);
        analysed.then(|| SparsePrincipal { matrix, q, pencil, a: Vec::new(), r: Vec::new() })
    }
}

/// The most steps of refinement.
const REFINEMENTS: usize = 3;

impl PrincipalSolve for SparsePrincipal<'_> {
    fn solve(
        &mut self,
        active: &[bool],
        perturbation: Perturbation<'_>,
        z: &mut [f64],
        w: &mut [f64],
        noise: &mut [f64],
    ) -> Result<(), Singular> {
        let of = |value: f64| [[value, 0.0, 0.0], [0.0; 3], [0.0; 3]];
        self.a.clear();
        self.a.extend((0..active.len()).map(|i| of(if active[i] { perturbation.shift[i] } else { 1.0 })));
        self.r.clear();
        self.r.extend(active.iter().map(|&active| of(if active { 1.0 } else { 0.0 })));
        let compliance = Compliance::Matrix(self.matrix);
        let singular = Singular { row: active.iter().position(|&active| active).unwrap_or(0) };
        let (a, r) = (Blocks { equality: 1.0, contacts: &self.a }, Blocks { equality: 1.0, contacts: &self.r });
        if !self.pencil.factor(compliance, a, r) {
            return Err(singular);
        }
        (0..z.len()).filter(|&i| active[i]).for_each(|i| z[i] = 0.0);
        let mut corrections = Corrections::default();
        for _ in 0..=REFINEMENTS {
            let mut step: Vec<f64> = (0..z.len())
                .map(|i| if active[i] { -slack(self.matrix, self.q, i, perturbation, z) } else { 0.0 })
                .collect();
            if !self.pencil.solve(compliance, &mut step) {
                return Err(singular);
            }
            if !corrections.shrink(&step) {
                break;
            }
            (0..z.len()).filter(|&i| active[i]).for_each(|i| z[i] += step[i]);
            if corrections.are_rounding(largest(z)) {
                break;
            }
        }
        finish_rows(self.matrix, self.q, active, perturbation, z, w, noise);
        Ok(())
    }

    fn scale(&self, row: usize) -> f64 {
        row_scale(self.matrix, row)
    }
}
