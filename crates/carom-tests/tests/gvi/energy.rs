//! What holds of the energy through impacts: bounded for quadratic potentials without joints or held contacts, a walk
//! otherwise.

use carom::method::AnyMethod;
use carom::run::Outcome;
use carom::steppers::gvi::{WALKS, WALKS_FASTER, WALKS_SLOWLY};
use carom::study::exponent;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, method, scene};

use crate::run_from;

/// Parts of a run at which the range of the energy is looked at.
const PARTS: [u64; 5] = [16, 8, 4, 2, 1];

/// What a run made of the energy, relative to that of the start.
struct Wander {
    outcome: Outcome,
    /// The largest departure.
    off: f64,
    /// The largest energy.
    most: f64,
    /// The exponent of the range as a power of the time: 0 of what is bounded, ½ of a walk, 1 of a drift.
    exponent: f64,
    /// The largest change of H − (h²/8)|V_q|².
    verlets: f64,
    impacts: u64,
}

/// Runs a scene of unit masses with `gvi` and the given options.
fn wander(name: &str, options: &str, edits: &[&str]) -> Wander {
    let method = format!("method={{ name = 'gvi', {options} }}");
    wander_of(&built_in(name, &[&[method.as_str()], edits].concat()))
}

/// Runs a scene of unit masses.
fn wander_of(scene: &Scene) -> Wander {
    let (system, h, steps) = (&*scene.problem.system, scene.run.h, scene.run.steps);
    let mut slope = vec![0.0; system.dim()];
    let (mut first, mut low, mut high) = (None, f64::INFINITY, f64::NEG_INFINITY);
    let (mut verlets, mut impacts, mut ranges) = (0.0_f64, 0, Vec::new());
    let (outcome, _) = run_from(scene, scene.problem.initial.clone(), &mut |frame| {
        system.potential_gradient(frame.state.t, &frame.state.q, &mut slope);
        let energy = frame.energy();
        let kept = energy - h * h / 8.0 * slope.iter().fold(0.0, |sum, g| sum + g * g);
        let (start, start_kept) = *first.get_or_insert((energy, kept));
        verlets = verlets.max((kept - start_kept).abs() / start);
        (low, high) = (low.min(energy / start), high.max(energy / start));
        impacts += u64::from(frame.report.impacts);
        if PARTS.iter().any(|part| frame.step == steps.div_ceil(*part)) {
            ranges.push((frame.step as f64, high - low));
        }
    });
    let exponent = exponent(&ranges).unwrap_or(f64::INFINITY);
    Wander { outcome, off: (high - 1.0).max(1.0 - low), most: high, exponent, verlets, impacts }
}

fn mean(runs: &[Wander], of: impl Fn(&Wander) -> f64) -> f64 {
    runs.iter().map(of).sum::<f64>() / runs.len() as f64
}

/// Two discs in a quadratic well, whose contact is curved; a pogo stick, whose ground is flat.
const QUADRATIC: [(&str, &[&str]); 2] = [
    ("nonlinear-oscillator-asymmetric", &["field=[{ potential = '0.5*x^2 + y^2' }]", "run.until=2000"]),
    ("pogo-stick", &["parameters.height=2.7", "run.until=2000"]),
];

#[test]
fn quadratic_potentials_bound_the_energy_through_impacts() {
    for (name, edits) in QUADRATIC {
        let verlet = wander(name, "rule = 'verlet'", edits);
        let middle = wander(name, "rule = 'midpoint'", edits);
        println!(
            "{name}: {} impacts; Verlet: invariant to {:.1e}, H within {:.2e}, exponent {:.3}; midpoint: H within {:.1e}",
            verlet.impacts, verlet.verlets, verlet.off, verlet.exponent, middle.off
        );
        assert!(verlet.impacts > 500 && middle.impacts > 500);
        assert!(verlet.verlets < 1e-12 && verlet.exponent < 0.05, "{name}: {:e}", verlet.verlets);
        assert!(middle.off < 1e-12, "{name}: {:e}", middle.off);
        // A reflection that does not conserve H does not conserve the invariant.
        let discrete = wander(name, "rule = 'verlet', energy = 'discrete'", edits);
        println!("  with energy = \"discrete\" the invariant is off by {:.1e}", discrete.verlets);
        assert!(discrete.verlets > 1e-4, "{name}: {:e}", discrete.verlets);
    }
    // Nor has a potential that is not quadratic the invariant.
    let hardening = wander("pogo-stick-hardening", "rule = 'verlet'", &["run.until=2000"]);
    println!("pogo-stick-hardening: {:.1e}", hardening.verlets);
    assert!(hardening.verlets > 1e-3, "{:e}", hardening.verlets);
}

/// A double pendulum on rods with a wall beside it, under uniform gravity.
const DOUBLE_PENDULUM: &str = r#"
title = "a double pendulum on rods and a wall"

[parameters]
angle = 0.0
wall = 0.2

[lagrangian]
coordinates = ["x1", "y1", "x2", "y2"]
mass = 1.0
potential = "9.81*(y1 + y2 + 3)"
equalities = ["x1^2 + y1^2 - 1", "(x2 - x1)^2 + (y2 - y1)^2 - 1"]
inequalities = ["x2 + wall"]

[initial]
q = { x1 = "cos(angle)", y1 = "sin(angle)", x2 = "2*cos(angle)", y2 = "2*sin(angle)" }

[method]
name = "gvi"

[run]
step = 0.01
until = 2000.0
"#;

#[test]
fn joints_let_the_energy_walk_even_in_uniform_gravity() {
    let all = |wall: f64| -> Vec<Wander> {
        let one = |rule: &str, angle: f64| {
            let edits = [
                format!("method={{ name = 'gvi', rule = '{rule}' }}"),
                format!("parameters.angle={angle:?}"),
                format!("parameters.wall={wall:?}"),
            ];
            let edits: Vec<&str> = edits.iter().map(String::as_str).collect();
            let run = wander_of(&scene("double-pendulum-and-wall", DOUBLE_PENDULUM, &edits));
            assert!(run.outcome.ended.is_none());
            run
        };
        let rules = ["verlet", "midpoint"];
        rules.iter().flat_map(|rule| [0.0, 0.1, 0.2, 0.3].map(|angle| one(rule, angle))).collect()
    };
    // The second wall is out of reach: joints alone are no reason.
    let [(walled, off, hits), (free, off_free, none)] = [all(0.2), all(10.0)].map(|runs| {
        let (exponent, off) = (mean(&runs, |run| run.exponent), mean(&runs, |run| run.off));
        let impacts: u64 = runs.iter().map(|run| run.impacts).sum();
        println!("exponent {exponent:.3}, off by {off:.4}, means of {} runs with {impacts} impacts", runs.len());
        (exponent, off, impacts)
    });
    assert!(hits > 1000 && none == 0, "{hits} {none}");
    // Half-way from a bound to a walk.
    assert!(walled > 0.25 && free < 0.05, "{walled} {free}");
    assert!(off > 3.0 * off_free, "{off} {off_free}");
}

#[test]
fn other_potentials_let_the_energy_walk_and_shadow_reflections_slow_it_down() {
    let all = |energy: &str| -> Vec<Wander> {
        let one = |k: u32| {
            let edits = [format!("parameters.x1={}", 0.2 + 0.2 * f64::from(k) / 7.0), "run.until=8000".to_string()];
            let edits: Vec<&str> = edits.iter().map(String::as_str).collect();
            wander("nonlinear-oscillator-asymmetric", &format!("rule = 'midpoint', energy = '{energy}'"), &edits)
        };
        (0..8).map(one).collect()
    };
    // Exponents of single runs scatter by 0.12, their means by 0.04.
    let [plain, shadow] = ["hamiltonian", "shadow"].map(|energy| {
        let runs = all(energy);
        assert!(runs.iter().all(|run| run.outcome.ended.is_none()));
        let found = [mean(&runs, |run| run.exponent), mean(&runs, |run| run.off)];
        println!("{energy}: exponent {:.2}, off by {:.3}, means of {} starts", found[0], found[1], runs.len());
        found
    });
    // Half-way from a bound to a walk.
    assert!(plain[0] > 0.25, "{plain:?}");
    assert!(4.0 * shadow[1] < plain[1], "{shadow:?} {plain:?}");
}

#[test]
fn large_steps_can_make_it_grow_without_bound_with_shadow_reflections_too() {
    let grown = |energy: &str, until: f64, factor: f64| {
        let stiffnesses = [0.9, 0.95, 1.0, 1.05, 1.1];
        let one = |k: &f64| {
            let edits = [format!("parameters.k={k}"), format!("run.until={until}")];
            let edits: Vec<&str> = edits.iter().map(String::as_str).collect();
            wander("spring-sphere-mixed", &format!("rule = 'midpoint', energy = '{energy}'"), &edits)
        };
        let runs: Vec<Wander> = stiffnesses.iter().map(one).collect();
        let count = runs.iter().filter(|run| run.most > factor).count();
        let ended = runs.iter().filter(|run| run.outcome.ended.is_some()).count();
        println!(
            "{energy} to t = {until}: {count} of 5 beyond {factor} times the energy, {ended} ended by a step that fails"
        );
        count
    };
    assert!(grown("hamiltonian", 1e4, 2.0) >= 2);
    assert_eq!(grown("shadow", 1e4, 2.0), 0);
    assert!(grown("shadow", 5e4, 2.0) >= 2);
    // Without impacts, sliding, the same step keeps it: the set of contacts does not change.
    let smooth = wander("spring-sphere", "rule = 'midpoint'", &["run.until=1e4"]);
    println!("sliding: off by {:.1e}, exponent {:.3}", smooth.off, smooth.exponent);
    assert!(smooth.impacts == 0 && smooth.off < 0.005 && smooth.exponent < 0.05);
}

#[test]
fn what_is_said_of_the_energy_is_that_of_the_option() {
    for (energy, text) in [("hamiltonian", WALKS), ("shadow", WALKS_SLOWLY), ("discrete", WALKS_FASTER)] {
        assert_eq!(method(&format!("gvi energy='{energy}'")).exceptions(), [text]);
    }
    assert_eq!(AnyMethod::named("gvi").expect("a method").exceptions(), [WALKS]);
}
