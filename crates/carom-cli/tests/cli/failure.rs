//! Runs that do not reach their end: what is said, what is kept, and how the program ends.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{Ended, Place};

/// Far too long for the two rods: Newton's method fails in the third step.
const TOO_LONG: [&str; 5] = ["run", "double-pendulum-rods", "--step", "0.3", "--steps"];

fn too_long<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&TOO_LONG[..], &["200", "--out", "out"], more].concat()
}

#[test]
fn a_failed_step_ends_the_run_with_1_and_keeps_what_there_is() {
    let place = Place::new();
    let ended = place.carom(&too_long(&["--json"])).code(1);
    let report = ended.json();
    assert_eq!(report, place.json("out/run.json"));
    let steps = report["steps"].as_u64().expect("a number");
    assert!((1..200).contains(&steps), "some steps were made: {steps}");
    assert_eq!(report["complete"], false);
    assert_eq!(report["solver"]["failures"], 1);
    let t = steps as f64 * 0.3;
    assert_eq!(report["t"].as_f64(), Some(t));
    let reason = report["ended"].as_str().expect("a reason");
    let said = [
        format!("step {} failed", steps + 1),
        format!("from t = {t}"),
        "h = 0.3".to_string(),
        "relative residual".to_string(),
        "in equality constraint".to_string(),
    ];
    for said in &said {
        assert!(reason.contains(said.as_str()), "{said}: {reason}");
    }
    assert!(ended.err.contains(reason), "{}", ended.err);
    assert!(ended.err.contains(&format!("kept: {steps} of 200 steps, to t = {t}")), "{}", ended.err);
    assert!(report["final"]["q"].as_array().is_some_and(|q| q.len() == 4));
    // What was written can be run again, and fails in the same way.
    let again = place.carom(&["run", "out/scene.toml", "--json", "--out", "again"]).code(1).json();
    assert_eq!(crate::final_bits(&again), crate::final_bits(&report));
}

#[test]
fn halving_carries_a_run_over_failed_steps_and_reports_them() {
    let place = Place::new();
    let mut arguments = too_long(&["--set", "run.on_failure=halve", "--json"]);
    arguments[TOO_LONG.len()] = "30";
    let ended = place.carom(&arguments).code(0);
    let report = ended.json();
    assert_eq!((&report["complete"], &report["steps"]), (&true.into(), &30.into()));
    assert_eq!(report["t"].as_f64(), Some(30.0 * 0.3));
    let halved = report["solver"]["halved_steps"].as_u64().expect("a number");
    let failures = report["solver"]["failures"].as_u64().expect("a number");
    assert!((1..=30).contains(&halved) && failures >= halved, "{halved} halved, {failures} failures");
    let note = report["notes"][0].as_str().expect("a note");
    assert!(note.starts_with(&format!("{halved} step")) && note.contains("halved"), "{note}");
    let largest = report["constraints"]["max_equality"].as_f64().expect("a number");
    assert!(largest < 1e-12, "the rods hold in the halved steps too: {largest:e}");
}

#[test]
fn what_cannot_be_held_ends_the_run_with_1() {
    let place = Place::new();
    let scene = place.carom(&["show", "pendulum-cartesian"]).code(0).out;
    // The rod shrinks, and from t = 1 on there is no circle left.
    let rod = "hypot(x, y) - l*(1 - t)";
    let moving = scene.replace("(x^2 + y^2 - l^2)/(2*l)", rod);
    assert!(moving.contains(rod));
    place.write(
        "shrinking.toml",
        &moving.replace("v = { x = 0.0, y = 0.0 }", "v = { x = \"-l*sin(angle)\", y = \"l*cos(angle)\" }"),
    );
    for policy in ["stop", "halve"] {
        let set = format!("run.on_failure={policy}");
        let ended = place
            .carom(&[
                "run",
                "shrinking.toml",
                "--method",
                "midpoint",
                "--step",
                "0.03",
                "--set",
                &set,
                "--out",
                policy,
                "--json",
            ])
            .code(1);
        let report = ended.json();
        assert_eq!(report["complete"], false);
        let t = report["t"].as_f64().expect("a number");
        assert!(t > 0.5 && t <= 1.0, "{policy}: {t}");
        assert!(ended.err.contains("residual") || ended.err.contains("singular") || ended.err.contains("depends"));
    }
}

#[test]
fn a_motion_that_overflows_is_an_error_and_no_nan() {
    let place = Place::new();
    // Verlet is unstable beyond step 2/w.
    let ended = place.carom(&["run", "harmonic-oscillator", "--step", "30", "--steps", "100000", "--json"]).code(1);
    let report = ended.json();
    assert_eq!(report["complete"], false);
    assert!(ended.err.contains("not finite"), "{}", ended.err);
    let finite = |value: &serde_json::Value| value.as_f64().is_some_and(f64::is_finite);
    assert!(report["final"]["q"].as_array().expect("an array").iter().all(finite), "{report}");
}

#[test]
fn a_momentum_that_overflows_is_an_error_and_no_momentum_conserved() {
    let place = Place::new();
    let body = "[[particle]]\nmass = 1\nposition = [1e200, 0]\nvelocity = [0, 1e150]\n";
    place.write("far.toml", &format!("{body}[method]\nname = \"verlet\"\n[run]\nstep = 1\nsteps = 3\n"));
    let ended = place.carom(&["run", "far.toml", "--out", "run", "--quiet"]).code(1);
    assert!(ended.err.contains("the momentum of the points is not finite"), "{}", ended.err);
}

#[test]
fn an_interrupted_run_ends_with_1_and_keeps_what_there_is() {
    let place = Place::new();
    let arguments = ["run", "harmonic-oscillator", "--steps", "1000000000", "--yes", "--json", "--out", "out"];
    let child =
        place.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("carom runs");
    let begin = Instant::now();
    while !place.path("out/scene.toml").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the run does not begin");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_secs(1));
    assert!(!place.path("out/run.json").exists(), "the run is still going on");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let ended = Ended::of(child.wait_with_output().expect("it ends")).code(1);
    let report = ended.json();
    assert_eq!(report, place.json("out/run.json"));
    assert_eq!(report["complete"], false);
    let steps = report["steps"].as_u64().expect("a number");
    assert!(steps > 0 && steps < 1_000_000_000);
    assert!(ended.err.contains(&format!("interrupted after step {steps}")), "{}", ended.err);
    assert!(ended.err.contains(&format!("kept: {steps} of 1000000000 steps")), "{}", ended.err);
    // The folder is that of a run, and the next one takes it.
    place.carom(&["run", "kepler", "--steps", "1", "--quiet", "--out", "out"]).code(0);
}

/// Runs the command with nobody at the other end of standard output and standard error.
fn with_closed_pipes(place: &Place, arguments: &[&str]) -> Option<i32> {
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let status = place.command(arguments).stdout(closed()).stderr(closed()).status().expect("carom runs");
    status.code()
}

#[test]
fn a_reader_that_went_away_is_no_error_and_no_panic() {
    let place = Place::new();
    for arguments in [
        &["run", "kepler", "--steps", "10"][..],
        &["run", "kepler", "--steps", "10", "--json"],
        &["sweep", "kepler", "--steps", "10", "--vary", "parameters.mu=1,2"],
        &["scenes"],
        &["scenes", "--json"],
        &["methods"],
        &["show", "kepler"],
        &["schema"],
        &["cite", "verlet"],
        &["check", "kepler"],
        &["--help"],
    ] {
        assert_eq!(with_closed_pipes(&place, arguments), Some(0), "{arguments:?}");
    }
    // What fails, fails all the same.
    assert_eq!(with_closed_pipes(&place, &too_long(&["--json"])), Some(1));
    assert_eq!(with_closed_pipes(&place, &["run", "keplr"]), Some(2));
    assert_eq!(with_closed_pipes(&place, &["check", "keplr", "--json"]), Some(2));
    assert_eq!(with_closed_pipes(&place, &["run", "kepler", "--stpe"]), Some(2));
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_with_its_name() {
    let place = Place::new();
    fs::write(place.path("runs"), "in the way").expect("writable");
    let ended = place.carom(&["run", "kepler", "--steps", "1"]).code(2);
    assert!(ended.err.contains("runs/kepler"), "{ended:?}");
}
