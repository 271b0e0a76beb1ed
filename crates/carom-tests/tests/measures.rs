//! Measures on demand: the accounts of energy close, constraint forces are forces, probes see what methods claim.

use std::sync::atomic::AtomicBool;

use carom::lagrangian::expressed::Expressed;
use carom::measures::{Ledger, Probe, Summary};
use carom::observe::{Frame, Observer};
use carom::run::{Grid, Run};
use carom::system::System;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, method, scene, stepper};

/// Keeps accounts and hands every frame on.
struct Accounts<'a, F> {
    scene: &'a Scene,
    ledger: Ledger,
    look: F,
}

impl<F: FnMut(&Frame)> Observer for Accounts<'_, F> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.ledger.enter(&*self.scene.problem.system, frame);
        (self.look)(frame);
        Ok(())
    }
}

/// Runs a scene with a method to a time.
fn run(scene: &Scene, name: &str, h: f64, until: f64, look: impl FnMut(&Frame)) -> Ledger {
    let (problem, method) = (&scene.problem, method(name));
    let mut accounts = Accounts { scene, ledger: Ledger::of(&scene.method, &*problem.system), look };
    let mut stepper = stepper(scene, &method);
    let grid = Grid { t0: problem.initial.t, h, steps: (until / h).round() as u64 };
    let on_failure = scene.run.on_failure;
    let run = Run { system: &*problem.system, stepper: &mut *stepper, grid, on_failure };
    let outcome = run.go(problem.initial.clone(), &mut [&mut accounts], &AtomicBool::new(false));
    assert_eq!(outcome.ended, None, "{}", scene.name);
    accounts.ledger
}

/// Slopes between errors at steps that are halved.
fn slopes(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

/// A pendulum whose pivot is shaken, as a point on a rod.
const SHAKEN: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1
potential = "y"
equalities = { name = "rod", expression = "sqrt((x - 0.3*sin(2*t))^2 + y^2) - 1" }
[initial]
q = { x = "sin(0.7)", y = "-cos(0.7)" }
v = { x = 0.6, y = 0.0 }
[method]
name = "verlet"
[run]
step = 0.01
steps = 1
"#;

/// A swing whose gravity changes.
const PULSED: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = [1, 2]
potential = "(1 + 0.5*sin(3*t))*(0.5*x^2 + 0.25*x^4 + y^2 + 0.1*x*y)"
[initial]
q = { x = 0.8, y = -0.4 }
[method]
name = "verlet"
[run]
step = 0.01
steps = 1
"#;

#[test]
fn the_accounts_close_up_to_the_integrators_error() {
    let cases = [
        (built_in("driven-pendulum", &[]), vec!["drag", "drive"]),
        (scene("shaken", SHAKEN, &[]), vec!["moving constraints"]),
        (scene("pulsed", PULSED, &[]), vec!["time-dependent potential"]),
    ];
    for (scene, sources) in &cases {
        // The rule with its node at the start has order 1: a control for what is measured.
        for (name, order) in
            [("verlet", 2.0), ("midpoint", 2.0), ("newmark", 2.0), ("variational rule='gamma', gamma=0.0", 1.0)]
        {
            let errors = [0.04, 0.02, 0.01, 0.005].map(|h| {
                let ledger = run(scene, name, h, 8.0, |_| ());
                assert_eq!(ledger.sources.iter().map(|source| &source.name).collect::<Vec<_>>(), *sources);
                // Every source moved more energy than the error.
                assert!(ledger.sources.iter().all(|source| source.entered + source.left > 0.1), "{ledger:?}");
                ledger.error_max
            });
            println!("{}, {name}: unexplained {errors:?}, slopes {:.3?}", scene.name, slopes(&errors));
            let last = slopes(&errors)[2];
            assert!((last - order).abs() < 0.1, "{}, {name}: {last}", scene.name);
        }
    }
}

#[test]
fn what_moving_constraints_do_in_energy_momentum_steps_is_in_the_accounts() {
    let ledger = run(&scene("shaken", SHAKEN, &[]), "pem", 0.01, 8.0, |_| ());
    let moved = ledger.sources[0].entered + ledger.sources[0].left;
    assert!(moved > 1.0 && ledger.error_max < 1e-3 * moved, "{ledger:?}");
}

#[test]
fn what_no_account_knows_of_is_not_explained() {
    // The same pendulum whose accounts are not told of its drag: they must not close at any step.
    let scene = built_in("driven-pendulum", &[]);
    let mut definition = scene.definition.clone().expect("of expressions");
    definition.powers.retain(|term| term.name != "drag");
    let blind = Expressed::new(definition).expect("right");
    for h in [0.02, 0.01, 0.005] {
        let [told, blind] = [&*scene.problem.system, &blind].map(|system: &dyn System| {
            let mut accounts = Ledger::new(system, &[], false);
            run(&scene, "midpoint", h, 8.0, |frame| accounts.enter(system, frame));
            accounts.error().abs()
        });
        assert!(told < 1e-3 && blind > 1.0, "{told:e} {blind:e}");
    }
}

#[test]
fn an_isolated_system_has_only_an_error() {
    let scene = built_in("kepler", &[]);
    let mut summary = Summary::new(&scene.problem);
    let ledger = run(&scene, "verlet", 0.01, 10.0, |frame| summary.observe(frame).expect("it never fails"));
    assert!(!ledger.is_open());
    let energy = summary.energy.expect("seen");
    assert_eq!(ledger.error(), energy.last - energy.initial);
    assert_eq!(ledger.error_max, (energy.max - energy.initial).max(energy.initial - energy.min));
}

#[test]
fn constraint_forces_are_those_of_newtons_law() {
    // The pull of a rod on a pendulum: m (v²/l + g cos θ), in the middle of a step from the mean of its ends.
    let scene = built_in("pendulum-cartesian", &[]);
    let system = &*scene.problem.system;
    let mass = match system.mass() {
        carom::system::Mass::Diagonal(mass) => mass[0],
        _ => panic!("a point mass"),
    };
    for name in ["verlet", "midpoint", "newmark"] {
        let errors = [0.04, 0.02, 0.01, 0.005].map(|h| {
            let (mut before, mut worst) = (None::<f64>, 0.0_f64);
            run(&scene, name, h, 2.0, |frame| {
                let (q, v, mut gradient) = (&frame.state.q, frame.v, [0.0; 2]);
                system.potential_gradient(0.0, q, &mut gradient);
                let length = q[0].hypot(q[1]);
                let inward = (gradient[0] * q[0] + gradient[1] * q[1]) / length;
                let pull = mass * (v[0] * v[0] + v[1] * v[1]) / length - inward;
                if let Some(before) = before {
                    // The row may be the distance or half its square: its gradient has a length.
                    let mut row = [0.0; 2];
                    system.equalities().jacobian(0.0, q, &mut row);
                    let force = frame.constraint_impulse[0] / h * row[0].hypot(row[1]);
                    worst = worst.max((force - 0.5 * (before + pull)).abs());
                }
                before = Some(pull);
            });
            worst
        });
        println!("{name}: {errors:?}, slopes {:.3?}", slopes(&errors));
        assert!((slopes(&errors)[2] - 2.0).abs() < 0.1, "{name}: {errors:?}");
    }
}

#[test]
fn probes_see_what_methods_claim() {
    // Smooth, with M(q), constrained; newmark takes no M(q).
    for name in ["kepler", "elastic-pendulum", "double-pendulum-rods"] {
        let scene = built_in(name, &[]);
        let mut methods = vec!["verlet", "midpoint", "variational rule='gamma', gamma=0.3"];
        if name == "kepler" {
            methods.extend(["newmark", "newmark gamma=0.7"]);
        }
        for text in methods {
            let method = method(text);
            let mut state = scene.problem.initial.clone();
            let h = scene.run.h;
            let mut stepper = stepper(&scene, &method);
            for _ in 0..50 {
                stepper.step(&*scene.problem.system, &mut state, h).expect("it runs");
            }
            let probe = Probe::new(&*scene.problem.system, &method, h);
            let defect = probe.symplecticity(&state).expect("it runs");
            let [q, p] = probe.reversal(&state).expect("it runs");
            println!("{name}, {text}: symplecticity {defect:.1e}, reversal {q:.1e} {p:.1e}");
            let claims = method.claims();
            if claims.symplectic {
                assert!(defect < 1e-10, "{name}, {text}: {defect:e}");
            } else {
                assert!(defect > 1e-8, "{name}, {text}: {defect:e}");
            }
            if claims.reversible {
                assert!(q.max(p) < 1e-13, "{name}, {text}: {q:e} {p:e}");
            } else {
                assert!(q.max(p) > 1e-8, "{name}, {text}: {q:e} {p:e}");
            }
        }
    }
}

/// Largest change of the momentum of the only declared symmetry, and whether it is one.
fn declared(scene: &Scene, steps: u64) -> (bool, f64) {
    let symmetry = &scene.problem.symmetries[0];
    let mut summary = Summary::new(&scene.problem);
    let mut xi = vec![0.0; scene.problem.system.dim()];
    run(scene, scene.method.name(), scene.run.h, steps as f64 * scene.run.h, |frame| {
        symmetry.field.at(&frame.state.q, &mut xi);
        let momentum = xi.iter().zip(&frame.state.p).fold(0.0, |sum, (xi, p)| sum + xi * p);
        summary.observe_symmetries(frame.step, &[momentum]).expect("a number");
    });
    let change = &summary.symmetries[0];
    println!("{}, {}: holds {}, changes by {:.1e}", scene.name, change.name, change.holds, change.max_change);
    (change.holds, change.max_change)
}

#[test]
fn declared_symmetries_are_told_from_those_that_are_none() {
    let shift = r#"symmetry=[{ name = "shift", generator = { theta = 1 } }]"#;
    let (holds, change) = declared(&built_in("elastic-pendulum", &["parameters.g=0", shift]), 500);
    assert!(holds && change < 1e-13);
    let (holds, change) = declared(&built_in("elastic-pendulum", &[shift]), 500);
    assert!(!holds && change > 1.0);
    // A field that is not linear: a rotation of a plane that is written in other coordinates.
    const SQUARES: &str = r#"
[lagrangian]
coordinates = ["u", "y"]
kinetic = ["2*u^2*dot(u)^2", "0.5*dot(y)^2"]
potential = "0.5*(u^4 + y^2) + 0.1*(u^4 + y^2)^2"
[[symmetry]]
name = "turn"
generator = { u = "-y/(2*u)", y = "u^2" }
[initial]
q = { u = 1.1, y = 0.3 }
v = { u = 0.2, y = 0.9 }
[method]
name = "midpoint"
[run]
step = 0.001
steps = 1
"#;
    // Exact for the system; a method of order 2 is not exact for a momentum that is not quadratic.
    let (holds, change) = declared(&scene("squares", SQUARES, &[]), 200);
    assert!(holds && change < 1e-6);
    // A generator may use definitions.
    let defined = [r#"lagrangian.define={ half = "y/(2*u)" }"#, r#"symmetry.0.generator.u="-half""#];
    assert_eq!(declared(&scene("squares", SQUARES, &defined), 200), (holds, change));
    let turn = r#"symmetry=[{ name = "turn", generator = ["-y", "x", 0] }]"#;
    let (holds, change) = declared(&built_in("planets", &[turn]), 500);
    assert!(holds && change < 1e-15);
    let stretch = r#"symmetry=[{ name = "stretch", generator = ["m*x", "m*y", "m*z"] }]"#;
    let (holds, change) = declared(&built_in("planets", &[stretch]), 500);
    assert!(!holds && change > 1e-12);
}

/// Four Lennard-Jones particles, away from the origin.
const CLUSTER: &str = r#"
[parameters]
away = 0
[[particle]]
name = "a"
mass = 1
position = ["away + 1.1*i", "0.3*i*i"]
velocity = ["0.1*i", "0.2 - 0.1*i"]
repeat = { index = "i", count = 4 }
[[pair]]
lennard_jones = { epsilon = 1, sigma = 1 }
cutoff = 2.5
[method]
name = "verlet"
[run]
step = 0.005
steps = 20
"#;

#[test]
fn the_defect_of_symplecticity_does_not_depend_on_the_origin() {
    for away in ["0", "10", "100", "1000"] {
        let scene = scene("cluster", CLUSTER, &[&format!("parameters.away={away}")]);
        let [verlet, newmark] = ["verlet", "newmark gamma=0.7"].map(|name| {
            let method = method(name);
            let probe = Probe::new(&*scene.problem.system, &method, scene.run.h);
            probe.symplecticity(&scene.problem.initial).expect("it runs")
        });
        println!("{away}: {verlet:.1e} {newmark:.1e}");
        assert!(verlet < 1e-8 && newmark > 1e-6, "{away}: {verlet:e} {newmark:e}");
    }
}

#[test]
fn a_probe_passes_over_lengths_that_leave_the_domain() {
    const EDGE: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1
potential = "y"
equalities = ["y - log(x)"]
[initial]
q = { x = 0.001, y = "log(0.001)" }
[method]
name = "verlet"
[run]
step = 1e-5
steps = 1
"#;
    let scene = scene("edge", EDGE, &[]);
    let probe = Probe::new(&*scene.problem.system, &scene.method, scene.run.h);
    let defect = probe.symplecticity(&scene.problem.initial).expect("some length is short enough");
    println!("edge: {defect:.1e}");
    assert!(defect < 1e-10, "{defect:e}");
}

#[test]
fn a_constraint_may_move_away_from_rest_at_zero() {
    const DRIVEN: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1
potential = "0.5*y^2"
equalities = ["x - t^2"]
[initial]
q = [0, 1]
[method]
name = "verlet"
[run]
step = 0.1
steps = 1
"#;
    let scene = scene("driven", DRIVEN, &[]);
    for name in ["verlet", "midpoint", "newmark", "variational rule='gamma', gamma=0.3"] {
        let mut last = (0.0, 0.0);
        run(&scene, name, 0.1, 1.0, |frame| last = (frame.state.t, frame.state.q[0]));
        assert!((last.1 - last.0 * last.0).abs() < 1e-15, "{name}: {last:?}");
    }
}
