//! The friction cone K = { (n, t) : ‖t‖ ≤ μ n } and the projection on it.

/// The Euclidean length of a vector, also where squares of its entries overflow or vanish.
pub fn norm(x: &[f64]) -> f64 {
    let squares = x.iter().fold(0.0, |sum, v| sum + v * v);
    if (1e-280..1e280).contains(&squares) || squares.is_nan() {
        return squares.sqrt();
    }
    let largest = x.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    largest * x.iter().fold(0.0, |sum, v| sum + (v / largest) * (v / largest)).sqrt()
}

/// Replaces `r = (n, t)` by the nearest point of the cone `‖t‖ ≤ μ n`.
pub fn project(mu: f64, r: &mut [f64]) {
    let (n, t) = (r[0], norm(&r[1..]));
    // Of a ray, with μ = 0, no negative normal is a part: 0 ≤ −0 would take it for one.
    if n >= 0.0 && t <= mu * n {
        return;
    }
    if mu * t <= -n {
        r.fill(0.0);
        return;
    }
    let along = (n + mu * t) / (1.0 + mu * mu);
    r[0] = along;
    // t > 0 here: with t = 0 one of the two cases above holds.
    let scale = mu * along / t;
    r[1..].iter_mut().for_each(|v| *v *= scale);
}

/// The largest eigenvalue of the symmetric part of a d × d block, d at most 3, row after row.
pub fn largest_eigenvalue(d: usize, block: &[f64]) -> f64 {
    let a = |i: usize, j: usize| 0.5 * (block[i * d + j] + block[j * d + i]);
    match d {
        1 => block[0],
        2 => {
            let (mean, half) = (0.5 * (a(0, 0) + a(1, 1)), 0.5 * (a(0, 0) - a(1, 1)));
            mean + half.hypot(a(0, 1))
        }
        _ => {
            // Smith's closed form, with the scale taken out.
            let mean = (a(0, 0) + a(1, 1) + a(2, 2)) / 3.0;
            let off = a(0, 1) * a(0, 1) + a(0, 2) * a(0, 2) + a(1, 2) * a(1, 2);
            let spread: f64 = (0..3).map(|i| (a(i, i) - mean) * (a(i, i) - mean)).sum();
            let p = ((spread + 2.0 * off) / 6.0).sqrt();
            if p == 0.0 {
                return mean;
            }
            let b = |i: usize, j: usize| (a(i, j) - if i == j { mean } else { 0.0 }) / p;
            let determinant = b(0, 0) * (b(1, 1) * b(2, 2) - b(1, 2) * b(1, 2))
                - b(0, 1) * (b(0, 1) * b(2, 2) - b(1, 2) * b(0, 2))
                + b(0, 2) * (b(0, 1) * b(1, 2) - b(1, 1) * b(0, 2));
            let angle = (0.5 * determinant).clamp(-1.0, 1.0).acos() / 3.0;
            mean + 2.0 * p * angle.cos()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_without_friction_is_a_ray() {
        for (given, nearest) in
            [([-1.0, 0.0, 0.0], 0.0), ([2.0, 0.0, 0.0], 2.0), ([-1.0, 3.0, 1.0], 0.0), ([2.0, 3.0, 1.0], 2.0)]
        {
            let mut r = given;
            project(0.0, &mut r);
            assert_eq!(r, [nearest, 0.0, 0.0], "{given:?}");
        }
    }

    #[test]
    fn points_inside_the_polar_cone_and_between_are_projected() {
        let mut inside = [2.0, 0.6, -0.8];
        project(0.5, &mut inside);
        assert_eq!(inside, [2.0, 0.6, -0.8]);
        let mut polar = [-1.0, 1.2, -1.6];
        project(0.5, &mut polar);
        assert_eq!(polar, [0.0; 3]);
        let mut between = [1.0, 3.0, -4.0];
        project(0.5, &mut between);
        // n' = (1 + 0.5 * 5) / 1.25, t' = 0.5 n' (0.6, -0.8).
        for (got, want) in between.iter().zip([2.8, 0.84, -1.12]) {
            assert!((got - want).abs() < 1e-15, "{got} is not {want}");
        }
        let mut frictionless = [1.0, 3.0, -4.0];
        project(0.0, &mut frictionless);
        assert_eq!(frictionless, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn lengths_neither_overflow_nor_vanish() {
        assert_eq!(norm(&[]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(norm(&[3.0, -4.0]), 5.0);
        assert!((norm(&[3e200, -4e200]) / 5e200 - 1.0).abs() < 1e-15);
        assert!((norm(&[3e-200, -4e-200]) / 5e-200 - 1.0).abs() < 1e-15);
        assert_eq!(norm(&[1.0, f64::INFINITY]), f64::INFINITY);
        assert!(norm(&[1.0, f64::NAN]).is_nan());
    }

    #[test]
    fn largest_eigenvalues_of_known_matrices() {
        assert_eq!(largest_eigenvalue(1, &[-3.0]), -3.0);
        assert!((largest_eigenvalue(2, &[2.0, 1.0, 1.0, 2.0]) - 3.0).abs() < 1e-15);
        let block = [2.0, -1.0, 0.0, -1.0, 2.0, -1.0, 0.0, -1.0, 2.0];
        assert!((largest_eigenvalue(3, &block) - (2.0 + 2.0_f64.sqrt())).abs() < 1e-14);
        assert_eq!(largest_eigenvalue(3, &[4.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0]), 4.0);
        // Only the symmetric part counts.
        assert!((largest_eigenvalue(2, &[2.0, 5.0, -3.0, 2.0]) - 3.0).abs() < 1e-15);
    }
}
