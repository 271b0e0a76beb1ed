//! Friction linearised: polygons and boxes in place of the cone, as complementarity problems [lacoursiere-linde-2011 (81), (86), (87)].

use crate::matrix::{Misshapen, Sparse};
use crate::problem::{Friction, Lcp, Mlcp};

/// Added to the diagonal of the ξ rows, relative to the largest diagonal entry of the contact: opposite directions make W singular.
const REGULARISATION: f64 = 1e-10;

/// A friction problem whose cones are replaced by polygons or boxes: a mixed LCP, and the way back to the impulses.
///
/// ```text
/// // Notation
/// //   r_n = ν,  r_t = Σ_k d_k ξ_k                                  [lacoursiere-linde-2011 (86)]
/// //   0 ≤ ν   ⟂ u_n ≥ 0
/// //   0 ≤ ξ_k ⟂ d_kᵀu_t + σ ≥ 0
/// //   0 ≤ σ   ⟂ μ ν − Σ_k ξ_k ≥ 0                                  [lacoursiere-linde-2011 (81), (87)]
/// ```
///
/// A polygon has one σ for all its directions, a box one σ for each tangent. The unknowns are those of the equality rows, then for each
/// contact ν, all ξ, all σ. Where W is positive
/// semidefinite the matrix is copositive, the kind Lemke's method is made for; that alone does not promise a solution. ξ of opposite
/// directions are told apart by a relative 1e-10 on their diagonal.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearizedFriction {
    /// The problem. Equality rows have no bounds.
    pub mixed: Mlcp,
    dimension: usize,
    equalities: usize,
    contacts: usize,
    /// Directions of the tangent impulse, one after another; each with the index of its σ.
    directions: Vec<([f64; 2], usize)>,
    sigmas: usize,
}

impl LinearizedFriction {
    /// The cone as a polygon with corners in `corners` directions, 3 at least, the first along the first tangent. The length of the
    /// friction impulse is between μ r_n cos(π/corners) and μ r_n where a contact slides. Contacts with one tangent have two directions
    /// and lose nothing.
    pub fn polygon(problem: &Friction, corners: usize) -> Result<LinearizedFriction, Misshapen> {
        if problem.dimension == 2 {
            return Ok(LinearizedFriction::with(problem, vec![([1.0, 0.0], 0), ([-1.0, 0.0], 0)]));
        }
        if corners < 3 {
            return Err(Misshapen(format!("a polygon with {corners} corners: 3 are needed")));
        }
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / corners as f64;
        let directions = (0..corners).map(|k| ([libm::cos(angle(k)), libm::sin(angle(k))], 0)).collect();
        Ok(LinearizedFriction::with(problem, directions))
    }

    /// Each tangent on its own between ∓μ r_n: the LCP of [`crate::Law::Box`].
    pub fn boxed(problem: &Friction) -> LinearizedFriction {
        let tangents = problem.dimension - 1;
        let mut directions = Vec::new();
        for tangent in 0..tangents {
            for sign in [1.0, -1.0] {
                let mut direction = [0.0; 2];
                direction[tangent] = sign;
                directions.push((direction, tangent));
            }
        }
        LinearizedFriction::with(problem, directions)
    }

    fn with(problem: &Friction, directions: Vec<([f64; 2], usize)>) -> LinearizedFriction {
        let sigmas = directions.iter().map(|(_, sigma)| sigma + 1).max().unwrap_or(0);
        let (d, e, contacts) = (problem.dimension, problem.equalities, problem.contacts());
        let mut linearized = LinearizedFriction {
            mixed: Mlcp { h: Sparse::default(), q: Vec::new(), lower: Vec::new(), upper: Vec::new() },
            dimension: d,
            equalities: e,
            contacts,
            directions,
            sigmas,
        };
        let size = e + contacts * linearized.stride();
        let mut q = vec![0.0; size];
        // Each row of r is a combination of unknowns: Eᵀ W E and Eᵀ q.
        let parts: Vec<Vec<(usize, f64)>> = (0..problem.q.len()).map(|row| linearized.parts(row)).collect();
        let mut triplets = Vec::new();
        for (row, left) in parts.iter().enumerate() {
            for &(unknown, factor) in left {
                q[unknown] += factor * problem.q[row];
                for (column, value) in problem.w.row(row) {
                    for &(other, by) in &parts[column] {
                        triplets.push((unknown, other, factor * value * by));
                    }
                }
            }
        }
        for contact in 0..contacts {
            let nu = linearized.first(contact);
            let rows = problem.row_of(contact) + 1..problem.row_of(contact) + d;
            let size = rows.map(|row| problem.w.get(row, row).abs()).fold(0.0, f64::max);
            let shift = REGULARISATION * if size > 0.0 { size } else { 1.0 };
            for (k, &(_, sigma)) in linearized.directions.iter().enumerate() {
                let (xi, sigma) = (nu + 1 + k, nu + 1 + linearized.directions.len() + sigma);
                triplets.extend([(xi, xi, shift), (xi, sigma, 1.0), (sigma, xi, -1.0)]);
            }
            for sigma in 0..sigmas {
                triplets.push((nu + 1 + linearized.directions.len() + sigma, nu, problem.mu[contact]));
            }
        }
        let lower = (0..size).map(|i| if i < e { f64::NEG_INFINITY } else { 0.0 }).collect();
        linearized.mixed = Mlcp {
            h: Sparse::from_triplets(size, size, &triplets).expect("unknowns are inside the matrix"),
            q,
            lower,
            upper: vec![f64::INFINITY; size],
        };
        linearized
    }

    /// The same as an LCP; `None` where there are equality rows.
    pub fn lcp(&self) -> Option<Lcp> {
        (self.equalities == 0).then(|| Lcp { m: self.mixed.h.to_dense(), q: self.mixed.q.clone() })
    }

    /// The unknowns of one contact: ν, ξ, σ.
    pub fn stride(&self) -> usize {
        1 + self.directions.len() + self.sigmas
    }

    /// The unknown ν of a contact, which its ξ and then its σ follow.
    pub fn first(&self, contact: usize) -> usize {
        self.equalities + contact * self.stride()
    }

    /// The impulses of the friction problem that belong to an answer.
    pub fn impulses(&self, z: &[f64], r: &mut [f64]) {
        for (row, value) in r.iter_mut().enumerate() {
            *value = self.parts(row).iter().map(|&(unknown, factor)| factor * z[unknown]).sum();
        }
    }

    /// The number of rows of the friction problem.
    pub fn rows(&self) -> usize {
        self.equalities + self.contacts * self.dimension
    }

    /// The unknowns that make up a row of r, with their factors.
    fn parts(&self, row: usize) -> Vec<(usize, f64)> {
        if row < self.equalities {
            return vec![(row, 1.0)];
        }
        let (contact, k) = ((row - self.equalities) / self.dimension, (row - self.equalities) % self.dimension);
        let nu = self.first(contact);
        if k == 0 {
            return vec![(nu, 1.0)];
        }
        let along = |(i, (direction, _)): (usize, &([f64; 2], usize))| (nu + 1 + i, direction[k - 1]);
        self.directions.iter().enumerate().map(along).filter(|(_, factor)| *factor != 0.0).collect()
    }
}
