//! Linear and angular momentum to round-off, with and without constraints.

use carom::measures::Momentum;
use carom::method::AnyMethod;
use carom_tests::runs::{measured, scene};

use crate::systems::{DUMBBELL, DUMBBELL_OF_PARTICLES, TRIPLE, TRIPLE_OF_PARTICLES, takes};
use crate::{
    blows_up_with_constraints, jumps_at_one_end, label, loses_by_projection, loses_in_contact,
    loses_with_constraints, variants,
};

#[test]
fn claimed_momenta_are_exact_and_others_are_not() {
    let scenes = [
        ("dumbbell", DUMBBELL, false),
        ("triple", TRIPLE, false),
        ("dumbbell of particles", DUMBBELL_OF_PARTICLES, true),
        ("triple of particles", TRIPLE_OF_PARTICLES, true),
    ];
    for (name, text, elements) in scenes {
        let scene = scene(name, text, &[]);
        // The discrete gradient of a potential that is one expression knows nothing of pairs: seen below.
        let known = |method: &AnyMethod| elements || !loses_by_projection(method);
        for method in variants().into_iter().filter(|method| takes(method, &scene) && known(method)) {
            let free = scene.problem.system.equalities().count() == 0;
            // Of momenta that grow without bound no digit says anything.
            let euler = jumps_at_one_end(&method) && label(&method).contains("\"degree\":0");
            let steps = if euler || (!free && blows_up_with_constraints(&method)) { 200 } else { 5000 };
            let (outcome, summary) = measured(&scene, &method, 0.02, steps);
            assert_eq!(outcome.ended, None, "{}", label(&method));
            let (linear, angular) = (summary.linear().1, summary.angular().1);
            let (linear, angular) = (linear.expect("conserved"), angular.expect("conserved"));
            let message = format!("{} on {name}: linear {linear:.1e}, angular {angular:.1e}", label(&method));
            println!("{message}");
            let claims = method.claims();
            assert!(!claims.linear_momentum || linear <= 1e-12, "{message}");
            assert!(!claims.angular_momentum || angular <= 1e-11, "{message}");
            // Negative control: what is not claimed is seen to fail. What a method of high order loses is small on short steps.
            let seen = if claims.order > 2 { 1e-10 } else { 1e-6 };
            let kept = loses_in_contact(&method) || (free && loses_with_constraints(&method));
            assert!(claims.angular_momentum || kept || angular > seen, "{message}");
        }
    }
}

#[test]
fn control_the_general_discrete_gradient_keeps_no_momentum() {
    let scene = scene("dumbbell", DUMBBELL, &[]);
    for method in variants().into_iter().filter(loses_by_projection) {
        let (outcome, summary) = measured(&scene, &method, 0.02, 5000);
        assert_eq!(outcome.ended, None, "{}", label(&method));
        let (linear, angular) = (summary.linear().1.expect("conserved"), summary.angular().1.expect("conserved"));
        assert!(linear > 1e-9 && angular > 1e-9, "{}: linear {linear:e}, angular {angular:e}", label(&method));
    }
}

#[test]
fn what_the_scene_does_not_conserve_is_not_reported_as_conserved() {
    let fixed = scene("pulled", DUMBBELL, &["lagrangian.potential='(hypot(x2-x1,y2-y1)-1)^2+0.1*y1'"]);
    let (_, summary) = measured(&fixed, &variants()[0], 0.01, 10);
    assert!(summary.linear().1.expect("along x it is") < 1e-14);
    assert_eq!(summary.angular().1, None);
    assert!(summary.linear().0[1].abs() > 1e-3, "along y it changes");
}

#[test]
fn each_term_that_breaks_a_symmetry_is_seen() {
    // What is added, and whether momentum along x, along y and about the origin survive it.
    let cases: [(&[&str], [bool; 3]); 8] = [
        (&[], [true, true, true]),
        (&["lagrangian.forces={ x1 = 'sin(t)' }"], [false, true, false]),
        (&["lagrangian.forces={ x1 = '-dot(y1)', y1 = 'dot(x1)' }"], [false, false, false]),
        (&["lagrangian.potential='t*x1*y1'"], [false, false, false]),
        (&["lagrangian.potential='50*max(0, x1 - 3)^2'"], [false, true, false]),
        (&["lagrangian.potential='(x1^2 + y1^2)^2'"], [false, false, true]),
        (&["lagrangian.equalities=['y1 - y2 - 0.1*(x1^2 - x2^2) + 0.031']"], [false, true, false]),
        (&["lagrangian.mass=[1.0, 3.0, 2.5, 2.5]"], [true, true, false]),
    ];
    for (edits, expected) in cases {
        let mut edits = edits.to_vec();
        edits.push("initial.v=[0.0, 0.0, 0.0, 0.0]");
        let scene = scene("dumbbell", DUMBBELL, &edits);
        let conserved = Momentum::conserved(&scene.problem);
        let found = [conserved.linear[0], conserved.linear[1], conserved.angular[0]];
        assert_eq!(found, expected, "{edits:?}");
    }
    let kinetic = "lagrangian.kinetic='0.5*(1 + x1^2)*(dot(x1)^2 + dot(y1)^2) + dot(x2)^2 + dot(y2)^2'";
    let scene = scene("dumbbell", &DUMBBELL.replace("mass = [1.0, 1.0, 2.5, 2.5]", ""), &[kinetic]);
    let conserved = Momentum::conserved(&scene.problem);
    assert_eq!((conserved.linear, conserved.angular), (vec![false, true], vec![false]));
}
