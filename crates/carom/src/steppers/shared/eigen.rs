//! Eigenvalues of small symmetric matrices in place, by Jacobi's rotations: exact to round-off relative to the matrix, nothing is allocated.

/// Rotations go round so often at most; six are the rule.
const ROUNDS: usize = 50;

/// Turns a symmetric `n × n` matrix into the diagonal of its eigenvalues, and `vectors` into their eigenvectors, one per column.
pub fn symmetric_eigen(n: usize, a: &mut [f64], vectors: &mut [f64]) {
    vectors.fill(0.0);
    (0..n).for_each(|i| vectors[i * (n + 1)] = 1.0);
    let negligible = 0.25 * f64::EPSILON * a.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
    for _ in 0..ROUNDS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
                if apq.abs() <= negligible || apq.is_nan() {
                    continue;
                }
                rotated = true;
                let theta = 0.5 * (aqq - app) / apq;
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (vectors[k * n + p], vectors[k * n + q]);
                    (vectors[k * n + p], vectors[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                (a[p * n + q], a[q * n + p]) = (0.0, 0.0);
            }
        }
        if !rotated {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::symmetric_eigen;

    #[test]
    fn eigenvectors_put_a_matrix_together_again() {
        let n = 5;
        let entry =
            |i: usize, j: usize| libm::sin((1 + i * j + i + j) as f64) + if i == j { 0.3 * i as f64 } else { 0.0 };
        let matrix: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let (mut a, mut v) = (matrix.clone(), vec![0.0; n * n]);
        symmetric_eigen(n, &mut a, &mut v);
        for i in 0..n {
            for j in 0..n {
                let sum: f64 = (0..n).map(|k| v[i * n + k] * a[k * (n + 1)] * v[j * n + k]).sum();
                assert!((sum - matrix[i * n + j]).abs() < 1e-14, "({i}, {j}): {sum}");
                let product: f64 = (0..n).map(|k| v[k * n + i] * v[k * n + j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_matrix_of_zeros_and_one_with_a_repeated_eigenvalue_are_taken() {
        let (mut a, mut v) = (vec![0.0; 9], vec![0.0; 9]);
        symmetric_eigen(3, &mut a, &mut v);
        assert_eq!(v, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        let mut a = vec![2.0, -1.0, -1.0, -1.0, 2.0, -1.0, -1.0, -1.0, 2.0];
        symmetric_eigen(3, &mut a, &mut v);
        let mut values = [a[0], a[4], a[8]];
        values.sort_by(f64::total_cmp);
        for (value, expected) in values.iter().zip([0.0, 3.0, 3.0]) {
            assert!((value - expected).abs() < 1e-14, "{value}");
        }
    }
}
