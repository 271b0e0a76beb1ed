//! Sparse LDLᵀ of the quasi-definite matrix K = [[M, Gᵀ], [G, −T]], unknowns (v, −z).
//!
//! With M and T positive definite, L D Lᵀ with a diagonal D exists in every symmetric order, n entries of D positive and m negative.
//! That it exists says nothing of its accuracy: the module `order` says how an order is chosen. The pattern is analysed once; numbers
//! and active rows change without a new analysis and without allocation.
//!
//! One thread, scalar arithmetic in a fixed order: the same bits everywhere. (faer's supernodal factors, whose last bits depend on the
//! processor, take 1.3 to 1.5 times as long on a chain of 1000 bodies and 2.6 to 2.9 times on a wall of 100 bricks in the orders chosen
//! here: the bench `ldlt`.)

pub(crate) mod order;
mod pattern;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltError;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::cholesky::simplicial::{
    self, SimplicialLdltRef, SymbolicSimplicialCholesky, factorize_simplicial_numeric_ldlt,
    factorize_simplicial_numeric_ldlt_scratch,
};
use faer::{Conj, MatMut, Par};

use crate::matrix::{Misshapen, Sparse};
use crate::problem::Saddle;
use crate::problem::bounded::expect_length;
pub(crate) use order::minimum_degree;
use pattern::{Index, Pattern};

/// A backward error that refinement does not try to improve.
const EXACT: f64 = 4.0 * f64::EPSILON;

/// The most steps of refinement.
const REFINEMENTS: usize = 8;

/// Refinement ends after so many steps in a row that do not halve the error. One is too few: while a row is all round-off its error
/// stays 1, whatever the others gain.
const IDLE: usize = 2;

/// A row whose terms are below this part of its largest entry times the largest unknown is round-off.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

/// A pivot below this part of the terms it is the sum of is round-off.
const CANCELLED: f64 = 4.0 * f64::EPSILON;

/// A row of K.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A coordinate of a body: a row of M.
    Coordinate(usize),
    /// A constraint: a row of G.
    Constraint(usize),
}

/// A pivot without the sign that a quasi-definite matrix gives it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{}", self.says())]
pub struct WrongPivot {
    /// The row of the pivot.
    pub place: Place,
    /// The pivot; 0 also where it was not finite.
    pub pivot: f64,
}

impl WrongPivot {
    fn says(&self) -> String {
        let pivot = self.pivot;
        match self.place {
            Place::Coordinate(row) => format!("the pivot of coordinate {row} is {pivot:e}, not positive"),
            Place::Constraint(row) => format!(
                "the pivot of constraint row {row} is {pivot:e}, not clearly negative: it depends on other rows and T is too small"
            ),
        }
    }
}

/// How good an answer is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The componentwise backward error max |b − K x| / (|K| |x| + |b|), of the numbers of K itself. A row in which everything is
    /// round-off against the rest of the matrix is measured against its largest entry times the largest unknown.
    pub backward_error: f64,
    /// Steps of refinement up to this answer.
    pub refinements: usize,
}

/// The factors of K = [[M, Gᵀ], [G, −T]] with some rows of G left out.
pub struct Ldlt {
    pattern: Pattern,
    symbolic: SymbolicSimplicialCholesky<Index>,
    /// K, and K with the rows left out replaced by −1 on the diagonal; both reordered.
    values: Vec<f64>,
    masked: Vec<f64>,
    /// By columns of L, D in the place of the ones on its diagonal.
    factors: Vec<f64>,
    factored: bool,
    /// For rows in the order of elimination: whether they are left out, and the largest entry of each.
    left_out: Vec<bool>,
    largest: Vec<f64>,
    memory: MemBuffer,
    right: Vec<f64>,
    x: Vec<f64>,
    best: Vec<f64>,
    rest: Vec<f64>,
    scale: Vec<f64>,
}

impl Ldlt {
    /// Analyses the pattern of a problem, chooses an order and takes its numbers. T counts in the choice: rows whose T is below 1e-12
    /// of their diagonal of A are kept behind their bodies.
    pub fn analyse(saddle: &Saddle) -> Ldlt {
        Ldlt::with_order(saddle, order::choose(saddle)).expect("every row once, fewer entries than 2³²")
    }

    /// The same in an order of the caller's: the rows of K, coordinates 0..n then constraints n..n + m, as they are eliminated.
    pub fn with_order(saddle: &Saddle, order: Vec<usize>) -> Result<Ldlt, Misshapen> {
        let pattern = Pattern::new(saddle, order)?;
        let (size, entries) = (pattern.size(), pattern.entries());
        let symbolic = symbolic_factors(&pattern);
        let memory = MemBuffer::new(factorize_simplicial_numeric_ldlt_scratch::<Index, f64>(size));
        let mut ldlt = Ldlt {
            values: vec![0.0; entries],
            masked: vec![0.0; entries],
            factors: vec![0.0; symbolic.len_val()],
            factored: false,
            left_out: vec![false; size],
            largest: vec![0.0; size],
            memory,
            right: vec![0.0; size],
            x: vec![0.0; size],
            best: vec![0.0; size],
            rest: vec![0.0; size],
            scale: vec![0.0; size],
            pattern,
            symbolic,
        };
        ldlt.load(saddle)?;
        Ok(ldlt)
    }

    /// Takes other numbers in the same pattern. They count from the next [`Ldlt::factor`] on.
    pub fn load(&mut self, saddle: &Saddle) -> Result<(), Misshapen> {
        self.load_with(saddle, &saddle.t)
    }

    /// The same with another T.
    pub fn load_with(&mut self, saddle: &Saddle, t: &[f64]) -> Result<(), Misshapen> {
        expect_length("T", t.len(), saddle.q.len())?;
        self.factored = false;
        self.pattern.load(saddle, t, &mut self.values)
    }

    /// Whether the order is one for the numbers of a problem that can be loaded: rows whose T is so small that they must come after
    /// their bodies do so.
    pub fn suits(&self, saddle: &Saddle) -> bool {
        order::suits(saddle, &self.pattern.place)
    }

    /// The rows of K in the order of elimination: coordinates 0..n, then constraints n..n + m.
    pub fn order(&self) -> &[usize] {
        &self.pattern.order
    }

    /// The number of entries of L, its diagonal included.
    pub fn entries(&self) -> usize {
        self.factors.len()
    }

    /// D, in the order of elimination.
    pub fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.pattern.size()).map(|column| self.factors[self.symbolic.col_ptr()[column] as usize])
    }

    /// L, in the order of elimination, as a matrix of its own.
    pub fn lower(&self) -> Sparse {
        let (starts, size) = (self.symbolic.col_ptr(), self.pattern.size());
        let mut triplets: Vec<_> = (0..size).map(|row| (row, row, 1.0)).collect();
        for column in 0..size {
            for entry in starts[column] as usize + 1..starts[column + 1] as usize {
                triplets.push((self.symbolic.row_idx()[entry] as usize, column, self.factors[entry]));
            }
        }
        Sparse::from_triplets(size, size, &triplets).expect("entries of L are inside it")
    }

    /// Factors K with the rows of G that are `active`; the unknowns of the others are 0. The error is the first pivot, in the order of
    /// elimination, that is 0 or round-off or of the wrong sign: rows that depend on each other where T is 0, above all.
    ///
    /// # Panics
    /// Where `active` has not one entry for each row of G.
    pub fn factor(&mut self, active: &[bool]) -> Result<(), WrongPivot> {
        self.mask(active);
        self.factored = false;
        let matrix = SparseColMatRef::new(self.pattern.upper(), &self.masked);
        let stack = MemStack::new(&mut self.memory);
        let done =
            factorize_simplicial_numeric_ldlt(&mut self.factors, matrix, Default::default(), &self.symbolic, stack);
        if let Err(LdltError::ZeroPivot { index }) = done {
            // Counted from 1. One before it may be round-off.
            self.expect_inertia(index - 1)?;
            return Err(WrongPivot { place: self.place(index - 1), pivot: 0.0 });
        }
        self.expect_inertia(self.pattern.size())?;
        self.factored = true;
        Ok(())
    }

    /// Solves K x = `right`, x = (v, −z), with refinement. The rows left out give 0 whatever their right-hand side.
    ///
    /// # Panics
    /// Where the matrix is not factored or a vector has not n + m entries.
    pub fn solve(&mut self, right: &[f64], x: &mut [f64]) -> Accuracy {
        assert!(self.factored, "the matrix is not factored");
        assert_eq!([right.len(), x.len()], [self.pattern.size(); 2], "the vectors have the size of K");
        for (place, &row) in self.pattern.order.iter().enumerate() {
            self.right[place] = if self.left_out[place] { 0.0 } else { right[row] };
        }
        self.rest.copy_from_slice(&self.right);
        self.solve_rest();
        self.x.copy_from_slice(&self.rest);
        let mut best = Accuracy { backward_error: self.take_rest(), refinements: 0 };
        self.best.copy_from_slice(&self.x);
        let (mut steps, mut idle) = (0, 0);
        while best.backward_error > EXACT && steps < REFINEMENTS && idle < IDLE {
            self.solve_rest();
            self.x.iter_mut().zip(&self.rest).for_each(|(x, correction)| *x += correction);
            let error = self.take_rest();
            steps += 1;
            idle = if error > 0.5 * best.backward_error { idle + 1 } else { 0 };
            if error < best.backward_error {
                best = Accuracy { backward_error: error, refinements: steps };
                self.best.copy_from_slice(&self.x);
            }
        }
        for (&value, &row) in self.best.iter().zip(&self.pattern.order) {
            x[row] = value;
        }
        best
    }

    /// Copies K with a row and column of zeros and −1 on the diagonal where a row is left out.
    fn mask(&mut self, active: &[bool]) {
        let n = self.pattern.bodies();
        assert_eq!(active.len(), self.pattern.size() - n, "one entry for each row of G");
        for (left_out, &row) in self.left_out.iter_mut().zip(&self.pattern.order) {
            *left_out = row >= n && !active[row - n];
        }
        self.largest.fill(0.0);
        for column in 0..self.pattern.size() {
            for entry in self.pattern.column(column) {
                let row = self.pattern.rows()[entry] as usize;
                let value = match self.left_out[row] || self.left_out[column] {
                    false => self.values[entry],
                    true if row == column => -1.0,
                    true => 0.0,
                };
                self.masked[entry] = value;
                self.largest[row] = self.largest[row].max(value.abs());
                self.largest[column] = self.largest[column].max(value.abs());
            }
        }
    }

    /// Whether the first entries of D are positive for coordinates and negative for constraints, and more than round-off.
    fn expect_inertia(&mut self, columns: usize) -> Result<(), WrongPivot> {
        // Terms that a pivot is the sum of: |K_kk| + Σ_j l_kj² |d_j|.
        let terms = &mut self.scale;
        for (column, term) in terms.iter_mut().enumerate() {
            *term = self.masked[self.pattern.column(column).end - 1].abs();
        }
        let starts = self.symbolic.col_ptr();
        for column in 0..columns {
            let range = starts[column] as usize..starts[column + 1] as usize;
            let pivot = self.factors[range.start];
            let (rows, values) = (&self.symbolic.row_idx()[range.clone()], &self.factors[range]);
            let sign = if self.pattern.order[column] < self.pattern.bodies() { 1.0 } else { -1.0 };
            if sign * pivot <= CANCELLED * terms[column] {
                return Err(WrongPivot { place: self.place(column), pivot });
            }
            for (&row, &value) in rows.iter().zip(values).skip(1) {
                terms[row as usize] += value * value * pivot.abs();
            }
        }
        Ok(())
    }

    fn place(&self, place: usize) -> Place {
        let (row, n) = (self.pattern.order[place], self.pattern.bodies());
        if row < n { Place::Coordinate(row) } else { Place::Constraint(row - n) }
    }

    /// `rest` = (L D Lᵀ)⁻¹ `rest`.
    fn solve_rest(&mut self) {
        let size = self.rest.len();
        SimplicialLdltRef::new(&self.symbolic, &self.factors).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.rest, size, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }

    /// `rest` = right − K x, and the componentwise backward error of x.
    fn take_rest(&mut self) -> f64 {
        self.rest.copy_from_slice(&self.right);
        self.scale.iter_mut().zip(&self.right).for_each(|(scale, right)| *scale = right.abs());
        for column in 0..self.pattern.size() {
            let (x, mut sum, mut size) = (self.x[column], 0.0, 0.0);
            let range = self.pattern.column(column);
            let diagonal = range.end - 1;
            for entry in range.start..diagonal {
                let (row, value) = (self.pattern.rows()[entry] as usize, self.masked[entry]);
                self.rest[row] -= value * x;
                self.scale[row] += (value * x).abs();
                sum += value * self.x[row];
                size += (value * self.x[row]).abs();
            }
            let own = self.masked[diagonal] * x;
            self.rest[column] -= sum + own;
            self.scale[column] += size + own.abs();
        }
        let unknowns = self.x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        let mut worst = 0.0_f64;
        for row in 0..self.rest.len() {
            let (rest, scale) = (self.rest[row].abs(), self.scale[row]);
            let whole = self.largest[row] * unknowns;
            let against = if scale > ROUND_OFF * (whole + self.right[row].abs()) { scale } else { scale + whole };
            let error = if rest == 0.0 { 0.0 } else { rest / against };
            // A number that is not finite stays in sight.
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
        worst
    }
}

/// The pattern of L.
fn symbolic_factors(pattern: &Pattern) -> SymbolicSimplicialCholesky<Index> {
    let (size, matrix) = (pattern.size(), pattern.upper());
    let scratch = simplicial::prefactorize_symbolic_cholesky_scratch::<Index>(size, pattern.entries())
        .or(simplicial::factorize_simplicial_symbolic_cholesky_scratch::<Index>(size));
    let mut memory = MemBuffer::new(scratch);
    let (mut tree, mut counts) = (vec![0; size], vec![0; size]);
    let tree =
        simplicial::prefactorize_symbolic_cholesky(&mut tree, &mut counts, matrix, MemStack::new(&mut memory));
    let stack = MemStack::new(&mut memory);
    simplicial::factorize_simplicial_symbolic_cholesky(matrix, tree, &counts, stack)
        .expect("memory for L and fewer entries than 2³²")
}
