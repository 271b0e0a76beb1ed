//! Linear systems of many particles: sparse factors of the quasi-definite matrix of masses and rows.
//!
//! The bend of a rod with the impulse `λ` couples its two ends: `κ (I − n nᵀ)` between them, `κ = −h λ/(2 r)`, positive where it is taut.
//! Every direction across it is a row of its own, `B u + η/κ = 0`, that `Bᵀη` of acts: the masses stay blocks and the matrix that
//! of regularised constraints. Rods under pressure have no such rows: they would make the matrix indefinite.
//! ```text
//! ⎡ 2M  Ḡᵀ  Bᵀ  ⎤ ⎡ δu ⎤   ⎡ −balance ⎤
//! ⎢ Ḡ   −T      ⎥ ⎢−δλ ⎥ = ⎢ −g/h     ⎥      T tiny: a factor always exists, and the answer has no compliance,
//! ⎣ B       −1/κ ⎦ ⎣ −η ⎦   ⎣ 0        ⎦      since it acts on corrections alone
//! ```
//! Symmetric: the gradients at the end are replaced by `Ḡ`, and bends of potentials are left out. Newton's method then converges by
//! the turn of a rod in half a step, and by (h ω/2)² for potentials.

use carom_lcp::ldlt::{Ldlt, Place, WrongPivot};
use carom_lcp::matrix::{Blocks, Dense, Sparse};
use carom_lcp::problem::Saddle;

use super::equations::{Equations, Start};
use crate::error::{Failure, Row};
use crate::particles::frame;
use crate::steppers::shared::rows::{RowShape, relative};
use crate::system::{Mass, System};

/// `T` relative to the inverse mass that a row sees.
const REGULARISED: f64 = 1e-12;
/// A bend below this part of the mass does not matter.
const SLACK: f64 = 1e-6;
/// Passes of the projection: the second takes off what `T` left.
const PASSES: usize = 2;

/// Factors and their workspace.
pub(super) struct Factors {
    saddle: Saddle,
    ldlt: Ldlt,
    active: Vec<bool>,
    /// `T` of the constraint rows.
    regularised: Vec<f64>,
    right: Vec<f64>,
    x: Vec<f64>,
    change: Vec<f64>,
    bend: Vec<f64>,
    n: usize,
    m: usize,
    width: usize,
}

/// Directions across a rod in space of that dimension.
fn across(width: usize) -> usize {
    width - 1
}

impl Factors {
    /// For a system with a pattern and a diagonal mass; none if it has not both.
    pub fn new<S: System + ?Sized>(system: &S, shape: &RowShape) -> Option<Self> {
        let (pattern, Mass::Diagonal(mass)) = (shape.pattern()?, system.mass()) else { return None };
        let (n, m, width) = (mass.len(), pattern.rows(), pattern.width());
        let block = |mass: &[f64]| {
            let mut block = Dense::zeros(width, width);
            mass.iter().enumerate().for_each(|(k, mass)| block[(k, k)] = 2.0 * mass);
            block
        };
        let blocks: Vec<Dense> = mass.chunks_exact(width).map(block).collect();
        let (mut triplets, mut regularised) = (Vec::new(), Vec::new());
        let columns =
            |row: usize| pattern.blocks()[pattern.range(row)].iter().flat_map(|b| width * b..width * (b + 1));
        for row in 0..m {
            triplets.extend(columns(row).map(|column| (row, column, 1.0)));
            let least = columns(row).map(|column| mass[column]).fold(f64::INFINITY, f64::min);
            regularised.push(REGULARISED / least);
        }
        for row in 0..m {
            for k in 0..across(width) {
                triplets.extend(columns(row).map(|column| (m + across(width) * row + k, column, 1.0)));
            }
        }
        let rows = m * width;
        let mut t = regularised.clone();
        t.resize(rows, 1.0);
        let jacobian = Sparse::from_triplets(rows, n, &triplets).ok()?;
        let saddle =
            Saddle::new(Blocks::from_blocks(&blocks).ok()?, jacobian, t, vec![0.0; n], vec![0.0; rows]).ok()?;
        let longest = (0..m).map(|row| pattern.range(row).len()).max().unwrap_or(0) * width;
        Some(Self {
            ldlt: Ldlt::analyse(&saddle),
            saddle,
            active: vec![true; rows],
            regularised,
            right: vec![0.0; n + rows],
            x: vec![0.0; n + rows],
            change: vec![0.0; m],
            bend: vec![0.0; longest * longest],
            n,
            m,
            width,
        })
    }

    /// The correction of `(u, λ)` at an iterate.
    pub fn correct<S: System + ?Sized>(
        &mut self,
        system: &S,
        start: Start,
        at: &Equations,
    ) -> Result<(&[f64], &[f64]), Failure> {
        let Some(pattern) = at.shape.pattern() else { return Ok((&[], &[])) };
        match pattern.width() {
            1 => self.bend::<1, S>(system, start, at),
            2 => self.bend::<2, S>(system, start, at),
            _ => self.bend::<3, S>(system, start, at),
        }
        self.factor(system, &at.mean)?;
        for (right, balance) in self.right.iter_mut().zip(&at.balance) {
            *right = -balance;
        }
        for (right, f) in self.right[self.n..].iter_mut().zip(&at.f1) {
            *right = -f / start.h;
        }
        self.right[self.n + self.m..].fill(0.0);
        self.ldlt.solve(&self.right, &mut self.x);
        for (change, x) in self.change.iter_mut().zip(&self.x[self.n..]) {
            *change = -x;
        }
        Ok((&self.x[..self.n], &self.change))
    }

    /// Rows across the rods that are taut.
    fn bend<const W: usize, S: System + ?Sized>(&mut self, system: &S, start: Start, at: &Equations) {
        let (Some(pattern), Some(sparse)) = (at.shape.pattern(), system.equalities().sparse()) else {
            return;
        };
        let mean = at.mean.as_chunks::<W>().0;
        let entries = at.shape.entries();
        let half = start.t + 0.5 * start.h;
        for row in 0..self.m {
            let range = pattern.range(row);
            let (ends, first) = (range.len(), self.m + across(W) * row);
            let gradient = &mean[range.start + ends - 1];
            let length = gradient.iter().fold(0.0, |sum, g| sum + g * g).sqrt();
            let side = W * ends;
            let bend = &mut self.bend[..side * side];
            sparse.row_hessian(half, &at.middle, row, bend);
            let directions = frame(&gradient.map(|g| g / length));
            let blocks = &pattern.blocks()[range.clone()];
            let least = blocks.iter().map(|b| self.saddle.mass.block(*b)[0]).fold(f64::INFINITY, f64::min);
            for (k, direction) in directions.iter().take(across(W)).enumerate() {
                // The last of its blocks is all there is to a function of the difference.
                let mut curvature = 0.0;
                for a in 0..W {
                    for b in 0..W {
                        curvature += direction[a] * bend[(side - W + a) * side + side - W + b] * direction[b];
                    }
                }
                let stiffness = -0.5 * start.h * at.lambda[row] * curvature;
                let taut = ends <= 2 && stiffness > SLACK * least && stiffness.is_finite();
                self.active[first + k] = taut;
                self.saddle.t[first + k] = if taut { stiffness.recip() } else { 1.0 };
                let begin = entries + W * (across(W) * range.start + k * ends);
                for (end, out) in self.saddle.jacobian.values_mut()[begin..][..side].chunks_exact_mut(W).enumerate()
                {
                    let sign = if end + 1 == ends { 1.0 } else { -1.0 };
                    out.iter_mut().zip(direction).for_each(|(out, d)| *out = sign * d);
                }
            }
        }
    }

    /// Factors with these gradients as constraint rows.
    fn factor<S: System + ?Sized>(&mut self, system: &S, rows: &[f64]) -> Result<(), Failure> {
        self.saddle.jacobian.values_mut()[..rows.len()].copy_from_slice(rows);
        self.saddle.t[..self.m].copy_from_slice(&self.regularised);
        if self.ldlt.load(&self.saddle).is_err() {
            return Err(Failure::NonFinite { what: "the matrix of the step" });
        }
        self.ldlt.factor(&self.active).map_err(|WrongPivot { place, pivot }| match place {
            Place::Coordinate(row) => Failure::Singular { row: Row::coordinate(system, row), pivot },
            Place::Constraint(row) if row < self.m => Failure::Redundant { row: Row::equality(system, row), pivot },
            // There are such rows only in two dimensions and more.
            Place::Constraint(row) => {
                let rod = (row - self.m) / across(self.width).max(1);
                Failure::Singular { row: Row::equality(system, rod), pivot }
            }
        })
    }

    /// Projects as full matrices do.
    pub fn project<S: System + ?Sized>(
        &mut self,
        system: &S,
        (at, rate): (&Equations, &[f64]),
        (v, impulse): (&mut [f64], &mut [f64]),
    ) -> Result<f64, Failure> {
        impulse.fill(0.0);
        self.active[..self.m].fill(true);
        self.active[self.m..].fill(false);
        self.factor(system, &at.g1)?;
        let mut pass = 0;
        loop {
            self.right.fill(0.0);
            let mut residual = 0.0_f64;
            for row in 0..self.m {
                let start = (rate[row], rate[row].abs());
                let (sum, size) = at
                    .shape
                    .fold_row(row, &at.g1, v, start, |(sum, size), g, v| (sum + g * v, size + (g * v).abs()));
                self.right[self.n + row] = -sum;
                residual = residual.max(relative(sum, size));
            }
            if pass == PASSES || residual <= f64::EPSILON {
                return Ok(residual);
            }
            self.ldlt.solve(&self.right, &mut self.x);
            v.iter_mut().zip(&self.x).for_each(|(v, change)| *v += change);
            // With 2M in the matrix, 2M δv = Gᵀz and x = (δv, −z).
            for (sum, x) in impulse.iter_mut().zip(&self.x[self.n..]) {
                *sum += 0.5 * x;
            }
            pass += 1;
        }
    }
}
