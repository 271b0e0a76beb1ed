//! What the variants of `direct` keep and lose in contact. Its reference numbers are in `gvi_reference`.

mod restitution;

use carom::error::Failure;
use carom::method::AnyMethod;
use carom::state::State;
use carom::steppers::StepReport;
use carom::steppers::shared::near::normal_impulse;
use carom::system::ContactId;
use carom_io::scene::Scene;
use carom_tests::runs::{Boxed, advance, built_in, distance, measured, method, scene, slopes, stepper};

/// Constrained in the middle of the step, (B.4).
pub const MIDPOINT: &str = "direct constraint=midpoint";
/// At its end, (B.5).
pub const ENDPOINT: &str = "direct";
/// IMEX Newmark with β = 0, (B.10).
pub const IMEX_0: &str = "direct rule=newmark, beta=0.0";
/// With β = ¼.
pub const IMEX: &str = "direct rule=newmark";
/// Newmark with forces that are carried over, (B.8).
pub const CARRIED: &str = "direct rule=newmark, imex=false";

/// The states of a run, and what each step reports.
pub fn nodes(scene: &Scene, method: &AnyMethod, h: f64, steps: usize) -> (Vec<State>, Vec<StepReport>) {
    let (mut stepper, mut state) = (stepper(scene, method), scene.problem.initial.clone());
    let (mut states, mut reports) = (vec![state.clone()], Vec::new());
    for _ in 0..steps {
        reports.push(stepper.step(&*scene.problem.system, &mut state, h).unwrap_or_else(|error| panic!("{error}")));
        states.push(state.clone());
    }
    (states, reports)
}

#[test]
fn the_midpoint_constrained_form_keeps_angular_momentum_and_no_energy() {
    let scene = built_in("spring-sphere", &[]);
    let (outcome, summary) = measured(&scene, &method(MIDPOINT), 0.5, 200);
    assert_eq!(outcome.ended, None);
    let energy = summary.energy.expect("looked at");
    let (angular, deep) = (summary.angular().1.expect("conserved"), summary.max_penetration.expect("contacts"));
    println!("{energy:?}, angular momentum {angular:e}, penetration {deep}, active {:?}", summary.active_steps);
    // Another program has 9.3e5 and 52: round-off decides, so the size alone.
    assert!((9.3e4..9.3e6).contains(&energy.max) && (5.2..520.0).contains(&deep), "{energy:?}, {deep}");
    assert!(angular <= 1e-13 * energy.max, "{angular:e}");
}

#[test]
fn only_the_midpoint_constrained_form_goes_back_through_contacts() {
    for name in ["spring-sphere", "point-mass"] {
        let scene = built_in(name, &[]);
        let start = &scene.problem.initial;
        for (text, returns) in [(MIDPOINT, true), (ENDPOINT, false), (IMEX, false)] {
            let (mut stepper, mut state) = (stepper(&scene, &method(text)), start.clone());
            advance(&scene, &mut *stepper, &mut state, scene.run.h, 8);
            advance(&scene, &mut *stepper, &mut state, -scene.run.h, 8);
            let apart = distance(&state, start);
            println!("{text} on {name}: {apart:.1e}");
            assert_eq!(apart <= 1e-9, returns, "{text} on {name}: {apart:e}");
            assert_eq!(apart > 1e-2, !returns, "{text} on {name}: {apart:e}");
        }
    }
}

/// A particle that is pressed against the inside of a circle.
const BEAD: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = "-3*(x^2 + y^2) + 0.8*x*y + 1.3*y"
inequalities = ["1 - hypot(x, y)"]
[initial]
q = [0.6, -0.8]
v = [0.8, 0.6]
[method]
name = "direct"
[run]
step = 0.01
until = 1.0
"#;

#[test]
fn lasting_contact_costs_an_order() {
    let scene = scene("bead", BEAD, &[]);
    for text in [ENDPOINT, IMEX_0, IMEX] {
        let method = method(text);
        let (_, reports) = nodes(&scene, &method, 0.01, 100);
        assert!(reports.iter().all(|report| report.active), "{text}");
        assert_eq!(reports.iter().map(|report| report.impacts).sum::<u32>(), 1, "{text}");
        let make = || -> Boxed { stepper(&scene, &method) };
        let (errors, slopes) = slopes(&scene, &make, 1.0, 128, 1);
        println!("{text}: errors {errors:?}, slopes {slopes:.3?}");
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        assert!((last - 1.0).abs() <= 0.01, "{text}: errors {errors:?}, slopes {slopes:.3?}");
    }
}

/// Two discs that fly into each other, off centre.
const DISCS: &str = r#"
[[particle]]
mass = 1.0
radius = 0.5
position = [-1.0, 0.3]
velocity = [1.0, 0.0]
[[particle]]
mass = 2.0
radius = 0.5
position = [1.0, 0.0]
velocity = [-1.0, 0.1]
[[spring]]
between = [0, 1]
stiffness = 2.0
rest = 1.2
[[contact]]
[method]
name = "direct"
[run]
step = 0.03
until = 3.0
"#;

#[test]
fn contacts_keep_linear_momentum_and_angular_momentum_if_claimed() {
    let scene = scene("discs", DISCS, &[]);
    for text in [MIDPOINT, ENDPOINT, IMEX_0, IMEX, CARRIED] {
        let method = method(text);
        let (outcome, summary) = measured(&scene, &method, scene.run.h, scene.run.steps);
        assert_eq!(outcome.ended, None, "{text}");
        let (linear, angular) = (summary.linear().1.expect("conserved"), summary.angular().1.expect("conserved"));
        println!("{text}: linear {linear:.1e}, angular {angular:.1e}, active {:?}", summary.active_steps);
        assert!(summary.impacts.expect("contacts") >= 1, "{text}");
        assert!(linear <= 1e-12, "{text}: {linear:e}");
        if method.claims().angular_momentum {
            assert!(angular <= 1e-12, "{text}: {angular:e}");
        } else {
            assert!(angular > 1e-3, "{text}: {angular:e}");
        }
    }
}

#[test]
fn a_run_goes_on_bit_for_bit_from_state_and_memory() {
    for name in ["spring-sphere-mixed", "point-mass"] {
        let scene = built_in(name, &[]);
        for text in [MIDPOINT, ENDPOINT, IMEX, CARRIED] {
            let method = method(text);
            let (states, reports) = nodes(&scene, &method, scene.run.h, 40);
            for split in [5, 6, 12, 20] {
                let mut first = stepper(&scene, &method);
                let mut state = scene.problem.initial.clone();
                for _ in 0..split {
                    first.step(&*scene.problem.system, &mut state, scene.run.h).expect("it ran before");
                }
                let mut second = stepper(&scene, &method);
                second.recall(first.memory()).expect("its own memory");
                for step in split..40 {
                    let report =
                        second.step(&*scene.problem.system, &mut state, scene.run.h).expect("it ran before");
                    assert_eq!((report, &state), (reports[step], &states[step + 1]), "{text} on {name}, {split}");
                }
            }
        }
    }
}

#[test]
fn control_carried_forces_are_part_of_the_memory() {
    let scene = built_in("point-mass", &[]);
    let (states, _) = nodes(&scene, &method(CARRIED), 0.1, 6);
    let mut state = states[5].clone();
    stepper(&scene, &method(CARRIED)).step(&*scene.problem.system, &mut state, 0.1).expect("it ran before");
    assert!(distance(&state, &states[6]) > 0.1);
}

#[test]
fn impulses_change_the_momentum_by_what_they_say() {
    let scene = built_in("point-mass", &[]);
    for text in [MIDPOINT, ENDPOINT, IMEX_0, IMEX, CARRIED] {
        let (mut stepper, mut state) = (stepper(&scene, &method(text)), scene.problem.initial.clone());
        let mut total = 0.0;
        for step in 0..30 {
            let before = state.p[0];
            let report = stepper.step(&*scene.problem.system, &mut state, 0.1).expect("it runs");
            let impulse = normal_impulse(stepper.contact_impulses(), ContactId(0));
            assert!((state.p[0] - before + 0.98 - impulse).abs() < 1e-12, "{text}, step {step}");
            assert_eq!(report.active, impulse != 0.0, "{text}, step {step}");
            total += impulse;
        }
        assert!(total > 4.0, "{text}: {total}");
    }
}

#[test]
fn a_step_back_from_rest_stays_at_rest() {
    let scene = built_in("point-mass", &["initial.q={ q = 0.0 }"]);
    for text in [MIDPOINT, ENDPOINT, IMEX_0, IMEX] {
        for h in [0.1, -0.1] {
            let (mut stepper, mut state) = (stepper(&scene, &method(text)), scene.problem.initial.clone());
            stepper.step(&*scene.problem.system, &mut state, h).expect("it runs");
            assert!(state.q[0].abs() + state.p[0].abs() < 1e-15, "{text} with {h}: {state:?}");
            assert!(
                (normal_impulse(stepper.contact_impulses(), ContactId(0)) - 9.8 * h).abs() < 1e-14,
                "{text} with {h}"
            );
        }
    }
}

/// A particle in a cusp, pressed into it: both walls are parallel there, and no push along them holds it.
const CUSP: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = "3*x"
inequalities = ["x^3 - y", "x^3 + y", "1 - x"]
[initial]
q = [0.0, 0.0]
[method]
name = "direct"
[run]
step = 0.1
until = 1.0
"#;

#[test]
fn a_step_that_no_contacts_hold_is_an_error_with_names_and_leaves_the_state() {
    let scene = scene("cusp", CUSP, &[]);
    for text in [MIDPOINT, ENDPOINT, IMEX, CARRIED] {
        let (mut stepper, mut state) = (stepper(&scene, &method(text)), scene.problem.initial.clone());
        let error = stepper.step(&*scene.problem.system, &mut state, 0.1).expect_err("no impulses hold it");
        assert_eq!(state, scene.problem.initial, "{text}");
        assert!(stepper.memory().is_empty() && stepper.contact_impulses().is_empty(), "{text}");
        let Failure::Contacts { contacts, sets, .. } = &error.failure else { panic!("{text}: {error}") };
        assert!(contacts == "`inequalities[0]`, `inequalities[1]`" && *sets >= 4, "{text}: {error}");
    }
}

#[test]
fn a_warm_step_with_contacts_allocates_nothing() {
    for name in ["spring-sphere-mixed", "point-mass", "nonlinear-oscillator"] {
        let scene = built_in(name, &[]);
        for text in [MIDPOINT, ENDPOINT, IMEX_0, IMEX, CARRIED] {
            let (mut stepper, mut state) = (stepper(&scene, &method(text)), scene.problem.initial.clone());
            // The first contact makes the system compile its second derivatives.
            advance(&scene, &mut *stepper, &mut state, scene.run.h, 20);
            let run = || advance(&scene, &mut *stepper, &mut state, scene.run.h, 50);
            assert_eq!(allocation_counter::measure(run).count_total, 0, "{text} on {name}");
        }
    }
}
