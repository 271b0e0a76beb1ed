//! One contact, the others held: the variants of section 17 and the exact tangents.

use super::Variant;
use super::tangents::{on_disc, on_square};
use super::whole;
use crate::cone::norm;
use crate::problem::Law;
use crate::residual::step_length;

// Notation
//   A_kk  the diagonal block of a contact, d × d, the normal first
//   r     its impulses (ν, β), u its slacks A r + q at r
//   ω     relaxation: 1 is Gauss–Seidel

/// One contact as its local solve sees it.
pub(super) struct Contact<'a> {
    /// d.
    pub dimension: usize,
    /// A_kk, row after row.
    pub block: &'a [f64],
    pub mu: f64,
    pub law: Law,
    pub relaxation: f64,
}

impl Contact<'_> {
    fn a(&self, i: usize, j: usize) -> f64 {
        self.block[i * self.dimension + j]
    }

    /// Replaces the impulses r, whose slacks are u, by the answer of the local problem.
    pub fn solve(&self, variant: Variant, u: &mut [f64; 3], r: &mut [f64; 3]) {
        if let Variant::BlockProjection = variant {
            self.stick(u, r);
            return;
        }
        if variant == Variant::ExactCone && self.law == Law::Cone && self.exact_cone(u, r) {
            return;
        }
        // [lacoursiere-linde-2011 (91)]
        let normal = (r[0] - self.relaxation * u[0] * step_length(self.a(0, 0))).max(0.0);
        for k in 1..self.dimension {
            u[k] += self.a(k, 0) * (normal - r[0]);
        }
        r[0] = normal;
        self.solve_tangents(variant, u, r);
    }

    /// The same for the tangents alone, the normal impulse held.
    pub fn solve_tangents(&self, variant: Variant, u: &mut [f64; 3], r: &mut [f64; 3]) {
        let d = self.dimension;
        let reach = self.mu * r[0];
        match variant {
            Variant::Separate => {
                for k in 1..d {
                    let mut tangent = r[k] - self.relaxation * u[k] * step_length(self.a(k, k));
                    if self.law == Law::Box {
                        tangent = tangent.clamp(-reach, reach); // [lacoursiere-linde-2011 (92)], [lacoursiere-linde-2011 (93)]
                    }
                    for j in k + 1..d {
                        u[j] += self.a(j, k) * (tangent - r[k]);
                    }
                    r[k] = tangent;
                }
            }
            Variant::BlockTangents | Variant::BlockProjection => {
                let step = self.stick_tangents(u);
                for k in 1..d {
                    r[k] -= self.relaxation * step[k - 1];
                }
            }
            Variant::ExactTangents | Variant::ExactCone => {
                let best = self.exact_tangents(u, r, reach);
                for k in 1..d {
                    r[k] += self.relaxation * (best[k - 1] - r[k]);
                }
            }
        }
        self.limit(r);
    }

    /// The whole contact at once; false where its block has no inverse.
    fn exact_cone(&self, u: &[f64; 3], r: &mut [f64; 3]) -> bool {
        let d = self.dimension;
        let mut at_zero = [0.0; 3];
        for i in 0..d {
            at_zero[i] = u[i] - (0..d).map(|j| self.a(i, j) * r[j]).sum::<f64>();
        }
        let Some(answer) = whole::solve(d, self.block, &at_zero, self.mu) else { return false };
        for k in 0..d {
            r[k] += self.relaxation * (answer[k] - r[k]);
        }
        if self.relaxation != 1.0 {
            r[0] = r[0].max(0.0);
            self.limit(r);
        }
        true
    }

    /// A_tt⁻¹ u_t: minus the step to zero slip.
    fn stick_tangents(&self, u: &[f64; 3]) -> [f64; 2] {
        if self.dimension == 2 {
            return [u[1] * step_length(self.a(1, 1)), 0.0];
        }
        let determinant = self.a(1, 1) * self.a(2, 2) - self.a(1, 2) * self.a(2, 1);
        if determinant == 0.0 {
            // Nothing to invert: a step of the natural map.
            let rho = step_length(self.a(1, 1).max(self.a(2, 2)));
            return [rho * u[1], rho * u[2]];
        }
        [
            (self.a(2, 2) * u[1] - self.a(1, 2) * u[2]) / determinant,
            (self.a(1, 1) * u[2] - self.a(2, 1) * u[1]) / determinant,
        ]
    }

    /// min ½ bᵀA_tt b + cᵀb over the bound of the law. Of a block that is not symmetric the symmetric part is taken, with c such
    /// that the slip at r is right: a solution stays where it is.
    fn exact_tangents(&self, u: &[f64; 3], r: &[f64; 3], reach: f64) -> [f64; 2] {
        if self.dimension == 2 {
            return [(r[1] - u[1] * step_length(self.a(1, 1))).clamp(-reach, reach), 0.0];
        }
        let a = [self.a(1, 1), 0.5 * (self.a(1, 2) + self.a(2, 1)), self.a(2, 2)];
        let c = [u[1] - a[0] * r[1] - a[1] * r[2], u[2] - a[1] * r[1] - a[2] * r[2]];
        match self.law {
            Law::Cone => on_disc(a, c, reach),
            Law::Box => on_square(a, c, reach),
        }
    }

    /// Block projection: all rows with the contact taken as sticking, then cut to the bound; the normal impulse stays that of stick.
    fn stick(&self, u: &[f64; 3], r: &mut [f64; 3]) {
        let d = self.dimension;
        let mut step = [0.0; 3];
        if !solve_dense(d, self.block, u, &mut step) {
            for k in 0..d {
                step[k] = u[k] * step_length(self.a(k, k));
            }
        }
        for k in 0..d {
            r[k] -= self.relaxation * step[k];
        }
        if r[0] <= 0.0 {
            r.fill(0.0);
        } else {
            self.limit(r);
        }
    }

    /// Cuts the tangents to their bound: by scaling [lacoursiere-linde-2011 (98)] under the cone, each on its own under the box.
    fn limit(&self, r: &mut [f64; 3]) {
        let reach = self.mu * r[0];
        let tangents = &mut r[1..self.dimension];
        match self.law {
            Law::Cone => {
                let length = norm(tangents);
                if length > reach {
                    tangents.iter_mut().for_each(|value| *value *= reach / length);
                }
            }
            Law::Box => tangents.iter_mut().for_each(|value| *value = value.clamp(-reach, reach)),
        }
    }
}

/// Solves a system of at most three equations by elimination with pivoting of rows; whether the matrix has an inverse.
pub(super) fn solve_dense(d: usize, block: &[f64], right: &[f64; 3], x: &mut [f64; 3]) -> bool {
    let mut a = [[0.0; 4]; 3];
    for i in 0..d {
        a[i][..d].copy_from_slice(&block[i * d..(i + 1) * d]);
        a[i][3] = right[i];
    }
    for k in 0..d {
        let mut pivot = k;
        for i in k + 1..d {
            if a[i][k].abs() > a[pivot][k].abs() {
                pivot = i;
            }
        }
        if a[pivot][k] == 0.0 {
            return false;
        }
        a.swap(k, pivot);
        for i in k + 1..d {
            let factor = a[i][k] / a[k][k];
            for j in k..4 {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    for k in (0..d).rev() {
        let known: f64 = (k + 1..d).map(|j| a[k][j] * x[j]).sum();
        x[k] = (a[k][3] - known) / a[k][k];
    }
    true
}
