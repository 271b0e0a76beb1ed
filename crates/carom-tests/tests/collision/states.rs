//! The states at impacts: what the momentum changes by is what the impulses of the events say.

use carom::discrete::{Chord, Side};
use carom::linear::{Cholesky, dot};
use carom::steppers::shared::mass::InverseMass;
use carom::steppers::{Event, Happening, ImpactState, ImpactStates};
use carom::system::System;

use super::Walk;

/// `p⁺ − p⁻` less the impulses of the events of an impact and of equality constraints: the largest entry, relative to the
/// largest momentum or impulse: those of contacts that depend on each other may be large and cancel.
fn unexplained(system: &dyn System, state: ImpactState, events: &[Event]) -> f64 {
    let (n, m) = (system.dim(), system.equalities().count());
    let mut rest: Vec<f64> = state.plus.iter().zip(state.minus).map(|(plus, minus)| plus - minus).collect();
    let impulses = events.iter().map(|event| &event.impulse);
    let size = state.plus.iter().chain(state.minus).chain(impulses).fold(0.0_f64, |max, p| max.max(p.abs()));
    let mut gradient = vec![0.0; n];
    for event in events {
        system.contacts().gradient(0.0, state.q, event.contact, &mut gradient);
        rest.iter_mut().zip(&gradient).for_each(|(rest, g)| *rest -= event.impulse * g);
        let mut tangents = vec![0.0; n * system.contacts().directions(event.contact)];
        system.contacts().tangents(0.0, state.q, event.contact, &mut tangents);
        for (impulse, t) in event.friction.iter().zip(tangents.chunks_exact(n)).filter(|(l, _)| !l.is_nan()) {
            rest.iter_mut().zip(t).for_each(|(rest, t)| *rest -= impulse * t);
        }
    }
    if m > 0 {
        // What equality constraints give is along their gradients F: the rest less its part along them, Fᵀ(F Fᵀ)⁻¹F.
        let (mut rows, mut factors) = (vec![0.0; m * n], Cholesky::new(m));
        system.equalities().jacobian(0.0, state.q, &mut rows);
        let row = |i: usize| &rows[i * n..(i + 1) * n];
        for i in 0..m {
            for j in 0..m {
                factors.matrix[i * m + j] = dot(row(i), row(j));
            }
        }
        factors.factor().expect("independent");
        let mut along: Vec<f64> = (0..m).map(|i| dot(row(i), &rest)).collect();
        factors.solve(&mut along);
        for (i, along) in along.iter().enumerate() {
            rest.iter_mut().zip(row(i)).for_each(|(rest, f)| *rest -= along * f);
        }
    }
    rest.iter().fold(0.0_f64, |max, x| max.max(x.abs())) / size
}

fn kinetic(system: &dyn System, q: &[f64], p: &[f64]) -> f64 {
    let mut v = p.to_vec();
    InverseMass::new(system, q).expect("a mass").solve(&mut v);
    0.5 * dot(&v, p)
}

/// What was seen of a run.
#[derive(Debug, Default)]
struct Seen {
    impacts: usize,
    together: usize,
    rests: usize,
    kept: usize,
    sticks_or_slips: usize,
    momentum: f64,
    energy: f64,
}

/// Makes steps and compares every impact with its events.
fn look(mut walk: Walk, label: &str, steps: u64) -> Seen {
    let (mut seen, mut states) = (Seen::default(), ImpactStates::default());
    for _ in 0..steps {
        walk.step();
        let (system, events) = (&*walk.scene.problem.system, walk.events());
        states.clone_from(walk.impact_states());
        for index in 0..states.len() {
            let own: Vec<Event> = events.iter().filter(|event| event.impact == index).copied().collect();
            if own.is_empty() {
                continue;
            }
            let state = states.get(index).expect("there");
            assert!(own.iter().all(|event| event.t == own[0].t));
            seen.impacts += 1;
            seen.kept += usize::from(own.iter().any(|event| event.what == Happening::Kept));
            seen.rests += usize::from(own.iter().any(|event| event.what == Happening::Rest));
            seen.together += usize::from(own.len() > 1);
            seen.sticks_or_slips += usize::from(own.iter().any(|event| event.friction[0].abs() > 0.0));
            seen.momentum = seen.momentum.max(unexplained(system, state, &own));
            let change = kinetic(system, state.q, state.plus) - kinetic(system, state.q, state.minus);
            let (work, before) =
                (own.iter().map(|event| event.work).sum::<f64>(), kinetic(system, state.q, state.minus));
            if own.iter().all(|event| !matches!(event.what, Happening::Rest | Happening::Kept)) {
                seen.energy = seen.energy.max((change - work).abs() / before);
            }
        }
    }
    println!("{label}: {seen:?}");
    seen
}

#[test]
fn momentum_changes_by_the_impulses_of_the_events() {
    let rough = ["parameters.e=0.8", "parameters.mu=0.3"];
    for (name, edits, steps) in [
        ("star-body", &[][..], 20_000),
        ("star-body", &rough[..], 1_500),
        ("disk-billiard", &[], 5_000),
        ("double-pendulum-wall", &[], 20_000),
        ("newtons-cradle", &[], 2_000),
        ("pogo-stick-hardening", &["run.step=0.01"], 10_000),
        ("point-mass", &["parameters.restitution=0.5", "run.step=0.01"], 400),
    ] {
        for method in ["cva", "vci", "cva rule=midpoint"] {
            let seen = look(Walk::new(name, method, edits), &format!("{name} {method} {edits:?}"), steps);
            assert!(seen.impacts > 5 && seen.momentum < 1e-12, "{name} {method}: {seen:?}");
            // The law's work is the whole change of energy; the condition of vci moves it by O(h²).
            let (below, above) = if method == "vci" { (1e-9, 0.5) } else { (0.0, 1e-12) };
            assert!((below..=above).contains(&seen.energy), "{name} {method}: {seen:?}");
            assert!(edits != rough || seen.sticks_or_slips > 3);
            assert!(name != "newtons-cradle" || seen.together > 5, "{seen:?}");
            assert!(name != "point-mass" || seen.rests > 0);
        }
    }
}

/// Discs in a box that come to rest on each other.
const BOX: &str = r#"
[parameters]
mu = 0.3
[[particle]]
name = "disc"
mass = 1
radius = 0.1
position = ["0.25 + 0.23*j + 0.02*i", "0.3 + 0.25*i"]
velocity = ["0.3*sin(7*i + 3*j)", 0]
repeat = [{ index = "i", count = 2 }, { index = "j", count = 4 }]
[[field]]
gravity = [0, -9.81]
[[contact]]
restitution = 0.6
friction = "mu"
[[wall]]
normal = [0, 1]
restitution = 0.6
friction = "mu"
[[wall]]
normal = [1, 0]
restitution = 0.6
[[wall]]
normal = [-1, 0]
offset = -1.2
restitution = 0.6
[method]
name = "cva"
[run]
step = "1/240"
until = 5
"#;

#[test]
fn impulses_of_clusters_that_come_to_rest_are_complete() {
    for mu in ["0", "0.3"] {
        for method in ["cva", "vci"] {
            let scene = carom_tests::runs::scene("box", BOX, &[&format!("parameters.mu={mu}")]);
            let seen = look(Walk::of(scene, method), &format!("box, mu = {mu}, {method}"), 1200);
            assert!(
                seen.rests > 10 && seen.kept > 10 && seen.together > 10 && seen.momentum < 1e-12,
                "{mu} {method}: {seen:?}"
            );
            assert_eq!(seen.sticks_or_slips > 0, mu != "0");
        }
    }
}

#[test]
fn corners_that_land_at_once_share_a_state() {
    for method in ["vci", "cva"] {
        let mut walk = Walk::new("star-body", method, &[]);
        (walk.state.q, walk.state.p) = (vec![0.0, 1.0, 0.0], vec![0.0; 3]);
        walk.to_impact();
        let (system, events) = (&*walk.scene.problem.system, walk.events());
        assert_eq!((events.len(), walk.impact_states().len()), (2, 1));
        let state = walk.impact_states().get(0).expect("there");
        assert!(unexplained(system, state, events) < 1e-14);
        // Negative control: one of the two impulses alone does not explain it.
        assert!(unexplained(system, state, &events[..1]) > 0.1);
        let (v, due) = (state.minus[1], events[0].alpha * walk.h);
        assert!(v < -3.0 && state.plus[1] > 3.0 && (state.elapsed - due).abs() < 1e-15 * walk.h.max(1.0));
    }
}

#[test]
fn legs_before_and_after_an_impact_of_vci_have_the_same_discrete_energy() {
    for name in ["star-body-newton-gravity", "disk-billiard", "double-pendulum-wall"] {
        let mut walk = Walk::new(name, "vci", &[]);
        let n = walk.state.q.len();
        let mut rule = carom_tests::runs::method("vci").discrete_lagrangian().expect("one").path(n);
        let (mut impacts, mut worst) = (0, 0.0_f64);
        while impacts < 40 {
            let (start, h) = (walk.state.clone(), walk.h);
            let report = walk.step();
            let system = &*walk.scene.problem.system;
            let states = walk.impact_states();
            // Legs long enough for chords made of places.
            let Some(state) = states.get(0).filter(|_| states.len() == 1 && report.fallbacks == 0) else {
                continue;
            };
            let taus = [state.elapsed, h - state.elapsed];
            if taus.iter().any(|tau| *tau < 0.1 * h) {
                continue;
            }
            impacts += 1;
            let mut energy = |t0: f64, tau: f64, ends: [&[f64]; 2]| {
                let v: Vec<f64> = ends[1].iter().zip(ends[0]).map(|(x, q)| (x - q) / tau).collect();
                rule.energy(system, Chord { t0, h: tau, q0: ends[0], v: &v }, Side::Start)
            };
            let before = energy(start.t, taus[0], [&start.q, state.q]);
            let after = energy(start.t + taus[0], taus[1], [state.q, &walk.state.q]);
            worst = worst.max((after - before).abs() / before.abs());
        }
        println!("{name}: {worst:.1e}");
        assert!(worst < 1e-11, "{name}: {worst:e}");
    }
}
