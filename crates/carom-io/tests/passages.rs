//! Steps that run through contacts: the note, the step that it gives, and what must have no note.

use std::sync::atomic::AtomicBool;

use carom::measures::Passages;
use carom::observe::{Frame, Observer};
use carom_io::document::{Edit, Source};
use carom_io::report::RunReport;
use carom_io::scene::{BUILT_IN, Scene};
use carom_io::trial::Trial;

/// A disc of radius 0.1 on its way along x to one that rests at the origin.
const DISCS: &str = "particle = [{ mass = 1, radius = 0.1, position = [-1, 0], velocity = [1, 0] }, \
                     { mass = 1, radius = 0.1, position = [0, 0] }]\ncontact = [{}]\n";

fn scene(moving: &str, method: &str, (h, steps): (f64, u64)) -> Scene {
    let text = format!("{moving}method = {{ {method} }}\nrun = {{ step = {h:?}, steps = {steps} }}\n");
    Scene::read("test", &Source::new("test.toml", &text), &[])
        .unwrap_or_else(|problems| panic!("{}\n{text}", problems[0].message))
}

fn run(scene: &Scene) -> (Trial, RunReport) {
    let trial = Trial::run(scene, &mut [], &AtomicBool::new(false)).unwrap_or_else(|refusal| panic!("{refusal}"));
    let report = trial.report(scene);
    assert!(report.complete, "{:?}", report.ended);
    (trial, report)
}

/// The note of a run, if it has one, how far its farthest step went, in depths, and how many contacts were passed unnoticed.
fn passed(moving: &str, method: &str, grid: (f64, u64)) -> Option<(String, f64, u64)> {
    let (trial, report) = run(&scene(moving, method, grid));
    let passages = &trial.summary.passages;
    let notes: Vec<&String> = report.notes.iter().filter(|note| note.contains("depth")).collect();
    assert_eq!(notes.len(), usize::from(passages.farthest.is_some()), "{notes:?}");
    notes.first().map(|&note| (note.clone(), passages.farthest.expect("a note").share.recip(), passages.unnoticed))
}

/// The step that a note gives.
fn remedy(note: &str) -> f64 {
    let (_, rest) = note.split_once("steps of at most ").expect("a remedy");
    rest.split_once(" avoid it").expect("a remedy").0.parse().expect("a number")
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-4, "{found} is not {expected}");
}

#[test]
fn discs_that_are_shot_through_each_other_are_noted_with_a_step_that_would_do() {
    // 3 m in a step, through 0.4 m.
    for method in ["gvi", "spook", "direct"].map(|name| format!("name = \"{name}\"")) {
        let (through, report) = run(&scene(DISCS, &method, (3.0, 1)));
        assert_eq!((report.active_steps, report.constraints.max_penetration), (Some(0), Some(0.0)), "{method}");
        close(through.outcome.state.q[0], 2.0);
        let (note, times, unnoticed) = passed(DISCS, &method, (3.0, 1)).expect("a note");
        close(times, 7.5);
        assert_eq!((unnoticed, remedy(&note)), (1, 0.2), "{note}");
        assert!(note.starts_with("`spheres 0-1` in step 1 from t = 0: "), "{note}");
        assert!(note.contains("one contact was passed through unnoticed"), "{note}");
        assert!(note.ends_with("; methods that locate impacts: `vci`, `cva`"), "{note}");

        let (found, report) = run(&scene(DISCS, &method, (0.2, 15)));
        assert!(report.active_steps > Some(0) && report.notes.is_empty(), "{method}: {:?}", report.notes);
        assert!(found.outcome.state.q[0] < 0.05 && found.outcome.state.q[2] > 0.1, "{method}: {:?}", found.outcome);
    }
}

#[test]
fn any_start_is_noted_or_finds_its_impact() {
    // Whether a node falls into the contact is luck; the note does not depend on it.
    let (mut lucky, mut missed) = (0, 0);
    for k in 0..40 {
        let moving = DISCS.replace("[-1, 0]", &format!("[{:?}, 0.05]", -1.0 - 0.011 * f64::from(k)));
        for method in ["name = \"gvi\"", "name = \"spook\""] {
            let (note, times, unnoticed) = passed(&moving, method, (0.45, 12)).expect("a note");
            close(times, 0.45 / 0.4);
            close(remedy(&note), 0.2);
            (lucky, missed) = (lucky + u32::from(unnoticed == 0), missed + u32::from(unnoticed == 1));
            let short = (remedy(&note), 27);
            let (_, report) = run(&scene(&moving, method, short));
            assert!(report.active_steps > Some(0), "{method}, {k}");
            assert_eq!(passed(&moving, method, short), None, "{method}, {k}");
        }
    }
    assert!(lucky > 5 && missed > 5, "{lucky} {missed}");
}

#[test]
fn what_is_slow_passes_by_or_goes_away_has_no_note() {
    for method in ["gvi", "spook", "direct", "vci", "cva"].map(|name| format!("name = \"{name}\"")) {
        assert_eq!(passed(DISCS, &method, (0.1, 30)), None, "{method}");
        let wide = DISCS.replace("[-1, 0]", "[-1, 0.201]");
        assert_eq!(passed(&wide, &method, (3.0, 3)), None, "{method}");
        let away = DISCS.replace("[-1, 0]", "[1, 0]");
        assert_eq!(passed(&away, &method, (3.0, 3)), None, "{method}");
    }
    // The control of the way that passes by.
    assert!(passed(&DISCS.replace("[-1, 0]", "[-1, 0.199]"), "name = \"gvi\"", (3.0, 3)).is_some());
}

#[test]
fn nothing_gets_behind_a_wall_or_out_of_a_ball() {
    let falls = "particle = [{ mass = 1, radius = 0.1, position = [0, 1], velocity = [0.5, -9] }]\n";
    let wall = format!("{falls}wall = [{{ normal = [0, 1] }}]\n");
    let inside = format!("{falls}ball = [{{ centre = [0, 0], radius = 3, side = \"inside\" }}]\n");
    let expressed = "lagrangian = { coordinates = [\"x\", \"y\"], mass = 1, inequalities = \"2 - x^2 - y^2\" }\n\
                     initial = { q = { x = 0.1, y = 0 }, v = { x = 4, y = 1 } }\n";
    for moving in [&wall, &inside, expressed] {
        for method in ["name = \"gvi\"", "name = \"spook\""] {
            let (_, report) = run(&scene(moving, method, (3.0, 4)));
            assert!(
                report.active_steps > Some(0) && report.notes.is_empty(),
                "{moving}{method}: {:?}",
                report.notes
            );
        }
    }
}

/// The same obstacle of radius 0.2 as a ball and by two expressions, of which only one is a length; a body that starts at (−1, y).
fn obstacles(y: f64) -> [String; 3] {
    let ball = format!(
        "particle = [{{ mass = 2, position = [-1, {y:?}], velocity = [1, 0] }}]\n\
         ball = [{{ centre = [0, 0], radius = 0.2, side = \"outside\" }}]\n"
    );
    let expressed = |gap: &str| {
        format!(
            "lagrangian = {{ coordinates = [\"x\", \"y\", \"z\"], mass = 2, inequalities = \"{gap}\" }}\n\
             initial = {{ q = {{ x = -1, y = {y:?}, z = 0 }}, v = {{ x = 1, y = 0, z = 7 }} }}\n"
        )
    };
    [ball, expressed("sqrt(x^2 + y^2) - 0.2"), expressed("x^2 + y^2 - 0.04")]
}

#[test]
fn gaps_by_expressions_are_as_deep_as_balls() {
    for (y, h) in [(0.0, 3.0), (0.05, 1.7), (0.15, 2.3), (-0.19, 1.6)] {
        for moving in obstacles(y) {
            for method in ["name = \"gvi\"", "name = \"spook\""] {
                let (note, times, unnoticed) = passed(&moving, method, (h, 1)).expect("a note");
                close(times, h / 0.4);
                assert_eq!(unnoticed, 1, "{note}");
            }
        }
    }
    // A way past it, one that ends before it, and one that grazes but is no longer than the contact is deep.
    for (y, h, steps) in [(0.21, 3.0, 1), (0.0, 0.5, 1), (0.199, 0.38, 8)] {
        for moving in obstacles(y) {
            assert_eq!(passed(&moving, "name = \"gvi\"", (h, steps)), None, "{moving}");
        }
    }
}

#[test]
fn along_many_steps_a_gap_by_an_expression_is_passed_where_the_ball_is() {
    let mut seed = 7_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut passages, mut others) = (0, 0);
    for _ in 0..150 {
        let (y, x, h) = (0.5 * random() - 0.25, -1.0 - 2.0 * random(), 0.3 + 0.7 * random());
        let [ball, length, square] = obstacles(y).map(|moving| {
            let moving = moving.replace("[-1, ", &format!("[{x:?}, ")).replace("x = -1", &format!("x = {x:?}"));
            passed(&moving, "name = \"gvi\"", (h, 12)).filter(|(_, _, unnoticed)| *unnoticed > 0)
        });
        for expressed in [length, square] {
            match (&ball, expressed) {
                (Some((_, one, 1)), Some((_, other, 1))) => close(other, *one),
                (None, None) => others += 1,
                (one, other) => panic!("{x}, {y}, {h}: {one:?}, {other:?}"),
            }
        }
        passages += u32::from(ball.is_some());
    }
    assert!(passages > 30 && others > 60, "{passages} {others}");
}

#[test]
fn points_have_no_depth_and_are_refused() {
    let text = "particle = [{ mass = 1, position = [-1], velocity = [1] }, { mass = 1, position = [0] }]\ncontact = [{}]\n\
                method = { name = \"gvi\" }\nrun = { step = 0.03, steps = 50 }\n";
    let problems = Scene::read("test", &Source::new("test.toml", text), &[]).err().expect("a refusal");
    assert!(problems[0].message.contains("two particles without a radius cannot touch"), "{}", problems[0].message);
}

#[test]
fn rows_before_a_gap_closes_make_a_contact_deeper() {
    // 0.4 m deep, and 0.7 m in front of it.
    let method = "name = \"spook\", speculative = 0.7";
    assert_eq!(passed(DISCS, method, (0.95, 3)), None);
    assert!(passed(DISCS, "name = \"spook\"", (0.95, 3)).is_some(), "control");
    // Past the middle of the other disc, from where it is pushed out on the far side.
    let (_, times, unnoticed) = passed(DISCS, method, (1.09, 3)).expect("a note");
    assert!(times > 1.0 && unnoticed == 1, "{times} {unnoticed}");
    let (_, times, _) = passed(&DISCS.replace("[-1, 0]", "[-2, 0]"), method, (2.2, 1)).expect("a note");
    close(times, 2.0);
}

#[test]
fn a_step_that_starts_at_rest_is_seen_by_where_it_ends() {
    // Verlet moves by h²F/2m = 1.5 m from rest: no velocity leads there.
    let [ball, ..] = obstacles(0.0);
    let pulled = ball.replace("velocity = [1, 0]", "velocity = [0, 0]") + "field = [{ potential = \"-6*x\" }]\n";
    let (note, times, unnoticed) = passed(&pulled, "name = \"gvi\"", (1.0, 1)).expect("a note");
    close(times, 1.5 / 0.4);
    assert_eq!(unnoticed, 1, "{note}");
}

/// Passages that are written and read again at every node.
struct Resumed<'a>(&'a Scene, Passages);

impl Observer for Resumed<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let written = postcard::to_stdvec(&self.1).expect("written");
        self.1 = postcard::from_bytes(&written).expect("read");
        self.1.observe(&*self.0.problem.system, 0.0, frame).map_err(|failure| failure.to_string())
    }
}

#[test]
fn a_run_that_goes_on_from_a_snapshot_has_the_same_note() {
    for moving in [DISCS.to_string()].into_iter().chain(obstacles(0.05)) {
        let scene = scene(&moving, "name = \"gvi\"", (0.7, 6));
        let mut resumed = Resumed(&scene, Passages::default());
        let trial = Trial::run(&scene, &mut [&mut resumed], &AtomicBool::new(false)).expect("taken");
        let (one, other) = (&trial.summary.passages, &resumed.1);
        assert!(one.farthest.is_some(), "{moving}");
        assert_eq!((one.farthest, one.unnoticed), (other.farthest, other.unnoticed), "{moving}");
    }
}

/// Built-in scenes have steps that their contacts are deep enough for; a false note would stand here.
#[test]
fn built_in_scenes_have_no_such_note() {
    let mut seen = 0;
    for built_in in BUILT_IN {
        for name in ["gvi", "spook", "direct"] {
            let edits = [format!("method={{ name = \"{name}\" }}"), "run.on_failure=halve".to_string()]
                .map(|edit| Edit::set(&edit));
            let Ok(mut scene) = Scene::read(built_in.name, &Source::new(built_in.name, built_in.text), &edits)
            else {
                continue;
            };
            if scene.problem.system.contacts().count() == 0 {
                continue;
            }
            scene.run.steps = scene.run.steps.min(300);
            let trial = Trial::run(&scene, &mut [], &AtomicBool::new(false)).expect("taken");
            let passages = &trial.summary.passages;
            assert_eq!((passages.farthest, passages.unnoticed), (None, 0), "{} by {name}", built_in.name);
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen}");
}
