//! The accounts of energy close.

use carom_tests::runs::{built_in, scene};

use crate::{run, through};

#[test]
fn without_a_potential_every_joule_is_accounted_for() {
    // Compliance stores and gives back, damping takes, redundant rows and all.
    for (name, edits) in [
        ("oscillator", &[][..]),
        ("oscillator", &["parameters.damping=0.01"]),
        ("slider-crank", &[]),
        ("slider-crank", &["method.hessian=chord"]),
        ("slider-crank", &["method.start=staggered"]),
    ] {
        let scene = built_in(name, edits);
        let (outcome, summary, ledger) = run(&scene, &mut |_| {});
        assert_eq!(outcome.ended, None, "{name}");
        let energy = summary.energy.expect("looked at");
        let size = energy.max.abs().max(energy.min.abs());
        assert!(ledger.error_max <= 1e-12 * size, "{name} {edits:?}: {:e} of {size}", ledger.error_max);
        let (entered, left) = ledger.totals();
        assert!(entered + left > 1e-3 * size, "{name}: nothing was exchanged");
    }
}

#[test]
fn an_undamped_oscillator_keeps_its_soft_energy_and_a_damped_one_loses_it_to_damping() {
    let still = built_in("oscillator", &["parameters.damping=0", "run.until=100"]);
    let (_, summary, ledger) = run(&still, &mut |_| {});
    let soft = summary.soft_energy.expect("regularised");
    assert!((soft.max - soft.min).abs() <= 1e-11 * soft.initial, "{soft:?}");
    assert!(through(&ledger, "constraint damping").abs() <= 1e-10 * soft.initial);
    // The energy of motion alone swings between nothing and all of it: the control of what is soft here.
    let energy = summary.energy.expect("looked at");
    assert!(energy.max - energy.min > 0.9 * soft.initial);
    let damped = built_in("oscillator", &["parameters.damping=0.01", "run.until=10"]);
    let (_, summary, ledger) = run(&damped, &mut |_| {});
    let soft = summary.soft_energy.expect("regularised");
    let lost = soft.initial - soft.last;
    assert!(lost > 0.5 * soft.initial, "{soft:?}");
    assert!((through(&ledger, "constraint damping") + lost).abs() <= 1e-11 * soft.initial);
}

#[test]
fn a_bounce_loses_what_half_a_step_of_gravity_is_worth_and_says_so() {
    let scene = built_in("bouncing-ball", &["run.until=1.2"]);
    let mut impacts = Vec::new();
    let (_, summary, ledger) = run(&scene, &mut |frame| {
        if frame.report.impacts > 0 {
            impacts.push(frame.v[0]);
        }
    });
    assert_eq!(summary.impacts, Some(1));
    // The ball goes up with u: m g h u of its energy went.
    let (g, h) = (9.81, 1.0 / 60.0);
    let lost = g * h * (impacts[0] + g * h);
    assert!((through(&ledger, "timing of impacts") + lost).abs() <= 1e-6 * lost, "{lost}");
    assert!(through(&ledger, "impacts").abs() <= 1e-6 * lost, "an elastic impact takes next to nothing");
    assert!(ledger.error_max <= 1e-12, "{:e}", ledger.error_max);
    let energy = summary.energy.expect("looked at");
    assert!((energy.initial - energy.last - lost).abs() <= 1e-6 * lost);
}

#[test]
fn what_an_inelastic_impact_takes_is_the_law_s() {
    let scene = built_in("bouncing-ball", &["parameters.restitution=0.5", "run.until=0.5"]);
    let mut before = 0.0;
    let (_, summary, ledger) = run(&scene, &mut |frame| {
        if frame.v[0] < 0.0 {
            before = frame.v[0];
        }
    });
    assert_eq!(summary.impacts, Some(1));
    let taken = 0.5 * before * before * (1.0 - 0.25);
    assert!((through(&ledger, "impacts") + taken).abs() <= 1e-8 * taken, "{taken}");
}

#[test]
fn friction_takes_what_it_slows() {
    // Pressed onto the floor by gravity and thrown along it: all of ½mv² is friction's.
    let text = "[[particle]]\nmass = 2.0\nposition = [0.0, 0.0]\nvelocity = [1.5, 0.0]\n[[field]]\n\
                gravity = [0.0, -9.81]\n[[wall]]\nnormal = [0.0, 1.0]\nfriction = 0.3\nrestitution = 0.0\n[method]\nname = 'spook'\n\
                [run]\nstep = '1/240'\nuntil = 1.0\n";
    let (_, summary, ledger) = run(&scene("thrown", text, &[]), &mut |_| {});
    let energy = summary.energy.expect("looked at");
    assert!(energy.last.abs() < 1e-3 * energy.initial, "{energy:?}");
    let taken = -through(&ledger, "friction");
    assert!((taken - energy.initial).abs() < 0.02 * energy.initial, "{taken} of {}", energy.initial);
    // What is left open is the settling of the contact, h/8 m g Δv at most.
    assert!(ledger.error_max < 1e-3 * energy.initial, "{:e}", ledger.error_max);
}

#[test]
fn a_run_that_is_gone_on_with_has_the_same_accounts() {
    use carom::run::{Grid, OnFailure, Run};
    use carom_tests::runs::stepper;
    use std::sync::atomic::AtomicBool;
    let scene = built_in("bouncing-ball", &["parameters.restitution=0.5", "run.until=2.0"]);
    let system = &*scene.problem.system;
    let (_, _, whole) = run(&scene, &mut |_| {});
    for cut in [20, 27, 28, 29, 60] {
        let mut first = stepper(&scene, &scene.method);
        let mut entries = crate::Entries(carom::measures::Ledger::of(&scene.method, system), &scene, &mut |_| {});
        let grid = |steps| Grid { t0: 0.0, h: scene.run.h, steps };
        let go = Run { system, stepper: &mut *first, grid: grid(cut), on_failure: OnFailure::Stop };
        let half = go.go(scene.problem.initial.clone(), &mut [&mut entries], &AtomicBool::new(false));
        let mut second = stepper(&scene, &scene.method);
        second.recall(first.memory()).expect("its own memory");
        let go = Run { system, stepper: &mut *second, grid: grid(scene.run.steps), on_failure: OnFailure::Stop };
        go.go_on(half, &mut [&mut entries], &AtomicBool::new(false));
        assert_eq!(entries.0.sources, whole.sources, "cut after {cut}");
    }
}
