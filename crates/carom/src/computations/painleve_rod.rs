//! A rigid rod that slides with one end on a plane: how many accelerations are possible, and whether a step of velocities has a solution.
//!
//! The rod of 1 kg and 2 m leans over its lower end, which slides towards the side it leans to: friction presses it into the plane. With
//! the direction of friction given, the normal force N of the accelerations has 0 ≤ N ⟂ a N + b ≥ 0. A step asks for the impulses of a
//! friction problem instead, which may stop the slip.

use carom_lcp::{Dense, Friction, FrictionDefault, Judged as _, Limits, Solver as _, Sparse};

use super::{Computation, Given, Parameter, finite};

/// A rod at one angle.
pub const PAINLEVE_ROD: Computation = Computation {
    name: "painleve-rod",
    parameters: &[
        ("angle_deg", Parameter::Number { least: 1.0, most: 89.0, default: 60.0 }),
        ("mu", Parameter::Number { least: 0.0, most: 10.0, default: 3.0 }),
        ("spin", Parameter::Number { least: 0.0, most: 100.0, default: 0.0 }),
        ("speed", Parameter::Number { least: 0.0, most: 100.0, default: 1.0 }),
        ("slip", Parameter::Word(&["free", "held"])),
    ],
    quantities: &["coefficient", "accelerations", "unsolved", "impulse", "slip"],
    run,
};

/// Mass in kg, half length in m, acceleration of gravity in m/s², step in s.
const MASS: f64 = 1.0;
const HALF: f64 = 1.0;
const GRAVITY: f64 = 9.81;
const STEP: f64 = 1.0 / 60.0;

fn run(given: &Given) -> Result<Vec<f64>, String> {
    // Notation
    //   r = −l (cos θ, sin θ)     the end, from the middle
    //   W                         accelerations of the end by forces on it, the normal first
    //   a N + b                   acceleration of the gap with N and friction μN, b without
    let [theta, mu, spin] = [given.number("angle_deg").to_radians(), given.number("mu"), given.number("spin")];
    let (x, y) = (-HALF * libm::cos(theta), -HALF * libm::sin(theta));
    let inertia = MASS * HALF * HALF / 3.0;
    let w = [[1.0 / MASS + x * x / inertia, -x * y / inertia], [-x * y / inertia, 1.0 / MASS + y * y / inertia]];
    // The end slides to −x, friction is to +x.
    let a = w[0][0] + mu * w[0][1];
    let free = [-GRAVITY - spin * spin * y, -spin * spin * x];
    let b = free[0];
    // N = 0 where b ≥ 0, and N = −b/a where that is positive.
    let accelerations = u32::from(b >= 0.0) + u32::from(-b / a > 0.0);
    let q = vec![STEP * free[0], STEP * free[1] - given.number("speed")];
    let (z, unsolved) = match given.word("slip") {
        "held" => {
            // 0 ≤ r ⟂ a r + q ≥ 0 with friction μ r.
            let normal = if q[0] >= 0.0 { 0.0 } else { (-q[0] / a).max(0.0) };
            (vec![normal, mu * normal], u32::from(a * normal + q[0] < -1e-12))
        }
        _ => {
            let rows: Vec<Vec<f64>> = w.iter().map(|row| row.to_vec()).collect();
            let matrix = Dense::from_rows(&rows).map_err(|wrong| wrong.to_string())?;
            let problem = Friction::new(2, Sparse::from_dense(&matrix), q.clone(), vec![mu]);
            let problem = problem.map_err(|wrong| wrong.to_string())?;
            let mut z = vec![0.0; 2];
            let limits = Limits { tolerance: 1e-10, ..Limits::default() };
            let _ = FrictionDefault::default().solve(&problem, &mut z, &limits);
            let relative = finite("the residual of the step", problem.residual(&z).relative)?;
            (z, u32::from(relative > limits.tolerance))
        }
    };
    let slip = q[1] + w[1][0] * z[0] + w[1][1] * z[1];
    Ok(vec![a, f64::from(accelerations), f64::from(unsolved), z[0] / (MASS * GRAVITY * STEP), slip])
}

#[cfg(test)]
mod tests {
    use super::PAINLEVE_ROD;
    use crate::computations::{Given, Value};

    fn at(angle: f64, mu: f64, spin: f64) -> Vec<f64> {
        let mut given = Given::new(&PAINLEVE_ROD);
        for (place, value) in [angle, mu, spin].into_iter().enumerate() {
            given.values[place] = Value::Number(value);
        }
        (PAINLEVE_ROD.run)(&given).expect("a rod")
    }

    /// No coefficient is negative up to μ = 4/3, where the first is 0 at tan θ = 2 (Painlevé).
    #[test]
    fn the_paradox_begins_at_four_thirds() {
        let least = |mu: f64| (1..89).map(|angle| at(f64::from(angle), mu, 0.0)[0]).fold(f64::INFINITY, f64::min);
        assert!(least(1.33) > 0.0 && least(1.34) < 0.0);
        assert!(at(2.0_f64.atan().to_degrees(), 4.0 / 3.0, 0.0)[0].abs() < 1e-12);
    }

    #[test]
    fn where_no_acceleration_is_possible_the_step_stops_the_slip() {
        let [a, accelerations, unsolved, impulse, slip] = at(60.0, 3.0, 0.0)[..] else { unreachable!() };
        assert!(a < 0.0 && accelerations == 0.0 && unsolved == 0.0 && impulse > 1.0 && slip.abs() < 1e-9);
        assert_eq!(at(60.0, 3.0, 10.0)[1], 2.0);
        assert_eq!(at(60.0, 1.0, 0.0)[1], 1.0);
    }
}
