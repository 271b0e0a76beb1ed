//! Polygons and boxes in place of the friction cone.

mod common;

use carom_lcp::{Dense, Friction, Judged, Law, LcpDefault, Lemke, Limits, LinearizedFriction, Solver, Sparse};
use common::{Random, gram};

fn limits() -> Limits {
    Limits { tolerance: 1e-10, ..Limits::default() }
}

fn friction(w: &[Vec<f64>], q: &[f64], mu: &[f64]) -> Friction {
    let w = Sparse::from_dense(&Dense::from_rows(w).expect("rows of one length"));
    Friction::new(3, w, q.to_vec(), mu.to_vec()).expect("a problem")
}

fn impulses(linearized: &LinearizedFriction) -> Vec<f64> {
    let mut z = vec![0.0; linearized.mixed.q.len()];
    LcpDefault::default().solve(&linearized.mixed, &mut z, &limits()).expect("a solution");
    let mut r = vec![0.0; linearized.rows()];
    linearized.impulses(&z, &mut r);
    r
}

/// One contact of unit mass that is pressed and slides at an angle: r_n = 1, friction of the cone 0.3 against the slip.
fn sliding(degrees: f64) -> Friction {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let one = |i: usize| (0..3).map(|j| if i == j { 1.0 } else { 0.0 }).collect();
    friction(&[one(0), one(1), one(2)], &[-1.0, 2.0 * cos, 2.0 * sin], &[0.3])
}

/// Length of the friction impulse over μ r_n, and the angle in degrees by which it misses the direction against the slip.
fn error_of(problem: &Friction, linearized: &LinearizedFriction, degrees: f64) -> (f64, f64) {
    let r = impulses(linearized);
    assert!((r[0] - 1.0).abs() < 1e-9, "{r:?}");
    let angle = (-r[2]).atan2(-r[1]).to_degrees();
    (r[1].hypot(r[2]) / (problem.mu[0] * r[0]), (angle - degrees).abs())
}

#[test]
fn a_slide_along_a_direction_of_the_polygon_is_exact() {
    for corners in [4, 6, 12] {
        let problem = sliding(180.0);
        let r = impulses(&LinearizedFriction::polygon(&problem, corners).expect("a polygon"));
        assert!(problem.residual(&r).relative < 1e-9, "{corners} corners: {r:?}");
    }
}

#[test]
fn between_directions_friction_points_to_a_corner() {
    // In the steady slide of a point mass the corner that takes the most energy wins: the nearest one.
    let problem = sliding(20.0);
    let (length, miss) = error_of(&problem, &LinearizedFriction::polygon(&problem, 4).expect("a polygon"), 20.0);
    assert!((length - 1.0).abs() < 1e-8 && (miss - 20.0).abs() < 1e-6, "{length} {miss}");
    let (_, finer) = error_of(&problem, &LinearizedFriction::polygon(&problem, 36).expect("a polygon"), 20.0);
    assert!(finer < 1e-6, "20 degrees is a corner of 36, missed by {finer}");
    let (length, miss) = error_of(&problem, &LinearizedFriction::boxed(&problem), 20.0);
    assert!((length - 2_f64.sqrt()).abs() < 1e-8 && (miss - 25.0).abs() < 1e-6, "box: {length} {miss}");
}

#[test]
fn the_box_as_a_complementarity_problem_solves_the_law_of_the_box() {
    let mut random = Random::new(7);
    let mut worst: f64 = 0.0;
    for _ in 0..30 {
        let contacts = 1 + random.below(4);
        let n = 3 * contacts;
        let w = gram(&random.matrix(n, n), 0.5);
        let problem = friction(&w, &random.normals(n), &vec![0.4; contacts]).with_law(Law::Box);
        worst = worst.max(problem.residual(&impulses(&LinearizedFriction::boxed(&problem))).relative);
    }
    assert!(worst < 1e-8, "{worst:e}");
}

#[test]
fn polygons_come_nearer_to_the_cone_with_more_corners() {
    let mut random = Random::new(9);
    let mut sums = [0.0; 3];
    for _ in 0..20 {
        let n = 9;
        let w = gram(&random.matrix(n, n), 0.5);
        let problem = friction(&w, &random.normals(n), &[0.5; 3]);
        for (sum, corners) in sums.iter_mut().zip([4, 8, 32]) {
            let linearized = LinearizedFriction::polygon(&problem, corners).expect("a polygon");
            *sum += problem.residual(&impulses(&linearized)).absolute / 20.0;
        }
    }
    println!("mean residual of the cone with 4, 8, 32 corners: {:?}", sums.map(|sum| format!("{sum:.1e}")));
    assert!(sums[0] > 1e-2, "a square is not a circle: {sums:?}");
    assert!(sums[1] < 0.7 * sums[0] && sums[2] < 0.4 * sums[1], "{sums:?}");
}

#[test]
fn lemke_takes_the_polygon_as_an_lcp_and_equalities_go_by_the_mixed_problem() {
    let problem = sliding(180.0);
    let linearized = LinearizedFriction::polygon(&problem, 8).expect("a polygon");
    let lcp = linearized.lcp().expect("no equality rows");
    let mut z = vec![0.0; lcp.q.len()];
    Lemke::default().solve(&lcp, &mut z, &limits()).expect("a solution");
    let mut r = vec![0.0; 3];
    linearized.impulses(&z, &mut r);
    assert!((r[1] - 0.3).abs() < 1e-9, "{r:?}");

    // A row of equality in front holds a fourth unknown that pulls at the normal.
    let rows: Vec<Vec<f64>> = (0..4).map(|i| (0..4).map(|j| if i == j { 2.0 } else { 0.5 }).collect()).collect();
    let w = Sparse::from_dense(&Dense::from_rows(&rows).expect("rows"));
    let problem = Friction::with_equalities(3, 1, w, vec![0.3, -1.0, -2.0, 0.0], vec![0.3]).expect("a problem");
    let linearized = LinearizedFriction::polygon(&problem, 360).expect("a polygon");
    assert!(linearized.lcp().is_none());
    let r = impulses(&linearized);
    assert!(problem.residual(&r).relative < 1e-2, "{:?}", problem.residual(&r));
}

#[test]
fn two_corners_are_no_polygon() {
    assert!(LinearizedFriction::polygon(&sliding(0.0), 2).is_err());
}
