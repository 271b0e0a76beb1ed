//! The friction of one contact under a given bound: min ½ bᵀA b + cᵀb over a disc or a square.

// Notation
//   A    the symmetric 2 × 2 block of the tangents, [a00, a01, a11]
//   c    slacks of the tangents at b = 0, what other contacts leave them with
//   λ, e eigenvalues (larger first) and the first eigenvector of A
//   s    the multiplier of |b| ≤ R: slip speed over friction

/// More steps than the secular equation needs: from its lower bound Newton's method gains digits quadratically.
const NEWTON_STEPS: usize = 60;

/// The minimiser over the disc |b| ≤ `radius`, by the secular equation |(A + s)⁻¹c| = R.
pub fn on_disc([a00, a01, a11]: [f64; 3], c: [f64; 2], radius: f64) -> [f64; 2] {
    if radius <= 0.0 {
        return [0.0; 2];
    }
    let (mean, half) = (0.5 * (a00 + a11), 0.5 * (a00 - a11));
    let spread = half.hypot(a01);
    let lambda = [mean + spread, mean - spread];
    // The form without cancellation of the eigenvector of the larger eigenvalue.
    let mut e = if half >= 0.0 { [half + spread, a01] } else { [a01, spread - half] };
    let length = e[0].hypot(e[1]);
    e = if length > 0.0 { [e[0] / length, e[1] / length] } else { [1.0, 0.0] };
    let along = [e[0] * c[0] + e[1] * c[1], e[0] * c[1] - e[1] * c[0]];
    let back = |x: [f64; 2]| [e[0] * x[0] - e[1] * x[1], e[1] * x[0] + e[0] * x[1]];

    let at = |s: f64| -> [f64; 2] {
        std::array::from_fn(|k| if along[k] == 0.0 { 0.0 } else { -along[k] / (lambda[k] + s) })
    };
    let free = at(0.0);
    if lambda[1] >= 0.0 && free[0].hypot(free[1]) <= radius {
        return back(free);
    }
    // Newton's method on 1/|b(s)| − 1/R rises to the root from any s below it with A + s positive.
    let bounds = [c[0].hypot(c[1]) / radius - lambda[0], along[1].abs() / radius - lambda[1]];
    let mut s = bounds.into_iter().fold(0.0, f64::max);
    for _ in 0..NEWTON_STEPS {
        let b = at(s);
        let length = b[0].hypot(b[1]);
        let slope = b[0] * b[0] / (lambda[0] + s) + b[1] * b[1] / (lambda[1] + s);
        let step = (length / radius - 1.0) * length * length / slope;
        if step.is_nan() || step <= s * f64::EPSILON {
            break;
        }
        s += step;
    }
    let b = at(s);
    let length = b[0].hypot(b[1]);
    if length > 0.0 && length.is_finite() { back(b.map(|value| value * (radius / length))) } else { [0.0; 2] }
}

/// The minimiser over the square |b₁|, |b₂| ≤ `reach`.
pub fn on_square([a00, a01, a11]: [f64; 3], c: [f64; 2], reach: f64) -> [f64; 2] {
    let determinant = a00 * a11 - a01 * a01;
    if determinant > 0.0 {
        let free = [(a01 * c[1] - a11 * c[0]) / determinant, (a01 * c[0] - a00 * c[1]) / determinant];
        if free.iter().all(|b| b.abs() <= reach) {
            return free;
        }
    }
    // The minimum is on an edge; on each edge it is that of one variable.
    let other = |a: f64, slope: f64| {
        if a > 0.0 { (-slope / a).clamp(-reach, reach) } else { -reach * slope.signum() }
    };
    let value =
        |b: [f64; 2]| 0.5 * (a00 * b[0] * b[0] + a11 * b[1] * b[1]) + a01 * b[0] * b[1] + c[0] * b[0] + c[1] * b[1];
    let mut best = [0.0; 2];
    let mut least = f64::INFINITY;
    for side in [-reach, reach] {
        for b in [[side, other(a11, c[1] + a01 * side)], [other(a00, c[0] + a01 * side), side]] {
            if value(b) < least {
                (best, least) = (b, value(b));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best of many points of a disc or a square, to compare with.
    fn best_of_grid(a: [f64; 3], c: [f64; 2], size: f64, disc: bool) -> f64 {
        let n = 400;
        let mut least = f64::INFINITY;
        for i in 0..=n {
            for j in 0..=n {
                let mut b = [i, j].map(|k| size * (2.0 * k as f64 / n as f64 - 1.0));
                let length = b[0].hypot(b[1]);
                if disc && length > size {
                    b = b.map(|value| value * size / length);
                }
                least = least.min(value(a, c, b));
            }
        }
        least
    }

    fn value(a: [f64; 3], c: [f64; 2], b: [f64; 2]) -> f64 {
        0.5 * (a[0] * b[0] * b[0] + a[2] * b[1] * b[1]) + a[1] * b[0] * b[1] + c[0] * b[0] + c[1] * b[1]
    }

    #[test]
    fn no_point_of_a_grid_is_better_than_the_minimiser() {
        let blocks = [
            [2.0, 1.0, 2.0],
            [1.0, 0.0, 50.0],
            [3.0, -0.5, 3.0],
            [1.0, 1.0, 1.0],
            [0.0, 0.0, 0.0],
            [5.0, 0.0, 0.0],
        ];
        let slacks = [[1.0, 0.0], [-0.3, 0.7], [1e-3, -40.0], [0.0, 2.0]];
        for a in blocks {
            for c in slacks {
                for size in [0.5, 1e-2, 30.0] {
                    let round = on_disc(a, c, size);
                    assert!(round[0].hypot(round[1]) <= size * (1.0 + 1e-15), "{a:?} {c:?} {size}: {round:?}");
                    let grid = best_of_grid(a, c, size, true);
                    assert!(value(a, c, round) <= grid + 1e-13 * grid.abs(), "disc {a:?} {c:?} {size}: {round:?}");
                    let square = on_square(a, c, size);
                    assert!(square.iter().all(|b| b.abs() <= size), "{a:?} {c:?} {size}: {square:?}");
                    let grid = best_of_grid(a, c, size, false);
                    assert!(value(a, c, square) <= grid + 1e-13 * grid.abs(), "square {a:?} {c:?} {size}");
                }
            }
        }
    }

    #[test]
    fn sliding_friction_is_opposite_to_the_slip() {
        for (a, c) in [([2.0, 1.0, 2.0], [1.0, 0.0]), ([1.0, -0.2, 300.0], [4.0, 900.0])] {
            let b = on_disc(a, c, 0.5);
            let slip = [a[0] * b[0] + a[1] * b[1] + c[0], a[1] * b[0] + a[2] * b[1] + c[1]];
            let sine = (slip[0] * b[1] - slip[1] * b[0]) / (0.5 * slip[0].hypot(slip[1]));
            assert!(sine.abs() < 1e-14, "{sine}");
            assert!(slip[0] * b[0] + slip[1] * b[1] < 0.0);
        }
    }

    #[test]
    fn without_a_normal_impulse_there_is_no_friction() {
        assert_eq!(on_disc([2.0, 1.0, 2.0], [1.0, 0.0], 0.0), [0.0; 2]);
        assert_eq!(on_square([2.0, 1.0, 2.0], [1.0, 0.0], 0.0), [0.0; 2]);
    }
}
