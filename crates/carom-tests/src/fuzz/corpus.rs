//! What mutations begin with: texts that are right, and those that went wrong once.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::folder::Rows;
use carom_io::recording::Snapshot;
use carom_io::scene::BUILT_IN;
use carom_io::trial::Trial;

use crate::runs::built_in;

/// The texts of a folder of `corpus/`, by name. Those of inputs that went wrong once are tried before any other.
pub fn kept(kind: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(kind);
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a file of the corpus").path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
        .collect()
}

/// The built-in scenes and the kept ones. Long ones stand for many that are like them.
pub fn scenes() -> Vec<String> {
    BUILT_IN.iter().map(|scene| scene.text.to_string()).chain(kept("scene")).collect()
}

/// `--set` values for the built-in scenes: every number of every scene, written as a change to itself.
pub fn sets() -> Vec<String> {
    let mut texts = kept("set");
    for scene in BUILT_IN.iter() {
        let tree: toml::Table = toml::from_str(scene.text).expect("a built-in scene");
        let mut paths = Vec::new();
        numbers(&toml::Value::Table(tree), "", &mut paths);
        texts.extend(paths.chunks(2).map(|pair| format!("{}\n{}\n", scene.name, pair.join("\n"))));
    }
    texts
}

/// The paths of all scalars below a value, as `key.path=value`.
fn numbers(value: &toml::Value, path: &str, found: &mut Vec<String>) {
    let below = |key: String| if path.is_empty() { key } else { format!("{path}.{key}") };
    match value {
        toml::Value::Table(table) => {
            table.iter().for_each(|(key, value)| numbers(value, &below(key.clone()), found))
        }
        toml::Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, value)| numbers(value, &below(k.to_string()), found));
        }
        _ if matches!(path, "title" | "description") => {}
        scalar => found.push(format!("{path}={scalar}").replace('\n', " ")),
    }
}

/// Problems of every kind, small ones.
pub fn problems() -> Vec<String> {
    kept("problem")
}

/// Snapshots of some built-in scenes after a few steps, as JSON below their names.
pub fn snapshots() -> Vec<String> {
    const SCENES: [&str; 9] = [
        "kepler",
        "double-pendulum-rods",
        "star-body",
        "bouncing-ball",
        "newtons-cradle",
        "pogo-stick",
        "driven-pendulum",
        "slider-crank",
        "andrews",
    ];
    SCENES.into_iter().map(|name| format!("{name}\n{}\n", snapshot(name))).collect()
}

fn snapshot(name: &str) -> String {
    let mut scene = built_in(name, &[]);
    scene.run.steps = 5;
    let (mut memory, stop) = (Memory(Vec::new()), AtomicBool::new(false));
    let trial = Trial::run(&scene, &mut [&mut memory], &stop).expect("a built-in scene runs");
    let snapshot = Snapshot {
        step: trial.outcome.steps,
        state: trial.outcome.state,
        memory: memory.0,
        summary: trial.summary,
        ledger: trial.ledger,
        failures: 0,
        halved_steps: 0,
        trajectory: Rows { rows: 6, crc: 1 },
        measures: Rows { rows: 6, crc: 2 },
        events: Rows::default(),
        contacts: Rows::default(),
        watched: trial.watched,
        seconds: 0.5,
        name: name.into(),
        scene: 1,
    };
    serde_json::to_string(&snapshot).expect("numbers and names")
}

/// The memory of the method at the last node.
struct Memory(Vec<f64>);

impl Observer for Memory {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.0 = frame.memory.to_vec();
        Ok(())
    }
}

/// Tables with and without checksums.
pub fn tables() -> Vec<String> {
    let columns =
        r#"{"dtype": "<f8", "order": "rows", "columns": [{"name": "t", "unit": ""}, {"name": "q", "unit": ""}]}"#;
    let checked = columns.replace("\"columns\"", "\"checksums\": \"table.crc\", \"columns\"");
    let rows = "0123456789abcdef".repeat(9);
    vec![format!("{columns}\n\n{rows}"), format!("{checked}\ncarom-crc\n{rows}"), format!("{columns}\n")]
}

/// The strings of the built-in scenes, which are mostly expressions, and the kept expressions.
pub fn expressions() -> Vec<String> {
    let mut texts = kept("expression");
    for scene in BUILT_IN.iter() {
        let quoted = scene
            .text
            .lines()
            .filter(|line| !line.starts_with("title"))
            .flat_map(|line| line.split('"').skip(1).step_by(2));
        texts.extend(
            quoted.filter(|text| text.len() < 200 && text.contains(['*', '(', '^', '+'])).map(str::to_string),
        );
    }
    texts
}
