//! Friction in scenes: what it becomes in the system, how it is written out, and that no method ignores it.

use carom::method::AnyMethod;
use carom::system::ContactId;
use carom_io::document::{Edit, Source};
use carom_io::scene::Scene;

const SPHERES: &str = r#"
[[particle]]
mass = 1
radius = 0.5
position = ["2*i", 1, 0]
repeat = { index = "i", count = 2 }
[[contact]]
friction = 0.1
[[wall]]
normal = [0, 1, 0]
friction = 0.2
[[wall]]
normal = [0, 0, 1]
offset = -9
[[ball]]
centre = [0, 0, 0]
radius = 20
side = "inside"
friction = "1/4"
[method]
name = "gvi"
[run]
step = 0.01
steps = 10
"#;

const WHEEL: &str = r#"
[parameters]
r = 0.5
mu = 0.3
[lagrangian]
coordinates = ["x", "y", "z", "phi"]
mass = [1, 1, 1, 0.1]
inequalities = [
    { expression = "y - r", friction = "2*mu", slide = ["x + r*phi", "z"] },
    { expression = "9 - y", slide = "x*y" },
    "5 - x",
]
[initial]
q = [0.1, 1, 0.75, 0]
[method]
name = "gvi"
[run]
step = 0.01
steps = 10
"#;

fn read(text: &str, edits: &[&str]) -> Result<Scene, String> {
    let edits: Vec<Edit> = edits.iter().map(|edit| Edit::set(edit)).collect();
    let source = Source::new("scene.toml", text);
    Scene::read("scene", &source, &edits)
        .map_err(|found| found.iter().map(|problem| problem.render(&source)).collect::<Vec<_>>().join("\n"))
}

/// The scene without its friction, which every method that takes contacts runs.
fn smooth(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("friction")).collect::<Vec<_>>().join("\n")
}

#[test]
fn methods_without_friction_refuse_it() {
    for (text, contacts) in [(SPHERES, "5 contacts"), (WHEEL, "1 contact;")] {
        let mut refused = 0;
        for method in AnyMethod::all() {
            let abilities = method.abilities();
            let name = method.name();
            let found = read(text, &[&format!("method={{name='{name}'}}")]).map(|_| ());
            match (abilities.inequalities, abilities.friction) {
                (true, true) => assert_eq!(found, Ok(())),
                (true, false) => {
                    let said = found.expect_err(name);
                    let wanted = format!("method.name: method `{name}` cannot take friction at {contacts}");
                    assert!(said.contains(&wanted), "{said}");
                    refused += 1;
                }
                (false, _) => assert!(found.is_err(), "{name} takes no contacts"),
            }
        }
        assert!(refused >= 2, "gvi and direct have no friction");
    }
    assert!(read(&smooth(SPHERES), &[]).is_ok(), "it is the friction that is refused");
    assert!(read(WHEEL, &["parameters.mu=0"]).is_ok(), "friction 0 is none");
}

#[test]
fn friction_is_that_of_the_inequality() {
    let Some(method) = AnyMethod::all().into_iter().find(|method| method.abilities().friction) else {
        panic!("no method takes friction");
    };
    let scene = read(WHEEL, &[&format!("method={{name='{}'}}", method.name())]).expect("taken");
    assert_eq!(
        [0, 1, 2].map(|i| scene.problem.system.contacts().material(ContactId::of(i)).friction),
        [0.6, 0.0, 0.0]
    );
}

#[test]
fn defaults_are_written_out() {
    let written = read(&smooth(SPHERES), &[]).expect("taken").to_toml();
    for section in ["contact", "wall", "ball"] {
        let text = written.split(&format!("[[{section}]]\n")).nth(1).and_then(|rest| rest.split("\n[").next());
        assert!(
            text.is_some_and(|text| text.contains("restitution = 1.0\nfriction = 0.0")),
            "{section}: {written}"
        );
    }
}

#[test]
fn the_directions_of_sliding_are_the_gradients_of_slide() {
    let scene = read(WHEEL, &["parameters.mu=0"]).expect("taken");
    let (system, q) = (&scene.problem.system, [0.1, 1.0, 0.75, 0.0]);
    assert_eq!((0..3).map(|i| system.contacts().directions(ContactId::of(i))).collect::<Vec<_>>(), [2, 1, 0]);
    let mut rows = [0.0; 8];
    system.contacts().tangents(0.0, &q, ContactId(0), &mut rows);
    assert_eq!(rows, [1.0, 0.0, 0.0, 0.5, 0.0, 0.0, 1.0, 0.0]);
    system.contacts().tangents(0.0, &q, ContactId(1), &mut rows[..4]);
    assert_eq!(rows[..4], [1.0, 0.1, 0.0, 0.0]);
    system.contacts().tangents(0.0, &q, ContactId(2), &mut []);
}
