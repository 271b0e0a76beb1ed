//! The run folder: what is replaced, what never is, and what stands in it.

use std::fs;

use crate::{Place, names};

const RUN: [&str; 5] = ["run", "kepler", "--steps", "3", "--quiet"];

/// What a complete run leaves.
const FILES: [&str; 7] =
    ["measures.f64", "measures.json", "report.html", "run.json", "scene.toml", "trajectory.f64", "trajectory.json"];

fn run_to(place: &Place, out: &str) -> crate::Ended {
    place.carom(&[&RUN[..], &["--out", out]].concat())
}

#[test]
fn a_run_writes_its_folder_completely() {
    let place = Place::new();
    run_to(&place, "a/b/c").code(0);
    assert_eq!(names(&place.path("a/b/c")), FILES);
    place.carom(&RUN).code(0);
    assert_eq!(names(&place.path("runs/kepler")), FILES, "the default folder");
}

#[test]
fn a_folder_with_something_else_in_it_is_refused_and_left_alone() {
    let place = Place::new();
    let foreign: [(&str, &str); 4] = [
        ("notes.txt", "precious"),
        // A scene that a user keeps under the name that runs use.
        ("scene.toml", "title = \"my own work\"\n"),
        ("run.json", "{ \"speed\": 12 }"),
        ("run.json", "not even JSON"),
    ];
    for (at, (name, text)) in foreign.into_iter().enumerate() {
        let folder = format!("foreign{at}");
        fs::create_dir(place.path(&folder)).expect("a new folder");
        place.write(&format!("{folder}/{name}"), text);
        let ended = run_to(&place, &folder).code(2);
        assert!(ended.err.contains(&folder) && ended.err.contains("is no run folder"), "{ended:?}");
        assert_eq!(names(&place.path(&folder)), [name]);
        assert_eq!(place.read(&format!("{folder}/{name}")), text);
    }
}

#[test]
fn a_file_in_the_place_of_the_folder_is_refused_and_left_alone() {
    let place = Place::new();
    place.write("file", "precious");
    for out in ["file", "file/below"] {
        let ended = run_to(&place, out).code(2);
        assert!(ended.err.contains("--out"), "{ended:?}");
        assert_eq!(place.read("file"), "precious");
    }
}

#[test]
fn an_empty_folder_and_that_of_a_run_are_taken() {
    let place = Place::new();
    fs::create_dir(place.path("out")).expect("a new folder");
    run_to(&place, "out").code(0);
    assert_eq!(place.json("out/run.json")["steps"], 3);
    place.carom(&["run", "pendulum-polar", "--steps", "4", "--quiet", "--out", "out"]).code(0);
    let report = place.json("out/run.json");
    assert_eq!((&report["scene"], &report["steps"]), (&"pendulum-polar".into(), &4.into()));
    assert!(place.read("out/scene.toml").contains("Pendulum in polar coordinates"));
}

#[test]
fn the_folder_of_a_run_that_was_cut_off_is_known_as_one() {
    let place = Place::new();
    run_to(&place, "out").code(0);
    fs::remove_file(place.path("out/run.json")).expect("it was there");
    run_to(&place, "out").code(0);
    assert_eq!(names(&place.path("out")), FILES);
}

#[test]
fn a_refused_scene_leaves_the_folder_of_an_earlier_run_alone() {
    let place = Place::new();
    run_to(&place, "out").code(0);
    let before = place.read("out/run.json");
    place.carom(&["run", "kepler", "--step", "0", "--out", "out"]).code(2);
    assert_eq!(place.read("out/run.json"), before);
}
