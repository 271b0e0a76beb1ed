//! `scenes`, `methods`, `show`, `check`, `schema` and `cite`.

use carom::method::AnyMethod;
use carom_io::references;
use carom_io::scene::BUILT_IN;
use serde_json::{Value, json};

use crate::Place;

/// The keys of the BibTeX entries in a text.
fn entries(text: &str) -> Vec<&str> {
    let entry = |line: &'_ str| line.starts_with('@');
    text.lines().filter(|line| entry(line)).filter_map(|line| line.split(['{', ',']).nth(1)).collect()
}

fn strings(values: &Value) -> Vec<&str> {
    values.as_array().expect("an array").iter().map(|value| value.as_str().expect("a string")).collect()
}

#[test]
fn scenes_lists_every_built_in_scene_with_a_title_and_known_citations() {
    let place = Place::new();
    let listed = place.carom(&["scenes", "--json"]).code(0).json();
    let listed = listed.as_array().expect("an array");
    assert_eq!(listed.len(), BUILT_IN.len());
    let table = place.carom(&["scenes"]).code(0).out;
    for (scene, built_in) in listed.iter().zip(BUILT_IN) {
        assert_eq!(scene["name"], built_in.name);
        assert!(table.contains(built_in.name), "{table}");
        for key in ["family", "title", "description", "method"] {
            assert!(scene[key].as_str().is_some_and(|text| !text.is_empty()), "{}: {key}", built_in.name);
        }
        assert!(scene["coordinates"].as_u64().is_some_and(|count| count > 0));
        assert!(scene["parameters"].as_object().is_some_and(|parameters| !parameters.is_empty()));
        let cites = strings(&scene["cites"]);
        assert!(!cites.is_empty(), "{} cites nothing", built_in.name);
        for key in cites {
            assert!(references::entry(key).is_some(), "{}: {key} is not in references.bib", built_in.name);
        }
    }
}

#[test]
fn methods_lists_every_method_with_claims_and_known_citations() {
    let place = Place::new();
    let listed = place.carom(&["methods", "--json"]).code(0).json();
    let listed = listed.as_array().expect("an array");
    let table = place.carom(&["methods"]).code(0).out;
    let all = AnyMethod::all();
    assert_eq!(listed.len(), all.len());
    for (method, known) in listed.iter().zip(&all) {
        assert_eq!(method["name"], known.name());
        assert!(table.contains(&format!("{}: {}\n", known.name(), known.title())), "{table}");
        assert!(method["claims"]["order"].as_u64().is_some_and(|order| order > 0));
        assert!(method["claims"]["symplectic"].is_boolean() && method["takes"]["inequalities"].is_boolean());
        assert!(method["options"].is_object());
        for key in strings(&method["cites"]) {
            assert!(references::entry(key).is_some(), "{}: {key} is not in references.bib", known.name());
        }
    }
}

#[test]
fn check_says_that_a_scene_is_fine_and_what_it_is() {
    let place = Place::new();
    for scene in BUILT_IN {
        let mut report = place.carom(&["check", scene.name, "--json"]).code(0).json();
        let gaps = report.as_object_mut().and_then(|report| report.remove("gaps")).expect("gaps");
        assert!(gaps.as_array().is_some_and(|gaps| gaps.iter().all(|gap| gap["unit"] != "own")), "{gaps}");
        let squeezed = report.as_object_mut().and_then(|report| report.remove("compressed")).expect("starts");
        assert_eq!(squeezed.as_array().map(Vec::len), Some(if scene.name == "squeezed-disc" { 2 } else { 0 }));
        assert_eq!(report, json!({ "valid": true, "problems": [], "notes": [], "derivatives": null }));
        let report = place.carom(&["check", scene.name, "--json", "--derivatives"]).code(0).json();
        let derivatives = report["derivatives"].as_array().expect("an array");
        assert!(!derivatives.is_empty());
        assert!(derivatives.iter().all(|derivative| derivative["agrees"] == true), "{}", scene.name);
        let said = place.carom(&["check", scene.name]).code(0).out;
        assert!(said.starts_with(&format!("{}: fine\n", scene.name)) && said.contains("coordinates"), "{said}");
    }
    assert!(crate::names(&place.0).is_empty(), "check writes nothing");
}

#[test]
fn check_says_which_gaps_are_lengths() {
    let place = Place::new();
    let scene = |further: &str| {
        format!(
            "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '9.81*y'\npoints = [['x', 'y']]\n\
             inequalities = [{{ name = 'rail', expression = 'y - x^2', slide = 'x'{further} }}, '9 - y']\n\
             [initial]\nq = [1.0, 1.0]\n[method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1.0\n"
        )
    };
    for (further, unit, words, note) in [
        (
            "",
            "own",
            "1 a length as written, 1 in a unit of its own",
            "`rail` is not a length: its gradient has length 2.2361",
        ),
        (
            ", friction = 0.1",
            "normalised",
            "1 a length as written, 1 made a length",
            "`rail` is not a length as it is written: it was",
        ),
        (
            ", unit = 'normalised'",
            "normalised",
            "1 a length as written, 1 made a length",
            "divided by the length of its gradient, 2.2361",
        ),
        (
            ", friction = 0.1, unit = 'length'",
            "said to be a length",
            "2 a length as written",
            "taken as a length, as the scene says",
        ),
    ] {
        place.write("rail.toml", &scene(further));
        let said = place.carom(&["check", "rail.toml"]).code(0).out;
        assert!(said.contains(words) && said.contains(note), "{said}");
        let report = place.carom(&["check", "rail.toml", "--json"]).code(0).json();
        assert_eq!((&report["gaps"][0]["unit"], &report["gaps"][1]["unit"]), (&json!(unit), &json!("length")));
        assert!(report["gaps"][0]["slope"].as_f64().is_some_and(|slope| (slope - 5_f64.sqrt()).abs() < 1e-12));
    }
}

#[test]
fn check_reports_every_problem_of_a_scene() {
    let place = Place::new();
    let scene = BUILT_IN.iter().find(|scene| scene.name == "kepler").expect("kepler").text;
    place.write("bad.toml", &scene.replace("-mu/hypot(x, y)", "-mu/hypott(x, y)").replace("until", "untl"));
    let ended = place.carom(&["check", "bad.toml", "--json"]).code(2);
    let report = ended.json();
    let keys: Vec<&str> =
        report["problems"].as_array().expect("an array").iter().filter_map(|p| p["key"].as_str()).collect();
    assert_eq!(keys, ["lagrangian.potential", "run", "run.untl"]);
    for said in ["did you mean `hypot`?", "did you mean `until`?", "bad.toml: 3 problems"] {
        assert!(ended.err.contains(said), "{said}: {}", ended.err);
    }
}

#[test]
fn schema_is_one_document() {
    let schema = Place::new().carom(&["schema"]).code(0).json();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let methods = schema["properties"]["method"]["oneOf"].as_array().expect("an array");
    assert_eq!(methods.len(), AnyMethod::all().len());
}

#[test]
fn cite_prints_the_entries_of_every_method_and_scene() {
    let place = Place::new();
    for method in AnyMethod::all() {
        let out = place.carom(&["cite", method.name()]).code(0).out;
        assert_eq!(entries(&out), method.cites(), "{}", method.name());
        assert_eq!(out.matches('{').count(), out.matches('}').count(), "{out}");
    }
    for scene in place.carom(&["scenes", "--json"]).json().as_array().expect("an array") {
        let out = place.carom(&["cite", scene["name"].as_str().expect("a name")]).code(0).out;
        let found = entries(&out);
        assert!(strings(&scene["cites"]).iter().all(|key| found.contains(key)), "{scene}: {found:?}");
        assert!(found.iter().enumerate().all(|(at, key)| !found[..at].contains(key)), "{found:?}");
    }
}

#[test]
fn cite_prints_the_entries_of_what_was_run() {
    let place = Place::new();
    place.carom(&["run", "kepler", "--method", "newmark", "--steps", "2", "--quiet", "--out", "out"]).code(0);
    for of in ["out", "out/scene.toml"] {
        let out = place.carom(&["cite", of]).code(0).out;
        assert_eq!(entries(&out), ["newmark-1959", "kane-2000", "hairer-lubich-wanner-2003"], "{of}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    let place = Place::new();
    let help = place.carom(&["--help"]).code(0).out;
    for command in ["run", "check", "scenes", "methods", "show", "schema", "cite"] {
        assert!(help.contains(&format!("\n  {command}")), "{help}");
        place.carom(&[command, "--help"]).code(0);
    }
    assert!(place.carom(&["--version"]).code(0).out.starts_with("carom "));
}
