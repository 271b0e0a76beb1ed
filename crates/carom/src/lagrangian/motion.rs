//! A vector field that moves every body by the same law, for declared symmetries.

use super::expressed::program::Program;
use super::expression::{Graph, ParseError, parse};
use super::local::Variables;
use crate::measures::VectorField;

/// The same expressions of the coordinates and the mass of each body.
pub(crate) struct Motion {
    width: usize,
    masses: Vec<f64>,
    value: Program,
    along: Program,
}

impl Motion {
    /// From one expression per coordinate of a body, in these coordinates, the mass `m` and named constants, for bodies of
    /// these masses. There are as many texts as coordinates.
    pub fn parse(
        texts: &[&str],
        coordinates: &[&str],
        constants: &[(&str, f64)],
        masses: Vec<f64>,
    ) -> Result<Self, ParseError> {
        let d = coordinates.len();
        // Inputs: coordinates, mass, velocity.
        let variables: Vec<(&str, u32)> = coordinates.iter().copied().chain(["m"]).zip(0..).collect();
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
        Ok(Self {
            width: d,
            masses,
            value: Program::new(&graph, &value, d + 1),
            along: Program::new(&graph, &along, 2 * d + 1),
        })
    }
}

impl VectorField for Motion {
    fn at(&self, q: &[f64], out: &mut [f64]) {
        let places = q.chunks_exact(self.width).zip(&self.masses);
        for ((x, m), out) in places.zip(out.chunks_exact_mut(self.width)) {
            self.value.run(&[x, &[*m]], out);
        }
    }

    fn along(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let places = q.chunks_exact(self.width).zip(v.chunks_exact(self.width)).zip(&self.masses);
        for (((x, v), m), out) in places.zip(out.chunks_exact_mut(self.width)) {
            self.along.run(&[x, &[*m], v], out);
        }
    }
}
