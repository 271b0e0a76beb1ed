//! Steps of the methods written a second time, from the Lagrangian alone and over any kind of number: with dual
//! numbers they give exact Jacobians. Nothing is shared with the steppers but the expressions of the system.

use carom::lagrangian::definition::Definition;
use carom::lagrangian::expression::{Scalar, Tape};

use crate::comparison::{Penalty, Projection, Spook};
use crate::dual::{Dual, solve};
use crate::galerkin::Form;

/// How a step joins its ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// A discrete Lagrangian by quadrature on the straight path: nodes and weights.
    Quadrature(Vec<(f64, f64)>),
    /// Newmark's β and γ.
    Newmark(f64, f64),
    /// The equations of galerkin.
    Galerkin(Form),
    /// Constraints as springs.
    Penalty(Penalty),
    /// A free step and a projection.
    Projection(Projection),
    /// Regularised constraints.
    Spook(Spook),
    /// The energy-momentum step with the discrete gradients of Gonzalez, and a projection.
    EnergyMomentum,
    /// Explicit Euler in `(q, p)`, a control: neither symplectic nor symmetric, and blind to constraints.
    Euler,
}

/// A system over any numbers.
pub struct Map {
    /// Number of coordinates.
    pub n: usize,
    /// Number of equality constraints.
    pub m: usize,
    l_q: Tape,
    l_v: Tape,
    potential: Tape,
    mass: Tape,
    f: Tape,
    g: Tape,
    f_t: Tape,
    /// `∂²L/∂q²`, and `∂²f_i/∂q²` row by row.
    bends: Tape,
    rule: Rule,
}

impl Map {
    /// The step of a rule for a system without non-potential forces.
    pub fn new(definition: &Definition, rule: Rule) -> Self {
        assert!(definition.forces.is_empty() && definition.nonholonomic.is_empty());
        let mut definition = definition.clone();
        let layout = definition.layout();
        let n = layout.n;
        let graph = &mut definition.graph;
        let mut lagrangian = graph.neg(definition.potential);
        for i in 0..n {
            for (j, entry) in definition.mass.row(i, n) {
                let (vi, vj, half) = (graph.input(layout.v(i)), graph.input(layout.v(j)), graph.constant(0.5));
                let product = graph.mul(vi, vj);
                let product = graph.mul(half, product);
                let term = graph.mul(entry, product);
                lagrangian = graph.add(lagrangian, term);
            }
        }
        let l_q = graph.gradient(lagrangian, &layout.coordinates());
        let l_v = graph.gradient(lagrangian, &layout.velocities());
        let f: Vec<_> = definition.equalities.iter().map(|row| row.node).collect();
        let g: Vec<_> = f.iter().flat_map(|&f| graph.gradient(f, &layout.coordinates())).collect();
        let f_t: Vec<_> = f.iter().map(|&f| graph.derivative(f, layout.t())).collect();
        // Asked of one rule only.
        let bent: &[_] = if matches!(rule, Rule::Penalty(_)) { &[l_q.as_slice(), g.as_slice()] } else { &[] };
        let bends: Vec<_> =
            bent.concat().iter().flat_map(|&first| graph.gradient(first, &layout.coordinates())).collect();
        let inputs = 2 * n + 1;
        let compile = |nodes: &[_]| Tape::compile(graph, nodes, inputs);
        Self {
            n,
            m: f.len(),
            l_q: compile(&l_q),
            l_v: compile(&l_v),
            potential: compile(&[definition.potential]),
            mass: compile(&definition.mass.matrix(n)),
            f: compile(&f),
            g: compile(&g),
            f_t: compile(&f_t),
            bends: compile(&bends),
            rule,
        }
    }

    fn at<T: Scalar>(&self, tape: &Tape, t: f64, q: &[T], v: &[T]) -> Vec<T> {
        let inputs: Vec<T> = q.iter().copied().chain([T::from_f64(t)]).chain(v.iter().copied()).collect();
        tape.evaluate_generic(&inputs)
    }

    /// `left` and `right` momenta of a chord.
    fn momenta<T: Scalar>(&self, (t, h): (f64, f64), q0: &[T], v: &[T]) -> (Vec<T>, Vec<T>) {
        let s = T::from_f64;
        let zero = vec![s(0.0); self.n];
        let (mut left, mut right) = (zero.clone(), zero.clone());
        let along = |c: f64| -> Vec<T> { q0.iter().zip(v).map(|(&q, &v)| q + s(c * h) * v).collect() };
        match &self.rule {
            Rule::Quadrature(nodes) => {
                for &(c, w) in nodes {
                    let q = along(c);
                    let (l_q, l_v) = (self.at(&self.l_q, t + c * h, &q, v), self.at(&self.l_v, t + c * h, &q, v));
                    for i in 0..self.n {
                        left[i] = left[i] + s(w) * (l_v[i] - s(h * (1.0 - c)) * l_q[i]);
                        right[i] = right[i] + s(w) * (l_v[i] + s(h * c) * l_q[i]);
                    }
                }
            }
            Rule::Newmark(beta, gamma) => {
                let mv = self.at(&self.l_v, t, q0, v);
                let (start, end) = (self.at(&self.l_q, t, q0, v), self.at(&self.l_q, t + h, &along(1.0), v));
                for i in 0..self.n {
                    left[i] = mv[i] - s(h * (0.5 - beta)) * start[i] - s(h * beta) * end[i];
                    right[i] = mv[i] + s(h * (0.5 + beta - gamma)) * start[i] + s(h * (gamma - beta)) * end[i];
                }
            }
            Rule::Galerkin(_) | Rule::Penalty(_) | Rule::Projection(_) | Rule::Spook(_) | Rule::EnergyMomentum => {
                unreachable!("equations of their own")
            }
            Rule::Euler => {
                let (l_q, l_v) = (self.at(&self.l_q, t, q0, v), self.at(&self.l_v, t, q0, v));
                for i in 0..self.n {
                    left[i] = l_v[i];
                    right[i] = l_v[i] + s(h) * l_q[i];
                }
            }
        }
        (left, right)
    }

    /// The equations of a step in `y = (v, λ, μ)` and its result `(q1, p1)`, from `x = (q0, p0)`.
    fn equations<T: Scalar>(&self, (t, h): (f64, f64), x: &[T], y: &[T]) -> (Vec<T>, Vec<T>) {
        match &self.rule {
            Rule::Galerkin(form) => return form.equations(self, (t, h), x, y),
            Rule::Penalty(penalty) => return penalty.equations(self, (t, h), x, y),
            Rule::Projection(projection) => return projection.equations(self, (t, h), x, y),
            Rule::Spook(spook) => return spook.equations(self, (t, h), x, y),
            _ => (),
        }
        if self.rule == Rule::EnergyMomentum {
            return self.energy_momentum((t, h), x, y);
        }
        let (n, m, s) = (self.n, if self.rule == Rule::Euler { 0 } else { self.m }, T::from_f64);
        let ((q0, p0), (v, multipliers)) = (x.split_at(n), y.split_at(n));
        let q1: Vec<T> = q0.iter().zip(v).map(|(&q, &v)| q + s(h) * v).collect();
        let (left, mut p1) = self.momenta((t, h), q0, v);
        let mut residual: Vec<T> = left.iter().zip(p0).map(|(&left, &p)| left - p).collect();
        if m > 0 {
            let (g0, g1) = (self.at(&self.g, t, q0, v), self.at(&self.g, t + h, &q1, v));
            for i in 0..n {
                for j in 0..m {
                    residual[i] = residual[i] + g0[j * n + i] * multipliers[j];
                    p1[i] = p1[i] - g1[j * n + i] * multipliers[m + j];
                }
            }
            residual.extend(self.at(&self.f, t + h, &q1, v).iter().map(|&f| f / s(h)));
            residual.extend(self.hidden(t + h, &q1, &p1));
        }
        (residual, q1.into_iter().chain(p1).collect())
    }

    /// The equations of `pem` in `y = (u, λ, μ)`; constant mass.
    fn energy_momentum<T: Scalar>(&self, (t, h): (f64, f64), x: &[T], y: &[T]) -> (Vec<T>, Vec<T>) {
        let (n, m, s, half) = (self.n, self.m, T::from_f64, t + 0.5 * h);
        let ((q0, p0), (u, multipliers)) = (x.split_at(n), y.split_at(n));
        let (lambda, mu) = multipliers.split_at(m);
        let along = |c: f64| -> Vec<T> { q0.iter().zip(u).map(|(&q, &u)| q + s(c * h) * u).collect() };
        let (q1, middle) = (along(1.0), along(0.5));
        let mass = self.at(&self.mass, half, q0, u);
        let product = |i: usize, z: &[T]| (0..n).fold(s(0.0), |sum, k| sum + mass[i * n + k] * z[k]);
        let way: Vec<T> = u.iter().map(|&u| s(h) * u).collect();
        let difference =
            |tape: &Tape, row: usize| self.at(tape, half, &q1, u)[row] - self.at(tape, half, q0, u)[row];
        // Gonzalez, over the columns that a gradient has.
        let corrected = |gradient: &[T], whole: T, weights: &[T]| -> Vec<T> {
            let own = |k: usize| gradient[k].real() != 0.0;
            let sum = |a: &[T]| (0..n).filter(|&k| own(k)).fold(s(0.0), |sum, k| sum + a[k] * way[k]);
            let (defect, length) = (whole - sum(gradient), sum(weights));
            let entry = |k: usize| if own(k) { gradient[k] + defect * weights[k] / length } else { gradient[k] };
            (0..n).map(entry).collect()
        };
        let all: Vec<T> = (0..n).map(|i| product(i, &way)).collect();
        let own: Vec<T> = (0..n).map(|i| mass[i * n + i] * way[i]).collect();
        let slope: Vec<T> = self.at(&self.l_q, half, &middle, u).iter().map(|&force| -force).collect();
        let plain = (0..n).fold(s(0.0), |sum, k| sum + slope[k] * way[k]);
        let defect = difference(&self.potential, 0) - plain;
        let length = (0..n).fold(s(0.0), |sum, k| sum + all[k] * way[k]);
        let v0 = solve(&mass, p0);
        let twice: Vec<T> = u.iter().zip(&v0).map(|(&u, &v)| s(2.0) * u - v).collect();
        let change: Vec<T> = u.iter().zip(&v0).map(|(&u, &v)| s(2.0) * (u - v)).collect();
        let mut residual: Vec<T> =
            (0..n).map(|i| product(i, &change) + s(h) * (slope[i] + defect * all[i] / length)).collect();
        let mut p1: Vec<T> = (0..n).map(|i| product(i, &twice)).collect();
        if m > 0 {
            let (between, end) = (self.at(&self.g, half, &middle, u), self.at(&self.g, t + h, &q1, u));
            for j in 0..m {
                let row = corrected(&between[j * n..(j + 1) * n], difference(&self.f, j), &own);
                for i in 0..n {
                    residual[i] = residual[i] - row[i] * lambda[j];
                    p1[i] = p1[i] - end[j * n + i] * mu[j];
                }
            }
            residual.extend(self.at(&self.f, t + h, &q1, u).iter().map(|&f| f / s(h)));
            residual.extend(self.hidden(t + h, &q1, &p1));
        }
        (residual, q1.into_iter().chain(p1).collect())
    }

    /// `T_q − V_q`.
    pub fn l_q<T: Scalar>(&self, t: f64, q: &[T], v: &[T]) -> Vec<T> {
        self.at(&self.l_q, t, q, v)
    }

    /// `∂²L/∂q²`, and `∂²f_i/∂q²` row by row, at rest.
    pub fn bends<T: Scalar>(&self, t: f64, q: &[T]) -> Vec<T> {
        self.at(&self.bends, t, q, &vec![T::from_f64(0.0); self.n])
    }

    /// `M(q)`.
    pub fn mass_matrix<T: Scalar>(&self, t: f64, q: &[T]) -> Vec<T> {
        self.at(&self.mass, t, q, q)
    }

    /// `f(q, t)`.
    pub fn constraints<T: Scalar>(&self, t: f64, q: &[T]) -> Vec<T> {
        self.at(&self.f, t, q, q)
    }

    /// `∂f/∂q`.
    pub fn gradients<T: Scalar>(&self, t: f64, q: &[T]) -> Vec<T> {
        self.at(&self.g, t, q, q)
    }

    /// `G M⁻¹p + ∂f/∂t`.
    pub fn hidden<T: Scalar>(&self, t: f64, q: &[T], p: &[T]) -> Vec<T> {
        let v = solve(&self.at(&self.mass, t, q, p), p);
        let (g, f_t) = (self.at(&self.g, t, q, &v), self.at(&self.f_t, t, q, &v));
        (0..self.m).map(|j| (0..self.n).fold(f_t[j], |sum, i| sum + g[j * self.n + i] * v[i])).collect()
    }

    /// Rows whose kernel is tangent to the constraint manifold in `(q, p)`, at `x`.
    pub fn manifold_rows(&self, t: f64, x: &[f64]) -> Vec<Vec<f64>> {
        let n = self.n;
        // Springs leave the whole phase space to the motion.
        if matches!(self.rule, Rule::Penalty(_) | Rule::Spook(_)) {
            return Vec::new();
        }
        let mut rows = vec![vec![0.0; 2 * n]; 2 * self.m];
        for column in 0..2 * n {
            let x = seeded(x, column);
            let f = self.at(&self.f, t, &x[..n], &x[n..]);
            let hidden = self.hidden(t, &x[..n], &x[n..]);
            for j in 0..self.m {
                rows[j][column] = f[j].eps();
                rows[self.m + j][column] = hidden[j].eps();
            }
        }
        rows
    }

    /// The step from `x = (q0, p0)` and its exact Jacobian, row-major `2n × 2n`.
    pub fn step(&self, t: f64, h: f64, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = self.n;
        let mut y = solve(&self.at(&self.mass, t, &x[..n], &x[n..]), &x[n..]);
        match &self.rule {
            Rule::Galerkin(form) => y = form.start(h, (&x[..n], &x[n..], &y), self.m),
            Rule::Euler | Rule::Penalty(_) => (),
            Rule::Projection(projection) => y.resize(n + projection.multipliers() * self.m, 0.0),
            Rule::Spook(_) => y.resize(n + self.m, 0.0),
            _ => y.resize(n + 2 * self.m, 0.0),
        }
        let by_y = |y: &[f64]| {
            let fixed: Vec<Dual> = x.iter().map(|&x| Dual::from_f64(x)).collect();
            self.derivatives(y.len(), |column| self.equations((t, h), &fixed, &seeded(y, column)))
        };
        for _ in 0..12 {
            let (residual, _) = self.equations((t, h), x, &y);
            if residual.iter().all(|r| r.abs() < 1e-14) {
                break;
            }
            let change = solve(&by_y(&y).0, &residual);
            y.iter_mut().zip(change).for_each(|(y, change)| *y -= change);
        }
        let (residual, end) = self.equations((t, h), x, &y);
        let worst = residual.iter().fold(0.0_f64, |max, r| max.max(r.abs()));
        assert!(worst < 1e-11, "the step of the test does not converge: {worst:e}");

        let (r_y, e_y) = by_y(&y);
        let fixed: Vec<Dual> = y.iter().map(|&y| Dual::from_f64(y)).collect();
        let (r_x, e_x) = self.derivatives(2 * n, |column| self.equations((t, h), &seeded(x, column), &fixed));
        // Implicit function theorem: dy/dx = −R_y⁻¹R_x.
        let mut jacobian = vec![0.0; 4 * n * n];
        let count = y.len();
        for column in 0..2 * n {
            let right: Vec<f64> = (0..count).map(|i| -r_x[i * 2 * n + column]).collect();
            let dy = solve(&r_y, &right);
            for row in 0..2 * n {
                let through: f64 = (0..count).map(|k| e_y[row * count + k] * dy[k]).sum();
                jacobian[row * 2 * n + column] = e_x[row * 2 * n + column] + through;
            }
        }
        (end, jacobian)
    }

    /// The Newton matrix of a step from `x` at these unknowns, row-major.
    pub fn newton_matrix(&self, t: f64, h: f64, x: &[f64], y: &[f64]) -> Vec<f64> {
        let fixed: Vec<Dual> = x.iter().map(|&x| Dual::from_f64(x)).collect();
        self.derivatives(y.len(), |column| self.equations((t, h), &fixed, &seeded(y, column))).0
    }

    /// Jacobians of both outputs of `function`, column by column.
    fn derivatives(&self, columns: usize, function: impl Fn(usize) -> Pair) -> (Vec<f64>, Vec<f64>) {
        let results: Vec<_> = (0..columns).map(function).collect();
        let gather = |pick: fn(&Pair) -> &Vec<Dual>| {
            let rows = results.first().map_or(0, |result| pick(result).len());
            (0..rows).flat_map(|row| results.iter().map(move |result| pick(result)[row].eps())).collect()
        };
        (gather(|result| &result.0), gather(|result| &result.1))
    }
}

/// Residual and result of a step.
type Pair = (Vec<Dual>, Vec<Dual>);

fn seeded(x: &[f64], column: usize) -> Vec<Dual> {
    x.iter().enumerate().map(|(i, &x)| Dual::new(x, if i == column { 1.0 } else { 0.0 })).collect()
}
