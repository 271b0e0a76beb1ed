//! The pendulum of the paper's Fig. 5 on `(x² + y² − 1)/2 = 0`, from 60 degrees.
//!
//! What the reference means: energies are those of the method's own velocity, half a step old, their mean over the last 60 nodes; the amplitude
//! is the largest angle of the last 150 nodes; the period is the mean time between passages from negative to positive angles, found between
//! nodes by straight lines.

use carom_tests::reference::{Tally, number, numbers};
use serde_json::Value;

use crate::runs::{H, Node, built_in, energy, run};

fn reference(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/pendulum.json")).expect("JSON");
    all[id]["values"].clone()
}

/// The settings of a key like `spook_eps1e-08_tau2h_hesschord`, as edits.
fn settings(key: &str) -> [String; 3] {
    let mut parts = key.trim_start_matches("spook_").split('_');
    let mut part = |prefix: &str| parts.next().and_then(|part| part.strip_prefix(prefix)).expect("a setting");
    let (compliance, damping, hessian) = (part("eps"), part("tau"), part("hess"));
    let steps = damping.trim_end_matches('h');
    [
        format!("method.compliance={compliance}"),
        format!("method.damping_steps={steps}"),
        format!("method.hessian={hessian}"),
    ]
}

fn swing(key: &str, steps: u64) -> Vec<Node> {
    let settings = settings(key);
    run(&built_in("pendulum-penalty", &settings.each_ref().map(String::as_str)), H, steps)
}

#[test]
fn states_and_impulses_after_10_steps() {
    let (values, mut tally) = (reference("pendulum_spook_step10"), Tally::default());
    let cases = values.as_object().expect("cases");
    assert_eq!(cases.len(), 30);
    for (key, expected) in cases {
        let nodes = swing(key, 10);
        let node = &nodes[10];
        tally.all(&format!("{key} x"), &node.q, &numbers(&expected["x"]), 1e-10);
        tally.all(&format!("{key} v"), &node.v, &numbers(&expected["v"]), 1e-10);
        tally.check(&format!("{key} impulse"), node.impulses[0], number(&expected["impulse"]), 1e-10);
    }
    tally.settle("pendulum, 10 steps");
}

fn angle(node: &Node) -> f64 {
    node.q[0].atan2(-node.q[1])
}

/// Mean time between passages to positive angles.
fn period(nodes: &[Node]) -> f64 {
    let passage = |pair: &[Node]| {
        let (a, b) = (angle(&pair[0]), angle(&pair[1]));
        (a < 0.0 && b >= 0.0).then(|| pair[0].t + H * a / (a - b))
    };
    let times: Vec<f64> = nodes.windows(2).filter_map(passage).collect();
    (times[times.len() - 1] - times[0]) / (times.len() - 1) as f64
}

#[test]
fn period_amplitude_energy_and_radius_of_10_seconds() {
    let (values, mut tally) = (reference("pendulum_spook_10s"), Tally::default());
    let cases = values.as_object().expect("cases").iter().filter(|(key, _)| key.starts_with("spook_"));
    for (key, expected) in cases {
        let settings = settings(key);
        let scene = built_in("pendulum-penalty", &settings.each_ref().map(String::as_str));
        let nodes = run(&scene, H, 600);
        let most = |from: usize, of: &dyn Fn(&Node) -> f64| nodes[from..].iter().map(of).fold(0.0, f64::max);
        let found = [
            ("period", period(&nodes)),
            ("max_radius_err", most(0, &|node| (node.q[0].hypot(node.q[1]) - 1.0).abs())),
            ("amp_last_quarter", most(451, &|node| angle(node).abs())),
            ("E_mean_last60", nodes[541..].iter().map(|node| energy(&scene, node)).sum::<f64>() / 60.0),
        ];
        for (what, found) in found {
            let expected = number(&expected[what]);
            tally.check(&format!("{key} {what}"), found, expected, 1e-6 * expected.abs());
        }
    }
    tally.settle("pendulum, 10 s");
    // Controls: the exact values are none of the method's.
    let (exact, nodes) = (number(&values["exact_period"]), swing("spook_eps1e-08_tau2h_hessnone", 600));
    assert!((period(&nodes) - exact).abs() > 1e-3 * exact);
}

/// (52) as it stands, without and with damping: the damping term is biased even then.
#[test]
fn the_nonlinear_equation_itself() {
    let expected = reference("pendulum_nonlinear52_bias");
    let largest = |damping: &str| {
        let edits = ["method.equations=nonlinear", "method.compliance=0.0", damping];
        let scene = built_in("pendulum-penalty", &edits);
        let radius = |node: &Node| (node.q[0].hypot(node.q[1]) - 1.0).abs();
        run(&scene, 1.0 / 60.0, 600).iter().map(radius).fold(0.0, f64::max)
    };
    assert!(largest("method.damping_steps=0") < 1e-11, "{:e}", largest("method.damping_steps=0"));
    let value = expected["nonlinear_(52)_pendulum_tau2h_max_radius_err"].as_f64().expect("a number");
    let found = largest("method.damping_steps=2");
    assert!((found - value).abs() <= 1e-4 * value, "{found}, expected {value}");
}
