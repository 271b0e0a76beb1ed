//! What a system of expressions consists of, before its derivatives are made.

use super::expression::{Graph, Inputs, NodeId};
pub use super::mass::{MassNodes, mass_of_kinetic};
use crate::system::Softness;

/// Where the inputs of the expressions stand: `[q | t | v | λ]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Number of coordinates.
    pub n: usize,
}

impl Layout {
    /// Input of coordinate `i`.
    pub fn q(self, i: usize) -> u32 {
        i as u32
    }
    /// Input of the time.
    pub fn t(self) -> u32 {
        self.n as u32
    }
    /// Input of velocity `i`.
    pub fn v(self, i: usize) -> u32 {
        (self.n + 1 + i) as u32
    }
    /// Input of multiplier `i`.
    pub fn lambda(self, i: usize) -> u32 {
        (2 * self.n + 1 + i) as u32
    }
    /// Inputs of all coordinates.
    pub fn coordinates(self) -> Vec<u32> {
        (0..self.n).map(|i| self.q(i)).collect()
    }
    /// Inputs of all velocities.
    pub fn velocities(self) -> Vec<u32> {
        (0..self.n).map(|i| self.v(i)).collect()
    }
}

/// A constraint row with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedRow {
    /// What it is called in messages.
    pub name: String,
    /// Its expression.
    pub node: NodeId,
}

/// What happens when an inequality is touched.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Lengths along which the surfaces slide, functions of `q`: at most 2, at right angles.
    pub slides: Vec<NodeId>,
    /// Rows of the directions of sliding, `n` entries each, where they are not the gradients of `slides`; otherwise empty.
    pub tangents: Vec<NodeId>,
    /// What is said of the unit of the gap.
    pub unit: Unit,
    /// How soft it is.
    pub softness: Softness,
}

/// What is said of the unit of a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Nothing: [`make_lengths`](super::length::make_lengths) makes it a length where friction acts.
    #[default]
    Found,
    /// It is a length as it is written.
    Length,
    /// It is to be made a length.
    Normalised,
}

/// Elastic and without friction.
impl Default for Contact {
    fn default() -> Self {
        Self {
            restitution: 1.0,
            friction: 0.0,
            slides: Vec::new(),
            tangents: Vec::new(),
            unit: Unit::default(),
            softness: Softness::default(),
        }
    }
}

/// What a nonholonomic row can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drive {
    /// What it yields in velocity per force; `None` where the method's own value counts.
    pub slip: Option<f64>,
    /// Bounds of its force, the lower one at most 0 and the upper one at least 0.
    pub force: [f64; 2],
}

/// Without bounds.
impl Default for Drive {
    fn default() -> Self {
        Self { slip: None, force: [f64::NEG_INFINITY, f64::INFINITY] }
    }
}

/// Expressions of a system over the inputs of [`Layout`].
#[derive(Debug, Clone)]
pub struct Definition {
    /// The graph that all nodes belong to.
    pub graph: Graph,
    /// Names of the coordinates.
    pub coordinates: Vec<String>,
    /// `M(q)`.
    pub mass: MassNodes,
    /// `V(q, t)`.
    pub potential: NodeId,
    /// What it is the sum of; empty for one part.
    pub potential_parts: Vec<NamedRow>,
    /// `f_NP(q, v, t)`, one per coordinate; empty for none.
    pub forces: Vec<NodeId>,
    /// Powers `f·v` of the terms that the forces are sums of.
    pub powers: Vec<NamedRow>,
    /// `f(q, t) = 0`.
    pub equalities: Vec<NamedRow>,
    /// How soft each equality is.
    pub softness: Vec<Softness>,
    /// `g(q) ≥ 0`.
    pub inequalities: Vec<NamedRow>,
    /// What else is known of each inequality.
    pub contacts: Vec<Contact>,
    /// `A(q)v − a(t) = 0`, linear in `v`.
    pub nonholonomic: Vec<NamedRow>,
    /// What each nonholonomic row can do.
    pub drives: Vec<Drive>,
}

/// Why an expression cannot stand where it stands.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Misfit {
    /// A kinetic energy that is no quadratic form in the velocities.
    #[error("the kinetic energy must be quadratic in the velocities: {0}")]
    NotQuadratic(&'static str),
    /// A row that is not linear in the velocities.
    #[error("a nonholonomic row must have the form A(q) v - a(t): {0}")]
    NotLinear(&'static str),
    /// Rows and what else is known of them do not belong together.
    #[error("{found} {what} are described, needed are {needed}: one per row")]
    Count {
        /// What is known of rows.
        what: &'static str,
        /// How many are described.
        found: usize,
        /// How many rows there are.
        needed: usize,
    },
    /// A number out of its range.
    #[error("{what} must be {allowed}")]
    Range {
        /// Which.
        what: &'static str,
        /// What is allowed.
        allowed: &'static str,
    },
    /// Directions of sliding beyond those of a surface.
    #[error("a contact has at most 2 directions of sliding, found {0}")]
    Slides(usize),
    /// Friction along no known direction.
    #[error("friction needs a direction of sliding")]
    NoSlide,
    /// A dependence that is not allowed.
    #[error("{what} may not depend on {on}")]
    Dependence {
        /// What.
        what: &'static str,
        /// On what.
        on: &'static str,
    },
}

/// The derivative by an input; most rows of a large system have few, and the others are not looked for.
fn derivative(graph: &mut Graph, node: NodeId, input: u32) -> NodeId {
    if graph.depends_on(node, input) { graph.derivative(node, input) } else { Graph::ZERO }
}

/// `A` and `−a` of a row `A(q)v − a(t)`.
pub fn split_row(graph: &mut Graph, layout: Layout, row: NodeId) -> Result<(Vec<NodeId>, NodeId), Misfit> {
    let velocities = layout.velocities();
    let (rest, all) = (graph.replace_inputs_by_zero(row, &velocities), Inputs::of(&velocities));
    if graph.depends_on_any(rest, &Inputs::of(&layout.coordinates())) {
        return Err(Misfit::NotLinear("the part without velocities depends on a coordinate"));
    }
    let mut matrix = Vec::with_capacity(layout.n);
    for &v in &velocities {
        let entry = derivative(graph, row, v);
        if graph.depends_on_any(entry, &all) {
            return Err(Misfit::NotLinear("it is not linear in the velocities"));
        }
        if graph.depends_on(entry, layout.t()) {
            return Err(Misfit::NotLinear("a coefficient of a velocity depends on t"));
        }
        matrix.push(entry);
    }
    Ok((matrix, rest))
}

impl Definition {
    /// Where the inputs stand.
    pub fn layout(&self) -> Layout {
        Layout { n: self.coordinates.len() }
    }

    /// Checks that every expression depends only on what it may depend on.
    pub fn check(&mut self) -> Result<(), Misfit> {
        let layout = self.layout();
        let (velocities, t) = (Inputs::of(&layout.velocities()), Inputs::of(&[layout.t()]));
        let graph = &self.graph;
        let refuse = |nodes: &[NodeId], inputs: &Inputs, what: &'static str, on: &'static str| {
            if nodes.iter().any(|&node| graph.depends_on_any(node, inputs)) {
                Err(Misfit::Dependence { what, on })
            } else {
                Ok(())
            }
        };
        let nodes = |rows: &[NamedRow]| rows.iter().map(|row| row.node).collect::<Vec<_>>();
        refuse(self.mass.nodes(), &velocities, "the mass matrix", "velocities")?;
        refuse(self.mass.nodes(), &t, "the mass matrix", "t")?;
        refuse(&[self.potential], &velocities, "the potential", "velocities")?;
        refuse(&nodes(&self.equalities), &velocities, "an equality constraint", "velocities")?;
        refuse(&nodes(&self.inequalities), &velocities, "an inequality constraint", "velocities")?;
        let counts = [
            ("contacts", self.contacts.len(), self.inequalities.len()),
            ("compliances", self.softness.len(), self.equalities.len()),
            ("drives", self.drives.len(), self.nonholonomic.len()),
        ];
        if let Some(&(what, found, needed)) = counts.iter().find(|(_, found, needed)| found != needed) {
            return Err(Misfit::Count { what, found, needed });
        }
        let from_zero = |what: &'static str, value: Option<f64>| match value {
            Some(value) if !(value.is_finite() && value >= 0.0) => {
                Err(Misfit::Range { what, allowed: "zero or a positive number" })
            }
            _ => Ok(()),
        };
        let of_contacts = self.contacts.iter().map(|contact| &contact.softness);
        for Softness { compliance, damping } in self.softness.iter().chain(of_contacts) {
            from_zero("a compliance", *compliance)?;
            from_zero("a damping", *damping)?;
        }
        for Drive { slip, force: [lower, upper] } in &self.drives {
            from_zero("a slip", *slip)?;
            // Neither of them is met by NaN.
            if !(*lower <= 0.0 && *upper >= 0.0) {
                return Err(Misfit::Range { what: "zero", allowed: "within the bounds of a force" });
            }
        }
        for Contact { friction, slides, tangents, .. } in &self.contacts {
            if !tangents.is_empty() && tangents.len() != slides.len() * layout.n {
                let (found, needed) = (tangents.len(), slides.len() * layout.n);
                return Err(Misfit::Count { what: "entries of directions of sliding", found, needed });
            }
            refuse(slides, &velocities, "a direction of sliding", "velocities")?;
            refuse(slides, &t, "a direction of sliding", "t")?;
            match slides.len() {
                0 if *friction > 0.0 => return Err(Misfit::NoSlide),
                0..=2 => {}
                more => return Err(Misfit::Slides(more)),
            }
        }
        for row in &self.nonholonomic {
            split_row(&mut self.graph, layout, row.node)?;
        }
        Ok(())
    }
}
