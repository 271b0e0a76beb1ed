//! Contacts that are looked for give the same motion as contacts that are all listed, to the last bit, and sets miss nothing.

use carom::method::AnyMethod;
use carom::particles::{Ball, Group, Particles, Selection, Side, Surface, Wall};
use carom::random::Random;
use carom::state::State;
use carom::system::{ContactId, ContactSet, Dynamics, System, Way};
use carom_tests::runs::method;

/// Discs in a box, or spheres, under gravity; all of their pairs are listed if there are at most so many.
fn discs(dimension: usize, count: usize, surface: Surface, most: usize) -> (Particles, State) {
    let mut random = Random::new(7);
    let masses: Vec<f64> = (0..count).map(|_| 0.5 + random.unit()).collect();
    let mut system = Particles::new(dimension, masses).expect("right");
    system.list_pairs(most);
    let radii: Vec<f64> = (0..count).map(|_| 0.02 + 0.02 * random.unit()).collect();
    system.set_radii(radii).expect("right");
    let mut gravity = vec![0.0; dimension];
    gravity[dimension - 1] = -1.0;
    system.set_gravity(&gravity).expect("right");
    let excluded = vec![(0, 1), (2, 5)];
    system.add_sphere_gaps(&Selection { group: Group::All, excluded }, surface).expect("right");
    for axis in 0..dimension {
        for side in [1.0, -1.0] {
            let mut normal = vec![0.0; dimension];
            normal[axis] = side;
            let Surface { restitution, friction } = surface;
            let offset = if side > 0.0 { 0.0 } else { -1.0 };
            system.add_wall(&Wall { normal, offset, restitution, friction }, &Group::All).expect("right");
        }
    }
    let (centre, side) = (vec![0.5; dimension], Side::Outside);
    let ball = Ball { centre, radius: 0.1, side, restitution: surface.restitution, friction: surface.friction };
    system.add_ball(&ball, &Group::All).expect("right");
    // On a lattice, those in the ball left out of the way by their places at its border.
    let width = (count as f64).powf(1.0 / dimension as f64).ceil() as usize;
    let pitch = 1.0 / width as f64;
    let mut q = vec![0.0; dimension * count];
    for (number, place) in q.chunks_exact_mut(dimension).enumerate() {
        let mut rest = number;
        for x in place.iter_mut() {
            *x = (0.5 + (rest % width) as f64) * pitch;
            rest /= width;
        }
        let away: f64 = place.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>().sqrt();
        if away < 0.15 {
            let factor = if away > 0.0 { 0.15 / away } else { 0.0 };
            place.iter_mut().for_each(|x| *x = 0.5 + (*x - 0.5) * factor);
            if away == 0.0 {
                place[0] = 0.65;
            }
        }
    }
    let v: Vec<f64> = q.iter().map(|_| 2.0 * random.unit() - 1.0).collect();
    let state = State::from_velocity(&system, 0.0, &q, &v);
    (system, state)
}

/// The states of some steps.
fn run(system: &Particles, start: &State, method: &AnyMethod, steps: usize, h: f64) -> Vec<State> {
    let mut stepper = method.stepper::<Particles>(system, start).expect("able");
    let mut state = start.clone();
    let mut states = Vec::new();
    for _ in 0..steps {
        if let Err(error) = stepper.step(system, &mut state, h) {
            panic!("{}: {error}", method.name());
        }
        states.push(state.clone());
    }
    states
}

#[test]
fn contacts_that_are_looked_for_move_as_listed_ones_do() {
    let elastic = Surface { restitution: 1.0, friction: 0.0 };
    let lossy = Surface { restitution: 0.5, friction: 0.0 };
    let rough = Surface { restitution: 0.5, friction: 0.3 };
    let cases = [
        ("gvi", elastic),
        ("gvi", lossy),
        ("gvi rule=midpoint", elastic),
        ("cva", elastic),
        ("cva", lossy),
        ("cva", rough),
        ("cva rule=midpoint", elastic),
        ("vci", elastic),
        ("spook", elastic),
        ("spook", rough),
        ("direct", elastic),
    ];
    for (text, surface) in cases {
        let method = method(text);
        for dimension in [2, 3] {
            let (listed, start) = discs(dimension, 16, surface, 1000);
            let (looked, other) = discs(dimension, 16, surface, 0);
            assert_eq!(start, other);
            assert!(System::contacts(&listed).is_constant() && !System::contacts(&looked).is_constant());
            let runs = [&listed, &looked].map(|system| run(system, &start, &method, 150, 0.005));
            for (step, (one, two)) in runs[0].iter().zip(&runs[1]).enumerate() {
                assert_eq!(one, two, "{text} in {dimension} dimensions, step {step}");
            }
            assert!(runs[0].last().expect("steps").q != start.q);
        }
    }
}

#[test]
fn a_set_has_every_gap_that_comes_down_to_the_margin() {
    let surface = Surface::default();
    for dimension in [1, 2, 3] {
        let (system, start) = discs(dimension, 40, surface, 0);
        let contacts = System::contacts(&system);
        let (mut random, mut set, mut found) = (Random::new(3), ContactSet::default(), 0);
        let mut from = start.q.clone();
        for round in 0..60 {
            let reach = [1e-3, 0.05, 0.5][round % 3];
            let to: Vec<f64> = from.iter().map(|x| x + reach * (random.unit() - 0.5)).collect();
            let margin = [0.0, 0.01, 0.2][round / 3 % 3];
            set.find(contacts, Way { t: [0.0; 2], q: [&from, &to] }, margin);
            let mut fresh = ContactSet::default();
            fresh.find(contacts, Way { t: [0.0; 2], q: [&from, &to] }, margin);
            assert_eq!(set.ids(), fresh.ids(), "what was asked before does not matter");
            let (count, mut gaps) = (contacts.count(), vec![f64::INFINITY; contacts.count()]);
            for s in 0..=20 {
                let s = f64::from(s) / 20.0;
                let q: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + s * (b - a)).collect();
                let mut here = vec![0.0; count];
                contacts.gaps(0.0, &q, &mut here);
                gaps.iter_mut().zip(here).for_each(|(least, here)| *least = least.min(here));
            }
            for (place, gap) in gaps.iter().enumerate() {
                // Pairs that are left out have numbers too.
                let left_out = [0, 79].contains(&place) && !set.ids().contains(&ContactId::of(place));
                if *gap <= margin && !left_out {
                    assert!(set.ids().contains(&ContactId::of(place)), "{dimension}: {place} with {gap}");
                    found += 1;
                }
            }
            from = to;
        }
        assert!(found > 100, "{found}");
        assert!(set.len() < system.dim() * system.dim() / 2);
    }
}
