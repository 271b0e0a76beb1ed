//! Signals that ask for the end: everything is kept.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{KINDS, difference};
use crate::{Ended, Place};

/// Whether this process, and so what it starts, ignores SIGHUP.
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).expect("a mask") & 1 == 1
}

#[test]
fn signals_that_ask_for_the_end_keep_everything() {
    let place = Place::new();
    let kind = &KINDS[0];
    place.carom(&kind.run("1000", "whole")).code(0);
    for signal in ["INT", "TERM", "HUP"] {
        if signal == "HUP" && hangups_are_ignored() {
            println!("left out: SIGHUP is ignored here");
            continue;
        }
        let out = format!("cut{signal}");
        let child = place.command(&kind.run("1000", &out)).stderr(Stdio::piped()).spawn().expect("carom runs");
        let begin = Instant::now();
        while !place.path(&out).join("snapshot.bin").exists() {
            assert!(begin.elapsed() < Duration::from_secs(60), "the run does not begin");
            sleep(Duration::from_millis(1));
        }
        let sent = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
        assert!(sent.expect("kill").success());
        let ended = Ended::of(child.wait_with_output().expect("it ends")).code(1);
        assert!(ended.err.contains("interrupted after step"), "{signal}: {ended:?}");
        assert!(ended.err.contains(&format!("go on with: carom run --resume {out}")), "{signal}: {ended:?}");
        assert_eq!(place.json(&format!("{out}/run.json"))["complete"], false);
        place.carom(&["run", "--resume", &out, "--quiet"]).code(0);
        assert_eq!(difference(&place.path("whole"), &place.path(&out)), None, "{signal}");
    }
}

#[test]
fn a_run_that_was_started_to_outlive_its_terminal_does() {
    let place = Place::new();
    let carom = env!("CARGO_BIN_EXE_carom");
    let script = format!("trap '' HUP; exec '{carom}' run newtons-cradle --steps 20000 --quiet --out out");
    let child = Command::new("sh").args(["-c", &script]).current_dir(&place.0).spawn();
    let mut child = child.expect("sh runs");
    let begin = Instant::now();
    while !place.path("out/snapshot.bin").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the run does not begin");
        sleep(Duration::from_millis(1));
    }
    let sent = Command::new("kill").args(["-HUP", &child.id().to_string()]).status();
    assert!(sent.expect("kill").success());
    assert!(child.wait().expect("it ends").success());
    assert_eq!(place.json("out/run.json")["complete"], true);
}
