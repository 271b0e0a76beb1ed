//! Threads inside a run: bits do not depend on their number, sums are right, and systems can be shared.

use carom::lagrangian::expressed::Expressed;
use carom::lagrangian::parts::{Masses, Springs};
use carom::method::AnyMethod;
use carom::particles::{Cutoff, Group, LennardJones, Particles, Selection};
use carom::plates::Plates;
use carom::state::State;
use carom::system::{Dynamics, System};
use carom::team::Team;
use carom_tests::runs::{built_in, numbers};

const SKIN: f64 = 0.2;

/// A melting block of more particles than are summed in one piece, with every kind of force that is shared. Masses, excluded pairs and a
/// second group make particles differ; `reversed` numbers them from the other end.
fn block(reversed: bool, skin: f64) -> (Particles, State) {
    const SIDE: usize = 15;
    let count = SIDE * SIDE * SIDE;
    let number = |i: usize| if reversed { count - 1 - i } else { i };
    let mut masses = vec![0.0; count];
    (0..count).for_each(|i| masses[number(i)] = 1.0 + 0.1 * (i % 5) as f64);
    let mut system = Particles::new(3, masses).expect("right");
    let excluded = (0..count / 7).map(|i| (number(7 * i), number(7 * i + 1))).collect();
    let pairs = Selection { group: Group::All, excluded };
    let law = LennardJones { epsilon: 1.0, sigma: 1.0 };
    system.add_lennard_jones(law, &pairs, Some(Cutoff { skin, ..Cutoff::at(2.0) })).expect("right");
    let group = Group::Of((0..count).filter(|i| i % 4 != 1).map(number).collect());
    let pairs = Selection { group: group.clone(), excluded: Vec::new() };
    let cutoff = Cutoff { skin, ..Cutoff::at(1.6) };
    system.add_pair_potential("exp(-r)/r", &[], &pairs, Some(cutoff)).expect("right");
    system.add_field("0.02*m*(x^2 + y^2 + 2*z^2) + 0.1*cos(t)*x", &[], &group).expect("right");
    let (random, mut start) =
        (numbers(3 * count, 5), State { t: 0.0, q: vec![0.0; 3 * count], p: vec![0.0; 3 * count] });
    for i in 0..count {
        let place = [i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)].map(|k| 1.1 * k as f64);
        start.q[3 * number(i)..][..3].copy_from_slice(&place);
        start.p[3 * number(i)..][..3]
            .copy_from_slice(&random[3 * i..][..3].iter().map(|p| 4.0 * p).collect::<Vec<_>>());
    }
    (system, start)
}

/// A cloud under its own gravity, and repelled at short distance.
fn cloud(count: usize) -> (Particles, State) {
    let mut system = Particles::new(2, (0..count).map(|i| 0.01 + 0.001 * (i % 3) as f64).collect()).expect("right");
    system.set_gravitation(1.0).expect("right");
    system.add_pair_potential("1e-6/r^2", &[], &Selection::default(), None).expect("right");
    let q = numbers(2 * count, 9).iter().map(|x| 10.0 * x).collect();
    (system, State { t: 0.0, q, p: vec![0.0; 2 * count] })
}

/// States after some steps each, and their potentials.
fn nodes(
    (mut system, mut state): (Particles, State),
    threads: usize,
    [nodes, steps]: [usize; 2],
) -> Vec<(State, f64)> {
    system.set_team(&Team::of(threads));
    let system: &(dyn System + 'static) = &system;
    let mut stepper = AnyMethod::named("verlet").expect("known").stepper(system, &state).expect("taken");
    let mut found = Vec::new();
    for _ in 0..nodes {
        for _ in 0..steps {
            stepper.step(system, &mut state, 0.004).expect("it runs");
        }
        found.push((state.clone(), system.potential(state.t, &state.q)));
    }
    found
}

/// Whether two lists of nodes are the same to the last bit.
fn same(a: &[(State, f64)], b: &[(State, f64)]) -> bool {
    let bits = |(state, value): &(State, f64)| -> Vec<u64> {
        state.q.iter().chain(&state.p).chain([value]).map(|x| x.to_bits()).collect()
    };
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits(a) == bits(b))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |max: f64, (a, b)| max.max((a - b).abs()))
}

#[test]
fn bits_do_not_depend_on_the_number_of_threads() {
    let run = |threads| nodes(block(false, SKIN), threads, [4, 20]);
    let alone = run(1);
    for threads in [2, 3, 5] {
        assert!(same(&run(threads), &alone), "{threads} threads");
    }
    // Particles went through the skin several times: lists were made anew.
    let (_, start) = block(false, SKIN);
    let far = distance(&alone[3].0.q, &start.q);
    assert!(far > 4.0 * SKIN, "{far}");
    // Neither do they depend on when lists were made: a run that begins at a node makes them there.
    let mut rest = nodes((block(false, SKIN).0, alone[1].0.clone()), 2, [2, 20]);
    assert!(same(&rest, &alone[2..]));
    // The comparison sees the last bit.
    rest[1].0.q[77] = rest[1].0.q[77].next_up();
    assert!(!same(&rest, &alone[2..]));
}

#[test]
fn bits_of_sums_over_all_pairs_do_not_depend_on_threads_either() {
    let run = |threads| nodes(cloud(700), threads, [3, 5]);
    let alone = run(1);
    for threads in [2, 3, 5] {
        assert!(same(&run(threads), &alone), "{threads} threads");
    }
    assert!(distance(&alone[2].0.p, &vec![0.0; 1400]) > 1e-3, "it moved");
}

/// With particles numbered from the other end everything is added in another order: results agree, and not to the last bit. So the order
/// of a sum is seen in its bits, and the tests above would see one that depends on threads.
#[test]
fn another_order_of_summation_has_other_bits() {
    let gradient = |(system, state): (Particles, State)| {
        let mut out = vec![0.0; system.dim()];
        system.potential_gradient(0.3, &state.q, &mut out);
        (out, system.potential(0.3, &state.q))
    };
    let disturbed = |reversed| {
        let (system, mut state) = block(reversed, SKIN);
        state.q.iter_mut().zip(&state.p).for_each(|(q, p)| *q += 0.02 * p);
        (system, state)
    };
    let ((a, value_a), (b, value_b)) = (gradient(disturbed(false)), gradient(disturbed(true)));
    let b: Vec<f64> = b.chunks(3).rev().flatten().copied().collect();
    let size = a.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    assert!(distance(&a, &b) <= 1e-12 * size && a != b, "{:e} of {size}", distance(&a, &b));
    assert!((value_a - value_b).abs() <= 1e-11 * value_a.abs() && value_a != value_b, "{value_a} {value_b}");
}

/// Sums in shares against the plain sum over all pairs, and lists against none.
#[test]
fn sums_in_shares_are_right() {
    let law = |w: f64| 1e-6 / w;
    let (system, state) = cloud(600);
    let masses: Vec<f64> = (0..600).map(|i| 0.01 + 0.001 * (i % 3) as f64).collect();
    let (mut value, mut gradient) = (0.0, vec![0.0; 1200]);
    for i in 0..600 {
        for j in 0..i {
            let d = [0, 1].map(|k| state.q[2 * i + k] - state.q[2 * j + k]);
            let (w, c) = (d[0] * d[0] + d[1] * d[1], masses[i] * masses[j]);
            value += law(w) - c / w.sqrt();
            for k in 0..2 {
                let slope = (c / (w * w.sqrt()) - 2.0 * law(w) / w) * d[k];
                gradient[2 * i + k] += slope;
                gradient[2 * j + k] -= slope;
            }
        }
    }
    let mut out = vec![f64::NAN; 1200];
    system.potential_gradient(0.0, &state.q, &mut out);
    let size = gradient.iter().fold(0.0_f64, |max, x| max.max(x.abs()));
    assert!(distance(&out, &gradient) <= 1e-12 * size, "{:e} of {size}", distance(&out, &gradient));
    let found = system.potential(0.0, &state.q);
    assert!((found - value).abs() <= 1e-12 * value.abs(), "{found} {value}");
    let (listed, unlisted) = (block(false, SKIN), block(false, f64::INFINITY));
    assert!(same(&nodes(listed, 2, [1, 2]), &nodes(unlisted, 3, [1, 2])));
}

/// Threads that use one system at the same time find what each finds alone.
fn shared<S: System + Send + Sync>(name: &str, system: &S, states: &[Vec<f64>], rounds: usize) {
    let gradient = |q: &Vec<f64>| {
        let mut out = vec![0.0; system.dim() + 1];
        system.potential_gradient(0.3, q, &mut out[1..]);
        out[0] = system.potential(0.3, q);
        let mut hessian = vec![0.0; system.dim() * system.dim()];
        if system.dim() < 100 {
            system.potential_hessian(0.3, q, &mut hessian);
        }
        out.extend(hessian);
        let mut values = vec![0.0; system.equalities().count() + system.contacts().count()];
        let (equalities, gaps) = values.split_at_mut(system.equalities().count());
        system.equalities().rounding(0.3, q, equalities);
        system.contacts().gaps(0.0, q, gaps);
        out.extend(values);
        out
    };
    let alone: Vec<Vec<f64>> = states.iter().map(gradient).collect();
    std::thread::scope(|scope| {
        for (q, expected) in states.iter().zip(&alone) {
            scope.spawn(move || (0..rounds).for_each(|_| assert_eq!(&gradient(q), expected, "{name}")));
        }
    });
}

#[test]
fn systems_can_be_shared_by_threads() {
    fn is_shared<S: Send + Sync>() {}
    is_shared::<Plates>();
    is_shared::<Masses<Springs>>();
    is_shared::<Team>();
    for name in ["andrews", "double-pendulum-wall", "pendulum-cartesian"] {
        let scene = built_in(name, &[]);
        let definition = scene.definition.expect("of expressions");
        let q = &scene.problem.initial.q;
        let states: Vec<Vec<f64>> =
            (0..4).map(|k| q.iter().zip(numbers(q.len(), k)).map(|(q, x)| q + 0.1 * x).collect()).collect();
        shared(name, &Expressed::new(definition).expect("right"), &states, 500);
    }
    let (mut system, start) = block(false, SKIN);
    system.set_team(&Team::of(2));
    let q = start.q;
    let states: Vec<Vec<f64>> =
        (0..3).map(|k| q.iter().map(|x| x * (1.0 + 0.05 * f64::from(k))).collect()).collect();
    shared("block", &system, &states, 20);
}
