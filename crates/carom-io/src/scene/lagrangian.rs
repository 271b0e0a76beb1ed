//! `[lagrangian]`: generalised coordinates and expressions.

use std::collections::HashSet;

use carom::lagrangian::definition::{Definition, Layout, MassNodes, Misfit, NamedRow, mass_of_kinetic, split_row};
use carom::lagrangian::expression::{Graph, Node, NodeId};
use carom::lagrangian::length::make_lengths;
use carom::problem::Points;

use super::names::{Allowed, Family, Names};
use super::sums::Sums;
use super::terms::{self, Term};
use crate::document::{Diagnostics, Item, Kind, Origin, TableReader};

/// The keys of `[lagrangian]`.
pub const KEYS: [&str; 10] = [
    "coordinates",
    "kinetic",
    "mass",
    "potential",
    "equalities",
    "inequalities",
    "nonholonomic",
    "forces",
    "points",
    "define",
];

/// The most coordinates: matrices of this size still fit into memory.
const MOST_COORDINATES: usize = 10_000;

const fn allowed(velocities: Result<(), &'static str>, time: Result<(), &'static str>) -> Allowed {
    Allowed { coordinates: true, velocities, time }
}
const ANY: Allowed = allowed(Ok(()), Ok(()));
const KINETIC: Allowed = allowed(Ok(()), Err("the kinetic energy"));
const MASS: Allowed = allowed(Err("the mass matrix"), Err("the mass matrix"));
const POTENTIAL: Allowed = allowed(Err("the potential"), Ok(()));
const EQUALITY: Allowed = allowed(Err("an equality constraint"), Ok(()));
const INEQUALITY: Allowed = allowed(Err("an inequality constraint"), Ok(()));

/// What `[lagrangian]` says.
pub struct Lagrangian {
    /// The expressions.
    pub definition: Definition,
    /// The Cartesian points.
    pub points: Points,
    /// Where each inequality was written.
    gaps: Vec<(Origin, String)>,
    /// How many problems are those of masses alone, in whose place there are others: the start can be judged all the same.
    pub of_masses: usize,
}

impl Lagrangian {
    /// Makes gaps lengths where friction needs it; `friction` replaces the coefficients of all contacts. Returns their slopes, or nothing if
    /// some cannot be (reported).
    pub fn make_lengths(
        &mut self,
        start: &[f64],
        friction: Option<f64>,
        diagnostics: &Diagnostics,
    ) -> Option<Vec<Option<f64>>> {
        let made = make_lengths(&mut self.definition, &self.points, start, friction);
        let mut reported = "";
        made.map_err(|unfit| {
            // A repeated one once.
            for (contact, reason) in unfit {
                let (origin, path) = &self.gaps[contact];
                if reported != path {
                    let key = if reason.is_of_slides() { ".slide" } else { ".expression" };
                    let named = path.replace(".expression", key);
                    diagnostics.report(*origin, &named, reason.to_string(), Some(reason.help().into()));
                }
                reported = path;
            }
        })
        .ok()
    }
}

/// Reads `[lagrangian]` but for its coordinates, which must be known; what is wrong is reported, and the rest is read
/// all the same.
pub fn read(section: &TableReader, names: &mut Names) -> Option<Lagrangian> {
    let layout = Layout { n: names.dim() };
    let mut graph = Graph::new();
    read_definitions(section, &mut graph, names);
    let terms = |key: &str, graph: &mut Graph, allowed: Allowed, names: &mut Names| {
        section.item(key).map_or_else(Vec::new, |item| terms::read(graph, &item, names, allowed))
    };
    let potential = terms("potential", &mut graph, POTENTIAL, names);
    let mut parts = Sums::default();
    for term in &potential {
        // Without a name of its own a term is called by its key.
        let name = if term.name.split('[').next() == Some("potential") { "unnamed" } else { &term.name };
        parts.add(name, term.node, &mut graph);
    }
    let potential_parts = if parts.rows.len() > 1 { parts.rows } else { Vec::new() };
    let potential = terms::sum(&mut graph, &potential);
    let rows =
        |terms: Vec<Term>| terms.into_iter().map(|Term { name, node, .. }| NamedRow { name, node }).collect();
    let equalities = terms("equalities", &mut graph, EQUALITY, names);
    let softness = equalities.iter().map(|term| term.further.softness).collect();
    let equalities = rows(equalities);
    let inequalities = terms("inequalities", &mut graph, INEQUALITY, names);
    let contacts = inequalities.iter().map(|term| term.further.contact.clone()).collect();
    let gaps = inequalities.iter().map(|term| (term.item.value().origin, term.item.path().to_string())).collect();
    let inequalities = rows(inequalities);
    let nonholonomic = terms("nonholonomic", &mut graph, ANY, names);
    report_misfits(&nonholonomic, |node| split_row(&mut graph, layout, node).err());
    let drives = nonholonomic.iter().map(|term| term.further.drive).collect();
    let nonholonomic = rows(nonholonomic);
    let problems = section.diagnostics().len();
    let mass = read_mass(section, &mut graph, names, layout);
    // Where there is a mass all the same, others stand in the place of those that are no masses.
    let of_masses = if mass.is_some() { section.diagnostics().len() - problems } else { 0 };
    let forces = section.item("forces").and_then(|item| read_forces(&item, &mut graph, names));
    let points = read_points(section, names);
    let coordinates = coordinate_names(names);
    let (mass, (forces, powers)) = (mass?, forces.unwrap_or_default());
    let definition = Definition {
        graph,
        coordinates,
        mass,
        potential,
        potential_parts,
        forces,
        powers,
        equalities,
        softness,
        inequalities,
        contacts,
        nonholonomic,
        drives,
    };
    Some(Lagrangian { definition, points, gaps, of_masses })
}

/// Reports every term that does not fit where it was written; a repeated one once.
fn report_misfits(terms: &[Term], mut check: impl FnMut(NodeId) -> Option<Misfit>) {
    let mut reported = "";
    for term in terms {
        if reported != term.item.path()
            && let Some(misfit) = check(term.node)
        {
            reported = term.item.path();
            term.item.report(misfit.to_string(), None);
        }
    }
}

fn coordinate_names(names: &Names) -> Vec<String> {
    let each = |family: &Family| -> Vec<String> {
        match &family.repeat {
            None => vec![family.name.clone()],
            Some(repeat) => {
                (repeat.start..repeat.start + repeat.count).map(|i| format!("{}[{i}]", family.name)).collect()
            }
        }
    };
    names.families().iter().flat_map(each).collect()
}

/// Reads the coordinates of `[lagrangian]`, and reports its unknown keys.
pub fn read_coordinates(section: &TableReader, names: &mut Names) -> Option<()> {
    section.finish(&KEYS);
    let list = section.required("coordinates")?;
    let mut fine = true;
    for item in list.array()? {
        let (name_item, repeat) = match item.kind() {
            Kind::Table(_) => {
                let table = item.table()?;
                table.finish(&["name", "repeat"]);
                let repeat = table.item("repeat").map(|item| terms::repeat(&item, names));
                fine &= repeat != Some(None);
                (table.required("name"), repeat.flatten())
            }
            _ => (Some(item.clone()), None),
        };
        let name = name_item.as_ref().and_then(Item::string);
        match (name, name_item) {
            (Some(name), Some(name_item)) if names.admit(&name_item, name) => {
                names.add_family(Family { name: name.to_string(), first: names.dim(), repeat });
            }
            _ => fine = false,
        }
    }
    if fine && names.dim() == 0 {
        list.report("there are no coordinates", Some("name at least one, like coordinates = [\"x\"]".into()));
        fine = false;
    }
    if names.dim() > MOST_COORDINATES {
        list.report(format!("found {} coordinates, allowed are {MOST_COORDINATES}", names.dim()), None);
        fine = false;
    }
    fine.then_some(())
}

fn read_definitions(section: &TableReader, graph: &mut Graph, names: &mut Names) {
    let Some(table) = section.table("define") else { return };
    for (name, item) in table.items() {
        let fresh = table.key(name).is_some_and(|key| names.admit(&key, name));
        // A broken definition stays known, so that its uses are not reported too.
        let node = names.expression(graph, &item, ANY).unwrap_or_else(|| graph.constant(1.0));
        if fresh {
            names.definitions.push(name.to_string(), node);
        }
    }
}

fn read_mass(section: &TableReader, graph: &mut Graph, names: &mut Names, layout: Layout) -> Option<MassNodes> {
    match (section.item("kinetic"), section.item("mass")) {
        (Some(kinetic), None) => {
            let count = section.diagnostics().len();
            let terms = terms::read(graph, &kinetic, names, KINETIC);
            if section.diagnostics().len() > count {
                return None;
            }
            let total = terms::sum(graph, &terms);
            let misfit = match mass_of_kinetic(graph, layout, total) {
                Ok(mass) => return Some(mass),
                Err(misfit) => misfit,
            };
            report_misfits(&terms, |node| mass_of_kinetic(graph, layout, node).err());
            if section.diagnostics().len() == count {
                kinetic.report(misfit.to_string(), None);
            }
            None
        }
        (None, Some(mass)) => read_mass_entries(&mass, graph, names, layout.n),
        (Some(_), Some(mass)) => {
            mass.report("`kinetic` and `mass` are both given", Some("keep one of them".into()));
            None
        }
        (None, None) => {
            section.report("neither `kinetic` nor `mass` is given", Some("add one, like mass = \"m\"".into()));
            None
        }
    }
}

fn read_mass_entries(item: &Item, graph: &mut Graph, names: &mut Names, n: usize) -> Option<MassNodes> {
    let Kind::Array(_) = item.kind() else {
        let node = names.expression(graph, item, MASS)?;
        let node = massive(graph, node, item).unwrap_or_else(|| graph.constant(1.0));
        return Some(MassNodes::Diagonal(vec![node; n]));
    };
    let rows = item.array()?;
    let matrix = rows.first().is_some_and(|row| matches!(row.kind(), Kind::Array(_)));
    if !matrix {
        let count = item_problems(item);
        let terms = terms::read(graph, item, names, MASS);
        if item_problems(item) > count {
            return None;
        }
        check_size(item, terms.len(), n)?;
        // A repeated one once.
        let (mut refused, mut mass) = ("", Vec::with_capacity(n));
        for term in &terms {
            let known = refused != term.item.path();
            let node = if known { massive(graph, term.node, &term.item) } else { None };
            if node.is_none() {
                refused = term.item.path();
            }
            mass.push(node.unwrap_or_else(|| graph.constant(1.0)));
        }
        return Some(MassNodes::Diagonal(mass));
    }
    check_size(item, rows.len(), n)?;
    let mut mass = vec![Graph::ZERO; n * n];
    for (i, row) in rows.iter().enumerate() {
        let entries = row.array()?;
        check_size(row, entries.len(), n)?;
        for (j, entry) in entries.iter().enumerate() {
            mass[i * n + j] = names.expression(graph, entry, MASS)?;
            if i == j {
                mass[i * n + i] = massive(graph, mass[i * n + i], entry).unwrap_or_else(|| graph.constant(1.0));
            }
            if j < i && mass[i * n + j] != mass[j * n + i] {
                let help = format!("write the same expression as in row {j}, column {i}");
                entry.report("the mass matrix is not symmetric", Some(help));
                return None;
            }
        }
    }
    Some(MassNodes::Full(mass))
}

/// The mass of a coordinate; one that is a number and not above 0 is reported, and nothing comes back.
fn massive(graph: &Graph, node: NodeId, item: &Item) -> Option<NodeId> {
    if let Some(mass) = graph.constant_value(node).filter(|mass| *mass <= 0.0) {
        let help = "every motion must have positive kinetic energy".to_string();
        item.report(format!("found the mass {mass}, allowed is a number above 0"), Some(help));
        return None;
    }
    Some(node)
}

fn item_problems(item: &Item) -> usize {
    item.diagnostics().len()
}

/// Whether there is one value per coordinate; reported if not.
pub fn check_size(item: &Item, found: usize, n: usize) -> Option<()> {
    if found == n {
        return Some(());
    }
    let plural = if found == 1 { "" } else { "s" };
    item.report(format!("found {found} value{plural}, needed are {n}: one per coordinate"), None);
    None
}

/// The forces by coordinate, and the power of every named term.
fn read_forces(item: &Item, graph: &mut Graph, names: &mut Names) -> Option<(Vec<NodeId>, Vec<NamedRow>)> {
    let (n, layout) = (names.dim(), Layout { n: names.dim() });
    let zero = graph.constant(0.0);
    let (mut forces, mut powers) = (vec![zero; n], Sums::default());
    let mut add = |graph: &mut Graph, place: usize, name: &str, force: NodeId| {
        forces[place] = graph.add(forces[place], force);
        let v = graph.input(layout.v(place));
        let power = graph.mul(force, v);
        powers.add(name, power, graph);
    };
    if let Kind::Array(_) = item.kind() {
        let count = item_problems(item);
        let terms = terms::read(graph, item, names, ANY);
        if item_problems(item) > count {
            return None;
        }
        check_size(item, terms.len(), n)?;
        terms.iter().enumerate().for_each(|(place, term)| add(graph, place, &term.name, term.node));
        return Some((forces, powers.rows));
    }
    if !matches!(item.kind(), Kind::Table(_)) {
        return item.mismatch("a table of forces by coordinate or an array with one per coordinate");
    }
    by_coordinate(item, names, |names, place, value| {
        if !matches!(value.kind(), Kind::Table(_)) {
            return names.expression(graph, value, ANY).map(|force| add(graph, place, "forces", force)).is_some();
        }
        // Named terms: { drag = "…", drive = "…" }.
        let Some(terms) = value.table() else { return false };
        terms.items().all(|(name, term)| {
            names.expression(graph, &term, ANY).map(|force| add(graph, place, name, force)).is_some()
        })
    })?;
    Some((forces, powers.rows))
}

/// Reads a table whose keys are coordinates; a repeated one has its index in its expression, or an array of values.
/// `each` gets the coordinate's place and says whether it could use the value.
pub fn by_coordinate(
    item: &Item,
    names: &mut Names,
    mut each: impl FnMut(&Names, usize, &Item) -> bool,
) -> Option<()> {
    let table = item.table()?;
    if table.items().any(|(key, _)| names.family(key).is_none()) {
        table.finish(&names.families().iter().map(|family| family.name.as_str()).collect::<Vec<_>>());
    }
    for (key, value) in table.items() {
        let Some(family) = names.family(key).cloned() else { continue };
        match (&family.repeat, value.kind()) {
            (None, _) => {
                each(names, family.first, &value);
            }
            (Some(repeat), Kind::Array(_)) => {
                let values = value.array()?;
                check_size(&value, values.len(), repeat.count as usize)?;
                values.iter().enumerate().for_each(|(i, value)| _ = each(names, family.first + i, value));
            }
            (Some(repeat), _) => {
                for i in 0..repeat.count {
                    names.indices.push((repeat.index.clone(), (repeat.start + i) as f64));
                    let fine = each(names, family.first + i as usize, &value);
                    names.indices.pop();
                    if !fine {
                        break;
                    }
                }
            }
        }
    }
    Some(())
}

fn read_points(section: &TableReader, names: &mut Names) -> Points {
    let (mut points, mut taken) = (Points::default(), HashSet::new());
    for item in section.array("points").unwrap_or_default() {
        let (position, table) = match item.kind() {
            Kind::Table(_) => match item.table() {
                Some(table) => {
                    table.finish(&["position", "repeat"]);
                    (table.required("position"), Some(table))
                }
                None => (None, None),
            },
            _ => (Some(item.clone()), None),
        };
        let Some(position) = position else { continue };
        match &table {
            Some(table) => {
                terms::for_each(table, names, |names, _| read_point(&position, names, &mut points, &mut taken));
            }
            None => _ = read_point(&position, names, &mut points, &mut taken),
        }
    }
    points
}

/// Reads a point; `taken` are the coordinates of all points so far.
fn read_point(position: &Item, names: &Names, points: &mut Points, taken: &mut HashSet<usize>) -> Option<()> {
    let parts = position.array()?;
    if parts.is_empty() || parts.len() > 3 {
        return position.mismatch("an array of 1, 2 or 3 coordinates");
    }
    if points.dimension != 0 && points.dimension != parts.len() {
        position.report(
            format!("this point has {} components, those before it {}", parts.len(), points.dimension),
            None,
        );
        return None;
    }
    points.dimension = parts.len();
    let mut graph = Graph::new();
    let mut indices = Vec::new();
    for part in &parts {
        part.string()?;
        // A coordinate is an expression that is nothing but an input.
        let node = names.expression(&mut graph, part, allowed(Err("a position"), Err("a position")))?;
        let Node::Input(input) = graph.node(node) else { return part.mismatch("the name of a coordinate") };
        if !taken.insert(input as usize) {
            part.report("this coordinate belongs to a point already", None);
            return None;
        }
        indices.push(input as usize);
    }
    points.members.push(indices);
    Some(())
}
