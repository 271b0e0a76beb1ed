//! Chains under load: what the stepper can do at 60 Hz and what it cannot.

use carom_tests::runs::{built_in, measured, method, stepper};

use crate::run;

#[test]
fn a_hanging_chain_gives_way_by_compliance_times_force() {
    for compliance in [1e-8, 1e-9] {
        let scene = built_in("heavy-chain", &[&format!("method.compliance={compliance}"), "run.until=10"]);
        let (outcome, summary, _) = run(&scene, &mut |_| {});
        assert_eq!(outcome.ended, None);
        let expected = compliance * 9.81 * 1019.0;
        let found = summary.max_equality.expect("constrained");
        assert!((found - expected).abs() <= 0.05 * expected, "{found:e}, expected {expected:e}");
        // What the report expects is that too, from the forces of the run.
        let told = summary.expected_equality.expect("regularised");
        assert!((told - found).abs() <= 0.1 * found, "{told:e} told, {found:e} found");
    }
}

#[test]
fn a_swinging_chain_with_a_heavy_load_breaks_and_the_report_knows_why() {
    let scene = built_in("heavy-chain", &["parameters.angle=30*pi/180", "run.until=10"]);
    let (_, summary, _) = run(&scene, &mut |_| {});
    assert!(summary.max_equality.expect("constrained") > 0.1, "{:?}", summary.max_equality);
    assert!(summary.lateral.expect("known") > 2.0);
    // The same with a small load is fine: h ω < 2.
    let light =
        built_in("heavy-chain", &["parameters.angle=30*pi/180", "parameters.links=10", "parameters.load=20"]);
    let (_, summary, _) = run(&light, &mut |_| {});
    assert!(summary.max_equality.expect("constrained") < 1e-3);
    assert!(summary.lateral.expect("known") < 2.0, "{:?}", summary.lateral);
}

#[test]
fn geometric_stiffness_holds_a_straight_chain_for_ten_seconds_and_loses_little() {
    let edits =
        ["parameters.angle=30*pi/180", "method.stiffness=geometric", "method.compliance=1e-10", "run.until=10"];
    let scene = built_in("heavy-chain", &edits);
    let (outcome, summary, _) = run(&scene, &mut |_| {});
    assert_eq!(outcome.ended, None);
    assert!(summary.max_equality.expect("constrained") < 2e-3, "{:?}", summary.max_equality);
    // Swing energy: what the load falls by, 1019 kg over 2 m (1 − cos 30°).
    let swing = 9.81 * 1000.0 * 2.0 * (1.0 - 30_f64.to_radians().cos());
    let energy = summary.energy.expect("looked at");
    let change = energy.last - energy.initial;
    assert!(change.abs() < 0.02 * swing, "{change} of {swing}");
    let breaks =
        built_in("heavy-chain", &["parameters.angle=30*pi/180", "method.compliance=1e-10", "run.until=10"]);
    let (_, summary, _) = run(&breaks, &mut |_| {});
    assert!(summary.max_equality.expect("constrained") > 0.1, "control: without it the chain breaks");
}

#[test]
fn geometric_stiffness_of_slack_rods_does_nothing() {
    // A chain in free fall has no tension.
    let edits = ["parameters.g=0", "parameters.angle=30*pi/180", "run.until=1"];
    let scene = built_in("heavy-chain", &edits);
    let plain = measured(&scene, &method("spook"), 1.0 / 60.0, 60).0;
    let stiff = measured(&scene, &method("spook stiffness=geometric"), 1.0 / 60.0, 60).0;
    assert_eq!(plain.state, stiff.state);
}

#[test]
fn a_warm_step_of_a_chain_allocates_nothing() {
    for text in ["spook", "spook hessian=chord", "spook stiffness=geometric", "spook solver=pgs, sweeps=20"] {
        let scene =
            built_in("heavy-chain", &["parameters.links=50", "parameters.angle=5*pi/180", "parameters.load=1"]);
        let (mut stepper, mut state) = (stepper(&scene, &method(text)), scene.problem.initial.clone());
        let mut advance = |steps: usize| {
            for _ in 0..steps {
                stepper.step(&*scene.problem.system, &mut state, 1.0 / 240.0).expect("it runs");
            }
        };
        advance(3);
        let counted = allocation_counter::measure(|| advance(50));
        assert_eq!(counted.count_total, 0, "{text}");
    }
}

#[test]
fn geometric_stiffness_has_a_moment_and_no_momentum() {
    let text = "[[particle]]\nmass = 1.0\nposition = [0, 0]\nvelocity = [0, 10]\n[[particle]]\nmass = 1.0\nposition = [1, 0]\nvelocity = [0, 3]\n\
                [[particle]]\nmass = 20.0\nposition = [2, 0]\nvelocity = [0, -10]\n[[rod]]\nbetween = [0, 1]\n[[rod]]\nbetween = [1, 2]\n\
                [method]\nname = 'spook'\n[run]\nstep = '1/60'\nuntil = 5.0\n";
    for (stiffness, kept) in [("none", true), ("geometric", false)] {
        let scene = carom_tests::runs::scene("free", text, &[&format!("method.stiffness={stiffness}")]);
        assert_eq!(scene.method.claims().angular_momentum, kept, "{stiffness}");
        let (outcome, summary, _) = crate::run(&scene, &mut |_| {});
        assert_eq!(outcome.ended, None, "{stiffness}");
        let (linear, angular) = (summary.linear().1.expect("conserved"), summary.angular().1.expect("conserved"));
        assert!(linear < 1e-11, "{stiffness}: {linear:e}");
        assert!(if kept { angular < 1e-10 } else { angular > 1e-3 }, "{stiffness}: {angular:e}");
    }
}
