//! Second derivatives of the potential by the pairs of coordinates that occur together.

use std::sync::OnceLock;

use super::Expressed;
use super::program::Program;
use super::room::locked;
use crate::lagrangian::definition::Layout;
use crate::lagrangian::expression::{Graph, NodeId};
use crate::system::{Pattern, SparseHessian};

/// A potential that couples more than this part of all pairs of coordinates is not sparse.
const SPARSE: f64 = 0.25;

/// What is known of the pairs; found when it is first asked for.
#[derive(Default)]
pub struct Couplings(OnceLock<Option<Entries>>);

struct Entries {
    pattern: Pattern,
    program: Program,
}

impl Couplings {
    /// Whether few pairs are coupled. `find` is asked once.
    fn get(&self, find: impl FnOnce() -> Option<Entries>) -> Option<&Entries> {
        self.0.get_or_init(find).as_ref()
    }
}

impl Entries {
    /// None where too many pairs are coupled.
    fn new(graph: &mut Graph, layout: Layout, potential: NodeId) -> Option<Self> {
        let n = layout.n;
        let gradient = graph.gradient(potential, &layout.coordinates());
        let together = |i: usize| graph.dependencies(gradient[i]).map(|input| input as usize).filter(|&j| j < n);
        // Those behind the diagonal; one node for both halves.
        let behind: Vec<Vec<usize>> = (0..n).map(|i| together(i).filter(|&j| j > i).collect()).collect();
        let count = n + 2 * behind.iter().map(Vec::len).sum::<usize>();
        if count as f64 > SPARSE * (n as f64).powi(2) {
            return None;
        }
        let mut rows: Vec<Vec<(usize, NodeId)>> = vec![Vec::new(); n];
        for (i, behind) in behind.into_iter().enumerate() {
            rows[i].push((i, graph.derivative(gradient[i], layout.q(i))));
            for j in behind {
                let entry = graph.derivative(gradient[i], layout.q(j));
                if entry != Graph::ZERO {
                    rows[i].push((j, entry));
                    rows[j].push((i, entry));
                }
            }
        }
        let mut pattern = Pattern::new(1);
        for row in &rows {
            // Those before the diagonal came first, in their order.
            pattern.push_row(row.iter().map(|(column, _)| *column));
        }
        let outputs: Vec<NodeId> = rows.into_iter().flatten().map(|(_, entry)| entry).collect();
        Some(Self { pattern, program: Program::new(graph, &outputs, n + 1) })
    }
}

impl Expressed {
    /// The pairs, if few are coupled.
    fn entries(&self) -> Option<&Entries> {
        let find = || Entries::new(&mut locked(&self.definition).graph, self.layout, self.potential_node);
        self.couplings.get(find)
    }

    /// The second derivatives by their entries, if few pairs are coupled.
    pub(super) fn sparse(&self) -> Option<&dyn SparseHessian> {
        self.entries().map(|entries| entries as &dyn SparseHessian)
    }
}

impl SparseHessian for Entries {
    fn couplings(&self) -> &Pattern {
        &self.pattern
    }
    fn hessian_entries(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.program.run(&[q, &[t]], out);
    }
}
