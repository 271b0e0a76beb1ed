//! What names mean where particles or plates are referred to, in the potentials that act on them and in generators.

use carom::lagrangian::expression::{Graph, NameError, NodeId, Scope, parse};

use super::super::names::{Family, Names};
use crate::document::{Item, Kind};

/// References to particles or plates: `bead[k]` is the number of that one among all of them.
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
        let word = self.0.what.word();
        Err(NameError::Invalid(format!("the number of a {word} does not depend on velocities")))
    }

    fn known_names(&self) -> Vec<String> {
        let constants = self.0.indices.iter().chain(self.0.parameters.iter()).map(|(name, _)| name.clone());
        self.0.families().iter().map(Family::shown).chain(constants).collect()
    }
}

/// The number of the particle or plate that an item refers to, among `count`.
pub fn reference(item: &Item, names: &Names, count: usize) -> Option<usize> {
    let word = names.what.word();
    let value = match item.kind() {
        Kind::String(text) if names.unjudged(text) => return None,
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
        _ => return item.mismatch(&format!("a {word}: its number, or an expression like \"bead[0]\"")),
    };
    if value.fract() == 0.0 && (0.0..count as f64).contains(&value) {
        return Some(value as usize);
    }
    if names.unknown.count && value.fract() == 0.0 && value >= count as f64 {
        return None;
    }
    let last = count.max(1) - 1;
    let message = format!("there is no {word} {value}{}: they are numbered from 0 to {last}", names.at());
    item.report(message, None);
    None
}

/// A variable of an expression and what it stands for.
pub type Variable = (&'static str, &'static str);

const MASS: Variable = ("m", "the mass");

/// An expression that is written with variables of its own.
pub struct Written {
    /// What it is, for messages.
    what: &'static str,
    variables: Vec<Variable>,
}

impl Written {
    /// The potential of a field in space of a dimension.
    pub fn field(dimension: usize) -> Self {
        let others = [("t", "the time"), MASS];
        Self { what: "a field potential", variables: place(dimension).chain(others).collect() }
    }

    /// A pair potential.
    pub fn pair() -> Self {
        Self { what: "a pair potential", variables: vec![("r", "the distance of the pair")] }
    }

    /// A component of a generator of particles in space of a dimension.
    pub fn generator(dimension: usize) -> Self {
        Self { what: "a generator", variables: place(dimension).chain([MASS]).collect() }
    }

    /// A component of a generator of plates.
    pub fn plate_generator() -> Self {
        let variables = place(2).chain([("angle", "a coordinate"), MASS]).collect();
        Self { what: "a generator", variables }
    }

    /// The variables in words: `x, y and m`.
    fn list(&self) -> String {
        let names: Vec<&str> = self.variables.iter().map(|(name, _)| *name).collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => names.concat(),
        }
    }
}

fn place(dimension: usize) -> impl Iterator<Item = Variable> {
    ["x", "y", "z"].into_iter().take(dimension).map(|name| (name, "a coordinate"))
}

/// The names in such an expression: its own variables, parameters and indices.
struct Inside<'a> {
    names: &'a Names,
    written: &'a Written,
}

impl Scope for Inside<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let invalid = |message: String| Err(NameError::Invalid(message));
        let Written { what, variables } = self.written;
        let place = variables.iter().position(|(variable, _)| *variable == name);
        match (place, self.names.constant(name)) {
            (None, None) if name == "t" => invalid(format!("{what} may not depend on t")),
            (None, None) if self.names.family(name).is_some() => {
                let (word, own) = (self.names.what.word(), self.written.list());
                invalid(format!("`{name}` is a {word}: {what} is written with {own}"))
            }
            (None, None) => Err(NameError::Unknown),
            // Two meanings of one name would give a wrong force without a word.
            (Some(place), Some(_)) => {
                let meaning = variables[place].1;
                invalid(format!("`{name}` is {meaning} here and a parameter or index too: rename the latter"))
            }
            _ if index.is_some() => invalid(format!("`{name}` takes no index")),
            (Some(place), None) => Ok(graph.input(place as u32)),
            (None, Some(value)) => Ok(graph.constant(value)),
        }
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid(format!("{} may not depend on velocities", self.written.what)))
    }

    fn known_names(&self) -> Vec<String> {
        let constants = self.names.indices.iter().chain(self.names.parameters.iter()).map(|(name, _)| name.clone());
        self.written.variables.iter().map(|(name, _)| name.to_string()).chain(constants).collect()
    }
}

/// The text of such an expression if it is right, or a number.
pub fn text(item: &Item, names: &Names, written: &Written) -> Option<String> {
    let text = match item.kind() {
        Kind::String(text) => text.clone(),
        Kind::Integer(_) | Kind::Float(_) => return item.number().map(|value| format!("{value:?}")),
        _ => return item.mismatch("a number or a quoted expression"),
    };
    match parse(&mut Graph::new(), &text, &Inside { names, written }) {
        Ok(_) => Some(text),
        Err(error) => {
            item.report_inside(error.column - 1, error.length, error.message, error.help);
            None
        }
    }
}

/// Parameters and indices with their values, as potentials take them.
pub fn constants(names: &Names) -> Vec<(&str, f64)> {
    names.indices.iter().chain(names.parameters.iter()).map(|(name, value)| (name.as_str(), *value)).collect()
}
