//! Gauss–Seidel on the normals of a box that slides: its rate is the largest eigenvalue of the iteration [(94)].

use carom_lcp::GlobalFriction;
use carom_lcp::corpus::squeezed_box;
use carom_lcp::solvers::pgs::Variant;

use crate::check::{Compared, Square, number, reference};
use crate::history::history;
use crate::pgs_squeezed::BOXES;

// Notation
//   A_NN, A_ND  blocks of A = G M⁻¹Gᵀ + T: normals, and normals with the tangents along the slip
//   β = −μ ν    friction of contacts that slide
//   L, D        strict lower part, diagonal

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
        let rates = Rates::of(&problem, [0.0; 2]);
        compared.relative(&format!("{name} rate"), rates.sliding, number(want, "gs_rate"), 1e-6);
        compared.relative(
            &format!("{name} frictionless"),
            rates.frictionless,
            number(want, "frictionless_rate"),
            1e-6,
        );
        compared.relative(&format!("{name} least eigenvalue"), rates.least, number(want, "min_re_eig"), 1e-6);
        // α + μβ of a leading edge [(88)]: where it is negative a push down that friction follows lifts the contact, and only there does
        // the iteration diverge.
        let Rates { sliding, least_minor, .. } = rates;
        assert_eq!(sliding > 1.0, least_minor < 0.0, "{name}: rate {sliding}, least minor {least_minor}");
        divergent += usize::from(sliding > 1.0);

        let history = history(&problem, Variant::Separate, 1000).residuals;
        let last = number(want, "pgs_separate_relres_1000");
        compared.relative(&format!("{name} residual"), history[999], last, 1e-2);
        let most = history.iter().copied().fold(0.0, f64::max);
        compared.relative(&format!("{name} largest residual"), most, number(want, "pgs_max_over_run"), 1e-2);
    }
    assert!(divergent > 0, "Gauss–Seidel diverges on some of them");
    compared.finish(100);
}

#[test]
fn sliding_at_an_angle_has_the_rates_of_the_reference() {
    let all = reference("squeezed");
    let mut compared = Compared::default();
    for (mass, degrees) in BOXES {
        let name = format!("squeezed_m{mass}_{degrees}deg_step1_splitting");
        let want = &all[&name]["values"];
        let angle = f64::to_radians(degrees);
        // The reference takes the angle from d1 to d2 on both planes, and d2 is opposite above: the contacts there slide at −30°. A box
        // that slides as one at 30° has another rate.
        let problem = squeezed_box(mass, 2.0, 0.5, angle);
        let rates = Rates::of(&problem, [angle, -angle]);
        let moved_as_one = Rates::of(&problem, [angle; 2]).sliding;
        assert_eq!(degrees == 0.0, (moved_as_one - rates.sliding).abs() < 1e-7, "{name}: {moved_as_one}");
        compared.relative(&format!("{name} rate"), rates.sliding, number(want, "gs_rate_all_sliding"), 1e-6);
        let frictionless = number(want, "gs_rate_frictionless");
        compared.relative(&format!("{name} frictionless"), rates.frictionless, frictionless, 1e-6);
        let least = number(want, "min_re_eig_sliding_matrix");
        compared.relative(&format!("{name} least eigenvalue"), rates.least, least, 1e-6);
    }
    compared.finish(12);
}

/// Gauss–Seidel on the normals of a squeezed box whose contacts all slide, those below and above at these angles from x.
struct Rates {
    /// The spectral radius of the iteration.
    sliding: f64,
    /// The same without friction.
    frictionless: f64,
    /// The least real part of the eigenvalues of A_NN − μ A_ND.
    least: f64,
    /// Its least diagonal entry.
    least_minor: f64,
}

impl Rates {
    fn of(problem: &GlobalFriction, [below, above]: [f64; 2]) -> Rates {
        let (a, _) = problem.saddle.schur();
        let (n, mu) = (problem.contacts(), problem.mu[0]);
        let normal = |i: usize, j: usize| a.get(3 * i, 3 * j);
        let sliding = |i: usize, j: usize| {
            // d2 = n × x is y below and −y above.
            let (sin, cos) = if j < 4 { below.sin_cos() } else { (-above).sin_cos() };
            normal(i, j) - mu * (a.get(3 * i, 3 * j + 1) * cos + a.get(3 * i, 3 * j + 2) * sin)
        };
        // Contacts before i have their new friction, contact i itself and those after it the old one: the implicit part is
        // (L + D)_NN − μ L_ND. (94) as printed leaves all friction old, which is not what the sweeps do.
        let implicit = |i: usize, j: usize| if j < i { sliding(i, j) } else { normal(i, j) };
        let eigenvalues = Square::from_fn(n, sliding).eigenvalues();
        Rates {
            sliding: iteration_radius(n, implicit, sliding),
            frictionless: iteration_radius(n, normal, normal),
            least: eigenvalues.iter().map(|value| value.0).fold(f64::INFINITY, f64::min),
            least_minor: (0..n).map(|i| sliding(i, i)).fold(f64::INFINITY, f64::min),
        }
    }
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
