//! The linear algebra behind the exchanges: systems of the principal submatrices.

use super::super::lu::{Lu, Sum};
use crate::matrix::{Dense, Sparse};

/// A principal submatrix that cannot be solved with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// The row that depends on others.
    pub row: usize,
}

/// What is added to w = H z + q: S (z − c) + d, S diagonal. S makes singular principal submatrices regular where H is monotone; d
/// leads from one problem to another.
#[derive(Clone, Copy, Debug)]
pub struct Perturbation<'a> {
    /// The diagonal of S, not negative; all 0 for the problem itself.
    pub shift: &'a [f64],
    /// c.
    pub centre: &'a [f64],
    /// d; all 0 for the problem itself.
    pub offset: &'a [f64],
}

/// Solves with the principal submatrices of one problem: what [`super::Exchanges`] needs to know of the matrix and q.
///
/// No call may allocate once a first solve of the same shape has been made.
pub trait PrincipalSolve {
    /// Makes w = 0 in the active rows, with z as given in the others. With w = H z + q + S (z − c) + d:
    ///
    /// * `z` holds the clamped values of the rows that are not active; those of the active rows are the answer, as accurate as a
    ///   step of refinement makes them;
    /// * `w` is the answer in the rows that are not active and 0 in the active ones;
    /// * `noise` becomes a bound on the rounding of `w`, so that signs below it are not believed: ε (|H| |z| + |q|) row by row.
    ///
    /// The same active rows and shift may follow each other: factors can be used again.
    fn solve(
        &mut self,
        active: &[bool],
        perturbation: Perturbation<'_>,
        z: &mut [f64],
        w: &mut [f64],
        noise: &mut [f64],
    ) -> Result<(), Singular>;

    /// The size of a row's entries, the unit of a shift of its diagonal: the largest entry in size, or the diagonal entry where
    /// others are not at hand. Not 0.
    fn scale(&self, row: usize) -> f64;
}

/// A matrix that can be walked through by rows.
pub trait Rows {
    /// Visits the entries of one row: column, value. Columns ascend; entries that are 0 may be left out.
    fn each(&self, row: usize, visit: impl FnMut(usize, f64));
}

impl Rows for Dense {
    fn each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        self.row(row).iter().enumerate().for_each(|(column, &value)| visit(column, value));
    }
}

impl Rows for Sparse {
    fn each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        self.row(row).for_each(|(column, value)| visit(column, value));
    }
}

/// The space of [`DensePrincipal`], kept between solves.
#[derive(Clone, Debug, Default)]
pub struct DenseSpace {
    lu: Lu,
    active: Vec<bool>,
    shift: Vec<f64>,
    rows: Vec<usize>,
    place: Vec<usize>,
    step: Vec<f64>,
}

/// Principal submatrices gathered into dense LU factors, with refinement whose residuals carry twice the digits: z is accurate to
/// rounding up to condition numbers of about 1e13. k³ for k active rows.
pub struct DensePrincipal<'a, M> {
    matrix: &'a M,
    q: &'a [f64],
    space: &'a mut DenseSpace,
    factored: bool,
}

impl<'a, M: Rows> DensePrincipal<'a, M> {
    /// The principal submatrices of H with q.
    pub fn new(matrix: &'a M, q: &'a [f64], space: &'a mut DenseSpace) -> DensePrincipal<'a, M> {
        DensePrincipal { matrix, q, space, factored: false }
    }

    /// Factors the submatrix of the active rows, unless the last factors are just that.
    fn factor(&mut self, active: &[bool], shift: &[f64]) -> Result<(), Singular> {
        let space = &mut *self.space;
        if self.factored && space.active == active && space.shift == shift {
            return Ok(());
        }
        self.factored = false;
        space.active.clear();
        space.active.extend_from_slice(active);
        space.shift.clear();
        space.shift.extend_from_slice(shift);
        space.rows.clear();
        space.rows.extend((0..active.len()).filter(|&i| active[i]));
        space.place.clear();
        space.place.resize(active.len(), usize::MAX);
        for (k, &row) in space.rows.iter().enumerate() {
            space.place[row] = k;
        }
        let size = space.rows.len();
        let factors = space.lu.begin(size);
        for (k, &row) in space.rows.iter().enumerate() {
            let (out, place) = (&mut factors[k * size..(k + 1) * size], &space.place);
            self.matrix.each(row, |column, value| {
                if place[column] != usize::MAX {
                    out[place[column]] = value;
                }
            });
            out[k] += shift[row];
        }
        space.lu.factor().map_err(|column| Singular { row: space.rows[column] })?;
        self.factored = true;
        Ok(())
    }
}

/// The most steps of refinement; two are the rule, more only near singularity.
const REFINEMENTS: usize = 5;

impl<M: Rows> PrincipalSolve for DensePrincipal<'_, M> {
    fn solve(
        &mut self,
        active: &[bool],
        perturbation: Perturbation<'_>,
        z: &mut [f64],
        w: &mut [f64],
        noise: &mut [f64],
    ) -> Result<(), Singular> {
        self.factor(active, perturbation.shift)?;
        let DenseSpace { lu, rows, step, .. } = &mut *self.space;
        rows.iter().for_each(|&row| z[row] = 0.0);
        // The solution itself is the first correction, from z = 0 in the active rows.
        let mut corrections = Corrections::default();
        for _ in 0..=REFINEMENTS {
            step.clear();
            step.extend(rows.iter().map(|&row| -slack(self.matrix, self.q, row, perturbation, z)));
            lu.solve(step);
            let useful = corrections.shrink(step);
            let mut size: f64 = 0.0;
            for (&row, value) in rows.iter().zip(&*step) {
                if useful {
                    z[row] += value;
                }
                size = size.max(z[row].abs());
            }
            if !useful || corrections.are_rounding(size) {
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

/// w_i, with twice the digits inside.
pub(super) fn slack<M: Rows>(matrix: &M, q: &[f64], row: usize, perturbation: Perturbation<'_>, z: &[f64]) -> f64 {
    let mut sum = Sum::of(q[row]);
    matrix.each(row, |column, value| sum.add(value, z[column]));
    sum.add(perturbation.shift[row], z[row]);
    sum.add(-perturbation.shift[row], perturbation.centre[row]);
    sum.add(perturbation.offset[row], 1.0);
    sum.value()
}

/// w in the rows that are not active, and what its rounding may be.
pub(super) fn finish_rows<M: Rows>(
    matrix: &M,
    q: &[f64],
    active: &[bool],
    perturbation: Perturbation<'_>,
    z: &[f64],
    w: &mut [f64],
    noise: &mut [f64],
) {
    for i in 0..active.len() {
        w[i] = if active[i] { 0.0 } else { slack(matrix, q, i, perturbation, z) };
        let mut size = q[i].abs();
        matrix.each(i, |column, value| size += (value * z[column]).abs());
        noise[i] = f64::EPSILON * size;
    }
}

/// The largest entry of a row in size, 1 where there is none.
pub(super) fn row_scale<M: Rows>(matrix: &M, row: usize) -> f64 {
    let mut size: f64 = 0.0;
    matrix.each(row, |_, value| size = size.max(value.abs()));
    if size > 0.0 { size } else { 1.0 }
}

/// The corrections of a refinement, as long as they are worth making.
pub(super) struct Corrections {
    last: f64,
}

impl Default for Corrections {
    fn default() -> Corrections {
        Corrections { last: f64::INFINITY }
    }
}

impl Corrections {
    /// Whether a correction is less than half of the one before: else it is noise.
    pub fn shrink(&mut self, step: &[f64]) -> bool {
        let length = largest(step);
        let useful = length < 0.5 * self.last;
        if useful {
            self.last = length;
        }
        useful
    }

    /// Whether the last correction is round-off of unknowns of this size.
    pub fn are_rounding(&self, size: f64) -> bool {
        self.last <= f64::EPSILON * size
    }
}

/// The largest entry in size.
pub(super) fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |size, value| size.max(value.abs()))
}
