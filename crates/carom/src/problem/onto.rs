//! The projection of a start that is off its rows by rounding: `x −= M⁻¹Rᵀ(R M⁻¹Rᵀ)⁻¹r` with rows `R` of gradients and what they are off by.
//!
//! Few rows are full ones. Many rows of few entries have sparse factors: of a chain of rods that is written down with ten digits every rod is off.

use super::lines::Lines;
use crate::error::Failure;
use crate::linear::{Cholesky, add_transposed_times, dot};
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::products::Sparse;

/// What a message calls the projection.
const WHAT: &str = "the projection of a start that is off its constraints";

/// Why there are no factors.
pub enum Unfactored {
    /// They do not fit into memory.
    TooLarge(Failure),
    /// The row, counted among those that are held, depends on others.
    Redundant(usize),
}

impl From<Failure> for Unfactored {
    fn from(failure: Failure) -> Self {
        Self::TooLarge(failure)
    }
}

/// The rows that are held, and factors of their products.
pub enum Factors<'a> {
    /// `M⁻¹Rᵀ`, row by row, and factors of all products.
    Full(Vec<f64>, Cholesky),
    /// The rows themselves, which of them, and the reciprocals of a diagonal mass.
    Sparse(Box<Sparse>, &'a Lines, &'a [usize], &'a [f64]),
}

impl<'a> Factors<'a> {
    /// Of the rows that are held.
    pub fn of(inverse: &'a InverseMass, lines: &'a Lines, held: &'a [usize]) -> Result<Self, Unfactored> {
        match Self::sparse(inverse, lines, held)? {
            Some(sparse) => Ok(sparse),
            None => Self::full(inverse, lines, held),
        }
    }

    fn sparse(inverse: &'a InverseMass, lines: &'a Lines, held: &'a [usize]) -> Result<Option<Self>, Unfactored> {
        if let Some(reciprocals) = inverse.reciprocals() {
            let on = RowsOn::new(lines, held, reciprocals.len());
            // More pairs than full rows have need not be listed.
            if on.most_pairs() <= held.len() * held.len() {
                Failure::unless_it_fits(WHAT, on.most_pairs(), 2)?;
                let pairs = on.pairs(lines, held);
                if let Some(mut sparse) = Sparse::new(WHAT, held.len(), &pairs, 1)? {
                    let fill = |values: &mut [f64]| products(lines, held, reciprocals, &pairs, values);
                    sparse.factor_definite(fill).map_err(|breakdown| Unfactored::Redundant(breakdown.index))?;
                    return Ok(Some(Self::Sparse(Box::new(sparse), lines, held, reciprocals)));
                }
            }
        }
        Ok(None)
    }

    fn full(inverse: &InverseMass, lines: &Lines, held: &[usize]) -> Result<Self, Unfactored> {
        let (n, m) = (inverse.diagonal.len(), held.len());
        let rows = lines.full(held, n)?;
        let mut z = rows.clone();
        z.chunks_exact_mut(n).for_each(|row| inverse.solve(row));
        let mut schur = Cholesky::new(m);
        for i in 0..m {
            for j in 0..=i {
                schur.matrix[i * m + j] = dot(&rows[i * n..(i + 1) * n], &z[j * n..(j + 1) * n]);
            }
        }
        schur.factor().map_err(|breakdown| Unfactored::Redundant(breakdown.index))?;
        Ok(Self::Full(z, schur))
    }

    /// Takes what the rows are off by off `x`, to first order.
    pub fn take_off(&self, mut values: Vec<f64>, x: &mut [f64]) {
        match self {
            Self::Full(z, schur) => {
                schur.solve(&mut values);
                add_transposed_times(z, &values, -1.0, x);
            }
            Self::Sparse(sparse, lines, held, reciprocals) => {
                sparse.solve(&mut values);
                for (&row, value) in held.iter().zip(&values) {
                    lines.row(row).for_each(|(column, entry)| x[column] -= reciprocals[column] * entry * value);
                }
            }
        }
    }
}

/// The rows, counted among those that are held, with an entry in each column.
struct RowsOn(Vec<Vec<usize>>);

impl RowsOn {
    fn new(lines: &Lines, held: &[usize], columns: usize) -> Self {
        let mut on = vec![Vec::new(); columns];
        for (index, &row) in held.iter().enumerate() {
            lines.row(row).for_each(|(column, _)| on[column].push(index));
        }
        Self(on)
    }

    fn most_pairs(&self) -> usize {
        self.0.iter().map(|rows| rows.len().saturating_mul(rows.len())).fold(0, usize::saturating_add)
    }

    /// Pairs of rows with a column in common.
    fn pairs(&self, lines: &Lines, held: &[usize]) -> Vec<[usize; 2]> {
        let (mut pairs, mut partners) = (Vec::new(), Vec::new());
        for (index, &row) in held.iter().enumerate() {
            partners.clear();
            lines.row(row).for_each(|(column, _)| partners.extend_from_slice(&self.0[column]));
            partners.sort_unstable();
            partners.dedup();
            pairs.extend(partners.iter().map(|&other| [index, other]));
        }
        pairs
    }
}

/// `R M⁻¹Rᵀ` at the pairs, which stand row by row.
fn products(lines: &Lines, held: &[usize], reciprocals: &[f64], pairs: &[[usize; 2]], values: &mut [f64]) {
    let mut full = vec![0.0; reciprocals.len()];
    let mut filled = None;
    for (&[i, j], value) in pairs.iter().zip(values) {
        if filled != Some(i) {
            if let Some(row) = filled.replace(i) {
                lines.row(held[row]).for_each(|(column, _)| full[column] = 0.0);
            }
            lines.row(held[i]).for_each(|(column, entry)| full[column] = entry * reciprocals[column]);
        }
        *value = lines.dot(held[j], &full);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Link, Particles};

    /// A chain that goes to and fro, declared backwards, every third point held by the next one but one too.
    fn chain(links: usize) -> (Particles, Vec<f64>) {
        let masses = (0..=links).map(|i| 1.0 + (i % 5) as f64).collect();
        let mut system = Particles::new(2, masses).expect("right");
        for i in (0..links).rev() {
            system.add_rod(Link::between(i, i + 1), 0.1).expect("right");
        }
        for i in (0..links - 1).step_by(3) {
            system.add_rod(Link::between(i, i + 2), 0.2).expect("right");
        }
        // Well off a line: rods along others would depend on them.
        let at = |i: usize| [0.1 * i as f64, 0.1 * (i % 2) as f64 + 0.01 * libm::sin(1.3 * i as f64)];
        (system, (0..=links).flat_map(at).collect())
    }

    #[test]
    fn sparse_and_full_factors_take_off_the_same() {
        let (system, q) = chain(100);
        let inverse = InverseMass::new(&system, &q).expect("diagonal");
        let lines = Lines::of_equalities(&system, 0.0, &q).expect("small");
        // Some rows are not held.
        let held: Vec<usize> = (0..lines.len()).filter(|row| row % 7 != 3).collect();
        let values: Vec<f64> = held.iter().map(|row| libm::cos(2.1 * *row as f64)).collect();
        let places = [Factors::sparse(&inverse, &lines, &held), Factors::full(&inverse, &lines, &held).map(Some)];
        let [sparse, full] = places.map(|factors| {
            let (factors, mut x) = (factors.ok().flatten().expect("regular"), q.clone());
            factors.take_off(values.clone(), &mut x);
            x
        });
        let apart = sparse.iter().zip(&full).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(apart < 1e-11, "{apart:e}");
        // The rows change by what they are to be off by, those that are not held by something else.
        let change: Vec<f64> = sparse.iter().zip(&q).map(|(x, q)| q - x).collect();
        for (row, value) in held.iter().zip(&values) {
            assert!((lines.dot(*row, &change) - value).abs() < 1e-11);
        }
        // Few rows, and those of a mass that is not diagonal, have none.
        assert!(matches!(Factors::sparse(&inverse, &lines, &held[..20]), Ok(None)));
    }

    #[test]
    fn a_row_that_depends_on_others_is_told_by_both() {
        let (mut system, q) = chain(100);
        system.add_rod(Link::between(50, 51), 0.1).expect("right");
        let inverse = InverseMass::new(&system, &q).expect("diagonal");
        let lines = Lines::of_equalities(&system, 0.0, &q).expect("small");
        let held: Vec<usize> = (0..lines.len()).collect();
        for factors in [Factors::sparse(&inverse, &lines, &held), Factors::full(&inverse, &lines, &held).map(Some)]
        {
            assert!(matches!(factors, Err(Unfactored::Redundant(row)) if row + 1 == lines.len()));
        }
    }
}
