//! `[[contact]]`, `[[wall]]` and `[[ball]]`: what spheres may touch.

use carom::particles::{Ball, Group, Side, Surface, Wall};
use carom::system::{Softness, System};

use super::super::elements::groups::{group, selection};
use super::super::elements::{misused, normal, vector};
use super::super::names::Names;
use super::super::terms;
use super::Reader;
use crate::document::{Kind, TableReader};

/// The keys of `[[contact]]`.
pub const CONTACT_KEYS: [&str; 7] = ["on", "exclude", "restitution", "friction", "compliance", "damping", "repeat"];
/// The keys of `[[wall]]`.
pub const WALL_KEYS: [&str; 8] =
    ["normal", "offset", "restitution", "friction", "compliance", "damping", "on", "repeat"];
/// The keys of `[[ball]]`.
pub const BALL_KEYS: [&str; 9] =
    ["centre", "radius", "side", "restitution", "friction", "compliance", "damping", "on", "repeat"];

/// The most spheres that may all touch each other: their pairs have numbers that are exact as floating point, with room to spare.
const MOST_SPHERES: usize = 1_000_000;

impl Reader<'_> {
    /// Reads all contacts between spheres.
    pub fn contacts(&mut self, names: &mut Names) {
        self.each("contact", &CONTACT_KEYS, names, |reader, table, place, names| {
            let pairs = selection(table, names, reader.system.count(), &reader.bonds);
            reader.default_pairs(table, place);
            let (surface, softness) = (reader.surface(table, place, names), terms::softness(table, names));
            let (pairs, surface, softness) = (pairs?, surface?, softness?);
            let members = match &pairs.group {
                Group::All => reader.system.count(),
                Group::Of(members) => members.len(),
            };
            if members > MOST_SPHERES {
                let help = "make the group `on` smaller".to_string();
                table.report(format!("expected at most {MOST_SPHERES} spheres, found {members}"), Some(help));
                return None;
            }
            reader.gaps(table, place, softness, |system| system.add_sphere_gaps(&pairs, surface))?;
            // The distance of two points is never negative: they would pass through each other.
            if reader.sound && reader.system.least_reach() == Some(0.0) {
                let help = "give one of them a `radius`, or leave them out with `on` or `exclude`".to_string();
                table.report("two particles without a radius cannot touch each other", Some(help));
                return None;
            }
            Some(())
        });
    }

    /// Reads all walls.
    pub fn walls(&mut self, names: &mut Names) {
        self.each("wall", &WALL_KEYS, names, |reader, table, place, names| {
            let normal = normal(table, names, reader.system.dimension(), "spheres");
            let offset = table.item("offset").map(|item| names.number(&item));
            let group = group(table, names, reader.system.count());
            reader.default_group(table, place);
            if offset.is_none() {
                reader.defaults.note(place, "offset", Kind::Float(0.0));
            }
            let (surface, softness) = (reader.surface(table, place, names), terms::softness(table, names));
            let (normal, offset, group) = (normal?, offset.unwrap_or(Some(0.0))?, group?);
            let Surface { restitution, friction } = surface?;
            let wall = Wall { normal, offset, restitution, friction };
            reader.gaps(table, place, softness?, |system| system.add_wall(&wall, &group))
        });
    }

    /// Reads all balls.
    pub fn balls(&mut self, names: &mut Names) {
        self.each("ball", &BALL_KEYS, names, |reader, table, place, names| {
            let dimension = reader.system.dimension();
            let centre = table.required("centre").and_then(|item| vector(&item, names, dimension));
            let radius = table.required("radius").and_then(|item| names.positive(&item));
            let side = table.required("side").and_then(|item| item.choice(&["inside", "outside"]));
            let group = group(table, names, reader.system.count());
            reader.default_group(table, place);
            let (surface, softness) = (reader.surface(table, place, names), terms::softness(table, names));
            let side = if side? == "inside" { Side::Inside } else { Side::Outside };
            let (centre, radius, group) = (centre?, radius?, group?);
            let Surface { restitution, friction } = surface?;
            let ball = Ball { centre, radius, side, restitution, friction };
            reader.gaps(table, place, softness?, |system| system.add_ball(&ball, &group))
        });
    }

    /// Coefficients of an element.
    fn surface(&mut self, table: &TableReader, place: (&'static str, usize), names: &Names) -> Option<Surface> {
        for (key, value) in [("restitution", 1.0), ("friction", 0.0)] {
            if table.get(key).is_none() {
                self.defaults.note(place, key, Kind::Float(value));
            }
        }
        let (restitution, friction) = (terms::restitution(table, names), terms::friction(table, names));
        Some(Surface { restitution: restitution?, friction: friction? })
    }

    /// Adds gaps, says how soft they are and notes which element they belong to.
    fn gaps(
        &mut self,
        table: &TableReader,
        place: (&'static str, usize),
        softness: Softness,
        add: impl FnOnce(&mut carom::particles::Particles) -> Result<(), carom::particles::Misuse>,
    ) -> Option<()> {
        let before = self.system.contacts().count();
        misused(add(&mut self.system), table)?;
        if softness != Softness::default() {
            // Elements are read in the order of the rows: those that were just added are the last.
            let added = before..self.system.contacts().count();
            misused(self.system.set_gap_softness(added, softness), table)?;
        }
        self.places.add_gaps(place, self.system.contacts().count() - before);
        Some(())
    }
}
