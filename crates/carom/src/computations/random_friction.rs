//! Random friction problems and whether they are solved [lacoursiere-linde-2011, appendix II]: of one to ten contacts in the plane or in space, by
//! Coulomb's cone, bounds on each tangent or a polygon.

use carom_lcp::{
    Dense, Friction, FrictionDefault, Judged, Law, Lcp, LcpDefault, Lemke, Limits, LinearizedFriction, Solver,
    Sparse,
};
use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter, finite};
use crate::random::Random;

/// Solved and unsolved random friction problems.
pub const RANDOM_FRICTION: Computation = Computation {
    name: "random-friction",
    parameters: &[
        ("count", Parameter::Count { most: 100_000, default: 1000 }),
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("contacts", Parameter::Count { most: 20, default: 10 }),
        ("law", Parameter::Word(&["cone", "box", "polygon"])),
        ("matrix", Parameter::Word(&["definite", "deficient", "singular", "sunk"])),
        ("friction", Parameter::Number { least: 0.0, most: 100.0, default: 4.0 }),
        ("solver", Parameter::Word(&["default", "lemke"])),
        ("perturbation", Parameter::Number { least: 0.0, most: 1.0, default: 0.0 }),
    ],
    quantities: &["unsolved", "worst", "least"],
    run,
};

/// Directions of a polygon.
const CORNERS: usize = 8;
/// Added to the diagonal of matrices of full rank, and the regularisation of those without.
const DEFINITE: f64 = 1e-2;
const REGULARISATION: f64 = 1e-6;

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let mut random = Random::new(given.count("seed") as u64);
    let limits = Limits::default();
    let (mut unsolved, mut worst, mut least) = (0_u32, 0.0_f64, f64::INFINITY);
    for trial in 0..given.count("count") {
        let problem = draw(given, &mut random, 2 + trial % 2)?;
        // The residual is that of the problem, not of the solver's opinion.
        let relative = match (given.word("law"), given.word("solver")) {
            ("polygon", solver) => {
                let linear = LinearizedFriction::polygon(&problem, CORNERS).map_err(|wrong| wrong.to_string())?;
                let mut lcp = linear.lcp().ok_or("equalities")?;
                (0..lcp.q.len()).for_each(|row| lcp.m[(row, row)] += given.number("perturbation"));
                match solver {
                    "lemke" => residual(&mut Lemke::default(), &lcp, &limits),
                    _ => residual::<Lcp>(&mut LcpDefault::default(), &lcp, &limits),
                }
            }
            (_, "lemke") => return Err("Lemke's method takes polygons".into()),
            ("box", _) => residual(&mut FrictionDefault::default(), &problem.with_law(Law::Box), &limits),
            _ => residual(&mut FrictionDefault::default(), &problem, &limits),
        };
        let relative = finite("the residual of a problem", relative)?;
        unsolved += u32::from(relative > limits.tolerance);
        worst = worst.max(relative);
        least = least.min(relative);
    }
    Ok(vec![f64::from(unsolved), worst, least])
}

fn residual<P: Judged>(solver: &mut dyn Solver<P>, problem: &P, limits: &Limits) -> f64 {
    let mut z = vec![0.0; problem.size()];
    let _ = solver.solve(problem, &mut z, limits);
    problem.residual(&z).relative
}

/// A problem with W = J Jᵀ + T.
fn draw(given: &Given, random: &mut Random, dimension: usize) -> Result<Friction, String> {
    let contacts = 1 + (random.unit() * given.count("contacts") as f64) as usize;
    let n = dimension * contacts;
    let (columns, shift) = match given.word("matrix") {
        "definite" | "sunk" => (n, DEFINITE),
        "deficient" => ((n / 2).max(1), REGULARISATION),
        _ => ((n / 2).max(1), 0.0),
    };
    let j = DMatrix::from_fn(n, columns, |_, _| random.normal());
    let mut w = &j * j.transpose() + DMatrix::from_diagonal_element(n, n, shift);
    let mut q = match given.word("matrix") {
        // Velocities of bodies.
        "deficient" => &j * DVector::from_fn(columns, |_, _| random.normal()),
        _ => DVector::from_fn(n, |_, _| random.normal()),
    };
    if given.word("matrix") == "sunk" {
        // A contact that approaches, and that every normal impulse draws in: u_n ≤ q_n < 0 whatever the impulses.
        for column in 0..n {
            w[(0, column)] = if column % dimension == 0 { -w[(0, column)].abs() } else { 0.0 };
        }
        q[0] = -q[0].abs();
    }
    let rows: Vec<Vec<f64>> = w.row_iter().map(|row| row.iter().copied().collect()).collect();
    let matrix = Dense::from_rows(&rows).map_err(|wrong| wrong.to_string())?;
    let mu = (0..contacts).map(|_| given.number("friction") * random.unit()).collect();
    let q = q.iter().copied().collect();
    Friction::new(dimension, Sparse::from_dense(&matrix), q, mu).map_err(|wrong| wrong.to_string())
}

#[cfg(test)]
mod tests {
    use super::RANDOM_FRICTION;
    use crate::computations::{Given, Value};

    fn of(law: &'static str, matrix: &'static str, solver: &'static str, count: u32) -> Vec<f64> {
        let mut given = Given::new(&RANDOM_FRICTION);
        given.values[0] = Value::Number(f64::from(count));
        given.values[2] = Value::Number(4.0);
        given.values[3] = Value::Word(law);
        given.values[4] = Value::Word(matrix);
        given.values[6] = Value::Word(solver);
        (RANDOM_FRICTION.run)(&given).expect("problems")
    }

    #[test]
    fn definite_problems_are_solved_and_those_without_a_solution_are_not() {
        for law in ["cone", "box", "polygon"] {
            assert_eq!(of(law, "definite", "default", 40)[0], 0.0, "{law}");
            assert_eq!(of(law, "sunk", "default", 2)[0], 2.0, "{law}");
        }
        assert_eq!(of("polygon", "definite", "lemke", 40)[0], 0.0);
    }
}
