//! The motion between two nodes, for what is asked of it at other times: rows at given times, watched quantities, plots.
//!
//! Where the method knows the motion inside its steps ([`Inside`](crate::steppers::Inside)), that is what is shown, with `v = M⁻¹p`.
//! Otherwise it is the cubic through the positions and velocities of both nodes, with `p = M(q)v`: against a smooth motion through
//! the same nodes, positions have an error of order h⁴, velocities and momenta one of order h³. Between nodes the cubic satisfies
//! equality constraints within that error only, and of a step with an impact it is no more than a picture: it has no kink.
//!
//! At the nodes themselves the numbers are those of the nodes, to the last bit. Nothing is allocated once it is made.

use crate::error::Failure;
use crate::observe::Frame;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::system::System;

/// A time and what moves, then.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Momenta.
    pub p: Vec<f64>,
}

impl Moment {
    /// Of `n` coordinates, all zero.
    pub fn new(n: usize) -> Self {
        Self { t: 0.0, q: vec![0.0; n], v: vec![0.0; n], p: vec![0.0; n] }
    }

    /// Takes over a node, with the velocity and momentum at it.
    pub fn set_node(&mut self, frame: &Frame) {
        self.t = frame.state.t;
        self.q.copy_from_slice(&frame.state.q);
        self.v.copy_from_slice(frame.node_v);
        self.p.copy_from_slice(frame.node_p);
    }

    fn copy_from(&mut self, other: &Self) {
        self.t = other.t;
        self.q.copy_from_slice(&other.q);
        self.v.copy_from_slice(&other.v);
        self.p.copy_from_slice(&other.p);
    }
}

/// The motion from a node that was kept to the one that a run shows.
#[derive(Debug, Clone)]
pub struct Between {
    before: Moment,
    inverse: InverseMass,
}

impl Between {
    /// From a node on: the start of a run, or where it is gone on with.
    pub fn new<S: System + ?Sized>(system: &S, node: &State) -> Result<Self, Failure> {
        let inverse = InverseMass::new(system, &node.q)?;
        let mut v = node.p.clone();
        inverse.solve(&mut v);
        let before = Moment { t: node.t, q: node.q.clone(), v, p: node.p.clone() };
        Ok(Self { before, inverse })
    }

    /// The velocity at that node, of a method whose own lives between nodes.
    pub fn set_node_velocity<S: System + ?Sized>(&mut self, system: &S, v: &[f64]) {
        self.before.v.copy_from_slice(v);
        system.mass().times(&self.before.q, v, &mut self.before.p);
    }

    /// Time of the node that was kept.
    pub fn start(&self) -> f64 {
        self.before.t
    }

    /// Keeps a node: the next step starts there.
    pub fn keep(&mut self, frame: &Frame) {
        self.before.set_node(frame);
    }

    /// The motion at the fraction `0 ≤ s ≤ 1` of the step that led to a frame.
    pub fn at<S: System + ?Sized>(
        &mut self,
        system: &S,
        frame: &Frame,
        s: f64,
        out: &mut Moment,
    ) -> Result<(), Failure> {
        if s <= 0.0 {
            out.copy_from(&self.before);
            return Ok(());
        }
        if s >= 1.0 {
            out.set_node(frame);
            return Ok(());
        }
        let h = frame.state.t - self.before.t;
        out.t = self.before.t + s * h;
        if let Some(inside) = frame.inside {
            inside.at(s, &mut out.q, &mut out.p);
            self.inverse.prepare(system, &out.q)?;
            out.v.copy_from_slice(&out.p);
            self.inverse.solve(&mut out.v);
            return Ok(());
        }
        let before = self.before.q.iter().zip(&self.before.v);
        let after = frame.state.q.iter().zip(frame.node_v);
        for ((q, v), ((q0, v0), (q1, v1))) in out.q.iter_mut().zip(&mut out.v).zip(before.zip(after)) {
            (*q, *v) = cubic(h, s, [*q0, *q1], [*v0, *v1]);
        }
        system.mass().times(&out.q, &out.v, &mut out.p);
        Ok(())
    }
}

/// Value and rate of the cubic with these values and rates at both ends of a duration, at the fraction `s` of it.
pub(crate) fn cubic(h: f64, s: f64, [q0, q1]: [f64; 2], [v0, v1]: [f64; 2]) -> (f64, f64) {
    let mean = (q1 - q0) / h;
    // q = q0 + h (v0 s + a s² + b s³) with the end values of position and velocity.
    let (a, b) = (3.0 * mean - 2.0 * v0 - v1, v0 + v1 - 2.0 * mean);
    (q0 + h * s * (v0 + s * (a + s * b)), v0 + s * (2.0 * a + 3.0 * s * b))
}
