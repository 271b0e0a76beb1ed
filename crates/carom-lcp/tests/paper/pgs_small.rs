//! Fixed points of projected Gauss–Seidel, friction by direction, and the A-frame.

use carom_lcp::corpus::{a_frame, one_contact, sliding_cube, squeezed_box};
use carom_lcp::solvers::pgs::{Options, Part, Pgs, Swept, Variant};
use carom_lcp::solvers::splitting::LaggedBounds;
use carom_lcp::{Friction, GlobalFriction, Judged, Law, Sparse};

use crate::check::{Compared, norm, number, numbers, reference, relative_error};
use crate::history::VARIANTS;
use crate::pgs_squeezed::exact_impulses;

/// The impulses after some sweeps from `z`, and the relative size of the last update.
fn swept(problem: &impl Swept, variant: Variant, sweeps: usize, mut z: Vec<f64>) -> (Vec<f64>, f64) {
    let mut pgs = Pgs::new(Options { variant, ..Options::default() });
    let (mut last, mut update) = (z.clone(), 0.0);
    pgs.sweep(problem, Part::All, sweeps, &mut z, |sweep| {
        update = norm(sweep.z.iter().zip(&last).map(|(a, b)| a - b)) / norm(sweep.z.iter().copied());
        last.copy_from_slice(sweep.z);
    });
    (z, update)
}

#[test]
fn only_exact_tangents_stay_at_the_solution_of_the_squeezed_box() {
    let want = &reference("small")["pgs_fixed_points"]["values"];
    let exact = exact_impulses(&reference("squeezed")["squeezed_m400_30deg_step1"]["values"]["exact_iso"]);
    let problem = squeezed_box(400.0, 2.0, 0.5, f64::to_radians(30.0));
    let mut compared = Compared::default();
    for (name, variant) in VARIANTS {
        for sweeps in [1, 50, 20000] {
            let (z, _) = swept(&problem, variant, sweeps, exact.clone());
            let (moved, relres) = (relative_error(&z, &exact), problem.residual(&z).relative);
            let key = format!("squeezed_{name}_{sweeps}");
            if variant == Variant::ExactTangents {
                // Rounding, in both: 1e-12 of the impulses, 17 N s against ‖F(0)‖ = 0.04.
                compared.holds(&key, moved < 1e-12 && relres < 1e-9, &format!("moved {moved:e} to {relres:e}"));
            } else {
                compared.relative(&format!("{key} move"), moved, number(&want[&key], "rel_move"), 1e-4);
                compared.relative(&format!("{key} residual"), relres, number(&want[&key], "relres"), 1e-4);
            }
        }
        let (z, update) = swept(&problem, variant, 20000, vec![0.0; problem.size()]);
        let key = format!("squeezed_{name}_cold20000");
        compared.holds(&key, update < 1e-14, &format!("updates of {update:e} are not over"));
        for (got, want) in problem.saddle.velocity(&z).iter().zip(numbers(&want[&key]["v"])) {
            compared.absolute(&format!("{key} v"), *got, want, 1e-4 * want.abs() + 1e-14);
        }
        let (error, relres) = (relative_error(&z, &exact), problem.residual(&z).relative);
        if variant == Variant::ExactTangents {
            compared.holds(&key, error < 1e-11 && relres < 1e-9, &format!("{error:e} off, residual {relres:e}"));
        } else {
            compared.relative(&format!("{key} error"), error, number(&want[&key], "rel_err"), 1e-4);
            compared.relative(&format!("{key} residual"), relres, number(&want[&key], "relres"), 1e-4);
        }
    }
    compared.finish(44);
}

#[test]
fn coupled_tangents_end_at_wrong_friction_unless_they_are_exact() {
    let want = &reference("small")["pgs_fixed_points"]["values"];
    let problem = one_contact();
    let mut compared = Compared::default();
    for (name, variant) in VARIANTS {
        let (z, _) = swept(&problem, variant, 500, vec![0.0; 3]);
        let (mut w, mut map) = ([0.0; 3], [0.0; 3]);
        problem.natural_map(&z, &mut w, &mut map);
        let angle = (w[2] * z[1] - w[1] * z[2]).atan2(-(w[1] * z[1] + w[2] * z[2])).to_degrees();
        let want = &want[&format!("one_contact_{name}")];
        for (k, value) in numbers(&want["z"]).into_iter().enumerate() {
            compared.relative(&format!("{name} z {k}"), z[k], value, 1e-4);
        }
        for (k, value) in numbers(&want["slip"]).into_iter().enumerate() {
            compared.absolute(&format!("{name} slip {k}"), w[1 + k], value, 1e-4 * value.abs() + 1e-13);
        }
        let value = number(want, "angle_beta_vs_minus_slip_deg");
        compared.absolute(&format!("{name} angle"), angle, value, 1e-4 * value.abs() + 1e-10);
    }
    let exact = numbers(&want["one_contact_exact"]["z"]);
    compared.holds("exact", problem.residual(&exact).relative < 1e-14, "the answer of the reference is none");
    compared.finish(25);
}

#[test]
fn the_box_law_pulls_friction_to_its_corners() {
    let want = &reference("small")["friction_anisotropy"]["values"];
    let mut compared = Compared::default();
    for (degrees, want) in want.as_object().expect("values by angle") {
        let angle: f64 = degrees.parse::<f64>().expect("an angle").to_radians();
        for (name, law) in [("iso", Law::Cone), ("box", Law::Box)] {
            let problem = sliding_cube(1.0, angle).with_law(law);
            // Under the box law tangents stick across the slip: Gauss–Seidel needs 1/γ sweeps for them.
            let mut z = vec![0.0; problem.size()];
            match law {
                Law::Cone => z = swept(&problem, Variant::ExactTangents, 2000, z).0,
                Law::Box => {
                    LaggedBounds::default().lag(&problem, 10, &mut z, |_, _| true);
                }
            }
            let sum = |k: usize| z.iter().skip(k).step_by(3).sum::<f64>();
            let [nu, x, y] = [sum(0), sum(1), sum(2)];
            let what = format!("{degrees} degrees, {name}");
            let want = &want[name];
            let magnitude = x.hypot(y) / (0.5 * nu);
            compared.absolute(&what, magnitude, number(want, "mag_over_mu_nu"), 1e-6);
            let error = (-y).atan2(-x).to_degrees() - angle.to_degrees();
            compared.absolute(&what, error, number(want, "dir_err_deg"), 1e-6);
        }
    }
    compared.finish(20);
}

#[test]
fn the_a_frame_is_that_of_the_reference_and_relaxes_as_slowly() {
    let want = &reference("small")["aframe_single"]["values"];
    let problem = a_frame(0.8);
    let mut compared = Compared::default();
    let at_zero = problem.residual(&vec![0.0; problem.size()]).absolute;
    compared.relative("F(0)", at_zero, number(want, "F0"), 1e-9);
    let mut exact = numbers(&want["lambda_"]);
    exact.extend(exact_impulses(want));
    // Impulses of 80 N s carry rounding of 1e-14, against ‖F(0)‖ = 0.5.
    compared.holds("exact", problem.residual(&exact).relative < 1e-11, "the answer of the reference is none");
    for (got, want) in problem.saddle.velocity(&exact).iter().zip(numbers(&want["v"])) {
        compared.absolute("v", *got, want, 1e-7);
    }
    for sweeps in [15, 100, 1000, 5000] {
        let (z, _) = swept(&problem, Variant::ExactTangents, sweeps, vec![0.0; problem.size()]);
        let key = format!("pgs{sweeps}_exacttan_full");
        compared.relative(&key, problem.residual(&z).relative, number(want, &key), 1e-3);
    }
    let (eliminated, joints) = eliminate(&problem);
    for sweeps in [5, 15, 100] {
        let (contacts, _) = swept(&eliminated, Variant::ExactTangents, sweeps, vec![0.0; eliminated.size()]);
        let key = format!("pgs{sweeps}_exacttan_joints_eliminated");
        let mut z = joints(&contacts);
        z.extend_from_slice(&contacts);
        let relres = problem.residual(&z).relative;
        compared.relative(&key, relres, number(&want[&key], "relres"), 1e-3);
        let v = problem.saddle.velocity(&z);
        let error = v.iter().zip(numbers(&want["v"])).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
        compared.relative(&format!("{key} v"), error, number(&want[&key], "v_err"), 1e-3);
    }
    compared.finish(30);
}

/// The problem of the contacts alone, with the joints solved for, and the joints' impulses for those of the contacts.
fn eliminate(problem: &GlobalFriction) -> (Friction, impl Fn(&[f64]) -> Vec<f64>) {
    let (e, n) = (problem.equalities, problem.size());
    let reduced = problem.reduced();
    let w = faer::Mat::from_fn(n, n, |i, j| reduced.w.get(i, j));
    let q = faer::Mat::from_fn(n, 1, |i, _| reduced.q[i]);
    // λ = −W_ee⁻¹ (q_e + W_ec r).
    let factor = w.submatrix(0, 0, e, e).partial_piv_lu();
    let shift = faer::linalg::solvers::Solve::solve(&factor, q.submatrix(0, 0, e, 1));
    let coupling = faer::linalg::solvers::Solve::solve(&factor, w.submatrix(0, e, e, n - e));
    let schur = w.submatrix(e, e, n - e, n - e) - w.submatrix(e, 0, n - e, e) * &coupling;
    let rest = q.submatrix(e, 0, n - e, 1) - w.submatrix(e, 0, n - e, e) * &shift;
    let mut triplets = Vec::new();
    for i in 0..n - e {
        triplets.extend((0..n - e).map(|j| (i, j, schur[(i, j)])));
    }
    let matrix = Sparse::from_triplets(n - e, n - e, &triplets).expect("a matrix");
    let q = (0..n - e).map(|i| rest[(i, 0)]).collect();
    let eliminated = Friction::new(3, matrix, q, problem.mu.clone()).expect("a problem");
    let joints = move |r: &[f64]| {
        (0..e).map(|i| -shift[(i, 0)] - (0..r.len()).map(|j| coupling[(i, j)] * r[j]).sum::<f64>()).collect()
    };
    (eliminated, joints)
}
