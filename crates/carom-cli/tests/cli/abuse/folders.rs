//! Folders that are exchanged, and files that are missing, empty, of another run or no files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Kind, copy, difference};
use crate::{Ended, Place, names};

/// A run with a table of events, long enough to be met on its way.
const EVENTS: Kind =
    Kind { name: "events", arguments: &["star-body", "--method", "cva", "--steps", "80000", "--every", "20"] };

/// What is done to a file, in words and in deed.
type Damage = (&'static str, fn(&Path));

/// Starts a run and waits for its first snapshot.
fn begin(place: &Place, arguments: &[&str], out: &str) -> Child {
    let mut command = place.command(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("carom runs");
    let begin = Instant::now();
    while !place.path(out).join("snapshot.bin").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the run does not begin");
        assert!(child.try_wait().expect("runs").is_none(), "the run ended too soon");
        sleep(Duration::from_millis(1));
    }
    child
}

/// A complete run `whole`, and `cut`, the same one killed on its way.
fn make(place: &Place) {
    place.carom(&EVENTS.run("1000", "whole")).code(0);
    // On a slow disk a run may be met between two snapshots, or at its end.
    for _ in 0..30 {
        let mut child = begin(place, &EVENTS.run("0.01", "cut"), "cut");
        let has = |file: &str| fs::metadata(place.path("cut").join(file)).is_ok_and(|data| data.len() > 0);
        let files = ["trajectory.f64", "events.f64", "snapshot.bin", "snapshot-before.bin"];
        while !files.into_iter().all(has) && child.try_wait().expect("runs").is_none() {
            sleep(Duration::from_millis(1));
        }
        child.kill().expect("SIGKILL");
        child.wait().expect("ended");
        if files.into_iter().all(has) && !has("run.json") {
            return;
        }
    }
    panic!("never killed on its way");
}

/// The files of a folder.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    names(folder).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).expect("readable"))).collect()
}

/// What is in the files of a run that its readers look at.
fn files(folder: &Path) -> Vec<String> {
    let mut files = names(folder);
    files.retain(|name| !["report.html", "run.lock"].contains(&name.as_str()));
    files
}

/// Runs a command that must end by itself.
fn ends(place: &Place, arguments: &[&str]) -> Ended {
    let mut command = place.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("carom runs");
    let begin = Instant::now();
    while child.try_wait().expect("runs").is_none() {
        if begin.elapsed() > Duration::from_secs(60) {
            child.kill().expect("SIGKILL");
            panic!("{arguments:?} does not end");
        }
        sleep(Duration::from_millis(2));
    }
    Ended::of(child.wait_with_output().expect("ended"))
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_moved_while_a_run_writes_to_it_keeps_the_run_and_its_successor_stays_as_it_is() {
    let place = Place::new();
    place.carom(&EVENTS.run("1000", "whole")).code(0);
    // It shows at the next snapshot, or at the end.
    for (snapshot, successor) in [("0.01", None), ("1000", None), ("1000", Some("5")), ("0.01", Some("5"))] {
        let child = begin(&place, &EVENTS.run(snapshot, "out"), "out");
        fs::rename(place.path("out"), place.path("moved")).expect("moved");
        match successor {
            None => fs::create_dir(place.path("out")).expect("a new folder"),
            Some(steps) => drop(place.carom(&["run", "kepler", "--steps", steps, "--out", "out"]).code(0)),
        }
        let before = contents(&place.path("out"));
        let ended = Ended::of(child.wait_with_output().expect("it ends")).code(1);
        assert!(ended.err.contains("out: the folder was moved, removed or replaced"), "{ended:?}");
        assert_eq!(contents(&place.path("out")), before, "{snapshot}, {successor:?}");
        if cfg!(target_os = "linux") {
            let moved = place.path("moved").canonicalize().expect("there");
            let advice = format!("go on with: carom run --resume {}", moved.display());
            assert!(ended.err.contains(&advice), "{ended:?}");
        }
        place.carom(&["run", "--resume", "moved", "--quiet"]).code(0);
        assert_eq!(difference(&place.path("whole"), &place.path("moved")), None);
        ["out", "moved"].iter().for_each(|folder| fs::remove_dir_all(place.path(folder)).expect("removed"));
    }
}

#[test]
fn a_folder_that_is_removed_while_a_run_writes_to_it_is_not_made_again() {
    let place = Place::new();
    let child = begin(&place, &EVENTS.run("0.01", "out"), "out");
    // A snapshot may come in between.
    while fs::remove_dir_all(place.path("out")).is_err() {}
    let ended = Ended::of(child.wait_with_output().expect("it ends")).code(1);
    assert!(ended.err.contains("the folder was moved, removed or replaced"), "{ended:?}");
    assert_eq!(names(&place.0), [""; 0]);
}

#[test]
fn tables_of_another_run_are_refused_by_name() {
    let place = Place::new();
    make(&place);
    let other = [&EVENTS.run("1000", "other")[..], &["--set", "run.step=0.0099"]].concat();
    place.carom(&other).code(0);
    for table in ["trajectory", "measures", "events"] {
        for (state, commands) in [
            ("whole", &[&["report", "hurt"][..], &["cite", "hurt"], &["export", "hurt"]][..]),
            ("cut", &[&["run", "--resume", "hurt"], &["export", "hurt"]]),
        ] {
            copy(&place, state, "hurt");
            for kind in ["f64", "crc", "json"] {
                let file = format!("{table}.{kind}");
                fs::copy(place.path("other").join(&file), place.path("hurt").join(&file)).expect("copied");
            }
            for command in commands {
                let refused = place.carom(command).code(2);
                assert!(
                    refused.err.contains(&format!("{table}.crc is of another run")),
                    "{command:?}: {refused:?}"
                );
            }
        }
    }
    let study = ["order", "star-body", "--method", "cva", "--reference", "hurt", "--levels", "2", "--until", "0.1"];
    copy(&place, "whole", "hurt");
    for file in ["measures.f64", "measures.crc"] {
        fs::copy(place.path("other").join(file), place.path("hurt").join(file)).expect("copied");
    }
    let refused = place.carom(&study).code(2);
    assert!(refused.err.contains("measures.crc is of another run"), "{refused:?}");
}

#[test]
fn a_file_that_is_missing_or_empty_is_named() {
    let place = Place::new();
    make(&place);
    let damages: [Damage; 2] = [
        ("removed", |path| fs::remove_file(path).expect("removed")),
        ("emptied", |path| fs::write(path, "").expect("emptied")),
    ];
    for file in files(&place.path("whole")) {
        for (how, damage) in damages {
            copy(&place, "whole", "hurt");
            damage(&place.path("hurt").join(&file));
            let stem = file.split('.').next().expect("a name");
            for reader in ["report", "cite"] {
                let refused = place.carom(&[reader, "hurt"]).code(2);
                assert!(refused.err.contains(stem), "{file} {how}, {reader}: {refused:?}");
                assert!(!refused.err.contains("no run folder"), "{file} {how}, {reader}: {refused:?}");
            }
            // Whole tables can be exported; what is wrong beside them is said.
            let exported = place.carom(&["export", "hurt", "--format", "csv"]);
            let of_table = ["trajectory", "measures", "events", "checksums"].contains(&stem);
            assert_eq!(exported.code, Some(if of_table { 2 } else { 0 }), "{file} {how}: {exported:?}");
            assert!(exported.err.contains(stem), "{file} {how}: {exported:?}");
            place.carom(&["run", "--resume", "hurt"]).code(2);
        }
    }
    for file in files(&place.path("cut")) {
        for (how, damage) in damages {
            copy(&place, "cut", "hurt");
            damage(&place.path("hurt").join(&file));
            let resumed = place.carom(&["run", "--resume", "hurt", "--quiet"]);
            let stem = file.split('.').next().expect("a name");
            // One snapshot of two is enough; the first may be older than all rows of a table.
            assert!(stem.starts_with("snapshot") || resumed.err.contains(stem), "{file} {how}: {resumed:?}");
            match resumed.code {
                Some(0) => assert_eq!(difference(&place.path("whole"), &place.path("hurt")), None, "{file} {how}"),
                code => assert_eq!(code, Some(2), "{file} {how}: {resumed:?}"),
            }
            let snapshot = stem.starts_with("snapshot");
            assert!(!snapshot || resumed.code == Some(0), "{file} {how}: {resumed:?}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_holds_nobody_up() {
    let place = Place::new();
    make(&place);
    for state in ["whole", "cut"] {
        let files: Vec<String> = files(&place.path(state)).into_iter().chain(["run.lock".into()]).collect();
        for file in files {
            for command in
                [&["report", "hurt"][..], &["cite", "hurt"], &["export", "hurt"], &["run", "--resume", "hurt"]]
            {
                copy(&place, state, "hurt");
                let path = place.path("hurt").join(&file);
                let _ = fs::remove_file(&path);
                let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo");
                assert!(made.success());
                let ended = ends(&place, command);
                let looks = file != "run.lock" && command[0] != "run";
                if looks && state == "whole" {
                    let said = format!("{file} is not a regular file");
                    assert!(ended.err.contains(&said), "{state}, {file}, {command:?}: {ended:?}");
                }
                if file == "run.lock" && (state, command[0]) == ("cut", "run") {
                    assert!(ended.err.contains("run.lock is not a regular file"), "{ended:?}");
                }
                // A new run takes the folder or refuses it.
                let new = ends(&place, &["run", "kepler", "--steps", "3", "--quiet", "--out", "hurt"]);
                assert!(matches!(new.code, Some(0 | 2)), "{file}: {new:?}");
                fs::remove_dir_all(place.path("hurt")).expect("removed");
            }
        }
    }
}

#[test]
fn a_complete_run_without_its_page_names_what_makes_it() {
    let place = Place::new();
    place.carom(&["run", "kepler", "--steps", "10", "--quiet", "--out", "done"]).code(0);
    fs::remove_file(place.path("done/report.html")).expect("it was there");
    let live = format!("trajectory.csv.{}.partial", std::process::id());
    // The first number is beyond the largest that Linux gives to a process.
    let left = ["report.html.4194305.partial", "figures/energy.svg.4194305.partial", live.as_str()];
    fs::create_dir(place.path("done/figures")).expect("a folder");
    left.iter().for_each(|name| place.write(&format!("done/{name}"), ""));
    let refused = place.carom(&["run", "--resume", "done"]).code(2);
    assert!(refused.err.contains("the run is complete; done/report.html is missing"), "{refused:?}");
    assert!(refused.err.contains("carom report done makes it"), "{refused:?}");
    place.carom(&["report", "done"]).code(0);
    assert!(place.path("done/report.html").exists());
    if cfg!(target_os = "linux") {
        let stays = left.map(|name| place.path("done").join(name).exists());
        assert_eq!(stays, [false, false, true], "what a live process writes stays");
    }
}

#[test]
fn a_run_that_was_stopped_before_it_wrote_its_scene_says_how_to_start_again() {
    let place = Place::new();
    fs::create_dir(place.path("out")).expect("a folder");
    for begun in ["run.lock", "scene.toml.4711.partial"] {
        place.write(&format!("out/{begun}"), "");
        let refused = place.carom(&["run", "--resume", "out"]).code(2);
        assert!(refused.err.contains("nothing was recorded in it"), "{refused:?}");
        assert!(refused.err.contains("carom run SCENE --out out starts a run"), "{refused:?}");
    }
    place.carom(&["run", "kepler", "--steps", "3", "--quiet", "--out", "out"]).code(0);
    let foreign = place.carom(&["export", "."]).code(2);
    assert!(foreign.err.contains("no table of a run") && foreign.err.contains("trajectory.json is missing"));
}

#[test]
fn tables_that_are_whole_are_exported_beside_damaged_ones() {
    let place = Place::new();
    make(&place);
    for (lost, whole) in [("trajectory.f64", ["events", "measures"]), ("events.crc", ["measures", "trajectory"])] {
        let copied = place.path(lost);
        copy(&place, "whole", lost);
        fs::remove_file(copied.join(lost)).expect("removed");
        let printed = place.carom(&["export", lost, "--format", "csv"]).code(2);
        assert!(printed.err.contains(&format!("{lost} is missing")), "{printed:?}");
        let lines: Vec<&str> = printed.out.lines().collect();
        assert_eq!(lines.len(), 2, "{printed:?}");
        for (line, name) in lines.iter().zip(whole) {
            assert!(
                line.contains(&format!("{name}.csv: ")) && copied.join(format!("{name}.csv")).exists(),
                "{line}"
            );
        }
        // The run is complete, but nobody is told that all is well.
        let resumed = place.carom(&["run", "--resume", lost]).code(2);
        assert!(resumed.err.contains(&format!("the run is complete, but {lost} is missing")), "{resumed:?}");
    }
}

#[test]
fn a_file_that_is_lost_while_the_run_goes_on_is_told_at_its_end() {
    for file in ["scene.toml", "trajectory.f64", "measures.json"] {
        let place = Place::new();
        let child = begin(&place, &EVENTS.run("0.01", "out"), "out");
        fs::remove_file(place.path("out").join(file)).expect("removed");
        let ended = child.wait_with_output().expect("ended");
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(1), "{file}: {said}");
        assert!(said.contains(&format!("{file} is missing")), "{file}: {said}");
    }
}

#[test]
fn checksums_that_name_other_tables_are_refused_before_anything_is_written() {
    let place = Place::new();
    make(&place);
    copy(&place, "cut", "hurt");
    let path = place.path("hurt").join("checksums.json");
    let text = fs::read_to_string(&path).expect("readable").replace("\"trajectory\"", "\"trajectorq\"");
    fs::write(&path, &text).expect("written");
    let refused = place.carom(&["run", "--resume", "hurt"]).code(2);
    assert!(refused.err.contains("checksums.json is damaged, or was changed"), "{refused:?}");
    assert_eq!(fs::read_to_string(&path).expect("readable"), text);
}
