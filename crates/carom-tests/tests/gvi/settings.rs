//! Contacts in settings of their own: bodies that fall together, curved coordinates, constraints that move.

use carom_tests::runs::scene;

use crate::rest::PILE;
use crate::{accounts, run};

/// Two balls that fall together and meet slowly.
const FALLING: &str = r#"
[parameters]
g = 9.8
[[particle]]
mass = 1.0
radius = 0.5
position = [0.0, 0.0]
velocity = [0.0, 0.3]
[[particle]]
mass = 1.0
radius = 0.5
position = [0.0, 1.1]
[[field]]
gravity = [0.0, "-g"]
[[contact]]
restitution = 0.5
[method]
name = "gvi"
[run]
step = 0.01
until = 2.0
"#;

#[test]
fn what_falls_together_bounces_as_if_there_were_no_gravity() {
    for g in ["0.0", "9.8"] {
        let edit = format!("parameters.g={g}");
        let mut speed = 0.0;
        let summary = run(&scene("falling", FALLING, &[&edit]), &mut |frame| speed = frame.v[3] - frame.v[1]);
        assert_eq!((summary.impacts, summary.captured), (Some(1), 0), "g = {g}");
        assert!((speed - 0.15).abs() < 1e-12, "{speed}");
    }
}

#[test]
fn a_pile_at_rest_has_no_impacts() {
    let scene = scene("pile", PILE, &["run.until=30"]);
    let (mut late, mut captured) = (0, 0);
    let (summary, ledger) = accounts(&scene, &mut |frame| {
        if frame.state.t > 20.0 {
            late += frame.report.impacts;
            captured += frame.report.captured;
        }
    });
    println!("{late} late impacts, worst residual {:.1e}, {:?}", summary.worst_residual, ledger.sources);
    assert_eq!((late, captured), (0, 0));
    assert!(summary.worst_residual < 1e-9);
}

/// A bead that falls onto the ground, in Cartesian coordinates.
const CARTESIAN: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
kinetic = "0.5*dot(x)^2 + 0.5*dot(y)^2"
potential = "9.8*y"
inequalities = { name = "ground", expression = "y - 0.5", restitution = 0.25 }
[initial]
q = [0.3, 1.2]
v = [0.4, 0.0]
[method]
name = "gvi"
rule = "midpoint"
[run]
step = 5e-4
until = 1.2
"#;

/// The same in polar ones: the mass depends on the configuration.
const POLAR: &str = r#"
[lagrangian]
coordinates = ["r", "phi"]
kinetic = "0.5*dot(r)^2 + 0.5*r^2*dot(phi)^2"
potential = "9.8*r*sin(phi)"
inequalities = { name = "ground", expression = "r*sin(phi) - 0.5", restitution = 0.25 }
[initial]
q = ["hypot(0.3, 1.2)", "atan2(1.2, 0.3)"]
v = ["0.4*0.3/hypot(0.3, 1.2)", "-0.4*1.2/(0.3^2 + 1.2^2)"]
[method]
name = "gvi"
rule = "midpoint"
[run]
step = 5e-4
until = 1.2
"#;

#[test]
fn contacts_do_not_hang_on_the_coordinates() {
    let mut place = [[0.0; 2]; 2];
    let one =
        run(&scene("cartesian", CARTESIAN, &[]), &mut |frame| place[0] = [frame.state.q[0], frame.state.q[1]]);
    let other = run(&scene("polar", POLAR, &[]), &mut |frame| {
        let (r, phi) = (frame.state.q[0], frame.state.q[1]);
        place[1] = [r * phi.cos(), r * phi.sin()];
    });
    println!(
        "{place:?}, impacts {:?} {:?}, captured {} {}",
        one.impacts, other.impacts, one.captured, other.captured
    );
    assert_eq!((one.impacts, one.captured), (other.impacts, other.captured));
    assert!((place[0][0] - place[1][0]).abs() < 2e-3 && (place[0][1] - place[1][1]).abs() < 1e-6);
}

/// A bead that a moving constraint carries up a slope.
const CARRIED: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = "9.8*y"
equalities = ["x - t - 1"]
inequalities = { name = "slope", expression = "y - x/2" }
[initial]
q = [1.0, 1.0]
v = [1.0, 0.0]
[method]
name = "gvi"
[run]
step = 0.005
until = 3.0
"#;

#[test]
fn contacts_and_constraints_that_move_work_together() {
    for rule in ["verlet", "midpoint"] {
        let edits = [format!("method.rule={rule}"), "method.restitution=0.5".to_string()];
        let elastic = run(&scene("carried", CARRIED, &[&edits[0]]), &mut |_| {});
        assert!(elastic.max_penetration.expect("a slope") < 0.02 && elastic.impacts > Some(3), "{rule}");
        // With losses it comes to rest on the slope, that is, moves along it.
        let mut last = [0.0; 2];
        let lossy = scene("carried", CARRIED, &[&edits[0], &edits[1]]);
        let summary = run(&lossy, &mut |frame| last = [frame.gap[0], frame.v[1]]);
        println!("{rule}: {last:?}, {:?} impacts, {} captured", summary.impacts, summary.captured);
        assert!(last[0].abs() < 1e-12 && (last[1] - 0.5).abs() < 1e-12, "{rule}: {last:?}");
    }
}
