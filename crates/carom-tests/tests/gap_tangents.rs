//! Directions of sliding: an orthonormal frame beside the normal, of the relative velocity, without jumps.

use carom::linear::dot;
use carom::particles::{Ball, Group, Particles, Selection, Side, Surface, Wall};
use carom::system::{ContactId, Dynamics, System};
use carom_tests::runs::numbers;

fn unit(v: &[f64]) -> Vec<f64> {
    let length = dot(v, v).sqrt();
    v.iter().map(|v| v / length).collect()
}

/// A contact of two spheres, a wall and both sides of a ball, each with its own friction.
fn spheres(dimension: usize) -> Particles {
    let mut system = Particles::new(dimension, vec![1.0, 2.0]).expect("right");
    system.add_sphere_gaps(&Selection::default(), Surface { restitution: 1.0, friction: 0.1 }).expect("right");
    let normal = [0.6, -0.3, 1.1][3 - dimension..].to_vec();
    let wall = Wall { normal, offset: -1.0, restitution: 1.0, friction: 0.2 };
    system.add_wall(&wall, &Group::Of(vec![1])).expect("right");
    for (side, friction) in [(Side::Inside, 0.3), (Side::Outside, 0.4)] {
        let centre = [0.2, 0.1, -0.3][..dimension].to_vec();
        let ball = Ball { centre, radius: 0.5, side, restitution: 1.0, friction };
        system.add_ball(&ball, &Group::Of(vec![0])).expect("right");
    }
    system
}

#[test]
fn sliding_is_what_of_the_relative_velocity_is_not_along_the_normal() {
    for dimension in 1..=3 {
        let (system, n) = (spheres(dimension), 2 * dimension);
        assert_eq!(
            (0..4).map(|i| system.contacts().material(ContactId::of(i)).friction).collect::<Vec<_>>(),
            [0.1, 0.2, 0.3, 0.4]
        );
        for seed in 1..=100 {
            let (q, v) = (numbers(n, seed), numbers(n, 1000 + seed));
            for row in 0..4 {
                assert_eq!(system.contacts().directions(ContactId::of(row)), dimension - 1);
                let (mut g, mut slides) = (vec![0.0; n], vec![f64::NAN; (dimension - 1) * n]);
                system.contacts().gradient(0.0, &q, ContactId::of(row), &mut g);
                system.contacts().tangents(0.0, &q, ContactId::of(row), &mut slides);
                let (one, other) = (&v[..dimension], &v[dimension..]);
                let relative: Vec<f64> = match row {
                    0 => other.iter().zip(one).map(|(b, a)| b - a).collect(),
                    1 => other.to_vec(),
                    _ => one.to_vec(),
                };
                let slip: f64 = slides.chunks(n).map(|slide| dot(slide, &v).powi(2)).sum();
                let expected = dot(&relative, &relative) - dot(&g, &v).powi(2);
                assert!((slip - expected).abs() < 1e-14, "row {row}, {dimension}, {seed}: {slip}, {expected}");
                // Perpendicular to the normal and to each other; of a pair each row has both.
                let bodies = if row == 0 { 2.0 } else { 1.0 };
                for (i, a) in slides.chunks(n).enumerate() {
                    assert!(dot(a, &g).abs() < 1e-15 && (dot(a, a) - bodies).abs() < 1e-14);
                    assert!(slides.chunks(n).skip(i + 1).all(|b| dot(a, b).abs() < 1e-14));
                }
            }
        }
    }
}

/// Directions at a wall with this normal.
fn frame(normal: &[f64]) -> Vec<f64> {
    let d = normal.len();
    let mut system = Particles::new(d, vec![1.0]).expect("right");
    let wall = Wall { normal: normal.to_vec(), offset: 0.0, restitution: 1.0, friction: 1.0 };
    system.add_wall(&wall, &Group::All).expect("right");
    let mut out = vec![0.0; (d - 1) * system.dim()];
    system.contacts().tangents(0.0, &vec![0.0; d], ContactId(0), &mut out);
    out
}

#[test]
fn on_a_floor_the_directions_are_the_axes() {
    assert_eq!(frame(&[0.0, 3.0]), [1.0, 0.0]);
    assert_eq!(frame(&[2.0, 0.0]), [0.0, -1.0]);
    assert_eq!(frame(&[0.0, 0.0, 2.0]), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(frame(&[0.0, 0.0, -2.0]), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
}

#[test]
fn directions_turn_with_the_normal_without_jumps() {
    const STEPS: usize = 20_000;
    let turn = std::f64::consts::TAU / STEPS as f64;
    for dimension in [2, 3] {
        for seed in 1..=10 {
            let r = numbers(2 * dimension, seed);
            let a = unit(&r[..dimension]);
            let along = dot(&a, &r[dimension..]);
            let b = unit(&(0..dimension).map(|k| r[dimension + k] - along * a[k]).collect::<Vec<_>>());
            let normal = |k: usize| -> Vec<f64> {
                let (sin, cos) = (turn * k as f64).sin_cos();
                a.iter().zip(&b).map(|(a, b)| cos * a + sin * b).collect()
            };
            let (mut before, mut jumps) = (frame(&normal(0)), 0);
            for k in 1..=STEPS {
                let now = frame(&normal(k));
                let change = now.iter().zip(&before).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                // The frame turns about the normal as well: faster near the opposite of the last axis, at most
                // 2/0.045 times at the border of the cap.
                jumps += usize::from(change > 50.0 * turn);
                before = now;
            }
            // A great circle meets the cap at most once: in and out.
            assert!(jumps <= if dimension == 2 { 0 } else { 2 }, "{jumps} jumps, seed {seed}");
        }
    }
}
