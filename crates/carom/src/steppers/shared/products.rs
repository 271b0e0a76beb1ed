//! Factors of products `A Bᵀ` of constraint rows: full ones of few rows, sparse ones of many that have few coordinates in common.
//!
//! A chain of rods on full factors takes as long per step and rod as it has rods, and memory for all pairs of them. The sparse ones are
//! analysed once, for the pattern of the rows.

use carom_lcp::elimination as lu;

use super::rows::RowShape;
use crate::error::Failure;
use crate::linear::{Breakdown, Cholesky, Lu};

/// Rows from which factors are sparse. Fewer keep full ones, and the bits of those.
pub const MANY: usize = 64;
/// A part of all pairs of rows above which entries are too many for sparse factors.
const DENSE: usize = 8;
/// Room in numbers for a pair of rows, for its entry in a sparse matrix, and for an entry of both factors.
const PER_PAIR: usize = 5;
const PER_VALUE: usize = 2;
const PER_ENTRY: usize = 3;

/// Sparse factors and the numbers that they are made of.
#[derive(Debug, Clone)]
pub struct Sparse {
    lu: lu::Lu,
    values: Vec<f64>,
}

impl Sparse {
    /// For a matrix with entries at these pairs of rows; none if it is small or they are so many that full factors are no larger. They are
    /// refused if so many `copies` do not fit into memory.
    pub fn new(
        what: &'static str,
        size: usize,
        pairs: &[[usize; 2]],
        copies: usize,
    ) -> Result<Option<Self>, Failure> {
        let all = size.saturating_mul(size);
        if size < MANY || pairs.len() > all / DENSE {
            return Ok(None);
        }
        let order = lu::Elimination::new(size, pairs);
        if order.entries() > all / DENSE {
            return Ok(None);
        }
        Failure::unless_they_fit(
            what,
            &[[copies * order.entries(), PER_ENTRY], [copies * pairs.len(), PER_VALUE]],
        )?;
        Ok(Some(Self { lu: lu::Lu::new(order, pairs), values: vec![0.0; pairs.len()] }))
    }

    fn of(what: &'static str, shape: &RowShape, copies: usize) -> Result<Option<Self>, Failure> {
        // Asked before the pairs are made.
        let (m, most) = (shape.count(), shape.most_pairs());
        if m < MANY || most == 0 || most > m.saturating_mul(m) {
            return Ok(None);
        }
        Failure::unless_it_fits(what, most, PER_PAIR)?;
        Self::new(what, m, shape.pairs(), copies)
    }

    /// Factors of a symmetric matrix, given by the entries at the pairs.
    pub fn factor_definite(&mut self, fill: impl FnOnce(&mut [f64])) -> Result<(), Breakdown> {
        fill(&mut self.values);
        self.lu.factor_definite(&self.values).map_err(of_row)
    }

    /// Solves with the factors; `b` becomes the solution.
    pub fn solve(&self, b: &mut [f64]) {
        self.lu.solve(b);
    }
}

fn of_row(lu::Breakdown { row, pivot }: lu::Breakdown) -> Breakdown {
    Breakdown { index: row, pivot }
}

/// Factors of `G M⁻¹Gᵀ`.
#[derive(Debug, Clone)]
pub enum Definite {
    /// Of few rows.
    Full(Cholesky),
    /// Of many.
    Sparse(Box<Sparse>),
}

impl Definite {
    /// Sized for the rows, if that fits into memory.
    pub fn new(what: &'static str, shape: &RowShape) -> Result<Self, Failure> {
        if let Some(sparse) = Sparse::of(what, shape, 1)? {
            return Ok(Self::Sparse(Box::new(sparse)));
        }
        let (m, entries) = (shape.count(), shape.entries());
        let pairs = [shape.most_pairs(), PER_PAIR];
        Failure::unless_they_fit(what, &[[m, m], [entries, 1], [entries, 1], pairs])?;
        Ok(Self::Full(Cholesky::new(m)))
    }

    /// Factors `A Bᵀ`, which is symmetric and positive definite.
    #[inline]
    pub fn factor(&mut self, shape: &RowShape, a: &[f64], b: &[f64]) -> Result<(), Breakdown> {
        match self {
            Self::Full(cholesky) => {
                shape.lower_products(a, b, &mut cholesky.matrix);
                cholesky.factor()
            }
            Self::Sparse(sparse) => sparse.factor_definite(|values| shape.products_of_pairs(a, b, values)),
        }
    }

    /// Solves with the factors; `b` becomes the solution.
    #[inline]
    pub fn solve(&self, b: &mut [f64]) {
        match self {
            Self::Full(cholesky) => cholesky.solve(b),
            Self::Sparse(sparse) => sparse.solve(b),
        }
    }
}

/// Factors of `G₁ M⁻¹G₀ᵀ`.
#[derive(Debug, Clone)]
pub enum General {
    /// Of few rows.
    Full(Lu),
    /// Of many.
    Sparse(Box<Sparse>),
}

impl General {
    /// Sized for the rows, if that fits into memory beside [`Definite`] factors of them.
    pub fn new(what: &'static str, shape: &RowShape) -> Result<Self, Failure> {
        if let Some(sparse) = Sparse::of(what, shape, 2)? {
            return Ok(Self::Sparse(Box::new(sparse)));
        }
        let m = shape.count();
        Failure::unless_they_fit(what, &[[m, m], [m, m]])?;
        Ok(Self::Full(Lu::new(m)))
    }

    /// Factors `A Bᵀ`.
    #[inline]
    pub fn factor(&mut self, shape: &RowShape, a: &[f64], b: &[f64]) -> Result<(), Breakdown> {
        match self {
            Self::Full(lu) => {
                shape.products(a, b, &mut lu.matrix);
                lu.factor()
            }
            Self::Sparse(sparse) => {
                shape.products_of_pairs(a, b, &mut sparse.values);
                sparse.lu.factor(&sparse.values).map_err(of_row)
            }
        }
    }

    /// Solves with the factors; `b` becomes the solution.
    #[inline]
    pub fn solve(&mut self, b: &mut [f64]) {
        match self {
            Self::Full(lu) => lu.solve(b),
            Self::Sparse(sparse) => sparse.solve(b),
        }
    }
}
