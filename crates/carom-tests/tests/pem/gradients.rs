//! Discrete gradients: the difference of the potential exactly, symmetric in the ends, the gradient where they meet.

use carom::particles::{Cutoff, Group, LennardJones, Link, Particles, Selection};
use carom::system::{Dynamics, Segment, System};
use carom_tests::runs::{built_in, numbers};

/// One system for each kind of potential.
fn systems() -> Vec<(&'static str, Particles)> {
    let make = |add: &dyn Fn(&mut Particles)| {
        let mut system = Particles::new(3, vec![1.0, 2.0, 0.5, 1.5, 0.8]).expect("right");
        add(&mut system);
        system
    };
    let law = LennardJones { epsilon: 0.3, sigma: 0.8 };
    let all = Selection::default;
    vec![
        ("springs", make(&|s| s.add_spring(Link::between(0, 2), 3.0, 1.1).expect("right"))),
        ("a spring without length", make(&|s| s.add_spring(Link::anchored(1, [0.3; 3]), 2.0, 0.0).expect("right"))),
        ("gravity", make(&|s| s.set_gravity(&[0.1, 0.2, -9.81]).expect("right"))),
        ("gravitation", make(&|s| s.set_gravitation(1.7).expect("right"))),
        ("a field", make(&|s| s.add_field("m*(x^4 + x*y*z - sin(z))", &[], &Group::All).expect("right"))),
        ("lennard-jones", make(&|s| s.add_lennard_jones(law, &all(), None).expect("right"))),
        ("with an end", make(&|s| s.add_lennard_jones(law, &all(), Some(Cutoff::at(1.5))).expect("right"))),
        ("an expression", make(&|s| s.add_pair_potential("exp(-r) + 0.1*r^3", &[], &all(), None).expect("right"))),
        (
            "an expression with an end",
            make(&|s| s.add_pair_potential("cos(r)/r", &[], &all(), Some(Cutoff::at(1.4))).expect("right")),
        ),
    ]
}

/// Corners of a body that is not flat, about 1 apart, and a way from there.
fn places(way: f64, seed: u64) -> [Vec<f64>; 3] {
    let corners = [0.0, 0.1, 0.0, 1.0, 0.2, 0.1, 0.1, 1.1, 0.2, 1.0, 1.2, -0.1, 0.4, 0.5, 0.9];
    let shifts = numbers(15, seed);
    let end: Vec<f64> = corners.iter().zip(&shifts).map(|(x, shift)| x + way * shift).collect();
    let middle = corners.iter().zip(&end).map(|(a, b)| 0.5 * (a + b)).collect();
    [corners.to_vec(), end, middle]
}

fn product(a: &[f64], b: &[f64], c: &[f64]) -> f64 {
    a.iter().zip(b.iter().zip(c)).map(|(a, (b, c))| a * (b - c)).sum()
}

#[test]
fn discrete_gradients_give_the_difference_of_the_potential_from_far_and_near() {
    for (name, system) in systems() {
        for (way, seed) in [(1.0, 3), (0.5, 4), (0.1, 5), (1e-3, 6), (1e-5, 7), (1e-8, 8), (0.0, 9)] {
            let [start, end, middle] = places(way, seed);
            let (mut out, mut back, mut slope) = ([0.0; 15], [0.0; 15], [0.0; 15]);
            system.potential_discrete_gradient(
                &Segment { t: 0.3, start: &start, end: &end, middle: &middle },
                &mut out,
            );
            system.potential_discrete_gradient(
                &Segment { t: 0.3, start: &end, end: &start, middle: &middle },
                &mut back,
            );
            system.potential_gradient(0.3, &middle, &mut slope);
            let (before, after) = (system.potential(0.3, &start), system.potential(0.3, &end));
            let size = slope.iter().fold(0.0_f64, |max, g| max.max(g.abs())) + before.abs() + after.abs();
            let off = (product(&out, &end, &start) - (after - before)).abs();
            assert!(off <= 1e-14 * size, "{name} over {way}: {off:e} of {size}");
            for k in 0..15 {
                assert!((out[k] - back[k]).abs() <= 1e-13 * size, "{name} over {way}: not symmetric");
                // The gradient half way up to the square of the way; over short ways to what round-off leaves.
                let near = (40.0 * way * way + 1e-10) * size;
                assert!((out[k] - slope[k]).abs() <= near, "{name} over {way}: {} and {}", out[k], slope[k]);
            }
        }
    }
}

#[test]
fn control_the_gradient_half_way_does_not_give_the_difference() {
    for (name, system) in
        systems().into_iter().filter(|(name, _)| !["gravity", "a spring without length"].contains(name))
    {
        let [start, end, middle] = places(0.5, 4);
        let mut slope = [0.0; 15];
        system.potential_gradient(0.3, &middle, &mut slope);
        let off = product(&slope, &end, &start) - (system.potential(0.3, &end) - system.potential(0.3, &start));
        assert!(off.abs() > 1e-6, "{name}: {off:e}");
    }
}

#[test]
fn pairs_push_along_their_mean_and_have_no_moment_half_way() {
    for (name, system) in systems() {
        if ["a spring without length", "gravity", "a field"].contains(&name) {
            continue;
        }
        let [start, end, middle] = places(0.5, 4);
        let mut out = [0.0; 15];
        system
            .potential_discrete_gradient(&Segment { t: 0.0, start: &start, end: &end, middle: &middle }, &mut out);
        for axis in 0..3 {
            let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
            let pairs = || middle.chunks_exact(3).zip(out.chunks_exact(3));
            let (force, moment) = pairs()
                .fold((0.0, 0.0), |(force, moment), (x, g)| (force + g[axis], moment + x[a] * g[b] - x[b] * g[a]));
            assert!(f64::abs(force) < 1e-13 && f64::abs(moment) < 1e-13, "{name}: {force:e}, {moment:e}");
        }
    }
}

#[test]
fn rods_have_the_difference_of_their_lengths() {
    let (_, mut system) = systems().swap_remove(2);
    let links = [Link::between(0, 1), Link::between(4, 2), Link::anchored(3, [0.1, 0.2, 0.3])];
    links.iter().for_each(|link| system.add_rod(*link, 1.0).expect("right"));
    let [start, end, middle] = places(0.7, 11);
    let (mut rows, mut f0, mut f1) = ([0.0; 15], [0.0; 3], [0.0; 3]);
    let segment = Segment { t: 0.0, start: &start, end: &end, middle: &middle };
    assert!(system.equalities().sparse().expect("rods").discrete_entries(&segment, &mut rows));
    system.equalities().values(0.0, &start, &mut f0);
    system.equalities().values(0.0, &end, &mut f1);
    let parts = [&rows[..6], &rows[6..12], &rows[12..]];
    let members: [&[usize]; 3] = [&[0, 1], &[2, 4], &[3]];
    for row in 0..3 {
        let take =
            |x: &[f64]| -> Vec<f64> { members[row].iter().flat_map(|&i| x[3 * i..3 * i + 3].to_vec()).collect() };
        let along = product(parts[row], &take(&end), &take(&start));
        assert!((along - (f1[row] - f0[row])).abs() < 1e-14, "rod {row}");
    }
}

#[test]
fn the_general_discrete_gradient_of_expressions_gives_the_difference() {
    let scene = built_in("elastic-pendulum", &[]);
    let system = &scene.problem.system;
    for way in [1.0, 0.1, 1e-4, 1e-9] {
        let start = scene.problem.initial.q.clone();
        let end: Vec<f64> = start.iter().zip([0.4, -0.7]).map(|(q, shift)| q + way * shift).collect();
        let middle: Vec<f64> = start.iter().zip(&end).map(|(a, b)| 0.5 * (a + b)).collect();
        let mut out = [0.0; 2];
        system
            .potential_discrete_gradient(&Segment { t: 0.0, start: &start, end: &end, middle: &middle }, &mut out);
        let (before, after) = (system.potential(0.0, &start), system.potential(0.0, &end));
        let off = product(&out, &end, &start) - (after - before);
        assert!(off.abs() <= 1e-14 * (before.abs() + after.abs() + 10.0), "over {way}: {off:e}");
    }
}
