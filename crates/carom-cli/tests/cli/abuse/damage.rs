//! Damaged folders: every answer is the right one or an error, and an error leaves the folder as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use carom_tests::fuzz::Dice;

use super::{KINDS, Kind, copy, difference, trials};
use crate::{Ended, Place, names};

/// Makes a complete run `NAME-whole` and one that was killed with two snapshots on the disk, `NAME-cut`.
fn make(place: &Place, kind: &Kind) {
    let (whole, cut) = (format!("{}-whole", kind.name), format!("{}-cut", kind.name));
    place.carom(&kind.run("1000", &whole)).code(0);
    // Where the disk is slow, a run with many snapshots is nearly always between two of them, with one on the disk.
    for distance in ["0.001", "0.003", "0.01", "0.03"].iter().cycle().take(60) {
        let mut child = place.command(&kind.run(distance, &cut)).spawn().expect("carom runs");
        let begin = Instant::now();
        let at = |file: &str| fs::metadata(place.path(&cut).join(file)).map_or(0, |data| data.len());
        while (at("snapshot-before.bin") == 0 || at("snapshot.bin") == 0 || at("measures.crc") < 68)
            && child.try_wait().expect("runs").is_none()
        {
            assert!(begin.elapsed() < Duration::from_secs(60), "{}: no snapshots", kind.name);
            sleep(Duration::from_millis(1));
        }
        child.kill().expect("SIGKILL");
        child.wait().expect("ended");
        let files = names(&place.path(&cut));
        let has = |name: &str| files.iter().any(|file| file == name);
        if has("snapshot.bin") && has("snapshot-before.bin") && !has("run.json") {
            return;
        }
    }
    panic!("{}: never killed between its snapshots", kind.name);
}

/// Changes a file in one of many ways and says in which.
fn damage(dice: &mut Dice, folder: &Path, foreign: &Path) -> String {
    let files = names(folder);
    let file = &files[dice.below(files.len())];
    let path = folder.join(file);
    let mut bytes = fs::read(&path).expect("readable");
    let at = dice.below(bytes.len().max(1));
    let range = at..(at + 1 + dice.below(64)).min(bytes.len());
    let what = match dice.below(9) {
        0 => {
            fs::remove_file(&path).expect("removed");
            return format!("{file} removed");
        }
        1 => {
            bytes.truncate(at);
            format!("{file} cut off at {at}")
        }
        2 => {
            bytes.clear();
            format!("{file} emptied")
        }
        3 => {
            bytes.extend((0..1 + dice.below(200)).map(|k| (k * 37) as u8));
            format!("{file} with more at its end")
        }
        4 => {
            bytes[range.clone()].fill(0);
            format!("{file} with zeros at {range:?}")
        }
        5 => {
            bytes[range.clone()].iter_mut().for_each(|byte| *byte = dice.below(256) as u8);
            format!("{file} with noise at {range:?}")
        }
        6 if foreign.join(file).is_file() => {
            bytes = fs::read(foreign.join(file)).expect("readable");
            format!("{file} of another run")
        }
        _ => {
            let bit = 1 << dice.below(8);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= bit;
            }
            format!("{file} with a bit changed at {at}")
        }
    };
    fs::write(&path, bytes).expect("written");
    what
}

/// What is in the files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = fs::read(folder.join(&name)).unwrap_or_default();
        (name, bytes)
    };
    names(folder).into_iter().map(read).collect()
}

/// Runs a command on the damaged folder `hurt`; `judge` says what is wrong with it if the command succeeded.
fn attempt(
    place: &Place,
    arguments: &[&str],
    judge: impl FnOnce(&Ended) -> Option<String>,
) -> Result<bool, String> {
    let before = contents(&place.path("hurt"));
    let ended = Ended::of(place.command(arguments).output().expect("carom runs"));
    match ended.code {
        Some(0) => judge(&ended).map_or(Ok(true), Err),
        Some(1 | 2) if ended.err.trim().is_empty() => Err("it failed and said nothing".into()),
        Some(1 | 2) => {
            // The lock of the process that was killed may go.
            let mut after = contents(&place.path("hurt"));
            let lost = before.iter().find(|(name, bytes)| {
                name.as_str() != "run.lock" && after.remove(name.as_str()).as_ref() != Some(*bytes)
            });
            lost.map_or(Ok(false), |(name, _)| Err(format!("it failed and changed {name}: {}", ended.err)))
        }
        code => Err(format!("it ended with {code:?}: {}", ended.err)),
    }
}

/// Of a run that was cut off: the resumed run must be the whole one, and what is exported a beginning of it.
fn cut_off(place: &Place, kind: &Kind, what: &str, exported: &str) -> Result<bool, String> {
    let whole = place.path(&format!("{}-whole", kind.name));
    let csv = |folder: &Path| fs::read_to_string(folder.join("trajectory.csv")).unwrap_or_default();
    attempt(place, &["export", "hurt", "--format", "csv"], |ended| {
        let (all, got) = (csv(&whole), csv(&place.path("hurt")));
        if !all.starts_with(&got) {
            return Some(format!("{what}: exported other numbers"));
        }
        let missing = got.len() < exported.len() && !ended.out.contains("left out");
        missing.then(|| format!("{what}: exported fewer rows and did not say so: {}", ended.out))
    })?;
    attempt(place, &["run", "--resume", "hurt", "--quiet"], |_| difference(&whole, &place.path("hurt")))
}

/// Of a complete run: page and export must be those of the undamaged folder.
fn complete(place: &Place, kind: &Kind) -> Result<bool, String> {
    let whole = place.path(&format!("{}-whole", kind.name));
    let same = |files: &[&str]| {
        let read = |folder: &Path, file: &str| fs::read(folder.join(file)).ok();
        let differs = files.iter().find(|file| read(&whole, file) != read(&place.path("hurt"), file));
        differs.map(|file| format!("{file} is another one"))
    };
    let page = attempt(place, &["report", "hurt"], |_| same(&["report.html"]))?;
    let tables = ["trajectory.csv", "measures.csv", "events.csv", "contacts.csv"];
    let export = attempt(place, &["export", "hurt", "--format", "csv"], |_| same(&tables))?;
    // A run that ended cannot be resumed, whatever is damaged.
    if attempt(place, &["run", "--resume", "hurt", "--quiet"], |_| None)? {
        return Err("a complete run was resumed".into());
    }
    Ok(page && export)
}

#[test]
fn damaged_folders_give_the_right_results_or_an_error() {
    let place = Place::new();
    let mut exported = BTreeMap::new();
    for kind in &KINDS {
        make(&place, kind);
        place.carom(&["export", &format!("{}-whole", kind.name), "--format", "csv"]).code(0);
        copy(&place, &format!("{}-cut", kind.name), "hurt");
        place.carom(&["export", "hurt", "--format", "csv"]).code(0);
        exported.insert(kind.name, place.read("hurt/trajectory.csv"));
        // Without damage both ways must succeed: else the test would pass for nothing.
        copy(&place, &format!("{}-cut", kind.name), "hurt");
        assert_eq!(cut_off(&place, kind, "no damage", &exported[kind.name]), Ok(true), "{}", kind.name);
    }
    let (mut wrong, mut refused, count) = (Vec::new(), 0, trials(1200));
    for trial in 0..count {
        let mut dice = Dice::new(trial);
        let (kind, other) = (&KINDS[dice.below(KINDS.len())], &KINDS[dice.below(KINDS.len())]);
        let state = ["whole", "cut"][dice.below(2)];
        copy(&place, &format!("{}-{state}", kind.name), "hurt");
        for made in ["report.html", "trajectory.csv", "measures.csv", "events.csv", "contacts.csv"] {
            let _ = fs::remove_file(place.path("hurt").join(made));
        }
        let what = damage(&mut dice, &place.path("hurt"), &place.path(&format!("{}-{state}", other.name)));
        let outcome = match state {
            "cut" => cut_off(&place, kind, &what, &exported[kind.name]),
            _ => complete(&place, kind),
        };
        match outcome {
            Ok(done) => refused += u64::from(!done),
            Err(fault) => wrong.push(format!("trial {trial}, {}-{state}, {what}: {fault}", kind.name)),
        }
    }
    println!(
        "{count} damaged folders: {refused} refused, {} gave the right results, {} wrong",
        count - refused,
        wrong.len()
    );
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(refused > count / 4, "damage is noticed: {refused} of {count}");
}
