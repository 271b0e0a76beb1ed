//! Particles without a load: energy to the tolerance, momenta to round-off, order 2.

use carom::method::Method;
use carom::particles::{Cutoff, LennardJones, Link, Particles, Selection};
use carom::state::State;
use carom::steppers::{Stepper, pem, variational};
use carom::system::{Dynamics, System};
use carom_tests::runs::distance;

fn energy(system: &Particles, state: &State) -> f64 {
    let Some(m) = masses(system) else { return f64::NAN };
    state.p.iter().zip(m).map(|(p, m)| 0.5 * p * p / m).sum::<f64>() + system.potential(state.t, &state.q)
}

fn masses(system: &Particles) -> Option<&[f64]> {
    match system.mass() {
        carom::system::Mass::Diagonal(m) => Some(m),
        _ => None,
    }
}

/// Linear and angular momentum in the plane.
fn momenta(state: &State) -> [f64; 3] {
    state
        .q
        .chunks_exact(2)
        .zip(state.p.chunks_exact(2))
        .fold([0.0; 3], |sum, (x, p)| [sum[0] + p[0], sum[1] + p[1], sum[2] + x[0] * p[1] - x[1] * p[0]])
}

/// Two bodies that attract each other, on ellipses.
fn kepler() -> (Particles, State) {
    let mut system = Particles::new(2, vec![1.0, 0.3]).expect("right");
    system.set_gravitation(1.0).expect("right");
    let state = State::from_velocity(&system, 0.0, &[0.0, 0.0, 1.0, 0.0], &[0.05, -0.2, 0.05, 0.9]);
    (system, state)
}

/// Springs, two kinds of pair potentials, one with an end that pairs cross, and a rod.
fn mixed() -> (Particles, State) {
    let mut system = Particles::new(2, vec![1.0, 2.0, 0.5, 1.5]).expect("right");
    system.add_spring(Link::between(0, 2), 3.0, 1.1).expect("right");
    system.add_spring(Link::between(1, 2), 1.0, 0.0).expect("right");
    let law = LennardJones { epsilon: 0.3, sigma: 0.8 };
    system.add_lennard_jones(law, &Selection::default(), Some(Cutoff::at(1.6))).expect("right");
    system.add_pair_potential("0.1*r^3", &[], &Selection::default(), None).expect("right");
    system.add_rod(Link::between(3, 1), 1.0).expect("right");
    let v = [0.3, 0.1, -0.2, 0.1, 0.0, -0.3, 0.3, 0.1];
    let state = State::from_velocity(&system, 0.0, &[0.0, 0.1, 1.0, 0.2, 0.1, 1.1, 1.0, 1.2], &v);
    (system, state)
}

/// Largest change of the energy and of the momenta over a run.
fn changes<T: Stepper<Particles>>(system: &Particles, start: &State, stepper: &mut T, h: f64) -> [f64; 2] {
    let (first, momenta0, mut state) = (energy(system, start), momenta(start), start.clone());
    let mut worst = [0.0_f64; 2];
    for _ in 0..2000 {
        stepper.step(system, &mut state, h).expect("it runs");
        worst[0] = worst[0].max((energy(system, &state) - first).abs());
        let off = momenta(&state).iter().zip(&momenta0).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        worst[1] = worst[1].max(off);
    }
    worst
}

#[test]
fn bodies_that_attract_each_other_keep_energy_and_momenta_and_the_midpoint_rule_does_not() {
    let ((system, start), h) = (kepler(), 0.05);
    let mut stepper = pem::Config { tolerance: 1e-15, filter: false }.stepper(&system, &start).expect("taken");
    let [energy, momentum] = changes(&system, &start, &mut stepper, h);
    println!("energy {energy:.1e}, momenta {momentum:.1e}");
    assert!(energy <= 1e-12 && momentum <= 1e-12, "{energy:e}, {momentum:e}");
    // By default up to the tolerance: a residual of 1e-9 of the momenta a step.
    let mut stepper = pem::Config::default().stepper(&system, &start).expect("taken");
    let [energy, momentum] = changes(&system, &start, &mut stepper, h);
    assert!(energy <= 2e-6 && momentum <= 2e-6, "{energy:e}, {momentum:e}");
    let mut control = variational::Midpoint::default().stepper(&system, &start).expect("taken");
    let [energy, momentum] = changes(&system, &start, &mut control, h);
    assert!(energy > 1e-5 && momentum <= 1e-12, "control: {energy:e}, {momentum:e}");
}

#[test]
fn momenta_of_mixed_particles_are_exact_and_their_energy_only_falls() {
    let (system, start) = mixed();
    // What the projection takes in 20 s.
    let lost = |h: f64| {
        let mut stepper = pem::Config { tolerance: 1e-15, filter: false }.stepper(&system, &start).expect("taken");
        let (mut state, mut last, momenta0) = (start.clone(), energy(&system, &start), momenta(&start));
        for _ in 0..(20.0 / h).round() as u32 {
            stepper.step(&system, &mut state, h).expect("it runs");
            let now = energy(&system, &state);
            assert!(now - last <= 1e-13, "{:e}", now - last);
            last = now;
        }
        for (a, b) in momenta(&state).iter().zip(momenta0) {
            assert!((a - b).abs() <= 1e-12, "{a} and {b}");
        }
        energy(&system, &start) - last
    };
    let (coarse, fine) = (lost(0.02), lost(0.005));
    println!("lost {coarse:.2e} and {fine:.2e}");
    // O(h⁴) a step: 64 times less in the same time.
    assert!(coarse > 0.0 && coarse < 0.02 && fine > coarse / 256.0 && fine < coarse / 16.0, "{coarse:e}, {fine:e}");
}

#[test]
fn without_rods_the_energy_of_mixed_particles_is_exact() {
    let (_, start) = mixed();
    let mut system = Particles::new(2, vec![1.0, 2.0, 0.5, 1.5]).expect("right");
    system.add_spring(Link::between(0, 2), 3.0, 1.1).expect("right");
    let law = LennardJones { epsilon: 0.3, sigma: 0.8 };
    system.add_lennard_jones(law, &Selection::default(), Some(Cutoff::at(1.6))).expect("right");
    system.add_pair_potential("0.1*r^3 - 0.2/r", &[], &Selection::default(), None).expect("right");
    let mut stepper = pem::Config { tolerance: 1e-15, filter: false }.stepper(&system, &start).expect("taken");
    let [energy, momentum] = changes(&system, &start, &mut stepper, 0.02);
    println!("energy {energy:.1e}, momenta {momentum:.1e}");
    assert!(energy <= 2e-12 && momentum <= 2e-12, "{energy:e}, {momentum:e}");
}

#[test]
fn particles_converge_with_order_two() {
    for (name, (system, start)) in [("kepler", kepler()), ("mixed", mixed())] {
        let after = |steps: u32| {
            let config = pem::Config { tolerance: 1e-15, filter: false };
            let (mut stepper, mut state) = (config.stepper(&system, &start).expect("taken"), start.clone());
            (0..steps)
                .for_each(|_| _ = stepper.step(&system, &mut state, 1.0 / f64::from(steps)).expect("it runs"));
            state
        };
        let (coarse, fine) = (after(2048), after(4096));
        let limit = |fine: &[f64], coarse: &[f64]| -> Vec<f64> {
            fine.iter().zip(coarse).map(|(fine, coarse)| fine + (fine - coarse) / 3.0).collect()
        };
        let limit = State { t: fine.t, q: limit(&fine.q, &coarse.q), p: limit(&fine.p, &coarse.p) };
        let errors: Vec<f64> = [128, 256, 512].iter().map(|&steps| distance(&after(steps), &limit)).collect();
        let slope = (errors[1] / errors[2]).log2();
        assert!((slope - 2.0).abs() < 0.05, "{name}: errors {errors:?}, slope {slope}");
    }
}

#[test]
fn a_filter_and_a_tolerance_of_nothing_are_refused() {
    let filter = pem::Config { filter: true, ..pem::Config::default() };
    assert_eq!(filter.check().expect_err("points do not turn").0, "filter");
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(pem::Config { tolerance, filter: false }.check().expect_err("no tolerance").0, "tolerance");
    }
}

#[test]
fn a_mass_that_depends_on_the_configuration_is_refused() {
    let scene = carom_tests::runs::built_in("double-pendulum", &[]);
    let system: &dyn System = &*scene.problem.system;
    let missing = pem::Config::default().abilities().missing(system);
    assert_eq!(missing, ["a mass matrix that depends on the configuration"]);
}
