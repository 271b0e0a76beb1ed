//! Motion with contacts.

use carom_io::scene::{BuiltIn, Scene};
use carom_tests::runs::{advance, built_in, measured, method, scene, slopes, stepper};

#[test]
fn direct_contacts_at_the_end_of_steps_lose_energy_and_angular_momentum_of_the_spring_and_sphere() {
    let scene = built_in("spring-sphere", &[]);
    let (outcome, summary) = measured(&scene, &method("direct"), 0.5, 200);
    let energy = summary.energy.expect("looked at");
    let spin = |q: &[f64], p: &[f64]| -> f64 {
        q.chunks_exact(2).zip(p.chunks_exact(2)).map(|(x, p)| x[0] * p[1] - x[1] * p[0]).sum()
    };
    let ends = [&scene.problem.initial, &outcome.state].map(|state| spin(&state.q, &state.p));
    println!("energy {} to {}, angular momentum {ends:?}", energy.initial, energy.last);
    assert!((energy.initial - 6.0).abs() < 1e-12 && (energy.last - 4.02).abs() < 0.005, "{energy:?}");
    assert!((ends[0] - 10.0).abs() < 1e-12 && (ends[1] - 0.14).abs() < 0.005, "{ends:?}");
}

#[test]
fn the_speed_of_a_direct_contact_is_not_projected() {
    // A step from the ground with p > 0 that ends on it again: what comes down goes on as fast as it went up.
    let scene = built_in("point-mass", &["initial.q={ q = 0.0 }", "initial.v={ q = 0.4 }"]);
    let mut state = scene.problem.initial.clone();
    advance(&scene, &mut *stepper(&scene, &method("direct")), &mut state, 0.1, 1);
    println!("{state:?}");
    assert!(state.q[0].abs() < 1e-15 && (state.p[0] + 0.4).abs() < 1e-14, "{state:?}");
}

#[test]
fn cva_on_the_disk_errs_twenty_times_less_than_vci_and_does_not_drift() {
    let scene = built_in("disk-billiard", &[]);
    let run = |name: &str| {
        let (outcome, summary) = measured(&scene, &method(name), 0.01, 200_000);
        assert_eq!(outcome.ended, None, "{name}");
        (summary.energy.expect("looked at"), summary.energy_trend().expect("many steps"))
    };
    let ((vci, _), (cva, trend)) = (run("vci"), run("cva"));
    let ratio = (vci.max - vci.min) / (cva.max - cva.min);
    println!("ratio of the ranges {ratio:.1}, slope of cva {trend:?}");
    assert!((18.0..30.0).contains(&ratio), "{ratio}");
    assert!(trend.slope.abs() <= 3.0 * trend.error.expect("many steps"), "{trend:?}");
}

/// What impacts make of velocities that are half a step old.
#[test]
fn spook_gains_energy_where_stiff_forces_pull_bodies_away_from_what_they_hit() {
    let scene = built_in("disk-billiard", &[]);
    let (outcome, summary) = measured(&scene, &method("spook"), 0.01, 20_000);
    assert_eq!(outcome.ended, None);
    let energy = summary.energy.expect("looked at");
    assert!(energy.max > 1000.0 * energy.initial, "{energy:?}");
    // Half the step has less of it, and methods that know the time of an impact or turn velocities at nodes have none.
    for name in ["gvi", "vci", "cva"] {
        let (_, summary) = measured(&scene, &method(name), 0.01, 20_000);
        let energy = summary.energy.expect("looked at");
        assert!(energy.max - energy.min < 0.02 * energy.initial, "{name}: {energy:?}");
    }
}

/// Two discs that rub past each other.
const RUB: &str = r#"
[[particle]]
mass = 1.0
radius = 0.5
position = [-1.0, 0.3]
velocity = [1.0, 0.0]
[[particle]]
mass = 2.0
radius = 0.5
position = [1.0, 0.0]
velocity = [-1.0, 0.1]
[[contact]]
restitution = 0.5
friction = 0.4
[method]
name = "cva"
[run]
step = 0.03
until = 3.0
"#;

#[test]
fn friction_between_particles_keeps_linear_momentum_and_not_angular() {
    for name in ["cva", "vci", "spook"] {
        let run = |friction: &str| {
            let scene = scene("rub", &RUB.replace("0.4", friction), &[]);
            let mut state = scene.problem.initial.clone();
            let sums = |state: &carom::state::State| {
                let (q, p) = (&state.q, &state.p);
                [p[0] + p[2], p[1] + p[3], q[0] * p[1] - q[1] * p[0] + q[2] * p[3] - q[3] * p[2]]
            };
            let before = sums(&state);
            advance(&scene, &mut *stepper(&scene, &method(name)), &mut state, 0.03, 100);
            let after = sums(&state);
            [0, 1, 2].map(|k| (after[k] - before[k]).abs())
        };
        let ([x, y, spin], [.., smooth]) = (run("0.4"), run("0.0"));
        println!("{name}: {x:.1e} {y:.1e}, angular {spin:.2e}, without friction {smooth:.1e}");
        assert!(x < 1e-13 && y < 1e-13 && spin > 1e-2 && smooth < 1e-12, "{name}");
    }
}

/// A particle that slides on a floor and turns, beside what is put into the scene.
fn floor(coordinates: &str, more: &str, start: &str) -> Scene {
    let text = format!(
        "[lagrangian]\ncoordinates = [{coordinates}]\npotential = '9.81*z + 2*y'\n{more}\n\
         inequalities = [{{ expression = 'z', restitution = 0, friction = 0.3, slide = ['x', 'y'], unit = 'length' }}]\n\
         [initial]\n{start}\n[method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1\n"
    );
    scene("floor", &text, &[])
}

/// Where friction and the normal force of a leg are found in turns.
#[test]
fn sliding_that_turns_beside_other_rules_drag_masses_and_constraints_is_of_first_order() {
    let (three, start) = ("'x', 'y', 'z'", "q = [0, 0, 0]\nv = [2, 0, 0]");
    let plain = floor(three, "mass = 1.0", start);
    let drag = floor(three, "mass = 1.0\nforces = { x = '-0.1*dot(x)' }", start);
    let kinetic = "kinetic = '0.5*(dot(x)^2 + dot(y)^2 + dot(z)^2) + 0.5*(1 + 0.2*w^2)*dot(w)^2'";
    let mass = floor("'x', 'y', 'z', 'w'", kinetic, "q = [0, 0, 0, 1]\nv = [2, 0, 0, 0.5]");
    let bead = "q = [0, 0, 0, 1, 0]\nv = [2, 0, 0, 0, 0.5]";
    let held = floor("'x', 'y', 'z', 'u', 'w'", "mass = 1.0\nequalities = ['hypot(u, w) - 1']", bead);
    for (what, scene, name, order) in [
        ("plain", &plain, "cva", 2),
        ("plain", &plain, "vci rule=gamma", 1),
        ("plain", &plain, "cva rule=midpoint", 1),
        ("drag", &drag, "cva", 1),
        ("M(q)", &mass, "cva", 1),
        ("equality", &held, "cva", 1),
    ] {
        let (_, slopes) = slopes(scene, &|| stepper(scene, &method(name)), 0.5, 40, order);
        println!("{what}, {name}: {slopes:.3?}");
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        assert!((last - f64::from(order)).abs() < 0.15, "{what}, {name}: {slopes:?}");
    }
}

#[test]
fn geometric_stiffness_breaks_on_a_chain_that_starts_with_kinks() {
    // Links turned by ±kink from the straight line: nodes are off it by one link's part where i is even.
    let place = |i: &str| {
        let off = format!("0.5*(1 + cos(pi*{i}))*sin(kink)");
        let (x, y) = (
            format!("length*(({i} + 1)*sin(angle)*cos(kink) + {off}*cos(angle))"),
            format!("-length*(({i} + 1)*cos(angle)*cos(kink) - {off}*sin(angle))"),
        );
        format!("position = [\"{x}\", \"{y}\"]")
    };
    let text = BuiltIn::named("heavy-chain").expect("a scene").text;
    let straight =
        ["(i + 1)", "links"].map(|s| format!("position = [\"length*{s}*sin(angle)\", \"-length*{s}*cos(angle)\"]"));
    assert!(straight.iter().all(|line| text.contains(line)));
    let text = text.replace(&straight[0], &place("i")).replace(&straight[1], &place("(links - 1)"));
    let text = text.replace("g = 9.81\n", "g = 9.81\nkink = 0.0\n");
    for (kink, holds) in [("0.0", true), ("0.01", false), ("0.05", false)] {
        let edits = [
            "parameters.angle=30*pi/180",
            &format!("parameters.kink={kink}"),
            "method.stiffness=geometric",
            "run.until=10",
        ];
        let scene = scene("kinked", &text, &edits);
        let (_, summary) = measured(&scene, &scene.method, scene.run.h, scene.run.steps);
        let longest = summary.max_equality.expect("rods");
        println!("kinks of {kink}: rods off by {longest:.1e} m");
        assert!(if holds { longest < 2e-3 } else { longest > 0.1 }, "kink {kink}: {longest:e}");
    }
}
