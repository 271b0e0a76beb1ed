//! Intervals contain what the operations come to on them, and know where nothing can be said.

use super::super::op::power;
use super::super::{Graph, Interval, Op, Scalar, Tape};
use super::random::grow;
use super::{Random, parse};

pub const EACH: [Op; 27] = [
    Op::Neg,
    Op::Sqrt,
    Op::Abs,
    Op::Sign,
    Op::Sin,
    Op::Cos,
    Op::Tan,
    Op::Asin,
    Op::Acos,
    Op::Atan,
    Op::Sinh,
    Op::Cosh,
    Op::Tanh,
    Op::Exp,
    Op::Log,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::Div,
    Op::Pow,
    Op::Atan2,
    Op::Hypot,
    Op::Min,
    Op::Max,
    Op::LessEqual,
    Op::Less,
    Op::Gate,
];

fn interval(random: &mut Random, widest: f64, about: f64) -> Interval {
    let (middle, half) = (random.between(-about, about), 0.5 * widest * random.between(0.0, 1.0).powi(3));
    Interval::new(middle - half, middle + half)
}

fn inside(random: &mut Random, of: Interval, node: usize) -> f64 {
    [of.lower, of.upper].get(node).copied().unwrap_or_else(|| random.between(of.lower, of.upper))
}

#[test]
fn operations_stay_in_their_bounds_and_fill_them() {
    let mut random = Random(11);
    for op in EACH {
        let (mut known, mut filled) = (0, 0);
        for _ in 0..2000 {
            let (a, b) = (interval(&mut random, 3.0, 4.0), interval(&mut random, 3.0, 4.0));
            let (a, b) =
                if matches!(op, Op::Asin | Op::Acos) { (interval(&mut random, 1.0, 0.9), b) } else { (a, b) };
            let bounds = op.apply(a, b);
            if bounds.is_unknown() {
                continue;
            }
            known += 1;
            let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
            for node in 0..40 {
                let (x, y) = (inside(&mut random, a, node % 10), inside(&mut random, b, node / 10));
                let value = op.apply(x, y);
                assert!(bounds.lower <= value && value <= bounds.upper, "{op:?} {a:?} {b:?}: {value}, {bounds:?}");
                (lowest, highest) = (f64::min(lowest, value), f64::max(highest, value));
            }
            // No bound is much wider than what was seen.
            filled += usize::from(highest - lowest >= 0.8 * (bounds.upper - bounds.lower) - 1e-9);
        }
        assert!(known > 300, "{op:?}: known {known} times");
        assert!(filled as f64 > 0.9 * f64::from(known), "{op:?}: filled {filled} of {known}");
    }
}

#[test]
fn powers_know_their_sign() {
    let around = Interval::new(-1.0, 2.0);
    let near = |found: Interval, lower: f64, upper: f64| {
        assert!(lower - 1e-14 <= found.lower && found.lower <= lower, "{found:?}");
        assert!(upper <= found.upper && found.upper <= upper + 1e-14, "{found:?}");
    };
    near(around.power(2), 0.0, 4.0);
    near(around.product(around, true), 0.0, 4.0);
    near(around.product(around, false), -2.0, 4.0);
    near(around.power(3), -1.0, 8.0);
    near(Interval::new(-2.0, -1.0).power(-2), 0.25, 1.0);
    near(Interval::new(-2.0, -1.0).power(-3), -1.0, -0.125);
    assert!(around.power(-2).is_unknown());
}

#[test]
fn powers_by_products_stay_in_their_bounds() {
    let mut random = Random(3);
    for exponent in -64..=64 {
        for _ in 0..500 {
            let x = random.between(0.3, 1.7);
            let (value, bounds) = (power(x, exponent), Interval::from_f64(x).power(exponent));
            assert!(bounds.contains(value), "{x}^{exponent} = {value:e}: {bounds:?}");
            assert!(bounds.upper - bounds.lower <= 80.0 * f64::EPSILON * value, "{x}^{exponent}: {bounds:?}");
        }
    }
}

#[test]
fn what_is_unbounded_or_has_a_kink_is_unknown() {
    let point = Interval::from_f64;
    let (around, above) = (Interval::new(-0.1, 0.2), Interval::new(0.1, 0.2));
    for (op, a, b) in [
        (Op::Div, point(1.0), around),
        (Op::Div, point(1.0), Interval::new(0.0, 1.0)),
        (Op::Sqrt, around, around),
        (Op::Log, around, around),
        (Op::Log, Interval::new(0.0, 1.0), around),
        (Op::Tan, Interval::new(1.5, 1.6), around),
        (Op::Asin, Interval::new(0.9, 1.1), around),
        (Op::Pow, around, point(0.5)),
        (Op::Abs, around, around),
        (Op::Sign, around, around),
        (Op::Min, around, above),
        (Op::Max, around, above),
        (Op::Less, around, above),
        (Op::LessEqual, above, around),
        (Op::Atan2, around, point(-1.0)),
        (Op::Gate, around, above),
        (Op::Exp, Interval::new(0.0, 800.0), around),
        (Op::Mul, point(0.0), Interval::UNKNOWN),
        (Op::Hypot, Interval::UNKNOWN, above),
        (Op::Cosh, Interval::UNKNOWN, above),
        (Op::Sin, Interval::UNKNOWN, above),
    ] {
        assert!(op.apply(a, b).is_unknown(), "{op:?} {a:?} {b:?}: {:?}", op.apply(a, b));
    }
    assert!(Interval::UNKNOWN.power(2).is_unknown() && Interval::UNKNOWN.hull(above).is_unknown());
    // A branch that is not taken is not looked at.
    assert_eq!(Op::Gate.apply(point(0.0), Interval::UNKNOWN), point(0.0));
    // A large angle leaves no more than that a sine is bounded.
    assert_eq!(Op::Sin.apply(point(1e9), around), Interval::new(-1.0, 1.0));
}

#[test]
fn random_expressions_stay_in_their_bounds() {
    let (mut random, mut known) = (Random(5), 0);
    for round in 0..2000 {
        let tree = grow(&mut random, 1 + round % 6);
        let mut graph = Graph::new();
        let id = parse(&mut graph, &tree.text());
        let gradient = graph.gradient(id, &[0, 1, 2]);
        let second = graph.derivative(gradient[0], 1);
        let tape = Tape::compile(&graph, &[id, gradient[0], second], 3);
        let place = [0; 3].map(|_| interval(&mut random, 0.4, 1.5));
        let bounds = tape.evaluate_generic(&place);
        for node in 0..20 {
            let values = tape.evaluate_generic(&place.map(|of| inside(&mut random, of, node)));
            for (value, bounds) in values.iter().zip(&bounds).filter(|(_, bounds)| !bounds.is_unknown()) {
                known += 1;
                let noise = 1e-12 * (1.0 + value.abs());
                let fits = bounds.lower - noise <= *value && *value <= bounds.upper + noise;
                assert!(fits, "{}: {value}, {bounds:?}", tree.text());
            }
        }
    }
    assert!(known > 60_000, "{known} of 120 000");
}
