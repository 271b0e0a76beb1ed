//! Mutated scenes, run by the binary: whatever a file says, the program ends in time with a code and a message that say so, and never with a wrong result
//! that looks like a right one. `CAROM_FULL=1` tries 10 000 scenes, `CAROM_SEED=7` others.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use carom_tests::fuzz::{Dice, Mutator, corpus};
use serde_json::Value;

/// A run that takes longer is asked to end, as by Ctrl-C: full matrices of a large scene take their time.
const SLOW: Duration = Duration::from_secs(30);
/// What does not end within this time, though it was asked to, hangs.
const HANGS: Duration = Duration::from_secs(90);
/// Address space of a run in KiB, twice what the program grants itself: its own guards come first, and what gets by them ends as an abort, not with the
/// memory of the machine.
const MEMORY: usize = 2 * carom::error::MOST_BYTES / 1024;
/// Numbers that no finished run is without.
const NUMBERS: [&str; 9] = [
    "/h",
    "/steps",
    "/t",
    "/energy/initial",
    "/energy/final",
    "/energy/min",
    "/energy/max",
    "/solver/worst_residual",
    "/solver/failures",
];

/// How the program ended, and what is wrong with that.
struct Ended {
    fate: &'static str,
    wrong: Option<String>,
}

#[test]
fn mutated_scenes_end_with_a_code_and_a_message() {
    let full = std::env::var("CAROM_FULL").is_ok_and(|full| full == "1");
    let seed: u64 = std::env::var("CAROM_SEED").map_or(1, |seed| seed.parse().expect("CAROM_SEED is a number"));
    let count = if full { 10_000 } else { 250 };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutated");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("found")).expect("a folder for findings");
    let (next, ends) = (AtomicUsize::new(0), Mutex::new((BTreeMap::<&str, usize>::new(), Vec::new())));
    let work = |worker: usize| {
        let place = folder.join(worker.to_string());
        fs::create_dir_all(&place).expect("a folder");
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= count {
                break;
            }
            // Every scene has a seed of its own, whoever runs it.
            let own = seed.wrapping_mul(1_000_003).wrapping_add(k as u64);
            let text = Mutator::new(own, corpus::scenes()).text();
            let ended = run(&place, &text, &mut Dice::new(own));
            let (counts, found) = &mut *ends.lock().expect("no worker panics");
            *counts.entry(ended.fate).or_default() += 1;
            if let Some(wrong) = ended.wrong {
                let path = folder.join("found").join(format!("{k}.toml"));
                fs::write(&path, &text).expect("room for findings");
                found.push(format!("{}: {}: {wrong}", path.display(), ended.fate));
            }
        }
    };
    thread::scope(|scope| {
        (0..thread::available_parallelism().map_or(1, usize::from))
            .for_each(|worker| drop(scope.spawn(move || work(worker))));
    });
    let (counts, found) = ends.into_inner().expect("no worker panicked");
    println!("{count} scenes: {counts:?}");
    assert!(found.is_empty(), "{} of {count}:\n{}", found.len(), found.join("\n"));
    assert!(counts["done"] >= count / 10, "nearly all are refused: {counts:?}");
}

/// The limit of memory would end these runs too: it is far enough above that of the program for its own words to come first.
#[test]
fn scenes_that_want_more_memory_than_there_is_are_refused_with_numbers() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutated-large");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).expect("a folder");
    for text in corpus::kept("large") {
        fs::write(place.join("scene.toml"), &text).expect("writable");
        for arguments in [
            &["run", "scene.toml", "--out", "out"][..],
            &["run", "scene.toml", "--estimate", "--out", "out"],
            &["check", "scene.toml", "--derivatives"],
            &["order", "scene.toml", "--levels", "3"],
            &["sweep", "scene.toml", "--vary", "run.step=0.01,0.02", "--out", "out"],
        ] {
            let (code, said) = ended(&place, arguments).expect("it does not hang");
            assert_eq!(code, Some(2), "{arguments:?}: {said}");
            assert!(said.contains("B, the largest of ") && said.contains("the limit is 4.0 GB"), "{said}");
            assert!(!place.join("out").exists(), "{arguments:?}: nothing is written");
        }
    }
}

/// Runs a scene for a few steps, or looks at it without running.
fn run(place: &Path, text: &str, dice: &mut Dice) -> Ended {
    let out = place.join("out");
    let _ = fs::remove_dir_all(&out);
    fs::write(place.join("scene.toml"), text).expect("writable");
    let arguments: &[&str] = match dice.below(8) {
        0 => &["check", "scene.toml", "--derivatives"],
        1 => &[
            "run",
            "scene.toml",
            "--steps",
            "1",
            "--out",
            "out",
            "--measures",
            "ledger,constraint-forces,energy-parts",
        ],
        _ => &["run", "scene.toml", "--steps", "25", "--out", "out"],
    };
    let (code, said) = match ended(place, arguments) {
        Ok(ended) => ended,
        Err(wrong) => return Ended { fate: "hung", wrong: Some(wrong) },
    };
    let said: String = said.chars().take(400).collect();
    let wrong = |fate, wrong: String| Ended { fate, wrong: Some(wrong) };
    match code {
        _ if said.contains("panicked") => wrong("panicked", said),
        None => wrong("aborted", said),
        Some(1 | 2) if said.trim().is_empty() => wrong("silent", "no message".into()),
        Some(1) if said.contains("interrupted after step") => Ended { fate: "stopped", wrong: None },
        Some(1) => Ended { fate: "failed", wrong: None },
        Some(2) => Ended { fate: "refused", wrong: None },
        Some(0) if arguments[0] == "check" => Ended { fate: "checked", wrong: None },
        Some(0) => Ended { fate: "done", wrong: is_right(&out).err() },
        Some(code) => wrong("odd", format!("exit code {code}: {said}")),
    }
}

/// The exit code and standard error of the program, with limits of memory and time.
fn ended(place: &Path, arguments: &[&str]) -> Result<(Option<i32>, String), String> {
    let mut command = match cfg!(unix) {
        true => {
            let mut shell = Command::new("sh");
            shell.args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_carom")]);
            shell
        }
        false => Command::new(env!("CARGO_BIN_EXE_carom")),
    };
    command.args(arguments).current_dir(place).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("carom starts");
    let mut pipe = child.stderr.take().expect("it was asked for");
    // Read beside the wait: a full pipe would stop the program.
    let reader = thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let code = wait(&mut child);
    let said = reader.join().expect("it only reads");
    code.map(|code| (code, said))
}

fn wait(child: &mut Child) -> Result<Option<i32>, String> {
    let (begun, mut asked) = (Instant::now(), false);
    loop {
        if let Some(status) = child.try_wait().expect("it can be waited for") {
            return match status.code() {
                None if asked => Err(format!("no end after {SLOW:?}, and nothing was kept when asked to end")),
                code => Ok(code),
            };
        }
        if cfg!(unix) && !asked && begun.elapsed() > SLOW {
            asked = true;
            let _ = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        }
        if begun.elapsed() > HANGS {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("no end after {HANGS:?}"));
        }
        sleep(Duration::from_millis(2));
    }
}

/// Whether a finished run has its numbers, and all of them are numbers.
fn is_right(out: &Path) -> Result<(), String> {
    let read = |name: &str| fs::read(out.join(name)).map_err(|error| format!("{name}: {error}"));
    let report: Value = serde_json::from_slice(&read("run.json")?).map_err(|error| format!("run.json: {error}"))?;
    for path in NUMBERS {
        if !report.pointer(path).is_some_and(Value::is_number) {
            return Err(format!("run.json: no number at {path}"));
        }
    }
    if report["complete"] != true {
        return Err("exit code 0, but the run is not complete".into());
    }
    if let Some(path) = missing_number(&report, String::new()) {
        return Err(format!("run.json: no number at {path}"));
    }
    let trajectory = read("trajectory.f64")?;
    let numbers =
        trajectory.chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    match numbers.into_iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(place) => Err(format!("trajectory.f64: entry {place} is not finite")),
    }
}

/// The path of a `null` in a list of numbers.
fn missing_number(value: &Value, path: String) -> Option<String> {
    match value {
        Value::Array(items) if items.iter().any(Value::is_null) => Some(path),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(k, item)| missing_number(item, format!("{path}/{k}")))
        }
        Value::Object(map) => map.iter().find_map(|(key, item)| missing_number(item, format!("{path}/{key}"))),
        _ => None,
    }
}
