//! Where the search line of RATTLE misses the constraint or crosses it twice [lacoursiere-linde-2011, figures 2 and 3].
//!
//! A bead moves freely on an ellipse with half-axes a and b. From its lowest point with speed s the free step leads to (h s, −b), and the line
//! along the gradient there is x = h s: it crosses the ellipse at y = ±b √(1 − (h s/a)²), or misses it.

use carom::error::{Failure, Row};
use carom::run::Ended;
use carom_io::scene::Scene;
use carom_tests::runs::{measured, method, scene, stepper};

const H: f64 = 0.1;

fn bead(a: f64, b: f64, speed: f64) -> Scene {
    let text = format!(
        "[parameters]\na = {a:?}\nb = {b:?}\n[lagrangian]\ncoordinates = ['x', 'y']\nmass = 2.0\npotential = 0.0\n\
         equalities = [{{ name = 'rail', expression = '(x/a)^2 + (y/b)^2 - 1' }}]\n[initial]\nq = [0.0, '-b']\n\
         v = [{speed:?}, 0.0]\n[method]\nname = 'verlet'\n[run]\nstep = {H:?}\nsteps = 1\n"
    );
    scene("bead", &text, &[])
}

/// Half-axes of a circle, a flat and a steep ellipse.
const RAILS: [(f64, f64); 3] = [(1.0, 1.0), (2.0, 0.3), (0.5, 4.0)];

#[test]
fn of_two_crossings_the_near_one_is_taken() {
    for (a, b) in RAILS {
        for part in [0.01, 0.5, 0.9, 0.999, 0.999_999] {
            let scene = bead(a, b, part * a / H);
            let mut state = scene.problem.initial.clone();
            let mut step = stepper(&scene, &method("verlet"));
            step.step(&*scene.problem.system, &mut state, H).expect("the line crosses the rail");
            // Near the end of the axis a rounding error of x is one of y, larger by the slope.
            let height = b * (1.0 - part * part).sqrt();
            let allowed = 1e-14 * b / (height / b);
            assert!((state.q[0] - part * a).abs() <= 1e-15 * a, "{part}: {:?}", state.q);
            assert!(
                (state.q[1] + height).abs() <= allowed,
                "{part}: {:?}, near {}, far {height}",
                state.q,
                -height
            );
        }
    }
}

#[test]
fn a_line_that_misses_is_an_error_with_numbers_that_leaves_the_state() {
    for (a, b) in RAILS {
        for part in [1.001, 1.5, 20.0] {
            let scene = bead(a, b, part * a / H);
            let mut state = scene.problem.initial.clone();
            state.t = 3.0;
            let before = state.clone();
            let mut step = stepper(&scene, &method("verlet"));
            let error =
                step.step(&*scene.problem.system, &mut state, H).expect_err("no point of the rail has this x");
            assert_eq!(state, before);
            assert_eq!((error.t, error.h), (3.0, H));
            let message = error.to_string();
            let Failure::OutOfReach { iterations, residual, closest, row } = error.failure else {
                panic!("{message}")
            };
            assert_eq!(row, Row::Equality(0, "rail".into()));
            // f = part² − 1 + (y/b)² is at least part² − 1 along the line, and relative to terms of the free step.
            let least = (part * part - 1.0) / (8.0 * part * part);
            assert!(iterations == 50 && closest >= least && residual >= closest, "{message}");
            for words in ["`rail`", "t = 3 ", "h = 0.1", "relative residual", "50 iterations", "smaller step"] {
                assert!(message.contains(words), "{words} in: {message}");
            }
            // The step that failed has left nothing behind: a shorter one is made as by a new stepper.
            let (mut fresh, mut other) = (stepper(&scene, &method("verlet")), before.clone());
            let h = 0.5 * H / part;
            step.step(&*scene.problem.system, &mut state, h).expect("half of what the rail allows");
            fresh.step(&*scene.problem.system, &mut other, h).expect("half of what the rail allows");
            assert_eq!(state, other);
        }
    }
}

#[test]
fn a_run_ends_there_and_goes_on_with_half_the_step() {
    let scene = bead(1.0, 1.0, 15.0);
    let (outcome, _) = measured(&scene, &method("verlet"), H, 5);
    assert!(matches!(outcome.ended, Some(Ended::Step { step: 1, .. })), "{:?}", outcome.ended);
    assert_eq!((outcome.state, outcome.failures), (scene.problem.initial.clone(), 1));
    let (outcome, summary) = measured(&scene, &method("verlet"), 0.5 * H, 5);
    assert_eq!(outcome.ended, None);
    assert!(summary.max_equality.expect("constrained") <= 1e-14);
}

/// Figure 3: the nearest point exists whatever the speed, and costs kinetic energy.
#[test]
fn a_projection_reaches_the_circle_at_any_speed_and_loses_energy() {
    for part in [0.5, 1.5, 20.0] {
        let scene = bead(1.0, 1.0, part / H);
        for velocity in ["difference", "projected"] {
            let mut state = scene.problem.initial.clone();
            let mut step = stepper(&scene, &method(&format!("projection velocity={velocity}")));
            step.step(&*scene.problem.system, &mut state, H).expect("every point but the centre has a nearest one");
            // The free step ends at (part, −1): the nearest point is on its ray.
            let length = f64::hypot(part, 1.0);
            assert!((state.q[0] - part / length).abs() <= 1e-14 && (state.q[1] + 1.0 / length).abs() <= 1e-14);
            // Per squared speed at the start: chord of the turn, or what is along the circle at its end.
            let left = (state.p[0].powi(2) + state.p[1].powi(2)) / (2.0 * part / H).powi(2);
            let expected = match velocity {
                "difference" => (2.0 - 2.0 / length) / (part * part),
                _ => (1.0 / length).powi(2),
            };
            assert!(
                (left - expected).abs() <= 1e-12 && left < 0.9,
                "{velocity} {part}: {left}, expected {expected}"
            );
        }
    }
}
