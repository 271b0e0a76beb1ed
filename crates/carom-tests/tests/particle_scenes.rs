//! The built-in scenes of particles against formulas, other implementations and the same systems written in other ways.

use std::f64::consts::{PI, TAU};

use carom::particles::{Link, Particles};
use carom::system::Dynamics;
use carom_io::scene::{BuiltIn, Scene};
use carom_tests::runs::{advance, built_in, measured, method, scene, stepper};

/// The state of `lennard-jones-rods` after 50 steps of 0.01 by another implementation of the same method, made for a chain
/// with contacts: none of them is touched until then.
const Q_50: [f64; 18] = [
    -0.08152336759754072,
    -0.19986368889477013,
    -0.9192660059085167,
    0.789195126075123,
    -0.6808715689435313,
    -0.816890598180859,
    0.3064276113152132,
    0.09387741303012843,
    -0.40860204626773194,
    0.5242104010630859,
    0.3293179253945576,
    0.538571866816454,
    -0.4043523062197459,
    0.5781934562136642,
    0.8139484613249308,
    -1.0875666668289,
    -0.04904674978060231,
    0.44006631219008,
];
const P_50: [f64; 18] = [
    0.793311777337189,
    1.2260790087356268,
    0.6329846267398601,
    0.5653715768292804,
    0.6880161917711985,
    0.0435783598759152,
    -1.3021390484282807,
    -0.42081036549397227,
    -0.06054216154838946,
    0.013923823925699502,
    -1.3765872783914888,
    -0.12556426244813285,
    0.267902870922596,
    -0.6862326115276333,
    0.10692858037185299,
    -0.24558940497199178,
    0.712748628945128,
    -1.301729163042451,
];

#[test]
fn beads_on_rods_are_where_another_implementation_sees_them() {
    let scene = built_in("lennard-jones-rods", &[]);
    let mut state = scene.problem.initial.clone();
    // The energy at the start has the 16 digits of the reference.
    let energy = scene.problem.system.potential(0.0, &state.q) + 0.5 * state.p.iter().map(|p| p * p).sum::<f64>();
    assert!((energy - 3.072748378622065).abs() < 1e-14, "{energy:?}");
    advance(&scene, &mut *stepper(&scene, &scene.method), &mut state, 0.01, 50);
    let pairs = state.q.iter().zip(&Q_50).chain(state.p.iter().zip(&P_50));
    let apart = pairs.fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
    assert!(apart < 1e-10, "{apart:e}");
}

/// The same chain in generalised coordinates; `x`, `y`, `z` are families of their own.
const CHAIN: &str = r#"
[parameters]
epsilon = 1.0
sigma = 0.6
[lagrangian]
coordinates = [
    { name = "x", repeat = { index = "i", count = 6 } },
    { name = "y", repeat = { index = "i", count = 6 } },
    { name = "z", repeat = { index = "i", count = 6 } },
]
mass = 1.0
equalities = [{ expression = "sqrt((x[i + 1] - x[i])^2 + (y[i + 1] - y[i])^2 + (z[i + 1] - z[i])^2) - 1", repeat = { index = "i", count = 5 } }]
[[lagrangian.potential]]
expression = "4*epsilon*((sigma^2/((x[j] - x[i])^2 + (y[j] - y[i])^2 + (z[j] - z[i])^2))^6 - (sigma^2/((x[j] - x[i])^2 + (y[j] - y[i])^2 + (z[j] - z[i])^2))^3)"
repeat = [{ index = "i", count = 5 }, { index = "j", start = "i + 1", count = "5 - i" }]
[method]
name = "verlet"
[run]
step = 2e-3
steps = 100
"#;

/// Coordinates particle by particle as `x…, y…, z…`.
fn by_axis(values: &[f64]) -> Vec<f64> {
    (0..3).flat_map(|axis| values.iter().skip(axis).step_by(3).copied()).collect()
}

#[test]
fn beads_on_rods_move_as_the_same_chain_written_in_expressions() {
    let particles = built_in("lennard-jones-rods", &[]);
    let mut state = particles.problem.initial.clone();
    let text = format!("{CHAIN}[initial]\nq = {:?}\nv = {:?}\n", by_axis(&state.q), by_axis(&state.p));
    let chain = scene("chain", &text, &[]);
    let mut other = chain.problem.initial.clone();
    let (mut step, mut other_step) = (stepper(&particles, &particles.method), stepper(&chain, &chain.method));
    for k in 1..=100 {
        advance(&particles, &mut *step, &mut state, particles.run.h, 1);
        advance(&chain, &mut *other_step, &mut other, chain.run.h, 1);
        let (q, p) = (by_axis(&state.q), by_axis(&state.p));
        let pairs = q.iter().zip(&other.q).chain(p.iter().zip(&other.p));
        let apart = pairs.fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
        assert!(apart < 1e-12, "step {k}: {apart:e}");
    }
    assert!(state.q[0] != particles.problem.initial.q[0]);
}

/// Displacement of the left end of the bar after every step.
fn left_end(scene: &Scene, steps: u64) -> Vec<f64> {
    let (mut state, mut step) = (scene.problem.initial.clone(), stepper(scene, &scene.method));
    let mut out = vec![state.q[0]];
    for _ in 0..steps {
        advance(scene, &mut *step, &mut state, scene.run.h, 1);
        out.push(state.q[0]);
    }
    out
}

#[test]
fn the_bar_has_the_period_of_its_mode() {
    for (n, mode) in [(21, 1), (21, 3), (4, 1), (3, 2)] {
        let sets = [format!("parameters.n={n}"), format!("parameters.mode={mode}")];
        let scene = built_in("elastic-bar", &sets.each_ref().map(String::as_str));
        let (pieces, h) = (f64::from(n - 1), scene.run.h);
        // Stiffness EA/piece and mass of one piece; EA, mass and length are 1.
        let frequency = 2.0 * (pieces * pieces).sqrt() * (0.5 * PI * f64::from(mode) / pieces).sin();
        // A harmonic motion under verlet is harmonic, with this frequency.
        let period = TAU / (2.0 / h * (0.5 * frequency * h).asin());
        let x = left_end(&scene, 20 * 200);
        let crossings: Vec<f64> = (1..x.len())
            .filter(|&k| x[k - 1] > 0.0 && x[k] <= 0.0)
            .map(|k| h * ((k - 1) as f64 + x[k - 1] / (x[k - 1] - x[k])))
            .collect();
        let measured = (crossings[19] - crossings[0]) / 19.0;
        // Linear interpolation puts a zero of a sine off by δ³/(36√3) at most, with the phase δ of a step; two zeros count.
        let tolerance = 2.0 * (frequency * h).powi(3) / (36.0 * 3_f64.sqrt()) / (19.0 * TAU);
        assert!((measured / period - 1.0).abs() < tolerance, "{n} {mode}: {measured} {period} {tolerance:e}");
        // The step's own error of the period is much larger than that and has the predicted sign and size.
        let shift = measured * frequency / TAU - 1.0;
        assert!((shift / (-(frequency * h).powi(2) / 24.0) - 1.0).abs() < 0.01, "{n} {mode}: {shift:e}");
    }
}

#[test]
fn the_bar_tends_to_the_continuous_one() {
    let error = |n: u32| {
        let scene = built_in("elastic-bar", &[&format!("parameters.n={n}")]);
        let (_, period) = scene.parameters.iter().find(|(name, _)| name == "period").expect("a parameter");
        period / 2.0 - 1.0
    };
    let ratio = error(21) / error(41);
    assert!((3.9..4.1).contains(&ratio), "{ratio}");
}

/// Semi-major axes in astronomical units and periods in days, from almanacs.
const ORBITS: [(&str, f64, f64); 5] = [
    ("jupiter", 5.2, 4333.0),
    ("saturn", 9.55, 10759.0),
    ("uranus", 19.2, 30687.0),
    ("neptune", 30.1, 60190.0),
    ("pluto", 39.5, 90560.0),
];

#[test]
fn planets_have_their_orbits() {
    let scene = built_in("planets", &[]);
    let (system, state) = (&scene.problem.system, &scene.problem.initial);
    let carom::system::Mass::Diagonal(mass) = system.mass() else { panic!("particles have a diagonal mass") };
    let mu = 2.95912208286e-4;
    for (i, (name, axis, period)) in (1..).zip(ORBITS) {
        assert_eq!(system.coordinate_name(3 * i), format!("{name}.x"));
        let (mut r2, mut v2) = (0.0, 0.0);
        for k in 3 * i..3 * i + 3 {
            r2 += (state.q[k] - state.q[k - 3 * i]).powi(2);
            v2 += (state.p[k] / mass[k] - state.p[k - 3 * i] / mass[k - 3 * i]).powi(2);
        }
        let mu = mu * (mass[0] + mass[3 * i]);
        let a = 1.0 / (2.0 / r2.sqrt() - v2 / mu);
        assert!((a / axis - 1.0).abs() < 0.02, "{name}: {a}");
        let days = TAU * (a.powi(3) / mu).sqrt();
        assert!((days / period - 1.0).abs() < 0.03, "{name}: {days}");
    }
}

#[test]
fn jupiter_goes_round_in_its_year_and_the_energy_error_is_of_second_order() {
    let scene = built_in("planets", &[]);
    let (mut state, mut step) = (scene.problem.initial.clone(), stepper(&scene, &scene.method));
    let angle = |q: &[f64]| (q[4] - q[1]).atan2(q[3] - q[0]);
    let (mut turned, mut before) = (0.0, angle(&state.q));
    let steps = 2600;
    for _ in 0..steps {
        advance(&scene, &mut *step, &mut state, scene.run.h, 1);
        let now = angle(&state.q);
        turned += (now - before + PI).rem_euclid(TAU) - PI;
        before = now;
    }
    let days = steps as f64 * scene.run.h / (turned / TAU);
    assert!((days / 4333.0 - 1.0).abs() < 5e-3, "{days}");
    let range = |h: f64| {
        let (outcome, summary) = measured(&scene, &scene.method, h, (200_000.0 / h) as u64);
        assert_eq!(outcome.ended, None);
        let energy = summary.energy.expect("looked at");
        assert!(energy.initial < 0.0);
        (energy.max - energy.min) / -energy.initial
    };
    let (coarse, fine) = (range(40.0), range(20.0));
    assert!((3.5..4.5).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
    assert!(fine < 1e-4, "{fine:e}");
}

/// The lattice with its springs added one by one.
fn lattice(rows: usize, columns: usize) -> Particles {
    let mut system = Particles::new(2, vec![1.0; rows * columns]).expect("right");
    let node = |i: usize, j: usize| columns * i + j;
    let mut join = |a: usize, b: usize, stiffness: f64, rest: f64| {
        system.add_spring(Link::between(a, b), stiffness, rest).expect("right");
    };
    let cells = |rows: usize, columns: usize| (0..rows).flat_map(move |i| (0..columns).map(move |j| (i, j)));
    let diagonal = 2_f64.sqrt();
    cells(rows, columns - 1).for_each(|(i, j)| join(node(i, j), node(i, j + 1), 100.0, 1.0));
    cells(rows - 1, columns).for_each(|(i, j)| join(node(i, j), node(i + 1, j), 100.0, 1.0));
    cells(rows - 1, columns - 1).for_each(|(i, j)| join(node(i, j), node(i + 1, j + 1), 50.0, diagonal));
    cells(rows - 1, columns - 1).for_each(|(i, j)| join(node(i, j + 1), node(i + 1, j), 50.0, diagonal));
    system
}

#[test]
fn the_lattice_has_the_springs_that_it_should_have() {
    for (rows, columns) in [(4, 12), (1, 3), (3, 2)] {
        let sets = [format!("parameters.rows={rows}"), format!("parameters.columns={columns}")];
        let scene = built_in("spring-lattice", &sets.each_ref().map(String::as_str));
        let by_hand = lattice(rows, columns);
        assert_eq!(scene.problem.system.dim(), 2 * rows * columns);
        let q: Vec<f64> =
            scene.problem.initial.q.iter().zip(0..).map(|(q, i)| q + 0.1 * f64::from(i).sin()).collect();
        let (mut expected, mut found) = (vec![0.0; q.len()], vec![0.0; q.len()]);
        by_hand.potential_gradient(0.0, &q, &mut expected);
        scene.problem.system.potential_gradient(0.0, &q, &mut found);
        assert_eq!(found, expected, "{rows} by {columns}");
        assert!(found.iter().any(|g| g.abs() > 1.0));
    }
}

#[test]
fn no_start_of_a_particle_scene_is_moved() {
    for name in ["lennard-jones-rods", "spring-lattice", "planets", "elastic-bar"] {
        assert!(BuiltIn::named(name).is_some());
        assert_eq!(built_in(name, &[]).problem.adjustments, [], "{name}");
    }
}

#[test]
fn implicit_steps_converge_where_forces_cancel() {
    // Far from the blow nothing moves but by round-off of springs that pull against each other.
    let blow = r#"particle.0.velocity=[0.0, "speed*exp(-(j/width)^2)"]"#;
    let scene = built_in("spring-lattice", &[blow]);
    for text in ["midpoint", "newmark", "variational rule='gamma', gamma=0.3"] {
        let (outcome, summary) = measured(&scene, &method(text), scene.run.h, 300);
        assert_eq!(outcome.ended, None, "{text}");
        assert!(summary.worst_residual < 1e-13, "{text}: {:e}", summary.worst_residual);
        // Round-off that was accepted as such adds up to no momentum.
        let (_, linear) = summary.linear();
        assert!(linear.expect("conserved") < 1e-12, "{text}: {linear:?}");
    }
}
