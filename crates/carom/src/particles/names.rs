//! Names of particles in messages and columns.

use super::input::{End, Link};

/// Axes of space.
pub const AXES: [&str; 3] = ["x", "y", "z"];

/// What particles are called; one without a name by its number.
#[derive(Debug, Clone, Default)]
pub struct Names {
    given: Vec<Option<String>>,
}

impl Names {
    /// From one name or none per particle.
    pub fn new(given: Vec<Option<String>>) -> Self {
        Self { given }
    }

    fn given(&self, index: usize) -> Option<&String> {
        self.given.get(index).and_then(Option::as_ref)
    }

    /// A particle.
    pub fn particle(&self, index: usize) -> String {
        self.given(index).cloned().unwrap_or_else(|| index.to_string())
    }

    /// A coordinate: `sun.x`, or `x[3]` where the particle has no name.
    pub fn coordinate(&self, index: usize, axis: usize) -> String {
        let axis = AXES[axis];
        self.given(index).map_or_else(|| format!("{axis}[{index}]"), |name| format!("{name}.{axis}"))
    }

    /// A spring or a rod by its ends.
    pub fn link(&self, link: &Link) -> String {
        let from = self.particle(link.particle);
        match link.other {
            End::Particle(other) => format!("{from}-{}", self.particle(other)),
            End::Anchor(_) => format!("{from}-anchor"),
        }
    }
}
