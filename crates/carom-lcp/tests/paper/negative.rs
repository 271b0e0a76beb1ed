//! The paper's negative results on actual contact problems.

use carom_lcp::corpus::{Brick, Snapshot, a_frame, squeezed_box, wall};
use carom_lcp::solvers::splitting::LaggedBounds;
use carom_lcp::{GlobalFriction, Judged, Law};

/// The principal minor of (ν, ξ, σ) of one contact and one direction of friction in W + Ũ [(85), (88)].
fn minor(problem: &GlobalFriction, contact: usize, tangent: usize, sign: f64) -> f64 {
    let (normal, tangent) = (problem.row_of(contact), problem.row_of(contact) + tangent);
    let alpha = problem.saddle.delassus(normal, normal);
    let beta = sign * problem.saddle.delassus(normal, tangent);
    let tau = problem.saddle.delassus(tangent, tangent);
    let h = [[alpha, beta, 0.0], [beta, tau, 1.0], [problem.mu[contact], -1.0, 0.0]];
    (0..3).map(|k| h[0][k] * (h[1][(k + 1) % 3] * h[2][(k + 2) % 3] - h[1][(k + 2) % 3] * h[2][(k + 1) % 3])).sum()
}

/// The least such minor of all contacts and the four directions of a square.
fn least_minor(problem: &GlobalFriction) -> f64 {
    let directions = [(1, 1.0), (1, -1.0), (2, 1.0), (2, -1.0)];
    (0..problem.contacts())
        .flat_map(|contact| directions.map(|(tangent, sign)| minor(problem, contact, tangent, sign)))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_matrix_of_a_tall_box_with_much_friction_is_not_p() {
    // Half edges (1/2, 1/2, 1): I = 5m/12, α = (1 + 2 · (1/4)/(5/12))/m + T, β = −(1/2)/(5/12)/m along the tilt of a corner.
    let t = squeezed_box(4.0, 1.0, 2.0, 0.0).saddle.t[0];
    for mu in [2.0, 0.5] {
        let expected = (2.2 - 1.2 * mu) / 4.0 + t;
        let least = least_minor(&squeezed_box(4.0, 1.0, mu, 0.0));
        assert!((least - expected).abs() < 1e-12, "mu {mu}: {least} is not {expected}");
    }
    assert!(least_minor(&squeezed_box(4.0, 1.0, 2.0, 0.0)) < 0.0);
    assert!(least_minor(&squeezed_box(4.0, 1.0, 0.5, 0.0)) > 0.0);
}

#[test]
fn iterates_of_lagged_bounds_stay_within_the_bound_of_the_lemma() {
    // Each iterate minimises zᵀA z/2 + bᵀz over a set that holds 0, so zᵀA z ≤ −2 bᵀz and with Cauchy and Schwarz
    // zᵀA z ≤ 4 bᵀA⁻¹b, whatever the bounds were.
    let problems = [
        squeezed_box(4.0, 1.0, 2.0, 0.5),
        a_frame(0.8),
        wall(2, 2, Brick::Cube, Snapshot::Collapse),
        wall(3, 2, Brick::Long, Snapshot::Impact),
    ];
    for problem in problems.map(|problem| problem.with_law(Law::Box)) {
        let n = problem.size();
        let (a, b) = problem.saddle.schur();
        let energy = |z: &[f64]| (0..n).map(|i| z[i] * a.row_times(i, z)).sum::<f64>();
        let dense = faer::Mat::from_fn(n, n, |i, j| a.get(i, j));
        let right = faer::Mat::from_fn(n, 1, |i, _| b[i]);
        let free = faer::linalg::solvers::Solve::solve(&dense.partial_piv_lu(), &right);
        let bound = 4.0 * (0..n).map(|i| b[i] * free[(i, 0)]).sum::<f64>();
        let mut z = vec![0.0; n];
        let mut rounds = 0;
        LaggedBounds::default().lag(&problem, 8, &mut z, |_, z| {
            let (energy, work) = (energy(z), (0..n).map(|i| b[i] * z[i]).sum::<f64>());
            assert!(0.5 * energy + work <= 1e-9 * energy.abs(), "round {rounds}: {energy} and {work}");
            assert!(energy <= bound * (1.0 + 1e-9), "round {rounds}: {energy} is above {bound}");
            rounds += 1;
            true
        });
        assert!(rounds > 1, "more than one round");
        let far: Vec<f64> = (0..n).map(|i| -2.1 * free[(i, 0)]).collect();
        assert!(energy(&far) > bound, "the bound can be passed");
    }
}
