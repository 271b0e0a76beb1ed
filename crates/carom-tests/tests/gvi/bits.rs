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
        built_in("newtons-cradle", &["method.energy=discrete"]),
        built_in("pogo-stick-hardening", &["method.energy=discrete"]),
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
            other.recall(step.memory()).expect("its own memory");
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
        built_in("lennard-jones-chain", &["method.energy=discrete"]),
        built_in("nonlinear-oscillator-asymmetric", &["method.energy=discrete"]),
        built_in("double-pendulum-wall", &["method={ name = 'gvi', energy = 'discrete' }"]),
        built_in("newtons-cradle", &["method.reflection=moreau-literal"]),
        scene("pile", PILE, &[]),
    ];
    for scene in &scenes {
        let (mut state, mut step) = (scene.problem.initial.clone(), stepper(scene, &scene.method));
        advance(scene, &mut *step, &mut state, scene.run.h, 5000);
        let counted = allocation_counter::measure(|| advance(scene, &mut *step, &mut state, scene.run.h, 1000));
        assert_eq!(counted.count_total, 0, "{}", scene.name);
    }
}

/// The pogo stick with coordinates that do nothing.
const IDLERS: &str = r#"
[lagrangian]
coordinates = ["q1", "q2", "a", "b", "c"]
mass = [1.0, 1.5, 1.0, 1.0, 1.0]
potential = "5*(q1 - q2 - 5)^2 + (q1 - q2 - 5)^4 + 9.8213*(q1 + 1.5*q2)"
inequalities = ["q2", "8 - q1"]
[initial]
q = [6.4, 1.0, 0.0, 0.0, 0.0]
v = [0.7, -0.3, 0.0, 0.0, 0.0]
[method]
name = "gvi"
[run]
step = 0.02
steps = 20000
"#;

#[test]
fn few_coordinates_take_a_short_way_to_the_same_bits() {
    let few = IDLERS
        .replace(", \"a\", \"b\", \"c\"", "")
        .replace("1.5, 1.0, 1.0, 1.0]", "1.5]")
        .replace(", 0.0, 0.0, 0.0]", "]");
    for edits in [&[][..], &["method.energy=shadow"], &["method.restitution=0.9"]] {
        let (short, long) = (scene("few", &few, edits), scene("many", IDLERS, edits));
        let (mut one, mut other) = (short.problem.initial.clone(), long.problem.initial.clone());
        let mut steps = (stepper(&short, &short.method), stepper(&long, &long.method));
        let mut impacts = [0, 0];
        for k in 0..20_000 {
            impacts[0] += steps.0.step(&*short.problem.system, &mut one, 0.02).expect("a step").impacts;
            impacts[1] += steps.1.step(&*long.problem.system, &mut other, 0.02).expect("a step").impacts;
            assert_eq!((&one.q[..], &one.p[..]), (&other.q[..2], &other.p[..2]), "step {k}, {edits:?}");
            assert_eq!(steps.0.contact_impulses(), steps.1.contact_impulses(), "step {k}");
        }
        assert!(impacts[0] > 5 && impacts[0] == impacts[1], "{impacts:?}");
    }
}
