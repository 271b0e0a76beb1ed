//! Same input, same bits: on every run, after a restart, static and boxed.

use carom::method::{AnyMethod, Method};
use carom::steppers::{Stepper, verlet};
use carom_tests::runs::{advance, stepper};

use crate::systems::{systems, takes};
use crate::{label, variants};

#[test]
fn a_run_repeats_and_restarts_bit_for_bit() {
    for (scene, _, _) in systems() {
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            let run = |restart: bool| {
                let mut state = scene.problem.initial.clone();
                let mut first = stepper(&scene, method);
                advance(&scene, &mut *first, &mut state, 0.01, 50);
                let mut second = if restart { stepper(&scene, method) } else { first };
                advance(&scene, &mut *second, &mut state, 0.01, 50);
                state
            };
            assert_eq!(run(false), run(false), "{} on {}", label(method), scene.name);
            assert_eq!(run(false), run(true), "{} on {} after a restart", label(method), scene.name);
        }
    }
}

#[test]
fn static_and_boxed_methods_agree_bit_for_bit() {
    for (scene, _, _) in systems() {
        let system = &*scene.problem.system;
        let mut state = scene.problem.initial.clone();
        let mut boxed = state.clone();
        let config = verlet::Config::default();
        let mut fixed = config.stepper(system, &state).expect("taken");
        let mut dynamic = stepper(&scene, &AnyMethod::Verlet(config));
        for _ in 0..50 {
            fixed.step(system, &mut state, 0.01).expect("it runs");
            dynamic.step(system, &mut boxed, 0.01).expect("it runs");
        }
        assert_eq!(state, boxed, "{}", scene.name);
    }
}
