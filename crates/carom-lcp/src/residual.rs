//! The one residual that judges every solver.
//!
//! Each problem has a natural map F with F(z) = 0 exactly at its solutions; its Euclidean norm, in units of impulse, is the residual,
//! and its ratio to ‖F(0)‖ the relative residual.
//!
//! | row | F |
//! |---|---|
//! | equality | ρ w |
//! | bounds l ≤ z ≤ u | z − clamp(z − ρ w, l, u) |
//! | contact, cone | r − P_K(r − ρ (u + μ‖u_t‖ e_n)): De Saxcé's form of Coulomb friction with Signorini's condition |
//! | contact, box | normal as a bound at 0, each tangent between ∓μ r_n |
//!
//! ρ is 1 over the diagonal entry, for a contact with a cone 1 over the largest eigenvalue of the symmetric part of its diagonal
//! block, and 1 where that is not positive.

use crate::cone::norm;
use crate::problem::Motion;

/// How far an answer is from solving its problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// ‖F(z)‖, in units of impulse.
    pub absolute: f64,
    /// ‖F(z)‖ / ‖F(0)‖: 0 where ‖F(z)‖ is, infinite where only ‖F(0)‖ is 0 or where that is no finite number.
    pub relative: f64,
}

impl Residual {
    /// The residual with these norms of F at the answer and at 0.
    pub fn from_norms(absolute: f64, at_zero: f64) -> Residual {
        let relative = match absolute {
            0.0 => 0.0,
            _ if at_zero.is_finite() => absolute / at_zero,
            _ => f64::INFINITY,
        };
        Residual { absolute, relative }
    }
}

/// A problem that judges answers.
pub trait Judged {
    /// The number of unknowns.
    fn size(&self) -> usize;

    /// The natural map F at `z`, which is 0 exactly at solutions. `w` and `map` have the problem's size; `w` receives the slacks.
    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]);

    /// The same without allocation, where the room was used for this size before: problems of bodies need one for their velocities.
    fn natural_map_with(&self, z: &[f64], w: &mut [f64], map: &mut [f64], _motion: &mut Motion) {
        self.natural_map(z, w, map);
    }

    /// The residual of an answer. A number that is not finite gives an infinite residual.
    fn residual(&self, z: &[f64]) -> Residual {
        let (mut w, mut map) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        self.natural_map(&vec![0.0; self.size()], &mut w, &mut map);
        let at_zero = norm(&map);
        self.natural_map(z, &mut w, &mut map);
        let absolute = norm(&map);
        Residual::from_norms(if absolute.is_finite() { absolute } else { f64::INFINITY }, at_zero)
    }
}

/// 1 over a diagonal entry or eigenvalue, 1 where that is not positive.
pub fn step_length(diagonal: f64) -> f64 {
    let inverse = 1.0 / diagonal;
    if diagonal > 0.0 && inverse.is_finite() { inverse } else { 1.0 }
}
