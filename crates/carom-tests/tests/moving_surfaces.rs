//! Surfaces that move: a ball on a vibrating table against the solution event by event, and the accounts of what the table does.

use std::f64::consts::PI;
use std::sync::atomic::AtomicBool;

use carom::measures::{Ledger, Role};
use carom::observe::{Frame, Observer};
use carom::steppers::{Event, Happening};
use carom::testing::derivatives;
use carom_io::scene::Scene;
use carom_io::trial::Trial;
use carom_tests::runs::{built_in, method, scene};

/// The events of a run, and its accounts.
struct Watch<'a> {
    scene: &'a Scene,
    events: Vec<Event>,
    ledger: Ledger,
}

impl Observer for Watch<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.events.extend_from_slice(frame.events);
        self.ledger.enter(&*self.scene.problem.system, frame);
        Ok(())
    }
}

fn watched(scene: &Scene) -> (Vec<Event>, Ledger) {
    let ledger = Ledger::of(&scene.method, &*scene.problem.system);
    let mut watch = Watch { scene, events: Vec::new(), ledger };
    let trial = Trial::run(scene, &mut [&mut watch], &AtomicBool::new(false)).expect("able");
    assert_eq!(trial.outcome.ended, None);
    (watch.events, watch.ledger)
}

/// The ball of `vibrating-table` in closed form between impacts, which are found by halving: time and speed of approach of each.
fn exact(strength: f64, restitution: f64, speed: f64, impacts: usize) -> Vec<(f64, f64)> {
    let (g, w) = (1.0, 2.0 * PI);
    let a = strength * g / (w * w);
    let table = |t: f64| a * (w * t).sin();
    let (mut t0, mut y0, mut v0, mut found) = (0.0, a, speed, Vec::new());
    while found.len() < impacts {
        let gap = |s: f64| y0 - table(t0) + v0 * s - 0.5 * g * s * s - (table(t0 + s) - table(t0));
        // The first step that ends below the table, after the ball has left it.
        let mut s = 1e-3;
        while gap(s) > 0.0 {
            s += 1e-3;
        }
        let (mut low, mut high) = (s - 1e-3, s);
        for _ in 0..200 {
            let half = 0.5 * (low + high);
            if gap(half) > 0.0 {
                low = half;
            } else {
                high = half;
            }
        }
        let t = t0 + high;
        let (v, u) = (v0 - g * high, a * w * (w * t).cos());
        found.push((t, v - u));
        (t0, y0, v0) = (t, table(t), u - restitution * (v - u));
    }
    found
}

#[test]
fn a_ball_on_a_vibrating_table_bounces_as_the_exact_solution_does() {
    for (strength, speed) in [(1.2, 0.5), (1.35, 0.47)] {
        let edits = [format!("parameters.strength={strength}"), format!("parameters.speed={speed}")];
        let scene = built_in("vibrating-table", &[&edits[0], &edits[1]]);
        let (events, ledger) = watched(&scene);
        let impacts: Vec<&Event> = events.iter().filter(|event| event.what == Happening::Impact).collect();
        let expected = exact(strength, 0.5, speed, 52);
        assert!(impacts.len() > 52, "{}", impacts.len());
        for (k, (event, (t, speed))) in impacts.iter().zip(&expected).enumerate() {
            assert!((event.t - t).abs() < 1e-9, "impact {k}: {} instead of {t}", event.t);
            assert!((event.speed - speed).abs() < 1e-9, "impact {k}: {} instead of {speed}", event.speed);
        }
        // Once a period, at the phase where the table gives back what the impact takes: cos = π(1 − e)/(strength (1 + e)).
        let phase = expected[51].0.fract();
        assert!(((2.0 * PI * phase).cos() - PI / (3.0 * strength)).abs() < 1e-9, "{phase}");
        // The table's work and the loss of impacts explain the change of energy.
        let of = |name: &str| ledger.sources.iter().find(|account| account.name == name).expect("an account");
        let (table, lost) = (of("moving surfaces"), of("impacts"));
        assert_eq!(table.role, Role::Source);
        assert!(ledger.error().abs() < 1e-12, "{}", ledger.error());
        assert!(table.entered > 0.5 && lost.left > 0.5, "{table:?} {lost:?}");
    }
}

#[test]
fn every_method_with_contacts_books_the_work_of_a_table() {
    // Steps of a fixed grid see impacts late, and spook takes forces and impacts apart; what they book must explain their energy all the same. `direct` books nothing
    // of what its contacts take: it is there to compare with.
    for (text, tolerance) in [("cva", 1e-12), ("vci", 1e-3), ("gvi", 2e-2), ("spook", 1e-2)] {
        let mut scene = built_in("vibrating-table", &["run.until=8", "run.step=0.001"]);
        scene.method = method(text);
        let (_, ledger) = watched(&scene);
        let table = ledger.sources.iter().find(|account| account.name == "moving surfaces").expect("an account");
        assert!(table.entered > 0.05, "{text}: {table:?}");
        assert!(ledger.error().abs() < tolerance, "{text}: {} of {table:?}", ledger.error());
    }
}

/// A ball that is carried: a table too gentle to throw it.
const CARRIED: &str = r#"
[lagrangian]
coordinates = ["y"]
mass = [2.0]
potential = "2*9.81*y"
inequalities = [{ expression = "y - 0.1*sin(2*t)", name = "table", restitution = 0.3 }]
[initial]
q = { y = 0.0 }
v = { y = 0.2 }
[method]
name = "cva"
[run]
step = 0.01
until = 5.0
"#;

#[test]
fn a_ball_that_rests_on_a_table_is_carried_by_it() {
    for (text, off, unexplained) in [("cva", 1e-12, 2e-4), ("gvi", 1e-12, 2e-4), ("spook", 1e-3, 1e-3)] {
        let mut scene = scene("carried", CARRIED, &[]);
        scene.method = method(text);
        let ledger = Ledger::of(&scene.method, &*scene.problem.system);
        let mut watch = Watch { scene: &scene, events: Vec::new(), ledger };
        let mut worst = Worst(0.0);
        let trial = Trial::run(&scene, &mut [&mut watch, &mut worst], &AtomicBool::new(false)).expect("able");
        assert_eq!(trial.outcome.ended, None, "{text}");
        assert!(worst.0 < off, "{text}: off the table by {}", worst.0);
        let table = watch.ledger.sources.iter().find(|account| account.name == "moving surfaces").expect("there");
        // m g (highest − lowest) goes in and out with every swing.
        assert!(table.entered > 2.0 && table.left > 2.0, "{text}: {table:?}");
        assert!(watch.ledger.error().abs() < unexplained * table.entered, "{text}: {}", watch.ledger.error());
    }
}

struct Worst(f64);

impl Observer for Worst {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.0 = self.0.max((frame.state.q[0] - 0.1 * (2.0 * frame.state.t).sin()).abs());
        Ok(())
    }
}

#[test]
fn derivatives_of_gaps_by_time_are_right() {
    let scene = built_in("vibrating-table", &[]);
    let compared = derivatives::check(&*scene.problem.system, 0.3, &[0.2], &[0.1]);
    for what in ["dg/dt", "d2g/dt2", "d2g/dqdt"] {
        assert!(compared.iter().any(|one| one.what == what), "{what}");
    }
    for one in compared {
        assert!(one.error < 1e-8, "{}: {}", one.what, one.error);
    }
}
