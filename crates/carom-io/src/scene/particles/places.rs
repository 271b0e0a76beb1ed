//! Where in the file something stands that the system or its start complains about.

use carom::error::{Failure, Row};
use carom::problem::Inconsistency;

use crate::document::{Item, TableReader};

/// Which elements the constraints of the system come from.
#[derive(Default)]
pub struct Places {
    /// Per rod, the element of `[[rod]]` and the length.
    pub rods: Vec<(usize, f64)>,
    /// Elements with gaps and how many each made, in the order in which the file was read: that of the rows.
    pub gaps: Vec<((&'static str, usize), usize)>,
}

impl Places {
    fn rod<'a>(&self, index: usize, root: &TableReader<'a>) -> Option<(TableReader<'a>, f64)> {
        let (element, length) = *self.rods.get(index)?;
        Some((root.array("rod")?.get(element)?.table()?, length))
    }

    /// The key of a rod's element that says how long it is.
    fn rod_item<'a>(&self, index: usize, root: &TableReader<'a>) -> Option<Item<'a>> {
        let (table, _) = self.rod(index, root)?;
        table.item("length").or_else(|| table.item("between"))
    }

    fn gap<'a>(&self, mut index: usize, root: &TableReader<'a>) -> Option<Item<'a>> {
        for &((section, element), rows) in &self.gaps {
            if index < rows {
                return root.array(section)?.get(element).cloned();
            }
            index -= rows;
        }
        None
    }

    /// Reports why the start is none.
    pub fn report(&self, inconsistency: &Inconsistency, root: &TableReader) {
        let (item, message, help) = match inconsistency {
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
            Inconsistency::Gap { index, name, value } => {
                let message = format!("{name}: the gap at the start is {value:e}, allowed is 0 or more");
                (self.gap(*index, root), message, "change a `position` or make a `radius` smaller")
            }
            Inconsistency::Redundant { row } => {
                let item = self.rod_item(*row, root).or_else(|| self.gap(row.checked_sub(self.rods.len())?, root));
                (item, inconsistency.to_string(), "remove the dependent constraint or give more digits")
            }
            Inconsistency::NonFinite { .. } | Inconsistency::Mass { .. } | Inconsistency::Nonholonomic { .. } => {
                let help = "start where every potential is defined: mostly, no two particles in the same place";
                (None, inconsistency.to_string(), help)
            }
        };
        let first = || root.array("particle")?.first().cloned();
        if let Some(item) = item.or_else(first) {
            item.report(message, Some(help.to_string()));
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
