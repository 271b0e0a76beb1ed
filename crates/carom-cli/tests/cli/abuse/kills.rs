//! Runs that are killed at any moment, many of them while they end: nothing that was recorded is lost, and the resumed run is the whole one.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use carom_tests::fuzz::Dice;

use super::{KINDS, Kind, difference, trials};
use crate::{Ended, Place};

/// When a run is killed.
enum Moment {
    /// So long after its start.
    After(Duration),
    /// So long after its trajectory has reached this size, which is nearly that of the whole run.
    NearEnd(Duration, u64),
}

/// Starts a command and kills it; whether it was alive still.
fn kill(place: &Place, arguments: &[&str], out: &str, moment: &Moment) -> bool {
    let mut child = place.command(arguments).spawn().expect("carom runs");
    let size = || fs::metadata(place.path(out).join("trajectory.f64")).map_or(0, |data| data.len());
    match *moment {
        Moment::After(pause) => sleep(pause),
        Moment::NearEnd(pause, most) => {
            let begin = Instant::now();
            while size() < most && child.try_wait().expect("runs").is_none() {
                assert!(begin.elapsed() < Duration::from_secs(120), "the run does not end");
                std::hint::spin_loop();
            }
            sleep(pause);
        }
    }
    let alive = child.try_wait().expect("runs").is_none();
    child.kill().expect("SIGKILL");
    child.wait().expect("ended");
    alive
}

/// Brings a run that was killed to its end and compares; `None` if all is well.
fn recover(place: &Place, kind: &Kind, out: &str) -> Option<String> {
    let (whole, cut) = (place.path(&format!("{}-whole", kind.name)), place.path(out));
    let resumed = Ended::of(place.command(&["run", "--resume", out, "--quiet"]).output().expect("carom runs"));
    if resumed.code != Some(0) {
        let complete = resumed.code == Some(2) && resumed.err.contains("the run is complete");
        // Nothing was recorded yet: a run from the start must take the folder.
        let early = !cut.join("snapshot.bin").exists() && !cut.join("run.json").exists();
        if complete {
            place.carom(&["report", out]).code(0);
        } else if early {
            place.carom(&kind.run("0.02", out)).code(0);
        } else {
            return Some(format!("lost: {}", resumed.err));
        }
    }
    let left = |file: &str| cut.join(file).exists().then(|| format!("{file} is left"));
    let pages = [&whole, &cut].map(|folder| fs::read(folder.join("report.html")).ok());
    difference(&whole, &cut)
        .or_else(|| (pages[0] != pages[1]).then(|| "report.html differs".into()))
        .or_else(|| ["snapshot.bin", "snapshot-before.bin", "run.lock"].into_iter().find_map(left))
}

#[test]
fn runs_that_are_killed_at_any_moment_are_not_lost() {
    let place = Place::new();
    let mut took = Vec::new();
    for kind in &KINDS {
        let out = format!("{}-whole", kind.name);
        let begin = Instant::now();
        place.carom(&kind.run("0.02", &out)).code(0);
        let size = fs::metadata(place.path(&out).join("trajectory.f64")).expect("recorded").len();
        took.push((begin.elapsed(), size));
    }
    let (count, near) = (trials(200), trials(60));
    let (mut wrong, mut alive, mut alive_near) = (Vec::new(), 0, 0);
    let mut trial = 0;
    // Kills that came too late, as the run had ended, do not count; there may be some, not as many as one likes.
    while (alive < count || alive_near < near) && trial < 6 * count {
        let mut dice = Dice::new(trial);
        trial += 1;
        let at = dice.below(KINDS.len());
        let (kind, (whole, size)) = (&KINDS[at], took[at]);
        let late = alive_near < near && (dice.below(3) == 0 || alive >= count);
        let micros = |most: u128, dice: &mut Dice| Duration::from_micros(dice.below((most as usize).max(1)) as u64);
        let moment = if late {
            Moment::NearEnd(micros(20_000, &mut dice), size - size / 50)
        } else {
            Moment::After(micros(whole.as_micros(), &mut dice))
        };
        let out = format!("cut{trial}");
        let mut hit = kill(&place, &kind.run("0.02", &out), &out, &moment);
        if hit && dice.below(4) == 0 {
            // Some are killed again while they go on.
            let half = Moment::After(micros(whole.as_micros() / 2, &mut dice));
            hit |= kill(&place, &["run", "--resume", &out, "--quiet", "--snapshot", "0.02"], &out, &half);
        }
        alive += u64::from(hit);
        alive_near += u64::from(hit && late);
        if let Some(fault) = recover(&place, kind, &out) {
            wrong.push(format!("trial {trial}, {}, late: {late}: {fault}", kind.name));
        }
        let _ = fs::remove_dir_all(place.path(&out));
    }
    println!("{alive} kills, {alive_near} of them in the last 20 ms: {} runs lost or changed", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(alive >= count && alive_near >= near, "{alive} of {count} kills, {alive_near} of {near} near the end");
}
