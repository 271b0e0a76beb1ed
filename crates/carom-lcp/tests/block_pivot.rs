//! Block pivoting against reference answers, with and without its safeguard.

mod common;

use carom_lcp::{BlockPivot, Dense, Failure, Lcp, Limits, Solved, Solver, Unsolved};
use common::{Random, gram, mlcp, natural, relative};
use serde_json::Value;

fn reference() -> Value {
    let file = include_str!("reference/mlcp_small.json");
    serde_json::from_str::<Value>(file).expect("a reference")["values"].clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().expect("a list").iter().map(numbers).collect()
}

fn tight() -> Limits {
    Limits { tolerance: 1e-10, ..Limits::default() }
}

fn free(n: usize) -> (Vec<f64>, Vec<f64>) {
    (vec![0.0; n], vec![f64::INFINITY; n])
}

fn solve(
    solver: &mut BlockPivot,
    h: &[Vec<f64>],
    q: &[f64],
    bounds: (&[f64], &[f64]),
    z: &mut [f64],
    tolerance: f64,
) -> Result<Solved, Unsolved> {
    solver.solve(&mlcp(h, q, bounds.0, bounds.1), z, &Limits { tolerance, ..Limits::default() })
}

/// The tolerance of the reference for z.
const TOLERANCE: f64 = 1e-10;

#[test]
fn murtys_three_rows_make_the_plain_method_cycle_and_not_the_safeguarded_one() {
    let murty = &reference()["murty3"];
    let (h, q, exact) = (rows(&murty["H"]), numbers(&murty["q"]), numbers(&murty["exact"]));
    let problem = Lcp::new(Dense::from_rows(&h).expect("rows"), q.clone()).expect("a problem");
    // Row 0 at its bound, rows 1 and 2 active.
    let start = [0.0, 1.0, 1.0];
    let mut z = start;
    let unsolved = BlockPivot::plain().solve(&problem, &mut z, &tight()).expect_err("a cycle");
    assert_eq!(unsolved.failure, Failure::Stalled);
    let (lower, upper) = free(3);
    let own = natural(&h, &q, &lower, &upper, &z);
    assert!((unsolved.residual.absolute - own).abs() < 1e-15, "{unsolved} but ‖F‖ = {own}");
    assert!(own <= natural(&h, &q, &lower, &upper, &start), "the start was better than {z:?}");

    for solver in [&mut BlockPivot::default(), &mut BlockPivot::least_index()] {
        let mut z = start;
        solver.solve(&problem, &mut z, &tight()).expect("a solution");
        for (got, want) in z.iter().zip(&exact) {
            assert!((got - want).abs() < TOLERANCE, "{z:?}");
        }
    }
}

#[test]
fn six_rows_with_bounds_of_all_kinds() {
    let boxed = &reference()["boxed6"];
    let at = |i: usize| i as f64;
    let b: Vec<Vec<f64>> =
        (0..6).map(|i| (0..6).map(|j| (1.3 * at(i) * at(i) + 0.7 * at(j) + 0.2).sin()).collect()).collect();
    let h = gram(&b, 0.5);
    let q: Vec<f64> = (0..6).map(|i| 2.0 * (2.1 * at(i) + 0.4).cos()).collect();
    let mut lower = vec![-0.3; 6];
    lower[4] = f64::NEG_INFINITY;
    let upper = [0.4, f64::INFINITY, 0.2, 0.1, f64::INFINITY, 0.25];
    for solver in [&mut BlockPivot::default(), &mut BlockPivot::plain()] {
        let mut z = vec![0.0; 6];
        solve(solver, &h, &q, (&lower, &upper), &mut z, 1e-10).expect("a solution");
        for (got, want) in z.iter().zip(numbers(&boxed["z"])) {
            assert!((got - want).abs() < TOLERANCE, "{z:?}");
        }
    }
}

/// A problem: H, q, l, u.
type Made = (Vec<Vec<f64>>, Vec<f64>, Vec<f64>, Vec<f64>);

/// How many of 400 problems a method does not solve, and the most factorizations where it does.
fn count(mut solver: BlockPivot, make: impl Fn(&mut Random) -> Made, tolerance: f64) -> (usize, usize) {
    let mut random = Random::new(5);
    let (mut failed, mut most) = (0, 0);
    for _ in 0..400 {
        let (h, q, lower, upper) = make(&mut random);
        let mut z = vec![0.0; q.len()];
        match solve(&mut solver, &h, &q, (&lower, &upper), &mut z, tolerance) {
            Ok(solved) => {
                let own = relative(&h, &q, &lower, &upper, &z);
                assert!(own < 2.0 * tolerance, "reported {:?} but it is {own:e}", solved.residual);
                most = most.max(solved.iterations);
            }
            Err(_) => failed += 1,
        }
    }
    (failed, most)
}

/// Rank 12 of 30 and a little on the diagonal.
fn redundant(random: &mut Random) -> Made {
    let b = random.matrix(30, 12);
    (gram(&b, 1e-5), random.normals(30), vec![0.0; 30], vec![f64::INFINITY; 30])
}

/// [[A, −Gᵀ], [G, B]] with A and B symmetric positive definite.
fn bisymmetric(random: &mut Random) -> Made {
    let (a, g, b) = (random.matrix(18, 18), random.matrix(12, 18), random.matrix(12, 12));
    let (a, b) = (gram(&a, 0.5), gram(&b, 0.5));
    let mut h = vec![vec![0.0; 30]; 30];
    for i in 0..30 {
        for j in 0..30 {
            h[i][j] = match (i < 18, j < 18) {
                (true, true) => a[i][j],
                (false, false) => b[i - 18][j - 18],
                (true, false) => -g[j - 18][i],
                (false, true) => g[i - 18][j],
            };
        }
    }
    (h, random.normals(30), vec![0.0; 30], vec![f64::INFINITY; 30])
}

/// The tolerance for redundant problems: z is up to 1e5 times F(0), and its rounding alone leaves 1e-10.
const REDUNDANT: f64 = 1e-9;

#[test]
fn four_hundred_redundant_problems_need_the_safeguard() {
    let (plain, _) = count(BlockPivot::plain(), redundant, REDUNDANT);
    let (least_index, most) = count(BlockPivot::least_index(), redundant, REDUNDANT);
    let (path, fewer) = count(BlockPivot::default(), redundant, REDUNDANT);
    println!(
        "failed: plain {plain}, least index {least_index} (at most {most} factorizations), path {path} ({fewer})"
    );
    assert_eq!((least_index, path), (0, 0));
    assert!(plain >= 40, "without the safeguard only {plain} of 400 fail: the control controls nothing");
}

#[test]
fn four_hundred_redundant_problems_with_bounds_need_the_path() {
    let boxed = |random: &mut Random| {
        let (h, q, _, _) = redundant(random);
        let reach = random.between(0.25, 0.75);
        let upper = if random.unit() < 0.5 { 0.5 } else { f64::INFINITY };
        (h, q, vec![-reach; 30], vec![upper; 30])
    };
    let (least_index, _) = count(BlockPivot::least_index(), boxed, REDUNDANT);
    let (path, most) = count(BlockPivot::default(), boxed, REDUNDANT);
    println!("failed: least index {least_index}, path {path} (at most {most} factorizations)");
    assert_eq!(path, 0);
    assert!(least_index > 0, "Murty's rule alone is fast enough: the path is not needed");
}

#[test]
fn four_hundred_bisymmetric_problems_are_solved() {
    for solver in [BlockPivot::least_index(), BlockPivot::default()] {
        let (failed, most) = count(solver, bisymmetric, 1e-12);
        println!("at most {most} factorizations");
        assert_eq!(failed, 0);
    }
}

#[test]
fn no_rows_one_row_and_rows_with_equal_bounds() {
    let mut solver = BlockPivot::default();
    solve(&mut solver, &[], &[], (&[], &[]), &mut [], 1e-12).expect("nothing to solve");
    let mut z = [0.0];
    solve(&mut solver, &[vec![2.0]], &[-3.0], (&[f64::NEG_INFINITY], &[1.0]), &mut z, 1e-12).expect("a solution");
    assert_eq!(z, [1.0]);
    let h = [vec![2.0, 1.0], vec![1.0, 2.0]];
    for fixed in [-4.0, 0.0, 4.0] {
        let mut z = [0.5, 0.5];
        let bounds: (&[f64], &[f64]) = (&[fixed, f64::NEG_INFINITY], &[fixed, f64::INFINITY]);
        solve(&mut solver, &h, &[1.0, 1.0], bounds, &mut z, 1e-12).expect("a solution");
        assert_eq!(z, [fixed, -0.5 * (1.0 + fixed)]);
    }
}

#[test]
fn the_set_of_an_answer_is_a_start_that_needs_one_factorization() {
    let (h, q, lower, upper) = redundant(&mut Random::new(8));
    let mut solver = BlockPivot::default();
    let mut z = vec![0.0; 30];
    let cold = solve(&mut solver, &h, &q, (&lower, &upper), &mut z, REDUNDANT).expect("a solution").iterations;
    let changed: Vec<f64> = q.iter().map(|q| q * (1.0 + 1e-9)).collect();
    let warm =
        solve(&mut solver, &h, &changed, (&lower, &upper), &mut z, REDUNDANT).expect("a solution").iterations;
    assert_eq!(warm, 1);
    assert!(cold > 1, "the cold start needs only {cold}");
}

#[test]
fn a_limit_of_iterations_is_kept_and_the_best_iterate_returned() {
    let (h, q, lower, upper) = redundant(&mut Random::new(8));
    let limits = Limits { iterations: Some(2), ..tight() };
    let mut z = vec![0.0; 30];
    let problem = mlcp(&h, &q, &lower, &upper);
    let unsolved = BlockPivot::default().solve(&problem, &mut z, &limits).expect_err("two are not enough");
    assert_eq!((unsolved.failure, unsolved.iterations), (Failure::Iterations, 2));
    let own = natural(&h, &q, &lower, &upper, &z);
    assert!(
        (unsolved.residual.absolute - own).abs() <= 1e-12 * own,
        "{} but ‖F‖ = {own}",
        unsolved.residual.absolute
    );
}
