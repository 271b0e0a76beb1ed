//! Dense linear algebra on row-major slices, in place and without allocation once sized.
//!
//! Systems of the base steps have 1 to about 50 unknowns. At these sizes the general crates are no faster and allocate
//! per factorisation (`cargo bench -p carom-bench --bench linear`, figures in DESIGN.md); these equilibrate rows and
//! say at which row they broke down.

/// A factorisation broke down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breakdown {
    /// Row or column at which it broke down.
    pub index: usize,
    /// The pivot there, relative to the matrix's own size.
    pub pivot: f64,
}

/// Sum of products, in index order.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + x * y)
}

/// `out = A x` for a row-major `A`.
#[inline]
pub fn matrix_times(a: &[f64], x: &[f64], out: &mut [f64]) {
    if x.is_empty() {
        return out.fill(0.0);
    }
    for (out, row) in out.iter_mut().zip(a.chunks_exact(x.len())) {
        *out = dot(row, x);
    }
}

/// `out += scale · Aᵀ y` for a row-major `A`.
#[inline]
pub fn add_transposed_times(a: &[f64], y: &[f64], scale: f64, out: &mut [f64]) {
    if out.is_empty() {
        return;
    }
    for (row, y) in a.chunks_exact(out.len()).zip(y) {
        let factor = scale * y;
        for (out, a) in out.iter_mut().zip(row) {
            *out += factor * a;
        }
    }
}

/// Largest absolute value; 0 for none.
#[inline]
pub fn max_abs(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |max, x| if x.abs() > max { x.abs() } else { max })
}

/// Calls a method with the size as its first argument, a constant if it is small: its loops unroll.
macro_rules! sized {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self.n {
            1 => $self.$method(1 $(, $argument)*),
            2 => $self.$method(2 $(, $argument)*),
            3 => $self.$method(3 $(, $argument)*),
            4 => $self.$method(4 $(, $argument)*),
            5 => $self.$method(5 $(, $argument)*),
            6 => $self.$method(6 $(, $argument)*),
            n => $self.$method(n $(, $argument)*),
        }
    };
}

/// LU factorisation with row equilibration and partial pivoting.
#[derive(Debug, Clone)]
pub struct Lu {
    n: usize,
    /// The matrix on entry to `factor`, its factors after.
    pub matrix: Vec<f64>,
    order: Vec<usize>,
    work: Vec<f64>,
}

impl Lu {
    /// Room for `n × n`.
    pub fn new(n: usize) -> Self {
        Self { n, matrix: vec![0.0; n * n], order: vec![0; n], work: vec![0.0; n] }
    }

    /// Room for another `n`; nothing is allocated once it has been as large.
    pub fn resize(&mut self, n: usize) {
        self.n = n;
        self.matrix.resize(n * n, 0.0);
        self.order.resize(n, 0);
        self.work.resize(n, 0.0);
    }

    /// Factors `matrix`. A pivot below `4 n ε` of its row's largest entry counts as zero.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        sized!(self.factor_sized())
    }

    /// `factor` with the size as an argument: where that is a constant, the loops unroll.
    #[inline(always)]
    fn factor_sized(&mut self, n: usize) -> Result<(), Breakdown> {
        debug_assert_eq!(n, self.n);
        let (matrix, order, work) = (&mut self.matrix[..n * n], &mut self.order[..n], &mut self.work[..n]);
        let smallest = 4.0 * n as f64 * f64::EPSILON;
        for ((i, row), (order, scale)) in
            matrix.chunks_exact(n.max(1)).enumerate().zip(order.iter_mut().zip(work.iter_mut()))
        {
            *order = i;
            *scale = max_abs(row).recip();
        }
        for k in 0..n {
            // Ties go to the first row, so that the same matrix always gives the same bits.
            let (mut best, mut size) = (k, 0.0);
            for i in k..n {
                let relative = matrix[i * n + k].abs() * work[i];
                if relative > size {
                    (best, size) = (i, relative);
                }
            }
            // An infinite scale (a zero row) or a NaN never compares as larger.
            if size <= smallest || !size.is_finite() {
                return Err(Breakdown { index: k, pivot: size });
            }
            if best != k {
                order.swap(k, best);
                work.swap(k, best);
                let (upper, lower) = matrix.split_at_mut(best * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
            }
            let (upper, lower) = matrix.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n + k..];
            let pivot = pivot_row[0];
            // Rows with a zero there stay as they are: chains and other sparse systems take a fraction of the time.
            for row in lower.chunks_exact_mut(n).filter(|row| row[k] != 0.0) {
                let factor = row[k] / pivot;
                row[k] = factor;
                for (a, p) in row[k + 1..].iter_mut().zip(&pivot_row[1..]) {
                    *a -= factor * p;
                }
            }
        }
        Ok(())
    }

    /// Solves with the factors; `b` becomes the solution.
    pub fn solve(&mut self, b: &mut [f64]) {
        sized!(self.solve_sized(b));
    }

    /// `factor` and `solve` with the size as an argument.
    #[inline(always)]
    pub(crate) fn solve_once(&mut self, n: usize, b: &mut [f64]) -> Result<(), Breakdown> {
        self.factor_sized(n)?;
        self.solve_sized(n, b);
        Ok(())
    }

    /// `solve` with the size as an argument.
    #[inline(always)]
    fn solve_sized(&mut self, n: usize, b: &mut [f64]) {
        debug_assert_eq!(n, self.n);
        let (matrix, order, work) = (&self.matrix[..n * n], &self.order[..n], &mut self.work[..n]);
        let b = &mut b[..n];
        for i in 0..n {
            let row = &matrix[i * n..i * n + i];
            work[i] = b[order[i]] - dot(row, &work[..i]);
        }
        for i in (0..n).rev() {
            let row = &matrix[i * n..(i + 1) * n];
            b[i] = (work[i] - dot(&row[i + 1..], &b[i + 1..n])) / row[i];
        }
    }
}

/// Cholesky factorisation `A = LLᵀ`; reads the lower triangle.
#[derive(Debug, Clone)]
pub struct Cholesky {
    n: usize,
    /// The matrix on entry to `factor`, `L` in its lower triangle after.
    pub matrix: Vec<f64>,
}

impl Cholesky {
    /// Room for `n × n`.
    pub fn new(n: usize) -> Self {
        Self { n, matrix: vec![0.0; n * n] }
    }

    /// Room for another `n`; nothing is allocated once it has been as large.
    pub fn resize(&mut self, n: usize) {
        self.n = n;
        self.matrix.resize(n * n, 0.0);
    }

    /// Factors `matrix`. A pivot at or below `4 n ε` of its diagonal entry counts as not positive.
    pub fn factor(&mut self) -> Result<(), Breakdown> {
        sized!(self.factor_sized())
    }

    /// `factor` with the size as an argument.
    #[inline(always)]
    fn factor_sized(&mut self, n: usize) -> Result<(), Breakdown> {
        debug_assert_eq!(n, self.n);
        let matrix = &mut self.matrix[..n * n];
        let smallest = 4.0 * n as f64 * f64::EPSILON;
        for i in 0..n {
            let (above, from_i) = matrix.split_at_mut(i * n);
            let row = &mut from_i[..n];
            // Zeros at the begin of a row stay zeros; of a short row they are not looked for.
            let first = if n > 6 { row[..i].iter().position(|a| *a != 0.0).unwrap_or(i) } else { 0 };
            for j in first..i {
                let other = &above[j * n..j * n + j + 1];
                row[j] = (row[j] - dot(&row[first..j], &other[first..j])) / other[j];
            }
            let diagonal = row[i];
            let pivot = diagonal - dot(&row[first..i], &row[first..i]);
            if pivot.is_nan() || pivot <= smallest * diagonal.abs() {
                let pivot = if diagonal == 0.0 { 0.0 } else { pivot / diagonal.abs() };
                return Err(Breakdown { index: i, pivot });
            }
            row[i] = pivot.sqrt();
        }
        Ok(())
    }

    /// Factors of a matrix with one more row and column: `row` has its entries up to the diagonal, and is overwritten. Without a positive pivot the
    /// factors stay as they were.
    pub fn append(&mut self, row: &mut [f64]) -> Result<(), Breakdown> {
        let n = self.n;
        for j in 0..n {
            let other = &self.matrix[j * n..j * n + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let diagonal = row[n];
        let pivot = diagonal - dot(&row[..n], &row[..n]);
        if pivot.is_nan() || pivot <= 4.0 * (n + 1) as f64 * f64::EPSILON * diagonal.abs() {
            let pivot = if diagonal == 0.0 { 0.0 } else { pivot / diagonal.abs() };
            return Err(Breakdown { index: n, pivot });
        }
        row[n] = pivot.sqrt();
        self.resize(n + 1);
        for i in (1..n).rev() {
            self.matrix.copy_within(i * n..i * n + i + 1, i * (n + 1));
        }
        self.matrix[n * (n + 1)..].copy_from_slice(&row[..n + 1]);
        Ok(())
    }

    /// Solves with the factors; `b` becomes the solution.
    pub fn solve(&self, b: &mut [f64]) {
        sized!(self.solve_sized(b));
    }

    /// `solve` with the size as an argument.
    #[inline(always)]
    fn solve_sized(&self, n: usize, b: &mut [f64]) {
        debug_assert_eq!(n, self.n);
        let (matrix, b) = (&self.matrix[..n * n], &mut b[..n]);
        for i in 0..n {
            let row = &matrix[i * n..(i + 1) * n];
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        for i in (0..n).rev() {
            b[i] /= matrix[i * (n + 1)];
            let solved = b[i];
            for (b, l) in b[..i].iter_mut().zip(&matrix[i * n..]) {
                *b -= l * solved;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in (−1, 1), the same on every run.
    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        (0..count)
            .map(|_| {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                (x >> 11) as f64 / (1u64 << 52) as f64 - 1.0
            })
            .collect()
    }

    #[test]
    fn lu_solves_at_every_size_and_in_any_units() {
        for n in [0, 1, 2, 3, 5, 8, 13, 40] {
            let mut a = numbers(n * n, n as u64 + 1);
            for i in 0..n {
                let unit = 10f64.powi(3 * (i as i32) - 20);
                for a in &mut a[i * n..(i + 1) * n] {
                    *a *= unit;
                }
            }
            let x = numbers(n, 77);
            let mut b = vec![0.0; n];
            matrix_times(&a, &x, &mut b);
            let mut lu = Lu::new(n);
            lu.matrix.copy_from_slice(&a);
            lu.factor().unwrap();
            lu.solve(&mut b);
            for (b, x) in b.iter().zip(&x) {
                assert!((b - x).abs() < 1e-12, "n = {n}: {b} for {x}");
            }
        }
    }

    #[test]
    fn lu_refuses_singular_and_non_finite_matrices() {
        let mut lu = Lu::new(2);
        for matrix in [[1.0, 2.0, 2.0, 4.0], [0.0; 4], [f64::NAN, 1.0, 1.0, 2.0]] {
            lu.matrix.copy_from_slice(&matrix);
            assert!(lu.factor().is_err(), "{matrix:?}");
        }
    }

    #[test]
    fn factors_with_a_row_appended_are_those_of_the_whole_matrix() {
        let n = 12;
        let root = numbers(n * n, 9);
        let entry = |i: usize, j: usize| {
            dot(&root[i * n..(i + 1) * n], &root[j * n..(j + 1) * n]) + if i == j { 1.0 } else { 0.0 }
        };
        let mut grown = Cholesky::new(0);
        for k in 1..=n {
            let mut row: Vec<f64> = (0..k).map(|j| entry(k - 1, j)).collect();
            grown.append(&mut row).unwrap();
            // The first row again: it has no pivot, and nothing changes.
            let mut same: Vec<f64> = (0..k).map(|j| entry(0, j)).chain([entry(0, 0)]).collect();
            assert_eq!(grown.append(&mut same).unwrap_err().index, k);
        }
        let mut whole = Cholesky::new(n);
        (0..n * n).for_each(|k| whole.matrix[k] = entry(k / n, k % n));
        whole.factor().unwrap();
        for i in 0..n {
            for j in 0..=i {
                let [grown, whole] = [&grown, &whole].map(|factors| factors.matrix[i * n + j]);
                assert!((grown - whole).abs() < 1e-14, "{i}, {j}: {grown}, {whole}");
            }
        }
    }

    #[test]
    fn cholesky_solves_and_names_the_row_that_is_not_positive() {
        for n in [0, 1, 2, 5, 20] {
            let root = numbers(n * n, 3 + n as u64);
            let mut cholesky = Cholesky::new(n);
            for i in 0..n {
                for j in 0..n {
                    let product = dot(&root[i * n..(i + 1) * n], &root[j * n..(j + 1) * n]);
                    cholesky.matrix[i * n + j] = product + if i == j { 1.0 } else { 0.0 };
                }
            }
            let a = cholesky.matrix.clone();
            let x = numbers(n, 5);
            let mut b = vec![0.0; n];
            matrix_times(&a, &x, &mut b);
            cholesky.factor().unwrap();
            cholesky.solve(&mut b);
            assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12));
        }
        let mut cholesky = Cholesky::new(2);
        cholesky.matrix.copy_from_slice(&[1.0, 2.0, 2.0, 1.0]);
        assert_eq!(cholesky.factor().unwrap_err().index, 1);
    }

    #[test]
    fn transposed_product_accumulates() {
        let mut out = [1.0, 1.0, 1.0];
        add_transposed_times(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[1.0, -1.0], 2.0, &mut out);
        assert_eq!(out, [-5.0, -5.0, -5.0]);
    }
}
