//! What the brute force is worth: it knows closed forms, and catches a search that looks at the ends of a step alone.

use carom::particles::{Group, Particles, Selection, Surface, Wall};
use carom::state::State;
use carom::system::System;

use super::kinds::Kind;
use super::legs::Leg;
use super::oracle::{Findings, Oracle, Path};
use super::trial::{Outcome, Trial};

/// Two spheres of radius 1 in the plane, the second at rest at the origin; and a wall below.
fn spheres(gravity: f64) -> Particles {
    let mut system = Particles::new(2, vec![1.0, 1.0]).expect("masses");
    system.set_radii(vec![1.0; 2]).expect("radii");
    system.add_sphere_gaps(&Selection::default(), Surface::default()).expect("pairs");
    let wall = Wall { normal: vec![0.0, 1.0], offset: -50.0, restitution: 1.0, friction: 0.0 };
    system.add_wall(&wall, &Group::Of(vec![0])).expect("a wall");
    system.set_gravity(&[0.0, -gravity]).expect("gravity");
    system
}

fn findings(system: &dyn System, (q, v): ([f64; 2], [f64; 2]), span: f64) -> Findings {
    let start = State::from_velocity(system, 0.0, &[q[0], q[1], 0.0, 0.0], &[v[0], v[1], 0.0, 0.0]);
    let mut path = Path::parabola(system, &start, 1.0, None);
    Oracle::new(&mut path, system, (span, 400), &[1e-9, 1e-9]).findings().expect("a path")
}

#[test]
fn the_brute_force_knows_closed_forms() {
    let system = spheres(0.0);
    for miss in [0.0, 0.3, 1.99, 2.0 - 1e-6, 2.0 - 1e-8] {
        for distance in [2.5, 30.0, 900.0] {
            let expected = distance - f64::sqrt(4.0 - miss * miss);
            let hit = findings(&system, ([-distance, miss], [1.0, 0.0]), 2000.0).hit.expect("hit");
            assert!(
                (hit.tau - expected).abs() < 1e-9 * distance && hit.contact == 0,
                "{miss}, {distance}: {hit:?}"
            );
            assert!(hit.deep >= hit.tau && hit.deep - hit.tau < 1e-4, "{hit:?}");
        }
    }
    // What passes by, and what is too close to tell.
    for (miss, grazes) in [(2.0 + 1e-8, false), (2.0 + 1e-6, false), (2.0 + 1e-10, true), (2.0 - 1e-10, true)] {
        let found = findings(&system, ([-30.0, miss], [1.0, 0.0]), 100.0);
        assert!(found.hit.is_none() && found.grazes.is_empty() != grazes, "{miss}: {found:?}");
    }
    // Left at the start, and nothing else.
    let found = findings(&system, ([2.0, 0.0], [1.0, 0.0]), 100.0);
    assert!(found.hit.is_none() && found.grazes.is_empty(), "{found:?}");
    // A fall of 49 onto the wall; before that, a bounce off it that is over soon.
    let system = spheres(2.0);
    let hit = findings(&system, ([9.0, 0.0], [0.0, 0.0]), 9.0).hit.expect("hit");
    assert!((hit.tau - 7.0).abs() < 1e-12 && hit.contact == 1, "{hit:?}");
    let hit = findings(&system, ([9.0, -49.0], [0.0, 1e-4]), 9.0).hit.expect("hit");
    // The wall is 49 away from the origin: round-off of that, over the speed.
    assert!((hit.tau - 1e-4).abs() < 1e-10 && hit.contact == 1, "{hit:?}");
}

/// A search that compares the ends of the step: what is open there, it does not see.
fn naive(trial: &Trial) -> Outcome {
    let Some(found) = trial.findings(&trial.start, &trial.bands) else { return Outcome::NotAsked };
    let end = trial.h.abs();
    let below = |tau: f64| (0..trial.bands.len()).find(|&contact| trial.gap(&trial.start, contact, tau) < 0.0);
    let Some(contact) = below(end) else { return trial.compare(&found, None, &trial.bands) };
    let (mut low, mut high) = (0.0, end);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if trial.gap(&trial.start, contact, middle) < 0.0 { high = middle } else { low = middle }
    }
    trial.compare(&found, Some((low, contact)), &trial.bands)
}

#[test]
fn control_a_search_at_the_ends_alone_is_caught() {
    for kind in [Kind::Spheres(1), Kind::Spheres(2), Kind::Outside, Kind::Plates, Kind::Waves, Kind::Roots] {
        let (mut missed, mut late, mut impacts) = (0, 0, 0);
        for trial in (0..60).filter_map(|number| Trial::draw(kind, Leg::Parabola, number)) {
            match naive(&trial) {
                Outcome::Missed => missed += 1,
                Outcome::Late => late += 1,
                Outcome::Impact => impacts += 1,
                _ => {}
            }
        }
        println!("{kind:?}: {missed} missed, {late} late, {impacts} found");
        assert!(missed > 0 && impacts > 0, "{kind:?}");
    }
}
