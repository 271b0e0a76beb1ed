//! Scenes of particles as they are written out, changed from the command line, and run again.

use std::sync::atomic::AtomicBool;

use carom::run::{Grid, Run};
use carom::state::State;
use carom::system::Mass;
use carom_io::document::{Diagnostic, Edit, Source};
use carom_io::scene::{BUILT_IN, Scene};

const BEADS: &str = include_str!("bad_scenes/beads.toml");
const PLATES: &str = include_str!("bad_scenes/plates.toml");

/// Springs whose lengths differ at the start, so that their default does.
const UNEVEN: &str = r#"
[[particle]]
mass = 1
position = ["i^1.5", "0.1*i^2", 0]
repeat = { index = "i", count = 4 }
[[spring]]
between = ["i", "i + 1"]
stiffness = 3
repeat = { index = "i", count = 2 }
[[rod]]
between = [2, 3]
[[spring]]
between = [0, [0, 1, 0]]
stiffness = 1
[[field]]
gravity = [0, "-9.81", 0.3]
[[pair]]
potential = "1/r"
cutoff = "4 + 0.5*i"
repeat = { index = "i", count = 2 }
[[pair]]
potential = "1/r"
cutoff = 4
[method]
name = "verlet"
[run]
step = 0.01
steps = 50
"#;

fn read(text: &str, sets: &[&str]) -> Result<Scene, Vec<Diagnostic>> {
    let edits: Vec<Edit> = sets.iter().map(|argument| Edit::set(argument)).collect();
    Scene::read("scene", &Source::new("scene.toml", text), &edits)
}

fn good(text: &str, sets: &[&str]) -> Scene {
    read(text, sets).unwrap_or_else(|found| panic!("{text}\n{found:#?}"))
}

fn masses(scene: &Scene) -> Vec<f64> {
    match scene.problem.system.mass() {
        Mass::Diagonal(diagonal) => diagonal.to_vec(),
        _ => panic!("particles have a diagonal mass"),
    }
}

fn end(scene: &Scene) -> State {
    let (problem, system) = (&scene.problem, &*scene.problem.system);
    let mut stepper = scene.method.stepper(system, &problem.initial).expect("taken");
    let grid = Grid { t0: problem.initial.t, h: scene.run.h, steps: scene.run.steps.min(100) };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: scene.run.on_failure };
    let outcome = run.go(problem.initial.clone(), &mut [], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None);
    assert_ne!(outcome.state.q, problem.initial.q);
    outcome.state
}

#[test]
fn the_written_scene_gives_the_same_bits() {
    let built_in =
        BUILT_IN.iter().filter(|scene| scene.text.contains("[[particle]]") || scene.text.contains("[[plate]]"));
    let mut count = 0;
    for text in built_in.map(|scene| scene.text).chain([BEADS, UNEVEN, PLATES]) {
        let scene = good(text, &["run.every=2"]);
        let again = good(&scene.to_toml(), &[]);
        assert_eq!(scene.to_toml(), again.to_toml());
        let (a, b) = (end(&scene), end(&again));
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&a.q), bits(&a.p), a.t.to_bits()), (bits(&b.q), bits(&b.p), b.t.to_bits()));
        count += 1;
    }
    assert!(count >= 6);
}

#[test]
fn defaults_are_written_out_where_they_are_one_value() {
    let written = good(UNEVEN, &[]).to_toml();
    let section = |start: &str, place: usize| {
        let text = written.split(&format!("[[{start}]]\n")).nth(place + 1).expect("it is there");
        text.split("\n[").next().unwrap_or_default().to_string()
    };
    assert!(section("particle", 0).contains("velocity = [0.0, 0.0, 0.0]\nradius = 0.0"), "{written}");
    assert!(!section("spring", 0).contains("rest"), "{written}");
    assert!(section("spring", 1).contains("rest = 1.0"), "{written}");
    assert!(section("rod", 0).contains("length = "), "{written}");
    assert!(section("field", 0).contains("on = \"all\""), "{written}");
    assert!(!section("pair", 0).contains("switch_from"), "{written}");
    assert!(section("pair", 1).contains("switch_from = 3.6\nskin = 0.48"), "{written}");
    assert!(section("pair", 1).contains("on = \"all\"\nexclude = []"), "{written}");
    assert!(written.contains("[initial]\nt = 0.0\n"), "{written}");
}

#[test]
fn defaults_of_plates_are_written_out() {
    let written = good(PLATES, &[]).to_toml();
    let section = |start: &str, place: usize| {
        let text = written.split(&format!("[[{start}]]\n")).nth(place + 1).expect("it is there");
        text.split("\n[").next().unwrap_or_default().to_string()
    };
    // The mass of the tiles differs, and so does their moment of inertia.
    assert!(section("plate", 0).contains("spin = 0.0") && !section("plate", 0).contains("inertia"), "{written}");
    assert!(section("plate", 1).contains("angle = 0.0\nvelocity = [0.0, 0.0]"), "{written}");
    assert!(section("field", 0).contains("on = \"all\""), "{written}");
    assert!(section("wall", 0).contains("on = \"all\"\noffset = 0.0\nrestitution = 1.0"), "{written}");
    assert!(section("wall", 1).contains("friction = 0.0"), "{written}");
    let equal = good(PLATES, &["plate.0.mass=3"]).to_toml();
    assert!(equal.contains("inertia = 0.29"), "{equal}");
}

#[test]
fn elements_are_changed_from_the_command_line_before_they_are_expanded() {
    let plain = good(BEADS, &[]);
    assert_eq!(masses(&plain), [1.0, 1.0, 1.5, 1.5, 2.0, 2.0, 2.5, 2.5, 5.0, 5.0]);
    let changed = good(BEADS, &["particle.0.mass=2"]);
    assert_eq!(masses(&changed), [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 5.0, 5.0]);
    let longer = ["rod.0.length=2", "particle.0.position=['2*i', 0]", "particle.0.velocity=[0, 'i']"];
    assert_eq!(good(BEADS, &longer).problem.initial.q[6], 6.0);
    let found = read(BEADS, &longer[..1]).err().unwrap_or_default();
    assert_eq!((found.len(), found[0].source.as_str()), (1, "--set rod.0.length=2"));
    assert_eq!(good(BEADS, &["parameters.n=7"]).problem.system.dim(), 16);
    assert_eq!(good(BEADS, &["initial.t=3"]).problem.initial.t, 3.0);
}

#[test]
fn columns_are_called_after_the_particles() {
    let name = |text: &str, i: usize| good(text, &[]).problem.system.coordinate_name(i);
    assert_eq!((name(BEADS, 3), name(BEADS, 8)), ("bead[1].y".to_string(), "sun.x".to_string()));
    assert_eq!(name(UNEVEN, 5), "z[1]");
    assert_eq!(good(BEADS, &[]).problem.system.equalities().name(3), "rod sun-anchor");
}

#[test]
fn mistakes_in_several_elements_are_all_reported() {
    let sets = ["particle.1.mass=-1", "spring.0.stiffness=-1", "field.0.on=['moon']", "pair.1.potential='k/s'"];
    let found = read(BEADS, &sets).err().unwrap_or_default();
    let keys: Vec<&str> = found.iter().map(|problem| problem.key.as_str()).collect();
    assert_eq!(keys, ["particle[1].mass", "spring[0].stiffness", "field[0].on[0]", "pair[1].potential"]);
}
