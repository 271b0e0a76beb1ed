//! Stepping back undoes a step.

use carom::method::AnyMethod;
use carom_io::scene::Scene;
use carom_tests::runs::{advance, distance, stepper};

use crate::systems::{systems, takes};
use crate::{label, variants};

fn there_and_back(scene: &Scene, method: &AnyMethod) -> f64 {
    let start = scene.problem.initial.clone();
    let mut state = start.clone();
    let mut stepper = stepper(scene, method);
    advance(scene, &mut *stepper, &mut state, 0.02, 20);
    advance(scene, &mut *stepper, &mut state, -0.02, 20);
    distance(&state, &start)
}

#[test]
fn symmetric_methods_return_and_others_do_not() {
    for (scene, _, _) in systems() {
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            let apart = there_and_back(&scene, method);
            let message = format!("{} on {}: {apart:.1e}", label(method), scene.name);
            if method.claims().reversible {
                assert!(apart <= 1e-12, "{message}");
            } else {
                assert!(apart > 1e-7, "{message}");
            }
        }
    }
}
