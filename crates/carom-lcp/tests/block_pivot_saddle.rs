//! Block pivoting by sparse factors against the same by the dense Schur complement.

mod common;

use std::time::Instant;

use carom_lcp::corpus::{Brick, Snapshot, a_frame, squeezed_box, wall};
use carom_lcp::{
    BlockPivot, Blocks, Dense, Failure, Judged, LcpDefault, Limits, Saddle, SaddleMlcp, Solver, Sparse,
};
use common::{Random, gram};

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, ..Limits::default() }
}

/// Bodies of 1 to 6 coordinates and rows on one or two of them. Every fourth row is one before it again where `redundant`, every
/// third has no bounds or bounds on both sides.
fn random_saddle(random: &mut Random, rows: usize, t: f64, redundant: bool) -> SaddleMlcp {
    let sizes: Vec<usize> = (0..2 + random.below(5)).map(|_| 1 + random.below(6)).collect();
    let blocks: Vec<Dense> = sizes
        .iter()
        .map(|&size| Dense::from_rows(&gram(&random.matrix(size, size), 0.5)).expect("a square"))
        .collect();
    let starts: Vec<usize> = (0..=sizes.len()).map(|body| sizes[..body].iter().sum()).collect();
    let n = starts[sizes.len()];
    let (mut entries, mut q): (Vec<Vec<(usize, f64)>>, Vec<f64>) = (Vec::new(), Vec::new());
    for row in 0..rows {
        if redundant && row % 4 == 3 {
            let same = random.below(row);
            entries.push(entries[same].clone());
            q.push(q[same]);
            continue;
        }
        let mut bodies = [random.below(sizes.len()), random.below(sizes.len())];
        bodies.sort_unstable();
        let count = if bodies[0] == bodies[1] { 1 } else { 2 };
        let columns = bodies[..count].iter().flat_map(|&body| starts[body]..starts[body + 1]);
        entries.push(columns.map(|column| (column, random.normal())).collect());
        q.push(random.normal());
    }
    let triplets: Vec<_> = entries
        .iter()
        .enumerate()
        .flat_map(|(row, entries)| entries.iter().map(move |&(column, value)| (row, column, value)))
        .collect();
    let jacobian = Sparse::from_triplets(rows, n, &triplets).expect("entries inside");
    let mass = Blocks::from_blocks(&blocks).expect("square blocks");
    let saddle = Saddle::new(mass, jacobian, vec![t; rows], random.normals(n), q).expect("a problem");
    let (lower, upper) = (0..rows)
        .map(|row| match row % 6 {
            2 => (f64::NEG_INFINITY, f64::INFINITY),
            5 => (-random.unit(), random.unit()),
            _ => (0.0, f64::INFINITY),
        })
        .unzip();
    SaddleMlcp::new(saddle, lower, upper).expect("bounds")
}

/// The largest difference of two vectors, relative to the largest entry of the second.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let largest = b.iter().fold(f64::MIN_POSITIVE, |most: f64, b| most.max(b.abs()));
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs())) / largest
}

/// Impulses of the sparse way and of the dense one, both solved to the tolerance by the problem's own residual.
fn both_ways(solver: &mut BlockPivot, problem: &SaddleMlcp, tolerance: f64) -> (Vec<f64>, Vec<f64>) {
    let (mut sparse, mut dense) = (vec![0.0; problem.size()], vec![0.0; problem.size()]);
    let solved = solver.solve(problem, &mut sparse, &limits(tolerance)).expect("solved by sparse factors");
    assert_eq!(solved.residual, problem.residual(&sparse), "the residual is the problem's own");
    solver.solve(&problem.reduced(), &mut dense, &limits(tolerance)).expect("solved by dense factors");
    (sparse, dense)
}

#[test]
fn two_hundred_random_problems_have_the_answers_of_the_dense_way() {
    let mut random = Random::new(21);
    let mut solver = BlockPivot::default();
    let (mut worst, mut clamped) = (0.0_f64, 0);
    for trial in 0..200 {
        let rows = 1 + random.below(40);
        let problem = random_saddle(&mut random, rows, 1e-3, trial % 2 == 0);
        let (sparse, dense) = both_ways(&mut solver, &problem, 1e-10);
        worst = worst.max(difference(&sparse, &dense));
        clamped += (0..rows).filter(|&row| sparse[row] == problem.upper[row]).count();
        assert!(worst < 1e-10, "problem {trial}: {sparse:?}\n{dense:?}");
    }
    println!("largest difference {worst:.1e}, {clamped} rows at upper bounds");
    assert!(clamped > 50, "upper bounds are hardly met: {clamped}");
}

#[test]
fn rows_that_are_there_twice_without_regularisation_take_proximal_rounds() {
    let mut random = Random::new(22);
    let mut solver = BlockPivot::default();
    let (mut worst, mut singular) = (0.0_f64, 0);
    for trial in 0..60 {
        // Bounds on the impulses alone: a row without bounds and one with them could contradict each other.
        let mut problem = random_saddle(&mut random, 8, 0.0, true);
        problem.lower.fill(0.0);
        problem.upper.fill(f64::INFINITY);
        // Any impulses at all make slacks that some impulses from 0 up can bring up to 0.
        let mut slacks = vec![0.0; 8];
        problem.saddle.slacks(&random.normals(8).iter().map(|z| z.abs()).collect::<Vec<_>>(), &mut slacks);
        for row in 0..8 {
            problem.saddle.q[row] -= slacks[row];
        }
        let mut z = vec![1.0; 8];
        let plain = BlockPivot::plain().solve(&problem, &mut z, &limits(1e-9));
        singular += usize::from(plain.is_err_and(|unsolved| matches!(unsolved.failure, Failure::Singular(_))));
        let (sparse, dense) = both_ways(&mut solver, &problem, 1e-9);
        // Impulses of equal rows can be shared out at will; the velocities cannot.
        let [ours, theirs] = [&sparse, &dense].map(|z| problem.saddle.velocity(z));
        worst = worst.max(difference(&ours, &theirs));
        assert!(worst < 1e-6, "problem {trial}: {ours:?}\n{theirs:?}");
    }
    println!("largest difference of velocities {worst:.1e}, {singular} singular starts");
    assert!(singular > 10, "only {singular} of 60 are singular: the rounds are hardly needed");
}

#[test]
fn walls_and_boxes_without_friction_have_the_answers_of_the_dense_way() {
    let mut solver = BlockPivot::default();
    for brick in [Brick::Cube, Brick::Long] {
        for snapshot in [Snapshot::Rest, Snapshot::Impact, Snapshot::Collapse] {
            let problem = wall(5, 4, brick, snapshot).frictionless();
            let (sparse, dense) = both_ways(&mut solver, &problem, 1e-9);
            // Condition numbers of 3e6 and more: rounding of the Schur complement itself.
            let [ours, theirs] = [&sparse, &dense].map(|z| problem.saddle.velocity(z));
            let (by_z, by_v) = (difference(&sparse, &dense), difference(&ours, &theirs));
            assert!(by_z < 1e-7 && by_v < 1e-9, "{brick:?} {snapshot:?}: {by_z:e} {by_v:e}");
        }
    }
    for problem in [squeezed_box(4.0, 2.0, 0.5, 0.3), squeezed_box(400.0, 2.0, 0.5, 0.0), a_frame(0.8)] {
        let (sparse, dense) = both_ways(&mut solver, &problem.frictionless(), 1e-9);
        assert!(difference(&sparse, &dense) < 1e-9);
    }
}

#[test]
fn the_set_of_an_answer_is_a_start_that_needs_one_factorisation() {
    let mut solver = BlockPivot::default();
    let mut problem = wall(10, 10, Brick::Cube, Snapshot::Collapse).frictionless();
    let mut z = vec![0.0; problem.size()];
    let began = Instant::now();
    let cold = solver.solve(&problem, &mut z, &limits(1e-9)).expect("solved");
    let first = began.elapsed();
    problem.saddle.p.iter_mut().for_each(|p| *p *= 1.0 + 1e-9);
    let began = Instant::now();
    let warm = solver.solve(&problem, &mut z, &limits(1e-9)).expect("solved");
    println!(
        "wall of 100 bricks, {} rows: {} factorisations in {first:.1?} cold, {} in {:.1?} warm",
        z.len(),
        cold.iterations,
        warm.iterations,
        began.elapsed()
    );
    assert_eq!(warm.iterations, 1);
    assert!(cold.iterations > 1, "the cold start needs only {}", cold.iterations);
}

#[test]
fn a_row_that_depends_on_others_is_named_by_the_plain_method() {
    // Four corners hold a brick that three would hold.
    let mut problem = wall(1, 1, Brick::Cube, Snapshot::Rest).frictionless();
    problem.saddle.t.fill(0.0);
    let mut z = vec![1.0; problem.size()];
    let unsolved = BlockPivot::plain().solve(&problem, &mut z, &limits(1e-9)).expect_err("singular");
    let Failure::Singular(why) = &unsolved.failure else { panic!("{unsolved}") };
    assert!(why.starts_with("row "), "{why}");
    assert_eq!(unsolved.residual, problem.residual(&z));
}

#[test]
fn numbers_that_need_another_order_are_analysed_anew() {
    // T is large at first and lets rows come before their bodies; then it is 0.
    let mut problem = wall(3, 3, Brick::Cube, Snapshot::Impact).frictionless();
    let mut solver = BlockPivot::default();
    for t in [1e-3, 0.0, 1e-3] {
        problem.saddle.t.fill(t);
        let (sparse, dense) = both_ways(&mut solver, &problem, 1e-9);
        let [ours, theirs] = [&sparse, &dense].map(|z| problem.saddle.velocity(z));
        assert!(difference(&ours, &theirs) < 1e-6, "T = {t}");
    }
}

#[test]
fn the_default_takes_saddle_point_problems_that_block_pivoting_does_not_solve() {
    let problem = wall(3, 3, Brick::Cube, Snapshot::Impact).frictionless();
    let mut solver = LcpDefault::default();
    let mut z = vec![0.0; problem.size()];
    solver.solve(&problem, &mut z, &limits(1e-9)).expect("solved");
    assert_eq!(solver.used(), BlockPivot::FACTS.name);

    // Less than rounding: nothing reaches it, and everything is tried.
    let unsolved = solver.solve(&problem, &mut z, &limits(0.0)).expect_err("rounding is left");
    assert!(unsolved.residual.relative < 1e-12, "{unsolved}");
    assert_eq!(unsolved.residual, problem.residual(&z));
    let few = Limits { iterations: Some(1), ..limits(1e-9) };
    z.fill(0.0);
    let unsolved = solver.solve(&problem, &mut z, &few).expect_err("one is not enough");
    assert_eq!((unsolved.failure, unsolved.iterations), (Failure::Iterations, 1));
}
