//! `[[particle]]` and what acts on particles: springs, rods, fields, pair potentials, contacts, walls and balls.
//!
//! Particles are read first, then rods and springs (other elements may leave out pairs that they join), then the rest.
//! A number that is wrong is reported and replaced, so that all elements are looked at.

mod bodies;
mod defaults;
mod forces;
mod gaps;
mod groups;
mod links;
mod places;
mod scopes;
#[cfg(test)]
mod tests;

pub use defaults::Defaults;
pub use places::Places;

use carom::measures::{Symmetry, VectorField};
use carom::particles::{Misuse, Particles};

use super::names::Names;
use super::settings::Initial;
use super::{symmetries, terms};
use crate::document::{Item, Kind, Origin, TableReader, Value};

/// The sections of a scene with particles, beside `particle` itself.
pub const ELEMENTS: [&str; 7] = ["spring", "rod", "field", "pair", "contact", "wall", "ball"];

/// What the particle sections of a scene say.
pub struct ParticleScene {
    /// The system.
    pub system: Particles,
    /// Its start.
    pub initial: Initial,
    /// Declared symmetries.
    pub symmetries: Vec<Symmetry>,
    /// Which elements its constraints come from.
    pub places: Places,
    /// What stands for missing keys.
    pub defaults: Defaults,
}

/// Reads all elements of a scene with particles.
pub fn read(root: &TableReader, names: &mut Names) -> Option<ParticleScene> {
    names.particles = true;
    let t = read_time(root, names);
    let mut defaults = Defaults::default();
    let problems = root.diagnostics().len();
    let bodies = bodies::read(&elements(root, "particle")?, names, &mut defaults)?;
    let sound = root.diagnostics().len() == problems;
    let mut system = Particles::new(bodies.dimension, bodies.masses).ok()?;
    system.set_radii(bodies.radii).ok()?;
    system.set_names(bodies.names).ok()?;
    let places = Places { particles: bodies.firsts, families: names.families.clone(), ..Places::default() };
    let (q, bonds) = (bodies.q, Vec::new());
    let mut reader = Reader { root: root.clone(), system, q, sound, bonds, gravitation: 0.0, places, defaults };
    reader.rods(names);
    reader.springs(names);
    reader.fields(names);
    reader.pairs(names);
    reader.contacts(names);
    reader.walls(names);
    reader.balls(names);
    let Reader { system, q, places, defaults, .. } = reader;
    let symmetries = symmetries::read(root, &q, |item| generator(item, names, &system));
    Some(ParticleScene { system, initial: Initial { t: t?, q, v: bodies.v }, symmetries, places, defaults })
}

/// A generator of a motion of all particles: one expression per axis.
fn generator(item: &Item, names: &Names, system: &Particles) -> Option<Box<dyn VectorField>> {
    let d = system.dimension();
    let axes = item.array()?;
    if axes.len() != d {
        let plural = if axes.len() == 1 { "" } else { "s" };
        item.report(format!("found {} expression{plural}, needed are {d}: one per axis", axes.len()), None);
        return None;
    }
    let written = scopes::Written::generator(d);
    let texts: Vec<Option<String>> = axes.iter().map(|axis| scopes::text(axis, names, &written)).collect();
    let texts: Option<Vec<&str>> = texts.iter().map(Option::as_deref).collect();
    match system.motion(&texts?, &scopes::constants(names)) {
        Ok(field) => Some(field),
        Err(misuse) => {
            item.report(misuse.to_string(), None);
            None
        }
    }
}

/// Reads `[initial]`, which is optional and has nothing but the time.
fn read_time(root: &TableReader, names: &Names) -> Option<f64> {
    if root.get("initial").is_none() {
        return Some(0.0);
    }
    let section = root.table("initial")?;
    let misplaced = ["q", "v"].into_iter().any(|key| section.get(key).is_some());
    section.finish(if misplaced { &["t", "q", "v"] } else { &["t"] });
    for (key, instead) in [("q", "position"), ("v", "velocity")] {
        if let Some(item) = section.key(key) {
            let help = format!("give `{instead}` in [[particle]]");
            item.report("the start of particles stands with the particles", Some(help));
        }
    }
    section.item("t").map_or(Some(0.0), |item| names.number(&item))
}

/// The elements of a section; none if it is missing.
fn elements<'a>(root: &TableReader<'a>, section: &str) -> Option<Vec<Item<'a>>> {
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

/// The system as far as it was read.
struct Reader<'a> {
    root: TableReader<'a>,
    system: Particles,
    q: Vec<f64>,
    /// Whether masses and positions are those of the file.
    sound: bool,
    /// Pairs that a rod or a spring joins.
    bonds: Vec<(usize, usize)>,
    gravitation: f64,
    places: Places,
    defaults: Defaults,
}

impl Reader<'_> {
    /// Reads every element of a section, repeated ones once per value of their index.
    fn each(
        &mut self,
        section: &'static str,
        keys: &[&str],
        names: &mut Names,
        mut read: impl FnMut(&mut Self, &TableReader, (&'static str, usize), &Names) -> Option<()>,
    ) {
        for (place, element) in elements(&self.root, section).unwrap_or_default().iter().enumerate() {
            if let Some(table) = element.table() {
                table.finish(keys);
                terms::for_each(&table, names, |names, _| read(self, &table, (section, place), names));
            }
        }
    }

    /// A missing `on` stands for all particles.
    fn default_group(&mut self, table: &TableReader, place: (&'static str, usize)) {
        if table.get("on").is_none() {
            self.defaults.note(place, "on", Kind::String("all".into()));
        }
    }

    /// A missing `exclude` leaves out no pair.
    fn default_pairs(&mut self, table: &TableReader, place: (&'static str, usize)) {
        self.default_group(table, place);
        if table.get("exclude").is_none() {
            self.defaults.note(place, "exclude", Kind::Array(Vec::<Value>::new()));
        }
    }
}

/// What the system does not take, at the element.
fn misused(result: Result<(), Misuse>, table: &TableReader) -> Option<()> {
    result.map_err(|misuse| table.report(misuse.to_string(), None)).ok()
}

/// Reports elements of particles in a scene that has none.
pub fn refuse_stray(root: &TableReader) {
    for section in ELEMENTS {
        if let Some(item) = root.key(section) {
            item.report(
                format!("`{section}` acts on particles, and this scene has none"),
                Some("add [[particle]]".into()),
            );
        }
    }
}

/// Reports that a scene does not say what moves.
pub fn report_nothing(root: &TableReader) {
    let help = "add [lagrangian] (generalised coordinates) or [[particle]]".to_string();
    root.diagnostics().report(Origin::Default, "", "the scene does not say what moves", Some(help));
}
