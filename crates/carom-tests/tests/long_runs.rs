//! Structure over a million steps, and a stiff mechanism against published values.

use carom_tests::runs::{built_in, measured, method, slopes, stepper};

#[test]
fn kepler_keeps_its_energy_and_angular_momentum_over_a_million_steps() {
    let scene = built_in("kepler", &["parameters.eccentricity=0.6", "parameters.steps_per_period=200"]);
    assert_eq!(scene.run.h, 2.0 * std::f64::consts::PI / 200.0);
    let (outcome, summary) = measured(&scene, &method("verlet"), scene.run.h, 1_000_000);
    assert_eq!(outcome.ended, None);
    let energy = summary.energy.expect("looked at");
    let trend = summary.energy_trend().expect("many steps");
    let angular = summary.angular().1.expect("conserved");
    println!("energy {energy:?}, trend {trend:?}, angular momentum {angular:e}");
    // The same range as over the first 20 periods: bounded, no drift.
    assert!(energy.max - energy.initial < 3.7e-3 && energy.min - energy.initial > -1e-6, "{energy:?}");
    assert!(trend.slope.abs() <= 3.0 * trend.error.expect("many steps"), "{trend:?}");
    assert!(angular <= 1e-11, "{angular:e}");
}

#[test]
fn control_a_dissipative_variant_drifts_on_kepler() {
    let scene = built_in("kepler", &["parameters.eccentricity=0.3"]);
    let (_, summary) = measured(&scene, &method("newmark beta=0.5, gamma=0.6"), scene.run.h, 100_000);
    let trend = summary.energy_trend().expect("many steps");
    assert!(trend.slope.abs() > 10.0 * trend.error.expect("many steps"), "{trend:?}");
}

#[test]
fn rods_of_the_double_pendulum_hold_over_a_million_steps() {
    let scene = built_in("double-pendulum-rods", &[]);
    for name in ["verlet", "midpoint"] {
        let (outcome, summary) = measured(&scene, &method(name), scene.run.h, 1_000_000);
        assert_eq!(outcome.ended, None);
        let f = summary.max_equality.expect("constrained");
        let rate = summary.max_equality_velocity.expect("constrained");
        println!("{name}: {f:e}, velocity {rate:e}, energy {:?}", summary.energy);
        assert!(f <= 1e-12 && rate <= 1e-12, "{name}: {f:e}, {rate:e}");
    }
}

/// State at t = 0.03 of the test set for initial value problem solvers.
const ANDREWS: [f64; 7] = [
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
];

#[test]
fn andrews_squeezer_has_six_digits_and_order_two() {
    let scene = built_in("andrews", &[]);
    let errors: Vec<f64> = [15_000, 30_000]
        .iter()
        .map(|&steps| {
            let (outcome, summary) = measured(&scene, &method("midpoint"), 0.03 / steps as f64, steps);
            assert_eq!(outcome.ended, None);
            assert!(summary.max_equality.expect("constrained") <= 1e-15);
            let relative = |(q, published): (&f64, &f64)| ((q - published) / published).abs();
            outcome.state.q.iter().zip(&ANDREWS).map(relative).fold(0.0, f64::max)
        })
        .collect();
    let slope = (errors[0] / errors[1]).log2();
    println!("largest relative errors {errors:?}, slope {slope:.3}");
    assert!(errors[1] <= 1e-7, "{errors:?}");
    assert!((slope - 2.0).abs() <= 0.05, "slope {slope}");
}

#[test]
fn orders_on_the_scenes_themselves() {
    let expected = [
        ("verlet", "elastic-pendulum", 2),
        ("midpoint", "elastic-pendulum", 2),
        ("verlet", "pendulum-cartesian", 2),
        ("midpoint", "pendulum-cartesian", 2),
        ("newmark beta=0.25, gamma=0.5", "pendulum-cartesian", 2),
        ("variational rule=gamma, gamma=0.0", "pendulum-cartesian", 1),
        ("variational rule=gamma, gamma=1.0", "pendulum-cartesian", 1),
        ("variational rule=gamma, gamma=0.0", "elastic-pendulum", 1),
        ("variational rule=gamma, gamma=1.0", "elastic-pendulum", 1),
    ];
    for (text, name, order) in expected {
        let (scene, method) = (built_in(name, &[]), method(text));
        let first = if order == 1 { 256 } else { 64 };
        let (_, slopes) = slopes(&scene, &|| stepper(&scene, &method), 1.5, first, order);
        println!("{text} on {name}: slopes {slopes:.3?}");
        let allowed = if order == 1 { 0.1 } else { 0.05 };
        assert!(
            slopes.iter().all(|slope| (slope - f64::from(order)).abs() <= allowed),
            "{text} on {name}: {slopes:?}"
        );
    }
}
