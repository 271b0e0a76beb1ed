//! `cva` with `energy = "shadow"`, and what is found of impacts along the way.

use super::{Walk, energy, number, numbers, reference};

/// The shadow Hamiltonian of Verlet to second order, for the star in Newton's gravity: V = −m g R²/(R + y).
fn shadow(walk: &Walk) -> f64 {
    let (g, r, y) = (9.81, 10.0, walk.state.q[1]);
    let (slope, bend) = (g * r * r / (r + y).powi(2), -2.0 * g * r * r / (r + y).powi(3));
    let v = walk.state.p[1];
    walk.energy() + walk.h.powi(2) * (v * bend * v / 12.0 - slope * slope / 24.0)
}

#[test]
fn the_shadow_energy_of_a_step_is_kept_through_impacts() {
    let table = &reference()["star_newton_200"];
    let mut ranges = Vec::new();
    for (method, key) in [("vci", "vci"), ("cva", "php"), ("cva energy='shadow'", "mod")] {
        let mut walk = Walk::new("star-body-newton-gravity", method, &[]);
        let (first, mut count, mut fallbacks) = (shadow(&walk), 0, 0);
        // Fallbacks move the level that is kept.
        let (mut level, mut worst, mut range) = (first, 0.0_f64, [0.0_f64; 2]);
        while count < 200 {
            let report = walk.step();
            count += report.impacts;
            fallbacks += report.fallbacks;
            let now = shadow(&walk);
            if report.fallbacks > 0 {
                level = now;
            }
            worst = worst.max((now - level).abs());
            range = [range[0].min(now - first), range[1].max(now - first)];
        }
        let expected = numbers(&table[key]["dHtilde"]);
        println!(
            "{method}: shadow energy {:.1e} … {:.1e}, reference {:.1e} … {:.1e}; between fallbacks {worst:.1e}, {fallbacks} of them",
            range[0], range[1], expected[0], expected[1]
        );
        // Chaotic: magnitudes only.
        let size = |low: f64, high: f64| high.max(-low);
        let ratio = size(range[0], range[1]) / size(expected[0], expected[1]);
        assert!(key == "mod" || (0.2..5.0).contains(&ratio), "{method}: {ratio}");
        if key == "mod" {
            assert!(worst < 1e-8 && fallbacks <= 6, "{worst:e}, {fallbacks}");
        }
        ranges.push(size(range[0], range[1]));
    }
    // The order of the three.
    assert!(ranges[0] > ranges[1] && ranges[1] > ranges[2], "{ranges:?}");
}

#[test]
fn the_earliest_corner_counts_and_not_the_deepest() {
    let detection = &reference()["detection"];
    let mut walk = Walk::new("star-body", "vci", &[]);
    let (mut count, mut others, mut inside) = (0, 0, 0);
    let mut gaps = [0.0; 4];
    while count < 1500 {
        let (start, h) = (walk.state.clone(), walk.h);
        count += walk.step().impacts;
        let Some(event) = walk.events().first() else { continue };
        // Where free flight would have ended.
        let inertia = 29.0 / 192.0;
        let end =
            [start.q[0], start.q[1] + h * (start.p[1] - 0.5 * h * 9.81), start.q[2] + h * start.p[2] / inertia];
        walk.scene.problem.system.contacts().gaps(walk.state.t, &end, &mut gaps);
        let deepest = (0..4).min_by(|&a, &b| gaps[a].total_cmp(&gaps[b])).expect("four corners");
        others += u32::from(deepest != event.contact.place());
        inside += u32::from(gaps[deepest] >= 0.0);
    }
    println!(
        "{others} of {count} impacts were not with the deepest corner, {inside} inside of a step with open ends; reference {detection}"
    );
    assert!((1..=20).contains(&others) && inside <= 2);
}

#[test]
fn laws_at_a_corner() {
    let table = &reference()["corner"];
    let h = 1e-9;
    for (key, omega) in [("flat", 0.0), ("rot+", 0.5), ("rot-", -0.5), ("rot+big", 5.0)] {
        for (law, expected) in [("generalized", "cone"), ("sequential", "seq_first0")] {
            let edits = ["parameters.g=0", "run.step=1e-9", "run.until=1e-8"];
            let mut walk = Walk::new("star-body", &format!("cva reflection='{law}'"), &edits);
            walk.state.q = vec![0.0, 0.5, 0.0];
            walk.state.p = vec![0.0, -3.0, omega * 29.0 / 192.0];
            walk.h = h;
            let before = energy(&walk.scene, &walk.state);
            walk.step();
            let expected = numbers(&table[key][expected]);
            let found = [walk.state.p[0], walk.state.p[1], walk.state.p[2] * 192.0 / 29.0];
            println!("{key}, {law}: {found:?}, reference {expected:?}");
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-12, "{key}, {law}");
            }
            assert!((walk.energy() - before).abs() < 1e-13);
        }
    }
    assert!((number(&table["wedge_angle_deg"]) - 75.714_531).abs() < 1e-6);
}
