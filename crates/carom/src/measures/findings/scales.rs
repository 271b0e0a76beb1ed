//! Scales of a scene, from its start: what errors are compared with.

use crate::linear::dot;
use crate::problem::Problem;
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::steppers::shared::rows::RowShape;
use crate::system::{ContactId, System};

/// Systems count the round-off of a length four times: of its coordinates' differences, squares, sum and root.
const COUNTED: f64 = 0.25;
/// The part of the extent of the system below which the size of a constraint, or of a contact, is no scale: joints that keep two points
/// together, and points at walls, are made of next to nothing. Rods of a long chain, and small balls far apart, are not.
const LEAST: [f64; 2] = [0.001, 0.01];

/// Range of the coordinates at the start, with the origin.
fn extent(start: &State) -> f64 {
    let (min, max) = start.q.iter().fold((0.0_f64, 0.0_f64), |(min, max), q| (min.min(*q), max.max(*q)));
    max - min
}

/// The gradient of a row: its length, and the distance from the origin of the coordinates that it depends on.
#[derive(Default)]
struct Slope {
    steep: f64,
    far: f64,
}

impl Slope {
    fn add(&mut self, entry: f64, q: f64) {
        if entry != 0.0 {
            (self.steep, self.far) = (self.steep.hypot(entry), self.far.hypot(q));
        }
    }

    /// The size of a row whose constants have `constants` round-offs; `least` of the extent of the system at least.
    fn size(&self, constants: f64, least: f64) -> f64 {
        let own = if constants > 0.0 { COUNTED * constants } else { self.steep * self.far };
        own.max(self.steep * least)
    }
}

/// What the value of every equality is made of, in its own unit: the length of a rod, the constants of an expression. Where a row has none,
/// its gradient times the coordinates that it depends on.
pub fn equality_sizes(system: &dyn System, start: &State) -> Vec<f64> {
    let m = system.equalities().count();
    let mut sizes = vec![0.0; m];
    system.equalities().rounding(start.t, &start.q, &mut sizes);
    let Ok(inverse) = InverseMass::new(system, &start.q) else { return sizes };
    let shape = RowShape::of(system, &inverse);
    let (mut f, mut g) = (vec![0.0; m], vec![0.0; shape.entries()]);
    shape.evaluate(system, start.t, &start.q, [&mut f, &mut g]);
    let least = LEAST[0] * extent(start);
    for (row, size) in sizes.iter_mut().enumerate() {
        let mut slope = Slope::default();
        shape.each_entry(row, &g, |k, entry| slope.add(entry, start.q[k]));
        *size = slope.size(*size, least);
    }
    sizes
}

/// The same for a gap: the radii of balls, the distance of a wall.
pub fn gap_size(system: &dyn System, start: &State, contact: ContactId) -> f64 {
    let (mut size, mut slope) = ([0.0], Slope::default());
    system.contacts().rounding(start.t, &start.q, &[contact], &mut size);
    system.contacts().partials(start.t, &start.q, contact, &mut |column, entry| slope.add(entry, start.q[column]));
    slope.size(size[0], LEAST[1] * extent(start))
}

/// The part of the extent of the system that what rests trembles over at most.
const TREMBLING: f64 = 0.01;

/// Kinetic energy that the forces of the potential at the start give a system without constraints in a step, or over a hundredth of its
/// extent if the step is longer: with the length of steps it must not outgrow the motion.
pub fn energy_of_a_step(problem: &Problem, h: f64) -> f64 {
    let (system, State { t, q, .. }) = (&*problem.system, &problem.initial);
    let mut force = vec![0.0; q.len()];
    system.potential_gradient(*t, q, &mut force);
    let mut a = force.clone();
    match InverseMass::new(system, q) {
        Ok(inverse) => inverse.solve(&mut a),
        Err(_) => return 0.0,
    }
    let (farthest, way) = (TREMBLING * extent(&problem.initial), h * h * dot(&a, &a).sqrt());
    // A point at the origin has no extent: what is long for it is not known.
    let part = if farthest > 0.0 && way > farthest { farthest / way } else { 1.0 };
    0.5 * part * h * h * dot(&force, &a)
}

/// Kinetic energy of coordinates that change by their round-off in a step: what rests where forces cancel has no more of it.
pub fn energy_of_round_off(problem: &Problem, h: f64) -> f64 {
    let v: Vec<f64> = problem.initial.q.iter().map(|q| f64::EPSILON * q / h).collect();
    let mut p = v.clone();
    problem.system.mass().times(&problem.initial.q, &v, &mut p);
    0.5 * dot(&v, &p)
}

/// Linear and angular momentum of points that have this energy between them: at most what a change can be compared with.
pub fn momentum_of(problem: &Problem, last: &State, energy: f64) -> [f64; 2] {
    let (points, system) = (&problem.points, &problem.system);
    let mut along = vec![0.0; system.dim()];
    points.members.iter().flatten().for_each(|&i| along[i] = 1.0);
    let mut masses = along.clone();
    system.mass().times(&problem.initial.q, &along, &mut masses);
    let mass = dot(&along, &masses) / points.dimension.max(1) as f64;
    let far = |state: &State| points.members.iter().flatten().fold(0.0_f64, |far, &i| far.max(state.q[i].abs()));
    let linear = f64::sqrt(2.0 * energy * mass);
    [linear, linear * far(&problem.initial).max(far(last))]
}
