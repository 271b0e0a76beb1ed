//! Maps: the regions of a plane about impact configurations, as in Figure 1 of Pekarek & Murphey. Nothing is run.

use carom::projected::{Plane, Projection, Region, Regions};
use carom::system::{ContactId, System};

use super::read::head;
use super::{Plan, PlanKind};
use crate::document::{Item, Kind, Source, TableReader};
use crate::figure::{Axis, Marker, Panel, Scale, Series, Trace};

const KEYS: [&str; 10] =
    ["name", "label", "scene", "set", "contact", "at", "labels", "coordinates", "window", "cells"];
/// Cells along a side unless told otherwise, and most.
const CELLS: (usize, usize) = (400, 4000);

/// What a map shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Map {
    /// The contact by name; the first one if there is none.
    contact: Option<String>,
    /// The impact configurations, with their names: the members of the map.
    pub at: Vec<(Vec<f64>, String)>,
    plane: Plane,
}

/// A map that was made.
pub(super) struct Made {
    pub regions: Regions,
    zi: (f64, f64),
    names: [String; 2],
}

/// A list of numbers.
fn numbers(item: &Item) -> Option<Vec<f64>> {
    item.array()?.iter().map(|item| item.number()).collect()
}

/// Reads a `[[map]]`.
pub(super) fn read(table: &TableReader, source: &Source) -> Option<Plan> {
    table.finish(&KEYS);
    let head = head(table, source);
    let at: Option<Vec<Vec<f64>>> =
        table.required("at").and_then(|item| item.array()?.iter().map(numbers).collect());
    let labels: Option<Vec<String>> = match table.array("labels") {
        None => Some(Vec::new()),
        Some(items) => items.iter().map(|item| item.string().map(str::to_string)).collect(),
    };
    let window = table.required("window").and_then(|item| {
        let ends: Option<Vec<Vec<f64>>> = item.array()?.iter().map(numbers).collect();
        match ends?.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
            [&[a, b], &[c, d]] if a < b && c < d => Some([(a, b), (c, d)]),
            _ => item.mismatch("two pairs of numbers, the smaller first"),
        }
    });
    let coordinates = match table.item("coordinates") {
        None => Some([0, 1]),
        Some(item) => match numbers(&item)?[..] {
            [a, b] if a >= 0.0 && b >= 0.0 && a != b && a.fract() == 0.0 && b.fract() == 0.0 => {
                Some([a as usize, b as usize])
            }
            _ => item.mismatch("the numbers of two coordinates, from 0"),
        },
    };
    let cells = match table.item("cells") {
        None => Some(CELLS.0),
        Some(item) => match item.kind() {
            Kind::Integer(count) if (1..=CELLS.1 as i64).contains(count) => Some(*count as usize),
            _ => item.mismatch("a number of cells from 1 to 4000"),
        },
    };
    let contact = table.string("contact").map(str::to_string);
    let ((name, label, start), at, labels) = (head?, at?, labels?);
    if at.is_empty() {
        table.item("at")?.report("the map has no configuration", None);
        return None;
    }
    if !labels.is_empty() && labels.len() != at.len() {
        table.item("labels")?.report("there must be as many labels as configurations", None);
        return None;
    }
    let plane = Plane { coordinates: coordinates?, window: window?, cells: [cells?; 2] };
    let named = |(place, zi): (usize, Vec<f64>)| {
        let label = labels.get(place).cloned().unwrap_or_else(|| format!("{zi:?}"));
        (zi, label)
    };
    let at = at.into_iter().enumerate().map(named).collect();
    Some(Plan { name, label, start: Some(start), kind: PlanKind::Map(Map { contact, at, plane }) })
}

impl Map {
    /// Makes one member; an error says why there is none.
    pub fn make(&self, system: &dyn System, member: usize) -> Result<Made, String> {
        let contact = match &self.contact {
            None => ContactId(0),
            Some(name) => {
                let mut all = (0..system.contacts().count()).map(ContactId::of);
                all.find(|&contact| system.contacts().name(contact) == *name)
                    .ok_or_else(|| format!("the scene has no contact `{name}`"))?
            }
        };
        let zi = &self.at[member].0;
        let mut projection = Projection::new(system, contact, zi).map_err(|error| error.to_string())?;
        if let Some(place) = self.plane.coordinates.into_iter().find(|&place| place >= zi.len()) {
            return Err(format!("the scene has {} coordinates, and none of number {place}", zi.len()));
        }
        let [a, b] = self.plane.coordinates;
        let names = [system.coordinate_name(a), system.coordinate_name(b)];
        let point = (zi[a], zi[b]);
        Ok(Made { regions: Regions::of(&mut projection, self.plane), zi: point, names })
    }
}

impl Made {
    /// Its plot.
    pub fn plot(&self, title: &str, (x, y): (Option<&str>, Option<&str>)) -> Panel {
        let Plane { window, cells, .. } = self.regions.plane;
        let axis = |place: usize, given: Option<&str>| {
            let (low, high) = window[place];
            Axis::linear(given.unwrap_or(&self.names[place])).range(low, high)
        };
        let mut plot = Panel::new().title(title).x(axis(0, x)).y(axis(1, y)).equal_aspect().legend_above();
        // As in the paper: green, blue and red.
        for (label, region, colour, tint) in
            [("C", Region::Feasible, 2, 75), ("N", Region::Folded, 0, 35), ("neither", Region::Lost, 1, 45)]
        {
            let filled = |i: usize, j: usize| self.regions.cells[j * cells[0] + i] == region;
            plot = plot.series(Series::region(label, window, cells, filled).colour(colour).tint(tint));
        }
        if self.regions.turned.contains(&true) {
            let filled = |i: usize, j: usize| self.regions.turned[j * cells[0] + i];
            let series = Series::region("N, where P folds over", window, cells, filled);
            plot = plot.series(series.colour(0).tint(65));
        }
        let mut point = Trace::scatter(Scale::Linear, Scale::Linear);
        point.extend([self.zi]);
        plot.series(Series::new("impact", point).marker(Marker::Circle).colour(5))
    }
}
