//! A partitioned Runge-Kutta method with two stages on the pendulum of Muehlebach et al., Table I: what their Figure 3 prints.
//!
//! ```text
//! Notation
//! a, â, b     coefficients of q, of p, and of the end
//! Q_i = q0 + h Σ a_ij H_p(P_j),   P_i = p0 − h Σ â_ij H_q(Q_j),   q1 = q0 + h Σ b_j H_p(P_j),   p1 = p0 − h Σ b_j H_q(Q_j)
//! ```
//! The tableau of the figure is that of the equations above it for η_q0, η_q1, η_p0 and η_p1 [muehlebach-2016, section 5].

use super::{Computation, Given, Parameter};
use crate::steppers::galerkin::Config;

/// Its entry.
pub const PARTITIONED_RUNGE_KUTTA: Computation = Computation {
    name: "partitioned-runge-kutta",
    parameters: &[
        ("tableau", Parameter::Word(&["figure-3", "exchanged", "gauss"])),
        ("angle", Parameter::Number { least: -3.1, most: 3.1, default: 2.0 * std::f64::consts::FRAC_PI_3 }),
        ("step", Parameter::Number { least: 1e-4, most: 1.0, default: 0.1 }),
        ("steps", Parameter::Count { most: 100_000, default: 150 }),
    ],
    quantities: &["q", "p", "coefficients"],
    run,
};

/// Mass times length squared, and mass times gravity times length.
const INERTIA: f64 = 4.0;
const WEIGHT: f64 = 19.62;

type Square = [[f64; 2]; 2];

/// `a` and `â`.
fn tableau(word: &str) -> [Square; 2] {
    let root = 3.0_f64.sqrt() / 6.0;
    let of_q = [[1.0 / 3.0, 1.0 / 6.0 - root], [1.0 / 6.0 + root, 1.0 / 3.0]];
    let of_p = [[1.0 / 6.0, 1.0 / 3.0 - root], [1.0 / 3.0 + root, 1.0 / 6.0]];
    let gauss = [[0.25, 0.25 - root], [0.25 + root, 0.25]];
    match word {
        "figure-3" => [of_q, of_p],
        "exchanged" => [of_p, of_q],
        _ => [gauss, gauss],
    }
}

fn step([q0, p0]: [f64; 2], h: f64, [a, a_hat]: &[Square; 2]) -> Result<[f64; 2], String> {
    let (mut q, mut p) = ([q0; 2], [p0; 2]);
    let sum = |row: &[f64; 2], x: [f64; 2]| row[0] * x[0] + row[1] * x[1];
    for _ in 0..500 {
        let (rates, forces) = (p.map(|p| p / INERTIA), q.map(|q| -WEIGHT * q.sin()));
        let next = ([0, 1].map(|i| q0 + h * sum(&a[i], rates)), [0, 1].map(|i| p0 + h * sum(&a_hat[i], forces)));
        let change = |new: &[f64; 2], old: &[f64; 2]| (new[0] - old[0]).abs().max((new[1] - old[1]).abs());
        let moved = change(&next.0, &q).max(change(&next.1, &p) / WEIGHT);
        (q, p) = next;
        if moved <= 1e-15 {
            let (rates, forces) = (p.map(|p| p / INERTIA), q.map(|q| -WEIGHT * q.sin()));
            return Ok([q0 + h * sum(&[0.5; 2], rates), p0 + h * sum(&[0.5; 2], forces)]);
        }
    }
    Err("the stages of a step were not found: it is too long for fixed-point iteration".to_string())
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let (of, h) = (tableau(given.word("tableau")), given.number("step"));
    let ours = Config { degree: 1, ..Config::default() }.tableau().ok_or("galerkin has no tableau")?;
    let pairs = ours.a.iter().zip(of[0].as_flattened()).chain(ours.a_hat.iter().zip(of[1].as_flattened()));
    let coefficients = pairs.fold(0.0_f64, |worst, (ours, printed)| worst.max((ours - printed).abs()));
    let mut state = [given.number("angle"), 0.0];
    for _ in 0..given.count("steps") {
        state = step(state, h, &of)?;
    }
    Ok(vec![state[0], state[1], coefficients])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `b_i â_ij + b_j a_ji = b_i b_j` makes a pair symplectic; a pair of the wrong halves is not.
    #[test]
    fn the_pairs_are_symplectic() {
        let defect = |[a, a_hat]: [Square; 2]| {
            let places = (0..4).map(|place| (place / 2, place % 2));
            places.fold(0.0_f64, |worst, (i, j)| worst.max((a_hat[i][j] + a[j][i] - 0.5).abs()))
        };
        for word in ["figure-3", "exchanged", "gauss"] {
            assert!(defect(tableau(word)) < 4.0 * f64::EPSILON, "{word}");
        }
        assert!(defect([tableau("figure-3")[0], tableau("gauss")[1]]) > 0.05);
    }

    #[test]
    fn only_that_of_the_figure_is_that_of_galerkin() {
        let mut given = Given::new(&PARTITIONED_RUNGE_KUTTA);
        let found = (PARTITIONED_RUNGE_KUTTA.run)(&given).expect("it runs");
        assert!(found[2] < 1e-15, "{found:?}");
        for word in ["exchanged", "gauss"] {
            given.values[0] = super::super::Value::Word(word);
            assert!((PARTITIONED_RUNGE_KUTTA.run)(&given).expect("it runs")[2] > 0.05, "{word}");
        }
    }
}
