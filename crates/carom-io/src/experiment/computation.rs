//! Computations: claims that are about no scene. See [`carom::computations`].

use carom::computations::{COMPUTATIONS, Computation as Kind, Given, Parameter, Value};

use super::quantities::Quantities;
use super::read::name;
use super::settings::Setting;
use super::tabled::{Tabled, named};
use super::{Plan, PlanKind, ensemble};
use crate::document::{Diagnostic, Source, Table, TableReader, help};

const KEYS: [&str; 5] = ["name", "label", "computation", "vary", "members"];

/// A computation, or one for every member of an ensemble.
#[derive(Clone)]
pub(super) struct Computation {
    pub kind: &'static Kind,
    pub tabled: Tabled,
}

/// A computation with the values of its parameters.
struct Made {
    kind: &'static Kind,
    given: Given,
}

/// Reads a `[[computation]]`.
pub(super) fn read(table: &TableReader, source: &Source) -> Option<Plan> {
    table.finish(&KEYS);
    let plan_name = table.required("name").and_then(|item| name(&item));
    let label = table.string("label");
    let ensemble = ensemble::read(table, source);
    let mut kept = Table::default();
    kept.insert("computation", named(&table.required("computation")?)?);
    let (plan_name, ensemble) = (plan_name?, ensemble?);
    let tabled = Tabled::new(kept, ensemble);
    tabled.check(table, source, decode)?;
    let kind = tabled.decode(tabled.members.first()?, source, decode).ok()?.kind;
    let label = label.unwrap_or(&plan_name).to_string();
    Some(Plan { name: plan_name, label, start: None, kind: PlanKind::Computation(Computation { kind, tabled }) })
}

impl Computation {
    /// Adds a setting if every member takes it.
    pub fn set(&mut self, setting: &Setting, source: &Source) -> Result<(), Vec<Diagnostic>> {
        self.tabled.set(setting, source, decode)
    }

    /// Computes for one member.
    pub fn run(&self, member: usize, source: &Source) -> Result<Result<Quantities, String>, Vec<Diagnostic>> {
        let Made { kind, given } = self.tabled.decode(&self.tabled.members[member], source, decode)?;
        Ok((kind.run)(&given).map(|values| {
            let mut all = Quantities::default();
            for (name, value) in kind.quantities.iter().zip(values) {
                all.number(name, Some(value).filter(|value| value.is_finite()));
            }
            all
        }))
    }
}

fn decode(root: &TableReader) -> Option<Made> {
    root.finish(&["computation"]);
    let table = root.required("computation")?.table()?;
    let item = table.required("name")?;
    let text = item.string()?;
    let Some(kind) = COMPUTATIONS.iter().find(|kind| kind.name == text) else {
        let names: Vec<&str> = COMPUTATIONS.iter().map(|kind| kind.name).collect();
        item.report(format!("there is no computation `{text}`"), help("known", text, &names));
        return None;
    };
    let keys: Vec<&str> = std::iter::once("name").chain(kind.parameters.iter().map(|(name, _)| *name)).collect();
    table.finish(&keys);
    let mut given = Given::new(kind);
    for ((name, parameter), value) in kind.parameters.iter().zip(&mut given.values) {
        let Some(item) = table.item(name) else { continue };
        *value = match *parameter {
            Parameter::Number { least, most, .. } => match item.number()? {
                number if (least..=most).contains(&number) => Value::Number(number),
                _ => return item.mismatch(&format!("a number from {least:?} to {most:?}")),
            },
            Parameter::Count { most, .. } => match item.integer()? {
                count if (1..=i64::from(most)).contains(&count) => Value::Number(count as f64),
                _ => return item.mismatch(&format!("a whole number from 1 to {most}")),
            },
            Parameter::Word(words) => {
                let word = item.choice(words)?;
                Value::Word(words.iter().copied().find(|other| *other == word)?)
            }
        };
    }
    Some(Made { kind, given })
}
