//! Discrete Lagrangians by quadrature along the straight path: trapezoid (Verlet), midpoint and the γ family.
//!
//! `L_d(q0, q1, h) = h Σ_j w_j L(q0 + c_j (q1 − q0), v, t0 + c_j h)`, `v = (q1 − q0)/h`
//! [marsden-west-2001, section 2.3]; forces enter as `f_d⁻ = h Σ w_j (1 − c_j) f_NP`, `f_d⁺ = h Σ w_j c_j f_NP`
//! [ibid., sec 3.2]. Symmetric rules are of order 2, the others of order 1. For `M(q)` every rule is implicit, the
//! trapezoid too. Cost: one gradient of `L` per node for the momenta, one Hessian per node for the Jacobian.
//!
//! Differs from [fetecau-2003 (57)]: the factor `h` that the printed γ rule lacks is restored.

use super::{Chord, DiscreteLagrangian, Legendre, Partials, SecondPartials};
use crate::linear::dot;
use crate::system::{Mass, System};

/// A quadrature node on the unit interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Place, 0 at the start of the step and 1 at its end.
    pub c: f64,
    /// Weight; the weights of a rule sum to 1.
    pub w: f64,
}

/// At which end of a step an energy is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// At its start.
    Start,
    /// At its end.
    End,
}

/// A quadrature rule along the straight path, with its workspace.
#[derive(Debug, Clone)]
pub struct LinearPath {
    nodes: [Node; 2],
    count: usize,
    q: Vec<f64>,
    mv: Vec<f64>,
    gradient: Vec<f64>,
    extra: Vec<f64>,
    /// Full matrices; empty until second derivatives are asked for.
    matrix: Vec<f64>,
    matrix2: Vec<f64>,
}

impl LinearPath {
    fn new(nodes: [Node; 2], count: usize, n: usize) -> Self {
        let vector = || vec![0.0; n];
        Self {
            nodes,
            count,
            q: vector(),
            mv: vector(),
            gradient: vector(),
            extra: vector(),
            matrix: Vec::new(),
            matrix2: Vec::new(),
        }
    }

    /// Makes the room that second derivatives need, once.
    #[inline(always)]
    fn make_room(&mut self, n: usize) {
        if self.matrix.len() != n * n {
            self.matrix.resize(n * n, 0.0);
            self.matrix2.resize(n * n, 0.0);
        }
    }

    /// Half at each end: Verlet.
    pub fn trapezoid(n: usize) -> Self {
        Self::new([Node { c: 0.0, w: 0.5 }, Node { c: 1.0, w: 0.5 }], 2, n)
    }

    /// One node in the middle.
    pub fn midpoint(n: usize) -> Self {
        Self::gamma(0.5, n)
    }

    /// One node at `γ q0 + (1 − γ) q1` [fetecau-2003 (57)].
    pub fn gamma(gamma: f64, n: usize) -> Self {
        Self::new([Node { c: 1.0 - gamma, w: 1.0 }, Node { c: 0.0, w: 0.0 }], 1, n)
    }

    /// The nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes[..self.count]
    }

    /// The discrete energy of a step: `−∂L_d/∂h`, the start or the end fixed in time. If nothing depends on time and no other forces act,
    /// both are the same; otherwise they are those of an energy that changes along the step by the power of the forces.
    pub fn energy<S: System + ?Sized>(&mut self, system: &S, chord: Chord, side: Side) -> f64 {
        // Notation: E_d = Σ w (T + V ± lever (V_t + f·v)).
        let (mut energy, n) = (0.0, chord.v.len());
        for j in 0..self.count {
            let Node { c, w } = self.nodes[j];
            let t = chord.t0 + c * chord.h;
            self.place(chord, self.nodes[j]);
            system.mass().times(&self.q[..n], chord.v, &mut self.mv[..n]);
            let mut node = 0.5 * dot(chord.v, &self.mv[..n]) + system.potential(t, &self.q[..n]);
            let lever = match side {
                Side::Start => (c - 1.0) * chord.h,
                Side::End => c * chord.h,
            };
            if let Some(forces) = system.forces() {
                forces.force(t, &self.q, chord.v, &mut self.extra);
                node += lever * dot(&self.extra, chord.v);
            }
            energy += w * (node + lever * system.potential_rates(t, &self.q[..n])[0]);
        }
        energy
    }

    #[inline(always)]
    fn place(&mut self, chord: Chord, node: Node) {
        let (reach, n) = (node.c * chord.h, chord.v.len());
        for ((q, q0), v) in self.q[..n].iter_mut().zip(&chord.q0[..n]).zip(chord.v) {
            *q = q0 + reach * v;
        }
    }

    /// Adds `a L_qq + b L_qv + c L_vq + d L_vv` at the placed node to `out`, for `weights = [a, b, c, d]`.
    #[inline(always)]
    fn add_second<S: System + ?Sized>(
        &mut self,
        system: &S,
        t: f64,
        v: &[f64],
        weights: [f64; 4],
        out: &mut [f64],
    ) {
        // Notation: B = ∂(Mv)/∂q = L_vq, L_qv = Bᵀ, L_qq = T_qq − V_qq, L_vv = M.
        let [qq, qv, vq, vv] = weights;
        let n = v.len();
        let out = &mut out[..n * n];
        system.potential_hessian(t, &self.q[..n], &mut self.matrix[..n * n]);
        for (out, v_qq) in out.iter_mut().zip(&self.matrix[..n * n]) {
            *out -= qq * v_qq;
        }
        match system.mass() {
            Mass::Diagonal(m) => {
                for (i, m) in m[..n].iter().enumerate() {
                    out[i * (n + 1)] += vv * m;
                }
            }
            Mass::Constant(m) => {
                for (out, m) in out.iter_mut().zip(m) {
                    *out += vv * m;
                }
            }
            Mass::Configuration(field) => {
                field.matrix(&self.q, &mut self.matrix);
                field.kinetic_hessian(&self.q, v, &mut self.matrix2);
                for ((out, m), t_qq) in out.iter_mut().zip(&self.matrix).zip(&self.matrix2) {
                    *out += vv * m + qq * t_qq;
                }
                field.momentum_jacobian(&self.q, v, &mut self.matrix);
                for i in 0..n {
                    for k in 0..n {
                        out[i * n + k] += vq * self.matrix[i * n + k] + qv * self.matrix[k * n + i];
                    }
                }
            }
        }
    }
}

impl<S: System + ?Sized> Legendre<S> for LinearPath {
    #[inline(always)]
    fn momenta(&mut self, system: &S, chord: Chord, left: &mut [f64], right: &mut [f64], magnitude: &mut [f64]) {
        let n = chord.v.len();
        let (left, right, magnitude) = (&mut left[..n], &mut right[..n], &mut magnitude[..n]);
        for j in 0..self.count {
            let node = self.nodes[j];
            self.place(chord, node);
            let t = chord.t0 + node.c * chord.h;
            let mass = system.mass();
            mass.times(&self.q[..n], chord.v, &mut self.mv[..n]);
            system.potential_gradient(t, &self.q[..n], &mut self.gradient[..n]);
            // From here on `gradient` is minus the generalised force, −L_q − f_NP.
            if let Mass::Configuration(field) = mass {
                field.kinetic_gradient(&self.q, chord.v, &mut self.extra);
                for (gradient, extra) in self.gradient.iter_mut().zip(&self.extra) {
                    *gradient -= extra;
                }
            }
            if let Some(forces) = system.forces() {
                forces.force(t, &self.q, chord.v, &mut self.extra);
                for (gradient, extra) in self.gradient.iter_mut().zip(&self.extra) {
                    *gradient -= extra;
                }
            }
            let (before, after) = (node.w * chord.h * (1.0 - node.c), node.w * chord.h * node.c);
            let (all_mv, all_gradient) = (&self.mv[..n], &self.gradient[..n]);
            for i in 0..n {
                let (mv, gradient) = (node.w * all_mv[i], all_gradient[i]);
                let (old_left, old_right, old_magnitude) =
                    if j == 0 { (0.0, 0.0, 0.0) } else { (left[i], right[i], magnitude[i]) };
                left[i] = old_left + (mv + before * gradient);
                right[i] = old_right + (mv - after * gradient);
                magnitude[i] = old_magnitude + (mv.abs() + (before * gradient).abs());
            }
        }
    }

    #[inline(always)]
    fn left_jacobian(&mut self, system: &S, chord: Chord, out: &mut [f64]) {
        let n = chord.v.len();
        self.make_room(n);
        let out = &mut out[..n * n];
        out.fill(0.0);
        for j in 0..self.count {
            let Node { c, w } = self.nodes[j];
            let t = chord.t0 + c * chord.h;
            self.place(chord, self.nodes[j]);
            // −h D12 of this node.
            let rest = w * chord.h * (1.0 - c);
            self.add_second(system, t, chord.v, [-rest * c * chord.h, -rest, w * c * chord.h, w], out);
            if let Some(forces) = system.forces() {
                forces.jacobians(t, &self.q, chord.v, &mut self.matrix, &mut self.matrix2);
                for ((out, by_q), by_v) in out.iter_mut().zip(&self.matrix).zip(&self.matrix2) {
                    *out -= rest * (c * chord.h * by_q + by_v);
                }
            }
        }
    }

    fn stiffness(&self) -> Option<Node> {
        // Nodes at the ends of the step have none.
        let inner = self.nodes().iter().map(|node| Node { c: node.c, w: node.w * node.c * (1.0 - node.c) });
        inner.reduce(|a, b| if b.w == 0.0 { a } else { b })
    }
}

impl<S: System + ?Sized> DiscreteLagrangian<S> for LinearPath {
    fn partials(&mut self, system: &S, chord: Chord, out: &mut Partials) {
        // Notation: L_q = T_q − V_q, L_v = Mv; D3 = Σ w (L − L_v·v + c h L_t).
        let (h, v) = (chord.h, chord.v);
        (out.value, out.d3) = (0.0, 0.0);
        out.d1.fill(0.0);
        out.d2.fill(0.0);
        for j in 0..self.count {
            let Node { c, w } = self.nodes[j];
            let t = chord.t0 + c * h;
            self.place(chord, self.nodes[j]);
            let mass = system.mass();
            mass.times(&self.q, v, &mut self.mv);
            let kinetic = 0.5 * dot(v, &self.mv);
            let potential = system.potential(t, &self.q);
            let [v_t, _] = system.potential_rates(t, &self.q);
            out.value += w * h * (kinetic - potential);
            out.d3 -= w * (kinetic + potential + c * h * v_t);
            system.potential_gradient(t, &self.q, &mut self.gradient);
            if let Mass::Configuration(field) = mass {
                field.kinetic_gradient(&self.q, v, &mut self.extra);
                for (gradient, extra) in self.gradient.iter_mut().zip(&self.extra) {
                    *gradient -= extra;
                }
            }
            for i in 0..v.len() {
                out.d1[i] -= w * (self.mv[i] + h * (1.0 - c) * self.gradient[i]);
                out.d2[i] += w * (self.mv[i] - h * c * self.gradient[i]);
            }
        }
    }

    fn second_partials(&mut self, system: &S, chord: Chord, out: &mut SecondPartials) {
        let (h, v) = (chord.h, chord.v);
        self.make_room(v.len());
        for matrix in [&mut out.d11, &mut out.d12, &mut out.d22, &mut out.d13, &mut out.d23] {
            matrix.fill(0.0);
        }
        out.d33 = 0.0;
        for j in 0..self.count {
            let Node { c, w } = self.nodes[j];
            let (t, b) = (chord.t0 + c * h, 1.0 - c);
            self.place(chord, self.nodes[j]);
            self.add_second(system, t, v, [w * h * b * b, -w * b, -w * b, w / h], &mut out.d11);
            self.add_second(system, t, v, [w * h * b * c, w * b, -w * c, -w / h], &mut out.d12);
            self.add_second(system, t, v, [w * h * c * c, w * c, w * c, w / h], &mut out.d22);
            // T is homogeneous in v: (∂L_q/∂v)v = 2T_q, hence L_q − L_qv v = −(T_q + V_q).
            let mass = system.mass();
            mass.times(&self.q, v, &mut self.mv);
            system.potential_gradient(t, &self.q, &mut self.gradient);
            if let Mass::Configuration(field) = mass {
                field.kinetic_gradient(&self.q, v, &mut self.extra);
                for (gradient, extra) in self.gradient.iter_mut().zip(&self.extra) {
                    *gradient += extra;
                }
            }
            system.potential_gradient_rate(t, &self.q, &mut self.extra);
            for i in 0..v.len() {
                let (mv, sum, v_qt) = (self.mv[i] / h, self.gradient[i], self.extra[i]);
                out.d13[i] += w * (mv - b * sum - h * b * c * v_qt);
                out.d23[i] -= w * (mv + c * sum + h * c * c * v_qt);
            }
            let [v_t, v_tt] = system.potential_rates(t, &self.q);
            out.d33 += w * (dot(v, &self.mv) / h - 2.0 * c * v_t - c * c * h * v_tt);
        }
    }
}
