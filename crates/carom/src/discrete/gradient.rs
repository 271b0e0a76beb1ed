//! Discrete gradients: vectors `d(q0, q1)` with `d · (q1 − q0) = V(q1) − V(q0)` exactly.
//!
//! A step that takes one in the place of the force keeps the energy whatever its length. The general one is that of Gonzalez
//! [gonzalez-1996]: the gradient in the middle of the segment, corrected along it. The correction is of order 2 and knows nothing of
//! symmetries: momenta are kept by systems that take discrete gradients of elements instead, such as those of pairs of particles.

use crate::system::{Dynamics, Mass, Segment};

/// A difference below this part of the values that it is the difference of is round-off, and no correction is made of it: over a short
/// segment it would be a large one.
pub(crate) const NOISE: f64 = 16.0 * f64::EPSILON;

/// `d = V_q(q_m) + M Δ (V(q1) − V(q0) − V_q(q_m)·Δ)/(Δ·M Δ)`, `Δ = q1 − q0`: in the metric of the mass, so that units of coordinates do not
/// matter. Of a mass that depends on the configuration the diagonal matrix of ones stands for it.
pub(crate) fn gonzalez<D: Dynamics + ?Sized>(system: &D, segment: &Segment, out: &mut [f64]) {
    let Segment { t, start, end, middle } = *segment;
    system.potential_gradient(t, middle, out);
    let (before, after) = (system.potential(t, start), system.potential(t, end));
    let delta = |k: usize| end[k] - start[k];
    let n = out.len();
    let (along, size) = (0..n).fold((0.0, 0.0), |(sum, size): (f64, f64), k| {
        let term = out[k] * delta(k);
        (sum + term, size + term.abs())
    });
    let defect = after - before - along;
    if defect.abs() <= NOISE * (before.abs() + after.abs() + size) {
        return;
    }
    let mass = system.mass();
    let carried = |i: usize| match mass {
        Mass::Diagonal(m) => m[i] * delta(i),
        Mass::Constant(m) => (0..n).fold(0.0, |sum, k| sum + m[i * n + k] * delta(k)),
        Mass::Configuration(_) => delta(i),
    };
    let length = (0..n).fold(0.0, |sum, i| sum + delta(i) * carried(i));
    if length > 0.0 {
        for i in 0..n {
            out[i] += carried(i) * (defect / length);
        }
    }
}
