//! The expression graph: every distinct expression is stored exactly once.
//!
//! Nodes are hash-consed, so equal expressions have equal [`NodeId`]s and
//! common subexpressions are shared without any search. Operands always have
//! smaller ids than the node that uses them: ascending id order is a
//! topological order, and nothing here recurses over the depth of a graph.
//!
//! Cost: building a node is one hash lookup. Each node also refers to the set
//! of inputs it depends on; sets are shared between nodes, so
//! [`Graph::depends_on`] is a bit test.
//!
//! Limits: nodes are never freed (drop the graph instead), and there are at
//! most 2^32 of them. The constructors that simplify are in `simplify.rs`.

use super::hash::{Map, Set};
use super::op::Op;

/// Names a node of one [`Graph`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A number, by its bits so that it can be compared and hashed.
    Constant(u64),
    /// The value given from outside at this position.
    Input(u32),
    /// A node to a fixed integer power.
    Power(NodeId, i32),
    /// An operation; those on one operand hold it twice.
    Apply(Op, NodeId, NodeId),
}

impl Node {
    /// The operands, the second only if there are two.
    pub(super) fn operands(self) -> [Option<NodeId>; 2] {
        match self {
            Node::Constant(_) | Node::Input(_) => [None, None],
            Node::Power(a, _) => [Some(a), None],
            Node::Apply(op, a, _) if op.arity() == 1 => [Some(a), None],
            Node::Apply(_, a, b) => [Some(a), Some(b)],
        }
    }
}

/// Some inputs, to ask whether an expression depends on any of them.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    words: Vec<u64>,
}

impl Inputs {
    /// These inputs.
    pub fn of(inputs: &[u32]) -> Self {
        let mut words = vec![0; inputs.iter().max().map_or(0, |&last| last as usize / 64 + 1)];
        inputs.iter().for_each(|input| words[*input as usize / 64] |= 1 << (input % 64));
        Self { words }
    }
}

/// A growing set of expressions that share their common parts.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    ids: Map<Node, NodeId>,
    /// For each node, the number of its dependency set in `sets`.
    dependencies: Vec<u32>,
    /// Bit sets of inputs, without trailing zero words; set 0 is empty.
    sets: Vec<Box<[u64]>>,
    set_ids: Map<Box<[u64]>, u32>,
    /// Derivatives found so far, by node and input.
    pub(super) derivatives: Map<(NodeId, u32), NodeId>,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph::new()
    }
}

impl Graph {
    /// The constant 0, present in every graph.
    pub const ZERO: NodeId = NodeId(0);
    /// The constant 1, present in every graph.
    pub const ONE: NodeId = NodeId(1);

    /// An empty graph.
    pub fn new() -> Graph {
        let mut graph = Graph {
            nodes: Vec::new(),
            ids: Map::default(),
            dependencies: Vec::new(),
            sets: Vec::new(),
            set_ids: Map::default(),
            derivatives: Map::default(),
        };
        graph.intern_set(Vec::new());
        graph.constant(0.0);
        graph.constant(1.0);
        graph
    }

    /// Does something with the graph and forgets all nodes that this adds: they must not be used afterwards. Costs as much as
    /// what is added.
    pub fn scratch<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let (nodes, sets, derivatives) = (self.nodes.len(), self.sets.len(), self.derivatives.len());
        let result = work(self);
        for node in self.nodes.drain(nodes..) {
            self.ids.remove(&node);
        }
        self.dependencies.truncate(nodes);
        for set in self.sets.drain(sets..) {
            self.set_ids.remove(&set);
        }
        if self.derivatives.len() > derivatives {
            self.derivatives.retain(|(of, _), found| of.index().max(found.index()) < nodes);
        }
        result
    }

    /// The inputs that occur in an expression, ascending.
    pub fn inputs_of(&self, roots: &[NodeId]) -> Vec<u32> {
        let nodes = self.reachable(roots, |_| true);
        let mut inputs: Vec<u32> = nodes
            .into_iter()
            .filter_map(|id| match self.node(id) {
                Node::Input(input) => Some(input),
                _ => None,
            })
            .collect();
        inputs.sort_unstable();
        inputs
    }

    /// The number of nodes, including those that nothing refers to any more.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: 0 and 1 are in every graph.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What a node is.
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// A number. Negative zero is stored as zero and every NaN as the same one.
    pub fn constant(&mut self, value: f64) -> NodeId {
        let bits = if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() };
        self.intern(Node::Constant(bits))
    }

    /// The value given from outside at position `input`.
    pub fn input(&mut self, input: u32) -> NodeId {
        self.intern(Node::Input(input))
    }

    /// The value of a node that is a constant.
    pub fn constant_value(&self, id: NodeId) -> Option<f64> {
        match self.node(id) {
            Node::Constant(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// Whether `input` occurs in the expression `id`.
    pub fn depends_on(&self, id: NodeId, input: u32) -> bool {
        let set = &self.sets[self.dependencies[id.index()] as usize];
        set.get(input as usize / 64).is_some_and(|word| word >> (input % 64) & 1 == 1)
    }

    /// The inputs that occur in the expression `id`, ascending.
    pub fn dependencies(&self, id: NodeId) -> impl Iterator<Item = u32> + '_ {
        let set = &self.sets[self.dependencies[id.index()] as usize];
        set.iter().zip(0..).flat_map(|(&word, place)| {
            (0..u64::BITS).filter(move |bit| word >> bit & 1 == 1).map(move |bit| u64::BITS * place + bit)
        })
    }

    /// Whether any of these inputs occurs in the expression `id`.
    pub fn depends_on_any(&self, id: NodeId, inputs: &Inputs) -> bool {
        let set = &self.sets[self.dependencies[id.index()] as usize];
        set.iter().zip(&inputs.words).any(|(own, listed)| own & listed != 0)
    }

    /// The expression with each of the listed inputs replaced by zero.
    pub fn replace_inputs_by_zero(&mut self, id: NodeId, inputs: &[u32]) -> NodeId {
        let inputs = Inputs::of(inputs);
        let mut replaced: Map<NodeId, NodeId> = Map::default();
        for old in self.reachable(&[id], |node| self.depends_on_any(node, &inputs)) {
            let get = |operand| *replaced.get(&operand).unwrap_or(&operand);
            let new = match self.node(old) {
                Node::Constant(_) => old,
                Node::Input(_) => Graph::ZERO,
                Node::Power(a, n) => {
                    let a = get(a);
                    self.powi(a, n)
                }
                Node::Apply(op, a, b) => {
                    let (a, b) = (get(a), get(b));
                    self.apply(op, a, b)
                }
            };
            replaced.insert(old, new);
        }
        *replaced.get(&id).unwrap_or(&id)
    }

    /// The nodes that `roots` are made of, in topological order, leaving out
    /// nodes that `enter` rejects and what is reached only through them.
    pub(super) fn reachable(&self, roots: &[NodeId], enter: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
        let mut seen: Set<NodeId> = Set::default();
        let mut found: Vec<NodeId> = Vec::new();
        let mut visit = |id: NodeId, found: &mut Vec<NodeId>| {
            if seen.insert(id) && enter(id) {
                found.push(id);
            }
        };
        for &root in roots {
            visit(root, &mut found);
        }
        let mut next = 0;
        while next < found.len() {
            for operand in self.node(found[next]).operands().into_iter().flatten() {
                visit(operand, &mut found);
            }
            next += 1;
        }
        found.sort_unstable();
        found
    }

    /// Stores a node as it is, without simplifying, or finds it.
    pub(super) fn intern(&mut self, node: Node) -> NodeId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let set = match (node, node.operands()) {
            (Node::Input(input), _) => {
                let mut words = vec![0; input as usize / 64 + 1];
                words[input as usize / 64] = 1 << (input % 64);
                self.intern_set(words)
            }
            (_, [Some(a), Some(b)]) => self.union(a, b),
            (_, [Some(a), None]) => self.dependencies[a.index()],
            _ => 0,
        };
        self.nodes.push(node);
        self.dependencies.push(set);
        self.ids.insert(node, id);
        id
    }

    fn union(&mut self, a: NodeId, b: NodeId) -> u32 {
        let (a, b) = (self.dependencies[a.index()], self.dependencies[b.index()]);
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let (mut long, mut short) = (&self.sets[a as usize], &self.sets[b as usize]);
        if long.len() < short.len() {
            std::mem::swap(&mut long, &mut short);
        }
        let mut words = long.to_vec();
        for (word, other) in words.iter_mut().zip(short.iter()) {
            *word |= other;
        }
        self.intern_set(words)
    }

    fn intern_set(&mut self, words: Vec<u64>) -> u32 {
        if let Some(&set) = self.set_ids.get(words.as_slice()) {
            return set;
        }
        let set = self.sets.len() as u32;
        let words = words.into_boxed_slice();
        self.sets.push(words.clone());
        self.set_ids.insert(words, set);
        set
    }
}
