//! Linear and angular momentum to round-off, with and without constraints.

use carom_tests::runs::{measured, scene};

use crate::systems::{DUMBBELL, TRIPLE};
use crate::{label, variants};

#[test]
fn claimed_momenta_are_exact_and_others_are_not() {
    for (name, text) in [("dumbbell", DUMBBELL), ("triple", TRIPLE)] {
        let scene = scene(name, text, &[]);
        for method in variants() {
            let (outcome, summary) = measured(&scene, &method, 0.02, 5000);
            assert_eq!(outcome.ended, None, "{}", label(&method));
            let (linear, angular) = (summary.linear().1, summary.angular().1);
            let (linear, angular) = (linear.expect("conserved"), angular.expect("conserved"));
            let message = format!("{} on {name}: linear {linear:.1e}, angular {angular:.1e}", label(&method));
            println!("{message}");
            let claims = method.claims();
            assert!(!claims.linear_momentum || linear <= 1e-12, "{message}");
            assert!(!claims.angular_momentum || angular <= 1e-11, "{message}");
            // Negative control: what is not claimed is seen to fail.
            assert!(claims.angular_momentum || angular > 1e-6, "{message}");
        }
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
