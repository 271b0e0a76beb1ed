//! The symplectic form through an impact: preserved by `vci`, and by `cva` up to `dτ ∧ d(E⁻ − E⁺)`.

use super::jacobian::{defect, of};
use super::{Walk, number, reference};

/// The state before the first impact.
fn before_impact(scene: &str, method: &str, h: f64) -> Walk {
    let step = format!("run.step={h}");
    let mut ahead = Walk::new(scene, method, &[&step]);
    ahead.to_impact();
    let mut walk = Walk::new(scene, method, &[&step]);
    let steps = ahead.steps - 1;
    walk.to_step(steps);
    walk
}

fn largest(matrix: &[Vec<f64>]) -> f64 {
    matrix.iter().flatten().fold(0.0_f64, |max, x| max.max(x.abs()))
}

/// Central differences of the step itself, of order 6.
fn differences(walk: &Walk, scene: &str, method: &str) -> Vec<Vec<f64>> {
    let n = walk.state.q.len();
    let step = format!("run.step={}", walk.h);
    let run = |column: usize, change: f64| -> Vec<f64> {
        let mut moved = Walk::new(scene, method, &[&step]);
        moved.state = walk.state.clone();
        if column < n {
            moved.state.q[column] += change
        } else {
            moved.state.p[column - n] += change
        }
        moved.step();
        moved.state.q.iter().chain(&moved.state.p).copied().collect()
    };
    let d = 2e-4 * walk.h;
    let columns: Vec<Vec<f64>> = (0..2 * n)
        .map(|column| {
            let value = |k: f64| run(column, k * d);
            let [a, b, c] = [1.0, 2.0, 3.0].map(|k| (value(k), value(-k)));
            (0..2 * n)
                .map(|i| {
                    let half = |pair: &(Vec<f64>, Vec<f64>)| pair.0[i] - pair.1[i];
                    (45.0 * half(&a) - 9.0 * half(&b) + half(&c)) / (60.0 * d)
                })
                .collect()
        })
        .collect();
    (0..2 * n).map(|i| (0..2 * n).map(|j| columns[j][i]).collect()).collect()
}

const SCENES: [(&str, &str, f64); 5] = [
    ("bouncing-particle", "particle", 0.01),
    ("star-body", "star_uniform", 0.005),
    ("star-body-newton-gravity", "star_newton", 0.005),
    ("disk-billiard", "disk", 0.01),
    ("double-pendulum-wall", "double_pendulum", 0.01),
];

#[test]
fn vci_preserves_the_form_through_impacts() {
    for (scene, _, h) in SCENES {
        for (method, gamma) in
            [("vci", None), ("vci rule='gamma'", Some(0.5)), ("vci rule='gamma', gamma=0.3", Some(0.3))]
        {
            let mut walk = before_impact(scene, method, h);
            let mut again = before_impact(scene, method, h);
            let linear = of(&mut walk, gamma, true);
            let worst = largest(&defect(&linear.jacobian));
            let off = carom_tests::runs::distance(&linear.end, &walk.state);
            let measured = differences(&again, scene, method);
            again.step();
            let apart = linear
                .jacobian
                .iter()
                .flatten()
                .zip(measured.iter().flatten())
                .fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
            println!(
                "{scene}, {method}: defect {worst:.1e}; step off by {off:.1e}, Jacobian by {apart:.1e} of {:.1}",
                largest(&measured)
            );
            // (47)-(48) at the solution of the step.
            assert!(linear.residual.iter().all(|r| *r < 1e-12), "{scene}, {method}: {:?}", linear.residual);
            // With γ the second leg of the pendulum is short, and its Jacobian a difference of terms of 2000 times its size.
            let allowed = if gamma.is_some() { 1e-11 } else { 1e-12 };
            assert!(worst <= allowed && off < 1e-12 && apart < 1e-6 * largest(&measured), "{scene}, {method}");
        }
    }
}

#[test]
fn cva_misses_the_form_by_what_its_formula_says() {
    for (scene, key, h) in SCENES {
        let mut walk = before_impact(scene, "cva", h);
        let again = before_impact(scene, "cva", h);
        let linear = of(&mut walk, None, false);
        let found = defect(&linear.jacobian);
        let size = linear.tau.len();
        let wedge = |a: usize, b: usize| linear.tau[a] * linear.energies[b] - linear.energies[a] * linear.tau[b];
        // The sign is the one that fits; both cannot.
        let off = |sign: f64| {
            (0..size * size).fold(0.0_f64, |max, k| {
                let (a, b) = (k / size, k % size);
                max.max((found[a][b] - sign * wedge(a, b)).abs())
            })
        };
        let (worst, mismatch) = (largest(&found), off(1.0).min(off(-1.0)));
        let expected = number(&reference()["symplectic"][key]["php"]["defect"]);
        let measured = differences(&again, scene, "cva");
        let apart = linear
            .jacobian
            .iter()
            .flatten()
            .zip(measured.iter().flatten())
            .fold(0.0_f64, |max, (a, b)| max.max((a - b).abs()));
        println!(
            "{scene}: defect {worst:.9e}, reference {expected:.9e}, formula off by {mismatch:.1e}, Jacobian by {apart:.1e}"
        );
        assert!(mismatch <= 1e-6 * worst + 1e-12, "{scene}: {mismatch:e}");
        assert!(apart < 1e-6 * largest(&measured), "{scene}: {apart:e}");
        assert!((worst - expected).abs() <= 1e-6 * expected + 1e-12, "{scene}: {worst:e}, {expected:e}");
    }
}
