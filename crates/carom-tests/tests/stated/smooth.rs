//! Smooth motion: methods that are others, and long runs.

use carom::state::State;
use carom_tests::runs::{advance, built_in, distance, measured, method, scene, stepper};

/// The state after some steps.
fn after(scene: &carom_io::scene::Scene, name: &str, h: f64, steps: u64) -> State {
    let mut state = scene.problem.initial.clone();
    advance(scene, &mut *stepper(scene, &method(name)), &mut state, h, steps);
    state
}

#[test]
fn gamma_0_and_1_are_the_two_symplectic_euler_methods() {
    // kepler has a constant mass: V_q = q/|q|³.
    let (scene, h) = (built_in("kepler", &[]), 0.01);
    let force = |q: &[f64]| [0, 1].map(|i| -q[i] / (q[0] * q[0] + q[1] * q[1]).powf(1.5));
    for (name, force_first) in
        [("variational rule=gamma, gamma=1.0", true), ("variational rule=gamma, gamma=0.0", false)]
    {
        let mut own = scene.problem.initial.clone();
        for _ in 0..200 {
            let kick = |state: &mut State| {
                let f = force(&state.q);
                (0..2).for_each(|i| state.p[i] += h * f[i]);
            };
            let drift = |state: &mut State| (0..2).for_each(|i| state.q[i] += h * state.p[i]);
            if force_first {
                kick(&mut own);
                drift(&mut own);
            } else {
                drift(&mut own);
                kick(&mut own);
            }
        }
        let found = after(&scene, name, h, 200);
        assert!(distance(&found, &own) < 1e-12, "{name}: {:e}", distance(&found, &own));
    }
    assert!(
        distance(&after(&scene, "variational rule=gamma, gamma=0.5", h, 200), &after(&scene, "midpoint", h, 200))
            < 1e-12
    );
}

#[test]
fn newmark_with_beta_0_is_verlet_and_projection_without_constraints_is_symplectic_euler() {
    let scene = built_in("kepler", &[]);
    let apart = |one: &str, other: &str| distance(&after(&scene, one, 0.01, 200), &after(&scene, other, 0.01, 200));
    assert!(apart("newmark beta=0.0", "verlet") < 1e-12);
    assert!(apart("newmark beta=0.25", "verlet") > 1e-6, "control");
    for velocity in ["difference", "projected"] {
        let apart = apart(&format!("projection velocity={velocity}"), "variational rule=gamma, gamma=1.0");
        assert!(apart < 1e-12, "{velocity}: {apart:e}");
    }
}

#[test]
fn newmark_oscillates_on_kepler_and_does_not_drift() {
    let scene = built_in("kepler", &[]);
    let (outcome, summary) = measured(&scene, &method("newmark"), scene.run.h, 636_620);
    assert_eq!(outcome.ended, None);
    let (angular, trend) = (summary.angular().1.expect("conserved"), summary.energy_trend().expect("many steps"));
    let error = trend.error.expect("many steps");
    println!("angular momentum {angular:.2e}, slope {:.2e} ± {error:.1e}", trend.slope);
    assert!((2.9e-3..3.1e-3).contains(&angular), "{angular:e}");
    assert!((trend.slope + 1.3e-11).abs() < 5e-12 && (2e-10..4e-10).contains(&error), "{trend:?}");
}

/// The two figures of the README: a planet over 500 periods.
#[test]
fn energy_of_a_planet_is_a_band_with_verlet_and_drifts_with_newmark_above_one_half() {
    let scene = built_in("kepler", &["parameters.eccentricity=0.2", "parameters.periods=500"]);
    let run = |name: &str| {
        let (outcome, summary) = measured(&scene, &method(name), scene.run.h, scene.run.steps);
        assert_eq!(outcome.ended, None, "{name}");
        let trend = summary.energy_trend().expect("many steps");
        (trend.slope / trend.error.expect("many steps"), summary.energy.expect("looked at"))
    };
    let (verlet, energy) = run("verlet");
    let band = energy.max - energy.min;
    assert!(verlet.abs() <= 3.0, "{verlet}, {energy:?}");
    let (newmark, energy) = run("newmark beta=0.0, gamma=0.500005");
    // It leaves the band that it has too.
    assert!(newmark < -100.0 && energy.initial - energy.last > 2.0 * band, "{newmark}, {energy:?}");
}

#[test]
fn under_a_constant_force_three_methods_are_one() {
    let names = ["verlet", "midpoint", "newmark"];
    let scene = built_in("pendulum-cartesian", &[]);
    for name in names {
        let q = after(&scene, name, 0.03, 500).q;
        // The table of docs/methods.md, up to round-off.
        assert!((q[0] - 1.96217102715139).abs() < 1e-12, "{name}: {q:?}");
        assert!((q[1] + 0.38714966125217).abs() < 1e-12, "{name}: {q:?}");
    }
    let scene = built_in("pendulum-cartesian", &["lagrangian.potential='m*g*y + 0.8*x^3*y'"]);
    for (name, x) in names.into_iter().zip([0.11259, 0.12085, 0.12025]) {
        let q = after(&scene, name, 0.03, 500).q;
        assert!((q[0] - x).abs() < 1e-5, "{name}: {q:?}");
    }
}

/// The bead of the README.
#[test]
fn twice_the_step_has_four_times_the_energy_error_of_the_bead() {
    let text = "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '9.81*y'\nequalities = ['y - x^2']\n\
                [initial]\nq = [1.0, 1.0]\n[method]\nname = 'verlet'\n[run]\nstep = 0.01\nuntil = 10.0\n";
    let scene = scene("bead", text, &[]);
    let worst = |h: f64| {
        let (outcome, summary) = measured(&scene, &method("verlet"), h, (10.0 / h).round() as u64);
        assert_eq!(outcome.ended, None);
        let energy = summary.energy.expect("looked at");
        energy.initial - energy.min
    };
    let ratio = worst(0.02) / worst(0.01);
    assert!((ratio - 4.0).abs() < 0.1, "{ratio}");
}

/// Three masses in space on two rods, written as expressions, with nothing else.
const RODS: &str = r#"
[lagrangian]
coordinates = ["x1", "y1", "x2", "y2", "x3", "y3"]
mass = [1.0, 1.0, 2.5, 2.5, 0.7, 0.7]
equalities = ["hypot(x2 - x1, y2 - y1) - 1", "hypot(x3 - x2, y3 - y2) - 1"]
points = [["x1", "y1"], ["x2", "y2"], ["x3", "y3"]]
[initial]
q = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0]
v = [0.3, -0.5, 0.3, 0.7, -0.4, 0.7]
[method]
name = "pem"
tolerance = 1e-15
[run]
step = 0.02
until = 20.0
"#;

#[test]
fn pem_keeps_momenta_beside_rows_of_distances_and_not_beside_fields() {
    let rods = scene("rods", RODS, &[]);
    let (outcome, summary) = measured(&rods, &rods.method, 0.02, 1000);
    assert_eq!(outcome.ended, None);
    let (linear, angular) = (summary.linear().1.expect("conserved"), summary.angular().1.expect("conserved"));
    assert!(linear <= 1e-12 && angular <= 1e-12, "{linear:e} {angular:e}");
    // A field about the origin: a symmetry of the scene that the discrete gradient has not.
    let text = "[[particle]]\nmass = 1.0\nposition = [1, 0]\nvelocity = [0, 0.6]\n[[field]]\npotential = '(x^2 + y^2)^2'\n\
                [method]\nname = 'pem'\ntolerance = 1e-15\n[run]\nstep = 0.02\nuntil = 20.0\n";
    let field = scene("field", text, &[]);
    let spin = |name: &str| {
        let state = after(&field, name, 0.02, 1000);
        (state.q[0] * state.p[1] - state.q[1] * state.p[0] - 0.6).abs()
    };
    assert!(spin("pem tolerance=1e-15") > 1e-6, "{:e}", spin("pem tolerance=1e-15"));
    assert!(spin("verlet") < 1e-12, "control: {:e}", spin("verlet"));
}
