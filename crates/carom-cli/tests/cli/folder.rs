//! The run folder: what is replaced, what never is, and what stands in it.

use std::fs;

use crate::{Place, names};

const RUN: [&str; 5] = ["run", "kepler", "--steps", "3", "--quiet"];

/// What a complete run leaves.
const FILES: [&str; 10] = [
    "checksums.json",
    "measures.crc",
    "measures.f64",
    "measures.json",
    "report.html",
    "run.json",
    "scene.toml",
    "trajectory.crc",
    "trajectory.f64",
    "trajectory.json",
];

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
fn the_end_of_a_run_says_what_to_open() {
    let place = Place::new();
    let run = ["run", "kepler", "--steps", "3", "--out", "a/b"];
    let ended = place.carom(&run).code(0);
    assert!(ended.out.ends_with("\nopen a/b/report.html\n"), "{ended:?}");
    assert!(place.path("a/b/report.html").is_file());
    let ended = place.carom(&[&run[..], &["--json"]].concat()).code(0);
    assert!(ended.json()["steps"] == 3 && !ended.err.contains("open"), "{ended:?}");
    assert_eq!(place.carom(&[&run[..], &["--quiet"]].concat()).code(0).out, "");
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
        assert!(ended.err.contains(&folder) && ended.err.contains("is not a run folder"), "{ended:?}");
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

#[test]
fn a_foreign_folder_is_safe_behind_a_folder_that_does_not_exist() {
    let place = Place::new();
    fs::create_dir(place.path("u")).expect("a new folder");
    place.write("u/scene.toml", "precious");
    for out in ["nope/../u", "./nope/.././u", "a/b/../../u"] {
        let ended = run_to(&place, out).code(2);
        assert!(ended.err.contains("is not a run folder"), "{out}: {ended:?}");
        assert_eq!(
            (names(&place.path("u")), place.read("u/scene.toml")),
            (vec!["scene.toml".into()], "precious".into())
        );
        assert!(!place.path("nope").exists() && !place.path("a").exists());
    }
    run_to(&place, "nope/../new").code(0);
    assert_eq!(names(&place.0), ["new", "u"]);
}

#[test]
fn a_scene_file_of_dots_writes_below_runs() {
    let place = Place::new();
    place.write("...toml", &place.carom(&["show", "kepler"]).code(0).out);
    place.carom(&["run", "...toml", "--steps", "3", "--quiet"]).code(0);
    assert_eq!(names(&place.0), ["...toml", "runs"]);
    assert_eq!(names(&place.path("runs/scene")), FILES);
}

#[test]
fn a_folder_of_files_that_were_begun_is_caroms() {
    let place = Place::new();
    fs::create_dir(place.path("out")).expect("a new folder");
    for begun in ["scene.toml.4711.partial", "run.json.partial", "run.lock"] {
        place.write(&format!("out/{begun}"), "");
    }
    run_to(&place, "out").code(0);
    assert_eq!(names(&place.path("out")), FILES);
    // Somebody else's are not.
    fs::create_dir(place.path("other")).expect("a new folder");
    place.write("other/thesis.tex.partial", "precious");
    run_to(&place, "other").code(2);
    assert_eq!(names(&place.path("other")), ["thesis.tex.partial"]);
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_replaced_and_never_written_through() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.write("precious", "precious");
    run_to(&place, "out").code(0);
    for name in ["trajectory.f64", "scene.toml.partial", "run.json.4711.partial", "snapshot.bin", "report.html"] {
        let link = place.path("out").join(name);
        let _ = fs::remove_file(&link);
        symlink(place.path("precious"), &link).expect("a link");
    }
    run_to(&place, "out").code(0);
    assert_eq!(
        (place.read("precious").as_str(), names(&place.path("out"))),
        ("precious", FILES.map(String::from).to_vec())
    );
    fs::create_dir(place.path("elsewhere")).expect("a new folder");
    symlink(place.path("elsewhere"), place.path("out/figures")).expect("a link");
    place.write("elsewhere/energy.svg", "precious");
    let ended = place.carom(&["report", "out", "--svg"]).code(1);
    assert!(ended.err.contains("symbolic link"), "{ended:?}");
    run_to(&place, "out").code(0);
    assert_eq!(place.read("elsewhere/energy.svg"), "precious");
}

#[test]
fn replacing_a_run_is_said() {
    let place = Place::new();
    let run = ["run", "kepler", "--steps", "3", "--out", "out"];
    assert!(!place.carom(&run).code(0).err.contains("replaced"));
    let again = place.carom(&run).code(0);
    assert!(again.err.contains("note: replaced the earlier run in out (kepler with verlet, 3 steps)"), "{again:?}");
}

#[test]
fn a_method_that_refuses_the_scene_leaves_the_folder_of_an_earlier_run_alone() {
    let place = Place::new();
    run_to(&place, "out").code(0);
    let before = place.read("out/run.json");
    place.carom(&["run", "newtons-cradle", "--method", "pem", "--out", "out"]).code(2);
    assert_eq!(place.read("out/run.json"), before);
}
