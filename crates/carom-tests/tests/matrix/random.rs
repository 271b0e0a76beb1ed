//! Random `[lagrangian]` systems: polynomial potentials, positive definite `M(q)`, up to 4 coordinates, with and without a
//! constraint. Every method must keep its claims on them. The seed is fixed: the same systems on every run.

use carom_io::scene::Scene;
use carom_tests::runs::{advance, distance, scene, slopes, stepper};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::symplectic::largest_defect;
use crate::systems::takes;
use crate::{label, rule, variants};

/// A scene from coefficients in (−1, 1).
fn build(n: usize, constrained: bool, c: &[f64]) -> Scene {
    let name = |i: usize| format!("q{i}");
    let mut next = c.iter().cycle();
    let mut coefficient = || next.next().copied().unwrap_or(0.5);
    let names: Vec<String> = (0..n).map(name).collect();
    // A confining potential with cubic and mixed terms.
    let mut potential: Vec<String> = names.iter().map(|q| format!("0.5*{q}^2 + 0.25*{q}^4")).collect();
    for i in 0..n {
        for j in 0..=i {
            potential.push(format!("{}*{}*{}^2", 0.3 * coefficient(), names[i], names[j]));
        }
    }
    // T = Σ ½ a_k (Σ b_kj(q) v_j)² + ½ v²: positive definite for every q.
    let mut kinetic: Vec<String> = names.iter().map(|q| format!("0.5*dot({q})^2")).collect();
    for i in 0..n {
        let combination: Vec<String> = (0..n)
            .map(|j| {
                format!("({} + {}*{})*dot({})", coefficient(), 0.5 * coefficient(), names[(i + j) % n], names[j])
            })
            .collect();
        kinetic.push(format!("0.3*({})^2", combination.join(" + ")));
    }
    let quoted = |list: &[String]| list.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
    // A sphere-like surface through the start; the initial velocity is zero, hence tangent.
    let start: Vec<f64> = (0..n).map(|i| 0.6 + 0.3 * c[i]).collect();
    let equalities = if constrained {
        let at: f64 = start.iter().enumerate().map(|(i, q)| q * q * (1.0 + 0.2 * i as f64)).sum();
        let terms: Vec<String> =
            names.iter().enumerate().map(|(i, q)| format!("{}*{q}^2", 1.0 + 0.2 * i as f64)).collect();
        format!("equalities = [\"{} - ({at:?})\"]", terms.join(" + "))
    } else {
        String::new()
    };
    let text = format!(
        "[lagrangian]\ncoordinates = [{}]\nkinetic = [{}]\npotential = [{}]\n{equalities}\n[initial]\nq = {start:?}\n\
         [method]\nname = \"midpoint\"\n[run]\nstep = 0.01\nuntil = 1.0\n",
        quoted(&names),
        quoted(&kinetic),
        quoted(&potential)
    );
    scene("random", &text, &[])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, rng_seed: RngSeed::Fixed(20_03), ..ProptestConfig::default() })]

    #[test]
    fn claims_hold_on_random_systems(
        n in 2_usize..=4,
        constrained in any::<bool>(),
        coefficients in proptest::collection::vec(-1.0_f64..1.0, 40),
    ) {
        let scene = build(n, constrained, &coefficients);
        for method in variants().iter().filter(|method| takes(method, &scene)) {
            let claims = method.claims();
            let message = format!("{} with n = {n}, constrained {constrained}", label(method));
            let (defect, apart) = largest_defect(&scene, rule(method), &mut *stepper(&scene, method), 0.02);
            prop_assert!(apart <= 1e-11, "{message}: apart {apart:e}");
            prop_assert!(!claims.symplectic || defect <= 1e-12, "{message}: defect {defect:e}");

            let mut state = scene.problem.initial.clone();
            let mut there = stepper(&scene, method);
            advance(&scene, &mut *there, &mut state, 0.02, 10);
            advance(&scene, &mut *there, &mut state, -0.02, 10);
            let back = distance(&state, &scene.problem.initial);
            prop_assert!(!claims.reversible || back <= 1e-12, "{message}: back {back:e}");

            if claims.order > 2 {
                continue;
            }
            let (errors, slopes) = slopes(&scene, &|| stepper(&scene, method), 0.6, 48, claims.order);
            let last = slopes.last().copied().unwrap_or(f64::NAN);
            // Random leading error terms may be small: wider than for the chosen systems, still between the orders.
            let near = (last - f64::from(claims.order)).abs() <= 0.3;
            prop_assert!(near, "{message}: errors {errors:?}, slopes {slopes:.3?}");
        }
    }
}
