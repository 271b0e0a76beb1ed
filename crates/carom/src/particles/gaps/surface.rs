//! What the surfaces of a contact do to each other.

use crate::particles::input::{Misuse, friction, restitution};

/// The coefficients of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
}

/// Elastic and without friction.
impl Default for Surface {
    fn default() -> Self {
        Self { restitution: 1.0, friction: 0.0 }
    }
}

impl Surface {
    /// Refuses coefficients out of their ranges.
    pub fn check(&self) -> Result<(), Misuse> {
        restitution(self.restitution)?;
        friction(self.friction)
    }
}
