//! `[[spring]]` and `[[rod]]`: elements between two particles or from one to a fixed point.

use carom::particles::{End, Link};
use carom::system::System as _;

use super::super::elements::scopes::reference;
use super::super::elements::{misused, vector};
use super::super::names::Names;
use super::super::terms;
use super::Reader;
use crate::document::{Item, Kind, TableReader};

/// The keys of `[[spring]]`.
pub const SPRING_KEYS: [&str; 4] = ["between", "stiffness", "rest", "repeat"];
/// The keys of `[[rod]]`.
pub const ROD_KEYS: [&str; 5] = ["between", "length", "compliance", "damping", "repeat"];

/// An end as it was written.
enum Written {
    Particle(usize),
    Point([f64; 3]),
}

impl Reader<'_> {
    /// Reads all springs.
    pub fn springs(&mut self, names: &mut Names) {
        self.each("spring", &SPRING_KEYS, names, |reader, table, place, names| {
            let stiffness = table.required("stiffness").and_then(|item| names.not_negative(&item));
            let link = reader.between(table, names);
            let given = table.item("rest").map(|item| names.not_negative(&item));
            let link = link?;
            let rest = match given {
                Some(rest) => rest?,
                None => reader.initial_distance(link, table, (place, "rest"))?,
            };
            let stiffness = stiffness?;
            // The force of a spring with a rest length has no direction where its ends meet.
            if reader.sound && rest > 0.0 && reader.distance(link)? == 0.0 {
                let help = "move one of them, or write rest = 0".to_string();
                let message = format!("the ends of the spring are in the same place{}", names.at());
                table.required("between")?.report(message, Some(help));
                return None;
            }
            reader.bond(link);
            misused(reader.system.add_spring(link, stiffness, rest), table)
        });
    }

    /// Reads all rods.
    pub fn rods(&mut self, names: &mut Names) {
        self.each("rod", &ROD_KEYS, names, |reader, table, place, names| {
            let link = reader.between(table, names);
            let given = table.item("length").map(|item| names.positive(&item));
            let softness = terms::softness(table, names);
            let link = link?;
            let length = match given {
                Some(length) => length?,
                None => reader.initial_distance(link, table, (place, "length"))?,
            };
            if reader.sound && reader.distance(link)? == 0.0 {
                let help = "move one of them: a rod needs a direction".to_string();
                let message = format!("the ends of the rod are in the same place{}", names.at());
                table.required("between")?.report(message, Some(help));
                return None;
            }
            reader.bond(link);
            reader.places.rods.push((place.1, length));
            // A length that could not be computed is not wrong again.
            let length = if reader.sound { length } else { 1.0 };
            misused(reader.system.add_rod(link, length), table)?;
            let rod = reader.system.equalities().count() - 1;
            misused(reader.system.set_rod_softness(rod, softness?), table)
        });
    }

    fn bond(&mut self, link: Link) {
        if let End::Particle(other) = link.other {
            self.bonds.add(link.particle, other);
        }
    }

    /// The distance of the ends at the start; it stands for a missing key.
    fn initial_distance(
        &mut self,
        link: Link,
        table: &TableReader,
        (place, key): ((&'static str, usize), &'static str),
    ) -> Option<f64> {
        let distance = self.distance(link)?;
        if self.sound && !distance.is_finite() {
            table.required("between")?.report("the distance of the ends is not finite", None);
            return None;
        }
        self.defaults.note(place, key, Kind::Float(distance));
        Some(distance)
    }

    fn distance(&self, link: Link) -> Option<f64> {
        self.system.distance(link, &self.q).ok()
    }

    /// Reads `between = [end, end]`.
    fn between(&self, table: &TableReader, names: &Names) -> Option<Link> {
        let item = table.required("between")?;
        let ends = match item.kind() {
            Kind::Array(ends) if ends.len() == 2 => item.array()?,
            _ => return item.mismatch("an array of two ends: particles, or a particle and a point"),
        };
        let (first, second) = (self.end(&ends[0], names), self.end(&ends[1], names));
        match (first?, second?) {
            (Written::Particle(first), Written::Particle(second)) if first == second => {
                item.report(format!("both ends are {}{}", names.body(first), names.at()), None);
                None
            }
            (Written::Particle(first), Written::Particle(second)) => Some(Link::between(first, second)),
            (Written::Particle(particle), Written::Point(point))
            | (Written::Point(point), Written::Particle(particle)) => Some(Link::anchored(particle, point)),
            (Written::Point(_), Written::Point(_)) => {
                item.report("both ends are points", Some("one of them must be a particle".into()));
                None
            }
        }
    }

    fn end(&self, item: &Item, names: &Names) -> Option<Written> {
        if !matches!(item.kind(), Kind::Array(_)) {
            return reference(item, names, self.system.count()).map(Written::Particle);
        }
        let mut point = [0.0; 3];
        let components = vector(item, names, self.system.dimension())?;
        point[..components.len()].copy_from_slice(&components);
        Some(Written::Point(point))
    }
}
