//! Bounds of the rate of a gap along a parabola, by intervals that move.
//!
//! The gap itself is evaluated once, on coordinates that carry their velocities along. No derivative of it is asked for, so that
//! kinks have bounds too. They are too wide by about the length of the path, as those of the second derivative are.

use super::room::Kept;
use crate::lagrangian::definition::Layout;
use crate::lagrangian::expression::{Graph, Moving, NodeId, Scalar, Tape};
use crate::system::Parabola;

/// The rate of one gap.
pub struct Rate {
    tape: Tape,
    room: Kept<Moving>,
}

impl Rate {
    pub fn new(graph: &Graph, layout: Layout, gap: NodeId) -> Self {
        let tape = Tape::compile(graph, &[gap], layout.n + 1);
        let room = Kept::new(tape.generic_scratch());
        Self { tape, room }
    }

    /// The bound; `None` where an operation is unbounded, infinitely steep or jumps.
    pub fn bound(&self, arc: &Parabola) -> Option<f64> {
        let n = arc.q.len();
        self.room.with(
            || self.tape.generic_scratch(),
            |slots| {
                slots[n] = Moving::along([arc.t, arc.pace, 0.0], arc.duration);
                for i in 0..n {
                    slots[i] = Moving::along([arc.q[i], arc.v[i], arc.a[i]], arc.duration);
                }
                let mut out = [Moving::from_f64(0.0)];
                self.tape.evaluate_loaded(slots, &mut out);
                out[0].fastest()
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lagrangian::expression::Op;

    const LAYOUT: Layout = Layout { n: 2 };

    /// The bound for a gap of two coordinates.
    fn bound(gap: impl Fn(&mut Graph, [NodeId; 2]) -> NodeId, arc: &Parabola) -> Option<f64> {
        let mut graph = Graph::new();
        let place = [0, 1].map(|i| graph.input(LAYOUT.q(i)));
        let gap = gap(&mut graph, place);
        let rate = Rate::new(&graph, LAYOUT, gap);
        let first = rate.bound(arc);
        assert_eq!(rate.bound(arc), first, "what an evaluation leaves behind does not matter");
        first
    }

    fn near(found: Option<f64>, exact: f64) {
        let rate = found.expect("known");
        assert!(exact <= rate && rate <= exact * (1.0 + 1e-12) + 1e-300, "{rate}, not {exact}");
    }

    /// A ball of radius ¼ around the origin.
    fn ball(graph: &mut Graph, [x, y]: [NodeId; 2]) -> NodeId {
        let (distance, radius) = (graph.apply(Op::Hypot, x, y), graph.constant(0.25));
        graph.sub(distance, radius)
    }

    #[test]
    fn a_distance_changes_as_fast_as_its_point_moves() {
        let through =
            Parabola { t: 0.0, pace: 1.0, q: &[1.0, 0.0], v: &[-2.0, 0.0], a: &[0.0, 0.0], duration: 1.0 };
        near(bound(ball, &through), 2.0);
        near(bound(ball, &Parabola { duration: 0.25, ..through }), 2.0);
        let oblique = Parabola { v: &[-3.0, 4.0], ..through };
        near(bound(ball, &Parabola { q: &[0.0, 0.0], ..oblique }), 5.0);
        // Past the ball no faster than the part of the velocity towards it.
        let past = Parabola { t: 0.0, pace: 1.0, q: &[1.0, 0.0], v: &[0.0, 2.0], a: &[0.0, 0.0], duration: 1e-3 };
        assert!(bound(ball, &past).expect("known") < 5e-3);
    }

    #[test]
    fn linear_gaps_have_their_rate() {
        let gap = |graph: &mut Graph, [x, y]: [NodeId; 2]| {
            let three = graph.constant(3.0);
            let product = graph.mul(three, y);
            graph.sub(x, product)
        };
        let arc = Parabola { t: 0.0, pace: 1.0, q: &[1.0, 7.0], v: &[2.0, 1.5], a: &[0.0, 0.0], duration: 0.5 };
        near(bound(gap, &arc), 2.5);
        // Fastest where it ends.
        near(bound(gap, &Parabola { a: &[-4.0, 0.0], ..arc }), 4.5);
        near(bound(|_, [x, _]| x, &Parabola { v: &[-1.0, 0.0], a: &[3.0, 0.0], duration: 0.1, ..arc }), 1.0);
    }

    #[test]
    fn two_bodies_that_move_together_are_at_rest() {
        let gap = |graph: &mut Graph, [x, y]: [NodeId; 2]| graph.sub(x, y);
        let arc = Parabola { t: 0.0, pace: 1.0, q: &[1.0, 0.0], v: &[100.0, 100.0], a: &[0.0, 0.0], duration: 1.0 };
        assert!(bound(gap, &arc).expect("known") < 1e-12);
    }

    #[test]
    fn nothing_is_said_of_roots_at_zero() {
        let gap = |graph: &mut Graph, [x, _]: [NodeId; 2]| graph.apply(Op::Sqrt, x, x);
        let arc = Parabola { t: 0.0, pace: 1.0, q: &[1.0, 0.0], v: &[-1.0, 0.0], a: &[0.0, 0.0], duration: 0.75 };
        near(bound(gap, &arc), 1.0);
        assert_eq!(bound(gap, &Parabola { duration: 1.0, ..arc }), None);
    }
}
