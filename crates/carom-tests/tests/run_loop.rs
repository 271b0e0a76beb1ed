//! The run loop: grid, failure policy, observers, interruption; the initial state; measures.

use std::sync::atomic::{AtomicBool, Ordering};

use carom::error::{Failure, StepError};
use carom::lagrangian::parts::{Masses, Springs};
use carom::measures::Momentum;
use carom::observe::{Frame, Observer};
use carom::problem::{Inconsistency, Level, Points, Problem};
use carom::run::{Ended, Grid, OnFailure, Run};
use carom::state::State;
use carom::steppers::{StepReport, Stepper};
use carom::system::{Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, SparseHessian, System};
use carom_tests::runs::{built_in, method, scene, stepper};

fn oscillator() -> Masses<Springs> {
    Masses::new(vec![1.0], Springs { stiffness: vec![1.0] })
}

/// Free flight that refuses steps longer than its limit.
struct Limited {
    limit: f64,
    made: Vec<f64>,
}

impl Stepper<dyn System> for Limited {
    fn step(&mut self, _: &dyn System, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        if h > self.limit {
            return Err(StepError { t: state.t, h, failure: Failure::NonFinite { what: "too long" } });
        }
        state.t += h;
        state.q[0] += h * state.p[0];
        self.made.push(h);
        Ok(StepReport { iterations: 1, residual: h, ..StepReport::default() })
    }
}

/// Keeps every frame; fails or raises a flag at a given step.
struct Watcher<'a> {
    seen: Vec<(u64, f64, f64)>,
    fail_at: Option<u64>,
    stop_at: Option<(u64, &'a AtomicBool)>,
}

impl Observer for Watcher<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.seen.push((frame.step, frame.state.t, frame.energy()));
        if let Some((step, flag)) = self.stop_at
            && step == frame.step
        {
            flag.store(true, Ordering::Relaxed);
        }
        if self.fail_at == Some(frame.step) { Err("the disk is full".into()) } else { Ok(()) }
    }
}

fn start() -> State {
    State { t: 0.5, q: vec![0.0], p: vec![1.0] }
}

fn run(
    limit: f64,
    on_failure: OnFailure,
    watcher: &mut Watcher,
    stop: &AtomicBool,
) -> (carom::run::Outcome, Vec<f64>) {
    let system = oscillator();
    let mut stepper = Limited { limit, made: Vec::new() };
    let grid = Grid { t0: 0.5, h: 0.1, steps: 10 };
    let outcome = Run { system: &system as &dyn System, stepper: &mut stepper, grid, on_failure }.go(
        start(),
        &mut [watcher],
        stop,
    );
    (outcome, stepper.made)
}

fn watcher<'a>() -> Watcher<'a> {
    Watcher { seen: Vec::new(), fail_at: None, stop_at: None }
}

#[test]
fn every_node_is_shown_at_its_time_of_the_grid() {
    let (mut seen, never) = (watcher(), AtomicBool::new(false));
    let (outcome, made) = run(1.0, OnFailure::Stop, &mut seen, &never);
    assert_eq!((outcome.steps, outcome.ended, made.len()), (10, None, 10));
    let times: Vec<f64> = (0..=10).map(|k| 0.5 + k as f64 * 0.1).collect();
    assert_eq!(seen.seen.iter().map(|frame| frame.1).collect::<Vec<_>>(), times);
    assert_eq!(outcome.state.t, 0.5 + 10.0 * 0.1);
}

#[test]
fn a_failed_step_stops_the_run_or_is_halved_as_the_policy_says() {
    let never = AtomicBool::new(false);
    let (outcome, made) = run(0.03, OnFailure::Stop, &mut watcher(), &never);
    assert_eq!((outcome.steps, outcome.failures, made.len()), (0, 1, 0));
    assert!(matches!(outcome.ended, Some(Ended::Step { step: 1, .. })));
    assert_eq!(outcome.state, start());

    let (outcome, made) = run(0.03, OnFailure::Halve, &mut watcher(), &never);
    assert_eq!((outcome.steps, outcome.halved_steps, outcome.ended), (10, 10, None));
    // 0.1 and 0.05 are refused, 0.025 is not: 1 + 2 failures and 4 pieces a step.
    assert_eq!((outcome.failures, made.len()), (30, 40));
    assert!((outcome.state.q[0] - 1.0).abs() < 1e-14);

    let (outcome, made) = run(1e-9, OnFailure::Halve, &mut watcher(), &never);
    assert_eq!((outcome.steps, made.len()), (0, 0), "halving has an end");
    assert_eq!(outcome.state, start());
}

#[test]
fn an_observer_that_fails_and_an_interruption_end_the_run_with_what_was_made() {
    let never = AtomicBool::new(false);
    let mut full = Watcher { fail_at: Some(3), ..watcher() };
    let (outcome, _) = run(1.0, OnFailure::Stop, &mut full, &never);
    assert_eq!(outcome.ended, Some(Ended::Observer { step: 3, message: "the disk is full".into() }));
    assert_eq!(outcome.steps, 3);

    let flag = AtomicBool::new(false);
    let mut stopping = Watcher { stop_at: Some((4, &flag)), ..watcher() };
    let (outcome, _) = run(1.0, OnFailure::Stop, &mut stopping, &flag);
    assert_eq!((outcome.steps, outcome.ended), (4, Some(Ended::Interrupted { step: 4 })));
}

#[test]
fn halving_recovers_a_real_run() {
    // A pendulum of length 1 with a speed of 12: a step of 0.2 reaches no point of the circle along the search line.
    let text = "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '9.81*y'\n\
                equalities = ['hypot(x, y) - 1']\n[initial]\nq = [0, -1]\nv = [12, 0]\n\
                [method]\nname = 'verlet'\n[run]\nstep = 0.2\nsteps = 20\n";
    let fast = scene("fast", text, &[]);
    let go = |on_failure| {
        let mut stepper = stepper(&fast, &method("verlet"));
        let grid = Grid { t0: 0.0, h: 0.2, steps: 20 };
        Run { system: &*fast.problem.system, stepper: &mut *stepper, grid, on_failure }.go(
            fast.problem.initial.clone(),
            &mut [],
            &AtomicBool::new(false),
        )
    };
    assert!(matches!(go(OnFailure::Stop).ended, Some(Ended::Step { step: 1, .. })));
    let recovered = go(OnFailure::Halve);
    assert_eq!((recovered.steps, recovered.ended), (20, None));
    assert!(recovered.halved_steps > 0 && recovered.failures >= recovered.halved_steps);
}

/// A system with a wrong gradient, a negative mass or a pole, as asked.
struct Odd {
    mass: [f64; 2],
}

impl Dynamics for Odd {
    fn dim(&self) -> usize {
        2
    }
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&self.mass)
    }
    fn potential(&self, _: f64, q: &[f64]) -> f64 {
        1.0 / q[0]
    }
    fn potential_gradient(&self, _: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[-1.0 / (q[0] * q[0]), 0.0]);
    }
    fn potential_hessian(&self, _: f64, q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[3.0 / q[0].powi(3), 0.0, 0.0, 0.0]);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Odd {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

#[test]
fn systems_in_rust_are_checked_like_scenes() {
    let new =
        |mass, q0: f64| Problem::new(Box::new(Odd { mass }), 0.0, vec![q0, 0.0], vec![0.0; 2], Points::default());
    assert!(new([1.0, 1.0], 1.0).is_ok());
    let kind = |mass| match new(mass, 1.0).err().expect("refused").remove(0) {
        Inconsistency::Mass { kind, name, .. } => (kind, name),
        other => panic!("{other}"),
    };
    assert_eq!(kind([1.0, -1.0]), ("indefinite", "q[1]".to_string()));
    assert_eq!(kind([1.0, 0.0]), ("singular", "q[1]".to_string()));
    let found = new([1.0, 1.0], 0.0).err().expect("a pole");
    assert!(found.iter().any(|i| i.to_string().contains("the potential is not finite")), "{found:?}");
}

#[test]
fn control_the_derivative_check_finds_a_wrong_hessian() {
    let found = carom::testing::derivatives::check(&Odd { mass: [1.0, 1.0] }, 0.0, &[0.8, 0.1], &[0.3, 0.4]);
    let verdicts: Vec<(&str, bool)> = found.iter().map(|c| (c.what, c.agrees())).collect();
    assert_eq!(verdicts[..2], [("dV/dq", true), ("d2V/dq2", false)]);
}

#[test]
fn a_state_off_by_rounding_is_projected_and_said() {
    let scene = built_in("double-pendulum-rods", &[]);
    let q = scene.problem.initial.q.clone();
    let build = |factor: f64, sideways: f64| {
        let again = built_in("double-pendulum-rods", &[]);
        let q: Vec<f64> = q.iter().map(|x| x * factor).collect();
        let v = [q[1] + sideways * q[0], -q[0]].repeat(2);
        Problem::new(again.problem.system, 0.0, q, v, Points::default())
    };
    let exact = build(1.0, 0.0).expect("on the constraints");
    assert_eq!(exact.adjustments, []);
    let near = build(1.0 + 4e-7, 4e-7).expect("projected");
    let levels: Vec<Level> = near.adjustments.iter().map(|a| a.of).collect();
    assert_eq!(levels, [Level::Position, Level::Velocity]);
    assert!(near.adjustments.iter().all(|a| a.relative > 1e-10 && a.change > 1e-10 && a.change < 1e-6));
    let mut f = [0.0; 2];
    near.system.equalities().values(0.0, &near.initial.q, &mut f);
    assert!(f.iter().all(|f| f.abs() < 1e-15), "{f:?}");
    assert!(matches!(build(1.0 + 1e-4, 0.0).err().expect("refused")[0], Inconsistency::Equality { index: 0, .. }));
    assert!(matches!(build(1.0, 1e-2).err().expect("refused")[0], Inconsistency::Velocity { index: 0, .. }));
}

#[test]
fn momentum_in_space_has_the_right_components() {
    let points = Points { dimension: 3, members: vec![vec![0, 1, 2], vec![3, 4, 5]], ..Points::default() };
    let momentum = Momentum::new(points);
    assert_eq!(momentum.components(), (3, 3));
    let mut out = [0.0; 6];
    momentum.of(&[1.0, 2.0, 3.0, -1.0, 0.0, 2.0], &[4.0, 5.0, 6.0, 1.0, -2.0, 3.0], &mut out);
    // (1,2,3)×(4,5,6) = (−3,6,−3); (−1,0,2)×(1,−2,3) = (4,5,2).
    assert_eq!(out, [5.0, 3.0, 9.0, 1.0, 11.0, -1.0]);
}
