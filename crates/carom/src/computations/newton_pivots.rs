//! Block pivoting and Newton's method on functions of complementarity, iterate by iterate [lacoursiere-linde-2011, section 16 and Algorithm 21.2].
//!
//! Random LCPs with symmetric positive definite matrices, from z = 0: 0 ≤ z ⟂ w = H z + q ≥ 0.

use nalgebra::{DMatrix, DVector};

use super::{Computation, Given, Parameter};
use crate::random::Random;

/// Pivots against steps of Newton's method.
pub const NEWTON_PIVOTS: Computation = Computation {
    name: "newton-pivots",
    parameters: &[
        ("count", Parameter::Count { most: 100_000, default: 300 }),
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("size", Parameter::Count { most: 30, default: 8 }),
        ("function", Parameter::Word(&["minimum", "fischer-burmeister"])),
    ],
    quantities: &["different", "unsolved", "iterations"],
    run,
};

/// Iterations that are compared.
const ITERATIONS: usize = 30;
/// A difference that counts, and the residual of what is solved, relative.
const DIFFERENT: f64 = 1e-6;
const SOLVED: f64 = 1e-10;
const DEFINITE: f64 = 0.1;

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let mut random = Random::new(given.count("seed") as u64);
    let n = given.count("size");
    let (mut different, mut unsolved, mut most) = (0_u32, 0_u32, 0);
    for _ in 0..given.count("count") {
        let factor = DMatrix::from_fn(n, n, |_, _| random.normal());
        let h = &factor * factor.transpose() + DMatrix::from_diagonal_element(n, n, DEFINITE);
        let q = DVector::from_fn(n, |_, _| random.normal());
        let (mut by_pivots, mut by_newton) = (DVector::zeros(n), DVector::zeros(n));
        let mut active = vec![false; n];
        let (mut apart, mut solved) = (false, None);
        for iteration in 1..=ITERATIONS {
            pivot(&h, &q, &mut active, &mut by_pivots)?;
            step(given.word("function"), &h, &q, &mut by_newton)?;
            apart |= (&by_pivots - &by_newton).norm() > DIFFERENT * by_pivots.norm();
            let w = &h * &by_newton + &q;
            let residual = by_newton.zip_map(&w, f64::min).norm();
            if residual <= SOLVED * q.norm() {
                solved = Some(iteration);
                break;
            }
        }
        different += u32::from(apart);
        unsolved += u32::from(solved.is_none());
        most = most.max(solved.unwrap_or(ITERATIONS));
    }
    Ok(vec![f64::from(different), f64::from(unsolved), most as f64])
}

/// Exchanges every row that is infeasible, and solves for the active ones.
fn pivot(h: &DMatrix<f64>, q: &DVector<f64>, active: &mut [bool], z: &mut DVector<f64>) -> Result<(), String> {
    let w = h * &*z + q;
    for (row, active) in active.iter_mut().enumerate() {
        *active = if *active { z[row] >= 0.0 } else { w[row] < 0.0 };
    }
    let set: Vec<usize> = (0..q.len()).filter(|&row| active[row]).collect();
    let part = DMatrix::from_fn(set.len(), set.len(), |i, j| h[(set[i], set[j])]);
    let right = DVector::from_fn(set.len(), |i, _| -q[set[i]]);
    z.fill(0.0);
    if !set.is_empty() {
        let answer = part.lu().solve(&right).ok_or("a principal submatrix is singular")?;
        set.iter().zip(answer.iter()).for_each(|(&row, value)| z[row] = *value);
    }
    Ok(())
}

/// A step of Newton's method on Φ(z) = min(z, w), which is ½(z + w − √(z − w)²), or on z + w − √(z² + w²).
fn step(function: &str, h: &DMatrix<f64>, q: &DVector<f64>, z: &mut DVector<f64>) -> Result<(), String> {
    let n = q.len();
    let w = h * &*z + q;
    let mut jacobian = DMatrix::zeros(n, n);
    let mut value = DVector::zeros(n);
    for row in 0..n {
        let (a, b) = (z[row], w[row]);
        let [by_z, by_w] = match function {
            "minimum" if a < b => [1.0, 0.0],
            "minimum" => [0.0, 1.0],
            _ => {
                let length = libm::hypot(a, b);
                let [cos, sin] = if length > 0.0 { [a / length, b / length] } else { [0.5_f64.sqrt(); 2] };
                [1.0 - cos, 1.0 - sin]
            }
        };
        value[row] = if function == "minimum" { a.min(b) } else { a + b - libm::hypot(a, b) };
        for column in 0..n {
            jacobian[(row, column)] = by_w * h[(row, column)];
        }
        jacobian[(row, row)] += by_z;
    }
    *z -= jacobian.lu().solve(&value).ok_or("a Jacobian is singular")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::NEWTON_PIVOTS;
    use crate::computations::{Given, Value};

    #[test]
    fn pivots_are_steps_on_the_minimum_and_not_on_the_root() {
        let of = |function: &'static str| {
            let mut given = Given::new(&NEWTON_PIVOTS);
            given.values[0] = Value::Number(50.0);
            given.values[3] = Value::Word(function);
            (NEWTON_PIVOTS.run)(&given).expect("steps")
        };
        let minimum = of("minimum");
        assert!(minimum[0] == 0.0 && minimum[1] == 0.0, "{minimum:?}");
        assert!(of("fischer-burmeister")[0] > 40.0);
    }
}
