//! What names mean where particles are referred to and in the potentials that act on them.

use carom::lagrangian::expression::{Graph, NameError, NodeId, Scope, parse};

use super::super::names::{Family, Names};
use crate::document::{Item, Kind};

/// References to particles: `bead[k]` is the number of that particle among all of them.
struct Numbered<'a>(&'a Names);

impl Scope for Numbered<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        match (self.0.constant(name), index) {
            (Some(value), None) => Ok(graph.constant(value)),
            (Some(_), Some(_)) => Err(NameError::Invalid(format!("`{name}` is a number and takes no index"))),
            (None, _) => self.0.member(name, index).map(|place| graph.constant(place as f64)),
        }
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("the number of a particle does not depend on velocities".into()))
    }

    fn known_names(&self) -> Vec<String> {
        let constants = self.0.indices.iter().chain(&self.0.parameters).map(|(name, _)| name.clone());
        self.0.families.iter().map(Family::shown).chain(constants).collect()
    }
}

/// The number of the particle that an item refers to, among `count`.
pub fn reference(item: &Item, names: &Names, count: usize) -> Option<usize> {
    let value = match item.kind() {
        Kind::String(text) => {
            let mut graph = Graph::new();
            match parse(&mut graph, text, &Numbered(names)) {
                // What does not fold is not finite: nothing but constants went in.
                Ok(node) => graph.constant_value(node).unwrap_or(f64::NAN),
                Err(error) => {
                    item.report_inside(error.column - 1, error.length, error.message, error.help);
                    return None;
                }
            }
        }
        Kind::Integer(number) => *number as f64,
        _ => return item.mismatch("a particle: its number, or an expression like \"bead[0]\""),
    };
    if value.fract() == 0.0 && (0.0..count as f64).contains(&value) {
        return Some(value as usize);
    }
    let last = count.max(1) - 1;
    let message = format!("there is no particle {value}{}: they are numbered from 0 to {last}", names.at());
    item.report(message, None);
    None
}

/// A variable of a potential and what it stands for.
pub type Variable = (&'static str, &'static str);

/// The variables of a field in space of a dimension.
pub fn field_variables(dimension: usize) -> Vec<Variable> {
    let place = [("x", "a coordinate"), ("y", "a coordinate"), ("z", "a coordinate")];
    place.into_iter().take(dimension).chain([("t", "the time"), ("m", "the mass of the particle")]).collect()
}

/// The variable of a pair potential.
pub const PAIR_VARIABLES: [Variable; 1] = [("r", "the distance of the pair")];

/// A potential: its own variables, parameters and indices.
struct Potential<'a> {
    names: &'a Names,
    variables: &'a [Variable],
}

impl Scope for Potential<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let invalid = |message: String| Err(NameError::Invalid(message));
        let place = self.variables.iter().position(|(variable, _)| *variable == name);
        match (place, self.names.constant(name)) {
            (None, None) if name == "t" => invalid("a pair potential may not depend on t".into()),
            (None, None) if self.names.families.iter().any(|family| family.name == name) => {
                invalid(format!("`{name}` is a particle: a potential is written with its own variables"))
            }
            (None, None) => Err(NameError::Unknown),
            // Two meanings of one name would give a wrong force without a word.
            (Some(place), Some(_)) => {
                let meaning = self.variables[place].1;
                invalid(format!("`{name}` is {meaning} here and a parameter or index too: rename the latter"))
            }
            _ if index.is_some() => invalid(format!("`{name}` takes no index")),
            (Some(place), None) => Ok(graph.input(place as u32)),
            (None, Some(value)) => Ok(graph.constant(value)),
        }
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("a potential may not depend on velocities".into()))
    }

    fn known_names(&self) -> Vec<String> {
        let constants = self.names.indices.iter().chain(&self.names.parameters).map(|(name, _)| name.clone());
        self.variables.iter().map(|(name, _)| name.to_string()).chain(constants).collect()
    }
}

/// The text of a potential if it is right: an expression of its variables, or a number.
pub fn potential(item: &Item, names: &Names, variables: &[Variable]) -> Option<String> {
    let text = match item.kind() {
        Kind::String(text) => text.clone(),
        Kind::Integer(_) | Kind::Float(_) => return item.number().map(|value| format!("{value:?}")),
        _ => return item.mismatch("a number or a quoted expression"),
    };
    match parse(&mut Graph::new(), &text, &Potential { names, variables }) {
        Ok(_) => Some(text),
        Err(error) => {
            item.report_inside(error.column - 1, error.length, error.message, error.help);
            None
        }
    }
}

/// Parameters and indices with their values, as potentials take them.
pub fn constants(names: &Names) -> Vec<(&str, f64)> {
    names.indices.iter().chain(&names.parameters).map(|(name, value)| (name.as_str(), *value)).collect()
}
