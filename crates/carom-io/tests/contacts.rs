//! The table of contacts: what the wide columns and brute force say, of few contacts and of looked-for ones; the same after a run that was cut off.

mod place;

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use carom::run::{Grid, Outcome, Run};
use carom::system::ContactId;
use carom_io::document::{Edit, Source};
use carom_io::folder::RunFolder;
use carom_io::recording::{Session, Snapshot, TableReader, export, tables, verify};
use carom_io::scene::{BuiltIn, Scene};
use place::Place;

/// A disc that slides on a floor and is thrown onto it.
const SLIDE: &str = r#"
[[particle]]
mass = 2
radius = 0.1
position = [0, 0, 0.15]
velocity = [3, 4, 0]
[[field]]
gravity = [0, 0, -10]
[[wall]]
normal = [0, 0, 1]
friction = 0.3
restitution = 0
[[wall]]
normal = [1, 0, 0]
offset = -1
[method]
name = "spook"
[run]
step = 0.01
steps = 60
measures = ["gaps", "contact-forces", "friction-forces", "contacts"]
"#;

fn read(name: &str, text: &str, edits: &[&str]) -> Result<Scene, String> {
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    Scene::read(name, &Source::new("scene.toml", text), &edits).map_err(|found| format!("{found:#?}"))
}

fn built_in(name: &str, edits: &[&str]) -> Scene {
    read(name, BuiltIn::named(name).expect("built in").text, edits).expect("a good scene")
}

/// Discs of which every pair may touch, 2016 of them, and 256 pairs of a disc and a wall.
fn gas(edits: &[&str]) -> Scene {
    let usual = ["method.name=spook", "parameters.columns=8", "run.until=8", "run.measures=[\"contacts\"]"];
    built_in("disc-gas", &[&usual, edits].concat())
}

/// Runs to a step; without an end the recording is left as by a process that was killed.
fn begin(scene: &Scene, place: &Place, steps: u64, end: bool) {
    let mut folder = RunFolder::create(&place.0).expect("a folder");
    let (system, initial) = (&*scene.problem.system, &scene.problem.initial);
    let mut stepper = scene.method.stepper(system, initial).expect("taken");
    folder.write_scene(&scene.to_toml(), &tables(scene, stepper.locates_events())).expect("written");
    let mut session = Session::start(scene, folder, Duration::ZERO, stepper.locates_events()).expect("recorded");
    let grid = Grid { t0: initial.t, h: scene.run.h, steps };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let outcome = run.go(initial.clone(), &mut [&mut session], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None);
    if end {
        session.finish(&outcome).expect("written");
    }
}

/// Goes on to the end from the last snapshot.
fn go_on(scene: &Scene, place: &Place) -> Result<u64, String> {
    let snapshot = Snapshot::all(&place.0).remove(0).1.expect("a snapshot");
    let (folder, _) = RunFolder::hold(&place.0).expect("a run");
    let (system, t0) = (&*scene.problem.system, scene.problem.initial.t);
    let mut stepper = scene.method.stepper(system, &snapshot.state).expect("taken");
    stepper.recall(&snapshot.memory).expect("its own memory");
    let locates = stepper.locates_events();
    let mut session =
        Session::resume(scene, folder, Duration::ZERO, locates, &snapshot).map_err(|error| error.to_string())?;
    let grid = Grid { t0, h: scene.run.h, steps: scene.run.steps };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let Snapshot { step, state, failures, halved_steps, .. } = snapshot;
    let outcome = Outcome { state, steps: step, failures, halved_steps, ended: None };
    let outcome = run.go_on(outcome, &mut [&mut session], &AtomicBool::new(false));
    session.finish(&outcome).expect("written");
    Ok(step)
}

/// The columns and the rows of a table.
fn table(folder: &Path, name: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let (table, mut rows) = (TableReader::open(folder, name).expect("a table"), Vec::new());
    table
        .for_each(|row| {
            rows.push(row.to_vec());
            Ok(())
        })
        .expect("readable");
    (table.columns().iter().map(|column| column.name.clone()).collect(), rows)
}

/// Compares the table of contacts with the wide columns of the same run, and returns how many rows each has.
fn compare_with_columns(scene: &Scene, place: &Place, directions: usize) -> (usize, usize) {
    let (names, wide) = table(&place.0, "measures");
    let (_, long) = table(&place.0, "contacts");
    let contacts = scene.problem.system.contacts();
    let column =
        |name: String| names.iter().position(|other| *other == name).unwrap_or_else(|| panic!("no {name}"));
    let mut rows = long.iter();
    for (node, wide) in wide.iter().enumerate() {
        for id in 0..contacts.count() {
            let name = contacts.name(ContactId::of(id));
            let mut expected = vec![(node as u64 * scene.run.every) as f64, wide[0], id as f64];
            expected.push(wide[column(format!("gap.{name}"))]);
            expected.push(wide[column(format!("contact_force.{name}"))]);
            expected.extend((1..=directions).map(|k| wide[column(format!("friction_force.{name}.{k}"))]));
            if expected[3] <= 0.0 || expected[4..].iter().any(|force| *force != 0.0) {
                assert_eq!(rows.next(), Some(&expected), "node {node}, {name}");
            }
        }
    }
    assert_eq!(rows.next(), None);
    (long.len(), wide.len())
}

#[test]
fn rows_of_few_contacts_agree_with_the_wide_columns() {
    let measures = "run.measures=[\"gaps\",\"contact-forces\",\"contacts\"]";
    let scene = built_in("newtons-cradle", &[measures, "run.every=3", "run.until=6"]);
    let place = Place::new("contacts-cradle");
    begin(&scene, &place, scene.run.steps, true);
    let (long, nodes) = compare_with_columns(&scene, &place, 0);
    assert!(long > 50 && long < 4 * nodes, "{long} rows of 4 contacts at {nodes} nodes");
    let contacts = TableReader::open(&place.0, "contacts").expect("a table");
    let names: Vec<&str> = contacts.columns().iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["step", "t", "contact", "gap", "normal"], "the method tells no friction");
    let system = &scene.problem.system;
    let known: Vec<String> = (0..4).map(|id| system.contacts().name(ContactId(id))).collect();
    assert_eq!(contacts.columns()[2].values, known);

    let (exported, damaged) = export(&place.0, true, true).expect("exported");
    assert!(damaged.is_empty() && exported.iter().any(|file| file.path.ends_with("contacts.npz")));
    let csv = fs::read_to_string(place.0.join("contacts.csv")).expect("written");
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("step,t,contact,gap,normal,contact_name"));
    for (line, row) in lines.zip(table(&place.0, "contacts").1) {
        assert!(line.ends_with(&format!(",{:?},{}", row[4], known[row[2] as usize])), "{line}");
    }
    assert_eq!(csv.lines().count(), 1 + long);
    // A run in the same folder that does not ask for them leaves none of another, nor what was exported.
    let scene = built_in("newtons-cradle", &[]);
    begin(&scene, &place, 10, true);
    let left = fs::read_dir(&place.0).expect("a folder").map(|entry| entry.expect("a file").file_name());
    assert!(left.into_iter().all(|name| !name.to_string_lossy().starts_with("contacts")));
}

#[test]
fn friction_in_space_has_two_components() {
    let (scene, place) = (read("slide", SLIDE, &[]).expect("a good scene"), Place::new("contacts-slide"));
    begin(&scene, &place, scene.run.steps, true);
    let (long, nodes) = compare_with_columns(&scene, &place, 2);
    assert!(
        long > 30 && long < nodes,
        "{long} rows at {nodes} nodes: one wall of two is touched, not from the start"
    );
    let (names, rows) = table(&place.0, "contacts");
    assert_eq!(names, ["step", "t", "contact", "gap", "normal", "friction_1", "friction_2"]);
    let last = rows.last().expect("there are rows");
    assert!((last[4] - 20.0).abs() < 1e-3 && (last[5].hypot(last[6]) - 6.0).abs() < 1e-3, "{last:?}");
}

#[test]
fn rows_of_looked_for_contacts_are_all_that_push_or_are_closed() {
    let (scene, place) = (gas(&[]), Place::new("contacts-gas"));
    let contacts = scene.problem.system.contacts();
    assert!(!contacts.is_constant() && contacts.count() == 2016 + 256);
    begin(&scene, &place, scene.run.steps, true);
    let (names, rows) = table(&place.0, "contacts");
    assert_eq!(names, ["step", "t", "contact", "gap", "normal", "friction_1"]);
    let (_, nodes) = table(&place.0, "trajectory");
    let n = scene.problem.system.dim();
    let (mut gaps, mut slope, mut walls) = (vec![0.0; contacts.count()], vec![0.0; n], 0);
    let (mut closed, mut open, mut far) = (0, 0, 0);
    for (step, node) in nodes.iter().enumerate() {
        let own: Vec<&Vec<f64>> = rows.iter().filter(|row| row[0] == step as f64).collect();
        assert!(own.windows(2).all(|pair| pair[0][2] < pair[1][2]) && own.iter().all(|row| row[1] == node[0]));
        contacts.gaps(node[0], &node[1..=n], &mut gaps);
        let shut: Vec<f64> = (0..gaps.len()).filter(|id| gaps[*id] <= 0.0).map(|id| id as f64).collect();
        let told: Vec<f64> = own.iter().filter(|row| row[3] <= 0.0).map(|row| row[2]).collect();
        assert_eq!(told, shut, "step {step}");
        // The momentum of all discs changes by what walls give: impulses between discs cancel, whatever their direction.
        let mut change = [0.0; 2];
        for row in &own {
            let (id, gap) = (row[2] as usize, row[3]);
            assert!(gap.is_nan() || gap == gaps[id], "{row:?}");
            assert!(gap <= 0.0 || row[4] != 0.0, "{row:?}");
            (closed, open, far) =
                (closed + usize::from(gap <= 0.0), open + usize::from(gap > 0.0), far + usize::from(gap.is_nan()));
            walls += usize::from(id >= 2016 && row[4] != 0.0);
            contacts.gradient(node[0], &node[1..=n], ContactId::of(id), &mut slope);
            slope.iter().enumerate().for_each(|(k, slope)| change[k % 2] += slope * row[4] * scene.run.h);
        }
        if step > 0 {
            let before = &nodes[step - 1];
            for (axis, change) in change.iter().enumerate() {
                let sum = |node: &[f64]| node[1 + 2 * n + axis..=3 * n].iter().step_by(2).sum::<f64>();
                assert!((sum(node) - sum(before) - change).abs() < 1e-12, "step {step}: {change}");
            }
        }
    }
    assert!(
        walls > 50 && closed > 50 && open + far > 10,
        "{walls} by walls, {closed} closed, {open} open, {far} far"
    );

    export(&place.0, true, false).expect("exported");
    let csv = fs::read_to_string(place.0.join("contacts.csv")).expect("written");
    assert!(csv.starts_with("step,t,contact,gap,normal,friction_1\n"), "numbers without names");
    for measure in ["gaps", "contact-forces", "friction-forces"] {
        let text = BuiltIn::named("disc-gas").expect("built in").text;
        let refused = read("gas", text, &["method.name=spook", &format!("run.measures=[\"{measure}\"]")]).err();
        assert!(refused.is_some_and(|said| said.contains("ask for \\\"contacts\\\"")), "{measure}");
    }
}

#[test]
fn contacts_of_a_run_that_was_cut_off_are_those_of_a_whole_one() {
    let (scene, whole, cut) = (gas(&["run.every=2"]), Place::new("contacts-whole"), Place::new("contacts-cut"));
    begin(&scene, &whole, scene.run.steps, true);
    begin(&scene, &cut, 330, false);
    let (_, before) = table(&cut.0, "contacts");
    let step = go_on(&scene, &cut).expect("goes on");
    assert!(before.iter().any(|row| row[0] <= step as f64) && (1..330).contains(&step), "from step {step}");
    for name in ["contacts.f64", "contacts.json", "trajectory.f64", "measures.f64"] {
        let bytes = |place: &Place| fs::read(place.0.join(name)).expect("there");
        assert!(bytes(&whole) == bytes(&cut), "{name}");
    }
    let rows = |place: &Place| {
        let text = fs::read_to_string(place.0.join("checksums.json")).expect("there");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        value["tables"]["contacts"].clone()
    };
    assert_eq!(rows(&whole), rows(&cut));
    assert_eq!(rows(&whole)["rows"], table(&whole.0, "contacts").1.len());

    // Rows that were changed are named, by who reads them and by who would go on from them.
    let damage = |place: &Place| {
        let path = place.0.join("contacts.f64");
        let mut bytes = fs::read(&path).expect("there");
        bytes[3] ^= 1;
        fs::write(path, bytes).expect("written");
    };
    verify(&whole.0).expect("nothing is damaged");
    damage(&whole);
    let said = verify(&whole.0).expect_err("a row is damaged").to_string();
    assert!(said.contains("contacts.f64 is damaged in rows 0 to"), "{said}");
    begin(&scene, &cut, 330, false);
    damage(&cut);
    let said = go_on(&scene, &cut).expect_err("a row is damaged");
    assert!(said.contains("contacts.f64 is damaged"), "{said}");
}
