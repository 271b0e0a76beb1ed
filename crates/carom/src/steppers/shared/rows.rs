//! Constraint gradients as a step stores them: full rows, or only the blocks that can be nonzero.
//!
//! Both forms add the same terms in the same order and give the same numbers. Cost: full rows `m n` per pass and `m² n`
//! for the products of rows; blocks as many terms as they have entries and common columns.

use std::cell::OnceCell;
use std::ops::Range;

use super::mass::InverseMass;
use super::overlaps::Overlaps;
use crate::linear::dot;
use crate::system::{Pattern, System};

/// Form of `m` rows of `n` columns.
#[derive(Debug, Clone)]
pub struct RowShape {
    n: usize,
    m: usize,
    sparse: Option<Box<Sparse>>,
}

#[derive(Debug, Clone)]
struct Sparse {
    pattern: Pattern,
    /// Made when products of rows are first asked for: who only evaluates rows needs none.
    overlaps: OnceCell<Overlaps>,
}

/// Calls a method with the width of the blocks as a constant.
macro_rules! in_width {
    ($sparse:ident.$method:ident($($argument:expr),*)) => {
        match $sparse.pattern.width() {
            1 => $sparse.$method::<1>($($argument),*),
            2 => $sparse.$method::<2>($($argument),*),
            _ => $sparse.$method::<3>($($argument),*),
        }
    };
}

impl Sparse {
    fn overlaps(&self) -> &Overlaps {
        self.overlaps.get_or_init(|| Overlaps::new(&self.pattern))
    }

    /// Every block of a row of `a` with the part of `x` that it refers to.
    #[inline(always)]
    fn row<'a, const W: usize>(
        &'a self,
        row: usize,
        a: &'a [f64],
        x: &'a [f64],
    ) -> impl Iterator<Item = (&'a [f64; W], &'a [f64; W])> {
        let (range, x) = (self.pattern.range(row), x.as_chunks::<W>().0);
        let blocks = self.pattern.blocks()[range.clone()].iter();
        a.as_chunks::<W>().0[range].iter().zip(blocks.map(|&block| &x[block]))
    }

    #[inline(always)]
    fn divide<const W: usize>(&self, inverse: &[f64], g: &[f64], z: &mut [f64]) {
        let (inverse, g, z) = (inverse.as_chunks::<W>().0, g.as_chunks::<W>().0, z.as_chunks_mut::<W>().0);
        for ((z, g), &block) in z.iter_mut().zip(g).zip(self.pattern.blocks()) {
            *z = std::array::from_fn(|k| g[k] * inverse[block][k]);
        }
    }

    /// Calls `put` with the number of each of these pairs of rows, the pair and its product.
    #[inline(always)]
    fn products<const W: usize>(
        &self,
        which: Range<usize>,
        [a, b]: [&[f64]; 2],
        mut put: impl FnMut(usize, [usize; 2], f64),
    ) {
        let (a, b, overlaps) = (a.as_chunks::<W>().0, b.as_chunks::<W>().0, self.overlaps());
        for (index, pair) in overlaps.pairs[..which.end].iter().enumerate().skip(which.start) {
            let mut sum = 0.0;
            for &[i, j] in overlaps.common(index) {
                let (a, b) = (&a[i], &b[j]);
                for k in 0..W {
                    sum += a[k] * b[k];
                }
            }
            put(index, *pair, sum);
        }
    }

    #[inline(always)]
    fn add_transposed_times<const W: usize>(&self, a: &[f64], y: &[f64], scale: f64, out: &mut [f64]) {
        let (a, out) = (a.as_chunks::<W>().0, out.as_chunks_mut::<W>().0);
        for (row, y) in y.iter().enumerate() {
            let (factor, range) = (scale * y, self.pattern.range(row));
            for (a, &block) in a[range.clone()].iter().zip(&self.pattern.blocks()[range]) {
                let out = &mut out[block];
                for k in 0..W {
                    out[k] += factor * a[k];
                }
            }
        }
    }
}

impl RowShape {
    /// Full rows.
    pub fn full<S: System + ?Sized>(system: &S) -> Self {
        Self::rows(system.dim(), system.equalities().count())
    }

    /// `m` full rows of `n` columns.
    pub fn rows(n: usize, m: usize) -> Self {
        Self { n, m, sparse: None }
    }

    /// The blocks of the system's pattern if it has one and the mass is diagonal, otherwise full rows.
    pub fn of<S: System + ?Sized>(system: &S, inverse: &InverseMass) -> Self {
        let sparse = system.equalities().sparse().filter(|_| inverse.reciprocals().is_some());
        let sparse =
            sparse.map(|rows| Box::new(Sparse { pattern: rows.pattern().clone(), overlaps: OnceCell::new() }));
        Self { sparse, ..Self::full(system) }
    }

    /// The pattern, if only the blocks of one are stored.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.sparse.as_deref().map(|sparse| &sparse.pattern)
    }

    /// How many entries are stored.
    pub fn entries(&self) -> usize {
        let stored = |sparse: &Sparse| sparse.pattern.blocks().len() * sparse.pattern.width();
        self.sparse.as_deref().map_or(self.m * self.n, stored)
    }

    /// `f(q, t)` and `G(q, t)`.
    #[inline]
    pub fn evaluate<S: System + ?Sized>(&self, system: &S, t: f64, q: &[f64], [f, g]: [&mut [f64]; 2]) {
        let rows = system.equalities();
        match self.sparse.as_ref().and_then(|_| rows.sparse()) {
            None => {
                rows.values(t, q, f);
                rows.jacobian(t, q, g);
            }
            Some(sparse) => sparse.entries(t, q, f, g),
        }
    }

    /// `z = G M⁻¹`.
    #[inline]
    pub fn divide_by_mass(&self, inverse: &InverseMass, g: &[f64], z: &mut [f64]) {
        if let Some(inverse) = inverse.reciprocals() {
            return self.divide_columns(inverse, g, z);
        }
        z.copy_from_slice(g);
        for row in z.chunks_exact_mut(self.n) {
            inverse.solve(row);
        }
    }

    /// `z = G D⁻¹` for the reciprocals of a diagonal `D`.
    #[inline]
    pub fn divide_columns(&self, inverse: &[f64], g: &[f64], z: &mut [f64]) {
        if let Some(sparse) = &self.sparse {
            return in_width!(sparse.divide(inverse, g, z));
        }
        for (z, g) in z.chunks_exact_mut(self.n).zip(g.chunks_exact(self.n)) {
            for ((z, g), inverse) in z.iter_mut().zip(g).zip(inverse) {
                *z = g * inverse;
            }
        }
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.m
    }

    /// The most pairs of rows that can have common blocks; none of full rows.
    pub fn most_pairs(&self) -> usize {
        self.sparse.as_deref().map_or(0, |sparse| Overlaps::most(&sparse.pattern))
    }

    /// Pairs of rows with common blocks, both ways; none of full rows.
    pub fn pairs(&self) -> &[[usize; 2]] {
        self.sparse.as_deref().map_or(&[], |sparse| &sparse.overlaps().pairs)
    }

    /// `A Bᵀ`, `m × m`.
    #[inline]
    pub fn products(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        match &self.sparse {
            None => self.full_products(a, b, |_| self.m, out),
            Some(sparse) => self.spread_products(sparse, 0..sparse.overlaps().pairs.len(), [a, b], out),
        }
    }

    /// The lower triangle of `A Bᵀ`; what is above it is not defined.
    #[inline]
    pub fn lower_products(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        match &self.sparse {
            None => self.full_products(a, b, |i| i + 1, out),
            Some(sparse) => self.spread_products(sparse, 0..sparse.overlaps().lower, [a, b], out),
        }
    }

    /// The entries of `A Bᵀ` at the pairs, in their order.
    #[inline]
    pub fn products_of_pairs(&self, a: &[f64], b: &[f64], out: &mut [f64]) {
        if let Some(sparse) = &self.sparse {
            in_width!(sparse.products(0..out.len(), [a, b], |index, _, sum| out[index] = sum));
        }
    }

    #[inline(always)]
    fn spread_products(&self, sparse: &Sparse, which: Range<usize>, rows: [&[f64]; 2], out: &mut [f64]) {
        out.fill(0.0);
        in_width!(sparse.products(which.clone(), rows, |_, [i, j], sum| out[i * self.m + j] = sum));
    }

    fn full_products(&self, a: &[f64], b: &[f64], columns: impl Fn(usize) -> usize, out: &mut [f64]) {
        let (n, m) = (self.n, self.m);
        for i in 0..m {
            let row = &a[i * n..(i + 1) * n];
            // What is left and right of its nonzero entries adds nothing: few coordinates take part in a contact.
            let begin = row.iter().position(|a| *a != 0.0).unwrap_or(n);
            let end = row.iter().rposition(|a| *a != 0.0).map_or(begin, |last| last + 1);
            for j in 0..columns(i) {
                out[i * m + j] = dot(&row[begin..end], &b[j * n + begin..j * n + end]);
            }
        }
    }

    /// `out += scale · Aᵀ y`.
    #[inline]
    pub fn add_transposed_times(&self, a: &[f64], y: &[f64], scale: f64, out: &mut [f64]) {
        match &self.sparse {
            None => crate::linear::add_transposed_times(a, y, scale, out),
            Some(sparse) => in_width!(sparse.add_transposed_times(a, y, scale, out)),
        }
    }

    /// Folds the stored entries of a row with the components of `x` at their columns.
    #[inline(always)]
    pub fn fold_row<T>(&self, row: usize, a: &[f64], x: &[f64], start: T, fold: impl Fn(T, f64, f64) -> T) -> T {
        let Some(sparse) = &self.sparse else {
            let row = a[row * self.n..(row + 1) * self.n].iter();
            return row.zip(x).fold(start, |sum, (&a, &x)| fold(sum, a, x));
        };
        match sparse.pattern.width() {
            1 => sparse.row::<1>(row, a, x).fold(start, |sum, (a, x)| fold(sum, a[0], x[0])),
            2 => sparse.row::<2>(row, a, x).fold(start, |sum, (a, x)| fold(fold(sum, a[0], x[0]), a[1], x[1])),
            _ => sparse.row::<3>(row, a, x).fold(start, |sum, (a, x)| {
                let sum = fold(fold(sum, a[0], x[0]), a[1], x[1]);
                fold(sum, a[2], x[2])
            }),
        }
    }

    /// Calls `visit` with the column and the value of every stored entry of a row.
    #[inline]
    pub fn each_entry(&self, row: usize, a: &[f64], mut visit: impl FnMut(usize, f64)) {
        let Some(sparse) = &self.sparse else {
            return a[row * self.n..(row + 1) * self.n].iter().enumerate().for_each(|(k, &a)| visit(k, a));
        };
        let (pattern, width) = (&sparse.pattern, sparse.pattern.width());
        for place in pattern.range(row) {
            for k in 0..width {
                visit(width * pattern.blocks()[place] + k, a[width * place + k]);
            }
        }
    }

    /// Calls `visit` with the column of every stored entry of a row and the entry, to be changed.
    #[inline]
    pub fn each_entry_mut(&self, row: usize, a: &mut [f64], mut visit: impl FnMut(usize, &mut f64)) {
        let Some(sparse) = &self.sparse else {
            let row = &mut a[row * self.n..(row + 1) * self.n];
            return row.iter_mut().enumerate().for_each(|(k, a)| visit(k, a));
        };
        let (pattern, width) = (&sparse.pattern, sparse.pattern.width());
        for place in pattern.range(row) {
            for k in 0..width {
                visit(width * pattern.blocks()[place] + k, &mut a[width * place + k]);
            }
        }
    }

    /// `Σ_k |G_ik| scale_k`, the size of what the round-off in a constraint comes from. The scale of a coordinate is
    /// `|q_k|` and how far the terms of the step would carry it: a point that is held on `y = 0` has a scale through
    /// that, and coordinates that do not occur in a row have no say in it. `|f|` itself counts too: where a constraint moves
    /// away from a coordinate that rests at zero, it is all there is.
    #[inline]
    pub fn sizes(&self, g: &[f64], scale: &[f64], f: &[f64], out: &mut [f64]) {
        for (i, (out, f)) in out.iter_mut().zip(f).enumerate() {
            *out = self.fold_row(i, g, scale, f.abs(), |size, g, scale| size + g.abs() * scale);
        }
    }
}

/// `|value|` relative to its size. What is left of terms that vanish counts as all of them: 1, and not infinitely much.
#[inline]
pub fn relative(value: f64, size: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let relative = value.abs() / size;
    if relative.is_infinite() && value.is_finite() { 1.0 } else { relative }
}

/// Largest `|f_i|` relative to its size, and its index.
#[inline]
pub fn relative_violation(f: &[f64], sizes: &[f64]) -> (f64, usize) {
    let mut worst = (0.0, 0);
    for (i, (f, size)) in f.iter().zip(sizes).enumerate() {
        let relative = relative(*f, *size);
        if relative > worst.0 || relative.is_nan() {
            worst = (relative, i);
        }
    }
    worst
}
