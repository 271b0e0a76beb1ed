//! Friction problems: public data, variations of them, warm starts, and what has no solution.

mod common;

use std::time::{Duration, Instant};

use carom_lcp::{Dense, Friction, FrictionDefault, Interior, Judged, Law, Limits, Newton, Solver, Sparse};
use common::friction::Contacts;
use common::{Random, gram, public_data};

/// Seconds that a problem may take.
const SECONDS: u64 = 5;

fn within(seconds: u64) -> Limits {
    Limits { deadline: Some(Instant::now() + Duration::from_secs(seconds)), ..Limits::default() }
}

fn read_all() -> Option<Vec<Contacts>> {
    let files = public_data("friction-contact")?;
    Some(files.iter().map(|file| Contacts::read(&std::fs::read_to_string(file).expect("a file"))).collect())
}

#[test]
fn public_problems_are_solved_in_time() {
    let Some(problems) = read_all() else { return };
    assert_eq!(problems.len(), 19);
    let mut unsolved = Vec::new();
    for data in &problems {
        let mut solver = FrictionDefault::default();
        let mut r = vec![0.0; data.q.len()];
        let start = Instant::now();
        let answer = solver.solve(&data.problem(), &mut r, &within(SECONDS));
        let (seconds, own) = (start.elapsed().as_secs_f64(), data.relative(&r));
        println!(
            "{:<40} {:>3} contacts  {own:8.1e}  {:<8}  {seconds:.3} s",
            data.name,
            data.mu.len(),
            solver.used()
        );
        match answer {
            Ok(solved) => {
                // The crate's residual and the test's agree where they are above rounding.
                assert!((solved.residual.relative - own).abs() <= 1e-6 * own + 1e-13, "{}: {own:e}", data.name);
                assert!(own <= 1.000_001e-8, "{}: {own:e}", data.name);
            }
            Err(failed) => {
                assert!(own <= 1e-4, "{}: {failed}", data.name);
                unsolved.push(&data.name);
            }
        }
    }
    println!("unsolved: {unsolved:?}");
    assert!(unsolved.len() <= 2, "{unsolved:?}");
}

/// The problem with other coefficients of friction, or with other speeds that the contacts can really have.
fn varied(data: &Contacts, kind: usize) -> Contacts {
    let mut other = data.clone();
    match kind {
        0..4 => other.mu.iter_mut().for_each(|mu| *mu *= [0.3, 0.6, 1.4, 2.0][kind]),
        _ => {
            let mut random = Random::new(kind as u64);
            let push: Vec<f64> = data.q.iter().map(|_| random.between(-1.0, 1.0)).collect();
            let change = common::times(&data.w, &push);
            let size = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
            let scale = [0.1, 0.5, 2.0, 0.2, 1.0][(kind - 4) % 5] * size(&data.q) / size(&change);
            other.q.iter_mut().zip(change).for_each(|(q, change)| *q += scale * change);
        }
    }
    other
}

#[test]
fn variations_of_public_problems_are_solved() {
    let Some(problems) = read_all() else { return };
    let mut unsolved = Vec::new();
    for data in &problems {
        for kind in 0..9 {
            let other = varied(data, kind);
            let mut r = vec![0.0; other.q.len()];
            let answer = FrictionDefault::default().solve(&other.problem(), &mut r, &within(SECONDS));
            let own = other.relative(&r);
            if answer.is_err() || own > 1.000_001e-8 {
                unsolved.push(format!("{} {kind}: {own:.1e}", data.name));
            }
        }
    }
    println!("unsolved of {}: {unsolved:?}", 9 * problems.len());
    assert!(unsolved.len() <= 1, "{unsolved:?}");
}

/// Contacts with W = B Bᵀ + shift, and q such that a solution exists: every motion that q asks for is one of the bodies.
fn random_contacts(random: &mut Random, contacts: usize, rank: usize, shift: f64) -> Contacts {
    let n = 3 * contacts;
    let b = random.matrix(n, rank);
    let push = random.normals(rank);
    let q = b.iter().map(|row| row.iter().zip(&push).map(|(x, y)| x * y).sum()).collect();
    let mu = (0..contacts).map(|_| random.between(0.1, 1.0)).collect();
    Contacts { name: "random".into(), dimension: 3, w: gram(&b, shift), q, mu }
}

#[test]
fn a_warm_start_at_the_answer_costs_nothing_and_near_it_a_few_iterations() {
    let mut random = Random::new(11);
    let data = random_contacts(&mut random, 20, 40, 1e-3);
    let problem = data.problem();
    let limits = Limits { tolerance: 1e-12, ..Limits::default() };
    let mut r = vec![0.0; problem.size()];
    FrictionDefault::default().solve(&problem, &mut r, &limits).expect("a solution");
    assert!(data.relative(&r) <= 1e-12);
    let mut again = r.clone();
    let solved = FrictionDefault::default().solve(&problem, &mut again, &limits).expect("it is one");
    assert_eq!((solved.iterations, &again), (0, &r));
    let mut near: Vec<f64> = r.iter().map(|value| value * 1.001).collect();
    let solved = FrictionDefault::default().solve(&problem, &mut near, &limits).expect("a solution");
    assert!(solved.iterations <= 10, "{} iterations", solved.iterations);
    assert!(data.relative(&near) <= 1e-12);
}

#[test]
fn a_contact_that_nothing_can_keep_out_is_unsolved_and_says_how_far() {
    // No impulse changes the speed: −1 stays −1.
    let w = Sparse::from_triplets(3, 3, &[]).expect("an empty matrix");
    let problem = Friction::new(3, w, vec![-1.0, 0.2, 0.0], vec![0.5]).expect("a problem");
    let mut r = vec![0.0; 3];
    let unsolved = FrictionDefault::default().solve(&problem, &mut r, &Limits::default()).expect_err("no solution");
    assert!(unsolved.residual.absolute > 0.1, "{unsolved}");
    assert_eq!(unsolved.residual, problem.residual(&r));
    assert!(r.iter().all(|value| value.is_finite()));
}

#[test]
fn contacts_without_friction_and_rows_of_equalities_are_solved_by_every_way() {
    let mut random = Random::new(5);
    for trial in 0..10 {
        let (equalities, contacts) = (trial % 4, 6);
        let n = equalities + 3 * contacts;
        let h = gram(&random.matrix(n, n), 0.1);
        let w = Sparse::from_dense(&Dense::from_rows(&h).expect("rows"));
        let mu = (0..contacts).map(|c| if c % 2 == 0 { 0.0 } else { 0.6 }).collect();
        let problem = Friction::with_equalities(3, equalities, w, random.normals(n), mu).expect("a problem");
        let limits = Limits { tolerance: 1e-10, ..Limits::default() };
        let mut newton = Newton::default();
        let mut answers = Vec::new();
        let mut by_paths = vec![0.0; n];
        let _ = Interior::default().solve(&problem, &mut by_paths, &limits);
        assert!(problem.residual(&by_paths).relative < 1e-6, "path of trial {trial}");
        newton.solve(&problem, &mut by_paths, &limits).expect("a solution");
        answers.push(by_paths);
        let mut by_default = vec![0.0; n];
        FrictionDefault::default().solve(&problem, &mut by_default, &limits).expect("a solution");
        answers.push(by_default);
        for z in &answers {
            let mut slacks = vec![0.0; n];
            problem.w.times(z, &mut slacks);
            for row in 0..equalities {
                assert!((slacks[row] + problem.q[row]).abs() < 1e-8, "equality {row}");
            }
            for c in (0..contacts).step_by(2) {
                assert!(z[problem.row_of(c) + 1].abs() < 1e-9, "friction where there is none");
            }
        }
    }
}

#[test]
fn box_friction_is_solved_by_newton() {
    let mut random = Random::new(9);
    let data = random_contacts(&mut random, 10, 20, 1e-2);
    let problem = data.problem().with_law(Law::Box);
    let mut z = vec![0.0; problem.size()];
    let limits = Limits { tolerance: 1e-10, ..Limits::default() };
    FrictionDefault::default().solve(&problem, &mut z, &limits).expect("a solution");
    let (mut slacks, mut sliding) = (vec![0.0; z.len()], 0);
    problem.w.times(&z, &mut slacks);
    for c in 0..problem.contacts() {
        let row = problem.row_of(c);
        let u = |k: usize| slacks[row + k] + problem.q[row + k];
        assert!(z[row] >= -1e-9 && u(0) >= -1e-8 && (z[row] * u(0)).abs() < 1e-8);
        for k in 1..3 {
            let reach = problem.mu[c] * z[row];
            assert!(z[row + k].abs() <= reach + 1e-8);
            if u(k).abs() > 1e-6 && reach > 1e-6 {
                assert!((z[row + k] + reach.copysign(u(k))).abs() < 1e-8, "friction against the slip");
                sliding += 1;
            }
        }
    }
    assert!(sliding > 3, "{sliding} rows slide: nothing was tested");
}

#[test]
fn the_next_problem_starts_from_what_its_contacts_remember() {
    let mut random = Random::new(21);
    let data = random_contacts(&mut random, 20, 40, 1e-3);
    let limits = Limits { tolerance: 1e-10, ..Limits::default() };
    let mut r = vec![0.0; data.q.len()];
    let cold = FrictionDefault::default().solve(&data.problem(), &mut r, &limits).expect("a solution").iterations;
    let mut memory = carom_lcp::warm::Memory::default();
    memory.keep(&(0..20).collect::<Vec<u64>>(), &r);
    // A little later two contacts have gone, the others are in another order and a little faster.
    let left: Vec<u64> = (2..20).rev().collect();
    let rows: Vec<usize> = left.iter().flat_map(|&c| (0..3).map(move |k| 3 * c as usize + k)).collect();
    let next = Contacts {
        name: "next".into(),
        dimension: 3,
        w: rows.iter().map(|&i| rows.iter().map(|&j| data.w[i][j]).collect()).collect(),
        q: rows.iter().map(|&i| 1.01 * data.q[i]).collect(),
        mu: left.iter().map(|&c| data.mu[c as usize]).collect(),
    };
    let mut start = vec![0.0; rows.len()];
    assert_eq!(memory.recall(&left, 1.0, &mut start), 18);
    assert!(next.relative(&start) < 1.0, "no better than nothing");
    let warm =
        FrictionDefault::default().solve(&next.problem(), &mut start, &limits).expect("a solution").iterations;
    assert!(next.relative(&start) <= 1e-10);
    assert!(warm < cold, "{warm} iterations from a warm start, {cold} from a cold one");
}

#[test]
fn numbers_at_the_ends_of_the_range_end_with_a_truthful_answer() {
    let scaled = |w: f64, q: f64| {
        let w = Sparse::from_triplets(3, 3, &[(0, 0, w), (1, 1, w), (2, 2, w)]).expect("a matrix");
        Friction::new(3, w, vec![-q, q, 0.0], vec![0.5]).expect("a problem")
    };
    // W whose inverse overflows, squares that overflow and that vanish; no deadline: a solve that never ends would show.
    for (w, q) in [(5e-324, 1.0), (1e-160, 1.0), (1.0, 1e160), (1.0, 1e-165), (1e170, 1.0)] {
        let problem = scaled(w, q);
        for newton in [false, true] {
            let mut r = vec![0.0; 3];
            let answer = match newton {
                true => Newton::default().solve(&problem, &mut r, &Limits::default()),
                false => FrictionDefault::default().solve(&problem, &mut r, &Limits::default()),
            };
            // W, q: by hand r_n = q/W, friction μ r_n against the slip.
            let exact = [q / w, -0.5 * q / w, 0.0];
            let near =
                (q / w).is_finite() && r.iter().zip(exact).all(|(got, want)| (got - want).abs() <= 1e-7 * (q / w));
            assert_eq!(answer.is_ok(), near, "W = {w:e}, q = {q:e}: {r:?}, {answer:?}");
        }
    }
}
