//! Symmetries of a problem: vector fields on the configuration space, their momenta, and whether they conserve them.

use crate::linear::dot;
use crate::problem::lines::Lines;
use crate::problem::{Points, Problem};
use crate::system::{Mass, System};

/// A vector field `ξ(q)` on the configuration space: the generator of a motion that may leave a system unchanged. Its
/// momentum is `p·ξ(q)` (Noether).
pub trait VectorField {
    /// `ξ(q)`.
    fn at(&self, q: &[f64], out: &mut [f64]);
    /// `∂ξ/∂q · v`.
    fn along(&self, q: &[f64], v: &[f64], out: &mut [f64]);
}

/// A declared symmetry.
pub struct Symmetry {
    /// What it is called.
    pub name: String,
    /// Its generator.
    pub field: Box<dyn VectorField>,
}

/// A translation or a rotation of all points and of the bodies around them.
#[derive(Clone, Copy)]
pub(super) enum Motion {
    Along(usize),
    /// From the first axis towards the second.
    Turn(usize, usize),
}

/// A motion of the points of a problem.
pub(super) struct OfPoints<'a> {
    pub points: &'a Points,
    pub motion: Motion,
}

impl OfPoints<'_> {
    fn fill(&self, x: &[f64], shift: f64, out: &mut [f64]) {
        out.fill(0.0);
        for point in &self.points.members {
            match self.motion {
                Motion::Along(axis) => out[point[axis]] = shift,
                Motion::Turn(a, b) => {
                    out[point[a]] = -x[point[b]];
                    out[point[b]] = x[point[a]];
                }
            }
        }
        if let Motion::Turn(..) = self.motion {
            for &spin in &self.points.spins {
                out[spin] = shift;
            }
        }
    }
}

impl VectorField for OfPoints<'_> {
    fn at(&self, q: &[f64], out: &mut [f64]) {
        self.fill(q, 1.0, out);
    }
    fn along(&self, _q: &[f64], v: &[f64], out: &mut [f64]) {
        self.fill(v, 0.0, out);
    }
}

/// Which fields leave `L`, `f`, `g` and the nonholonomic rows unchanged and take no work from the forces, at the initial
/// state and at states and times near and far from it: a symmetry that holds in all samples and breaks elsewhere is
/// taken for one.
pub(super) fn invariant(problem: &Problem, fields: &[&dyn VectorField]) -> Vec<bool> {
    const SAMPLES: u64 = 24;
    let system = &*problem.system;
    let mut kept = vec![true; fields.len()];
    let mut usable = 0;
    for sample in 0..SAMPLES {
        let q: Vec<f64> = jitter(&problem.initial.q, sample);
        let v: Vec<f64> = jitter(&vec![1.0; q.len()], sample + SAMPLES);
        // Times of every size: nothing is known of the units.
        let later = if sample == 0 { 0.0 } else { libm::exp(1.3 * sample as f64 - 15.0) };
        // A state outside the domain of an expression says nothing.
        let Some(sample) = Sample::new(system, problem.initial.t + later, q, v) else { continue };
        usable += 1;
        for (kept, field) in kept.iter_mut().zip(fields) {
            *kept = *kept && sample.kept_by(*field);
        }
    }
    kept.iter().map(|kept| *kept && usable > 0).collect()
}

/// Sums below this part of their terms are round-off.
const ROUND_OFF: f64 = 1e-10;

/// Whether a sum of products vanishes up to round-off in its terms.
fn vanishes(x: &[f64], y: &[f64]) -> bool {
    let size = x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x * y).abs());
    dot(x, y).abs() <= ROUND_OFF * size
}

/// Everything that must not change, at one state.
struct Sample {
    q: Vec<f64>,
    v: Vec<f64>,
    /// `M v`.
    momentum: Vec<f64>,
    /// `T_q`; empty for a constant mass.
    kinetic: Vec<f64>,
    /// Rows that must be orthogonal to a field: `V_q`, `f_NP`.
    dynamics: [Vec<f64>; 2],
    /// The same of gradients of constraints, nonholonomic rows, directions of friction.
    constraints: Lines,
}

impl Sample {
    fn new(system: &dyn System, t: f64, q: Vec<f64>, v: Vec<f64>) -> Option<Self> {
        let n = q.len();
        let mut dynamics = [vec![0.0; n], vec![0.0; n]];
        system.potential_gradient(t, &q, &mut dynamics[0]);
        if let Some(forces) = system.forces() {
            forces.force(t, &q, &v, &mut dynamics[1]);
        }
        // Friction acts along the directions of sliding.
        let mut contacts = Vec::new();
        system.contacts().samples(&mut |contact| contacts.push(contact));
        let holding = Lines::of_equalities(system, t, &q).ok()?.then(Lines::of_gaps(system, t, &q, &contacts));
        let rolling = Lines::of_velocities(system, &q).ok()?.then(Lines::of_slides(system, t, &q, &contacts));
        let constraints = holding.then(rolling);
        let (mut momentum, mut kinetic) = (vec![0.0; n], Vec::new());
        system.mass().times(&q, &v, &mut momentum);
        if let Mass::Configuration(field) = system.mass() {
            kinetic.resize(n, 0.0);
            field.kinetic_gradient(&q, &v, &mut kinetic);
        }
        let numbers = [&dynamics[0], &dynamics[1], &momentum, &kinetic].into_iter().flatten();
        let fine =
            numbers.copied().all(f64::is_finite) && (0..constraints.len()).all(|row| constraints.is_finite(row));
        fine.then_some(Self { q, v, momentum, kinetic, dynamics, constraints })
    }

    fn kept_by(&self, field: &dyn VectorField) -> bool {
        let n = self.q.len();
        let (mut xi, mut along) = (vec![0.0; n], vec![0.0; n]);
        field.at(&self.q, &mut xi);
        field.along(&self.q, &self.v, &mut along);
        // Kinetic energy along the lifted field: T_q·ξ + (Mv)·(ξ' v).
        let terms = [&self.momentum[..], &self.kinetic].concat();
        let fields = [&along[..], &xi[..self.kinetic.len()]].concat();
        let fine = vanishes(&terms, &fields) && self.dynamics.iter().all(|row| vanishes(row, &xi));
        fine && (0..self.constraints.len()).all(|row| {
            let size = self.constraints.row(row).fold(0.0, |sum, (column, x)| sum + (x * xi[column]).abs());
            self.constraints.dot(row, &xi).abs() <= ROUND_OFF * size
        })
    }
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
