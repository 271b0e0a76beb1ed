//! A vector field that moves every particle by the same law, for declared symmetries.

use super::Particles;
use super::input::Misuse;
use super::names::AXES;
use crate::lagrangian::motion::Motion;
use crate::measures::VectorField;

impl Particles {
    /// A vector field from one expression per axis, in the place `x`, `y`, `z` (as far as the dimension goes) and the mass
    /// `m` of a particle and named constants: `["-y", "x"]` turns all of them about the origin.
    pub fn motion(&self, texts: &[&str], constants: &[(&str, f64)]) -> Result<Box<dyn VectorField>, Misuse> {
        let d = self.dimension;
        if texts.len() != d {
            return Err(Misuse::Length { what: "the generator of a motion", found: texts.len(), needed: d });
        }
        Ok(Box::new(Motion::parse(texts, &AXES[..d], constants, self.masses.clone())?))
    }
}
