//! Discrete Lagrangians and the discrete Legendre transforms that steps are made of.
//!
//! A step joins `q0` at `t0` to `q1 = q0 + h v` at `t0 + h`. The chord velocity `v` and not `q1` is the argument
//! throughout: `(q1 − q0)/h` would lose the digits that `q0` and `q1` share.

mod gradient;
mod linear_path;
mod newmark;

pub(crate) use gradient::{NOISE, gonzalez};
pub use linear_path::{LinearPath, Node, Side};
pub use newmark::Newmark;

use crate::system::System;

/// The ends of a step, as its start and its chord velocity.
#[derive(Clone, Copy)]
pub struct Chord<'a> {
    /// Time at the start.
    pub t0: f64,
    /// Length of the step.
    pub h: f64,
    /// Configuration at the start.
    pub q0: &'a [f64],
    /// `(q1 − q0)/h`.
    pub v: &'a [f64],
}

/// The two momenta that belong to a chord, discrete forces included:
/// the step from `p0` solves `left(v) = p0 (+ constraint impulses)`, and then `p1 = right(v)`.
pub trait Legendre<S: System + ?Sized> {
    /// `left = −D1 L_d − f_d⁻`, `right = D2 L_d + f_d⁺`, and the size of the terms that `left` was summed from:
    /// round-off in `left` is a small multiple of `ε · magnitude`.
    fn momenta(&mut self, system: &S, chord: Chord, left: &mut [f64], right: &mut [f64], magnitude: &mut [f64]);

    /// `∂left/∂v` at fixed `q0`.
    fn left_jacobian(&mut self, system: &S, chord: Chord, out: &mut [f64]);

    /// Where `∂left/∂v` takes second derivatives of the potential: it is `M + h² w V_qq(q0 + c h v, t0 + c h)` of a system with a constant
    /// mass and no other forces. None for rules that it is not so for.
    fn stiffness(&self) -> Option<Node>;
}

/// First derivatives of `L_d(q0, q1, h)` at given `t0`.
#[derive(Debug, Clone, PartialEq)]
pub struct Partials {
    /// `L_d`.
    pub value: f64,
    /// `∂L_d/∂q0`.
    pub d1: Vec<f64>,
    /// `∂L_d/∂q1`.
    pub d2: Vec<f64>,
    /// `∂L_d/∂h`; minus the discrete energy if nothing depends on time.
    pub d3: f64,
}

/// Second derivatives of `L_d(q0, q1, h)` at given `t0`. Matrices are row-major, `d12` has `q0` along its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondPartials {
    /// `∂²L_d/∂q0²`.
    pub d11: Vec<f64>,
    /// `∂²L_d/∂q0∂q1`.
    pub d12: Vec<f64>,
    /// `∂²L_d/∂q1²`.
    pub d22: Vec<f64>,
    /// `∂²L_d/∂q0∂h`.
    pub d13: Vec<f64>,
    /// `∂²L_d/∂q1∂h`.
    pub d23: Vec<f64>,
    /// `∂²L_d/∂h²`.
    pub d33: f64,
}

impl Partials {
    /// Room for `n` coordinates.
    pub fn new(n: usize) -> Self {
        Self { value: 0.0, d1: vec![0.0; n], d2: vec![0.0; n], d3: 0.0 }
    }
}

impl SecondPartials {
    /// Room for `n` coordinates.
    pub fn new(n: usize) -> Self {
        let matrix = || vec![0.0; n * n];
        Self { d11: matrix(), d12: matrix(), d22: matrix(), d13: vec![0.0; n], d23: vec![0.0; n], d33: 0.0 }
    }
}

/// An approximation `L_d(q0, q1, h)` of the action of a step.
pub trait DiscreteLagrangian<S: System + ?Sized>: Legendre<S> {
    /// Value and first derivatives.
    fn partials(&mut self, system: &S, chord: Chord, out: &mut Partials);
    /// Second derivatives.
    fn second_partials(&mut self, system: &S, chord: Chord, out: &mut SecondPartials);
}
