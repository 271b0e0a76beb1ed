//! Complementarity problems with bounds: LCP(M, q), and mixed LCPs by their matrix or in saddle-point form.

use crate::cone::norm;
use crate::matrix::{Dense, Misshapen, Sparse};
use crate::problem::Saddle;
use crate::problem::saddle::Motion;
use crate::residual::{Judged, Residual, step_length};

/// LCP(M, q): find z ≥ 0 with w = M z + q ≥ 0 and zᵀw = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Lcp {
    /// M.
    pub m: Dense,
    /// q.
    pub q: Vec<f64>,
}

impl Lcp {
    /// The problem, if the sizes agree and every number is finite.
    pub fn new(m: Dense, q: Vec<f64>) -> Result<Lcp, Misshapen> {
        expect_size("M", [m.rows(), m.columns()], q.len())?;
        expect_finite("M", m.values())?;
        expect_finite("q", &q)?;
        Ok(Lcp { m, q })
    }
}

impl Judged for Lcp {
    fn size(&self) -> usize {
        self.q.len()
    }

    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]) {
        self.m.times(z, w);
        for i in 0..z.len() {
            w[i] += self.q[i];
            map[i] = bounded(z[i], w[i], step_length(self.m[(i, i)]), 0.0, f64::INFINITY);
        }
    }
}

/// A mixed LCP by its matrix [lacoursiere-linde-2011 (113)]: w = H z + q, w ≥ 0 where z = l, w ≤ 0 where z = u, w = 0 between, l ≤ z ≤ u.
#[derive(Clone, Debug, PartialEq)]
pub struct Mlcp {
    /// H.
    pub h: Sparse,
    /// q.
    pub q: Vec<f64>,
    /// l, −∞ where there is none.
    pub lower: Vec<f64>,
    /// u, ∞ where there is none.
    pub upper: Vec<f64>,
}

impl Mlcp {
    /// The problem, if the sizes agree, every number is finite but bounds, and no lower bound is above its upper one.
    pub fn new(h: Sparse, q: Vec<f64>, lower: Vec<f64>, upper: Vec<f64>) -> Result<Mlcp, Misshapen> {
        expect_size("the matrix", [h.rows(), h.columns()], q.len())?;
        expect_finite("the matrix", h.values())?;
        expect_finite("q", &q)?;
        expect_bounds(&lower, &upper, q.len())?;
        Ok(Mlcp { h, q, lower, upper })
    }
}

impl Judged for Mlcp {
    fn size(&self) -> usize {
        self.q.len()
    }

    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]) {
        for i in 0..z.len() {
            w[i] = self.h.row_times(i, z) + self.q[i];
            map[i] = bounded(z[i], w[i], step_length(self.h.get(i, i)), self.lower[i], self.upper[i]);
        }
    }
}

/// Room for the residual of a problem of bodies.
#[derive(Clone, Debug, Default)]
pub struct Room {
    w: Vec<f64>,
    map: Vec<f64>,
    zeros: Vec<f64>,
    motion: Motion,
}

impl Room {
    /// ‖F(0)‖ of the natural map, without allocation where the room was used for this size before.
    pub fn at_zero<P: Judged>(&mut self, problem: &P) -> f64 {
        let Room { w, map, zeros, motion } = self;
        for vector in [&mut *w, &mut *map, &mut *zeros] {
            vector.clear();
            vector.resize(problem.size(), 0.0);
        }
        problem.natural_map_with(zeros, w, map, motion);
        norm(map)
    }
}

/// A mixed LCP in saddle-point form [lacoursiere-linde-2011 (108)].
#[derive(Clone, Debug, PartialEq)]
pub struct SaddleMlcp {
    /// M, G, T, p and q.
    pub saddle: Saddle,
    /// l, −∞ where there is none.
    pub lower: Vec<f64>,
    /// u, ∞ where there is none.
    pub upper: Vec<f64>,
}

impl SaddleMlcp {
    /// The problem, if there is a bound, perhaps infinite, for every row.
    pub fn new(saddle: Saddle, lower: Vec<f64>, upper: Vec<f64>) -> Result<SaddleMlcp, Misshapen> {
        expect_bounds(&lower, &upper, saddle.q.len())?;
        Ok(SaddleMlcp { saddle, lower, upper })
    }

    /// The same problem by its Schur complement A = G M⁻¹ Gᵀ + T [lacoursiere-linde-2011 (109), (110)].
    pub fn reduced(&self) -> Mlcp {
        let (h, q) = self.saddle.schur();
        Mlcp { h, q, lower: self.lower.clone(), upper: self.upper.clone() }
    }

    /// The residual of an answer, as [`Judged::residual`] has it, without allocation where the room was used for this size before.
    pub fn residual_in(&self, z: &[f64], room: &mut Room) -> Residual {
        let at_zero = self.at_zero(room);
        let Room { w, map, motion, .. } = room;
        self.natural_map_with(z, w, map, motion);
        let absolute = norm(map);
        Residual::from_norms(if absolute.is_finite() { absolute } else { f64::INFINITY }, at_zero)
    }

    /// ‖F(0)‖ of the natural map, without allocation where the room was used for this size before.
    pub fn at_zero(&self, room: &mut Room) -> f64 {
        room.at_zero(self)
    }
}

impl Judged for SaddleMlcp {
    fn size(&self) -> usize {
        self.saddle.q.len()
    }

    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]) {
        self.natural_map_with(z, w, map, &mut Motion::default());
    }

    fn natural_map_with(&self, z: &[f64], w: &mut [f64], map: &mut [f64], motion: &mut Motion) {
        self.saddle.slacks_with(z, w, motion);
        for i in 0..z.len() {
            let rho = step_length(self.saddle.diagonal(i));
            map[i] = bounded(z[i], w[i], rho, self.lower[i], self.upper[i]);
        }
    }
}

/// z − clamp(z − ρ w, l, u); without bounds ρ w itself, which z − (z − ρ w) would round.
pub(crate) fn bounded(z: f64, w: f64, rho: f64, lower: f64, upper: f64) -> f64 {
    let target = z - rho * w;
    if target < lower {
        z - lower
    } else if target > upper {
        z - upper
    } else {
        rho * w
    }
}

pub(crate) fn expect_size(what: &str, size: [usize; 2], n: usize) -> Result<(), Misshapen> {
    let [rows, columns] = size;
    if size == [n, n] {
        return Ok(());
    }
    Err(Misshapen(format!("{what} is {rows} x {columns} where q has {n} entries")))
}

pub(crate) fn expect_finite(what: &str, values: &[f64]) -> Result<(), Misshapen> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(k) => Err(Misshapen(format!("entry {k} of {what} is {}, not a finite number", values[k]))),
    }
}

pub(crate) fn expect_length(what: &str, length: usize, expected: usize) -> Result<(), Misshapen> {
    if length == expected {
        return Ok(());
    }
    Err(Misshapen(format!("{what} has {length} entries where {expected} are needed")))
}

fn expect_bounds(lower: &[f64], upper: &[f64], n: usize) -> Result<(), Misshapen> {
    expect_length("lower", lower.len(), n)?;
    expect_length("upper", upper.len(), n)?;
    for (i, (l, u)) in lower.iter().zip(upper).enumerate() {
        if !(l <= u && *l < f64::INFINITY && *u > f64::NEG_INFINITY) {
            return Err(Misshapen(format!("row {i} has the bounds {l} and {u}: no number lies between them")));
        }
    }
    Ok(())
}
