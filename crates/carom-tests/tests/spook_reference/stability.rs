//! Linear stability: the matrix of a step is read off the stepper, from steps of a linear system from each unit vector.
//!
//! A chain of the reference restricts itself to the range of G; here coordinates that no row sees are left out instead. Random problems are our own.

use carom::state::State;
use carom_io::scene::Scene;
use carom_tests::reference::{Tally, number, numbers};
use carom_tests::runs::{numbers as random, stepper};
use serde_json::Value;

use crate::runs::{H, scene};

fn reference(id: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/stability.json")).expect("JSON");
    all[id]["values"].clone()
}

/// Masses with the rows `G q = 0`, each with its compliance and damping.
fn linear(masses: &[f64], rows: &[(Vec<f64>, f64, f64)]) -> Scene {
    let coordinates: Vec<String> = (0..masses.len()).map(|i| format!("\"x{i}\"")).collect();
    let row = |(g, compliance, damping): &(Vec<f64>, f64, f64)| {
        let terms: Vec<String> = g.iter().enumerate().map(|(i, g)| format!("({g:?})*x{i}")).collect();
        let sum = terms.join(" + ");
        format!("{{ expression = \"{sum}\", compliance = {compliance:?}, damping = {damping:?} }}")
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    let text = format!(
        "[lagrangian]\ncoordinates = [{}]\nmass = {masses:?}\nequalities = [{}]\n[initial]\nq = {:?}\n\
         [method]\nname = \"spook\"\n[run]\nstep = 0.01\nsteps = 1\n",
        coordinates.join(", "),
        rows.join(", "),
        vec![0.0; masses.len()]
    );
    scene("linear", &text, &[])
}

/// The matrix of a step in (q, h v), row by row.
fn matrix(scene: &Scene, masses: &[f64]) -> Vec<f64> {
    let n = masses.len();
    let mut out = vec![0.0; 4 * n * n];
    for column in 0..2 * n {
        let (mut q, mut p) = (vec![0.0; n], vec![0.0; n]);
        if column < n {
            q[column] = 1.0;
        } else {
            p[column - n] = masses[column - n] / H;
        }
        let mut state = State { t: 0.0, q, p };
        let mut stepper = stepper(scene, &scene.method);
        stepper.step(&*scene.problem.system, &mut state, H).unwrap_or_else(|error| panic!("{error}"));
        for i in 0..n {
            out[i * 2 * n + column] = state.q[i];
            out[(n + i) * 2 * n + column] = H * state.p[i] / masses[i];
        }
    }
    out
}

/// The spectral radius: of a pair by its quadratic equation, else as the limit of ‖Kᴺ‖^(1/N) for N = 2⁵⁰ by squares, which sees a double root to
/// about 1e-5.
fn radius(mut k: Vec<f64>) -> f64 {
    let n = (k.len() as f64).sqrt() as usize;
    if n == 2 {
        let (half, product) = (0.5 * (k[0] + k[3]), k[0] * k[3] - k[1] * k[2]);
        let inside = half * half - product;
        return if inside < 0.0 { product.sqrt() } else { half.abs() + inside.sqrt() };
    }
    let mut logarithm = 0.0;
    for level in 0..=50 {
        let size = k.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size == 0.0 {
            return 0.0;
        }
        logarithm += size.ln() / f64::from(level).exp2();
        k.iter_mut().for_each(|x| *x /= size);
        let square: Vec<f64> =
            (0..n * n).map(|e| (0..n).map(|j| k[e / n * n + j] * k[j * n + e % n]).sum()).collect();
        k = square;
    }
    logarithm.exp()
}

/// `tau=h/4` as a number.
fn damping(word: &str) -> f64 {
    match word {
        "0" => 0.0,
        "h" => H,
        _ => match word.split_once('/') {
            Some((_, divisor)) => H / divisor.parse::<f64>().expect("a number"),
            None => H * word.trim_end_matches('h').parse::<f64>().expect("a number"),
        },
    }
}

fn setting<'a>(key: &'a str, name: &str) -> &'a str {
    key.split(',').find_map(|part| part.strip_prefix(name)).expect("a setting")
}

#[test]
fn spectral_radius_of_one_row() {
    let (values, mut tally) = (reference("stability_scalar_rho"), Tally::default());
    let cases = values.as_object().expect("cases");
    assert_eq!(cases.len(), 56);
    for (key, expected) in cases {
        let compliance: f64 = setting(key, "eps=").parse().expect("a number");
        let scene = linear(&[1.0], &[(vec![1.0], compliance, damping(setting(key, "tau=")))]);
        tally.check(key, radius(matrix(&scene, &[1.0])), number(expected), 1e-6);
    }
    tally.settle("spectral radius of one row");
}

#[test]
fn spectral_radius_of_dependent_rows() {
    let (values, mut tally) = (reference("stability_rank_deficient"), Tally::default());
    for (key, expected) in values["rho"].as_object().expect("cases") {
        let compliance: f64 = setting(key, "eps=").parse().expect("a number");
        let tau = damping(setting(key, "tau="));
        // The third column of G is zero.
        let g = values["G"].as_array().expect("rows").iter().map(|row| numbers(row)[..2].to_vec());
        let rows: Vec<(Vec<f64>, f64, f64)> = g.map(|row| (row, compliance, tau)).collect();
        let masses = [1.0, 1.0];
        let found = radius(matrix(&linear(&masses, &rows), &masses));
        // Near the double root at τ = 2h the square root of what the solves leave is seen; T = 4εφ/h² of 1e-12 leaves 1e-8.
        let tolerance = if key == "tau=2h,eps=1e-12" { 5e-4 } else { 1e-5 };
        tally.check(key, found, number(&expected["range_G"]), tolerance);
    }
    tally.settle("spectral radius of dependent rows");
}

#[test]
fn no_step_of_a_linear_system_grows_whatever_the_compliances_and_dampings_are() {
    let (trials, mut worst) = (200, 0.0_f64);
    for trial in 0..trials {
        // As many rows as coordinates, or twice as many.
        let (n, m) = (2, if trial % 2 == 0 { 2 } else { 4 });
        let mut numbers = random(n + m * (n + 2), 1000 + trial).into_iter();
        let mut next = || numbers.next().expect("enough of them");
        let masses: Vec<f64> = (0..n).map(|_| 10_f64.powf(4.0 * next())).collect();
        let row = |next: &mut dyn FnMut() -> f64| {
            let g: Vec<f64> = (0..n).map(|_| 4.0 * next()).collect();
            // Compliances from 1e-8 to 1, dampings up to 100 steps.
            (g, 10_f64.powf(8.0 * next() - 4.0), H * 10_f64.powf(4.0 * next()))
        };
        let rows: Vec<(Vec<f64>, f64, f64)> = (0..m).map(|_| row(&mut next)).collect();
        let found = radius(matrix(&linear(&masses, &rows), &masses));
        assert!(found <= 1.0 + 1e-9, "trial {trial}: {found} of {masses:?} {rows:?}");
        worst = worst.max(found);
    }
    println!("largest spectral radius of {trials}: {worst}");
    assert!(worst > 0.9, "compliant rows decay slowly: {worst}");
    // Control: a spring that is no constraint is stepped explicitly, and grows where h ω > 2.
    let spring = linear(&[1.0], &[]);
    let text = spring.to_toml().replace("[initial]", "potential = \"0.5*150^2*x0^2\"\n[initial]");
    let spring = scene("spring", &text.replace("equalities = []", ""), &[]);
    assert!(radius(matrix(&spring, &[1.0])) > 2.0);
}

/// Violations of x = 0 without compliance, from 1 at rest.
fn decay(damping: f64, steps: usize) -> Vec<f64> {
    let scene = linear(&[1.0], &[(vec![1.0], 0.0, damping)]);
    let (mut step, mut state) = (stepper(&scene, &scene.method), State { t: 0.0, q: vec![1.0], p: vec![0.0] });
    let mut out = vec![1.0];
    for _ in 0..steps {
        step.step(&*scene.problem.system, &mut state, H).unwrap_or_else(|error| panic!("{error}"));
        out.push(state.q[0]);
    }
    out
}

#[test]
fn how_violations_decay() {
    let (values, mut tally) = (reference("stability_decay_sequences"), Tally::default());
    tally.all("tau 2h", &decay(2.0 * H, 12), &numbers(&values["tau2h"]), 1e-12);
    tally.all("tau 10h", &decay(10.0 * H, 12), &numbers(&values["tau10h"]), 1e-12);
    let slow = decay(10.0 * H, 60);
    tally.check("rate of tau 10h", slow[60] / slow[59], number(&values["rate_tau10h"]), 1e-9);
    // The law is exp(−t/τ); one step of it is not four.
    tally.check("exp(-h/tau)", slow[60] / slow[59], (-0.1_f64).exp(), 0.006);
    let growing = decay(0.0, 50);
    let found = [1, 2, 3, 10, 50].map(|k| growing[k]);
    tally.all("tau 0", &found, &numbers(&values["tau0_steps_1_2_3_10_50"]), 1e-9);
    tally.settle("decay of violations");
}
