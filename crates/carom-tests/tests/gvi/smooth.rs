//! Contacts that are slid along, left and met tangentially.

use carom::measures::Probe;
use carom::steppers::shared::near::normal_impulse;
use carom::system::ContactId;
use carom_tests::map::{Map, Rule};
use carom_tests::runs::{advance, built_in, scene, stepper};
use carom_tests::symplectic::defect;

use crate::{run, run_from};

#[test]
fn spring_and_sphere_slides_with_its_structure_intact() {
    let scene = built_in("spring-sphere", &[]);
    assert_eq!((scene.run.h, scene.run.steps), (0.5, 2000));
    let mut off = 0.0_f64;
    let summary = run(&scene, &mut |frame| off = frame.gap.iter().fold(off, |max, gap| max.max(gap.abs())));
    let energy = summary.energy.expect("looked at");
    let angular = summary.angular().1.expect("conserved");
    println!("dH {:+.6} {:+.6}, J {angular:.1e}, |g| {off:.1e}", energy.min - 6.0, energy.max - 6.0);
    assert!(energy.min - energy.initial >= -0.0163 && energy.max - energy.initial <= 0.0040);
    assert!(angular <= 1e-12 && off <= 1e-14);
    assert_eq!((summary.impacts, summary.active_steps), (Some(0), Some(2000)));
}

/// The spring and the sphere with the contacts as equality constraints, for the map that is differentiated.
const HELD: &str = r#"
[lagrangian]
coordinates = ["x1", "y1", "x2", "y2"]
mass = 1.0
potential = "50/(x1^2 + y1^2) + 50/(x2^2 + y2^2) + 0.5*(hypot(x2 - x1, y2 - y1) - 2*sqrt(2))^2"
equalities = ["5 - hypot(x1, y1)", "5 - hypot(x2, y2)"]
[initial]
q = [4.0, -3.0, 3.0, -4.0]
v = [0.6, 0.8, 0.8, 0.6]
[method]
name = "midpoint"
[run]
step = 0.5
until = 100.0
"#;

#[test]
fn smooth_steps_are_symplectic_by_an_exact_jacobian() {
    let held = scene("held", HELD, &[]);
    for (name, rule) in [("midpoint", vec![(0.5, 1.0)]), ("verlet", vec![(0.0, 0.5), (1.0, 0.5)])] {
        let edit = format!("method.rule={name}");
        let scene = built_in("spring-sphere", &[&edit]);
        let map = Map::new(held.definition.as_ref().expect("expressions"), Rule::Quadrature(rule));
        let mut step = stepper(&scene, &scene.method);
        let mut state = scene.problem.initial.clone();
        let (mut worst, mut apart) = (0.0_f64, 0.0_f64);
        for _ in 0..20 {
            let x: Vec<f64> = state.q.iter().chain(&state.p).copied().collect();
            let (end, jacobian) = map.step(state.t, 0.5, &x);
            worst = worst.max(defect(&jacobian, &map.manifold_rows(state.t, &x)));
            advance(&scene, &mut *step, &mut state, 0.5, 1);
            apart = state.q.iter().chain(&state.p).zip(&end).fold(apart, |max, (a, b)| max.max((a - b).abs()));
            advance(&scene, &mut *step, &mut state, 0.5, 10);
        }
        println!("{name}: defect {worst:.1e}, the step is apart from the map by {apart:.1e}");
        assert!(worst <= 1e-9 && apart <= 1e-12);
    }
}

#[test]
fn a_bead_leaves_the_dome_where_the_force_vanishes() {
    let mut errors = Vec::new();
    for level in 0..6 {
        let h = 0.01 / f64::from(1 << level);
        let edit = format!("run.step={h:?}");
        let scene = built_in("dome", &[&edit]);
        // The force of contact between steps, as the impulses tell it, is extrapolated to zero.
        let mut forces: Vec<(f64, f64)> = Vec::new();
        let mut left = false;
        let mut q = scene.problem.initial.q.clone();
        let summary = run(&scene, &mut |frame| {
            let force = normal_impulse(frame.contact_impulse, ContactId(0)) / h;
            if frame.step > 0 && !left {
                let middle = 0.5 * (q[1] + frame.state.q[1]);
                left = force == 0.0;
                if !left {
                    forces.push((middle, force));
                }
            }
            q.clone_from(&frame.state.q);
        });
        assert!(left && summary.impacts == Some(0), "h = {h}");
        let [.., (y0, f0), (y1, f1)] = forces[..] else { panic!("the bead slides") };
        let exit = y1 + (y1 - y0) * f1 / (f0 - f1);
        errors.push((exit - 2.0 / 3.0).abs());
        println!("h = {h:.5}: leaves at cos = {exit:.8}, error {:.2e}", errors[level as usize]);
    }
    let order = (errors[0] / errors[5]).log2() / 5.0;
    println!("order {order:.2}");
    assert!((order - 2.0).abs() < 0.02, "{order}");
    assert!((errors[0] / 0.01_f64.powi(2) - 0.61).abs() < 0.02, "{errors:?}");
}

#[test]
fn the_reversed_run_arrives_on_the_dome_without_a_reflection() {
    for h in [0.01, 0.007, 0.005, 0.003, 0.002, 0.001] {
        let edit = format!("run.step={h:?}");
        let scene = built_in("dome", &[&edit, "run.until=0.7"]);
        let (forth, _) = run_from(&scene, scene.problem.initial.clone(), &mut |_| {});
        let mut back = forth.state.clone();
        back.p.iter_mut().for_each(|p| *p = -*p);
        let mut held = 0;
        let (outcome, summary) = run_from(&scene, back, &mut |frame| held += u64::from(frame.report.active));
        assert_eq!(outcome.ended, None);
        let off = outcome.state.q.iter().zip(&scene.problem.initial.q);
        let off = off.fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
        println!(
            "h = {h}: {held} steps on the dome, {} captured, back at the start up to {off:.1e}",
            summary.captured
        );
        assert_eq!(summary.impacts, Some(0), "h = {h}");
        assert!(held > 0 && off < 20.0 * h * h, "h = {h}: {off:e}");
    }
}

#[test]
fn probes_see_the_structure_of_smooth_contact() {
    let scene = built_in("spring-sphere", &[]);
    let (system, h) = (&*scene.problem.system, scene.run.h);
    let (mut state, mut step) = (scene.problem.initial.clone(), stepper(&scene, &scene.method));
    for _ in 0..3 {
        let probe = Probe::new(system, &scene.method, h);
        let (defect, reversal) =
            (probe.symplecticity(&state).expect("steps"), probe.reversal(&state).expect("steps"));
        println!("symplecticity {defect:.1e}, reversal {reversal:?}");
        assert!(defect < 1e-7 && reversal[0] < 1e-13 && reversal[1] < 1e-13);
        advance(&scene, &mut *step, &mut state, h, 7);
    }
}
