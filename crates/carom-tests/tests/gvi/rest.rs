//! Contacts that rest or come to rest, one or many.

use carom::steppers::shared::near::normal_impulse;
use carom::system::ContactId;
use carom_tests::runs::{built_in, scene};

use crate::{accounts, energy_error, run};

/// A bead pressed onto the inside of a bowl and pushed along it.
const BOWL: &str = r#"
[parameters]
restitution = 1.0
lift = 0.0
[[particle]]
mass = 1.0
position = ["2*sin(0.7)", "-2*cos(0.7) + lift"]
velocity = [0.0, 0.0]
[[field]]
gravity = [0.0, -9.8]
[[ball]]
centre = [0.0, 0.0]
radius = 2.0
side = "inside"
restitution = "restitution"
[method]
name = "gvi"
[run]
step = 0.01
until = 100.0
"#;

#[test]
fn rebound_865_a_bead_pressed_on_a_surface_stays_there() {
    let bowl = scene("bowl", BOWL, &[]);
    let flat = built_in("pogo-stick", &["initial.q={ q1 = 4.5, q2 = 0 }", "run.until=1000"]);
    for scene in [bowl, flat] {
        let mut off = 0.0_f64;
        let summary = run(&scene, &mut |frame| {
            off = off.max(frame.gap[0].abs());
            assert!(
                frame.step == 0
                    || (frame.report.active && normal_impulse(frame.contact_impulse, ContactId(0)) > 0.0)
            );
        });
        println!("{}: |g| {off:.1e}, energy {:.1e}", scene.name, energy_error(&summary));
        assert!(off <= 1e-12 && summary.impacts == Some(0) && summary.active_steps == Some(scene.run.steps));
    }
}

#[test]
fn balls_with_restitution_come_to_rest_on_the_floor_and_their_energy_is_booked() {
    for e in [0.0, 0.3, 0.5, 0.9] {
        for rule in ["verlet", "midpoint"] {
            let edits = [format!("parameters.restitution={e}"), format!("method.rule={rule}")];
            let scene = built_in("point-mass", &[&edits[0], &edits[1], "run.step=0.01", "run.until=20"]);
            let mut last = [0.0; 2];
            let (summary, ledger) = accounts(&scene, &mut |frame| last = [frame.state.q[0], frame.state.p[0]]);
            let left: Vec<String> =
                ledger.sources.iter().map(|source| format!("{} {:.4}", source.name, source.left)).collect();
            println!(
                "e = {e}, {rule}: at {last:?}, depth {:.1e}, {} impacts, {} captured, {}, error {:.1e}",
                summary.max_penetration.expect("a floor"),
                summary.impacts.expect("a floor"),
                summary.captured,
                left.join(", "),
                ledger.error()
            );
            assert!(last[0].abs() <= 1e-12 && last[1].abs() <= 1e-12, "{last:?}");
            assert!(summary.max_penetration.expect("a floor") <= 1e-12);
            assert_eq!(summary.captured, 1);
            // All of the energy is gone, through the impacts but for what the capture took.
            let [impacts, capture] = [&ledger.sources[0], &ledger.sources[1]];
            assert!((impacts.left + capture.left - 9.8).abs() < 1e-9 && ledger.error().abs() < 1e-9);
            assert!(capture.left < 0.03 * 9.8, "{}", capture.left);
        }
    }
}

#[test]
fn capture_lets_an_elastic_bead_settle_that_would_chatter() {
    // A bead a little above the bowl: too low to bounce visibly.
    let without = run(&scene("bowl", BOWL, &["parameters.lift=1e-5"]), &mut |_| {});
    let settled = scene("bowl", BOWL, &["parameters.lift=1e-5", "method.capture=true"]);
    let (with, ledger) = accounts(&settled, &mut |_| {});
    println!("impacts {:?} without capture, {:?} with; {:?}", without.impacts, with.impacts, ledger.sources);
    assert!(without.impacts > Some(1000) && without.captured == 0);
    assert_eq!((with.impacts, with.captured), (Some(0), 1));
    assert!(ledger.sources[1].left > 0.0 && ledger.sources[1].left < 1e-3 && ledger.sources[0].left == 0.0);
}

/// Balls that fall into a box and come to rest there.
pub const PILE: &str = r#"
[parameters]
balls = 6
[[particle]]
name = "ball"
mass = 1.0
radius = 0.5
position = ["0.3*sin(5*i)", "1 + 1.2*i"]
repeat = { index = "i", count = "balls" }
[[field]]
gravity = [0.0, -9.8]
[[contact]]
restitution = 0.3
[[wall]]
normal = [0, 1]
restitution = 0.3
[[wall]]
normal = [1, 0]
offset = -1.2
restitution = 0.3
[[wall]]
normal = [-1, 0]
offset = -1.2
restitution = 0.3
[method]
name = "gvi"
iterate_predictor = true
[run]
step = 0.002
until = 20
"#;

#[test]
fn a_pile_of_balls_comes_to_rest_without_sinking() {
    let scene = scene("pile", PILE, &[]);
    let mut speed = 0.0;
    let mut held = 0;
    let (summary, ledger) = accounts(&scene, &mut |frame| {
        speed = frame.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
        held = frame.contact_impulse.iter().filter(|impulse| impulse.normal > 0.0).count();
    });
    println!(
        "speed at the end {speed:.1e}, {held} contacts carry, depth {:.1e}, ledger error {:.1e}",
        summary.max_penetration.expect("walls"),
        ledger.error()
    );
    assert!(speed < 1e-6 && held >= 6 && summary.max_penetration.expect("walls") < 1e-12);
}

#[test]
fn many_contacts_satisfy_complementarity_in_every_step() {
    let scene = scene("pile", PILE, &["parameters.balls=25", "run.until=12", "run.step=0.004"]);
    let (mut most, mut pull, mut apart, mut depth, mut speed) = (0, 0.0_f64, 0.0_f64, 0.0_f64, 0.0_f64);
    let (summary, ledger) = accounts(&scene, &mut |frame| {
        most = most.max(frame.contact_impulse.iter().filter(|impulse| impulse.normal > 0.0).count());
        for (contact, gap) in frame.contacts.iter().zip(frame.gap) {
            let impulse = normal_impulse(frame.contact_impulse, *contact);
            depth = depth.max(-gap);
            // At rest only what touches carries, and nothing pulls.
            if frame.state.t > 10.0 {
                (pull, apart) = (pull.max(-impulse), apart.max(impulse * gap));
            }
        }
        speed = frame.v.iter().fold(0.0_f64, |max, v| max.max(v.abs()));
    });
    println!(
        "up to {most} contacts carry, pull {pull:.1e}, depth {depth:.1e}, speed at the end {speed:.1e}, {} captured, ledger {:.1e}",
        summary.captured,
        ledger.error()
    );
    assert!(most > 50 && depth < 1e-14 && speed < 1e-14 && pull <= 1e-12 && apart <= 1e-15);
    // What no source explains is the error of the steps between impacts.
    assert!(ledger.error().abs() < 1e-3);
}

/// A bead in the corner of three walls in the plane, pressed into it: the contacts depend on each other.
const CORNER: &str = r#"
[[particle]]
mass = 1.0
position = [0.0, 0.0]
[[field]]
gravity = [-3.0, -9.8]
[[wall]]
normal = [0, 1]
[[wall]]
normal = [1, 0]
[[wall]]
normal = [1, 1]
[method]
name = "gvi"
[run]
step = 0.01
steps = 500
"#;

#[test]
fn contacts_that_depend_on_each_other_hold_all_the_same() {
    for rule in ["verlet", "midpoint"] {
        let edit = format!("method.rule={rule}");
        let mut off = 0.0_f64;
        let summary = run(&scene("corner", CORNER, &[&edit]), &mut |frame| {
            off = frame.state.q.iter().chain(&frame.state.p).fold(off, |max, x| max.max(x.abs()));
            let [first, last] = [0, 2].map(|id| normal_impulse(frame.contact_impulse, ContactId(id)));
            let total = first + last / 2.0_f64.sqrt();
            assert!(frame.step == 0 || (total - 0.098).abs() < 1e-12, "{:?}", frame.contact_impulse);
        });
        assert!(off <= 1e-15 && summary.impacts == Some(0), "{off:e}");
    }
}
