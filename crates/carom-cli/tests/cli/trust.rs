//! Runs that failed in substance say so on every face, and `--strict` makes them failures.

use serde_json::Value;

use crate::Place;

/// Runs that explode: what they are, and the kind and words of what is found.
const FAILED: [(&[&str], &str, &str); 3] = [
    (
        &["harmonic-oscillator", "--method", "verlet", "--step", "3", "--steps", "40"],
        "energy",
        "the energy is off by 2.54e66 after step 40, at t = 120",
    ),
    (&["kepler", "--step", "1"], "energy", "the energy is off by 6.93 after step 1, at t = 1"),
    (
        &["double-pendulum-rods", "--method", "spook", "--step", "0.5"],
        "constraints",
        "equality constraint `rod1` is off by 3.78",
    ),
];

fn reasons(report: &Value) -> Vec<&Value> {
    report["findings"].as_array().expect("findings").iter().filter(|found| found["trustworthy"] == false).collect()
}

#[test]
fn exploding_runs_say_so_first_on_every_face_and_strict_fails_them() {
    for (arguments, kind, said) in FAILED {
        let place = Place::new();
        let run = |more: &[&str]| place.carom(&[&["run"], arguments, more].concat());
        let printed = run(&["--out", "a"]).code(0);
        let lines: Vec<&str> = printed.out.lines().collect();
        assert!(lines[0].starts_with(arguments[0]) && lines[1].starts_with("NOT TRUSTWORTHY: "), "{printed:?}");
        let flat = printed.out.replace("\n  ", " ");
        assert!(flat.contains(&format!("NOT TRUSTWORTHY: {said}")), "{flat}");
        assert!(!flat.contains("no drift"), "{flat}");

        let report = place.json("a/run.json");
        assert_eq!(report["trustworthy"], false);
        let found = reasons(&report);
        let found = found.into_iter().find(|found| found["kind"] == kind).expect(kind);
        assert!(found["sentence"].as_str().expect("a sentence").contains(said), "{found:?}");
        let number = |key: &str| found[key].as_f64().expect("a number");
        assert!(number("value") > number("limit") && number("limit") < number("scale"), "{found:?}");

        let page = place.read("a/report.html");
        let body = page.split_once("<main>").expect("a body").1;
        assert!(
            body.trim_start().starts_with("<div class=\"alarm\"><strong>This run cannot be trusted:"),
            "{body:.200}"
        );
        // Names have their type instead of backticks, and the figure no slope.
        let shown = body.split_once("<details").expect("an appendix").0;
        assert!(!shown.contains('`') && !shown.contains("least squares"), "{shown}");

        let strict = run(&["--strict", "--json", "--out", "b"]).code(1);
        assert!(strict.err.contains("error: --strict: the run is not trustworthy: ") && strict.err.contains(said));
        assert!(strict.err.contains("kept: all of it, in b"), "{strict:?}");
        assert_eq!(strict.json()["complete"], true);
        for name in ["run.json", "report.html", "trajectory.f64", "measures.f64", "scene.toml"] {
            assert!(place.path("b").join(name).exists(), "{name}");
        }
    }
}

#[test]
fn every_built_in_scene_passes_strict_as_it_is() {
    let place = Place::new();
    let scenes = place.carom(&["scenes", "--json"]).code(0).json();
    let list = scenes.as_array().or_else(|| scenes["scenes"].as_array()).expect("scenes");
    for scene in list {
        let name = scene["name"].as_str().expect("a name");
        let report = place.carom(&["run", name, "--strict", "--json", "--out", "r"]).code(0).json();
        assert_eq!(report["trustworthy"], true, "{name}");
    }
    assert!(list.len() >= 36);
}

#[test]
fn a_scene_that_does_not_conserve_energy_has_accounts_and_no_error_or_drift() {
    let place = Place::new();
    for (arguments, changed) in [
        (&["driven-pendulum", "--until", "20"][..], "force `drag`, force `drive`"),
        (&["point-mass", "--set", "parameters.restitution=0.5"], "restitution below 1"),
        (&["squeezed-disc", "--until", "0.1"], "friction, damping of soft constraints"),
    ] {
        let printed = place.carom(&[&["run"], arguments, &["--out", "r"]].concat()).code(0).out;
        let flat = printed.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(&format!("over all steps; changed by {changed}")), "{printed}");
        for row in ["  left ", "  stored ", "  unexplained "] {
            assert!(printed.contains(row), "{row}: {printed}");
        }
        for word in ["drift", "slope", "departures"] {
            assert!(!printed.contains(word), "{word}: {printed}");
        }
        let report = place.json("r/run.json");
        assert_eq!(report["energy"]["trend"], "not-conserved");
        assert!(report["energy"]["changed_by"].as_array().is_some_and(|list| !list.is_empty()));
        let page = place.read("r/report.html");
        assert!(page.contains("None: the scene changes its energy (") && page.contains("Unexplained at the end"));
        assert!(!page.contains("rift seen") && !page.contains("nergy error"), "{changed}");
    }
    // Control: the same ball without losses.
    let printed = place.carom(&["run", "point-mass", "--out", "r"]).code(0).out;
    assert!(printed.contains("largest departures over all steps") && printed.contains("no drift"), "{printed}");
}

#[test]
fn losses_of_a_method_are_told_with_their_accounts_and_pass() {
    let place = Place::new();
    let report = place.carom(&["run", "bouncing-ball", "--strict", "--json"]).code(0).json();
    let found = &report["findings"][0];
    assert_eq!((&found["kind"], &found["trustworthy"]), (&"losses".into(), &true.into()));
    let said = found["sentence"].as_str().expect("a sentence");
    assert!(said.starts_with("this scene conserves energy, and `spook` took 9.81 of it (0.97"), "{said}");
    assert!(said.contains("timing of impacts 9.78"), "{said}");
}

#[test]
fn loose_solves_are_counted_and_named_and_absurd_settings_are_refused() {
    let place = Place::new();
    let loose = [
        (&["heavy-chain", "--set", "method.solver=pgs", "--set", "method.sweeps=10"][..], false, "sweeps = 10"),
        (&["slider-crank", "--set", "method.solver=pgs", "--set", "method.sweeps=5"], true, "sweeps = 5"),
        (&["double-pendulum-rods", "--method", "pem", "--set", "method.tolerance=1e-4"], true, "tolerance = 1e-4"),
        (&["pendulum-penalty", "--method", "penalty", "--set", "method.stiffness=1e15"], false, "stiffness = 1e15"),
    ];
    for (arguments, trusted, setting) in loose {
        let report = place.carom(&[&["run"], arguments, &["--json", "--out", "r"]].concat()).code(0).json();
        let list = report["findings"].as_array().expect("findings");
        let found = list.iter().find(|found| found["kind"] == "loose-solves").expect("loose solves");
        let said = found["sentence"].as_str().expect("a sentence");
        assert!(said.contains("solved loosely: worst relative residual") && said.contains(setting), "{said}");
        assert_eq!(found["trustworthy"], trusted, "{said}");
        assert_eq!(found["value"], report["solver"]["worst_residual"]);
    }
    let absurd = [
        (
            &["double-pendulum-rods", "--method", "pem", "--set", "method.tolerance=1e300"][..],
            "found 1e300, allowed: a number above 0, at most 0.1",
        ),
        (
            &["pendulum-penalty", "--method", "penalty", "--set", "method.stiffness=1e300"],
            "found 1e300, allowed: a number above 0, at most 1e16",
        ),
        (&["bouncing-ball", "--set", "method.tolerance=1"], "found 1, allowed: a number above 0 and below 1"),
        (&["bouncing-ball", "--set", "method.tolerance=inf"], "finite"),
    ];
    let refused = place.carom(&["solve", ".", "--tolerance", "1"]).code(2);
    assert!(refused.err.contains("--tolerance: found 1, allowed is a number above 0 and below 1"), "{refused:?}");
    for (arguments, said) in absurd {
        let refused = place.carom(&[&["run"], arguments].concat()).code(2);
        assert!(refused.err.contains(said) && refused.err.contains("method."), "{refused:?}");
    }
}

#[test]
fn sweeps_and_studies_say_which_runs_failed() {
    let place = Place::new();
    let arguments = ["sweep", "harmonic-oscillator", "--vary", "run.step=0.1,3", "--steps", "40"];
    let swept = place.carom(&arguments).code(0);
    assert!(
        swept.out.contains("1 of 2 runs not trustworthy; the first at run.step = 3: the energy is off by"),
        "{swept:?}"
    );
    let table = place.read("runs/sweep-harmonic-oscillator/sweep.csv");
    let mut lines = table.lines();
    let column = lines.next().expect("heads").split(',').position(|head| head == "trustworthy").expect("a column");
    let cells: Vec<&str> = lines.map(|line| line.split(',').nth(column).expect("a cell")).collect();
    assert_eq!(cells, ["true", "false"]);
    let strict = place.carom(&[&arguments[..], &["--strict"]].concat()).code(1);
    assert!(strict.err.contains("error: --strict: 1 of 2 runs not trustworthy"), "{strict:?}");

    let arguments =
        ["order", "harmonic-oscillator", "--method", "verlet", "--step", "3", "--steps", "40", "--levels", "3"];
    let studied = place.carom(&arguments).code(0);
    assert!(
        studied.out.contains("2 of 3 runs not trustworthy; the first at h = 3: the energy is off by"),
        "{studied:?}"
    );
    let levels = place.carom(&[&arguments[..], &["--json"]].concat()).code(0).json();
    let trusted: Vec<&Value> =
        levels["levels"].as_array().expect("levels").iter().map(|l| &l["trustworthy"]).collect();
    assert_eq!(trusted, [&Value::from(false), &false.into(), &true.into()]);
    place.carom(&[&arguments[..], &["--strict"]].concat()).code(1);
}

#[test]
fn a_first_step_that_fails_notes_only_what_happened() {
    let place = Place::new();
    let arguments = ["run", "double-pendulum-rods", "--method", "vci", "--step", "5", "--steps", "3", "--json"];
    let report = place.carom(&arguments).code(1).json();
    assert_eq!(report["steps"], 0);
    assert_eq!(report["notes"], Value::Array(Vec::new()));
    let report = place.carom(&["run", "kepler", "--method", "vci", "--steps", "10", "--json"]).code(0).json();
    assert!(!report["notes"].to_string().contains("0 times"), "{}", report["notes"]);
}
