//! Named terms that are added up.

use std::collections::HashMap;

use carom::lagrangian::definition::NamedRow;
use carom::lagrangian::expression::{Graph, NodeId};

/// Sums of terms by name, in the order in which the names occur first.
#[derive(Default)]
pub struct Sums {
    /// The sums.
    pub rows: Vec<NamedRow>,
    places: HashMap<String, usize>,
}

impl Sums {
    /// Adds a term to the sum of that name; those of a repeated element have one name.
    pub fn add(&mut self, name: &str, node: NodeId, graph: &mut Graph) {
        let name = name.split('[').next().unwrap_or(name);
        if let Some(&place) = self.places.get(name) {
            self.rows[place].node = graph.add(self.rows[place].node, node);
        } else {
            self.places.insert(name.to_string(), self.rows.len());
            self.rows.push(NamedRow { name: name.to_string(), node });
        }
    }
}
