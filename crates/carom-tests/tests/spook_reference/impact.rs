//! Impacts take energy: random masses, joints and contacts, all touching, of which the contacts are approached.
//!
//! The reference counts gains of 300 random problems of its own for three right-hand sides of the joints; `spook` has the one that never gains,
//! `G v⁺ = −G v⁻`. The problems here are made anew.

use carom::state::State;
use carom_io::scene::Scene;
use carom_tests::runs::{numbers as random, stepper};
use serde_json::Value;

use crate::runs::{H, scene};

const N: usize = 8;
const JOINTS: usize = 2;
const CONTACTS: usize = 4;

fn row(g: &[f64]) -> String {
    let terms: Vec<String> = g.iter().enumerate().map(|(i, g)| format!("({g:?})*x{i}")).collect();
    terms.join(" + ")
}

struct Trial {
    scene: Scene,
    mass: Vec<f64>,
    v: Vec<f64>,
}

/// A random problem; restitutions differ or are all the same, and the joints are satisfied by the velocities or not.
fn trial(seed: u64, mixed: bool, satisfied: bool) -> Trial {
    let mut numbers = random(N * N + (JOINTS + CONTACTS) * N + N + CONTACTS, seed).into_iter();
    let mut next = || 2.0 * numbers.next().expect("enough of them");
    // M = B Bᵀ + I
    let b: Vec<f64> = (0..N * N).map(|_| next()).collect();
    let entry = |i: usize, j: usize| {
        (0..N).map(|k| b[i * N + k] * b[j * N + k]).sum::<f64>() + if i == j { 1.0 } else { 0.0 }
    };
    let mass: Vec<f64> = (0..N * N).map(|e| entry((e / N).min(e % N), (e / N).max(e % N))).collect();
    let joints: Vec<Vec<f64>> = (0..JOINTS).map(|_| (0..N).map(|_| next()).collect()).collect();
    let mut contacts: Vec<Vec<f64>> = (0..CONTACTS).map(|_| (0..N).map(|_| next()).collect()).collect();
    let mut v: Vec<f64> = (0..N).map(|_| next()).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    if satisfied {
        // The part of v across the joints, which are not at right angles: taken off again and again.
        for g in std::iter::repeat_n(&joints, 200).flatten() {
            let part = dot(g, &v) / dot(g, g);
            v.iter_mut().zip(g).for_each(|(v, g)| *v -= part * g);
        }
    }
    for contact in &mut contacts {
        if dot(contact, &v) > 0.0 {
            contact.iter_mut().for_each(|n| *n = -*n);
        }
    }
    let restitutions: Vec<f64> = (0..CONTACTS).map(|_| if mixed { 0.5 + 0.5 * next() } else { 1.0 }).collect();
    let list = |items: Vec<String>| items.join(", ");
    let lines = (0..N).map(|i| format!("{:?}", &mass[i * N..(i + 1) * N])).collect();
    // A compliance of their own lets the joints start with a velocity across.
    let joint = |g: &Vec<f64>| format!("{{ expression = \"{}\", compliance = 1e-8 }}", row(g));
    let contact = |(g, e): (&Vec<f64>, &f64)| format!("{{ expression = \"{}\", restitution = {e:?} }}", row(g));
    let text = format!(
        "[lagrangian]\ncoordinates = [{}]\nmass = [{}]\nequalities = [{}]\ninequalities = [{}]\n[initial]\nq = {:?}\n\
         v = {v:?}\n[method]\nname = \"spook\"\n[run]\nstep = 0.01\nsteps = 1\n",
        list((0..N).map(|i| format!("\"x{i}\"")).collect()),
        list(lines),
        list(joints.iter().map(joint).collect()),
        list(contacts.iter().zip(&restitutions).map(contact).collect()),
        [0.0; N],
    );
    Trial { scene: scene("random", &text, &[]), mass, v }
}

fn kinetic(mass: &[f64], v: &[f64]) -> f64 {
    0.5 * (0..N * N).map(|e| v[e / N] * mass[e] * v[e % N]).sum::<f64>()
}

fn velocity(mass: &[f64], p: &[f64]) -> Vec<f64> {
    let mut lu = carom::linear::Lu::new(N);
    lu.matrix.copy_from_slice(mass);
    lu.factor().expect("a mass matrix");
    let mut v = p.to_vec();
    lu.solve(&mut v);
    v
}

#[test]
fn impacts_never_gain_energy() {
    let all: Value = serde_json::from_str(include_str!("../../reference/spook/impact.json")).expect("JSON");
    for (mixed, satisfied) in [(false, true), (true, true), (false, false), (true, false)] {
        let key = format!(
            "minus_Gv{}_{}_psi",
            if satisfied { "0" } else { "ne0" },
            if mixed { "mixed" } else { "uniform" }
        );
        let expected = &all["impact_energy_random"]["values"][&key];
        let (trials, mut worst, mut struck) = (expected["trials"].as_u64().expect("a count"), f64::NEG_INFINITY, 0);
        let mut gains = 0;
        for seed in 1..=trials {
            let Trial { scene, mass, v } = trial(seed, mixed, satisfied);
            let mut state: State = scene.problem.initial.clone();
            let before = kinetic(&mass, &v);
            let report = stepper(&scene, &scene.method)
                .step(&*scene.problem.system, &mut state, H)
                .unwrap_or_else(|error| panic!("{key}, {seed}: {error}"));
            struck += u64::from(report.impacts > 0);
            let relative = report.impact_work / before;
            worst = worst.max(relative);
            gains += u64::from(relative > 1e-12);
            if satisfied {
                // Then the step after the impact has nothing to do: what is told is what is lost.
                let after = kinetic(&mass, &velocity(&mass, &state.p));
                let told = (after - before - report.impact_work).abs();
                assert!(told <= 1e-6 * before, "{key}, {seed}: {after} {before} {report:?}");
            }
        }
        println!("{key}: {struck} of {trials} with impulses, largest relative change {worst:e}");
        assert_eq!(Some(gains), expected["increases"].as_u64(), "{key}");
        // Joints that are reversed may take bodies away from their contacts.
        assert!(10 * struck >= 9 * trials, "{key}: nearly every problem has an impact");
    }
}
