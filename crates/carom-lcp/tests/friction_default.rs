//! The default friction solver: components, stick, random problems, piles.

mod common;

use carom_lcp::corpus::{Brick, Snapshot, rock_pile, tower, wall};
use carom_lcp::{Dense, Friction, FrictionDefault, Judged, Law, Limits, Solver, Sparse};
use common::friction::Contacts;
use common::{Random, gram};

/// Problems side by side, each turned into every `count`-th contact, so that their rows are interleaved.
fn side_by_side(parts: &[Contacts]) -> (Contacts, Vec<Vec<usize>>) {
    let (d, count) = (parts[0].dimension, parts.len());
    let contacts = parts[0].mu.len();
    let n = d * contacts * count;
    let mut whole = Contacts {
        name: "side by side".into(),
        dimension: d,
        w: vec![vec![0.0; n]; n],
        q: vec![0.0; n],
        mu: vec![0.0; contacts * count],
    };
    let mut places = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let place = |row: usize| ((row / d) * count + k) * d + row % d;
        for i in 0..part.q.len() {
            for j in 0..part.q.len() {
                whole.w[place(i)][place(j)] = part.w[i][j];
            }
            whole.q[place(i)] = part.q[i];
        }
        (0..contacts).for_each(|c| whole.mu[c * count + k] = part.mu[c]);
        places.push((0..part.q.len()).map(place).collect());
    }
    (whole, places)
}

fn random_part(random: &mut Random, d: usize, contacts: usize, scale: f64) -> Contacts {
    let n = d * contacts;
    let w = gram(&random.matrix(n, n), 0.1);
    let q = random.normals(n).iter().map(|value| scale * value).collect();
    let mu = (0..contacts).map(|_| random.between(0.1, 1.0)).collect();
    Contacts { name: "part".into(), dimension: d, w, q, mu }
}

#[test]
fn components_are_solved_as_problems_of_their_own() {
    let mut random = Random::new(3);
    for d in [2, 3] {
        // One of them a million times smaller: its share of the tolerance is the whole's.
        let parts: Vec<Contacts> =
            [1.0, 0.3, 1e-6, 2.0].iter().map(|&scale| random_part(&mut random, d, 4, scale)).collect();
        let (whole, places) = side_by_side(&parts);
        let problem = whole.problem();
        let mut z = vec![0.0; problem.size()];
        let solved = FrictionDefault::default().solve(&problem, &mut z, &Limits::default()).expect("solved");
        assert_eq!(solved.residual, problem.residual(&z));
        assert!(whole.relative(&z) <= 1e-8);
        for (part, places) in parts.iter().zip(&places) {
            let own: Vec<f64> = places.iter().map(|&row| z[row]).collect();
            let mut alone = vec![0.0; own.len()];
            let limits = Limits { tolerance: 1e-12, ..Limits::default() };
            FrictionDefault::default().solve(&part.problem(), &mut alone, &limits).expect("solved");
            let far = own.iter().zip(&alone).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(far <= 1e-6, "{far:e} from the answer of the part alone");
        }
    }
}

#[test]
fn a_component_without_a_solution_leaves_the_others_solved_and_the_residual_is_its_own() {
    let mut random = Random::new(4);
    let mut parts: Vec<Contacts> = (0..3).map(|_| random_part(&mut random, 3, 2, 1.0)).collect();
    // No impulse moves the contacts of the second part, and one of them approaches.
    parts[1].w.iter_mut().for_each(|row| row.fill(0.0));
    parts[1].q[0] = -1.0;
    let (whole, places) = side_by_side(&parts);
    let problem = whole.problem();
    let mut z = vec![0.0; problem.size()];
    let unsolved = FrictionDefault::default().solve(&problem, &mut z, &Limits::default()).expect_err("no solution");
    assert_eq!(unsolved.residual, problem.residual(&z));
    assert!(unsolved.residual.absolute > 0.1);
    for k in [0, 2] {
        let own: Vec<f64> = places[k].iter().map(|&row| z[row]).collect();
        assert!(parts[k].relative(&own) <= 1e-6, "part {k}: {:e}", parts[k].relative(&own));
    }
}

#[test]
fn bodies_and_matrix_have_the_same_components_and_answers() {
    // Bricks beside each other on the ground, with a body that touches nothing in between.
    let bricks = wall(1, 5, Brick::Cube, Snapshot::Collapse);
    let (mut by_bodies, mut by_matrix) = (vec![0.0; bricks.size()], vec![0.0; bricks.size()]);
    let limits = Limits { tolerance: 1e-11, ..Limits::default() };
    let solved = FrictionDefault::default().solve(&bricks, &mut by_bodies, &limits).expect("solved");
    assert_eq!(solved.residual, bricks.residual(&by_bodies));
    FrictionDefault::default().solve(&bricks.reduced(), &mut by_matrix, &limits).expect("solved");
    for (a, b) in bricks.saddle.velocity(&by_bodies).iter().zip(bricks.saddle.velocity(&by_matrix)) {
        assert!((a - b).abs() < 1e-8, "{a} is not {b}");
    }
}

#[test]
fn a_tower_at_rest_is_solved_by_one_factorisation() {
    let problem = tower(38);
    let (mut solver, mut z) = (FrictionDefault::default(), vec![0.0; problem.size()]);
    let solved = solver.solve(&problem, &mut z, &Limits::default()).expect("solved");
    assert_eq!(solver.used(), "stick");
    assert!(solved.iterations <= 8, "{} sweeps and steps", solved.iterations);
    let reduced = problem.reduced();
    let mut by_matrix = vec![0.0; problem.size()];
    solver.solve(&reduced, &mut by_matrix, &Limits::default()).expect("solved");
    assert_eq!(solver.used(), "stick");
    // Both carry the weight of 76 planks of 46.08 g for a step of 1/60 s.
    for z in [&z, &by_matrix] {
        let ground: f64 = z.iter().step_by(3).take(8).sum();
        let weight = 76.0 * 500.0 * 0.12 * 0.024 * 0.008 * 9.81 / 60.0;
        assert!((ground - weight).abs() < 1e-6 * weight, "{ground} is not {weight}");
    }
}

#[test]
fn a_thousand_positive_definite_problems_are_solved() {
    let mut random = Random::new(71);
    let (mut unsolved, mut worst) = (Vec::new(), 0.0_f64);
    for trial in 0..1000 {
        let (d, contacts) = (2 + trial % 2, 1 + random.below(10));
        let n = d * contacts;
        let w = gram(&random.matrix(n, n), 1e-2);
        let mu = (0..contacts).map(|_| random.between(0.0, 4.0)).collect();
        let data = Contacts { name: format!("{trial}"), dimension: d, w, q: random.normals(n), mu };
        let mut z = vec![0.0; n];
        let answer = FrictionDefault::default().solve(&data.problem(), &mut z, &Limits::default());
        let relative = data.relative(&z);
        match answer {
            Ok(_) => worst = worst.max(relative),
            Err(failed) => {
                // What is said of a problem that is not solved is true.
                assert!((failed.residual.relative - relative).abs() <= 1e-6 * relative, "{failed}: {relative:e}");
                unsolved.push(format!("{trial}: {relative:.1e}"));
            }
        }
    }
    println!("unsolved: {unsolved:?}, worst of the others {worst:.1e}");
    assert!(worst <= 1.000_001e-8);
    assert!(unsolved.is_empty(), "{unsolved:?}");
}

#[test]
fn small_piles_of_rocks_are_solved() {
    let mut unsolved = Vec::new();
    for number in 1..=12 {
        let problem = rock_pile([2, 2, 2], 5.0, number).reduced();
        let mut z = vec![0.0; problem.size()];
        if let Err(failed) = FrictionDefault::default().solve(&problem, &mut z, &Limits::default()) {
            assert_eq!(failed.residual, problem.residual(&z));
            unsolved.push(format!("{number}: {failed}"));
        }
    }
    assert!(unsolved.is_empty(), "{unsolved:?}");
}

#[test]
fn walls_with_box_friction_are_solved() {
    for brick in [Brick::Cube, Brick::Long] {
        for snapshot in [Snapshot::Rest, Snapshot::Impact, Snapshot::Collapse] {
            let problem = wall(5, 4, brick, snapshot).with_law(Law::Box);
            let mut z = vec![0.0; problem.size()];
            let answer = FrictionDefault::default().solve(&problem, &mut z, &Limits::default());
            let solved = answer.unwrap_or_else(|failed| panic!("{brick:?} {snapshot:?}: {failed}"));
            assert_eq!(solved.residual, problem.residual(&z));
        }
    }
}

#[test]
fn the_same_problem_has_the_same_bits_from_a_used_solver() {
    let problems = [rock_pile([2, 2, 2], 5.0, 1).reduced(), wall(2, 3, Brick::Cube, Snapshot::Impact).reduced()];
    let mut used = FrictionDefault::default();
    for problem in problems.iter().chain(&problems) {
        let run = |solver: &mut FrictionDefault| {
            let mut z = vec![0.0; problem.size()];
            let _ = solver.solve(problem, &mut z, &Limits::default());
            z.iter().map(|value| value.to_bits()).collect::<Vec<_>>()
        };
        assert_eq!(run(&mut used), run(&mut FrictionDefault::default()));
    }
}

#[test]
fn stored_zeros_couple_nothing() {
    // Two contacts whose only common entries are zeros that are stored.
    let mut w = Dense::zeros(6, 6);
    (0..6).for_each(|k| w[(k, k)] = 1.0 + k as f64);
    let full: Vec<(usize, usize, f64)> = (0..36).map(|k| (k / 6, k % 6, w[(k / 6, k % 6)])).collect();
    let q = vec![-1.0, 0.2, 0.1, -2.0, 3.0, 0.0];
    let stored = Sparse::from_triplets(6, 6, &full).expect("entries inside");
    let problems = [stored, Sparse::from_dense(&w)]
        .map(|w| Friction::new(3, w, q.clone(), vec![0.5, 0.7]).expect("a problem"));
    let answers = problems.map(|problem| {
        let mut z = vec![0.0; 6];
        FrictionDefault::default().solve(&problem, &mut z, &Limits::default()).expect("solved");
        z
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn one_solver_takes_problems_of_all_sizes() {
    let (mut random, mut solver) = (Random::new(8), FrictionDefault::default());
    for count in [5, 2, 4, 3, 2, 6] {
        let parts: Vec<Contacts> = (0..count).map(|_| random_part(&mut random, 2, 3, 1.0)).collect();
        let (whole, _) = side_by_side(&parts);
        let (problem, mut z) = (whole.problem(), vec![0.0; whole.q.len()]);
        solver.solve(&problem, &mut z, &Limits::default()).expect("solved");
        assert!(whole.relative(&z) <= 1e-8, "{count} components");
    }
}
