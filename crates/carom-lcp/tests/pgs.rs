//! Projected Gauss–Seidel as a solver: what it promises on any problem.

use std::time::Instant;

use carom_lcp::corpus::{Brick, Snapshot, a_frame, one_contact, sliding_cube, squeezed_box, wall};
use carom_lcp::solvers::pgs::{Options, Part, Pgs, Variant};
use carom_lcp::{BlockPivot, Dense, Failure, Judged, Law, Limits, Mlcp, SaddleMlcp, Solver, Sparse};

const VARIANTS: [Variant; 4] =
    [Variant::Separate, Variant::BlockProjection, Variant::BlockTangents, Variant::ExactTangents];

#[test]
fn sweeps_by_bodies_and_by_matrix_agree() {
    for law in [Law::Cone, Law::Box] {
        for problem in [a_frame(0.8), wall(3, 2, Brick::Cube, Snapshot::Collapse)] {
            let problem = problem.with_law(law);
            let reduced = problem.reduced();
            for variant in VARIANTS {
                let mut pgs = Pgs::new(Options { variant, ..Options::default() });
                let [mut by_bodies, mut by_matrix] = [vec![0.0; problem.size()], vec![0.0; problem.size()]];
                pgs.sweep(&problem, Part::All, 20, &mut by_bodies, |_| {});
                pgs.sweep(&reduced, Part::All, 20, &mut by_matrix, |_| {});
                for (a, b) in by_bodies.iter().zip(&by_matrix) {
                    assert!((a - b).abs() < 1e-10, "{law:?} {variant:?}: {a} and {b}");
                }
            }
        }
    }
}

#[test]
fn every_iterate_obeys_its_law() {
    for law in [Law::Cone, Law::Box] {
        let problem = wall(3, 2, Brick::Long, Snapshot::Collapse).with_law(law);
        for variant in VARIANTS {
            for relaxation in [0.5, 1.0, 1.5] {
                let mut pgs = Pgs::new(Options { variant, relaxation, ..Options::default() });
                let mut z: Vec<f64> = (0..problem.size()).map(|k| (k as f64).sin()).collect();
                pgs.sweep(&problem, Part::All, 10, &mut z, |sweep| {
                    for (contact, mu) in sweep.z.chunks(3).zip(&problem.mu) {
                        let friction = match law {
                            Law::Cone => contact[1].hypot(contact[2]),
                            Law::Box => contact[1].abs().max(contact[2].abs()),
                        };
                        let holds = contact[0] >= 0.0 && friction <= mu * contact[0] * (1.0 + 1e-14);
                        assert!(holds, "{law:?} {variant:?} {relaxation}: {contact:?}");
                    }
                });
            }
        }
    }
}

#[test]
fn exact_tangents_solve_and_the_verdict_is_that_of_the_problem() {
    let problem = one_contact();
    let mut z = vec![0.0; 3];
    let limits = Limits { tolerance: 1e-14, ..Limits::default() };
    let solved = Pgs::default().solve(&problem, &mut z, &limits).expect("solved");
    assert_eq!(solved.residual, problem.residual(&z));

    let problem = sliding_cube(1.0, 0.4);
    let mut z = vec![0.0; problem.size()];
    let limits = Limits { tolerance: 1e-6, ..Limits::default() };
    let solved = Pgs::default().solve(&problem, &mut z, &limits).expect("solved");
    assert_eq!(solved.residual, problem.residual(&z));
    // From its answer there is nothing left to do.
    let again = Pgs::default().solve(&problem, &mut z, &limits).expect("solved");
    assert_eq!((again.iterations, again.residual), (0, solved.residual));
}

#[test]
fn a_failed_solve_leaves_its_best_iterate() {
    // The residual of this problem grows with every sweep: the start is the best there is.
    let problem = squeezed_box(4.0, 2.0, 0.5, 0.0);
    let mut pgs = Pgs::new(Options { variant: Variant::Separate, look_every: 1, ..Options::default() });
    let mut z = vec![0.0; problem.size()];
    let limits = Limits { iterations: Some(30), ..Limits::default() };
    let unsolved = pgs.solve(&problem, &mut z, &limits).expect_err("30 sweeps are not enough");
    assert_eq!((unsolved.failure, unsolved.iterations), (Failure::Iterations, 30));
    assert_eq!(z, vec![0.0; problem.size()]);
    assert_eq!(unsolved.residual.relative, 1.0);

    let problem = wall(3, 2, Brick::Cube, Snapshot::Impact);
    let mut z = vec![0.0; problem.size()];
    let unsolved = pgs.solve(&problem, &mut z, &limits).expect_err("30 sweeps are not enough");
    assert_eq!(unsolved.residual, problem.residual(&z));
    assert!(unsolved.residual.relative < 0.5, "{unsolved}");

    let late = Limits { deadline: Some(Instant::now()), ..Limits::default() };
    let unsolved = pgs.solve(&problem, &mut vec![0.0; problem.size()], &late).expect_err("no time");
    assert_eq!((unsolved.failure, unsolved.iterations), (Failure::Deadline, 0));
}

#[test]
fn relaxation_changes_the_way_and_not_the_answer() {
    let problem = sliding_cube(1.0, 0.4);
    let mut answers = Vec::new();
    let mut sweeps = Vec::new();
    for relaxation in [0.7, 1.0, 1.3] {
        let mut z = vec![0.0; problem.size()];
        let options = Options { relaxation, sweeps: 20000, look_every: 1, ..Options::default() };
        let limits = Limits { tolerance: 1e-6, ..Limits::default() };
        sweeps.push(Pgs::new(options).solve(&problem, &mut z, &limits).expect("solved").iterations);
        answers.push(problem.saddle.velocity(&z));
    }
    assert!(sweeps[0] != sweeps[1] && sweeps[1] != sweeps[2], "{sweeps:?}");
    for answer in &answers {
        for (a, b) in answer.iter().zip(&answers[1]) {
            assert!((a - b).abs() < 1e-6, "{a} and {b}");
        }
    }
}

#[test]
fn held_rows_are_held() {
    let problem = a_frame(0.8);
    let start: Vec<f64> = (0..problem.size()).map(|k| 1.0 + (k as f64).cos()).collect();
    let mut pgs = Pgs::default();
    let is_normal = |row: usize| row >= 6 && (row - 6).is_multiple_of(3);
    for (part, held) in [
        (Part::Contacts, (0..6).collect::<Vec<_>>()),
        (Part::Tangents, (0..problem.size()).filter(|&row| row < 6 || is_normal(row)).collect()),
    ] {
        let mut z = start.clone();
        pgs.sweep(&problem, part, 3, &mut z, |_| {});
        for row in 0..problem.size() {
            assert_eq!(held.contains(&row), z[row] == start[row], "{part:?}: row {row}");
        }
    }
}

#[test]
fn bounds_are_solved_as_by_pivoting() {
    let dense = Dense::from_rows(&[
        vec![4.0, -1.0, 0.5, 0.0],
        vec![-1.0, 3.0, 0.0, 1.0],
        vec![0.5, 0.0, 2.0, -0.5],
        vec![0.0, 1.0, -0.5, 5.0],
    ]);
    let h = Sparse::from_dense(&dense.expect("a matrix"));
    let inf = f64::INFINITY;
    let (lower, upper) = (vec![0.0, -1.0, -inf, 0.0], vec![inf, 1.0, inf, 0.25]);
    let problem = Mlcp::new(h, vec![1.0, 9.0, -2.0, -8.0], lower, upper).expect("a problem");
    let limits = Limits { tolerance: 1e-13, ..Limits::default() };
    let [mut swept, mut pivoted] = [vec![0.0; 4], vec![0.0; 4]];
    Pgs::default().solve(&problem, &mut swept, &limits).expect("solved");
    BlockPivot::default().solve(&problem, &mut pivoted, &limits).expect("solved");
    for (a, b) in swept.iter().zip(&pivoted) {
        assert!((a - b).abs() < 1e-12, "{swept:?} and {pivoted:?}");
    }
    // A row at each kind of bound and one between.
    assert_eq!((swept[0], swept[1], swept[3]), (0.0, -1.0, 0.25));

    // Normals of a wall without friction, by bodies and by the matrix.
    let wall = wall(2, 2, Brick::Cube, Snapshot::Rest);
    let n = wall.size();
    let bound = |value: f64| (0..n).map(|row| if row % 3 == 0 { value } else { 0.0 }).collect::<Vec<_>>();
    let saddle = SaddleMlcp::new(wall.saddle, bound(0.0), bound(inf)).expect("a problem");
    let [mut by_bodies, mut by_matrix] = [vec![0.0; n], vec![0.0; n]];
    let mut switches = 0;
    Pgs::default().sweep(&saddle, Part::All, 50, &mut by_bodies, |sweep| switches += sweep.switches);
    Pgs::default().sweep(&saddle.reduced(), Part::All, 50, &mut by_matrix, |_| {});
    for (a, b) in by_bodies.iter().zip(&by_matrix) {
        assert!((a - b).abs() < 1e-12, "{a} and {b}");
    }
    assert!(switches >= 8, "normals left their bound: {switches}");
    assert!(by_bodies.iter().skip(1).step_by(3).all(|&tangent| tangent == 0.0));
}
