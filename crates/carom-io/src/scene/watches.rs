//! `[[watch]]`: expressions whose zero crossings along the motion are located.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use carom::lagrangian::definition::Layout;
use carom::lagrangian::expression::{Graph, NameError, NodeId, Scope, parse};
use carom::lagrangian::field::ExpressedQuantity;
use carom::watch::{Direction, Quantity, Watch};

use super::elements::{self, BodyScene};
use super::names::{Allowed, Family, Names, What};
use super::settings::Initial;
use super::{Moving, terms};
use crate::document::{Item, Kind, TableReader};

/// The keys of `[[watch]]`.
const KEYS: [&str; 4] = ["name", "expression", "direction", "repeat"];
/// The directions with their names in scenes.
pub const DIRECTIONS: [(&str, Direction); 3] =
    [("any", Direction::Any), ("rising", Direction::Rising), ("falling", Direction::Falling)];
/// What a watched expression may depend on.
const ANY: Allowed = Allowed { coordinates: true, velocities: Ok(()), time: Ok(()) };

/// Reads all watches. Their expressions are read where it is known what moves.
pub fn read(root: &TableReader, names: &mut Names, moving: Option<&Moving>) -> Vec<Watch> {
    let (mut watches, mut taken): (Vec<Watch>, HashSet<String>) = (Vec::new(), HashSet::new());
    let items = elements::of_section(root, "watch").unwrap_or_default();
    // Definitions are nodes of this graph.
    let mut graph = match moving {
        Some(Moving::Lagrangian(lagrangian, ..)) if !items.is_empty() => lagrangian.definition.graph.clone(),
        None => names.forget_definitions(),
        _ => Graph::new(),
    };
    for item in items {
        let Some(table) = item.table() else { continue };
        table.finish(&KEYS);
        let name = table.required("name").and_then(|item| item.string().map(|name| (item.clone(), name)));
        let expression = table.required("expression");
        let direction = match table.item("direction") {
            Some(item) => item.choice(&DIRECTIONS.map(|(word, _)| word)),
            None => Some("any"),
        };
        let direction =
            DIRECTIONS.iter().find(|(word, _)| Some(*word) == direction).map(|(_, direction)| *direction);
        terms::for_each(&table, names, |names, at| {
            let quantity = expression.as_ref().and_then(|item| {
                graph.scratch(|graph| match moving {
                    Some(moving) => quantity(graph, item, names, moving),
                    None => {
                        judge(graph, item, names);
                        None
                    }
                })
            });
            let (item, name) = name.as_ref()?;
            let full = terms::indexed(name, at);
            if name.is_empty() || !taken.insert(full.clone()) {
                let message =
                    if name.is_empty() { "the name is empty" } else { "a watch of this name is given already" };
                item.report(message, Some("events are told apart by it: give each its own".into()));
                return None;
            }
            watches.push(Watch { name: full, quantity: quantity?, direction: direction? });
            Some(())
        });
    }
    watches
}

/// Reports what is wrong with an expression where it is not known how the coordinates move.
fn judge(graph: &mut Graph, item: &Item, names: &Names) {
    if !matches!(item.kind(), Kind::String(text) if names.unjudged(text)) {
        names.expression(graph, item, ANY);
    }
}

/// The expression of a watch, which must be defined at the start.
fn quantity(graph: &mut Graph, item: &Item, names: &Names, moving: &Moving) -> Option<Box<dyn Quantity>> {
    let Initial { t, q, v } = moving.initial();
    let layout = Layout { n: q.len() };
    let quantity = match moving {
        Moving::Lagrangian(..) => {
            let node = names.expression(graph, item, ANY)?;
            ExpressedQuantity::new(graph, layout, node)
        }
        Moving::Bodies(scene) => {
            let scope = Bodies::new(names, scene);
            let node = of_bodies(graph, item, &scope)?;
            ExpressedQuantity::of_inputs(graph, layout, node, &scope.inputs.borrow())
        }
    };
    if !names.unknown.start && !quantity.at(*t, q, v).is_finite() {
        let message = format!("the expression is not finite at the initial state{}", names.at());
        item.report(message, Some("start where it is defined".into()));
        return None;
    }
    Some(Box::new(quantity))
}

fn of_bodies(graph: &mut Graph, item: &Item, scope: &Bodies) -> Option<NodeId> {
    match item.kind() {
        Kind::String(text) if scope.names.unjudged(text) => None,
        Kind::String(text) => match parse(graph, text, scope) {
            Ok(node) => Some(node),
            Err(error) => {
                item.report_inside(error.column - 1, error.length, error.message, error.help);
                None
            }
        },
        Kind::Integer(_) | Kind::Float(_) => item.number().map(|value| graph.constant(value)),
        _ => item.mismatch("a number or a quoted expression"),
    }
}

/// The coordinates of particles or plates by the names that their columns have: `sun.x`, `bead[3].x`, `x[3]`.
struct Bodies<'a> {
    names: &'a Names,
    /// The coordinates of a body.
    parts: &'static [&'static str],
    /// How many bodies there are.
    count: usize,
    /// The inputs of the system's layout that the expression has, in the order in which they occur: an expression of few of many
    /// coordinates has few inputs.
    inputs: RefCell<Vec<u32>>,
    numbers: RefCell<HashMap<u32, u32>>,
}

impl<'a> Bodies<'a> {
    fn new(names: &'a Names, scene: &BodyScene) -> Self {
        let parts: &[&str] = match names.what {
            What::Plate => &["x", "y", "angle"],
            _ => &["x", "y", "z"][..scene.places.dimension],
        };
        let (inputs, numbers) = (RefCell::default(), RefCell::default());
        Self { names, parts, count: scene.initial.q.len() / parts.len(), inputs, numbers }
    }

    /// The expression's own input for one of the layout.
    fn input(&self, graph: &mut Graph, input: u32) -> NodeId {
        let mut inputs = self.inputs.borrow_mut();
        let number = *self.numbers.borrow_mut().entry(input).or_insert_with(|| {
            inputs.push(input);
            inputs.len() as u32 - 1
        });
        graph.input(number)
    }

    fn layout(&self) -> Layout {
        Layout { n: self.count * self.parts.len() }
    }

    fn coordinate(&self, name: &str, index: Option<i64>) -> Result<usize, NameError> {
        let (word, parts) = (self.names.what.word(), self.parts.join(", "));
        let invalid = |message: String| Err(NameError::Invalid(message));
        let part = |name: &str| self.parts.iter().position(|part| *part == name);
        if let Some((body, last)) = name.rsplit_once('.') {
            let number = self.names.member(body, index)?;
            return match part(last) {
                Some(part) => Ok(number * self.parts.len() + part),
                None => invalid(format!("`{last}` is no coordinate of a {word}: they are {parts}")),
            };
        }
        match (part(name), index) {
            (Some(part), Some(index)) => match usize::try_from(index).ok().filter(|number| *number < self.count) {
                Some(number) => Ok(number * self.parts.len() + part),
                None => {
                    let last = self.count - 1;
                    invalid(format!("there is no {word} {index}: they are numbered from 0 to {last}"))
                }
            },
            (Some(_), None) => invalid(format!("`{name}` of which {word}? Write `{name}[0]`, or `NAME.{name}`")),
            (None, _) if self.names.family(name).is_some() => invalid(format!(
                "`{name}` is a {word}: its coordinates are {parts}, like `{name}.{}`",
                self.parts[0]
            )),
            (None, _) => Err(NameError::Unknown),
        }
    }
}

impl Scope for Bodies<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        match (self.names.constant(name), index) {
            (Some(value), None) => Ok(graph.constant(value)),
            (Some(_), Some(_)) => Err(NameError::Invalid(format!("`{name}` is a number and takes no index"))),
            (None, None) if name == "t" => Ok(self.input(graph, self.layout().t())),
            (None, _) => self.coordinate(name, index).map(|place| self.input(graph, self.layout().q(place))),
        }
    }

    fn velocity(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let place = self.coordinate(name, index).map_err(|error| match error {
            NameError::Unknown => NameError::Invalid(format!("dot(…) takes a coordinate, `{name}` is none")),
            other => other,
        })?;
        Ok(self.input(graph, self.layout().v(place)))
    }

    fn known_names(&self) -> Vec<String> {
        let bodies = self.names.families().iter().map(Family::shown);
        let coordinates = bodies.flat_map(|body| self.parts.iter().map(move |part| format!("{body}.{part}")));
        let constants = self.names.indices.iter().chain(self.names.parameters.iter()).map(|(name, _)| name.clone());
        coordinates.chain(constants).chain(["t".to_string()]).collect()
    }
}
