//! The table of events: every step's, named, the same after a run that was cut off; none for methods that locate nothing.

mod place;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use carom::error::StepError;
use carom::run::{Grid, Outcome, Run};
use carom::state::State;
use carom::steppers::{Event, ForeignMemory, Happening, ImpactStates, StepReport, Stepper};
use carom::system::{ContactId, System};
use carom_io::document::{Edit, Source};
use carom_io::folder::RunFolder;
use carom_io::html_report::HtmlReport;
use carom_io::recording::{Session, Snapshot, TableReader, export, tables};
use carom_io::report::RunReport;
use carom_io::scene::Scene;
use place::Place;

const DROP: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1
potential = "9.81*y"
inequalities = [{ name = "ground", expression = "y" }, { name = "wall, left", expression = "x + 9" }]
[initial]
q = [0, 1]
[method]
name = "gvi"
[run]
step = 0.01
steps = 700
every = 50
measures = ["discrete-energy", "shadow-energy"]
"#;

/// A step that reports made-up events: two in every third step, and a rest in every 100th.
struct Telling {
    inner: Box<dyn Stepper<dyn System>>,
    made: usize,
    events: Vec<Event>,
    states: ImpactStates,
    locates: bool,
}

impl Stepper<dyn System> for Telling {
    fn step(
        &mut self,
        system: &(dyn System + 'static),
        state: &mut State,
        h: f64,
    ) -> Result<StepReport, StepError> {
        let t = state.t;
        let mut report = self.inner.step(system, state, h)?;
        self.made += 1;
        self.events.clear();
        self.states.clear();
        let event = |alpha: f64, contact: usize, what: Happening| {
            let (speed, impulse, work) = (-state.q[1], 2.0 * state.q[1], -0.25 * alpha);
            let (friction, impact) = ([f64::NAN; 2], usize::from(alpha > 0.5));
            let contact = ContactId::of(contact);
            Event { t: t + alpha * h, alpha, contact, what, speed, impulse, friction, work, impact }
        };
        if self.made.is_multiple_of(3) {
            self.events.extend([event(0.25, 0, Happening::Impact), event(0.75, 1, Happening::Fallback)]);
            report.fallbacks = 1;
        }
        for _ in 0..2 {
            self.states.open(0.5 * h, state);
            self.states.close(&[1.0, state.q[1]]);
        }
        if self.made.is_multiple_of(100) {
            self.events.push(event(1.0, 0, Happening::Rest));
        }
        Ok(report)
    }
    fn locates_events(&self) -> bool {
        self.locates
    }
    fn events(&self) -> &[Event] {
        &self.events
    }
    fn impact_states(&self) -> Option<&ImpactStates> {
        Some(&self.states)
    }
    fn memory(&self) -> &[f64] {
        self.inner.memory()
    }
    fn recall(&mut self, memory: &[f64]) -> Result<(), ForeignMemory> {
        self.inner.recall(memory)
    }
}

fn read(edits: &[&str]) -> Scene {
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    Scene::read("drop", &Source::new("scene.toml", DROP), &edits).expect("a good scene")
}

fn telling(scene: &Scene, made: usize, memory: &[f64]) -> Telling {
    let mut inner = scene.method.stepper(&*scene.problem.system, &scene.problem.initial).expect("taken");
    inner.recall(memory).expect("its own memory");
    Telling { inner, made, events: Vec::new(), states: ImpactStates::new(2), locates: true }
}

/// Runs to a step; without an end the recording is left as by a process that was killed.
fn begin(scene: &Scene, place: &Place, mut stepper: Telling, steps: u64, end: bool) -> Option<(RunReport, String)> {
    let mut folder = RunFolder::create(&place.0).expect("a folder");
    folder.write_scene(&scene.to_toml(), &tables(scene, stepper.locates)).expect("written");
    let mut session = Session::start(scene, folder, Duration::ZERO, stepper.locates).expect("recorded");
    let (system, grid) = (&*scene.problem.system, Grid { t0: 0.0, h: scene.run.h, steps });
    let run = Run { system, stepper: &mut stepper, grid, on_failure: scene.run.on_failure };
    let outcome = run.go(scene.problem.initial.clone(), &mut [&mut session], &AtomicBool::new(false));
    end.then(|| session.finish(&outcome).expect("written"))
}

fn go_on(scene: &Scene, place: &Place) -> (RunReport, String) {
    let snapshot = Snapshot::all(&place.0).remove(0).1.expect("a snapshot");
    assert!((256..700).contains(&snapshot.step), "the last one before the end: {}", snapshot.step);
    let (folder, _) = RunFolder::hold(&place.0).expect("a run");
    let mut session = Session::resume(scene, folder, Duration::ZERO, true, &snapshot).expect("recorded");
    let mut stepper = telling(scene, snapshot.step as usize, &snapshot.memory);
    let (system, grid) = (&*scene.problem.system, Grid { t0: 0.0, h: scene.run.h, steps: scene.run.steps });
    let run = Run { system, stepper: &mut stepper, grid, on_failure: scene.run.on_failure };
    let Snapshot { step, state, failures, halved_steps, .. } = snapshot;
    let outcome = Outcome { state, steps: step, failures, halved_steps, ended: None };
    let outcome = run.go_on(outcome, &mut [&mut session], &AtomicBool::new(false));
    session.finish(&outcome).expect("written")
}

fn rows(folder: &Path) -> Vec<Vec<f64>> {
    let (table, mut rows) = (TableReader::open(folder, "events").expect("a table"), Vec::new());
    table
        .for_each(|row| {
            rows.push(row.to_vec());
            Ok(())
        })
        .expect("readable");
    rows
}

#[test]
fn every_event_has_a_row_and_names_are_beside_the_table() {
    let (scene, place) = (read(&[]), Place::new("events-rows"));
    let (report, text) = begin(&scene, &place, telling(&scene, 0, &[]), 700, true).expect("ended");
    let rows = rows(&place.0);
    assert_eq!(rows.len(), 2 * 233 + 7, "of every step, though each 50th is recorded");
    assert_eq!(rows[0][..5], [3.0, 0.02 + 0.25 * 0.01, 0.25, 0.0, 0.0]);
    assert_eq!(rows[1][..5], [3.0, 0.02 + 0.75 * 0.01, 0.75, 1.0, 1.0]);
    let rest = rows.last().expect("there are rows");
    assert_eq!((rest[0], rest[4], rest[7]), (700.0, 2.0, -0.25));
    assert!(rows.iter().all(|row| row[6] == -2.0 * row[5]));
    let table = TableReader::open(&place.0, "events").expect("a table");
    let names: Vec<&str> = table.columns().iter().map(|column| column.name.as_str()).collect();
    let (always, states) = names.split_at(8);
    assert_eq!(always, ["step", "t", "alpha", "contact", "what", "speed", "impulse", "work"]);
    assert_eq!(states, ["q.x", "q.y", "p_minus.x", "p_minus.y", "p_plus.x", "p_plus.y"]);
    // What was told of the impact: the state at the end of the step, and a momentum of its own after it.
    assert!(rows.iter().all(|row| row[6] == 2.0 * row[9] && row[12] == 1.0 && row[13] == row[9]), "{:?}", rows[0]);
    assert_eq!(table.columns()[3].values, ["ground", "wall, left"]);
    assert_eq!(table.columns()[4].values, ["impact", "fallback", "rest", "rising", "falling", "kept"]);

    assert_eq!((report.fallbacks, report.rest_time), (Some(233), Some(rest[1])));
    let run = serde_json::from_str(&text).expect("JSON");
    let page = HtmlReport::new(&scene, &run, &place.0).expect("a page").html;
    assert!(page.contains("At 233 of the impacts the fallback of the method was taken."));
    assert!(page.contains("The last contact came to rest at t = 7."));

    let (exported, damaged) = export(&place.0, true, true).expect("exported");
    assert!(damaged.is_empty());
    assert!(exported.iter().any(|file| file.path.ends_with("events.npz") && file.rows == 473));
    let csv = fs::read_to_string(place.0.join("events.csv")).expect("written");
    assert!(csv.starts_with("step,t,alpha,contact,what,speed,impulse,work,q.x,q.y,p_minus.x,p_minus.y,p_plus.x,p_plus.y\n3.0,0.0225,0.25,0.0,0.0,"), "{csv}");
    // A run in the same folder starts anew, and one that locates nothing leaves no events of another.
    let silent = Telling { locates: false, ..telling(&scene, 0, &[]) };
    begin(&scene, &place, silent, 10, true).expect("ended");
    let left = fs::read_dir(&place.0).expect("a folder").map(|entry| entry.expect("a file").file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with("events")));
    assert_eq!(export(&place.0, true, true).expect("exported").0.len(), 4);
}

#[test]
fn events_of_a_run_that_was_cut_off_are_those_of_a_whole_one() {
    // With every row the first measures after the snapshot are those of a step that starts at it.
    ["run.every=50", "run.every=1"].iter().for_each(|every| cut_off(every));
}

fn cut_off(every: &str) {
    let (scene, whole, cut) = (read(&[every]), Place::new("events-whole"), Place::new("events-cut"));
    let (report, _) = begin(&scene, &whole, telling(&scene, 0, &[]), 700, true).expect("ended");
    assert!(begin(&scene, &cut, telling(&scene, 0, &[]), 650, false).is_none());
    let beyond = rows(&cut.0).len();
    let (again, _) = go_on(&scene, &cut);
    let bytes = |place: &Place, name: &str| fs::read(place.0.join(name)).expect("there");
    for name in ["events.f64", "events.json", "trajectory.f64", "measures.f64"] {
        assert_eq!(bytes(&whole, name), bytes(&cut, name), "{name}");
    }
    assert!(beyond > 2 * 170, "rows beyond the snapshot were there and were made again: {beyond}");
    assert_eq!((report.fallbacks, report.rest_time), (again.fallbacks, again.rest_time));
}

#[test]
fn methods_that_locate_events_have_a_table_without_rows_too() {
    let (scene, place) = (read(&[]), Place::new("events-none"));
    let (report, _) = begin(&scene, &place, telling(&scene, 0, &[]), 2, true).expect("ended");
    assert_eq!((rows(&place.0).len(), report.fallbacks, report.rest_time), (0, Some(0), None));
    let silent = Telling { locates: false, ..telling(&scene, 0, &[]) };
    let (report, text) = begin(&scene, &place, silent, 2, true).expect("ended");
    assert_eq!((report.fallbacks, report.rest_time), (None, None));
    assert!(text.contains("\"fallbacks\": null") && text.contains("\"rest_time\": null"), "{text}");
    assert!(!place.0.join("events.json").exists());
}
