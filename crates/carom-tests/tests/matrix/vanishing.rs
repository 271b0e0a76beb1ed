//! Rows whose coordinates are all zero, from the start, for a while or on the way: they have no size of their own.

use carom::method::AnyMethod;
use carom_io::scene::Scene;
use carom_tests::runs::{distance, measured, method, scene, state_after, stepper};

use crate::systems::takes;
use crate::{holds, holds_velocity, label, variants};

/// Two bodies of directors, hinged to the ground and to each other; the first moves in the plane y = 0.
const HINGE: &str = include_str!("axis_aligned_hinge.toml");

fn holding(scene: &Scene) -> Vec<AnyMethod> {
    variants().into_iter().filter(|method| holds(method) && takes(method, scene)).collect()
}

/// Runs with every method that holds equalities: constraint violations and residuals of the solver are round-off.
fn holds_in(name: &str, text: &str, steps: u64) {
    let scene = scene(name, text, &[]);
    let methods = holding(&scene);
    assert!(methods.len() > 20, "{name}: {}", methods.len());
    for method in methods {
        for h in [scene.run.h, 0.3 * scene.run.h, 1e-6] {
            let (outcome, summary) = measured(&scene, &method, h, steps);
            let message = format!("{} on {name}, h = {h}", label(&method));
            assert_eq!(outcome.ended, None, "{message}");
            let (f, rate) = (summary.max_equality, summary.max_equality_velocity);
            let (f, rate) = (f.expect("constrained"), rate.expect("constrained"));
            let residual = summary.worst_residual;
            let message = format!("{message}: f {f:.1e}, rate {rate:.1e}, residual {residual:.1e}");
            assert!(f <= 1e-14 && residual <= 1e-9, "{message}");
            assert!(!holds_velocity(&method) || rate <= 1e-12, "{message}");
        }
    }
}

#[test]
fn a_hinge_along_an_axis_of_space_holds_in_every_method() {
    holds_in("hinge", HINGE, 100);
}

#[test]
fn methods_agree_on_a_hinge_along_an_axis_of_space() {
    let scene = scene("hinge", HINGE, &[]);
    let span = 0.5;
    let exact = state_after(&scene, &mut *stepper(&scene, &method("galerkin degree=3")), span, 50);
    let finer = state_after(&scene, &mut *stepper(&scene, &method("galerkin degree=3")), span, 100);
    assert!(distance(&exact, &finer) < 1e-10, "{:e}", distance(&exact, &finer));
    for name in ["verlet", "midpoint", "newmark", "gvi", "cva", "pem tolerance=1e-15"] {
        let error =
            |steps: u64| distance(&state_after(&scene, &mut *stepper(&scene, &method(name)), span, steps), &exact);
        let errors = [error(50), error(100), error(200)];
        println!("{name}: {errors:.2?}");
        for pair in errors.windows(2) {
            let slope = (pair[0] / pair[1]).log2();
            assert!((slope - 2.0).abs() < 0.1, "{name}: {errors:?}");
        }
    }
}

/// Rows over coordinates that start at zero, with what potential and velocity do to them.
fn rows(n: usize, rows: &str, potential: &str, q: &str, v: &str) -> String {
    let names: Vec<String> = ["x", "y", "z", "w"][..n].iter().map(|name| format!("'{name}'")).collect();
    format!(
        "[lagrangian]\ncoordinates = [{}]\nmass = [{}]\npotential = '{potential}'\nequalities = [{rows}]\n\
         [initial]\nq = {q}\nv = {v}\n[method]\nname = 'verlet'\n[run]\nstep = 0.125\nsteps = 10\n",
        names.join(", "),
        ["1.0", "2.0", "0.5", "3.0"][..n].join(", "),
    )
}

#[test]
fn rows_at_the_origin_hold_at_rest() {
    let zero = "[0.0, 0.0, 0.0]";
    holds_in("still", &rows(3, "'y', 'x - z'", "0.0", zero, zero), 50);
    // Nothing but the impulses of other rows ever acts on some of the coordinates.
    holds_in("hanging", &rows(3, "'y - x', 'z - y'", "9.81*x", zero, zero), 50);
    holds_in("pressed", &rows(3, "'y', 'z - y'", "9.81*y + z", zero, zero), 50);
}

#[test]
fn rows_at_the_origin_hold_while_it_is_passed() {
    // x − y through zero at a node, exactly; z stays there.
    let through = rows(3, "'x - y', 'z'", "0.0", "[-1.0, -1.0, 0.0]", "[1.0, 1.0, 0.0]");
    holds_in("through", &through, 20);
    // The same with forces: z is pushed by products of what vanishes.
    let pushed = rows(3, "'x - y', 'z + 0.3*x*z'", "0.3*x^2 + 2*z*y", "[-1.0, -1.0, 0.0]", "[1.0, 1.0, 0.0]");
    holds_in("pushed", &pushed, 40);
    // Some rows vanish and others do not: a pendulum in a plane, and one beside it.
    let beside = rows(
        4,
        "'x^2 + y^2 + z^2 - 1', 'z*(1 + x)', 'w - z'",
        "9.81*y",
        "[0.6, -0.8, 0.0, 0.0]",
        "[0.4, 0.3, 0.0, 0.0]",
    );
    holds_in("beside", &beside, 200);
    // A row that no longer vanishes once it moves.
    let moved = rows(3, "'z - t^2', 'x - y'", "0.0", "[0.0, 0.0, 0.0]", "[0.0, 0.0, 0.0]");
    holds_in("moved", &moved, 20);
}

/// A body of three directors that turns about an axis of space: products of axes at right angles are products of zeros.
#[test]
fn frames_along_the_axes_of_space_hold() {
    let frame = |spin: &str| {
        format!(
            r#"
[lagrangian]
coordinates = ["ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"]
mass = [0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.8, 0.8, 0.8]
potential = 0.0
equalities = [
  "ax^2 + ay^2 + az^2 - 1", "bx^2 + by^2 + bz^2 - 1", "cx^2 + cy^2 + cz^2 - 1",
  "ax*bx + ay*by + az*bz", "bx*cx + by*cy + bz*cz", "cx*ax + cy*ay + cz*az",
]
[initial]
q = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]
v = {spin}
[method]
name = "verlet"
[run]
step = 0.02
steps = 100
"#
        )
    };
    holds_in("resting frame", &frame("[0, 0, 0, 0, 0, 0, 0, 0, 0]"), 20);
    holds_in("turning frame", &frame("[0, 1.5, 0, -1.5, 0, 0, 0, 0, 0]"), 200);
    // About the middle axis, off it by round-off only.
    holds_in("tumbling frame", &frame("[0, 1e-16, -1.5, -1e-16, 0, 1e-17, 1.5, -1e-17, 0]"), 200);
}

/// The round-off of these rows comes from their constants: the coordinates that they are made of are zero, or pass it.
#[test]
fn rows_with_constants_hold_at_the_origin() {
    let circle = rows(2, "'(x + 1)^2 + y^2 - 1'", "9.81*x", "[0.0, 0.0]", "[0.0, 1.0]");
    holds_in("circle", &circle, 50);
    let distance = rows(2, "'hypot(x + 1, y) - 1'", "0.0", "[0.0, 0.0]", "[0.0, 1.0]");
    holds_in("distance", &distance, 50);
    let thirds =
        rows(2, "'0.3 + x - 0.1 - 0.2'", "9.81*x + 0.1*x*y", "[2.7755575615628914e-17, 0.0]", "[0.0, 1.0]");
    holds_in("thirds", &thirds, 50);
    let rod = "[[particle]]\nmass = 1.0\nposition = [0.0, 0.0]\nvelocity = [1.0, 0.0]\n[[field]]\ngravity = [0.0, -9.81]\n\
               [[rod]]\nbetween = [0, [0.0, 1.0]]\n[method]\nname = 'verlet'\n[run]\nstep = 0.01\nsteps = 10\n";
    holds_in("rod", rod, 50);
}

/// The same of contacts: a bead that slides through the lowest point of a round bowl, the origin, and one that rests there.
#[test]
fn contacts_hold_at_the_origin() {
    for speed in [0.0, 1.0] {
        let bowl = format!(
            "[[particle]]\nmass = 1.0\nposition = [0.0, 0.0]\nvelocity = [{speed:?}, 0.0]\n[[field]]\ngravity = [0.0, -9.81]\n\
             [[ball]]\ncentre = [0.0, 1.0]\nradius = 1.0\nside = 'inside'\nrestitution = 0.0\n[method]\nname = 'gvi'\n\
             [run]\nstep = 0.01\nsteps = 10\n"
        );
        let curve = rows(2, "", "9.81*y", "[0.0, 0.0]", &format!("[{speed:?}, 0.0]"))
            .replace(
                "equalities = []",
                "inequalities = [{ expression = 'y - (x + 1)^2 + 2*x + 1', restitution = 0.0 }]",
            )
            .replace("verlet", "gvi");
        for (name, text) in [("bowl", bowl), ("curve", curve)] {
            let scene = scene(name, &text, &[]);
            for name in ["gvi", "gvi rule=midpoint", "cva", "cva rule=midpoint", "vci", "direct"] {
                for h in [0.01, 1e-4, 1e-6] {
                    let (outcome, summary) = measured(&scene, &method(name), h, 50);
                    let message = format!("{name} on {}, speed {speed}, h = {h}", scene.name);
                    assert_eq!(outcome.ended, None, "{message}");
                    let (depth, residual) = (summary.max_penetration.expect("a gap"), summary.worst_residual);
                    assert!(depth <= 1e-14 && residual <= 1e-9, "{message}: {depth:e}, {residual:e}");
                }
            }
        }
    }
}
