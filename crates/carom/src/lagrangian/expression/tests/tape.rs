//! Compiled evaluation.

use super::super::op::power;
use super::super::{Graph, Tape};
use super::{Random, parse, value};

#[test]
fn outputs_may_be_inputs_or_constants() {
    let mut graph = Graph::new();
    let (x, y) = (graph.input(0), graph.input(1));
    let three = graph.constant(3.0);
    let sum = graph.add(x, three);
    let tape = Tape::compile(&graph, &[y, three, sum, y, x], 2);
    let mut out = [0.0; 5];
    tape.evaluate(&mut tape.scratch(), &[&[5.0], &[7.0]], &mut out);
    assert_eq!(out, [7.0, 3.0, 8.0, 7.0, 5.0]);
    assert_eq!(tape.constant_output(1), Some(3.0));
    for k in [0, 2, 3, 4] {
        assert_eq!(tape.constant_output(k), None);
    }
    assert_eq!((tape.len(), tape.inputs(), tape.outputs(), tape.slots()), (1, 2, 5, 4));
    let empty = Tape::compile(&graph, &[], 0);
    empty.evaluate(&mut empty.scratch(), &[], &mut []);
    assert!(empty.is_empty());
}

#[test]
fn only_what_is_needed_is_compiled() {
    let mut graph = Graph::new();
    parse(&mut graph, "exp(x)*log(y)");
    let id = parse(&mut graph, "sin(x)*cos(x)*x^2*x^3 + cos(x)");
    let tape = Tape::compile(&graph, &[id], 1);
    // Sine and cosine together, two powers, three products, one sum.
    assert_eq!(tape.len(), 7);
    assert_eq!(tape.slots(), 1 + 8);
}

#[test]
fn sine_and_cosine_together_are_the_same_as_apart() {
    let mut random = Random(1);
    let mut graph = Graph::new();
    let (sin, cos) = (parse(&mut graph, "sin(x)"), parse(&mut graph, "cos(x)"));
    let both = Tape::compile(&graph, &[cos, sin], 1);
    assert_eq!(both.len(), 1);
    let mut scratch = both.scratch();
    let mut out = [0.0; 2];
    for k in 0..20_000 {
        let scale = [1e-300, 1e-9, 1e-8, 1e-3, 1.0, 10.0, 1e6, 1e300][k % 8];
        let x = random.between(-scale, scale);
        both.evaluate(&mut scratch, &[&[x]], &mut out);
        assert_eq!(out, [libm::cos(x), libm::sin(x)], "{x}");
    }
    assert_eq!(value(&graph, sin, &[0.5]), libm::sin(0.5));
}

#[test]
fn powers_are_accurate() {
    let mut random = Random(2);
    for exponent in -64..=64 {
        let x = random.between(0.5, 1.5);
        let expected = libm::pow(x, f64::from(exponent));
        let error = (power(x, exponent) / expected - 1.0).abs();
        assert!(error < 1e-15 * f64::from(exponent.abs().max(2)), "{x}^{exponent}");
        let mut graph = Graph::new();
        let id = parse(&mut graph, &format!("x^{exponent}"));
        assert_eq!(value(&graph, id, &[x]), power(x, exponent));
    }
    assert_eq!(power(2.0, 10), 1024.0);
    assert_eq!(power(2.0, -10), 1.0 / 1024.0);
    assert_eq!(power(-3.0, 3), -27.0);
}

#[test]
fn scratch_can_be_loaded_directly() {
    let mut graph = Graph::new();
    let id = parse(&mut graph, "x*y + 0.5");
    let tape = Tape::compile(&graph, &[id], 2);
    let mut scratch = tape.scratch();
    let mut out = [0.0];
    for k in 0..3 {
        scratch[..2].copy_from_slice(&[f64::from(k), 4.0]);
        tape.evaluate_loaded(&mut scratch, &mut out);
        assert_eq!(out[0], f64::from(k) * 4.0 + 0.5);
    }
}

#[test]
#[should_panic(expected = "input 1 of 1")]
fn missing_inputs_are_found_when_compiling() {
    let mut graph = Graph::new();
    let id = parse(&mut graph, "x*y");
    Tape::compile(&graph, &[id], 1);
}

#[test]
#[should_panic(expected = "1 of 2 inputs")]
fn too_few_inputs_are_found_when_evaluating() {
    let mut graph = Graph::new();
    let id = parse(&mut graph, "x*y");
    let tape = Tape::compile(&graph, &[id], 2);
    tape.evaluate(&mut tape.scratch(), &[&[1.0]], &mut [0.0]);
}

#[test]
#[should_panic(expected = "more than 2 inputs")]
fn too_many_inputs_are_found_when_evaluating() {
    let mut graph = Graph::new();
    let id = parse(&mut graph, "x*y");
    let tape = Tape::compile(&graph, &[id], 2);
    tape.evaluate(&mut tape.scratch(), &[&[1.0, 2.0], &[3.0]], &mut [0.0]);
}
