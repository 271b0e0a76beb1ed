//! `[[particle]]`: what moves.

use super::super::elements::defaults::{Defaults, zeros};
use super::super::elements::{self, vector};
use super::super::names::Names;
use super::super::terms;
use crate::document::{Item, Kind, TableReader};

/// The keys of `[[particle]]`.
pub const KEYS: [&str; 6] = ["name", "mass", "radius", "position", "velocity", "repeat"];

/// The most particles: their coordinates can still be counted and stored.
const MOST_PARTICLES: usize = 1_000_000;

/// All particles, in the order of their declaration.
#[derive(Default)]
pub struct Bodies {
    /// Dimension of space.
    pub dimension: usize,
    /// Per element, the number of its first particle.
    pub firsts: Vec<usize>,
    /// Masses.
    pub masses: Vec<f64>,
    /// Radii.
    pub radii: Vec<f64>,
    /// Names of those that have one.
    pub names: Vec<Option<String>>,
    /// Positions, particle by particle.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// How many problems are those of masses: they leave the start known.
    pub of_masses: usize,
}

/// The dimension of space where no position says it: every name of a coordinate then has a meaning.
const UNKNOWN_DIMENSION: usize = 3;

/// Reads all particles. What is wrong is reported and replaced, and what is then not known noted, so that all that refers to particles
/// can be read too; there is at least one.
pub fn read(elements: &[Item], names: &mut Names, defaults: &mut Defaults) -> Bodies {
    let mut bodies = Bodies { dimension: elements.iter().find_map(dimension_of).unwrap_or(0), ..Bodies::default() };
    if bodies.dimension == 0 {
        bodies.dimension = UNKNOWN_DIMENSION;
        names.unknown.dimension = true;
    }
    for (place, element) in elements.iter().enumerate() {
        bodies.firsts.push(bodies.masses.len());
        match element.table() {
            Some(table) => bodies.add(&table, place, names, defaults),
            None => {
                elements::uncounted("", names);
                names.unknown.refused(None);
            }
        }
    }
    if bodies.masses.is_empty() {
        if let Some(first) = elements.first().filter(|_| !names.unknown.count) {
            first.report("there are no particles", Some("every `repeat` has the count 0".into()));
            elements::uncounted("", names);
        }
        bodies.add_replacement();
    }
    bodies
}

/// The number of components of a position, if it can be one.
fn dimension_of(element: &Item) -> Option<usize> {
    let Kind::Table(table) = element.kind() else { return None };
    match &table.get("position")?.kind {
        Kind::Array(parts) => Some(parts.len()).filter(|count| (1..=3).contains(count)),
        _ => None,
    }
}

impl Bodies {
    fn add(&mut self, table: &TableReader, place: usize, names: &mut Names, defaults: &mut Defaults) {
        table.finish(&KEYS);
        let name = elements::name(table, names);
        let problems = table.diagnostics().len();
        let mass = table.required("mass");
        self.of_masses += table.diagnostics().len() - problems;
        let position = table.required("position");
        let position = position.filter(|item| self.fits(item, names).is_some());
        let (radius, velocity) = (table.item("radius"), table.item("velocity"));
        let (first, dimension, mut start) = (self.masses.len(), self.dimension, 0);
        let (mut broken, mut broken_mass) = (false, false);
        let counted = terms::for_each(table, names, |names, at| {
            if self.masses.len() == MOST_PARTICLES {
                table.report(format!("there are more than {MOST_PARTICLES} particles"), None);
                return None;
            }
            if self.masses.len() == first && at.len() == 1 {
                start = at[0];
            }
            self.names.push(None);
            // What is wrong in a repeated element is reported once; the count goes on.
            let problems = table.diagnostics().len();
            let mass = mass.as_ref().filter(|_| !broken_mass).and_then(|item| names.positive(item));
            self.masses.push(mass.unwrap_or(1.0));
            let count = table.diagnostics().len();
            self.of_masses += count - problems;
            broken_mass |= count > problems;
            let read = |item: &Item| if broken { None } else { vector(item, names, dimension) };
            let none = || vec![0.0; dimension];
            self.q.extend(position.as_ref().and_then(read).unwrap_or_else(none));
            self.v.extend(velocity.as_ref().and_then(read).unwrap_or_else(none));
            self.radii.push(match &radius {
                Some(item) if !broken => names.not_negative(item).unwrap_or(0.0),
                _ => 0.0,
            });
            broken |= table.diagnostics().len() > count;
            Some(())
        });
        if counted.is_none() {
            self.truncate(first);
            return elements::uncounted(&name, names);
        }
        if self.masses.len() > first {
            if velocity.is_none() {
                defaults.note(("particle", place), "velocity", zeros(dimension));
            }
            if radius.is_none() {
                defaults.note(("particle", place), "radius", Kind::Float(0.0));
            }
        }
        elements::give_name(name, (first, start), table, &mut self.names, names);
    }

    /// A particle in the place of those that cannot be read.
    fn add_replacement(&mut self) {
        self.masses.push(1.0);
        self.radii.push(0.0);
        self.names.push(None);
        self.q.extend(vec![0.0; self.dimension]);
        self.v.extend(vec![0.0; self.dimension]);
    }

    /// Forgets all but the first particles.
    fn truncate(&mut self, count: usize) {
        self.masses.truncate(count);
        self.radii.truncate(count);
        self.names.truncate(count);
        self.q.truncate(count * self.dimension);
        self.v.truncate(count * self.dimension);
    }

    /// Whether a position has the dimension of those before it.
    fn fits(&self, item: &Item, names: &Names) -> Option<()> {
        let parts = item.array()?;
        if parts.is_empty() || parts.len() > 3 {
            return item.mismatch("an array of 1, 2 or 3 components");
        }
        if names.unknown.dimension || self.dimension == parts.len() {
            return Some(());
        }
        let plural = if parts.len() == 1 { "" } else { "s" };
        let message =
            format!("this position has {} component{plural}, those before it {}", parts.len(), self.dimension);
        item.report(message, None);
        None
    }
}
