//! Equal bits after a restart, no allocation.

use carom_tests::runs::{advance, built_in, scene, stepper};

use crate::rest::PILE;

#[test]
fn a_run_goes_on_from_state_and_memory_with_the_same_bits() {
    let scenes = [
        built_in("spring-sphere-mixed", &[]),
        built_in("newtons-cradle", &[]),
        built_in("spring-sphere", &[]),
        built_in("dome", &[]),
        built_in("nonlinear-oscillator", &["method.linearized=lag"]),
        scene("pile", PILE, &[]),
    ];
    for scene in &scenes {
        let (system, h) = (&*scene.problem.system, scene.run.h);
        let mut state = scene.problem.initial.clone();
        let mut step = stepper(scene, &scene.method);
        for round in 0..10 {
            // The first time nothing was done yet.
            advance(scene, &mut *step, &mut state, h, 30 * u64::from(round > 0));
            let mut again = state.clone();
            let mut other = scene.method.stepper(system, &again).expect("taken");
            other.recall(step.memory());
            assert_eq!(other.memory(), step.memory());
            advance(scene, &mut *other, &mut again, h, 30);
            advance(scene, &mut *step, &mut state, h, 30);
            assert_eq!(again, state, "{}", scene.name);
        }
    }
}

#[test]
fn warm_steps_with_contacts_allocate_nothing() {
    let scenes = [
        built_in("pogo-stick", &[]),
        built_in("pogo-stick", &["initial.q={ q1 = 4, q2 = 0 }"]),
        built_in("spring-sphere-mixed", &[]),
        built_in("newtons-cradle", &[]),
        built_in("lennard-jones-chain", &["method.energy=shadow"]),
    ];
    for scene in &scenes {
        let (mut state, mut step) = (scene.problem.initial.clone(), stepper(scene, &scene.method));
        advance(scene, &mut *step, &mut state, scene.run.h, 1000);
        let counted = allocation_counter::measure(|| advance(scene, &mut *step, &mut state, scene.run.h, 1000));
        assert_eq!(counted.count_total, 0, "{}", scene.name);
    }
}
