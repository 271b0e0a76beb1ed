//! Corrections for many coordinates: with derivatives of the middle of the step, the stages come apart.
//!
//! With `M`, `K` and `G` the same at all points, a correction solves
//! ```text
//! (I ⊗ M − h² X ⊗ K) δU − (C ⊗ Gᵀ) δΛ = r,    (E ⊗ G) δU = c,     X_jl = Σ_κ â_jκ a_l(s_κ)
//! ```
//! where `Λ` are the multipliers `μ, hλ`, and `C` and `E` say how they act on the balances and what of the motion the constraints see.
//! With `C Λ` and `E⁻¹c` in place of `Λ` and `c` only `X` couples the stages; its real Schur form `X = Q S Qᵀ` is solved from its end, in
//! systems of `n` coordinates and the constraints for every real eigenvalue, and of twice as many for a pair. `Q` is orthogonal: the
//! eigenvectors of `X` are not to be used, their condition grows by 4 with every degree.
//!
//! Cost: for degree 4 a seventh of the full LU, for degree 8 a twentieth. What is left out (changes along the step, `∂M/∂q`, forces of the
//! velocity) makes the convergence linear; where it is slow, the full matrix takes over.

use nalgebra::{DMatrix, Schur};

use super::matrix::Derivatives;
use super::stages::combine;
use super::step::Galerkin;
use super::tables::Tables;
use crate::linear::{Breakdown, Lu, matrix_times};
use crate::state::State;
use crate::system::System;

/// From this number of unknowns on the full LU takes most of the time of a step.
const MANY: usize = 40;

/// The solver of such corrections.
#[derive(Debug, Clone)]
pub struct Blocks {
    /// `S` and `Q`, `modes × modes`.
    s: Vec<f64>,
    q: Vec<f64>,
    /// `C⁻¹` and `E⁻¹`.
    c_inverse: Vec<f64>,
    e_inverse: Vec<f64>,
    /// First stage of every system, and its factors.
    factors: Vec<(usize, Lu)>,
    /// Rows of the tables in the middle of a step: positions, velocities, multipliers.
    middle: [Vec<f64>; 3],
    /// Configuration, velocity and multipliers there.
    at: [Vec<f64>; 3],
    g: Vec<f64>,
    values: Vec<f64>,
    /// Right-hand sides by stage, coordinates and constraints one after the other.
    right: Vec<f64>,
    other: Vec<f64>,
    pull: Vec<f64>,
}

/// `out_i = Σ_j a_ij x_j` of vectors of the given length; with the transposed matrix if asked.
fn mix(a: &[f64], transposed: bool, length: usize, x: &[f64], out: &mut [f64]) {
    let count = out.len() / length.max(1);
    out.fill(0.0);
    for i in 0..count {
        for j in 0..count {
            let factor = if transposed { a[j * count + i] } else { a[i * count + j] };
            let (from, to) = (j * length, i * length);
            for k in 0..length {
                out[to + k] += factor * x[from + k];
            }
        }
    }
}

fn inverse(matrix: &DMatrix<f64>) -> Option<Vec<f64>> {
    // nalgebra stores columns.
    matrix.clone().try_inverse().map(|inverse| inverse.transpose().as_slice().to_vec())
}

impl Blocks {
    /// For a step with these tables, if it has many unknowns.
    pub fn new(tables: &Tables, reactions: &[f64], n: usize, nc: usize) -> Option<Self> {
        let (modes, points) = (tables.modes, tables.points.s.len());
        if modes * (n + nc) < MANY || modes < 2 {
            return None;
        }
        let sum = |of: &dyn Fn(usize) -> f64| (0..points).map(of).sum::<f64>();
        let (a, chi) = (&tables.points.a, &tables.chi);
        let x = DMatrix::from_fn(modes, modes, |j, l| sum(&|k| reactions[k * modes + j] * a[k * modes + l]));
        let c = DMatrix::from_fn(modes, modes, |j, i| match i {
            0 => 1.0,
            _ => sum(&|k| reactions[k * modes + j] * chi[k * (modes - 1) + i - 1]),
        });
        let e = DMatrix::from_fn(modes, modes, |i, j| match i {
            0 => tables.b[j],
            _ => sum(&|k| tables.points.w[k] * chi[k * (modes - 1) + i - 1] * a[k * modes + j]),
        });
        let (q, s) = Schur::try_new(x, f64::EPSILON, 10_000)?.unpack();
        let size = n + nc;
        let (mut factors, mut first) = (Vec::new(), 0);
        while first < modes {
            let pair = first + 1 < modes && s[(first + 1, first)].abs() > 1e-12 * s.norm();
            factors.push((first, Lu::new(if pair { 2 * size } else { size })));
            first += 1 + usize::from(pair);
        }
        let (mut position, mut velocity, mut middle_chi) =
            (vec![0.0; modes], vec![0.0; modes], vec![0.0; modes - 1]);
        tables.position(0.5, &mut position);
        tables.velocity(0.5, &mut velocity);
        super::legendre::legendre(0.5, &mut middle_chi);
        Some(Self {
            s: s.transpose().as_slice().to_vec(),
            q: q.transpose().as_slice().to_vec(),
            c_inverse: inverse(&c)?,
            e_inverse: inverse(&e)?,
            factors,
            middle: [position, velocity, middle_chi],
            at: [vec![0.0; n], vec![0.0; n], vec![0.0; nc]],
            g: vec![0.0; nc * n],
            values: vec![0.0; nc],
            right: vec![0.0; modes * size],
            other: vec![0.0; modes * size],
            pull: vec![0.0; n],
        })
    }

    /// `[[M − h²σ K, −Gᵀ], [G, 0]]` for a real eigenvalue, and the same of the two rows of a pair.
    fn factor(&mut self, h: f64, d: &Derivatives, scales: &[f64]) -> Result<(), Breakdown> {
        let (n, nc) = (self.at[0].len(), self.at[2].len());
        let (size, modes) = (n + nc, self.q.len().isqrt());
        for (first, lu) in &mut self.factors {
            let width = lu.matrix.len().isqrt();
            let count = width / size;
            lu.matrix.fill(0.0);
            for (i, j) in (0..count * count).map(|place| (place / count, place % count)) {
                let coupling = -h * h * self.s[(*first + i) * modes + *first + j];
                for row in 0..n {
                    let from = (i * size + row) * width + j * size;
                    let of_k = &d.k[row * n..(row + 1) * n];
                    lu.matrix[from..from + n].iter_mut().zip(of_k).for_each(|(entry, k)| *entry = coupling * k);
                    if i == j {
                        let of_m = &d.m[row * n..(row + 1) * n];
                        lu.matrix[from..from + n].iter_mut().zip(of_m).for_each(|(entry, m)| *entry += m);
                        for c in 0..nc {
                            let g = self.g[c * n + row];
                            lu.matrix[from + n + c] = -scales[c] * g;
                            lu.matrix[(i * size + n + c) * width + i * size + row] = g;
                        }
                    }
                }
            }
            lu.factor()?;
        }
        Ok(())
    }
}

impl Galerkin {
    /// Derivatives in the middle of the step, and factors with them; whether there are any.
    pub(super) fn factor_blocks<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) -> bool {
        let Some(blocks) = &mut self.blocks else { return false };
        let ([a, l, chi], [q, v, lambda]) = (&blocks.middle, &mut blocks.at);
        combine(Some(&state.q), h, a, &self.u, q);
        combine(None, 1.0, l, &self.u, v);
        if self.nc > 0 {
            combine(None, 1.0, chi, &self.lambda, lambda);
            system.equalities().values(state.t + 0.5 * h, q, &mut blocks.values);
            system.equalities().jacobian(state.t + 0.5 * h, q, &mut blocks.g);
            for (row, scale) in blocks.g.chunks_exact(self.n).zip(&mut self.scales) {
                let steep =
                    row.iter().zip(&self.inverse.diagonal).fold(0.0_f64, |max, (g, m)| max.max(g.abs() / m));
                *scale = if steep > 0.0 { steep.recip() } else { 1.0 };
            }
        }
        self.derivatives.differentiate(system, state.t + 0.5 * h, (q, v, lambda), true);
        if !self.mass.is_empty() {
            self.derivatives.m.copy_from_slice(&self.mass);
        }
        blocks.factor(h, &self.derivatives, &self.scales).is_ok()
    }

    /// The correction by the factors at hand, of the residual in `correction`, in the units of the full one.
    pub(super) fn solve_blocks(&mut self, h: f64) {
        let Some(blocks) = &mut self.blocks else { return };
        let (n, nc, modes) = (self.n, self.nc, self.tables.modes);
        let (size, balances) = (n + nc, modes * n);
        // Qᵀ r and Qᵀ E⁻¹ c.
        mix(&blocks.q, true, n, &self.correction[..balances], &mut blocks.right[..balances]);
        mix(&blocks.e_inverse, false, nc, &self.correction[balances..], &mut blocks.other[..modes * nc]);
        mix(&blocks.q, true, nc, &blocks.other[..modes * nc], &mut blocks.right[balances..]);
        for stage in 0..modes {
            let own = &mut blocks.other[stage * size..(stage + 1) * size];
            own[..n].copy_from_slice(&blocks.right[stage * n..(stage + 1) * n]);
            own[n..].copy_from_slice(&blocks.right[balances + stage * nc..balances + (stage + 1) * nc]);
        }
        // From the end: what is solved already acts on the stages before through K.
        for (first, lu) in blocks.factors.iter_mut().rev() {
            let count = lu.matrix.len().isqrt() / size;
            lu.solve(&mut blocks.other[*first * size..(*first + count) * size]);
            for solved in *first..*first + count {
                let u = &blocks.other[solved * size..solved * size + n];
                matrix_times(&self.derivatives.k, u, &mut blocks.pull);
                for stage in 0..*first {
                    let factor = h * h * blocks.s[stage * modes + solved];
                    let own = &mut blocks.other[stage * size..stage * size + n];
                    own.iter_mut().zip(&blocks.pull).for_each(|(own, pull)| *own += factor * pull);
                }
            }
        }
        for stage in 0..modes {
            let own = &blocks.other[stage * size..(stage + 1) * size];
            blocks.right[stage * n..(stage + 1) * n].copy_from_slice(&own[..n]);
            blocks.right[balances + stage * nc..balances + (stage + 1) * nc].copy_from_slice(&own[n..]);
        }
        mix(&blocks.q, false, n, &blocks.right[..balances], &mut self.correction[..balances]);
        mix(&blocks.q, false, nc, &blocks.right[balances..], &mut blocks.other[..modes * nc]);
        mix(&blocks.c_inverse, false, nc, &blocks.other[..modes * nc], &mut self.correction[balances..]);
    }
}
