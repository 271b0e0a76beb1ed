//! LU factors in room that is kept: a matrix of the same size and pattern is factored and solved without allocation.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::lu::partial_pivoting;
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, MatRef, Par};

/// LU factors of a dense matrix, by columns.
pub(super) struct DenseLu {
    size: usize,
    values: Vec<f64>,
    forward: Vec<usize>,
    backward: Vec<usize>,
    memory: MemBuffer,
}

impl DenseLu {
    pub fn new(size: usize) -> DenseLu {
        let factor =
            partial_pivoting::factor::lu_in_place_scratch::<usize, f64>(size, size, Par::Seq, Default::default());
        let solve = partial_pivoting::solve::solve_in_place_scratch::<usize, f64>(size, 1, Par::Seq);
        DenseLu {
            size,
            values: vec![0.0; size * size],
            forward: vec![0; size],
            backward: vec![0; size],
            memory: MemBuffer::new(factor.or(solve)),
        }
    }

    /// The entries, column after column, all 0: to be filled, then factored.
    pub fn begin(&mut self) -> &mut [f64] {
        self.values.fill(0.0);
        &mut self.values
    }

    pub fn factor(&mut self) {
        let matrix = MatMut::from_column_major_slice_mut(&mut self.values, self.size, self.size);
        let stack = MemStack::new(&mut self.memory);
        let (forward, backward) = (&mut self.forward, &mut self.backward);
        partial_pivoting::factor::lu_in_place(matrix, forward, backward, Par::Seq, stack, Default::default());
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        let factors = MatRef::from_column_major_slice(&self.values, self.size, self.size);
        let order = PermRef::new_checked(&self.forward, &self.backward, self.size);
        let right = MatMut::from_column_major_slice_mut(x, self.size, 1);
        let stack = MemStack::new(&mut self.memory);
        partial_pivoting::solve::solve_in_place(factors, factors, order, right, Par::Seq, stack);
    }
}

/// LU factors of a sparse matrix whose entries come in one order, some of them at the same place.
pub(super) struct SparseLu {
    columns: SymbolicSparseColMat<usize>,
    /// Where each entry goes, in the order in which they come.
    goes_to: Vec<usize>,
    values: Vec<f64>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
}

impl SparseLu {
    /// Analyses the pattern of `places`, (row, column) each; `None` where it is too large for memory. Factors by blocks allocate in each
    /// factorisation, some ten times; `lean` ones, entry by entry, do not.
    pub fn new(size: usize, places: &[(usize, usize)], lean: bool) -> Option<SparseLu> {
        // Counted into columns, in the order given; then each column by rows, equal ones in the order given.
        let mut next = vec![0; size + 1];
        places.iter().for_each(|(_, column)| next[column + 1] += 1);
        (0..size).for_each(|column| next[column + 1] += next[column]);
        let ends: Vec<usize> = next[1..].to_vec();
        let mut order = vec![(0, 0); places.len()];
        for (k, &(row, column)) in places.iter().enumerate() {
            order[next[column]] = (row, k);
            next[column] += 1;
        }
        let (mut starts, mut rows) = (vec![0], Vec::new());
        let mut goes_to = vec![0; places.len()];
        let mut from = 0;
        for end in ends {
            order[from..end].sort_unstable();
            let mut last = None;
            for &(row, k) in &order[from..end] {
                if last != Some(row) {
                    last = Some(row);
                    rows.push(row);
                }
                goes_to[k] = rows.len() - 1;
            }
            starts.push(rows.len());
            from = end;
        }
        let values = vec![0.0; rows.len()];
        let columns = SymbolicSparseColMat::new_checked(size, size, starts, None, rows);
        let mut choice = LuSymbolicParams::default();
        if lean {
            choice.supernodal_flop_ratio_threshold = SupernodalThreshold::FORCE_SIMPLICIAL;
        }
        let symbolic = factorize_symbolic_lu(columns.as_ref(), choice).ok()?;
        let factor = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
        let solve = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let memory = MemBuffer::try_new(factor.or(solve)).ok()?;
        Some(SparseLu { columns, goes_to, values, symbolic, numeric: NumericLu::new(), memory })
    }

    /// Factors the matrix whose entries `put` is called with, in the order of the places; false where it is singular.
    pub fn factor(&mut self, entries: impl FnOnce(&mut dyn FnMut(f64))) -> bool {
        let SparseLu { columns, goes_to, values, symbolic, numeric, memory } = self;
        values.fill(0.0);
        let mut places = goes_to.iter();
        entries(&mut |value| {
            if let Some(&place) = places.next() {
                values[place] += value;
            }
        });
        let matrix = SparseColMatRef::new(columns.as_ref(), &values[..]);
        let stack = MemStack::new(memory);
        symbolic.factorize_numeric_lu(numeric, matrix, Par::Seq, stack, Default::default()).is_ok()
    }

    /// Solves with the last factors, which must be there.
    pub fn solve(&mut self, x: &mut [f64]) {
        let rows = x.len();
        let right = MatMut::from_column_major_slice_mut(x, rows, 1);
        let factors = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        factors.solve_in_place_with_conj(Conj::No, right, Par::Seq, MemStack::new(&mut self.memory));
    }
}
