//! Equality constraints, and what of them can be sparse.

use super::{Pattern, Segment};

/// How soft a constraint or a contact is, for methods that regularise them; `None` where the method's own value counts.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Softness {
    /// Inverse stiffness: what the constraint yields per force.
    pub compliance: Option<f64>,
    /// Time in which a violation decays.
    pub damping: Option<f64>,
}

impl Softness {
    /// Whether the constraint has a compliance of its own: then it may start violated.
    pub fn gives_way(&self) -> bool {
        self.compliance.is_some_and(|compliance| compliance > 0.0)
    }
}

/// Equality constraints `f(q, t) = 0`. Nothing has a default that answers for a system which has not thought of it: one that has no constraints
/// gives [`NoRows`](super::NoRows), and a view of a system forwards everything or does not compile.
pub trait Equalities {
    /// Number `m` of constraints.
    fn count(&self) -> usize;
    /// `f(q, t)`.
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// Bounds of the round-off in `f(q, t)` as it is computed from coordinates that are exact, in units of ε: sizes of the constants that it is
    /// made of, such as lengths and fixed points. Asked for only where an iteration does not go on; 0 if nothing is known.
    fn rounding(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `G = ∂f/∂q`, `m × n`.
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `Σ λ_i ∂²f_i/∂q²`.
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]);
    /// `vᵀ ∂²f_i/∂q² v`, one per row: how the rows bend along a velocity.
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `∂f/∂t`.
    fn rate(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `∂²f/∂t²`.
    fn second_rate(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// `∂²f/∂q∂t`, `m × n`.
    fn jacobian_rate(&self, t: f64, q: &[f64], out: &mut [f64]);
    /// How soft a constraint is.
    fn softness(&self, index: usize) -> Softness;
    /// What the constraint is called in messages.
    fn name(&self, index: usize) -> String;
    /// The same rows by their entries, if few coordinates of many are in each: then steps with a diagonal mass ask for these alone.
    fn sparse(&self) -> Option<&dyn SparseEqualities>;
}

/// Rows of equality constraints by the entries that can be nonzero.
pub trait SparseEqualities {
    /// Which entries of `G` can be nonzero.
    fn pattern(&self) -> &Pattern;
    /// `f(q, t)` and the entries of `G` in the pattern, row by row, with the bits of `values` and `jacobian`.
    fn entries(&self, t: f64, q: &[f64], f: &mut [f64], entries: &mut [f64]);
    /// Discrete gradients of the rows along a segment, as the entries of `G` in the pattern, if the system knows better ones than the general
    /// rule makes of values and gradients; otherwise `false`, and nothing is written.
    fn discrete_entries(&self, segment: &Segment, entries: &mut [f64]) -> bool;
    /// `∂²f_i/∂q²` of one row over the columns of its blocks in the pattern, in their order: a square matrix.
    fn row_hessian(&self, t: f64, q: &[f64], index: usize, out: &mut [f64]);
}

/// [`Equalities::bend`] from full Hessians, for constraints that know no shorter way: allocates, and makes a full matrix per row.
pub fn bend_of_hessians(of: &(impl Equalities + ?Sized), t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
    let (mut lambda, mut hessian) = (vec![0.0; out.len()], vec![0.0; q.len() * q.len()]);
    for (row, out) in out.iter_mut().enumerate() {
        lambda.fill(0.0);
        lambda[row] = 1.0;
        of.hessian(t, q, &lambda, &mut hessian);
        let lines = hessian.chunks_exact(q.len().max(1));
        *out = lines.zip(v).map(|(line, speed)| speed * crate::linear::dot(line, v)).sum();
    }
}
