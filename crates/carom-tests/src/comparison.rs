//! The equations of `penalty`, `projection` and `spook`, a second time and over any kind of number, for a constant mass.

use carom::lagrangian::expression::Scalar;

use crate::map::Map;

/// How the force of springs is replaced by its linear part at the start of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Not at all.
    Whole,
    /// By the values of the constraints.
    Values,
    /// By the values and the bend of the constraints.
    Bent,
}

/// Constraints as springs of stiffness `k`, the force taken after the fraction `theta` of the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// 1 for implicit Euler, ½ for the midpoint rule.
    pub theta: f64,
    /// `k`.
    pub stiffness: f64,
    /// What of the force is kept.
    pub part: Part,
}

impl Penalty {
    /// `M u − θ h F − p0` and `(q1, p1)`, from `x = (q0, p0)` and `y = u`.
    pub fn equations<T: Scalar>(&self, map: &Map, (t, h): (f64, f64), x: &[T], u: &[T]) -> (Vec<T>, Vec<T>) {
        let (n, s, (q0, p0)) = (map.n, T::from_f64, x.split_at(map.n));
        let a = self.theta * h;
        let whole = self.part == Part::Whole;
        let q: Vec<T> = q0.iter().zip(u).map(|(&q, &u)| if whole { q + s(a) * u } else { q }).collect();
        let mut force = self.force(map, t + a, &q);
        if !whole {
            let stiffness = self.stiffness_matrix(map, t + a, &q);
            for (force, row) in force.iter_mut().zip(stiffness.chunks_exact(n)) {
                *force = row.iter().zip(u).fold(*force, |sum, (&k, &u)| sum - s(a) * k * u);
            }
        }
        let mass = map.mass_matrix(t, q0);
        let mu: Vec<T> = mass.chunks_exact(n).map(|row| dot(row, u)).collect();
        let residual = (0..n).map(|i| mu[i] - s(a) * force[i] - p0[i]).collect();
        let q1 = q0.iter().zip(u).map(|(&q, &u)| q + s(h) * u);
        let p1 = mu.iter().zip(&force).map(|(&mu, &force)| mu + s(h - a) * force);
        (residual, q1.chain(p1).collect())
    }

    /// `−V_q − k Gᵀf`.
    fn force<T: Scalar>(&self, map: &Map, t: f64, q: &[T]) -> Vec<T> {
        let zero = vec![T::from_f64(0.0); map.n];
        let mut force = map.l_q(t, q, &zero);
        let (f, g) = (map.constraints(t, q), map.gradients(t, q));
        for (f, row) in f.iter().zip(g.chunks_exact(map.n)) {
            for (force, &g) in force.iter_mut().zip(row) {
                *force = *force - T::from_f64(self.stiffness) * *f * g;
            }
        }
        force
    }

    /// Minus the derivative of the force, or what is kept of it.
    fn stiffness_matrix<T: Scalar>(&self, map: &Map, t: f64, q: &[T]) -> Vec<T> {
        let (n, k) = (map.n, T::from_f64(self.stiffness));
        let bends = map.bends(t, q);
        let (l_qq, f_qq) = bends.split_at(n * n);
        let mut out: Vec<T> = l_qq.iter().map(|&l| -l).collect();
        let (f, g) = (map.constraints(t, q), map.gradients(t, q));
        for (row, &f) in f.iter().enumerate() {
            for i in 0..n {
                for j in 0..n {
                    let entry = &mut out[i * n + j];
                    *entry = *entry + k * g[row * n + i] * g[row * n + j];
                    if self.part == Part::Bent {
                        *entry = *entry + k * f * f_qq[(row * n + i) * n + j];
                    }
                }
            }
        }
        out
    }
}

/// A free step and the nearest point of the constraints.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Whether the velocity is projected; otherwise it is the difference of the positions.
    pub projected: bool,
}

impl Projection {
    /// How many multipliers there are per constraint.
    pub fn multipliers(&self) -> usize {
        if self.projected { 2 } else { 1 }
    }

    /// The equations in `y = (u, λ, μ)` and `(q1, p1)`, from `x = (q0, p0)`.
    pub fn equations<T: Scalar>(&self, map: &Map, (t, h): (f64, f64), x: &[T], y: &[T]) -> (Vec<T>, Vec<T>) {
        let (n, m, s) = (map.n, map.m, T::from_f64);
        let ((q0, p0), (u, multipliers)) = (x.split_at(n), y.split_at(n));
        let push = map.l_q(t, q0, &vec![s(0.0); n]);
        let free: Vec<T> = p0.iter().zip(&push).map(|(&p, &push)| p + s(h) * push).collect();
        let q1: Vec<T> = q0.iter().zip(u).map(|(&q, &u)| q + s(h) * u).collect();
        let g = map.gradients(t + h, &q1);
        let pushed = |multipliers: &[T]| -> Vec<T> {
            (0..n).map(|i| (0..m).fold(free[i], |sum, j| sum - g[j * n + i] * multipliers[j])).collect()
        };
        let nearest = pushed(&multipliers[..m]);
        let mass = map.mass_matrix(t, q0);
        let mut residual: Vec<T> = mass.chunks_exact(n).zip(&nearest).map(|(row, &p)| dot(row, u) - p).collect();
        residual.extend(map.constraints(t + h, &q1).iter().map(|&f| f / s(h)));
        let p1 = if self.projected {
            let p1 = pushed(&multipliers[m..]);
            residual.extend(map.hidden(t + h, &q1, &p1));
            p1
        } else {
            nearest
        };
        (residual, q1.into_iter().chain(p1).collect())
    }
}

/// Regularised constraints, linear in a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Spook {
    /// ε.
    pub compliance: f64,
    /// τ in steps.
    pub damping_steps: f64,
}

impl Spook {
    /// The equations in `y = (v1, λ)` and `(q1, p1)`, from `x = (q0, p0)`.
    pub fn equations<T: Scalar>(&self, map: &Map, (t, h): (f64, f64), x: &[T], y: &[T]) -> (Vec<T>, Vec<T>) {
        let (n, s) = (map.n, T::from_f64);
        let ((q0, p0), (v1, lambda)) = (x.split_at(n), y.split_at(n));
        let phi = 1.0 / (1.0 + 4.0 * self.damping_steps);
        let push = map.l_q(t, q0, &vec![s(0.0); n]);
        let (f, g) = (map.constraints(t, q0), map.gradients(t, q0));
        // G v0 + ∂g/∂t, and ∂g/∂t alone.
        let (hidden, moved) = (map.hidden(t, q0, p0), map.hidden(t, q0, &vec![s(0.0); n]));
        let p1: Vec<T> = map.mass_matrix(t, q0).chunks_exact(n).map(|row| dot(row, v1)).collect();
        let pushed =
            |i: usize| lambda.iter().enumerate().fold(s(h) * push[i], |sum, (j, &l)| sum + g[j * n + i] * l);
        let mut residual: Vec<T> = (0..n).map(|i| p1[i] - p0[i] - pushed(i)).collect();
        for (j, row) in g.chunks_exact(n).enumerate() {
            let left = dot(row, v1) + s(4.0 * self.compliance * phi / (h * h)) * lambda[j];
            let right = s(phi) * (hidden[j] - moved[j]) - s(4.0 * phi / h) * f[j] - s(1.0 - phi) * moved[j];
            residual.push(left - right);
        }
        let q1 = q0.iter().zip(v1).map(|(&q, &v)| q + s(h) * v);
        (residual, q1.chain(p1).collect())
    }
}

fn dot<T: Scalar>(row: &[T], u: &[T]) -> T {
    row.iter().zip(u).fold(T::from_f64(0.0), |sum, (&a, &u)| sum + a * u)
}
