//! Experiments that solve complementarity problems: what is measured against reference numbers, and what a file may say.

use std::sync::atomic::AtomicBool;

use carom::observe::{Frame, Observer};
use carom_io::document::{Diagnostic, Source};
use carom_io::experiment::{Choice, Experiment, Found, Verdict};
use serde_json::Value;

const SQUEEZED: &str = include_str!("../../carom-lcp/tests/paper/reference/squeezed.json");
const WALLS: &str = include_str!("../../carom-lcp/tests/paper/reference/walls.json");
const SMALL: &str = include_str!("../../carom-lcp/tests/paper/reference/small.json");

/// An experiment to change: one contact, one claim.
const ONE: &str = r#"title = "One contact"
[[solve]]
name = "one"
problem = "one-contact"
solver = { name = "pgs", variant = "block-tangents", sweeps = 100 }
[[claim]]
id = "opposite"
claim = "Friction is opposite to slip."
measured = "one.angle + 0*one.velocity_error"
holds = { at_most = 1e-6 }
expected = "does not hold"
reason = "(98)."
[[figure]]
name = "residual"
title = "Residual"
panels = [{ solves = ["one"], y = "residual", log = true, switches = true }]
"#;

struct Nobody;

impl Observer for Nobody {
    fn observe(&mut self, _: &Frame) -> Result<(), String> {
        Ok(())
    }
}

fn read(text: &str) -> Result<Experiment, Vec<Diagnostic>> {
    Experiment::read(None, "test", Source::new("test.toml", text))
}

fn made(experiment: &Experiment) -> Vec<Found> {
    let stop = AtomicBool::new(false);
    let jobs = experiment.jobs(&Choice::default());
    jobs.iter().map(|job| job.run(&mut Nobody, &stop).unwrap_or_else(|found| panic!("{found:#?}"))).collect()
}

fn good(text: &str) -> Experiment {
    read(text).unwrap_or_else(|found| panic!("{text}\n{found:#?}"))
}

/// The text with the one occurrence of `from` replaced.
fn replaced(from: &str, to: &str) -> String {
    assert_eq!(ONE.matches(from).count(), 1, "`{from}` must occur once");
    ONE.replace(from, to)
}

/// What a solve of this problem and solver comes to, errors and residuals after 15, 100 and 1000 iterations among it.
fn solved(problem: &str, solver: &str) -> Found {
    let text = replaced("\"one-contact\"", problem);
    let text = text.replace("{ name = \"pgs\", variant = \"block-tangents\", sweeps = 100 }", solver);
    let text = text.replace("[[claim]]", "looks = [15, 100, 1000]\n[[claim]]");
    made(&good(&text)).remove(0)
}

fn quantity(found: &Found, name: &str, index: Option<usize>) -> f64 {
    let quantities = found.quantities.as_ref().unwrap_or_else(|reason| panic!("{}: {reason}", found.name));
    quantities.get(name, index).unwrap_or_else(|reason| panic!("{reason}"))
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number at {key} in {value}"))
}

fn near(what: &str, got: f64, want: f64, relative: f64) {
    assert!((got - want).abs() <= relative * want.abs(), "{what}: {got:e} is not {want:e}");
}

const VARIANTS: [(&str, &str); 4] = [
    ("separate", "separate"),
    ("block-projection", "blockproj"),
    ("block-tangents", "blocktan"),
    ("exact-tangents", "exacttan"),
];

/// Compares all that a reference says of a thousand sweeps.
fn compare(what: &str, found: &Found, want: &Value, late: f64) {
    for (place, sweep) in ["15", "100", "1000"].into_iter().enumerate() {
        let tolerance = if sweep == "1000" { late } else { 1e-2 };
        near(what, quantity(found, "residual_at", Some(place)), number(&want["relres"], sweep), tolerance);
    }
    near(what, quantity(found, "residual_min", None), number(want, "min"), late);
    near(what, quantity(found, "largest_jump", None), number(want, "largest_jump_up_factor"), 1e-2);
    near(what, quantity(found, "rate", None), number(want, "asymptotic_factor_last200"), 1e-2);
    near(what, quantity(found, "update", None), number(&want["rel_update"], "1000"), late);
    near(what, quantity(found, "impulse_error", None), number(&want["impulse_err"], "1000"), 1e-2);
    for (name, key) in [
        ("increases", "n_increases"),
        ("switching", "sweeps_with_state_change"),
        ("last_switch", "last_state_change_sweep"),
    ] {
        assert_eq!(quantity(found, name, None), number(want, key), "{what} {name}");
    }
}

#[test]
fn sweeps_of_squeezed_boxes_measure_what_the_reference_does() {
    let all: Value = serde_json::from_str(SQUEEZED).expect("JSON");
    for (mass, angle) in [(4, 0), (4, 30), (400, 0), (400, 30)] {
        let name = format!("squeezed_m{mass}_{angle}deg_step1");
        let problem = format!("{{ name = \"squeezed-box\", mass = {mass}, angle_deg = {angle} }}");
        let exact = &all[&name]["values"]["exact_iso"]["v"];
        let exact: Vec<f64> = exact.as_array().expect("v").iter().filter_map(Value::as_f64).collect();
        let size = exact.iter().map(|v| v * v).sum::<f64>().sqrt();
        for (variant, key) in VARIANTS {
            let found = solved(&problem, &format!("{{ name = \"pgs\", variant = \"{variant}\" }}"));
            let want = &all[format!("{name}_pgs")]["values"][format!("pgs_{key}_iso")];
            let what = format!("{name} {variant}");
            compare(&what, &found, want, 1e-2);
            let distance = quantity(&found, "velocity_distance", None);
            near(&what, distance / size, number(want, "v_err_1000"), 1e-2);
            // The push is 1.25 times what friction takes away: the exact impulses change the velocity by four times what is left.
            near(&what, 4.0 * quantity(&found, "velocity_error", None), number(want, "v_err_1000"), 1e-2);
            let spread = quantity(&found, "normal_max", None) - quantity(&found, "normal_min", None);
            assert!(spread > 1.0, "{what}: the normal impulses are not equal");
        }
    }
}

#[test]
fn sweeps_of_walls_measure_what_the_reference_does() {
    let all: Value = serde_json::from_str(WALLS).expect("JSON");
    for (name, brick, snapshot) in
        [("cube_impact", "cube", "impact"), ("cube_collapse", "cube", "collapse"), ("long_rest", "long", "rest")]
    {
        let problem = format!("{{ name = \"wall\", brick = \"{brick}\", snapshot = \"{snapshot}\" }}");
        for (variant, key) in VARIANTS {
            let found = solved(&problem, &format!("{{ name = \"pgs\", variant = \"{variant}\" }}"));
            let want = &all[format!("wall_{name}_iterative")]["values"][format!("pgs_{key}_iso")];
            let what = format!("{name} {variant}");
            compare(&what, &found, want, 0.5);
            near(&what, quantity(&found, "velocity_distance", None), number(want, "v_err_1000"), 5e-2);
        }
    }
}

#[test]
fn angles_of_friction_to_slip_are_those_of_the_reference() {
    let all: Value = serde_json::from_str(SMALL).expect("JSON");
    for (variant, key) in VARIANTS {
        let found =
            solved("\"one-contact\"", &format!("{{ name = \"pgs\", variant = \"{variant}\", sweeps = 1000 }}"));
        let want = &all["pgs_fixed_points"]["values"][format!("one_contact_{key}")];
        let (angle, want) = (quantity(&found, "angle", None), number(want, "angle_beta_vs_minus_slip_deg").abs());
        assert!((angle - want).abs() < 1e-8, "{variant}: {angle} is not {want}");
    }
}

#[test]
fn the_a_frame_contracts_as_slowly_as_the_reference_says() {
    let all: Value = serde_json::from_str(SMALL).expect("JSON");
    let want = &all["aframe_single"]["values"]["split_60x15_exacttan"];
    let found = solved("\"a-frame\"", "{ name = \"direct-iterative\", couplings = 60 }");
    assert_eq!(quantity(&found, "iterations", None), 61.0, "a direct solve before the couplings");
    near("rate", quantity(&found, "rate", None), number(want, "contraction_per_outer"), 1e-3);
    near("residual", quantity(&found, "residual", None), number(&want["relres_after_direct"], "60"), 1e-3);
    assert!(quantity(&found, "joint_violation", None) < 1e-12);
    let swept = solved("\"a-frame\"", "{ name = \"pgs\", sweeps = 900 }");
    assert!(quantity(&swept, "joint_violation", None) > 1e-6, "sweeps alone do not hold the joints");
}

#[test]
fn every_solution_of_a_contact_in_the_plane_is_counted() {
    // W = [[1, -0.8], [-0.8, 1]], μ = 2: α + μβ = -0.6. Open, stick and slide all solve the third.
    let count = |normal: f64, tangent: f64| {
        let problem = format!(
            "{{ name = \"plane-contact\", beta = -0.8, mu = 2, normal = {normal:?}, tangent = {tangent:?} }}"
        );
        let text = replaced("\"one-contact\"", &problem);
        let text =
            text.replace("{ name = \"pgs\", variant = \"block-tangents\", sweeps = 100 }", "\"enumeration\"");
        let text = text.replace("one.angle + 0*one.velocity_error", "one.solutions");
        let found = made(&good(&text)).remove(0);
        assert!((quantity(&found, "least_minor", None) + 0.6).abs() < 1e-15);
        assert!(quantity(&found, "residual_absolute", None) < 1e-14, "the first of them solves the problem");
        quantity(&found, "solutions", None)
    };
    assert_eq!([count(-1.0, 5.0), count(-1.0, -5.0), count(0.6, -5.0), count(0.6, 5.0)], [1.0, 1.0, 3.0, 1.0]);
}

#[test]
fn a_setting_of_the_command_line_turns_the_verdict() {
    let verdict = |experiment: &Experiment| {
        let choice = Choice::default();
        experiment.judge(&choice, &made(experiment)).remove(0).finding.expect("a verdict").verdict
    };
    let mut experiment = good(ONE);
    assert_eq!(verdict(&experiment), Verdict::DoesNotHold);
    let (taken, refused) = experiment.set("solver.variant=exact-tangents", false);
    assert_eq!((taken, refused.len()), (1, 0));
    assert_eq!(verdict(&experiment), Verdict::Holds);
    assert_eq!(made(&experiment)[0].settings, ["solver.variant=exact-tangents"]);
    for (argument, message) in [
        ("solver.variant=round", "which is not allowed here"),
        ("problem.mass=3", "unknown key of `problem`"),
        ("parameters.g=1", "unknown key"),
    ] {
        let (taken, refused) = experiment.set(argument, false);
        assert_eq!((taken, refused.len()), (0, 1), "{argument}");
        assert!(refused[0].itself && refused[0].problems[0].message.contains(message), "{refused:#?}");
    }
    assert_eq!(verdict(&experiment), Verdict::Holds, "what is refused changes nothing");
}

#[test]
fn what_is_wrong_with_a_solve_is_said_at_its_place() {
    let cases = [
        ("\"one-contact\"", "\"two-contacts\"", "there is no problem `two-contacts`"),
        ("\"one-contact\"", "3", "allowed is a name or a table with a name"),
        ("\"one-contact\"", "{ name = \"wall\", rows = 0 }", "a whole number from 1 to 100"),
        ("\"one-contact\"", "{ name = \"a-frame\", mu = -1 }", "a positive number"),
        ("\"one-contact\"", "{ name = \"wall\", brick = \"flat\" }", "which is not allowed here"),
        ("name = \"pgs\"", "name = \"sor\"", "there is no solver `sor`"),
        ("sweeps = 100", "sweep = 100", "unknown key of `solver`"),
        (
            "{ name = \"pgs\", variant = \"block-tangents\", sweeps = 100 }",
            "\"lagged-bounds\"",
            "it needs the problem's law = \"box\"",
        ),
        (
            "{ name = \"pgs\", variant = \"block-tangents\", sweeps = 100 }",
            "\"enumeration\"",
            "it takes one contact in the plane",
        ),
        ("[[claim]]", "looks = [0]\n[[claim]]", "the number of an iteration, from 1"),
        ("[[claim]]", "labels = [\"a\"]\n[[claim]]", "as many labels as members"),
        ("[[claim]]", "start = \"end\"\n[[claim]]", "which is not allowed here"),
        ("[[claim]]", "members = [[\"problem.mu=1\"]]\n[[claim]]", "unknown key of `problem`"),
        ("one.angle", "one.energy", "`one.energy`"),
        ("y = \"residual\"", "y = \"energy\"", "which is not allowed here"),
        ("y = \"residual\"", "y = \"residual\", member = 0", "the number of a member that every solve has"),
        ("solves = [\"one\"]", "solves = [\"two\"]", "there is no [[solve]] `two`"),
    ];
    for (from, to, message) in cases {
        let Err(found) = read(&replaced(from, to)) else { panic!("{to} is taken") };
        let said = found.iter().any(|problem| problem.message.contains(message) && problem.position.is_some());
        assert!(said, "{to}: {message}\n{found:#?}");
    }
}

#[test]
fn a_quantity_without_a_meaning_gives_no_verdict() {
    let text = replaced("one.angle + 0*one.velocity_error", "one.joint_violation");
    let experiment = good(&text);
    let choice = Choice::default();
    let finding = experiment.judge(&choice, &made(&experiment)).remove(0).finding;
    assert_eq!(finding.unwrap_err(), "run `one`: `joint_violation` has no meaning for what was run");
}

#[test]
fn ticks_and_curves_of_histories_are_drawn() {
    let experiment = good(ONE);
    let figures = experiment.draw(false, &made(&experiment));
    let [(name, figure)] = &figures[..] else { panic!("one figure") };
    assert_eq!(name, "residual");
    let svg = figure.to_svg();
    assert!(svg.contains("relative residual") && svg.contains("sweeps"), "{svg}");
    let plain = good(&replaced(", switches = true", ""));
    let without = plain.draw(false, &made(&plain)).remove(0).1.to_svg();
    assert!(svg.matches("<path").count() > without.matches("<path").count(), "the ticks are a path of their own");
}
