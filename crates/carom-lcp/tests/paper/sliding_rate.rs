//! Gauss–Seidel on the normals of a box that slides: its rate is the largest eigenvalue of the iteration [(94)].

use carom_lcp::corpus::squeezed_box;
use carom_lcp::solvers::pgs::Variant;

use crate::check::{Compared, Square, number, reference};
use crate::history::history;

// Notation
//   A_NN, A_ND  blocks of A = G M⁻¹Gᵀ + T: normals, and normals with the tangents along the slip
//   β = −μ ν    friction of contacts that slide along +x
//   L, D, U     strict lower part, diagonal, strict upper part

#[test]
fn sliding_along_x_has_the_rates_of_the_reference() {
    let all = reference("sliding-rate");
    let values = all["squeezed_sliding_rate"]["values"].as_object().expect("values by case");
    let mut compared = Compared::default();
    let mut divergent = 0;
    for (name, want) in values {
        let (half_z, mu) = name.strip_prefix("halfz").and_then(|rest| rest.split_once("_mu")).expect("a case");
        let (half_z, mu): (f64, f64) = (half_z.parse().expect("a length"), mu.parse().expect("a coefficient"));
        let problem = squeezed_box(4.0, half_z, mu, 0.0);
        let (a, _) = problem.saddle.schur();
        let n = problem.contacts();
        let normal = |i: usize, j: usize| a.get(3 * i, 3 * j);
        let sliding = |i: usize, j: usize| normal(i, j) - mu * a.get(3 * i, 3 * j + 1);
        // Contacts before i have their new friction, contact i itself and those after it the old one: the implicit part is
        // (L + D)_NN − μ L_ND. (94) as printed leaves all friction old, which is not what the sweeps do.
        let implicit = |i: usize, j: usize| if j < i { sliding(i, j) } else { normal(i, j) };
        let rate = iteration_radius(n, implicit, sliding);
        compared.relative(&format!("{name} rate"), rate, number(want, "gs_rate"), 1e-6);
        // α + μβ of a leading edge [(88)]: where it is negative a push down that friction follows lifts the contact, and only there does
        // the iteration diverge.
        let least_minor = (0..n).map(|i| sliding(i, i)).fold(f64::INFINITY, f64::min);
        assert_eq!(rate > 1.0, least_minor < 0.0, "{name}: rate {rate}, least minor {least_minor}");
        divergent += usize::from(rate > 1.0);
        let frictionless = iteration_radius(n, normal, normal);
        compared.relative(&format!("{name} frictionless"), frictionless, number(want, "frictionless_rate"), 1e-6);
        let least =
            Square::from_fn(n, sliding).eigenvalues().iter().map(|value| value.0).fold(f64::INFINITY, f64::min);
        compared.relative(&format!("{name} least eigenvalue"), least, number(want, "min_re_eig"), 1e-6);

        let history = history(&problem, Variant::Separate, 1000).residuals;
        let last = number(want, "pgs_separate_relres_1000");
        compared.relative(&format!("{name} residual"), history[999], last, 1e-2);
        let most = history.iter().copied().fold(0.0, f64::max);
        compared.relative(&format!("{name} largest residual"), most, number(want, "pgs_max_over_run"), 1e-2);
    }
    assert!(divergent > 0, "Gauss–Seidel diverges on some of them");
    compared.finish(100);
}

/// The spectral radius of X⁻¹(X − S): X the lower triangle with diagonal of `implicit`, S the whole matrix.
fn iteration_radius(n: usize, implicit: impl Fn(usize, usize) -> f64, whole: impl Fn(usize, usize) -> f64) -> f64 {
    let kept = |i: usize, j: usize| if j <= i { implicit(i, j) } else { 0.0 };
    let mut columns = vec![vec![0.0; n]; n];
    for (j, column) in columns.iter_mut().enumerate() {
        for i in 0..n {
            let known: f64 = (0..i).map(|k| kept(i, k) * column[k]).sum();
            column[i] = (kept(i, j) - whole(i, j) - known) / kept(i, i);
        }
    }
    let eigenvalues = Square::from_fn(n, |i, j| columns[j][i]).eigenvalues();
    eigenvalues.iter().map(|(re, im)| re.hypot(*im)).fold(0.0, f64::max)
}
