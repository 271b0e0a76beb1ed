//! What a run is judged by: errors over all steps, and the scales of the scene beside them.
//!
//! The scale of energies is that of the motion: twice the mean kinetic energy over time, and at most the largest kinetic energy, or change of
//! the potential, at a node whose accounts balance. By the virial theorem the first is the energy of an oscillator and, without sign, of a
//! planet, whatever its eccentricity: of the largest kinetic energy, at pericentre, an error that unbinds the planet is a small part.
//! The scale does not depend on where the potential is zero, and a run that explodes cannot be its own scale: nodes whose error is beyond the
//! limit for the energy there count for no more than what balanced before. Constant memory, beside one number per equality constraint.

use serde::{Deserialize, Serialize};

use super::limits::{DEMANDED, ENERGY};
use super::octaves::Octaves;
use crate::observe::Frame;
use crate::system::ContactId;

/// The largest of a quantity, and where it was.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Peak {
    /// Its size.
    pub value: f64,
    /// After which step.
    pub step: u64,
    /// When.
    pub t: f64,
}

/// The larger of two sizes; what is no number is larger than every limit.
fn larger(largest: f64, value: f64) -> f64 {
    if value.is_nan() { f64::INFINITY } else { largest.max(value) }
}

impl Peak {
    fn take(&mut self, value: f64, frame: &Frame) {
        let value = larger(self.value, value);
        if value > self.value {
            *self = Self { value, step: frame.step, t: frame.state.t };
        }
    }
}

/// Solves that left more than is demanded by default.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Loose {
    /// Steps with one.
    pub steps: u64,
    /// The worst relative residual.
    pub worst: Peak,
}

/// The deepest penetration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Deepest {
    /// The contact.
    pub contact: ContactId,
    /// How deep.
    pub depth: Peak,
}

/// Errors and scales of energies.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EnergyGauge {
    /// Potential energy at the start.
    potential: f64,
    /// Energy at the start, without sign.
    pub start: f64,
    /// Largest kinetic energy or change of the potential at a node whose accounts balance.
    pub most: f64,
    /// Kinetic energies of all nodes, those that do not balance cut to `most`.
    kinetic: Octaves,
    /// Largest fall of the potential.
    pub fall: f64,
    /// Largest error.
    pub error: Peak,
}

impl EnergyGauge {
    /// Takes a node whose energy is off by `error`.
    pub fn take(&mut self, frame: &Frame, error: f64) {
        if frame.step == 0 {
            (self.potential, self.start) = (frame.potential, frame.energy().abs());
        }
        let changed = frame.potential - self.potential;
        let size = frame.kinetic.max(changed.abs());
        if error.abs() <= ENERGY[1] * size.max(self.of_motion(0.0)) {
            self.most = self.most.max(size);
        }
        self.kinetic.add(frame.kinetic.min(self.most));
        self.fall = self.fall.max(-changed);
        self.error.take(error.abs(), frame);
    }

    /// The energy of the motion; `turned` is what went in and out of a system that does not conserve its energy, which slow motion need not
    /// have at any time.
    pub fn of_motion(&self, turned: f64) -> f64 {
        self.most.min(2.0 * self.kinetic.mean() + turned)
    }
}

/// What a run is judged by.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Gauge {
    /// Energies; of a run that is weighed.
    pub energy: EnergyGauge,
    /// Largest |f| of every equality constraint.
    pub rows: Vec<f64>,
    /// The deepest penetration.
    pub deepest: Option<Deepest>,
    /// Loose solves.
    pub loose: Loose,
}

impl Gauge {
    /// Of a system with so many equality constraints.
    pub fn new(equalities: usize) -> Self {
        Self { rows: vec![0.0; equalities], ..Self::default() }
    }

    /// Whether this can be that of a system with so many equality and inequality constraints.
    pub fn fits(&self, equalities: usize, inequalities: usize) -> bool {
        self.rows.len() == equalities && self.deepest.is_none_or(|deepest| deepest.contact.place() < inequalities)
    }

    /// Takes the constraints and the solves of a node.
    pub fn observe(&mut self, frame: &Frame) {
        for (largest, value) in self.rows.iter_mut().zip(frame.equality) {
            *largest = larger(*largest, value.abs());
        }
        let residual = frame.report.residual;
        if residual > DEMANDED || residual.is_nan() {
            self.loose.steps += 1;
            self.loose.worst.take(residual, frame);
        }
    }

    /// Takes a penetration.
    pub fn penetrated(&mut self, frame: &Frame, depth: f64) {
        if depth > self.deepest.map_or(0.0, |deepest| deepest.depth.value)
            && let Some(place) = frame.gap.iter().position(|gap| -gap >= depth)
        {
            let depth = Peak { value: depth, step: frame.step, t: frame.state.t };
            self.deepest = Some(Deepest { contact: frame.contacts[place], depth });
        }
    }
}
