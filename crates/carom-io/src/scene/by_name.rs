//! Lists whose entries are found by their names.

use std::collections::HashMap;

/// Named values in the order in which they were added; looking one up costs the same however many there are.
#[derive(Debug, Clone)]
pub struct ByName<T> {
    entries: Vec<(String, T)>,
    places: HashMap<String, usize>,
}

impl<T> Default for ByName<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), places: HashMap::new() }
    }
}

impl<T> ByName<T> {
    /// Adds a value; of several with one name the first is found.
    pub fn push(&mut self, name: String, value: T) {
        self.places.entry(name.clone()).or_insert(self.entries.len());
        self.entries.push((name, value));
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.places.get(name).map(|&place| &self.entries[place].1)
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &(String, T)> {
        self.entries.iter()
    }

    /// All values, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// All of them, without the way to find them.
    pub fn into_vec(self) -> Vec<(String, T)> {
        self.entries
    }
}
