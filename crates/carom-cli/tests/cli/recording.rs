//! Recordings: killed and resumed runs, full disks, readers in other languages, export.

use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use carom_io::recording::TableReader;

use crate::{Ended, Place};

const TABLES: [&str; 6] =
    ["trajectory.f64", "trajectory.json", "measures.f64", "measures.json", "scene.toml", "report.html"];

/// Whether two run folders hold the same run, times apart.
fn assert_same(place: &Place, one: &str, other: &str) {
    for file in TABLES {
        let read = |folder: &str| fs::read(place.path(folder).join(file)).expect("recorded");
        assert!(read(one) == read(other), "{file} of {one} and {other} differ");
    }
    let report = |folder: &str| {
        let mut report = place.json(&format!("{folder}/run.json"));
        let object = report.as_object_mut().expect("an object");
        assert!(object.remove("wall_seconds").is_some() && object.remove("steps_per_second").is_some());
        report
    };
    assert_eq!(report(one), report(other));
    for snapshot in ["snapshot.bin", "snapshot-before.bin"] {
        assert!(!place.path(other).join(snapshot).exists(), "a complete run needs no snapshot");
    }
}

#[test]
fn a_run_that_was_killed_goes_on_bit_for_bit() {
    // With constraints, Newton iterations and a failure policy.
    let scene = ["double-pendulum-rods", "--step", "0.05", "--steps", "200000", "--set", "run.on_failure=halve"];
    let place = Place::new();
    let run = |out: &str| {
        let mut arguments = vec!["run"];
        arguments.extend(scene);
        arguments.extend(["--every", "3", "--quiet", "--snapshot", "0.02", "--out", out]);
        place.command(&arguments)
    };
    Ended::of(run("whole").output().expect("carom runs")).code(0);
    let size = |out: &str| fs::metadata(place.path(out).join("trajectory.f64")).map_or(0, |data| data.len());
    let whole = size("whole");
    for percent in [1, 30, 70] {
        let out = format!("cut{percent}");
        let mut child = run(&out).spawn().expect("carom runs");
        let begin = Instant::now();
        while size(&out) < whole * percent / 100 {
            assert!(begin.elapsed() < Duration::from_secs(60), "the run does not go on");
            sleep(Duration::from_millis(1));
        }
        child.kill().expect("SIGKILL");
        assert!(!child.wait().expect("ended").success(), "the run must not have been complete");
        assert!(!place.path(&out).join("run.json").exists());
        let rows = TableReader::open(&place.path(&out), "trajectory").expect("readable after the kill").rows();
        assert!((1..66_667).contains(&rows), "{rows} rows");
        place.carom(&["run", "--resume", &out, "--quiet"]).code(0);
        assert_same(&place, "whole", &out);
    }
}

#[test]
fn an_interrupted_run_says_how_to_go_on_and_does() {
    let place = Place::new();
    // With accounts of energy, which look back to the node before.
    let arguments = ["run", "driven-pendulum", "--steps", "1000000", "--every", "100", "--quiet", "--out"];
    let with = |out: &'static str| arguments.iter().copied().chain([out]).collect::<Vec<_>>();
    place.carom(&with("whole")).code(0);
    let child = place.command(&with("cut")).stderr(std::process::Stdio::piped()).spawn().expect("carom runs");
    sleep(Duration::from_millis(300));
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill").success());
    let ended = Ended::of(child.wait_with_output().expect("ended")).code(1);
    assert!(ended.err.contains("go on with: carom run --resume cut"), "{ended:?}");
    place.carom(&["export", "cut"]).code(0);
    place.carom(&["report", "cut", "--svg"]).code(0);
    place.write("cut/notes.csv", "mine");
    place.carom(&["run", "--resume", "cut", "--quiet"]).code(0);
    assert_same(&place, "whole", "cut");
    // What was made of the tables that were cut off is gone; what is not carom's stays.
    let kept = crate::names(&place.path("cut"));
    assert!(kept.iter().all(|name| !name.ends_with(".npz") && (name == "notes.csv" || !name.ends_with(".csv"))));
    assert!(kept.contains(&"notes.csv".to_string()), "{kept:?}");
    assert!(!place.path("cut/figures").exists(), "an empty folder does not stay");
}

#[test]
fn what_cannot_be_resumed_is_refused() {
    let place = Place::new();
    place.carom(&["run", "kepler", "--steps", "10", "--quiet", "--out", "done"]).code(0);
    let complete = place.carom(&["run", "--resume", "done"]).code(2);
    assert!(complete.err.contains("the run is complete"), "{complete:?}");
    place.carom(&["run", "double-pendulum-rods", "--step", "0.3", "--quiet", "--out", "failed"]).code(1);
    fs::remove_file(place.path("failed/snapshot.bin")).expect("it was there");
    let early = place.carom(&["run", "--resume", "failed"]).code(2);
    assert!(early.err.contains("no snapshot to resume from: the run ended early: step 3 failed"), "{early:?}");
    let ignored = place.carom(&["run", "--resume", "failed", "--measures", "ledger"]).code(2);
    assert!(ignored.err.contains("--measures"), "{ignored:?}");
    let nothing = place.carom(&["run", "--resume", "nowhere", "--json"]).code(2);
    assert_eq!(nothing.json()["valid"], false);
    place.carom(&["run", "kepler", "--resume", "done"]).code(2);
    place.carom(&["run", "--resume", "done", "--steps", "5"]).code(2);
    place.carom(&["run"]).code(2);

    fs::create_dir(place.path("cut")).expect("a folder");
    for file in ["scene.toml", "checksums.json"] {
        fs::copy(place.path("done").join(file), place.path("cut").join(file)).expect("copied");
    }
    place.write("cut/snapshot.bin", "not a snapshot");
    let foreign = place.carom(&["run", "--resume", "cut"]).code(2);
    assert!(foreign.err.contains("snapshot.bin: it is damaged, or not a snapshot"), "{foreign:?}");
    assert!(foreign.err.contains("carom run cut/scene.toml"), "{foreign:?}");
}

#[test]
fn a_scene_that_was_changed_is_not_resumed() {
    let place = Place::new();
    let mut child =
        place.command(&["run", "kepler", "--steps", "100000000", "--yes", "--quiet", "--out", "cut"]).spawn();
    let child = child.as_mut().expect("carom runs");
    sleep(Duration::from_millis(200));
    child.kill().expect("SIGKILL");
    child.wait().expect("ended");
    place.write("cut/scene.toml", &place.read("cut/scene.toml").replace("0.6", "0.5"));
    let refused = place.carom(&["run", "--resume", "cut"]).code(2);
    assert!(refused.err.contains("scene.toml is damaged, or was changed"), "{refused:?}");
}

#[test]
fn a_full_disk_ends_the_run_and_keeps_what_was_written() {
    let place = Place::new();
    // A limit on the size of files is the disk that a test can fill: 512-byte blocks.
    let script = format!(
        "ulimit -f 400; exec '{}' run kepler --steps 1000000 --quiet --out full",
        env!("CARGO_BIN_EXE_carom")
    );
    let output = Command::new("sh").args(["-c", &script]).current_dir(&place.0).output().expect("sh runs");
    let ended = Ended::of(output).code(1);
    assert!(ended.err.contains("the tables in full"), "{ended:?}");
    let table = TableReader::open(&place.path("full"), "trajectory").expect("readable");
    assert!(table.rows() > 1000, "{} rows", table.rows());
    let mut last = -1.0;
    table
        .for_each(|row| {
            assert!(row[0] > last && row.iter().all(|x| x.is_finite()));
            last = row[0];
            Ok(())
        })
        .expect("every row is whole");
    let report = place.json("full/run.json");
    assert_eq!(report["complete"], false);
    // With room again it goes on, as if nothing had been.
    place.carom(&["run", "--resume", "full", "--quiet"]).code(0);
    place.carom(&["run", "kepler", "--steps", "1000000", "--quiet", "--out", "whole"]).code(0);
    assert_same(&place, "whole", "full");
}

#[test]
fn every_k_th_step_is_recorded_and_the_columns_are_named() {
    let place = Place::new();
    place
        .carom(&["run", "pendulum-cartesian", "--steps", "100", "--every", "9", "--quiet", "--out", "run"])
        .code(0);
    let names = |table: &str| -> Vec<String> {
        let table = TableReader::open(&place.path("run"), table).expect("recorded");
        assert_eq!(table.rows(), 12, "steps 0, 9, …, 99");
        table.columns().iter().map(|column| column.name.clone()).collect()
    };
    assert_eq!(names("trajectory"), ["t", "x", "y", "v.x", "v.y", "p.x", "p.y"]);
    let measures = "t energy kinetic potential linear_momentum.x linear_momentum.y angular_momentum.z max_equality \
                    max_equality_velocity iterations residual";
    assert_eq!(names("measures").join(" "), measures);
}

#[test]
fn located_impacts_are_told_one_by_one() {
    let place = Place::new();
    let run = |method: &str| {
        let scene =
            ["run", "point-mass", "--method", method, "--set", "parameters.restitution=0.5", "--until", "6"];
        place.carom(&[&scene[..], &["--every", "7", "--quiet", "--out", "run"]].concat()).code(0);
        place.json("run/run.json")
    };
    let report = run("cva");
    let table = TableReader::open(&place.path("run"), "events").expect("recorded");
    assert_eq!(table.columns()[3].values, ["ground"]);
    let (mut counts, mut rest, mut last) = ([0; 3], None, 0.0);
    table
        .for_each(|row| {
            assert!(row[1] >= last && row[3] == 0.0, "{row:?}");
            counts[row[4] as usize] += 1;
            (rest, last) = (if row[4] == 2.0 { Some(row[1]) } else { rest }, row[1]);
            Ok(())
        })
        .expect("readable");
    assert!(counts[0] > 5 && counts[2] > 0, "it bounces and comes to rest: {counts:?}");
    assert_eq!(report["impacts"], counts[0] + counts[1]);
    assert_eq!((&report["fallbacks"], &report["captured"]), (&counts[1].into(), &counts[2].into()));
    assert_eq!(report["rest_time"].as_f64(), rest);
    let report = run("gvi");
    assert!(report["fallbacks"].is_null() && report["rest_time"].is_null(), "{report}");
    assert!(!place.path("run").join("events.f64").exists(), "gvi locates nothing");
}

/// The two lines of the manual, with NumPy; left out where there is none, unless CAROM_NUMPY=1 asks for it.
#[test]
fn two_lines_of_python_read_a_run_and_export_agrees() {
    let place = Place::new();
    place.carom(&["run", "kepler", "--steps", "1000", "--quiet", "--out", "runs/kepler"]).code(0);
    let exported = place.carom(&["export", "runs/kepler"]).code(0);
    assert_eq!(exported.out.lines().filter(|line| line.ends_with(": 1001 rows")).count(), 4, "{exported:?}");
    place.carom(&["export", "runs"]).code(2);
    let script = r#"
import json, numpy
names = [c["name"] for c in json.load(open("runs/kepler/trajectory.json"))["columns"]]
rows = numpy.fromfile("runs/kepler/trajectory.f64").reshape(-1, len(names))
assert rows.shape == (1001, 7) and names[1] == "x" and rows[0, 1] == 0.4
npz = numpy.load("runs/kepler/trajectory.npz")
csv = numpy.genfromtxt("runs/kepler/trajectory.csv", delimiter=",", skip_header=1)
assert list(npz) == names and (csv == rows).all()
assert all((npz[name] == rows[:, i]).all() for i, name in enumerate(names))
"#;
    let numpy = Command::new("python3").args(["-c", "import numpy"]).output();
    if !numpy.is_ok_and(|output| output.status.success()) {
        assert_ne!(std::env::var("CAROM_NUMPY").as_deref(), Ok("1"), "NumPy is asked for and missing");
        println!("left out: no NumPy");
        return;
    }
    let output = Command::new("python3").args(["-c", script]).current_dir(&place.0).output().expect("python runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
