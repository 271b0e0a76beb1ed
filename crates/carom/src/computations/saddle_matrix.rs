//! The matrix of a step with constraints in its three forms, for random constraints: how it is conditioned and what its factors are worth
//! [lacoursiere-linde-2011 (6)-(8), (57)].
//!
//! Eight coordinates with masses over `ratio` below `mass`, four random rows; two more repeat rows where they are to depend on each other.

use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter};
use crate::random::Random;

/// Conditioning and factors of the matrix of a step.
pub const SADDLE_MATRIX: Computation = Computation {
    name: "saddle-matrix",
    parameters: &[
        ("count", Parameter::Count { most: 100_000, default: 200 }),
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("matrix", Parameter::Word(&["saddle", "penalty", "schur"])),
        ("rows", Parameter::Word(&["independent", "dependent"])),
        ("perturbation", Parameter::Number { least: 0.0, most: 1e6, default: 1e-6 }),
        ("scale", Parameter::Word(&["absolute", "mass", "mobility"])),
        ("mass", Parameter::Number { least: 1e-9, most: 1e9, default: 1.0 }),
        ("ratio", Parameter::Number { least: 1.0, most: 1e9, default: 1.0 }),
        ("order", Parameter::Word(&["bodies", "constraints", "random"])),
    ],
    quantities: &["condition", "largest_condition", "softened", "broken", "backward", "signs"],
    run,
};

/// Coordinates, rows, and rows that repeat others.
const COORDINATES: usize = 8;
const ROWS: usize = 4;
const REPEATED: usize = 2;

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let mut random = Random::new(given.count("seed") as u64);
    let count = given.count("count");
    let mut conditions = Vec::with_capacity(count);
    let (mut broken, mut backward, mut signs, mut softened) = (0_u32, 0.0_f64, 0_u32, 0.0_f64);
    for _ in 0..count {
        let step = Step::random(given, &mut random);
        let matrix = match given.word("matrix") {
            "penalty" => step.penalty()?,
            "schur" => step.schur(),
            _ => step.saddle(),
        };
        conditions.push(condition(&matrix));
        broken += u32::from(matrix.cholesky().is_none());
        let order = step.order(given.word("order"), &mut random);
        let factors = Factors::new(&step.saddle(), &order);
        backward = backward.max(factors.error);
        signs += u32::from(!factors.has_signs(&order));
        softened = softened.max(step.t / step.mobility());
    }
    conditions.sort_by(f64::total_cmp);
    Ok(vec![conditions[count / 2], conditions[count - 1], softened, f64::from(broken), backward, f64::from(signs)])
}

/// A step: masses, constraints and their perturbation.
struct Step {
    mass: DVector<f64>,
    g: DMatrix<f64>,
    t: f64,
}

// Notation
//   M masses   G rows   T = t 1 perturbation
//   W = M + GᵀT⁻¹G   A = G M⁻¹Gᵀ + T   H = [[M, Gᵀ], [G, −T]]      [lacoursiere-linde-2011 (7), (8)]
impl Step {
    fn random(given: &Given, random: &mut Random) -> Self {
        let (largest, decades) = (given.number("mass"), libm::log10(given.number("ratio")));
        let mass = DVector::from_fn(COORDINATES, |_, _| largest * libm::exp10(-random.between(0.0, decades)));
        let own = DMatrix::from_fn(ROWS, COORDINATES, |_, _| random.normal());
        let repeated = if given.word("rows") == "dependent" { REPEATED } else { 0 };
        let g = DMatrix::from_fn(ROWS + repeated, COORDINATES, |row, column| own[(row % ROWS, column)]);
        let mut step = Self { mass, g, t: given.number("perturbation") };
        step.t *= match given.word("scale") {
            "mass" => largest,
            "mobility" => step.mobility(),
            _ => 1.0,
        };
        step
    }

    /// G M⁻¹Gᵀ.
    fn inverse_inertia(&self) -> DMatrix<f64> {
        let inverse = DMatrix::from_diagonal(&self.mass.map(f64::recip));
        &self.g * inverse * self.g.transpose()
    }

    /// The mean of its diagonal.
    fn mobility(&self) -> f64 {
        self.inverse_inertia().trace() / self.g.nrows() as f64
    }

    fn schur(&self) -> DMatrix<f64> {
        let rows = self.g.nrows();
        self.inverse_inertia() + DMatrix::from_diagonal_element(rows, rows, self.t)
    }

    fn penalty(&self) -> Result<DMatrix<f64>, String> {
        if self.t == 0.0 {
            return Err("a penalty needs a perturbation above 0".into());
        }
        Ok(DMatrix::from_diagonal(&self.mass) + self.g.transpose() * &self.g / self.t)
    }

    fn saddle(&self) -> DMatrix<f64> {
        let (n, rows) = (self.mass.len(), self.g.nrows());
        let mut h = DMatrix::zeros(n + rows, n + rows);
        h.view_mut((0, 0), (n, n)).copy_from(&DMatrix::from_diagonal(&self.mass));
        h.view_mut((n, 0), (rows, n)).copy_from(&self.g);
        h.view_mut((0, n), (n, rows)).copy_from(&self.g.transpose());
        h.view_mut((n, n), (rows, rows)).fill_diagonal(-self.t);
        h
    }

    /// The order of elimination.
    fn order(&self, word: &str, random: &mut Random) -> Vec<usize> {
        let (n, all) = (self.mass.len(), self.mass.len() + self.g.nrows());
        let mut order: Vec<usize> = (0..all).collect();
        match word {
            "constraints" => order.rotate_left(n),
            "random" => {
                for place in (1..all).rev() {
                    order.swap(place, (random.unit() * (place + 1) as f64) as usize);
                }
            }
            _ => {}
        }
        order
    }
}

/// The ratio of the largest to the least singular value; at most that which rounding lets one see.
fn condition(matrix: &DMatrix<f64>) -> f64 {
    let values = matrix.singular_values();
    values.max() / values.min().max(f64::EPSILON * values.max())
}

/// What became of H = L D Lᵀ without pivoting.
struct Factors {
    d: Vec<f64>,
    /// The largest entry of L D Lᵀ − H relative to that of H; infinite where a pivot was zero.
    error: f64,
}

impl Factors {
    fn new(h: &DMatrix<f64>, order: &[usize]) -> Self {
        let size = order.len();
        let permuted = DMatrix::from_fn(size, size, |row, column| h[(order[row], order[column])]);
        let mut rest = permuted.clone();
        let mut l = DMatrix::<f64>::identity(size, size);
        let mut d = vec![0.0; size];
        for k in 0..size {
            d[k] = rest[(k, k)];
            for row in k + 1..size {
                l[(row, k)] = rest[(row, k)] / d[k];
            }
            for column in k + 1..size {
                for row in column..size {
                    rest[(row, column)] -= l[(row, k)] * d[k] * l[(column, k)];
                }
            }
        }
        let product = &l * DMatrix::from_diagonal(&DVector::from_column_slice(&d)) * l.transpose();
        let error = (product - &permuted).amax() / permuted.amax();
        let usable = error.is_finite() && d.iter().all(|pivot| pivot.is_finite());
        Self { d, error: if usable { error } else { f64::INFINITY } }
    }

    /// Whether bodies have positive pivots and constraints negative ones.
    fn has_signs(&self, order: &[usize]) -> bool {
        order
            .iter()
            .zip(&self.d)
            .all(|(&place, &pivot)| if place < COORDINATES { pivot > 0.0 } else { pivot < 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::{Factors, Step, condition};
    use nalgebra::{DMatrix, DVector};

    /// One coordinate and one row: everything by hand.
    #[test]
    fn one_row_is_as_by_hand() {
        let step = Step { mass: DVector::from_element(1, 2.0), g: DMatrix::from_element(1, 1, 3.0), t: 0.5 };
        assert_eq!(step.schur()[(0, 0)], 9.0 / 2.0 + 0.5);
        assert_eq!(step.penalty().expect("a perturbation")[(0, 0)], 2.0 + 9.0 / 0.5);
        assert_eq!(step.mobility(), 4.5);
        assert_eq!(step.saddle(), DMatrix::from_row_slice(2, 2, &[2.0, 3.0, 3.0, -0.5]));
        let factors = Factors::new(&step.saddle(), &[1, 0]);
        assert_eq!(factors.d, [-0.5, 20.0]);
        assert!(factors.has_signs(&[8, 0]) && !factors.has_signs(&[0, 8]));
        assert!(factors.error < 1e-15);
    }

    #[test]
    fn a_zero_pivot_has_no_factors() {
        let step = Step { mass: DVector::from_element(1, 2.0), g: DMatrix::from_element(1, 1, 3.0), t: 0.0 };
        assert!(step.penalty().is_err());
        assert_eq!(Factors::new(&step.saddle(), &[1, 0]).error, f64::INFINITY);
        assert!(Factors::new(&step.saddle(), &[0, 1]).error < 1e-15);
    }

    #[test]
    fn the_condition_is_that_of_the_diagonal() {
        let diagonal = DMatrix::from_diagonal(&DVector::from_column_slice(&[-4.0, 0.5]));
        assert!((condition(&diagonal) - 8.0).abs() < 1e-12);
    }
}
