//! The slider-crank of the paper's Fig. 1, through configurations in which its five constraints have rank 4.
//!
//! Energies of the reference are those of the method's own velocity; `max_g` is the largest |f| of a row at any node.

use carom_tests::reference::{Tally, number, numbers};
use serde_json::Value;

use crate::runs::{H, Node, built_in, energy, max_violation, run, run_while};

fn reference(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/crank.json")).expect("JSON");
    all[id]["values"].clone()
}

fn state(node: &Node) -> Vec<f64> {
    [&node.q[..], &node.v].concat()
}

#[test]
fn states_through_singular_configurations() {
    let mut tally = Tally::default();
    for hessian in ["none", "chord"] {
        let expected = reference(&format!("slidercrank_eps1e-08_{hessian}"));
        let nodes = run(&built_in("slider-crank", &[&format!("method.hessian={hessian}")]), H, 600);
        for (k, (step, tolerance)) in [(60, 1e-8), (120, 1e-8), (300, 1e-6), (600, 1e-6)].into_iter().enumerate() {
            tally.all(&format!("{hessian}, {step}"), &state(&nodes[step]), &numbers(&expected[k]), tolerance);
        }
    }
    tally.settle("slider-crank, states");
}

#[test]
fn violation_and_energy_over_ten_seconds() {
    let (expected, mut tally) = (reference("slidercrank_envelopes"), Tally::default());
    for (key, expected) in expected.as_object().expect("cases") {
        let part = |name: &str| key.split(',').find_map(|part| part.strip_prefix(name)).expect("a setting");
        let edits = [format!("method.compliance={}", part("eps=")), format!("method.hessian={}", part("hess="))];
        let scene = built_in("slider-crank", &edits.each_ref().map(String::as_str));
        let nodes = run(&scene, H, 600);
        let energies = || nodes.iter().map(|node| energy(&scene, node));
        let found = [
            ("max_g", max_violation(&nodes)),
            ("Emin", energies().fold(f64::INFINITY, f64::min)),
            ("Emax", energies().fold(0.0, f64::max)),
        ];
        for (what, found) in found {
            let expected = number(&expected[what]);
            tally.check(&format!("{key} {what}"), found, expected, 1e-4 * expected);
        }
    }
    tally.settle("slider-crank, envelopes");
}

#[test]
fn a_start_in_the_singular_configuration_needs_compliance() {
    let (expected, mut tally) = (reference("slidercrank_singular_start"), Tally::default());
    let expected = &expected["start_at_singularity_eps1e-08"];
    let scene = built_in("slider-crank", &["parameters.theta0='pi/2'"]);
    let nodes = run(&scene, H, 60);
    tally.all("q", &nodes[60].q, &numbers(&expected["q"]), 1e-6);
    tally.all("v", &nodes[60].v, &numbers(&expected["v"]), 1e-6);
    tally.check("energy", energy(&scene, &nodes[60]), number(&expected["E"]), 1e-6);
    tally.check("violation", max_violation(&nodes[60..]), number(&expected["g"]), 1e-6);
    tally.settle("slider-crank, singular start");
    // Rows of rank 4 cannot be told apart without it: the first step is refused.
    let scene = built_in("slider-crank", &["parameters.theta0='pi/2'", "method.compliance=0"]);
    assert_eq!(run_while(&scene, H, 60, f64::INFINITY).len(), 1);
}

#[test]
fn the_angle_converges_with_order_1() {
    let (expected, mut tally) = (reference("slidercrank_order"), Tally::default());
    let exact = number(&expected["l2=2,g ref theta(3s)"]);
    for (hessian, key) in [
        ("none", "l2=2,g theta error h=1/60..1/960 (eps=1e-10,tau=2h,no hess)"),
        ("chord", "l2=2,g theta error, hess chord"),
    ] {
        let edits = [
            "parameters.l2=2",
            "parameters.g=9.81",
            "method.compliance=1e-10",
            &format!("method.hessian={hessian}"),
        ];
        let scene = built_in("slider-crank", &edits);
        let errors: Vec<f64> = (0..5)
            .map(|k| 60 << k)
            .map(|inverse| {
                run(&scene, 1.0 / f64::from(inverse), 3 * inverse as u64).pop().expect("nodes").q[2] - exact
            })
            .collect();
        tally.each(key, &errors, &numbers(&expected[key]), |size| 1e-3 * size);
        let order = (errors[3] / errors[4]).log2();
        tally.check(&format!("order, {hessian}"), order, 1.0, 0.05);
    }
    tally.settle("slider-crank, order");
}
