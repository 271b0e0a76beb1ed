//! What a scene may not be: every mistake is refused where it stands, with what is allowed; and what it may be.
//!
//! The mistakes stand in `bad_scenes/cases.txt`, as small changes of the good scenes beside it.

use std::fmt::Write as _;
use std::sync::atomic::AtomicBool;

use carom::problem::{Adjustment, Level};
use carom::run::{Grid, Run};
use carom::state::State;
use carom_io::document::{Diagnostic, Edit, Source};
use carom_io::scene::{BUILT_IN, Scene};

const CASES: &str = include_str!("bad_scenes/cases.txt");
const SCENES: [(&str, &str); 5] = [
    ("bead", include_str!("bad_scenes/bead.toml")),
    ("chain", include_str!("bad_scenes/chain.toml")),
    ("free", include_str!("bad_scenes/free.toml")),
    ("beads", include_str!("bad_scenes/beads.toml")),
    ("plates", include_str!("bad_scenes/plates.toml")),
];
/// A bead away from the axes, so that every part of its constraint counts.
const SWINGING: &str = r#"
[parameters]
l = 2.0
[lagrangian]
coordinates = ["x", "y"]
mass = 1.5
potential = "9.81*y"
equalities = [{ name = "rod", expression = "hypot(x, y) - l" }]
[initial]
q = { x = "l*sin(1)", y = "-l*cos(1)" }
v = { x = "cos(1)", y = "sin(1)" }
[method]
name = "verlet"
[run]
step = 0.01
steps = 10
"#;

fn base(name: &str) -> &'static str {
    SCENES.iter().find(|(other, _)| *other == name).unwrap_or_else(|| panic!("there is no scene {name}")).1
}

fn read(text: &str, sets: &[&str]) -> Result<Scene, Vec<Diagnostic>> {
    let edits: Vec<Edit> = sets.iter().map(|argument| Edit::set(argument)).collect();
    Scene::read("scene", &Source::new("scene.toml", text), &edits)
}

fn good(text: &str, sets: &[&str]) -> Scene {
    read(text, sets).unwrap_or_else(|found| panic!("{text}\n{found:#?}"))
}

/// The text with the one occurrence of `from` replaced.
fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "`{from}` must occur once");
    text.replace(from, to)
}

/// A case of the table.
#[derive(Default)]
struct Case<'a> {
    title: &'a str,
    /// What is replaced by what.
    changes: Vec<(String, String)>,
    sets: Vec<&'a str>,
    /// The start of each problem's first line and that of its help.
    expected: Vec<(&'a str, Option<&'a str>)>,
}

fn cases() -> Vec<Case<'static>> {
    let mut cases: Vec<Case> = Vec::new();
    let mut sign_before = ' ';
    for line in CASES.lines().skip_while(|line| !line.starts_with('#')) {
        let Some(sign) = line.chars().next() else { continue };
        let rest = line.get(2..).unwrap_or("");
        if sign == '?' {
            cases.push(Case { title: rest, ..Case::default() });
        }
        let Some(case) = cases.last_mut() else { continue };
        let append = |text: &mut String, first: bool| {
            text.push_str(if first { "" } else { "\n" });
            text.push_str(rest);
        };
        match sign {
            '-' if sign_before != '-' => case.changes.push((rest.to_string(), String::new())),
            '-' => append(&mut case.changes.last_mut().unwrap().0, false),
            '+' => append(&mut case.changes.last_mut().unwrap().1, sign_before != '+'),
            '@' => case.sets.push(rest),
            '>' => case.expected.push((rest, None)),
            '=' => case.expected.last_mut().unwrap().1 = Some(rest),
            '?' | '#' => {}
            other => panic!("a line of the table begins with {other}"),
        }
        sign_before = sign;
    }
    cases
}

/// What is said against what was expected, if they differ.
fn difference(case: &Case) -> Option<String> {
    let (scene, _) = case.title.split_once(':')?;
    let text = case.changes.iter().fold(base(scene).to_string(), |text, (from, to)| replaced(&text, from, to));
    let source = Source::new("scene.toml", text.as_str());
    let found = read(&text, &case.sets).err().unwrap_or_default();
    let shown: Vec<String> = found.iter().map(|problem| problem.render(&source)).collect();
    let said: Vec<(&str, Option<&str>)> = shown
        .iter()
        .zip(&found)
        .map(|(shown, problem)| (shown.lines().next().unwrap_or_default(), problem.help.as_deref()))
        .collect();
    let begins = |said: Option<&str>, start: Option<&str>| match (said, start) {
        (Some(said), Some(start)) => said.starts_with(start),
        (said, start) => said.is_none() && start.is_none(),
    };
    let same = said.len() == case.expected.len()
        && said.iter().zip(&case.expected).all(|(&(line, help), &(start, help_start))| {
            begins(line.strip_prefix("error: "), Some(start)) && begins(help, help_start)
        });
    (!same).then(|| format!("{}\n  expected {:?}\n  found    {said:?}\n", case.title, case.expected))
}

#[test]
fn every_mistake_is_refused_with_its_place_its_key_and_what_is_allowed() {
    let cases = cases();
    assert!(cases.len() >= 300, "{} cases", cases.len());
    assert!(cases.iter().all(|case| !case.expected.is_empty() && case.changes.len() + case.sets.len() > 0));
    let mut differences = String::new();
    for case in &cases {
        if let Some(difference) = difference(case) {
            let _ = writeln!(differences, "{difference}");
        }
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn the_scenes_that_the_mistakes_are_put_into_are_good() {
    for (name, text) in SCENES {
        assert_eq!(good(text, &[]).problem.adjustments, [], "{name}");
    }
}

#[test]
fn several_constraints_that_are_off_are_all_named() {
    let two = r#"equalities = [{ name = "left", expression = "x - 1" }, { name = "up", expression = "y - 2" }]"#;
    let text = replaced(base("free"), "potential = \"y\"", &format!("potential = \"y\"\n{two}"));
    let found = read(&text, &[]).err().unwrap_or_default();
    let messages: Vec<&str> = found.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].contains("`left`: f(q0) = -1e0") && messages[1].contains("`up`: f(q0) = -1e0"));
}

/// Masses that are none, a start off its constraints, a wrong method and a wrong step have nothing to do with each other.
#[test]
fn independent_mistakes_are_all_told_at_once() {
    let keys = |text: &str| -> Vec<String> {
        let found = read(text, &[]).err().expect("wrong");
        found.into_iter().map(|problem| problem.key).collect()
    };
    let rest = "[method]\nname = \"verlett\"\n[run]\nstep = -1\nsteps = 1\n";
    let coordinates =
        "[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = -1\npotential = \"x\"\nequalities = \"x - 5\"\n";
    let expected = ["lagrangian.mass", "initial.q", "method.name", "run.step"];
    assert_eq!(keys(&format!("{coordinates}[initial]\nq = {{ x = 1, y = 2 }}\n{rest}")), expected);
    let particle = |mass: &str, x: u32| format!("[[particle]]\n{mass}position = [{x}, 0]\n");
    let particles = [particle("mass = -1\n", 0), particle("mass = 1\n", 3), particle("", 4)].concat();
    let rod = "[[rod]]\nbetween = [1, 2]\nlength = 2\n";
    let expected = ["particle[0].mass", "particle[2].mass", "rod[0].length", "method.name", "run.step"];
    assert_eq!(keys(&format!("{particles}{rod}{rest}")), expected);
    // Where it is not known what is where, the rod is not judged.
    let placeless = particles.replace("position = [4, 0]\n", "position = [\"far\", 0]\n");
    assert!(!keys(&format!("{placeless}{rod}{rest}")).contains(&"rod[0].length".to_string()));
    // A method that cannot take the scene, and a step that is none.
    let rods = "[[particle]]\nmass = 1\nposition = [0, 0]\n[[wall]]\nnormal = [0, 1]\n";
    let rest = rest.replace("verlett", "verlet");
    assert_eq!(keys(&format!("{rods}{rest}")), ["method.name", "run.step"]);
}

#[test]
fn numbers_of_a_method_may_be_expressions_of_the_parameters() {
    let text = replaced(base("bead"), "rule = \"midpoint\"", "rule = \"gamma\"\ngamma = \"m/4\"");
    let scene = good(&text, &[]);
    assert_eq!(scene.method, good(&replaced(&text, "\"m/4\"", "0.25"), &[]).method);
    assert!(scene.to_toml().contains("gamma = \"m/4\""));
}

// States close to a constraint.

fn adjusted(q_x: &str, v_x: &str) -> Result<Vec<Adjustment>, Vec<Diagnostic>> {
    let text = replaced(SWINGING, "x = \"l*sin(1)\"", &format!("x = \"l*sin(1)*{q_x}\""));
    let text = replaced(&text, "x = \"cos(1)\"", &format!("x = \"cos(1)*{v_x}\""));
    let scene = read(&text, &[])?;
    let State { q, p, .. } = &scene.problem.initial;
    let length = q[0].hypot(q[1]);
    assert!((length - 2.0).abs() <= 4.0 * f64::EPSILON, "the start is on the rod: {length:?}");
    let rate = (q[0] * p[0] + q[1] * p[1]) / 1.5 / length;
    assert!(rate.abs() <= 4.0 * f64::EPSILON, "the velocity is tangent: {rate:e}");
    Ok(scene.problem.adjustments)
}

#[test]
fn a_state_on_its_constraints_to_round_off_is_left_as_it_is() {
    assert_eq!(adjusted("1", "1"), Ok(vec![]));
}

#[test]
fn a_state_off_by_1e_8_is_projected_and_the_change_is_told() {
    for (q_x, v_x, of) in [("(1 + 1e-8)", "1", Level::Position), ("1", "(1 + 1e-8)", Level::Velocity)] {
        let found = adjusted(q_x, v_x).unwrap_or_else(|found| panic!("{found:#?}"));
        let of_level: Vec<&Adjustment> = found.iter().filter(|adjustment| adjustment.of == of).collect();
        let [adjustment] = of_level[..] else { panic!("{found:?}") };
        assert_eq!(adjustment.constraint, "rod");
        assert!((1e-9..2e-8).contains(&adjustment.relative), "{adjustment:?}");
        assert!((1e-9..4e-8).contains(&adjustment.change), "{adjustment:?}");
    }
    let text = replaced(SWINGING, "\"l*sin(1)\"", "\"l*sin(1)*(1 + 1e-8)\"");
    let notes = carom_io::report::notes(&good(&text, &[]));
    assert!(notes[0].contains("position was off `rod`") && notes[0].contains("was projected"), "{notes:?}");
}

#[test]
fn a_state_off_by_1e_5_is_refused() {
    for (q_x, v_x, key) in [("(1 + 1e-5)", "1", "initial.q"), ("1", "(1 + 1e-5)", "initial.v")] {
        let found = adjusted(q_x, v_x).expect_err("off by 1e-5");
        assert!(found.iter().any(|problem| problem.key == key && problem.message.contains("`rod`")), "{found:?}");
    }
}

#[test]
fn constraints_that_give_way_are_read_and_written_out() {
    let text = r#"
[parameters]
k = 4.0
[lagrangian]
coordinates = ["x", "y", "z"]
mass = 1
equalities = [{ name = "spring", expression = "x", compliance = "1/k", damping = 0.5 }, "y", { expression = "z", compliance = 0 }]
[initial]
q = [0, 0, 0]
[method]
name = "verlet"
[run]
step = 0.1
steps = 1
"#;
    let expected = [(Some(0.25), Some(0.5)), (None, None), (Some(0.0), None)];
    for scene in [good(text, &[]), good(&good(text, &[]).to_toml(), &[])] {
        let system = &scene.problem.system;
        let found =
            [0, 1, 2].map(|row| system.equalities().softness(row)).map(|soft| (soft.compliance, soft.damping));
        assert_eq!(found, expected);
    }
    // Nothing of it is looked at by a method that holds constraints exactly.
    let plain = replaced(text, ", compliance = \"1/k\", damping = 0.5", "");
    let plain = replaced(&replaced(&plain, "compliance = 0", "name = \"z\""), "[parameters]\nk = 4.0\n", "");
    assert_eq!(state_bits(&end(&good(text, &[]))), state_bits(&end(&good(&plain, &[]))));
}

// What is written in one way or another is the same scene.

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn state_bits(state: &State) -> (u64, Vec<u64>, Vec<u64>) {
    (state.t.to_bits(), bits(&state.q), bits(&state.p))
}

fn end(scene: &Scene) -> State {
    let (problem, settings) = (&scene.problem, &scene.run);
    let system = &*problem.system;
    let mut stepper = scene.method.stepper(system, &problem.initial).unwrap();
    let grid = Grid { t0: problem.initial.t, h: settings.h, steps: settings.steps };
    let run = Run { system, stepper: &mut *stepper, grid, on_failure: settings.on_failure };
    let outcome = run.go(problem.initial.clone(), &mut [], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None);
    outcome.state
}

#[test]
fn a_repeated_element_is_the_same_as_its_copies_by_hand_to_the_bit() {
    let by_hand = r#"
[lagrangian]
coordinates = ["x0", "x1", "x2"]
kinetic = ["0.5*dot(x0)^2", "0.5*dot(x1)^2", "0.5*dot(x2)^2"]
potential = ["0.5*10*x0^2", "0.5*10*(x1 - x0)^2", "0.5*10*(x2 - x1)^2"]
points = [["x0"], ["x1"], ["x2"]]
[initial]
q = ["0.1*0", "0.1*1", "0.1*2"]
v = { x2 = 1.0 }
[method]
name = "verlet"
[run]
step = 0.01
steps = 100
"#;
    let (repeated, by_hand) = (good(base("chain"), &[]), good(by_hand, &[]));
    let names: Vec<String> = (0..3).map(|i| repeated.problem.system.coordinate_name(i)).collect();
    assert_eq!(names, ["x[0]", "x[1]", "x[2]"]);
    assert_eq!(repeated.problem.points, by_hand.problem.points);
    assert_eq!(state_bits(&repeated.problem.initial), state_bits(&by_hand.problem.initial));
    assert_eq!(state_bits(&end(&repeated)), state_bits(&end(&by_hand)));
}

#[test]
fn structural_parameters_change_the_number_of_coordinates() {
    let values = "initial.v={}";
    for n in [1, 2, 40] {
        let scene = good(base("chain"), &[&format!("parameters.n={n}"), values]);
        assert_eq!(scene.problem.system.dim(), n);
        assert_eq!(scene.problem.initial.q[n - 1].to_bits(), (0.1 * (n - 1) as f64).to_bits());
    }
}

#[test]
fn the_written_scene_is_read_back_as_the_same_one_and_written_in_the_same_way() {
    let built_in = BUILT_IN.iter().map(|scene| (scene.name, scene.text));
    for (name, text) in built_in.chain(SCENES).chain([("swinging", SWINGING)]) {
        for sets in [&["run.every=3"][..], &["method={ name = \"midpoint\" }", "run.step=\"1/3e4\""]] {
            // Contacts, and constraints that give way, need a method that takes them.
            let own = ["gvi", "vci", "cva", "spook"]
                .into_iter()
                .find(|name| text.contains(&format!("name = \"{name}\"")));
            let first = sets[0].replace("midpoint", own.unwrap_or("midpoint"));
            let sets: Vec<&str> = [first.as_str()].into_iter().chain(sets[1..].iter().copied()).collect();
            let scene = good(text, &sets);
            let written = scene.to_toml();
            let again = good(&written, &[]);
            assert_eq!(state_bits(&again.problem.initial), state_bits(&scene.problem.initial), "{name}");
            assert_eq!((&again.method, &again.run), (&scene.method, &scene.run), "{name}");
            assert_eq!(again.parameters, scene.parameters, "{name}");
            assert_eq!((&again.title, &again.cites), (&scene.title, &scene.cites), "{name}");
            assert_eq!(again.to_toml(), written, "{name}");
        }
    }
}

// Robustness.

/// Nothing but a scene or problems that can be shown may come of a text.
fn survives(text: &str) {
    let source = Source::new("scene.toml", text);
    if let Err(found) = Scene::read("scene", &source, &[]) {
        assert!(!found.is_empty(), "refused without a word:\n{text}");
        for problem in found {
            let shown = problem.render(&source);
            assert!(shown.starts_with("error: scene.toml") && !problem.message.is_empty(), "{shown}");
        }
    }
}

/// The words, numbers and signs of a line: where each begins and ends.
fn tokens(line: &str) -> Vec<(usize, usize)> {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut tokens: Vec<(usize, usize)> = Vec::new();
    for (at, c) in line.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        let end = at + c.len_utf8();
        match tokens.last_mut() {
            Some(last) if last.1 == at && word(c) && line[..at].ends_with(word) => last.1 = end,
            _ => tokens.push((at, end)),
        }
    }
    tokens
}

/// The lines of a scene but for its description, which means nothing.
fn lines(text: &str) -> Vec<&str> {
    let (before, rest) = text.split_once("description = \"\"\"").unwrap_or((text, ""));
    let (_, after) = rest.split_once("\"\"\"\n").unwrap_or((rest, ""));
    before.lines().chain(after.lines()).collect()
}

#[test]
fn no_missing_or_foreign_line_makes_a_scene_panic() {
    for (name, text) in BUILT_IN.iter().map(|scene| (scene.name, scene.text)).chain(SCENES) {
        let lines = lines(text);
        good(&lines.join("\n"), &[]);
        assert!(lines.len() > 10, "{name}");
        for at in 0..lines.len() {
            let mut changed = lines.clone();
            changed.remove(at);
            survives(&changed.join("\n"));
            for foreign in [
                "",
                "[run]",
                "x = 1",
                "}",
                "\"\"\"",
                "[[run]]",
                "lagrangian.mass = 1",
                "[[particle]]",
                "[[plate]]",
                "[pair]",
            ] {
                changed = lines.clone();
                changed[at] = foreign;
                survives(&changed.join("\n"));
            }
            changed = lines.clone();
            changed.swap(at, (at + 1) % lines.len());
            survives(&changed.join("\n"));
            survives(&lines[..at].join("\n"));
        }
    }
}

#[test]
fn no_missing_or_foreign_word_makes_a_scene_panic() {
    for (name, text) in BUILT_IN.iter().map(|scene| (scene.name, scene.text)).chain(SCENES) {
        let lines = lines(text);
        let mut count = 0;
        for (at, line) in lines.iter().enumerate() {
            for (start, end) in tokens(line) {
                for foreign in ["", "0", "-1", "t", "x", "dot", "\"", "[", "é", "1e300"] {
                    let line = format!("{}{foreign}{}", &line[..start], &line[end..]);
                    let mut changed = lines.clone();
                    changed[at] = &line;
                    survives(&changed.join("\n"));
                    count += 1;
                }
            }
        }
        assert!(count > 500, "{name}: {count}");
    }
}
