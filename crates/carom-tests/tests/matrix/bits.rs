//! Same input, same bits: on every run, after a restart, static and boxed.

use carom::lagrangian::parts::{Masses, Springs};
use carom::method::{AnyMethod, Method};
use carom::state::State;
use carom::steppers::{Stepper, variational, verlet};
use carom::system::System;
use carom_io::scene::Scene;
use carom_tests::runs::{advance, scene, stepper};

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
                let memory = first.memory().to_vec();
                let mut second = if restart { stepper(&scene, method) } else { first };
                second.recall(&memory).expect("its own memory");
                advance(&scene, &mut *second, &mut state, 0.01, 50);
                state
            };
            assert_eq!(run(false), run(false), "{} on {}", label(method), scene.name);
            assert_eq!(run(false), run(true), "{} on {} after a restart", label(method), scene.name);
        }
    }
}

/// Steps that are far too long: numbers overflow, Newton's method does not converge.
const TOO_LONG: [f64; 4] = [1e200, -1e150, 1e9, 30.0];

#[test]
fn a_step_that_fails_leaves_no_trace() {
    let mut failed = 0;
    for (scene, _, _) in systems() {
        let system = &*scene.problem.system;
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            let mut straight = scene.problem.initial.clone();
            advance(&scene, &mut *stepper(&scene, method), &mut straight, 0.01, 20);
            for too_long in TOO_LONG {
                let (mut state, mut stepper) = (scene.problem.initial.clone(), stepper(&scene, method));
                advance(&scene, &mut *stepper, &mut state, 0.01, 10);
                let before = state.clone();
                if stepper.step(system, &mut state, too_long).is_err() {
                    failed += 1;
                    assert_eq!(before, state, "{} on {} with h = {too_long}", label(method), scene.name);
                    for k in 11..=20 {
                        stepper.step(system, &mut state, 0.01).expect("it ran before");
                        state.t = scene.problem.initial.t + f64::from(k) * 0.01;
                    }
                    assert_eq!(straight, state, "{} on {} after h = {too_long}", label(method), scene.name);
                }
            }
        }
    }
    assert!(failed > 100, "hardly a step failed: {failed}");
}

#[test]
fn static_and_boxed_methods_agree_bit_for_bit() {
    let concrete = Masses::new(vec![1.0, 3.0, 0.7], Springs { stiffness: vec![1.0, 2.0, 5.0] });
    let boxed: Box<dyn System> = Box::new(concrete.clone());
    let start = State { t: 0.0, q: vec![1.0, 0.3, -0.2], p: vec![0.1, -0.4, 0.5] };
    fn run<S: System + ?Sized>(system: &S, stepper: &mut (impl Stepper<S> + ?Sized), start: &State) -> State {
        let mut state = start.clone();
        (0..50).for_each(|_| _ = stepper.step(system, &mut state, 0.03).expect("it runs"));
        state
    }
    let verlet = run(&concrete, &mut verlet::Config::default().stepper(&concrete, &start).expect("taken"), &start);
    let midpoint = variational::Midpoint::default().stepper(&concrete, &start);
    let midpoint = run(&concrete, &mut midpoint.expect("taken"), &start);
    for (name, state) in [("verlet", verlet), ("midpoint", midpoint)] {
        let mut dynamic = AnyMethod::named(name).expect("known").stepper(&*boxed, &start).expect("taken");
        assert_eq!(state, run(&*boxed, &mut *dynamic, &start), "{name}");
    }
}

/// Decoupled quartic oscillators.
fn oscillators(n: usize) -> Scene {
    let text = format!(
        "[lagrangian]\ncoordinates = [{{ name = 'x', repeat = {{ index = 'i', count = {n} }} }}]\nmass = 1.7\n\
         potential = [{{ expression = '0.25*x[i]^4 + 0.1*(i+1)*x[i]^3', repeat = {{ index = 'i', count = {n} }} }}]\n\
         [initial]\nq = {{ x = '0.3 + 0.2*i' }}\nv = {{ x = '0.5 - 0.1*i' }}\n[method]\nname = 'verlet'\n\
         [run]\nstep = 0.01\nsteps = 1\n"
    );
    scene("oscillators", &text, &[])
}

#[test]
fn few_and_many_coordinates_go_the_same_way() {
    // The general discrete gradient of pem is one of all coordinates together: they go their own ways up to its order only.
    for method in variants().into_iter().filter(|method| !matches!(method, AnyMethod::Pem(_))) {
        // Newton's method stops for all coordinates at once, so implicit steps agree up to round-off only.
        let explicit = match &method {
            AnyMethod::Verlet(_) => true,
            AnyMethod::Variational(config) => config.rule == variational::Rule::Trapezoid,
            _ => false,
        };
        let allowed = if explicit { 0.0 } else { 1e-13 };
        let run = |n: usize| {
            let scene = oscillators(n);
            let mut state = scene.problem.initial.clone();
            advance(&scene, &mut *stepper(&scene, &method), &mut state, 0.05, 200);
            state
        };
        let many = run(6);
        for n in 1..=4 {
            let few = run(n);
            let pairs = few.q.iter().zip(&many.q).chain(few.p.iter().zip(&many.p));
            let apart = pairs.fold(0.0_f64, |max, (few, many)| max.max((few - many).abs()));
            assert!(apart <= allowed, "{} with {n}: {apart:e}", label(&method));
        }
    }
}
