//! A system whose equality constraints are springs: its force, its stiffness, and the rule of a step as a pair of momenta.

use crate::discrete::{Chord, Legendre, Node};
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::rows::RowShape;
use crate::steppers::shared::views::Free;
use crate::system::{Mass, System};

/// Force and stiffness at the place where they were evaluated last.
#[derive(Debug, Clone)]
pub struct Springs {
    // Notation: k, f, G as in the head of the method; λ = k f; F = −V_q − Gᵀλ + f_NP.
    k: Vec<f64>,
    shape: RowShape,
    q: Vec<f64>,
    f: Vec<f64>,
    g: Vec<f64>,
    lambda: Vec<f64>,
    /// `F`.
    pub force: Vec<f64>,
    /// Sizes of the terms that `F` is the sum of.
    pub size: Vec<f64>,
    extra: Vec<f64>,
    /// `−∂F/∂q`.
    pub by_q: Vec<f64>,
    /// `−∂F/∂v`.
    pub by_v: Vec<f64>,
    matrix: Vec<f64>,
}

impl Springs {
    /// Springs of stiffness `k`, or of the reciprocal compliance where a row has one above 0.
    pub fn new<S: System + ?Sized>(system: &S, inverse: &InverseMass, k: f64) -> Self {
        let (n, m) = (system.dim(), system.equalities().count());
        let own = |row: usize| system.equalities().softness(row).compliance.filter(|compliance| *compliance > 0.0);
        let shape = RowShape::of(system, inverse);
        let vector = || vec![0.0; n];
        let matrix = || vec![0.0; n * n];
        Self {
            k: (0..m).map(|row| own(row).map_or(k, f64::recip)).collect(),
            g: vec![0.0; shape.entries()],
            shape,
            q: vector(),
            f: vec![0.0; m],
            lambda: vec![0.0; m],
            force: vector(),
            size: vector(),
            extra: vector(),
            by_q: matrix(),
            by_v: matrix(),
            matrix: matrix(),
        }
    }

    /// Their stiffness.
    pub fn stiffness(&self) -> &[f64] {
        &self.k
    }

    /// Where the force was evaluated last.
    pub fn place(&self) -> &[f64] {
        &self.q
    }

    /// Forces of the springs there: `−Gᵀ` of them acts.
    pub fn forces(&self) -> &[f64] {
        &self.lambda
    }

    /// The forces after the place has moved by `reach u`, to first order.
    pub fn stretch(&mut self, u: &[f64], reach: f64) {
        for (row, (lambda, k)) in self.lambda.iter_mut().zip(&self.k).enumerate() {
            *lambda += k * reach * self.shape.fold_row(row, &self.g, u, 0.0, |sum, g, u| sum + g * u);
        }
    }

    /// `F` at `q0 + reach u`, with the velocity `v`.
    pub fn pull<S: System + ?Sized>(&mut self, system: &S, t: f64, [q0, u, v]: [&[f64]; 3], reach: f64) {
        for ((q, q0), u) in self.q.iter_mut().zip(q0).zip(u) {
            *q = q0 + reach * u;
        }
        system.potential_gradient(t, &self.q, &mut self.force);
        for (force, size) in self.force.iter_mut().zip(&mut self.size) {
            (*force, *size) = (-*force, force.abs());
        }
        if !self.k.is_empty() {
            self.shape.evaluate(system, t, &self.q, [&mut self.f, &mut self.g]);
            for (row, (lambda, (k, f))) in self.lambda.iter_mut().zip(self.k.iter().zip(&self.f)).enumerate() {
                *lambda = k * f;
                let (size, lambda) = (&mut self.size, *lambda);
                self.shape.each_entry(row, &self.g, |i, g| size[i] += (g * lambda).abs());
            }
            self.shape.add_transposed_times(&self.g, &self.lambda, -1.0, &mut self.force);
        }
        if let Some(forces) = system.forces() {
            forces.force(t, &self.q, v, &mut self.extra);
            for ((force, size), extra) in self.force.iter_mut().zip(&mut self.size).zip(&self.extra) {
                (*force, *size) = (*force + extra, *size + extra.abs());
            }
        }
    }

    /// `−∂F/∂q` and `−∂F/∂v` where `pull` was; with `bent` the springs' forces turn with their constraints, otherwise only
    /// their values change.
    pub fn stiffen<S: System + ?Sized>(&mut self, system: &S, t: f64, v: &[f64], bent: bool) {
        let n = self.q.len();
        system.potential_hessian(t, &self.q, &mut self.by_q);
        if !self.k.is_empty() && bent {
            system.equalities().hessian(t, &self.q, &self.lambda, &mut self.matrix);
            self.by_q.iter_mut().zip(&self.matrix).for_each(|(out, bend)| *out += bend);
        }
        for (row, k) in self.k.iter().enumerate() {
            let (shape, g, by_q) = (&self.shape, &self.g, &mut self.by_q);
            shape.each_entry(row, g, |i, left| {
                let left = k * left;
                shape.each_entry(row, g, |j, right| by_q[i * n + j] += left * right);
            });
        }
        self.by_v.fill(0.0);
        if let Some(forces) = system.forces() {
            forces.jacobians(t, &self.q, v, &mut self.matrix, &mut self.by_v);
            self.by_q.iter_mut().zip(&self.matrix).for_each(|(out, by_q)| *out -= by_q);
            self.by_v.iter_mut().for_each(|by_v| *by_v = -*by_v);
        }
    }

    /// `M + a² (−∂F/∂q) + a (−∂F/∂v)`, the matrix of a step with `a = θ h`.
    pub fn matrix<S: System + ?Sized>(&self, system: &S, a: f64, out: &mut [f64]) {
        for ((out, by_q), by_v) in out.iter_mut().zip(&self.by_q).zip(&self.by_v) {
            *out = a * (a * by_q + by_v);
        }
        match system.mass() {
            Mass::Diagonal(m) => {
                let n = m.len();
                m.iter().enumerate().for_each(|(i, m)| out[i * (n + 1)] += m);
            }
            Mass::Constant(m) => out.iter_mut().zip(m).for_each(|(out, m)| *out += m),
            Mass::Configuration(_) => unreachable!("refused by the abilities of the method"),
        }
    }
}

/// `left = M u − θ h F`, `right = M u + (1 − θ) h F`, both at `q0 + θ h u`.
#[derive(Debug, Clone)]
pub struct Theta {
    theta: f64,
    springs: Springs,
    mv: Vec<f64>,
}

impl Theta {
    /// The rule of these springs.
    pub fn new(theta: f64, springs: Springs) -> Self {
        Self { theta, mv: vec![0.0; springs.place().len()], springs }
    }

    /// The springs, where the last step took their force.
    pub fn springs(&self) -> &Springs {
        &self.springs
    }
}

impl<'a, S: System + ?Sized> Legendre<Free<'a, S>> for Theta {
    fn momenta(
        &mut self,
        system: &Free<'a, S>,
        chord: Chord,
        left: &mut [f64],
        right: &mut [f64],
        magnitude: &mut [f64],
    ) {
        let Chord { t0, h, q0, v } = chord;
        let (a, system) = (self.theta * h, system.0);
        self.springs.pull(system, t0 + a, [q0, v, v], a);
        system.mass().times(q0, v, &mut self.mv);
        for (i, (mv, force)) in self.mv.iter().zip(&self.springs.force).enumerate() {
            left[i] = mv - a * force;
            right[i] = mv + (h - a) * force;
            magnitude[i] = mv.abs() + a.abs() * self.springs.size[i];
        }
    }

    fn left_jacobian(&mut self, system: &Free<'a, S>, chord: Chord, out: &mut [f64]) {
        let (a, system) = (self.theta * chord.h, system.0);
        let t = chord.t0 + a;
        // The force was last taken at this chord: Newton's method asks for it first.
        self.springs.stiffen(system, t, chord.v, true);
        self.springs.matrix(system, a, out);
    }

    /// The springs have their own second derivatives.
    fn stiffness(&self) -> Option<Node> {
        None
    }
}
