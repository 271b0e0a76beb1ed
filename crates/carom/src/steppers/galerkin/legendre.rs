//! Legendre polynomials on [0, 1], their integrals, and Gauss points.

/// `P_k(s)` of the shifted Legendre polynomials, `P_k(1) = 1`, for `k` from 0 to `out.len() − 1`.
pub fn legendre(s: f64, out: &mut [f64]) {
    let x = 2.0 * s - 1.0;
    for k in 0..out.len() {
        out[k] = match k {
            0 => 1.0,
            1 => x,
            _ => ((2 * k - 1) as f64 * x * out[k - 1] - (k - 1) as f64 * out[k - 2]) / k as f64,
        };
    }
}

/// `(2k + 1) ∫₀ˢ P_k`, given `P_0 … P_{k+1}` at `s`.
pub fn integral(k: usize, s: f64, p: &[f64]) -> f64 {
    if k == 0 { s } else { 0.5 * (p[k + 1] - p[k - 1]) }
}

/// Places and weights of the Gauss rule with `count` points on [0, 1], ascending.
pub fn gauss(count: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut places, mut weights) = (vec![0.0; count], vec![0.0; count]);
    let n = count as f64;
    for i in 0..count.div_ceil(2) {
        // Tricomi's estimate of a root of P_n on [−1, 1], then Newton; the middle one of an odd count is 0.
        let mut x = if 2 * i + 1 == count {
            0.0
        } else {
            (std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos() * (1.0 - (n - 1.0) / (8.0 * n * n * n))
        };
        let mut slope = 0.0;
        for _ in 0..8 {
            let (mut before, mut value) = (1.0, x);
            for k in 2..=count {
                (before, value) = (value, ((2 * k - 1) as f64 * x * value - (k - 1) as f64 * before) / k as f64);
            }
            slope = n * (before - x * value) / (1.0 - x * x);
            if 2 * i + 1 != count {
                x -= value / slope;
            }
        }
        let weight = 1.0 / ((1.0 - x * x) * slope * slope);
        (places[i], places[count - 1 - i]) = (0.5 - 0.5 * x, 0.5 + 0.5 * x);
        (weights[i], weights[count - 1 - i]) = (weight, weight);
    }
    (places, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gauss_points_integrate_polynomials_of_twice_their_number() {
        for count in 1..=40_usize {
            let (places, weights) = gauss(count);
            assert!(places.is_sorted() && places.iter().all(|s| *s > 0.0 && *s < 1.0));
            for power in 0..2 * count {
                let sum: f64 = places.iter().zip(&weights).map(|(s, w)| w * s.powi(power as i32)).sum();
                let exact = 1.0 / (power as f64 + 1.0);
                assert!((sum - exact).abs() < 4e-15, "{count} points, power {power}: {sum} for {exact}");
            }
            // The rule must fail where it is not exact.
            if count <= 8 {
                let power = 2 * count as i32;
                let sum: f64 = places.iter().zip(&weights).map(|(s, w)| w * s.powi(power)).sum();
                assert!((sum - 1.0 / (f64::from(power) + 1.0)).abs() > 1e-12, "{count} points");
            }
        }
    }

    #[test]
    fn polynomials_are_orthogonal_and_integrals_are_theirs() {
        let (places, weights) = gauss(12);
        let at = |s: f64| -> Vec<f64> {
            let mut p = vec![0.0; 10];
            legendre(s, &mut p);
            p
        };
        for i in 0..10 {
            for j in 0..10 {
                let sum: f64 = places.iter().zip(&weights).map(|(s, w)| w * at(*s)[i] * at(*s)[j]).sum();
                let exact = if i == j { 1.0 / (2.0 * i as f64 + 1.0) } else { 0.0 };
                assert!((sum - exact).abs() < 1e-15);
            }
        }
        for k in 0..8 {
            let end = 0.37;
            let sum: f64 = places.iter().zip(&weights).map(|(s, w)| w * end * at(s * end)[k]).sum();
            assert!(((2 * k + 1) as f64 * sum - integral(k, end, &at(end))).abs() < 1e-15, "{k}");
        }
    }
}
