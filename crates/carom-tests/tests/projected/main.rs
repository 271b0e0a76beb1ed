//! The projected Hamilton's principle against an independent implementation and its own identities.

mod lemma4;
mod regions;
mod sheets;

use carom::projected::{Projection, ProjectionError, Reflection};
use carom::system::ContactId;
use carom_io::scene::Scene;
use carom_tests::runs::{numbers, scene};
use serde_json::Value;

const REFERENCE: &str = include_str!("../../reference/collision.json");

/// A double pendulum left of which a wall stands: both masses and lengths 1, the wall at −1.
pub const PENDULUM: &str = r#"
title = "Double pendulum and a wall"
description = "In relative angles."

[lagrangian]
coordinates = ["a", "b"]
kinetic = ["0.5*(3 + 2*cos(b))*dot(a)^2", "(1 + cos(b))*dot(a)*dot(b)", "0.5*dot(b)^2"]
potential = ["-2*9.81*cos(a)", "-9.81*cos(a + b)"]
inequalities = { name = "wall", expression = "sin(a) + sin(a + b) + 1" }

[initial]
q = { a = 0.6, b = 0.3 }

[method]
name = "cva"

[run]
step = 0.01
until = 1.0
"#;

/// The pendulum.
pub fn pendulum() -> Scene {
    scene("pendulum", PENDULUM, &[])
}

/// The reference.
pub fn reference() -> Value {
    serde_json::from_str(REFERENCE).expect("JSON")
}

/// A list of numbers.
pub fn list(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

/// The configuration on the wall with the first rod at this angle, on one of two branches.
pub fn on_wall(a: f64, far: bool) -> Option<[f64; 2]> {
    let sine = -1.0 - a.sin();
    let sum = sine.abs().le(&1.0).then(|| sine.asin())?;
    Some([a, if far { std::f64::consts::PI - sum - a } else { sum - a }])
}

fn product(a: &[f64], b: &[f64]) -> [f64; 4] {
    let entry = |i: usize, j: usize| a[2 * i] * b[j] + a[2 * i + 1] * b[2 + j];
    [entry(0, 0), entry(0, 1), entry(1, 0), entry(1, 1)]
}

fn transposed(a: &[f64]) -> [f64; 4] {
    [a[0], a[2], a[1], a[3]]
}

/// Largest difference.
pub fn largest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
}

#[test]
fn reflections_are_involutions_that_keep_the_kinetic_energy() {
    let scene = pendulum();
    let system = &*scene.problem.system;
    let found = reference();
    let stored = |name: &str| found["R_identities"][name].as_f64().unwrap();
    // The reference gives its own round-off; entries of R and M reach about 5, so ours is of the same size.
    let allowed = 4.0 * stored("R2_minus_I").max(stored("RtMR_minus_M"));
    for point in numbers(200, 3).chunks_exact(2) {
        let q = [6.0 * point[0], 6.0 * point[1]];
        let (mut r, mut mass) = ([0.0; 4], [0.0; 4]);
        let reflection = Reflection::at(system, ContactId(0), &q).unwrap();
        reflection.matrix(&mut r);
        system.mass().matrix(&q, &mut mass);
        assert!(largest(&product(&r, &r), &[1.0, 0.0, 0.0, 1.0]) <= allowed, "{q:?}");
        assert!(largest(&product(&transposed(&r), &product(&mass, &r)), &mass) <= allowed, "{q:?}");
        // Control: the mass of another configuration is not kept.
        let mut other = [0.0; 4];
        system.mass().matrix(&[q[0], q[1] + 1.0], &mut other);
        assert!(largest(&product(&transposed(&r), &product(&other, &r)), &other) > 1e-3, "{q:?}");
        // The same reflection of a momentum as a row, and of a velocity as a column.
        let (mut p, mut v) = ([0.3, -0.8], [0.3, -0.8]);
        reflection.momentum(&mut p);
        reflection.velocity(&mut v);
        let row = [0.3 * r[0] - 0.8 * r[2], 0.3 * r[1] - 0.8 * r[3]];
        let column = [0.3 * r[0] - 0.8 * r[1], 0.3 * r[2] - 0.8 * r[3]];
        assert!(largest(&p, &row) <= allowed && largest(&v, &column) <= allowed, "{q:?}");
    }
}

#[test]
fn what_has_no_projection_is_refused() {
    let scene = pendulum();
    let system = &*scene.problem.system;
    let zi = on_wall(-0.5, false).unwrap();
    assert!(Projection::new(system, ContactId(0), &zi).is_ok());
    let refused = |contact, q: &[f64]| Projection::new(system, contact, q).err();
    assert_eq!(refused(ContactId(1), &zi), Some(ProjectionError::Contact { contact: 1, count: 1 }));
    assert_eq!(refused(ContactId(0), &[0.0]), Some(ProjectionError::Size { found: 1, needed: 2 }));
    assert!(matches!(refused(ContactId(0), &[zi[0], zi[1] + 1e-6]), Some(ProjectionError::OffBoundary { .. })));
    assert!(matches!(refused(ContactId(0), &[f64::NAN, zi[1]]), Some(ProjectionError::Degenerate { .. })));
    let rods = carom_tests::runs::built_in("newtons-cradle", &[]);
    let q = &rods.problem.initial.q;
    assert_eq!(Projection::new(&*rods.problem.system, ContactId(0), q).err(), Some(ProjectionError::Constrained));
}
