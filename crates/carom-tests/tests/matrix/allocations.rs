//! No allocation in a step once warm.

use carom_io::scene::Scene;
use carom_tests::runs::{advance, built_in, method, scene, stepper};

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

/// Scenes of located impacts, with the steps until every kind of impact has been there.
fn struck() -> Vec<(Scene, u64)> {
    let rest = ["parameters.e=0.5"];
    let layer = |name: &str, count: u32, x: &str, y: &str| {
        format!(
            "[[particle]]\nname = '{name}'\nmass = 1\nradius = 0.1\nposition = ['{x} + 0.3*i', '{y}']\n\
             repeat = {{ index = 'i', count = {count} }}\n"
        )
    };
    let pile = layer("below", 5, "0", "0.1")
        + &layer("above", 4, "0.15", "0.1 + sqrt(0.0175)")
        + "[[field]]\ngravity = [0, -9.81]\n[[contact]]\nrestitution = 0\nfriction = 0.8\n\
           [[wall]]\nnormal = [0, 1]\nrestitution = 0\nfriction = 0.8\n\
           [method]\nname = 'cva'\n[run]\nstep = '1/240'\nuntil = 1\n";
    vec![
        // Five discs on the floor, four above: they stand.
        (scene("pile", &pile, &[]), 50),
        (built_in("bouncing-particle", &[]), 500),
        (built_in("star-body", &[]), 2000),
        (built_in("star-body-newton-gravity", &[]), 2000),
        (built_in("disk-billiard", &[]), 500),
        (built_in("double-pendulum-wall", &[]), 1000),
        // At rest after 1.4 s, and it stays there.
        (built_in("bouncing-particle", &rest), 200),
        // It bounces, slides and comes to rest.
        (built_in("star-body", &["parameters.e=0.5", "parameters.mu=0.3"]), 2000),
    ]
}

#[test]
fn a_warm_step_with_impacts_allocates_nothing() {
    for (scene, warm) in struck() {
        for method in ["vci", "cva"].map(method) {
            let (mut stepper, h) = (stepper(&scene, &method), scene.run.h);
            // Twice: vectors that change places with each other grow one after the other.
            let mut state = scene.problem.initial.clone();
            advance(&scene, &mut *stepper, &mut state, h, warm);
            state.copy_from(&scene.problem.initial);
            advance(&scene, &mut *stepper, &mut state, h, warm);
            let mut active = 0;
            let counted = allocation_counter::measure(|| {
                // On from there, and all of it once more.
                for start in [None, Some(&scene.problem.initial)] {
                    start.into_iter().for_each(|start| state.copy_from(start));
                    for _ in 0..2 * warm {
                        let report = stepper.step(&*scene.problem.system, &mut state, h).expect("it runs");
                        active += u64::from(report.active);
                    }
                }
            });
            assert!(active > 0, "{} on {}: nothing is hit", label(&method), scene.name);
            assert_eq!(counted.count_total, 0, "{} on {}", label(&method), scene.name);
        }
    }
}

#[test]
fn control_the_counter_sees_an_allocation() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1.0])));
    assert_eq!(counted.count_total, 1);
}
