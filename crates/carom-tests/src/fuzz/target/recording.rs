//! The content of snapshots and tables.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{env, process};

use carom::observe::{Frame, Observer};
use carom::run::{Grid, Outcome, Run};
use carom_io::folder::Checksums;
use carom_io::recording::{Snapshot, TableReader};
use carom_io::scene::Scene;

use super::law;
use crate::fuzz::Fate;
use crate::runs::built_in;

/// Steps that a run goes on for.
const STEPS: u64 = 5;

/// The name of a built-in scene in the first line, a snapshot of it as JSON below: what bytes say whose checksum is right. A text that is none is
/// taken for the bytes themselves.
pub fn snapshot(text: &str, stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    let (name, body) = text.split_once('\n').unwrap_or(("", text));
    let Ok(given) = serde_json::from_str::<Snapshot>(body) else {
        let decoded = Snapshot::decode(text.as_bytes());
        return match decoded {
            Ok(_) => Err("a text was taken for a snapshot".into()),
            Err(error) => law(!error.trim().is_empty(), || "no message".into()).map(|()| Fate::Refused),
        };
    };
    let bytes = given.encode().map_err(|error| error.to_string())?;
    let snapshot = Snapshot::decode(&bytes)?;
    let again = snapshot.encode().map_err(|error| error.to_string())?;
    law(again == bytes, || "written and read it is another snapshot".into())?;
    // One byte more, less or other is seen, wherever it is.
    for k in 0..bytes.len().min(64) {
        let mut damaged = bytes.clone();
        damaged[k * bytes.len() / bytes.len().min(64)] ^= 1 << (k % 8);
        law(Snapshot::decode(&damaged).is_err(), || format!("byte {k} was changed unseen"))?;
    }
    law(Snapshot::decode(&bytes[..bytes.len() - 1]).is_err(), || "a missing byte was unseen".into())?;
    let Some(scene) = carom_io::scene::BuiltIn::named(name) else { return Ok(Fate::Left) };
    go_on(&built_in(scene.name, &[]), snapshot, stop)
}

/// A run that goes on from what a snapshot says is refused, or steps from it.
fn go_on(scene: &Scene, snapshot: Snapshot, stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    if snapshot.check(scene).is_err() {
        return Ok(Fate::Refused);
    }
    let (system, problem) = (&*scene.problem.system, &scene.problem);
    let Ok(mut stepper) = scene.method.stepper(system, &snapshot.state) else { return Ok(Fate::Refused) };
    if stepper.recall(&snapshot.memory).is_err() {
        return Ok(Fate::Refused);
    }
    stepper.heed(stop);
    let steps = snapshot.step.saturating_add(STEPS);
    let grid = Grid { t0: problem.initial.t, h: scene.run.h, steps };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let Snapshot { step, state, failures, halved_steps, summary, ledger, .. } = snapshot;
    let mut seen = Seen { scene, summary, ledger };
    let outcome =
        run.go_on(Outcome { state, steps: step, failures, halved_steps, ended: None }, &mut [&mut seen], stop);
    law(outcome.state.is_finite(), || format!("it goes on to {:?}", outcome.state))?;
    Ok(if outcome.ended.is_none() { Fate::Done } else { Fate::Failed })
}

/// What a session keeps of a run, as the snapshot has it.
struct Seen<'a> {
    scene: &'a Scene,
    summary: carom::measures::Summary,
    ledger: Option<carom::measures::Ledger>,
}

impl Observer for Seen<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.summary.observe(frame)?;
        if let Some(ledger) = &mut self.ledger {
            ledger.enter(&*self.scene.problem.system, frame);
            ledger.check().map_err(|failure| failure.to_string())?;
        }
        Ok(())
    }
}

/// The description of a table in the first line, its checksums in the second, its rows below.
pub fn table(text: &str, _stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    let (description, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (checksums, rows) = rest.split_once('\n').unwrap_or((rest, ""));
    let folder = Folder::new();
    // Tables without checksums are read as they are where the run has none.
    let known = Checksums::begun("", &["trajectory"]).text().map_err(|error| error.to_string())?;
    let known = description.contains("checksums").then_some(("checksums.json", known.as_str()));
    let files = [("trajectory.json", description), ("trajectory.crc", checksums), ("trajectory.f64", rows)];
    for (name, content) in files.into_iter().chain(known) {
        fs::write(folder.0.join(name), content).map_err(|error| error.to_string())?;
    }
    let reader = match TableReader::open(&folder.0, "trajectory") {
        Ok(reader) => reader,
        Err(error) => {
            law(!error.to_string().trim().is_empty(), || "no message".into())?;
            return Ok(Fate::Refused);
        }
    };
    let (mut count, width) = (0, reader.columns().len());
    let read = reader.for_each(|row| {
        count += u64::from(row.len() == width);
        Ok(())
    });
    read.map_err(|error| format!("opened, but not read: {error}"))?;
    law(count == reader.rows() && width > 0, || format!("{count} of {} rows", reader.rows()))?;
    law(reader.rows() <= rows.len() as u64 / 8, || format!("{} rows in {} bytes", reader.rows(), rows.len()))?;
    Ok(Fate::Done)
}

/// A folder of its own, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("carom-fuzz-{}-{count}", process::id()));
        fs::create_dir_all(&path).expect("a new folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
