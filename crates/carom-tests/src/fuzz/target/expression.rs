//! The text of an expression.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom::lagrangian::expression::{Graph, Interval, NameError, NodeId, Scope, Tape, parse};

use super::{law, same_bits};
use crate::fuzz::Fate;

/// Texts longer than this, and tapes of more instructions, are left.
const LONGEST: usize = 4000;
/// Inputs: y[0], y[1] and y[2] are 1 to 3, velocities are 4, and every other name is one of all.
const INPUTS: usize = 6;

struct Names;

/// Names of up to eight letters are inputs, longer ones are unknown, and `y` has indices.
impl Scope for Names {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        match (name, index) {
            ("y", Some(index @ 0..=2)) => Ok(graph.input(1 + index as u32)),
            ("y", Some(_)) => Err(NameError::Invalid("indices of y are 0, 1 and 2".into())),
            ("k", None) => Ok(graph.constant(2.5)),
            (name, None) if name.len() <= 8 => {
                Ok(graph.input(name.bytes().fold(0, |sum, byte| sum + u32::from(byte)) % INPUTS as u32))
            }
            _ => Err(NameError::Unknown),
        }
    }

    fn velocity(&self, graph: &mut Graph, name: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        if name.len() == 1 { Ok(graph.input(4)) } else { Err(NameError::Unknown) }
    }

    fn known_names(&self) -> Vec<String> {
        ["x", "y", "t", "k"].map(String::from).to_vec()
    }
}

/// Value, gradient and Hessian as one tape.
fn compile(text: &str) -> Result<Tape, carom::lagrangian::expression::ParseError> {
    let mut graph = Graph::new();
    let value = parse(&mut graph, text, &Names)?;
    let mut outputs = vec![value];
    outputs.extend(graph.gradient(value, &[0, 1, 4]));
    for first in 1..4 {
        outputs.extend(graph.gradient(outputs[first], &[0, 1, 4]));
    }
    Ok(Tape::compile(&graph, &outputs, INPUTS))
}

/// An expression: refused with a place in it, or compiled to the same tape twice, whose values are those of its intervals.
pub fn expression(text: &str, _stop: &Arc<AtomicBool>) -> Result<Fate, String> {
    if text.len() > LONGEST {
        return Ok(Fate::Left);
    }
    let tape = match compile(text) {
        Ok(tape) => tape,
        Err(error) => {
            let end = text.chars().count() + 1;
            law(!error.message.trim().is_empty(), || format!("no message: {error:?}"))?;
            law(error.column >= 1 && error.column <= end && error.length >= 1, || {
                format!("no such place: {error:?}")
            })?;
            return Ok(Fate::Refused);
        }
    };
    let again = compile(text).map_err(|error| format!("refused the second time: {error:?}"))?;
    let (mut scratch, mut scratch_again) = (tape.scratch(), again.scratch());
    let (mut out, mut out_again) = (vec![0.0; tape.outputs()], vec![0.0; tape.outputs()]);
    for at in [
        [0.0; INPUTS],
        [0.7, -0.3, 1.1, 0.2, 0.9, 1.5],
        [-2.0, 1e-9, 3.0, -0.0, 0.1, 40.0],
        [1e200; INPUTS],
        [5e-324; INPUTS],
    ] {
        tape.evaluate(&mut scratch, &[&at], &mut out);
        again.evaluate(&mut scratch_again, &[&at], &mut out_again);
        let same = out.iter().zip(&out_again).all(|(a, b)| same_bits(&[*a], &[*b]) || (a.is_nan() && b.is_nan()));
        law(same, || format!("two evaluations differ: {out:?} and {out_again:?}"))?;
        let points: Vec<Interval> = at.iter().map(|&x| Interval::new(x, x)).collect();
        for (value, interval) in out.iter().zip(tape.evaluate_generic(&points)) {
            let inside = interval.is_unknown() || (interval.lower <= *value && *value <= interval.upper);
            law(inside, || format!("{value:e} at {at:?} is not in {interval:?}"))?;
        }
    }
    Ok(if out.iter().all(|value| value.is_finite()) { Fate::Done } else { Fate::Failed })
}
