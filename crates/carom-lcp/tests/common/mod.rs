//! What the tests share: numbers at random, and residuals that share no code with the crate.
#![allow(dead_code, reason = "each test uses a part of this")]

pub mod friction;
pub mod oracle;
pub mod rational;

use std::path::PathBuf;

use carom_lcp::{Dense, Mlcp, Sparse};

/// Marsaglia's xorshift with 64 bits.
pub struct Random(u64);

impl Random {
    /// The generator with this seed, not 0.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        for _ in 0..8 {
            random.bits();
        }
        random
    }

    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Evenly between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * self.unit()
    }

    /// Evenly among 0 .. n.
    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// With the normal distribution.
    pub fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.unit()).ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// A vector with the normal distribution.
    pub fn normals(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.normal()).collect()
    }

    /// A matrix with the normal distribution, by rows.
    pub fn matrix(&mut self, rows: usize, columns: usize) -> Vec<Vec<f64>> {
        (0..rows).map(|_| self.normals(columns)).collect()
    }
}

/// B Bᵀ + shift I.
pub fn gram(b: &[Vec<f64>], shift: f64) -> Vec<Vec<f64>> {
    let n = b.len();
    let mut h = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..n {
            h[i][j] = b[i].iter().zip(&b[j]).map(|(x, y)| x * y).sum::<f64>() + if i == j { shift } else { 0.0 };
        }
    }
    h
}

/// H z.
pub fn times(h: &[Vec<f64>], z: &[f64]) -> Vec<f64> {
    h.iter().map(|row| row.iter().zip(z).map(|(a, b)| a * b).sum()).collect()
}

/// The mixed LCP with these rows.
pub fn mlcp(h: &[Vec<f64>], q: &[f64], lower: &[f64], upper: &[f64]) -> Mlcp {
    let h = Sparse::from_dense(&Dense::from_rows(h).expect("rows of one length"));
    Mlcp::new(h, q.to_vec(), lower.to_vec(), upper.to_vec()).expect("a problem")
}

/// ‖F(z)‖ with F_i the middle one of z − l, z − u and w / H_ii (w where H_ii is not positive).
pub fn natural(h: &[Vec<f64>], q: &[f64], lower: &[f64], upper: &[f64], z: &[f64]) -> f64 {
    let mut squares = 0.0;
    for i in 0..q.len() {
        let mut w = q[i];
        for j in 0..q.len() {
            w += h[i][j] * z[j];
        }
        let rho = if h[i][i] > 0.0 { 1.0 / h[i][i] } else { 1.0 };
        let mut three = [z[i] - lower[i], z[i] - upper[i], rho * w];
        three.sort_by(f64::total_cmp);
        squares += three[1] * three[1];
    }
    squares.sqrt()
}

/// ‖F(z)‖ / ‖F(0)‖ of [`natural`].
pub fn relative(h: &[Vec<f64>], q: &[f64], lower: &[f64], upper: &[f64], z: &[f64]) -> f64 {
    let residual = natural(h, q, lower, upper, z);
    if residual == 0.0 { 0.0 } else { residual / natural(h, q, lower, upper, &vec![0.0; q.len()]) }
}

/// The problems in a folder of public data, if the environment names it: a folder that is not there is a failure then.
pub fn public_data(folder: &str) -> Option<Vec<PathBuf>> {
    let Some(root) = std::env::var_os("CAROM_DATA") else {
        println!("CAROM_DATA is not set: public data are not tested");
        return None;
    };
    let folder = PathBuf::from(root).join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    Some(files)
}
