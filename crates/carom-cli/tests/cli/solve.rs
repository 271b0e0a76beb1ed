//! `solve`: problems from files.

use std::fs;

use serde_json::{Value, json};

use crate::{Place, bits, names};

/// Its solution is (4/3, 7/3).
const LCP: &str = r#"{"name": "two", "M": [[2, 1], [1, 2]], "q": [-5, -6]}"#;
/// w₁ = −z₂ − 1 is negative whatever z is.
const INFEASIBLE: &str = r#"{"name": "none", "M": [[0, -1], [0, -1]], "q": [-1, 1]}"#;
/// A contact that slides: r = (1, −0.5) in the plane.
const SLIDING: &str = r#"{"dimension": 2, "contacts": 1, "mu": [0.5], "q": [-1, 3],
    "W": {"size": 2, "row": [0, 1], "col": [0, 1], "value": [1, 1]}}"#;

/// The keys of an object, in their order.
fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("an array").iter().map(|number| number.as_f64().expect("a number")).collect()
}

#[test]
fn problems_are_solved_and_answers_have_the_keys_that_are_promised() {
    let place = Place::new();
    place.write("two.json", LCP);
    place.write("sliding.json", SLIDING);
    let document = place.carom(&["solve", "two.json", "sliding.json", "--json"]).code(0).json();
    assert_eq!(keys(&document), ["carom", "problems", "wrong"]);
    assert_eq!(document["wrong"], json!([]));
    let problems = document["problems"].as_array().expect("an array");
    let promised = [
        "name",
        "kind",
        "size",
        "solver",
        "iterations",
        "residual",
        "residual_relative",
        "seconds",
        "solved",
        "solution",
    ];
    for problem in problems {
        assert_eq!(keys(problem), [&promised[..], &["file", "reason"]].concat());
        assert!(problem["solved"] == true && problem["reason"].is_null(), "{problem}");
        assert!(problem["residual_relative"].as_f64().is_some_and(|residual| residual <= 1e-8));
        assert!(problem["solver"] != "default" && problem["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    }
    let known = [("two", "lcp", [4.0 / 3.0, 7.0 / 3.0]), ("sliding", "friction", [1.0, -0.5])];
    for (problem, (name, kind, solution)) in problems.iter().zip(known) {
        assert_eq!((&problem["name"], &problem["kind"], &problem["size"]), (&json!(name), &json!(kind), &json!(2)));
        for (found, expected) in numbers(&problem["solution"]).iter().zip(solution) {
            assert!((found - expected).abs() < 1e-7, "{name}: {found}");
        }
    }
    // The same bits again, and from every solver the same answer.
    let again = place.carom(&["solve", "two.json", "sliding.json", "--json"]).code(0).json();
    for (a, b) in problems.iter().zip(again["problems"].as_array().expect("an array")) {
        assert_eq!(bits(&a["solution"]), bits(&b["solution"]));
        assert_eq!((&a["residual"], &a["iterations"]), (&b["residual"], &b["iterations"]));
    }
    assert_eq!(names(&place.0), ["sliding.json", "two.json"], "nothing is written unasked");
}

#[test]
fn the_residual_is_that_of_the_definition() {
    let place = Place::new();
    place.write("two.json", LCP);
    // Far from solved: the tolerance is wide, and one look ends the sweeps.
    let arguments = ["solve", "two.json", "--json", "--solver", "pgs", "--tolerance", "0.5"];
    let problem = &place.carom(&arguments).code(0).json()["problems"][0];
    let z = numbers(&problem["solution"]);
    let map = |z: [f64; 2]| {
        let w = [2.0 * z[0] + z[1] - 5.0, z[0] + 2.0 * z[1] - 6.0];
        (z[0].min(w[0] / 2.0)).hypot(z[1].min(w[1] / 2.0))
    };
    let expected = map([z[0], z[1]]);
    let said = problem["residual"].as_f64().expect("a number");
    assert!((said - expected).abs() <= 1e-15 + 1e-12 * expected, "{said} and {expected}");
    let relative = problem["residual_relative"].as_f64().expect("a number");
    assert!((relative - expected / map([0.0, 0.0])).abs() <= 1e-15, "{relative}");
}

#[test]
fn a_problem_that_is_not_solved_is_said_with_the_reason_and_exit_1() {
    let place = Place::new();
    fs::create_dir(place.path("set")).expect("a folder");
    place.write("set/none.json", INFEASIBLE);
    place.write("set/two.json", LCP);
    place.write("set/notes.txt", "no problem");
    let ended = place.carom(&["solve", "set"]).code(1);
    assert!(
        ended.err.starts_with("error: 1 of 2 problems is not solved: none: the problem has no solution"),
        "{ended:?}"
    );
    let flat = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        flat.contains("NOT SOLVED: the problem has no solution") && flat.contains("1 of 2 solved"),
        "{ended:?}"
    );
    let document = place.carom(&["solve", "set", "--json"]).code(1).json();
    let none = &document["problems"][0];
    assert_eq!((&none["solved"], &none["solution"].as_array().map(Vec::len)), (&json!(false), &Some(2)));
    assert!(none["reason"].as_str().is_some_and(|reason| reason.contains("no solution")), "{none}");
    assert_eq!(document["problems"][1]["solved"], true);
    assert!(place.carom(&["solve", "set", "--quiet"]).code(1).out.is_empty());
}

#[test]
fn wrong_files_are_named_and_the_others_solved_all_the_same() {
    let place = Place::new();
    place.write("two.json", LCP);
    place.write("short.json", "{\n  \"M\": [[2, 1], [1, 2]],\n  \"é\": 1, \"q\": [-5]\n}\n");
    place.write("syntax.json", "{\"M\": [[2, 1],\n \"q\"");
    fs::create_dir(place.path("empty")).expect("a folder");
    fs::write(place.path("binary.json"), [0x7b, 0xff]).expect("writable");
    let files = ["short.json", "two.json", "syntax.json", "nowhere.json", "empty", "binary.json"];
    let ended = place.carom(&[&["solve"], &files[..]].concat()).code(2);
    assert!(ended.out.contains("1 of 1 solved"), "{ended:?}");
    let said = [
        "error: short.json:2:3: M: M is 2 x 2 where q has 1 entries\n",
        "error: short.json:3:3: é: unknown key of a problem of kind `lcp`; known keys: M, q, name, description, kind\n",
        "3 |   \"é\": 1, \"q\": [-5]\n",
        "error: syntax.json:2:4: M: invalid type: string \"q\", expected a list",
        "error: syntax.json:2:4: EOF while parsing a list",
        "error: nowhere.json: the file cannot be read",
        "error: empty: there is no .json file in this folder",
        "error: binary.json:1:2: the byte 0xFF is not UTF-8 text",
        "5 of 6 files are wrong",
    ];
    for words in said {
        assert!(ended.err.contains(words), "{words}\n{}", ended.err);
    }
    let document = place.carom(&[&["solve", "--json"], &files[..]].concat()).code(2).json();
    let wrong = document["wrong"].as_array().expect("an array");
    assert_eq!((wrong.len(), document["problems"].as_array().map(Vec::len)), (7, Some(1)));
    for (problem, (line, key)) in wrong.iter().zip([(2, "M"), (3, "é")]) {
        let place = (&problem["file"], &problem["line"], &problem["key"]);
        assert_eq!(place, (&json!("short.json"), &json!(line), &json!(key)));
    }
}

#[test]
fn a_solver_that_does_not_take_a_problem_is_refused_and_those_that_do_are_named() {
    let place = Place::new();
    place.write("two.json", LCP);
    place.write("sliding.json", SLIDING);
    let ended = place.carom(&["solve", "sliding.json", "two.json", "--solver", "lemke"]).code(2);
    let expected = "error: sliding.json: --solver: lemke does not take problems of kind `friction`; those that do: default, pgs,";
    assert!(ended.err.starts_with(expected) && ended.out.contains("lemke"), "{ended:?}");
    let unknown = place.carom(&["solve", "two.json", "--solver", "simplex"]).code(2);
    assert!(
        unknown.err.contains("--solver: there is no solver `simplex`; solvers: default, block-pivot"),
        "{unknown:?}"
    );
    for (option, value) in
        [("--tolerance", "0"), ("--tolerance", "nan"), ("--max-seconds", "-1"), ("--max-seconds", "soon")]
    {
        let ended = place.carom(&["solve", "two.json", option, value]).code(2);
        assert!(ended.err.contains(&format!("{option}: found {value}, allowed is a number ")), "{ended:?}");
    }
    place.carom(&["solve"]).code(2);
    place.carom(&["solve", "two.json", "--solver", "pgs", "--profile"]).code(2);
}

#[test]
fn solvers_are_listed_with_what_is_known_of_them() {
    let place = Place::new();
    let listed = place.carom(&["solve", "--solvers", "--json"]).code(0).json();
    let listed = listed.as_array().expect("an array");
    let table = place.carom(&["solve", "--solvers"]).code(0).out;
    assert!(listed.len() >= 12 && table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let manual = include_str!("../../../../docs/problems.md");
    for solver in listed {
        let name = solver["name"].as_str().expect("a name");
        assert!(table.contains(&format!("{name}\n")) || table.contains(&format!("{name} (also")), "{name}");
        assert!(manual.contains(&format!("`{name}`")), "{name} is not in docs/problems.md");
        for key in ["takes", "guarantees", "costs", "fails"] {
            assert!(solver[key].as_str().is_some_and(|text| !text.is_empty()), "{name}: {key}");
        }
    }
}

#[test]
fn a_profile_compares_all_solvers_and_lists_those_that_solve_nothing() {
    let place = Place::new();
    place.write("two.json", LCP);
    place.write("none.json", INFEASIBLE);
    place.write("sliding.json", SLIDING);
    let ended = place.carom(&["solve", "two.json", "sliding.json", "--profile", "--json"]).code(0);
    let document = ended.json();
    assert_eq!(document["problems"].as_array().map(Vec::len), Some(2));
    let groups = document["profile"].as_array().expect("groups");
    assert_eq!(groups.len(), 2);
    for group in groups {
        let solvers = group["solvers"].as_array().expect("solvers");
        let counts =
            |key: &str| -> Vec<u64> { solvers.iter().map(|s| s[key].as_u64().expect("a count")).collect() };
        // More than one only if their times are equal to the last digit.
        assert!(counts("fastest").iter().sum::<u64>() >= 1, "one of them is the fastest: {group}");
        assert!(counts("solved").iter().zip(counts("within_100")).all(|(solved, within)| within <= *solved));
        let default = solvers.iter().find(|solver| solver["name"] == "default").expect("the default");
        assert_eq!(default["solved"], 1);
    }
    assert_eq!(names(&place.path("runs/solve")), ["profile.csv", "profile.png", "profile.svg", "solve.json"]);
    let svg = place.read("runs/solve/profile.svg");
    assert!(svg.contains("block-pivot 1/1") && svg.contains("newton 1/1") && svg.contains("τ"), "{svg}");
    let png = fs::read(place.path("runs/solve/profile.png")).expect("written");
    assert!(png.starts_with(b"\x89PNG"));
    let csv = place.read("runs/solve/profile.csv");
    assert!(csv.starts_with("problem,solver,solved,seconds") && csv.contains("\"two\",lemke,true,"), "{csv}");

    let ended = place.carom(&["solve", "none.json", "--profile", "--out", "none"]).code(1);
    assert!(ended.out.contains("0 of 1 solved by at least one solver"), "{ended:?}");
    let svg = place.read("none/profile.svg");
    for solver in ["default", "block-pivot", "lemke", "enumeration", "pgs"] {
        assert!(svg.contains(&format!("{solver} 0/1")), "{solver}");
    }
}

#[test]
fn answers_are_kept_in_a_folder_of_their_own() {
    let place = Place::new();
    place.write("two.json", LCP);
    place.carom(&["solve", "two.json", "--profile", "--quiet", "--out", "out"]).code(0);
    let shown = place.carom(&["solve", "two.json", "--out", "out"]).code(0).out;
    assert!(shown.ends_with("out: solve.json\n"), "{shown}");
    // The figure of the profile before is no longer that of the answers.
    assert_eq!(names(&place.path("out")), ["solve.json"]);
    assert_eq!(place.json("out/solve.json")["problems"][0]["name"], "two");
    fs::create_dir(place.path("mine")).expect("a folder");
    place.write("mine/thesis.tex", "years of work");
    for folder in ["mine", "two.json"] {
        let ended = place.carom(&["solve", "two.json", "--out", folder]).code(2);
        assert!(ended.err.contains("exists and is no folder of solve"), "{ended:?}");
    }
    assert_eq!(place.read("mine/thesis.tex"), "years of work");
}

#[test]
fn every_example_of_the_manual_is_a_problem_that_is_solved() {
    let place = Place::new();
    let manual = include_str!("../../../../docs/problems.md");
    let examples: Vec<&str> =
        manual.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect();
    let files: Vec<String> = (0..examples.len()).map(|k| format!("example-{k}.json")).collect();
    let mut arguments = vec!["solve", "--json"];
    for (file, text) in files.iter().zip(&examples) {
        place.write(file, text);
        arguments.push(file);
    }
    let document = place.carom(&arguments).code(0).json();
    let mut kinds: Vec<&str> = document["problems"]
        .as_array()
        .expect("an array")
        .iter()
        .map(|problem| problem["kind"].as_str().expect("a kind"))
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["friction", "global-friction", "lcp", "mlcp", "saddle-mlcp"], "one of every kind");
}

/// The folder of examples, and for each the answer.
const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/problems");

#[test]
fn the_examples_are_solved_and_their_answers_are_those_that_are_known() {
    let string: Vec<f64> = (1..=12).map(|i| f64::from(i * (13 - i)) / 2.0).collect();
    let known: [(&str, &[f64]); 10] = [
        ("box-and-slip", &[1.0, -0.5, -0.5]),
        ("cone-and-slip", &[1.0, -0.3, -0.4]),
        ("motor", &[2.0, -1.0 / 3.0, 1.0 / 3.0]),
        ("rail", &[0.4, 0.1635, -0.08175]),
        ("rope", &[0.2, 0.1]),
        ("sliding-block", &[1.0, -0.5]),
        ("stack", &[3.0, 2.0]),
        ("sticking-block", &[1.0, -0.3, 0.2]),
        ("string", &string),
        ("two-contacts", &[4.0 / 3.0, 7.0 / 3.0]),
    ];
    let place = Place::new();
    let document = place.carom(&["solve", EXAMPLES, "--json"]).code(0).json();
    let problems = document["problems"].as_array().expect("an array");
    assert_eq!(problems.len(), known.len());
    for (problem, (file, solution)) in problems.iter().zip(known) {
        assert!(problem["file"].as_str().is_some_and(|path| path.ends_with(&format!("/{file}.json"))), "{problem}");
        let found = numbers(&problem["solution"]);
        assert_eq!(found.len(), solution.len(), "{file}");
        assert!(found.iter().zip(solution).all(|(found, known)| (found - known).abs() < 1e-7), "{file}: {found:?}");
        let text: Value =
            serde_json::from_str(&fs::read_to_string(format!("{EXAMPLES}/{file}.json")).expect("a file"))
                .expect("JSON");
        assert!(
            text["name"].is_string() && text["description"].as_str().is_some_and(|words| words.len() > 50),
            "{file}"
        );
    }
    let mut kinds: Vec<&str> = problems.iter().filter_map(|problem| problem["kind"].as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["friction", "global-friction", "lcp", "mlcp", "saddle-mlcp"], "one of every kind");
}

#[test]
fn a_short_answer_stands_below_every_problem() {
    let place = Place::new();
    let printed = place.carom(&["solve", EXAMPLES]).code(0).out;
    for line in [
        "  z = 1.333333, 2.333333\n",
        "  r = 1, -0.3, 0.2\n",
        "  z = 6, 11, 15, 18, 20, 21, 21, 20, … (12 numbers, ‖z‖ = 55.623736; all with --json)\n",
    ] {
        assert!(printed.contains(line), "{line}\n{printed}");
    }
    place.write("none.json", INFEASIBLE);
    let printed = place.carom(&["solve", "none.json"]).code(1).out;
    assert!(!printed.contains("z = "), "what is not solved has no answer: {printed}");
}

#[test]
fn everything_wrong_with_a_file_is_said_at_once() {
    let place = Place::new();
    place.write(
        "wrong.json",
        "{\n  \"dimension\": 4,\n  \"mu\": [0.5, -1],\n  \"q\": [\"one\", 0],\n  \"W\": [[1, 0], [0]],\n  \"law\": \"pyramid\",\n  \"qq\": 1\n}\n",
    );
    let ended = place.carom(&["solve", "wrong.json"]).code(2);
    let said = [
        "error: wrong.json:2:3: dimension: 4; a contact has 2 or 3 rows\n",
        "error: wrong.json:3:3: mu: entry 1 is -1; friction is from 0 up\n",
        "error: wrong.json:4:13: q: invalid type: string \"one\", expected a finite number\n",
        "error: wrong.json:6:3: law: there is no law `pyramid`; laws are cone, box\n",
        "error: wrong.json:7:3: qq: unknown key of a problem of kind `friction`",
    ];
    let mut rest = ended.err.as_str();
    for words in said {
        let (_, after) = rest.split_once(words).unwrap_or_else(|| panic!("{words}\n{}", ended.err));
        rest = after;
    }
    assert!(ended.err.ends_with("1 of 1 files is wrong\n"), "{}", ended.err);
}
