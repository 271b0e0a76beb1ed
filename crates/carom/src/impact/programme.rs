//! Quadratic programmes of many contacts: `min ½yᵀWy + cᵀy` over `y ≥ 0` for `W = Z Gᵀ` of sparse rows.
//!
//! Few rows go to [`Nnls`] with a full matrix, many to block pivoting on sparse factors (`carom-lcp`): contacts of a pile share bodies with few
//! others. Contacts that share none, directly or through others, do not know of each other: [`islands`] tells them apart.

use carom_lcp::{BlockPivot, Limits, Mlcp, Solver as _, Sparse};

use super::Nnls;
use crate::linear::dot;

/// Up to so many rows the matrix is full.
const MOST_DENSE: usize = 300;
/// The residual that a sparse solve is asked for, relative to the one without impulses, and what is taken where pivots go round in rows that
/// depend on each other.
const ASKED: f64 = 1e-13;
const TAKEN: f64 = 1e-9;
/// Exchanges of whole sets; some dozens are the rule.
const EXCHANGES: usize = 2000;

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

    /// The places at a column.
    fn at(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        let begin = self.entries.partition_point(|entry| entry.0 < column);
        self.entries[begin..].iter().take_while(move |entry| entry.0 == column).map(|entry| entry.1)
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
    columns: Columns,
    near: Vec<usize>,
    /// `c`.
    pub c: Vec<f64>,
    /// The solution.
    pub y: Vec<f64>,
}

/// Many rows.
#[derive(Debug, Clone)]
struct Large {
    problem: Mlcp,
    pivot: BlockPivot,
}

impl Programme {
    /// Takes `W` of the chosen rows, its diagonal raised by a part of itself.
    pub fn load(&mut self, [z, g]: [&Sparse; 2], chosen: &[usize], raised: f64) {
        let size = chosen.len();
        self.size = size;
        self.c.resize(size, 0.0);
        self.y.resize(size, 0.0);
        if size > MOST_DENSE {
            return self.load_large([z, g], chosen, raised);
        }
        self.dense.resize(size);
        for (a, &i) in chosen.iter().enumerate() {
            for (b, &j) in chosen.iter().enumerate() {
                self.dense.w[a * size + b] = z.row_product(i, g, j);
            }
            self.dense.w[a * (size + 1)] *= 1.0 + raised;
        }
    }

    fn load_large(&mut self, [z, g]: [&Sparse; 2], chosen: &[usize], raised: f64) {
        let size = chosen.len();
        let large = self.large.get_or_insert_with(|| {
            let problem = Mlcp { h: Sparse::default(), q: Vec::new(), lower: Vec::new(), upper: Vec::new() };
            Box::new(Large { problem, pivot: BlockPivot::default() })
        });
        let problem = &mut large.problem;
        self.columns.load(g, chosen);
        problem.h.restart(size);
        for (a, &i) in chosen.iter().enumerate() {
            self.near.clear();
            for &column in z.row_parts(i).0 {
                self.near.extend(self.columns.at(column));
            }
            self.near.sort_unstable();
            self.near.dedup();
            for &b in &self.near {
                let factor = if a == b { 1.0 + raised } else { 1.0 };
                problem.h.push_entry(b, factor * z.row_product(i, g, chosen[b]));
            }
            problem.h.end_row();
        }
        problem.q.resize(size, 0.0);
        problem.lower.clear();
        problem.lower.resize(size, 0.0);
        problem.upper.clear();
        problem.upper.resize(size, f64::INFINITY);
    }

    /// An entry of `W`.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        match self.large.as_ref().filter(|_| self.is_large()) {
            Some(large) => large.problem.h.get(row, column),
            None => self.dense.w[row * self.size + column],
        }
    }

    fn is_large(&self) -> bool {
        self.size > MOST_DENSE
    }

    /// The product of a row of `W` with a vector.
    pub fn times(&self, row: usize, x: &[f64]) -> f64 {
        match self.large.as_ref().filter(|_| self.is_large()) {
            Some(large) => large.problem.h.row_times(row, x),
            None => dot(&self.dense.w[row * self.size..(row + 1) * self.size], x),
        }
    }

    /// Solves for `y`; false if no solution is found, which round-off can bring about.
    pub fn solve(&mut self) -> bool {
        if self.is_large() {
            // Most contacts that are asked for push.
            return self.solve_large(|_| true);
        }
        self.dense.c.copy_from_slice(&self.c);
        let solved = self.dense.solve();
        self.y.copy_from_slice(&self.dense.y);
        solved
    }

    /// Solves from a guess of the unknowns that are positive.
    pub fn solve_from(&mut self, guess: impl Fn(usize) -> bool) -> bool {
        if self.is_large() {
            return self.solve_large(guess);
        }
        self.dense.c.copy_from_slice(&self.c);
        let solved = self.dense.solve_from((0..self.size).filter(|&a| guess(a)));
        self.y.copy_from_slice(&self.dense.y);
        solved
    }

    fn solve_large(&mut self, guess: impl Fn(usize) -> bool) -> bool {
        let Some(large) = &mut self.large else { return false };
        large.problem.q.copy_from_slice(&self.c);
        for (a, y) in self.y.iter_mut().enumerate() {
            *y = f64::from(u8::from(guess(a)));
        }
        let limits = Limits { tolerance: ASKED, iterations: Some(EXCHANGES), deadline: None };
        let solved = match large.pivot.solve(&large.problem, &mut self.y, &limits) {
            Ok(_) => true,
            Err(unsolved) => unsolved.residual.relative <= TAKEN,
        };
        self.y.iter_mut().for_each(|y| *y = y.max(0.0));
        solved
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
        for count in [2, 40, 299, 301, 900] {
            let (rows, mut random) = (strip(count), numbers(5));
            let chosen: Vec<usize> = (0..count).collect();
            let mut programme = Programme::default();
            programme.load([&rows, &rows], &chosen, 0.0);
            (0..count).for_each(|a| programme.c[a] = random());
            assert!(programme.solve(), "{count}");
            // 0 ≤ y ⊥ W y + c ≥ 0
            let y = programme.y.clone();
            assert!(y.iter().any(|y| *y > 0.0) && y.contains(&0.0));
            for a in 0..count {
                let slack = programme.times(a, &y) + programme.c[a];
                assert!(
                    y[a] >= 0.0 && slack > -1e-9 && (y[a] * slack).abs() < 1e-9,
                    "{count}: {a} {} {slack}",
                    y[a]
                );
            }
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
