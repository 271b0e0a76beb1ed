//! Names in the expressions of particles: the variables of the element and named constants.

use crate::lagrangian::expression::{Graph, NameError, NodeId, Scope};

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
