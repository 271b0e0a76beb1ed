//! The step by hand: a partitioned Runge-Kutta method on arrays of fixed size.
//!
//! Newton's method starts where the step's does, from the velocities of the step before, uses factors again by the same rule and ends at
//! the same round-off. It knows that the matrix needs no pivots. With fixed points the matrix is the mass.

use std::marker::PhantomData;

use carom::state::State;
use carom::steppers::galerkin::Tableau;

const FLOOR: f64 = 4.0 * f64::EPSILON;

/// Point masses in a potential.
pub trait Field<const N: usize> {
    /// One mass per coordinate.
    const MASS: [f64; N];
    /// `V_q`.
    fn gradient(q: &[f64; N]) -> [f64; N];
    /// `V_qq`.
    fn hessian(q: &[f64; N]) -> [[f64; N]; N];
}

/// How the stages are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solver {
    /// Newton's method.
    Newton,
    /// Fixed points.
    FixedPoint,
}

/// A loop of `S` stages in `N` coordinates, with `A = N S` unknowns.
#[derive(Debug, Clone)]
pub struct Loop<F, const N: usize, const S: usize, const A: usize> {
    field: PhantomData<F>,
    solver: Solver,
    /// Coefficients times the step.
    b: [f64; S],
    a: [[f64; S]; S],
    a_hat: [[f64; S]; S],
    weights: [f64; S],
    ahead: [[f64; S]; S],
    pub q: [f64; N],
    pub p: [f64; N],
    u: [[f64; N]; S],
    factors: [[f64; A]; A],
}

impl<F: Field<N>, const N: usize, const S: usize, const A: usize> Loop<F, N, S, A> {
    /// At a state.
    pub fn new(tableau: &Tableau, start: &State, h: f64, solver: Solver) -> Self {
        assert!(tableau.b.len() == S && A == N * S);
        let square =
            |x: &[f64]| -> [[f64; S]; S] { std::array::from_fn(|i| std::array::from_fn(|j| h * x[i * S + j])) };
        // Lagrange polynomials of the stages at the stages of the next step.
        let lagrange = |j: usize, s: f64| {
            let others = (0..S).filter(|k| *k != j);
            others.fold(1.0, |product, k| product * (s - tableau.c[k]) / (tableau.c[j] - tableau.c[k]))
        };
        let p: [f64; N] = std::array::from_fn(|i| start.p[i]);
        Self {
            field: PhantomData,
            solver,
            b: std::array::from_fn(|j| h * tableau.b[j]),
            a: square(&tableau.a),
            a_hat: square(&tableau.a_hat),
            weights: std::array::from_fn(|j| tableau.b[j]),
            ahead: std::array::from_fn(|i| std::array::from_fn(|j| lagrange(j, 1.0 + tableau.c[i]))),
            q: std::array::from_fn(|i| start.q[i]),
            p,
            u: [std::array::from_fn(|i| p[i] / F::MASS[i]); S],
            factors: [[0.0; A]; A],
        }
    }

    /// A step.
    #[inline]
    pub fn step(&mut self) {
        let last = self.u;
        self.u = self.ahead.map(|row| combine([0.0; N], &row, &last));
        let (mut before, mut forces) = (f64::INFINITY, [[0.0; N]; S]);
        let mut places = [[0.0; N]; S];
        loop {
            for j in 0..S {
                places[j] = combine(self.q, &self.a[j], &self.u);
                forces[j] = F::gradient(&places[j]).map(|g| -g);
            }
            let (mut unbalance, worst) = self.unbalance(&forces);
            if worst <= FLOOR || (worst > 0.25 * before && worst <= 1e-12) {
                break;
            }
            assert!(worst < 1e9);
            let ratio = worst / before;
            if self.solver == Solver::Newton {
                if before.is_infinite() || worst * ratio * ratio > FLOOR {
                    self.factor(&places);
                }
                self.solve(&mut unbalance);
            } else {
                unbalance.iter_mut().enumerate().for_each(|(row, r)| *r /= F::MASS[row % N]);
            }
            before = worst;
            for (u, r) in self.u.as_flattened_mut().iter_mut().zip(&unbalance) {
                *u -= r;
            }
        }
        self.q = combine(self.q, &self.b, &self.u);
        self.p = combine(self.p, &self.b, &forces);
        assert!((self.q.iter().sum::<f64>() + self.p.iter().sum::<f64>()).is_finite());
    }

    /// `M U_i − p0 − h Σ â_ij F_j`, and its largest entry relative to what momenta are made of.
    #[inline]
    fn unbalance(&self, forces: &[[f64; N]; S]) -> ([f64; A], f64) {
        let mut size = self.p.map(f64::abs);
        for j in 0..S {
            for x in 0..N {
                size[x] += self.weights[j] * (F::MASS[x] * self.u[j][x]).abs() + (self.b[j] * forces[j][x]).abs();
            }
        }
        let (mut out, mut worst) = ([0.0; A], 0.0_f64);
        for i in 0..S {
            let pushed = combine(self.p, &self.a_hat[i], forces);
            for x in 0..N {
                let r = F::MASS[x] * self.u[i][x] - pushed[x];
                out[i * N + x] = r;
                worst = worst.max(r.abs() / size[x]);
            }
        }
        (out, worst)
    }

    /// Factors of `M + h² Σ_j â_ij V_qq(Q_j) a_jl`.
    #[inline]
    fn factor(&mut self, places: &[[f64; N]; S]) {
        let stiffness = places.map(|q| F::hessian(&q));
        let matrix = &mut self.factors;
        for i in 0..S {
            for l in 0..S {
                let mut block = [[0.0; N]; N];
                for j in 0..S {
                    let factor = self.a_hat[i][j] * self.a[j][l];
                    for x in 0..N {
                        for y in 0..N {
                            block[x][y] += factor * stiffness[j][x][y];
                        }
                    }
                }
                for x in 0..N {
                    matrix[i * N + x][l * N..(l + 1) * N].copy_from_slice(&block[x]);
                }
            }
            for x in 0..N {
                matrix[i * N + x][i * N + x] += F::MASS[x];
            }
        }
        for k in 0..A {
            let (upper, lower) = matrix.split_at_mut(k + 1);
            let pivots = &upper[k];
            let inverse = pivots[k].recip();
            for row in lower {
                let factor = row[k] * inverse;
                row[k] = factor;
                for j in k + 1..A {
                    row[j] -= factor * pivots[j];
                }
            }
        }
    }

    #[inline]
    fn solve(&self, b: &mut [f64; A]) {
        for i in 1..A {
            b[i] -= (0..i).fold(0.0, |sum, j| sum + self.factors[i][j] * b[j]);
        }
        for i in (0..A).rev() {
            let sum = (i + 1..A).fold(0.0, |sum, j| sum + self.factors[i][j] * b[j]);
            b[i] = (b[i] - sum) / self.factors[i][i];
        }
    }
}

/// `start + Σ_j c_j x_j`.
#[inline]
fn combine<const N: usize, const S: usize>(start: [f64; N], c: &[f64; S], x: &[[f64; N]; S]) -> [f64; N] {
    let mut sum = [0.0; N];
    for j in 0..S {
        for i in 0..N {
            sum[i] += c[j] * x[j][i];
        }
    }
    std::array::from_fn(|i| start[i] + sum[i])
}
