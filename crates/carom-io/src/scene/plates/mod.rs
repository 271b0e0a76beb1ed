//! `[[plate]]` and what acts on plates: fields and walls.

mod bodies;
#[cfg(test)]
mod tests;

use carom::measures::VectorField;
use carom::plates::{Plates, Wall};
use carom::system::System;

use super::elements::defaults::Defaults;
use super::elements::groups::group;
use super::elements::places::Places;
use super::elements::scopes::{Written, constants, text};
use super::elements::{self, BodyScene, Element, FIELD_KEYS, misused, one_of, vector};
use super::names::{Names, What};
use super::settings::Initial;
use super::{symmetries, terms};
use crate::document::{Item, Kind, TableReader};

/// The keys of `[[wall]]`.
const WALL_KEYS: [&str; 8] =
    ["normal", "offset", "restitution", "friction", "compliance", "damping", "on", "repeat"];

/// Reads all elements of a scene with plates.
pub fn read(root: &TableReader, names: &mut Names) -> Option<BodyScene> {
    names.what = What::Plate;
    elements::refuse_of_particles(root);
    let t = elements::time(root, names, ["`position` and `angle`", "`velocity` and `spin`"]);
    let mut defaults = Defaults::default();
    let problems = root.diagnostics().len();
    let bodies = bodies::read(&elements::of_bodies(root, "plate", names), names, &mut defaults);
    let sound = root.diagnostics().len() == problems;
    names.unknown.start = !sound || t.is_none();
    let mut system = elements::taken(Plates::new(bodies.plates), root, "plate")?;
    elements::taken(system.set_names(bodies.names), root, "plate")?;
    // Plates may be in the same place: nothing acts between them.
    let places = Places::new(names.what, 0, bodies.firsts, names.families());
    let mut reader = Reader { system, places, defaults, walls: 0 };
    elements::each(root, "field", &FIELD_KEYS, names, |table, place, names| reader.field(table, place, names));
    elements::each(root, "wall", &WALL_KEYS, names, |table, place, names| reader.wall(table, place, names));
    let Reader { system, places, defaults, .. } = reader;
    let start = Some(&bodies.q[..]).filter(|_| sound);
    let symmetries = symmetries::read(root, start, |item| generator(item, names, &system));
    let (points, initial) = (system.points(), Initial { t: t.unwrap_or(f64::NAN), q: bodies.q, v: bodies.v });
    Some(BodyScene { points, initial, symmetries, places, defaults, of_masses: 0, system: Box::new(system) })
}

/// A generator of a motion of all plates: one expression per coordinate.
fn generator(item: &Item, names: &Names, system: &Plates) -> Option<Box<dyn VectorField>> {
    let parts = item.array()?;
    if parts.len() != 3 {
        let plural = if parts.len() == 1 { "" } else { "s" };
        item.report(format!("found {} expression{plural}, needed are 3: of x, y and angle", parts.len()), None);
        return None;
    }
    let written = Written::plate_generator();
    let texts: Vec<Option<String>> = parts.iter().map(|part| text(part, names, &written)).collect();
    let texts: Option<Vec<&str>> = texts.iter().map(Option::as_deref).collect();
    match system.motion(&texts?, &constants(names)) {
        Ok(field) => Some(field),
        Err(misuse) => {
            item.report(misuse.to_string(), None);
            None
        }
    }
}

/// The system as far as it was read.
struct Reader {
    system: Plates,
    places: Places,
    defaults: Defaults,
    /// How many walls were read.
    walls: usize,
}

impl Reader {
    /// Reads a field.
    fn field(&mut self, table: &TableReader, place: Element, names: &Names) -> Option<()> {
        let group = group(table, names, self.system.count());
        self.defaults.note_group(table, place);
        match one_of(table, &["gravity", "potential"])? {
            "gravity" => {
                let acceleration = vector(&table.required("gravity")?, names, 2)?;
                misused(self.system.add_gravity([acceleration[0], acceleration[1]], &group?), table)
            }
            _ => {
                let text = text(&table.required("potential")?, names, &Written::field(2))?;
                misused(self.system.add_field(&text, &constants(names), &group?), table)
            }
        }
    }

    /// Reads a wall.
    fn wall(&mut self, table: &TableReader, place: Element, names: &Names) -> Option<()> {
        let normal = elements::normal(table, names, 2, "plates");
        let offset = table.item("offset").map_or(Some(0.0), |item| names.number(&item));
        let group = group(table, names, self.system.count());
        self.defaults.note_group(table, place);
        for (key, value) in [("offset", 0.0), ("restitution", 1.0), ("friction", 0.0)] {
            if table.get(key).is_none() {
                self.defaults.note(place, key, Kind::Float(value));
            }
        }
        let (restitution, friction) = (terms::restitution(table, names), terms::friction(table, names));
        let softness = terms::softness(table, names);
        let (normal, offset, group) = (normal?, offset?, group?);
        let normal = [normal[0], normal[1]];
        let wall = Wall { normal, offset, restitution: restitution?, friction: friction? };
        let before = self.system.contacts().count();
        let softness = softness?;
        misused(self.system.add_wall(&wall, &group), table)?;
        misused(self.system.set_wall_softness(self.walls, softness), table)?;
        self.walls += 1;
        self.places.add_gaps(place, self.system.contacts().count() - before);
        Some(())
    }
}
