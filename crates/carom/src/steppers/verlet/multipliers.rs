//! Workspace of the position constraint of a step of Verlet.

use crate::error::Failure;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::products::General;
use crate::steppers::shared::projection::ConstraintRows;
use crate::steppers::shared::rows::RowShape;
use crate::steppers::shared::spread::Spread;
use crate::system::System;

/// Rows, impulses, and what violations are measured by.
#[derive(Debug, Clone)]
pub struct Multipliers {
    /// At the start.
    pub rows: ConstraintRows,
    /// The rows at the end point.
    pub g1: Vec<f64>,
    /// Their values there.
    pub f: Vec<f64>,
    /// What `f` is measured by: its terms where the step leads to without multipliers.
    pub sizes: Vec<f64>,
    /// The same with impulses and constants, where that does not go on.
    wide: Vec<f64>,
    /// Impulses at the start.
    pub lambda: Vec<f64>,
    /// How far the terms of the step would carry each coordinate.
    pub reach: Vec<f64>,
    spread: Spread,
    /// Factors of `G1 M⁻¹G0ᵀ`.
    pub factors: General,
}

impl Multipliers {
    /// Sized for the system; an error if its rows depend on each other at the start.
    pub fn new<S: System + ?Sized>(system: &S, inverse: &InverseMass, start: &State) -> Result<Self, Failure> {
        let (n, m) = (system.dim(), system.equalities().count());
        let shape = RowShape::of(system, inverse);
        let factors = General::new("a step with constraints", &shape)?;
        let rows = ConstraintRows::at(shape, system, inverse, start)?;
        let row = || vec![0.0; m];
        Ok(Self {
            g1: rows.g.clone(),
            rows,
            f: row(),
            sizes: row(),
            wide: row(),
            lambda: row(),
            reach: vec![0.0; n],
            spread: Spread::new(n, m),
            factors,
        })
    }

    /// The largest violation where impulses and the sizes of all rows count; `scale` has that of each coordinate without them.
    #[cold]
    pub fn spilled<S: System + ?Sized>(
        &mut self,
        system: &S,
        inverse: &InverseMass,
        (t1, h, q1): (f64, f64, &[f64]),
        scale: &mut [f64],
    ) -> f64 {
        let (shape, mass) = (&self.rows.shape, &inverse.diagonal);
        for (row, lambda) in self.lambda.iter().enumerate() {
            shape.each_entry(row, &self.rows.g, |k, g| scale[k] += (h * g * lambda).abs() / mass[k]);
        }
        shape.sizes(&self.g1, scale, &self.f, &mut self.wide);
        self.spread.add_rounding(&mut self.wide, |out| system.equalities().rounding(t1, q1, out));
        self.spread.measure(shape, &self.g1, mass, &self.wide);
        self.spread.violation(&self.f, &self.sizes)
    }
}
