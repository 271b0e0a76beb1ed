//! No allocation in a step once warm.

use carom_tests::runs::{advance, stepper};

use crate::systems::{systems, takes};
use crate::{label, variants};

#[test]
fn a_warm_step_allocates_nothing() {
    for (scene, _, _) in systems() {
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            let mut stepper = stepper(&scene, method);
            let mut state = scene.problem.initial.clone();
            advance(&scene, &mut *stepper, &mut state, 0.01, 2);
            let counted = allocation_counter::measure(|| advance(&scene, &mut *stepper, &mut state, 0.01, 100));
            assert_eq!(counted.count_total, 0, "{} on {}", label(method), scene.name);
        }
    }
}

#[test]
fn control_the_counter_sees_an_allocation() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0])));
    assert_eq!(counted.count_total, 1);
}
