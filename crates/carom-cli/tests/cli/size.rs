//! Guards of size: estimates before a run, consent to a large one, and what is refused with numbers.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::{Ended, Place, names};

/// Bytes of all files in a folder.
fn bytes(place: &Place, folder: &str) -> f64 {
    let path = place.path(folder);
    names(&path).iter().map(|name| fs::metadata(path.join(name)).expect("a file").len() as f64).sum()
}

#[test]
fn a_run_of_petabytes_is_not_started_without_consent() {
    let place = Place::new();
    place.carom(&["run", "kepler", "--steps", "10", "--quiet"]).code(0);
    let before = place.json("runs/kepler/run.json");
    let ended = place.carom(&["run", "kepler", "--until", "1e12"]).code(2);
    let size =
        ["4.1 PB on disk", "are free", "B of memory", "of time", "trajectory 1.8 PB in 3.2e13 rows", "measures"];
    for said in size.into_iter().chain(["--yes", "--every"]) {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    assert_eq!(place.json("runs/kepler/run.json"), before, "an earlier run stays");
    let ended = place.carom(&["run", "kepler", "--until", "1e12", "--json", "--out", "other"]).code(2);
    assert_eq!(ended.json()["valid"], false);
    assert_eq!(ended.json()["problems"][0]["key"], serde_json::Value::Null, "it is the problem of no key");
    let message = ended.json()["problems"][0]["message"].as_str().expect("a message").to_string();
    assert!(message.contains("PB on disk") && message.contains("nothing was written"), "{message}");
    assert_eq!(names(&place.0), ["runs"]);
    // Few rows, but a long time.
    let long = ["run", "kepler", "--until", "1e12", "--every", "1000000000", "--out", "other"];
    let ended = place.carom(&long).code(2);
    assert!(ended.err.contains("of time") && !ended.err.contains("are free"), "{}", ended.err);
    assert_eq!(names(&place.0), ["runs"]);
}

#[test]
fn estimated_bytes_are_right_within_a_factor_of_2() {
    let place = Place::new();
    for arguments in [
        &["kepler"][..],
        &["kepler", "--steps", "20000", "--every", "7"],
        &["kepler", "--steps", "20000", "--interval", "0.01"],
        &["double-pendulum-rods", "--measures", "ledger,equalities,constraint-forces"],
        &["bouncing-particle"],
        &["disk-billiard"],
        &["elastic-bar"],
        &["bouncing-ball"],
        &["driven-pendulum", "--steps", "3000"],
    ] {
        let run = |also: &[&str]| place.carom(&[&["run"], arguments, also].concat()).code(0);
        let estimate = run(&["--estimate", "--json", "--out", "run"]).json();
        assert!(!place.path("run").exists(), "{arguments:?}: an estimate writes nothing");
        assert_eq!((&estimate["what"], &estimate["asks"]), (&"run".into(), &false.into()), "{arguments:?}");
        run(&["--quiet", "--out", "run"]);
        let (estimated, found) = (estimate["disk_bytes"].as_f64().expect("bytes"), bytes(&place, "run"));
        assert!(
            estimated < 2.0 * found && found < 2.0 * estimated,
            "{arguments:?}: {estimated} bytes, found {found}"
        );
        fs::remove_dir_all(place.path("run")).expect("removed");
    }
}

#[test]
fn with_consent_a_large_run_starts_and_its_rest_needs_it_again() {
    let place = Place::new();
    let mut command = place.command(&["run", "kepler", "--until", "1e12", "--yes", "--out", "run", "--quiet"]);
    let child = command.stderr(Stdio::piped()).spawn().expect("carom runs");
    sleep(Duration::from_millis(700));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    let ended = Ended::of(child.wait_with_output().expect("ended")).code(1);
    assert!(ended.err.contains("go on with: carom run --resume run"), "{ended:?}");
    let before = bytes(&place, "run");
    let ended = place.carom(&["run", "--resume", "run"]).code(2);
    assert!(ended.err.contains("the rest of the run would take") && ended.err.contains("--yes"), "{ended:?}");
    assert_eq!(bytes(&place, "run"), before, "nothing was written");
    let estimate = place.carom(&["run", "--resume", "run", "--estimate", "--json"]).code(0).json();
    let steps = place.json("run/run.json")["steps"].as_f64().expect("steps");
    let (rest, all) = (estimate["disk_bytes"].as_f64().expect("bytes"), 128.0 * 3.2e13);
    assert!(steps > 0.0 && rest > 0.9 * all && rest < 1.1 * all, "{rest} of {all}");
}

#[test]
fn studies_are_estimated_from_a_few_points() {
    let place = Place::new();
    let sweep = ["sweep", "kepler", "--vary", "parameters.mu=1:2:900000"];
    let ended = place.carom(&sweep).code(2);
    for said in ["the sweep would take", "GB on disk", "900000 runs", "--yes", "fewer points"] {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
    let small = place.carom(&["sweep", "kepler", "--vary", "parameters.mu=1:2:40", "--estimate", "--json"]).code(0);
    place.carom(&["sweep", "kepler", "--vary", "parameters.mu=1:2:40", "--out", "sweep", "--quiet"]).code(0);
    let (estimated, found) = (small.json()["disk_bytes"].as_f64().expect("bytes"), bytes(&place, "sweep"));
    assert!(estimated < 2.0 * found && found < 2.0 * estimated, "{estimated} bytes, found {found}");
    let ended = place.carom(&["order", "kepler", "--levels", "20", "--steps", "1000000"]).code(2);
    assert!(ended.err.contains("the study would take") && ended.err.contains("8.4e12 steps"), "{}", ended.err);
    let ended = place.carom(&["order", "kepler", "--levels", "20", "--steps", "1000000000000"]).code(2);
    assert!(ended.err.contains("4.2e18 steps; the limit is 1e15"), "{}", ended.err);
    assert_eq!(names(&place.0), ["sweep"]);
}

#[test]
fn numbers_beyond_every_limit_are_refused_at_once() {
    let place = Place::new();
    let scene = |extra: &str| {
        let particle = "[[particle]]\nname = \"b\"\nmass = 1\nposition = [0, 0]\n";
        format!("{particle}{extra}[method]\nname = \"verlet\"\n[run]\nstep = 0.1\nsteps = 1\n")
    };
    let repeat = |counts: &[&str]| {
        let each = |(k, count): (usize, &&str)| format!("{{ index = \"i{k}\", count = {count} }}");
        format!("repeat = [{}]\n", counts.iter().enumerate().map(each).collect::<Vec<_>>().join(", "))
    };
    place.write(
        "watch.toml",
        &scene(&format!("[[watch]]\nname = \"w\"\nexpression = \"x[0]\"\n{}", repeat(&["1e12"]))),
    );
    place.write("nested.toml", &scene(&repeat(&["1000", "1000", "1000"])));
    // A million times a million times nothing.
    place.write("empty.toml", &scene(&repeat(&["1000000", "1000000", "0"])));
    place.write("late.toml", &format!("[initial]\nt = 1e15\n{}", scene("")));
    for (arguments, said) in [
        (&["run", "kepler", "--until", "1e300"][..], "the run would have"),
        (&["run", "kepler", "--steps", "1e18"], "found 1000000000000000000"),
        (&["run", "kepler", "--every", "0"], "--every 0: run.every"),
        (&["run", "kepler", "--interval", "1e-300"], "the trajectory would have"),
        (&["run", "watch.toml"], "found 1000000000000"),
        (&["run", "nested.toml"], "there are more than 1000000"),
        (&["run", "empty.toml"], "there are more than 1000000"),
        (&["run", "late.toml", "--steps", "10"], "are lost beside the time 1.0"),
        (&["sweep", "kepler", "--vary", "parameters.mu=1:2:1000000000"], "at most 1000000 are allowed"),
        (
            &["sweep", "kepler", "--vary", "parameters.mu=1:2", "--sample", "4000000000"],
            "at most 1000000 are allowed",
        ),
    ] {
        let ended = place.carom(arguments).code(2);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn full_matrices_beyond_the_memory_are_refused_with_their_size() {
    let place = Place::new();
    let bodies =
        "[[particle]]\nname = \"b\"\nmass = 1\nposition = [\"i\", 0]\nrepeat = { index = \"i\", count = 50000 }\n";
    let rest = "[method]\nname = \"verlet\"\n[run]\nstep = 0.1\nsteps = 1\n";
    let rods = "[[rod]]\nbetween = [\"b[i]\", \"b[i+1]\"]\nrepeat = { index = \"i\", count = 49999 }\n";
    place.write("many.toml", &format!("{bodies}{rest}"));
    place.write("chain.toml", &format!("{bodies}{rods}{rest}"));
    place.write("star.toml", &format!("{bodies}{}{rest}", rods.replace("[\"b[i]\"", "[\"b[0]\"")));
    for method in ["direct", "galerkin", "penalty", "gvi"] {
        let options: &[&str] = if method == "gvi" { &["--set", "method.energy=shadow"] } else { &[] };
        let arguments = [&["run", "many.toml", "--method", method][..], options].concat();
        let ended = place.carom(&arguments).code(2);
        let said = "B, the largest of ";
        assert!(ended.err.contains(said) && ended.err.contains("the limit is 4.0 GB"), "{method}: {}", ended.err);
    }
    // What needs no full matrix runs, with its discrete energy too.
    for method in ["midpoint", "newmark"] {
        place.carom(&["run", "many.toml", "--method", method, "--quiet", "--yes", "--out", method]).code(0);
    }
    place.carom(&["run", "many.toml", "--measures", "discrete-energy", "--quiet", "--yes"]).code(0);
    let ended = place.carom(&["run", "many.toml", "--measures", "shadow-energy"]).code(2);
    assert!(ended.err.contains("80 GB"), "{}", ended.err);
    // Rods that all have one end in common make full factors; those of a chain have few entries.
    let ended = place.carom(&["run", "star.toml"]).code(2);
    assert!(ended.err.contains("40 GB") && ended.err.contains("the limit is 4.0 GB"), "{}", ended.err);
    place.carom(&["run", "chain.toml", "--quiet", "--yes"]).code(0);
    place.carom(&["check", "chain.toml", "--method", "spook"]).code(0);
    let ended = place.carom(&["check", "many.toml", "--derivatives"]).code(2);
    assert!(ended.err.contains("the limit is 4.0 GB"), "{}", ended.err);
}

#[test]
fn tens_of_thousands_of_contacts_in_a_step_need_no_full_rows() {
    let place = Place::new();
    let bodies = "[[particle]]\nmass = 1\nposition = [\"i\", 0]\nrepeat = { index = \"i\", count = 15000 }\n";
    let floor = "[[field]]\ngravity = [0, -9.81]\n[[wall]]\nnormal = [0, 1]\n";
    let rest = "[method]\nname = \"gvi\"\n[run]\nstep = 0.1\nsteps = 2\n";
    place.write("floor.toml", &format!("{bodies}{floor}{rest}"));
    place.carom(&["run", "floor.toml", "--quiet", "--yes", "--out", "run"]).code(0);
    let report = place.json("run/run.json");
    assert_eq!((&report["complete"], &report["active_steps"]), (&true.into(), &2.into()));
}
