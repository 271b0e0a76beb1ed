//! The knife edge on an inclined plane: a nonholonomic row, with an exact solution.
//!
//! Errors of the reference are the largest of |x − x(t)| and |y − y(t)| at any node, with slip 1e-8.

use carom_tests::reference::{Tally, number, numbers};
use serde_json::Value;

use crate::runs::{H, built_in, run};

#[test]
fn a_knife_edge_goes_across_the_plane() {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/knife.json")).expect("JSON");
    let (expected, mut tally) = (&all["knife_edge"]["values"], Tally::default());
    let scene = built_in("knife-edge", &[]);
    let node = run(&scene, H, 10).pop().expect("nodes");
    let state = [&node.q[..], &node.v].concat();
    tally.all("state 10", &state, &numbers(&expected["q10_v10_h1_60_delta1e-8"]), 1e-10);
    let mut errors = Vec::new();
    for (k, inverse) in [60_u32, 120, 240, 480].into_iter().enumerate() {
        let nodes = run(&scene, 1.0 / f64::from(inverse), 5 * u64::from(inverse));
        let error = nodes.iter().fold(0.0_f64, |most, node| {
            let exact = [node.t.sin().powi(2) / 2.0, (node.t - (2.0 * node.t).sin() / 2.0) / 2.0];
            most.max((node.q[0] - exact[0]).abs()).max((node.q[1] - exact[1]).abs())
        });
        let expected = number(&expected["max_err_h_1_60_120_240_480"][k]);
        tally.check(&format!("error at 1/{inverse}"), error, expected, 1e-6 * expected);
        errors.push(error);
    }
    tally.check("order", (errors[2] / errors[3]).log2(), 1.0, 0.01);
    tally.settle("knife edge");
    // Control: without the row it slides down.
    let free = built_in("knife-edge", &["lagrangian.nonholonomic=[{ expression = 'dot(theta) - 1' }]"]);
    let end = run(&free, H, 300).pop().expect("nodes");
    assert!(end.q[0] > 12.0 && end.q[1] == 0.0, "{:?}", end.q);
}
