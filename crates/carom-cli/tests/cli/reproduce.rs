//! Experiments on the command line: what is printed, exit codes, `--set`, threads.

use crate::Place;

const SMOOTH: &str = include_str!("../../../carom-io/tests/experiments/smooth.toml");

fn place() -> Place {
    let place = Place::new();
    place.write("smooth.toml", SMOOTH);
    place
}

fn verdicts(document: &serde_json::Value) -> Vec<(&str, &str)> {
    let claims = document["claims"].as_array().expect("claims");
    claims
        .iter()
        .map(|claim| (claim["id"].as_str().unwrap(), claim["verdict"].as_str().unwrap_or("none")))
        .collect()
}

#[test]
fn claims_are_printed_with_verdicts_and_figures_written() {
    let place = place();
    let shown = place.carom(&["reproduce", "smooth.toml", "--check"]).code(0).out;
    for text in [
        "smooth: Smooth motion: what the program itself claims of two methods\nNowhere, section 0\n",
        "  bounded: holds\n    claim     The energy error of a symplectic method stays bounded.\n    paper     no drift\n",
        "  damped: does not hold\n",
        "  eccentric: depends\n",
        "2 of 5 satisfy it",
        "7 claims of the papers: 5 hold, 1 does not hold, 1 depends\n0 verdicts differ from expected\n",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    for figure in ["energy", "more"] {
        assert!(place.read(&format!("runs/reproduce/smooth-{figure}.svg")).ends_with("</svg>\n"));
    }
    let quiet = place.carom(&["reproduce", "smooth.toml", "--quiet", "--only", "order", "--out", "else"]).code(0);
    assert!(quiet.out.is_empty() && !place.path("else").exists());
}

#[test]
fn one_json_document_of_the_same_bits_for_any_number_of_threads() {
    let place = place();
    let run = |threads: &str| {
        place.carom(&["reproduce", "smooth.toml", "--json", "--threads", threads, "--full"]).code(0).out
    };
    let one = run("1");
    assert_eq!(one, run("3"));
    let document: serde_json::Value = serde_json::from_str(&one).expect("JSON");
    let claim = &document["claims"][2];
    for key in [
        "paper",
        "experiment",
        "id",
        "claim",
        "says",
        "paper_value",
        "measured",
        "unit",
        "expected",
        "verdict",
        "reason",
    ] {
        assert!(claim.get(key).is_some(), "{key}");
    }
    assert_eq!(claim["verdict"], "depends");
    assert_eq!(claim["measured"].as_array().map(Vec::len), Some(5));
    assert_eq!(claim["share"], 0.4);
    assert_eq!(document["claims"][1]["paper_value"], 0.0);
    assert_eq!(verdicts(&document).last(), Some(&("long", "holds")), "the claims of --full");
    assert_eq!(document["runs"].as_array().map(Vec::len), Some(10), "every run once");
}

#[test]
fn a_verdict_that_is_not_expected_fails_the_check_only() {
    let place = place();
    place.write("other.toml", &SMOOTH.replacen("expected = \"holds\"", "expected = \"does not hold\"", 1));
    let only = ["reproduce", "other.toml", "--only", "bounded"];
    let shown = place.carom(&only).code(0).out;
    assert!(shown.contains("bounded: holds (expected: does not hold)"), "{shown}");
    assert!(shown.contains("1 claim of the paper: 1 holds\n1 verdict differs from expected"), "{shown}");
    let failed = place.carom(&[&only[..], &["--check"]].concat()).code(1);
    assert!(failed.err.contains("error: other: bounded: holds, expected: does not hold"), "{failed:?}");
}

#[test]
fn a_verdict_flips_with_the_parameters() {
    let place = place();
    let only = ["reproduce", "smooth.toml", "--only", "bounded", "--json"];
    let document = place.carom(&[&only[..], &["--set", "parameters.eccentricity=0.95"]].concat()).code(0);
    assert!(document.err.contains("note: run `rod` of smooth does not take parameters.eccentricity=0.95"));
    assert_eq!(verdicts(&document.json()), [("bounded", "does not hold")]);
    let unknown = place.carom(&["reproduce", "smooth.toml", "--set", "parameters.nothing=1"]).code(2);
    assert!(unknown.err.contains("error: --set parameters.nothing=1: parameters.nothing: the scene has no"));
    let check = place.carom(&["reproduce", "smooth.toml", "--set", "run.step=0.01", "--check"]).code(2);
    assert!(check.err.contains("the expected verdicts are those of the published parameters"), "{check:?}");
}

#[test]
fn no_verdict_is_a_failure() {
    let place = place();
    place.write("none.toml", &SMOOTH.replace("\"rod.max_equality\"", "\"rod.impacts\""));
    let failed = place.carom(&["reproduce", "none.toml", "--only", "constraint", "--json"]).code(1);
    assert!(failed.err.contains("no verdict can be computed: run `rod`: `impacts` has no meaning"), "{failed:?}");
    let claim = &failed.json()["claims"][0];
    assert!(claim["verdict"].is_null() && claim["measured"].is_null() && claim["error"].is_string());
}

#[test]
fn what_is_meant_must_be_known() {
    let place = place();
    let unknown = place.carom(&["reproduce", "kaufman"]).code(2);
    assert!(unknown.err.contains("there is no paper of this name") && unknown.err.contains("kaufman-pai"));
    let unknown = place.carom(&["reproduce", "lacoursiere-linde/nothing"]).code(2);
    assert!(unknown.err.contains("lacoursiere-linde/nothing: the paper"), "{unknown:?}");
    place.carom(&["reproduce", "missing.toml"]).code(2);
    let unknown = place.carom(&["reproduce", "smooth.toml", "--only", "bound"]).code(2);
    assert!(unknown.err.contains("there is no claim `bound`; did you mean `bounded`?"), "{unknown:?}");
    let long = place.carom(&["reproduce", "smooth.toml", "--only", "long"]).code(2);
    assert!(long.err.contains("add --full"), "{long:?}");
    place.write("wrong.toml", &SMOOTH.replace("id = \"bounded\"", "idd = \"bounded\""));
    let wrong = place.carom(&["reproduce", "wrong.toml", "--json"]).code(2);
    assert_eq!(wrong.json()["problems"][0]["key"], "claim[0].id");
    assert!(wrong.err.contains("wrong.toml: 2 problems"), "{wrong:?}");
}

#[test]
fn experiments_are_listed() {
    let place = place();
    let listed = place.carom(&["reproduce", "smooth.toml", "--list"]).code(0).out;
    assert!(listed.starts_with("smooth  8 claims  Smooth motion"), "{listed}");
    assert!(listed.ends_with(" (Nowhere, section 0)\n"), "{listed}");
    let listed = place.carom(&["reproduce", "smooth.toml", "--list", "--json"]).code(0).json();
    assert_eq!(listed[0]["claims"][7]["id"], "long");
    place.carom(&["reproduce", "--list"]).code(0);
    assert!(!place.path("runs").exists());
}

/// A claim and a mutation that changes nothing.
const IDLE: &str = r#"title = "One oscillator"
[[run]]
name = "free"
scene = "harmonic-oscillator"
method = "verlet"
step = 0.1
until = 10.0
[[claim]]
id = "bounded"
claim = "The energy stays within a tenth."
measured = "(free.rise + free.fall)/free.energy_initial"
holds = { at_most = 0.1 }
expected = "holds"
reason = "The method is symplectic."
[[mutation]]
name = "idle"
what = "The same method."
set = ["method={ name = 'verlet' }"]
flips = ["bounded"]
"#;

#[test]
fn mutations_are_compared_with_what_was_computed_and_not_with_what_is_recorded() {
    let place = Place::new();
    let mutated = |text: &str| {
        place.write("idle.toml", text);
        place.carom(&["reproduce", "idle.toml", "--mutations", "--json"])
    };
    let idle = mutated(IDLE).code(1);
    assert!(idle.err.contains("bounded: with the mutation `idle` the verdict stays: holds"), "{idle:?}");
    let wrong = mutated(&IDLE.replace("expected = \"holds\"", "expected = \"does not hold\"")).code(1);
    assert!(
        wrong.err.contains("bounded: holds, expected: does not hold") && wrong.err.contains("stays"),
        "{wrong:?}"
    );
    let damped = mutated(&IDLE.replace("name = 'verlet'", "name = 'newmark', gamma = 0.9")).code(0);
    assert_eq!(damped.json()["mutations"][0]["published"], "holds");
    assert_eq!(damped.json()["mutations"][0]["verdict"], "does not hold");
    let none = mutated(&IDLE[..IDLE.find("[[mutation]]").expect("a mutation")]).code(1);
    assert!(none.err.contains("bounded: no mutation flips it"), "{none:?}");
}
