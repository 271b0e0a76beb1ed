//! `[[field]]` and `[[pair]]`: potentials of single particles and of pairs.

use carom::particles::{Cutoff, LennardJones};

use super::super::elements::groups::{group, selection};
use super::super::elements::scopes::{Written, constants, text};
use super::super::elements::{FIELD_KEYS, misused, one_of, vector};
use super::super::names::Names;
use super::Reader;
use crate::document::{Kind, TableReader};

/// The keys of `[[pair]]`.
pub const PAIR_KEYS: [&str; 9] =
    ["lennard_jones", "potential", "gravitation", "on", "exclude", "cutoff", "switch_from", "skin", "repeat"];

impl Reader<'_> {
    /// Reads all fields.
    pub fn fields(&mut self, names: &mut Names) {
        self.each("field", &FIELD_KEYS, names, |reader, table, place, names| {
            let (count, dimension) = (reader.system.count(), reader.system.dimension());
            let group = group(table, names, count);
            reader.default_group(table, place);
            match one_of(table, &["gravity", "potential"])? {
                "gravity" => {
                    let acceleration = vector(&table.required("gravity")?, names, dimension)?;
                    misused(reader.system.add_gravity(&acceleration, &group?), table)
                }
                _ => {
                    let text = text(&table.required("potential")?, names, &Written::field(dimension))?;
                    misused(reader.system.add_field(&text, &constants(names), &group?), table)
                }
            }
        });
    }

    /// Reads all pair potentials.
    pub fn pairs(&mut self, names: &mut Names) {
        self.each("pair", &PAIR_KEYS, names, |reader, table, place, names| {
            let law = one_of(table, &["lennard_jones", "potential", "gravitation"]);
            if law == Some("gravitation") {
                return reader.gravitation(table, names);
            }
            let pairs = selection(table, names, reader.system.count(), &reader.bonds);
            let cutoff = reader.cutoff(table, place, names);
            reader.default_pairs(table, place);
            match law? {
                "lennard_jones" => {
                    let law = table.table("lennard_jones")?;
                    law.finish(&["epsilon", "sigma"]);
                    let epsilon = law.required("epsilon").and_then(|item| names.not_negative(&item));
                    let sigma = law.required("sigma").and_then(|item| names.positive(&item));
                    let law = LennardJones { epsilon: epsilon?, sigma: sigma? };
                    misused(reader.system.add_lennard_jones(law, &pairs?, cutoff?), table)
                }
                _ => {
                    let text = text(&table.required("potential")?, names, &Written::pair())?;
                    misused(reader.system.add_pair_potential(&text, &constants(names), &pairs?, cutoff?), table)
                }
            }
        });
    }

    /// Newton's gravity between all particles; several of them add up.
    fn gravitation(&mut self, table: &TableReader, names: &Names) -> Option<()> {
        let mut fine = true;
        for key in ["on", "exclude", "cutoff", "switch_from", "skin"] {
            if let Some(item) = table.key(key) {
                item.report(
                    "`gravitation` acts between all pairs at any distance",
                    Some(format!("remove `{key}`")),
                );
                fine = false;
            }
        }
        self.gravitation += names.not_negative(&table.required("gravitation")?)?;
        let total = self.gravitation;
        misused(self.system.set_gravitation(total), table).filter(|()| fine)
    }

    fn cutoff(
        &mut self,
        table: &TableReader,
        place: (&'static str, usize),
        names: &Names,
    ) -> Option<Option<Cutoff>> {
        let Some(radius) = table.item("cutoff") else {
            let stray: Vec<_> = ["switch_from", "skin"].into_iter().filter_map(|key| table.key(key)).collect();
            for item in &stray {
                item.report(
                    "this belongs to a `cutoff`, and there is none",
                    Some("add it, like cutoff = 2.5".into()),
                );
            }
            return stray.is_empty().then_some(None);
        };
        let radius = names.positive(&radius);
        let switch_from = table.item("switch_from");
        let given = switch_from.as_ref().map(|item| names.not_negative(item));
        let skin = table.item("skin").map(|item| names.positive(&item));
        let mut cutoff = Cutoff::at(radius?);
        match (given, switch_from) {
            (Some(value), Some(item)) => {
                cutoff.switch_from = value?;
                if cutoff.switch_from >= cutoff.radius {
                    let message = format!("found {}, allowed is a number below the cutoff", cutoff.switch_from);
                    item.report(message, Some(format!("the cutoff is {}", cutoff.radius)));
                    return None;
                }
            }
            _ => self.defaults.note(place, "switch_from", Kind::Float(cutoff.switch_from)),
        }
        match skin {
            Some(value) => cutoff.skin = value?,
            None => self.defaults.note(place, "skin", Kind::Float(cutoff.skin)),
        }
        Some(Some(cutoff))
    }
}
