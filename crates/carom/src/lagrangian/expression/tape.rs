//! Flat programs that evaluate expressions without allocating.
//!
//! A tape holds the instructions for everything its outputs need, once each,
//! in an order where operands come first. Values live in one slice of slots:
//! first the inputs, then the constants, then the result of each instruction.
//! Instructions that do not wait for each other are neighbours, equal ones too.
//! Sine and cosine of the same angle are computed together.
//!
//! Cost: about two nanoseconds per arithmetic instruction and five to nine per
//! evaluation, measured on one machine; 12 bytes of program and 8 bytes of slot
//! per instruction. Compiling visits each node a fixed number of times.
//!
//! Limits: the scratch slice must come from [`Tape::scratch`] of the same tape,
//! because it holds the constants. Wrong lengths panic.

use super::graph::{Graph, Node, NodeId};
use super::hash::Map;
use super::op::{Op, Scalar};

/// How an instruction is read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// An operation on one or two slots.
    Plain,
    /// A product, the most frequent operation.
    Product,
    /// `Pow`: an integer power, whose second operand is the exponent and not a
    /// slot. Otherwise: sine and cosine, which fill two slots.
    Special,
}

#[derive(Clone, Copy, Debug)]
struct Instruction {
    kind: Kind,
    /// What a plain instruction does.
    op: Op,
    a: u32,
    b: u32,
}

/// The nodes that outputs are made of, operands first: by how many operations
/// they are away from the inputs, then by operation. So neighbours rarely wait
/// for each other, and the processor can predict which operation comes next.
fn schedule(graph: &Graph, outputs: &[NodeId]) -> Vec<NodeId> {
    let nodes = graph.reachable(outputs, |_| true);
    let mut keys: Map<NodeId, (u32, i32)> = Map::with_capacity_and_hasher(nodes.len(), Default::default());
    for &id in &nodes {
        let operands = graph.node(id).operands().into_iter().flatten();
        let level = operands.map(|operand| keys[&operand].0 + 1).max();
        let kind = match graph.node(id) {
            Node::Constant(_) | Node::Input(_) => 0,
            Node::Power(_, 2) => Op::Mul as i32,
            Node::Power(..) => -1,
            Node::Apply(op, ..) => op as i32,
        };
        keys.insert(id, (level.unwrap_or(0), kind));
    }
    let mut ordered: Vec<((u32, i32), NodeId)> = nodes.into_iter().map(|id| (keys[&id], id)).collect();
    ordered.sort_unstable();
    ordered.into_iter().map(|(_, id)| id).collect()
}

/// Where a tape keeps its values.
pub(crate) trait Slots<T> {
    fn get(&self, slot: usize) -> T;
    fn put(&mut self, slot: usize, value: T);
}

impl<T: Copy> Slots<T> for [T] {
    #[inline(always)]
    fn get(&self, slot: usize) -> T {
        self[slot]
    }
    #[inline(always)]
    fn put(&mut self, slot: usize, value: T) {
        self[slot] = value;
    }
}

/// As many as a power of two: a mask takes the place of the comparison with the length.
impl<T: Copy, const N: usize> Slots<T> for [T; N] {
    #[inline(always)]
    fn get(&self, slot: usize) -> T {
        const { assert!(N.is_power_of_two()) };
        self[slot & (N - 1)]
    }
    #[inline(always)]
    fn put(&mut self, slot: usize, value: T) {
        self[slot & (N - 1)] = value;
    }
}

/// A compiled set of expressions.
#[derive(Clone, Debug)]
pub struct Tape {
    inputs: usize,
    constants: Vec<f64>,
    instructions: Vec<Instruction>,
    /// The slot of each output.
    outputs: Vec<u32>,
    slots: usize,
}

impl Tape {
    /// Compiles the outputs of a graph with the given number of inputs.
    ///
    /// # Panics
    ///
    /// If an output depends on an input beyond that number.
    pub fn compile(graph: &Graph, outputs: &[NodeId], inputs: usize) -> Tape {
        let slot = |input: u32| {
            assert!((input as usize) < inputs, "input {input} of {inputs}");
            input
        };
        Self::compile_with(graph, outputs, (inputs, slot))
    }

    /// Compiles the outputs of a graph for those of its inputs alone that occur in them; these come with it, ascending, and are the
    /// inputs of the tape in that order.
    pub fn compile_compact(graph: &Graph, outputs: &[NodeId]) -> (Tape, Vec<u32>) {
        let inputs = graph.inputs_of(outputs);
        let slot = |input: u32| inputs.partition_point(|&other| other < input) as u32;
        (Self::compile_with(graph, outputs, (inputs.len(), slot)), inputs)
    }

    /// Compiles with so many inputs, which stand in the slots that `slot` says.
    fn compile_with(graph: &Graph, outputs: &[NodeId], (inputs, slot): (usize, impl Fn(u32) -> u32)) -> Tape {
        let nodes = schedule(graph, outputs);
        let mut slot_of: Map<NodeId, u32> = Map::with_capacity_and_hasher(nodes.len(), Default::default());
        let mut constants = Vec::new();
        for &id in &nodes {
            match graph.node(id) {
                Node::Input(input) => {
                    slot_of.insert(id, slot(input));
                }
                Node::Constant(bits) => {
                    slot_of.insert(id, (inputs + constants.len()) as u32);
                    constants.push(f64::from_bits(bits));
                }
                _ => {}
            }
        }
        // For each angle, which of its sine and cosine are needed.
        let mut angles: Map<NodeId, (Option<NodeId>, Option<NodeId>)> = Map::default();
        for &id in &nodes {
            match graph.node(id) {
                Node::Apply(Op::Sin, a, _) => angles.entry(a).or_default().0 = Some(id),
                Node::Apply(Op::Cos, a, _) => angles.entry(a).or_default().1 = Some(id),
                _ => {}
            }
        }
        let mut slots = inputs + constants.len();
        let mut instructions = Vec::new();
        for &id in &nodes {
            if slot_of.contains_key(&id) {
                continue;
            }
            slot_of.insert(id, slots as u32);
            let (kind, op, a, b) = match graph.node(id) {
                Node::Constant(_) | Node::Input(_) => continue,
                Node::Power(a, 2) => (Kind::Product, Op::Mul, slot_of[&a], slot_of[&a]),
                Node::Power(a, n) => (Kind::Special, Op::Pow, slot_of[&a], n as u32),
                Node::Apply(op, a, b) => match (op, angles.get(&a)) {
                    (Op::Sin | Op::Cos, Some(&(Some(sin), Some(cos)))) => {
                        slot_of.insert(sin, slots as u32);
                        slots += 1;
                        slot_of.insert(cos, slots as u32);
                        (Kind::Special, op, slot_of[&a], slot_of[&a])
                    }
                    (Op::Mul, _) => (Kind::Product, op, slot_of[&a], slot_of[&b]),
                    _ => (Kind::Plain, op, slot_of[&a], slot_of[&b]),
                },
            };
            slots += 1;
            instructions.push(Instruction { kind, op, a, b });
        }
        Tape { inputs, constants, instructions, outputs: outputs.iter().map(|id| slot_of[id]).collect(), slots }
    }

    /// The number of instructions.
    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Whether all outputs are inputs or constants.
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty()
    }

    /// The number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs.
    pub fn outputs(&self) -> usize {
        self.outputs.len()
    }

    /// The length of the scratch slice.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// A scratch slice with the constants in place.
    pub fn scratch(&self) -> Vec<f64> {
        self.generic_scratch()
    }

    /// The value of output `k` if it is a constant.
    pub fn constant_output(&self, k: usize) -> Option<f64> {
        let slot = self.outputs[k] as usize;
        let constant = slot.checked_sub(self.inputs)?;
        self.constants.get(constant).copied()
    }

    /// Evaluates all outputs; `inputs` are consecutive pieces of the input.
    #[inline]
    pub fn evaluate(&self, scratch: &mut [f64], inputs: &[&[f64]], out: &mut [f64]) {
        // Loops over a few numbers: faster than calls that copy memory.
        let (slots, mut given) = (&mut scratch[..self.inputs], 0);
        for piece in inputs {
            for &value in *piece {
                assert!(given < slots.len(), "more than {} inputs", slots.len());
                slots[given] = value;
                given += 1;
            }
        }
        assert!(given == slots.len(), "{given} of {} inputs", slots.len());
        self.evaluate_loaded(scratch, out);
    }

    /// Evaluates all outputs with the inputs already in `scratch[..inputs]`.
    #[inline]
    pub fn evaluate_loaded<T: Scalar>(&self, scratch: &mut [T], out: &mut [T]) {
        self.run(&mut scratch[..self.slots]);
        self.copy_outputs(scratch, out);
    }

    /// The same on an array with room for all slots.
    #[inline(always)]
    pub(crate) fn evaluate_array<const N: usize>(&self, slots: &mut [f64; N], out: &mut [f64]) {
        assert!(self.slots <= N, "a slot of its own for every value");
        self.run(slots);
        self.copy_outputs(slots, out);
    }

    #[inline(always)]
    fn copy_outputs<T: Copy>(&self, slots: &(impl Slots<T> + ?Sized), out: &mut [T]) {
        assert!(out.len() == self.outputs.len(), "one place per output");
        for (value, &slot) in out.iter_mut().zip(&self.outputs) {
            *value = slots.get(slot as usize);
        }
    }

    /// Evaluates all outputs with any kind of number; allocates.
    pub fn evaluate_generic<T: Scalar>(&self, inputs: &[T]) -> Vec<T> {
        let mut scratch = self.generic_scratch();
        scratch[..self.inputs].copy_from_slice(inputs);
        self.run(&mut scratch[..]);
        let values = self.outputs.iter().map(|&slot| scratch[slot as usize]);
        values.collect()
    }

    /// A scratch slice for any kind of number, with the constants in place.
    pub fn generic_scratch<T: Scalar>(&self) -> Vec<T> {
        let mut scratch = vec![T::from_f64(0.0); self.slots];
        for (slot, &value) in scratch[self.inputs..].iter_mut().zip(&self.constants) {
            *slot = T::from_f64(value);
        }
        scratch
    }

    fn run<T: Scalar>(&self, slots: &mut (impl Slots<T> + ?Sized)) {
        let mut next = self.inputs + self.constants.len();
        for instruction in &self.instructions {
            let a = slots.get(instruction.a as usize);
            // Predictable branches around the one jump of `apply`.
            let result = if instruction.kind == Kind::Product {
                a.product(slots.get(instruction.b as usize), instruction.a == instruction.b)
            } else if instruction.kind == Kind::Plain {
                let b = slots.get(instruction.b as usize);
                instruction.op.apply(a, b)
            } else if instruction.op == Op::Pow {
                a.power(instruction.b as i32)
            } else {
                let (sin, cos) = a.sin_cos();
                slots.put(next, sin);
                next += 1;
                cos
            };
            slots.put(next, result);
            next += 1;
        }
    }
}
