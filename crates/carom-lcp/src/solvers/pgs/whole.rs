//! The whole problem of one contact under Coulomb's law, exactly: open, sticking or sliding.

use crate::cone::norm;

// Notation
//   A     the block of the contact, d × d, positive definite but not always symmetric
//   b     its slacks at r = 0, so that u = A r + b
//   λ     ‖u_t‖ / ‖r_t‖ while sliding: r solves (A + diag(0, λ, λ)) r = −b, 0 is stick, ∞ is no friction

/// Steps of the search for λ: each at least halves the bracket every second time.
const STEPS: usize = 100;

/// The impulses with u = A r + b, r_n ≥ 0 ⟂ u_n ≥ 0, ‖r_t‖ ≤ μ r_n, r_t against u_t; `None` where A has no inverse.
///
/// g(λ) = ‖r_t‖ − μ r_n is positive at stick that the cone does not hold and negative for λ → ∞, where r_t vanishes and r_n = −b_n/A_nn.
pub fn solve(d: usize, block: &[f64], b: &[f64; 3], mu: f64) -> Option<[f64; 3]> {
    if b[0] >= 0.0 {
        return Some([0.0; 3]);
    }
    if mu == 0.0 {
        return (block[0] > 0.0).then(|| [-b[0] / block[0], 0.0, 0.0]);
    }
    let stick = impulses(d, block, b, 0.0)?;
    let excess = |r: &[f64; 3]| norm(&r[1..d]) - mu * r[0];
    if excess(&stick) <= 0.0 {
        return Some(stick);
    }
    // In τ with λ = s τ/(1 − τ), s the size of the tangents' block, the bracket is finite.
    let scale = (1..d).map(|k| block[k * d + k]).fold(0.0, f64::max);
    if scale.is_nan() || scale <= 0.0 {
        return None;
    }
    let at = |tau: f64| impulses(d, block, b, scale * tau / (1.0 - tau));
    let (mut low, mut high) = (0.0, 0.5);
    let mut at_low = excess(&stick);
    // The best so far, and its excess: either end of the bracket may be a root but for rounding.
    let mut best = (stick, at_low);
    let mut look = |tau: f64| {
        let r = at(tau)?;
        let here = excess(&r);
        if here.abs() < best.1.abs() {
            best = (r, here);
        }
        Some((here, r[0]))
    };
    let (mut at_high, _) = look(high)?;
    while at_high > 0.0 {
        (low, at_low) = (high, at_high);
        high = 0.5 * (1.0 + high);
        if high == 1.0 {
            return None;
        }
        (at_high, _) = look(high)?;
    }
    // The Illinois variant of the rule of false position.
    let mut last_side = 0;
    for _ in 0..STEPS {
        let tau = (low * at_high - high * at_low) / (at_high - at_low);
        if !(low < tau && tau < high) {
            break;
        }
        let (here, normal) = look(tau)?;
        if here > 0.0 {
            (low, at_low) = (tau, here);
            if last_side == 1 {
                at_high *= 0.5;
            }
            last_side = 1;
        } else {
            (high, at_high) = (tau, here);
            if last_side == -1 {
                at_low *= 0.5;
            }
            last_side = -1;
        }
        if here.abs() <= 1e-15 * (mu * normal).abs() {
            break;
        }
    }
    let mut r = best.0;
    // Onto the cone, by less than the search's tolerance.
    let (reach, length) = (mu * r[0].max(0.0), norm(&r[1..d]));
    if length > reach {
        r[1..d].iter_mut().for_each(|value| *value *= reach / length);
    }
    Some(r)
}

/// r with (A + diag(0, λ, λ)) r = −b.
fn impulses(d: usize, block: &[f64], b: &[f64; 3], lambda: f64) -> Option<[f64; 3]> {
    let mut shifted = [0.0; 9];
    shifted[..d * d].copy_from_slice(&block[..d * d]);
    for k in 1..d {
        shifted[k * d + k] += lambda;
    }
    let mut r = [0.0; 3];
    super::local::solve_dense(d, &shifted[..d * d], &b.map(|value| -value), &mut r).then_some(r)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: [f64; 9] = [3.0, 0.5, -0.4, 0.5, 2.0, 1.0, -0.4, 1.0, 2.5];

    fn slacks(r: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
        std::array::from_fn(|i| b[i] + (0..3).map(|j| BLOCK[i * 3 + j] * r[j]).sum::<f64>())
    }

    #[test]
    fn a_contact_that_separates_is_open() {
        assert_eq!(solve(3, &BLOCK, &[0.1, 5.0, -3.0], 0.5), Some([0.0; 3]));
    }

    #[test]
    fn a_contact_within_the_cone_sticks() {
        let b = [-3.0, 0.1, 0.2];
        let r = solve(3, &BLOCK, &b, 0.5).expect("positive definite");
        assert!(slacks(&r, &b).iter().all(|u| u.abs() < 1e-15));
        assert!(norm(&r[1..]) < 0.5 * r[0]);
    }

    #[test]
    fn a_contact_beyond_the_cone_slides_against_its_friction() {
        for mu in [0.0, 1e-6, 0.1, 0.5, 1.5] {
            for b in [[-1.0, 2.0, -1.0], [-1e-9, 3.0, 0.0], [-5.0, 20.0, 15.0]] {
                let r = solve(3, &BLOCK, &b, mu).expect("positive definite");
                let u = slacks(&r, &b);
                let size = norm(&b);
                assert!(u[0].abs() < 1e-13 * size, "normal slack {} at mu {mu}", u[0]);
                assert!((norm(&r[1..]) - mu * r[0]).abs() <= 1e-13 * size, "off the cone at mu {mu}: {r:?}");
                let across = u[1] * r[2] - u[2] * r[1];
                let along = u[1] * r[1] + u[2] * r[2];
                assert!(across.abs() <= 1e-12 * size * norm(&r[1..]) && along <= 0.0, "friction {r:?}, slip {u:?}");
            }
        }
    }

    #[test]
    fn a_root_that_is_an_end_of_the_bracket_is_found() {
        // λ = 127: τ = 1 − 1/128 is where the bracket is widened, and the excess there is round-off of either sign.
        for speed in [1.28, 1.2800000000000007, 1.2799999999999996] {
            let r = solve(2, &[1.0, 0.0, 0.0, 1.0], &[-0.05, speed, 0.0], 0.2).expect("positive definite");
            assert!((r[0] - 0.05).abs() < 1e-17 && (r[1] + 0.01).abs() < 1e-16, "{r:?}");
        }
    }

    #[test]
    fn a_contact_in_the_plane_slides() {
        let r = solve(2, &[2.0, 0.3, 0.3, 1.0], &[-1.0, 4.0, 0.0], 0.4).expect("positive definite");
        assert!((2.0 * r[0] + 0.3 * r[1] - 1.0).abs() < 1e-15 && (r[1] + 0.4 * r[0]).abs() < 1e-15);
    }
}
