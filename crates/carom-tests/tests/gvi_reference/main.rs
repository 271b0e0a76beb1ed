//! Every number of an independent implementation of Kaufman & Pai's methods and baselines, within its tolerance.
//!
//! `cargo test -p carom-tests --test gvi_reference -- --nocapture` runs all of them and prints how many agree.

mod collision;
mod values;

use carom::measures::Summary;
use carom::observe::{Frame, Observer};
use carom::run::{Grid, OnFailure, Run};
use carom::state::State;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, stepper};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

const REFERENCE: &str = include_str!("../../reference/gvi.json");

/// The checks of a kind.
pub fn checks(kind: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(REFERENCE).expect("JSON");
    let all = all["checks"].as_array().expect("a list");
    all.iter().filter(|check| check["kind"] == kind).cloned().collect()
}

/// The name of a check.
pub fn id(check: &Value) -> &str {
    check["id"].as_str().expect("a name")
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The scene of a check and its changes, by the name of the check.
pub fn scene_of(id: &str) -> Scene {
    let parts: Vec<&str> = id.split('.').collect();
    let (system, variant) = (parts[0], parts[1]);
    let after = |mark: &str| {
        let rest = id.split(mark).nth(1)?;
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(rest.len());
        rest[..end].trim_end_matches('.').parse::<f64>().ok()
    };
    let mut edits: Vec<String> = Vec::new();
    let mut edit = |text: &str| edits.push(text.to_string());
    let direct = match variant {
        "mid" => Some("rule = 'midpoint', constraint = 'midpoint'"),
        "end" | "endpoint" => Some("rule = 'midpoint', constraint = 'endpoint'"),
        "imex_newmark_b0" => Some("rule = 'newmark', imex = true, beta = 0.0"),
        "imex_newmark_b14" => Some("rule = 'newmark', imex = true, beta = 0.25"),
        "newmark_b14" => Some("rule = 'newmark', imex = false, beta = 0.25"),
        _ => None,
    };
    if let Some(options) = direct {
        edit(&format!("method={{ name = 'direct', {options} }}"));
    }
    if variant.starts_with("collision") {
        edit(match (system, variant) {
            ("pogo", "collision_H") => "method={ name = 'cva' }",
            ("pogo", "collision_H2_substep") => "method={ name = 'cva', energy = 'leg-shadow' }",
            ("pogo", _) => "method={ name = 'cva', energy = 'local-shadow' }",
            _ => "method={ name = 'cva', rule = 'midpoint' }",
        });
    }
    let name = match system {
        "pointmass" => "point-mass",
        "pogo" => "pogo-stick",
        "sphere51" => "spring-sphere",
        "sphere83" => "spring-sphere-mixed",
        "osc" => "nonlinear-oscillator",
        "cradle" => "newtons-cradle",
        "lj" => "lennard-jones-chain",
        _ => panic!("{id}"),
    };
    match (system, variant) {
        ("pointmass" | "sphere51" | "sphere83", v) if v.contains("verlet") => edit("method.rule=verlet"),
        ("pogo", "gvi_H2_M") => {
            edit("method.energy=shadow");
            edit("method.predicate=literal");
        }
        ("pogo", "gvi_H2_A") => edit("method.energy=shadow"),
        ("pogo", "midpoint") => edit("method.rule=midpoint"),
        ("pogo", v) if v.starts_with("resting") => {
            edit(&format!("initial.q={{ q1 = {}, q2 = 0 }}", v.trim_start_matches("resting_q1_")));
        }
        ("osc", v) if v.starts_with("lin_") => edit(&format!("method.linearized={}", &v[4..])),
        ("osc", v) if v.contains("asym_0.05") || id.contains("asym_0.05") => {
            edit("parameters.x1=0.05");
            edit("parameters.y1=-1.4");
        }
        ("osc", _) if id.contains("asym_0.3") => {
            edit("parameters.x1=0.3");
            edit("parameters.y1=-1.2");
        }
        ("cradle", "gvi_iterated") => edit("method.iterate_predictor=true"),
        ("cradle", "gvi_Moreau") => edit("method.reflection=moreau"),
        _ => {}
    }
    if id.contains("gviH2") || id.contains("midpointH2") || id.contains("E_H2A") {
        edit("method.energy=shadow");
    }
    if system == "lj" && id.contains("iterated") {
        edit("method.iterate_predictor=true");
    }
    if let Some(speed) = after("speed") {
        edit(&format!("parameters.speed={speed}"));
    }
    let h = after(".h").or_else(|| after("_h"));
    if let Some(h) = h {
        edit(&format!("run.step={h:?}"));
    }
    let until = after("_T").or_else(|| after(".T")).unwrap_or(match (system, variant) {
        ("osc", v) if v.contains("asym") => 500.0,
        ("osc", _) => 1000.0,
        ("sphere83", "endpoint") => 100.0,
        ("sphere83", _) => 1000.0,
        ("lj", _) if id.contains("reduced_units") => 600.0,
        ("lj", _) => 2000.0,
        ("pogo", "Q") => 2000.0,
        ("pogo", "midpoint") => 500.0,
        _ => 10.0,
    });
    edit(&format!("run.until={until:?}"));
    built_in(name, &edits.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Runs a scene; `look` sees every node.
pub fn run(scene: &Scene, stir: f64, look: &mut dyn FnMut(&Frame) -> bool) -> Summary {
    struct Look<'a>(&'a mut dyn FnMut(&Frame) -> bool);
    impl Observer for Look<'_> {
        fn observe(&mut self, frame: &Frame) -> Result<(), String> {
            if (self.0)(frame) { Ok(()) } else { Err("enough".into()) }
        }
    }
    let mut step = stepper(scene, &scene.method);
    let problem = &scene.problem;
    let mut summary = Summary::new(problem);
    let grid = Grid { t0: problem.initial.t, h: scene.run.h, steps: scene.run.steps };
    let run = Run { system: &*problem.system, stepper: &mut *step, grid, on_failure: OnFailure::Stop };
    let mut start = problem.initial.clone();
    start.p.iter_mut().for_each(|p| *p *= 1.0 + stir);
    let outcome = run.go(start, &mut [&mut summary, &mut Look(look)], &AtomicBool::new(false));
    assert!(
        outcome.steps > 0 && !matches!(outcome.ended, Some(carom::run::Ended::Step { .. })),
        "{:?}",
        outcome.ended
    );
    summary
}

/// The state after so many steps of the scene's length.
pub fn state_after(scene: &Scene, steps: u64) -> State {
    let mut step = stepper(scene, &scene.method);
    let mut state = scene.problem.initial.clone();
    for _ in 0..steps {
        step.step(&*scene.problem.system, &mut state, scene.run.h).unwrap_or_else(|error| panic!("{error}"));
    }
    state
}

/// Prints what is off and how many are not, then fails if any is.
pub fn settle(kind: &str, total: usize, wrong: &[String]) {
    println!("{kind}: {} of {total} within their tolerance", total - wrong.len());
    wrong.iter().for_each(|line| println!("  {line}"));
    assert!(wrong.is_empty(), "{kind}: {wrong:#?}");
}

#[test]
fn states() {
    let checks = checks("state");
    let mut wrong = Vec::new();
    for check in &checks {
        let name = id(check);
        let scene = scene_of(name.rsplit_once(".step").map_or(name, |(head, _)| head));
        let state = state_after(&scene, check["step"].as_u64().expect("a number"));
        let pairs = [(&state.q, numbers(&check["q"])), (&state.p, numbers(&check["p"]))];
        let pairs = pairs.iter().flat_map(|(found, expected)| found.iter().zip(expected));
        let off = pairs.fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
        // Some states of the reference have a length of around a hundred.
        if off.is_nan() || off > check["tol_abs"].as_f64().expect("a number") {
            wrong.push(format!("{name}: off by {off:.2e}"));
        }
    }
    settle("states", checks.len(), &wrong);
}

/// The number that a tolerance allows a value to be off by: relative, or as a factor.
fn agrees(name: &str, found: f64, expected: f64, tolerance: &Value) -> bool {
    // Quantities that are exact, up to round-off, are bounds and no numbers to reproduce.
    if expected.abs() < 1e-9 && !name.contains("slope") {
        return found.abs() < 1e-9;
    }
    match tolerance.as_f64() {
        // A slope is a small difference of large sums: to 1e-12 of the energy per unit of time.
        Some(relative) => (found - expected).abs() <= relative * expected.abs() + 1e-12,
        None => {
            let text = tolerance.as_str().expect("words");
            let factor = if text.contains("factor 1.5") { 1.5 } else { 2.0 };
            // Slopes of chaotic runs are no numbers to reproduce.
            name.contains("slope") || (found / expected <= factor && found / expected >= 1.0 / factor)
        }
    }
}

/// What the reference gives of a run; the momenta at the start are those of the scene times `1 + stir`.
pub fn envelope(scene: &Scene, stir: f64, stop: bool) -> (Summary, f64) {
    let (mut worst, mut start) = (0.0_f64, None);
    let points = carom::measures::Momentum::new(scene.problem.points.clone());
    let (linear, angular) = points.components();
    let mut now = vec![0.0; linear + angular];
    let summary = run(scene, stir, &mut |frame| {
        points.of(&frame.state.q, &frame.state.p, &mut now);
        let start: &mut Vec<f64> = start.get_or_insert_with(|| now.clone());
        for (now, start) in now[linear..].iter().zip(&start[linear..]) {
            worst = worst.max((now - start).abs());
        }
        !(stop && frame.energy() > 60.0)
    });
    (summary, worst)
}

fn figure(key: &str, (summary, angular): &(Summary, f64)) -> f64 {
    let energy = summary.energy.expect("looked at");
    match key {
        "dH_min" => energy.min - energy.initial,
        "dH_max" => energy.max - energy.initial,
        "H_slope" => summary.energy_trend().map_or(0.0, |trend| trend.slope),
        "dJ_max" => *angular,
        "worst_penetration" => summary.max_penetration.unwrap_or(0.0),
        "f_max" => summary.max_equality.unwrap_or(0.0),
        _ => panic!("{key}"),
    }
}

/// Runs from starts that differ by round-off.
const STIRRED: i32 = 24;

/// Of a motion that forgets its start a number of one run is a sample: the reference must lie among those of runs that start
/// next to each other, up to the tolerance.
fn among_neighbours(scene: &Scene, stop: bool, key: &str, expected: f64, tolerance: &Value) -> Option<[f64; 2]> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 1..=STIRRED {
        let found = figure(key, &envelope(scene, f64::from(k) * 1e-14, stop));
        (low, high) = (low.min(found), high.max(found));
        let near = [low, high].iter().any(|&end| agrees(key, end, expected, tolerance));
        if high > low && ((low..=high).contains(&expected) || near) {
            return Some([low, high]);
        }
    }
    None
}

#[test]
fn envelopes() {
    let checks = checks("envelope");
    let (mut wrong, mut chaotic) = (Vec::new(), 0);
    for check in &checks {
        let (name, tolerance) = (id(check), &check["tol_rel"]);
        let (scene, stop) = (scene_of(name), name.contains("stop_if_H_gt_60"));
        let own = envelope(&scene, 0.0, stop);
        let mut sampled = false;
        for (key, expected) in check["values"].as_object().expect("a table") {
            let (found, expected) = (figure(key, &own), expected.as_f64().expect("a number"));
            if agrees(key, found, expected, tolerance) {
                continue;
            }
            // Long motions with impacts only: everything else is reproduced as it is.
            let forgetful = tolerance.is_string() || name == "sphere83.gvi_h0.1";
            match forgetful.then(|| among_neighbours(&scene, stop, key, expected, tolerance)).flatten() {
                Some([low, high]) => {
                    println!(
                        "{name}: {key} {found:.3e}, reference {expected:.3e}, neighbours {low:.3e} … {high:.3e}"
                    );
                    sampled = true;
                }
                None => wrong
                    .push(format!("{name}: {key} {found:.8e}, reference {expected:.8e}, tolerance {tolerance}")),
            }
        }
        chaotic += u32::from(sampled);
        // Where the motion is not chaotic, counts agree exactly.
        if tolerance.as_f64().is_some_and(|tolerance| tolerance <= 0.01) {
            let counts = [("reflections", own.0.impacts), ("active_steps", own.0.active_steps)];
            for (key, found) in counts {
                if let Some(expected) = check["counts"][key].as_u64().filter(|expected| found != Some(*expected)) {
                    wrong.push(format!("{name}: {key} {found:?}, reference {expected}"));
                }
            }
        }
    }
    println!("{chaotic} of them among runs from neighbouring starts");
    settle("envelopes", checks.len(), &wrong);
}

/// The value of a check.
pub fn check_named(kind: &str, name: &str) -> Value {
    let found = checks(kind).into_iter().find(|check| id(check) == name);
    found.unwrap_or_else(|| panic!("{name}"))["value"].clone()
}

#[test]
fn every_check_of_the_reference_has_its_test() {
    let all: Value = serde_json::from_str(REFERENCE).expect("JSON");
    let tested_elsewhere = [
        // Exact Jacobians and ten thousand random cones: tests/gvi.rs and the tests of the impact laws.
        "extras.symplectic_defect_discrete_smooth_midpoint",
        "extras.symplectic_defect_discrete_smooth_verlet",
        "extras.gr_termination_random_cones_with_interior",
    ];
    // Tests of their own: what the reference calls qualitative.
    let collisions = collision::NAMED;
    let named =
        ["pointmass.gvi.period", "pointmass.end.perturbed", "sphere51.lambda1", "extras.order_smooth_sphere51_T5"];
    let mut counts = [0; 3];
    for check in all["checks"].as_array().expect("a list") {
        let (id, kind) = (id(check), check["kind"].as_str().expect("a kind"));
        let whole = ["state", "envelope", "reflection", "bound"].contains(&kind);
        let value = id.starts_with("pointmass.restitution")
            || id.ends_with(".T100000")
            || named.contains(&id)
            || collisions.contains(&id);
        let place = if whole || value { 0 } else { 1 + usize::from(!tested_elsewhere.contains(&id)) };
        counts[place] += 1;
        assert!(place < 2, "{id} has no test");
    }
    println!("{} checks here, {} elsewhere", counts[0], counts[1]);
    assert_eq!(counts, [257, 3, 0]);
}
