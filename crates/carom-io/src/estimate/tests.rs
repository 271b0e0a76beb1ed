use carom::observe::{Frame, Observer};

use super::*;
use crate::document::{Edit, Source};
use crate::scene::BuiltIn;
use crate::trial::Trial as Whole;

fn scene(name: &str, edits: &[&str]) -> Scene {
    let built_in = BuiltIn::named(name).expect("a built-in scene");
    // As --steps takes the place of `until`.
    let displaces = |edit: &str| edit.starts_with("run.steps=").then_some(("run", "until"));
    let edits = edits.iter().map(|edit| Edit { displaces: displaces(edit), ..Edit::set(edit) });
    let edits: Vec<Edit> = edits.collect();
    Scene::read(name, &Source::new(name, built_in.text), &edits).unwrap_or_else(|found| panic!("{found:?}"))
}

fn table(estimate: &Estimate, name: &str) -> TableSize {
    *estimate.tables.iter().find(|table| table.name == name).expect("a table")
}

#[test]
fn rows_and_bytes_follow_from_the_settings() {
    let all = ["run.steps=1000", "run.every=7"];
    let estimate = Estimate::of(&scene("kepler", &all), None);
    // Times, coordinates, velocities and momenta; 9 columns of measures.
    assert_eq!(table(&estimate, "trajectory"), TableSize { name: "trajectory", rows: 143.0, bytes: 143.0 * 56.0 });
    assert_eq!(table(&estimate, "measures"), TableSize { name: "measures", rows: 143.0, bytes: 143.0 * 72.0 });
    assert_eq!((estimate.tables.len(), estimate.tried), (2, 50), "one part in 20 is tried");
    let finer = Estimate::of(&scene("kepler", &["run.steps=1000", "run.step=0.5", "run.interval=0.25"]), None);
    assert_eq!((table(&finer, "trajectory").rows, table(&finer, "measures").rows), (2001.0, 1001.0));
}

#[test]
fn events_are_counted_with_their_states() {
    let scene = scene("bouncing-particle", &["run.steps=4000"]);
    let estimate = Estimate::of(&scene, None);
    struct Count(u64);
    impl Observer for Count {
        fn observe(&mut self, frame: &Frame) -> Result<(), String> {
            self.0 += frame.events.len() as u64;
            Ok(())
        }
    }
    let mut count = Count(0);
    Whole::run(&scene, &mut [&mut count], &std::sync::atomic::AtomicBool::new(false)).expect("a run");
    let (found, rows) = (count.0 as f64, table(&estimate, "events").rows);
    assert!(found > 0.0 && rows < 2.0 * found && found < 2.0 * rows, "{rows} rows, found {found}");
    let columns = event_columns(&scene, Extent::of(&scene, true)).len() as f64;
    assert_eq!(table(&estimate, "events").bytes, 8.0 * columns * rows);
}

#[test]
fn contacts_are_counted_where_they_are_asked_for() {
    // The disc is pressed onto two walls all the time.
    let all = ["run.steps=4000", "run.every=7", "run.measures=[\"contacts\"]"];
    let estimate = Estimate::of(&scene("squeezed-disc", &all), None);
    let size = table(&estimate, "contacts");
    assert_eq!(size, TableSize { name: "contacts", rows: 2.0 * 572.0, bytes: 2.0 * 572.0 * 48.0 });
    let without = Estimate::of(&scene("squeezed-disc", &all[..2]), None);
    assert!(without.tables.iter().all(|table| table.name != "contacts"));
}

#[test]
fn a_run_of_few_steps_is_not_tried() {
    let estimate = Estimate::of(&scene("kepler", &["run.steps=19"]), None);
    assert_eq!((estimate.tried, estimate.seconds()), (0, None));
    assert!(estimate.disk() > 0.0);
}

#[test]
fn a_trial_leaves_no_trace() {
    for built_in in crate::scene::BUILT_IN {
        let run = |tried: bool| {
            let scene = scene(built_in.name, &["run.steps=60"]);
            if tried {
                assert!(Estimate::of(&scene, None).tried > 0, "{}", built_in.name);
            }
            let whole = Whole::run(&scene, &mut [], &std::sync::atomic::AtomicBool::new(false)).expect("a run");
            let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            (bits(&whole.outcome.state.q), bits(&whole.outcome.state.p), format!("{:?}", whole.summary))
        };
        assert!(run(true) == run(false), "{}", built_in.name);
    }
}

#[test]
fn a_trial_is_short_and_finds_the_pace() {
    let begun = std::time::Instant::now();
    let estimate = Estimate::of(&scene("kepler", &["run.steps=1000000000000"]), None);
    assert!(begun.elapsed() < 20 * TRIAL, "{:?}", begun.elapsed());
    let each = estimate.seconds_per_step.expect("tried");
    assert!(estimate.tried > 1000 && each > 1e-9 && each < 1e-4, "{estimate:?}");
    assert!(estimate.seconds().expect("tried") > 1e12 * each, "writing takes time too");
    assert_eq!(estimate.tables_in_words(), "trajectory 56 TB in 1.0e12 rows, measures 72 TB in 1.0e12 rows");
}

#[test]
fn rows_take_time_beside_the_steps_and_contacts_that_begin_later_are_told() {
    let all = Estimate::of(&scene("kepler", &["run.steps=1000000"]), None);
    let few = Estimate::of(&scene("kepler", &["run.steps=1000000", "run.every=1000"]), None);
    let beside = |estimate: &Estimate| estimate.seconds().zip(estimate.stepping()).map(|(all, steps)| all - steps);
    let (all, few) = (beside(&all).expect("tried"), beside(&few).expect("tried"));
    // The files of the run's end in both; the rows beyond what the system takes for their bytes.
    assert!(few > SECONDS_ONCE && few < 2.0 * SECONDS_ONCE, "{few}");
    assert!(all > SECONDS_ONCE + 1.2 * 128e6 * SECONDS_PER_BYTE, "{all}");
    // The ball is in the air for 13 steps of 200, and for more than the 2 that are tried of 40.
    let of = |steps: &str| Estimate::of(&scene("point-mass", &["run.step=0.05", steps]), None);
    let (short, long) = (of("run.steps=40"), of("run.steps=2000"));
    assert!(short.later_contacts && short.in_words().ends_with("; contacts begin later and are not in the time"));
    assert!(!long.later_contacts && !long.in_words().contains("contacts"));
}

#[test]
fn durations_have_a_unit_that_suits_them() {
    for (seconds, words) in [
        (0.0, "0 s"),
        (0.004, "4e-3 s"),
        (59.0, "59 s"),
        (60.0, "1.0 min"),
        (3600.0, "60 min"),
        (7200.0, "2.0 h"),
        (2e5, "2.3 days"),
        (1e8, "3.2 years"),
        (1e18, "3e10 years"),
    ] {
        assert_eq!(duration(seconds), words);
    }
    assert_eq!([0.0, 999.0, 1e3, 4.4e10, 8e13].map(size), ["0 bytes", "999 bytes", "1.0 kB", "44 GB", "80 TB"]);
}

#[test]
fn a_run_that_outgrows_its_estimate_is_stopped_and_says_so() {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let folder = std::env::temp_dir().join(format!("carom-budget-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let scene = scene("kepler", &["run.steps=1000000000"]);
    let small = Estimate::of(&self::scene("kepler", &["run.steps=1000"]), None);
    let run = |bytes: u64| {
        let stop = Arc::new(AtomicBool::new(false));
        let mut budget = Budget::new(&small, &folder, &stop);
        // It takes no room: nothing is written into it.
        std::fs::File::create(folder.join("measures.f64")).expect("a file").set_len(bytes).expect("a length");
        let begun = std::time::Instant::now();
        let mut timer = Until(&|| begun.elapsed().as_millis() > 1500, Arc::clone(&stop));
        let whole = Whole::run(&scene, &mut [&mut budget, &mut timer], &stop).expect("a run");
        let said = budget.exceeded();
        std::fs::remove_file(folder.join("measures.f64")).expect("removed");
        (whole.outcome.ended.expect("stopped").to_string(), said)
    };
    let (ended, said) = run(1_100_000_000);
    assert!(ended.starts_with("interrupted after step"), "{ended}");
    let said = said.expect("exceeded");
    assert!(said.contains("has written 1.1 GB, more than 10 times its estimate of "), "{said}");
    // Ten times the estimate, but not yet a gigabyte.
    assert_eq!(run(900_000_000).1, None);
    std::fs::remove_dir_all(folder).expect("removed");

    /// Stops a run when it is time.
    struct Until<'a>(&'a dyn Fn() -> bool, Arc<AtomicBool>);
    impl Observer for Until<'_> {
        fn observe(&mut self, _: &Frame) -> Result<(), String> {
            self.1.fetch_or(self.0(), std::sync::atomic::Ordering::Relaxed);
            Ok(())
        }
    }
}
