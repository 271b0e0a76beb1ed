//! Snapshots whose checksum is right and whose content is not: they are refused, never gone on from, and nothing panics.

mod place;

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use carom::run::{Grid, Outcome, Run};
use carom::steppers::Stepper;
use carom::system::System;
use carom_io::document::{Edit, Source};
use carom_io::folder::RunFolder;
use carom_io::recording::{Session, Snapshot, tables};
use carom_io::scene::{BuiltIn, Scene};
use place::Place;

/// Something done to a snapshot.
type Change = fn(&mut Snapshot);

/// Scenes and methods whose steps, accounts or watches keep something.
const RUNS: [(&str, &[&str]); 8] = [
    ("kepler", &[]),
    ("newtons-cradle", &[]),
    ("pogo-stick", &["method={ name = \"gvi\", linearized = \"lag\" }"]),
    ("pogo-stick", &["method={ name = \"direct\" }"]),
    ("bouncing-ball", &[]),
    ("heavy-chain", &["method.name=pem"]),
    ("driven-pendulum", &[]),
    ("double-pendulum-rods", &["method={ name = \"galerkin\", degree = 2 }"]),
];

fn read(name: &str, edits: &[&str]) -> Scene {
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    let text = BuiltIn::named(name).expect("built in").text;
    Scene::read(name, &Source::new(name, text), &edits).unwrap_or_else(|found| {
        panic!("{name} {edits:?}: {:?}", found.iter().map(|one| &one.message).collect::<Vec<_>>())
    })
}

fn stepper(scene: &Scene) -> Box<dyn Stepper<dyn System>> {
    scene.method.stepper(&*scene.problem.system, &scene.problem.initial).expect("taken")
}

/// Records some steps and returns the last snapshot.
fn snapshot(scene: &Scene, place: &Place) -> Snapshot {
    let mut folder = RunFolder::create(&place.0).expect("a folder");
    let mut stepper = stepper(scene);
    folder.write_scene(&scene.to_toml(), &tables(scene, stepper.locates_events())).expect("written");
    let mut session = Session::start(scene, folder, Duration::ZERO, stepper.locates_events()).expect("recorded");
    let (system, t0) = (&*scene.problem.system, scene.problem.initial.t);
    let grid = Grid { t0, h: scene.run.h, steps: 40 };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let outcome = run.go(scene.problem.initial.clone(), &mut [&mut session], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None);
    Snapshot::all(&place.0).remove(0).1.expect("a snapshot")
}

/// Goes on for some steps, if nothing refuses that.
fn go_on(scene: &Scene, snapshot: &Snapshot) -> Result<Outcome, String> {
    snapshot.check(scene).map_err(|error| error.to_string())?;
    let mut stepper =
        scene.method.stepper(&*scene.problem.system, &snapshot.state).map_err(|error| error.to_string())?;
    stepper.recall(&snapshot.memory).map_err(|error| error.to_string())?;
    let (system, t0) = (&*scene.problem.system, scene.problem.initial.t);
    let grid = Grid { t0, h: scene.run.h, steps: snapshot.step + 3 };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let Snapshot { step, state, failures, halved_steps, .. } = snapshot.clone();
    let before = Outcome { state, steps: step, failures, halved_steps, ended: None };
    Ok(run.go_on(before, &mut [], &AtomicBool::new(false)))
}

#[test]
fn parts_of_other_sizes_are_refused() {
    for (name, edits) in RUNS {
        let (scene, place) = (read(name, edits), Place::new(&format!("snapshots-{name}-{}", edits.len())));
        let whole = snapshot(&scene, &place);
        assert_eq!(go_on(&scene, &whole).expect("whole").ended, None, "{name}");
        let changes: [(&str, Change); 10] = [
            ("a coordinate less", |found| found.state.q.truncate(found.state.q.len() - 1)),
            ("a momentum more", |found| found.state.p.push(0.0)),
            ("no number", |found| found.state.q[0] = f64::NAN),
            ("an infinite time", |found| found.state.t = f64::INFINITY),
            ("more memory", |found| found.memory.extend([0.5, 0.5])),
            ("memory of no number", |found| found.memory.push(f64::NAN)),
            ("an unknown watch", |found| found.watched.push(Default::default())),
            ("steps beyond the end", |found| found.step = u64::MAX),
            ("other measures", |found| found.summary.momentum_change.push(0.0)),
            ("accounts or none", |found| match &mut found.ledger {
                Some(ledger) => ledger.sources.truncate(ledger.sources.len() - 1),
                none => {
                    *none = Some(carom::measures::Ledger::new(
                        &*read("driven-pendulum", &[]).problem.system,
                        &[],
                        false,
                    ))
                }
            }),
        ];
        for (what, change) in changes {
            let mut wrong = whole.clone();
            change(&mut wrong);
            assert!(go_on(&scene, &wrong).is_err(), "{name} {edits:?}: {what}");
        }
    }
}

#[test]
fn any_bytes_with_the_right_checksum_are_refused_or_fit() {
    /// Bytes before the content: mark, version, length, checksum.
    const HEADER: usize = 20;
    let mut x: u64 = 1;
    let mut dice = |bound: usize| {
        x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((x >> 33) % bound.max(1) as u64) as usize
    };
    let (mut refused, mut fitted) = (0, 0);
    for (name, edits) in RUNS {
        let (scene, place) = (read(name, edits), Place::new(&format!("bytes-{name}-{}", edits.len())));
        let bytes = snapshot(&scene, &place).encode().expect("bytes");
        assert!(Snapshot::decode(&bytes).expect("whole").check(&scene).is_ok());
        for _ in 0..800 {
            let mut body = bytes[HEADER..].to_vec();
            for _ in 0..1 + dice(3) {
                let at = dice(body.len());
                match dice(5) {
                    0 => body.truncate(at),
                    1 => body.insert(at, dice(256) as u8),
                    2 if at < body.len() => {
                        body.remove(at);
                    }
                    3 => body[at..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
                    _ => body[at..].iter_mut().take(1).for_each(|byte| *byte ^= 1 << dice(8)),
                }
            }
            let mut changed = bytes[..8].to_vec();
            changed.extend_from_slice(&(body.len() as u64).to_le_bytes());
            changed.extend_from_slice(&crc32fast::hash(&body).to_le_bytes());
            changed.extend_from_slice(&body);
            let found = Snapshot::decode(&changed);
            let fits = found
                .is_ok_and(|found| found.check(&scene).is_ok() && stepper(&scene).recall(&found.memory).is_ok());
            (refused, fitted) = (refused + u64::from(!fits), fitted + u64::from(fits));
        }
    }
    println!("{refused} refused, {fitted} fit");
    // Numbers inside may be others: what is refused is what has other shapes.
    assert!(refused > 1000 && fitted > 100, "{refused} refused, {fitted} fit");
}
