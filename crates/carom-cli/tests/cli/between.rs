//! Rows at given times and watches from the command line.

use carom_io::recording::TableReader;

use crate::Place;

const SCENE: &str = r#"
[lagrangian]
coordinates = ["x"]
mass = 1
potential = "0.5*x^2"
[initial]
q = [1]
[[watch]]
name = "zero"
expression = "x"
[[watch]]
name = "never"
expression = "x - 2"
[method]
name = "verlet"
[run]
step = 0.01
until = 100
every = 10
"#;

fn times(place: &Place, run: &str) -> Vec<f64> {
    let (table, mut times) = (TableReader::open(&place.path(run), "trajectory").expect("recorded"), Vec::new());
    let read = table.for_each(|row| {
        times.push(row[0]);
        Ok(())
    });
    read.expect("readable");
    times
}

#[test]
fn an_interval_takes_the_place_of_every_and_the_other_way_round() {
    let place = Place::new();
    place.write("scene.toml", SCENE);
    let run = |scene: &str, out: &str, more: &[&str]| {
        place.carom(&[&["run", scene, "--quiet", "--out", out][..], more].concat()).code(0);
    };
    run("scene.toml", "every", &[]);
    run("scene.toml", "interval", &["--interval", "\"1/3\""]);
    assert_eq!(times(&place, "every").len(), 1001);
    let dense = times(&place, "interval");
    assert_eq!(dense.len(), 301);
    assert!(dense.iter().enumerate().all(|(j, t)| *t == j as f64 / 3.0 || (t - j as f64 / 3.0).abs() < 1e-13));
    assert_eq!(TableReader::open(&place.path("interval"), "measures").expect("recorded").rows(), 10_001);
    assert!(
        place.read("interval/scene.toml").contains("interval = \"1/3\""),
        "{}",
        place.read("interval/scene.toml")
    );
    run("interval/scene.toml", "again", &[]);
    assert_eq!(times(&place, "again"), dense);
    run("interval/scene.toml", "back", &["--every", "5"]);
    assert_eq!(times(&place, "back").len(), 2001);
    assert!(place.path("interval/report.html").exists());

    let both = place.carom(&["run", "scene.toml", "--every", "2", "--interval", "1"]).code(2);
    assert!(both.err.contains("--every") && both.err.contains("--interval"), "{both:?}");
    let both = place.carom(&["run", "scene.toml", "--set", "run.interval=1"]).code(2);
    assert!(both.err.contains("run.interval: `every` and `interval` are both given"), "{both:?}");
    let wrong = place.carom(&["run", "scene.toml", "--interval", "-1"]).code(2);
    assert!(wrong.err.contains("--interval -1: run.interval: found -1, allowed is a number above 0"), "{wrong:?}");
}

#[test]
fn watches_are_counted_in_the_report_and_exported() {
    let place = Place::new();
    place.write("scene.toml", SCENE);
    let report = place.carom(&["run", "scene.toml", "--json", "--out", "run"]).code(0).json();
    let (zero, never) = (&report["watches"][0], &report["watches"][1]);
    assert_eq!((zero["name"].as_str(), zero["count"].as_u64()), (Some("zero"), Some(32)));
    let time = |key: &str| zero[key].as_f64().expect("a time");
    assert!((time("first") - 0.5 * std::f64::consts::PI).abs() < 1e-4, "{zero}");
    assert!((time("last") - 31.5 * std::f64::consts::PI).abs() < 1e-3, "{zero}");
    assert_eq!(never, &serde_json::json!({ "name": "never", "count": 0, "first": null, "last": null }));
    place.carom(&["export", "run", "--format", "csv"]).code(0);
    assert_eq!(place.read("run/events.csv").lines().count(), 33);
    let said = place.carom(&["run", "scene.toml"]).code(0).out;
    assert!(said.contains("zero") && said.contains("crossings of this watch, from t = 1.57"), "{said}");
    // In a sweep they are those of the run.
    let swept = place.carom(&["sweep", "scene.toml", "--vary", "run.step=0.01,0.02", "--json", "--quiet"]).code(0);
    assert_eq!(swept.json()["runs"][0]["report"]["watches"], report["watches"]);
    let none = place.carom(&["run", "kepler", "--steps", "3", "--json"]).code(0).json();
    assert!(none["watches"].is_null());
}
