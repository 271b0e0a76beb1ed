//! The energy identities (23), (24) and (40): exact in every step if the quadrature is, and no first integral.

use carom::steppers::End;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, scene};

use crate::{Exact, Tally, Walk, entry, number, numbers, sixteen};

type Hamiltonian = dyn Fn(f64, &[f64], &[f64]) -> f64;

/// Both sides of the identity of the last step, for one coordinate or with constraints for several: the value at the end and that at the start.
fn sides(walk: &Walk, hamiltonian: &Hamiltonian, degree: usize) -> (f64, f64) {
    let (n, h) = (walk.state.q.len(), walk.h);
    let jump = |end: End| {
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        walk.inside().jump(end, &mut q, &mut p);
        (q, p)
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let (q, p) = walk.ansatz(1.0);
    let end = dot(&walk.rate(1.0, degree).0, &jump(End::Finish).1) + hamiltonian(walk.before.t + h, &q, &p);
    let (q, p) = walk.ansatz(0.0);
    let start = -dot(&walk.rate(0.0, degree).1, &jump(End::Start).0) + hamiltonian(walk.before.t, &q, &p);
    (end, start)
}

#[test]
fn the_energy_identity_24_holds_in_every_step_and_from_step_to_step_it_does_not() {
    let hamiltonian = |_: f64, q: &[f64], p: &[f64]| p[0] * p[0] / 8.0 - 19.62 * q[0].cos();
    let mut tally = Tally::default();
    let value = entry("energy_balance_eq24")["value"].clone();
    for (name, expected) in value.as_object().expect("a table") {
        let degree: usize = name[1..2].parse().expect("a degree");
        let options = match &name[3..] {
            "gauss16" => "points=16".to_string(),
            "gauss_m+1" => format!("points={}", degree + 1),
            _ => "quadrature=rectangle".to_string(),
        };
        let mut walk = Walk::pendulum(&format!("degree={degree}, {options}"), 0.3);
        let (mut residual, mut jump, mut deviation) = (0.0_f64, 0.0_f64, 0.0_f64);
        let (mut starts, mut last) = (Vec::new(), None);
        for _ in 0..50 {
            walk.step();
            let (end, start) = sides(&walk, &hamiltonian, degree);
            residual = residual.max((end - start).abs());
            jump = last.map_or(jump, |last: f64| jump.max((start - last).abs()));
            last = Some(end);
            starts.push(start);
            deviation = deviation.max((hamiltonian(0.0, &walk.state.q, &walk.state.p) - 9.81).abs());
        }
        let spread =
            starts.iter().copied().fold(f64::MIN, f64::max) - starts.iter().copied().fold(f64::MAX, f64::min);
        let close = |tally: &mut Tally, what: &str, found: f64| {
            let expected = number(&expected[what]);
            tally.check(&format!("{name} {what}"), found, expected, 0.01 * expected);
        };
        if name.ends_with("gauss16") || degree == 0 {
            println!("{name}: residual of (24) {residual:.1e}");
            tally.below(&format!("{name} residual"), residual, 1e-13);
        } else {
            close(&mut tally, "max_resid_eq24", residual);
        }
        close(&mut tally, "max_jump_between_steps", jump);
        close(&mut tally, "spread_of_rhs", spread);
        close(&mut tally, "nodal_energy_dev", deviation);
    }
    tally.settle("(24)");
}

fn driven() -> Scene {
    let text = "[lagrangian]\ncoordinates = ['q']\nmass = 4.0\npotential = '-19.62*cos(q) - 3*q*cos(2*t)'\n\
                [initial]\nq = [1.0]\nv = [0.125]\n[method]\nname = 'galerkin'\n[run]\nstep = 0.1\nsteps = 50\n";
    scene("driven", text, &[])
}

#[test]
fn the_identity_23_of_a_driven_pendulum() {
    let hamiltonian =
        |t: f64, q: &[f64], p: &[f64]| p[0] * p[0] / 8.0 - 19.62 * q[0].cos() - 3.0 * q[0] * (2.0 * t).cos();
    let mut walk = Walk::new(driven(), "degree=2, points=12", 0.1);
    let mut residual = 0.0_f64;
    for _ in 0..50 {
        walk.step();
        let (end, start) = sides(&walk, &hamiltonian, 2);
        // ∫ ∂H/∂t along the ansatz.
        let work: f64 = sixteen()
            .iter()
            .map(|(s, w)| w * 0.1 * 6.0 * walk.ansatz(*s).0[0] * (2.0 * (walk.before.t + 0.1 * s)).sin())
            .sum();
        residual = residual.max((end - start - work).abs());
    }
    let (value, mut tally) = (entry("eq23_driven")["value"].clone(), Tally::default());
    tally.below("(23)", residual, 1e-12);
    tally.each("end", &[walk.state.q[0], walk.state.p[0]], &numbers(&value["final"]), |_| 1e-9);
    let exact = Exact::new(driven(), 0.05, 5.0).at(5.0);
    let errors = [walk.state.q[0] - exact.q[0], walk.state.p[0] - exact.p[0]];
    tally.each("error", &errors, &numbers(&value["err_vs_ref"]), |_| 1e-10);
    tally.settle("(23)");
}

#[test]
fn the_identity_40_with_constraints() {
    let scene = built_in("pendulum-cartesian", &["lagrangian.equalities=['x^2 + y^2 - l^2']"]);
    let mut walk = Walk::new(scene, "degree=2", 0.3);
    let hamiltonian = |_: f64, q: &[f64], p: &[f64]| 0.5 * (p[0] * p[0] + p[1] * p[1]) + 9.81 * q[1];
    let mut residual = 0.0_f64;
    for _ in 0..50 {
        walk.step();
        let (end, start) = sides(&walk, &hamiltonian, 2);
        // p_g' at the left end with the jump of g there, and W p_g' with that of p_z at the right: the jump of p less W times none.
        let (mut force, q) = ([0.0], walk.ansatz(0.0).0);
        walk.inside().constraint_forces(0.0, &mut force);
        let gap = |q: &[f64]| q[0] * q[0] + q[1] * q[1] - 4.0;
        let step = gap(&q) - gap(&walk.before.q);
        residual = residual.max((end - start + force[0] * step).abs());
    }
    let mut tally = Tally::default();
    println!("residual of (40): {residual:.1e}");
    tally.below("(40)", residual, number(&entry("sec63_eq40_residual")["pass_if_below"]));
    tally.settle("(40)");
}
