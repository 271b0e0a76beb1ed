//! Splittings as solvers: what they promise on any problem.

use carom_lcp::corpus::{a_frame, squeezed_box};
use carom_lcp::{DirectIterative, Failure, Judged, LaggedBounds, Law, Limits, Solver};

#[test]
fn enough_couplings_solve_the_squeezed_box() {
    let problem = squeezed_box(400.0, 2.0, 0.5, 0.5);
    let limits = Limits { iterations: Some(60), ..Limits::default() };
    let mut z = vec![0.0; problem.size()];
    let solved = DirectIterative::default().solve(&problem, &mut z, &limits).expect("solved");
    assert_eq!(solved.residual, problem.residual(&z));
    assert!(solved.iterations < 60, "it stops when it is there: {}", solved.iterations);
    // The same by the matrix.
    let mut by_matrix = vec![0.0; problem.size()];
    DirectIterative::default().solve(&problem.reduced(), &mut by_matrix, &limits).expect("solved");
    for (a, b) in z.iter().zip(&by_matrix) {
        assert!((a - b).abs() < 1e-6, "{a} and {b}");
    }
}

#[test]
fn joints_hold_and_normals_are_complementary_even_where_friction_is_not_solved() {
    let problem = a_frame(0.8);
    let mut z = vec![0.0; problem.size()];
    let unsolved = DirectIterative::default().solve(&problem, &mut z, &Limits::default()).expect_err("5 couplings");
    assert_eq!((unsolved.failure, unsolved.iterations), (Failure::Iterations, 6));
    assert_eq!(unsolved.residual, problem.residual(&z));
    assert!(unsolved.residual.relative > 0.1, "friction is far off: {}", unsolved.residual.relative);
    let mut w = vec![0.0; problem.size()];
    problem.saddle.slacks(&z, &mut w);
    for row in (0..problem.equalities).chain((0..problem.contacts()).map(|contact| problem.row_of(contact))) {
        assert!(w[row].abs() < 1e-12, "row {row}: {}", w[row]);
        assert!(row < problem.equalities || z[row] > 0.0, "a foot stands");
    }
}

#[test]
fn lagged_bounds_take_the_box_law_alone() {
    let problem = a_frame(0.8);
    let mut z = vec![0.0; problem.size()];
    let unsolved = LaggedBounds::default().solve(&problem, &mut z, &Limits::default()).expect_err("a cone");
    assert!(matches!(unsolved.failure, Failure::Unsuitable(_)), "{unsolved}");
    assert_eq!(z, vec![0.0; problem.size()]);

    let problem = problem.with_law(Law::Box);
    let solved = LaggedBounds::default().solve(&problem, &mut z, &Limits::default()).expect("solved");
    assert_eq!(solved.residual, problem.residual(&z));

    // Nothing is left to change, and less than rounding was asked for.
    let limits = Limits { tolerance: 0.0, ..Limits::default() };
    let unsolved = LaggedBounds::default().solve(&problem, &mut z, &limits).expect_err("rounding is left");
    assert_eq!(unsolved.failure, Failure::Stalled);
    let none = Limits { iterations: Some(0), tolerance: 0.0, ..Limits::default() };
    let unsolved = LaggedBounds::default().solve(&problem, &mut z, &none).expect_err("no rounds");
    assert_eq!((unsolved.iterations, unsolved.residual), (0, problem.residual(&z)));
}
