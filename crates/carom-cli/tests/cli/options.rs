//! Options of the simulating commands: what they do, and what is refused.

use crate::{Place, names};

#[test]
fn wrong_input_ends_with_2_and_says_what_is_allowed() {
    let place = Place::new();
    place.write("bytes.toml", "title = \"a\"\n");
    std::fs::write(place.path("latin.toml"), b"title = \"\xe9\"\n").expect("writable");
    for (arguments, said) in [
        (&["run", "kepler", "--until", "1", "--steps", "3"][..], "--until"),
        (&["run", "keplr"], "did you mean `kepler`?"),
        (&["run", "missing.toml"], "missing.toml"),
        (&["run", "."], "no file that can be read"),
        (&["run", "bytes.toml"], "the scene does not say what moves"),
        (&["run", "latin.toml"], "latin.toml:1:10: the byte 0xE9 is not UTF-8"),
        (&["run", "kepler", "--method", "verlett"], "--method verlett: method.name: there is no method `verlett`"),
        (&["run", "kepler", "--method", "a\"b\\"], "there is no method"),
        (&["run", "kepler", "--step", "-1"], "--step -1: run.step: found -1"),
        (&["run", "kepler", "--step", "tiny"], "--step tiny: run.step: unknown name `tiny`"),
        (&["run", "kepler", "--steps", "1.5"], "--steps 1.5: run.steps: found 1.5"),
        (
            &["run", "kepler", "--steps", "18446744073709551615"],
            "'18446744073709551615' for '--steps <N>': allowed is a whole number from 0 to 1000000000000000",
        ),
        (
            &["run", "kepler", "--every", "-1"],
            "--every -1: run.every: found -1, allowed is a whole number from 1 to",
        ),
        (
            &["run", "kepler", "--snapshot", "1e300"],
            "'1e300' for '--snapshot <SECONDS>': allowed is a number of seconds",
        ),
        (&["run", "kepler", "--snapshot", "-1"], "'-1' for '--snapshot <SECONDS>': allowed is a number of seconds"),
        (
            &["run", "kepler", "--threads", "-1"],
            "'-1' for '--threads <N>': allowed is a whole number from 1 to 65535",
        ),
        (&["order", "kepler", "--levels", "-1"], "'-1' for '--levels <N>': allowed is a whole number from 2 to 20"),
        (&["run", "kepler", "--measures", "enery"], "did you mean `energy-parts`"),
        (
            &["run", "kepler", "--set", "run.steps=99999999999999999999"],
            "the integer 99999999999999999999 is out of",
        ),
        (&["run", "kepler", "--until", "-1"], "--until -1: run.until"),
        (&["run", "kepler", "--every", "0"], "--every 0: run.every"),
        (&["run", "kepler", "--set", "parameters.mu"], "--set parameters.mu: there is no `=`"),
        (&["run", "kepler", "--set", "parameters.mu=abc"], "unknown name `abc`"),
        (&["run", "kepler", "--threads", "0"], "--threads"),
        (&["run", "kepler", "--stpe", "1"], "--step"),
        (&["run"], "SCENE"),
        (&["chek", "kepler"], "'check'"),
        (&["show", "keplr"], "did you mean `kepler`?"),
        (&["cite", "verlett"], "did you mean `verlet`?"),
        (&["check", "keplr"], "did you mean `kepler`?"),
    ] {
        let ended = place.carom(arguments).code(2);
        assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
        assert_eq!(ended.out, "", "{arguments:?}");
    }
    assert_eq!(names(&place.0), ["bytes.toml", "latin.toml"], "nothing was written");
}

#[test]
fn the_method_of_the_command_line_has_its_default_options_and_set_reaches_them() {
    let place = Place::new();
    let run = |arguments: &[&str]| {
        place.carom(&[&["run", "elastic-pendulum", "--steps", "5", "--json"], arguments].concat()).code(0);
        place.read("runs/elastic-pendulum/scene.toml")
    };
    let scene = run(&["--method", "variational"]);
    assert!(scene.contains("\nrule = \"trapezoid\"\n") && scene.contains("\ngamma = 0.5\n"), "{scene}");
    // In whatever order they are given.
    let scene = run(&["--set", "method.rule=gamma", "--method", "variational"]);
    assert!(scene.contains("[method]\nname = \"variational\"\nrule = \"gamma\"\n"), "{scene}");
}

#[test]
fn until_is_rounded_to_whole_steps_and_that_is_said() {
    let place = Place::new();
    let run = |until: &str, json: bool| {
        let mut arguments = vec!["run", "harmonic-oscillator", "--until", until];
        arguments.extend(json.then_some("--json"));
        place.carom(&arguments).code(0)
    };
    let report = run("0.74", true).json();
    assert_eq!(report["steps"], 7);
    let note = report["notes"][0].as_str().expect("a note");
    assert!(note.contains("until = 0.74 is no multiple of the step") && note.contains("7 steps"), "{note}");
    assert!(run("0.74", false).out.contains("note: until = 0.74 is no multiple"));
    let check = place.carom(&["check", "harmonic-oscillator", "--until", "0.74"]).code(0);
    assert!(check.out.contains("note: until = 0.74 is no multiple"), "{check:?}");
    let none = place.carom(&["run", "harmonic-oscillator", "--until", "1e-12"]).code(2);
    assert!(none.err.contains("the run would have no steps"), "{none:?}");
    // Round-off in until/step is none of the user's business.
    for (until, steps) in [("0.3", 3), ("0.7", 7), ("100", 1000), ("0", 0), ("1e4", 100_000)] {
        let report = run(until, true).json();
        assert_eq!((&report["steps"], &report["notes"]), (&steps.into(), &serde_json::json!([])), "{until}");
    }
}

#[test]
fn steps_and_until_take_each_others_place() {
    let place = Place::new();
    let report = place.carom(&["run", "kepler", "--steps", "17", "--json"]).code(0).json();
    assert_eq!(report["steps"], 17);
    let scene = place.read("runs/kepler/scene.toml");
    assert!(scene.contains("\nsteps = 17\n") && !scene.contains("\nuntil"), "{scene}");
    let report = place.carom(&["run", "runs/kepler/scene.toml", "--until", "1", "--json", "--out", "u"]).code(0);
    assert_eq!(report.json()["steps"], 32);
    assert!(!place.read("u/scene.toml").contains("\nsteps ="));
}

#[test]
fn quiet_says_nothing_and_writes_everything() {
    let place = Place::new();
    let ended = place.carom(&["run", "kepler", "--steps", "10", "--quiet"]).code(0);
    assert_eq!((ended.out.as_str(), ended.err.as_str()), ("", ""));
    assert_eq!(place.json("runs/kepler/run.json")["steps"], 10);
    // That files were replaced is no report: who did not mean it must learn of it.
    let ended = place.carom(&["run", "kepler", "--steps", "10", "--quiet", "--json"]).code(0);
    assert_eq!(ended.json()["steps"], 10, "--json was asked for");
    assert_eq!(ended.err, "note: replaced the earlier run in runs/kepler (kepler with verlet, 10 steps)\n");
}

#[test]
fn a_folder_or_file_that_is_nearly_there_is_named() {
    let place = Place::new();
    place.carom(&["run", "kepler", "--steps", "10", "--quiet"]).code(0);
    place.write("chain.json", r#"{"M": [[1]], "q": [-1]}"#);
    for arguments in [
        &["report", "runs/keplr"][..],
        &["export", "runs/keplr"],
        &["cite", "runs/keplr"],
        &["run", "--resume", "runs/keplr"],
        &["order", "kepler", "--reference", "runs/keplr"],
    ] {
        let ended = place.carom(arguments).code(2);
        assert!(ended.err.contains("did you mean `runs/kepler`?"), "{arguments:?}: {}", ended.err);
    }
    let ended = place.carom(&["run", "runs/kepler"]).code(2);
    assert!(ended.err.contains("did you mean `runs/kepler/scene.toml`?"), "{}", ended.err);
    let ended = place.carom(&["solve", "chian.json"]).code(2);
    assert!(ended.err.contains("did you mean `chain.json`?"), "{}", ended.err);
    let ended = place.carom(&["run", "--resume", "runs/keplr", "--json"]).code(2);
    assert_eq!(ended.json()["problems"][0]["help"], "did you mean `runs/kepler`?");
}

#[test]
fn the_report_says_what_was_kept() {
    let place = Place::new();
    let out = place.carom(&["run", "double-pendulum-rods", "--steps", "100"]).code(0).out;
    let said = ["Double pendulum", "verlet with h = 0.01: 100 steps to t = 1", "energy", "equalities", "solver"];
    for said in said {
        assert!(out.contains(said), "{said}: {out}");
    }
    assert!(!out.contains("inequalities") && !out.contains("NaN"), "{out}");
}

#[test]
fn steps_that_needed_no_correction_are_not_called_explicit() {
    let place = Place::new();
    let rod = "[[rod]]\nbetween = [0, 1]\n";
    let run = |rod: &str| {
        // Two particles side by side: the rod between them is neither stretched nor turned.
        let particle = |x: u32| format!("[[particle]]\nmass = 1\nposition = [{x}, 0]\nvelocity = [0, 1]\n");
        let rest = "[method]\nname = \"verlet\"\n[run]\nstep = 0.5\nsteps = 1\n";
        place.write("pair.toml", &format!("{}{}{rod}{rest}", particle(0), particle(1)));
        place.carom(&["run", "pair.toml", "--out", "run"]).code(0).out
    };
    let (held, free) = (run(rod), run(""));
    assert!(held.contains("no step needed a correction") && !held.contains("explicit"), "{held}");
    assert!(free.contains("explicit: no equations to solve") && free.contains(": 1 step to t = 0.5"), "{free}");
}
