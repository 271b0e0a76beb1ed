//! The bouncing ball of the paper's Fig. 6.
//!
//! The reference regularises the impact as the step, `T = 4εφ/h²` at ε = 1e-8 and φ = 1/9; here T is an option, relative to 1/m. Apexes are local maxima of
//! the height at nodes, without those below 1 mm of the ball that comes to rest.

use carom_tests::reference::{Tally, number, numbers};
use serde_json::Value;

use crate::runs::{H, Node, built_in, energy, run};

fn reference(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/ball.json")).expect("JSON");
    all[id]["values"].clone()
}

/// T of the step.
fn regularisation(h: f64) -> f64 {
    4e-8 / 9.0 / (h * h)
}

fn bounce(restitution: &str, h: f64, regularisation: f64, steps: u64) -> (Vec<Node>, f64) {
    let edits = [
        format!("parameters.restitution={restitution}"),
        format!("method.impact_regularisation={regularisation:?}"),
    ];
    let scene = built_in("bouncing-ball", &edits.each_ref().map(String::as_str));
    let nodes = run(&scene, h, steps);
    let end = energy(&scene, &nodes[nodes.len() - 1]);
    (nodes, end)
}

fn heights(nodes: &[Node]) -> Vec<f64> {
    nodes.iter().map(|node| node.q[0]).collect()
}

fn apexes(nodes: &[Node]) -> Vec<f64> {
    let heights = heights(nodes);
    let turns = heights.windows(3).filter(|z| z[1] > z[0] && z[1] >= z[2]);
    turns.map(|z| z[1]).filter(|z| *z > 1e-3).collect()
}

/// Impacts at the end of the elastic ball with h = 1/60 that the reference counts and that are slower than g h: what gravity makes in a step is
/// none.
const SLOW: f64 = 2.0;

#[test]
fn sixty_steps_with_three_restitutions() {
    let mut tally = Tally::default();
    for restitution in ["1", "0.5", "0"] {
        let expected = reference(&format!("ball_psi{restitution}"));
        let (nodes, _) = bounce(restitution, H, regularisation(H), 60);
        let speeds: Vec<f64> = nodes.iter().map(|node| node.v[0]).collect();
        tally.all(&format!("z, {restitution}"), &heights(&nodes), &numbers(&expected["z"]), 1e-10);
        tally.all(&format!("v, {restitution}"), &speeds, &numbers(&expected["v"]), 1e-10);
    }
    tally.settle("ball, 60 steps");
}

#[test]
fn twenty_seconds_with_three_restitutions() {
    let mut tally = Tally::default();
    for restitution in ["1", "0.5", "0"] {
        let expected = reference(&format!("ball_psi{restitution}_20s"));
        let (nodes, end) = bounce(restitution, H, regularisation(H), 1200);
        let what = |what: &str| format!("{what}, {restitution}");
        let relative = |size: f64| 1e-8 * size;
        let apex = numbers(&expected["apex"]);
        tally.each(&what("apex"), &apexes(&nodes)[..apex.len()], &apex, relative);
        let impacts: u32 = nodes.iter().map(|node| node.impacts).sum();
        let slow = if restitution == "1" { SLOW } else { 0.0 };
        tally.check(&what("impacts"), f64::from(impacts), number(&expected["n_impacts_20s"]) - slow, 0.0);
        let work = nodes.iter().filter(|node| node.impacts > 0).map(|node| node.impact_work);
        let most = work.fold(f64::NEG_INFINITY, f64::max);
        assert!(most < 0.0, "every impact takes energy");
        let expected_most = number(&expected["max_dE_impact"]);
        if slow == 0.0 {
            tally.check(&what("work"), most, expected_most, 1e-8 * expected_most.abs());
        } else {
            assert!(most < expected_most, "the weakest impact of the reference is one of the slow ones");
        }
        let lowest = heights(&nodes).into_iter().fold(f64::INFINITY, f64::min);
        tally.check(&what("lowest"), lowest, number(&expected["z_min"]), 1e-8 * lowest.abs());
        tally.check(&what("energy"), end, number(&expected["E_end"]), 1e-8 * end.abs());
    }
    tally.settle("ball, 20 s");
}

#[test]
fn without_the_impact_stage() {
    let (expected, mut tally) = (reference("ball_no_impact_stage"), Tally::default());
    let nodes = run(&built_in("bouncing-ball", &["method.impact=false"]), H, 60);
    tally.all("z", &heights(&nodes), &numbers(&expected["z"]), 1e-10);
    tally.all("apex", &apexes(&nodes), &numbers(&expected["apex"]), 1e-10);
    tally.settle("ball without impacts");
    assert!(nodes.iter().all(|node| node.impacts == 0));
}

#[test]
fn an_elastic_ball_loses_gh_of_speed_per_bounce_and_more_where_the_impact_is_regularised_as_the_step() {
    let (expected, mut tally) = (reference("ball_elastic_h"), Tally::default());
    for inverse in [60.0, 240.0, 960.0] {
        let h: f64 = 1.0 / inverse;
        for (suffix, regularisation) in [("", regularisation(h)), ("_Timpact1e-10", 1e-10)] {
            let key = format!("elastic_apex_h1_{inverse}{suffix}");
            let (nodes, end) = bounce("1", h, regularisation, (20.0 * inverse) as u64);
            let apex = numbers(&expected[&key]["apex_first10"]);
            tally.each(&key, &apexes(&nodes)[..10], &apex, |size| 1e-8 * size);
            let impacts: u32 = nodes.iter().map(|node| node.impacts).sum();
            let slow = if inverse == 60.0 { SLOW } else { 0.0 };
            let counted = number(&expected[&key]["n_impacts"]) - slow;
            tally.check(&format!("{key} impacts"), f64::from(impacts), counted, 0.0);
            let ratio = number(&expected[&key]["E_end_over_E0"]);
            tally.check(&format!("{key} energy"), end / 9.81, ratio, 1e-8 * ratio.abs());
        }
    }
    tally.settle("elastic ball");
}

/// When the gap is below 1 mm at a node for the first time, and the largest speed of approach.
fn approach(edits: &[&str]) -> (f64, f64) {
    let nodes = run(&built_in("bouncing-ball", edits), H, 120);
    let time = nodes.iter().find(|node| node.q[0] < 1e-3).expect("it comes down").t;
    (time, nodes.iter().fold(0.0, |most, node| most.max(-node.v[0])))
}

#[test]
fn contacts_that_count_before_they_close() {
    let (expected, mut tally) = (reference("speculative_rows"), Tally::default());
    let expected = &expected["speculative_minus_c_over_h"];
    let (time, speed) = approach(&["method.speculative=0.5", "method.impact=false"]);
    tally.check("time", time, number(&expected["time_gap_below_1mm"]), 1e-6);
    tally.check("speed", speed, number(&expected["max_approach_speed"]), 1e-6 * speed);
    tally.settle("speculative contacts");
    // Control: without them the ball goes into the floor, and its whole speed is seen.
    assert!(approach(&["method.impact=false"]).1 > speed + 0.1);
}
