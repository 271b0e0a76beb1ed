//! A contact by the smoothed function of Fischer and Burmeister [lacoursiere-linde-2011 (30)-(35)], at one gap.

use super::{Computation, Given, Parameter};

/// The contact at one gap.
pub const FISCHER_BURMEISTER: Computation = Computation {
    name: "fischer-burmeister",
    parameters: &[
        ("gap", Parameter::Number { least: -1e3, most: 1e3, default: 1.0 }),
        ("tau", Parameter::Number { least: 1e-30, most: 1.0, default: 1e-4 }),
        ("epsilon", Parameter::Number { least: 1e-12, most: 1.0, default: 1e-4 }),
        ("root", Parameter::Word(&["minus", "plus"])),
    ],
    quantities: &["phi", "defect", "ghost", "force", "product", "gap", "tau", "epsilon"],
    run,
};

fn run(given: &Given) -> Result<Vec<f64>, String> {
    // Notation
    //   φ(x) = ½ (x − √(x² + τ))                                        [lacoursiere-linde-2011 (30)]
    //   U = φ(c)²/(2ε),  force −∂U/∂c, positive away from the contact   [lacoursiere-linde-2011 (31)]
    //   ν = −φ(c)/ε                                                     [lacoursiere-linde-2011 (34)]
    let [c, tau, epsilon] = ["gap", "tau", "epsilon"].map(|name| given.number(name));
    let root = libm::sqrt(c * c + tau);
    // x − √ loses its digits where x > 0, x + √ where x < 0: −τ over the other is the same.
    let [phi, slope] = match given.word("root") {
        "minus" if c > 0.0 => [-0.5 * tau / (root + c), 0.5 * tau / (root * (root + c))],
        "minus" => [0.5 * (c - root), 0.5 * (1.0 - c / root)],
        _ if c < 0.0 => [0.5 * tau / (root - c), 0.5 * tau / (root * (root - c))],
        _ => [0.5 * (c + root), 0.5 * (1.0 + c / root)],
    };
    let ghost = -phi / epsilon;
    // εν + c = c − φ, which is the other root.
    let other = match given.word("root") {
        "minus" if c < 0.0 => 0.5 * tau / (root - c),
        "minus" => 0.5 * (c + root),
        _ => c - phi,
    };
    Ok(vec![phi, (phi - c.min(0.0)).abs(), ghost, -phi * slope / epsilon, ghost * other, c, tau, epsilon])
}

#[cfg(test)]
mod tests {
    use super::FISCHER_BURMEISTER;
    use crate::computations::{Given, Value};

    fn at(gap: f64, tau: f64, root: &'static str) -> Vec<f64> {
        let mut given = Given::new(&FISCHER_BURMEISTER);
        given.values[0] = Value::Number(gap);
        given.values[1] = Value::Number(tau);
        given.values[3] = Value::Word(root);
        (FISCHER_BURMEISTER.run)(&given).expect("a number")
    }

    #[test]
    fn the_force_is_the_slope_of_the_potential() {
        for root in ["minus", "plus"] {
            for gap in [-0.3, -0.01, 0.0, 0.02, 0.4] {
                let potential = |c: f64| at(c, 1e-3, root)[0].powi(2) / (2.0 * 1e-4);
                let step = 1e-6;
                let slope = (potential(gap + step) - potential(gap - step)) / (2.0 * step);
                let force = at(gap, 1e-3, root)[3];
                assert!(
                    (force + slope).abs() < 1e-6 * (force.abs() + 1.0),
                    "{root}, {gap}: {force}, not {}",
                    -slope
                );
            }
        }
    }

    /// εν (εν + c) = τ/4 at every gap, also where one factor has lost all digits of a difference.
    #[test]
    fn the_product_is_a_quarter_of_tau() {
        for gap in [-2.0, -1e-3, 0.0, 1e-3, 2.0] {
            for tau in [1e-2, 1e-14, 1e-28] {
                let product = at(gap, tau, "minus")[4] * 1e-4;
                assert!((product / tau - 0.25).abs() < 1e-12, "{gap}, {tau:e}: {product:e}");
            }
        }
    }
}
