//! The problem of several contacts with Coulomb friction at once, dense: for impacts, which have few contacts.
//!
//! One contact is solved exactly. Several are swept, contact by contact, each exactly; Newton's method on the natural map takes over where it
//! can. What both leave unsolved goes to the default solver of `carom-lcp`, which allocates. The residual has the last word.

use carom_lcp::cone::{largest_eigenvalue, norm, project};
use carom_lcp::solvers::pgs::one_contact;
use carom_lcp::{Friction, FrictionDefault, Limits, Solver as _, Sparse};

use crate::linear::{Lu, dot};

// Notation
//   d        rows of a contact, the normal first
//   W        GAGᵀ over the rows of all contacts, positive semi-definite
//   q, r, u  slacks without impulses, impulses, slacks u = W r + q
//   ρ        step of the natural map of a contact: F = r − P_K(r − ρ(u + μ|u_t|e_n))
//
//   r_n ≥ 0 ⟂ u_n ≥ 0,   |r_t| ≤ μ r_n,   r_t against u_t

/// Residuals below this part of what is asked for are round-off.
const EXACT: f64 = 1e-14;
/// What is asked for, and what is taken if nothing brings it down.
const ASKED: f64 = 1e-13;
const TAKEN: f64 = 1e-10;
/// What sweeps and Newton's method may leave before the default solver is asked.
const NEARLY: f64 = 1e-12;
/// Rounds of sweeps and Newton's method, and their lengths.
const ROUNDS: usize = 30;
const SWEEPS: usize = 10;
const ITERATIONS: usize = 12;
/// Iterations of the default solver: problems without a solution would take all there are.
const MOST_ITERATIONS: usize = 2000;
/// Problems that have a solution are mostly further than this after so many rounds.
const EARLY: usize = 8;
const HOPELESS: f64 = 1e-3;
/// Steps of the map, in terms of ρ, that Newton's method is tried with, round by round: where one cycles another does not.
const STEPS: [f64; 5] = [1.0, 10.0, 0.1, 100.0, 0.01];
/// What the diagonal of Newton's matrix is raised by: rows that depend on each other share their impulses.
const RAISED: f64 = 1e-9;

/// A problem.
#[derive(Debug, Clone, Default)]
pub struct Cones {
    /// Rows of a contact.
    pub dimension: usize,
    /// `W`, row after row.
    pub w: Vec<f64>,
    /// `q`.
    pub q: Vec<f64>,
    /// Coefficients.
    pub mu: Vec<f64>,
}

impl Cones {
    fn row(&self, i: usize) -> &[f64] {
        let size = self.q.len();
        &self.w[i * size..(i + 1) * size]
    }

    /// The block of a contact.
    fn block(&self, contact: usize) -> [f64; 9] {
        let (d, first) = (self.dimension, contact * self.dimension);
        let mut block = [0.0; 9];
        for i in 0..d {
            block[i * d..(i + 1) * d].copy_from_slice(&self.row(first + i)[first..first + d]);
        }
        block
    }
}

/// A problem that was not solved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Unsolved {
    /// The residual, relative to the impulses that its slacks ask for.
    pub residual: f64,
}

/// The solver with its workspace.
#[derive(Default)]
pub struct ConeSolver {
    u: Vec<f64>,
    rho: Vec<f64>,
    map: Vec<f64>,
    best: Vec<f64>,
    /// Newton's matrix; none before it is needed.
    lu: Option<Lu>,
}

impl Clone for ConeSolver {
    /// A workspace holds nothing that another would need.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl std::fmt::Debug for ConeSolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConeSolver")
    }
}

impl ConeSolver {
    /// Solves from the impulses `r`; returns the residual relative to the impulses that the slacks ask for.
    pub fn solve(&mut self, cones: &Cones, r: &mut [f64]) -> Result<f64, Unsolved> {
        let (d, count) = (cones.dimension, cones.mu.len());
        if count == 1 {
            let mut q = [0.0; 3];
            q[..d].copy_from_slice(&cones.q);
            if let Some(answer) = one_contact(d, &cones.block(0)[..d * d], &q, cones.mu[0]) {
                r.copy_from_slice(&answer[..d]);
                return Ok(0.0);
            }
        }
        self.rho.clear();
        self.rho.extend((0..count).map(|contact| {
            let largest = largest_eigenvalue(d, &cones.block(contact)[..d * d]);
            if largest > 0.0 { largest.recip() } else { 1.0 }
        }));
        self.map.resize(r.len(), 0.0);
        self.best.clear();
        self.best.extend_from_slice(r);
        let mut least = self.residual(cones, r);
        for round in 0..ROUNDS {
            if least <= ASKED || (round >= EARLY && least > HOPELESS) {
                break;
            }
            for _ in 0..SWEEPS {
                self.sweep(cones, r);
            }
            self.keep(cones, r, &mut least);
            for _ in 0..ITERATIONS {
                if least <= EXACT
                    || !self.newton(cones, r, STEPS[round % STEPS.len()])
                    || !self.keep(cones, r, &mut least)
                {
                    break;
                }
            }
            r.copy_from_slice(&self.best);
        }
        if least > NEARLY {
            self.ask_default(cones, r);
            self.keep(cones, r, &mut least);
        }
        r.copy_from_slice(&self.best);
        if least <= TAKEN { Ok(least) } else { Err(Unsolved { residual: least }) }
    }

    /// Takes impulses that are better than the best; whether they are.
    fn keep(&mut self, cones: &Cones, r: &[f64], least: &mut f64) -> bool {
        let residual = self.residual(cones, r);
        let better = residual < *least;
        if better {
            *least = residual;
            self.best.copy_from_slice(r);
        }
        better
    }

    fn evaluate(&mut self, cones: &Cones, r: &[f64]) {
        self.u.clear();
        self.u.extend((0..r.len()).map(|i| dot(cones.row(i), r) + cones.q[i]));
    }

    /// The largest entry of the natural map, relative to the impulses that slacks ask for; infinite if it is no number. The slacks stand in `u`.
    fn residual(&mut self, cones: &Cones, r: &[f64]) -> f64 {
        self.evaluate(cones, r);
        let d = cones.dimension;
        let (mut worst, mut size) = (0.0_f64, 0.0_f64);
        for (contact, (r, u)) in r.chunks_exact(d).zip(self.u.chunks_exact(d)).enumerate() {
            let (mu, rho) = (cones.mu[contact], self.rho[contact]);
            let mut x = [0.0; 3];
            for k in 0..d {
                x[k] = r[k] - rho * u[k];
            }
            x[0] -= rho * mu * norm(&u[1..]);
            // What the slacks without impulses ask for, and not the impulses: those of rows that depend on each other may cancel.
            size = size.max(rho * norm(&cones.q[contact * d..(contact + 1) * d]));
            project(mu, &mut x[..d]);
            for k in 0..d {
                let miss = (r[k] - x[k]).abs();
                worst = if miss <= worst { worst } else { miss };
            }
        }
        let relative = if worst == 0.0 { 0.0 } else { worst / size };
        if relative.is_nan() { f64::INFINITY } else { relative }
    }

    fn sweep(&mut self, cones: &Cones, r: &mut [f64]) {
        let d = cones.dimension;
        for contact in 0..cones.mu.len() {
            let first = contact * d;
            let block = cones.block(contact);
            let mut b = [0.0; 3];
            for i in 0..d {
                let own = dot(&block[i * d..(i + 1) * d], &r[first..first + d]);
                b[i] = dot(cones.row(first + i), r) + cones.q[first + i] - own;
            }
            if let Some(answer) = one_contact(d, &block[..d * d], &b, cones.mu[contact]) {
                r[first..first + d].copy_from_slice(&answer[..d]);
            }
        }
    }

    /// One iteration of Newton's method on the map of Alart and Curnier, at the slacks that were evaluated last; false if there is none.
    fn newton(&mut self, cones: &Cones, r: &mut [f64], step: f64) -> bool {
        self.evaluate(cones, r);
        let (d, size) = (cones.dimension, r.len());
        let lu = self.lu.get_or_insert_with(|| Lu::new(0));
        lu.resize(size);
        lu.matrix.fill(0.0);
        for contact in 0..cones.mu.len() {
            let (first, rho, mu) = (contact * d, step * self.rho[contact], cones.mu[contact]);
            let x = |k: usize| r[first + k] - rho * self.u[first + k];
            let (tangents, reach) = ([x(1.min(d - 1)), x(d - 1)], mu * x(0));
            let length = norm(&tangents[..d - 1]);
            for k in 0..d {
                let i = first + k;
                let line = &mut lu.matrix[i * size..(i + 1) * size];
                let stepped = |a: usize, j: usize| f64::from(a == j) - rho * cones.row(a)[j];
                let open = x(0) <= 0.0;
                if open {
                    line[i] = 1.0;
                    self.map[i] = r[i];
                } else if k == 0 || length <= reach {
                    line.iter_mut().zip(cones.row(i)).for_each(|(line, w)| *line = rho * w);
                    self.map[i] = rho * self.u[i];
                } else {
                    // r_t − μ x_n x_t/|x_t|
                    let along = tangents[k - 1] / length;
                    self.map[i] = r[i] - reach * along;
                    for (j, entry) in line.iter_mut().enumerate() {
                        let turned: f64 = (1..d)
                            .map(|l| {
                                let across = f64::from(l == k) - along * tangents[l - 1] / length;
                                across * stepped(first + l, j)
                            })
                            .sum();
                        *entry = f64::from(i == j) - mu * along * stepped(first, j) - reach / length * turned;
                    }
                }
                lu.matrix[i * size + i] += RAISED;
            }
        }
        if lu.factor().is_err() {
            return false;
        }
        lu.solve(&mut self.map);
        r.iter_mut().zip(&self.map).for_each(|(r, step)| *r -= step);
        // Back into the cones: a step may leave them by what the map is not linear in.
        for (r, mu) in r.chunks_exact_mut(d).zip(&cones.mu) {
            project(*mu, r);
        }
        true
    }

    /// The default solver of friction problems, from the best so far.
    #[cold]
    fn ask_default(&mut self, cones: &Cones, r: &mut [f64]) {
        let size = r.len();
        let entries: Vec<(usize, usize, f64)> = (0..size * size)
            .filter(|&at| cones.w[at] != 0.0)
            .map(|at| (at / size, at % size, cones.w[at]))
            .collect();
        let Ok(w) = Sparse::from_triplets(size, size, &entries) else { return };
        let Ok(problem) = Friction::new(cones.dimension, w, cones.q.clone(), cones.mu.clone()) else { return };
        r.copy_from_slice(&self.best);
        let limits = Limits { tolerance: ASKED, iterations: Some(MOST_ITERATIONS), deadline: None };
        // What it leaves in `r` on failure is its best, and is judged by the residual like any other.
        let _ = FrictionDefault::default().solve(&problem, r, &limits);
    }
}
