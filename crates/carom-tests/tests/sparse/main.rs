//! Implicit steps of many coordinates of which few are coupled: sparse factors give what full ones give.

mod factors;
mod patterns;
mod systems;

use carom::error::Failure;
use carom::method::{AnyMethod, Refusal};
use carom::state::State;
use carom::system::{Mass, System};
use carom_tests::runs::{Boxed, method};
use systems::{Hidden, hanging, lattice, line, momentum, well};

/// Every variant whose steps have sparse factors.
const METHODS: [&str; 5] = [
    "midpoint",
    "newmark",
    "newmark beta = 0.5",
    "variational rule = 'gamma', gamma = 0.3",
    "gvi rule = 'midpoint'",
];

fn stepper(of: &AnyMethod, system: &(dyn System + 'static), start: &State) -> Boxed {
    of.stepper(system, start).unwrap_or_else(|refusal| panic!("{refusal}"))
}

/// The state after some steps, and the iterations that they took.
fn after(of: &AnyMethod, system: &(dyn System + 'static), start: &State, (h, steps): (f64, usize)) -> (State, u32) {
    let (mut stepper, mut state, mut iterations) = (stepper(of, system, start), start.clone(), 0);
    for _ in 0..steps {
        iterations += stepper.step(system, &mut state, h).unwrap_or_else(|error| panic!("{error}")).iterations;
    }
    (state, iterations)
}

/// Largest difference of coordinates and momenta, relative to the largest of each.
fn apart(a: &State, b: &State) -> f64 {
    let largest = |x: &[f64]| x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
    let of = |a: &[f64], b: &[f64]| {
        let difference: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        largest(&difference) / largest(a)
    };
    of(&a.q, &b.q).max(of(&a.p, &b.p))
}

#[test]
fn sparse_and_full_factors_lead_to_the_same_states() {
    for (name, (system, start)) in
        [("line", line(120)), ("lattice", lattice(8)), ("hanging", hanging(40)), ("well", well(60))]
    {
        let hidden: &'static Hidden = Box::leak(Box::new(Hidden(system)));
        for text in METHODS {
            let of = method(text);
            let (sparse, iterations) = after(&of, system, &start, (0.02, 40));
            let (full, others) = after(&of, hidden, &start, (0.02, 40));
            let difference = apart(&sparse, &full);
            assert!(difference < 1e-12, "{text} on {name}: {difference:e}");
            // The same iteration, up to the last correction that round-off decides about.
            assert!(iterations.abs_diff(others) <= 20, "{text} on {name}: {iterations} and {others} corrections");
            assert!(apart(&sparse, &start) > 1e-3, "{text} on {name}: nothing moves");
        }
    }
}

#[test]
fn a_full_matrix_would_not_fit_where_sparse_factors_do() {
    let (system, start) = lattice(80);
    let hidden: &'static Hidden = Box::leak(Box::new(Hidden(system)));
    let of = method("midpoint");
    match of.stepper(hidden as &(dyn System + 'static), &start).map(|_| ()) {
        Err(Refusal::Failed { failure: Failure::TooLarge { what, rows, .. }, .. }) => {
            assert_eq!((what, rows), ("an implicit step", 12_800))
        }
        other => panic!("{other:?}"),
    }
    let (state, _) = after(&of, system, &start, (0.02, 2));
    assert!(apart(&state, &start) > 1e-6);
}

#[test]
fn steps_converge_with_order_two() {
    for (name, (system, start)) in [("line", line(120)), ("hanging", hanging(30))] {
        for text in ["midpoint", "newmark"] {
            let of = method(text);
            let end = |steps: usize| after(&of, system, &start, (0.32 / steps as f64, steps)).0;
            let exact = end(512);
            let [coarse, fine] = [16, 32].map(|steps| apart(&end(steps), &exact));
            let order = (coarse / fine).log2();
            assert!((order - 2.0).abs() < 0.1, "{text} on {name}: order {order}");
        }
    }
}

#[test]
fn momentum_is_kept_and_energy_does_not_drift() {
    let (system, start) = lattice(8);
    let of = method("midpoint");
    let energy = |state: &State| {
        let Mass::Diagonal(mass) = system.mass() else { panic!("one mass per coordinate") };
        let kinetic: f64 = state.p.iter().zip(mass).map(|(p, mass)| 0.5 * p * p / mass).sum();
        kinetic + system.potential(state.t, &state.q)
    };
    let (mut stepper, mut state, before) = (stepper(&of, system, &start), start.clone(), momentum(&start));
    let (first, mut worst) = (energy(&start), [0.0_f64; 2]);
    for half in 0..2 {
        for _ in 0..1000 {
            stepper.step(system, &mut state, 0.02).expect("it runs");
            worst[half] = worst[half].max((energy(&state) / first - 1.0).abs());
        }
    }
    for (before, after) in before.iter().zip(momentum(&state)) {
        assert!((before - after).abs() < 1e-11, "{before} became {after}");
    }
    // The energy oscillates with the step, no wider in the second half than in the first.
    assert!(worst[0] > 1e-7 && worst[0] < 1e-2 && worst[1] < 1.5 * worst[0], "{worst:?}");
}

#[test]
fn nothing_is_allocated_in_a_step_once_it_is_warm() {
    for (name, (system, start)) in [("line", line(120)), ("hanging", hanging(50))] {
        for text in ["midpoint", "newmark"] {
            let (of, mut state) = (method(text), start.clone());
            let mut stepper = stepper(&of, system, &start);
            let mut run = |steps: usize| {
                (0..steps).for_each(|_| {
                    stepper.step(system, &mut state, 0.02).expect("it runs");
                });
            };
            run(3);
            assert_eq!(allocation_counter::measure(|| run(20)).count_total, 0, "{text} on {name}");
        }
    }
}

#[test]
fn a_chain_of_rods_stays_closed() {
    let (system, start) = hanging(60);
    let (state, _) = after(&method("midpoint"), system, &start, (0.01, 200));
    let rows = system.equalities();
    let mut f = vec![0.0; rows.count()];
    rows.values(state.t, &state.q, &mut f);
    let worst = f.iter().fold(0.0_f64, |worst, f| worst.max(f.abs()));
    assert!(worst < 1e-13, "{worst:e}");
}
