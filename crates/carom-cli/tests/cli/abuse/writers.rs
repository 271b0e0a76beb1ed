//! One folder, several writers: one writes, the others are refused and told who does; readers never are.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{KINDS, difference, trials};
use crate::{Ended, Place};

#[test]
fn a_second_writer_is_refused_with_the_number_of_the_first() {
    let place = Place::new();
    for trial in 0..trials(20) {
        let arguments =
            ["run", "kepler", "--steps", "1000000000", "--every", "1000", "--yes", "--quiet", "--out", "out"];
        let mut first = place.command(&arguments).spawn().expect("carom runs");
        let begin = Instant::now();
        while !place.path("out/snapshot.bin").exists() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the run does not begin");
            sleep(Duration::from_millis(1));
        }
        let id = first.id().to_string();
        let second = [
            &["run", "kepler", "--steps", "5", "--out", "out"][..],
            &["run", "--resume", "out"],
            &["run", "pendulum-polar", "--steps", "5", "--out", "other/../out"],
        ];
        let refused = place.carom(second[trial as usize % second.len()]).code(2);
        assert!(refused.err.contains(&format!("process {id} ")), "{refused:?}");
        // A reader sees what there is.
        place.carom(&["export", "out", "--format", "csv"]).code(0);
        assert!(first.try_wait().expect("runs").is_none(), "the first goes on");
        first.kill().expect("SIGKILL");
        first.wait().expect("ended");
        // Its lock is still there and holds nobody up.
        assert_eq!(place.read("out/run.lock").trim(), id);
        place.carom(&["run", "kepler", "--steps", "5", "--quiet", "--out", "out"]).code(0);
        assert_eq!(place.json("out/run.json")["steps"], 5);
        fs::remove_dir_all(place.path("out")).expect("removed");
    }
}

#[test]
fn writers_that_start_at_once_leave_one_whole_run() {
    let place = Place::new();
    let kind = &KINDS[1];
    place.carom(&kind.run("0.02", "whole")).code(0);
    let mut refused = 0;
    for trial in 0..trials(20) {
        let out = format!("out{trial}");
        let start = || {
            let mut command = place.command(&kind.run("0.02", &out));
            command.stderr(std::process::Stdio::piped()).spawn().expect("carom runs")
        };
        let both = [start(), start()];
        let ended = both.map(|child| Ended::of(child.wait_with_output().expect("ended")));
        for one in &ended {
            assert!(matches!(one.code, Some(0 | 2)), "{one:?}");
            assert_eq!(one.code == Some(2), one.err.contains("writes to this folder"), "{one:?}");
        }
        refused += ended.iter().filter(|one| one.code == Some(2)).count();
        assert!(ended.iter().any(|one| one.code == Some(0)), "{ended:?}");
        assert_eq!(difference(&place.path("whole"), &place.path(&out)), None);
    }
    assert!(refused > 0, "some met");
}
