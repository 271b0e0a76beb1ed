//! Expressions over what runs came to: `run.quantity`, `run.quantity[index]`.

use std::cell::RefCell;

use carom::lagrangian::expression::{Graph, NameError, NodeId, Scope, Tape, parse};

use super::inside::Part;
use super::quantities::{self, Shape};
use super::solvers::SOLVE_QUANTITIES;
use super::statistic::Statistic;
use super::{Plan, PlanKind};
use crate::document::Item;

/// A quantity of a run, as an expression names it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reference {
    pub plan: usize,
    pub quantity: String,
    pub index: Option<usize>,
    /// One number of all members, instead of that of each.
    pub statistic: Option<Statistic>,
}

impl Reference {
    /// How many values it has; none if it is one number.
    pub fn members(&self, plans: &[Plan]) -> Option<usize> {
        plans[self.plan].members().filter(|_| self.statistic.is_none())
    }
}

/// An expression over quantities.
#[derive(Debug)]
pub(super) struct Formula {
    tape: Tape,
    pub references: Vec<Reference>,
}

impl Formula {
    /// Reads an expression; it must use a run, and ensembles of one size only.
    pub fn read(item: &Item, plans: &[Plan]) -> Option<Self> {
        let text = item.string()?;
        let scope = Runs { plans, found: RefCell::default() };
        let mut graph = Graph::new();
        let node = match parse(&mut graph, text, &scope) {
            Ok(node) => node,
            Err(error) => {
                item.report_inside(error.column - 1, error.length, error.message, error.help);
                return None;
            }
        };
        let references = scope.found.into_inner();
        if references.is_empty() {
            item.report("the expression uses no run", Some("write run.quantity, like free.energy_max".into()));
            return None;
        }
        let mut sizes = references.iter().filter_map(|reference| reference.members(plans));
        if let Some(first) = sizes.next()
            && sizes.any(|size| size != first)
        {
            item.report("the expression uses ensembles of different sizes", None);
            return None;
        }
        let tape = Tape::compile(&graph, &[node], references.len());
        Some(Self { tape, references })
    }

    /// How many values it has; none if it is one number.
    pub fn members(&self, plans: &[Plan]) -> Option<usize> {
        self.references.iter().filter_map(|reference| reference.members(plans)).max()
    }

    /// Whether it uses a quantity of a plan.
    pub fn asks(&self, plan: usize, quantity: &str) -> bool {
        self.references.iter().any(|reference| reference.plan == plan && reference.quantity == quantity)
    }

    /// Whether it uses a plan.
    pub fn uses(&self, plan: usize) -> bool {
        self.references.iter().any(|reference| reference.plan == plan)
    }

    /// Whether it asks if a plan's run failed.
    pub fn asks_for_failure(&self, plan: usize) -> bool {
        self.asks(plan, quantities::FAILED)
    }

    /// The value for the values of the references.
    pub fn value(&self, values: &[f64]) -> f64 {
        let mut out = [f64::NAN];
        self.tape.evaluate(&mut self.tape.scratch(), &[values], &mut out);
        out[0]
    }
}

/// The names of an expression.
struct Runs<'a> {
    plans: &'a [Plan],
    found: RefCell<Vec<Reference>>,
}

/// The shape of a quantity of a plan, if it has it.
fn shape(plan: &Plan, quantity: &str) -> Option<Shape> {
    match &plan.kind {
        PlanKind::Order { .. } => quantities::shape(quantities::ORDER_QUANTITIES, quantity),
        PlanKind::Map(_) => quantities::shape(quantities::MAP_QUANTITIES, quantity),
        PlanKind::Solve(_) => quantities::shape(SOLVE_QUANTITIES, quantity),
        PlanKind::Computation(computation) => {
            computation.kind.quantities.contains(&quantity).then_some(Shape::Number)
        }
        PlanKind::Run { times, after, .. } => match quantity.split_once('.') {
            None => quantities::shape(quantities::RUN_QUANTITIES, quantity),
            Some((quantities::PARAMETERS, _)) => Some(Shape::Number),
            Some((kept, rest)) => {
                let numbered =
                    |prefix: &str| kept.strip_prefix(prefix).and_then(|place| place.parse::<usize>().ok());
                let exists = numbered("after").is_some_and(|place| place < after.len())
                    || numbered("at").is_some_and(|place| place < times.len());
                exists.then(|| quantities::shape(quantities::STATE_QUANTITIES, rest))?
            }
        },
    }
}

impl Scope for Runs<'_> {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        let Some((run, quantity)) = name.split_once('.') else { return Err(NameError::Unknown) };
        let plan = self.plans.iter().position(|plan| plan.name == run).ok_or(NameError::Unknown)?;
        let (statistic, quantity) = match Statistic::split(quantity) {
            Some((statistic, quantity)) => (Some(statistic), quantity),
            None => (None, quantity),
        };
        if statistic.is_some() && self.plans[plan].members().is_none() {
            return Err(NameError::Invalid(format!("`{run}` is no ensemble")));
        }
        if let PlanKind::Run { inside, .. } = &self.plans[plan].kind
            && let Some((_, part)) = Part::QUANTITIES.iter().find(|(name, _)| *name == quantity)
            && let Some(key) = part.missing(inside)
        {
            return Err(NameError::Invalid(format!("`{name}` needs the key `{key}` of [[run]] `{run}`")));
        }
        if let PlanKind::Run { recurs: None, .. } = &self.plans[plan].kind
            && quantity == quantities::RECURS_UNTIL
        {
            return Err(NameError::Invalid(format!("`{name}` needs the key `recurs` of [[run]] `{run}`")));
        }
        let index = match (shape(&self.plans[plan], quantity), index) {
            (None, _) => return Err(NameError::Unknown),
            (Some(Shape::Number), Some(_)) => {
                return Err(NameError::Invalid(format!("`{name}` is one number and has no index")));
            }
            (Some(_), None) => None,
            (Some(Shape::List), Some(index)) => match usize::try_from(index) {
                Ok(index) => Some(index),
                Err(_) => return Err(NameError::Invalid(format!("`{name}` is counted from 0"))),
            },
        };
        let reference = Reference { plan, quantity: quantity.to_string(), index, statistic };
        let mut found = self.found.borrow_mut();
        let input = found.iter().position(|other| *other == reference).unwrap_or_else(|| {
            found.push(reference);
            found.len() - 1
        });
        Ok(graph.input(input as u32))
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("runs have no rates here".into()))
    }

    fn known_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for plan in self.plans {
            let list = match &plan.kind {
                PlanKind::Order { .. } => quantities::ORDER_QUANTITIES,
                PlanKind::Map(_) => quantities::MAP_QUANTITIES,
                PlanKind::Solve(_) => SOLVE_QUANTITIES,
                PlanKind::Run { .. } => quantities::RUN_QUANTITIES,
                PlanKind::Computation(computation) => {
                    let quantities = computation.kind.quantities.iter();
                    names.extend(quantities.map(|quantity| format!("{}.{quantity}", plan.name)));
                    continue;
                }
            };
            names.extend(list.iter().map(|(quantity, _)| format!("{}.{quantity}", plan.name)));
            if let PlanKind::Run { times, after, .. } = &plan.kind {
                let state = |kept: String| {
                    let list = quantities::STATE_QUANTITIES.iter();
                    list.map(move |(quantity, _)| format!("{}.{kept}.{quantity}", plan.name))
                };
                names.extend((0..times.len()).flat_map(|place| state(format!("at{place}"))));
                names.extend((0..after.len()).flat_map(|place| state(format!("after{place}"))));
            }
        }
        names
    }
}
