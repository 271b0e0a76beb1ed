//! Chains of point masses: violation against the step, heavy loads, sweeps.
//!
//! The rows of the reference are `(|d|² − l²)/(2l)`, which a rod, `|d| − l`, is not to second order. `max_g` is the largest |f| at any node; `rms` is
//! over rows and nodes, without the start. The total length is the sum of the links at the end, the energy that of the method's own
//! velocity. Where a run of the reference blew up, its numbers depend on where it was stopped: here more than 1 m of violation counts.

use carom_io::scene::Scene;
use carom_tests::reference::{Tally, number, numbers};
use serde_json::Value;

use crate::runs::{H, Node, built_in, energy, max_violation, rms_violation, run, run_while, scene};

fn reference(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/chain.json")).expect("JSON");
    all[id]["values"].clone()
}

const CHAIN: &str = r#"
[parameters]
links = 5
load = 1.0
length = 0.2
angle = 60.0
[lagrangian]
coordinates = [
    { name = "x", repeat = { index = "i", count = "links" } },
    { name = "y", repeat = { index = "i", count = "links" } },
]
mass = [
    { expression = "1 + (load - 1)*max(0, i + 2 - links)", repeat = { index = "i", count = "links" } },
    { expression = "1 + (load - 1)*max(0, i + 2 - links)", repeat = { index = "i", count = "links" } },
]
potential = { expression = "9.81*(1 + (load - 1)*max(0, i + 2 - links))*y[i]", repeat = { index = "i", count = "links" } }
equalities = [
    "(x[0]^2 + y[0]^2 - length^2)/(2*length)",
    { expression = "((x[i+1] - x[i])^2 + (y[i+1] - y[i])^2 - length^2)/(2*length)", repeat = { index = "i", count = "links - 1" } },
]
[initial]
q = { x = "length*(i + 1)*sin(angle*pi/180)", y = "-length*(i + 1)*cos(angle*pi/180)" }
[method]
name = "spook"
[run]
step = "1/60"
steps = 1
"#;

fn chain(edits: &[&str]) -> Scene {
    scene("chain", CHAIN, edits)
}

#[test]
fn violation_against_the_step() {
    let (values, mut tally) = (reference("hconv_chain"), Tally::default());
    let inverses = numbers(&values["h_inverse"]);
    let cases = values.as_object().expect("cases").iter().filter(|(key, _)| key.contains("eps="));
    let mut count = 0;
    for (key, expected) in cases {
        let crank = key.starts_with("slidercrank");
        let part = |name: &str| key.split(',').find_map(|part| part.strip_prefix(name));
        let hessian = part("hess=").unwrap_or("none").trim_end_matches('G');
        let damping =
            if key.contains("tau_fixed_1/30") { "method.damping='1/30'" } else { "method.damping_steps=2" };
        let compliance = format!("method.compliance={}", part("eps=").expect("a compliance"));
        let edits = [&compliance, damping, &format!("method.hessian={hessian}")];
        let heavy = ["parameters.l2=2", "parameters.g=9.81"];
        let scene = if crank { built_in("slider-crank", &[&edits[..], &heavy].concat()) } else { chain(&edits) };
        // Coarser steps are far from any order.
        for (k, &inverse) in inverses.iter().enumerate().filter(|(_, inverse)| **inverse >= 60.0) {
            let seconds = if crank { 2 } else { 1 };
            let nodes = run(&scene, 1.0 / inverse, seconds * inverse as u64);
            let rms = number(&expected["rms"][k]);
            tally.check(&format!("{key} rms at 1/{inverse}"), rms_violation(&nodes), rms, 1e-5 * rms);
            if expected["max"].is_array() {
                let most = number(&expected["max"][k]);
                tally.check(&format!("{key} max at 1/{inverse}"), max_violation(&nodes), most, 1e-5 * most);
            }
        }
        count += 1;
    }
    assert!(count >= 12, "{count} cases");
    tally.settle("chains, violation against the step");
}

/// The chain of ten links with a load.
fn loaded(load: &str, angle: f64, method: &[&str]) -> Scene {
    let (load, angle) = (format!("parameters.load={load}"), format!("parameters.angle={angle:?}"));
    let edits = ["parameters.links=10", "parameters.length=0.1", &load, &angle];
    chain(&[&edits[..], method].concat())
}

fn total_length(node: &Node) -> f64 {
    let links = node.q.len() / 2;
    let place = |i: usize| if i == 0 { [0.0, 0.0] } else { [node.q[i - 1], node.q[links + i - 1]] };
    (0..links).map(|i| (place(i + 1)[0] - place(i)[0]).hypot(place(i + 1)[1] - place(i)[1])).sum()
}

/// Positions and velocities, mass by mass.
fn interleaved(node: &Node) -> Vec<f64> {
    let links = node.q.len() / 2;
    let of = |x: &[f64]| -> Vec<f64> { (0..links).flat_map(|i| [x[i], x[links + i]]).collect() };
    [of(&node.q), of(&node.v)].concat()
}

fn compare(tally: &mut Tally, what: &str, scene: &Scene, (h, steps): (f64, u64), expected: &Value, tolerance: f64) {
    let nodes = run(scene, h, steps);
    let end = &nodes[nodes.len() - 1];
    let found = [
        ("max_g", max_violation(&nodes)),
        ("rms_g", rms_violation(&nodes)),
        ("total_length_end", total_length(end)),
        ("E_end", energy(scene, end)),
    ];
    for (key, found) in found {
        let expected = number(&expected[key]);
        tally.check(&format!("{what} {key}"), found, expected, tolerance * expected.abs());
    }
    if expected["state10"].is_array() {
        let state = numbers(&expected["state10"]);
        tally.each(&format!("{what} state 10"), &interleaved(&nodes[10]), &state, |size| 1e-9 * size.max(1.0));
    }
}

/// Whether the chain shakes itself apart: a step fails, or a link is off by more than `most` metres.
fn bursts(scene: &Scene, h: f64, steps: u64, most: f64) -> bool {
    let nodes = run_while(scene, h, steps, 1e6);
    nodes.len() as u64 <= steps || max_violation(&nodes) > most
}

#[test]
fn chains_that_hang_straight_down() {
    let (values, mut tally) = (reference("heavychain_hang"), Tally::default());
    for load in ["1", "1000", "10000"] {
        let cases = values[format!("ratio{load}")].as_object().expect("cases");
        for (key, expected) in cases.iter().filter(|(_, expected)| expected["max_g"].is_f64()) {
            let what = format!("load {load}, {key}");
            let Some(settings) = key.strip_prefix("hang_pgs") else {
                compare(&mut tally, &what, &loaded(load, 0.0, &[]), (H, 180), expected, 1e-6);
                // Every link is longer by the compliance times its force, within what still oscillates.
                let predicted = number(&cases["hang_predicted_eps_lambda_max"]);
                tally.below(
                    &format!("{what}, predicted"),
                    (number(&expected["max_g"]) / predicted - 1.0).abs(),
                    0.25,
                );
                continue;
            };
            let (sweeps, start) = settings.split_once('_').expect("a start");
            // The dearest ones are of one second.
            let steps = if sweeps == "1000" { 60 } else { 180 };
            let warm = if start == "warm" { 1 } else { 0 };
            let sweeps = format!("method.sweeps={sweeps}");
            let scene = loaded(load, 0.0, &["method.solver=pgs", &sweeps, &format!("method.warm={warm}")]);
            // What feeds back through the warm start grows from round-off: that it does is the same, not when.
            let most = if expected["finite"] == false { f64::INFINITY } else { number(&expected["max_g"]) };
            match warm {
                1 if most > 0.1 => assert!(bursts(&scene, H, steps, 0.1), "{what}"),
                _ => compare(&mut tally, &what, &scene, (H, steps), expected, 1e-4),
            }
        }
    }
    tally.settle("chains that hang");
}

#[test]
fn lateral_motion_of_light_masses_under_tension_needs_short_steps() {
    let (values, mut tally) = (reference("heavychain_transverse"), Tally::default());
    let cases = values.as_object().expect("cases").iter().filter(|(_, expected)| expected["max_g"].is_f64());
    for (key, expected) in cases {
        // swing_h1_60_ratio25, swing_ratio1000_h1_480, swing_ratio1000_h1_480_pgs15_warm, swing_ratio1000_h1_480_direct_1s
        let after = |mark: &str| key.split(mark).nth(1).and_then(|rest| rest.split('_').next());
        let (inverse, load) = (after("h1_").expect("a step"), after("ratio").expect("a load"));
        let inverse: u64 = inverse.parse().expect("a number");
        let sweeps = after("pgs").map(|sweeps| format!("method.sweeps={sweeps}"));
        let pgs = sweeps.as_deref().map_or(vec![], |sweeps| vec!["method.solver=pgs", sweeps, "method.warm=1"]);
        let seconds = if key.ends_with("_1s") || sweeps.is_some() { 1 } else { 3 };
        let (scene, h) = (loaded(load, 30.0, &pgs), 1.0 / inverse as f64);
        if number(&expected["max_g"]) > 0.1 {
            assert!(bursts(&scene, h, seconds * inverse, 0.1), "{key}");
        } else {
            // A change of the start by 1e-15 moves this one by parts in a thousand.
            let tolerance = if key.ends_with("pgs15_warm") { 2e-2 } else { 1e-4 };
            compare(&mut tally, key, &scene, (h, seconds * inverse), expected, tolerance);
        }
    }
    tally.settle("chains that swing");
}

#[test]
fn sweeps_from_the_last_impulses_feed_back_through_the_positions() {
    let (values, mut tally) = (reference("warmstart_pgs"), Tally::default());
    let mut bursting = 0;
    for (key, expected) in values.as_object().expect("cases") {
        // tau2h_sweeps15_factor0.85
        let parts: Vec<&str> = key.split('_').collect();
        let edits = [
            format!("method.damping_steps={}", parts[0].trim_start_matches("tau").trim_end_matches('h')),
            format!("method.sweeps={}", parts[1].trim_start_matches("sweeps")),
            format!("method.warm={}", parts[2].trim_start_matches("factor")),
            "method.solver=pgs".to_string(),
        ];
        let scene = loaded("1", 0.0, &edits.each_ref().map(String::as_str));
        if expected["blowup_step"].is_u64() {
            assert!(bursts(&scene, H, 240, 1.0), "{key}");
            bursting += 1;
            continue;
        }
        let nodes = run(&scene, H, 240);
        let most = number(&expected["max_g_last60"]);
        tally.check(key, max_violation(&nodes[181..]), most, 1e-2 * most);
    }
    assert!(bursting >= 8, "{bursting}");
    tally.settle("sweeps from the last impulses");
}
