//! What a step is made of at the points of its quadrature: configurations, velocities, momenta and forces, and the residual of its equations.

use super::step::Galerkin;
use crate::error::Failure;
use crate::linear::max_abs;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::rows::{relative, relative_violation};
use crate::system::{Mass, System};

/// The values at the points, one after the other.
#[derive(Debug, Clone)]
pub struct Stages {
    /// `q_κ`.
    pub q: Vec<f64>,
    /// `H_p = M(q_κ)⁻¹p_κ`.
    pub v: Vec<f64>,
    /// `p_κ`.
    pub p: Vec<f64>,
    /// `F_κ`.
    pub force: Vec<f64>,
    /// Sum of the absolute values of the terms of `F_κ`.
    pub size: Vec<f64>,
    /// Constraints at the points, and their stored gradients.
    pub g: Vec<f64>,
    pub gradients: Vec<f64>,
    /// Multipliers at the points.
    pub lambda: Vec<f64>,
    /// Inverse masses at the points, where the momentum is an unknown of its own.
    pub inverse: Vec<InverseMass>,
    /// `−V_q` at the points of the potential, if it has its own.
    pub pull: Vec<f64>,
}

/// How far an iterate is from the solution.
#[derive(Debug, Clone, Copy)]
pub struct Distance {
    /// Largest residual relative to its terms, and its row.
    pub residual: f64,
    pub row: usize,
    /// That of the constraints at the end of the step.
    pub constraint: f64,
}

/// `out = start + scale Σ_j c_j x_j` of vectors `x_j` of the length of `out`, one after the other.
#[inline(always)]
pub fn combine(start: Option<&[f64]>, scale: f64, c: &[f64], x: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    for (c, x) in c.iter().zip(x.chunks_exact(out.len())) {
        for (out, x) in out.iter_mut().zip(x) {
            *out += c * x;
        }
    }
    if let Some(start) = start {
        for (out, start) in out.iter_mut().zip(start) {
            *out = start + scale * *out;
        }
    }
}

impl Galerkin {
    /// Everything at the points, from the unknowns.
    pub(super) fn evaluate<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<(), Failure> {
        // Few coordinates get code of their own, from the same source.
        match self.n {
            1 => self.evaluate_sized(system, state, h, 1),
            2 => self.evaluate_sized(system, state, h, 2),
            3 => self.evaluate_sized(system, state, h, 3),
            n => self.evaluate_sized(system, state, h, n),
        }
    }

    #[inline(always)]
    fn evaluate_sized<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
        n: usize,
    ) -> Result<(), Failure> {
        let (nc, modes) = (self.nc, self.tables.modes);
        let (points, stages) = (&self.tables.points, &mut self.stages);
        let entries = self.rows.shape.entries();
        for k in 0..points.s.len() {
            let (at, row) = (k * n..(k + 1) * n, k * modes..(k + 1) * modes);
            let t = state.t + points.s[k] * h;
            let (q, v, p) = (&mut stages.q[at.clone()], &mut stages.v[at.clone()], &mut stages.p[at.clone()]);
            combine(Some(&state.q[..n]), h, &points.a[row.clone()], &self.u, q);
            if self.separate {
                let d = self.tables.momentum_degree + 1;
                combine(None, 1.0, &self.tables.momenta.1[k * d..(k + 1) * d], &self.momenta, p);
                v.copy_from_slice(p);
                stages.inverse[k].prepare(system, q)?;
                stages.inverse[k].solve(v);
            } else {
                if self.tables.nodal {
                    v.copy_from_slice(&self.u[at.clone()]);
                } else {
                    combine(None, 1.0, &points.l[row], &self.u, v);
                }
                system.mass().times(q, v, p);
            }
            let (force, size) = (&mut stages.force[at.clone()], &mut stages.size[at]);
            let work = &mut self.work[..n];
            force.fill(0.0);
            size.fill(0.0);
            let mut add = |sign: f64, term: &[f64]| {
                for i in 0..n {
                    force[i] += sign * term[i];
                    size[i] += term[i].abs();
                }
            };
            if self.tables.potential.is_none() {
                system.potential_gradient(t, q, work);
                add(-1.0, work);
            }
            if let Mass::Configuration(mass) = system.mass() {
                mass.kinetic_gradient(q, v, work);
                add(1.0, work);
            }
            if let Some(forces) = system.forces() {
                forces.force(t, q, v, work);
                add(1.0, work);
            }
            if nc > 0 {
                let chi = &self.tables.chi[k * (modes - 1)..(k + 1) * (modes - 1)];
                let (rows, own) = (k * nc..(k + 1) * nc, k * entries..(k + 1) * entries);
                let lambda = &mut stages.lambda[rows.clone()];
                combine(None, 1.0, chi, &self.lambda, lambda);
                let into = [&mut stages.g[rows], &mut stages.gradients[own.clone()]];
                self.rows.shape.evaluate(system, t, q, into);
                for (row, lambda) in lambda.iter().enumerate() {
                    self.rows.shape.each_entry(row, &stages.gradients[own.clone()], |i, g| {
                        force[i] += g * lambda;
                        size[i] += (g * lambda).abs();
                    });
                }
            }
        }
        if let Some(points) = &self.tables.potential {
            for k in 0..points.s.len() {
                combine(Some(&state.q), h, &points.a[k * modes..(k + 1) * modes], &self.u, &mut self.q1);
                let pull = &mut stages.pull[k * n..(k + 1) * n];
                system.potential_gradient(state.t + points.s[k] * h, &self.q1, pull);
                pull.iter_mut().for_each(|pull| *pull = -*pull);
            }
        }
        Ok(())
    }

    /// The residual of the step's equations, with the stages evaluated, and the end of the step.
    pub(super) fn residual<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<Distance, Failure> {
        match self.n {
            1 => self.residual_sized(system, state, h, 1),
            2 => self.residual_sized(system, state, h, 2),
            3 => self.residual_sized(system, state, h, 3),
            n => self.residual_sized(system, state, h, n),
        }
    }

    #[inline(always)]
    fn residual_sized<S: System + ?Sized>(
        &mut self,
        system: &S,
        state: &State,
        h: f64,
        n: usize,
    ) -> Result<Distance, Failure> {
        let (nc, modes) = (self.nc, self.tables.modes);
        let (tables, stages) = (&self.tables, &self.stages);
        // p0 + G0ᵀμ, and the sizes of what momenta are made of.
        self.start.copy_from_slice(&state.p);
        self.magnitude.iter_mut().zip(&state.p).for_each(|(size, p)| *size = p.abs());
        for (row, mu) in self.mu.iter().enumerate() {
            self.rows.shape.each_entry(row, &self.g0, |i, g| {
                self.start[i] += g * mu;
                self.magnitude[i] += (g * mu).abs();
            });
        }
        let magnitude = &mut self.magnitude[..n];
        let terms = stages.p.chunks_exact(n).zip(stages.size.chunks_exact(n));
        for (w, (p, size)) in tables.points.w.iter().zip(terms) {
            for i in 0..n {
                magnitude[i] += w * p[i].abs() + (h * w * size[i]).abs();
            }
        }
        self.p1.copy_from_slice(&self.start);
        add_impulses(h, &tables.points.w, &stages.force, &mut self.p1[..n]);
        if let Some(points) = &tables.potential {
            add_impulses(h, &points.w, &stages.pull, &mut self.p1);
            for (pull, w) in stages.pull.chunks_exact(n).zip(&points.w) {
                self.magnitude.iter_mut().zip(pull).for_each(|(size, pull)| *size += (h * w * pull).abs());
            }
        }
        combine(Some(&state.q[..n]), h, &tables.b, &self.u, &mut self.q1[..n]);

        let (balances, others) = self.unbalance.split_at_mut(modes * n);
        for (j, r) in balances.chunks_exact_mut(n).enumerate() {
            r.iter_mut().zip(&self.start).for_each(|(r, start)| *r = -start);
            let terms = stages.p.chunks_exact(n).zip(stages.force.chunks_exact(n)).enumerate();
            for (k, (p, force)) in terms {
                let (of_p, of_force) = (self.weights[k * modes + j], -h * self.reactions[k * modes + j]);
                for i in 0..n {
                    r[i] += of_p * p[i] + of_force * force[i];
                }
            }
            if let Some(points) = &tables.potential {
                for k in 0..points.s.len() {
                    let factor = -h * self.pulls[k * modes + j];
                    r.iter_mut().zip(&stages.pull[k * n..]).for_each(|(r, pull)| *r += factor * pull);
                }
            }
        }
        let (links, constraints) = others.split_at_mut(if self.separate { self.momenta.len() } else { 0 });
        // In a separate momentum: Σ w N_i (H_p − u) = 0, in units of velocity.
        links.fill(0.0);
        for k in 0..if self.separate { tables.points.s.len() } else { 0 } {
            let d = tables.momentum_degree + 1;
            combine(None, 1.0, &tables.points.l[k * modes..(k + 1) * modes], &self.u, &mut self.work);
            for (i, r) in links.chunks_exact_mut(n).enumerate() {
                let factor = tables.points.w[k] * tables.momenta.1[k * d + i] / tables.momenta.0.w[i];
                for c in 0..n {
                    r[c] += factor * (stages.v[k * n + c] - self.work[c]);
                }
            }
        }
        let mut distance = Distance { residual: 0.0, row: 0, constraint: 0.0 };
        let mut note = |row: usize, r: f64, size: f64| {
            let relative = if r == 0.0 { 0.0 } else { r.abs() / size };
            if relative > distance.residual || relative.is_nan() {
                (distance.residual, distance.row) = (relative, row);
            }
        };
        for (j, r) in balances.chunks_exact(n).enumerate() {
            for i in 0..n {
                note(j * n + i, r[i], self.magnitude[i]);
            }
        }
        let fastest = max_abs(&stages.v);
        for (row, r) in links.iter().enumerate() {
            note(modes * n + row, *r, fastest);
        }
        if nc > 0 {
            for i in 0..n {
                self.reach[i] = self.q1[i].abs() + h.abs() * self.magnitude[i] / self.inverse.diagonal[i];
            }
            let (end, inside) = constraints.split_at_mut(nc);
            self.rows.shape.evaluate(system, state.t + h, &self.q1, [&mut *end, &mut self.rows.g]);
            self.rows.shape.sizes(&self.rows.g, &self.reach, end, &mut self.sizes);
            let first = modes * n + links.len();
            for (i, r) in inside.chunks_exact_mut(nc).enumerate() {
                r.fill(0.0);
                for (k, w) in tables.points.w.iter().enumerate() {
                    let factor = w * tables.chi[k * (modes - 1) + i];
                    r.iter_mut().zip(&stages.g[k * nc..]).for_each(|(r, g)| *r += factor * g);
                }
                for (row, r) in r.iter().enumerate() {
                    note(first + nc * (i + 1) + row, relative(*r, self.sizes[row]), 1.0);
                }
            }
            let (violation, row) = relative_violation(end, &self.sizes);
            note(first + row, violation, 1.0);
            distance.constraint = violation;
        }
        if distance.residual.is_finite() && distance.constraint.is_finite() {
            Ok(distance)
        } else {
            Err(Failure::NonFinite { what: "a residual of the step's equations" })
        }
    }

    /// The largest relative residual, and that of the constraints at the end, where the sizes of all rows count for the constraints.
    #[cold]
    pub(super) fn spilled<S: System + ?Sized>(&mut self, system: &S, t1: f64) -> [f64; 2] {
        let q1 = &self.q1;
        self.spread.add_rounding(&mut self.sizes, |out| system.equalities().rounding(t1, q1, out));
        self.spread.measure(&self.rows.shape, &self.rows.g, &self.inverse.diagonal, &self.sizes);
        let (balances, others) = self.unbalance.split_at(self.u.len());
        let (links, constraints) = others.split_at(self.momenta.len());
        let fastest = max_abs(&self.stages.v);
        let mut worst = links.iter().fold(0.0, |worst: f64, r| worst.max(relative(*r, fastest)));
        for r in balances.chunks_exact(self.n) {
            worst = worst.max(relative_violation(r, &self.magnitude).0);
        }
        let (end, inside) = constraints.split_at(self.nc);
        let end = self.spread.violation(end, &self.sizes);
        let inside = inside.chunks_exact(self.nc).map(|r| self.spread.violation(r, &self.sizes));
        [inside.fold(worst.max(end), f64::max), end]
    }
}

/// `p += h Σ w_κ F_κ`.
#[inline(always)]
fn add_impulses(h: f64, w: &[f64], force: &[f64], p: &mut [f64]) {
    for (force, w) in force.chunks_exact(p.len()).zip(w) {
        p.iter_mut().zip(force).for_each(|(p, force)| *p += h * w * force);
    }
}
