//! Sweeps: the points and their order, rows that are those of `run`, threads, failures, files.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Ended, Place, final_bits, names};

fn sweep<'a>(scene: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep", scene], more].concat()
}

/// The points of a document, in its order.
fn points(document: &Value) -> Vec<Value> {
    document["runs"].as_array().expect("runs").iter().map(|run| run["point"].clone()).collect()
}

/// The document without what the clock and the number of threads say.
fn without_clock(mut document: Value) -> Value {
    for run in document["runs"].as_array_mut().expect("runs") {
        for key in ["wall_seconds", "steps_per_second"] {
            assert!(run["report"][key].take().is_number());
        }
    }
    for key in ["threads", "wall_seconds"] {
        assert!(document[key].take().is_number());
    }
    document
}

#[test]
fn a_grid_has_every_point_in_order_with_both_ends() {
    let place = Place::new();
    let vary = ["--vary", "parameters.eccentricity=0.1:0.5:3", "--vary", "method.name=verlet,midpoint", "--json"];
    let ended = place.carom(&sweep("kepler", &[&vary[..], &["--steps", "20"]].concat())).code(0);
    assert_eq!(ended.err, "");
    let document = ended.json();
    let expected: Vec<Value> = [0.1, 0.3, 0.5]
        .iter()
        .flat_map(|e| {
            ["verlet", "midpoint"].map(|name| json!({ "parameters.eccentricity": e, "method.name": name }))
        })
        .collect();
    assert_eq!(points(&document), expected);
    assert_eq!(document["vary"], json!(["parameters.eccentricity", "method.name"]));
    assert_eq!((&document["scene"], &document["method"]), (&"kepler".into(), &Value::Null));
    for run in document["runs"].as_array().expect("runs") {
        assert_eq!(run["report"]["method"], run["point"]["method.name"]);
        assert_eq!((&run["report"]["steps"], &run["report"]["complete"]), (&20.into(), &true.into()));
    }
    assert_eq!(place.json("runs/sweep-kepler/sweep.json"), document);
    let csv = place.read("runs/sweep-kepler/sweep.csv");
    let begins: Vec<String> =
        csv.lines().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    assert_eq!(begins[0], "parameters.eccentricity,method.name,steps");
    assert_eq!(begins[1..3], ["0.1,verlet,20", "0.1,midpoint,20"]);
    assert_eq!(begins.len(), 7);
}

#[test]
fn a_row_is_what_run_gives_to_the_last_bit() {
    let place = Place::new();
    let cases: [(&str, &str, &[&str]); 4] = [
        ("harmonic-oscillator", "parameters.kx", &["0.5", "1", "2.5"]),
        ("double-pendulum", "initial.q.theta1", &["0.2", "angle2", "1.5"]),
        ("driven-pendulum", "run.steps", &["5", "50"]),
        ("planets", "particle.0.mass", &["0.9", "1.1"]),
    ];
    let rest = ["--step", "0.02", "--steps", "40", "--json", "--set", "run.on_failure=halve"];
    for (scene, key, values) in cases {
        let vary = format!("{key}={}", values.join(","));
        let document = place.carom(&sweep(scene, &[&rest[..], &["--vary", &vary]].concat())).code(0).json();
        let runs = document["runs"].as_array().expect("runs");
        assert_eq!(runs.len(), values.len());
        for (run, value) in runs.iter().zip(values) {
            let set = format!("{key}={value}");
            let alone = place.carom(&[&["run", scene], &rest[..], &["--set", &set]].concat()).code(0).json();
            let mut row = run["report"].clone();
            assert_eq!(final_bits(&row), final_bits(&alone), "{scene} {set}");
            for key in ["wall_seconds", "steps_per_second"] {
                row[key] = alone[key].clone();
            }
            assert_eq!(row, alone, "{scene} {set}");
        }
        let bits: Vec<_> = runs.iter().map(|run| final_bits(&run["report"])).collect();
        assert!(bits.windows(2).all(|pair| pair[0] != pair[1]), "{scene}: the values make a difference");
    }
}

#[test]
fn the_number_of_threads_changes_nothing_but_the_clock() {
    let place = Place::new();
    let run = |threads: &str| {
        let vary = ["--vary", "parameters.angle1=-1:1:9", "--vary", "run.step=0.01,0.3", "--json"];
        // Some runs fail; so do their rows agree.
        let more = [&vary[..], &["--steps", "60", "--threads", threads]].concat();
        let ended = place.carom(&sweep("double-pendulum-rods", &more)).code(1);
        let csv = place.read("runs/sweep-double-pendulum-rods/sweep.csv");
        assert_eq!(ended.json()["threads"].to_string(), threads);
        (without_clock(ended.json()).to_string(), csv, ended.err)
    };
    let one = run("1");
    assert_eq!(one.1.lines().count(), 19);
    assert_eq!(run("2"), one);
    assert_eq!(run("7"), one);
}

#[test]
fn a_sample_is_made_again_by_its_seed() {
    let place = Place::new();
    let run = |sample: &[&str]| {
        let vary =
            ["--vary", "parameters.kx=0.5:2", "--vary", "method.name=verlet,midpoint", "--steps", "5", "--json"];
        let document = place.carom(&sweep("harmonic-oscillator", &[&vary[..], sample].concat())).code(0).json();
        without_clock(document)
    };
    let first = run(&["--sample", "12"]);
    assert_eq!((&first["sample"], &first["seed"]), (&12.into(), &0.into()));
    assert_eq!(run(&["--sample", "12", "--seed", "0", "--threads", "3"]), first);
    // The same numbers on every machine: the first of the generator with the seed 0, of which 53 bits are taken.
    let part = (0xe220_a839_7b1d_cdaf_u64 >> 11) as f64 / (1_u64 << 53) as f64;
    assert_eq!(first["runs"][0]["point"]["parameters.kx"], 0.5 * (1.0 - part) + 2.0 * part);
    let other = run(&["--sample", "12", "--seed", "1"]);
    let of = |document: &Value, key: &str| -> Vec<Value> {
        points(document).iter().map(|point| point[key].clone()).collect()
    };
    let (here, there) = (of(&first, "parameters.kx"), of(&other, "parameters.kx"));
    assert!(here.iter().all(|value| !there.contains(value)));
    assert!(here.iter().all(|value| value.as_f64().is_some_and(|value| (0.5..=2.0).contains(&value))));
    let methods = of(&first, "method.name");
    assert!(methods.contains(&"verlet".into()) && methods.contains(&"midpoint".into()));
}

#[test]
fn wrong_input_ends_with_2_before_anything_is_run() {
    let place = Place::new();
    let e = "parameters.eccentricity";
    for (arguments, said) in [
        (&[][..], "--vary"),
        (&["--vary", "parameters.mu"], "--vary: parameters.mu: there is no `=`; write key.path=a:b:n"),
        (&["--vary", "parameters.mu=1:2"], "write 1:2:n for n values, or add --sample N"),
        (&["--vary", "parameters.mu=1:2:3", "--sample", "3"], "without a number of values: 1:2"),
        (&["--vary", "parameters.mu=1:2:1"], "1 value cannot include both ends"),
        (&["--vary", "parameters.mu=1:b:3"], "the end `b` of the range is no number"),
        (&["--vary", "parameters.mu=1:2:1000001"], "1000001 points: at most 1000000 are allowed"),
        (&["--vary", "parameters.mu=1:2:2000", "--vary", "run.every=1:2000:2000"], "2000 × 2000 points"),
        (&["--vary", "parameters.mu=1:2", "--sample", "1000001"], "at most 1000000"),
        (&["--vary", "parameters.mu=1:2", "--sample", "0"], "--sample"),
        (&["--vary", "parameters.mu=1,2", "--seed", "1"], "--sample"),
        (&["--vary", "parameters.mu=1,2", "--threads", "0"], "--threads"),
        (&["--vary", "parameters.nu=1,2"], "did you mean `mu`?"),
        (&["--vary", "run.stpe=1,2"], "--vary run.stpe=1: run.stpe"),
        (&["--vary", "method.name=verlet,verlett"], "method.name: there is no method `verlett`"),
        (
            &["--vary", "parameters.eccentricity=0:2:5"],
            "at point 3 of 5: parameters.eccentricity = 1; nothing was run",
        ),
        (&["--vary", "lagrangian.mass.0=1,2"], "--vary lagrangian.mass.0=1: lagrangian.mass"),
        (&["--vary", "parameters.mu=1,2", "--set", "parameters.nu=1"], "--set parameters.nu=1"),
        (&["--vary", "method.name=verlet,midpoint", "--figure", "f.svg"], "--figure: it is drawn over one key"),
        (&["--vary", "parameters.mu=1,2", "--figure", "f.pdf"], "a figure is written as .svg or .png"),
    ] {
        let ended = place.carom(&sweep("kepler", arguments)).code(2);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{arguments:?}");
    }
    assert_eq!(names(&place.0), [""; 0], "nothing was written");

    // As JSON, the same whatever the number of threads: the first point that is wrong.
    for threads in ["1", "4"] {
        let vary = format!("{e}=0:2:21");
        let document =
            place.carom(&sweep("kepler", &["--json", "--vary", &vary, "--threads", threads])).code(2).json();
        assert_eq!((&document["valid"], &document["point"]), (&false.into(), &json!({ e: 1 })));
        assert_eq!(document["problems"][0]["key"], "initial.v.y");
    }
    for arguments in [sweep("keplr", &["--vary", "a=1", "--json"]), sweep("kepler", &["--vary", "a", "--json"])] {
        assert_eq!(place.carom(&arguments).code(2).json()["valid"], false);
    }
}

#[test]
fn a_run_that_fails_is_a_row_and_the_others_are_there() {
    let place = Place::new();
    // The ball rolls to where the square root of its potential ends; a slow one turns back before.
    place.write(
        "edge.toml",
        "[parameters]\nspeed = 1\n[lagrangian]\ncoordinates = [\"x\"]\nmass = 1\npotential = \"-sqrt(1 - x)\"\n\
         [initial]\nq = { x = 0 }\nv = { x = \"speed\" }\n[method]\nname = \"verlet\"\n[run]\nstep = 0.01\nsteps = 100\n",
    );
    let vary = ["--vary", "parameters.speed=0.1,2,0.2,3"];
    let ended = place.carom(&sweep("edge.toml", &[&vary[..], &["--json"]].concat())).code(1);
    let document = ended.json();
    let complete: Vec<&Value> =
        document["runs"].as_array().expect("runs").iter().map(|run| &run["report"]["complete"]).collect();
    assert_eq!(complete, [true, false, true, false]);
    let reason = document["runs"][1]["report"]["ended"].as_str().expect("a reason");
    let said = format!("error: 2 of 4 runs failed; the first at parameters.speed = 2: {reason}");
    assert!(reason.contains("failed") && ended.err.contains(&said), "{ended:?}");
    assert!(ended.err.contains("kept: 4 of 4 rows in runs/sweep-edge"), "{ended:?}");
    assert_eq!(place.json("runs/sweep-edge/sweep.json"), document);

    let shown = place.carom(&sweep("edge.toml", &vary)).code(1).out;
    // The columns that do not fit stand in a second table; the reason is told by its beginning, since all of it is an error.
    let lines: Vec<&str> = shown.split("\n\n").nth(2).expect("a second table").lines().collect();
    assert!(lines[0].starts_with("parameters.speed") && lines[0].ends_with("complete  ended"), "{shown}");
    let (_, told) = lines[2].split_once(" no ").expect("not complete");
    let begin = told.trim().trim_end_matches('…');
    assert!(lines[2].starts_with("2 ") && begin.len() > 15 && reason.starts_with(begin), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    assert!(!place.carom(&sweep("edge.toml", &["--vary", "parameters.speed=0.1"])).code(0).out.contains("ended"));
}

#[test]
fn the_table_has_the_columns_that_have_values_and_the_extremes_below() {
    let place = Place::new();
    let out = place.carom(&sweep("kepler", &["--vary", "parameters.eccentricity=0:0.8:5"])).code(0).out;
    let lines: Vec<&str> = out.lines().collect();
    let heads: Vec<&str> = lines[2].split("  ").map(str::trim).filter(|head| !head.is_empty()).collect();
    let expected = ["parameters.eccentricity", "steps", "t", "E0", "min - E0", "max - E0", "slope", "iterations"];
    assert_eq!(heads, expected);
    // Those that do not fit stand below, with the key again.
    let below: Vec<&str> = lines[9].split_whitespace().collect();
    assert_eq!(below, ["parameters.eccentricity", "trustworthy", "complete"]);
    assert_eq!(lines.len(), 3 + 5 + 2 + 5 + 1 + 2, "{out}");
    assert!(lines[16].starts_with("5 runs in ") && lines[16].contains(" thread"), "{out}");
    let document = place.json("runs/sweep-kepler/sweep.json");
    let energy = &document["runs"][4]["report"]["energy"];
    let number = |key: &str| energy[key].as_f64().expect("a number");
    let change =
        (number("max") - number("initial")).max(number("initial") - number("min")) / number("initial").abs();
    assert_eq!(lines[17], format!("largest |E - E0|/|E0|: {change:.2e} at parameters.eccentricity = 0.8"));

    let rods = place.carom(&sweep("double-pendulum-rods", &["--steps", "9", "--vary", "parameters.g=1,2"])).code(0);
    assert!(rods.out.contains("equalities") && !rods.out.contains("penetration"), "{rods:?}");
    let rounded = place
        .carom(&sweep(
            "kepler",
            &["--until", "1", "--set", "parameters.eccentricity=0", "--vary", "run.step=0.1,0.3,0.7"],
        ))
        .code(0)
        .out;
    let rounded = rounded.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(rounded.contains("note: at run.step = 0.3: until = 1 is no multiple of the step"), "{rounded}");
    assert!(rounded.contains("(1 more in sweep.json)"), "{rounded}");
    let quiet = place.carom(&sweep("kepler", &["--steps", "1", "--vary", "parameters.mu=1,2", "--quiet"])).code(0);
    assert_eq!((quiet.out.as_str(), quiet.err.as_str()), ("", ""));
}

#[test]
fn the_csv_reads_back_to_the_bits_of_the_document() {
    let place = Place::new();
    let vary = "lagrangian.potential='-mu/hypot(x, y)',\"-mu/(x^2 + y^2)^0.5\"";
    let document = place.carom(&sweep("kepler", &["--steps", "50", "--json", "--vary", vary])).code(0).json();
    let csv = place.read("runs/sweep-kepler/sweep.csv");
    assert!(csv.lines().nth(1).is_some_and(|line| line.starts_with("\"-mu/hypot(x, y)\",50,")), "{csv}");
    assert!(csv.lines().nth(2).is_some_and(|line| line.starts_with("-mu/(x^2 + y^2)^0.5,50,")), "{csv}");
    let heads: Vec<&str> = csv.lines().next().expect("heads").split(',').collect();
    let line: Vec<&str> = csv.lines().nth(2).expect("a row").split(',').collect();
    let cell = |head: &str| line[heads.iter().position(|name| *name == head).expect(head)];
    let report = &document["runs"][1]["report"];
    let number = |path: &str| report.pointer(path).and_then(Value::as_f64).expect("a number");
    let initial = number("/energy/initial");
    for (head, value) in [
        ("t", number("/t")),
        ("energy_initial", initial),
        ("energy_min_change", number("/energy/min") - initial),
        ("energy_max_change", number("/energy/max") - initial),
        ("energy_slope", number("/energy/slope")),
    ] {
        assert_eq!(cell(head).parse::<f64>().expect("a number").to_bits(), value.to_bits(), "{head}");
    }
    assert_eq!([cell("max_equality"), cell("impacts"), cell("complete"), cell("ended")], ["", "", "true", ""]);
}

#[test]
fn a_folder_is_replaced_only_if_it_is_that_of_a_sweep() {
    let place = Place::new();
    let run = |vary: &str, out: &str| {
        place.carom(&sweep("kepler", &["--steps", "1", "--quiet", "--vary", vary, "--out", out]))
    };
    fs::create_dir(place.path("empty")).expect("a new folder");
    run("parameters.mu=1,2", "empty").code(0);
    assert_eq!(names(&place.path("empty")), ["sweep.csv", "sweep.json"]);
    run("parameters.mu=1,2,3", "empty").code(0);
    assert_eq!(place.read("empty/sweep.csv").lines().count(), 4);
    for (folder, name, text) in [
        ("notes", "notes.txt", "precious"),
        ("own", "sweep.json", "{ \"chimney\": true }"),
        ("table", "sweep.csv", "a,b\n"),
    ] {
        fs::create_dir(place.path(folder)).expect("a new folder");
        place.write(&format!("{folder}/{name}"), text);
        let ended = run("parameters.mu=1,2", folder).code(2);
        assert!(ended.err.contains(&format!("--out: {folder} exists and is not a sweep folder")), "{ended:?}");
        assert_eq!(names(&place.path(folder)), [name]);
        assert_eq!(place.read(&format!("{folder}/{name}")), text);
    }
    place.carom(&["run", "kepler", "--steps", "1", "--quiet", "--out", "run"]).code(0);
    run("parameters.mu=1,2", "run").code(2);
    // A sweep that was killed while it wrote is no obstacle.
    fs::create_dir(place.path("cut")).expect("a new folder");
    place.write("cut/sweep.json.partial", "{\n  \"car");
    run("parameters.mu=1,2", "cut").code(0);
    assert_eq!(names(&place.path("cut")), ["sweep.csv", "sweep.json"]);
}

#[test]
fn an_interrupted_sweep_keeps_the_rows_of_runs_that_have_ended() {
    let place = Place::new();
    let vary = ["--vary", "run.steps=10,20,1000000000,30", "--threads", "1", "--json", "--out", "out"];
    let mut command = place.command(&sweep("harmonic-oscillator", &vary));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("carom runs");
    let begin = Instant::now();
    while !place.path("out").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the sweep does not begin");
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_secs(1));
    assert_eq!(names(&place.path("out")), ["run.lock"], "the sweep is still going on");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let ended = Ended::of(child.wait_with_output().expect("it ends")).code(1);
    let document = ended.json();
    assert_eq!(points(&document), [json!({ "run.steps": 10 }), json!({ "run.steps": 20 })]);
    assert_eq!(document["points"], 4);
    assert_eq!(place.json("out/sweep.json"), document);
    assert_eq!(place.read("out/sweep.csv").lines().count(), 3);
    assert!(ended.err.contains("error: interrupted after 2 of 4 runs\nkept: 2 of 4 rows in out"), "{ended:?}");
}

#[test]
fn the_figure_shows_the_range_of_the_energy_over_the_key() {
    let place = Place::new();
    let vary = ["--vary", "parameters.eccentricity=0.1:0.6:6", "--steps", "50", "--quiet", "--figure"];
    place.carom(&sweep("kepler", &[&vary[..], &["range.svg"]].concat())).code(0);
    let svg = place.read("range.svg");
    for said in ["kepler with verlet", "parameters.eccentricity", "(E − E0)/|E0|", "highest", "lowest"] {
        assert!(svg.contains(said), "{said}");
    }
    place.carom(&sweep("kepler", &[&vary[..], &["range.png"]].concat())).code(0);
    assert!(fs::read(place.path("range.png")).expect("written").starts_with(b"\x89PNG"));
    // What was written is said, beside the one document on standard error.
    let vary = ["--vary", "parameters.eccentricity=0.1,0.2", "--steps", "5", "--figure", "said.svg"];
    let said = place.carom(&sweep("kepler", &vary)).code(0);
    assert!(said.out.ends_with("\nfigure: said.svg\n"), "{said:?}");
    let said = place.carom(&sweep("kepler", &[&vary[..], &["--json"]].concat())).code(0);
    assert!(said.json()["runs"].is_array() && said.err.ends_with("figure: said.svg\n"), "{said:?}");
}
