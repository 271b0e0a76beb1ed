//! Names of particles in messages and columns, and names in their expressions: variables and named constants.

use super::input::{End, Link};
use crate::lagrangian::expression::{Graph, NameError, NodeId, Scope};

/// Axes of space.
const AXES: [&str; 3] = ["x", "y", "z"];

/// What particles are called; one without a name by its number.
#[derive(Debug, Clone, Default)]
pub struct Names {
    given: Vec<Option<String>>,
}

impl Names {
    /// From one name or none per particle.
    pub fn new(given: Vec<Option<String>>) -> Self {
        Self { given }
    }

    fn given(&self, index: usize) -> Option<&String> {
        self.given.get(index).and_then(Option::as_ref)
    }

    /// A particle.
    pub fn particle(&self, index: usize) -> String {
        self.given(index).cloned().unwrap_or_else(|| index.to_string())
    }

    /// A coordinate: `sun.x`, or `x[3]` where the particle has no name.
    pub fn coordinate(&self, index: usize, axis: usize) -> String {
        let axis = AXES[axis];
        self.given(index).map_or_else(|| format!("{axis}[{index}]"), |name| format!("{name}.{axis}"))
    }

    /// A spring or a rod by its ends.
    pub fn link(&self, link: &Link) -> String {
        let from = self.particle(link.particle);
        match link.other {
            End::Particle(other) => format!("{from}-{}", self.particle(other)),
            End::Anchor(_) => format!("{from}-anchor"),
        }
    }
}

/// Variables by their input, and constants by value.
pub struct Variables<'a> {
    pub names: &'a [(&'a str, u32)],
    pub constants: &'a [(&'a str, f64)],
}

impl Scope for Variables<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let variable = self.names.iter().find(|(other, _)| *other == name);
        let constant = self.constants.iter().find(|(other, _)| *other == name);
        match (variable, constant, index) {
            (None, None, _) => Err(NameError::Unknown),
            (_, _, Some(_)) => Err(NameError::Invalid(format!("`{name}` takes no index"))),
            (Some((_, input)), _, None) => Ok(graph.input(*input)),
            (None, Some((_, value)), None) => Ok(graph.constant(*value)),
        }
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("a potential may not depend on velocities".into()))
    }

    fn known_names(&self) -> Vec<String> {
        let constants = self.constants.iter().map(|(name, _)| *name);
        self.names.iter().map(|(name, _)| *name).chain(constants).map(String::from).collect()
    }
}
