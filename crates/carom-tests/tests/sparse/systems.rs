//! Systems of many coordinates with few couplings, and the same with these hidden.

use carom::particles::{Group, Link, Particles};
use carom::state::State;
use carom::system::{
    Contacts, Dynamics, Equalities, Forces, Mass, NoRows, Nonholonomic, Segment, SparseHessian, System,
    TimeDependence,
};
use carom_tests::runs::scene;

/// A system that lives as long as the tests.
pub type Kept = &'static (dyn System + 'static);

/// A system without what makes its second derivatives sparse.
pub struct Hidden(pub Kept);

impl Dynamics for Hidden {
    fn dim(&self) -> usize {
        self.0.dim()
    }
    fn mass(&self) -> Mass<'_> {
        self.0.mass()
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        self.0.potential(t, q)
    }
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.potential_gradient(t, q, out);
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.0.potential_hessian(t, q, out);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
    fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
        self.0.potential_discrete_gradient(segment, out);
    }
    fn time_dependence(&self) -> TimeDependence {
        self.0.time_dependence()
    }
    fn forces(&self) -> Option<&dyn Forces> {
        self.0.forces()
    }
}

impl System for Hidden {
    fn equalities(&self) -> &dyn Equalities {
        self.0.equalities()
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

fn kept(system: impl System + 'static) -> Kept {
    Box::leak(Box::new(system))
}

/// A start with these velocities.
fn start(system: Kept, q: &[f64], v: impl Fn(usize) -> f64) -> State {
    let v: Vec<f64> = (0..q.len()).map(v).collect();
    State::from_velocity(system, 0.0, q, &v)
}

/// Masses in a line, of expressions: springs that are not linear between neighbours, a drive that depends on time at one end.
pub fn line(n: usize) -> (Kept, State) {
    let text = format!(
        r#"
        title = "a line"
        description = "of masses"
        [parameters]
        k = 1.5
        [lagrangian]
        coordinates = [{{ name = "x", repeat = {{ index = "i", count = {n} }} }}]
        mass = "1.25"
        potential = [
            {{ expression = "k/2*(x[i] - x[i+1])^2 + (x[i] - x[i+1])^4/4", repeat = {{ index = "i", count = {} }} }},
            {{ expression = "(x[0] - 0.1*sin(3*t))^2" }},
        ]
        [initial]
        q = {:?}
        [method]
        name = "midpoint"
        [run]
        step = 0.1
        until = 1.0
        "#,
        n - 1,
        (0..n).map(|i| (0.7 * i as f64).sin()).collect::<Vec<_>>(),
    );
    let problem = scene("line", &text, &[]).problem;
    (Box::leak(problem.system), problem.initial)
}

/// Particles in a square lattice of springs with rest lengths, free in the plane.
pub fn lattice(side: usize) -> (Kept, State) {
    let mut system =
        Particles::new(2, (0..side * side).map(|i| 1.0 + 0.1 * (i % 3) as f64).collect()).expect("right");
    for i in 0..side {
        for j in 0..side {
            let at = side * i + j;
            if j + 1 < side {
                system.add_spring(Link::between(at, at + 1), 40.0, 0.9).expect("right");
            }
            if i + 1 < side {
                system.add_spring(Link::between(at + side, at), 30.0, 1.0).expect("right");
            }
            if i + 1 < side && j + 1 < side {
                system.add_spring(Link::between(at, at + side + 1), 5.0, 0.0).expect("right");
            }
        }
    }
    let system = kept(system);
    let q: Vec<f64> = (0..side * side).flat_map(|at| [(at / side) as f64, (at % side) as f64]).collect();
    (system, start(system, &q, |k| (1.3 * k as f64).sin()))
}

/// A chain of rods that hangs from a point in space, springs between every other of its particles.
pub fn hanging(links: usize) -> (Kept, State) {
    let mut system = Particles::new(3, (0..links).map(|i| 1.0 + 0.5 * (i % 2) as f64).collect()).expect("right");
    system.add_rod(Link::anchored(0, [0.0; 3]), 1.0).expect("right");
    for i in 1..links {
        let link = if i % 3 == 0 { Link::between(i, i - 1) } else { Link::between(i - 1, i) };
        system.add_rod(link, 1.0).expect("right");
    }
    for i in 2..links {
        system.add_spring(Link::between(i - 2, i), 3.0, 1.9).expect("right");
    }
    system.set_gravity(&[0.0, 0.0, -9.81]).expect("right");
    let system = kept(system);
    let mut place = [0.0; 3];
    let mut q = Vec::new();
    for i in 0..links {
        let (a, b) = (0.8 + 0.2 * (i as f64).sin(), 0.5 * i as f64);
        for (place, part) in place.iter_mut().zip([a.sin() * b.cos(), a.sin() * b.sin(), -a.cos()]) {
            *place += part;
            q.push(*place);
        }
    }
    (system, start(system, &q, |_| 0.0))
}

/// Particles on rods to fixed points, each in a field of its own that pushes it away: no two are coupled.
pub fn well(count: usize) -> (Kept, State) {
    let mut system = Particles::new(2, vec![1.0; count]).expect("right");
    (0..count).for_each(|i| system.add_rod(Link::anchored(i, [3.0 * i as f64, 0.0, 0.0]), 1.0).expect("right"));
    system.add_field("-x*y/9 + y^2*cos(t)", &[], &Group::All).expect("right");
    let system = kept(system);
    let q: Vec<f64> =
        (0..count).flat_map(|i| [3.0 * i as f64 + (0.3 * i as f64).cos(), (0.3 * i as f64).sin()]).collect();
    (system, start(system, &q, |_| 0.0))
}

/// Sums of momenta and the angular momentum.
pub fn momentum(state: &State) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (x, p) in state.q.as_chunks::<2>().0.iter().zip(state.p.as_chunks::<2>().0) {
        sum[0] += p[0];
        sum[1] += p[1];
        sum[2] += x[0] * p[1] - x[1] * p[0];
    }
    sum
}
