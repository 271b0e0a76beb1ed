//! What comes again: an expression over the nodes of a run that reaches a bound within every stretch of time of a given length.

use std::cell::RefCell;

use carom::error::told;
use carom::lagrangian::expression::{Graph, NameError, NodeId, Scope, Tape, parse};
use carom::observe::{Frame, Observer};

use super::quantities::PARAMETERS;
use crate::document::{Diagnostic, Position, Source, TableReader};
use crate::scene::Scene;

const KEYS: [&str; 3] = ["expression", "at_least", "within"];

/// What an expression uses of a node.
#[derive(Debug, Clone, PartialEq)]
enum Input {
    Time,
    Energy,
    Coordinate(usize),
    Velocity(usize),
    Momentum(usize),
    /// Of the scene.
    Parameter(String),
}

/// The names of an expression: those of a node.
#[derive(Default)]
struct Node(RefCell<Vec<Input>>);

impl Scope for Node {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let index = match index {
            None => None,
            Some(index) => match usize::try_from(index) {
                Ok(index) => Some(index),
                Err(_) => return Err(NameError::Invalid(format!("`{name}` is counted from 0"))),
            },
        };
        let input = match (name, index) {
            ("t", None) => Input::Time,
            ("energy", None) => Input::Energy,
            ("q", Some(index)) => Input::Coordinate(index),
            ("v", Some(index)) => Input::Velocity(index),
            ("p", Some(index)) => Input::Momentum(index),
            _ => match name.split_once('.') {
                Some((PARAMETERS, parameter)) if index.is_none() => Input::Parameter(parameter.to_string()),
                _ => return Err(NameError::Unknown),
            },
        };
        let mut found = self.0.borrow_mut();
        let place = found.iter().position(|other| *other == input).unwrap_or_else(|| {
            found.push(input);
            found.len() - 1
        });
        Ok(graph.input(place as u32))
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("write v[k] for a velocity".into()))
    }

    fn known_names(&self) -> Vec<String> {
        ["t", "energy", "q[0]", "v[0]", "p[0]", "parameters.NAME"].map(str::to_string).to_vec()
    }
}

/// An expression, the bound that it must reach, and within what time it must do so again.
#[derive(Debug, Clone)]
pub(super) struct Recurrence {
    tape: Tape,
    inputs: Vec<Input>,
    at_least: f64,
    within: f64,
    position: Option<Position>,
}

impl Recurrence {
    /// Reads `recurs` of a run; nothing where there is none.
    pub fn read(table: &TableReader, source: &Source) -> Option<Option<Self>> {
        let Some(item) = table.item("recurs") else { return Some(None) };
        let table = item.table()?;
        table.finish(&KEYS);
        let number = |key: &str| table.required(key).and_then(|item| item.number());
        let (at_least, within) = (number("at_least"), number("within"));
        let expression = table.required("expression")?;
        let (mut graph, scope) = (Graph::new(), Node::default());
        let node = match parse(&mut graph, expression.string()?, &scope) {
            Ok(node) => node,
            Err(error) => {
                expression.report_inside(error.column - 1, error.length, error.message, error.help);
                return None;
            }
        };
        let inputs = scope.0.into_inner();
        let (at_least, within) = (at_least?, within?);
        if within <= 0.0 {
            return table.item("within")?.mismatch("a positive time");
        }
        let tape = Tape::compile(&graph, &[node], inputs.len());
        let position = super::read::position(&expression, source);
        Some(Some(Self { tape, inputs, at_least, within, position }))
    }

    /// What the scene does not have of it.
    pub fn misfit(&self, scene: &Scene, source: &Source) -> Option<Diagnostic> {
        let (dim, name) = (scene.problem.system.dim(), &scene.name);
        let lacks = |input: &Input| match input {
            Input::Coordinate(index) | Input::Velocity(index) | Input::Momentum(index) => (*index >= dim)
                .then(|| format!("the scene `{name}` has {dim} coordinates, and none of number {index}")),
            Input::Parameter(parameter) => (!scene.parameters.iter().any(|(known, _)| known == parameter))
                .then(|| format!("the scene `{name}` has no parameter `{parameter}`")),
            Input::Time | Input::Energy => None,
        };
        let message = self.inputs.iter().find_map(lacks)?;
        let (source, key) = (source.name().to_string(), "recurs".to_string());
        Some(Diagnostic { source, position: self.position, key, message, help: None })
    }

    fn value(&self, frame: &Frame, parameters: &[(String, f64)]) -> f64 {
        let value = |input: &Input| match input {
            Input::Time => frame.state.t,
            Input::Energy => frame.energy(),
            Input::Coordinate(index) => frame.state.q[*index],
            Input::Velocity(index) => frame.node_v[*index],
            Input::Momentum(index) => frame.node_p[*index],
            Input::Parameter(name) => {
                parameters.iter().find(|(known, _)| known == name).map_or(f64::NAN, |(_, value)| *value)
            }
        };
        let values: Vec<f64> = self.inputs.iter().map(value).collect();
        let mut out = [f64::NAN];
        self.tape.evaluate(&mut self.tape.scratch(), &[&values], &mut out);
        out[0]
    }
}

/// Sees when it came last, until it did not come again in time.
pub(super) struct Recurring<'a> {
    recurrence: &'a Recurrence,
    parameters: &'a [(String, f64)],
    last: f64,
    lost: bool,
}

impl<'a> Recurring<'a> {
    /// From the start of a scene on.
    pub fn new(recurrence: &'a Recurrence, scene: &'a Scene) -> Self {
        Self { recurrence, parameters: &scene.parameters, last: scene.problem.initial.t, lost: false }
    }

    /// The time of the last node that reached the bound, before it was missed for too long.
    pub fn until(&self) -> f64 {
        self.last
    }
}

impl Observer for Recurring<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let t = frame.state.t;
        self.lost |= t - self.last > self.recurrence.within;
        if self.lost {
            return Ok(());
        }
        let value = self.recurrence.value(frame, self.parameters);
        if !value.is_finite() {
            return Err(format!("the expression of `recurs` is {value} at t = {}", told(t)));
        }
        if value >= self.recurrence.at_least {
            self.last = t;
        }
        Ok(())
    }
}
