//! Defaults of elements, so that the scene can be written out as it was run.

use super::Element;
use crate::document::{Kind, Origin, Table, TableReader, Value};

/// The value of a key that an element does not have.
struct Default {
    section: &'static str,
    element: usize,
    key: &'static str,
    /// Nothing if the copies of a repeated element differ in it. The key then stays absent: the value depends on nothing
    /// but the rest of the file (initial distances, other keys), so that reading it again gives the same bits.
    value: Option<Kind>,
}

/// Defaults of all elements.
#[derive(std::default::Default)]
pub struct Defaults {
    found: Vec<Default>,
}

impl Defaults {
    /// Notes what stands for a missing key; for a repeated element once per copy.
    pub fn note(&mut self, (section, element): Element, key: &'static str, value: Kind) {
        // Copies of an element follow each other: only its own entries are looked at.
        let own = self.found.iter_mut().rev().take_while(|old| (old.section, old.element) == (section, element));
        match own.into_iter().find(|old| old.key == key) {
            Some(old) if old.value.as_ref() == Some(&value) => {}
            Some(old) => old.value = None,
            None => self.found.push(Default { section, element, key, value: Some(value) }),
        }
    }

    /// A missing `on` stands for all bodies.
    pub fn note_group(&mut self, table: &TableReader, place: Element) {
        if table.get("on").is_none() {
            self.note(place, "on", Kind::String("all".into()));
        }
    }

    /// Writes them into a scene.
    pub fn write(&self, table: &mut Table) {
        for Default { section, element, key, value } in &self.found {
            if let Some(kind) = value
                && let Some(Value { kind: Kind::Array(elements), .. }) = table.get_mut(section)
                && let Some(Value { kind: Kind::Table(table), .. }) = elements.get_mut(*element)
            {
                table.insert(key, Value { kind: kind.clone(), origin: Origin::Default });
            }
        }
    }
}

/// An array of zeros.
pub fn zeros(count: usize) -> Kind {
    Kind::Array(vec![Value { kind: Kind::Float(0.0), origin: Origin::Default }; count])
}
