//! Discs that settle in a box: impacts of clusters end, and what does not belong to a cluster is left alone.
//!
//! With `CAROM_FULL=1` there are boxes of 20 and 50 discs too; they take minutes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use carom::error::Failure;
use carom::steppers::Happening;
use carom_io::scene::Scene;

use super::Walk;

/// `rows` layers of `columns` discs above the floor of a box, and perhaps another body beside it.
fn text(rows: u32, columns: u32, beside: &str) -> String {
    let width = 0.28 + 0.23 * f64::from(columns);
    format!(
        r#"
[parameters]
mu = 0.0
e = 0.6
[[particle]]
name = "disc"
mass = 1
radius = 0.1
position = ["0.25 + 0.23*j + 0.02*i", "0.3 + 0.25*i"]
velocity = ["0.3*sin(7*i + 3*j)", 0]
repeat = [{{ index = "i", count = {rows} }}, {{ index = "j", count = {columns} }}]
{beside}
[[field]]
gravity = [0, -9.81]
[[contact]]
restitution = "e"
friction = "mu"
[[wall]]
normal = [0, 1]
restitution = "e"
friction = "mu"
[[wall]]
on = ["disc"]
normal = [1, 0]
restitution = "e"
friction = "mu"
[[wall]]
on = ["disc"]
normal = [-1, 0]
offset = {offset}
restitution = "e"
friction = "mu"
[method]
name = "cva"
[run]
step = "1/240"
until = 5
"#,
        offset = -width
    )
}

pub fn scene(rows: u32, columns: u32, edits: &[&str]) -> Scene {
    carom_tests::runs::scene("box", &text(rows, columns, ""), edits)
}

/// Settles a box and demands that everything ends as it should.
fn settle(rows: u32, columns: u32, method: &str, edits: &[&str]) {
    let started = Instant::now();
    let mut walk = Walk::of(scene(rows, columns, edits), method);
    let gaps = walk.scene.problem.system.contacts().count();
    let (mut gap, mut deepest, mut residual) = (vec![0.0; gaps], 0.0_f64, 0.0_f64);
    let mut energy = walk.energy();
    let (first, mut booked, mut rested, mut unbooked) = (energy, 0.0, 0.0, 0.0_f64);
    let (mut impacts, mut most) = (0, 0);
    while walk.steps < 1200 {
        let report = walk.step();
        let system = &*walk.scene.problem.system;
        system.contacts().gaps(walk.state.t, &walk.state.q, &mut gap);
        deepest = gap.iter().fold(deepest, |deepest, gap| deepest.max(-gap));
        residual = residual.max(report.residual);
        impacts += report.impacts;
        most = most.max(report.impacts);
        let now = walk.energy();
        let taken = report.impact_work;
        let further = now - energy - taken;
        booked += taken;
        if report.captured > 0 {
            rested += further
        } else {
            unbooked += further.abs()
        }
        energy = now;
    }
    let fastest = walk.state.p.iter().fold(0.0_f64, |max, p| max.max(p.abs()));
    println!(
        "{} discs, {method} {edits:?}: {impacts} impacts, {most} in a step at most; energy {first:.3} → {energy:.3}: impacts {booked:.3}, coming to rest {rested:.4}, not booked {unbooked:.1e}; fastest {fastest:.1e}, deepest {deepest:.1e}, residual {residual:.1e}, {:.1} s",
        rows * columns,
        started.elapsed().as_secs_f64()
    );
    assert!(fastest < 1e-12, "it rests");
    assert!(deepest < 1e-12 && residual <= 1e-10);
    // vci conserves the discrete energies of legs, which differ from H by O(h²).
    let share = if method == "vci" { 1e-3 } else { 1e-4 };
    assert!(booked < 0.0 && rested <= 1e-3 && unbooked < share * first && energy < first);
}

#[test]
fn eight_discs_come_to_rest_with_all_energy_booked() {
    for method in ["cva", "vci"] {
        for e in ["parameters.e=0.6", "parameters.e=0.3"] {
            for mu in ["parameters.mu=0", "parameters.mu=0.3"] {
                settle(2, 4, method, &[e, mu]);
            }
        }
    }
}

#[test]
fn boxes_of_twenty_and_fifty_discs_come_to_rest() {
    if std::env::var("CAROM_FULL").is_ok_and(|value| value == "1") {
        for (rows, columns) in [(5, 4), (10, 5)] {
            for method in ["cva", "vci"] {
                for e in ["parameters.e=0.6", "parameters.e=0.3"] {
                    settle(rows, columns, method, &[e]);
                }
            }
        }
    } else {
        // The first layers of the fall, with the steps that did not end.
        let mut walk = Walk::of(scene(5, 4, &["parameters.e=0.3"]), "cva");
        let mut most = 0;
        while walk.steps < 120 {
            most = most.max(walk.step().impacts);
        }
        assert!((100..20_000).contains(&most), "{most} impacts in a step");
    }
}

/// A ball that bounces beside a box of discs does as it does alone, while the discs collapse.
#[test]
fn a_body_apart_from_a_cluster_keeps_its_restitution() {
    let beside = r#"
[[particle]]
name = "ball"
mass = 1
radius = 0.1
position = [30, 1.0]
"#;
    // The condition of vci moves speeds by O(h²).
    for (method, tolerance) in [("cva", 1e-9), ("vci", 1e-2)] {
        let with = carom_tests::runs::scene("box", &text(4, 4, beside), &["parameters.e=0.6"]);
        let mut walk = Walk::of(with, method);
        let n = walk.state.q.len();
        // Heights of the ball by hand: it falls 0.9, and comes back with 0.6 of its speed each time.
        let (mut t, mut u) = ((2.0 * 0.9_f64 / 9.81).sqrt(), (2.0 * 9.81 * 0.9_f64).sqrt());
        let mut collapsed = 0;
        while walk.steps < 240 {
            let report = walk.step();
            let held = walk.events().iter().filter(|event| event.what == Happening::Rest).count();
            collapsed += u32::from(report.captured as usize > held);
            let now = walk.steps as f64 * walk.h;
            while now > t + 1.2 * u / 9.81 && u > 0.02 {
                (t, u) = (t + 1.2 * u / 9.81, 0.6 * u);
            }
            let since = now - t;
            let height = if since < 0.0 {
                1.0 - 0.5 * 9.81 * now * now
            } else {
                0.1 + 0.6 * u * since - 0.5 * 9.81 * since * since
            };
            if u > 0.02 {
                let there = walk.state.q[n - 1];
                assert!((there - height).abs() < tolerance, "{method} at {now}: {there}, by hand {height}");
            }
        }
        assert!(collapsed > 0, "nothing collapsed beside it");
    }
}

/// A run that is asked to stop does so inside a step.
#[test]
fn a_step_of_many_impacts_ends_at_once_when_the_run_is_asked_to_stop() {
    let mut walk = Walk::of(scene(5, 4, &["parameters.e=0.6"]), "cva");
    while walk.step().impacts < 100 {}
    let stop = Arc::new(AtomicBool::new(false));
    walk.heed(&stop);
    let before = walk.state.clone();
    let asked = std::thread::scope(|scope| {
        let clock = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        // Steps long enough for thousands of impacts.
        let failure = loop {
            match walk.try_step(1.0) {
                Ok(()) => {}
                Err(error) => break error.failure,
            }
        };
        assert!(matches!(failure, Failure::Interrupted), "{failure}");
        clock.join().expect("it sleeps")
    });
    assert!(asked.elapsed() < Duration::from_millis(200), "{:?}", asked.elapsed());
    assert!(walk.state.t >= before.t && walk.state.q.iter().all(|q| q.is_finite()));
}
