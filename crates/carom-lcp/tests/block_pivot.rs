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

    let mut z = start;
    BlockPivot::default().solve(&problem, &mut z, &tight()).expect("a solution");
    for (got, want) in z.iter().zip(&exact) {
        assert!((got - want).abs() < TOLERANCE, "{z:?}");
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

/// Problems that the reference counts: (failures of the plain method, of the safeguarded one, most factorizations).
fn count(mut make: impl FnMut(&mut Random) -> (Vec<Vec<f64>>, Vec<f64>), tolerance: f64) -> (usize, usize, usize) {
    let mut random = Random::new(5);
    let (mut failed_plain, mut failed, mut most) = (0, 0, 0);
    let (mut safeguarded, mut plain) = (BlockPivot::default(), BlockPivot::plain());
    for _ in 0..400 {
        let (h, q) = make(&mut random);
        let (lower, upper) = free(q.len());
        let mut z = vec![0.0; q.len()];
        match solve(&mut safeguarded, &h, &q, (&lower, &upper), &mut z, tolerance) {
            Ok(solved) => {
                let own = relative(&h, &q, &lower, &upper, &z);
                assert!(own < 2.0 * tolerance, "reported {:?} but it is {own:e}", solved.residual);
                most = most.max(solved.iterations);
            }
            Err(_) => failed += 1,
        }
        z.fill(0.0);
        failed_plain += usize::from(solve(&mut plain, &h, &q, (&lower, &upper), &mut z, tolerance).is_err());
    }
    (failed_plain, failed, most)
}

#[test]
fn four_hundred_redundant_problems_need_the_safeguard() {
    let (plain, safeguarded, most) = count(
        |random| {
            let b = random.matrix(30, 12);
            (gram(&b, 1e-5), random.normals(30))
        },
        // z is up to 1e5 times F(0): its rounding alone leaves 1e-10.
        1e-9,
    );
    println!("plain failed {plain}, safeguarded {safeguarded}, at most {most} factorizations");
    assert_eq!(safeguarded, 0);
    assert!(plain >= 40, "without the safeguard only {plain} of 400 fail: the control controls nothing");
}

#[test]
fn four_hundred_bisymmetric_problems_are_solved() {
    let (_, safeguarded, most) = count(
        |random| {
            // [[A, −Gᵀ], [G, B]] with A and B symmetric positive definite.
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
            (h, random.normals(30))
        },
        1e-12,
    );
    println!("at most {most} factorizations");
    assert_eq!(safeguarded, 0);
}
