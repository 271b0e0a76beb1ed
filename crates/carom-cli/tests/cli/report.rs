//! `report.html`: written by every run, made again by `carom report`, with the numbers of `run.json`.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::{Ended, Place, names};

const PENDULUM: [&str; 6] = ["run", "double-pendulum-rods", "--steps", "2000", "--quiet", "--out"];

/// A value and its error in their common power of ten, as the page writes them.
fn mantissas(value: f64, error: f64) -> (String, String) {
    let tens = value.abs().max(error).log10().floor();
    let decimals = (tens - error.log10().floor() + 1.0).clamp(1.0, 6.0) as usize;
    let scale = 10f64.powf(-tens);
    let write = |value: f64| format!("{:.decimals$}", value * scale).replace('-', "−");
    (write(value), write(error))
}

#[test]
fn the_page_has_the_numbers_of_the_run() {
    let place = Place::new();
    place.carom(&[&PENDULUM[..], &["run"]].concat()).code(0);
    let (page, run) = (place.read("run/report.html").replace('\u{a0}', " "), place.json("run/run.json"));
    let number = |pointer: &str| run.pointer(pointer).and_then(Value::as_f64).expect("a number");
    let (slope, error) = mantissas(number("/energy/slope"), number("/energy/slope_error"));
    assert!(page.contains(&format!("lope ({slope} ± {error}) × 10")), "({slope} ± {error})");
    for (words, pointer) in
        [("Largest violation", "/constraints/max_equality"), ("largest rate", "/constraints/max_equality_velocity")]
    {
        let text = format!("{:.2e}", number(pointer));
        let (mantissa, _) = text.split_once('e').expect("a power");
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        assert!(page.contains(&format!("{words} {mantissa} × 10⁻¹")), "{words} {text}");
    }
    // The record holds every number to the bit.
    for pointer in ["/energy/slope", "/energy/max", "/constraints/max_equality", "/final/q/0"] {
        let number = run.pointer(pointer).expect("there").to_string();
        assert!(page.contains(&number), "{pointer}: {number}");
    }
    assert!(!page.contains(&run["wall_seconds"].to_string()) && !page.contains("http"));
    for figure in ["energy", "paths", "phase", "constraints", "solver"] {
        assert!(page.contains(&format!("<figure id=\"{figure}\">")), "{figure}");
    }
}

#[test]
fn the_page_is_made_again_from_the_folder_alone() {
    let place = Place::new();
    place.carom(&[&PENDULUM[..], &["first"]].concat()).code(0);
    let written = fs::read(place.path("first/report.html")).expect("written");
    fs::rename(place.path("first"), place.path("moved")).expect("moved");
    fs::remove_file(place.path("moved/report.html")).expect("it was there");
    let made = place.carom(&["report", "moved"]).code(0);
    assert_eq!(made.out, "moved/report.html\n");
    assert!(written == fs::read(place.path("moved/report.html")).expect("made again"));

    let drawn = place.carom(&["report", "moved", "--png", "--svg"]).code(0).out;
    let figures = names(&place.path("moved/figures"));
    assert_eq!(drawn.lines().count(), 1 + figures.len());
    assert_eq!(figures.len(), 10, "five figures, twice: {figures:?}");
    let read = |name: &str| fs::read(place.path("moved/figures").join(name)).expect("drawn");
    assert!(read("energy.png").starts_with(b"\x89PNG") && read("phase.svg").starts_with(b"<svg xmlns="));

    // A new run takes them away; what a user keeps beside them stays.
    place.write("moved/figures/mine.svg", "precious");
    place.carom(&["run", "kepler", "--steps", "3", "--quiet", "--out", "moved"]).code(0);
    assert_eq!(names(&place.path("moved/figures")), ["mine.svg"]);
}

#[test]
fn a_run_that_failed_or_was_interrupted_says_so_at_the_top() {
    let place = Place::new();
    let failing = ["run", "double-pendulum-rods", "--step", "0.3", "--steps", "200", "--quiet", "--out", "failed"];
    place.carom(&failing).code(1);
    let page = place.read("failed/report.html");
    let steps = &place.json("failed/run.json")["steps"];
    let first =
        page.split("<main>").nth(1).and_then(|body| body.trim_start().lines().next()).expect("a first line");
    assert!(first.contains(&format!("did not reach its end:</strong> {steps} of 200 steps were made.")), "{first}");
    assert!(first.contains("Newton"), "{first}");

    let endless = ["run", "kepler", "--steps", "1000000000", "--every", "1000", "--yes", "--quiet", "--out", "cut"];
    let child = place.command(&endless).stderr(Stdio::null()).spawn().expect("carom runs");
    sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    Ended::of(child.wait_with_output().expect("ended")).code(1);
    assert!(place.read("cut/report.html").contains("did not reach its end"));
}

#[test]
fn what_is_no_run_is_refused_with_the_reason() {
    let place = Place::new();
    let refused = |folder: &str, reason: &str| {
        let ended = place.carom(&["report", folder]).code(2);
        assert!(ended.out.is_empty() && ended.err.starts_with("error: "), "{ended:?}");
        assert!(ended.err.contains(folder) && ended.err.contains(reason), "{reason}: {ended:?}");
    };
    refused("nowhere", "no run folder");
    fs::create_dir(place.path("other")).expect("a folder");
    refused("other", "no run folder");
    place.write("other/scene.toml", "title = \"mine\"\n");
    refused("other", "no run folder");
    place.write("file", "text");
    refused("file", "no run folder");

    let fresh = || {
        let _ = fs::remove_dir_all(place.path("broken"));
        place.carom(&["run", "kepler", "--steps", "5", "--quiet", "--out", "broken"]).code(0);
        fs::remove_file(place.path("broken/report.html")).expect("it was there");
    };
    let broken: [(&str, Option<&str>, &str); 6] = [
        ("run.json", None, "run.json is missing: the run goes on, or was cut off"),
        ("run.json", Some("{"), "run.json is damaged, or was changed"),
        ("run.json", Some("{}"), "run.json is damaged, or was changed"),
        ("measures.json", None, "measures.json"),
        ("trajectory.json", Some("[]"), "trajectory.json"),
        ("measures.f64", None, "measures.f64"),
    ];
    for (file, text, reason) in broken {
        fresh();
        match text {
            None => fs::remove_file(place.path("broken").join(file)).expect("it was there"),
            Some(text) => place.write(&format!("broken/{file}"), text),
        }
        refused("broken", reason);
        assert!(!place.path("broken/report.html").exists(), "{file}");
    }
    fresh();
    let scene = place.read("broken/scene.toml").replace("mass = 1.0", "mass = \"wrong\"");
    place.write("broken/scene.toml", &scene);
    refused("broken", "scene.toml");
}

#[test]
fn what_did_not_happen_is_not_counted() {
    let place = Place::new();
    let run = |more: &[&str]| {
        let out = place
            .carom(&[&["run", "bouncing-ball", "--method", "spook", "--out", "run"], more].concat())
            .code(0)
            .out;
        (out, place.read("run/report.html"))
    };
    let (out, page) = run(&[]);
    assert!(page.contains(" 25 impacts, 492 steps with a contact."), "impacts are counted");
    assert!(!page.contains("0 times") && !out.contains("0 times"), "{out}");
    // In the air all the time.
    let (out, page) = run(&["--steps", "5"]);
    assert!(out.contains("  no step with a contact") && page.contains(" No contact was touched."), "{out}");
}
