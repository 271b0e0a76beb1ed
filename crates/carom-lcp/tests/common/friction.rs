//! Friction problems as a test reads them, with a residual that shares no code with the crate.

use carom_lcp::{Friction, Sparse};
use serde_json::Value;

/// A problem with its matrix by rows, every entry.
#[derive(Clone)]
pub struct Contacts {
    pub name: String,
    pub dimension: usize,
    pub w: Vec<Vec<f64>>,
    pub q: Vec<f64>,
    pub mu: Vec<f64>,
}

impl Contacts {
    /// The problem of a file of public data.
    pub fn read(text: &str) -> Contacts {
        let value: Value = serde_json::from_str(text).expect("a problem");
        let numbers = |value: &Value| -> Vec<f64> { serde_json::from_value(value.clone()).expect("numbers") };
        let indices = |value: &Value| -> Vec<usize> { serde_json::from_value(value.clone()).expect("indices") };
        let (row, column, entry) =
            (indices(&value["W"]["row"]), indices(&value["W"]["col"]), numbers(&value["W"]["value"]));
        let q = numbers(&value["q"]);
        let mut w = vec![vec![0.0; q.len()]; q.len()];
        for k in 0..row.len() {
            w[row[k]][column[k]] += entry[k];
        }
        Contacts {
            name: value["name"].as_str().expect("a name").to_string(),
            dimension: value["dimension"].as_u64().expect("a dimension") as usize,
            w,
            q,
            mu: numbers(&value["mu"]),
        }
    }

    /// The problem as the crate takes it.
    pub fn problem(&self) -> Friction {
        let mut triplets = Vec::new();
        for (i, row) in self.w.iter().enumerate() {
            triplets.extend(row.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(j, v)| (i, j, *v)));
        }
        let n = self.q.len();
        let w = Sparse::from_triplets(n, n, &triplets).expect("entries inside");
        Friction::new(self.dimension, w, self.q.clone(), self.mu.clone()).expect("a problem")
    }

    /// ‖F(r)‖ / ‖F(0)‖.
    pub fn relative(&self, r: &[f64]) -> f64 {
        let size = self.residual(r);
        if size == 0.0 { 0.0 } else { size / self.residual(&vec![0.0; r.len()]) }
    }

    /// ‖F(r)‖, where F of a contact is r minus the point of the cone nearest to r − ρ (u + μ‖u_t‖ e_n).
    pub fn residual(&self, r: &[f64]) -> f64 {
        let d = self.dimension;
        let mut squares = 0.0;
        for (c, &mu) in self.mu.iter().enumerate() {
            let rows = c * d..c * d + d;
            let u: Vec<f64> = rows
                .clone()
                .map(|i| self.q[i] + self.w[i].iter().zip(r).map(|(a, b)| a * b).sum::<f64>())
                .collect();
            let rho = 1.0 / self.largest_eigenvalue(c);
            let slip = u[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
            let mut aim: Vec<f64> = rows.clone().map(|i| r[i] - rho * u[i - c * d]).collect();
            aim[0] -= rho * mu * slip;
            for (value, nearest) in r[rows].iter().zip(nearest_in_cone(mu, &aim)) {
                squares += (value - nearest) * (value - nearest);
            }
        }
        squares.sqrt()
    }

    /// By repeated multiplication with the symmetric part of the block, squared so that it converges fast.
    fn largest_eigenvalue(&self, contact: usize) -> f64 {
        let d = self.dimension;
        let at = |i: usize, j: usize| self.w[contact * d + i][contact * d + j];
        let block: Vec<Vec<f64>> = (0..d).map(|i| (0..d).map(|j| 0.5 * (at(i, j) + at(j, i))).collect()).collect();
        let mut power = block.clone();
        for _ in 0..60 {
            let size = power.iter().flatten().fold(0.0_f64, |most, v| most.max(v.abs()));
            power = (0..d)
                .map(|i| {
                    (0..d).map(|j| (0..d).map(|k| power[i][k] * power[k][j]).sum::<f64>() / (size * size)).collect()
                })
                .collect();
        }
        // Every column of a high power is along the eigenvector; the longest one is the safest.
        let column = (0..d).max_by(|&i, &j| power[i][i].total_cmp(&power[j][j])).expect("a column");
        let vector: Vec<f64> = (0..d).map(|i| power[i][column]).collect();
        let moved: Vec<f64> = (0..d).map(|i| (0..d).map(|j| block[i][j] * vector[j]).sum()).collect();
        let inner = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        inner(&moved, &vector) / inner(&vector, &vector)
    }
}

/// By cases: inside, below the polar cone, or on the ray of the surface nearest to it.
fn nearest_in_cone(mu: f64, x: &[f64]) -> Vec<f64> {
    let t = x[1..].iter().map(|v| v * v).sum::<f64>().sqrt();
    if t <= mu * x[0] {
        return x.to_vec();
    }
    let ray: Vec<f64> =
        std::iter::once(1.0).chain(x[1..].iter().map(|v| if t > 0.0 { mu * v / t } else { 0.0 })).collect();
    let along = x.iter().zip(&ray).map(|(a, b)| a * b).sum::<f64>() / ray.iter().map(|v| v * v).sum::<f64>();
    ray.iter().map(|v| v * along.max(0.0)).collect()
}
