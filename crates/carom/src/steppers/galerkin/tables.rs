//! The numbers of a galerkin step: spaces of polynomials, points and weights.
//!
//! ```text
//! Notation
//! m            degree of q; r the degree of the velocity, d that of the momentum
//! U_j          velocity at the r + 1 Gauss points c_j of its own; l_j their Lagrange polynomials, b_j their weights
//! s_κ, w_κ     points and weights of the quadrature
//! a_j(s)       what U_j moves: q(s) = q0 + h Σ a_j(s) U_j, q1 = q0 + h Σ b_j U_j
//! â_jκ         what F_κ moves: p(c_j) = p0 + h Σ â_jκ F_κ, p1 = p0 + h Σ w_κ F_κ
//! χ_i          Legendre polynomials of the multipliers
//! ```
//! The variants differ in where `q` and `p` jump. Tested with polynomials of degree `m` and a jump at the left end, `q` is the one with
//! `q(1) = q1` whose difference from `q0 + h∫U` is orthogonal to polynomials of degree `m − 1`: a multiple of `P_{m+1} − P_m`. With the jump at the right end
//! it is one of `P_{m+1} + P_m`, and without jumps there is none. The same holds for `p` and the forces. If the two jump at opposite ends, or neither of them, `â` is
//! the conjugate of `a`, `b_j â_jκ = w_κ (b_j − a_j(s_κ))`, and the step is that of a discrete Lagrangian.

use super::legendre::{gauss, integral, legendre};
use super::{Config, Continuity, MOST_DEGREE, Quadrature};
use crate::steppers::End;

/// Room for Legendre polynomials of every degree that is taken, and two more.
pub const ROOM: usize = MOST_DEGREE as usize + 3;

/// Points of a quadrature and what the unknowns do there.
#[derive(Debug, Clone)]
pub struct Points {
    /// Places.
    pub s: Vec<f64>,
    /// Weights.
    pub w: Vec<f64>,
    /// `l_j(s_κ)`, one row per point.
    pub l: Vec<f64>,
    /// `a_j(s_κ)`, one row per point.
    pub a: Vec<f64>,
}

/// The tables of a step.
#[derive(Debug, Clone)]
pub struct Tables {
    continuity: Continuity,
    /// `m`.
    pub degree: usize,
    /// `d`.
    pub momentum_degree: usize,
    /// Number of `U_j`.
    pub modes: usize,
    /// Number of polynomials of the multipliers inside the step.
    pub multipliers: usize,
    /// `c_j`.
    pub c: Vec<f64>,
    /// `b_j`.
    pub b: Vec<f64>,
    /// The quadrature.
    pub points: Points,
    /// Whether its points are the `c_j`.
    pub nodal: bool,
    /// `χ_i(s_κ)`, one row per point.
    pub chi: Vec<f64>,
    /// That of the potential, if it has its own.
    pub potential: Option<Points>,
    /// Gauss points of the momentum's ansatz, their weights, and its Lagrange polynomials at the points of the quadrature, one row per point.
    pub momenta: (Points, Vec<f64>),
    /// `(2k + 1) b_j P_k(c_j)`, `P_k(1 + c_j)` and `P_k(2)`, the velocity's parts by Legendre polynomials and where they lead in the next step; one
    /// row per polynomial.
    pub parts: Vec<f64>,
    pub ahead: Vec<f64>,
    far: Vec<f64>,
    /// Legendre coefficients of the multipliers, extrapolated to the next step.
    pub multipliers_ahead: Vec<f64>,
}

impl Tables {
    /// Of a method.
    pub fn new(config: &Config) -> Self {
        let m = config.degree as usize;
        let modes = if config.continuity == Continuity::Continuous { m } else { m + 1 };
        let multipliers = modes - 1;
        let (c, b) = gauss(modes);
        let empty = || Points { s: vec![], w: vec![], l: vec![], a: vec![] };
        let mut tables = Self {
            continuity: config.continuity,
            degree: m,
            momentum_degree: config.momentum_degree(),
            modes,
            multipliers,
            c,
            b,
            points: empty(),
            nodal: false,
            chi: Vec::new(),
            potential: None,
            momenta: (empty(), Vec::new()),
            parts: Vec::new(),
            ahead: Vec::new(),
            far: vec![0.0; modes],
            multipliers_ahead: Vec::new(),
        };
        let (s, w) = gauss(config.gauss_points());
        tables.nodal = s.len() == modes;
        tables.points = tables.at(s, w);
        let mut p = vec![0.0; multipliers.max(1)];
        for s in &tables.points.s {
            legendre(*s, &mut p);
            tables.chi.extend_from_slice(&p[..multipliers]);
        }
        if config.quadrature == Quadrature::Rectangle {
            let count = config.points();
            let s = (0..count).map(|k| k as f64 / count as f64).collect();
            tables.potential = Some(tables.at(s, vec![1.0 / count as f64; count]));
        }
        let (s, w) = gauss(tables.momentum_degree + 1);
        let mut basis = vec![0.0; tables.points.s.len() * s.len()];
        for (row, at) in basis.chunks_exact_mut(s.len()).zip(&tables.points.s) {
            lagrange(&s, &w, *at, row);
        }
        tables.momenta = (tables.at(s, w), basis);
        let (mut here, mut there) = ([0.0; ROOM], [0.0; ROOM]);
        (tables.parts, tables.ahead) = (vec![0.0; modes * modes], vec![0.0; modes * modes]);
        for j in 0..modes {
            legendre(tables.c[j], &mut here[..modes]);
            legendre(1.0 + tables.c[j], &mut there[..modes]);
            for k in 0..modes {
                tables.parts[k * modes + j] = (2 * k + 1) as f64 * tables.b[j] * here[k];
                tables.ahead[k * modes + j] = there[k];
            }
        }
        legendre(2.0, &mut tables.far);
        tables.multipliers_ahead = shift(multipliers);
        tables
    }

    /// Adds up the parts of a function by Legendre polynomials, extrapolated to the next step, as long as what they are at its end falls:
    /// beyond that it is error, which grows by 6 from each to the next.
    pub fn look_ahead(&self, count: usize, part: impl Fn(usize) -> f64, mut add: impl FnMut(usize, f64)) {
        let mut last = [f64::INFINITY; 2];
        for k in 0..count {
            let part = part(k);
            let reach = (part * self.far[k]).abs();
            // Every second polynomial may be missing.
            if k >= 2 && reach > last[0].max(last[1]) {
                return;
            }
            last = [last[1], reach];
            add(k, part);
        }
    }

    /// The tables at these points.
    fn at(&self, s: Vec<f64>, w: Vec<f64>) -> Points {
        let (mut l, mut a) = (vec![0.0; s.len() * self.modes], vec![0.0; s.len() * self.modes]);
        for (k, &s) in s.iter().enumerate() {
            let row = k * self.modes..(k + 1) * self.modes;
            self.velocity(s, &mut l[row.clone()]);
            self.position(s, &mut a[row]);
        }
        Points { s, w, l, a }
    }

    /// `l_j(s)`.
    pub fn velocity(&self, s: f64, out: &mut [f64]) {
        lagrange(&self.c, &self.b, s, out);
    }

    /// `∫₀ˢ l_j`.
    pub fn integral(&self, s: f64, out: &mut [f64]) {
        self.expand(s, |k, p| integral(k, s, p), out);
    }

    /// `a_j(s)`.
    pub fn position(&self, s: f64, out: &mut [f64]) {
        let (top, jump) = (self.modes - 1, self.continuity.jump());
        let term = |k: usize, p: &[f64]| {
            let integral = integral(k, s, p);
            // The multiple of P_{m+1} ∓ P_m that takes off the power m + 1.
            match jump {
                Some(End::Start) if k == top => integral - 0.5 * (p[k + 1] - p[k]),
                Some(End::Finish) if k == top => integral - 0.5 * (p[k + 1] + p[k]),
                _ => integral,
            }
        };
        self.expand(s, term, out);
    }

    /// `â_jκ` of these points, one row per point.
    pub fn reactions(&self, points: &Points) -> Vec<f64> {
        let modes = self.modes;
        let mut of_q = vec![0.0; modes * modes];
        for (row, c) in of_q.chunks_exact_mut(modes).zip(&self.c) {
            self.position(*c, row);
        }
        let reaction = |place: usize| {
            let (k, j) = (place / modes, place % modes);
            let (w, row) = (points.w[k], k * modes..(k + 1) * modes);
            if self.continuity.is_conjugate() {
                w * (self.b[j] - points.a[place]) / self.b[j]
            } else {
                // p jumps where q does: the parts of F by the polynomials of u, moved as u moves q.
                let parts = points.l[row].iter().zip(&self.b);
                w * of_q[j * modes..].iter().zip(parts).map(|(a, (l, b))| a * l / b).sum::<f64>()
            }
        };
        (0..points.s.len() * modes).map(reaction).collect()
    }

    /// `b_j Σ_k P_k(c_j) term(k)`, with the polynomials at `s`.
    fn expand(&self, s: f64, term: impl Fn(usize, &[f64]) -> f64, out: &mut [f64]) {
        let (mut here, mut there) = ([0.0; ROOM], [0.0; ROOM]);
        legendre(s, &mut here[..=self.modes]);
        for (out, (c, b)) in out.iter_mut().zip(self.c.iter().zip(&self.b)) {
            legendre(*c, &mut there[..self.modes]);
            *out = b * (0..self.modes).map(|k| there[k] * term(k, &here)).sum::<f64>();
        }
    }
}

/// Lagrange polynomials of Gauss points `c` with weights `b`, at `s`.
fn lagrange(c: &[f64], b: &[f64], s: f64, out: &mut [f64]) {
    // At its own points they are 0 or 1 without round-off.
    if let Some(place) = c.iter().position(|c| *c == s) {
        out.fill(0.0);
        out[place] = 1.0;
        return;
    }
    let (mut here, mut there) = ([0.0; ROOM], [0.0; ROOM]);
    let count = c.len();
    legendre(s, &mut here[..count]);
    for (out, (c, b)) in out.iter_mut().zip(c.iter().zip(b)) {
        legendre(*c, &mut there[..count]);
        *out = b * (0..count).map(|k| (2 * k + 1) as f64 * here[k] * there[k]).sum::<f64>();
    }
}

/// Legendre coefficients of `f(1 + s)` from those of `f(s)`, of `count` polynomials.
fn shift(count: usize) -> Vec<f64> {
    let (s, w) = gauss(count.max(1));
    let (mut here, mut there) = (vec![0.0; count], vec![0.0; count]);
    let mut matrix = vec![0.0; count * count];
    for (s, w) in s.iter().zip(&w) {
        legendre(*s, &mut here);
        legendre(1.0 + s, &mut there);
        for i in 0..count {
            for k in 0..count {
                matrix[i * count + k] += (2 * i + 1) as f64 * w * here[i] * there[k];
            }
        }
    }
    matrix
}
