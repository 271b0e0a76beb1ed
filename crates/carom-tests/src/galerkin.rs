//! The equations of galerkin as the paper has them, in the coefficients of q, p and p_g, over any numbers.
//!
//! (21), (37) and (38) of Muehlebach, Heimsch and Glocker, (B.12) for the continuous one, and for the others the same principle with the jumps at
//! other ends; Legendre polynomials, and the terms of the constraints integrated by parts.

use carom::lagrangian::expression::Scalar;

use crate::dual::solve;
use crate::map::Map;

/// Where `q` and `p` jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jumps {
    /// `q` at the left end of a step, `p` at the right.
    LeftRight,
    /// The other way round.
    RightLeft,
    /// `q` nowhere, `p` at both.
    Continuous,
    /// Both at the right end.
    LeftLeft,
    /// Both at the left end.
    RightRight,
}

/// Equations as the paper prints them, with what is wrong in them: controls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misprint {
    /// (67) lacks the derivative of W along the motion.
    Equation67,
    /// (71) has W at the right limit of q.
    Equation71,
}

/// A variant.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// Degree of `q`.
    pub degree: usize,
    /// Degree of `p`.
    pub momentum_degree: usize,
    /// Where they jump.
    pub jumps: Jumps,
    /// Gauss points with their weights.
    pub points: Vec<(f64, f64)>,
    /// The same, enough of them for products of polynomials.
    pub exact: Vec<(f64, f64)>,
    /// Rectangles of the potential, if it has its own quadrature.
    pub rectangles: Option<usize>,
    /// What is wrong with it, on purpose.
    pub misprint: Option<Misprint>,
}

/// Values and derivatives of the first Legendre polynomials on [0, 1].
pub fn legendre(count: usize, s: f64) -> (Vec<f64>, Vec<f64>) {
    let (x, mut values, mut slopes) = (2.0 * s - 1.0, vec![1.0, 2.0 * s - 1.0], vec![0.0, 2.0]);
    for k in 1..count.max(2) {
        let (k, top) = (k as f64, values.len() - 1);
        values.push(((2.0 * k + 1.0) * x * values[top] - k * values[top - 1]) / (k + 1.0));
        slopes.push(slopes[top - 1] + 2.0 * (2.0 * k + 1.0) * values[top]);
    }
    values.truncate(count);
    slopes.truncate(count);
    (values, slopes)
}

/// Gauss points and weights on [0, 1], by bisection between the roots of the polynomial before.
pub fn gauss(count: usize) -> Vec<(f64, f64)> {
    let mut roots = vec![0.5];
    for n in 2..=count {
        let ends: Vec<f64> = [0.0].into_iter().chain(roots).chain([1.0]).collect();
        let value = |s: f64| legendre(n + 1, s).0[n];
        let between = |pair: &[f64]| {
            let (mut low, mut high) = (pair[0], pair[1]);
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if (value(middle) > 0.0) == (value(low) > 0.0) { low = middle } else { high = middle }
            }
            0.5 * (low + high)
        };
        roots = ends.windows(2).map(between).collect();
    }
    let weight = |s: f64| 1.0 / (s * (1.0 - s) * legendre(count + 1, s).1[count].powi(2));
    roots.into_iter().map(|s| (s, weight(s))).collect()
}

fn at<T: Scalar>(basis: &[f64], coefficients: &[T], n: usize) -> Vec<T> {
    let add = |i: usize| {
        basis
            .iter()
            .zip(coefficients.chunks(n))
            .fold(T::from_f64(0.0), |sum, (basis, part)| sum + T::from_f64(*basis) * part[i])
    };
    (0..n).map(add).collect()
}

impl Form {
    fn multipliers(&self) -> usize {
        if self.jumps == Jumps::Continuous { self.degree } else { self.degree + 1 }
    }

    /// Values at the end that are unknowns beside the coefficients: of p, or of q, or of p and q.
    fn ends(&self) -> usize {
        1 + usize::from(self.jumps == Jumps::LeftLeft)
    }

    /// Whether p appears with its slope: the strong form.
    fn is_strong(&self) -> bool {
        !matches!(self.jumps, Jumps::LeftRight | Jumps::Continuous)
    }

    /// Coefficients that Newton's method starts from: straight motion.
    pub fn start(&self, h: f64, (q, p, v): (&[f64], &[f64], &[f64]), constraints: usize) -> Vec<f64> {
        let n = q.len();
        let mut y = vec![0.0; (self.degree + self.momentum_degree + 2 + self.ends()) * n];
        for i in 0..n {
            // Where q has only a constant, it is the end or the start.
            let middle = if self.degree == 0 { 0.0 } else { 0.5 * h * v[i] };
            y[i] = q[i] + middle;
            if self.degree > 0 {
                y[n + i] = middle;
            }
            y[(self.degree + 1) * n + i] = p[i];
            let end = (self.degree + self.momentum_degree + 2) * n + i;
            y[end] = if self.jumps == Jumps::RightLeft { q[i] + h * v[i] } else { p[i] };
            if self.jumps == Jumps::LeftLeft {
                y[end + n] = q[i] + h * v[i];
            }
        }
        y.resize(y.len() + (self.multipliers() + 1) * constraints, 0.0);
        y
    }

    /// The equations of a step in `y` and its result `(q1, p1)`.
    pub fn equations<T: Scalar>(&self, map: &Map, (t, h): (f64, f64), x: &[T], y: &[T]) -> (Vec<T>, Vec<T>) {
        let (n, nc, m, d, s) = (map.n, map.m, self.degree, self.momentum_degree, T::from_f64);
        let (q0, p0) = x.split_at(n);
        let (q, rest) = y.split_at((m + 1) * n);
        let (p, rest) = rest.split_at((d + 1) * n);
        let (end, rest) = rest.split_at(self.ends() * n);
        let (force, mu) = rest.split_at(self.multipliers() * nc);
        let count = m.max(d) + 1;
        let ((left, _), (right, _)) = (legendre(count, 0.0), legendre(count, 1.0));
        let value = |basis: &[f64], of: &[T]| at(basis, of, n);
        let (q_left, q_right) = (value(&left[..=m], q), value(&right[..=m], q));
        let (p_left, p_right) = (value(&left[..=d], p), value(&right[..=d], p));
        let (q1, mut p1) = match self.jumps {
            Jumps::RightLeft => (end.to_vec(), p_right.clone()),
            Jumps::LeftLeft => (end[n..].to_vec(), end[..n].to_vec()),
            _ => (q_right.clone(), end.to_vec()),
        };
        // p0 + W(q0) p_g(0), (38).
        let mut p_start = p0.to_vec();
        if nc > 0 {
            let place = if self.misprint == Some(Misprint::Equation71) { &q_left } else { q0 };
            let (g0, impulse) = (map.gradients(t, place), at(&left[..self.multipliers()], force, nc));
            for i in 0..n {
                p_start[i] = (0..nc).fold(p_start[i], |sum, j| sum + g0[j * n + i] * impulse[j]);
            }
        }
        let zero = || vec![s(0.0); n];
        let mut of_q = vec![zero(); m + 1];
        let mut of_p = vec![zero(); d + 1];
        let mut of_g = vec![vec![s(0.0); nc]; self.multipliers()];
        for k in 0..=m {
            for i in 0..n {
                let ends = match self.jumps {
                    Jumps::LeftRight => s(right[k]) * end[i] - s(left[k]) * p_left[i],
                    Jumps::Continuous => s(right[k]) * end[i] - s(left[k]) * p_start[i],
                    // The strong form, with the integral of φ p' below.
                    Jumps::RightLeft | Jumps::RightRight => s(left[k]) * (p_left[i] - p_start[i]),
                    Jumps::LeftLeft => s(right[k]) * (p1[i] - p_right[i]),
                };
                of_q[k][i] = of_q[k][i] + ends;
            }
        }
        for k in 0..=d {
            for i in 0..n {
                let ends = match self.jumps {
                    Jumps::LeftRight | Jumps::RightRight => s(-left[k]) * (q_left[i] - q0[i]),
                    Jumps::Continuous => s(0.0),
                    Jumps::RightLeft | Jumps::LeftLeft => s(-right[k]) * (q1[i] - q_right[i]),
                };
                of_p[k][i] = of_p[k][i] + ends;
            }
        }
        if self.misprint == Some(Misprint::Equation67) {
            let (rows, impulse) = (map.gradients(t, &q_left), at(&left[..self.multipliers()], force, nc));
            for (k, i) in (0..=m).flat_map(|k| (0..n).map(move |i| (k, i))) {
                let pull = (0..nc).fold(s(0.0), |sum, j| sum + rows[j * n + i] * impulse[j]);
                of_q[k][i] = of_q[k][i] + s(left[k]) * pull;
            }
        }
        // The products of polynomials, exactly.
        for &(place, w) in &self.exact {
            let (values, slopes) = legendre(count, place);
            let (p_here, p_slope) = (value(&values[..=d], p), value(&slopes[..=d], p));
            let q_slope = value(&slopes[..=m], q);
            for i in 0..n {
                for k in 0..=m {
                    let term = if self.is_strong() {
                        s(w * values[k]) * p_slope[i]
                    } else {
                        s(-w * slopes[k]) * p_here[i]
                    };
                    of_q[k][i] = of_q[k][i] + term;
                }
                for k in 0..=d {
                    of_p[k][i] = of_p[k][i] - s(w * values[k]) * q_slope[i];
                }
            }
        }
        // The Hamiltonian and the constraints, by the quadrature.
        for &(place, w) in &self.points {
            let (values, _) = legendre(count, place);
            let (here, momentum) = (value(&values[..=m], q), value(&values[..=d], p));
            let now = t + place * h;
            let v = solve(&map.mass_matrix(now, &here), &momentum);
            let mut h_q: Vec<T> = map.l_q(now, &here, &v).into_iter().map(|l| -l).collect();
            if self.rectangles.is_some() {
                let pull = map.l_q(now, &here, &zero());
                h_q = h_q.iter().zip(pull).map(|(&h_q, pull)| h_q + pull).collect();
            }
            let (values_g, slopes_g) = legendre(self.multipliers(), place);
            let (mut reaction, mut momentum_g, mut g) = (zero(), zero(), Vec::new());
            if nc > 0 {
                let rows = map.gradients(now, &here);
                let (rate, of_g) = (at(&slopes_g, force, nc), at(&values_g, force, nc));
                for i in 0..n {
                    reaction[i] = (0..nc).fold(s(0.0), |sum, j| sum + rows[j * n + i] * rate[j]);
                    momentum_g[i] = (0..nc).fold(s(0.0), |sum, j| sum + rows[j * n + i] * of_g[j]);
                }
                g = map.constraints(now, &here);
            }
            let slopes = legendre(count, place).1;
            for i in 0..n {
                for k in 0..=m {
                    let of_constraint = match self.misprint {
                        Some(Misprint::Equation67) => s(-w * slopes[k]) * momentum_g[i],
                        _ => s(w * values[k]) * reaction[i],
                    };
                    of_q[k][i] = of_q[k][i] + s(w * values[k] * h) * h_q[i] - of_constraint;
                }
                for k in 0..=d {
                    of_p[k][i] = of_p[k][i] + s(h * w * values[k]) * v[i];
                }
            }
            for j in 0..nc {
                for k in 0..values_g.len() {
                    of_g[k][j] = of_g[k][j] - s(w * slopes_g[k]) * g[j];
                }
            }
        }
        for rectangle in 0..self.rectangles.unwrap_or(0) {
            let count = self.rectangles.unwrap_or(1) as f64;
            let place = rectangle as f64 / count;
            let (values, _) = legendre(m + 1, place);
            let pull = map.l_q(t + place * h, &value(&values, q), &zero());
            for i in 0..n {
                for k in 0..=m {
                    of_q[k][i] = of_q[k][i] - s(h / count * values[k]) * pull[i];
                }
            }
        }
        let mut residual: Vec<T> = of_q.into_iter().chain(of_p).flatten().collect();
        residual.extend((0..n).map(|i| match self.jumps {
            Jumps::LeftRight => p_left[i] - p_start[i],
            Jumps::RightRight => p_right[i] - p1[i],
            _ => q_left[i] - q0[i],
        }));
        if self.jumps == Jumps::LeftLeft {
            residual.extend((0..n).map(|i| p_left[i] - p0[i]));
        }
        if nc > 0 {
            let g1 = map.constraints(t + h, &q1);
            let ends = legendre(self.multipliers(), 1.0).0;
            for (k, of_g) in of_g.into_iter().enumerate() {
                residual.extend((0..nc).map(|j| (of_g[j] + s(ends[k]) * g1[j]) / s(h)));
            }
            let rows = map.gradients(t + h, &q1);
            for i in 0..n {
                p1[i] = (0..nc).fold(p1[i], |sum, j| sum - rows[j * n + i] * mu[j]);
            }
            residual.extend(map.hidden(t + h, &q1, &p1));
        }
        (residual, q1.into_iter().chain(p1).collect())
    }
}
