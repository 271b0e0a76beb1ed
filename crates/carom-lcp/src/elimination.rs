//! Sparse LU of matrices with a symmetric pattern, pivots on the diagonal.
//!
//! Made for products A = G₁ M⁻¹ G₀ᵀ of constraint rows at two places: symmetric and positive definite where they coincide, close to that
//! where they do not. Such a matrix needs no exchange of rows, so that the order of elimination, by minimum degree, and the pattern of the
//! factors are found once. Numbers change without a new analysis and without allocation. A matrix that is far from symmetric loses
//! digits, or breaks down, which is an error.
//!
//! One thread, scalar arithmetic in a fixed order: the same bits everywhere. Cost: an analysis is linear in the entries of the factors, a
//! factorisation in the products of their columns and rows, a solve in their entries.

use crate::ldlt::minimum_degree;

/// A row or column; half the size of an address.
type Index = u32;
const NONE: usize = usize::MAX;

/// A dependent row has a part above this in the combination of rows that vanishes, each with a diagonal of 1.
const PART: f64 = 1e-6;

/// A factorisation broke down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Breakdown {
    /// The row at which it did. Of a matrix that should be definite the last of the rows that depend on each other.
    pub row: usize,
    /// The pivot relative to the largest term that it is the sum of.
    pub pivot: f64,
}

/// An order of elimination and how large factors in it are.
#[derive(Clone, Debug)]
pub struct Elimination {
    order: Vec<usize>,
    place: Vec<usize>,
    /// The other rows that a row has entries at, before fill.
    starts: Vec<usize>,
    neighbours: Vec<Index>,
    entries: usize,
}

impl Elimination {
    /// For a matrix of that size with entries at these pairs of row and column. A pair counts both ways.
    pub fn new(size: usize, pairs: &[[usize; 2]]) -> Elimination {
        let off = || pairs.iter().filter(|[i, j]| i != j);
        let mut edges: Vec<(usize, usize)> = off().map(|&[i, j]| (i.min(j), i.max(j))).collect();
        edges.sort_unstable();
        edges.dedup();
        let mut starts = vec![0; size + 1];
        edges.iter().for_each(|&(i, j)| [i, j].into_iter().for_each(|row| starts[row + 1] += 1));
        (0..size).for_each(|row| starts[row + 1] += starts[row]);
        let (mut next, mut neighbours) = (starts.clone(), vec![0; 2 * edges.len()]);
        for &(i, j) in &edges {
            for (row, other) in [(i, j), (j, i)] {
                neighbours[next[row]] = other as Index;
                next[row] += 1;
            }
        }
        let order = minimum_degree(size, edges);
        let mut place = vec![0; size];
        order.iter().enumerate().for_each(|(k, &row)| place[row] = k);
        let mut new = Elimination { order, place, starts, neighbours, entries: 0 };
        let mut entries = 0;
        new.each_below(|_, _| entries += 1);
        new.entries = entries;
        new
    }

    /// The number of entries below the diagonal of L; U has as many above it.
    pub fn entries(&self) -> usize {
        self.entries
    }

    /// Calls with row and column of every entry below the diagonal of L, row after row, by their places in the order: the nodes of the
    /// elimination tree that are met from every neighbour that comes earlier.
    fn each_below(&self, mut each: impl FnMut(usize, usize)) {
        let size = self.order.len();
        let (mut parent, mut seen) = (vec![NONE; size], vec![NONE; size]);
        for (k, &row) in self.order.iter().enumerate() {
            seen[k] = k;
            for &neighbour in &self.neighbours[self.starts[row]..self.starts[row + 1]] {
                let mut at = self.place[neighbour as usize];
                while at < k && seen[at] != k {
                    seen[at] = k;
                    each(k, at);
                    if parent[at] == NONE {
                        parent[at] = k;
                    }
                    at = parent[at];
                }
            }
        }
    }
}

/// Rows in the order of elimination, each with columns in that order, by the numbers that the caller knows them by.
#[derive(Clone, Debug)]
struct Lines {
    starts: Vec<usize>,
    columns: Vec<Index>,
}

impl Lines {
    #[inline]
    fn range(&self, k: usize) -> std::ops::Range<usize> {
        self.starts[k]..self.starts[k + 1]
    }
}

/// The factors.
#[derive(Clone, Debug)]
pub struct Lu {
    order: Vec<usize>,
    place: Vec<usize>,
    /// The matrix, and where the value of each entry is in the list of the caller.
    given: Lines,
    slots: Vec<Index>,
    /// L without its ones, U without its diagonal, and that.
    below: Lines,
    lower: Vec<f64>,
    above: Lines,
    upper: Vec<f64>,
    pivots: Vec<f64>,
    row: Vec<f64>,
}

impl Lu {
    /// Room for the factors of a matrix with entries at these pairs, for which the order was made.
    pub fn new(elimination: Elimination, pairs: &[[usize; 2]]) -> Lu {
        let Elimination { order, place, entries, .. } = &elimination;
        let size = order.len();
        let name = |place: usize| order[place] as Index;
        let (slots, starts) = sorted(pairs.len(), size, |slot| place[pairs[slot][0]]);
        let columns = slots.iter().map(|&slot| pairs[slot as usize][1] as Index).collect();
        let given = Lines { starts, columns };
        // Found row after row, and sorted by column, then by row: so both have their columns in order.
        let mut found: Vec<[Index; 2]> = Vec::with_capacity(*entries);
        elimination.each_below(|row, column| found.push([row as Index, column as Index]));
        let (by_column, starts) = sorted(found.len(), size, |entry| found[entry][1] as usize);
        let columns = by_column.iter().map(|&entry| name(found[entry as usize][0] as usize)).collect();
        let above = Lines { starts, columns };
        let (by_row, starts) = sorted(found.len(), size, |rank| found[by_column[rank] as usize][0] as usize);
        let column = |&rank: &Index| name(found[by_column[rank as usize] as usize][1] as usize);
        let below = Lines { starts, columns: by_row.iter().map(column).collect() };
        Lu {
            given,
            slots,
            below,
            lower: vec![0.0; *entries],
            above,
            upper: vec![0.0; *entries],
            pivots: vec![0.0; size],
            row: vec![0.0; size],
            order: elimination.order,
            place: elimination.place,
        }
    }

    /// Factors the matrix with these values at the pairs. A pivot below `4 n ε` of the largest of its terms counts as zero.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), Breakdown> {
        for k in 0..self.order.len() {
            let (pivot, largest) = self.eliminate(k, values);
            if self.vanishes(pivot.abs(), largest) {
                return Err(Breakdown { row: self.order[k], pivot: relative(pivot, largest) });
            }
        }
        Ok(())
    }

    /// The same of a matrix that should be symmetric and positive definite: a negative pivot counts as zero.
    pub fn factor_definite(&mut self, values: &[f64]) -> Result<(), Breakdown> {
        for k in 0..self.order.len() {
            let (pivot, largest) = self.eliminate(k, values);
            if self.vanishes(pivot, largest) {
                return Err(Breakdown { row: self.dependent(k, values), pivot: relative(pivot, largest) });
            }
        }
        Ok(())
    }

    #[inline]
    fn vanishes(&self, pivot: f64, largest: f64) -> bool {
        pivot.is_nan() || pivot <= 4.0 * self.order.len() as f64 * f64::EPSILON * largest
    }

    /// Row `k` of both factors; its pivot, and the largest of the terms that this is the sum of.
    #[inline]
    fn eliminate(&mut self, k: usize, values: &[f64]) -> (f64, f64) {
        let (own, row) = (self.order[k], &mut self.row);
        for entry in self.given.range(k) {
            row[self.given.columns[entry] as usize] += values[self.slots[entry] as usize];
        }
        let mut largest = row[own].abs();
        for entry in self.below.range(k) {
            let column = self.below.columns[entry] as usize;
            let earlier = self.place[column];
            let factor = std::mem::take(&mut row[column]) / self.pivots[earlier];
            self.lower[entry] = factor;
            let (range, before) = (self.above.range(earlier), row[own]);
            for (&column, value) in self.above.columns[range.clone()].iter().zip(&self.upper[range]) {
                row[column as usize] -= factor * value;
            }
            largest = largest.max((row[own] - before).abs());
        }
        let range = self.above.range(k);
        for (&column, value) in self.above.columns[range.clone()].iter().zip(&mut self.upper[range]) {
            *value = std::mem::take(&mut row[column as usize]);
        }
        self.pivots[k] = std::mem::take(&mut row[own]);
        (self.pivots[k], largest)
    }

    /// The last of the rows whose combination vanishes at the pivot of row `k`: it depends on rows before it.
    #[cold]
    fn dependent(&self, k: usize, values: &[f64]) -> usize {
        let mut part = vec![0.0; self.order.len()];
        part[self.order[k]] = 1.0;
        for earlier in (0..k).rev() {
            let sum =
                self.above.range(earlier).map(|entry| self.upper[entry] * part[self.above.columns[entry] as usize]);
            part[self.order[earlier]] = -sum.sum::<f64>() / self.pivots[earlier];
        }
        for (k, &row) in self.order.iter().enumerate() {
            let own = self.given.range(k).filter(|&entry| self.given.columns[entry] as usize == row);
            let diagonal: f64 = own.map(|entry| values[self.slots[entry] as usize]).sum();
            part[row] = (part[row] * diagonal.sqrt()).abs();
        }
        let most = part.iter().fold(0.0_f64, |most, part| most.max(*part));
        part.iter().rposition(|part| *part > PART * most).unwrap_or(self.order[k])
    }

    /// Solves with the factors; `b` becomes the solution.
    pub fn solve(&self, b: &mut [f64]) {
        for (k, &row) in self.order.iter().enumerate() {
            let range = self.below.range(k);
            let terms = self.below.columns[range.clone()].iter().zip(&self.lower[range]);
            b[row] = terms.fold(b[row], |rest, (&column, value)| rest - value * b[column as usize]);
        }
        for (k, &row) in self.order.iter().enumerate().rev() {
            let range = self.above.range(k);
            let terms = self.above.columns[range.clone()].iter().zip(&self.upper[range]);
            let rest = terms.fold(b[row], |rest, (&column, value)| rest - value * b[column as usize]);
            b[row] = rest / self.pivots[k];
        }
    }
}

fn relative(pivot: f64, largest: f64) -> f64 {
    if largest == 0.0 { 0.0 } else { pivot / largest }
}

/// The numbers 0..count in ascending order of their keys below `keys`, equal ones as they were, and where each key begins.
fn sorted(count: usize, keys: usize, key: impl Fn(usize) -> usize) -> (Vec<Index>, Vec<usize>) {
    let mut starts = vec![0; keys + 1];
    (0..count).for_each(|item| starts[key(item) + 1] += 1);
    (0..keys).for_each(|key| starts[key + 1] += starts[key]);
    let (mut next, mut out) = (starts.clone(), vec![0; count]);
    for item in 0..count {
        let slot = &mut next[key(item)];
        out[*slot] = item as Index;
        *slot += 1;
    }
    (out, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(k: usize) -> f64 {
        (1.7 * k as f64 + 0.3).sin()
    }

    /// Rows that are joined like a tree with some rings, entries in no order.
    fn pairs(size: usize) -> Vec<[usize; 2]> {
        let mut pairs: Vec<[usize; 2]> = (0..size).map(|row| [row, row]).collect();
        for row in 1..size {
            pairs.extend([[row, row / 3], [row / 3, row]]);
            if row.is_multiple_of(7) && row / 3 != row / 2 {
                pairs.extend([[row / 2, row], [row, row / 2]]);
            }
        }
        let size = pairs.len();
        (0..size).for_each(|k| pairs.swap(k, (k * 7919) % size));
        pairs
    }

    /// Diagonals that outweigh the rest, in units from 1e-8 to 1e8; symmetric up to `skew`.
    fn values(pairs: &[[usize; 2]], skew: f64) -> Vec<f64> {
        let unit = |row: usize| 10f64.powi((5 * row % 17) as i32 - 8);
        let value = |&[i, j]: &[usize; 2]| {
            let plain = if i == j { 9.0 } else { wave(i + j) + skew * wave(2 * i + j) };
            plain * unit(i) * unit(j)
        };
        pairs.iter().map(value).collect()
    }

    fn product(pairs: &[[usize; 2]], values: &[f64], x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut sum, mut size) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        for (&[i, j], value) in pairs.iter().zip(values) {
            sum[i] += value * x[j];
            size[i] += (value * x[j]).abs();
        }
        (sum, size)
    }

    #[test]
    fn symmetric_and_other_matrices_are_solved_to_round_off_in_any_units() {
        for (size, skew) in [(1, 0.0), (2, 0.3), (60, 0.0), (60, 0.5), (400, 0.5)] {
            let pairs = pairs(size);
            let mut lu = Lu::new(Elimination::new(size, &pairs), &pairs);
            // The second factorisation has nothing of the first.
            for turn in [skew + 0.2, skew] {
                let values = values(&pairs, turn);
                lu.factor(&values).expect("regular");
                let b: Vec<f64> = (0..size).map(|row| wave(row) * 10f64.powi((5 * row % 17) as i32 - 8)).collect();
                let mut x = b.clone();
                lu.solve(&mut x);
                let (sum, terms) = product(&pairs, &values, &x);
                for row in 0..size {
                    let off = (sum[row] - b[row]).abs() / (terms[row] + b[row].abs());
                    assert!(off < 1e-14, "{size} rows, skew {turn}, row {row}: {off:e}");
                }
            }
            assert_eq!(lu.factor_definite(&values(&pairs, 0.0)), Ok(()));
        }
    }

    #[test]
    fn a_chain_has_no_fill_and_a_grid_little() {
        let chain: Vec<[usize; 2]> = (1..1000).map(|row| [row - 1, row]).collect();
        assert_eq!(Elimination::new(1000, &chain).entries(), 999);
        let side = 40;
        let grid: Vec<[usize; 2]> = (0..side * side)
            .flat_map(|k| {
                [(k % side + 1 < side).then_some([k, k + 1]), (k + side < side * side).then_some([k, k + side])]
            })
            .flatten()
            .collect();
        let entries = Elimination::new(side * side, &grid).entries();
        assert!(entries > grid.len() && entries < side * side * side / 2, "{entries}");
    }

    #[test]
    fn the_last_of_the_rows_that_depend_on_each_other_is_told() {
        // Row 7 is the sum of rows 2 and 5 of a matrix of rows; their products have that dependence whatever the order is.
        let row = |k: usize| -> Vec<f64> {
            (0..12)
                .map(|i| if (i + k).is_multiple_of(4) { wave((k + 2) * (i + 3) * (i + 1)) } else { 0.0 })
                .collect()
        };
        let mut rows: Vec<Vec<f64>> = (0..9).map(row).collect();
        rows[7] = rows[2].iter().zip(&rows[5]).map(|(a, b)| a + b).collect();
        let all: Vec<[usize; 2]> = (0..9).flat_map(|i| (0..9).map(move |j| [i, j])).collect();
        let product = |rows: &[Vec<f64>]| -> Vec<f64> {
            all.iter().map(|&[i, j]| rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b).sum()).collect()
        };
        let (mut lu, values) = (Lu::new(Elimination::new(9, &all), &all), product(&rows));
        let found = lu.factor_definite(&values).expect_err("it is singular");
        assert!(found.row == 7 && found.pivot.abs() < 1e-14, "{found:?}");
        assert!(lu.factor(&values).expect_err("it is singular").pivot.abs() < 1e-14);
        // Nothing is left of it.
        rows[7][3] += 1.0;
        assert_eq!(lu.factor_definite(&product(&rows)), Ok(()));
        let nan: Vec<f64> = values.iter().map(|_| f64::NAN).collect();
        assert!(lu.factor(&nan).is_err() && lu.factor_definite(&nan).is_err());
        assert_eq!(lu.factor_definite(&product(&rows)), Ok(()));
        let negative: Vec<f64> = product(&rows).iter().map(|value| -value).collect();
        assert!(lu.factor_definite(&negative).is_err());
        assert_eq!(lu.factor(&negative), Ok(()));
    }
}
