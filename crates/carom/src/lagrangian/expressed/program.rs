//! Tapes that are ready to run, and the derivatives that they are made of.

use std::sync::OnceLock;

use super::room::{Kept, Room};
use crate::lagrangian::expression::{Graph, NodeId, Rounded, Scalar, Slots, Tape};
use crate::system::ContactId;

/// A tape with room to run in.
pub struct Program {
    tape: Tape,
    room: Room,
}

impl Program {
    pub fn new(graph: &Graph, outputs: &[NodeId], inputs: usize) -> Self {
        Self::of(Tape::compile(graph, outputs, inputs))
    }

    /// For the inputs that occur alone; they come with it.
    pub fn compact(graph: &Graph, outputs: &[NodeId]) -> (Self, Vec<u32>) {
        let (tape, inputs) = Tape::compile_compact(graph, outputs);
        (Self::of(tape), inputs)
    }

    fn of(tape: Tape) -> Self {
        Self { room: Room::new(&tape), tape }
    }

    /// Runs with inputs that come one by one, in their order.
    pub fn run_with(&self, inputs: impl Iterator<Item = f64>, out: &mut [f64]) {
        self.on(Sequence(inputs), out);
    }

    /// Runs with inputs in consecutive pieces.
    #[inline]
    pub fn run(&self, inputs: &[&[f64]], out: &mut [f64]) {
        self.on(Pieces(inputs), out);
    }

    /// Runs a program of the time alone, the last of its inputs.
    pub fn run_at_time(&self, t: f64, out: &mut [f64]) {
        self.on(Time(t), out);
    }

    fn on(&self, inputs: impl Load, out: &mut [f64]) {
        match &self.room {
            Room::Constant(values) => {
                assert!(out.len() == values.len(), "one place per output");
                out.iter_mut().zip(values).for_each(|(out, value)| *out = *value);
            }
            Room::Of8(slots) => self.on_stack(*slots, inputs, out),
            Room::Of16(slots) => self.on_stack(*slots, inputs, out),
            Room::Of32(slots) => self.on_stack(**slots, inputs, out),
            Room::Of64(slots) => self.on_stack(**slots, inputs, out),
            Room::Of128(slots) => self.on_stack(**slots, inputs, out),
            Room::Kept(kept) => kept.with(
                || self.tape.scratch(),
                |slots| {
                    inputs.load(slots, self.tape.inputs());
                    self.tape.evaluate_loaded(slots, out);
                },
            ),
        }
    }

    #[inline(always)]
    fn on_stack<const N: usize>(&self, mut slots: [f64; N], inputs: impl Load, out: &mut [f64]) {
        inputs.load(&mut slots, self.tape.inputs());
        self.tape.evaluate_array(&mut slots, out);
    }
}

/// Inputs that can be put into the first slots.
trait Load {
    fn load<S: Slots<f64> + ?Sized>(self, slots: &mut S, count: usize);
}

struct Pieces<'a>(&'a [&'a [f64]]);
struct Sequence<I>(I);
struct Time(f64);

impl Load for Pieces<'_> {
    #[inline(always)]
    fn load<S: Slots<f64> + ?Sized>(self, slots: &mut S, count: usize) {
        let mut given = 0;
        for piece in self.0 {
            for &value in *piece {
                slots.put(given, value);
                given += 1;
            }
        }
        if given != count {
            miscounted(given, count);
        }
    }
}

impl<I: Iterator<Item = f64>> Load for Sequence<I> {
    #[inline(always)]
    fn load<S: Slots<f64> + ?Sized>(self, slots: &mut S, count: usize) {
        self.0.take(count).enumerate().for_each(|(slot, input)| slots.put(slot, input));
    }
}

impl Load for Time {
    #[inline(always)]
    fn load<S: Slots<f64> + ?Sized>(self, slots: &mut S, count: usize) {
        slots.put(count - 1, self.0);
    }
}

/// Apart from the loop that counts, so that the count can stay in a register.
#[cold]
#[inline(never)]
fn miscounted(given: usize, count: usize) -> ! {
    panic!("{given} of {count} inputs")
}

/// A program that is made when it is first run.
#[derive(Default)]
pub struct Lazy(OnceLock<Program>);

impl Lazy {
    pub fn run(&self, make: impl FnOnce() -> Program, inputs: &[&[f64]], out: &mut [f64]) {
        self.0.get_or_init(make).run(inputs, out);
    }
}

/// Bounds of the round-off in the results of a program.
pub struct Rounding(Kept<Rounded>);

impl Rounding {
    pub fn new(program: &Program) -> Self {
        Self(Kept::new(Self::room(program)))
    }

    /// The slots of the tape, then its results.
    fn room(program: &Program) -> Vec<Rounded> {
        let mut room = program.tape.generic_scratch();
        room.resize(room.len() + program.tape.outputs(), Rounded::from_f64(0.0));
        room
    }

    /// In units of ε, of every output.
    pub fn of(&self, program: &Program, inputs: &[&[f64]], out: &mut [f64]) {
        self.run(program, inputs, |results| {
            out.iter_mut().zip(results).for_each(|(out, result)| *out = explained(result));
        });
    }

    /// The same of some outputs.
    pub fn of_some(&self, program: &Program, inputs: &[&[f64]], outputs: &[ContactId], out: &mut [f64]) {
        self.run(program, inputs, |results| {
            out.iter_mut().zip(outputs).for_each(|(out, output)| *out = explained(&results[output.place()]));
        });
    }

    fn run(&self, program: &Program, inputs: &[&[f64]], take: impl FnOnce(&[Rounded])) {
        self.0.with(
            || Self::room(program),
            |room| {
                let (slots, results) = room.split_at_mut(program.tape.slots());
                for (slot, value) in slots.iter_mut().zip(inputs.iter().copied().flatten()) {
                    *slot = Rounded::from_f64(*value);
                }
                program.tape.evaluate_loaded(slots, results);
                take(results);
            },
        );
    }
}

/// Where the error of an operation has no bound, it explains nothing.
fn explained(result: &Rounded) -> f64 {
    if result.error.is_finite() { result.error } else { 0.0 }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lagrangian::expression::Op;

    /// `½, sin x, x sin x, x sin x + y, …`.
    fn chain(outputs: usize) -> (Graph, Vec<NodeId>) {
        let mut graph = Graph::new();
        let (x, y) = (graph.input(0), graph.input(1));
        let mut nodes = vec![graph.constant(0.5), graph.apply(Op::Sin, x, x)];
        while nodes.len() < outputs {
            let last = nodes[nodes.len() - 1];
            let (op, other) = [(Op::Mul, x), (Op::Add, y)][nodes.len() % 2];
            nodes.push(graph.apply(op, last, other));
        }
        (graph, nodes)
    }

    /// On the stack and beyond, at every border between sizes.
    #[test]
    fn programs_of_all_sizes_are_their_tapes() {
        let mut sizes = Vec::new();
        for outputs in 2..140 {
            let (graph, nodes) = chain(outputs);
            let program = Program::new(&graph, &nodes, 2);
            sizes.push(program.tape.slots());
            let mut out = vec![f64::NAN; nodes.len()];
            for [x, y] in [[0.3, -0.7], [1.2, 0.4], [0.3, -0.7]] {
                let expected = program.tape.evaluate_generic(&[x, y]);
                program.run(&[&[x], &[y]], &mut out);
                assert_eq!(out, expected, "{outputs}");
                program.run_with([x, y].into_iter(), &mut out);
                assert_eq!(out, expected, "{outputs}");
            }
        }
        assert!([8, 9, 16, 17, 32, 33, 64, 65, 128, 129].iter().all(|border| sizes.contains(border)), "{sizes:?}");
    }

    #[test]
    fn constants_are_given_whatever_the_inputs() {
        let mut graph = Graph::new();
        let (x, two) = (graph.input(0), graph.constant(2.0));
        let mut out = [f64::NAN; 2];
        Program::new(&graph, &[two, two], 1).run(&[&[7.0]], &mut out);
        assert_eq!(out, [2.0, 2.0]);
        Program::new(&graph, &[two, x], 1).run(&[&[7.0]], &mut out);
        assert_eq!(out, [2.0, 7.0]);
        Program::new(&graph, &[], 1).run(&[&[7.0]], &mut []);
    }

    #[test]
    fn a_program_of_the_time_reads_its_last_input() {
        let mut graph = Graph::new();
        let t = graph.input(3);
        let twice = graph.add(t, t);
        let mut out = [0.0];
        Program::new(&graph, &[twice], 4).run_at_time(1.5, &mut out);
        assert_eq!(out, [3.0]);
    }

    #[test]
    #[should_panic(expected = "1 of 2 inputs")]
    fn too_few_inputs_are_found() {
        let (graph, nodes) = chain(6);
        Program::new(&graph, &nodes, 2).run(&[&[1.0]], &mut [0.0; 6]);
    }

    #[test]
    #[should_panic(expected = "3 of 2 inputs")]
    fn too_many_inputs_are_found() {
        let (graph, nodes) = chain(6);
        Program::new(&graph, &nodes, 2).run(&[&[1.0], &[2.0, 3.0]], &mut [0.0; 6]);
    }
}
