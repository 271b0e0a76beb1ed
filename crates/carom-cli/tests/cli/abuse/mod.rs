//! Runs under abuse: folders that are damaged, processes that are killed, several writers at once. Nothing may panic, give other results in
//! silence, or lose what was recorded. `CAROM_FULL=1` makes more than 1000 damaged folders, 200 kills and 20 pairs of writers; without it a
//! part of them.

mod damage;
mod folders;
mod kills;
mod signals;
mod writers;

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::Place;

/// How many trials, of those that the long version makes.
fn trials(full: u64) -> u64 {
    if std::env::var("CAROM_FULL").as_deref() == Ok("1") { full } else { full.div_ceil(10) }
}

/// A run of half a second or less whose method keeps something beside the state.
struct Kind {
    name: &'static str,
    arguments: &'static [&'static str],
}

const KINDS: [Kind; 5] = [
    Kind {
        name: "rods",
        arguments: &["double-pendulum-rods", "--step", "0.02", "--steps", "20000", "--every", "3"],
    },
    Kind {
        name: "gvi",
        arguments: &["newtons-cradle", "--steps", "9000", "--every", "2", "--measures", "contacts"],
    },
    Kind { name: "events", arguments: &["star-body", "--method", "cva", "--steps", "6000"] },
    Kind { name: "spook", arguments: &["bouncing-ball", "--method", "spook", "--steps", "30000"] },
    Kind { name: "accounts", arguments: &["driven-pendulum", "--steps", "30000", "--interval", "0.013"] },
];

impl Kind {
    /// The arguments of a run into a folder, with snapshots at this distance in seconds.
    fn run<'a>(&self, snapshot: &'a str, out: &'a str) -> Vec<&'a str> {
        let mut arguments = vec!["run"];
        arguments.extend(self.arguments);
        arguments.extend(["--quiet", "--snapshot", snapshot, "--out", out]);
        arguments
    }
}

/// The tables of a folder and the scene.
const DATA: [&str; 9] = [
    "trajectory.f64",
    "trajectory.json",
    "measures.f64",
    "measures.json",
    "events.f64",
    "events.json",
    "contacts.f64",
    "contacts.json",
    "scene.toml",
];

/// Whether two folders hold the same complete run, times apart; what differs otherwise.
fn difference(one: &Path, other: &Path) -> Option<String> {
    let read = |folder: &Path, file: &str| fs::read(folder.join(file)).ok();
    if let Some(file) = DATA.iter().find(|file| read(one, file) != read(other, file)) {
        return Some(format!("{file} differs"));
    }
    let report = |folder: &Path| {
        let mut report: Value = serde_json::from_slice(&read(folder, "run.json")?).ok()?;
        let object = report.as_object_mut()?;
        object.remove("wall_seconds");
        object.remove("steps_per_second");
        Some(report)
    };
    let [first, second] = [one, other].map(report);
    (first.is_none() || first != second).then(|| "run.json differs".into())
}

/// Copies a folder of files.
fn copy(place: &Place, from: &str, to: &str) {
    let to = place.path(to);
    let _ = fs::remove_dir_all(&to);
    fs::create_dir_all(&to).expect("a folder");
    for entry in fs::read_dir(place.path(from)).expect("a folder") {
        let entry = entry.expect("an entry");
        if entry.path().is_file() {
            fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
        }
    }
}
