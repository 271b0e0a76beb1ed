//! Ghost potentials: the Legendre transform of a strong potential, and the motion with a ghost in its place [lacoursiere-linde-2011 (16)-(19)].
//!
//! The transform is taken as it is defined, by minimising over the gap; nothing is used of what is known about it. The motion is that of a mass on
//! a strong spring of length 1 m under gravity, once by the force of the potential and once by that of the ghost.

use super::{Computation, Given, Parameter};

/// A potential and its ghost.
pub const GHOST_POTENTIAL: Computation = Computation {
    name: "ghost-potential",
    parameters: &[
        ("potential", Parameter::Word(&["quadratic", "quartic", "cosh", "deadband", "double-well"])),
        ("ghost", Parameter::Word(&["printed", "opposite"])),
        ("epsilon", Parameter::Number { least: 1e-12, most: 10.0, default: 0.01 }),
        ("lambda", Parameter::Number { least: -1e6, most: 1e6, default: 1.0 }),
        ("angle_deg", Parameter::Number { least: 0.0, most: 90.0, default: 90.0 }),
        ("steps", Parameter::Count { most: 100_000, default: 1000 }),
    ],
    quantities: &["value", "exponent", "inverse", "growth", "difference", "lambda"],
    run,
};

/// Cells of a scan for the least value, and halvings of the bracket around it.
const CELLS: usize = 64;
const HALVINGS: usize = 60;
/// Gaps at which the inverse relation is looked at, on each side of 0, and the farthest.
const GAPS: usize = 20;
const FARTHEST: f64 = 2.0;
/// Relative step of central differences.
const DIFFERENCE: f64 = 1e-5;
/// The ghost up to which its potential is looked at, and twice that far.
const REACH: f64 = 100.0;
const GRAVITY: f64 = 9.81;
/// Seconds of the motion.
const UNTIL: f64 = 2.0;

/// A strong potential V(g)/ε and the sign of its ghost's.
struct Strong {
    word: &'static str,
    epsilon: f64,
    sign: f64,
}

impl Strong {
    fn of(given: &Given, epsilon: f64) -> Self {
        let sign = if given.word("ghost") == "printed" { 1.0 } else { -1.0 };
        Self { word: given.word("potential"), epsilon, sign }
    }

    /// V and ∂V/∂g.
    fn potential(&self, g: f64) -> [f64; 2] {
        match self.word {
            "quadratic" => [0.5 * g * g, g],
            "quartic" => [0.25 * g.powi(4), g.powi(3)],
            "cosh" => [2.0 * libm::sinh(0.5 * g).powi(2), libm::sinh(g)],
            "deadband" => {
                let over = (g.abs() - 1.0).max(0.0);
                [0.5 * over * over, over * g.signum()]
            }
            _ => [0.25 * (g * g - 1.0).powi(2), g * (g * g - 1.0)],
        }
    }

    /// The gap at which λ g + V/ε is least.
    fn least(&self, lambda: f64) -> f64 {
        let slope = |g: f64| lambda + self.potential(g)[1] / self.epsilon;
        let value = |g: f64| lambda * g + self.potential(g)[0] / self.epsilon;
        let mut reach = 2.0;
        while slope(reach) <= 0.0 || slope(-reach) >= 0.0 {
            reach *= 2.0;
        }
        let cell = 2.0 * reach / CELLS as f64;
        let place = |k: usize| -reach + cell * k as f64;
        let best = (1..CELLS).map(place).min_by(|a, b| value(*a).total_cmp(&value(*b))).expect("cells");
        halved([best - cell, best + cell], slope)
    }

    /// ε Ṽ(λ) = −min (λ g + V/ε), with the sign of the ghost [lacoursiere-linde-2011 (17)].
    fn ghost(&self, lambda: f64) -> f64 {
        let g = self.least(lambda);
        -self.sign * (lambda * g + self.potential(g)[0] / self.epsilon)
    }

    /// The ghost that makes λ g + ε Ṽ(λ) stationary at a gap: ε ∂Ṽ/∂λ = −g [lacoursiere-linde-2011 (16), (19)].
    fn stationary(&self, g: f64) -> f64 {
        // ε ∂Ṽ/∂λ is −(least gap), which falls as λ rises.
        let excess = |lambda: f64| g - self.sign * self.least(lambda);
        let rises = |lambda: f64| self.sign * excess(lambda);
        let mut reach = 1.0;
        while rises(reach) < 0.0 || rises(-reach) > 0.0 {
            reach *= 2.0;
        }
        halved([-reach, reach], rises)
    }

    /// λ = −(1/ε) ∂V/∂g [lacoursiere-linde-2011 (18)].
    fn force(&self, g: f64) -> f64 {
        -self.potential(g)[1] / self.epsilon
    }
}

/// Where a function that rises from below 0 to above it passes 0.
fn halved([mut low, mut high]: [f64; 2], function: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if function(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn run(given: &Given) -> Result<Vec<f64>, String> {
    let strong = Strong::of(given, given.number("epsilon"));
    let sharper = Strong::of(given, 0.1 * strong.epsilon);
    let lambda = given.number("lambda");
    let value = strong.ghost(lambda);
    let exponent = libm::log10(value / sharper.ghost(lambda));
    Ok(vec![value, exponent, inverse(&strong), growth(&strong), difference(&strong, given), lambda])
}

/// The largest |ε ∂Ṽ/∂λ + g| over |g| with λ of (18), by differences.
fn inverse(strong: &Strong) -> f64 {
    let mut largest = 0.0_f64;
    for k in (1..=GAPS).flat_map(|k| [k as f64, -(k as f64)]) {
        let g = FARTHEST * k / GAPS as f64;
        let lambda = strong.force(g);
        let step = DIFFERENCE * if lambda == 0.0 { 1.0 } else { lambda.abs() };
        let slope = (strong.ghost(lambda + step) - strong.ghost(lambda - step)) / (2.0 * step);
        largest = largest.max((slope + g).abs() / g.abs());
    }
    largest
}

/// How much the largest value of ε Ṽ rises from |λ| ≤ Λ to |λ| ≤ 2Λ, relative to its range on the first.
fn growth(strong: &Strong) -> f64 {
    let range = |reach: f64| {
        let values = (0..=2 * CELLS).map(|k| strong.ghost(reach * (k as f64 / CELLS as f64 - 1.0)));
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], value| [low.min(value), high.max(value)])
    };
    let ([low, high], [_, higher]) = (range(REACH), range(2.0 * REACH));
    (higher - high) / (high - low)
}

/// The largest distance of the two motions, in m; they stop where they have gone apart by 1 m.
fn difference(strong: &Strong, given: &Given) -> f64 {
    let angle = given.number("angle_deg").to_radians();
    let start = [1.1 * libm::sin(angle), -1.1 * libm::cos(angle), 0.0, 0.0];
    let (mut by_force, mut by_ghost, mut largest) = (start, start, 0.0_f64);
    let h = UNTIL / given.count("steps") as f64;
    for _ in 0..given.count("steps") {
        by_force = step(by_force, h, |g| strong.force(g));
        by_ghost = step(by_ghost, h, |g| strong.stationary(g));
        let apart = libm::hypot(by_force[0] - by_ghost[0], by_force[1] - by_ghost[1]);
        largest = largest.max(apart);
        if largest > 1.0 {
            break;
        }
    }
    largest
}

/// A step of the classical Runge-Kutta method of q̈ = gravity + λ ∂g/∂q, g = |q| − 1.
fn step(state: [f64; 4], h: f64, lambda: impl Fn(f64) -> f64) -> [f64; 4] {
    let rate = |[x, y, u, v]: [f64; 4]| {
        let length = libm::hypot(x, y);
        let pull = lambda(length - 1.0) / length;
        [u, v, pull * x, pull * y - GRAVITY]
    };
    let along = |k: [f64; 4], by: f64| std::array::from_fn(|i| state[i] + by * k[i]);
    let k1 = rate(state);
    let k2 = rate(along(k1, 0.5 * h));
    let k3 = rate(along(k2, 0.5 * h));
    let k4 = rate(along(k3, h));
    std::array::from_fn(|i| state[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]))
}

#[cfg(test)]
mod tests {
    use super::{GHOST_POTENTIAL, Strong};
    use crate::computations::{Given, Value};

    fn of(potential: &'static str, ghost: &'static str) -> Vec<f64> {
        let mut given = Given::new(&GHOST_POTENTIAL);
        given.values[0] = Value::Word(potential);
        given.values[1] = Value::Word(ghost);
        given.values[5] = Value::Number(100.0);
        (GHOST_POTENTIAL.run)(&given).expect("a number")
    }

    /// Ghosts in closed form: of g²/2, g⁴/4 and cosh g − 1.
    #[test]
    fn transforms_are_the_known_ones() {
        let (epsilon, lambda) = (0.01, -37.0_f64);
        let s = epsilon * lambda;
        for (word, known) in [
            ("quadratic", 0.5 * s * lambda),
            ("quartic", 0.75 * s.abs().powf(4.0 / 3.0) / epsilon),
            ("cosh", (s * s.asinh() - (1.0 + s * s).sqrt() + 1.0) / epsilon),
            ("deadband", lambda.abs() + 0.5 * s * lambda),
        ] {
            let value = Strong { word, epsilon, sign: 1.0 }.ghost(lambda);
            assert!((value - known).abs() < 1e-12 * known, "{word}: {value}, not {known}");
        }
    }

    #[test]
    fn convex_potentials_have_ghosts_that_move_them_alike() {
        for potential in ["quadratic", "quartic", "cosh"] {
            let [_, _, inverse, growth, difference, _] = of(potential, "printed")[..] else { unreachable!() };
            assert!(inverse < 1e-8 && growth > 1.0 && difference < 1e-9, "{potential}: {inverse:e} {difference:e}");
            let [_, _, _, growth, difference, _] = of(potential, "opposite")[..] else { unreachable!() };
            assert!(growth == 0.0 && difference > 0.1, "{potential}: {growth} {difference:e}");
        }
        let [_, _, inverse, _, difference, _] = of("double-well", "printed")[..] else { unreachable!() };
        assert!(inverse > 0.1 && difference > 0.1);
        let exponents = ["quadratic", "quartic", "deadband"].map(|word| of(word, "printed")[1]);
        for (exponent, known) in exponents.iter().zip([1.0, 1.0 / 3.0, 0.001_95]) {
            assert!((exponent - known).abs() < 1e-4, "{exponent}, not {known}");
        }
    }
}
