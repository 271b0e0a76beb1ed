//! The mass matrix as expressions.

use super::definition::{Layout, Misfit};
use super::expression::{Graph, Inputs, NodeId};

/// `M(q)`, symmetric; functions of `q` only.
#[derive(Debug, Clone, PartialEq)]
pub enum MassNodes {
    /// One entry per coordinate; the others are 0.
    Diagonal(Vec<NodeId>),
    /// `n × n`, row-major.
    Full(Vec<NodeId>),
}

impl MassNodes {
    /// The entries that are there.
    pub fn nodes(&self) -> &[NodeId] {
        match self {
            Self::Diagonal(nodes) | Self::Full(nodes) => nodes,
        }
    }

    /// The nonzero entries of row `i`, by their columns.
    pub fn row(&self, i: usize, n: usize) -> impl Iterator<Item = (usize, NodeId)> + '_ {
        let (first, entries) = match self {
            Self::Diagonal(nodes) => (i, &nodes[i..i + 1]),
            Self::Full(nodes) => (0, &nodes[i * n..(i + 1) * n]),
        };
        (first..).zip(entries.iter().copied()).filter(|(_, node)| *node != Graph::ZERO)
    }

    /// All entries, `n × n`.
    pub fn matrix(&self, n: usize) -> Vec<NodeId> {
        let mut out = vec![Graph::ZERO; n * n];
        (0..n).for_each(|i| self.row(i, n).for_each(|(j, node)| out[i * n + j] = node));
        out
    }
}

/// The mass matrix of a kinetic energy: its Hessian in the velocities.
pub fn mass_of_kinetic(graph: &mut Graph, layout: Layout, kinetic: NodeId) -> Result<MassNodes, Misfit> {
    let (n, velocities) = (layout.n, layout.velocities());
    if graph.depends_on(kinetic, layout.t()) {
        return Err(Misfit::Dependence { what: "the kinetic energy", on: "t" });
    }
    let rest = graph.replace_inputs_by_zero(kinetic, &velocities);
    if graph.constant_value(rest) != Some(0.0) {
        return Err(Misfit::NotQuadratic("it has terms without velocities"));
    }
    let (momentum, all) = (graph.gradient(kinetic, &velocities), Inputs::of(&velocities));
    // The upper half, row by row; the lower one is taken from it: one node for both, so that symmetry is exact.
    let mut rows: Vec<Vec<(usize, NodeId)>> = Vec::with_capacity(n);
    for (i, &p) in momentum.iter().enumerate() {
        // Most rows of a large system have few velocities, and the others are not looked for.
        let own: Vec<u32> = graph.dependencies(p).filter(|input| velocities.binary_search(input).is_ok()).collect();
        let rest = graph.replace_inputs_by_zero(p, &own);
        if graph.constant_value(rest) != Some(0.0) {
            return Err(Misfit::NotQuadratic("it has terms linear in the velocities"));
        }
        let mut row = Vec::new();
        for v in own.into_iter().filter(|v| *v >= layout.v(i)) {
            let entry = graph.derivative(p, v);
            if graph.depends_on_any(entry, &all) {
                return Err(Misfit::NotQuadratic("its second derivatives depend on the velocities"));
            }
            row.push(((v - layout.v(0)) as usize, entry));
        }
        rows.push(row);
    }
    if rows.iter().enumerate().all(|(i, row)| row.iter().all(|(j, node)| i == *j || *node == Graph::ZERO)) {
        let own = |row: &Vec<(usize, NodeId)>| row.first().map_or(Graph::ZERO, |(_, node)| *node);
        let mut diagonal: Vec<NodeId> = rows.iter().map(own).collect();
        for (i, row) in rows.iter().enumerate() {
            if row.first().is_some_and(|(j, _)| *j != i) {
                diagonal[i] = Graph::ZERO;
            }
        }
        return Ok(MassNodes::Diagonal(diagonal));
    }
    let mut mass = vec![Graph::ZERO; n * n];
    for (i, row) in rows.iter().enumerate() {
        for &(j, node) in row {
            (mass[i * n + j], mass[j * n + i]) = (node, node);
        }
    }
    Ok(MassNodes::Full(mass))
}
