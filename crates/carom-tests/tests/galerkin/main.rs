//! `galerkin` against an independent implementation, closed forms and what it claims.
//!
//! `cargo test -p carom-tests --test galerkin -- --nocapture` prints how many numbers of the reference agree.

mod blocks;
mod cartesian;
mod estimate;
mod identities;
mod long;
mod order;
mod pendulum;
mod runge_kutta;
mod symplectic;

use carom::state::State;
use carom::steppers::{Inside, StepReport};
use carom_io::scene::Scene;
use carom_tests::galerkin::gauss;
use carom_tests::runs::{Boxed, advance, built_in, method, stepper};
use serde_json::Value;

const REFERENCE: &str = include_str!("../../reference/galerkin.json");

/// An entry of the reference.
pub fn entry(id: &str) -> Value {
    let all: Value = serde_json::from_str(REFERENCE).expect("JSON");
    let entries = all["entries"].as_array().expect("a list");
    entries.iter().find(|entry| entry["id"] == id).unwrap_or_else(|| panic!("no {id}")).clone()
}

/// A number of the reference.
pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// A list of numbers.
pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}

/// A run step by step.
pub struct Walk {
    /// The scene.
    pub scene: Scene,
    /// Where it is, and where it was before the last step.
    pub state: State,
    /// The node before.
    pub before: State,
    /// Length of a step.
    pub h: f64,
    /// The method.
    pub step: Boxed,
}

impl Walk {
    /// A scene by galerkin with these options.
    pub fn new(scene: Scene, options: &str, h: f64) -> Self {
        let step = stepper(&scene, &method(&format!("galerkin {options}")));
        let state = scene.problem.initial.clone();
        Self { scene, before: state.clone(), state, h, step }
    }

    /// The pendulum of the paper's Table I.
    pub fn pendulum(options: &str, h: f64) -> Self {
        Self::new(built_in("pendulum-polar", &[]), options, h)
    }

    /// One step.
    pub fn step(&mut self) -> StepReport {
        self.before.copy_from(&self.state);
        self.step.step(&*self.scene.problem.system, &mut self.state, self.h).expect("it runs")
    }

    /// The motion inside the last step.
    pub fn inside(&self) -> &dyn Inside {
        self.step.inside().expect("galerkin knows it")
    }

    /// The ansatz functions.
    pub fn ansatz(&self, s: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.state.q.len();
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        self.inside().ansatz(s, &mut q, &mut p);
        (q, p)
    }

    /// The continuous motion.
    pub fn dense(&self, s: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.state.q.len();
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        self.inside().at(s, &mut q, &mut p);
        (q, p)
    }
}

/// The exact motion of a scene, from degree 9 on short steps: only its nodes are used.
pub struct Exact {
    scene: Scene,
    nodes: Vec<State>,
    h: f64,
}

impl Exact {
    /// Until a time.
    pub fn new(scene: Scene, h: f64, until: f64) -> Self {
        let mut walk = Walk::new(scene, "degree=9", h);
        let mut nodes = vec![walk.state.clone()];
        for k in 1..=(until / h).ceil() as usize {
            walk.step();
            walk.state.t = walk.scene.problem.initial.t + k as f64 * h;
            nodes.push(walk.state.clone());
        }
        Self { scene: walk.scene, nodes, h }
    }

    /// At a time.
    pub fn at(&self, t: f64) -> State {
        let place = (((t - self.nodes[0].t) / self.h).floor() as usize).min(self.nodes.len() - 1);
        let mut state = self.nodes[place].clone();
        let rest = t - state.t;
        if rest > 1e-13 {
            let mut step = stepper(&self.scene, &method("galerkin degree=9"));
            advance(&self.scene, &mut *step, &mut state, rest, 1);
        }
        state
    }
}

/// Squares of the distances in `q` and `p`.
pub fn squares((q, p): (&[f64], &[f64]), exact: &State) -> [f64; 2] {
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    [sum(q, &exact.q), sum(p, &exact.p)]
}

/// Root mean squares of samples with weights.
pub fn root_mean_square(samples: &[([f64; 2], f64)]) -> [f64; 2] {
    let weight: f64 = samples.iter().map(|(_, w)| w).sum();
    let mean = |i: usize| (samples.iter().map(|(e, w)| e[i] * w).sum::<f64>() / weight).sqrt();
    [mean(0), mean(1)]
}

/// Sixteen Gauss points.
pub fn sixteen() -> Vec<(f64, f64)> {
    gauss(16)
}

/// Counts numbers that agree.
#[derive(Default)]
pub struct Tally {
    total: usize,
    wrong: Vec<String>,
}

impl Tally {
    /// Compares a number.
    pub fn check(&mut self, what: &str, found: f64, expected: f64, tolerance: f64) {
        self.total += 1;
        let off = (found - expected).abs();
        if off.is_nan() || off > tolerance {
            self.wrong
                .push(format!("{what}: {found:e}, reference {expected:e}, off by {off:.2e} > {tolerance:.0e}"));
        }
    }

    /// Compares numbers.
    pub fn all(&mut self, what: &str, found: &[f64], expected: &[f64], tolerance: impl Fn(f64) -> f64) {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            self.check(&format!("{what}[{k}]"), *found, *expected, tolerance(expected.abs()));
        }
    }

    /// Compares the value of an entry of the reference with its own tolerance.
    pub fn entry(&mut self, id: &str, found: &[f64]) {
        let entry = entry(id);
        let expected = match &entry["value"] {
            Value::Array(_) => numbers(&entry["value"]),
            value => vec![number(value)],
        };
        let (absolute, relative) = (entry["atol"].as_f64().unwrap_or(0.0), entry["rtol"].as_f64().unwrap_or(0.0));
        assert!(absolute + relative > 0.0, "{id} has no tolerance");
        self.all(id, found, &expected, |size| absolute + relative * size);
    }

    /// Something that must be below a bound.
    pub fn below(&mut self, what: &str, found: f64, bound: f64) {
        self.check(what, if found <= bound { 0.0 } else { found }, 0.0, 0.0);
    }

    /// Prints the count, and fails if any is off.
    pub fn settle(self, kind: &str) {
        println!("{kind}: {} of {} numbers within their tolerance", self.total - self.wrong.len(), self.total);
        assert!(self.wrong.is_empty(), "{kind}: {:#?}", self.wrong);
    }
}
