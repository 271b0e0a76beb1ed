//! Bounds of rates hold along paths, across kinks too, and are no wider than they need to be.

use super::super::{Graph, Interval, Moving, Op, Scalar, Tape};
use super::interval::EACH;
use super::random::grow;
use super::{Random, parse};

/// A coordinate along a parabola: place, velocity and acceleration.
type Motion = [f64; 3];

fn motion(random: &mut Random, about: f64) -> Motion {
    [about, 2.0, 4.0].map(|most| random.between(-most, most))
}

fn at([q, v, a]: Motion, t: f64) -> f64 {
    q + t * (v + 0.5 * t * a)
}

const NODES: u32 = 64;

/// The largest rate between neighbours among values along a path, and what round-off may add to it.
fn seen(duration: f64, value: impl Fn(f64) -> f64) -> (f64, f64) {
    let pace = duration / f64::from(NODES);
    let values: Vec<f64> = (0..=NODES).map(|node| value(pace * f64::from(node))).collect();
    let rates = values.windows(2).map(|pair| (pair[1] - pair[0]).abs() / pace);
    let size = values.iter().fold(1.0, |size: f64, value| size.max(value.abs()));
    (rates.fold(0.0, f64::max), 1e-14 * size / pace)
}

#[test]
fn no_operation_is_faster_than_its_bound() {
    let mut random = Random(3);
    for op in EACH {
        let (mut known, mut tight, mut short) = (0, 0, 0);
        for round in 0..2000 {
            let about = if matches!(op, Op::Asin | Op::Acos) { 0.9 } else { 3.0 };
            let (a, b) = (motion(&mut random, about), motion(&mut random, 3.0));
            let duration = [1e-3, 0.1, 0.5, 1.5][round % 4];
            let result = op.apply(Moving::along(a, duration), Moving::along(b, duration));
            let Some(bound) = result.fastest() else { continue };
            known += 1;
            let (rate, noise) = seen(duration, |t| op.apply(at(a, t), at(b, t)));
            assert!(rate <= bound * (1.0 + 1e-12) + noise, "{op:?} {a:?} {b:?} in {duration}: {rate}, {bound}");
            if round % 4 == 0 {
                short += 1;
                tight += u32::from(bound <= 1.1 * rate + 0.05);
            }
        }
        assert!(known > 500, "{op:?}: known {known} times");
        assert!(f64::from(tight) > 0.9 * f64::from(short), "{op:?}: tight {tight} times of {short}");
    }
}

#[test]
fn no_power_is_faster_than_its_bound() {
    let (mut random, mut known) = (Random(4), 0);
    for round in 0..4000 {
        let (exponent, a) = ((round % 11) - 4, motion(&mut random, 2.0));
        let duration = random.between(0.0, 1.0).powi(2) + 1e-3;
        let Some(bound) = Moving::along(a, duration).power(exponent).fastest() else { continue };
        known += 1;
        let (rate, noise) = seen(duration, |t| at(a, t).power(exponent));
        assert!(rate <= bound * (1.0 + 1e-12) + noise, "{a:?}^{exponent} in {duration}: {rate}, {bound}");
    }
    assert!(known > 3000, "{known}");
}

#[test]
fn no_random_expression_is_faster_than_its_bound() {
    let (mut random, mut known, mut tight) = (Random(6), 0, 0);
    for round in 0..3000 {
        let tree = grow(&mut random, 1 + round % 6);
        let mut graph = Graph::new();
        let id = parse(&mut graph, &tree.text());
        let tape = Tape::compile(&graph, &[id], 3);
        let path = [0; 3].map(|_| motion(&mut random, 1.5));
        let duration = if round % 2 == 0 { 1e-4 } else { random.between(0.01, 1.0) };
        let bounds = tape.evaluate_generic(&path.map(|coordinate| Moving::along(coordinate, duration)))[0];
        let Some(bound) = bounds.fastest() else { continue };
        known += 1;
        let value = |t: f64| tape.evaluate_generic(&path.map(|coordinate| at(coordinate, t)))[0];
        let (rate, noise) = seen(duration, value);
        assert!(rate <= bound * (1.0 + 1e-12) + noise, "{} {path:?} in {duration}: {rate}, {bound}", tree.text());
        tight += u32::from(duration == 1e-4 && bound <= 1.1 * rate + 0.01 + noise);
    }
    assert!(known > 2900 && tight > 1350, "known {known} times of 3000, tight {tight} of 1500");
}

#[test]
fn kinks_have_the_rates_of_both_sides() {
    let (fall, rest) = (Moving::along([1.0, -2.0, 0.0], 1.0), Moving::from_f64(0.0));
    let rise = Moving::along([0.5, 1.0, 0.0], 1.0);
    for (op, a, b, rate) in [
        (Op::Abs, fall, rest, 2.0),
        (Op::Hypot, fall, rest, 2.0),
        (Op::Min, fall, rest, 2.0),
        (Op::Max, rise, fall, 2.0),
        // Decided all along.
        (Op::Max, rise, Moving::along([0.0, -5.0, 0.0], 1.0), 1.0),
        (Op::Min, rise, Moving::along([9.0, -5.0, 0.0], 1.0), 1.0),
        (Op::Sign, rise, rest, 0.0),
        (Op::Less, rest, rise, 0.0),
        (Op::Gate, rise, fall, 2.0),
    ] {
        let found = op.apply(a, b).fastest().expect("known");
        assert!(rate <= found && found <= rate * (1.0 + 1e-12) + 1e-300, "{op:?}: {found}, not {rate}");
    }
    let size = fall.abs().value;
    assert!(size.lower == 0.0 && 1.0 <= size.upper && size.upper < 1.0 + 1e-14, "{size:?}");
    let larger = rise.max(fall).value;
    assert!((larger.lower - 0.5).abs() < 1e-14 && (larger.upper - 1.5).abs() < 1e-14, "{larger:?}");
}

#[test]
fn what_jumps_or_is_unbounded_has_no_rate() {
    let (through, onto) = (Moving::along([1.0, -2.0, 0.0], 1.0), Moving::along([1.0, -1.0, 0.0], 1.0));
    let (one, unknown) = (Moving::from_f64(1.0), Moving::from_f64(f64::NAN));
    for (op, a, b) in [
        (Op::Div, one, through),
        (Op::Div, one, onto),
        (Op::Sqrt, through, one),
        (Op::Sqrt, onto, one),
        (Op::Log, through, one),
        (Op::Log, onto, one),
        (Op::Tan, Moving::along([1.5, 1.0, 0.0], 0.1), one),
        (Op::Asin, onto, one),
        (Op::Acos, onto, one),
        (Op::Pow, onto, Moving::from_f64(0.3)),
        (Op::Sign, through, one),
        (Op::Less, through, Moving::from_f64(0.0)),
        (Op::LessEqual, Moving::from_f64(0.0), through),
        (Op::Gate, through, one),
        (Op::Atan2, through, -one),
        (Op::Exp, Moving::along([0.0, 800.0, 0.0], 1.0), one),
        (Op::Min, unknown, one),
        (Op::Max, one, unknown),
        (Op::Abs, unknown, one),
        (Op::Hypot, unknown, one),
        (Op::Mul, Moving::from_f64(0.0), unknown),
        (Op::Gate, unknown, one),
    ] {
        assert_eq!(op.apply(a, b).fastest(), None, "{op:?} {a:?} {b:?}");
    }
    assert_eq!(through.power(-1).fastest(), None);
    // A root that is infinitely steep still has a value, which a comparison may ask for.
    let root = Op::Sqrt.apply(Moving { value: Interval::new(0.0, 4.0), rate: one.value }, one);
    assert_eq!(root.fastest(), None);
    assert_eq!(Op::Less.apply(root, Moving::from_f64(5.0)), one);
    // A branch that is not taken is not looked at.
    assert_eq!(Op::Gate.apply(Moving::from_f64(0.0), unknown), Moving::from_f64(0.0));
}
