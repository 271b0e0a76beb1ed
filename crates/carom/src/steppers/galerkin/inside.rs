//! The motion inside a step: the ansatz functions, their jumps, and a continuous one of higher order.

use super::legendre::{integral, legendre};
use super::stages::combine;
use super::step::Galerkin;
use super::tables::ROOM;
use crate::steppers::{End, Inside};

impl Galerkin {
    /// `Σ_κ w_κ x_κ Σ_{k ≤ degree} (2k + 1) P_k(s_κ) term_k(s)`: with `P_k` itself the polynomial of that degree through or nearest to
    /// the `x_κ`, with integrals from 0 its integral.
    fn project(
        &self,
        degree: usize,
        term: impl Fn(usize) -> f64,
        w: &[f64],
        s: &[f64],
        x: &[f64],
        out: &mut [f64],
    ) {
        let mut room = [0.0; ROOM];
        let there = &mut room[..=degree];
        for ((x, w), s) in x.chunks_exact(out.len()).zip(w).zip(s) {
            legendre(*s, there);
            let factor = w * there.iter().enumerate().map(|(k, p)| p * term(k)).sum::<f64>();
            out.iter_mut().zip(x).for_each(|(out, x)| *out += factor * x);
        }
    }
}

impl Inside for Galerkin {
    /// `q0 + h ∫₀ˢ u` and `p0 + h ∫₀ˢ ΠF` with `ΠF` of the degree of `q`; impulses of constraints at the ends are spread over the step.
    fn at(&self, s: f64, q: &mut [f64], p: &mut [f64]) {
        let (mut row, mut here) = ([0.0; ROOM], [0.0; ROOM]);
        self.tables.integral(s, &mut row[..self.tables.modes]);
        combine(Some(&self.before.q), self.h, &row, &self.u, q);
        let degree = self.tables.degree;
        legendre(s, &mut here[..degree + 2]);
        let (points, stages) = (&self.tables.points, &self.stages);
        let term = |k: usize| self.h * integral(k, s, &here);
        for i in 0..p.len() {
            let atoms = self.start[i] - self.before.p[i] + self.p1[i] - self.free[i];
            p[i] = self.before.p[i] + s * atoms;
        }
        self.project(degree, term, &points.w, &points.s, &stages.force, p);
        if let Some(points) = &self.tables.potential {
            self.project(degree, term, &points.w, &points.s, &stages.pull, p);
        }
    }

    fn ansatz(&self, s: f64, q: &mut [f64], p: &mut [f64]) {
        let (mut row, mut here) = ([0.0; ROOM], [0.0; ROOM]);
        self.tables.position(s, &mut row[..self.tables.modes]);
        combine(Some(&self.before.q), self.h, &row, &self.u, q);
        let degree = self.tables.momentum_degree;
        legendre(s, &mut here[..=degree]);
        let points = &self.tables.points;
        p.fill(0.0);
        let term = |k: usize| (2 * k + 1) as f64 * here[k];
        self.project(degree, term, &points.w, &points.s, &self.stages.p, p);
    }

    fn jump(&self, end: End, q: &mut [f64], p: &mut [f64]) {
        let (s, node_q, node_p) = match end {
            End::Start => (0.0, &self.before.q, &self.start),
            End::Finish => (1.0, &self.q1, &self.free),
        };
        self.ansatz(s, q, p);
        q.iter_mut().zip(node_q).for_each(|(q, node)| *q = node - *q);
        p.iter_mut().zip(node_p).for_each(|(p, node)| *p = node - *p);
    }

    fn constraint_forces(&self, s: f64, out: &mut [f64]) {
        if out.is_empty() {
            return;
        }
        let mut chi = [0.0; ROOM];
        legendre(s, &mut chi[..self.tables.multipliers]);
        combine(None, 1.0, &chi[..self.tables.multipliers], &self.lambda, out);
    }

    fn stages(&self) -> usize {
        self.tables.points.s.len()
    }

    fn stage(&self, index: usize, q: &mut [f64], v: &mut [f64]) -> (f64, f64) {
        let at = index * self.n..(index + 1) * self.n;
        q.copy_from_slice(&self.stages.q[at.clone()]);
        v.copy_from_slice(&self.stages.v[at]);
        (self.tables.points.s[index], self.tables.points.w[index])
    }
}
