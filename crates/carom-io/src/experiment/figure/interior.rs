//! What a curve shows of the motion inside steps: the method's ansatz functions, with their jumps at nodes.

use carom::linear::dot;
use carom::observe::Frame;
use carom::system::System;

use super::super::inside::Energy;
use super::column::{Column, Curve};
use crate::figure::Trace;

/// Points of a step that are drawn, its ends among them.
const POINTS: usize = 33;

/// A quantity of the motion inside a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inner {
    /// A coordinate.
    Coordinate(usize),
    /// A momentum.
    Momentum(usize),
    /// The energy.
    Energy,
    /// An equality constraint.
    Equality(usize),
    /// The force of an equality constraint, times the length of its gradient.
    Force(usize),
}

impl Inner {
    /// The label of an axis.
    pub fn label(self) -> String {
        match self {
            Self::Coordinate(index) => format!("q[{index}]"),
            Self::Momentum(index) => format!("p[{index}]"),
            Self::Energy => "energy".into(),
            Self::Equality(index) => format!("constraint {index}"),
            Self::Force(index) => format!("force of constraint {index}"),
        }
    }
}

/// Draws what happens inside steps.
pub struct Pen<'a> {
    system: &'a (dyn System + 'static),
    energy: Energy<'a>,
    h: f64,
    q: Vec<f64>,
    p: Vec<f64>,
    rows: Vec<f64>,
    gradients: Vec<f64>,
}

impl<'a> Pen<'a> {
    /// For steps of length `h` from a configuration.
    pub fn new(system: &'a (dyn System + 'static), h: f64, q: &[f64]) -> Result<Self, String> {
        let (n, rows) = (q.len(), system.equalities().count());
        let energy = Energy::new(system, q)?;
        let (q, p) = (vec![0.0; n], vec![0.0; n]);
        Ok(Self { system, energy, h, q, p, rows: vec![0.0; rows], gradients: vec![0.0; rows * n] })
    }

    /// Draws the step before a node, apart from the one before it.
    pub fn draw(&mut self, curve: &Curve, frame: &Frame, trace: &mut Trace) -> Result<(), String> {
        let Some(inside) = frame.inside else { return Ok(()) };
        for k in 0..POINTS {
            let s = k as f64 / (POINTS - 1) as f64;
            let t = frame.state.t - (1.0 - s) * self.h;
            inside.ansatz(s, &mut self.q, &mut self.p);
            let mut values = [f64::NAN; 2];
            for (value, column) in values.iter_mut().zip([curve.x, curve.y]) {
                *value = match column {
                    Column::Time => t,
                    Column::Inside(Inner::Coordinate(index)) => self.q[index],
                    Column::Inside(Inner::Momentum(index)) => self.p[index],
                    Column::Inside(Inner::Energy) => self.energy.of(t, &self.q, &self.p)?,
                    Column::Inside(Inner::Equality(index)) => {
                        self.system.equalities().values(t, &self.q, &mut self.rows);
                        self.rows[index]
                    }
                    Column::Inside(Inner::Force(index)) => {
                        let n = self.q.len();
                        self.system.equalities().jacobian(t, &self.q, &mut self.gradients);
                        let gradient = &self.gradients[index * n..(index + 1) * n];
                        inside.constraint_forces(s, &mut self.rows);
                        self.rows[index] * dot(gradient, gradient).sqrt()
                    }
                    _ => f64::NAN,
                };
            }
            let [x, y] = curve.sized(values);
            trace.push(x, y);
        }
        // A step that follows starts a line of its own: the functions jump.
        trace.push(f64::NAN, f64::NAN);
        Ok(())
    }
}
