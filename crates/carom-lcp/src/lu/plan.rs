//! In which order rows are eliminated, and how many entries and operations that takes: known before any room is made.

use crate::ldlt::order::minimum_degree;
use crate::matrix::Sparse;

/// No row.
const NONE: u32 = u32::MAX;

/// An order of elimination for the pattern of a matrix, made symmetric.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Rows as they are eliminated, and where each row is in that order.
    pub(super) order: Vec<u32>,
    pub(super) place: Vec<u32>,
    /// The rows before each place that it has entries with.
    pub(super) neighbours: Vec<Vec<u32>>,
    /// The first place below each that its column of the factors has an entry in.
    pub(super) parent: Vec<u32>,
    /// How many entries each column of the lower factor has below its diagonal.
    pub(super) below: Vec<u32>,
}

impl Plan {
    /// An order by minimum degree in which each of the rows from `early` on comes after all rows that it has entries with, but for those
    /// that are late themselves: the constraints of a saddle-point matrix have zeros on their diagonal until then.
    ///
    /// # Panics
    /// Where the matrix is not square, or has 2³² rows or more.
    pub fn new(matrix: &Sparse, early: usize) -> Plan {
        let size = matrix.rows();
        assert!(size == matrix.columns() && size < NONE as usize, "{size} rows, {} columns", matrix.columns());
        let mut edges: Vec<(usize, usize)> = (0..size)
            .flat_map(|row| matrix.row_parts(row).0.iter().map(move |&column| (row, column)))
            .filter(|(row, column)| row != column)
            .map(|(a, b)| (a.min(b), a.max(b)))
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut around = vec![Vec::new(); size];
        for &(a, b) in &edges {
            around[a].push(b as u32);
            around[b].push(a as u32);
        }
        let order = late_rows_last(&minimum_degree(size, edges), &around, early);
        let mut place = vec![0; size];
        order.iter().enumerate().for_each(|(k, &row)| place[row as usize] = k as u32);
        let mut plan =
            Plan { neighbours: Vec::new(), parent: vec![NONE; size], below: vec![0; size], order, place };
        for (k, &row) in plan.order.iter().enumerate() {
            let places = around[row as usize].iter().map(|&other| plan.place[other as usize]);
            plan.neighbours.push(places.filter(|&other| (other as usize) < k).collect());
        }
        let mut seen = vec![NONE; size];
        for k in 0..size {
            for at in 0..plan.neighbours[k].len() {
                let mut at = plan.neighbours[k][at] as usize;
                while at < k && seen[at] != k as u32 {
                    seen[at] = k as u32;
                    plan.below[at] += 1;
                    if plan.parent[at] == NONE {
                        plan.parent[at] = k as u32;
                    }
                    at = plan.parent[at] as usize;
                }
            }
        }
        plan
    }

    /// Entries of both factors, diagonals included.
    pub fn entries(&self) -> usize {
        self.order.len() + 2 * self.below.iter().map(|&count| count as usize).sum::<usize>()
    }

    /// Multiplications of a factorisation.
    pub fn operations(&self) -> f64 {
        self.below.iter().map(|&count| f64::from(count) * (1.0 + f64::from(count))).sum()
    }

    /// Calls with every place before `k` in which row `k` of the lower factor has an entry, in no order.
    pub(super) fn each_before(&self, k: usize, seen: &mut [u32], mut visit: impl FnMut(u32)) {
        for &neighbour in &self.neighbours[k] {
            let mut at = neighbour as usize;
            while at < k && seen[at] != k as u32 {
                seen[at] = k as u32;
                visit(at as u32);
                at = self.parent[at] as usize;
            }
        }
    }
}

/// The order with rows before `early` brought forward, so that every late row has all of those around it before it.
fn late_rows_last(order: &[usize], around: &[Vec<u32>], early: usize) -> Vec<u32> {
    let mut done = vec![false; order.len()];
    let mut out = Vec::with_capacity(order.len());
    for &row in order {
        if row >= early {
            for &other in around[row].iter().filter(|&&other| (other as usize) < early) {
                if !std::mem::replace(&mut done[other as usize], true) {
                    out.push(other);
                }
            }
        }
        if !std::mem::replace(&mut done[row], true) {
            out.push(row as u32);
        }
    }
    out
}
