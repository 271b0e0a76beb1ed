//! `[[particle]]` and what acts on particles: springs, rods, fields, pair potentials, contacts, walls and balls.
//!
//! Particles are read first, then rods and springs (other elements may leave out pairs that they join), then the rest.
//! What is wrong is reported and replaced, so that all elements are read; what refers to an unknown particle is not judged.

mod bodies;
mod forces;
mod gaps;
mod links;
#[cfg(test)]
mod tests;

use carom::measures::VectorField;
use carom::particles::Particles;
use carom::team::Team;

use super::elements::defaults::Defaults;
use super::elements::groups::Bonds;
use super::elements::places::Places;
use super::elements::{self, BodyScene, Element, scopes};
use super::names::{Names, What};
use super::settings::Initial;
use super::symmetries;
use crate::document::{Item, Kind, TableReader, Value};

/// Reads all elements of a scene with particles.
pub fn read(root: &TableReader, names: &mut Names, team: &Team) -> Option<BodyScene> {
    names.what = What::Particle;
    let t = elements::time(root, names, ["`position`", "`velocity`"]);
    let mut defaults = Defaults::default();
    let problems = root.diagnostics().len();
    let bodies = bodies::read(&elements::of_bodies(root, "particle", names), names, &mut defaults);
    let sound = root.diagnostics().len() == problems + bodies.of_masses;
    names.unknown.start = !sound || t.is_none();
    let taken = |result| elements::taken(result, root, "particle");
    let mut system = elements::taken(Particles::new(bodies.dimension, bodies.masses), root, "particle")?;
    system.set_team(team);
    taken(system.set_radii(bodies.radii))?;
    taken(system.set_names(bodies.names))?;
    let places = Places::new(names.what, bodies.dimension, bodies.firsts, names.families());
    let (q, bonds) = (bodies.q, Bonds::default());
    let mut reader = Reader { root: root.clone(), system, q, sound, bonds, gravitation: 0.0, places, defaults };
    reader.rods(names);
    reader.springs(names);
    reader.fields(names);
    reader.pairs(names);
    reader.contacts(names);
    reader.walls(names);
    reader.balls(names);
    let Reader { system, q, places, defaults, .. } = reader;
    let start = Some(&q[..]).filter(|_| sound);
    let symmetries = symmetries::read(root, start, |item| generator(item, names, &system));
    let (points, initial) = (system.points(), Initial { t: t.unwrap_or(f64::NAN), q, v: bodies.v });
    let of_masses = bodies.of_masses;
    Some(BodyScene { points, initial, symmetries, places, defaults, of_masses, system: Box::new(system) })
}

/// A generator of a motion of all particles: one expression per axis.
fn generator(item: &Item, names: &Names, system: &Particles) -> Option<Box<dyn VectorField>> {
    let d = system.dimension();
    let axes = item.array()?;
    if axes.len() != d && !names.unknown.dimension {
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

/// The system as far as it was read.
struct Reader<'a> {
    root: TableReader<'a>,
    system: Particles,
    q: Vec<f64>,
    /// Whether masses and positions are those of the file.
    sound: bool,
    /// Pairs that a rod or a spring joins.
    bonds: Bonds,
    gravitation: f64,
    places: Places,
    defaults: Defaults,
}

impl Reader<'_> {
    /// Reads every element of a section.
    fn each(
        &mut self,
        section: &'static str,
        keys: &[&str],
        names: &mut Names,
        mut read: impl FnMut(&mut Self, &TableReader, Element, &Names) -> Option<()>,
    ) {
        let root = self.root.clone();
        elements::each(&root, section, keys, names, |table, place, names| read(self, table, place, names));
    }

    /// A missing `on` stands for all particles.
    fn default_group(&mut self, table: &TableReader, place: Element) {
        self.defaults.note_group(table, place);
    }

    /// A missing `exclude` leaves out no pair.
    fn default_pairs(&mut self, table: &TableReader, place: Element) {
        self.default_group(table, place);
        if table.get("exclude").is_none() {
            self.defaults.note(place, "exclude", Kind::Array(Vec::<Value>::new()));
        }
    }
}
