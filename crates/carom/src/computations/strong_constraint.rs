//! A pendulum on a strong potential in the place of its constraint, and what becomes of it as the potential grows [lacoursiere-linde-2011 (11)-(15)].
//!
//! A unit mass in the plane under gravity, with `U = g²/(2ε)`, `g = k(θ)(r − 1)`. The indicator vanishes on the unit circle; `k = 1 + growth sin θ`
//! makes the frequency across depend on the place. Steps of the Störmer–Verlet rule resolve the oscillation across. Beside it go, by Runge and Kutta's rule with the same steps, the motion on
//! the circle and the one with the potential of homogenisation.

use super::{Computation, Given, Parameter};

/// A strong potential against the constraint.
pub const STRONG_CONSTRAINT: Computation = Computation {
    name: "strong-constraint",
    parameters: &[
        ("compliance", Parameter::Number { least: 1e-10, most: 1.0, default: 1e-4 }),
        ("across", Parameter::Number { least: -100.0, most: 100.0, default: 0.0 }),
        ("growth", Parameter::Number { least: 0.0, most: 10.0, default: 0.0 }),
        ("angle", Parameter::Number { least: 0.0, most: 3.0, default: 1.0 }),
        ("until", Parameter::Number { least: 0.01, most: 100.0, default: 2.0 }),
        ("resolution", Parameter::Count { most: 10_000, default: 100 }),
    ],
    quantities: &[
        "place",
        "velocity",
        "indicator",
        "ghost",
        "ghost_size",
        "multiplier",
        "mean",
        "ramp",
        "wave",
        "bump",
        "homogenised",
        "energy_error",
    ],
    run,
};

/// m/s².
const GRAVITY: f64 = 9.81;

// Notation
//   θ from the lowest place   r radius   g = k(θ)(r − 1)   λ_ε = −g/ε
//   on the circle: k λ = −(θ̇² + γ cos θ), γ gravity
//   V_hom(θ) = ½ w² k(θ)/k(θ0)   w velocity across at the start: energy over frequency is an adiabatic invariant
struct Pendulum {
    epsilon: f64,
    growth: f64,
}

impl Pendulum {
    /// k and its derivative.
    fn k(&self, theta: f64) -> [f64; 2] {
        [1.0 + self.growth * libm::sin(theta), self.growth * libm::cos(theta)]
    }

    /// θ, r − 1.
    fn polar([x, y]: [f64; 2]) -> [f64; 2] {
        [libm::atan2(x, -y), libm::hypot(x, y) - 1.0]
    }

    fn indicator(&self, q: [f64; 2]) -> f64 {
        let [theta, off] = Self::polar(q);
        self.k(theta)[0] * off
    }

    fn force(&self, q: [f64; 2]) -> [f64; 2] {
        let [theta, off] = Self::polar(q);
        let [k, slope] = self.k(theta);
        let (s, c) = (libm::sin(theta), libm::cos(theta));
        let lambda = -k * off / self.epsilon;
        // Gᵀλ: k along the radius, k'(r − 1)/r across it.
        let (radial, tangential) = (k * lambda, slope * off / (1.0 + off) * lambda);
        [radial * s + tangential * c, -radial * c + tangential * s - GRAVITY]
    }

    fn energy(&self, q: [f64; 2], v: [f64; 2]) -> f64 {
        let g = self.indicator(q);
        0.5 * (v[0] * v[0] + v[1] * v[1]) + GRAVITY * q[1] + 0.5 * g * g / self.epsilon
    }
}

/// The motion along the circle under gravity and V_hom of slope `invariant` k'.
struct Circle<'a> {
    pendulum: &'a Pendulum,
    invariant: f64,
    theta: f64,
    rate: f64,
}

impl Circle<'_> {
    fn acceleration(&self, theta: f64) -> f64 {
        -GRAVITY * libm::sin(theta) - self.invariant * self.pendulum.k(theta)[1]
    }

    fn step(&mut self, h: f64) {
        let (x0, v0) = (self.theta, self.rate);
        let a0 = self.acceleration(x0);
        let (x1, v1) = (x0 + 0.5 * h * v0, v0 + 0.5 * h * a0);
        let a1 = self.acceleration(x1);
        let (x2, v2) = (x0 + 0.5 * h * v1, v0 + 0.5 * h * a1);
        let a2 = self.acceleration(x2);
        let (x3, v3) = (x0 + h * v2, v0 + h * a2);
        let a3 = self.acceleration(x3);
        self.theta += h / 6.0 * (v0 + 2.0 * v1 + 2.0 * v2 + v3);
        self.rate += h / 6.0 * (a0 + 2.0 * a1 + 2.0 * a2 + a3);
    }

    fn place(&self) -> [f64; 2] {
        [libm::sin(self.theta), -libm::cos(self.theta)]
    }

    fn velocity(&self) -> [f64; 2] {
        [libm::cos(self.theta) * self.rate, libm::sin(self.theta) * self.rate]
    }

    fn multiplier(&self) -> f64 {
        -(self.rate * self.rate + GRAVITY * libm::cos(self.theta)) / self.pendulum.k(self.theta)[0]
    }
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    libm::hypot(a[0] - b[0], a[1] - b[1])
}

/// Continuous functions to test λ with, at the share s of the time: 1, s, a wave, and one that vanishes at both ends.
fn tests(s: f64) -> [f64; 4] {
    [1.0, s, libm::cos(5.0 * s), s * (1.0 - s)]
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let growth = given.number("growth");
    let pendulum = Pendulum { epsilon: given.number("compliance"), growth };
    let (theta, across, until) = (given.number("angle"), given.number("across"), given.number("until"));
    // The highest frequency across is (1 + growth)/√ε.
    let period = std::f64::consts::TAU * libm::sqrt(pendulum.epsilon) / (1.0 + growth);
    let steps = libm::ceil(until / period * given.number("resolution"));
    let h = until / steps;
    let invariant = 0.5 * across * across / pendulum.k(theta)[0];
    let mut ideal = Circle { pendulum: &pendulum, invariant: 0.0, theta, rate: 0.0 };
    let mut limit = Circle { pendulum: &pendulum, invariant, theta, rate: 0.0 };
    let mut q = ideal.place();
    let mut v = [libm::sin(theta) * across, -libm::cos(theta) * across];
    let mut force = pendulum.force(q);
    let begin = pendulum.energy(q, v);
    let [mut place, mut velocity, mut indicator, mut ghost, mut size, mut multiplier, mut homogenised, mut energy] =
        [0.0_f64; 8];
    let mut integrals = [0.0; 4];
    for number in 0..steps as usize {
        let half = [0, 1].map(|i| v[i] + 0.5 * h * force[i]);
        q = [0, 1].map(|i| q[i] + h * half[i]);
        force = pendulum.force(q);
        v = [0, 1].map(|i| half[i] + 0.5 * h * force[i]);
        ideal.step(h);
        limit.step(h);
        let g = pendulum.indicator(q);
        let difference = -g / pendulum.epsilon - ideal.multiplier();
        place = place.max(distance(q, ideal.place()));
        velocity = velocity.max(distance(v, ideal.velocity()));
        homogenised = homogenised.max(distance(q, limit.place()));
        indicator = indicator.max(g.abs());
        ghost = ghost.max(difference.abs());
        size = size.max(g.abs() / pendulum.epsilon);
        multiplier = multiplier.max(ideal.multiplier().abs());
        energy = energy.max((pendulum.energy(q, v) - begin).abs());
        for (integral, test) in integrals.iter_mut().zip(tests((number + 1) as f64 / steps)) {
            *integral += h * test * difference;
        }
    }
    let mut values = vec![place, velocity, indicator, ghost, size, multiplier];
    values.extend(integrals.map(f64::abs));
    values.extend([homogenised, energy]);
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::{GRAVITY, Pendulum, STRONG_CONSTRAINT};
    use crate::computations::{Given, Value};

    #[test]
    fn the_force_is_minus_the_slope_of_the_energy() {
        let pendulum = Pendulum { epsilon: 0.01, growth: 0.5 };
        let q = [0.7, -0.8];
        let force = pendulum.force(q);
        for i in 0..2 {
            let at = |shift: f64| {
                let mut moved = q;
                moved[i] += shift;
                pendulum.energy(moved, [0.0; 2])
            };
            let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!((force[i] + slope).abs() < 1e-6 * GRAVITY, "{i}: {} and {slope}", force[i]);
        }
    }

    /// Four times the stiffness makes the distance from the circle a quarter, and leaves the ghost as it is.
    #[test]
    fn the_indicator_falls_with_the_compliance() {
        let quantities = |compliance: f64| {
            let mut given = Given::new(&STRONG_CONSTRAINT);
            given.values[0] = Value::Number(compliance);
            (STRONG_CONSTRAINT.run)(&given).expect("a motion")
        };
        let (soft, stiff) = (quantities(4e-5), quantities(1e-5));
        assert!((soft[2] / stiff[2] - 4.0).abs() < 0.1, "{} and {}", soft[2], stiff[2]);
        assert!((soft[3] / stiff[3] - 1.0).abs() < 0.1, "{} and {}", soft[3], stiff[3]);
    }
}
