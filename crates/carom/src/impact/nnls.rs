//! Non-negative least squares on Gram matrices: `min ½yᵀWy + cᵀy` over `y ≥ 0`.
//!
//! Lawson & Hanson's active-set method [Lawson & Hanson 1974, ch. 23] in normal form: `W = GAGᵀ`, `c = 2GAp`. The solution
//! satisfies `y ≥ 0`, `Wy + c ≥ 0`, `yᵀ(Wy + c) = 0`. Rows of `G` that depend on each other make `y`, but not `Gᵀy`,
//! ambiguous: a row that cannot be told from the chosen ones is left out. Cost: a row of a Cholesky factorisation per variable that enters the
//! active set, a whole one per variable that leaves it.

use crate::linear::{Cholesky, dot};

/// Largest number of changes of the active set, per variable. It is finite in exact arithmetic, and small in practice.
const CHANGES_PER_VARIABLE: usize = 10;
/// Up to so many variables factors are made anew: sizes that are known when the code is made cost less.
const FEW: usize = 6;
/// A gradient below this, relative to its terms, is round-off.
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;

/// A problem with its workspace.
#[derive(Debug, Clone)]
pub struct Nnls {
    size: usize,
    /// `W`, symmetric, row-major.
    pub w: Vec<f64>,
    /// `c`.
    pub c: Vec<f64>,
    /// The solution.
    pub y: Vec<f64>,
    passive: Vec<usize>,
    refused: Vec<bool>,
    cholesky: Cholesky,
    trial: Vec<f64>,
}

impl Default for Nnls {
    fn default() -> Self {
        Self {
            size: 0,
            w: Vec::new(),
            c: Vec::new(),
            y: Vec::new(),
            passive: Vec::new(),
            refused: Vec::new(),
            cholesky: Cholesky::new(0),
            trial: Vec::new(),
        }
    }
}

impl Nnls {
    /// Room for `size` unknowns; nothing is allocated once it has been as large.
    pub fn resize(&mut self, size: usize) {
        self.size = size;
        self.w.resize(size * size, 0.0);
        self.c.resize(size, 0.0);
        self.y.resize(size, 0.0);
    }

    /// Solves for `y`; false if the active set keeps changing, which only round-off can bring about.
    pub fn solve(&mut self) -> bool {
        self.passive.clear();
        self.refused.clear();
        self.refused.resize(self.size, false);
        self.y.fill(0.0);
        self.descend()
    }

    /// Solves from a guess of the unknowns that are positive. If it is right, one factorisation will do.
    pub fn solve_from(&mut self, guess: impl Iterator<Item = usize>) -> bool {
        self.passive.clear();
        self.refused.clear();
        self.refused.resize(self.size, false);
        self.y.fill(0.0);
        self.passive.extend(guess);
        while !self.passive.is_empty() {
            if !self.factor() {
                // Rows that depend on each other: without the guess.
                self.passive.clear();
                break;
            }
            self.trial.clear();
            self.trial.extend(self.passive.iter().map(|&i| -self.c[i]));
            self.cholesky.solve(&mut self.trial);
            let (before, mut place, trial) = (self.passive.len(), 0, &self.trial);
            self.passive.retain(|_| {
                place += 1;
                trial[place - 1] > 0.0
            });
            if self.passive.len() == before {
                for (&i, &y) in self.passive.iter().zip(&self.trial) {
                    self.y[i] = y;
                }
                break;
            }
        }
        self.descend()
    }

    /// Lawson and Hanson's loop, from the minimum over the passive variables.
    fn descend(&mut self) -> bool {
        let m = self.size;
        for _ in 0..CHANGES_PER_VARIABLE * m + 10 {
            let Some(entering) = self.steepest() else { return true };
            self.passive.push(entering);
            if !self.extend() {
                self.passive.pop();
                self.refused[entering] = true;
                continue;
            }
            if !self.settle() {
                return false;
            }
        }
        false
    }

    /// The variable at zero along which the function falls fastest.
    fn steepest(&self) -> Option<usize> {
        let mut best = (0.0, None);
        for j in (0..self.size).filter(|j| !self.refused[*j] && !self.passive.contains(j)) {
            let row = &self.w[j * self.size..(j + 1) * self.size];
            let slope = self.c[j] + dot(row, &self.y);
            let terms = self.passive.iter().fold(self.c[j].abs(), |sum, &i| sum + (row[i] * self.y[i]).abs());
            // In units in which all rows have the same length.
            let descent = -slope / row[j].sqrt();
            if slope < -ROUND_OFF * terms && descent > best.0 {
                best = (descent, Some(j));
            }
        }
        best.1
    }

    /// Factors that of the last passive variable too; those of the others are there.
    fn extend(&mut self) -> bool {
        let (k, m) = (self.passive.len(), self.size);
        if k <= FEW {
            return self.factor();
        }
        let row = &self.w[self.passive[k - 1] * m..][..m];
        self.trial.clear();
        self.trial.extend(self.passive.iter().map(|&j| row[j]));
        self.cholesky.append(&mut self.trial).is_ok()
    }

    /// Factors the rows and columns of the passive variables.
    fn factor(&mut self) -> bool {
        let (k, m) = (self.passive.len(), self.size);
        self.cholesky.resize(k);
        for (a, &i) in self.passive.iter().enumerate() {
            for (b, &j) in self.passive[..=a].iter().enumerate() {
                self.cholesky.matrix[a * k + b] = self.w[i * m + j];
            }
        }
        self.cholesky.factor().is_ok()
    }

    /// Moves to the minimum over the passive variables; those that would become negative on the way are fixed at zero.
    fn settle(&mut self) -> bool {
        loop {
            self.trial.clear();
            self.trial.extend(self.passive.iter().map(|&i| -self.c[i]));
            self.cholesky.solve(&mut self.trial);
            let mut step = 1.0_f64;
            for (&i, &next) in self.passive.iter().zip(&self.trial) {
                if next <= 0.0 {
                    step = step.min(self.y[i] / (self.y[i] - next));
                }
            }
            if step.is_nan() {
                return false;
            }
            let arrived = self.trial.iter().all(|&next| next > 0.0);
            for (&i, &next) in self.passive.iter().zip(&self.trial) {
                self.y[i] = if arrived { next } else { (self.y[i] + step * (next - self.y[i])).max(0.0) };
            }
            if arrived {
                return true;
            }
            let (y, trial, passive) = (&mut self.y, &self.trial, &mut self.passive);
            let (before, mut place) = (passive.len(), 0);
            passive.retain(|&i| {
                let leaves = trial[place] <= 0.0 && y[i] <= ROUND_OFF * (y[i] - trial[place]).abs();
                place += 1;
                if leaves {
                    y[i] = 0.0;
                }
                !leaves
            });
            if passive.len() == before || !self.factor() {
                return false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::tests::numbers;

    /// `Gᵀy` of the solution by trying every active set.
    fn enumerated(g: &[f64], w: &[f64], c: &[f64], n: usize) -> Option<Vec<f64>> {
        let m = c.len();
        for set in 0..1_usize << m {
            let chosen: Vec<usize> = (0..m).filter(|i| set >> i & 1 == 1).collect();
            let k = chosen.len();
            let mut cholesky = Cholesky::new(k);
            for (a, &i) in chosen.iter().enumerate() {
                for (b, &j) in chosen.iter().enumerate() {
                    cholesky.matrix[a * k + b] = w[i * m + j];
                }
            }
            if cholesky.factor().is_err() {
                continue;
            }
            let mut part: Vec<f64> = chosen.iter().map(|&i| -c[i]).collect();
            cholesky.solve(&mut part);
            let mut y = vec![0.0; m];
            chosen.iter().zip(&part).for_each(|(&i, value)| y[i] = *value);
            let slopes = (0..m).map(|i| c[i] + dot(&w[i * m..(i + 1) * m], &y));
            if part.iter().all(|&y| y >= -1e-12) && slopes.into_iter().all(|slope| slope >= -1e-10) {
                return Some((0..n).map(|k| (0..m).map(|i| g[i * n + k] * y[i]).sum()).collect());
            }
        }
        None
    }

    #[test]
    fn agrees_with_the_enumeration_of_all_active_sets() {
        let mut random = numbers(7);
        let mut solver = Nnls::default();
        let mut sizes = [0; 9];
        for trial in 0..3000 {
            let (n, m) = (1 + trial % 6, trial % 9);
            let g: Vec<f64> = (0..n * m).map(|_| random()).collect();
            let p: Vec<f64> = (0..n).map(|_| random()).collect();
            solver.resize(m);
            for i in 0..m {
                for j in 0..m {
                    solver.w[i * m + j] = dot(&g[i * n..(i + 1) * n], &g[j * n..(j + 1) * n]);
                }
                solver.c[i] = 2.0 * dot(&g[i * n..(i + 1) * n], &p);
            }
            let expected = enumerated(&g, &solver.w, &solver.c, n).expect("there is always a solution");
            assert!(solver.solve(), "trial {trial}");
            assert!(solver.y.iter().all(|&y| y >= 0.0));
            for k in 0..n {
                let found: f64 = (0..m).map(|i| g[i * n + k] * solver.y[i]).sum();
                assert!((found - expected[k]).abs() < 1e-9, "trial {trial}: {found} {}", expected[k]);
            }
            sizes[solver.y.iter().filter(|&&y| y > 0.0).count()] += 1;
        }
        // The problems are not all of one kind.
        assert!(sizes[..5].iter().all(|&count| count > 20), "{sizes:?}");
    }

    #[test]
    fn equal_rows_share_what_one_would_take() {
        let mut solver = Nnls::default();
        solver.resize(2);
        solver.w.copy_from_slice(&[1.0, 1.0, 1.0, 1.0]);
        solver.c.copy_from_slice(&[-2.0, -2.0]);
        assert!(solver.solve());
        assert_eq!(solver.y[0] + solver.y[1], 2.0);
    }
}
