//! Runs of particle systems: structure, order, lists of neighbours, rods, same bits and no allocations.

use carom::measures::Drift;
use carom::method::{AnyMethod, Method};
use carom::particles::{Cutoff, Group, LennardJones, Link, Particles, Selection};
use carom::state::State;
use carom::steppers::{Stepper, verlet};
use carom::system::{Dynamics, Mass, System};
use carom_tests::full::Full;
use carom_tests::runs::{Boxed, built_in, distance, numbers};

fn stepper(system: &(dyn System + 'static), name: &str, state: &State) -> Boxed {
    AnyMethod::named(name).expect("known").stepper(system, state).unwrap_or_else(|refusal| panic!("{refusal}"))
}

fn advance(
    system: &(dyn System + 'static),
    stepper: &mut dyn Stepper<dyn System>,
    state: &mut State,
    h: f64,
    steps: u64,
) {
    for _ in 0..steps {
        stepper.step(system, state, h).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Six beads on five rods of length 1, with the start of the built-in scene.
fn chain() -> (Particles, State) {
    let start = built_in("lennard-jones-rods", &[]).problem.initial;
    let mut system = Particles::new(3, vec![1.0; 6]).expect("right");
    let law = LennardJones { epsilon: 1.0, sigma: 0.6 };
    system.add_lennard_jones(law, &Selection::default(), None).expect("right");
    for i in 0..5 {
        // Both directions: the order within a rod does not matter.
        system
            .add_rod(if i % 2 == 0 { Link::between(i, i + 1) } else { Link::between(i + 1, i) }, 1.0)
            .expect("right");
    }
    (system, start)
}

/// Four bodies in space with every force that keeps linear and angular momentum, two of them on a rod.
fn isolated() -> (Particles, State) {
    let mut system = Particles::new(3, vec![1.0, 2.0, 0.5, 1.5]).expect("right");
    system.add_spring(Link::between(0, 2), 3.0, 1.1).expect("right");
    system.set_gravitation(0.4).expect("right");
    let law = LennardJones { epsilon: 0.3, sigma: 0.8 };
    system.add_lennard_jones(law, &Selection::default(), Some(Cutoff::at(1.6))).expect("right");
    system.add_pair_potential("0.1*r^3", &[], &Selection::default(), None).expect("right");
    system.add_rod(Link::between(3, 1), 1.0).expect("right");
    let q = [0.0, 0.0, 0.1, 1.0, 0.2, 0.0, 0.1, 1.1, 0.0, 1.0, 1.2, 0.0];
    let v = [0.3, 0.1, 0.2, -0.2, 0.1, 0.4, 0.0, -0.3, 0.1, 0.3, 0.1, -0.2];
    let state = State::from_velocity(&system, 0.0, &q, &v);
    (system, state)
}

fn momenta(state: &State) -> [f64; 6] {
    let mut sum = [0.0; 6];
    for (x, p) in state.q.as_chunks::<3>().0.iter().zip(state.p.as_chunks::<3>().0) {
        for k in 0..3 {
            let (a, b) = ((k + 1) % 3, (k + 2) % 3);
            sum[k] += p[k];
            sum[3 + k] += x[a] * p[b] - x[b] * p[a];
        }
    }
    sum
}

#[test]
fn momenta_of_isolated_particles_are_exact() {
    let (system, start) = isolated();
    for name in ["verlet", "midpoint"] {
        let mut state = start.clone();
        advance(&system, &mut *stepper(&system, name, &start), &mut state, 0.005, 10_000);
        let change =
            momenta(&state).iter().zip(momenta(&start)).fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
        println!("{name}: momenta change by {change:e}");
        // 10 000 sums of numbers of size 1, each rounded: some sqrt(1e4) ε for linear, and for angular times the size.
        assert!(change <= 1e-11, "{name}: {change:e}");
        assert!(distance(&state, &start) > 0.1, "{name}: it moved");
    }
}

#[test]
fn verlet_and_midpoint_have_order_two() {
    let (mut system, start) = isolated();
    system.add_field("0.3*m*sin(2*t)*x^2 + 0.1*y*z", &[], &Group::Of(vec![0, 1, 3])).expect("right");
    for name in ["verlet", "midpoint"] {
        let run = |steps: u64| {
            let mut state = start.clone();
            advance(&system, &mut *stepper(&system, name, &start), &mut state, 0.5 / steps as f64, steps);
            state
        };
        let runs: Vec<State> = (0..5).map(|level| run(100 << level)).collect();
        let apart: Vec<f64> = runs.windows(2).map(|pair| distance(&pair[0], &pair[1])).collect();
        let slopes: Vec<f64> = apart.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect();
        println!("{name}: {apart:?}, slopes {slopes:.3?}");
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        assert!((last - 2.0).abs() <= 0.05, "{name}: slopes {slopes:.3?}");
    }
}

/// A block of `side^dimension` particles at unit density that flies apart, with a cut-off and excluded neighbours.
fn gas(dimension: usize, side: usize, skin: f64) -> (Particles, State) {
    let count = side.pow(dimension as u32);
    let mut system = Particles::new(dimension, (0..count).map(|i| 1.0 + (i % 3) as f64).collect()).expect("right");
    let cutoff = Cutoff { skin, ..Cutoff::at(2.2) };
    let law = LennardJones { epsilon: 1.0, sigma: 0.9 };
    let bonded: Vec<(usize, usize)> = (1..count / 4).map(|i| (4 * i, 4 * i - 1)).collect();
    let pairs = Selection { group: Group::All, excluded: bonded.clone() };
    system.add_lennard_jones(law, &pairs, Some(cutoff)).expect("right");
    for (i, j) in bonded {
        system.add_spring(Link::between(i, j), 20.0, 1.0).expect("right");
    }
    let group = Group::Of((0..count).filter(|i| i % 3 == 0).collect());
    let pairs = Selection { group, excluded: Vec::new() };
    system.add_pair_potential("exp(-r)/r", &[], &pairs, Some(Cutoff { skin, ..Cutoff::at(3.0) })).expect("right");
    let place = |c: usize| (c / dimension / side.pow((c % dimension) as u32) % side) as f64;
    let q = (0..dimension * count).map(place).collect();
    let p = numbers(dimension * count, 7).iter().map(|p| 4.0 * p).collect();
    (system, State { t: 0.0, q, p })
}

#[test]
fn lists_of_neighbours_change_no_bit_and_neither_does_a_restart() {
    for (dimension, side, steps) in [(1, 40, 2000), (2, 12, 2000), (3, 6, 2000)] {
        let run = |skin: f64, restart: bool| {
            let (system, start) = gas(dimension, side, skin);
            let mut state = start.clone();
            let mut first = stepper(&system, "verlet", &start);
            advance(&system, &mut *first, &mut state, 0.004, steps / 2 + 7);
            if restart {
                let (system, _) = gas(dimension, side, skin);
                let mut second = stepper(&system, "verlet", &state);
                advance(&system, &mut *second, &mut state, 0.004, steps / 2 - 7);
            } else {
                advance(&system, &mut *first, &mut state, 0.004, steps / 2 - 7);
            }
            (state, start)
        };
        let (all_pairs, start) = run(f64::INFINITY, false);
        assert!(distance(&all_pairs, &start) > 3.0, "they move: {}", distance(&all_pairs, &start));
        for (skin, restart) in [(0.3, false), (0.3, true), (1.1, false), (0.02, true)] {
            let (listed, _) = run(skin, restart);
            assert!(listed == all_pairs, "{dimension} dimensions, skin {skin}, restart {restart}");
        }
    }
}

#[test]
fn a_particle_far_away_and_jumps_of_all_are_no_problem_for_the_lists() {
    let (listed, start) = gas(3, 5, 0.3);
    let (all_pairs, _) = gas(3, 5, f64::INFINITY);
    let mut q = start.q;
    let (mut a, mut b) = (vec![0.0; q.len()], vec![0.0; q.len()]);
    for (far, shift) in [(1.0, 0.0), (1e9, 0.0), (-1e300, 0.4), (f64::NAN, -77.7), (3.0, 1e7)] {
        q[0] = far;
        for (x, random) in q[3..].iter_mut().zip(numbers(375, 3)) {
            *x = x.round() + shift + 0.1 * random;
        }
        listed.potential_gradient(0.0, &q, &mut a);
        all_pairs.potential_gradient(0.0, &q, &mut b);
        let same = a.iter().zip(&b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()));
        let nan = far.is_nan();
        assert!(same || nan, "first particle at {far}");
        assert!(!nan || a[3..].iter().all(|a| a.is_finite()), "NaN stays with its particle");
        assert!(max_of(&a[3..]) > 0.1, "there are forces");
    }
}

/// Two particles that both come nearer by a little more than half the skin: the pair is not in the list that was made
/// before, and now it interacts.
#[test]
fn a_list_is_made_anew_before_a_pair_is_missed() {
    let cutoff = Cutoff::at(2.5);
    let mut system = Particles::new(2, vec![1.0; 2]).expect("right");
    let law = LennardJones { epsilon: 1.0, sigma: 1.0 };
    system.add_lennard_jones(law, &Selection::default(), Some(cutoff)).expect("right");
    let force = |half: f64| {
        let mut out = [0.0; 4];
        system.potential_gradient(0.0, &[-half, 0.0, half, 0.0], &mut out);
        out[2]
    };
    let beyond = 0.5 * (cutoff.radius + cutoff.skin) + 1e-9;
    for _ in 0..2 {
        assert_eq!(force(beyond), 0.0);
        assert!(force(beyond - 0.51 * cutoff.skin) > 0.0);
    }
}

fn max_of(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |max, x| max.max(x.abs()))
}

/// A net of rods with loops and anchors in 1, 2 or 3 dimensions: particles on a line, each held by rods.
fn net(dimension: usize) -> (Particles, State) {
    let count = 9;
    let mut system = Particles::new(dimension, (0..count).map(|i| 1.0 + 0.2 * i as f64).collect()).expect("right");
    let mut q = numbers(count * dimension, 11);
    for i in 0..count {
        q[i * dimension] += 1.5 * i as f64;
    }
    let x = |i: usize| std::array::from_fn(|k| if k < dimension { q[i * dimension + k] } else { 0.0 });
    let apart = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    let mut rods = vec![(Link::between(1, 0), apart(x(0), x(1)))];
    if dimension > 1 {
        let anchor = [0.3, -1.0, 0.0];
        rods.push((Link::anchored(4, anchor), apart(x(4), anchor)));
        rods.extend(
            [(2, 3), (5, 3), (2, 5), (5, 6), (8, 6)].map(|(i, j)| (Link::between(i, j), apart(x(i), x(j)))),
        );
    }
    for (link, length) in rods {
        system.add_rod(link, length).expect("right");
    }
    system.set_gravity(&[0.5, -1.0, 0.2][..dimension]).expect("right");
    system.add_pair_potential("0.3*(r-1)^2", &[], &Selection::default(), None).expect("right");
    let p = vec![0.0; q.len()];
    (system, State { t: 0.0, q, p })
}

#[test]
fn rows_by_blocks_and_full_rows_give_the_same_bits() {
    let systems: Vec<Box<dyn Fn() -> (Particles, State)>> =
        vec![Box::new(chain), Box::new(|| net(1)), Box::new(|| net(2)), Box::new(|| net(3))];
    for (number, make) in systems.iter().enumerate() {
        let ((blocks, start), (full, _)) = (make(), make());
        let full = Full(full);
        assert!(blocks.equalities().sparse().is_some() && full.equalities().sparse().is_none());
        let (mut a, mut b) = (start.clone(), start.clone());
        let (mut by_blocks, mut by_rows) = (stepper(&blocks, "verlet", &start), stepper(&full, "verlet", &start));
        for step in 0..2000 {
            let one = by_blocks.step(&blocks, &mut a, 2e-3).unwrap_or_else(|error| panic!("{error}"));
            let other = by_rows.step(&full, &mut b, 2e-3).unwrap_or_else(|error| panic!("{error}"));
            assert!(a == b && one == other, "system {number}, step {step}");
        }
        assert!(distance(&a, &start) > 0.1);
    }
}

fn energy(system: &Particles, state: &State) -> f64 {
    let Mass::Diagonal(mass) = system.mass() else { panic!("it is diagonal") };
    let kinetic = state.p.iter().zip(mass).fold(0.0, |sum, (p, m)| sum + 0.5 * p * p / m);
    kinetic + system.potential(state.t, &state.q)
}

/// Runs the chain from the state of the reference data. It moves 236 lengths away in a million steps, where a coordinate
/// has an ulp of 2.8e-14: no rod can be closer than that.
#[test]
fn rods_hold_and_energy_does_not_drift_over_a_million_steps() {
    const BLOCKS: u64 = 100;
    const STEPS: u64 = 1_000_000;
    let (system, mut state) = chain();
    let mut stepper = verlet::Config::default().stepper(&system, &state).expect("taken");
    let (mut rods, mut worst, mut drift) = ([0.0; 5], 0.0_f64, Drift::default());
    let given = energy(&system, &state);
    assert!((given - 3.072748378622065).abs() < 1e-13, "the energy of the reference: {given}");
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    // Energies of neighbouring steps are not independent, those of long parts are.
    for _ in 0..BLOCKS {
        let mut sum = 0.0;
        for _ in 0..STEPS / BLOCKS {
            stepper.step(&system, &mut state, 2e-3).expect("it runs");
            system.equalities().values(0.0, &state.q, &mut rods);
            worst = worst.max(max_of(&rods));
            let now = energy(&system, &state);
            range = (range.0.min(now), range.1.max(now));
            sum += now;
        }
        drift.add(state.t, sum / (STEPS / BLOCKS) as f64);
    }
    let trend = drift.trend().expect("many");
    println!("{STEPS} steps: rods {worst:e}, energy {given} in {range:?}, {trend:?}");
    assert!(worst <= 1e-13, "rods {worst:e}");
    assert!(trend.slope.abs() <= 3.0 * trend.error.expect("many"), "{trend:?}");
    assert!((range.0 - given).abs().max((range.1 - given).abs()) < 0.02, "{range:?}");
}

#[test]
fn static_and_boxed_steps_agree_and_restart_bit_for_bit() {
    let (system, start) = chain();
    let (mut fixed, mut boxed) = (start.clone(), start.clone());
    let mut one = verlet::Config::default().stepper(&system, &start).expect("taken");
    for _ in 0..500 {
        one.step(&system, &mut fixed, 2e-3).expect("it runs");
    }
    let system: Box<dyn System> = Box::new(system);
    for steps in [137, 363] {
        let mut other = stepper(&*system, "verlet", &boxed);
        advance(&*system, &mut *other, &mut boxed, 2e-3, steps);
    }
    assert_eq!(fixed.q, boxed.q);
    assert_eq!(fixed.p, boxed.p);
}

#[test]
fn warm_steps_allocate_nothing() {
    let systems = [("chain", chain()), ("gas", gas(3, 6, 0.3)), ("isolated", isolated())];
    for (name, (system, start)) in systems {
        for method in ["verlet", "midpoint"] {
            let (mut state, mut stepper) = (start.clone(), stepper(&system, method, &start));
            // Dense Newton on 648 coordinates takes too long.
            if name == "gas" && method == "midpoint" {
                continue;
            }
            advance(&system, &mut *stepper, &mut state, 2e-3, 50);
            let counted = allocation_counter::measure(|| advance(&system, &mut *stepper, &mut state, 2e-3, 500));
            assert_eq!(counted.count_total, 0, "{method} on {name}");
        }
    }
}
