//! Simplification and sharing.

use super::super::{Graph, Inputs, Node, Op, Tape};
use super::{parse, value};

fn same(left: &str, right: &str) {
    let mut graph = Graph::new();
    // Fixes the order of the inputs.
    parse(&mut graph, "x + y + z");
    let (a, b) = (parse(&mut graph, left), parse(&mut graph, right));
    let show = |id| format!("{:?}", graph.node(id));
    assert_eq!(a, b, "{left} is {}, {right} is {}", show(a), show(b));
}

#[test]
fn neutral_elements_vanish() {
    for text in ["x + 0", "0 + x", "x - 0", "1*x", "x*1", "x/1", "x^1", "--x", "+x"] {
        same(text, "x");
    }
    for text in ["0*x", "x*0", "x - x", "0/x", "sin(0)*y", "2*x - x - x", "x*y - y*x"] {
        same(text, "0");
    }
    same("x^0", "1");
    same("0 - x", "-x");
    same("min(x, x)", "x");
    same("1^x", "1");
}

#[test]
fn signs_move_outwards() {
    same("(-x)*(-y)", "x*y");
    same("(-x)*y", "-(x*y)");
    same("x*(-y)", "-(x*y)");
    same("(-x)/y", "-(x/y)");
    same("x/(-y)", "-(x/y)");
    same("x + -y", "x - y");
    same("-x + y", "y - x");
    same("-x - y", "-(x + y)");
    same("x - (-y)", "x + y");
    same("-(x - y)", "y - x");
    same("x + (-2)*y", "x - 2*y");
    same("(-x)^2", "x^2");
    same("(-x)^3", "-x^3");
    same("(y - x)^2", "(x - y)^2");
    same("(y - x)*(x - y)", "-(x - y)^2");
    same("cos(y - x)", "cos(x - y)");
    same("sin(y - x)", "-sin(x - y)");
    same("cos(-2*x)", "cos(2*x)");
    same("tanh(-x)", "-tanh(x)");
    same("abs(-x)", "abs(x)");
    same("abs(x)^2", "x^2");
}

#[test]
fn constants_are_gathered() {
    same("2*(3*x)", "6*x");
    same("2*x*3*y*4", "24*(x*y)");
    same("2*(3*x/y)", "6*(x/y)");
    same("2*(3/y)", "6/y");
    same("2*x + 3*x", "5*x");
    same("x + x", "2*x");
    same("x/4", "0.25*x");
    same("x/(2*y)", "0.5*(x/y)");
    same("(2*x)^2", "4*x^2");
    same("3*sin(x)^2 + 3*cos(x)^2", "3");
    same("2^10 + 2^-1", "1024.5");
}

#[test]
fn powers_meet() {
    same("x*x", "x^2");
    same("x^2*x", "x^3");
    same("x^2*x^3", "x^5");
    same("(x^2)^3", "x^6");
    same("x^0.5", "sqrt(x)");
    same("x^-1", "1/x");
    same("1/x^2", "x^-2");
    same("(1/x)^2", "x^-2");
    same("5/x^2", "5*x^-2");
    same("x^-1.5", "sqrt(x)^-3");
    same("x*x^-3", "x^-2");
    same("x^2^3", "x^8");
}

#[test]
fn commuting_operands_are_shared() {
    same("x*y", "y*x");
    same("x + y", "y + x");
    same("hypot(x, y)", "hypot(y, x)");
    let mut graph = Graph::new();
    let sum = parse(&mut graph, "x*y + y*x");
    assert_eq!(Tape::compile(&graph, &[sum], 2).len(), 2);
}

#[test]
fn inexact_or_singular_changes_are_not_made() {
    let mut graph = Graph::new();
    let third = parse(&mut graph, "x/3");
    assert!(matches!(graph.node(third), Node::Apply(Op::Div, ..)));
    assert_eq!(value(&graph, third, &[0.7]), 0.7 / 3.0);
    let quotient = parse(&mut graph, "x/x");
    assert!(value(&graph, quotient, &[0.0]).is_nan());
    let tiny = parse(&mut graph, "1e-200*(1e-200*x)");
    assert_eq!(value(&graph, tiny, &[1e300]), 1e-200 * (1e-200 * 1e300));
    let square = parse(&mut graph, "(1e-200*x)^2");
    assert_eq!(value(&graph, square, &[1e200]), 1.0);
    let huge = parse(&mut graph, "(1e200*x)^2 + 1e200*(1e200*x)");
    assert_eq!(value(&graph, huge, &[1e-200]), 1.0 + 1e200);
}

#[test]
fn results_that_are_not_finite_wait_for_evaluation() {
    let mut graph = Graph::new();
    for text in ["log(-1)", "1/0", "0/0", "sqrt(-x^2 - 1)", "0^-1", "1e300*1e300", "exp(1000)"] {
        let id = parse(&mut graph, text);
        assert_eq!(graph.constant_value(id), None, "{text}");
        assert!(!value(&graph, id, &[0.5]).is_finite(), "{text}");
    }
    let id = parse(&mut graph, "log(x)");
    assert!(value(&graph, id, &[-1.0]).is_nan());
    assert_eq!(value(&graph, id, &[0.0]), f64::NEG_INFINITY);
    for text in ["min(x, 1)", "min(1, x)", "max(x, 1)", "max(1, x)", "sign(x)", "abs(x)"] {
        let id = parse(&mut graph, text);
        assert!(value(&graph, id, &[f64::NAN]).is_nan(), "{text}");
    }
    let (nan, infinity) = (graph.constant(f64::NAN), graph.constant(f64::INFINITY));
    let x = graph.input(0);
    for constant in [nan, infinity] {
        for op in [Op::Add, Op::Mul, Op::Sub, Op::Div, Op::Pow] {
            graph.apply(op, constant, x);
            graph.apply(op, x, constant);
            graph.apply(op, constant, constant);
        }
    }
    assert_eq!(graph.constant(-0.0), Graph::ZERO);
}

#[test]
fn extreme_powers_do_not_overflow() {
    let mut graph = Graph::new();
    let x = graph.input(0);
    for exponent in [i32::MIN, i32::MIN + 1, i32::MAX] {
        let power = graph.powi(x, exponent);
        let negative = graph.neg(power);
        let inverse = graph.div(Graph::ONE, negative);
        graph.powi(inverse, exponent);
        graph.mul(power, negative);
        let slope = graph.derivative(negative, 0);
        assert_eq!(value(&graph, power, &[1.0]), 1.0);
        assert_eq!(value(&graph, slope, &[1.0]), -f64::from(exponent));
    }
}

#[test]
fn dependence_reaches_through_words() {
    let mut graph = Graph::new();
    let (a, b) = (graph.input(3), graph.input(200));
    let product = graph.mul(a, b);
    let sum = graph.add(product, a);
    for id in [product, sum] {
        for input in [0, 3, 63, 64, 199, 200, 201, 1000] {
            assert_eq!(graph.depends_on(id, input), input == 3 || input == 200);
        }
    }
    assert!(!graph.depends_on(a, 200));
    assert!(!graph.depends_on(Graph::ONE, 3));
}

#[test]
fn inputs_become_zero() {
    let mut graph = Graph::new();
    let energy = parse(&mut graph, "x*dot(x)^2 + cos(x)*dot(y) + cos(x) + (y - dot(y))^2");
    let rest = graph.replace_inputs_by_zero(energy, &[4, 5]);
    assert_eq!(rest, parse(&mut graph, "cos(x) + y^2"));
    assert_eq!(graph.replace_inputs_by_zero(rest, &[4]), rest);
    assert_eq!(graph.replace_inputs_by_zero(Graph::ONE, &[4]), Graph::ONE);
    let singular = parse(&mut graph, "1/x");
    let pole = graph.replace_inputs_by_zero(singular, &[0]);
    assert_eq!(value(&graph, pole, &[1.0]), f64::INFINITY);
}

#[test]
fn scratch_work_leaves_no_trace() {
    let mut graph = Graph::new();
    let (x, y) = (graph.input(3), graph.input(200));
    let sum = graph.add(x, y);
    let slope = graph.derivative(sum, 3);
    let before = format!("{graph:?}").len();
    for _ in 0..3 {
        let (inputs, slope) = graph.scratch(|graph| {
            let z = graph.input(500);
            let product = graph.mul(sum, z);
            let slope = graph.derivative(product, 500);
            (graph.inputs_of(&[product]), slope)
        });
        assert_eq!((inputs, slope), (vec![3, 200, 500], sum));
        assert_eq!(format!("{graph:?}").len(), before);
    }
    assert_eq!(graph.derivative(sum, 3), slope);
    let z = graph.input(500);
    assert!(graph.depends_on(z, 500) && !graph.depends_on(z, 200));
    let listed = Inputs::of(&[7, 200]);
    assert!(graph.depends_on_any(sum, &listed) && !graph.depends_on_any(z, &listed));
    assert!(!graph.depends_on_any(sum, &Inputs::of(&[])));
}
