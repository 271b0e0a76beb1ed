//! Bounds of the second derivative of a gap by time along a parabola, by intervals.
//!
//! `g'' = vᵀHv + ∇g·a` is one expression of place, velocity and acceleration. It is evaluated once, on the box that the
//! parabola lies in. The box is larger than the parabola and operands count as independent: the bounds are too wide by about
//! the length of the path, and shrink to the second derivative with the duration. Cost: some ten times that of a tape.

use super::room::Kept;
use crate::lagrangian::definition::Layout;
use crate::lagrangian::expression::{Graph, Interval, Moving, NodeId, Scalar, Tape};
use crate::system::Parabola;

/// The second derivative of one gap.
pub struct Bend {
    tape: Tape,
    room: Kept<Interval>,
}

impl Bend {
    pub fn new(graph: &mut Graph, layout: Layout, gap: NodeId) -> Self {
        let gradient = graph.gradient(gap, &layout.coordinates());
        let mut sum = Graph::ZERO;
        let slopes = gradient.into_iter().enumerate().filter(|(_, slope)| *slope != Graph::ZERO);
        for (i, slope) in slopes {
            // The multipliers are no inputs of a gap: accelerations stand in their place.
            let acceleration = graph.input(layout.lambda(i));
            let term = graph.mul(slope, acceleration);
            sum = graph.add(sum, term);
            let v = graph.input(layout.v(i));
            for j in i..layout.n {
                let second = graph.derivative(slope, layout.q(j));
                // The square of a velocity is never negative, which a product does not know; the other half is the same.
                let factor = if j == i {
                    graph.powi(v, 2)
                } else {
                    let (two, other) = (graph.constant(2.0), graph.input(layout.v(j)));
                    let product = graph.mul(v, other);
                    graph.mul(two, product)
                };
                let term = graph.mul(second, factor);
                sum = graph.add(sum, term);
            }
        }
        // A surface that moves: 2 v·∂∇g/∂t + ∂²g/∂t², the time running forwards or back, which its own input tells.
        let pace = graph.input(layout.lambda(layout.n));
        let rate = graph.derivative(gap, layout.t());
        if rate != Graph::ZERO {
            for i in 0..layout.n {
                let (slope, v) = (graph.derivative(rate, layout.q(i)), graph.input(layout.v(i)));
                let (two, turned) = (graph.constant(2.0), graph.mul(v, pace));
                let term = graph.mul(slope, turned);
                let term = graph.mul(two, term);
                sum = graph.add(sum, term);
            }
            let second = graph.derivative(rate, layout.t());
            sum = graph.add(sum, second);
        }
        // Kinks and jumps of the gap itself leave no trace in derivatives that vanish beside them.
        let tape = Tape::compile(graph, &[sum, gap], 3 * layout.n + 2);
        let room = Kept::new(tape.generic_scratch());
        Self { tape, room }
    }

    /// The bounds; `None` where an operation is unbounded or has a kink.
    pub fn bounds(&self, arc: &Parabola) -> Option<[f64; 2]> {
        let n = arc.q.len();
        let out = self.room.with(
            || self.tape.generic_scratch(),
            |slots| {
                slots[n] = Moving::along([arc.t, arc.pace, 0.0], arc.duration).value;
                slots[3 * n + 1] = Interval::from_f64(arc.pace);
                for i in 0..n {
                    let coordinate = Moving::along([arc.q[i], arc.v[i], arc.a[i]], arc.duration);
                    slots[i] = coordinate.value;
                    slots[n + 1 + i] = coordinate.rate;
                    slots[2 * n + 1 + i] = Interval::from_f64(arc.a[i]);
                }
                let mut out = [Interval::UNKNOWN; 2];
                self.tape.evaluate_loaded(slots, &mut out);
                out
            },
        );
        let known = out.iter().all(|value| !value.is_unknown());
        known.then_some([out[0].lower, out[0].upper])
    }
}
