//! Linear and angular momentum (about the origin) of the points of a problem, and which of them its symmetry conserves.

use serde::{Deserialize, Serialize};

use crate::linear::dot;
use crate::problem::{Points, Problem};
use crate::system::{Mass, System};

/// A linear vector field on the configuration space: the generator of a translation or a rotation of all points.
struct Generator<'a> {
    points: &'a Points,
    motion: Motion,
}

#[derive(Clone, Copy)]
enum Motion {
    Along(usize),
    /// From the first axis towards the second.
    Turn(usize, usize),
}

impl Generator<'_> {
    /// The field at `x`, without its constant part for `linear_only`.
    fn at(&self, x: &[f64], linear_only: bool) -> Vec<f64> {
        let mut out = vec![0.0; x.len()];
        for point in &self.points.members {
            match self.motion {
                Motion::Along(axis) => out[point[axis]] = if linear_only { 0.0 } else { 1.0 },
                Motion::Turn(a, b) => {
                    out[point[a]] = -x[point[b]];
                    out[point[b]] = x[point[a]];
                }
            }
        }
        out
    }
}

/// Momentum of the points, by component.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Momentum {
    points: Points,
}

/// The planes of rotation of a space, in the order of the components of angular momentum.
fn turns(dimension: usize) -> &'static [(usize, usize)] {
    match dimension {
        2 => &[(0, 1)],
        3 => &[(1, 2), (2, 0), (0, 1)],
        _ => &[],
    }
}

/// Which components the system conserves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Conserved {
    /// Per axis.
    pub linear: Vec<bool>,
    /// Per component of angular momentum.
    pub angular: Vec<bool>,
}

impl Momentum {
    /// Of these points.
    pub fn new(points: Points) -> Self {
        Self { points }
    }

    /// Number of components of linear and of angular momentum.
    pub fn components(&self) -> (usize, usize) {
        (self.points.dimension, turns(self.points.dimension).len())
    }

    /// Linear, then angular momentum.
    pub fn of(&self, q: &[f64], p: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let (linear, angular) = out.split_at_mut(self.points.dimension);
        for point in &self.points.members {
            for (sum, &i) in linear.iter_mut().zip(point) {
                *sum += p[i];
            }
            for (sum, &(a, b)) in angular.iter_mut().zip(turns(self.points.dimension)) {
                *sum += q[point[a]] * p[point[b]] - q[point[b]] * p[point[a]];
            }
        }
    }

    /// Which components are conserved: those whose generator leaves `L`, `f`, `g` and the nonholonomic rows unchanged
    /// and takes no work from the forces, at the initial state and at states and times near and far from it: a symmetry
    /// that holds in all samples and breaks elsewhere is taken for one.
    pub fn conserved(problem: &Problem) -> Conserved {
        let points = &problem.points;
        let test = |motion| invariant(problem, &Generator { points, motion });
        Conserved {
            linear: (0..points.dimension).map(|axis| test(Motion::Along(axis))).collect(),
            angular: turns(points.dimension).iter().map(|&(a, b)| test(Motion::Turn(a, b))).collect(),
        }
    }
}

/// Whether a sum of products vanishes up to round-off in its terms.
fn vanishes(x: &[f64], y: &[f64]) -> bool {
    let size = x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x * y).abs());
    dot(x, y).abs() <= 1e-10 * size
}

fn invariant(problem: &Problem, generator: &Generator) -> bool {
    const SAMPLES: u64 = 24;
    let system = &*problem.system;
    let mut usable = 0;
    for sample in 0..SAMPLES {
        let q: Vec<f64> = jitter(&problem.initial.q, sample);
        let v: Vec<f64> = jitter(&vec![1.0; q.len()], sample + SAMPLES);
        // Times of every size: nothing is known of the units.
        let later = if sample == 0 { 0.0 } else { libm::exp(1.3 * sample as f64 - 15.0) };
        match invariant_at(system, problem.initial.t + later, &q, &v, generator) {
            Some(false) => return false,
            Some(true) => usable += 1,
            // A state outside the domain of an expression says nothing.
            None => {}
        }
    }
    usable > 0
}

fn invariant_at(system: &dyn System, t: f64, q: &[f64], v: &[f64], generator: &Generator) -> Option<bool> {
    let n = q.len();
    let xi = generator.at(q, false);
    let mut out = vec![0.0; n];
    system.potential_gradient(t, q, &mut out);
    let mut fine = out.iter().all(|x| x.is_finite());
    let mut kept = vanishes(&out, &xi);
    // Kinetic energy along the lifted field: T_q·ξ + (Mv)·(ξ' v).
    let (mut terms, mut fields) = (vec![0.0; n], generator.at(v, true));
    system.mass().times(q, v, &mut terms);
    if let Mass::Configuration(field) = system.mass() {
        field.kinetic_gradient(q, v, &mut out);
        terms.extend_from_slice(&out);
        fields.extend_from_slice(&xi);
    }
    fine &= terms.iter().all(|x| x.is_finite());
    kept &= vanishes(&terms, &fields);
    if let Some(forces) = system.forces() {
        forces.force(t, q, v, &mut out);
        fine &= out.iter().all(|x| x.is_finite());
        kept &= vanishes(&out, &xi);
    }
    let (m, k) = (system.equalities(), system.inequalities());
    let r = system.nonholonomic().map_or(0, |rows| rows.rows());
    let mut rows = vec![0.0; (m + k + r) * n];
    system.equality_jacobian(t, q, &mut rows[..m * n]);
    system.gap_jacobian(q, &mut rows[m * n..(m + k) * n]);
    if let Some(nonholonomic) = system.nonholonomic() {
        nonholonomic.matrix(q, &mut rows[(m + k) * n..]);
    }
    fine &= rows.iter().all(|x| x.is_finite());
    kept &= rows.chunks_exact(n).all(|row| vanishes(row, &xi));
    fine.then_some(kept)
}

/// The values moved by up to a tenth, once or ten times their size (and 1), the same way on every run; sample 0 is
/// unmoved.
fn jitter(x: &[f64], sample: u64) -> Vec<f64> {
    let moved = |(i, x): (usize, &f64)| {
        let phase = libm::sin(12.9898 * (i as f64 + 1.0) + 78.233 * sample as f64);
        let reach = [0.1, 1.0, 10.0][(sample % 3) as usize];
        x + if sample == 0 { 0.0 } else { reach * phase * (1.0 + x.abs()) }
    };
    x.iter().enumerate().map(moved).collect()
}
