//! A friction problem in either form, as Newton's method and the interior-point method see it.

use super::pencil::{Compliance, Shape};
use crate::problem::{Friction, GlobalFriction, Law, Motion};
use crate::residual::Judged;

/// A friction problem by its matrix or by its bodies.
pub(crate) trait Form: Judged {
    /// W, in the form it has.
    fn compliance(&self) -> Compliance<'_>;
    /// Where rows belong.
    fn shape(&self) -> Shape;
    /// μ of each contact.
    fn mu(&self) -> &[f64];
    /// ρ of the natural map: one for each equality row, then one for each contact.
    fn rho(&self) -> &[f64];
    /// The law of friction.
    fn law(&self) -> Law;
    /// W z + q, without allocation where the room was used for this size before.
    fn slacks(&self, z: &[f64], w: &mut [f64], motion: &mut Motion);
    /// A diagonal entry of W.
    fn diagonal(&self, row: usize) -> f64;
}

impl Form for Friction {
    fn compliance(&self) -> Compliance<'_> {
        Compliance::Matrix(&self.w)
    }

    fn shape(&self) -> Shape {
        Shape { equalities: self.equalities, dimension: self.dimension, contacts: self.mu.len() }
    }

    fn mu(&self) -> &[f64] {
        &self.mu
    }

    fn rho(&self) -> &[f64] {
        Friction::rho(self)
    }

    fn law(&self) -> Law {
        self.law
    }

    fn slacks(&self, z: &[f64], w: &mut [f64], _motion: &mut Motion) {
        self.w.times(z, w);
        w.iter_mut().zip(&self.q).for_each(|(w, q)| *w += q);
    }

    fn diagonal(&self, row: usize) -> f64 {
        self.w.get(row, row)
    }
}

impl Form for GlobalFriction {
    fn compliance(&self) -> Compliance<'_> {
        Compliance::Bodies(&self.saddle)
    }

    fn shape(&self) -> Shape {
        Shape { equalities: self.equalities, dimension: self.dimension, contacts: self.mu.len() }
    }

    fn mu(&self) -> &[f64] {
        &self.mu
    }

    fn rho(&self) -> &[f64] {
        GlobalFriction::rho(self)
    }

    fn law(&self) -> Law {
        self.law
    }

    fn slacks(&self, z: &[f64], w: &mut [f64], motion: &mut Motion) {
        self.saddle.slacks_with(z, w, motion);
    }

    fn diagonal(&self, row: usize) -> f64 {
        self.saddle.diagonal(row)
    }
}
