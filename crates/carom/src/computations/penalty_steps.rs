//! The implicit midpoint rule with penalties on linear constraints, solved for velocities or with multipliers [lacoursiere-linde-2011 (2)-(8)].
//!
//! Six coordinates of unit mass, three random rows `g = G x` of orthonormal directions scaled by 1 to 2, and a weak constant force of unit size. What moves along the constraints is known:
//! the force makes `½ t² f` of it.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn, LU};

use super::{Computation, Given, Parameter};
use crate::random::Random;

/// Steps of the implicit midpoint rule with penalties.
pub const PENALTY_STEPS: Computation = Computation {
    name: "penalty-steps",
    parameters: &[
        ("seed", Parameter::Count { most: 1_000_000, default: 1 }),
        ("form", Parameter::Word(&["velocities", "multipliers", "printed"])),
        ("start", Parameter::Word(&["consistent", "moving", "violated"])),
        ("compliance", Parameter::Number { least: 0.0, most: 1.0, default: 1e-8 }),
        ("damping", Parameter::Number { least: 0.0, most: 1e30, default: 0.0 }),
        ("step", Parameter::Number { least: 1e-6, most: 1.0, default: 1.0 / 60.0 }),
        ("steps", Parameter::Count { most: 1_000_000, default: 1000 }),
    ],
    quantities: &[
        "condition",
        "modulus_least",
        "modulus_most",
        "imaginary",
        "reflected",
        "along_error",
        "violation",
        "violation_late",
        "across_first",
        "across_late",
        "difference",
    ],
    run,
};

const COORDINATES: usize = 6;
const ROWS: usize = 3;

// Notation
//   M = 1   G rows   ε compliance   γ damping   x̄, v̄ averages over the step
//   v1 = v0 + h (f − Gᵀ(g(x̄)/ε + γ G v̄)),   x1 = x0 + h v̄                 [lacoursiere-linde-2011 (2)]
//   κ = h²/(4ε) + hγ/2                                                      [lacoursiere-linde-2011 (5)]
struct Rule {
    g: DMatrix<f64>,
    force: DVector<f64>,
    h: f64,
    epsilon: f64,
    gamma: f64,
}

/// What solves a step.
enum Solver {
    /// W = 1 + κ GᵀG.
    Velocities(Cholesky<f64, Dyn>),
    /// [[1, −Gᵀ], [G, T]], and the share of `G v0` on the right.
    Multipliers(LU<f64, Dyn, Dyn>, f64),
}

struct Place {
    x: DVector<f64>,
    v: DVector<f64>,
}

impl Rule {
    fn random(given: &Given) -> Self {
        let mut random = Random::new(given.count("seed") as u64);
        let directions = DMatrix::from_fn(COORDINATES, ROWS, |_, _| random.normal()).qr().q();
        let mut g = directions.transpose();
        for mut row in g.row_iter_mut() {
            row *= random.between(1.0, 2.0);
        }
        let force = DVector::from_fn(COORDINATES, |_, _| random.normal()).normalize();
        let [h, epsilon, gamma] = ["step", "compliance", "damping"].map(|name| given.number(name));
        Self { g, force, h, epsilon, gamma }
    }

    fn kappa(&self) -> f64 {
        0.25 * self.h * self.h / self.epsilon + 0.5 * self.h * self.gamma
    }

    fn stiff(&self) -> DMatrix<f64> {
        self.g.transpose() * &self.g * self.kappa()
    }

    fn matrix(&self, form: &str) -> DMatrix<f64> {
        let one = DMatrix::<f64>::identity(COORDINATES, COORDINATES);
        if form == "velocities" {
            return one + self.stiff();
        }
        let t = match form {
            // [lacoursiere-linde-2011 (6)], as printed and as it follows from (2): T = 1/κ.
            "printed" => self.epsilon / (4.0 * self.h * self.h),
            _ => 4.0 * self.epsilon / (self.h * (self.h + 2.0 * self.epsilon * self.gamma)),
        };
        let size = COORDINATES + ROWS;
        let mut k = DMatrix::zeros(size, size);
        k.view_mut((0, 0), (COORDINATES, COORDINATES)).copy_from(&one);
        k.view_mut((0, COORDINATES), (COORDINATES, ROWS)).copy_from(&-self.g.transpose());
        k.view_mut((COORDINATES, 0), (ROWS, COORDINATES)).copy_from(&self.g);
        k.view_mut((COORDINATES, COORDINATES), (ROWS, ROWS)).fill_diagonal(t);
        k
    }

    fn solver(&self, form: &str) -> Result<Solver, String> {
        let matrix = self.matrix(form);
        if form == "velocities" {
            if self.epsilon == 0.0 {
                return Err("a penalty needs a compliance above 0".into());
            }
            return Ok(Solver::Velocities(matrix.cholesky().ok_or("the matrix is not positive definite")?));
        }
        Ok(Solver::Multipliers(matrix.lu(), if form == "printed" { 0.0 } else { 1.0 }))
    }

    fn step(&self, solver: &Solver, place: &mut Place) -> Result<(), String> {
        let Place { x, v } = place;
        let free = &*v + &self.force * self.h;
        let next = match solver {
            Solver::Velocities(factors) => {
                let springs = self.g.transpose() * (&self.g * &*x) * (self.h / self.epsilon);
                factors.solve(&(free - self.stiff() * &*v - springs))
            }
            Solver::Multipliers(factors, share) => {
                // (h/ε) g(x̄) + hγ G v̄ = κ (G v1 + G v0 + (4/(h + 2εγ)) g(x0))
                let scale = 4.0 / (self.h + 2.0 * self.epsilon * self.gamma);
                let mut side = DVector::zeros(COORDINATES + ROWS);
                side.rows_mut(0, COORDINATES).copy_from(&free);
                side.rows_mut(COORDINATES, ROWS).copy_from(&-(&self.g * (&*x * scale + &*v * *share)));
                factors.solve(&side).ok_or("the matrix is singular")?.rows(0, COORDINATES).into_owned()
            }
        };
        *x += (&*v + &next) * (0.5 * self.h);
        *v = next;
        Ok(())
    }

    /// The start: nothing, a velocity across the constraints, or that at a place off them.
    fn start(&self, word: &str) -> Place {
        let across = self.g.row_sum().transpose();
        let zero = DVector::zeros(COORDINATES);
        match word {
            "moving" => Place { x: zero, v: across },
            "violated" => Place { x: across.clone(), v: across },
            _ => Place { x: zero.clone(), v: zero },
        }
    }

    /// The part of a vector along the constraints.
    fn along(&self, vector: &DVector<f64>) -> DVector<f64> {
        let mut along = vector.clone();
        for row in self.g.row_iter() {
            let direction = row.transpose().normalize();
            along -= &direction * direction.dot(&along);
        }
        along
    }
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let rule = Rule::random(given);
    let form = given.word("form");
    let solver = rule.solver(form)?;
    let values = rule.matrix(form).singular_values();
    // Without compliance there is no such matrix.
    let [least, most, imaginary] = if rule.epsilon > 0.0 { moduli(&rule)? } else { [f64::NAN; 3] };
    let steps = given.count("steps");
    let mut place = rule.start(given.word("start"));
    let begin = place.v.clone();
    let mut beside = rule.start(given.word("start"));
    let check = rule.solver("multipliers")?;
    let (mut reflected, mut violation, mut late) = (f64::NAN, 0.0_f64, 0.0_f64);
    let (mut across_first, mut across_late, mut difference) = (0.0_f64, 0.0_f64, 0.0_f64);
    for number in 0..steps {
        rule.step(&solver, &mut place)?;
        rule.step(&check, &mut beside)?;
        let size = (&rule.g * &place.x).amax();
        let speed = (&rule.g * &place.v).amax();
        violation = violation.max(size);
        if number == 0 {
            reflected = (&rule.g * (&place.v + &begin)).norm() / (&rule.g * &begin).norm();
        }
        if 10 * number < steps {
            across_first = across_first.max(speed);
        }
        if 10 * (number + 1) > 9 * steps {
            late = late.max(size);
            across_late = across_late.max(speed);
        }
        difference = difference.max((&place.v - &beside.v).norm() / beside.v.norm());
    }
    let time = rule.h * steps as f64;
    let start = rule.start(given.word("start"));
    let exact = rule.along(&(&start.x + &start.v * time + &rule.force * (0.5 * time * time)));
    let along_error = (rule.along(&place.x) - &exact).norm() / exact.norm();
    Ok(vec![
        values.max() / values.min(),
        least,
        most,
        imaginary,
        reflected,
        along_error,
        violation,
        late,
        across_first,
        across_late,
        difference,
    ])
}

/// The least and largest modulus of the eigenvalues of the stepping matrix of velocities [lacoursiere-linde-2011 (4), (5)], and a bound of their imaginary parts. Both
/// factors of it are functions of GᵀG, so that it is symmetric but for rounding; the norm of the rest bounds the imaginary parts (Bendixson).
fn moduli(rule: &Rule) -> Result<[f64; 3], String> {
    let one = DMatrix::<f64>::identity(COORDINATES, COORDINATES);
    let k = (&one + rule.stiff()).lu().solve(&(&one - rule.stiff())).ok_or("the matrix is singular")?;
    let (even, odd) = ((&k + k.transpose()) * 0.5, (&k - k.transpose()) * 0.5);
    let values = even.symmetric_eigenvalues().abs();
    Ok([values.min(), values.max(), odd.norm()])
}

#[cfg(test)]
mod tests {
    use super::PENALTY_STEPS;
    use crate::computations::{Given, Value};

    fn quantity(name: &str, changes: &[(usize, Value)]) -> f64 {
        let mut given = Given::new(&PENALTY_STEPS);
        for &(place, value) in changes {
            given.values[place] = value;
        }
        let values = (PENALTY_STEPS.run)(&given).expect("steps");
        let place = PENALTY_STEPS.quantities.iter().position(|other| *other == name);
        values[place.expect("a quantity")]
    }

    /// With moderate penalties the two forms are one rule, damped and not, and what (6) prints is another.
    #[test]
    fn forms_are_the_same_rule_but_for_the_printed_one() {
        for damping in [0.0, 3.0] {
            let moderate = [(2, Value::Word("moving")), (3, Value::Number(1e-3)), (4, Value::Number(damping))];
            assert!(quantity("difference", &moderate) < 1e-10, "damping {damping}");
        }
        let printed = [(1, Value::Word("printed")), (2, Value::Word("moving")), (3, Value::Number(1e-3))];
        assert!(quantity("difference", &printed) > 0.1);
    }

    /// Stiff constraints reflect velocities across them, and keep the motion along them.
    #[test]
    fn stiff_constraints_reflect() {
        let stiff = [(1, Value::Word("multipliers")), (2, Value::Word("moving")), (3, Value::Number(1e-14))];
        assert!(quantity("reflected", &stiff) < 1e-6);
        assert!(quantity("along_error", &stiff) < 1e-10);
    }
}
