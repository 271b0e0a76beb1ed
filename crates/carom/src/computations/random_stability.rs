//! The iteration of constraint violations under `spook`, for random constraints and random T and Φ [lacoursiere-linde-2011 (58)-(69)].
//!
//! Constraints are linear, `g = G q`, of up to six rows and coordinates of unit mass; half of them have rows that depend on each other. A violation
//! stays in the range of G, and the iteration is taken there: beside it `K` of (64) has eigenvalues 1 that no violation meets.

use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter, finite};
use crate::random::Random;

/// Stability of random iterations.
pub const RANDOM_STABILITY: Computation = Computation {
    name: "random-stability",
    parameters: &[
        ("count", Parameter::Count { most: 100_000, default: 4000 }),
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("regularisation", Parameter::Word(&["diagonal", "block", "full"])),
        ("damping", Parameter::Word(&["diagonal", "equal", "block", "full"])),
    ],
    quantities: &["unstable", "radius", "above"],
    run,
};

/// The most rows and coordinates.
const MOST: usize = 6;
/// What an eigenvalue of modulus 1 may be off by: the root of the rounding, as double ones are.
const ROUNDING: f64 = 1e-6;
/// Squarings for the spectral radius: the 2⁴⁰-th power.
const SQUARINGS: usize = 40;
/// Decades of the eigenvalues of T, in 1/kg.
const REGULARISATION: [f64; 2] = [-6.0, 2.0];
/// Decades of τ/h.
const DAMPING: [f64; 2] = [-2.0, 2.0];

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let mut random = Random::new(given.count("seed") as u64);
    let (mut unstable, mut largest, mut above) = (0_u32, 0.0_f64, 0_u32);
    for _ in 0..given.count("count") {
        let [k, c] = trial(given, &mut random).radii()?;
        let (k, c) = (finite("a spectral radius", k)?, finite("a spectral radius", c)?);
        unstable += u32::from(k > 1.0 + ROUNDING);
        above += u32::from(k > c + ROUNDING);
        largest = largest.max(k);
    }
    Ok(vec![f64::from(unstable), largest, f64::from(above)])
}

/// An iteration: constraints `G = U B` of full rank `B`, orthonormal `U`, and T and Φ.
struct Iteration {
    u: DMatrix<f64>,
    b: DMatrix<f64>,
    t: DMatrix<f64>,
    phi: DMatrix<f64>,
}

impl Iteration {
    /// The spectral radii of K and of C.
    fn radii(&self) -> Result<[f64; 2], String> {
        // Notation
        //   A_0 = G Gᵀ   A_ε = A_0 + T   Θ = 1 − Φ                          [lacoursiere-linde-2011 (60), (68)]
        //   x = G q = U a,  y = h G v = U b                                 a, b: coordinates in the range of G
        let Self { u, b, t, phi } = self;
        let a_0 = b * b.transpose();
        let a_epsilon = u * &a_0 * u.transpose() + t;
        let solve = a_epsilon.cholesky().ok_or("the matrix of the step is not positive definite")?;
        let one = DMatrix::identity(phi.nrows(), phi.nrows());
        // Uᵀ A_0 A_ε⁻¹ (·) U
        let back = |side: DMatrix<f64>| &a_0 * u.transpose() * solve.solve(&(side * u));
        let (position, velocity) = (back(phi * 4.0), back(one - phi));
        // [lacoursiere-linde-2011 (64), (66)]
        let r = a_0.nrows();
        let unit = DMatrix::<f64>::identity(r, r);
        let n = &unit - velocity;
        let mut k = DMatrix::zeros(2 * r, 2 * r);
        k.view_mut((0, 0), (r, r)).copy_from(&(&unit - &position));
        k.view_mut((0, r), (r, r)).copy_from(&n);
        k.view_mut((r, 0), (r, r)).copy_from(&-&position);
        k.view_mut((r, r), (r, r)).copy_from(&n);
        // C has 1 and N on its diagonal.
        Ok([radius(k), radius(n).max(1.0)])
    }
}

/// The largest modulus of an eigenvalue, as the limit of ‖Aᴺ‖^(1/N) (Gelfand), by squaring: Jordan blocks do no harm.
fn radius(mut matrix: DMatrix<f64>) -> f64 {
    let mut logarithm = 0.0;
    let mut power = 1.0;
    for _ in 0..SQUARINGS {
        let size = matrix.norm();
        if size == 0.0 {
            return 0.0;
        }
        logarithm += libm::log(size) / power;
        matrix /= size;
        matrix = &matrix * &matrix;
        power *= 2.0;
    }
    libm::exp(logarithm)
}

fn trial(given: &Given, random: &mut Random) -> Iteration {
    let mut whole = |most: usize| 1 + (random.unit() * most as f64) as usize;
    let (m, n) = (whole(MOST), whole(MOST));
    let full = m.min(n);
    let r = if whole(2) == 1 { full } else { whole(full) };
    let u = orthonormal(random, m, r);
    let b = DMatrix::from_fn(r, n, |_, _| random.normal());
    let blocks = cut(random, m);
    let t = match given.word("regularisation") {
        "diagonal" => DMatrix::from_diagonal(&DVector::from_fn(m, |_, _| decades(random, REGULARISATION))),
        "block" => {
            let mut t = DMatrix::zeros(m, m);
            for &(first, size) in &blocks {
                t.view_mut((first, first), (size, size))
                    .copy_from(&definite(random, size, |random| decades(random, REGULARISATION)));
            }
            t
        }
        _ => definite(random, m, |random| decades(random, REGULARISATION)),
    };
    let phi = match given.word("damping") {
        "full" => definite(random, m, share),
        word => {
            let equal = share(random);
            let mut phi = DMatrix::from_diagonal_element(m, m, equal);
            for &(first, size) in blocks.iter().filter(|_| word != "equal") {
                let of_block = share(random);
                for row in first..first + size {
                    phi[(row, row)] = if word == "block" { of_block } else { share(random) };
                }
            }
            phi
        }
    };
    Iteration { u, b, t, phi }
}

/// φ = 1/(1 + 4τ/h) [lacoursiere-linde-2011 (53)].
fn share(random: &mut Random) -> f64 {
    1.0 / (1.0 + 4.0 * decades(random, DAMPING))
}

fn decades(random: &mut Random, [low, high]: [f64; 2]) -> f64 {
    libm::exp10(random.between(low, high))
}

/// Rows cut into blocks of one to three: the first row and the size of each.
fn cut(random: &mut Random, m: usize) -> Vec<(usize, usize)> {
    let (mut blocks, mut first) = (Vec::new(), 0);
    while first < m {
        let size = (1 + (random.unit() * 3.0) as usize).min(m - first);
        blocks.push((first, size));
        first += size;
    }
    blocks
}

/// Orthonormal columns.
fn orthonormal(random: &mut Random, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| random.normal()).qr().q()
}

/// A symmetric positive definite matrix with random eigenvectors.
fn definite(random: &mut Random, size: usize, mut eigenvalue: impl FnMut(&mut Random) -> f64) -> DMatrix<f64> {
    let vectors = orthonormal(random, size, size);
    let values = DMatrix::from_diagonal(&DVector::from_fn(size, |_, _| eigenvalue(random)));
    let matrix = &vectors * values * vectors.transpose();
    (&matrix + matrix.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::{Iteration, RANDOM_STABILITY};
    use crate::computations::{Given, Value};
    use nalgebra::DMatrix;

    /// One row: λ² − (1 − 3φ)λ + φ = 0 for T = 0, whose roots are known.
    #[test]
    fn one_row_has_the_roots_of_its_equation() {
        let one = |value: f64| DMatrix::from_element(1, 1, value);
        let real = |phi: f64| 0.5 * (1.0 - 3.0 * phi + ((1.0 - phi) * (1.0 - 9.0 * phi)).sqrt());
        let complex = |phi: f64| phi.sqrt();
        for (phi, expected) in [(1.0 / 9.0, 1.0 / 3.0), (0.2, complex(0.2)), (1.0 / 41.0, real(1.0 / 41.0))] {
            let row = Iteration { u: one(1.0), b: one(1.0), t: one(1e-15), phi: one(phi) };
            let [k, c] = row.radii().expect("eigenvalues");
            // A double root moves by the root of the rounding.
            assert!((k - expected).abs() < 1e-5, "{phi}: {k}, not {expected}");
            assert!((c - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn only_unlike_damping_that_shares_a_block_is_unstable() {
        let unstable = |regularisation: &'static str, damping: &'static str| {
            let mut given = Given::new(&RANDOM_STABILITY);
            given.values[0] = Value::Number(500.0);
            given.values[2] = Value::Word(regularisation);
            given.values[3] = Value::Word(damping);
            (RANDOM_STABILITY.run)(&given).expect("eigenvalues")[0]
        };
        for (regularisation, damping) in
            [("diagonal", "diagonal"), ("diagonal", "equal"), ("block", "block"), ("full", "equal")]
        {
            assert_eq!(unstable(regularisation, damping), 0.0, "{regularisation} T, {damping} Φ");
        }
        for (regularisation, damping) in [("full", "full"), ("full", "diagonal"), ("diagonal", "full")] {
            assert!(unstable(regularisation, damping) > 20.0, "{regularisation} T, {damping} Φ");
        }
    }
}
