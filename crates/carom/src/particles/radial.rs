//! A pair potential given as an expression of the distance `r`, with derivatives by the expression graph.
//!
//! Cost: one square root and one run of a tape per pair. The gradient divides by `r`: it is not a number for particles
//! in the same place, even where the potential is smooth there.

use super::geometry::Jet;
use super::input::Misuse;
use super::law::Law;
use crate::lagrangian::expressed::program::Program;
use crate::lagrangian::expression::{Graph, parse};
use crate::lagrangian::local::Variables;

/// A potential `U(r)`.
pub struct Radial {
    value: Program,
    slope: Program,
    jet: Program,
}

impl Radial {
    /// From text in `r`, with named constants.
    pub fn parse(text: &str, constants: &[(&str, f64)]) -> Result<Self, Misuse> {
        let mut graph = Graph::new();
        let node = parse(&mut graph, text, &Variables { names: &[("r", 0)], constants })?;
        let slope = graph.derivative(node, 0);
        let curvature = graph.derivative(slope, 0);
        Ok(Self {
            value: Program::new(&graph, &[node], 1),
            slope: Program::new(&graph, &[slope], 1),
            jet: Program::new(&graph, &[node, slope, curvature], 1),
        })
    }
}

impl Law for Radial {
    fn value(&self, w: f64) -> f64 {
        let mut out = [0.0];
        self.value.run(&[&[w.sqrt()]], &mut out);
        out[0]
    }

    fn first(&self, w: f64) -> f64 {
        let (r, mut out) = (w.sqrt(), [0.0]);
        self.slope.run(&[&[r]], &mut out);
        0.5 * out[0] / r
    }

    fn jet(&self, w: f64) -> Jet {
        let mut out = [0.0; 3];
        self.jet.run(&[&[w.sqrt()]], &mut out);
        Jet::of_distance(w, out)
    }
}
