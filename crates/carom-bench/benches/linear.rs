//! Small dense linear systems: the factorisations of `carom::linear` beside nalgebra's and faer's, factor and solve.

use std::hint::black_box;

use carom::linear::{Cholesky, Lu};
use carom_bench::compare;
use faer::linalg::solvers::Solve;

/// A well-conditioned, not symmetric matrix.
fn matrix(n: usize) -> Vec<f64> {
    let entry = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5;
    (0..n * n).map(|k| entry(k) + if k / n == k % n { n as f64 } else { 0.0 }).collect()
}

fn main() {
    for n in [2, 4, 8, 13, 32, 64] {
        let repeat = (200_000 / (n * n * n)).max(20);
        let (a, b): (Vec<f64>, Vec<f64>) = (matrix(n), (0..n).map(|i| 1.0 + i as f64).collect());
        let own_lu = || {
            let (mut lu, mut x, mut sum) = (Lu::new(n), b.clone(), 0.0);
            for _ in 0..repeat {
                lu.matrix.copy_from_slice(black_box(&a));
                x.copy_from_slice(&b);
                lu.factor().expect("regular");
                lu.solve(&mut x);
                sum += x[0];
            }
            sum
        };
        let own_cholesky = || {
            let (mut cholesky, mut x, mut sum) = (Cholesky::new(n), b.clone(), 0.0);
            for _ in 0..repeat {
                cholesky.matrix.copy_from_slice(black_box(&a));
                x.copy_from_slice(&b);
                cholesky.factor().expect("positive definite");
                cholesky.solve(&mut x);
                sum += x[0];
            }
            sum
        };
        let nalgebra_lu = || {
            let (vector, mut sum) = (nalgebra::DVector::from_column_slice(&b), 0.0);
            for _ in 0..repeat {
                let lu = nalgebra::DMatrix::from_row_slice(n, n, black_box(&a)).lu();
                sum += lu.solve(&vector).expect("regular")[0];
            }
            sum
        };
        let faer_lu = || {
            let (vector, mut sum) = (faer::Mat::from_fn(n, 1, |i, _| b[i]), 0.0);
            for _ in 0..repeat {
                let lu = faer::MatRef::from_row_major_slice(black_box(&a), n, n).partial_piv_lu();
                sum += lu.solve(&vector)[(0, 0)];
            }
            sum
        };
        let candidates: [(&str, &dyn Fn() -> f64); 4] = [
            ("carom LU", &own_lu),
            ("carom Cholesky", &own_cholesky),
            ("nalgebra LU", &nalgebra_lu),
            ("faer LU", &faer_lu),
        ];
        compare(&format!("n = {n}"), repeat, &candidates);
    }
}
