//! Sparse factors: the same motion as with full matrices, same bits, no allocations, errors with numbers.

use carom::error::Failure;
use carom::method::Method;
use carom::particles::{Link, Particles};
use carom::state::State;
use carom::steppers::{Stepper, pem};
use carom_tests::full::Full;

use crate::chain::{H, Shape, chain};

#[test]
fn sparse_and_full_matrices_give_the_same_motion() {
    // Rods by the general discrete gradient there, by their own here: the same where they hold.
    for shape in [Shape::Straight, Shape::Sine] {
        let ((system, start), config) = (chain(20, 100.0, shape), pem::Config { tolerance: 1e-13, filter: false });
        let full = Full(chain(20, 100.0, shape).0);
        let mut ways =
            (config.stepper(&system, &start).expect("taken"), config.stepper(&full, &start).expect("taken"));
        let (mut a, mut b) = (start.clone(), start.clone());
        for _ in 0..20 {
            ways.0.step(&system, &mut a, H).expect("it runs");
            ways.1.step(&full, &mut b, H).expect("it runs");
        }
        let apart = a.q.iter().zip(&b.q).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        let moved = a.q.iter().zip(&start.q).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(apart < 1e-8 && moved > 0.1, "{shape:?}: {apart:e} apart, moved by {moved}");
    }
}

#[test]
fn a_restart_with_the_memory_has_the_same_bits_and_without_it_has_not() {
    let (system, start) = chain(30, 1000.0, Shape::Random);
    let config = pem::Config::default();
    let run = |restart: bool, recall: bool| {
        let (mut state, mut stepper) = (start.clone(), config.stepper(&system, &start).expect("taken"));
        for step in 0..60 {
            if restart && step == 30 {
                let memory = Stepper::<Particles>::memory(&stepper).to_vec();
                stepper = config.stepper(&system, &start).expect("taken");
                if recall {
                    Stepper::<Particles>::recall(&mut stepper, &memory).expect("its own memory");
                }
            }
            stepper.step(&system, &mut state, H).expect("it runs");
        }
        state
    };
    assert_eq!(run(false, false), run(true, true));
    assert_ne!(run(false, false), run(true, false));
}

#[test]
fn a_warm_step_on_sparse_factors_allocates_nothing() {
    for (links, shape) in [(30, Shape::Zigzag), (1000, Shape::Straight)] {
        let (system, start) = chain(links, 1000.0, shape);
        let mut stepper = pem::Config::default().stepper(&system, &start).expect("taken");
        let mut state = start;
        let mut steps = |count: usize| {
            (0..count).map(|_| stepper.step(&system, &mut state, H).expect("it runs").fallbacks).sum::<u32>()
        };
        steps(2);
        let counted = allocation_counter::measure(|| _ = steps(20));
        assert_eq!(counted.count_total, 0, "{links} links");
    }
}

#[test]
fn a_rod_that_cannot_hold_is_an_error_with_numbers_and_leaves_everything() {
    // A point that is faster than its two rods let it be at any length of the step down to 1/256.
    let mut system = Particles::new(2, vec![1.0; 40]).expect("right");
    for i in 1..40 {
        system.add_rod(Link::between(i - 1, i), 1.0).expect("right");
    }
    let q: Vec<f64> = (0..40).flat_map(|i| [f64::from(i), 0.0]).collect();
    let mut v = vec![0.0; 80];
    v[41] = 1e7;
    let start = State::from_velocity(&system, 0.0, &q, &v);
    let mut stepper = pem::Config::default().stepper(&system, &start).expect("taken");
    let (mut state, memory) = (start.clone(), Stepper::<Particles>::memory(&stepper).to_vec());
    let error = stepper.step(&system, &mut state, H).expect_err("it has no way");
    assert_eq!((state, error.t, error.h), (start, 0.0, H));
    assert_eq!(Stepper::<Particles>::memory(&stepper), memory);
    match error.failure {
        Failure::NotConverged { iterations, residual, .. } => assert!(iterations == 12 && residual > 0.0),
        Failure::NonFinite { .. } | Failure::Singular { .. } => {}
        _ => panic!("{error}"),
    }
}
