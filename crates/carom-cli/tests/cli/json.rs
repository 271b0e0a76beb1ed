//! `carom run --json`: one document, with every key of the contract, and numbers to the last bit.

use std::sync::atomic::AtomicBool;

use carom::run::{Grid, Run};
use carom_io::document::Source;
use carom_io::scene::{BUILT_IN, Scene};
use serde_json::Value;

use crate::{Place, bits};

/// Every key of the contract.
const KEYS: [(&str, &[&str]); 15] = [
    ("scene", &[]),
    ("method", &[]),
    ("h", &[]),
    ("steps", &[]),
    ("t", &[]),
    ("wall_seconds", &[]),
    ("steps_per_second", &[]),
    ("energy", &["initial", "final", "min", "max", "slope"]),
    ("momentum", &["linear_max_change", "angular_max_change", "linear_change", "angular_change"]),
    ("constraints", &["max_equality", "max_equality_velocity", "max_penetration"]),
    ("impacts", &[]),
    ("active_steps", &[]),
    ("solver", &["iterations_mean", "iterations_max", "worst_residual", "failures"]),
    ("final", &["q", "v", "p"]),
    ("complete", &[]),
];

#[test]
fn every_scene_gives_one_document_with_every_key_of_the_contract() {
    let place = Place::new();
    for scene in BUILT_IN {
        let report = place.carom(&["run", scene.name, "--steps", "20", "--json"]).code(0).json();
        let object = report.as_object().expect("an object");
        for (key, inner) in KEYS {
            let value = object.get(key).unwrap_or_else(|| panic!("{}: no {key}", scene.name));
            for key in inner {
                assert!(value.as_object().is_some_and(|value| value.contains_key(*key)), "{}: {key}", scene.name);
            }
        }
        assert_eq!((&report["scene"], &report["steps"]), (&scene.name.into(), &20.into()));
        assert_eq!(report["complete"], true);
        let file = place.json(&format!("runs/{}/run.json", scene.name));
        assert_eq!(file, report, "{}: run.json is the printed document", scene.name);
    }
}

#[test]
fn what_has_no_meaning_is_null_and_never_0() {
    let place = Place::new();
    let report = |scene: &str| place.carom(&["run", scene, "--steps", "20", "--json"]).code(0).json();
    let null = |report: &Value, paths: &[&str]| {
        for path in paths {
            assert_eq!(report.pointer(path), Some(&Value::Null), "{path}");
        }
    };
    let number = |report: &Value, paths: &[&str]| {
        for path in paths {
            assert!(report.pointer(path).is_some_and(Value::is_number), "{path}");
        }
    };
    let contacts = ["/impacts", "/active_steps", "/constraints/max_penetration"];
    let equalities = ["/constraints/max_equality", "/constraints/max_equality_velocity"];
    let kepler = report("kepler");
    null(&kepler, &contacts);
    null(&kepler, &equalities);
    null(&kepler, &["/momentum/linear_max_change"]);
    number(&kepler, &["/momentum/angular_max_change", "/momentum/linear_change/1", "/momentum/angular_change/0"]);
    let rods = report("double-pendulum-rods");
    null(&rods, &contacts);
    number(&rods, &equalities);
    let polar = report("pendulum-polar");
    null(&polar, &["/momentum/linear_max_change", "/momentum/angular_max_change"]);
    null(&polar, &["/momentum/linear_change", "/momentum/angular_change"]);
    // Without a step there is no mean and no slope.
    let resting = place.carom(&["run", "kepler", "--steps", "0", "--json"]).code(0).json();
    null(&resting, &["/energy/slope", "/solver/iterations_mean"]);
}

#[test]
fn numbers_read_back_to_the_bits_that_were_computed() {
    let place = Place::new();
    for built_in in BUILT_IN {
        let report = place.carom(&["run", built_in.name, "--steps", "30", "--json"]).code(0).json();
        let source = Source::new(built_in.name, built_in.text);
        let scene = Scene::read(built_in.name, &source, &[]).expect("a good scene");
        let (problem, h) = (&scene.problem, scene.run.h);
        let mut stepper = scene.method.stepper(&*problem.system, &problem.initial).expect("a method that can");
        let run = Run {
            system: &*problem.system,
            stepper: &mut *stepper,
            grid: Grid { t0: problem.initial.t, h, steps: 30 },
            on_failure: scene.run.on_failure,
        };
        let state = run.go(problem.initial.clone(), &mut [], &AtomicBool::new(false)).state;
        let of = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&report["final"]["q"]), of(&state.q), "{}", built_in.name);
        assert_eq!(bits(&report["final"]["p"]), of(&state.p), "{}", built_in.name);
        let scalars = [&report["t"], &report["h"]].map(|value| value.as_f64().map(f64::to_bits));
        assert_eq!(scalars, [state.t, h].map(|value| Some(value.to_bits())), "{}", built_in.name);
    }
}

#[test]
fn wrong_input_is_one_document_too() {
    let place = Place::new();
    place.write("bad.toml", "title = 3\n");
    for command in ["run", "check"] {
        let ended = place.carom(&[command, "bad.toml", "--json"]).code(2);
        let report = ended.json();
        assert_eq!(report["valid"], false);
        assert_eq!(report["problems"][0]["key"], "title");
        assert_eq!((&report["problems"][0]["line"], &report["problems"][0]["column"]), (&1.into(), &9.into()));
        assert!(ended.err.contains("error: bad.toml:1:9: title:"), "{ended:?}");
        let report = place.carom(&[command, "keplr", "--json"]).code(2).json();
        assert_eq!(report["problems"][0]["file"], "keplr");
        assert_eq!(report["problems"][0]["line"], Value::Null);
    }
}
