//! Derivatives against differences and dual numbers, and their size.

use super::super::{Graph, NodeId, Tape};
use super::{Dual, difference, parse, value, values};

/// Checks first and second derivatives by `x` and `y`, forward and reverse.
fn check(text: &str, points: &[[f64; 2]]) {
    let mut graph = Graph::new();
    let id = parse(&mut graph, text);
    let gradient = graph.gradient(id, &[0, 1]);
    for (input, &reverse) in gradient.iter().enumerate() {
        let forward = graph.derivative(id, input as u32);
        let second = [graph.derivative(forward, 0), graph.derivative(reverse, 1)];
        for &point in points {
            let along = |id: NodeId, input: usize| {
                let graph = &graph;
                move |at: f64| {
                    let mut moved = point;
                    moved[input] = at;
                    value(graph, id, &moved)
                }
            };
            let close = |what: &str, id: NodeId, expected: f64, tolerance: f64| {
                let found = value(&graph, id, &point);
                let error = (found - expected).abs() / (1.0 + expected.abs());
                let context = format!("{what} of {text} by {input} at {point:?}");
                assert!(error < tolerance, "{context}: {found}, not {expected}");
            };
            let slope = difference(along(id, input), point[input], 2e-3);
            close("forward", forward, slope, 2e-11);
            close("reverse", reverse, slope, 2e-11);
            for (other, &second) in second.iter().enumerate() {
                let slope = difference(along(forward, other), point[other], 2e-3);
                close("second", second, slope, 2e-11);
            }
            let mut seeds = point.map(|x| Dual(x, 0.0));
            seeds[input].1 = 1.0;
            let tape = Tape::compile(&graph, &[id, forward], 2);
            let dual = tape.evaluate_generic(&seeds);
            close("dual", forward, dual[0].1, 1e-13);
            close("second dual", second[input], dual[1].1, 1e-12);
        }
    }
}

const ANYWHERE: [[f64; 2]; 4] = [[0.3, 0.7], [-1.1, 0.4], [1.4, -0.8], [-0.6, -2.1]];
const INSIDE: [[f64; 2]; 4] = [[0.3, 0.7], [-0.8, 0.4], [0.9, -0.85], [-0.6, -0.1]];
const POSITIVE: [[f64; 2]; 4] = [[0.3, 0.7], [1.1, 2.4], [3.4, 0.5], [0.6, 1.1]];

#[test]
fn functions_of_one_argument() {
    for name in ["sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "exp", "abs", "sign"] {
        check(&format!("{name}(x)"), &ANYWHERE);
        check(&format!("y*{name}(0.7*x - 0.2*y + 0.01)"), &ANYWHERE);
    }
    for name in ["asin", "acos"] {
        check(&format!("{name}(x)"), &INSIDE);
        check(&format!("{name}(0.6*x*y)*x"), &INSIDE);
    }
    for name in ["log", "sqrt"] {
        check(&format!("{name}(x)"), &POSITIVE);
        check(&format!("{name}(x^2*y + 1)/y"), &POSITIVE);
    }
}

#[test]
fn functions_of_two_arguments_and_operators() {
    for name in ["atan2", "hypot", "min", "max"] {
        check(&format!("{name}(x, y)"), &ANYWHERE);
        check(&format!("{name}(x*y, y^2 + 0.3)*x"), &ANYWHERE);
    }
    for text in ["x + y", "x - y", "x*y", "x/y", "-x*y", "2/x", "3/(x*y)", "(x - y)/(x*x*y)"] {
        check(text, &ANYWHERE);
    }
    for text in ["x^2", "x^3", "x^7*y", "x^-1", "x^-2", "(x*y)^-3", "y/x^3", "5/x^4"] {
        check(text, &ANYWHERE);
    }
    for text in ["x^y", "x^1.5", "x^-0.5", "(x*y)^2.7", "x^-1.5*y", "2^(x*y)", "x^80/y^80/1e9"] {
        check(text, &POSITIVE[..2]);
    }
    check("(x^2 + y^2)^-1.5*x", &ANYWHERE);
    check("1/hypot(x, y) + 1/sqrt(x^2 + y^2)", &ANYWHERE);
}

#[test]
fn kinks_take_the_documented_side() {
    let mut graph = Graph::new();
    let mut slope = |text: &str, at: f64| {
        let id = parse(&mut graph, text);
        let slope = graph.derivative(id, 0);
        value(&graph, slope, &[at])
    };
    assert_eq!(slope("abs(x)", 0.0), 0.0);
    assert_eq!(slope("sign(x)", 0.0), 0.0);
    assert_eq!(slope("min(2*x, 3*x)", 0.0), 2.0);
    assert_eq!(slope("min(3*x, 2*x)", 0.0), 3.0);
    assert_eq!(slope("max(2*x, 3*x)", 0.0), 2.0);
    assert_eq!(slope("max(3*x, 2*x)", 0.0), 3.0);
    // The side that is not chosen has no influence, even if it is singular.
    assert_eq!(slope("max(sqrt(x), 1 + x)", 0.0), 1.0);
    assert_eq!(slope("sqrt(x)", 0.0), f64::INFINITY);
}

#[test]
fn derivatives_of_what_does_not_depend_are_zero() {
    let mut graph = Graph::new();
    let id = parse(&mut graph, "sin(x)*y");
    assert_eq!(graph.derivative(id, 2), Graph::ZERO);
    assert_eq!(graph.gradient(id, &[2, 3]), [Graph::ZERO; 2]);
    assert_eq!(graph.gradient(Graph::ONE, &[0]), [Graph::ZERO]);
    let x = graph.input(0);
    assert_eq!(graph.gradient(x, &[1, 0]), [Graph::ZERO, Graph::ONE]);
    assert_eq!(graph.derivative(x, 0), Graph::ONE);
}

#[test]
fn a_constant_mass_matrix_is_recognised() {
    let mut graph = Graph::new();
    let text = "0.5*3*((0.7*cos(x)*dot(x))^2 + (0.7*sin(x)*dot(x))^2)";
    let id = parse(&mut graph, text);
    let momentum = graph.derivative(id, 4);
    let mass = graph.derivative(momentum, 4);
    let mass = graph.constant_value(mass).expect("constant");
    assert!((mass - 3.0 * 0.49).abs() < 1e-15);
}

#[test]
fn gradients_of_chains_are_linear_in_size() {
    let mut graph = Graph::new();
    let count = 200;
    let mut energy = Graph::ZERO;
    for i in 0..count {
        let (a, b) = (graph.input(i), graph.input(i + 1));
        let gap = graph.sub(b, a);
        let cosine = graph.apply(super::Op::Cos, gap, gap);
        let square = graph.powi(gap, 2);
        let term = graph.mul(cosine, square);
        energy = graph.add(energy, term);
    }
    let inputs: Vec<u32> = (0..=count).collect();
    let gradient = graph.gradient(energy, &inputs);
    let tape = Tape::compile(&graph, &gradient, count as usize + 1);
    assert!(tape.len() < 10 * count as usize, "{}", tape.len());

    // A product of many factors: each derivative alone would have them all.
    let mut product = Graph::ONE;
    for &i in &inputs {
        let factor = graph.input(i);
        let factor = graph.apply(super::Op::Exp, factor, factor);
        product = graph.mul(product, factor);
    }
    let gradient = graph.gradient(product, &inputs);
    let tape = Tape::compile(&graph, &gradient, inputs.len());
    assert!(tape.len() < 6 * inputs.len(), "{}", tape.len());
    let zeros = vec![0.0; inputs.len()];
    assert_eq!(values(&graph, &gradient, &zeros), vec![1.0; inputs.len()]);
}

#[test]
fn deep_graphs_do_not_overflow_the_stack() {
    let mut graph = Graph::new();
    let mut id = graph.input(0);
    let y = graph.input(1);
    for _ in 0..20_000 {
        id = graph.apply(super::Op::Sin, id, id);
        id = graph.add(id, y);
    }
    let forward = graph.derivative(id, 0);
    let reverse = graph.gradient(id, &[0, 1]);
    let moved = graph.replace_inputs_by_zero(id, &[1]);
    let found = values(&graph, &[forward, reverse[0], reverse[1], moved], &[0.1, 0.2]);
    assert!(found.iter().all(|x| x.is_finite()));
}
