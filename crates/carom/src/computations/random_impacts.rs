//! Random impacts with joints by the law of `spook` as it is printed, and with other right-hand sides of the joints [lacoursiere-linde-2011 (71)].
//!
//! Eight coordinates of different masses, two joints and four contacts, of random directions and velocities, restitutions and regularisations; with friction two
//! contacts of two tangents each.

use carom_lcp::{BlockPivot, Dense, Friction, FrictionDefault, Limits, Mlcp, Solver as _, Sparse};
use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter, finite};
use crate::random::Random;

/// The energy of random impacts.
pub const RANDOM_IMPACTS: Computation = Computation {
    name: "random-impacts",
    parameters: &[
        ("count", Parameter::Count { most: 100_000, default: 300 }),
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("joints", Parameter::Word(&["kept", "closed", "reflected"])),
        ("before", Parameter::Word(&["any", "consistent"])),
        ("contacts", Parameter::Word(&["approach", "any"])),
        ("friction", Parameter::Number { least: 0.0, most: 4.0, default: 0.0 }),
        ("restitution", Parameter::Number { least: 0.0, most: 1.0, default: 1.0 }),
    ],
    quantities: &["gains", "largest"],
    run,
};

const COORDINATES: usize = 8;
const JOINTS: usize = 2;
const CONTACTS: usize = 4;
/// The gain that counts, relative to the energy: above what a solve to 1e-12, with friction 1e-11, leaves.
const ROUNDING: f64 = 1e-9;
/// Decades of masses, and of the regularisation.
const MASS: [f64; 2] = [-1.0, 1.0];
const REGULARISATION: [f64; 2] = [-6.0, -2.0];

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let mut random = Random::new(given.count("seed") as u64);
    let (mut gains, mut largest) = (0_u32, f64::NEG_INFINITY);
    for _ in 0..given.count("count") {
        let gain = finite("the gain of an impact", trial(given, &mut random)?)?;
        gains += u32::from(gain > ROUNDING);
        largest = largest.max(gain);
    }
    Ok(vec![f64::from(gains), largest])
}

/// The gain of the kinetic energy in one impact, relative to it.
fn trial(given: &Given, random: &mut Random) -> Result<f64, String> {
    // Notation
    //   J = [G; N]   z = (λ, ν)   w = J v⁺ + T z + …                     [lacoursiere-linde-2011 (71)]
    //   M v⁺ = M v⁻ + Jᵀz
    //   with friction N is the first of three rows of a contact, the others D: D v⁺ + T β, ‖β‖ ≤ μν
    let mu = given.number("friction");
    let (stride, contacts) = if mu > 0.0 { (3, CONTACTS / 2) } else { (1, CONTACTS) };
    let rows = JOINTS + stride * contacts;
    let is_normal = |row: usize| row >= JOINTS && (row - JOINTS).is_multiple_of(stride);
    let inverse = DMatrix::from_diagonal(&DVector::from_fn(COORDINATES, |_, _| 1.0 / decades(random, MASS)));
    let mut j = DMatrix::from_fn(rows, COORDINATES, |_, _| random.normal());
    let mut v = DVector::from_fn(COORDINATES, |_, _| random.normal());
    if given.word("before") == "consistent" {
        let g = j.rows(0, JOINTS).into_owned();
        let mobility = (&g * &inverse * g.transpose()).cholesky().ok_or("the joints depend on each other")?;
        v -= &inverse * g.transpose() * mobility.solve(&(&g * &v));
    }
    let mut speed = &j * &v;
    if given.word("contacts") == "approach" {
        for row in (0..rows).filter(|&row| is_normal(row) && speed[row] > 0.0) {
            j.row_mut(row).neg_mut();
        }
        speed = &j * &v;
    }
    let [t_g, t_n] = [0; 2].map(|_| decades(random, REGULARISATION));
    let regularisation = DVector::from_fn(rows, |row, _| if row < JOINTS { t_g } else { t_n });
    let h = &j * &inverse * j.transpose() + DMatrix::from_diagonal(&regularisation);
    // G v⁺ + T λ = s G v⁻ and N v⁺ + Ψ N v⁻ + T ν ≥ 0.
    let sign = match given.word("joints") {
        "kept" => 1.0,
        "closed" => 0.0,
        _ => -1.0,
    };
    let mut right = |row: usize| match row {
        _ if row < JOINTS => (1.0 - sign) * speed[row],
        _ if is_normal(row) => (1.0 + given.number("restitution") * random.unit()) * speed[row],
        _ => speed[row],
    };
    let q: Vec<f64> = (0..rows).map(&mut right).collect();
    let dense: Vec<Vec<f64>> = h.row_iter().map(|row| row.iter().copied().collect()).collect();
    let matrix = Sparse::from_dense(&Dense::from_rows(&dense).map_err(|wrong| wrong.to_string())?);
    let mut z = vec![0.0; rows];
    let limits = Limits { tolerance: if mu > 0.0 { 1e-11 } else { 1e-12 }, ..Limits::default() };
    if mu > 0.0 {
        let problem = Friction::with_equalities(stride, JOINTS, matrix, q, vec![mu; contacts]);
        let problem = problem.map_err(|wrong| wrong.to_string())?;
        FrictionDefault::default().solve(&problem, &mut z, &limits).map_err(|unsolved| unsolved.to_string())?;
    } else {
        let lower = (0..rows).map(|row| if row < JOINTS { f64::NEG_INFINITY } else { 0.0 }).collect();
        let problem = Mlcp::new(matrix, q, lower, vec![f64::INFINITY; rows]).map_err(|wrong| wrong.to_string())?;
        BlockPivot::default().solve(&problem, &mut z, &limits).map_err(|unsolved| unsolved.to_string())?;
    }
    let after = &v + &inverse * j.transpose() * DVector::from_vec(z);
    let energy = |v: &DVector<f64>| v.iter().zip(inverse.diagonal().iter()).map(|(v, w)| v * v / w).sum::<f64>();
    Ok(energy(&after) / energy(&v) - 1.0)
}

fn decades(random: &mut Random, [low, high]: [f64; 2]) -> f64 {
    libm::exp10(random.between(low, high))
}

#[cfg(test)]
mod tests {
    use super::RANDOM_IMPACTS;
    use crate::computations::{Given, Value};

    fn gains(joints: &'static str, before: &'static str, contacts: &'static str) -> f64 {
        let mut given = Given::new(&RANDOM_IMPACTS);
        given.values[2..5].copy_from_slice(&[joints, before, contacts].map(Value::Word));
        (RANDOM_IMPACTS.run)(&given).expect("every impact is solved")[0]
    }

    #[test]
    fn energy_comes_in_unless_joints_are_reflected_or_hold_before() {
        assert_eq!(gains("reflected", "any", "approach"), 0.0);
        for joints in ["kept", "closed", "reflected"] {
            assert_eq!(gains(joints, "consistent", "approach"), 0.0, "{joints}");
        }
        assert!(gains("kept", "any", "approach") > 100.0 && gains("closed", "any", "approach") > 10.0);
        assert!(gains("reflected", "any", "any") > 10.0);
    }

    #[test]
    fn friction_brings_energy_in_with_restitution_only() {
        let gains = |friction: f64, restitution: f64| {
            let mut given = Given::new(&RANDOM_IMPACTS);
            given.values[2..5].copy_from_slice(&["reflected", "consistent", "approach"].map(Value::Word));
            given.values[5..].copy_from_slice(&[friction, restitution].map(Value::Number));
            (RANDOM_IMPACTS.run)(&given).expect("every impact is solved")[0]
        };
        assert_eq!(gains(0.5, 0.0), 0.0);
        assert!(gains(0.5, 1.0) > 0.0);
    }
}
