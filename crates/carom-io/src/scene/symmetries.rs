//! `[[symmetry]]`: vector fields that may leave the system unchanged, and whose momenta are then conserved.

use std::collections::HashSet;

use carom::lagrangian::definition::Layout;
use carom::lagrangian::expression::Graph;
use carom::lagrangian::field::ExpressedField;
use carom::measures::{Symmetry, VectorField};

use super::lagrangian::{by_coordinate, check_size};
use super::names::{Allowed, Names};
use super::terms;
use crate::document::{Item, Kind, TableReader};

/// The keys of `[[symmetry]]`.
const KEYS: [&str; 2] = ["name", "generator"];
/// What a generator may depend on.
const GENERATOR: Allowed = Allowed { coordinates: true, velocities: Err("a generator"), time: Err("a generator") };

/// Reads all declared symmetries of a system that starts at `q`, if that is known; `generator` makes the field.
pub fn read(
    root: &TableReader,
    q: Option<&[f64]>,
    mut generator: impl FnMut(&Item) -> Option<Box<dyn VectorField>>,
) -> Vec<Symmetry> {
    let (mut symmetries, mut taken): (Vec<Symmetry>, HashSet<&str>) = (Vec::new(), HashSet::new());
    let Some(item) = root.item("symmetry") else { return symmetries };
    if matches!(item.kind(), Kind::Table(_)) {
        item.report(
            "found a single table, allowed is an array of tables",
            Some("write [[symmetry]], once for every one".into()),
        );
        return symmetries;
    }
    for table in item.array().unwrap_or_default().iter().filter_map(Item::table) {
        table.finish(&KEYS);
        let (name, field) = (table.required("name"), table.required("generator"));
        let field =
            field.and_then(|item| generator(&item).filter(|field| q.is_none_or(|q| finite(&**field, q, &item))));
        let Some((item, name)) = name.and_then(|item| item.string().map(|name| (item.clone(), name))) else {
            continue;
        };
        if name.is_empty() || taken.contains(name) {
            let message =
                if name.is_empty() { "the name is empty" } else { "a symmetry of this name is given already" };
            item.report(message, Some("names of symmetries name columns: give each its own".into()));
        } else if let Some(field) = field {
            taken.insert(name);
            symmetries.push(Symmetry { name: name.to_string(), field });
        }
    }
    symmetries
}

/// Whether a generator is defined at the start; reported if not.
fn finite(field: &dyn VectorField, q: &[f64], item: &Item) -> bool {
    let mut xi = vec![0.0; q.len()];
    field.at(q, &mut xi);
    let fine = xi.iter().all(|x| x.is_finite());
    if !fine {
        item.report("the generator is not finite at the initial state", Some("start where it is defined".into()));
    }
    fine
}

/// A generator of a system of coordinates: by coordinate, the others do not move, or one expression per coordinate. The graph is
/// that of the definitions.
pub fn of_coordinates(item: &Item, names: &mut Names, graph: &mut Graph) -> Option<Box<dyn VectorField>> {
    let n = names.dim();
    let zero = graph.constant(0.0);
    let mut components = vec![zero; n];
    let problems = item.diagnostics().len();
    if let Kind::Array(_) = item.kind() {
        let terms = terms::read(graph, item, names, GENERATOR);
        if item.diagnostics().len() == problems {
            check_size(item, terms.len(), n)?;
        }
        components = terms.iter().map(|term| term.node).collect();
    } else if matches!(item.kind(), Kind::Table(_)) {
        by_coordinate(item, names, |names, place, value| {
            names.expression(graph, value, GENERATOR).map(|node| components[place] = node).is_some()
        })?;
    } else {
        return item.mismatch("a table by coordinate or an array with one expression per coordinate");
    }
    let sound = item.diagnostics().len() == problems;
    sound.then(|| Box::new(ExpressedField::new(graph, Layout { n }, &components)) as Box<dyn VectorField>)
}
