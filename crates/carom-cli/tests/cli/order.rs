//! Convergence studies.

use crate::Place;

fn slopes(study: &serde_json::Value, key: &str) -> Vec<f64> {
    study["levels"].as_array().expect("levels").iter().filter_map(|level| level[key].as_f64()).collect()
}

#[test]
fn slopes_are_those_that_the_method_claims() {
    let place = Place::new();
    let cases = [("verlet", 2.0), ("midpoint", 2.0), ("variational", 1.0)];
    for (method, expected) in cases {
        let mut arguments = vec!["order", "elastic-pendulum", "--until", "1", "--json", "--method", method];
        if method == "variational" {
            arguments.extend(["--set", "method.rule=gamma", "--set", "method.gamma=0.0"]);
        }
        let study = place.carom(&arguments).code(0).json();
        assert_eq!(study["claimed_order"].as_f64(), Some(expected));
        for key in ["slope_q", "slope_p"] {
            let slopes = slopes(&study, key);
            assert_eq!(slopes.len(), 4);
            assert!(slopes.iter().all(|slope| (slope - expected).abs() < 0.1), "{method}: {slopes:?}");
        }
    }
}

#[test]
fn a_run_can_be_the_reference() {
    let place = Place::new();
    let scene = ["double-pendulum", "--until", "1"];
    place.carom(&[&["run"], &scene[..], &["--step", "0.0001", "--quiet", "--out", "fine"]].concat()).code(0);
    let study = [&["order"], &scene[..], &["--reference", "fine", "--levels", "3", "--json"]].concat();
    let slopes = slopes(&place.carom(&study).code(0).json(), "slope_q");
    assert!(slopes.iter().all(|slope| (slope - 2.0).abs() < 0.05), "{slopes:?}");

    let other = place.carom(&["order", "double-pendulum", "--until", "2", "--reference", "fine"]).code(2);
    assert!(other.err.contains("the reference has 2 coordinates at t = 1"), "{other:?}");
    place.carom(&["order", "kepler", "--reference", "nowhere"]).code(2);
    place.carom(&["order", "kepler", "--steps", "0"]).code(2);
}

#[test]
fn the_table_shows_errors_slopes_and_work() {
    let place = Place::new();
    let shown = place.carom(&["order", "pendulum-polar", "--levels", "2", "--until", "3", "--work"]).code(0).out;
    assert!(shown.contains("midpoint claims order 2") && shown.contains("linear systems"), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.contains("e-")).count(), 2, "{shown}");
}
