//! The chain in the angles of its links, by the classical Runge-Kutta method of order 4: other unknowns and another integrator.
//!
//! With `μ_k` the mass from link `k` on: `Σ_j μ_max(i,j) l² (cos(θ_i − θ_j) θ_j'' + sin(θ_i − θ_j) θ_j'²) = −μ_i g l sin θ_i`.

use carom::linear::Cholesky;

use crate::chain::{G, LINK};

/// Angles and their rates.
pub struct Angles {
    below: Vec<f64>,
    mass: Cholesky,
    pub x: Vec<f64>,
}

impl Angles {
    pub fn new(masses: &[f64], angles: &[f64]) -> Self {
        let mut below = masses.to_vec();
        for k in (1..below.len()).rev() {
            below[k - 1] += below[k];
        }
        let x = angles.iter().copied().chain(angles.iter().map(|_| 0.0)).collect();
        Self { mass: Cholesky::new(below.len()), below, x }
    }

    /// `x'`.
    fn rate(&mut self, x: &[f64]) -> Vec<f64> {
        let n = self.below.len();
        let (theta, omega) = x.split_at(n);
        let turns: Vec<(f64, f64)> = theta.iter().map(|theta| theta.sin_cos()).collect();
        let mut right = vec![0.0; n];
        for i in 0..n {
            let (si, ci) = turns[i];
            right[i] = -self.below[i] * G / LINK * si;
            for j in 0..n {
                let ((sj, cj), mass) = (turns[j], self.below[i.max(j)]);
                self.mass.matrix[i * n + j] = mass * (ci * cj + si * sj);
                right[i] -= mass * (si * cj - ci * sj) * omega[j] * omega[j];
            }
        }
        self.mass.factor().expect("a mass matrix");
        self.mass.solve(&mut right);
        omega.iter().copied().chain(right).collect()
    }

    fn step(&mut self, h: f64) {
        let x = self.x.clone();
        let ahead =
            |rate: &[f64], h: f64| -> Vec<f64> { x.iter().zip(rate).map(|(x, rate)| x + h * rate).collect() };
        let a = self.rate(&x);
        let b = self.rate(&ahead(&a, 0.5 * h));
        let c = self.rate(&ahead(&b, 0.5 * h));
        let d = self.rate(&ahead(&c, h));
        for k in 0..x.len() {
            self.x[k] += h / 6.0 * (a[k] + 2.0 * (b[k] + c[k]) + d[k]);
        }
    }

    /// Where the load is.
    fn load(&self) -> [f64; 2] {
        let angles = &self.x[..self.below.len()];
        angles.iter().fold([0.0; 2], |at, angle| [at[0] + LINK * angle.sin(), at[1] - LINK * angle.cos()])
    }

    /// Places of the load at the ends of intervals, each of so many steps.
    pub fn path(&mut self, interval: f64, count: usize, steps: usize) -> Vec<[f64; 2]> {
        let mut places = Vec::new();
        for _ in 0..count {
            (0..steps).for_each(|_| self.step(interval / steps as f64));
            places.push(self.load());
        }
        places
    }
}

/// The largest distance of two paths.
pub fn apart(a: &[[f64; 2]], b: &[[f64; 2]]) -> f64 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a[0] - b[0]).hypot(a[1] - b[1])))
}
