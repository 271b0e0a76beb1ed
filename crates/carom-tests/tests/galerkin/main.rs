//! `galerkin` against an independent implementation, closed forms and what it claims.
//!
//! `cargo test -p carom-tests --test galerkin -- --nocapture` prints how many numbers of the reference agree.

mod blocks;
mod cartesian;
mod estimate;
mod identities;
mod long;
mod one_sided;
mod order;
mod pendulum;
mod runge_kutta;
mod stability;
mod symplectic;

use carom::state::State;
use carom::steppers::{Inside, StepReport};
use carom_io::scene::Scene;
use carom_tests::galerkin::gauss;
pub use carom_tests::reference::{Tally, number, numbers};
use carom_tests::runs::{Boxed, advance, built_in, method, stepper};
use serde_json::Value;

const REFERENCE: &str = include_str!("../../reference/galerkin.json");

/// An entry of the reference.
pub fn entry(id: &str) -> Value {
    let all: Value = serde_json::from_str(REFERENCE).expect("JSON");
    let entries = all["entries"].as_array().expect("a list");
    entries.iter().find(|entry| entry["id"] == id).unwrap_or_else(|| panic!("no {id}")).clone()
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

    /// Derivatives by time of the ansatz functions, from their values at degree + 1 points.
    pub fn rate(&self, s: f64, degree: usize) -> (Vec<f64>, Vec<f64>) {
        let places: Vec<f64> = (0..=degree).map(|k| (k as f64 + 0.5) / (degree as f64 + 1.0)).collect();
        let n = self.state.q.len();
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        for (i, &at) in places.iter().enumerate() {
            let others = || places.iter().enumerate().filter(|(j, _)| *j != i);
            let slope: f64 = others()
                .map(|(j, b)| {
                    let rest = others().filter(|(k, _)| *k != j).map(|(_, c)| (s - c) / (at - c));
                    rest.product::<f64>() / (at - b)
                })
                .sum();
            let value = self.ansatz(at);
            for c in 0..n {
                q[c] += slope / self.h * value.0[c];
                p[c] += slope / self.h * value.1[c];
            }
        }
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

/// Compares the value of an entry of the reference with its own tolerance.
pub fn known(tally: &mut Tally, id: &str, found: &[f64]) {
    let entry = entry(id);
    let expected = match &entry["value"] {
        Value::Array(_) => numbers(&entry["value"]),
        value => vec![number(value)],
    };
    let (absolute, relative) = (entry["atol"].as_f64().unwrap_or(0.0), entry["rtol"].as_f64().unwrap_or(0.0));
    assert!(absolute + relative > 0.0, "{id} has no tolerance");
    tally.each(id, found, &expected, |size| absolute + relative * size);
}
