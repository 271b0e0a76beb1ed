//! Symplecticity by exact Jacobians, on the constraint manifold.

use carom::method::AnyMethod;
use carom::steppers::Stepper;
use carom::system::System;
use carom_io::scene::Scene;
use carom_tests::control::Euler;
use carom_tests::map::{Map, Rule};
use carom_tests::runs::{advance, stepper};
use carom_tests::symplectic::defect;

use crate::systems::{systems, takes};
use crate::{label, rule, variants};

/// Largest defect at states along a run, and how far the stepper is from the map that was differentiated.
pub fn largest_defect(scene: &Scene, rule: Rule, stepper: &mut dyn Stepper<dyn System>, h: f64) -> (f64, f64) {
    let map = Map::new(scene.definition.as_ref().expect("expressions"), rule);
    let mut state = scene.problem.initial.clone();
    let (mut worst, mut apart) = (0.0_f64, 0.0_f64);
    for _ in 0..4 {
        let x: Vec<f64> = state.q.iter().chain(&state.p).copied().collect();
        let (end, jacobian) = map.step(state.t, h, &x);
        worst = worst.max(defect(&jacobian, &map.manifold_rows(state.t, &x)));
        advance(scene, stepper, &mut state, h, 1);
        let reached = state.q.iter().chain(&state.p);
        let size = end.iter().fold(1.0_f64, |max, x| max.max(x.abs()));
        apart = reached.zip(&end).fold(apart, |max, (a, b)| max.max((a - b).abs() / size));
        advance(scene, stepper, &mut state, h, 9);
    }
    (worst, apart)
}

fn check(scene: &Scene, method: &AnyMethod) -> f64 {
    let (defect, apart) = largest_defect(scene, rule(method), &mut *stepper(scene, method), 0.02);
    let label = format!("{} on {}: defect {defect:.1e}, step apart {apart:.1e}", label(method), scene.name);
    println!("{label}");
    assert!(apart <= 1e-12, "{label}");
    if method.claims().symplectic {
        assert!(defect <= 1e-12, "{label}");
    }
    defect
}

#[test]
fn methods_that_claim_it_are_symplectic_on_every_system() {
    for (scene, _, _) in systems() {
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            check(&scene, method);
        }
    }
}

#[test]
fn control_newmark_with_beta_one_quarter_is_not() {
    let (scene, _, _) = systems().swap_remove(5);
    for method in variants().iter().filter(|method| method.name() == "newmark" && !method.claims().symplectic) {
        let defect = check(&scene, method);
        assert!(defect > 1e-7, "{}: {defect:e}", label(method));
    }
}

#[test]
fn control_explicit_euler_is_not() {
    for (scene, _, _) in systems().iter().filter(|(scene, _, _)| scene.problem.system.equalities().count() == 0) {
        let (defect, apart) = largest_defect(scene, Rule::Euler, &mut Euler, 0.02);
        assert!(apart <= 1e-13 && defect > 1e-5, "{}: defect {defect:e}, apart {apart:e}", scene.name);
    }
}
