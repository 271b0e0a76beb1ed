//! Equality constraints and their hidden velocity constraints to round-off; failed steps.

use carom::error::{Failure, Row};
use carom::method::AnyMethod;
use carom::run::Ended;
use carom_io::document::Source;
use carom_io::scene::Scene;
use carom_tests::control::Euler;
use carom_tests::runs::{advance, built_in, measured, method, scene, stepper};

use crate::systems::{systems, takes};
use crate::{holds, holds_velocity, label, variants};

#[test]
fn position_and_velocity_constraints_hold_to_round_off() {
    for (scene, _, _) in systems().iter().filter(|(scene, _, _)| scene.problem.system.equalities().count() > 0) {
        for method in variants().iter().filter(|method| holds(method) && takes(method, scene)) {
            let (outcome, summary) = measured(scene, method, 0.01, 5000);
            assert_eq!(outcome.ended, None);
            let (f, rate) = (summary.max_equality, summary.max_equality_velocity);
            let (f, rate) = (f.expect("constrained"), rate.expect("constrained"));
            let message = format!("{} on {}: f {f:.1e}, rate {rate:.1e}", label(method), scene.name);
            println!("{message}");
            assert!(f <= 1e-13, "{message}");
            // Negative control: velocities that are differences of positions are seen to leave the hidden constraints.
            assert!(if holds_velocity(method) { rate <= 2e-13 } else { rate > 1e-4 }, "{message}");
        }
    }
}

#[test]
fn control_a_method_that_ignores_constraints_leaves_them() {
    let scene = built_in("pendulum-cartesian", &[]);
    let mut state = scene.problem.initial.clone();
    advance(&scene, &mut Euler, &mut state, 0.01, 100);
    let mut f = [0.0];
    scene.problem.system.equalities().values(state.t, &state.q, &mut f);
    assert!(f[0].abs() > 1e-3, "{}", f[0]);
}

#[test]
fn units_do_not_matter() {
    // A molecule in SI units: 1e-26 kg, 1e-10 m, 1e-15 s; the same motion in units of its own.
    let text = r#"
[parameters]
length = 1.0
mass = 1.0
time = 1.0
[lagrangian]
coordinates = ["x", "y", "phi"]
kinetic = "0.5*mass*(dot(x)^2 + dot(y)^2) + 0.3*mass*length^2*(1 + 0.2*(x/length)^2)*dot(phi)^2"
potential = "mass*length^2/time^2*(0.7*(x/length)^4 - 0.4*(y/length)*sin(phi))"
equalities = ["hypot(x, y) - length*(1 + 0.1*sin(phi))"]
[initial]
q = ["length", 0.0, 0.0]
v = ["0.1*0.3*length/time", "0.5*length/time", "0.3/time"]
[method]
name = "verlet"
[run]
step = "0.01*time"
steps = 300
"#;
    // The same with a constant mass, for the explicit step.
    let constant = text.replace("0.3*mass*length^2*(1 + 0.2*(x/length)^2)*dot", "0.3*mass*length^2*dot");
    for (name, text) in [("verlet", text), ("midpoint", text), ("verlet", &constant), ("newmark", &constant)] {
        let run = |edits: &[&str]| {
            let scene = scene("molecule", text, edits);
            let (outcome, summary) = measured(&scene, &method(name), scene.run.h, scene.run.steps);
            assert_eq!(outcome.ended, None, "{name}");
            (outcome.state.q, summary.max_equality.expect("constrained"))
        };
        let (plain, _) = run(&[]);
        let (si, violation) = run(&["parameters.length=1e-10", "parameters.mass=1e-26", "parameters.time=1e-15"]);
        assert!(violation <= 1e-25, "{name}: {violation:e} m");
        for (plain, si) in plain.iter().zip([si[0] * 1e10, si[1] * 1e10, si[2]]) {
            assert!((plain - si).abs() < 1e-11, "{name}: {plain} and {si}");
        }
    }
}

/// A bead on a parabola, beside a free coordinate that may be far away and fast.
fn bead(z: &str, vz: &str) -> Scene {
    let text = format!(
        "[lagrangian]\ncoordinates = ['x', 'y', 'z']\nmass = 1.0\npotential = '9.81*y'\nequalities = ['y - x^2']\n\
         [initial]\nq = [1.0, 1.0, {z}]\nv = [0.0, 0.0, {vz}]\n[method]\nname = 'verlet'\n\
         [run]\nstep = 0.1\nsteps = 1\n"
    );
    scene("bead", &text, &[])
}

#[test]
fn other_coordinates_have_no_say_in_a_constraint() {
    for method in variants().into_iter().filter(|method| holds(method) && takes(method, &bead("0.0", "0.0"))) {
        for (z, vz) in [("0.0", "0.0"), ("1e10", "0.0"), ("0.0", "1e12")] {
            let scene = bead(z, vz);
            let message = format!("{} with z = {z}, vz = {vz}", label(&method));
            let (outcome, summary) = measured(&scene, &method, 0.1, 200);
            assert_eq!(outcome.ended, None, "{message}");
            assert!(summary.max_equality.expect("constrained") <= 1e-14, "{message}: {:?}", summary.max_equality);
            // Steps that are too long to be solved fail, whatever the free coordinate does.
            let (outcome, summary) = measured(&scene, &method, 0.4, 200);
            let held = summary.max_equality.expect("constrained") <= 1e-13;
            assert!(held, "{message}: {:?} after {:?}", summary.max_equality, outcome.ended);
        }
    }
}

/// A rod that must be longer than the step can reach: no end point exists.
const TORN: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = 0.0
equalities = ["x^2 + y^2 - 1 + 100*t^2*(1 + x^2)"]
[initial]
q = [1.0, 0.0]
v = [0.0, 0.1]
[method]
name = "verlet"
[run]
step = 0.2
steps = 5
"#;

#[test]
fn a_step_that_cannot_be_solved_is_an_error_with_numbers_and_leaves_the_state() {
    let scene = scene("torn", TORN, &[]);
    for method in variants().into_iter().filter(|method| holds(method) && takes(method, &scene)) {
        let mut stepper = stepper(&scene, &method);
        let mut state = scene.problem.initial.clone();
        let error = stepper.step(&*scene.problem.system, &mut state, 0.2).expect_err("it has no solution");
        assert_eq!(state, scene.problem.initial, "{}", label(&method));
        assert_eq!((error.t, error.h), (0.0, 0.2));
        match error.failure {
            Failure::NotConverged { iterations, residual, correction, .. } => {
                let most = match method {
                    AnyMethod::Galerkin(_) => 20,
                    // Halved before that.
                    AnyMethod::Pem(_) => 12,
                    _ => 50,
                };
                assert!(iterations == most && residual > 1e-6 && correction > 1e-6, "{}", label(&method));
            }
            Failure::OutOfReach { iterations, residual, closest, row } => {
                assert!(
                    matches!(method.name(), "verlet" | "variational" | "gvi" | "vci" | "cva"),
                    "{}",
                    label(&method)
                );
                assert!(iterations == 50 && residual >= closest && closest > 1e-6, "{}", label(&method));
                assert!(matches!(row, Row::Equality(0, _)));
            }
            // Its iterates were seen to come where the rows of the constraint cannot be told from each other.
            Failure::Singular { pivot, .. }
                if matches!(method, AnyMethod::Galerkin(_) | AnyMethod::Projection(_)) =>
            {
                assert!(pivot < 1e-13)
            }
            _ => panic!("{}: {error}", label(&method)),
        }
        let (outcome, _) = measured(&scene, &method, 0.2, 5);
        assert!(matches!(outcome.ended, Some(Ended::Step { step: 1, .. })), "{}", label(&method));
        assert_eq!((outcome.steps, outcome.failures), (0, 1));
    }
}

#[test]
fn redundant_constraints_are_refused_by_name() {
    let text = TORN.replace("100*t^2*(1 + x^2)\"", "0\", \"2*x^2 + 2*y^2 - 2\"");
    for name in ["verlet", "midpoint", "newmark"] {
        let text = text.replace("verlet", name);
        let found = Scene::read("redundant", &Source::new("redundant", text), &[]).err().expect("redundant");
        assert_eq!(found[0].key, "lagrangian.equalities");
        assert!(
            found[0].message.contains("`equalities[1]` depends on the constraints before it"),
            "{:?}",
            found[0]
        );
    }
}

#[test]
fn coordinates_that_stay_at_zero_do_not_hold_newton_up() {
    // A bead on the line y = 0, pulled off it: f and y are round-off of nothing.
    let text = TORN
        .replace("x^2 + y^2 - 1 + 100*t^2*(1 + x^2)", "y + 0.3*x - 0.3*x")
        .replace("potential = 0.0", "potential = \"0.5*x^2 + 3*sin(x)*y\"")
        .replace("v = [0.0, 0.1]", "v = [0.3, 0.0]");
    let scene = scene("bead", &text, &[]);
    for method in variants().into_iter().filter(|method| holds(method) && takes(method, &scene)) {
        let (outcome, summary) = measured(&scene, &method, 0.05, 1000);
        assert_eq!(outcome.ended, None, "{}", label(&method));
        assert!(summary.max_equality.expect("constrained") <= 1e-16, "{}", label(&method));
        assert!(summary.iterations_max <= 4 && summary.worst_residual <= 1e-12, "{} {summary:?}", label(&method));
    }
}

/// A body of three rods that drifts, and a constraint that moves evenly: the first residual is round-off already.
#[test]
fn constraints_that_hold_by_themselves_hold() {
    let triangle = r#"
[[particle]]
mass = 1.0
position = [0.0, 0.0]
velocity = [0.31, 0.17]
[[particle]]
mass = 2.0
position = [1.0, 0.1]
velocity = [0.31, 0.17]
[[particle]]
mass = 0.7
position = [0.3, 0.9]
velocity = [0.31, 0.17]
[[rod]]
between = [0, 1]
[[rod]]
between = [1, 2]
[[rod]]
between = [0, 2]
[method]
name = "verlet"
[run]
step = 0.013
steps = 10
"#;
    let carried = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = "9.8*y"
equalities = ["x - t - 1"]
[initial]
q = [1.0, 1.0]
v = [1.0, 0.0]
[method]
name = "verlet"
[run]
step = 0.013
steps = 10
"#;
    for (name, text) in [("triangle", triangle), ("carried", carried)] {
        for method in variants().iter() {
            let scene = scene(name, text, &[]);
            if holds(method) && takes(method, &scene) {
                for h in [0.013, 0.005, 0.1, 0.0071] {
                    let (outcome, summary) = measured(&scene, method, h, 2000);
                    assert_eq!(outcome.ended, None, "{} on {name}, h = {h}", label(method));
                    assert!(summary.max_equality.expect("constrained") < 1e-12);
                }
            }
        }
    }
}
