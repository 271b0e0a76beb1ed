//! In which order the rows of K are eliminated.
//!
//! A quasi-definite K has factors in every order; orders differ in fill and in how errors grow. Three are tried, the first whose
//! count of operations is within [`TOLERATED`] of the least is taken:
//!
//! 1. *Bodies first*: every row of G after all its bodies, by minimum degree of the Schur complement. Nothing grows, whatever T.
//! 2. *A body before each row*: by minimum degree of K. A body that holds many others together need not come before all its rows,
//!    which would make them one dense block.
//! 3. *Rows first*: the bodies by minimum degree of who touches whom. Factors grow like 1 over T relative to A = G M⁻¹ Gᵀ + T,
//!    which refinement makes good. Where contacts are redundant, A is close to singular and this order is the more accurate one.
//!
//! Measured, with the entries of L, the operations, the growth (largest of Σ_j l_kj² |d_j| over largest entry of K) and the
//! componentwise backward error before refinement:
//!
//! | K | order | entries | operations | growth | error |
//! |---|---|---|---|---|---|
//! | 1000 rods in a chain of ball joints, T = 1e-8 | bodies first | 6.6e4 | 6.4e5 | 2e1 | 7e-16 |
//! | | a body before | 5.6e4 | 4.6e5 | 6e7 | 5e-9 |
//! | | rows first | 7.4e4 | 1.1e6 | 4e8 | 3e-5 |
//! | wall of 10 x 10 bricks, 724 contacts | bodies first | 2.1e5 | 2.1e7 | 1 | 6e-10 |
//! | | a body before | 1.2e5 | 6.8e6 | 3e6 | 7e-10 |
//! | | rows first | 2.9e4 | 8.3e5 | 4e6 | 5e-16 |
//! | 100 bricks on one plate that moves | bodies first | 7.4e5 | 5.9e8 | 1 | 2e-10 |
//! | | a body before | 2.3e4 | 3.5e5 | 3 | 4e-10 |
//! | | rows first | 1.4e4 | 2.6e5 | 1e6 | 8e-15 |
//!
//! All are below 5e-16 after at most two steps of refinement. A row with T below [`STIFF`] of its diagonal of A comes after all its
//! bodies in every order.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use crate::problem::Saddle;

/// How many times the least operations a safer order may cost.
const TOLERATED: f64 = 2.0;

/// T below this part of the diagonal of A makes a row stiff. Before its bodies such a row would have round-off over T as error, about
/// 1e-4, and refinement takes many steps.
const STIFF: f64 = 1e-12;

/// A body with more groups of rows than this rules out bodies first: its rows would be one dense block.
const HUB: usize = 64;

/// The rows of K in an order of elimination that is cheap and accurate.
pub(super) fn choose(saddle: &Saddle) -> Vec<usize> {
    let graph = Graph::new(saddle);
    let candidates: Vec<(f64, Vec<usize>)> =
        [graph.bodies_first(), Some(graph.body_before_each()), Some(graph.rows_first())]
            .into_iter()
            .flatten()
            .map(|order| (graph.operations(&order), order))
            .collect();
    let least = candidates.iter().map(|(operations, _)| *operations).fold(f64::INFINITY, f64::min);
    let chosen = candidates.iter().find(|(operations, _)| *operations <= TOLERATED * least);
    chosen.map_or_else(Vec::new, |(_, order)| graph.rows_of_k(order))
}

/// Whether T of a row is too small for a place before one of its bodies.
fn stiff(saddle: &Saddle, row: usize) -> bool {
    saddle.t[row] < STIFF * saddle.diagonal(row)
}

/// Whether every stiff row comes after all its bodies, `place` being where each row of K comes.
pub(super) fn suits(saddle: &Saddle, place: &[usize]) -> bool {
    let n = saddle.p.len();
    let behind = |row: usize| saddle.jacobian.row_parts(row).0.iter().all(|&column| place[column] < place[n + row]);
    (0..saddle.q.len()).all(|row| !stiff(saddle, row) || behind(row))
}

/// Rows of G on the same bodies, which are eliminated together.
struct Group {
    bodies: Vec<usize>,
    rows: Vec<usize>,
    stiff: bool,
}

/// Bodies and groups of rows, in one numbering: bodies first.
struct Graph<'a> {
    saddle: &'a Saddle,
    groups: Vec<Group>,
    /// The groups on each body.
    on: Vec<Vec<usize>>,
}

impl Graph<'_> {
    fn new(saddle: &Saddle) -> Graph<'_> {
        let mut keyed: Vec<(Vec<usize>, bool, usize)> = (0..saddle.q.len())
            .map(|row| {
                let (columns, _) = saddle.jacobian.row_parts(row);
                let mut bodies: Vec<usize> = columns.iter().map(|&column| saddle.mass.block_of(column)).collect();
                bodies.dedup();
                (bodies, stiff(saddle, row), row)
            })
            .collect();
        keyed.sort_unstable();
        let mut groups: Vec<Group> = Vec::new();
        for (bodies, stiff, row) in keyed {
            match groups.last_mut() {
                Some(last) if last.bodies == bodies && last.stiff == stiff => last.rows.push(row),
                _ => groups.push(Group { bodies, rows: vec![row], stiff }),
            }
        }
        let mut on = vec![Vec::new(); saddle.mass.count()];
        for (index, group) in groups.iter().enumerate() {
            group.bodies.iter().for_each(|&body| on[body].push(index));
        }
        Graph { saddle, groups, on }
    }

    fn bodies(&self) -> usize {
        self.on.len()
    }

    /// The groups by minimum degree of the Schur complement, each after all its bodies; none where a hub would make that dense.
    /// A body right before the first of its groups has the same factors as all bodies at the start, closer together in memory.
    fn bodies_first(&self) -> Option<Vec<usize>> {
        if self.on.iter().any(|groups| groups.len() > HUB) {
            return None;
        }
        let groups = minimum_degree(self.groups.len(), pairs(self.on.iter().map(Vec::as_slice)));
        let order: Vec<usize> =
            groups.into_iter().map(|group| self.bodies() + group).chain(0..self.bodies()).collect();
        Some(self.repaired(&order, usize::MAX))
    }

    /// Minimum degree of K, a body brought before each group that has none.
    fn body_before_each(&self) -> Vec<usize> {
        let edges = self.incidences(|_| true);
        self.repaired(&minimum_degree(self.bodies() + self.groups.len(), edges), 1)
    }

    /// All groups that are not stiff, then bodies and stiff groups by minimum degree of what is left.
    fn rows_first(&self) -> Vec<usize> {
        let loose = || self.groups.iter().enumerate().filter(|(_, group)| !group.stiff);
        let mut edges = pairs(loose().map(|(_, group)| group.bodies.as_slice()));
        edges.extend(self.incidences(|group| group.stiff));
        let rest = minimum_degree(self.bodies() + self.groups.len(), edges);
        let is_rest = |node: &usize| *node < self.bodies() || self.groups[node - self.bodies()].stiff;
        let order: Vec<usize> =
            loose().map(|(index, _)| self.bodies() + index).chain(rest.into_iter().filter(is_rest)).collect();
        self.repaired(&order, 0)
    }

    /// Pairs of a body and a group on it.
    fn incidences(&self, which: impl Fn(&Group) -> bool) -> Vec<(usize, usize)> {
        let groups = self.groups.iter().enumerate().filter(|(_, group)| which(group));
        groups
            .flat_map(|(index, group)| group.bodies.iter().map(move |&body| (body, self.bodies() + index)))
            .collect()
    }

    /// The order with bodies brought forward, so that each group has at least so many before it, and a stiff group all.
    fn repaired(&self, order: &[usize], least: usize) -> Vec<usize> {
        let place = inverse(order);
        let mut done = vec![false; self.bodies()];
        let mut repaired = Vec::with_capacity(order.len());
        for &node in order {
            let Some(group) = node.checked_sub(self.bodies()).map(|index| &self.groups[index]) else {
                if !std::mem::replace(&mut done[node], true) {
                    repaired.push(node);
                }
                continue;
            };
            let mut missing: Vec<usize> = group.bodies.iter().copied().filter(|&body| !done[body]).collect();
            missing.sort_unstable_by_key(|&body| place[body]);
            let there = group.bodies.len() - missing.len();
            let wanted = if group.stiff { missing.len() } else { least.saturating_sub(there) };
            for &body in missing.iter().take(wanted) {
                done[body] = true;
                repaired.push(body);
            }
            repaired.push(node);
        }
        repaired
    }

    /// Multiplications of a factorisation in this order: the squares of the lengths of the columns of L.
    fn operations(&self, order: &[usize]) -> f64 {
        let place = inverse(order);
        let weight = |node: usize| match node.checked_sub(self.bodies()) {
            None => self.saddle.mass.range(node).len(),
            Some(group) => self.groups[group].rows.len(),
        };
        // The elimination tree, walked from every neighbour that comes earlier: the nodes met are the row of L.
        let (mut parent, mut seen) = (vec![usize::MAX; order.len()], vec![usize::MAX; order.len()]);
        let mut below = vec![0; order.len()];
        for (k, &node) in order.iter().enumerate() {
            seen[k] = k;
            let mut walk = |neighbour: usize| {
                let mut at = place[neighbour];
                while at < k && seen[at] != k {
                    seen[at] = k;
                    below[at] += weight(node);
                    if parent[at] == usize::MAX {
                        parent[at] = k;
                    }
                    at = parent[at];
                }
            };
            match node.checked_sub(self.bodies()) {
                None => self.on[node].iter().for_each(|group| walk(self.bodies() + group)),
                Some(group) => self.groups[group].bodies.iter().for_each(|&body| walk(body)),
            }
        }
        let column = |k: usize| -> f64 {
            let group = order[k].checked_sub(self.bodies()).map(|group| &self.groups[group]);
            // Rows of a group meet only where one of their bodies is eliminated before.
            let apart = group.is_some_and(|group| group.bodies.iter().all(|&body| place[body] > k));
            let length = |row: usize| (below[k] + if apart { 1 } else { row }) as f64;
            (1..=weight(order[k])).map(|row| length(row).powi(2)).sum()
        };
        (0..order.len()).map(column).sum()
    }

    /// The rows of K of the nodes.
    fn rows_of_k(&self, order: &[usize]) -> Vec<usize> {
        let n = self.saddle.p.len();
        let mut rows = Vec::with_capacity(n + self.saddle.q.len());
        for &node in order {
            match node.checked_sub(self.bodies()) {
                None => rows.extend(self.saddle.mass.range(node)),
                Some(group) => rows.extend(self.groups[group].rows.iter().map(|row| n + row)),
            }
        }
        rows
    }
}

fn inverse(order: &[usize]) -> Vec<usize> {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &node)| place[node] = k);
    place
}

/// All pairs in each of the lists.
fn pairs<'a>(lists: impl Iterator<Item = &'a [usize]>) -> Vec<(usize, usize)> {
    lists.flat_map(|list| (0..list.len()).flat_map(move |i| (0..i).map(move |j| (list[j], list[i])))).collect()
}

/// Approximate minimum degree; each edge goes from the smaller to the larger node.
pub(crate) fn minimum_degree(nodes: usize, mut edges: Vec<(usize, usize)>) -> Vec<usize> {
    edges.sort_unstable_by_key(|&(a, b)| (b, a));
    edges.dedup();
    let mut starts = vec![0; nodes + 1];
    edges.iter().for_each(|&(_, b)| starts[b + 1] += 1);
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let rows: Vec<usize> = edges.iter().map(|&(a, _)| a).collect();
    let upper = SymbolicSparseColMatRef::new_checked(nodes, nodes, &starts, None, &rows);
    let (mut order, mut place) = (vec![0; nodes], vec![0; nodes]);
    let mut memory = MemBuffer::new(amd::order_maybe_unsorted_scratch::<usize>(nodes, rows.len()));
    amd::order_maybe_unsorted(&mut order, &mut place, upper, amd::Control::default(), MemStack::new(&mut memory))
        .expect("memory for an ordering");
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ldlt::Ldlt;
    use crate::matrix::{Blocks, Dense, Sparse};

    /// A body that holds many arms by three rows each, one more than an arm has coordinates; every third arm is held by the ground
    /// too. T is 0 in every row whose number `stiff` divides.
    fn star(arms: usize, stiff: usize) -> Saddle {
        let block = Dense::from_rows(&[vec![2.0, 0.5], vec![0.5, 1.0]]).expect("a matrix");
        let mut triplets = Vec::new();
        let mut row = 0;
        for arm in 0..arms {
            for k in 0..3 {
                let (a, b) = ((row as f64).cos(), (row as f64).sin());
                triplets.extend([(row, 2 * arm, a), (row, 2 * arm + 1, b)]);
                triplets.extend([(row, 2 * arms, -a), (row, 2 * arms + 1, 0.5 - b)]);
                row += 1;
                if k == 2 && arm % 3 == 0 {
                    triplets.extend([(row, 2 * arm, 1.0), (row, 2 * arm + 1, 0.5)]);
                    row += 1;
                }
            }
        }
        let n = 2 * arms + 2;
        let t = (0..row).map(|row| if row % stiff == 0 { 0.0 } else { 1e-6 }).collect();
        let mass = Blocks::from_blocks(&vec![block; arms + 1]).expect("square blocks");
        let jacobian = Sparse::from_triplets(row, n, &triplets).expect("entries inside");
        let wave = |size: usize| (0..size).map(|k| (1.7 * k as f64 + 0.3).sin()).collect::<Vec<_>>();
        Saddle::new(mass, jacobian, t, wave(n), wave(row)).expect("a problem")
    }

    fn candidates(graph: &Graph) -> Vec<Vec<usize>> {
        let candidates = [graph.bodies_first(), Some(graph.body_before_each()), Some(graph.rows_first())];
        candidates.into_iter().flatten().collect()
    }

    #[test]
    fn every_order_counts_the_operations_of_its_factors() {
        for saddle in [star(5, usize::MAX), star(20, 4)] {
            let graph = Graph::new(&saddle);
            for order in candidates(&graph) {
                let lower = Ldlt::with_order(&saddle, graph.rows_of_k(&order)).expect("an order").lower();
                let columns = lower.transposed();
                let counted: f64 =
                    (0..columns.rows()).map(|column| (columns.row_parts(column).0.len() as f64).powi(2)).sum();
                assert_eq!(graph.operations(&order), counted);
            }
        }
    }

    #[test]
    fn a_stiff_row_comes_after_all_its_bodies_and_another_after_one_in_the_orders_that_say_so() {
        let saddle = star(20, 4);
        let (n, graph) = (saddle.p.len(), Graph::new(&saddle));
        let all = candidates(&graph);
        assert_eq!(all.len(), 3);
        for (candidate, least) in all.iter().zip([usize::MAX, 1, 0]) {
            let order = graph.rows_of_k(candidate);
            let place = inverse(&order);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..n + saddle.q.len()), "not every row once");
            for row in 0..saddle.q.len() {
                let columns = saddle.jacobian.row_parts(row).0;
                let before = columns.iter().filter(|&&column| place[column] < place[n + row]).count();
                let wanted = if saddle.t[row] == 0.0 { columns.len() } else { columns.len().min(2 * least.min(9)) };
                assert!(before >= wanted, "row {row} has {before} of {wanted} coordinates before it");
            }
        }
    }

    #[test]
    fn redundant_rows_are_solved_to_round_off_with_and_without_a_hub_and_stiff_rows() {
        for (arms, stiff, orders) in [(20, usize::MAX, 3), (20, 4, 3), (100, usize::MAX, 2), (100, 4, 2)] {
            let saddle = star(arms, stiff);
            assert_eq!(candidates(&Graph::new(&saddle)).len(), orders);
            let mut ldlt = Ldlt::analyse(&saddle);
            ldlt.factor(&vec![true; saddle.q.len()]).expect("quasi-definite");
            let right: Vec<f64> = saddle.p.iter().chain(&saddle.q).map(|value| -value).collect();
            let accuracy = ldlt.solve(&right, &mut vec![0.0; right.len()]);
            assert!(accuracy.backward_error < 1e-15, "{arms} arms: {accuracy:?}");
        }
    }

    #[test]
    fn a_body_that_holds_many_others_costs_no_dense_block() {
        let entries = |arms| Ldlt::analyse(&star(arms, usize::MAX)).entries() as f64;
        let ratio = entries(400) / entries(200);
        assert!(ratio < 2.05, "twice the arms have {ratio} times the entries");
    }

    #[test]
    fn the_entries_of_a_chain_grow_in_proportion() {
        let entries = |bodies| Ldlt::analyse(&crate::corpus::chain(bodies, 1.6e-5)).entries() as f64;
        let ratio = entries(1000) / entries(100);
        assert!((ratio - 10.0).abs() < 0.1, "ten times the bodies have {ratio} times the entries");
    }
}
