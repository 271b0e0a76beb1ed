//! Exact answers of the reference, and how far iterative ones are from them.

use carom_lcp::corpus::{Brick, Snapshot, a_frame, sliding_cube, squeezed_box, wall};
use carom_lcp::solvers::pgs::{Options, Part, Pgs, Variant};
use carom_lcp::solvers::splitting::{Coupling, DirectIterative, LaggedBounds};
use carom_lcp::{
    FrictionDefault, GlobalFriction, Judged, Law, LcpDefault, Limits, LinearizedFriction, Newton, Solver,
};

use crate::check::{Compared, norm, number, numbers, reference, relative_error};
use crate::history::VARIANTS;
use crate::pgs_squeezed::{BOXES, exact_impulses};
use crate::pgs_walls::WALLS;
use crate::splitting::coupling_of;

fn limits(tolerance: f64) -> Limits {
    Limits { tolerance, ..Limits::default() }
}

/// The answer of the default solver, from nothing.
fn solved(problem: &GlobalFriction, tolerance: f64) -> Vec<f64> {
    let mut z = vec![0.0; problem.size()];
    FrictionDefault::default().solve(problem, &mut z, &limits(tolerance)).expect("solved");
    z
}

/// Compares entry by entry to an absolute tolerance.
fn compare_all(compared: &mut Compared, what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    compared.absolute(&format!("{what}, entries"), got.len() as f64, want.len() as f64, 0.0);
    for (k, (got, want)) in got.iter().zip(want).enumerate() {
        compared.absolute(&format!("{what} {k}"), *got, *want, tolerance);
    }
}

/// ‖a − b‖.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    norm(a.iter().zip(b).map(|(a, b)| a - b))
}

#[test]
fn walls_have_the_exact_answers_of_the_reference() {
    let all = reference("walls");
    let mut compared = Compared::default();
    for (name, brick, snapshot) in WALLS {
        let problem = wall(5, 4, brick, snapshot);
        let z = solved(&problem, 1e-13);
        let want = &all[name]["values"];
        let v = problem.saddle.velocity(&z);
        // The second brick of the third row.
        for (key, first) in [("v_first_brick", 0), ("v_row2col1", 6 * 9)] {
            compare_all(&mut compared, &format!("{name} {key}"), &v[first..first + 6], &numbers(&want[key]), 1e-9);
        }
        let mut momentum = vec![0.0; v.len()];
        problem.saddle.mass.times(&v, &mut momentum);
        let energy = 0.5 * v.iter().zip(&momentum).map(|(v, p)| v * p).sum::<f64>();
        compared.relative(&format!("{name} energy"), energy, number(want, "KE"), 1e-9);
        compared.relative(&format!("{name} ‖v‖"), norm(v.iter().copied()), number(want, "v_norm"), 1e-9);
        let normals: Vec<f64> = z.iter().step_by(3).copied().collect();
        let sum = |normals: &[f64]| normals.iter().sum::<f64>();
        compared.relative(&format!("{name} normals"), sum(&normals), number(want, "nu_sum"), 1e-8);
        // Four contacts with the ground for each of four bricks come first.
        compared.relative(&format!("{name} ground"), sum(&normals[..16]), number(want, "sum_nu_ground"), 1e-8);
        let friction = |c: usize| norm(z[3 * c + 1..3 * c + 3].iter().copied());
        let open = normals.iter().filter(|nu| **nu <= 0.0).count();
        let sliding = (0..normals.len())
            .filter(|&c| normals[c] > 0.0 && friction(c) >= problem.mu[c] * normals[c] * (1.0 - 1e-9))
            .count();
        compared.absolute(&format!("{name} open"), open as f64, number(want, "open"), 0.0);
        compared.absolute(&format!("{name} sliding"), sliding as f64, number(want, "sliding"), 0.0);
    }
    compared.finish(80);
}

#[test]
fn walls_have_one_answer_from_every_start() {
    let mut compared = Compared::default();
    for brick in [Brick::Cube, Brick::Long] {
        for snapshot in [Snapshot::Rest, Snapshot::Impact, Snapshot::Collapse] {
            let problem = wall(5, 4, brick, snapshot);
            let answer = solved(&problem, 1e-13);
            let v = problem.saddle.velocity(&answer);
            let mut swept = vec![0.0; problem.size()];
            let mut pgs = Pgs::new(Options { variant: Variant::ExactTangents, ..Options::default() });
            pgs.sweep(&problem, Part::All, 200, &mut swept, |_| {});
            let mut coupled = vec![0.0; problem.size()];
            DirectIterative::new(Coupling::default()).couple(&problem, 5, &mut coupled, |_, _| true);
            let wave = (0..problem.size()).map(|k| 2.0 * (k as f64).sin().abs()).collect();
            for (start, mut z) in [("sweeps", swept), ("splitting", coupled), ("a wave", wave)] {
                let what = format!("{brick:?} {snapshot:?} from {start}");
                compared.holds(&what, relative_error(&z, &answer) > 1e-3, "the start is the answer already");
                let outcome = FrictionDefault::default().solve(&problem, &mut z, &limits(1e-13));
                compared.holds(&what, outcome.is_ok(), &format!("{outcome:?}"));
                // The reference found 1e-10 in impulses and 6e-12 m/s.
                let (by_z, by_v) = (relative_error(&z, &answer), distance(&problem.saddle.velocity(&z), &v));
                compared.holds(&what, by_z < 1e-8 && by_v < 1e-9, &format!("{by_z:e} {by_v:e}"));
            }
        }
    }
    compared.finish(54);
}

#[test]
fn squeezed_boxes_have_the_exact_answers_of_the_reference() {
    let all = reference("squeezed");
    let mut compared = Compared::default();
    for (mass, degrees) in BOXES {
        let name = format!("squeezed_m{mass}_{degrees}deg_step1");
        let problem = squeezed_box(mass, 2.0, 0.5, f64::to_radians(degrees));
        // Impulses of 17 N s carry rounding of 4e-15, against ‖F(0)‖ of 4e-4 at 4 kg.
        let by_cone = solved(&problem, 1e-10);
        // At corners of the box Newton's method from nothing may stall.
        let boxed = problem.clone().with_law(Law::Box);
        let mut by_box = vec![0.0; problem.size()];
        LaggedBounds::default().lag(&boxed, 10, &mut by_box, |_, _| true);
        for row in (0..problem.size()).step_by(2) {
            by_box[row] *= 1.0 + 1e-3;
        }
        Newton::default().solve(&boxed, &mut by_box, &limits(1e-10)).expect("solved");
        for (law, z) in [("exact_iso", by_cone), ("exact_box", by_box)] {
            let (what, want) = (format!("{name} {law}"), &all[&name]["values"][law]);
            for (c, nu) in numbers(&want["nu"]).into_iter().enumerate() {
                compared.relative(&format!("{what} nu {c}"), z[3 * c], nu, 1e-8);
            }
            compare_all(
                &mut compared,
                &format!("{what} v"),
                &problem.saddle.velocity(&z),
                &numbers(&want["v"]),
                1e-8,
            );
            if law == "exact_iso" {
                compare_all(&mut compared, &format!("{what} z"), &z, &exact_impulses(want), 1e-8 * 17.0);
            }
        }
    }
    compared.finish(220);
}

#[test]
fn the_a_frame_has_the_exact_answer_of_the_reference() {
    let want = &reference("small")["aframe_single"]["values"];
    let problem = a_frame(0.8);
    let z = solved(&problem, 1e-13);
    let mut exact = numbers(&want["lambda_"]);
    exact.extend(exact_impulses(want));
    let mut compared = Compared::default();
    compare_all(&mut compared, "z", &z, &exact, 1e-7);
    compare_all(&mut compared, "v", &problem.saddle.velocity(&z), &numbers(&want["v"]), 1e-7);
    compared.finish(38);
}

#[test]
fn polygons_and_boxes_pull_friction_to_their_corners() {
    let all = &reference("small")["friction_anisotropy"]["values"];
    let mut compared = Compared::default();
    for (degrees, want) in all.as_object().expect("values by angle") {
        let degrees: f64 = degrees.parse().expect("an angle");
        let problem = sliding_cube(1.0, degrees.to_radians());
        let polygon = |corners: usize| {
            let reduced = problem.reduced();
            let linearized = LinearizedFriction::polygon(&reduced, corners).expect("a polygon");
            let mut z = vec![0.0; linearized.mixed.q.len()];
            LcpDefault::default().solve(&linearized.mixed, &mut z, &limits(1e-10)).expect("solved");
            let mut r = vec![0.0; problem.size()];
            linearized.impulses(&z, &mut r);
            r
        };
        let answers = [
            ("iso", solved(&problem, 1e-12)),
            ("box", solved(&problem.clone().with_law(Law::Box), 1e-12)),
            ("poly4", polygon(4)),
            ("poly8", polygon(8)),
            ("poly16", polygon(16)),
        ];
        for (name, z) in answers {
            let sum = |k: usize| z.iter().skip(k).step_by(3).sum::<f64>();
            let [nu, x, y] = [sum(0), sum(1), sum(2)];
            let (what, want) = (format!("{degrees} degrees, {name}"), &want[name]);
            compared.absolute(&what, x.hypot(y) / (0.5 * nu), number(want, "mag_over_mu_nu"), 1e-6);
            let miss = (-y).atan2(-x).to_degrees() - degrees;
            compared.absolute(&what, miss, number(want, "dir_err_deg"), 1e-6);
        }
    }
    compared.finish(50);
}

#[test]
fn iterative_answers_of_walls_are_as_far_from_the_exact_ones_as_the_reference_says() {
    let all = reference("walls");
    let mut compared = Compared::default();
    for (name, brick, snapshot) in WALLS {
        let problem = wall(5, 4, brick, snapshot);
        let exact = solved(&problem, 1e-13);
        let exact_v = problem.saddle.velocity(&exact);
        let values = all[&format!("{name}_iterative")]["values"].as_object().expect("values by method");
        for (key, want) in values {
            let what = format!("{name} {key}");
            if let Some((coupling, _)) = coupling_of(key) {
                let mut z = vec![0.0; problem.size()];
                DirectIterative::new(coupling).couple(&problem, coupling.couplings, &mut z, |_, _| true);
                let error = distance(&problem.saddle.velocity(&z), &exact_v);
                compared.relative(&format!("{what} v"), error, number(want, "v_err"), 1e-2);
            }
            let variant = VARIANTS.iter().find(|(variant, _)| *key == format!("pgs_{variant}_iso"));
            let Some((_, variant)) = variant else { continue };
            let mut pgs = Pgs::new(Options { variant: *variant, ..Options::default() });
            let mut z = vec![0.0; problem.size()];
            pgs.sweep(&problem, Part::All, 1000, &mut z, |sweep| {
                let tolerance = if sweep.number <= 100 { 1e-2 } else { 0.5 };
                let label = sweep.number.to_string();
                if let Some(value) = want["impulse_err"][&label].as_f64() {
                    let error = relative_error(sweep.z, &exact);
                    compared.relative(&format!("{what} z {label}"), error, value, tolerance);
                }
                if let Some(value) = want[format!("v_err_{label}")].as_f64() {
                    let error = distance(&problem.saddle.velocity(sweep.z), &exact_v);
                    compared.relative(&format!("{what} v {label}"), error, value, tolerance);
                }
            });
        }
    }
    compared.finish(100);
}
