//! A vector field that moves every particle by the same law, for declared symmetries.

use super::Particles;
use super::input::Misuse;
use super::names::Variables;
use crate::lagrangian::expressed::program::Program;
use crate::lagrangian::expression::{Graph, parse};
use crate::measures::VectorField;

/// The same expressions of the place and the mass of each particle.
struct Motion {
    dimension: usize,
    masses: Vec<f64>,
    value: Program,
    along: Program,
}

impl Particles {
    /// A vector field from one expression per axis, in the place `x`, `y`, `z` (as far as the dimension goes) and the mass
    /// `m` of a particle and named constants: `["-y", "x"]` turns all of them about the origin.
    pub fn motion(&self, texts: &[&str], constants: &[(&str, f64)]) -> Result<Box<dyn VectorField>, Misuse> {
        let d = self.dimension;
        if texts.len() != d {
            return Err(Misuse::Length { what: "the generator of a motion", found: texts.len(), needed: d });
        }
        // Inputs: place, mass, velocity.
        let variables: Vec<(&str, u32)> = ["x", "y", "z"].into_iter().take(d).chain(["m"]).zip(0..).collect();
        let mut graph = Graph::new();
        let (mut value, mut along) = (Vec::new(), Vec::new());
        for text in texts {
            let node = parse(&mut graph, text, &Variables { names: &variables, constants })?;
            let mut sum = graph.constant(0.0);
            for axis in 0..d {
                let (slope, v) = (graph.derivative(node, axis as u32), graph.input((d + 1 + axis) as u32));
                let term = graph.mul(slope, v);
                sum = graph.add(sum, term);
            }
            value.push(node);
            along.push(sum);
        }
        Ok(Box::new(Motion {
            dimension: d,
            masses: self.masses.clone(),
            value: Program::new(&graph, &value, d + 1),
            along: Program::new(&graph, &along, 2 * d + 1),
        }))
    }
}

impl VectorField for Motion {
    fn at(&self, q: &[f64], out: &mut [f64]) {
        let places = q.chunks_exact(self.dimension).zip(&self.masses);
        for ((x, m), out) in places.zip(out.chunks_exact_mut(self.dimension)) {
            self.value.run(&[x, &[*m]], out);
        }
    }

    fn along(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let places = q.chunks_exact(self.dimension).zip(v.chunks_exact(self.dimension)).zip(&self.masses);
        for (((x, v), m), out) in places.zip(out.chunks_exact_mut(self.dimension)) {
            self.along.run(&[x, &[*m], v], out);
        }
    }
}
