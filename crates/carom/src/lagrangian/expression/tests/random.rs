//! Random expressions: graph, text and derivatives against a naive tree.

use super::super::{Graph, NodeId, Op, Scalar, Tape};
use super::{Dual, Random, difference, parse, value};

pub enum Tree {
    Constant(f64),
    Variable(usize),
    Apply(Op, Box<[Tree; 2]>),
}

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Operations whose values and slopes stay moderate.
const OPS: [Op; 16] = [
    Op::Add,
    Op::Add,
    Op::Sub,
    Op::Sub,
    Op::Mul,
    Op::Mul,
    Op::Mul,
    Op::Neg,
    Op::Sin,
    Op::Cos,
    Op::Tanh,
    Op::Atan,
    Op::Abs,
    Op::Min,
    Op::Max,
    Op::Hypot,
];

pub fn grow(random: &mut Random, depth: usize) -> Tree {
    match random.below(if depth == 0 { 3 } else { 12 }) {
        0 => Tree::Constant([0.0, 1.0, -1.0, 2.0, -0.5, 0.3][random.below(6) as usize]),
        1 | 2 => Tree::Variable(random.below(3) as usize),
        3 => {
            // A safe quotient and a safe root.
            let below = grow(random, depth - 1);
            let square = Tree::Apply(Op::Pow, [below, Tree::Constant(2.0)].into());
            let below = Tree::Apply(Op::Add, [square, Tree::Constant(1.0)].into());
            let root = Tree::Apply(Op::Sqrt, [below, Tree::Constant(0.0)].into());
            Tree::Apply(Op::Div, [grow(random, depth - 1), root].into())
        }
        _ => {
            let op = OPS[random.below(OPS.len() as u64) as usize];
            let operands = [grow(random, depth - 1), grow(random, depth - 1)];
            Tree::Apply(op, operands.into())
        }
    }
}

impl Tree {
    fn naive<T: Scalar>(&self, point: &[T]) -> T {
        match self {
            Tree::Constant(c) => T::from_f64(*c),
            Tree::Variable(i) => point[*i],
            Tree::Apply(Op::Pow, operands) => {
                let base = operands[0].naive(point);
                base * base
            }
            Tree::Apply(op, operands) => {
                let second = if op.arity() == 2 { 1 } else { 0 };
                op.apply(operands[0].naive(point), operands[second].naive(point))
            }
        }
    }

    pub fn text(&self) -> String {
        match self {
            Tree::Constant(c) => format!("({c})"),
            Tree::Variable(i) => NAMES[*i].into(),
            Tree::Apply(op, operands) => {
                let a = operands[0].text();
                let known = Op::FUNCTIONS.iter().find(|(_, known)| known == op);
                match (op, known) {
                    (_, Some((name, _))) if op.arity() == 1 => format!("{name}({a})"),
                    (_, Some((name, _))) => format!("{name}({a}, {})", operands[1].text()),
                    (Op::Neg, _) => format!("(-{a})"),
                    _ => {
                        let signs = [(Op::Add, '+'), (Op::Sub, '-'), (Op::Mul, '*'), (Op::Div, '/')];
                        let sign = signs.iter().find(|(known, _)| known == op);
                        let sign = sign.map_or('^', |(_, sign)| *sign);
                        format!("({a} {sign} {})", operands[1].text())
                    }
                }
            }
        }
    }

    fn build(&self, graph: &mut Graph) -> NodeId {
        match self {
            Tree::Constant(c) => graph.constant(*c),
            Tree::Variable(i) => graph.input(*i as u32),
            Tree::Apply(op, operands) => {
                let (a, b) = (operands[0].build(graph), operands[1].build(graph));
                graph.apply(*op, a, b)
            }
        }
    }
}

#[test]
fn random_expressions_agree_with_trees() {
    let mut random = Random(7);
    let mut smooth = 0;
    for round in 0..3000 {
        let tree = grow(&mut random, 1 + round % 6);
        let text = tree.text();
        let mut graph = Graph::new();
        let id = tree.build(&mut graph);
        let mut fresh = Graph::new();
        let parsed = parse(&mut fresh, &text);
        let gradient = graph.gradient(id, &[0, 1, 2]);
        let tape = Tape::compile(&graph, &[id], 3);
        for _ in 0..3 {
            let point = [0; 3].map(|_| random.between(-1.5, 1.5));
            let expected = tree.naive(&point);
            let scale = 1.0 + expected.abs();
            assert!((value(&graph, id, &point) - expected).abs() < 1e-11 * scale, "{text}");
            assert!((value(&fresh, parsed, &point) - expected).abs() < 1e-11 * scale, "{text}");
            for input in 0..3 {
                let mut seeds = point.map(|x| Dual(x, 0.0));
                seeds[input].1 = 1.0;
                let slope = tree.naive(&seeds).1;
                if slope.is_nan() {
                    // hypot(0, 0), which has no derivative.
                    continue;
                }
                let forward = graph.derivative(id, input as u32);
                let scale = 1e-10 * (1.0 + slope.abs());
                let (reverse, forward) = (value(&graph, gradient[input], &point), value(&graph, forward, &point));
                assert!((forward - slope).abs() < scale, "{text}: {forward} {slope}");
                assert!((reverse - slope).abs() < scale, "{text}: {reverse} {slope}");
                let dual = tape.evaluate_generic(&seeds)[0].1;
                assert!((dual - slope).abs() < scale, "{text}: {dual} {slope}");
                let along = |x| {
                    let mut moved = point;
                    moved[input] = x;
                    tree.naive(&moved)
                };
                let [wide, narrow] = [2e-3, 1e-3].map(|h| difference(along, point[input], h));
                // Where they disagree there is a kink nearby or a steep slope.
                if (wide - narrow).abs() < 1e-9 * (1.0 + slope.abs()) {
                    smooth += 1;
                    let error = (narrow - slope).abs() / (1.0 + slope.abs());
                    assert!(error < 1e-8, "{text}: {narrow} {slope}");
                }
            }
        }
    }
    assert!(smooth > 20_000, "{smooth}");
}
