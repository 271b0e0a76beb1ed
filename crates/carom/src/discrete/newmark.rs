//! Newmark's method as a pair of momenta; constant mass only.
//!
//! `q1 = q0 + h v0 + h² M⁻¹((½ − β) F0 + β F1)`, `v1 = v0 + h M⁻¹((1 − γ) F0 + γ F1)` [newmark-1959], with
//! `F = −V_q + f_NP`; velocity-dependent forces are evaluated at the chord velocity at both ends, which is the
//! forced discrete Euler-Lagrange form. In terms of the chord `v`: `left = M v − h((½ − β) F0 + β F1) = M v0` and
//! `right = M v + h((½ + β − γ) F0 + (γ − β) F1) = M v1`. Order 2 for γ = ½, else 1. For β ≠ 0 the pair
//! `(q, M v)` is only conjugate to a symplectic one [kane-2000].

use super::{Chord, Legendre, Node};
use crate::system::{Mass, System};

/// β, γ and the workspace.
#[derive(Debug, Clone)]
pub struct Newmark {
    beta: f64,
    gamma: f64,
    q1: Vec<f64>,
    mv: Vec<f64>,
    force: [Vec<f64>; 2],
    extra: Vec<f64>,
    /// Full matrices; empty until they are asked for.
    by_q: Vec<f64>,
    by_v: Vec<f64>,
}

impl Newmark {
    /// For `n` coordinates.
    pub fn new(beta: f64, gamma: f64, n: usize) -> Self {
        let vector = || vec![0.0; n];
        Self {
            beta,
            gamma,
            q1: vector(),
            mv: vector(),
            force: [vector(), vector()],
            extra: vector(),
            by_q: Vec::new(),
            by_v: Vec::new(),
        }
    }

    fn place(&mut self, chord: Chord) {
        for ((q1, q0), v) in self.q1.iter_mut().zip(chord.q0).zip(chord.v) {
            *q1 = q0 + chord.h * v;
        }
    }
}

/// `−V_q + f_NP(q, v, t)`.
fn total_force<S: System + ?Sized>(system: &S, t: f64, q: &[f64], v: &[f64], extra: &mut [f64], out: &mut [f64]) {
    system.potential_gradient(t, q, out);
    for out in out.iter_mut() {
        *out = -*out;
    }
    if let Some(forces) = system.forces() {
        forces.force(t, q, v, extra);
        for (out, extra) in out.iter_mut().zip(extra) {
            *out += *extra;
        }
    }
}

impl<S: System + ?Sized> Legendre<S> for Newmark {
    fn momenta(&mut self, system: &S, chord: Chord, left: &mut [f64], right: &mut [f64], magnitude: &mut [f64]) {
        let Chord { t0, h, q0, v } = chord;
        let (beta, gamma) = (self.beta, self.gamma);
        self.place(chord);
        system.mass().times(q0, v, &mut self.mv);
        let [start, end] = &mut self.force;
        total_force(system, t0, q0, v, &mut self.extra, start);
        total_force(system, t0 + h, &self.q1, v, &mut self.extra, end);
        for i in 0..v.len() {
            let (mv, start, end) = (self.mv[i], start[i], end[i]);
            left[i] = mv - h * ((0.5 - beta) * start + beta * end);
            right[i] = mv + h * ((0.5 + beta - gamma) * start + (gamma - beta) * end);
            magnitude[i] = mv.abs() + h.abs() * ((0.5 - beta).abs() * start.abs() + beta * end.abs());
        }
    }

    fn left_jacobian(&mut self, system: &S, chord: Chord, out: &mut [f64]) {
        let Chord { t0, h, q0, v } = chord;
        self.place(chord);
        let n = v.len();
        if self.by_q.len() != n * n {
            self.by_q.resize(n * n, 0.0);
            self.by_v.resize(n * n, 0.0);
        }
        system.potential_hessian(t0 + h, &self.q1, out);
        for out in out.iter_mut() {
            *out *= h * h * self.beta;
        }
        match system.mass() {
            Mass::Diagonal(m) => {
                for (i, m) in m.iter().enumerate() {
                    out[i * (n + 1)] += m;
                }
            }
            mass => {
                mass.matrix(q0, &mut self.by_q);
                for (out, m) in out.iter_mut().zip(&self.by_q) {
                    *out += m;
                }
            }
        }
        if let Some(forces) = system.forces() {
            forces.jacobians(t0, q0, v, &mut self.by_q, &mut self.by_v);
            for (out, by_v) in out.iter_mut().zip(&self.by_v) {
                *out -= h * (0.5 - self.beta) * by_v;
            }
            forces.jacobians(t0 + h, &self.q1, v, &mut self.by_q, &mut self.by_v);
            for ((out, by_q), by_v) in out.iter_mut().zip(&self.by_q).zip(&self.by_v) {
                *out -= h * self.beta * (h * by_q + by_v);
            }
        }
    }

    fn stiffness(&self) -> Option<Node> {
        Some(Node { c: 1.0, w: self.beta })
    }
}
