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
    /// Dimension of space; 0 as long as there is no particle.
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
}

/// Reads all particles. `None` if it is not known which there are; a wrong number is reported and replaced.
pub fn read(elements: &[Item], names: &mut Names, defaults: &mut Defaults) -> Option<Bodies> {
    let mut bodies = Bodies::default();
    let mut known = true;
    for (place, element) in elements.iter().enumerate() {
        let first = bodies.masses.len();
        bodies.firsts.push(first);
        if element.table().and_then(|table| bodies.add(&table, place, names, defaults)).is_none() {
            known = false;
            bodies.truncate(first);
        }
    }
    if known && bodies.masses.is_empty() {
        let help = "every `repeat` has the count 0".to_string();
        elements.first()?.report("there are no particles", Some(help));
        return None;
    }
    known.then_some(bodies)
}

impl Bodies {
    fn add(&mut self, table: &TableReader, place: usize, names: &mut Names, defaults: &mut Defaults) -> Option<()> {
        table.finish(&KEYS);
        let name = elements::name(table, names);
        let (mass, position) = (table.required("mass"), table.required("position"));
        let fits = position.as_ref().and_then(|item| self.fit(item));
        let (radius, velocity) = (table.item("radius"), table.item("velocity"));
        let (name, mass, position) = (name?, mass?, position?);
        fits?;
        let (first, dimension, mut start, mut broken) = (self.masses.len(), self.dimension, 0, false);
        terms::for_each(table, names, |names, at| {
            if self.masses.len() == MOST_PARTICLES {
                table.report(format!("there are more than {MOST_PARTICLES} particles"), None);
                return None;
            }
            if self.masses.len() == first && at.len() == 1 {
                start = at[0];
            }
            self.names.push(None);
            // What is wrong in a repeated element is reported once; the count goes on.
            let count = table.diagnostics().len();
            let read = |item: &Item| if broken { None } else { vector(item, names, dimension) };
            let none = || vec![0.0; dimension];
            self.masses.push(if broken { 1.0 } else { names.positive(&mass).unwrap_or(1.0) });
            self.q.extend(read(&position).unwrap_or_else(none));
            self.v.extend(velocity.as_ref().and_then(read).unwrap_or_else(none));
            self.radii.push(match &radius {
                Some(item) if !broken => names.not_negative(item).unwrap_or(0.0),
                _ => 0.0,
            });
            broken |= table.diagnostics().len() > count;
            Some(())
        })?;
        if self.masses.len() > first {
            if velocity.is_none() {
                defaults.note(("particle", place), "velocity", zeros(dimension));
            }
            if radius.is_none() {
                defaults.note(("particle", place), "radius", Kind::Float(0.0));
            }
        }
        elements::give_name(name, (first, start), table, &mut self.names, names);
        Some(())
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
    fn fit(&mut self, item: &Item) -> Option<()> {
        let parts = item.array()?;
        if parts.is_empty() || parts.len() > 3 {
            return item.mismatch("an array of 1, 2 or 3 components");
        }
        if self.dimension == 0 {
            self.dimension = parts.len();
        }
        if self.dimension == parts.len() {
            return Some(());
        }
        let plural = if parts.len() == 1 { "" } else { "s" };
        let message =
            format!("this position has {} component{plural}, those before it {}", parts.len(), self.dimension);
        item.report(message, None);
        None
    }
}
