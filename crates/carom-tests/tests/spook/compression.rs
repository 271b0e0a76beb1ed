//! Contacts with a compliance of their own: springs that push. They may start in compression, have no impacts, and swing and decay as their
//! compliance and damping say.

use carom::observe::Frame;
use carom::steppers::shared::near::normal_impulse;
use carom::system::ContactId;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, scene};

use crate::{run, through};

/// Runs a scene to its end; its gaps there and the forces of the contacts in the last step.
fn at_rest(scene: &Scene) -> (Vec<f64>, Vec<f64>) {
    let (mut gaps, mut forces) = (Vec::new(), Vec::new());
    let (outcome, summary, _) = run(scene, &mut |frame: &Frame| {
        gaps = frame.gap.to_vec();
        let force = |contact: &ContactId| normal_impulse(frame.contact_impulse, *contact) / scene.run.h;
        forces = frame.contacts.iter().map(force).collect();
    });
    assert_eq!((outcome.ended, summary.impacts), (None, Some(0)), "{}", scene.name);
    (gaps, forces)
}

#[test]
fn a_squeezed_disc_rests_where_both_walls_push_equally_and_friction_carries_it() {
    let scene = built_in("squeezed-disc", &[]);
    let (gaps, forces) = at_rest(&scene);
    // squeeze = 0.01 m over 1e-4 and 3e-4 m/N: 25 N, 2.5 mm and 7.5 mm.
    println!("gaps {gaps:?}, forces {forces:?}");
    for (found, expected) in gaps.iter().zip([-2.5e-3, -7.5e-3]) {
        assert!((found - expected).abs() < 1e-9, "{gaps:?}");
    }
    for found in &forces {
        assert!((found - 25.0).abs() < 1e-5, "{forces:?}");
    }
    // Both contacts stick: they creep with the slip of the method, 1e-8 m/s per N of the friction of each, over the second of the run.
    let mut fallen = 0.0;
    let mut carried = 0.0;
    run(&scene, &mut |frame: &Frame| {
        fallen = -frame.state.q[1];
        let along = |contact| {
            let own = frame.contact_impulse.iter().find(|impulse| impulse.contact == contact);
            own.map_or(0.0, |impulse| impulse.friction[0])
        };
        carried = (along(ContactId(0)) - along(ContactId(1))) / scene.run.h;
    });
    println!("fallen {fallen:e}, carried {carried}");
    assert!((fallen - 1e-8 * 9.81).abs() < 1e-3 * 9.81e-8, "{fallen:e}");
    // The directions of sliding of opposite walls are opposite: down one and up the other.
    assert!((carried.abs() - 2.0 * 9.81).abs() < 1e-6, "{carried}");
}

#[test]
fn compliances_in_a_row_share_a_squeeze() {
    // A fixed ball, two discs and a wall on a line, 6 mm too close: F = 6 mm / (1 + 2 + 3) mm/N · 10⁴ = 10 N.
    let text = "[[particle]]\nmass = 1.0\nradius = 0.1\nposition = [0.1985]\n[[particle]]\nmass = 0.5\nradius = 0.1\nposition = [0.3965]\n\
                [[contact]]\ncompliance = 2e-4\ndamping = 0.02\n[[ball]]\ncentre = [0.0]\nradius = 0.1\nside = 'outside'\ncompliance = 1e-4\n\
                damping = 0.02\n[[wall]]\nnormal = [-1.0]\noffset = -0.494\ncompliance = 3e-4\ndamping = 0.02\n[method]\nname = 'spook'\n\
                [run]\nstep = 1e-3\nuntil = 3.0\n";
    let (gaps, forces) = at_rest(&scene("row", text, &[]));
    println!("{gaps:?} {forces:?}");
    // Rows: between spheres, at the wall, at the ball; each disc is far from what is behind the other.
    for (row, expected) in [(0, -2e-3), (2, -3e-3), (3, -1e-3)] {
        assert!((gaps[row] - expected).abs() < 1e-9 && (forces[row] - 10.0).abs() < 1e-5, "{gaps:?} {forces:?}");
    }
    assert_eq!((forces[1], forces[4]), (0.0, 0.0), "{gaps:?}");
}

#[test]
fn a_plate_and_a_coordinate_sink_into_compliant_floors_by_their_weight() {
    // Two corners carry 3 kg: each sinks by ε m g / 2.
    let plate = "[[plate]]\nmass = 3.0\nvertices = [[0.2, 0.1], [-0.2, 0.1], [-0.2, -0.1], [0.2, -0.1]]\nposition = [0.0, 0.095]\n\
                 [[field]]\ngravity = [0.0, -9.81]\n[[wall]]\nnormal = [0.0, 1.0]\ncompliance = 1e-4\ndamping = 0.02\n[method]\n\
                 name = 'spook'\n[run]\nstep = 1e-3\nuntil = 2.0\n";
    let (gaps, _) = at_rest(&scene("plate", plate, &[]));
    let depth = 1e-4 * 3.0 * 9.81 / 2.0;
    println!("plate {gaps:?}, expected {depth:e}");
    assert!((gaps[2] + depth).abs() < 1e-10 && (gaps[3] + depth).abs() < 1e-10, "{gaps:?}");
    let coordinate = "[lagrangian]\ncoordinates = ['y']\nmass = 3.0\npotential = '3.0*9.81*y'\n\
                      inequalities = [{ expression = 'y', compliance = 1e-4, damping = 0.02 }]\n[initial]\nq = [-0.001]\n[method]\n\
                      name = 'spook'\n[run]\nstep = 1e-3\nuntil = 2.0\n";
    let (gaps, forces) = at_rest(&scene("coordinate", coordinate, &[]));
    assert!((gaps[0] + 2.0 * depth).abs() < 1e-10 && (forces[0] - 3.0 * 9.81).abs() < 1e-6, "{gaps:?} {forces:?}");
}

/// A sphere of 2 kg between two walls on a line, both in compression throughout.
fn swing(damping: f64) -> Scene {
    let text = format!(
        "[[particle]]\nmass = 2.0\nradius = 0.1\nposition = [0.0962]\n[[wall]]\nnormal = [1.0]\ncompliance = 1e-4\ndamping = {damping}\n\
         [[wall]]\nnormal = [-1.0]\noffset = -0.19\ncompliance = 3e-4\ndamping = {damping}\n[method]\nname = 'spook'\n[run]\nstep = 2e-3\n\
         until = 0.06\n"
    );
    scene("swing", &text, &[])
}

#[test]
fn damping_decides_on_the_decay_of_the_swing_as_derived() {
    // y_{k+1} (m + K/4 + C) + y_k (−2m + K/2 − C) + y_{k−1} (m + K/4) = 0 with K = Σ h²/ε, C = Σ hτ/ε: the determinant
    // y_{k+1} y_{k−1} − y_k² falls by the product of the roots in every step.
    let (h, m, softness) = (2e-3, 2.0, [1e-4, 3e-4]);
    let rest = 0.1 - 2.5e-3;
    let mut ratios = Vec::new();
    for tau in [0.0, 1e-3, 5e-3] {
        let k: f64 = softness.iter().map(|epsilon| h * h / epsilon).sum();
        let c: f64 = softness.iter().map(|epsilon| h * tau / epsilon).sum();
        let expected = (m + 0.25 * k) / (m + 0.25 * k + c);
        let scene = swing(tau);
        let mut y = Vec::new();
        let (outcome, summary, ledger) = run(&scene, &mut |frame: &Frame| {
            assert!(frame.gap.iter().all(|gap| *gap < 0.0), "both walls are touched");
            y.push(frame.state.q[0] - rest);
        });
        assert_eq!((outcome.ended, summary.impacts), (None, Some(0)));
        let determinant = |k: usize| y[k + 1] * y[k - 1] - y[k] * y[k];
        for k in 2..y.len() - 1 {
            let found = determinant(k) / determinant(k - 1);
            assert!((found - expected).abs() < 1e-8, "tau {tau}, step {k}: {found}, expected {expected}");
        }
        println!("tau {tau}: {expected} per step, seen over {} steps", y.len());
        ratios.push(expected);
        // No potential: what the contacts stored went to the motion and to damping, to the last digit.
        let energy = summary.energy.expect("looked at");
        assert!(ledger.error_max < 1e-13 * energy.max.max(1e-2), "{:e} of {energy:?}", ledger.error_max);
        let [given, taken] = ["contact compliance", "contact forces"].map(|name| through(&ledger, name));
        assert!(if tau == 0.0 { taken.abs() < 1e-12 } else { taken < 0.0 }, "{given:e} {taken:e}");
    }
    assert!(ratios[0] == 1.0 && ratios[1] < 0.99 && ratios[2] < 0.94, "{ratios:?}");
}

#[test]
fn what_falls_onto_a_spring_goes_in_as_deep_as_its_energy_says_and_comes_back() {
    // ½d²/ε = m g (H + d): d = ε m g (1 + √(1 + 2H/(ε m g))). No coefficient of restitution has a say.
    let text = "[[particle]]\nmass = 1.0\nposition = [0.2]\n[[field]]\ngravity = [-9.81]\n[[wall]]\nnormal = [1.0]\nrestitution = 0.0\n\
                compliance = 1e-3\ndamping = 0.0\n[method]\nname = 'spook'\n[run]\nstep = 2e-4\nuntil = 0.55\n";
    let scene = scene("fall", text, &[]);
    let (mut deepest, mut highest) = (0.0_f64, 0.0_f64);
    let (outcome, summary, _) = run(&scene, &mut |frame: &Frame| {
        deepest = deepest.max(-frame.gap[0]);
        if frame.state.t > 0.3 {
            highest = highest.max(frame.gap[0]);
        }
    });
    assert_eq!((outcome.ended, summary.impacts), (None, Some(0)));
    let weight = 1e-3 * 9.81_f64;
    let expected = weight * (1.0 + (1.0 + 0.4 / weight).sqrt());
    println!("depth {deepest}, expected {expected}; back to {highest} of 0.2");
    assert!((deepest - expected).abs() < 5e-3 * expected, "{deepest}, expected {expected}");
    assert!((highest - 0.2).abs() < 0.01 * 0.2, "{highest}");
}

#[test]
fn steps_too_long_for_a_contact_are_told_and_rigid_ones_beside_it_still_have_impacts() {
    let text = "[[particle]]\nmass = 1.0\nposition = [0.5, 0.0]\nvelocity = [0.0, 1.0]\n[[field]]\ngravity = [-9.81, 0.0]\n[[wall]]\n\
                normal = [1.0, 0.0]\ncompliance = 1e-8\n[[wall]]\nnormal = [0.0, -1.0]\noffset = -0.1\n[method]\nname = 'spook'\n[run]\nstep = 0.01\n\
                until = 0.2\n";
    let scene = scene("stiff", text, &[]);
    let warnings = scene.method.warnings(&*scene.problem.system, &scene.problem.initial, scene.run.h);
    // h ω = 0.01 · √(1e8) = 100.
    assert!(warnings.iter().any(|text| text.contains("h ω = 100.0") && text.contains("wall 0")), "{warnings:?}");
    let (_, summary, _) = run(&scene, &mut |_| {});
    assert_eq!(summary.impacts, Some(1), "the rigid wall");
}
