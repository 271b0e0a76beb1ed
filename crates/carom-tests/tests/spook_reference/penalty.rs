//! `penalty`, `projection` and `verlet` on the oscillator and the pendulum of the paper.

use std::f64::consts::TAU;

use carom::method::AnyMethod;
use carom::state::State;
use carom::system::{
    Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, Softness, SparseEqualities, SparseHessian, System,
};
use carom_io::scene::Scene;
use carom_tests::reference::{Tally, number, numbers};
use carom_tests::runs::{advance, method, scene, stepper};
use serde_json::Value;

const REFERENCE: &str = include_str!("../../reference/spook_penalty.json");
const H: f64 = 1.0 / 60.0;

/// The values of a check.
fn values(id: &str) -> Value {
    let all: Value = serde_json::from_str(REFERENCE).expect("JSON");
    let tests = all["tests"].as_array().expect("a list");
    tests.iter().find(|test| test["id"] == id).unwrap_or_else(|| panic!("no {id}"))["values"].clone()
}

/// A mass whose only constraint is `x = 0`.
fn oscillator() -> Scene {
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 1.0\npotential = 0.0\nequalities = ['x']\n[initial]\nq = [0.0]\n\
                [method]\nname = 'penalty'\n[run]\nstep = 0.01\nsteps = 1\n";
    scene("oscillator", text, &[])
}

/// Nodes of an oscillation from `x = 1`, at rest: off the constraint, which a scene must not be at its start.
fn oscillate(omega: f64, options: &str, steps: usize) -> Vec<State> {
    let scene = oscillator();
    let mut step = stepper(&scene, &method(&format!("penalty {options}, stiffness={:?}", omega * omega)));
    let mut nodes = vec![State { t: 0.0, q: vec![1.0], p: vec![0.0] }];
    for _ in 0..steps {
        let mut state = nodes[nodes.len() - 1].clone();
        advance(&scene, &mut *step, &mut state, H, 1);
        nodes.push(state);
    }
    nodes
}

/// The frequencies of the three oscillators: `h ω = 0.105, 0.333, 16.7`.
const OSCILLATORS: [(&str, f64); 3] = [("osc_low", TAU), ("osc_mid", 20.0), ("osc_high", 1000.0)];

#[test]
fn oscillators_of_three_frequencies() {
    let mut tally = Tally::default();
    for (id, omega) in OSCILLATORS {
        let (first, long) = (values(id), values(&format!("{id}_600")));
        for rule in ["midpoint", "euler"] {
            // A constraint without bend: both linear parts are the force itself.
            for linearized in ["none", "gauss-newton", "full"] {
                let options = format!("rule={rule}, linearized={linearized}");
                let what = format!("{id} {options}");
                let x: Vec<f64> = oscillate(omega, &options, 600).iter().map(|node| node.q[0]).collect();
                tally.each(&what, &x[..11], &numbers(&first[rule]["x10"]), |size| 1e-10 * size.max(1.0));
                let (found, expected) = (largest(&x[541..]), number(&long[format!("A_{rule}")]));
                // Below 1e-12 the order of magnitude counts; below 1e-300 there is none.
                match expected {
                    e if e > 1e-12 => tally.check(&what, found, e, 1e-6 * e),
                    e if e > 0.0 => tally.check(&what, found.log10(), e.log10(), 1.0),
                    _ => tally.below(&what, found, 1e-300),
                }
            }
        }
        // Implicit Euler takes the same part of v² + ω²x² in every step.
        let nodes = oscillate(omega, "rule=euler", 20);
        let norm = |node: &State| node.p[0].hypot(omega * node.q[0]);
        let rho = (norm(&nodes[20]) / norm(&nodes[0])).powf(0.05);
        let expected = number(&long["euler_rho"]);
        tally.check(&format!("{id} rho"), rho, expected, 1e-6 * expected);
    }
    tally.settle("oscillators");
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |max, x| max.max(x.abs()))
}

/// A pendulum of length 1, released at 60 degrees.
const PENDULUM: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = "9.81*y"
equalities = ["(x^2 + y^2 - 1)/2"]
[initial]
q = ["sin(pi/3)", "-cos(pi/3)"]
[method]
name = "penalty"
[run]
step = 0.01
steps = 1
"#;

/// What the reference measures of a run.
struct Swing {
    /// Mean time between upward crossings of the vertical, linear between nodes.
    period: Option<f64>,
    max_radius_err: f64,
    /// Largest angle over the nodes of the last quarter.
    amp_last_quarter: f64,
    /// `T + m g y`, without the energy of springs.
    e_mean_last60: f64,
    e_max: f64,
    /// Steps that were made.
    steps: usize,
}

impl Swing {
    /// Of `[x, y]` and the velocities at the nodes.
    fn of(nodes: &[([f64; 2], [f64; 2])]) -> Self {
        let angles: Vec<f64> = nodes.iter().map(|([x, y], _)| x.atan2(-y)).collect();
        let energies: Vec<f64> =
            nodes.iter().map(|([_, y], [vx, vy])| 0.5 * (vx * vx + vy * vy) + 9.81 * y).collect();
        let upward: Vec<f64> = angles
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[0] < 0.0 && pair[1] > 0.0 && pair[1] - pair[0] < 3.0)
            .map(|(k, pair)| H * (k as f64 + pair[0] / (pair[0] - pair[1])))
            .collect();
        let period = || Some((upward.last()? - upward.first()?) / (upward.len() - 1) as f64);
        let last = &energies[energies.len().saturating_sub(60)..];
        Self {
            period: if upward.len() > 1 { period() } else { None },
            max_radius_err: nodes.iter().fold(0.0_f64, |max, ([x, y], _)| max.max((x.hypot(*y) - 1.0).abs())),
            amp_last_quarter: largest(&angles[angles.len() * 3 / 4..]),
            e_mean_last60: last.iter().sum::<f64>() / last.len() as f64,
            e_max: energies.iter().fold(f64::NEG_INFINITY, |max, e| max.max(*e)),
            steps: nodes.len() - 1,
        }
    }

    /// 600 steps of a method, or fewer if one fails.
    fn run(method: &AnyMethod) -> Self {
        let scene = scene("pendulum", PENDULUM, &[]);
        let (mut step, mut state) = (stepper(&scene, method), scene.problem.initial.clone());
        let node = |state: &State| ([state.q[0], state.q[1]], [state.p[0], state.p[1]]);
        let mut nodes = vec![node(&state)];
        for k in 1..=600 {
            match step.step(&*scene.problem.system, &mut state, H) {
                // Also far from stability a step that is made is a solution.
                Ok(report) => assert!(report.residual <= 1e-6, "step {k} of {method:?}: {report:?}"),
                Err(error) => {
                    println!("{method:?}: {error}");
                    break;
                }
            }
            state.t = f64::from(k) * H;
            nodes.push(node(&state));
        }
        Self::of(&nodes)
    }

    fn compare(&self, what: &str, expected: &Value, tally: &mut Tally) {
        assert_eq!(self.period.is_none(), expected["period"].is_null(), "{what}: a period");
        for (key, found) in [
            ("period", self.period),
            ("max_radius_err", Some(self.max_radius_err)),
            ("amp_last_quarter", Some(self.amp_last_quarter)),
            ("E_mean_last60", Some(self.e_mean_last60)),
            ("E_max", Some(self.e_max)),
        ] {
            let Some(found) = found else { continue };
            let expected = number(&expected[key]);
            // Radii that are exact to the last bit are round-off in both.
            let floor = if key == "max_radius_err" { 1e-15 } else { 0.0 };
            tally.check(&format!("{what} {key}"), found, expected, 1e-4 * expected.abs() + floor);
        }
    }
}

/// The method of an entry of the reference.
fn method_of(name: &str) -> Option<AnyMethod> {
    let options = match name {
        "projectionPBD" => return Some(method("projection velocity=difference")),
        "projectionPosVel" => return Some(method("projection velocity=projected")),
        _ => name.split_once("_eps")?,
    };
    let (rule, linearized) = match options.0 {
        "linEulerGN" => ("euler", "gauss-newton"),
        "linEulerFull" => ("euler", "full"),
        "nlEuler" => ("euler", "none"),
        "linMidGN" => ("midpoint", "gauss-newton"),
        "linMidFull" => ("midpoint", "full"),
        "nlMid" => ("midpoint", "none"),
        _ => return None,
    };
    let stiffness = options.1.parse::<f64>().expect("a number").recip();
    Some(method(&format!("penalty rule={rule}, linearized={linearized}, stiffness={stiffness:?}")))
}

#[test]
fn pendulum_by_springs_and_projections() {
    let (all, mut tally) = (values("pendulum_penalty_10s"), Tally::default());
    let (mut compared, mut unstable) = (0, 0);
    for (name, expected) in all.as_object().expect("a table") {
        let Some(method) = method_of(name) else { continue };
        let swing = Swing::run(&method);
        // An unstable run is chaotic: only that it is one is told.
        if number(&expected["E_max"]) > 0.0 {
            println!(
                "{name}: E_max {:e} after {} steps, reference {}",
                swing.e_max, swing.steps, expected["E_max"]
            );
            assert!(swing.e_max > 0.0, "{name}: {}", swing.e_max);
            unstable += 1;
        } else {
            assert_eq!(swing.steps, 600, "{name}");
            swing.compare(name, expected, &mut tally);
            compared += 1;
        }
    }
    assert_eq!((compared, unstable), (29, 9), "entries of the reference");
    tally.settle("pendulum");
}

#[test]
fn implicit_euler_with_stiff_springs_tends_to_the_projection() {
    let period = |text: &str| Swing::run(&method(text)).period.expect("it swings");
    let projected = period("projection velocity=difference");
    let off = |stiffness: &str| (period(&format!("penalty stiffness={stiffness}")) - projected).abs();
    println!("periods differ by {:.2e} and {:.2e} s", off("1e10"), off("1e6"));
    assert!((1e-9..2e-9).contains(&off("1e10")) && off("1e6") > 1e-6, "{:e} {:e}", off("1e10"), off("1e6"));
}

/// SHAKE has the positions of `verlet`. Its first step from rest gives the velocity a whole push `h F`: `verlet` has it from half of that,
/// along the circle.
#[test]
fn the_positions_of_verlet_are_those_of_shake() {
    let scene = scene("pendulum", PENDULUM, &[]);
    let mut state = scene.problem.initial.clone();
    let [x, y] = [state.q[0], state.q[1]];
    let along = -0.5 * H * 9.81 * x;
    state.p = vec![-y * along, x * along];
    let mut step = stepper(&scene, &method("verlet"));
    let mut nodes = vec![([x, y], [0.0, 0.0])];
    for _ in 0..600 {
        let [x, y] = [state.q[0], state.q[1]];
        advance(&scene, &mut *step, &mut state, H, 1);
        nodes.push(([state.q[0], state.q[1]], [(state.q[0] - x) / H, (state.q[1] - y) / H]));
    }
    let mut tally = Tally::default();
    Swing::of(&nodes).compare("shake", &values("pendulum_penalty_10s")["shake"], &mut tally);
    tally.settle("shake");
}

/// What the reference tells apart is told apart by its tolerance.
#[test]
fn control_other_linear_parts_miss_the_numbers() {
    let expected = &values("pendulum_penalty_10s")["linEulerFull_eps0.001"];
    let amplitude = number(&expected["amp_last_quarter"]);
    for linearized in ["none", "gauss-newton"] {
        let text = format!("penalty rule=euler, linearized={linearized}, stiffness=1000.0");
        let off = (Swing::run(&method(&text)).amp_last_quarter / amplitude - 1.0).abs();
        assert!(off > 100.0 * 1e-4, "{linearized}: {off:e}");
    }
}

/// The pendulum in Rust, with a compliance of its own.
struct Soft {
    mass: [f64; 2],
    compliance: Option<f64>,
}

impl Dynamics for Soft {
    fn dim(&self) -> usize {
        2
    }
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&self.mass)
    }
    fn potential(&self, _t: f64, q: &[f64]) -> f64 {
        9.81 * q[1]
    }
    fn potential_gradient(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[0.0, 9.81]);
    }
    fn potential_hessian(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Soft {
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Equalities for Soft {
    fn count(&self) -> usize {
        1
    }
    fn values(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    }
    fn rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(q);
    }
    fn hessian(&self, _t: f64, _q: &[f64], lambda: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[lambda[0], 0.0, 0.0, lambda[0]]);
    }
    fn bend(&self, _t: f64, _q: &[f64], v: &[f64], out: &mut [f64]) {
        out[0] = v[0] * v[0] + v[1] * v[1];
    }
    fn rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn softness(&self, _index: usize) -> Softness {
        Softness { compliance: self.compliance, damping: None }
    }
    fn name(&self, index: usize) -> String {
        format!("equalities[{index}]")
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        None
    }
}

#[test]
fn the_compliance_of_a_row_counts_before_the_stiffness_of_the_method() {
    let run = |compliance: Option<f64>, stiffness: f64| {
        let system: Box<dyn System> = Box::new(Soft { mass: [1.0, 1.0], compliance });
        let mut state = State { t: 0.0, q: vec![0.6, -0.8], p: vec![0.0, 0.0] };
        let method = method(&format!("penalty rule=midpoint, stiffness={stiffness:?}"));
        let mut step = method.stepper(&*system, &state).expect("taken");
        (0..100).for_each(|_| _ = step.step(&*system, &mut state, H).expect("it runs"));
        state
    };
    assert_eq!(run(Some(0.01), 1e6), run(None, 100.0));
    assert_ne!(run(None, 1e6), run(None, 100.0));
    // No spring is infinitely stiff: a row that may not yield has the method's own.
    assert_eq!(run(Some(0.0), 1e6), run(None, 1e6));
}
