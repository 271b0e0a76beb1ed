//! faer's supernodal LDLᵀ in an order from outside.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::Perm;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Par, Side};

/// A matrix and what its factorisation needs.
pub struct Supernodal {
    matrix: SparseColMat<usize, f64>,
    symbolic: SymbolicCholesky<usize>,
    factors: Vec<f64>,
    memory: MemBuffer,
}

impl Supernodal {
    /// From the upper half of the matrix.
    pub fn new(upper: &[(usize, usize, f64)], order: &[usize]) -> Supernodal {
        let size = order.len();
        let triplets: Vec<_> = upper.iter().map(|&(row, column, value)| Triplet::new(row, column, value)).collect();
        let matrix = SparseColMat::try_new_from_triplets(size, size, &triplets).expect("entries inside");
        let mut place = vec![0; size];
        order.iter().enumerate().for_each(|(k, &row)| place[row] = k);
        let order = Perm::new_checked(order.into(), place.into(), size);
        let params = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let ordering = SymmetricOrdering::Custom(order.as_ref());
        let symbolic =
            factorize_symbolic_cholesky(matrix.symbolic(), Side::Upper, ordering, params).expect("memory");
        let scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        Supernodal { factors: vec![0.0; symbolic.len_val()], memory: MemBuffer::new(scratch), matrix, symbolic }
    }

    /// Factors the matrix once more; the first number of its factors.
    pub fn factor(&mut self) -> f64 {
        let stack = MemStack::new(&mut self.memory);
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.factors,
                self.matrix.as_ref(),
                Side::Upper,
                Default::default(),
                Par::Seq,
                stack,
                Default::default(),
            )
            .expect("quasi-definite");
        self.factors[0]
    }
}
