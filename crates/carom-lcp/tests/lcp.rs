//! LCPs: reference answers, exact decisions, public data.

mod common;

use std::time::Instant;

use carom_lcp::{BlockPivot, Dense, Enumeration, Failure, Lcp, LcpDefault, Lemke, Limits, Mlcp, Solver, Sparse};
use common::rational::solvable;
use common::{Random, gram, mlcp, natural, public_data, relative};
use serde_json::Value;

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, ..Limits::default() }
}

fn lcp(m: &[Vec<f64>], q: &[f64]) -> Lcp {
    Lcp::new(Dense::from_rows(m).expect("rows of one length"), q.to_vec()).expect("a problem")
}

fn relative_lcp(m: &[Vec<f64>], q: &[f64], z: &[f64]) -> f64 {
    relative(m, q, &vec![0.0; q.len()], &vec![f64::INFINITY; q.len()], z)
}

#[test]
fn every_solver_finds_murtys_answer() {
    let file = include_str!("reference/mlcp_small.json");
    let murty = serde_json::from_str::<Value>(file).expect("a reference")["values"]["murty3"].clone();
    let h: Vec<Vec<f64>> = serde_json::from_value(murty["H"].clone()).expect("rows");
    let q: Vec<f64> = serde_json::from_value(murty["q"].clone()).expect("numbers");
    let exact: Vec<f64> = serde_json::from_value(murty["exact"].clone()).expect("numbers");
    let problem = lcp(&h, &q);
    let solvers: [&mut dyn Solver<Lcp>; 4] = [
        &mut BlockPivot::default(),
        &mut Lemke::default(),
        &mut Enumeration::default(),
        &mut LcpDefault::default(),
    ];
    for solver in solvers {
        let mut z = vec![0.0; 3];
        solver.solve(&problem, &mut z, &limits(1e-10)).expect("a solution");
        for (got, want) in z.iter().zip(&exact) {
            assert!((got - want).abs() < 1e-10, "{z:?}");
        }
    }
}

#[test]
fn lemke_ends_at_a_ray_where_there_is_no_solution_and_keeps_the_start() {
    let problem = lcp(&[vec![-1.0]], &[-1.0]);
    let mut z = [0.25];
    let unsolved = Lemke::default().solve(&problem, &mut z, &limits(1e-10)).expect_err("w = −z − 1 < 0");
    assert_eq!(unsolved.failure, Failure::Ray);
    assert_eq!(z, [0.25]);
    assert_eq!(unsolved.residual.absolute, natural(&[vec![-1.0]], &[-1.0], &[0.0], &[f64::INFINITY], &z));
}

#[test]
fn a_cover_that_covers_nothing_is_refused() {
    let problem = lcp(&[vec![1.0]], &[-1.0]);
    let mut lemke = Lemke::default();
    lemke.cover = Some(vec![0.0]);
    let unsolved = lemke.solve(&problem, &mut [0.0], &limits(1e-10)).expect_err("a cover of 0");
    assert!(matches!(unsolved.failure, Failure::Unsuitable(_)), "{unsolved}");
}

#[test]
fn two_thousand_small_problems_are_decided_as_exact_arithmetic_decides_them() {
    let mut random = Random::new(17);
    let (mut without, mut with) = (0, 0);
    let (mut default, mut enumeration) = (LcpDefault::default(), Enumeration::default());
    for _ in 0..2000 {
        // Few different whole numbers: singular bases, ties and problems without a solution are frequent.
        let mut whole = || random.below(5) as f64 - 2.0;
        let m: Vec<Vec<f64>> = (0..4).map(|_| (0..4).map(|_| whole()).collect()).collect();
        let q: Vec<f64> = (0..4).map(|_| whole()).collect();
        let problem = lcp(&m, &q);
        let exists = solvable(&m, &q);
        let mut z = vec![0.0; 4];
        for solver in [&mut default as &mut dyn Solver<Lcp>, &mut enumeration] {
            z.fill(0.0);
            match solver.solve(&problem, &mut z, &limits(1e-10)) {
                Ok(_) => {
                    assert!(exists, "{m:?} {q:?} has no solution but {z:?} was found");
                    assert!(relative_lcp(&m, &q, &z) < 1e-10, "{m:?} {q:?} {z:?}");
                }
                Err(unsolved) => {
                    assert!(!exists, "{m:?} {q:?} has a solution: {unsolved}");
                    assert!(matches!(unsolved.failure, Failure::Infeasible(_)), "{m:?} {q:?}: {unsolved}");
                }
            }
        }
        *(if exists { &mut with } else { &mut without }) += 1;
    }
    println!("{with} with a solution, {without} without");
    assert!(with > 200 && without > 200, "one of the two kinds is missing: {with} and {without}");
}

#[test]
fn lemke_and_block_pivoting_agree_on_bounds_of_all_kinds() {
    let mut random = Random::new(23);
    for trial in 0..300 {
        let n = 1 + random.below(12);
        // Positive definite, and with a skew part for every second problem: one solution each.
        let b = random.matrix(n, n);
        let mut h = gram(&b, 0.3);
        for i in 0..n {
            for j in 0..i {
                let skew = if trial % 2 == 0 { 0.0 } else { random.normal() };
                h[i][j] += skew;
                h[j][i] -= skew;
            }
        }
        let q = random.normals(n);
        let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; n], vec![f64::INFINITY; n]);
        for i in 0..n {
            let kind = random.below(5);
            if kind == 1 || kind == 3 {
                lower[i] = random.between(-0.5, 0.1);
            }
            if kind == 2 || kind == 3 {
                upper[i] = random.between(0.1, 0.5);
            }
            if kind == 4 {
                (lower[i], upper[i]) = (0.2, 0.2);
            }
        }
        let problem = mlcp(&h, &q, &lower, &upper);
        let answers: Vec<Vec<f64>> = [
            &mut BlockPivot::default() as &mut dyn Solver<Mlcp>,
            &mut Lemke::default(),
            &mut LcpDefault::default(),
        ]
        .into_iter()
        .map(|solver| {
            let mut z = vec![0.0; n];
            solver.solve(&problem, &mut z, &limits(1e-10)).expect("a solution");
            let own = natural(&h, &q, &lower, &upper, &z);
            assert!(own < 1e-12, "‖F‖ = {own:e}");
            z
        })
        .collect();
        for (first, others) in answers[0].iter().zip(answers[1].iter().zip(&answers[2])) {
            assert!((first - others.0).abs() < 1e-11 && (first - others.1).abs() < 1e-11, "{answers:?}");
        }
    }
}

#[test]
fn rows_without_bounds_and_a_singular_matrix_go_through_lemke() {
    // w₁ = z₂ − 1, w₂ = −z₁ + 2: a saddle without a diagonal; the two unknowns have no bounds.
    let h = [vec![0.0, 1.0, 0.0], vec![-1.0, 0.0, 0.0], vec![0.0, 0.0, 0.0]];
    let (q, infinite) = ([-1.0, 2.0, 0.0], [f64::INFINITY; 3]);
    let mut z = [0.0; 3];
    Lemke::default()
        .solve(&mlcp(&h, &q, &infinite.map(|x| -x), &infinite), &mut z, &limits(1e-12))
        .expect("a solution");
    assert_eq!(z[..2], [2.0, 1.0]);
}

#[test]
fn degenerate_copositive_problems_of_forty_rows_are_solved() {
    // Games of two players: q is 0 but for the last two rows, so that nearly every ratio ties.
    let mut random = Random::new(3);
    let mut default = LcpDefault::default();
    for _ in 0..20 {
        let k = 19;
        let n = 2 * k + 2;
        let (mut m, mut q) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for i in 0..k {
            for j in 0..k {
                m[i][k + j] = 1.0 + random.below(20) as f64;
                m[k + j][i] = 1.0 + random.below(20) as f64;
            }
            (m[i][2 * k], m[2 * k][i]) = (-1.0, 1.0);
            (m[k + i][2 * k + 1], m[2 * k + 1][k + i]) = (-1.0, 1.0);
        }
        (q[2 * k], q[2 * k + 1]) = (-1.0, -1.0);
        let mut z = vec![0.0; n];
        default.solve(&lcp(&m, &q), &mut z, &limits(1e-10)).expect("a game has an equilibrium");
        assert!(relative_lcp(&m, &q, &z) < 1e-10);
    }
}

#[test]
fn public_problems_are_solved_and_the_one_without_a_solution_is_told() {
    let Some(files) = public_data("lcp") else {
        return;
    };
    let mut solver = LcpDefault::default();
    let mut without = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a file");
        let value: Value = serde_json::from_str(&text).expect("a problem");
        let name = value["name"].as_str().expect("a name").to_string();
        let m: Vec<Vec<f64>> = serde_json::from_value(value["M"].clone()).expect("rows");
        let q: Vec<f64> = serde_json::from_value(value["q"].clone()).expect("numbers");
        let mut z = vec![0.0; q.len()];
        let start = Instant::now();
        let answer = solver.solve(&lcp(&m, &q), &mut z, &limits(1e-10));
        let seconds = start.elapsed().as_secs_f64();
        let own = relative_lcp(&m, &q, &z);
        println!("{name}: {} rows, {own:.1e}, {}, {seconds:.1e} s", q.len(), solver.used());
        match answer {
            Ok(_) => assert!(own <= 1e-10, "{name}: {own:e}"),
            Err(unsolved) => {
                assert!(matches!(unsolved.failure, Failure::Infeasible(_)), "{name}: {unsolved}");
                without.push(name);
            }
        }
        assert!(seconds < 1.0, "{seconds} s");
    }
    assert_eq!(files.len(), 14);
    assert_eq!(without, ["lcp-pang-isolated-sol-perturbed"]);
}

#[test]
fn a_large_sparse_mixed_problem_is_solved_by_sparse_factors() {
    // A membrane over an obstacle: second differences, pressed down, above −0.1 sin.
    let n: usize = 2000;
    let triplets: Vec<(usize, usize, f64)> = (0..n)
        .flat_map(|i| {
            let beside = [i.checked_sub(1), (i + 1 < n).then_some(i + 1)];
            beside.into_iter().flatten().map(move |j| (i, j, -1.0)).chain([(i, i, 2.0 + 1e-3)])
        })
        .collect();
    let h = Sparse::from_triplets(n, n, &triplets).expect("a matrix");
    let lower: Vec<f64> = (0..n).map(|i| -0.1 * (7.0 * i as f64 / n as f64).sin().abs() - 0.01).collect();
    let problem = Mlcp::new(h, vec![5e-5; n], lower.clone(), vec![f64::INFINITY; n]).expect("a problem");
    let mut z = vec![0.0; n];
    let solved =
        LcpDefault::default().solve(&problem, &mut z, &limits(1e-10)).expect("an obstacle problem has one");
    assert!(solved.residual.relative <= 1e-10);
    let touching = z.iter().zip(&lower).filter(|(z, lower)| z == lower).count();
    assert!((100..n - 100).contains(&touching), "{touching} rows touch");
    // Beyond what dense factors can hold a solver refuses instead of asking for gigabytes.
    let full: Vec<(usize, usize, f64)> = (0..1500).map(|i| (i, i, 1.0)).collect();
    let large = Sparse::from_triplets(1500, 1500, &full).expect("a matrix");
    let problem = Mlcp::new(large, vec![-1.0; 1500], vec![0.0; 1500], vec![2.0; 1500]).expect("a problem");
    let refused = Lemke::default().solve(&problem, &mut vec![0.0; 1500], &limits(1e-10)).expect_err("too large");
    assert!(matches!(refused.failure, Failure::Unsuitable(_)), "{refused}");
}
