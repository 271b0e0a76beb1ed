//! Quadratic programmes of many contacts: `min ½yᵀWy + cᵀy` over `y ≥ 0` for `W = Z Gᵀ` of sparse rows.
//!
//! Few rows go to [`Nnls`] with a full matrix, many to block pivoting on sparse factors of bodies and rows: contacts of a pile share
//! bodies with few others. Contacts that share none, directly or through others, do not know of each other: [`Islands`] tells them apart.

use carom_lcp::Sparse;

use super::Nnls;
use super::large::Large;
use crate::linear::dot;

/// Up to so many rows the matrix is full.
pub const MOST_DENSE: usize = 48;

/// Which chosen rows have an entry at a column.
#[derive(Debug, Clone, Default)]
struct Columns {
    /// Column and place among the chosen, ascending.
    entries: Vec<(usize, usize)>,
}

impl Columns {
    fn load(&mut self, rows: &Sparse, chosen: &[usize]) {
        self.entries.clear();
        for (place, &row) in chosen.iter().enumerate() {
            self.entries.extend(rows.row_parts(row).0.iter().map(|&column| (column, place)));
        }
        self.entries.sort_unstable();
    }
}

/// Sorts chosen rows into islands: rows with a common column are in the same one.
#[derive(Debug, Clone, Default)]
pub struct Islands {
    columns: Columns,
    parent: Vec<usize>,
    /// The chosen places, island by island, each ascending.
    order: Vec<usize>,
    starts: Vec<usize>,
}

impl Islands {
    /// Of the chosen rows.
    pub fn find(&mut self, rows: &Sparse, chosen: &[usize]) {
        self.columns.load(rows, chosen);
        self.parent.clear();
        self.parent.extend(0..chosen.len());
        let (entries, parent) = (&self.columns.entries, &mut self.parent);
        for pair in entries.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let [a, b] = [pair[0].1, pair[1].1].map(|place| root(parent, place));
            // The least place is the root: islands stand in the order of their first rows.
            parent[a.max(b)] = a.min(b);
        }
        for place in 0..chosen.len() {
            parent[place] = root(parent, place);
        }
        self.order.clear();
        self.order.extend(0..chosen.len());
        let parent = &self.parent;
        self.order.sort_by_key(|&place| parent[place]);
        self.starts.clear();
        for (k, &place) in self.order.iter().enumerate() {
            if k == 0 || parent[self.order[k - 1]] != parent[place] {
                self.starts.push(k);
            }
        }
        self.starts.push(chosen.len());
    }

    /// Places among the chosen rows, island by island.
    pub fn each(&self) -> impl Iterator<Item = &[usize]> + '_ {
        self.starts.windows(2).map(|range| &self.order[range[0]..range[1]])
    }
}

/// The root of a place in a forest, whose paths become shorter by it.
fn root(parent: &mut [usize], mut place: usize) -> usize {
    while parent[place] != place {
        parent[place] = parent[parent[place]];
        place = parent[place];
    }
    place
}

/// A programme with its workspace.
#[derive(Debug, Clone, Default)]
pub struct Programme {
    size: usize,
    dense: Nnls,
    large: Option<Box<Large>>,
    is_large: bool,
    /// `c`.
    pub c: Vec<f64>,
    /// The solution.
    pub y: Vec<f64>,
}

impl Programme {
    /// Takes `W` of the chosen rows, its diagonal raised by a part of itself.
    pub fn load(&mut self, [z, g]: [&Sparse; 2], chosen: &[usize], raised: f64) {
        let size = chosen.len();
        self.size = size;
        self.c.resize(size, 0.0);
        self.y.resize(size, 0.0);
        self.is_large = size > MOST_DENSE && self.large.get_or_insert_default().load([z, g], chosen, raised);
        if self.is_large {
            return;
        }
        self.dense.resize(size);
        for (a, &i) in chosen.iter().enumerate() {
            for (b, &j) in chosen.iter().enumerate() {
                self.dense.w[a * size + b] = z.row_product(i, g, j);
            }
            self.dense.w[a * (size + 1)] *= 1.0 + raised;
        }
    }

    fn large(&self) -> Option<&Large> {
        self.large.as_deref().filter(|_| self.is_large)
    }

    /// `W x` of the raised `W`.
    pub fn times(&mut self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        match self.large.as_deref_mut().filter(|_| self.is_large) {
            Some(large) => large.times(x, out),
            None => {
                let rows = self.dense.w.chunks_exact(self.size.max(1)).take(self.size);
                out.extend(rows.map(|row| dot(row, x)));
            }
        }
    }

    /// What the diagonal of a row was raised to.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.large().map_or_else(|| self.dense.w[row * (self.size + 1)], |large| large.diagonal(row))
    }

    /// Solves for `y`; false if no solution is found, which round-off can bring about.
    pub fn solve(&mut self) -> bool {
        if self.is_large {
            // Most contacts that are asked for push.
            return self.solve_from(|_| true);
        }
        self.dense.c.copy_from_slice(&self.c);
        let solved = self.dense.solve();
        self.y.copy_from_slice(&self.dense.y);
        solved
    }

    /// Solves from a guess of the unknowns that are positive.
    pub fn solve_from(&mut self, guess: impl Fn(usize) -> bool) -> bool {
        if let Some(large) = self.large.as_deref_mut().filter(|_| self.is_large) {
            for (a, y) in self.y.iter_mut().enumerate() {
                *y = f64::from(u8::from(guess(a)));
            }
            return large.solve(&self.c, &mut self.y);
        }
        self.dense.c.copy_from_slice(&self.c);
        let solved = self.dense.solve_from((0..self.size).filter(|&a| guess(a)));
        self.y.copy_from_slice(&self.dense.y);
        solved
    }

    /// Solves `W y + c = 0` for `y` of any sign, with sparse factors; `None` of few rows, and where rows depend on each other.
    pub fn solve_free(&mut self) -> Option<()> {
        self.large.as_deref_mut().filter(|_| self.is_large)?.solve_free(&self.c, &mut self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::tests::numbers;

    /// Rows of a pile: each joins two neighbouring bodies of a strip.
    fn strip(count: usize) -> Sparse {
        let mut random = numbers(11);
        let mut rows = Sparse::default();
        rows.restart(2 * count + 2);
        for row in 0..count {
            let [a, b, c, d] = [(); 4].map(|()| random());
            rows.push_row([(2 * row, -a), (2 * row + 1, -b), (2 * row + 2, c), (2 * row + 3, d)]);
        }
        rows
    }

    #[test]
    fn many_rows_are_solved_as_few_are() {
        for count in [2, 40, 48, 49, 900] {
            let (rows, mut random) = (strip(count), numbers(5));
            let chosen: Vec<usize> = (0..count).collect();
            let mut programme = Programme::default();
            programme.load([&rows, &rows], &chosen, 0.0);
            (0..count).for_each(|a| programme.c[a] = random());
            assert!(programme.solve(), "{count}");
            // 0 ≤ y ⊥ W y + c ≥ 0
            let (y, mut product) = (programme.y.clone(), Vec::new());
            assert!(y.iter().any(|y| *y > 0.0) && y.contains(&0.0));
            programme.times(&y, &mut product);
            for a in 0..count {
                let slack = product[a] + programme.c[a];
                assert!(
                    y[a] >= 0.0 && slack > -1e-9 && (y[a] * slack).abs() < 1e-9,
                    "{count}: {a} {} {slack}",
                    y[a]
                );
            }
            // Of any sign, where there are many.
            assert_eq!(programme.solve_free().is_some(), count > MOST_DENSE);
            if count > MOST_DENSE {
                let y = programme.y.clone();
                programme.times(&y, &mut product);
                assert!(y.iter().any(|y| *y < 0.0));
                assert!(product.iter().zip(&programme.c).all(|(w, c)| (w + c).abs() < 1e-9));
            }
        }
    }

    #[test]
    fn masses_count_in_many_rows_as_in_few() {
        let (rows, mut random) = (strip(60), numbers(9));
        let inverse: Vec<f64> = (0..122).map(|_| 1.0 + 0.5 * random()).collect();
        let mut divided = rows.clone();
        divided.scale_columns(&inverse);
        let chosen: Vec<usize> = (0..60).collect();
        let (mut large, mut out) = (Programme::default(), Vec::new());
        large.load([&divided, &rows], &chosen, 1e-3);
        let x: Vec<f64> = (0..60).map(|_| random()).collect();
        large.times(&x, &mut out);
        for a in 0..60 {
            let product = |b: usize| divided.row_product(a, &rows, b) * if a == b { 1.0 + 1e-3 } else { 1.0 };
            let expected: f64 = (0..60).map(|b| product(b) * x[b]).sum();
            assert!((out[a] - expected).abs() < 1e-12, "{a}");
            assert!((large.diagonal(a) - product(a)).abs() < 1e-12);
        }
    }

    #[test]
    fn islands_are_rows_with_common_columns() {
        let mut rows = Sparse::default();
        rows.restart(9);
        for entries in [vec![0, 1], vec![4, 5], vec![1, 2], vec![7], vec![5, 8], vec![2, 3], vec![]] {
            rows.push_row(entries.into_iter().map(|column| (column, 1.0)));
        }
        let mut islands = Islands::default();
        islands.find(&rows, &[0, 1, 2, 3, 4, 5, 6]);
        let found: Vec<&[usize]> = islands.each().collect();
        assert_eq!(found, [&[0, 2, 5][..], &[1, 4], &[3], &[6]]);
        islands.find(&rows, &[1, 4, 6]);
        assert_eq!(islands.each().map(<[usize]>::to_vec).collect::<Vec<_>>(), [vec![0, 1], vec![2]]);
        islands.find(&rows, &[]);
        assert_eq!(islands.each().count(), 0);
    }
}
