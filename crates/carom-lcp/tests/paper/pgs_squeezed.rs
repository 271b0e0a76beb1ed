//! A thousand sweeps of projected Gauss–Seidel on the squeezed box, in every variant and both laws.

use carom_lcp::corpus::squeezed_box;
use carom_lcp::{Judged, Law};
use serde_json::Value;

use crate::check::{Compared, norm, number, numbers, reference, relative_error};
use crate::history::{VARIANTS, compare_history, history};

/// The four boxes of the reference: mass, angle in degrees.
pub const BOXES: [(f64, f64); 4] = [(4.0, 0.0), (4.0, 30.0), (400.0, 0.0), (400.0, 30.0)];

/// The exact impulses that the reference gives.
pub fn exact_impulses(exact: &Value) -> Vec<f64> {
    let rows = ["nu", "beta1", "beta2"].map(|key| numbers(&exact[key]));
    (0..rows[0].len()).flat_map(|c| [rows[0][c], rows[1][c], rows[2][c]]).collect()
}

#[test]
fn the_squeezed_box_relaxes_as_the_reference_does() {
    let all = reference("squeezed");
    let mut compared = Compared::default();
    for (mass, degrees) in BOXES {
        let name = format!("squeezed_m{mass}_{degrees}deg_step1");
        let problem = squeezed_box(mass, 2.0, 0.5, f64::to_radians(degrees));
        let exact = &all[&name]["values"];
        let at_zero = problem.residual(&vec![0.0; problem.size()]).absolute;
        compared.relative(&format!("{name} F(0)"), at_zero, number(exact, "F0"), 1e-8);
        for (law_name, law) in [("iso", Law::Cone), ("box", Law::Box)] {
            let problem = problem.clone().with_law(law);
            for (variant_name, variant) in VARIANTS {
                let key = format!("pgs_{variant_name}_{law_name}");
                let want = &all[&format!("{name}_pgs")]["values"][&key];
                if want.is_null() {
                    continue;
                }
                let what = format!("{name} {key}");
                let history = history(&problem, variant, 1000);
                compare_history(&mut compared, &what, &history, want, [1e-4, 1e-2, 1e-2]);
                let v = problem.saddle.velocity(&history.impulses[999]);
                let exact_v = numbers(&exact[&format!("exact_{law_name}")]["v"]);
                // Under both laws relative to the velocity that Coulomb's law gives.
                let scale = norm(numbers(&exact["exact_iso"]["v"]));
                let error = norm(v.iter().zip(&exact_v).map(|(a, b)| a - b)) / scale;
                compared.relative(&format!("{what} error of v"), error, number(want, "v_err_1000"), 1e-2);
                if law == Law::Cone {
                    let impulses = exact_impulses(&exact["exact_iso"]);
                    for (sweep, value) in want["impulse_err"].as_object().expect("values by sweep") {
                        let index: usize = sweep.parse().expect("a number of sweeps");
                        let error = relative_error(&history.impulses[index - 1], &impulses);
                        let value = value.as_f64().expect("a number");
                        compared.relative(&format!("{what} error of z {sweep}"), error, value, 1e-2);
                    }
                    let nu = numbers(&want["nu_after_1000"]);
                    for (c, nu) in nu.iter().enumerate() {
                        let got = history.impulses[999][3 * c];
                        compared.absolute(&format!("{what} nu {c}"), got, *nu, 1e-2 * nu.abs() + 1e-12);
                    }
                }
            }
        }
    }
    compared.finish(740);
}
