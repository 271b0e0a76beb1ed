//! Energies and forces.

use super::{Mass, Pattern};

/// Forces that do not come from the potential.
pub trait Forces {
    /// Whether the force depends on the velocity (explicit steps must then become implicit ones).
    fn depends_on_velocity(&self) -> bool;
    /// `f_NP(q, v, t)`.
    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `∂f_NP/∂q` and `∂f_NP/∂v`.
    fn jacobians(&self, t: f64, q: &[f64], v: &[f64], by_q: &mut [f64], by_v: &mut [f64]);
    /// Names of the terms that the force is the sum of, for the accounts of energy.
    fn terms(&self) -> &[String];
    /// Power of each term.
    fn powers(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);
}

/// The straight path between two configurations.
#[derive(Debug, Clone, Copy)]
pub struct Segment<'a> {
    /// The time that counts for everything along it.
    pub t: f64,
    /// Where it starts.
    pub start: &'a [f64],
    /// Where it ends.
    pub end: &'a [f64],
    /// Half way.
    pub middle: &'a [f64],
}

/// What of a system depends on time explicitly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TimeDependence {
    /// The potential.
    pub potential: bool,
    /// A non-potential force.
    pub forces: bool,
    /// An equality constraint.
    pub equalities: bool,
    /// The gap of a contact: its surfaces move.
    pub contacts: bool,
}

/// Second derivatives of the potential by the entries that can be nonzero.
pub trait SparseHessian {
    /// Which they are: a row per coordinate. Symmetric, with every entry of the diagonal; the same during the life of the system.
    fn couplings(&self) -> &Pattern;
    /// `∂²V/∂q²` in the pattern, row by row.
    fn hessian_entries(&self, t: f64, q: &[f64], out: &mut [f64]);
}

/// Kinetic and potential energy and non-potential forces.
pub trait Dynamics {
    /// Number `n` of coordinates.
    fn dim(&self) -> usize;
    /// The mass matrix; its kind does not change during the life of the system.
    fn mass(&self) -> Mass<'_>;
    /// `V(q, t)`.
    fn potential(&self, t: f64, q: &[f64]) -> f64;
    /// `∂V/∂q`.
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `∂²V/∂q²`.
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// The same by its entries, if few coordinates of many are coupled: then implicit steps of many coordinates ask for these alone.
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian>;
    /// `∂V/∂t` and `∂²V/∂t²`.
    fn potential_rates(&self, _t: f64, _q: &[f64]) -> [f64; 2] {
        [0.0, 0.0]
    }
    /// `∂²V/∂q∂t`.
    fn potential_gradient_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    /// A discrete gradient of the potential along a segment: its product with `end − start` is the difference of the potential, it does not
    /// change if the ends are swapped, and it is the gradient where they coincide. The default is that of Gonzalez, in the metric of the
    /// mass; a system whose potential is made of elements keeps their momenta if it takes one of each element.
    fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
        crate::discrete::gonzalez(self, segment, out);
    }
    /// What depends on time explicitly.
    fn time_dependence(&self) -> TimeDependence {
        TimeDependence::default()
    }
    /// Whether anything depends on time explicitly. Methods keep what they have evaluated at a configuration only if not.
    fn depends_on_time(&self) -> bool {
        let TimeDependence { potential, forces, equalities, contacts } = self.time_dependence();
        potential || forces || equalities || contacts
    }
    /// The non-potential forces, if there are any.
    fn forces(&self) -> Option<&dyn Forces> {
        None
    }
    /// Names of the parts that the potential is the sum of; none if it has only one.
    fn potential_parts(&self) -> Vec<String> {
        Vec::new()
    }
    /// `V(q, t)` by parts.
    fn potential_by_parts(&self, _t: f64, _q: &[f64], _out: &mut [f64]) {}
    /// What the coordinate is called in messages.
    fn coordinate_name(&self, index: usize) -> String {
        format!("q[{index}]")
    }
}
