//! The Newton matrix: exact derivatives of the residual by the unknowns.
//!
//! ```text
//! Notation, at a point κ
//! M, B = ∂(M u)/∂q          δp = M δu + B δq
//! K = T_qq − V_qq + ∂f/∂q + Σ λ g_qq,   C = Bᵀ + ∂f/∂v          δF = K δq + C δu
//! ```
//! with `δq = h Σ a_j δU_j` and `δu = Σ l_j δU_j`; where the momentum is an unknown of its own, `δu = M⁻¹(δp − B δq)`.

use super::step::Galerkin;
use crate::state::State;
use crate::system::{Mass, System};

/// Room for the derivatives at one point, each `n × n`.
#[derive(Debug, Clone)]
pub struct Derivatives {
    pub(super) m: Vec<f64>,
    b: Vec<f64>,
    pub(super) k: Vec<f64>,
    c: Vec<f64>,
    pub(super) work: Vec<f64>,
    by_velocity: Vec<f64>,
    column: Vec<f64>,
}

impl Derivatives {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        let matrix = || vec![0.0; n * n];
        Self {
            m: matrix(),
            b: matrix(),
            k: matrix(),
            c: matrix(),
            work: matrix(),
            by_velocity: matrix(),
            column: vec![0.0; n],
        }
    }

    /// At a configuration, velocity and multipliers; the potential may have points of its own. A constant mass stays as it is.
    pub fn differentiate<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        (q, v, lambda): (&[f64], &[f64], &[f64]),
        potential: bool,
    ) -> There {
        let n = q.len();
        let mut there = There { b: false, c: false };
        if potential {
            system.potential_hessian(t, q, &mut self.k);
            self.k.iter_mut().for_each(|k| *k = -*k);
        } else {
            self.k.fill(0.0);
        }
        self.c.fill(0.0);
        let add = |k: &mut [f64], work: &[f64]| k.iter_mut().zip(work).for_each(|(k, work)| *k += work);
        if let Mass::Configuration(mass) = system.mass() {
            there = There { b: true, c: true };
            mass.matrix(q, &mut self.m);
            mass.momentum_jacobian(q, v, &mut self.b);
            mass.kinetic_hessian(q, v, &mut self.work);
            add(&mut self.k, &self.work);
            for i in 0..n {
                for j in 0..n {
                    self.c[i * n + j] = self.b[j * n + i];
                }
            }
        }
        if let Some(forces) = system.forces() {
            forces.jacobians(t, q, v, &mut self.work, &mut self.by_velocity);
            add(&mut self.k, &self.work);
            add(&mut self.c, &self.by_velocity);
            there.c |= forces.depends_on_velocity();
        }
        if !lambda.is_empty() {
            system.equalities().hessian(t, q, lambda, &mut self.work);
            add(&mut self.k, &self.work);
        }
        there
    }
}

/// Which of the derivatives there are.
#[derive(Debug, Clone, Copy)]
pub struct There {
    b: bool,
    c: bool,
}

/// Adds `factor · block` to the `n × n` block of a matrix of `size` columns that starts at `(row, column)`.
#[inline]
fn add_block(matrix: &mut [f64], size: usize, (row, column): (usize, usize), factor: f64, block: &[f64], n: usize) {
    for i in 0..n {
        let from = (row + i) * size + column;
        for (entry, value) in matrix[from..from + n].iter_mut().zip(&block[i * n..(i + 1) * n]) {
            *entry += factor * value;
        }
    }
}

/// Adds `factor · c_i · row` to part `i` of a line of the matrix.
#[inline(always)]
fn add_blocks(line: &mut [f64], factor: f64, c: &[f64], row: &[f64], n: usize) {
    for (part, c) in line.chunks_exact_mut(n).zip(c) {
        let factor = factor * c;
        for (entry, value) in part.iter_mut().zip(&row[..n]) {
            *entry += factor * value;
        }
    }
}

impl Galerkin {
    /// Fills the matrix at the stages that were evaluated last.
    pub(super) fn assemble<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        let (n, modes, size) = (self.n, self.tables.modes, self.unbalance.len());
        self.lu.resize(size);
        self.lu.matrix.fill(0.0);
        if !self.separate && !self.mass.is_empty() {
            for j in 0..modes {
                add_block(&mut self.lu.matrix, size, (j * n, j * n), 1.0, &self.mass, n);
            }
        }
        for k in 0..self.tables.points.s.len() {
            let there = self.differentiate(system, state, h, k);
            if self.separate {
                self.add_separate(h, k, there);
            } else {
                self.add_point(h, k, there);
            }
        }
        if let Some(points) = &self.tables.potential {
            for k in 0..points.s.len() {
                super::stages::combine(
                    Some(&state.q),
                    h,
                    &points.a[k * modes..(k + 1) * modes],
                    &self.u,
                    &mut self.work,
                );
                system.potential_hessian(state.t + points.s[k] * h, &self.work, &mut self.derivatives.k);
                for (j, l) in (0..modes * modes).map(|pair| (pair / modes, pair % modes)) {
                    let factor = h * h * self.pulls[k * modes + j] * points.a[k * modes + l];
                    add_block(&mut self.lu.matrix, size, (j * n, l * n), factor, &self.derivatives.k, n);
                }
            }
        }
        if self.nc > 0 {
            self.add_constraints();
        }
    }

    /// The derivatives at a point of the quadrature.
    fn differentiate<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64, k: usize) -> There {
        let (at, rows) = (k * self.n..(k + 1) * self.n, k * self.nc..(k + 1) * self.nc);
        let stages = &self.stages;
        let point = (&stages.q[at.clone()], &stages.v[at], &stages.lambda[rows]);
        let t = state.t + self.tables.points.s[k] * h;
        self.derivatives.differentiate(system, t, point, self.tables.potential.is_none())
    }

    /// Adds to the sizes of the momentum balances what of the forces comes from configurations that are rounded to doubles.
    pub(super) fn add_noise<S: System + ?Sized>(&mut self, system: &S, state: &State, h: f64) {
        let n = self.n;
        for k in 0..self.tables.points.s.len() {
            self.differentiate(system, state, h, k);
            let factor = 2.0 * h.abs() * self.tables.points.w[k];
            for (size, row) in self.magnitude.iter_mut().zip(self.derivatives.k.chunks_exact(n)) {
                let terms = row.iter().zip(&self.stages.q[k * n..]).map(|(k, q)| (k * q).abs());
                *size += factor * terms.sum::<f64>();
            }
        }
    }

    /// A point's part where momenta follow from the velocities.
    fn add_point(&mut self, h: f64, k: usize, there: There) {
        // Few coordinates get code of their own, from the same source.
        match self.n {
            1 => self.add_point_sized(h, k, there, 1),
            2 => self.add_point_sized(h, k, there, 2),
            3 => self.add_point_sized(h, k, there, 3),
            n => self.add_point_sized(h, k, there, n),
        }
    }

    #[inline(always)]
    fn add_point_sized(&mut self, h: f64, k: usize, there: There, n: usize) {
        let (modes, size) = (self.tables.modes, self.unbalance.len());
        let own = k * modes..(k + 1) * modes;
        let (a, l) = (&self.tables.points.a[own.clone()], &self.tables.points.l[own.clone()]);
        let (weights, reactions) = (&self.weights[own.clone()], &self.reactions[own]);
        let (d, matrix) = (&self.derivatives, &mut self.lu.matrix);
        for j in 0..modes {
            for row in 0..n {
                let from = (j * n + row) * size;
                let (line, part) = (&mut matrix[from..from + modes * n], row * n..(row + 1) * n);
                add_blocks(line, -h * h * reactions[j], a, &d.k[part.clone()], n);
                if there.c {
                    add_blocks(line, -h * reactions[j], l, &d.c[part.clone()], n);
                }
                if there.b && weights[j] != 0.0 {
                    add_blocks(line, h * weights[j], a, &d.b[part.clone()], n);
                    add_blocks(line, weights[j], l, &d.m[part], n);
                }
            }
        }
    }

    /// A point's part where the momentum is an unknown of its own.
    fn add_separate(&mut self, h: f64, k: usize, there: There) {
        let (n, modes, size, d1) =
            (self.n, self.tables.modes, self.unbalance.len(), self.tables.momentum_degree + 1);
        let (d, inverse) = (&mut self.derivatives, &self.stages.inverse[k]);
        // M⁻¹ into m, M⁻¹B into work, then K − C M⁻¹B into k and C M⁻¹ into c; columns one by one.
        for column in 0..n {
            d.column.fill(0.0);
            d.column[column] = 1.0;
            inverse.solve(&mut d.column);
            (0..n).for_each(|i| d.m[i * n + column] = d.column[i]);
            if there.b {
                (0..n).for_each(|i| d.column[i] = d.b[i * n + column]);
                inverse.solve(&mut d.column);
                (0..n).for_each(|i| d.work[i * n + column] = d.column[i]);
            }
        }
        if !there.b {
            d.work.fill(0.0);
        }
        for i in 0..n {
            d.column.copy_from_slice(&d.c[i * n..(i + 1) * n]);
            for j in 0..n {
                let through = |x: &[f64]| (0..n).map(|r| d.column[r] * x[r * n + j]).sum::<f64>();
                d.k[i * n + j] -= through(&d.work);
                d.c[i * n + j] = through(&d.m);
            }
        }
        let (points, basis) = (&self.tables.points, &self.tables.momenta);
        let (a, l, own) = (&points.a[k * modes..], &points.l[k * modes..], &basis.1[k * d1..]);
        let (weights, reactions) = (&self.weights[k * modes..], &self.reactions[k * modes..]);
        let matrix = &mut self.lu.matrix;
        let add_identity = |matrix: &mut [f64], (row, column): (usize, usize), factor: f64| {
            (0..n).for_each(|i| matrix[(row + i) * size + column + i] += factor);
        };
        for j in 0..modes {
            for i in 0..modes {
                add_block(matrix, size, (j * n, i * n), -h * h * reactions[j] * a[i], &d.k, n);
            }
            for i in 0..d1 {
                let place = (j * n, (modes + i) * n);
                add_identity(matrix, place, weights[j] * own[i]);
                add_block(matrix, size, place, -h * reactions[j] * own[i], &d.c, n);
            }
        }
        for j in 0..d1 {
            let factor = points.w[k] * own[j] / basis.0.w[j];
            for i in 0..modes {
                let place = ((modes + j) * n, i * n);
                add_identity(matrix, place, -factor * l[i]);
                add_block(matrix, size, place, -h * factor * a[i], &d.work, n);
            }
            for i in 0..d1 {
                add_block(matrix, size, ((modes + j) * n, (modes + i) * n), factor * own[i], &d.m, n);
            }
        }
    }

    /// Columns of the multipliers, in units that make them as large as the mass (`λ` in those over `h`), and rows of the constraints over `h`.
    fn add_constraints(&mut self) {
        let (n, nc, modes, size) = (self.n, self.nc, self.tables.modes, self.unbalance.len());
        let first = size - nc * modes;
        let (shape, matrix, points) = (&self.rows.shape, &mut self.lu.matrix, &self.tables.points);
        let entries = shape.entries();
        for row in 0..nc {
            let mut steep = 0.0_f64;
            shape.each_entry(row, &self.g0, |i, g| steep = steep.max(g.abs() / self.inverse.diagonal[i]));
            let scale = if steep > 0.0 { steep.recip() } else { 1.0 };
            self.scales[row] = scale;
            for j in 0..modes {
                shape.each_entry(row, &self.g0, |i, g| matrix[(j * n + i) * size + first + row] = -scale * g);
                shape.each_entry(row, &self.rows.g, |i, g| {
                    matrix[(first + row) * size + j * n + i] = self.tables.b[j] * g;
                });
            }
            for k in 0..points.s.len() {
                let gradients = &self.stages.gradients[k * entries..(k + 1) * entries];
                for c in 0..modes - 1 {
                    let (chi, own) = (self.tables.chi[k * (modes - 1) + c], first + nc * (c + 1) + row);
                    for j in 0..modes {
                        let column = -scale * self.reactions[k * modes + j] * chi;
                        let line = points.w[k] * chi * points.a[k * modes + j];
                        shape.each_entry(row, gradients, |i, g| {
                            matrix[(j * n + i) * size + own] += column * g;
                            matrix[own * size + j * n + i] += line * g;
                        });
                    }
                }
            }
        }
    }
}
