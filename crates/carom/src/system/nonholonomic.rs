//! Rows of velocities: rolling, blades, motors, brakes.

/// Rows `A(q)v = a(t)` that no function of `q` and `t` replaces.
pub trait Nonholonomic {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// `A(q)`, one row per constraint.
    fn matrix(&self, q: &[f64], out: &mut [f64]);
    /// `∂(A(q)v)/∂q`, one row per constraint.
    fn jacobian(&self, q: &[f64], v: &[f64], out: &mut [f64]);
    /// `a(t)` and `a'(t)`.
    fn rates(&self, t: f64, rate: &mut [f64], derivative: &mut [f64]);
    /// Bounds `[lower, upper]` of the force that a row may use: those of a motor, or of a brake. A row at a bound is not satisfied.
    fn force_bounds(&self, _index: usize) -> [f64; 2] {
        [f64::NEG_INFINITY, f64::INFINITY]
    }
    /// Whether the row is a motor, which may put energy into the system: its speed is prescribed and not 0 at all times, or its force has bounds.
    fn is_motor(&self, index: usize) -> bool {
        self.force_bounds(index).into_iter().any(f64::is_finite)
    }
    /// What a row yields in velocity per force, for methods that regularise constraints; `None` where the method's own value counts.
    fn slip(&self, _index: usize) -> Option<f64> {
        None
    }
    /// What the row is called in messages.
    fn name(&self, index: usize) -> String {
        format!("nonholonomic[{index}]")
    }
}
