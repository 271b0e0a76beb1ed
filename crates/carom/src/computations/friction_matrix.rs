//! The matrix of random linearised friction problems: whether it is P or strictly copositive, and how many solutions there are, with and without the
//! term that makes the problem symmetric [lacoursiere-linde-2011 (78), (81)-(88)].
//!
//! Contacts in the plane, of two directions each: nothing is lost by the linearisation. All principal minors, all faces and all complementary
//! bases are looked through.

use carom_lcp::{Dense, Friction, LinearizedFriction, Sparse};
use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter};
use crate::random::Random;

/// The class of random friction matrices.
pub const FRICTION_MATRIX: Computation = Computation {
    name: "friction-matrix",
    parameters: &[
        ("count", Parameter::Count { most: 100_000, default: 300 }),
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("contacts", Parameter::Count { most: 3, default: 2 }),
        ("coupling", Parameter::Number { least: 0.0, most: 1.0, default: 0.0 }),
        ("friction", Parameter::Number { least: -4.0, most: 4.0, default: 4.0 }),
        ("regularisation", Parameter::Number { least: 1e-6, most: 1.0, default: 0.1 }),
    ],
    quantities: &["not_p", "not_copositive", "none", "several", "most", "sliding", "lift", "quadratic"],
    run,
};

/// Unknowns of a contact: ν, ξ of both directions, σ.
const STRIDE: usize = 4;
/// The least entry of the diagonal of W beyond that of a Gram matrix.
const DEFINITE: f64 = 1e-2;
/// An eigenvalue that counts as positive, relative to the size of the entries.
const POSITIVE: f64 = 1e-12;
/// Accelerated steps of the descent.
const DESCENT: usize = 4000;

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let mut random = Random::new(given.count("seed") as u64);
    let [mut not_p, mut not_copositive, mut none, mut several, mut most, mut sliding] = [0_usize; 6];
    let (mut lift, mut quadratic) = (f64::INFINITY, 0.0_f64);
    for _ in 0..given.count("count") {
        let problem = Matrix::draw(given, &mut random)?;
        not_p += usize::from(!problem.is_p());
        not_copositive += usize::from(!problem.is_strictly_copositive());
        let solutions = problem.solutions();
        none += usize::from(solutions.is_empty());
        several += usize::from(solutions.len() > 1);
        most = most.max(solutions.len());
        for z in &solutions {
            for contact in (0..given.count("contacts")).map(|contact| STRIDE * contact) {
                let (normal, slip) = (z[contact], z[contact + STRIDE - 1]);
                if normal > 0.0 && slip > 0.0 {
                    // N q̇ + εν of a closed contact that slides, over μσ.
                    let away = problem.velocity(contact, z) + problem.regularisation * normal;
                    lift = lift.min(away / (problem.h[(contact + STRIDE - 1, contact)] * slip));
                    sliding += 1;
                }
            }
        }
        if let [z] = &solutions[..] {
            quadratic = quadratic.max(problem.beside_least(z));
        }
    }
    let counts = [not_p, not_copositive, none, several, most, sliding].map(|count| count as f64);
    Ok(counts.into_iter().chain([lift, quadratic]).collect())
}

/// LCP(H, q) of a friction problem.
struct Matrix {
    h: DMatrix<f64>,
    q: DVector<f64>,
    regularisation: f64,
}

impl Matrix {
    fn draw(given: &Given, random: &mut Random) -> Result<Self, String> {
        // Notation
        //   H = [ A  B' ; U  −Bᵀ  T_U ] with −τ Uᵀ in the rows of the normals [lacoursiere-linde-2011 (78), (81)]
        let n = 2 * given.count("contacts");
        let factor = DMatrix::from_fn(n, n, |_, _| random.normal());
        let w = &factor * factor.transpose() + DMatrix::from_diagonal_element(n, n, DEFINITE);
        let q = (0..n).map(|_| random.normal()).collect();
        let mu: Vec<f64> = (0..given.count("contacts")).map(|_| given.number("friction") * random.unit()).collect();
        let rows: Vec<Vec<f64>> = w.row_iter().map(|row| row.iter().copied().collect()).collect();
        let matrix = Dense::from_rows(&rows).map_err(|wrong| wrong.to_string())?;
        let positive = mu.iter().map(|mu| mu.abs()).collect();
        let friction =
            Friction::new(2, Sparse::from_dense(&matrix), q, positive).map_err(|wrong| wrong.to_string())?;
        let linear = LinearizedFriction::polygon(&friction, 2).map_err(|wrong| wrong.to_string())?;
        let lcp = linear.lcp().ok_or("equalities")?;
        let size = lcp.q.len();
        let mut h = DMatrix::from_fn(size, size, |i, j| lcp.m[(i, j)]);
        let regularisation = given.number("regularisation");
        for (contact, mu) in mu.iter().enumerate() {
            let (normal, slip) = (STRIDE * contact, STRIDE * (contact + 1) - 1);
            h[(slip, normal)] = *mu;
            h[(normal, slip)] = -given.number("coupling") * mu;
        }
        h += DMatrix::from_diagonal_element(size, size, regularisation);
        Ok(Self { h, q: DVector::from_vec(lcp.q), regularisation })
    }

    /// N q̇ of the contact whose normal is this row: W r + q, which neither slips nor the regularisation are part of.
    fn velocity(&self, row: usize, z: &DVector<f64>) -> f64 {
        let columns = (0..z.len()).filter(|column| column % STRIDE != STRIDE - 1);
        let sum: f64 = columns.map(|column| self.h[(row, column)] * z[column]).sum();
        sum + self.q[row] - self.regularisation * z[row]
    }

    /// Every set of rows that is not empty, as bits.
    fn sets(&self) -> impl Iterator<Item = Vec<usize>> {
        let n = self.q.len();
        (1_usize..1 << n).map(move |bits| (0..n).filter(|i| bits >> i & 1 == 1).collect())
    }

    fn principal(&self, set: &[usize]) -> DMatrix<f64> {
        DMatrix::from_fn(set.len(), set.len(), |i, j| self.h[(set[i], set[j])])
    }

    /// Whether every principal minor is positive.
    fn is_p(&self) -> bool {
        self.sets().all(|set| self.principal(&set).determinant() > 0.0)
    }

    /// Whether zᵀHz > 0 for every z ≥ 0 but 0: by Kaplan's criterion no principal submatrix of the symmetric part has an eigenvector of positive entries with
    /// an eigenvalue that is not positive.
    fn is_strictly_copositive(&self) -> bool {
        let scale = self.h.amax();
        self.sets().all(|set| {
            let part = self.principal(&set);
            let eigen = ((&part + part.transpose()) * 0.5).symmetric_eigen();
            (0..set.len()).all(|k| {
                let vector = eigen.eigenvectors.column(k);
                let one_sign = vector.iter().all(|v| *v > 0.0) || vector.iter().all(|v| *v < 0.0);
                !one_sign || eigen.eigenvalues[k] > POSITIVE * scale
            })
        })
    }

    /// Every solution, by its complementary basis.
    fn solutions(&self) -> Vec<DVector<f64>> {
        let bases = std::iter::once(Vec::new()).chain(self.sets());
        bases.filter_map(|set| self.solution(&set)).collect()
    }

    fn solution(&self, set: &[usize]) -> Option<DVector<f64>> {
        let mut z = DVector::zeros(self.q.len());
        if !set.is_empty() {
            let right = DVector::from_fn(set.len(), |i, _| -self.q[set[i]]);
            let answer = self.principal(set).lu().solve(&right)?;
            if answer.iter().any(|value| *value < 0.0) {
                return None;
            }
            set.iter().zip(answer.iter()).for_each(|(&row, value)| z[row] = *value);
        }
        let w = &self.h * &z + &self.q;
        let outside = (0..self.q.len()).filter(|row| !set.contains(row)).all(|row| w[row] >= 0.0);
        outside.then_some(z)
    }

    /// The distance of ν and ξ from the least point of the quadratic program, relative to them, by descent:
    /// ½ xᵀQx + qᵀx + Σ max(0, Σξ − μν)²/(2 T_U) over x ≥ 0.
    fn beside_least(&self, z: &DVector<f64>) -> f64 {
        let n = self.q.len();
        let (kept, slips): (Vec<usize>, Vec<usize>) = (0..n).partition(|row| row % STRIDE != STRIDE - 1);
        let q_part = self.principal(&kept);
        let linear = DVector::from_fn(kept.len(), |i, _| self.q[kept[i]]);
        // Rows of −(μν − Σξ).
        let over = DMatrix::from_fn(slips.len(), kept.len(), |i, j| -self.h[(slips[i], kept[j])]);
        let gradient = |x: &DVector<f64>| {
            let beyond = (&over * x).map(|value| value.max(0.0) / self.regularisation);
            &q_part * x + &linear + over.transpose() * beyond
        };
        let steepest = q_part.norm() + over.norm().powi(2) / self.regularisation;
        // The program is curved by at least the regularisation.
        let ratio = (self.regularisation / steepest).sqrt();
        let momentum = (1.0 - ratio) / (1.0 + ratio);
        let mut x = DVector::zeros(kept.len());
        let mut ahead = x.clone();
        for _ in 0..DESCENT {
            let next = (&ahead - gradient(&ahead) / steepest).map(|value| value.max(0.0));
            ahead = &next + (&next - &x) * momentum;
            x = next;
        }
        let answer = DVector::from_fn(kept.len(), |i, _| z[kept[i]]);
        let size = answer.norm();
        if size == 0.0 { x.norm() } else { (x - answer).norm() / size }
    }
}

#[cfg(test)]
mod tests {
    use super::{FRICTION_MATRIX, Matrix};
    use crate::computations::{Given, Value};
    use nalgebra::{DMatrix, DVector};

    fn of(coupling: f64, friction: f64) -> Vec<f64> {
        let mut given = Given::new(&FRICTION_MATRIX);
        given.values[0] = Value::Number(40.0);
        given.values[3] = Value::Number(coupling);
        given.values[4] = Value::Number(friction);
        (FRICTION_MATRIX.run)(&given).expect("matrices")
    }

    fn matrix(rows: &[f64], q: &[f64]) -> Matrix {
        let n = q.len();
        Matrix { h: DMatrix::from_row_slice(n, n, rows), q: DVector::from_row_slice(q), regularisation: 0.1 }
    }

    #[test]
    fn classes_of_known_matrices() {
        let positive = matrix(&[1.0, 3.0, 0.0, 1.0], &[-1.0, -1.0]);
        assert!(positive.is_p() && positive.is_strictly_copositive());
        let copositive = matrix(&[1.0, 2.0, 2.0, 1.0], &[-1.0, -1.0]);
        assert!(!copositive.is_p() && copositive.is_strictly_copositive());
        assert_eq!(copositive.solutions().len(), 3);
        let neither = matrix(&[1.0, -2.0, -2.0, 1.0], &[-1.0, -1.0]);
        assert!(!neither.is_p() && !neither.is_strictly_copositive() && neither.solutions().is_empty());
    }

    #[test]
    fn the_symmetric_problem_is_p_and_lifts_what_slides() {
        let symmetric = of(1.0, 4.0);
        assert_eq!(symmetric[..4], [0.0; 4]);
        assert!((symmetric[6] - 1.0).abs() < 1e-12 && symmetric[7] < 1e-9, "{symmetric:?}");
        let coulomb = of(0.0, 4.0);
        assert!(coulomb[0] > 0.0 && coulomb[1] == 0.0 && coulomb[2] == 0.0, "{coulomb:?}");
        assert!(coulomb[6].abs() < 1e-12 && coulomb[7] > 1e-3, "{coulomb:?}");
        assert!(of(0.0, -4.0)[1] > 0.0);
    }
}
