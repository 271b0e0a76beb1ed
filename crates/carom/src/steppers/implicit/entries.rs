//! The Newton matrix by its entries, for many coordinates of which few are coupled.
//!
//! ```text
//! Notation
//! K   ∂left/∂v = M + h² w V_qq at a node of the rule; M diagonal
//!
//! ⎡ K   G0ᵀ ⎤     factored without pivoting, the multipliers after the coordinates of their rows:
//! ⎣ G1  0   ⎦     their pivots are −G1 K⁻¹G0ᵀ, and K is a mass with some stiffness
//! ```
//! The order of elimination is found once, from the pattern. Cost of a correction: the second derivatives by their entries and
//! [`Plan::operations`] multiplications, for a chain in proportion to its length.

use carom_lcp::lu::{Lu, NoPivot, Plan};
use carom_lcp::matrix::Sparse;

use crate::discrete::{Chord, Legendre, Node};
use crate::error::Failure;
use crate::linear::Breakdown;
use crate::steppers::shared::rows::RowShape;
use crate::system::{Mass, System};

/// Fewer unknowns than this are solved for with a full matrix.
const LEAST: usize = 100;

/// A multiplication of the sparse factors takes as long as so many of full ones.
const DEARER: f64 = 4.0;

/// The matrix, its factors, and where its parts stand in it.
#[derive(Debug, Clone)]
pub(super) struct Entries {
    node: Node,
    matrix: Sparse,
    lu: Lu,
    /// Where second derivatives are taken, and their entries with the factor `h² w`.
    q: Vec<f64>,
    stiffness: Vec<f64>,
    /// Where each row of `K` ends among the second derivatives and begins in the matrix, and where its diagonal is there.
    ends: Vec<usize>,
    begins: Vec<usize>,
    diagonal: Vec<usize>,
    /// Where each entry of `G0ᵀ` is; those of `G1` follow `K` and `G0ᵀ` in their order.
    across: Vec<usize>,
}

/// Whether a system is one for sparse factors: of a size, with what they need.
pub(super) fn suits<S: System + ?Sized>(rule: &impl Legendre<S>, system: &S) -> bool {
    let size = system.dim() + system.equalities().count();
    let simple = matches!(system.mass(), Mass::Diagonal(_)) && system.forces().is_none();
    size >= LEAST && simple && rule.stiffness().is_some() && system.sparse_hessian().is_some()
}

impl Entries {
    /// None where full matrices are as good.
    pub fn new<S: System + ?Sized>(
        rule: &impl Legendre<S>,
        system: &S,
        shape: &RowShape,
    ) -> Result<Option<Self>, Failure> {
        let (Some(node), Some(hessian)) = (rule.stiffness(), system.sparse_hessian()) else { return Ok(None) };
        let (pattern, n, m) = (hessian.couplings(), system.dim(), system.equalities().count());
        let (size, entries) = (n + m, pattern.entries() + 2 * shape.entries());
        if entries as f64 > 0.25 * (size as f64).powi(2) {
            return Ok(None);
        }
        let mut rows_of = vec![Vec::new(); n];
        let gradients = vec![0.0; shape.entries()];
        (0..m).for_each(|row| shape.each_entry(row, &gradients, |i, _| rows_of[i].push(row)));
        let mut matrix = Sparse::default();
        matrix.restart(size);
        let (mut ends, mut begins, mut diagonal, mut next) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut end = 0;
        for (i, rows) in rows_of.iter().enumerate() {
            begins.push(matrix.entries());
            diagonal.extend(pattern.columns(i).position(|column| column == i).map(|k| matrix.entries() + k));
            let columns = pattern.columns(i).count();
            end += columns;
            ends.push(end);
            next.push(matrix.entries() + columns);
            matrix.push_row(pattern.columns(i).chain(rows.iter().map(|row| n + row)).map(|column| (column, 0.0)));
        }
        let mut across = Vec::with_capacity(shape.entries());
        for row in 0..m {
            let mut columns = Vec::new();
            shape.each_entry(row, &gradients, |i, _| {
                across.push(next[i]);
                next[i] += 1;
                columns.push((i, 0.0));
            });
            matrix.push_row(columns);
        }
        let plan = Plan::new(&matrix, n);
        if DEARER * plan.operations() > (size as f64).powi(3) / 3.0 {
            return Ok(None);
        }
        // A number and half an address per entry of the factors; a number, an address and what it is made of per entry of the matrix.
        Failure::unless_they_fit("an implicit step", &[[3, plan.entries().div_ceil(2)], [3, entries]])?;
        Ok(Some(Self {
            node,
            matrix,
            lu: Lu::new(&plan),
            q: vec![0.0; n],
            stiffness: vec![0.0; pattern.entries()],
            ends,
            begins,
            diagonal,
            across,
        }))
    }

    /// Takes `K` at a chord.
    pub fn load<S: System + ?Sized>(&mut self, system: &S, chord: Chord) {
        let Chord { t0, h, q0, v } = chord;
        let (reach, factor) = (self.node.c * h, h * h * self.node.w);
        for ((q, q0), v) in self.q.iter_mut().zip(q0).zip(v) {
            *q = q0 + reach * v;
        }
        let (Some(hessian), Mass::Diagonal(mass)) = (system.sparse_hessian(), system.mass()) else { return };
        hessian.hessian_entries(t0 + reach, &self.q, &mut self.stiffness);
        self.stiffness.iter_mut().for_each(|entry| *entry *= factor);
        let (values, mut start) = (self.matrix.values_mut(), 0);
        for (i, (&end, &begin)) in self.ends.iter().zip(&self.begins).enumerate() {
            values[begin..begin + end - start].copy_from_slice(&self.stiffness[start..end]);
            values[self.diagonal[i]] += mass[i];
            start = end;
        }
    }

    /// Takes the rows of the constraints, the multipliers in units that make their columns as large as `K`.
    pub fn take_rows(&mut self, shape: &RowShape, [g0, g1]: [&[f64]; 2], scales: &mut [f64]) {
        let (values, mut place) = (self.matrix.values_mut(), 0);
        let below = values.len() - g1.len();
        for (row, out) in scales.iter_mut().enumerate() {
            let (mut largest, mut count) = (0.0_f64, 0);
            shape.each_entry(row, g0, |i, g| {
                largest = largest.max((g / values[self.diagonal[i]]).abs());
                count += 1;
            });
            let scale = if largest > 0.0 && largest.is_finite() { largest.recip() } else { 1.0 };
            *out = scale;
            let range = place..place + count;
            for (&slot, g) in self.across[range.clone()].iter().zip(&g0[range]) {
                values[slot] = g * scale;
            }
            place += count;
        }
        values[below..].copy_from_slice(g1);
    }

    /// Solves with the matrix as it was taken; `b` becomes the solution.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<(), Breakdown> {
        self.lu.factor(&self.matrix).map_err(|NoPivot { row, pivot }| Breakdown { index: row, pivot })?;
        self.lu.solve(b);
        Ok(())
    }

    /// What the terms of each momentum balance are that a rounded coordinate changes: `Σ_j |K_ij − M_ij| |q_j|`, of the rows as `K` was taken last.
    pub fn terms(&self, i: usize, q: &[f64]) -> f64 {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        let columns = self.matrix.row_parts(i).0;
        self.stiffness[start..self.ends[i]].iter().zip(columns).map(|(entry, &j)| (entry * q[j]).abs()).sum()
    }
}
