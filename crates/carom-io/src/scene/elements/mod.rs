//! What scenes of particles and of plates have in common: elements that are tables of arrays, groups, potentials, defaults.

pub mod defaults;
pub mod groups;
pub mod places;
pub mod scopes;

use carom::measures::Symmetry;
use carom::particles::Misuse;
use carom::problem::Points;
use carom::system::System;

use super::names::{Family, Names, Repeat};
use super::settings::Initial;
use super::terms;
use crate::document::{Item, Kind, TableReader};
use defaults::Defaults;
use places::Places;

/// The sections of a scene with particles, beside `particle` itself.
pub const OF_PARTICLES: [&str; 7] = ["spring", "rod", "field", "pair", "contact", "wall", "ball"];
/// Those that a scene with plates takes too.
const OF_PLATES: [&str; 2] = ["field", "wall"];
/// The keys of `[[field]]`.
pub const FIELD_KEYS: [&str; 4] = ["gravity", "potential", "on", "repeat"];

/// An element of a section: the section and the element's place in it.
pub type Element = (&'static str, usize);

/// What a scene of particles or of plates says.
pub struct BodyScene {
    /// Which coordinates are positions.
    pub points: Points,
    /// The start.
    pub initial: Initial,
    /// Declared symmetries.
    pub symmetries: Vec<Symmetry>,
    /// Which elements the constraints come from.
    pub places: Places,
    /// What stands for missing keys.
    pub defaults: Defaults,
    /// How many problems are those of masses alone, in whose place there are others: the start can be judged all the same.
    pub of_masses: usize,
    /// The system.
    pub system: Box<dyn System>,
}

/// Reports elements of particles or plates in a scene that has none.
pub fn refuse_stray(root: &TableReader) {
    for section in OF_PARTICLES {
        if let Some(item) = root.key(section) {
            let (on, add) = match OF_PLATES.contains(&section) {
                true => ("particles and plates", "add [[particle]] or [[plate]]"),
                false => ("particles", "add [[particle]]"),
            };
            let message = format!("`{section}` acts on {on}, and this scene has none");
            item.report(message, Some(add.into()));
        }
    }
}

/// Reports elements that do not act on plates in a scene of plates.
pub fn refuse_of_particles(root: &TableReader) {
    for section in OF_PARTICLES.into_iter().filter(|section| !OF_PLATES.contains(section)) {
        if let Some(item) = root.key(section) {
            let help = format!("remove [[{section}]]; on plates act [[field]] and [[wall]]");
            item.report(format!("`{section}` acts on particles, and this scene has plates"), Some(help));
        }
    }
}

/// The elements of a section; none if it is missing.
pub fn of_section<'a>(root: &TableReader<'a>, section: &str) -> Option<Vec<Item<'a>>> {
    let Some(item) = root.item(section) else { return Some(Vec::new()) };
    match item.kind() {
        Kind::Array(_) => item.array(),
        Kind::Table(_) => {
            let help = format!("write [[{section}]], once for every element");
            item.report("found a single table, allowed is an array of tables", Some(help));
            None
        }
        _ => item.mismatch(&format!("an array of tables, written [[{section}]]")),
    }
}

/// The elements of a section that says what moves: one that is written as a single table is read all the same.
pub fn of_bodies<'a>(root: &TableReader<'a>, section: &str, names: &mut Names) -> Vec<Item<'a>> {
    let bodies = of_section(root, section);
    if let (Some([]), Some(item)) = (bodies.as_deref(), root.item(section)) {
        item.report(
            format!("the list has no {section}"),
            Some(format!("write [[{section}]], once for every {section}")),
        );
        names.unknown.count = true;
        names.unknown.refused(None);
    }
    bodies.unwrap_or_else(|| {
        names.unknown.count = true;
        names.unknown.refused(None);
        root.item(section).filter(|item| matches!(item.kind(), Kind::Table(_))).into_iter().collect()
    })
}

/// Reads every element of a section, repeated ones once per value of their index.
pub fn each(
    root: &TableReader,
    section: &'static str,
    keys: &[&str],
    names: &mut Names,
    mut read: impl FnMut(&TableReader, Element, &Names) -> Option<()>,
) {
    for (place, element) in of_section(root, section).unwrap_or_default().iter().enumerate() {
        if let Some(table) = element.table() {
            table.finish(keys);
            terms::for_each(&table, names, |names, _| read(&table, (section, place), names));
        }
    }
}

/// Reads `[initial]`, which is optional and has nothing but the time; `instead` are the keys of the start.
pub fn time(root: &TableReader, names: &Names, instead: [&str; 2]) -> Option<f64> {
    if root.get("initial").is_none() {
        return Some(0.0);
    }
    let section = root.table("initial")?;
    let misplaced = ["q", "v"].into_iter().any(|key| section.get(key).is_some());
    section.finish(if misplaced { &["t", "q", "v"] } else { &["t"] });
    let word = names.what.word();
    for (key, instead) in ["q", "v"].into_iter().zip(instead) {
        if let Some(item) = section.key(key) {
            let help = format!("give {instead} in [[{word}]]");
            item.report(format!("the start of {word}s stands with the {word}s"), Some(help));
        }
    }
    section.item("t").map_or(Some(0.0), |item| names.number(&item))
}

/// The numbers of a vector, one per dimension of space; reports every wrong one.
pub fn vector(item: &Item, names: &Names, dimension: usize) -> Option<Vec<f64>> {
    let parts = item.array()?;
    if parts.len() != dimension && !names.unknown.dimension {
        let plural = if parts.len() == 1 { "" } else { "s" };
        let message = format!("found {} component{plural}, needed are {dimension}: one per dimension", parts.len());
        item.report(message, None);
        return None;
    }
    let values: Vec<Option<f64>> = parts.iter().map(|part| names.number(part)).collect();
    values.into_iter().collect::<Option<Vec<f64>>>().filter(|values| values.len() == dimension)
}

/// Reads the `normal` of a wall, which must not be zero; it points to `what`.
pub fn normal(table: &TableReader, names: &Names, dimension: usize, what: &str) -> Option<Vec<f64>> {
    let item = table.required("normal")?;
    let normal = vector(&item, names, dimension)?;
    if normal.iter().all(|&component| component == 0.0) {
        item.report("the normal is zero", Some(format!("it must point from the wall to the {what}")));
        return None;
    }
    Some(normal)
}

/// The one of several keys that is given; reports none and more than one.
pub fn one_of<'k>(table: &TableReader, keys: &[&'k str]) -> Option<&'k str> {
    let given: Vec<&str> = keys.iter().copied().filter(|key| table.get(key).is_some()).collect();
    let quoted = |keys: &[&str]| keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>();
    match given[..] {
        [] => {
            table.report(format!("none of {} is given", quoted(keys).join(", ")), Some("add one of them".into()));
            None
        }
        [_] => keys.iter().copied().find(|key| table.get(key).is_some()),
        [.., last] => {
            let message = format!("{} are given", quoted(&given).join(" and "));
            table
                .item(last)?
                .report(message, Some("keep one of them; a further one is an element of its own".into()));
            None
        }
    }
}

/// What the system does not take, at the element.
pub fn misused(result: Result<(), Misuse>, table: &TableReader) -> Option<()> {
    result.map_err(|misuse| table.report(misuse.to_string(), None)).ok()
}

/// What the system does not take of all bodies together, at their section.
pub fn taken<T>(result: Result<T, Misuse>, root: &TableReader, section: &str) -> Option<T> {
    let report = |misuse: Misuse| root.key(section).map_or((), |item| item.report(misuse.to_string(), None));
    result.map_err(report).ok()
}

/// The `name` of an element, empty if it has none, or if it cannot have that one.
pub fn name(table: &TableReader, names: &mut Names) -> String {
    let Some(item) = table.item("name") else { return String::new() };
    let name = item.string();
    match name.filter(|name| names.admit(&item, name)) {
        Some(name) => name.to_string(),
        None => {
            names.unknown.refused(name);
            String::new()
        }
    }
}

/// Notes that it is not known how many bodies an element makes, since its `repeat` is wrong; references to them are not judged.
pub fn uncounted(name: &str, names: &mut Names) {
    names.unknown.count = true;
    if !name.is_empty() {
        names.unknown.names.insert(name.to_string());
    }
}

/// Gives a name to the bodies from `first` on, the last of all; the index of a repeated one runs from `start`.
pub fn give_name(
    name: String,
    (first, start): (usize, i64),
    table: &TableReader,
    given: &mut [Option<String>],
    names: &mut Names,
) {
    if name.is_empty() {
        return;
    }
    let (index, count) = (index_name(table), given.len() - first);
    for (place, out) in given[first..].iter_mut().enumerate() {
        let at = index.as_ref().map(|_| start + place as i64);
        *out = Some(terms::indexed(&name, at.as_slice()));
    }
    let repeat = index.map(|index| Repeat { index, start, count: count as i64 });
    names.add_family(Family { name, first, repeat });
}

/// The name of the index of a repeated element; with several indices, the first.
fn index_name(table: &TableReader) -> Option<String> {
    let repeat = table.item("repeat")?;
    let first = match repeat.kind() {
        Kind::Array(_) => repeat.array()?.first()?.table()?,
        _ => repeat.table()?,
    };
    first.string("index").map(String::from)
}
