//! Whether a linear map preserves the symplectic form on a subspace.

/// Largest entry of `Nᵀ(JᵀΩJ − Ω)N`, `N` an orthonormal basis of the kernel of `rows` in the `2n`-dimensional phase space.
pub fn defect(jacobian: &[f64], rows: &[Vec<f64>]) -> f64 {
    let size = (jacobian.len() as f64).sqrt() as usize;
    let n = size / 2;
    let basis = kernel(rows, size);
    let images: Vec<Vec<f64>> = basis
        .iter()
        .map(|b| (0..size).map(|i| (0..size).map(|k| jacobian[i * size + k] * b[k]).sum()).collect())
        .collect();
    let form = |a: &[f64], b: &[f64]| -> f64 { (0..n).map(|i| a[i] * b[n + i] - a[n + i] * b[i]).sum() };
    let mut worst = 0.0_f64;
    for (a, image_a) in basis.iter().zip(&images) {
        for (b, image_b) in basis.iter().zip(&images) {
            worst = worst.max((form(image_a, image_b) - form(a, b)).abs());
        }
    }
    worst
}

/// Orthonormal basis of the vectors that all rows send to zero (Gram-Schmidt, twice for round-off).
fn kernel(rows: &[Vec<f64>], size: usize) -> Vec<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let mut found: Vec<Vec<f64>> = Vec::new();
    let mut orthonormal = |mut x: Vec<f64>| {
        let before = dot(&x, &x).sqrt();
        for _ in 0..2 {
            for y in &found {
                let part = dot(&x, y);
                x.iter_mut().zip(y).for_each(|(x, y)| *x -= part * y);
            }
        }
        let length = dot(&x, &x).sqrt();
        let fresh = length > 1e-6 * before;
        if fresh {
            x.iter_mut().for_each(|x| *x /= length);
            found.push(x);
        }
        fresh
    };
    let count = rows.iter().filter(|row| orthonormal((*row).clone())).count();
    for i in 0..size {
        let unit = (0..size).map(|k| if k == i { 1.0 } else { 0.0 }).collect();
        orthonormal(unit);
    }
    assert_eq!(found.len(), size, "the basis is complete");
    found.split_off(count)
}
