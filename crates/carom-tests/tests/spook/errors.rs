//! What cannot be solved is an error with numbers; what is beyond a bound is a warning.

use carom::error::{Failure, Unsolved};
use carom_tests::runs::{built_in, method, scene, stepper};

#[test]
fn dependent_rows_without_compliance_are_refused_by_name_and_pass_with_it() {
    let scene = built_in("slider-crank", &["parameters.theta0='pi/2'"]);
    let start = scene.problem.initial.clone();
    let mut state = start.clone();
    let mut hard = stepper(&scene, &method("spook compliance=0.0"));
    let error = hard.step(&*scene.problem.system, &mut state, 1.0 / 60.0).expect_err("rank 4 of 5");
    assert!(matches!(error.failure, Failure::Redundant { .. }), "{error}");
    assert_eq!(state, start);
    assert!(error.to_string().contains("depends on the constraints before it"), "{error}");
    let mut soft = stepper(&scene, &method("spook"));
    soft.step(&*scene.problem.system, &mut state, 1.0 / 60.0).expect("compliance tells the rows apart");
}

#[test]
fn sweeps_that_do_not_reach_a_tolerance_that_was_asked_for_are_an_error() {
    let scene = built_in("heavy-chain", &[]);
    let start = scene.problem.initial.clone();
    let mut state = start.clone();
    let mut strict = stepper(&scene, &method("spook solver=pgs, sweeps=10, tolerance=1e-6"));
    let error = strict.step(&*scene.problem.system, &mut state, 1.0 / 60.0).expect_err("ten sweeps are too few");
    let Failure::Unsolved(unsolved) = &error.failure else { panic!("{error}") };
    let Unsolved { residual, iterations, tolerance, .. } = &**unsolved;
    assert!(*residual > 1e-6 && *iterations == 10 && *tolerance == 1e-6, "{error}");
    assert_eq!(state, start);
    // Without one, what they left is taken and told.
    let mut loose = stepper(&scene, &method("spook solver=pgs, sweeps=10"));
    let report = loose.step(&*scene.problem.system, &mut state, 1.0 / 60.0).expect("taken as it is");
    assert!(report.residual > 1e-6, "{report:?}");
}

#[test]
fn numbers_that_are_not_finite_end_the_step() {
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 1.0\npotential = 'sqrt(x)*3 + 10*x'\n[initial]\nq = [0.1]\n[method]\nname = 'spook'\n\
                [run]\nstep = 0.1\nsteps = 20\n";
    let scene = scene("edge", text, &[]);
    let (mut stepper, mut state) = (stepper(&scene, &scene.method), scene.problem.initial.clone());
    let error = (0..20).find_map(|_| {
        let before = state.clone();
        let failed = stepper.step(&*scene.problem.system, &mut state, 0.1).err();
        failed.inspect(|_| assert_eq!(state, before))
    });
    let error = error.expect("it falls off the edge of its potential");
    assert!(matches!(error.failure, Failure::NonFinite { .. }), "{error}");
}

#[test]
fn parameters_beyond_their_bounds_are_taken_with_a_warning_that_names_the_bound() {
    let warned = |edits: &[&str]| {
        let scene = built_in("heavy-chain", edits);
        let problem = &scene.problem;
        scene.method.warnings(&*problem.system, &problem.initial, scene.run.h)
    };
    assert!(warned(&[]).is_empty(), "{:?}", warned(&[]));
    let hard = warned(&["method.compliance=0.0", "method.damping=0.0"]);
    assert!(hard.iter().any(|warning| warning.contains("both 0") && warning.contains("19 more")), "{hard:?}");
    let stiff = warned(&["method.compliance=1e-16"]);
    assert!(stiff.iter().any(|warning| warning.contains("below the bound 1e-8")), "{stiff:?}");
    let fed_back = warned(&["method.solver=pgs", "method.sweeps=5", "method.warm=1.0"]);
    assert!(fed_back.iter().any(|warning| warning.contains("damping_steps >= 10")), "{fed_back:?}");
}

#[test]
fn options_out_of_their_ranges_are_named() {
    use carom::method::AnyMethod;
    let wrong = [
        ("compliance", "compliance = -1.0"),
        ("damping", "damping = -1.0"),
        ("restitution", "restitution = 1.5"),
        ("warm", "warm = 2.0"),
        ("tolerance", "tolerance = 0.0"),
        ("sweeps", "sweeps = 0"),
        ("friction", "friction = 1e7"),
        ("sweeps", "sweeps = 5"),
        ("couplings", "couplings = 9\nsolver = 'pgs'"),
        ("friction_law", "friction_law = 'polygon'\nsolver = 'pgs'"),
    ];
    let spook = AnyMethod::named("spook").expect("known");
    for (key, options) in wrong {
        let json = options.lines().map(|line| {
            let (key, value) = line.split_once(" = ").expect("a key and a value");
            format!("\"{key}\": {}", value.replace('\'', "\""))
        });
        let json = format!("{{{}}}", json.collect::<Vec<_>>().join(", "));
        let method = spook.with_options(&mut serde_json::Deserializer::from_str(&json)).expect("a known option");
        assert_eq!(method.check().expect_err(options).0, key);
    }
}

/// After an impact a step can have nothing to solve: what no impulses leave is round-off, and no solver is asked to reduce it.
#[test]
fn bodies_of_rods_fall_bounce_and_rest() {
    let text = "[[particle]]\nmass = 1.0\nradius = 0.1\nposition = [0.0, 1.0]\n[[particle]]\nmass = 1.0\nradius = 0.1\nposition = [0.5, 1.1]\n\
                [[particle]]\nmass = 1.0\nradius = 0.1\nposition = [0.2, 1.5]\n[[rod]]\nbetween = [0, 1]\n[[rod]]\nbetween = [1, 2]\n\
                [[rod]]\nbetween = [0, 2]\n[[field]]\ngravity = [0.0, -9.81]\n[[wall]]\nnormal = [0.0, 1.0]\nrestitution = 0.5\nfriction = 0.4\n\
                [method]\nname = 'spook'\n[run]\nstep = 0.01\nuntil = 5.0\n";
    for edits in [&[][..], &["method.friction=0.0"], &["method.solver=newton"], &["method.friction_law=box"]] {
        let scene = scene("triangle", text, edits);
        let (outcome, summary, ledger) = crate::run(&scene, &mut |_| {});
        assert_eq!(outcome.ended, None, "{edits:?}");
        assert!(summary.impacts.expect("contacts") > 2, "{edits:?}");
        let (found, expected) =
            (summary.max_equality.expect("rods"), summary.expected_equality.expect("regularised"));
        assert!(found < 2.0 * expected, "{edits:?}: {found:e}, expected {expected:e}");
        let energy = summary.energy.expect("looked at");
        assert!(energy.max - energy.initial < 1e-6 * energy.initial, "{edits:?}: {energy:?}");
        assert!(ledger.error_max < 5e-3 * energy.initial, "{edits:?}: {:e}", ledger.error_max);
    }
}

#[test]
fn a_step_of_the_nonlinear_equations_that_diverges_is_an_error_as_often_as_it_is_asked_for() {
    let scene = built_in("pendulum-penalty", &["parameters.angle=0", "parameters.g=0", "initial.v={ x = 200.0 }"]);
    let start = scene.problem.initial.clone();
    let mut state = start.clone();
    let mut stepper = stepper(&scene, &method("spook equations=nonlinear"));
    for attempt in 0..3 {
        let error = stepper.step(&*scene.problem.system, &mut state, scene.run.h);
        assert!(error.is_err(), "attempt {attempt}");
        assert_eq!(state, start);
    }
}
