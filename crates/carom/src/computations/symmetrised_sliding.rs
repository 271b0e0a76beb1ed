//! A mass that is pushed along a floor, with the slip lifting it off [lacoursiere-linde-2011 (78)].
//!
//! The push balances the friction of steady sliding. The step is that of `spook`: a contact takes part at gaps up to 0, after an impact without restitution.

use super::{Computation, Given, Parameter};

/// A pushed mass.
pub const SYMMETRISED_SLIDING: Computation = Computation {
    name: "symmetrised-sliding",
    parameters: &[
        ("coupling", Parameter::Number { least: 0.0, most: 1.0, default: 0.0 }),
        ("mass", Parameter::Number { least: 1e-3, most: 1e9, default: 1.0 }),
        ("speed", Parameter::Number { least: 0.0, most: 100.0, default: 1.0 }),
        ("mu", Parameter::Number { least: 0.0, most: 10.0, default: 0.5 }),
        ("epsilon", Parameter::Number { least: 0.0, most: 1.0, default: 1e-8 }),
        ("steps", Parameter::Count { most: 1_000_000, default: 600 }),
    ],
    quantities: &["released", "gap", "load", "mass"],
    run,
};

const GRAVITY: f64 = 9.81;
const STEP: f64 = 1.0 / 60.0;
/// τ = 2h: φ = 1/(1 + 4τ/h).
const PHI: f64 = 1.0 / 9.0;

fn run(given: &Given) -> Result<Vec<f64>, String> {
    // Notation
    //   c       gap            n, s   velocity away from the floor and along it
    //   0 ≤ ν ⟂ n + T ν − μτσ + (4/h) φ c − φ n₀ ≥ 0,  σ = s where it slides  [lacoursiere-linde-2011 (53), (78)]
    let [coupling, mass, mu] = ["coupling", "mass", "mu"].map(|name| given.number(name));
    let steps = given.count("steps");
    let t = 4.0 * given.number("epsilon") * PHI / (STEP * STEP);
    // At the depth of rest.
    let rest = -given.number("epsilon") * mass * GRAVITY;
    let (mut c, mut n, mut s) = (rest, 0.0_f64, given.number("speed"));
    let (mut released, mut largest, mut load) = (0_u32, f64::NEG_INFINITY, 0.0);
    let late = steps / 2;
    for step in 0..steps {
        let mut normal = 0.0;
        let closed = c <= 0.0;
        if closed {
            n = n.max(0.0);
        }
        let [free_n, free_s] = [n - STEP * GRAVITY, s + STEP * mu * GRAVITY];
        if closed {
            // What the row leaves without an impulse.
            let short = free_n + 4.0 / STEP * PHI * c - PHI * n;
            let slides = (mu * coupling * free_s - short) / (1.0 / mass + t + mu * mu * coupling / mass);
            let sticks = -short / (1.0 / mass + t);
            normal = if free_s - mu * slides.max(0.0) / mass > 0.0 { slides } else { sticks }.max(0.0);
        }
        n = free_n + normal / mass;
        s = (free_s - mu * normal / mass).max(0.0);
        c += STEP * n;
        if step >= late {
            released += u32::from(normal == 0.0);
            largest = largest.max(c);
            load += normal / (mass * GRAVITY * STEP);
        }
    }
    let count = (steps - late) as f64;
    Ok(vec![f64::from(released) / count, largest, load / count, mass])
}

#[cfg(test)]
mod tests {
    use super::SYMMETRISED_SLIDING;
    use crate::computations::{Given, Value};

    fn of(coupling: f64, mass: f64) -> Vec<f64> {
        let mut given = Given::new(&SYMMETRISED_SLIDING);
        given.values[0] = Value::Number(coupling);
        given.values[1] = Value::Number(mass);
        given.values[5] = Value::Number(6000.0);
        (SYMMETRISED_SLIDING.run)(&given).expect("numbers")
    }

    /// Steadily sliding, the floor yields ε m g less what the slip lifts, h μτσ/(4φ).
    #[test]
    fn a_heavy_mass_slides_steadily_at_the_depth_of_the_balance() {
        let mass = 1e6;
        let tau = 1.0 / 30.0;
        let [released, gap, load, _] = of(tau, mass)[..] else { unreachable!() };
        let depth = 1e-8 * mass * 9.81 - 0.5 * tau / 60.0 / 4.0 * 9.0;
        assert!(released == 0.0 && (load - 1.0).abs() < 1e-9, "{released} {load}");
        assert!((gap / -depth - 1.0).abs() < 1e-3, "{gap}, not {}", -depth);
    }

    #[test]
    fn a_light_mass_is_thrown_up_by_its_slip_and_by_nothing_else() {
        assert_eq!(of(0.0, 1.0)[0], 0.0);
        assert!(of(1.0, 1.0)[0] > 0.5);
    }
}
