//! Many rods: sparse factors give the motion that full ones give, hold every rod of a long chain to round-off with exact momenta, and say which
//! constraint is wrong.

use carom::error::{Failure, Row};
use carom::method::Method;
use carom::particles::{Link, Particles};
use carom::problem::{Level, Points, Problem};
use carom::state::State;
use carom::steppers::{Stepper, verlet};
use carom::system::System;
use carom_tests::full::Full;
use carom_tests::runs::numbers;

const LINK: f64 = 0.1;

/// A chain that floats: links up to half a radian from their neighbours, velocities up to 0.05. Some links of the second half also hold the
/// point after the next one if there are to be rings.
fn floating(dimension: usize, links: usize, rings: bool) -> (Particles, State) {
    let (turns, kicks) = (numbers(2 * links, 3), numbers(dimension * (links + 1), 5));
    let mut at = [0.0; 3];
    let mut q = at[..dimension].to_vec();
    for (i, turn) in turns.chunks_exact(2).enumerate() {
        // Three points of a ring must not be on a line: its rods would depend on each other.
        let bent = if !rings {
            0.0
        } else if i.is_multiple_of(2) {
            0.6
        } else {
            -0.6
        };
        let (angle, rise) = (bent + 0.5 * turn[0], if dimension == 3 { 0.5 * turn[1] } else { 0.0 });
        let direction = [angle.cos() * rise.cos(), angle.sin() * rise.cos(), rise.sin()];
        at.iter_mut().zip(direction).for_each(|(at, direction)| *at += LINK * direction);
        q.extend_from_slice(&at[..dimension]);
    }
    let mut system = Particles::new(dimension, vec![1.0; links + 1]).expect("right");
    let length = |i: usize, j: usize| {
        let ends = (0..dimension).map(|k| q[dimension * i + k] - q[dimension * j + k]);
        ends.map(|d| d * d).sum::<f64>().sqrt()
    };
    for i in 0..links {
        system.add_rod(Link::between(i, i + 1), length(i, i + 1)).expect("right");
    }
    if rings {
        for i in (links / 2..links - 1).step_by(3) {
            system.add_rod(Link::between(i, i + 2), length(i, i + 2)).expect("right");
        }
    }
    let p = kicks.iter().map(|kick| 0.1 * kick).collect();
    (system, State { t: 0.0, q, p })
}

/// The state after some steps, and what they took.
fn after<S: System>(system: &S, start: &State, h: f64, steps: usize) -> (State, u32) {
    let mut stepper = verlet::Config::default().stepper(system, start).expect("taken");
    let (mut state, mut solves) = (start.clone(), 0);
    for _ in 0..steps {
        let report = stepper.step(system, &mut state, h).expect("it runs");
        assert!(report.residual <= 1e-12, "{report:?}");
        solves += report.iterations;
    }
    (state, solves)
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

/// A stepper and its system.
type Way<'a> = (Box<dyn Stepper<dyn System + 'a> + 'a>, &'a (dyn System + 'a));

#[test]
fn sparse_and_full_factors_give_the_same_motion_beside_the_threshold_and_above_it() {
    // 64 rows are the first that have sparse factors.
    for (dimension, links, rings) in
        [(2, 63, false), (2, 64, false), (2, 200, false), (3, 64, false), (2, 60, true), (3, 90, true)]
    {
        let (system, start) = floating(dimension, links, rings);
        let (sparse, solves) = after(&system, &start, 0.02, 50);
        let (full, others) = after(&Full(floating(dimension, links, rings).0), &start, 0.02, 50);
        let (off, moved) = (apart(&sparse.q, &full.q), apart(&sparse.q, &start.q));
        let message = format!(
            "{links} links in {dimension}d, rings {rings}: {off:e} apart, moved by {moved}, {solves} and {others} solves"
        );
        println!("{message}");
        assert!(off < 1e-12 && apart(&sparse.p, &full.p) < 1e-12 && moved > 0.01, "{message}");
        assert!(solves.abs_diff(others) <= 2, "{message}");
        // Below the threshold it is the same code: the very bits.
        assert!(rings || links > 63 || sparse == full, "{message}");
    }
}

/// The sine of the largest turn of a link.
fn turned(a: &State, b: &State) -> f64 {
    let direction = |state: &State, i: usize| {
        let [x, y] = [0, 1].map(|k| state.q[2 * i + 2 + k] - state.q[2 * i + k]);
        y.atan2(x)
    };
    let turns = (0..a.q.len() / 2 - 1).map(|i| (direction(a, i) - direction(b, i)).sin().abs());
    turns.fold(0.0_f64, f64::max)
}

#[test]
fn rods_that_turn_far_in_a_step_are_solved_as_with_full_factors_or_fail_as_with_them() {
    let (mut farthest, mut failed) = (0.0_f64, 0);
    for kick in [4.0, 6.0, 8.0, 10.0, 12.0, 20.0] {
        let (system, mut start) = floating(2, 120, false);
        start.p.iter_mut().for_each(|p| *p *= kick);
        // A short step puts the velocities onto the rods.
        let (first, _) = after(&system, &start, 1e-4, 1);
        let full = Full(floating(2, 120, false).0);
        let mut ways: [Way; 2] = [&system as &dyn System, &full].map(|system| {
            (Box::new(verlet::Config::default().stepper(system, &first).expect("taken")) as _, system)
        });
        let [sparse, full] = ways.each_mut().map(|(stepper, system)| {
            let mut state = first.clone();
            stepper.step(*system, &mut state, 0.02).map(|report| (state, report.iterations))
        });
        match (sparse, full) {
            (Ok((sparse, solves)), Ok((full, others))) => {
                let (turn, off) = (turned(&sparse, &first), apart(&sparse.q, &full.q));
                println!("{kick}: turned by {turn}, {solves} and {others} solves, {off:e} apart");
                assert!(off < 1e-12 && solves.abs_diff(others) <= 2, "{kick}: {off:e}, {solves}, {others}");
                farthest = farthest.max(turn);
            }
            (Err(sparse), Err(full)) => {
                println!("{kick}: {sparse}; {full}");
                assert_eq!(std::mem::discriminant(&sparse.failure), std::mem::discriminant(&full.failure));
                failed += 1;
            }
            (sparse, full) => panic!("{kick}: {sparse:?}, {full:?}"),
        }
    }
    assert!(farthest > 0.15 && failed > 0, "{farthest}, {failed}");
}

#[test]
fn a_long_chain_keeps_its_rods_and_momenta_to_round_off() {
    let links = 5000;
    let (system, start) = floating(2, links, false);
    let mut stepper = verlet::Config::default().stepper(&system, &start).expect("taken");
    let mut state = start.clone();
    let mut step = |state: &mut State| stepper.step(&system, state, 0.01).expect("it runs");
    // The first step takes off what the velocities at the start are off the rods by.
    step(&mut state);
    let momenta = |state: &State| {
        let points = state.q.chunks_exact(2).zip(state.p.chunks_exact(2));
        points.fold([0.0; 3], |[x, y, turn], (q, p)| [x + p[0], y + p[1], turn + q[0] * p[1] - q[1] * p[0]])
    };
    let (before, kinetic) = (momenta(&state), |state: &State| state.p.iter().map(|p| 0.5 * p * p).sum::<f64>());
    let energy = kinetic(&state);
    let from = state.clone();
    for _ in 0..200 {
        step(&mut state);
    }
    let mut f = vec![0.0; links];
    system.equalities().values(state.t, &state.q, &mut f);
    // The floor of the iteration, 4 ε of the terms of a rod: coordinates go up to 450.
    for (rod, f) in f.iter().enumerate() {
        let size = state.q[2 * rod..2 * rod + 4].iter().fold(0.0, |sum, q| sum + q.abs());
        assert!(f.abs() <= 4.0 * f64::EPSILON * size, "{rod}: {f:e}");
    }
    let last = momenta(&state);
    let sizes = state.q.chunks_exact(2).zip(state.p.chunks_exact(2)).fold([0.0; 2], |[linear, turn], (q, p)| {
        [linear + p[0].abs() + p[1].abs(), turn + (q[0] * p[1]).abs() + (q[1] * p[0]).abs()]
    });
    for (k, size) in [sizes[0], sizes[0], sizes[1]].into_iter().enumerate() {
        assert!((last[k] - before[k]).abs() < 1e-13 * size, "{k}: {before:?}, {last:?}");
    }
    // Nothing but the rods acts: the energy trembles and does not drift away. It did move.
    assert!((kinetic(&state) / energy - 1.0).abs() < 0.02 && apart(&state.q, &from.q) > 0.1);
    // Control: rods that are let go are off at once.
    let mut free = Particles::new(2, vec![1.0; links + 1]).expect("right");
    free.set_gravity(&[0.0, 0.0]).expect("right");
    let (loose, _) = after(&free, &from, 0.01, 10);
    system.equalities().values(0.0, &loose.q, &mut f);
    assert!(f.iter().any(|f| f.abs() > 1e-4));
}

#[test]
fn a_warm_step_on_sparse_factors_allocates_nothing() {
    for links in [64, 1000] {
        let (system, start) = floating(2, links, false);
        let mut stepper = verlet::Config::default().stepper(&system, &start).expect("taken");
        let mut state = start;
        let mut steps = |count: usize| {
            (0..count).map(|_| stepper.step(&system, &mut state, 0.01).expect("it runs").iterations).sum::<u32>()
        };
        steps(2);
        let counted = allocation_counter::measure(|| _ = steps(20));
        assert_eq!(counted.count_total, 0, "{links} links");
    }
}

#[test]
fn the_constraint_that_depends_on_others_is_named_whatever_the_order_of_elimination_is() {
    let (mut system, start) = floating(2, 200, false);
    // A second rod where one is already, declared last.
    system.add_rod(Link::between(70, 71), LINK).expect("right");
    match verlet::Config::default().stepper(&system, &start) {
        Err(Failure::Redundant { row: Row::Equality(200, _), pivot }) => assert!(pivot.abs() < 1e-10, "{pivot:e}"),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("taken"),
    }
    let full = Full(system);
    match verlet::Config::default().stepper(&full, &start) {
        Err(Failure::Redundant { row: Row::Equality(200, _), .. }) => {}
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("taken"),
    }
    // Two ends of a rod at one place: its gradient is not a number there.
    let (system, mut start) = floating(2, 200, false);
    start.q.copy_within(100..102, 102);
    assert!(verlet::Config::default().stepper(&system, &start).is_err());
}

#[test]
fn a_step_that_is_too_long_names_its_rod_and_leaves_everything() {
    let (system, mut start) = floating(2, 100, false);
    start.p[81] = 1e3;
    let mut stepper = verlet::Config::default().stepper(&system, &start).expect("taken");
    let mut state = start.clone();
    let error = stepper.step(&system, &mut state, 0.05).expect_err("there is no way");
    assert_eq!(state, start);
    match error.failure {
        Failure::OutOfReach { row: Row::Equality(..), residual, closest, .. } => assert!(residual >= closest),
        Failure::Singular { row: Row::Equality(..), .. } | Failure::NonFinite { .. } => {}
        other => panic!("{other}"),
    }
}

/// The chain in digits that a scene has.
fn rounded(links: usize, digits: f64) -> Result<Problem, Vec<carom::problem::Inconsistency>> {
    let (system, start) = floating(2, links, false);
    let q: Vec<f64> = start.q.iter().map(|q| (q * digits).round() / digits).collect();
    let n = q.len();
    Problem::new(Box::new(system), 0.0, q, vec![0.0; n], Points::default())
}

#[test]
fn a_start_in_few_digits_is_put_onto_its_rods_by_sparse_factors_and_by_full_ones() {
    for links in [40, 3000] {
        let problem = rounded(links, 1e9).unwrap_or_else(|wrong| panic!("{}", wrong[0]));
        let mut f = vec![0.0; links];
        problem.system.equalities().values(0.0, &problem.initial.q, &mut f);
        assert!(f.iter().all(|f| f.abs() < 1e-12), "{links}");
        let [adjustment] = &problem.adjustments[..] else { panic!("{:?}", problem.adjustments) };
        assert!(adjustment.of == Level::Position && adjustment.change > 1e-11 && adjustment.change < 1e-8);
        assert!(rounded(links, 1e1).is_err());
    }
}
