//! Tapes that are ready to run, and the derivatives that they are made of.

use std::cell::{OnceCell, RefCell};

use crate::lagrangian::expression::{Graph, NodeId, Rounded, Scalar, Tape};
use crate::system::ContactId;

/// A tape with its scratch.
pub struct Program {
    tape: Tape,
    scratch: RefCell<Vec<f64>>,
}

impl Program {
    pub fn new(graph: &Graph, outputs: &[NodeId], inputs: usize) -> Self {
        let tape = Tape::compile(graph, outputs, inputs);
        let scratch = RefCell::new(tape.scratch());
        Self { tape, scratch }
    }

    /// For the inputs that occur alone; they come with it.
    pub fn compact(graph: &Graph, outputs: &[NodeId]) -> (Self, Vec<u32>) {
        let (tape, inputs) = Tape::compile_compact(graph, outputs);
        let scratch = RefCell::new(tape.scratch());
        (Self { tape, scratch }, inputs)
    }

    /// Runs with inputs that come one by one, in their order.
    pub fn run_with(&self, inputs: impl Iterator<Item = f64>, out: &mut [f64]) {
        let scratch = &mut self.scratch.borrow_mut();
        scratch[..self.tape.inputs()].iter_mut().zip(inputs).for_each(|(slot, input)| *slot = input);
        self.tape.evaluate_loaded(scratch, out);
    }

    #[inline]
    pub fn run(&self, inputs: &[&[f64]], out: &mut [f64]) {
        self.tape.evaluate(&mut self.scratch.borrow_mut(), inputs, out);
    }

    /// Runs a program of the time alone, the last of its inputs.
    pub fn run_at_time(&self, t: f64, out: &mut [f64]) {
        let scratch = &mut self.scratch.borrow_mut();
        scratch[self.tape.inputs() - 1] = t;
        self.tape.evaluate_loaded(scratch, out);
    }
}

/// A program that is made when it is first run.
#[derive(Default)]
pub struct Lazy(OnceCell<Program>);

impl Lazy {
    pub fn run(&self, make: impl FnOnce() -> Program, inputs: &[&[f64]], out: &mut [f64]) {
        self.0.get_or_init(make).run(inputs, out);
    }
}

/// Room for bounds of the round-off in the results of a program.
pub struct Rounding(RefCell<[Vec<Rounded>; 2]>);

impl Rounding {
    pub fn new(program: &Program) -> Self {
        let results = vec![Rounded::from_f64(0.0); program.tape.outputs()];
        Self(RefCell::new([program.tape.generic_scratch(), results]))
    }

    /// In units of ε, of every output.
    pub fn of(&self, program: &Program, inputs: &[&[f64]], out: &mut [f64]) {
        self.run(program, inputs);
        let [_, results] = &*self.0.borrow();
        out.iter_mut().zip(results).for_each(|(out, result)| *out = explained(result));
    }

    /// The same of some outputs.
    pub fn of_some(&self, program: &Program, inputs: &[&[f64]], outputs: &[ContactId], out: &mut [f64]) {
        self.run(program, inputs);
        let [_, results] = &*self.0.borrow();
        out.iter_mut().zip(outputs).for_each(|(out, output)| *out = explained(&results[output.place()]));
    }

    fn run(&self, program: &Program, inputs: &[&[f64]]) {
        let [scratch, results] = &mut *self.0.borrow_mut();
        for (slot, value) in scratch.iter_mut().zip(inputs.iter().copied().flatten()) {
            *slot = Rounded::from_f64(*value);
        }
        program.tape.evaluate_loaded(scratch, results);
    }
}

/// Where the error of an operation has no bound, it explains nothing.
fn explained(result: &Rounded) -> f64 {
    if result.error.is_finite() { result.error } else { 0.0 }
}

/// Room for numbers that are needed for a moment.
#[derive(Default)]
pub struct Room(RefCell<Vec<f64>>);

impl Room {
    /// Runs with so many numbers, whatever they are.
    pub fn with<R>(&self, count: usize, run: impl FnOnce(&mut [f64]) -> R) -> R {
        let room = &mut *self.0.borrow_mut();
        if room.len() < count {
            room.resize(count, 0.0);
        }
        run(&mut room[..count])
    }
}

/// Derivatives of every node by every input, row-major.
pub fn jacobian(graph: &mut Graph, nodes: &[NodeId], inputs: &[u32]) -> Vec<NodeId> {
    nodes.iter().flat_map(|&node| graph.gradient(node, inputs)).collect()
}

/// Second derivatives, row-major; one node for both halves.
pub fn hessian(graph: &mut Graph, node: NodeId, inputs: &[u32]) -> Vec<NodeId> {
    let n = inputs.len();
    let gradient = graph.gradient(node, inputs);
    let mut out = Vec::with_capacity(n * n);
    for (i, &g) in gradient.iter().enumerate() {
        for (j, &input) in inputs.iter().enumerate() {
            let entry = if j < i { out[j * n + i] } else { graph.derivative(g, input) };
            out.push(entry);
        }
    }
    out
}
