//! Stepping back undoes a step.

use carom::method::AnyMethod;
use carom_io::scene::Scene;
use carom_tests::runs::{advance, distance, scene, stepper};

use crate::systems::{systems, takes};
use crate::{label, loses_by_projection, loses_in_contact, variants};

fn there_and_back(scene: &Scene, method: &AnyMethod, h: f64) -> f64 {
    let start = scene.problem.initial.clone();
    let mut state = start.clone();
    let mut stepper = stepper(scene, method);
    advance(scene, &mut *stepper, &mut state, h, 20);
    advance(scene, &mut *stepper, &mut state, -h, 20);
    distance(&state, &start)
}

#[test]
fn symmetric_methods_return_and_others_do_not() {
    for (scene, _, _) in systems() {
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            // What a method of high order does not undo is small on short steps.
            let h = if method.claims().order > 2 { 0.1 } else { 0.02 };
            let apart = there_and_back(&scene, method, h);
            let message = format!("{} on {}: {apart:.1e}", label(method), scene.name);
            if method.claims().reversible {
                assert!(apart <= 1e-12, "{message}");
            } else {
                // The projection takes a velocity of O(h²), and the energy of its square.
                let seen = if h > 0.02 {
                    1e-11
                } else if loses_by_projection(method) {
                    1e-10
                } else {
                    1e-7
                };
                let free = scene.problem.system.equalities().count() == 0 && loses_by_projection(method);
                assert!(free || loses_in_contact(method) || apart > seen, "{message}");
            }
        }
    }
}

#[test]
fn a_step_back_from_rest_mirrors_the_step_ahead() {
    let text = "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '9.81*y + 0.5*x^2'\n[initial]\n\
                q = [1.0, 1.0]\n[method]\nname = 'verlet'\n[run]\nstep = 0.1\nsteps = 1\n";
    let scene = scene("rest", text, &[]);
    for method in variants().iter().filter(|method| method.claims().reversible) {
        let run = |h: f64| {
            let mut state = scene.problem.initial.clone();
            advance(&scene, &mut *stepper(&scene, method), &mut state, h, 1);
            state
        };
        let (ahead, back) = (run(0.1), run(-0.1));
        assert!((ahead.q[1] - (1.0 - 0.5 * 9.81 * 0.01)).abs() < 1e-12, "{}: {ahead:?}", label(method));
        for i in 0..2 {
            assert!((ahead.q[i] - back.q[i]).abs() < 1e-15, "{}: {ahead:?} {back:?}", label(method));
            assert!((ahead.p[i] + back.p[i]).abs() < 1e-15, "{}: {ahead:?} {back:?}", label(method));
        }
    }
}
