//! The artificial constraint force as an error estimate, and the continuous motion inside a step.

use std::sync::atomic::AtomicBool;

use carom::measures::Ledger;
use carom::observe::{Frame, Observer};
use carom::run::{Grid, OnFailure, Run};
use carom::steppers::End;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, method, stepper};

use crate::{Exact, Tally, Walk, entry, number, numbers, root_mean_square, sixteen, squares};

/// `|(a, b)|` with momenta in units of J times the frequency of small swings.
fn size(q: f64, p: f64) -> f64 {
    (q * q + p * p / (4.0 * 19.62)).sqrt()
}

fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let logs = |x: &[f64]| x.iter().map(|x| x.ln()).collect::<Vec<_>>();
    let (x, y) = (logs(x), logs(y));
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let (mx, my) = (mean(&x), mean(&y));
    let product =
        |x: &[f64], mx: f64, y: &[f64], my: f64| x.iter().zip(y).map(|(x, y)| (x - mx) * (y - my)).sum::<f64>();
    product(&x, mx, &y, my) / (product(&x, mx, &x, mx) * product(&y, my, &y, my)).sqrt()
}

fn rms(x: &[f64]) -> f64 {
    (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64).sqrt()
}

fn median(mut x: Vec<f64>) -> f64 {
    x.sort_by(f64::total_cmp);
    let middle = x.len() / 2;
    if x.len() % 2 == 1 { x[middle] } else { 0.5 * (x[middle - 1] + x[middle]) }
}

#[test]
fn the_jump_estimates_the_error_inside_a_step() {
    let mut tally = Tally::default();
    let scene = built_in("pendulum-polar", &[]);
    for (name, rows) in entry("a_posteriori")["value"].as_object().expect("degrees") {
        for row in rows.as_array().expect("steps") {
            let h = number(&row["T"]);
            let degree: usize = name[1..].parse().expect("a degree");
            let mut walk = Walk::pendulum(&format!("degree={degree}, points=12"), h);
            let (mut forces, mut jumps, mut dense, mut nodal, mut net) = (vec![], vec![], vec![], vec![], 0.0_f64);
            for _ in 0..(2.4 / h).round() as usize {
                walk.step();
                // The exact motion from the same node.
                let exact = |s: f64| {
                    let mut state = walk.before.clone();
                    let mut step = stepper(&scene, &method("galerkin degree=12"));
                    step.step(&*scene.problem.system, &mut state, s * h).expect("it runs");
                    state
                };
                let jump = |end: End| {
                    let (mut q, mut p) = ([0.0], [0.0]);
                    walk.inside().jump(end, &mut q, &mut p);
                    (q[0], p[0])
                };
                let ((atom_q, _), (_, atom_p)) = (jump(End::Start), jump(End::Finish));
                jumps.push(size(atom_q, atom_p));
                let (mut force, mut error, mut sum) = (0.0, 0.0, [atom_q, atom_p]);
                for (s, w) in sixteen() {
                    let (q, p) = walk.ansatz(s);
                    let (q_rate, p_rate) = walk.rate(s, degree);
                    let (of_q, of_p) = (p[0] / 4.0 - q_rate[0], p_rate[0] + 19.62 * q[0].sin());
                    force += w * h * size(of_q, of_p).powi(2);
                    sum = [sum[0] + w * h * of_q, sum[1] + w * h * of_p];
                    let there = exact(s);
                    error += w * size(q[0] - there.q[0], p[0] - there.p[0]).powi(2);
                }
                net = net.max(sum[0].abs()).max(sum[1].abs());
                forces.push(force.sqrt());
                dense.push(error.sqrt());
                let there = exact(1.0);
                nodal.push(size(walk.state.q[0] - there.q[0], walk.state.p[0] - there.p[0]));
            }
            let ratios: Vec<f64> = dense.iter().zip(&jumps).map(|(dense, jump)| dense / jump).collect();
            let squares: Vec<f64> = nodal.iter().zip(&jumps).map(|(nodal, jump)| nodal / (jump * jump)).collect();
            let found = [
                ("rms_L2_force", rms(&forces)),
                ("rms_jump", rms(&jumps)),
                ("rms_dense", rms(&dense)),
                ("rms_local_nodal", rms(&nodal)),
                ("ratio_dense_over_jump", rms(&dense) / rms(&jumps)),
                ("corr_log_jump_dense", correlation(&jumps, &dense)),
                ("corr_log_L2_dense", correlation(&forces, &dense)),
                ("corr_log_jump_localnodal", correlation(&jumps, &nodal)),
            ];
            for (what, found) in found {
                let expected = number(&row[what]);
                tally.check(&format!("{name}, T = {h}: {what}"), found, expected, 0.05 * expected.abs());
            }
            let extremes =
                [ratios.iter().copied().fold(f64::MAX, f64::min), ratios.iter().copied().fold(0.0, f64::max)];
            let expected = numbers(&row["min_max_ratio_dense_jump"]);
            tally.each(&format!("{name}, T = {h}: ratios"), &extremes, &expected, |size| 0.05 * size);
            let expected = numbers(&row["ratio_local_over_jump2"]);
            tally.each(&format!("{name}, T = {h}: nodal"), &[median(squares)], &expected, |size| 0.05 * size);
            tally.below(&format!("{name}, T = {h}: net impulse"), net, 1e-13);
        }
    }
    tally.settle("a posteriori");
}

#[test]
fn the_motion_inside_a_step_has_order_m_plus_2_and_the_ansatz_m_plus_1() {
    let exact = Exact::new(built_in("pendulum-polar", &[]), 0.1, 2.4);
    let mut tally = Tally::default();
    for (name, value) in entry("dense_orders")["value"].as_object().expect("degrees") {
        let mut found = Vec::new();
        for h in [0.3, 0.15, 0.075, 0.0375] {
            let mut walk = Walk::pendulum(&format!("degree={}, points=12", &name[1..]), h);
            let (mut ansatz, mut dense) = (Vec::new(), Vec::new());
            for k in 0..(2.4 / h).round() as usize {
                walk.step();
                for (s, w) in sixteen() {
                    let there = exact.at((k as f64 + s) * h);
                    let ((q, p), (dense_q, dense_p)) = (walk.ansatz(s), walk.dense(s));
                    ansatz.push((squares((&q, &p), &there), w));
                    dense.push((squares((&dense_q, &dense_p), &there), w));
                }
            }
            found.push([root_mean_square(&ansatz), root_mean_square(&dense)].concat());
        }
        let rows = value["rms_q_p_qstar_pstar"].as_array().expect("rows");
        for (found, row) in found.iter().zip(rows) {
            tally.each(name, found, &numbers(row), |size| 0.05 * size);
        }
        let orders = value["orders"].as_array().expect("rows");
        for (pair, row) in found.windows(2).zip(orders) {
            let slopes: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| (a / b).log2()).collect();
            tally.each(&format!("{name} orders"), &slopes, &numbers(row), |size| 0.05 * size);
        }
    }
    tally.settle("inside a step");
}

/// Continuous, and the nodes at both ends: with constraints and M(q) too.
#[test]
fn the_motion_inside_a_step_meets_the_nodes() {
    for (name, options) in [
        ("pendulum-polar", "degree=2"),
        ("pendulum-polar", "degree=3, continuity=continuous"),
        ("elastic-pendulum", "degree=2, points=4"),
        ("elastic-pendulum", "degree=1, continuity=right-left"),
        ("double-pendulum", "degree=2, continuity=continuous"),
        ("pendulum-cartesian", "degree=2"),
        ("double-pendulum-rods", "degree=3, continuity=right-left"),
        ("driven-pendulum", "degree=2, quadrature=rectangle, points=20"),
    ] {
        let mut walk = Walk::new(built_in(name, &[]), options, 0.02);
        for _ in 0..20 {
            walk.step();
            for (s, node) in [(0.0, &walk.before), (1.0, &walk.state)] {
                let (q, p) = walk.dense(s);
                let off = squares((&q, &p), node).map(f64::sqrt);
                let size = node.q.iter().chain(&node.p).fold(1.0_f64, |max, x| max.max(x.abs()));
                assert!(off[0].max(off[1]) <= 1e-14 * size, "{name} {options} at {s}: {off:?}");
            }
        }
    }
}

/// The accounts of a damped pendulum close with the order of the method: the work is summed at its own points.
#[test]
fn the_ledger_closes_with_the_order_of_the_method() {
    let error = |h: f64| {
        let scene = built_in("pendulum-polar", &["lagrangian.forces=['-1.6*dot(theta)']"]);
        let problem = &scene.problem;
        let mut ledger = Entries(Ledger::new(&*problem.system, &[], false), &scene);
        let mut step = stepper(&scene, &method("galerkin"));
        let grid = Grid { t0: 0.0, h, steps: (2.4 / h).round() as u64 };
        let run = Run { system: &*problem.system, stepper: &mut *step, grid, on_failure: OnFailure::Stop };
        let outcome = run.go(problem.initial.clone(), &mut [&mut ledger], &AtomicBool::new(false));
        assert_eq!(outcome.ended, None);
        ledger.0.error_max
    };
    let errors = [0.1, 0.05, 0.025].map(error);
    let slopes = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
    println!("errors of the accounts {errors:?}, slopes {slopes:.2?}");
    assert!((slopes[1] - 5.0).abs() < 0.4, "{errors:?}");
}

struct Entries<'a>(Ledger, &'a Scene);

impl Observer for Entries<'_> {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        self.0.enter(&*self.1.problem.system, frame);
        Ok(())
    }
}
