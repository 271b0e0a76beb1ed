//! What names mean in the expressions of a scene.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use carom::lagrangian::definition::Layout;
use carom::lagrangian::expression::{Graph, Inputs, NameError, NodeId, Op, Scope, parse};

use super::by_name::ByName;
use super::unknown::Unknown;
use crate::document::{Item, Kind};

/// Names that no parameter, coordinate or definition may have.
const RESERVED: [&str; 3] = ["t", "pi", "dot"];

/// A coordinate, particle or plate, or several of them that were declared by one repeated element.
#[derive(Debug, Clone, PartialEq)]
pub struct Family {
    /// Name without index.
    pub name: String,
    /// Place of the first among all of its kind.
    pub first: usize,
    /// For a repeated one, its index and the values that the index takes.
    pub repeat: Option<Repeat>,
}

impl Family {
    /// How many it stands for.
    pub fn count(&self) -> usize {
        self.repeat.as_ref().map_or(1, |repeat| repeat.count as usize)
    }

    /// How it is written in an expression.
    pub fn shown(&self) -> String {
        match &self.repeat {
            Some(repeat) => format!("{}[{}]", self.name, repeat.index),
            None => self.name.clone(),
        }
    }
}

/// The index of a repeated element.
#[derive(Debug, Clone, PartialEq)]
pub struct Repeat {
    /// Name of the index.
    pub index: String,
    /// Its first value.
    pub start: i64,
    /// How many values it takes.
    pub count: i64,
}

/// What the families of a scene are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum What {
    /// Generalised coordinates.
    #[default]
    Coordinate,
    /// Particles.
    Particle,
    /// Plates.
    Plate,
}

impl What {
    /// The word for one of them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Coordinate => "coordinate",
            Self::Particle => "particle",
            Self::Plate => "plate",
        }
    }
}

/// The quoted name of a coordinate, particle or plate, if it has one.
pub fn named(families: &[Family], place: usize) -> Option<String> {
    // Families stand in the order of their places; of those that begin at one place, all but the last are empty.
    let family = families[..families.partition_point(|family| family.first <= place)].last()?;
    let Family { name, first, repeat } = Some(family).filter(|family| place < family.first + family.count())?;
    Some(match repeat {
        Some(repeat) => format!("`{name}[{}]`", repeat.start + (place - first) as i64),
        None => format!("`{name}`"),
    })
}

/// What an expression may use beside parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Allowed {
    /// Coordinates and definitions.
    pub coordinates: bool,
    /// Velocities; otherwise what the expression is, for the message.
    pub velocities: Result<(), &'static str>,
    /// The time; otherwise what the expression is.
    pub time: Result<(), &'static str>,
}

/// Everything that has a name.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// Parameters with their values.
    pub parameters: ByName<f64>,
    /// Coordinates, particles or plates.
    families: Vec<Family>,
    /// Where a family stands among them, by its name and by that of its index.
    family_places: [HashMap<String, usize>; 2],
    /// How many all families stand for.
    dim: usize,
    /// Which of these.
    pub what: What,
    /// Named subexpressions.
    pub definitions: ByName<NodeId>,
    /// Indices of the repeated element that is being read.
    pub indices: Vec<(String, f64)>,
    /// Names that some expression has used.
    pub used: RefCell<BTreeSet<String>>,
    /// What is not known because its declaration is wrong.
    pub unknown: Unknown,
}

impl Names {
    /// Makes every definition a constant of a new graph, where nothing is made of the expressions: they are read for what is wrong
    /// with them.
    pub fn forget_definitions(&mut self) -> Graph {
        let mut graph = Graph::new();
        self.definitions.values_mut().for_each(|node| *node = graph.constant(1.0));
        graph
    }

    /// Whether an expression refers to what is not known because its declaration is wrong: then it is not judged.
    pub fn unjudged(&self, text: &str) -> bool {
        self.unknown.concerns(text, |name| {
            RESERVED.contains(&name)
                || Op::FUNCTIONS.iter().any(|(function, _)| *function == name)
                || self.taken(name).is_some()
        })
    }

    /// Number of coordinates.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Adds a family after all others.
    pub fn add_family(&mut self, family: Family) {
        let (place, [names, indices]) = (self.families.len(), &mut self.family_places);
        names.entry(family.name.clone()).or_insert(place);
        if let Some(repeat) = &family.repeat {
            indices.entry(repeat.index.clone()).or_insert(place);
        }
        self.dim += family.count();
        self.families.push(family);
    }

    /// All families, in the order of their places.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// The family of a name.
    pub fn family(&self, name: &str) -> Option<&Family> {
        self.family_places[0].get(name).map(|&place| &self.families[place])
    }

    /// Whether `name` can be given to something new; reports why not.
    pub fn admit(&self, item: &Item, name: &str) -> bool {
        if let Some(&place) = self.family_places[1].get(name) {
            let message = format!("`{name}` is already the name of the index of `{}`", self.families[place].name);
            item.report(message, Some("choose another name".into()));
            return false;
        }
        self.admit_index(item, name)
    }

    /// Whether `name` can be given to an index, which several repeated elements may share; reports why not.
    pub fn admit_index(&self, item: &Item, name: &str) -> bool {
        let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let identifier = name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit());
        if !identifier {
            let help = "letters, digits and _ are allowed, a letter or _ first".to_string();
            item.report(format!("`{name}` is not a name"), Some(help));
        } else if RESERVED.contains(&name) || Op::FUNCTIONS.iter().any(|(function, _)| *function == name) {
            item.report(
                format!("`{name}` has a meaning of its own in expressions"),
                Some("choose another name".into()),
            );
        } else if let Some(what) = self.taken(name) {
            item.report(format!("`{name}` is already the name of {what}"), Some("choose another name".into()));
        } else {
            return true;
        }
        false
    }

    /// The value of a parameter or index; it counts as used.
    pub fn constant(&self, name: &str) -> Option<f64> {
        let index = self.indices.iter().find(|(other, _)| other == name).map(|(_, value)| value);
        let value = index.or_else(|| self.parameters.get(name))?;
        let mut used = self.used.borrow_mut();
        if !used.contains(name) {
            used.insert(name.to_string());
        }
        Some(*value)
    }

    fn taken(&self, name: &str) -> Option<String> {
        if self.parameters.get(name).is_some() {
            Some("a parameter".into())
        } else if self.family(name).is_some() {
            Some(format!("a {}", self.what.word()))
        } else if self.definitions.get(name).is_some() {
            Some("a definition".into())
        } else if self.indices.iter().any(|(other, _)| other == name) {
            Some("an index".into())
        } else {
            None
        }
    }

    /// The place of a coordinate, particle or plate among all of them.
    pub fn member(&self, name: &str, index: Option<i64>) -> Result<usize, NameError> {
        let family = self.family(name).ok_or(NameError::Unknown)?;
        let invalid = |message: String| Err(NameError::Invalid(message));
        let what = self.what.word();
        match (&family.repeat, index) {
            (None, None) => Ok(family.first),
            (None, Some(_)) => invalid(format!("`{name}` is a single {what} and takes no index")),
            (Some(repeat), _) if repeat.count == 0 => {
                invalid(format!("there is no `{name}`: it is repeated 0 times"))
            }
            (Some(Repeat { start, .. }), None) => {
                invalid(format!("`{name}` is a repeated {what}: write `{name}[{start}]`"))
            }
            (Some(repeat), Some(index)) => {
                let place = index - repeat.start;
                if (0..repeat.count).contains(&place) {
                    return Ok(family.first + place as usize);
                }
                let last = repeat.start + repeat.count - 1;
                invalid(format!("index {index} is outside of `{name}`: {} to {last}", repeat.start))
            }
        }
    }

    /// A particle or plate in words: by its name if it has one, else by its number.
    pub fn body(&self, number: usize) -> String {
        named(&self.families, number).unwrap_or_else(|| format!("{} {number}", self.what.word()))
    }

    /// The value of an item as an expression: a number or a quoted expression. Reports what is wrong.
    pub fn expression(&self, graph: &mut Graph, item: &Item, allowed: Allowed) -> Option<NodeId> {
        match item.kind() {
            Kind::String(text) => {
                let scope = Visible { names: self, allowed };
                match parse(graph, text, &scope) {
                    Ok(node) => Some(node),
                    Err(error) => {
                        item.report_inside(error.column - 1, error.length, error.message, error.help);
                        None
                    }
                }
            }
            Kind::Integer(_) | Kind::Float(_) => item.number().map(|value| graph.constant(value)),
            _ => item.mismatch("a number or a quoted expression"),
        }
    }

    /// The value of an item as a number: a number or a quoted expression of the parameters.
    pub fn number(&self, item: &Item) -> Option<f64> {
        const CONSTANT: Allowed =
            Allowed { coordinates: false, velocities: Err("a number"), time: Err("a number") };
        if let Kind::Integer(_) | Kind::Float(_) = item.kind() {
            return item.number();
        }
        let mut graph = Graph::new();
        let node = self.expression(&mut graph, item, CONSTANT)?;
        match graph.constant_value(node) {
            Some(value) if value.is_finite() => Some(value),
            // What does not fold is not finite: nothing but constants went in.
            _ => {
                let message = format!("the value is not finite{}", self.at());
                item.report(message, Some("a finite number is needed".into()));
                None
            }
        }
    }

    /// Which copy of a repeated element is being read, for messages: ` with i = 2`.
    pub fn at(&self) -> String {
        let indices: Vec<String> = self.indices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if indices.is_empty() { String::new() } else { format!(" with {}", indices.join(", ")) }
    }

    /// The value of an item as a number above 0.
    pub fn positive(&self, item: &Item) -> Option<f64> {
        let value = self.number(item)?;
        if value > 0.0 {
            return Some(value);
        }
        item.report(format!("found {value}{}, allowed is a number above 0", self.at()), None);
        None
    }

    /// The value of an item as a number from 0 on.
    pub fn not_negative(&self, item: &Item) -> Option<f64> {
        let value = self.number(item)?;
        if value >= 0.0 {
            return Some(value);
        }
        item.report(format!("found {value}{}, allowed is a number from 0 on", self.at()), None);
        None
    }

    /// The value of an item in a range.
    pub fn within(&self, item: &Item, range: std::ops::RangeInclusive<f64>) -> Option<f64> {
        let value = self.number(item)?;
        if range.contains(&value) {
            return Some(value);
        }
        let (from, to) = (range.start(), range.end());
        item.report(format!("found {value}{}, allowed: a number from {from} to {to:e}", self.at()), None);
        None
    }

    /// The value of an item as a whole number in a range.
    pub fn whole(&self, item: &Item, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        let value = self.number(item)?;
        if value.fract() == 0.0 && *range.start() as f64 <= value && value <= *range.end() as f64 {
            return Some(value as i64);
        }
        let (low, high) = (range.start(), range.end());
        item.report(format!("found {value}, allowed is a whole number from {low} to {high}"), None);
        None
    }
}

/// The names as one expression sees them.
struct Visible<'a> {
    names: &'a Names,
    allowed: Allowed,
}

impl Visible<'_> {
    fn layout(&self) -> Layout {
        Layout { n: self.names.dim() }
    }
}

impl Scope for Visible<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        if let Some(value) = self.names.constant(name) {
            return match index {
                None => Ok(graph.constant(value)),
                Some(_) => Err(NameError::Invalid(format!("`{name}` is a number and takes no index"))),
            };
        }
        if name == "t" && index.is_none() {
            return match self.allowed.time {
                Ok(()) => Ok(graph.input(self.layout().t())),
                Err(what) => Err(NameError::Invalid(format!("{what} may not depend on t"))),
            };
        }
        let coordinate = self.names.member(name, index);
        let definition = self.names.definitions.get(name).filter(|_| index.is_none());
        if !self.allowed.coordinates {
            return match (coordinate, definition) {
                (Err(NameError::Unknown), None) => Err(NameError::Unknown),
                _ => Err(NameError::Invalid(format!("`{name}` is no number: only parameters are allowed here"))),
            };
        }
        if let Some(node) = definition {
            return self.check_definition(graph, name, *node);
        }
        Ok(graph.input(self.layout().q(coordinate?)))
    }

    fn velocity(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        if let Err(what) = self.allowed.velocities {
            return Err(NameError::Invalid(format!("{what} may not depend on velocities")));
        }
        let coordinate = self.names.member(name, index).map_err(|error| match error {
            NameError::Unknown => NameError::Invalid(format!("dot(…) takes a coordinate, `{name}` is none")),
            other => other,
        })?;
        Ok(graph.input(self.layout().v(coordinate)))
    }

    fn known_names(&self) -> Vec<String> {
        let mut known: Vec<String> = Vec::new();
        if self.allowed.coordinates {
            known.extend(self.names.families.iter().map(Family::shown));
            known.extend(self.names.definitions.iter().map(|(name, _)| name.clone()));
        }
        known.extend(self.names.indices.iter().chain(self.names.parameters.iter()).map(|(name, _)| name.clone()));
        if self.allowed.time.is_ok() {
            known.push("t".into());
        }
        known
    }
}

impl Visible<'_> {
    /// A definition brings along what it depends on.
    fn check_definition(&self, graph: &Graph, name: &str, node: NodeId) -> Result<NodeId, NameError> {
        let layout = self.layout();
        let uses = |inputs: &[u32]| graph.depends_on_any(node, &Inputs::of(inputs));
        let refuse = |what: &str, on: &str| {
            Err(NameError::Invalid(format!("{what} may not depend on {on}, and `{name}` does")))
        };
        match (self.allowed.velocities, self.allowed.time) {
            (Err(what), _) if uses(&layout.velocities()) => refuse(what, "velocities"),
            (_, Err(what)) if uses(&[layout.t()]) => refuse(what, "t"),
            _ => Ok(node),
        }
    }
}
