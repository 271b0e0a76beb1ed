//! Where in the file something stands that the system or its start complains about.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use carom::error::{Failure, Row};
use carom::problem::Inconsistency;

use super::super::names::{Family, What, named};
use super::Element;
use crate::document::{Item, TableReader};

/// Which elements the constraints of the system come from.
pub struct Places {
    /// What moves.
    pub what: What,
    /// Dimension of space, if bodies in the same place are what is most likely wrong with a start; else 0.
    pub dimension: usize,
    /// Per element of `[[particle]]` or `[[plate]]`, the number of its first body.
    pub bodies: Vec<usize>,
    /// Bodies that have names.
    pub families: Vec<Family>,
    /// Per rod, the element of `[[rod]]` and the length.
    pub rods: Vec<(usize, f64)>,
    /// Elements with gaps and the row after the last that each made, in the order in which the file was read: that of the rows.
    gaps: Vec<(Element, usize)>,
}

impl Places {
    /// Of bodies, by the first of every element and by families; nothing acts on them yet.
    pub fn new(what: What, dimension: usize, bodies: Vec<usize>, families: &[Family]) -> Self {
        Self { what, dimension, bodies, families: families.to_vec(), rods: Vec::new(), gaps: Vec::new() }
    }

    fn rod<'a>(&self, index: usize, root: &TableReader<'a>) -> Option<(TableReader<'a>, f64)> {
        let (element, length) = *self.rods.get(index)?;
        Some((root.element("rod", element)?.table()?, length))
    }

    /// The key of a rod's element that says how long it is.
    fn rod_item<'a>(&self, index: usize, root: &TableReader<'a>) -> Option<Item<'a>> {
        let (table, _) = self.rod(index, root)?;
        table.item("length").or_else(|| table.item("between"))
    }

    /// Notes that an element made the rows that follow the last ones.
    pub fn add_gaps(&mut self, element: Element, rows: usize) {
        let before = self.gaps.last().map_or(0, |(_, end)| *end);
        self.gaps.push((element, before + rows));
    }

    fn gap<'a>(&self, index: usize, root: &TableReader<'a>) -> Option<Item<'a>> {
        let place = self.gaps.partition_point(|(_, end)| *end <= index);
        let ((section, element), _) = *self.gaps.get(place)?;
        root.element(section, element)
    }

    /// The position of a body's element.
    fn body<'a>(&self, number: usize, root: &TableReader<'a>) -> Option<Item<'a>> {
        let element = self.bodies.partition_point(|&first| first <= number).checked_sub(1)?;
        root.element(self.what.word(), element)?.table()?.item("position")
    }

    /// Reports why the start is none; what copies of a repeated element have in common is reported once.
    pub fn report(&self, found: &[Inconsistency], root: &TableReader, q: &[f64]) {
        let mut reports: Vec<(Item, String, &str, usize)> = Vec::new();
        let mut places: HashMap<(String, &str), usize> = HashMap::new();
        for inconsistency in found {
            let (item, mut message, help) = self.explain(inconsistency, root);
            let Some(item) = item else {
                // Most of what is not finite is so because particles meet.
                let pair = meeting(q, self.dimension);
                if let Some((i, j)) = pair {
                    let short = |number: usize| named(&self.families, number).unwrap_or(number.to_string());
                    let (i, j) = (short(i), short(j));
                    message.push_str(&format!("; particles {i} and {j} are in the same place"));
                }
                if let Some(item) = self.body(pair.map_or(0, |pair| pair.1), root) {
                    item.report(message, Some(help.to_string()));
                }
                continue;
            };
            match places.entry((item.path().to_string(), help)) {
                Entry::Occupied(place) => reports[*place.get()].3 += 1,
                Entry::Vacant(place) => {
                    place.insert(reports.len());
                    reports.push((item, message, help, 0));
                }
            }
        }
        for (item, mut message, help, more) in reports {
            if more > 0 {
                message.push_str(&format!("; {more} more of this element"));
            }
            item.report(message, Some(help.to_string()));
        }
    }

    /// The element at fault, what is wrong and what helps.
    fn explain<'a>(
        &self,
        inconsistency: &Inconsistency,
        root: &TableReader<'a>,
    ) -> (Option<Item<'a>>, String, &'static str) {
        match inconsistency {
            Inconsistency::Equality { index, name, value, .. } => {
                let length = self.rods.get(*index).map_or(f64::NAN, |rod| rod.1);
                let message =
                    format!("`{name}` does not fit: its length is {length}, its ends are {} apart", length + value);
                let help = "change `length` or a `position`; without `length` it is the distance at the start";
                (self.rod_item(*index, root), message, help)
            }
            Inconsistency::Velocity { index, name, value, .. } => {
                let message = format!("the velocities would change the length of `{name}` at the rate {value:e}");
                let help = "along a rod both ends need the same `velocity`, and a fixed point has none";
                (self.rod_item(*index, root), message, help)
            }
            Inconsistency::Gap { contact, name, value } => {
                let message = format!("{name}: the gap at the start is {value:e}, allowed is 0 or more");
                let help = match self.what {
                    What::Plate => "change a `position` or an `angle`",
                    _ => "change a `position` or make a `radius` smaller",
                };
                (self.gap(contact.place(), root), message, help)
            }
            Inconsistency::Redundant { row } => {
                let item = self.rod_item(*row, root).or_else(|| self.gap(row.checked_sub(self.rods.len())?, root));
                (item, inconsistency.to_string(), "remove the dependent constraint or give more digits")
            }
            Inconsistency::TooLarge(_) => {
                let help = match self.what {
                    What::Plate => "take fewer plates, corners or walls",
                    _ => "take fewer particles, rods or pairs of spheres",
                };
                (None, inconsistency.to_string(), help)
            }
            Inconsistency::NonFinite { .. } | Inconsistency::Mass { .. } | Inconsistency::Nonholonomic { .. } => {
                let help = match self.what {
                    What::Plate => "start where every potential is defined",
                    _ => "start where every potential, rod and gap is defined",
                };
                (None, inconsistency.to_string(), help)
            }
        }
    }

    /// The element of a constraint that a method cannot work with.
    pub fn of_failure<'a>(&self, failure: &Failure, root: &TableReader<'a>) -> Option<Item<'a>> {
        match failure {
            Failure::Redundant { row: Row::Equality(index, _), .. }
            | Failure::Flat { row: Row::Equality(index, _) } => {
                self.rod(*index, root).and_then(|(table, _)| table.item("between"))
            }
            _ => None,
        }
    }
}

/// Two particles in the same place, the first of them in the order of their numbers.
fn meeting(q: &[f64], dimension: usize) -> Option<(usize, usize)> {
    if dimension == 0 {
        return None;
    }
    let mut places: Vec<(Vec<u64>, usize)> = q
        .chunks_exact(dimension)
        // Adding 0 makes -0 the same as 0.
        .map(|place| place.iter().map(|x| (x + 0.0).to_bits()).collect())
        .zip(0..)
        .collect();
    places.sort_unstable();
    let same = places.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| (pair[0].1, pair[1].1));
    same.min()
}
