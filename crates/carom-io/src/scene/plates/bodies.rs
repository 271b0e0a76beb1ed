//! `[[plate]]`: what moves.

use carom::plates::{Plate, Polygon};

use super::super::elements::defaults::{Defaults, zeros};
use super::super::elements::{self, vector};
use super::super::names::Names;
use super::super::terms;
use crate::document::{Item, Kind, TableReader};

/// The keys of `[[plate]]`.
pub const KEYS: [&str; 9] =
    ["name", "mass", "inertia", "vertices", "position", "angle", "velocity", "spin", "repeat"];

/// The most plates: their coordinates can still be counted and stored.
const MOST_PLATES: usize = 100_000;
/// How far, relative to the size of a polygon, its centroid may be off the origin by rounding.
const CENTRED: f64 = 1e-9;

/// All plates, in the order of their declaration.
#[derive(Default)]
pub struct Bodies {
    /// Per element, the number of its first plate.
    pub firsts: Vec<usize>,
    /// The plates.
    pub plates: Vec<Plate>,
    /// Names of those that have one.
    pub names: Vec<Option<String>>,
    /// Positions and angles, plate by plate.
    pub q: Vec<f64>,
    /// Velocities and spins.
    pub v: Vec<f64>,
}

/// Reads all plates. What is wrong is reported and replaced, and what is then not known noted, so that all that refers to plates can be
/// read too; there is at least one.
pub fn read(elements: &[Item], names: &mut Names, defaults: &mut Defaults) -> Bodies {
    let mut bodies = Bodies::default();
    for (place, element) in elements.iter().enumerate() {
        bodies.firsts.push(bodies.plates.len());
        match element.table() {
            Some(table) => bodies.add(&table, place, names, defaults),
            None => {
                elements::uncounted("", names);
                names.unknown.refused(None);
            }
        }
    }
    if bodies.plates.is_empty() {
        if let Some(first) = elements.first().filter(|_| !names.unknown.count) {
            first.report("there are no plates", Some("every `repeat` has the count 0".into()));
            elements::uncounted("", names);
        }
        bodies.push(Started::replacement());
    }
    bodies
}

/// A plate at its start.
struct Started {
    plate: Plate,
    q: [f64; 3],
    v: [f64; 3],
}

impl Started {
    /// In the place of one that cannot be read.
    fn replacement() -> Self {
        let plate = Plate { mass: 1.0, inertia: 1.0, vertices: vec![[1.0, 0.0]] };
        Self { plate, q: [0.0; 3], v: [0.0; 3] }
    }
}

impl Bodies {
    fn add(&mut self, table: &TableReader, place: usize, names: &mut Names, defaults: &mut Defaults) {
        table.finish(&KEYS);
        let name = elements::name(table, names);
        let required = ["mass", "vertices", "position"].map(|key| table.required(key));
        let (first, mut start, mut broken) = (self.plates.len(), 0, false);
        let counted = terms::for_each(table, names, |names, at| {
            if self.plates.len() == MOST_PLATES {
                table.report(format!("there are more than {MOST_PLATES} plates"), None);
                return None;
            }
            if self.plates.len() == first && at.len() == 1 {
                start = at[0];
            }
            // What is wrong in a repeated element is reported once; the count goes on.
            let started = if broken { None } else { read_plate(table, (place, &required), names, defaults) };
            broken |= started.is_none();
            self.push(started.unwrap_or_else(Started::replacement));
            Some(())
        });
        match counted {
            Some(()) => elements::give_name(name, (first, start), table, &mut self.names, names),
            None => elements::uncounted(&name, names),
        }
    }

    fn push(&mut self, started: Started) {
        self.names.push(None);
        self.plates.push(started.plate);
        self.q.extend(started.q);
        self.v.extend(started.v);
    }
}

/// Reads one plate, of whose required keys some may be missing; all that is wrong is reported.
fn read_plate(
    table: &TableReader,
    (place, [mass, corners, position]): (usize, &[Option<Item>; 3]),
    names: &Names,
    defaults: &mut Defaults,
) -> Option<Started> {
    let pair = |item: &Item| vector(item, names, 2).map(|parts| [parts[0], parts[1]]);
    let mut number = |key: &'static str| match table.item(key) {
        Some(item) => names.number(&item),
        None => {
            defaults.note(("plate", place), key, Kind::Float(0.0));
            Some(0.0)
        }
    };
    let (angle, spin) = (number("angle"), number("spin"));
    let velocity = match table.item("velocity") {
        Some(item) => pair(&item),
        None => {
            defaults.note(("plate", place), "velocity", zeros(2));
            Some([0.0; 2])
        }
    };
    let mass = mass.as_ref().and_then(|item| names.positive(item));
    let position = position.as_ref().and_then(pair);
    let vertices = corners.as_ref().and_then(|item| vertices(item, names));
    let given = table.item("inertia").map(|item| (names.positive(&item), item));
    let mut plate = Plate { mass: mass?, inertia: 0.0, vertices: vertices? };
    match given {
        Some((value, item)) => {
            plate.inertia = value?;
            check_inertia(&plate, &item, names)?;
        }
        None => {
            let corners = corners.as_ref()?;
            plate.inertia = plate.mass * uniform_moment(corners, names, &plate.vertices)?;
            if !(plate.inertia > 0.0 && plate.inertia.is_finite()) {
                let message = format!("these corners give the moment of inertia {}{}", plate.inertia, names.at());
                corners.report(
                    message,
                    Some("a moment of inertia is a number above 0; `inertia` gives another".into()),
                );
                return None;
            }
            defaults.note(("plate", place), "inertia", Kind::Float(plate.inertia));
        }
    }
    let ([x, y], [vx, vy]) = (position?, velocity?);
    Some(Started { plate, q: [x, y, angle?], v: [vx, vy, spin?] })
}

/// Reads the corners; all that are wrong are reported.
fn vertices(item: &Item, names: &Names) -> Option<Vec<[f64; 2]>> {
    let corners = match item.kind() {
        Kind::Array(corners) if !corners.is_empty() => item.array()?,
        _ => return item.mismatch("an array of corners, like [[0, 0], [1, 0], [0, 1]]"),
    };
    let read: Vec<Option<Vec<f64>>> = corners.iter().map(|corner| vector(corner, names, 2)).collect();
    read.into_iter().map(|corner| corner.map(|parts| [parts[0], parts[1]])).collect()
}

/// Whether a body between the corners can have the given moment of inertia; reported if not.
fn check_inertia(plate: &Plate, item: &Item, names: &Names) -> Option<()> {
    if plate.is_possible() {
        return Some(());
    }
    let (value, largest) = (plate.inertia, plate.largest_inertia());
    let message = format!("found {value}{}, allowed is at most {largest}", names.at());
    item.report(message, Some("that is the mass times the square of the distance of the farthest corner".into()));
    None
}

/// The moment of inertia of a uniform polygon per mass, if its centre of mass is where it must be.
fn uniform_moment(item: &Item, names: &Names, vertices: &[[f64; 2]]) -> Option<f64> {
    let instead = "or give `inertia`";
    let polygon = match Polygon::of(vertices) {
        Ok(polygon) => polygon,
        Err(misuse) => {
            let message = format!("these corners give no moment of inertia{}: {misuse}", names.at());
            item.report(message, Some(format!("write the corners of a polygon in their order, {instead}")));
            return None;
        }
    };
    let [x, y] = polygon.centroid;
    let size = vertices.iter().fold(0.0, |most: f64, [x, y]| most.max(x.hypot(*y)));
    if x.hypot(y) > CENTRED * size {
        let message = format!("the centre of mass of this polygon is ({x}, {y}){}, not the origin", names.at());
        item.report(message, Some(format!("subtract it from every corner, {instead}")));
        return None;
    }
    Some(polygon.moment)
}
