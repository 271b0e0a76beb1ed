//! Rows of the trajectory at given times, and watches: against closed forms, the nodes' bits, runs that were cut off.

mod place;

use std::f64::consts::PI;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use carom::run::{Grid, Outcome, Run};
use carom_io::document::{Edit, Source};
use carom_io::folder::RunFolder;
use carom_io::recording::{Session, Snapshot, TableReader, export, tables};
use carom_io::report::RunReport;
use carom_io::scene::Scene;
use carom_io::trial::Trial;
use place::Place;

/// An oscillator of frequency 1, and something to watch.
const OSCILLATOR: &str = r#"
[parameters]
level = 0.25

[lagrangian]
coordinates = ["x"]
mass = 2
potential = "x^2"

[lagrangian.define]
height = "x - level"

[initial]
t = 0.5
q = [1]

[[watch]]
name = "zero"
expression = "x"

[[watch]]
name = "up"
expression = "height + 0*t"
direction = "rising"

[[watch]]
name = "turn"
expression = "dot(x)"
direction = "falling"

[method]
name = "verlet"

[run]
step = 0.125
steps = 600
interval = 0.03125
"#;

/// A body that falls on the ground, bounces and is watched.
const DROP: &str = r#"
[[particle]]
name = "ball"
mass = 1
position = ["0.5*i", "1 + 0.3*i"]
repeat = { index = "i", count = 2 }

[[field]]
gravity = [0, -1]

[[wall]]
normal = [0, 1]

[[watch]]
name = "half"
expression = "ball[i].y - 0.5"
direction = "falling"
repeat = { index = "i", count = 2 }

[[watch]]
name = "passes"
expression = "y[0] - ball[1].y"

[[watch]]
name = "top"
expression = "dot(ball[0].y)"
direction = "falling"

[method]
name = "cva"

[run]
step = 0.0625
steps = 700
interval = 0.01
"#;

fn read(text: &str, sets: &[&str]) -> Scene {
    let edits: Vec<Edit> = sets.iter().map(|argument| Edit::set(argument)).collect();
    Scene::read("scene", &Source::new("scene.toml", text), &edits).unwrap_or_else(|found| panic!("{found:#?}"))
}

/// Runs to a step; without an end the recording is left as by a process that was killed.
fn begin(scene: &Scene, place: &Place, steps: u64, end: bool) -> Option<(RunReport, String)> {
    let mut folder = RunFolder::create(&place.0).expect("a folder");
    let (system, initial) = (&*scene.problem.system, &scene.problem.initial);
    let mut stepper = scene.method.stepper(system, initial).expect("taken");
    folder.write_scene(&scene.to_toml(), &tables(scene, stepper.locates_events())).expect("written");
    let mut session = Session::start(scene, folder, Duration::ZERO, stepper.locates_events()).expect("recorded");
    let grid = Grid { t0: initial.t, h: scene.run.h, steps };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let outcome = run.go(initial.clone(), &mut [&mut session], &AtomicBool::new(false));
    end.then(|| session.finish(&outcome).expect("written"))
}

fn go_on(scene: &Scene, place: &Place) -> (RunReport, String) {
    let snapshot = Snapshot::all(&place.0).remove(0).1.expect("a snapshot");
    assert!((256..700).contains(&snapshot.step), "the last one before the end: {}", snapshot.step);
    let (folder, _) = RunFolder::hold(&place.0).expect("a run");
    let (system, t0) = (&*scene.problem.system, scene.problem.initial.t);
    let mut stepper = scene.method.stepper(system, &snapshot.state).expect("taken");
    stepper.recall(&snapshot.memory).expect("its own memory");
    let locates = stepper.locates_events();
    let mut session = Session::resume(scene, folder, Duration::ZERO, locates, &snapshot).expect("recorded");
    let grid = Grid { t0, h: scene.run.h, steps: scene.run.steps };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let Snapshot { step, state, failures, halved_steps, .. } = snapshot;
    let outcome = Outcome { state, steps: step, failures, halved_steps, ended: None };
    let outcome = run.go_on(outcome, &mut [&mut session], &AtomicBool::new(false));
    session.finish(&outcome).expect("written")
}

fn rows(folder: &Path, name: &str) -> Vec<Vec<f64>> {
    let (table, mut rows) = (TableReader::open(folder, name).expect("a table"), Vec::new());
    table
        .for_each(|row| {
            rows.push(row.to_vec());
            Ok(())
        })
        .expect("readable");
    rows
}

/// The trajectory of a run with these settings.
fn trajectory(sets: &[&str]) -> Vec<Vec<f64>> {
    let (scene, place) = (read(OSCILLATOR, sets), Place::new(&sets.concat().replace(['/', '"'], "-")));
    begin(&scene, &place, scene.run.steps, true).expect("ended");
    rows(&place.0, "trajectory")
}

#[test]
fn rows_stand_at_their_times_and_nodes_keep_their_bits() {
    // In binary fractions all times are exact: every fourth row is a node.
    let (nodes, dense) = (trajectory(&["run.interval=0.125"]), trajectory(&[]));
    assert_eq!((nodes.len(), dense.len()), (601, 2401));
    for (j, row) in dense.iter().enumerate() {
        assert_eq!(row[0], 0.5 + j as f64 * 0.03125);
        assert_eq!(row[3], 2.0 * row[2], "momentum and velocity");
    }
    assert!(dense.iter().step_by(4).eq(&nodes));
    // With rounded times rows are the nodes all the same: 0.3 is not three times 0.1 to the last bit.
    let nodes = trajectory(&["run.interval=0.1", "run.step=0.1"]);
    let coarse = trajectory(&["run.interval=0.3", "run.step=0.1"]);
    assert_eq!((nodes.len(), coarse.len()), (601, 201));
    assert!(nodes.iter().step_by(3).eq(&coarse));
    // An interval that nothing divides; the last row is not beyond the end.
    let odd = trajectory(&["run.interval=\"sqrt(2)\""]);
    assert_eq!(odd.len(), (75.0 / 2.0_f64.sqrt()) as usize + 1);
    assert!(odd.iter().enumerate().all(|(j, row)| row[0] == 0.5 + j as f64 * 2.0_f64.sqrt()));
    // Longer than the run: the start alone.
    assert_eq!(trajectory(&["run.interval=1e9"]).len(), 1);
}

#[test]
fn rows_between_nodes_have_the_order_of_the_method() {
    let error = |h: &str, steps: u32| {
        let sets = [format!("run.step={h}"), format!("run.steps={steps}"), "run.interval=0.03".into()];
        let rows = trajectory(&sets.each_ref().map(String::as_str));
        assert_eq!(rows.len(), 134);
        rows.iter().map(|row| (row[1] - (row[0] - 0.5).cos()).abs()).fold(0.0, f64::max)
    };
    let slope = (error("0.2", 20) / error("0.1", 40)).log2();
    assert!((slope - 2.0).abs() < 0.2, "{slope}");
}

#[test]
fn runs_that_were_cut_off_go_on_with_the_same_rows_and_crossings() {
    for (name, text, set) in [("smooth", OSCILLATOR, "run.interval=\"1/7\""), ("struck", DROP, "run.interval=0.01")]
    {
        let scene = read(text, &[set]);
        let (whole, cut) = (Place::new(&format!("{name}-whole")), Place::new(&format!("{name}-cut")));
        let (report, _) = begin(&scene, &whole, scene.run.steps, true).expect("ended");
        assert!(begin(&scene, &cut, 590, false).is_none());
        let (again, _) = go_on(&scene, &cut);
        let bytes = |place: &Place, name: &str| fs::read(place.0.join(name)).expect("there");
        for file in ["trajectory.f64", "measures.f64", "events.f64", "events.json"] {
            assert_eq!(bytes(&whole, file), bytes(&cut, file), "{name}: {file}");
        }
        let watches = |report: &RunReport| serde_json::to_value(&report.watches).expect("JSON");
        assert_eq!(watches(&report), watches(&again));
        assert!(report.watches.iter().flatten().all(|watch| watch.count > 5), "{:?}", report.watches);
        // A run without a folder sees the same.
        let trial = Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("taken");
        assert_eq!(watches(&trial.report(&scene)), watches(&report));
        // And so does the scene as it was written out.
        let written = read(&fs::read_to_string(whole.0.join("scene.toml")).expect("written"), &[]);
        let other = Place::new(&format!("{name}-written"));
        begin(&written, &other, written.run.steps, true).expect("ended");
        assert_eq!(bytes(&whole, "events.f64"), bytes(&other, "events.f64"));
        assert_eq!(bytes(&whole, "trajectory.f64"), bytes(&other, "trajectory.f64"));
    }
}

#[test]
fn crossings_have_rows_with_their_names_and_counts_in_the_report() {
    let (scene, place) = (read(OSCILLATOR, &["run.step=\"pi/500\"", "run.steps=9900"]), Place::new("between-rows"));
    let (report, text) = begin(&scene, &place, scene.run.steps, true).expect("ended");
    // A tenth of a period less than ten.
    let counts: Vec<(&str, u64)> =
        report.watches.iter().flatten().map(|watch| (watch.name.as_str(), watch.count)).collect();
    // The velocity is zero at the start and negative after it: that is no crossing.
    assert_eq!(counts, [("zero", 20), ("up", 10), ("turn", 9)]);
    let run: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let first = run["watches"][0]["first"].as_f64().expect("a time");
    // Verlet is faster by the factor 1 + h²/24.
    assert!((first - 0.5 - 0.5 * PI).abs() < 1e-5, "{first}");

    let table = TableReader::open(&place.0, "events").expect("a table");
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["step", "t", "alpha", "contact", "what", "speed", "impulse", "work", "watch"]);
    assert_eq!(table.columns()[4].values, ["impact", "fallback", "rest", "rising", "falling", "kept"]);
    assert_eq!(table.columns()[8].values, ["zero", "up", "turn"]);
    let rows = rows(&place.0, "events");
    assert_eq!(rows.len(), 39);
    assert!(rows.windows(2).all(|pair| pair[0][1] <= pair[1][1]));
    let h = scene.run.h;
    for row in &rows {
        assert!([3, 5, 6, 7].iter().all(|column| row[*column].is_nan()), "{row:?}");
        assert!((row[1] - 0.5 - h * (row[0] - 1.0 + row[2])).abs() < 1e-12, "{row:?}");
        match row[8] {
            1.0 => assert_eq!(row[4], 3.0),
            2.0 => assert_eq!(row[4], 4.0),
            _ => {}
        }
    }
    let known = |row: &Vec<f64>| (row[1] - 0.5) / PI - 0.5;
    let zeros: Vec<f64> = rows.iter().filter(|row| row[8] == 0.0).map(known).collect();
    assert!(zeros.iter().enumerate().all(|(k, zero)| (zero - k as f64).abs() < 1e-4), "{zeros:?}");

    let (exported, damaged) = export(&place.0, true, true).expect("exported");
    assert!(damaged.is_empty());
    assert!(exported.iter().any(|file| file.path.ends_with("events.npz") && file.rows == 39));
    let csv = fs::read_to_string(place.0.join("events.csv")).expect("written");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("step,t,alpha,contact,what,speed,impulse,work,watch"));
    assert!(lines.next().is_some_and(|line| line.ends_with(",NaN,4.0,NaN,NaN,NaN,0.0")), "{csv}");
}

#[test]
fn located_impacts_and_crossings_share_a_table_in_time() {
    let (scene, place) = (read(DROP, &[]), Place::new("between-shared"));
    let (report, _) = begin(&scene, &place, scene.run.steps, true).expect("ended");
    let (rows, h) = (rows(&place.0, "events"), scene.run.h);
    let impacts = rows.iter().filter(|row| row[8].is_nan()).count() as u64;
    let crossings: u64 = report.watches.iter().flatten().map(|watch| watch.count).sum();
    assert_eq!((Some(impacts), impacts + crossings), (report.impacts, rows.len() as u64));
    assert!(rows.windows(2).all(|pair| pair[0][1] <= pair[1][1]), "in time");
    // Free flight is a parabola, which the cubic is exact for: y = 1/2 at t = 1, the first ball's first fall.
    let first = rows.iter().find(|row| row[8] == 0.0).expect("it falls");
    assert!((first[1] - 1.0).abs() < 1e-12 && first[4] == 4.0, "{first:?}");
    let table = TableReader::open(&place.0, "events").expect("a table");
    assert_eq!(table.columns()[8].values, ["half[0]", "half[1]", "passes", "top"]);
    assert!(rows.iter().all(|row| (row[1] - h * (row[0] - 1.0 + row[2])).abs() < 1e-9));
}

#[test]
fn an_expression_that_is_not_finite_on_the_way_ends_the_run_with_name_and_time() {
    let scene = read(OSCILLATOR, &["watch.0.expression=\"log(x + 0.5)\""]);
    let trial = Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("taken");
    let ended = trial.outcome.ended.expect("it ends").to_string();
    assert!(ended.starts_with("after step 17: watch `zero` is not finite at t = 2.59375"), "{ended}");
}
