//! Elements of particle systems: derivatives, values, and what is refused.

use carom::method::AnyMethod;
use carom::particles::{
    Ball, Cutoff, Group, LennardJones, Link, Misuse, Particles, Selection, Side, Surface, Wall,
};
use carom::problem::{Inconsistency, Problem};
use carom::system::{ContactId, Dynamics, Softness, System};
use carom::testing::derivatives::check;
use carom_tests::runs::numbers;

const COUNT: usize = 7;

/// Particles near the corners of a lattice with unit spacing: none of them meet.
fn scattered(dimension: usize, seed: u64) -> Vec<f64> {
    let corner = |i: usize, k: usize| match dimension {
        1 => i,
        _ => i >> k & 1 | (usize::from(k == dimension - 1) * (i >> dimension)) << 1,
    };
    let jitter = numbers(COUNT * dimension, seed);
    (0..COUNT * dimension).map(|c| 0.1 + corner(c / dimension, c % dimension) as f64 + 0.4 * jitter[c]).collect()
}

fn particles(dimension: usize) -> Particles {
    Particles::new(dimension, (0..COUNT).map(|i| 1.0 + 0.3 * i as f64).collect()).expect("right")
}

type Add = fn(&mut Particles) -> Result<(), Misuse>;

/// Every kind of element.
const ELEMENTS: [(&str, Add); 16] = [
    ("spring", |s| s.add_spring(Link::between(4, 1), 2.0, 0.8)),
    ("spring without length", |s| s.add_spring(Link::between(0, 2), 2.0, 0.0)),
    ("anchored spring", |s| s.add_spring(Link::anchored(3, [-1.0, 2.0, 0.5]), 1.5, 0.4)),
    ("gravity", |s| s.set_gravity(&[1.0, -9.81, 0.3][..s.dimension()])),
    ("gravity of a group", |s| {
        s.add_gravity(&[0.7, -0.2, 1.1][..s.dimension()], &Group::Of(vec![6, 2]))?;
        s.add_gravity(&[0.1, 2.0, -0.4][..s.dimension()], &Group::Of(vec![2, 3]))
    }),
    ("gravitation", |s| s.set_gravitation(1.3)),
    ("field", |s| s.add_field("k*m*x^2*cos(2*t) + exp(-x)*sin(t)^2", &[("k", 0.7)], &Group::All)),
    ("field of a group", |s| {
        let text = ["x^4 + t*x", "x^3*y^2 + t*y", "x*y^2*z^3 + t*z*x"][s.dimension() - 1];
        s.add_field(text, &[], &Group::Of(vec![5, 0]))
    }),
    ("lennard-jones", |s| {
        let pairs = Selection { group: Group::Of(vec![6, 0, 1, 4, 5]), excluded: vec![(4, 1), (0, 6)] };
        s.add_lennard_jones(LennardJones { epsilon: 0.7, sigma: 0.9 }, &pairs, None)
    }),
    ("lennard-jones with a cut-off", |s| {
        let cutoff = Cutoff { radius: 1.7, switch_from: 0.6, skin: 0.2 };
        let pairs = Selection { excluded: vec![(2, 3), (0, 1)], ..Selection::default() };
        s.add_lennard_jones(LennardJones { epsilon: 0.7, sigma: 0.8 }, &pairs, Some(cutoff))
    }),
    ("pair expression", |s| {
        s.add_pair_potential("D*(1-exp(-a*(r-1)))^2", &[("D", 0.8), ("a", 1.4)], &Selection::default(), None)
    }),
    ("pair expression with a cut-off", |s| {
        let cutoff = Cutoff { radius: 2.0, switch_from: 0.5, skin: f64::INFINITY };
        s.add_pair_potential("1/r + 0.2*r", &[], &Selection::default(), Some(cutoff))
    }),
    ("rods", |s| {
        s.add_rod(Link::between(5, 2), 1.0)?;
        s.add_rod(Link::between(0, 3), 1.2)?;
        s.add_rod(Link::anchored(6, [3.0, -1.0, 0.7]), 0.5)
    }),
    ("sphere gaps", |s| {
        s.set_radii(vec![0.1; COUNT])?;
        s.add_sphere_gaps(
            &Selection { group: Group::Of(vec![0, 2, 5, 6]), excluded: vec![(5, 2)] },
            Surface::default(),
        )
    }),
    ("wall", |s| {
        s.add_wall(
            &Wall { normal: vec![0.6; s.dimension()], offset: -1.0, restitution: 1.0, friction: 0.0 },
            &Group::All,
        )
    }),
    ("balls", |s| {
        let centre = [0.4, 0.3, -0.2][..s.dimension()].to_vec();
        s.add_ball(
            &Ball { centre: centre.clone(), radius: 5.0, side: Side::Inside, restitution: 1.0, friction: 0.0 },
            &Group::All,
        )?;
        s.add_ball(
            &Ball { centre, radius: 0.05, side: Side::Outside, restitution: 1.0, friction: 0.0 },
            &Group::Of(vec![2, 1]),
        )
    }),
];

#[test]
fn every_derivative_is_that_of_its_function() {
    for dimension in 1..=3 {
        let mut all = particles(dimension);
        let mut systems = Vec::new();
        for (name, add) in ELEMENTS {
            let mut one = particles(dimension);
            add(&mut one).expect(name);
            add(&mut all).expect(name);
            systems.push((name, one));
        }
        systems.push(("all together", all));
        for (name, system) in &systems {
            for seed in 1..=4 {
                let (q, v) = (scattered(dimension, seed), numbers(COUNT * dimension, 99 + seed));
                for comparison in check(system, 0.4, &q, &v) {
                    assert!(comparison.agrees(), "{name} in {dimension} dimensions, state {seed}: {comparison:?}");
                }
            }
        }
    }
}

/// Differences compare functions with each other; this is what they are.
#[test]
fn values_are_those_of_the_formulas() {
    let mut system = Particles::new(2, vec![2.0, 3.0]).expect("right");
    let q = [0.0, 0.0, 3.0, 4.0];
    let mut expected = 0.0;
    let mut add = |system: &mut Particles, value: f64, what: &str| {
        expected += value;
        let found = system.potential(0.5, &q);
        assert!((found - expected).abs() <= 1e-15 * expected.abs().max(1.0), "{what}: {found}, {expected}");
    };
    system.add_spring(Link::between(0, 1), 4.0, 3.0).expect("right");
    add(&mut system, 0.5 * 4.0 * 4.0, "spring");
    system.set_gravity(&[0.0, -10.0]).expect("right");
    add(&mut system, 3.0 * 10.0 * 4.0, "gravity");
    system.set_gravitation(5.0).expect("right");
    add(&mut system, -5.0 * 6.0 / 5.0, "gravitation");
    system.add_field("t*m*(x + y)", &[], &Group::All).expect("right");
    add(&mut system, 0.5 * 3.0 * 7.0, "field");
    let law = LennardJones { epsilon: 1e3, sigma: 2.5 };
    system.add_lennard_jones(law, &Selection::default(), None).expect("right");
    add(&mut system, 4e3 * (0.5_f64.powi(12) - 0.5_f64.powi(6)), "lennard-jones");
    let halfway = Cutoff { radius: 39.0_f64.sqrt(), switch_from: 11.0_f64.sqrt(), skin: 1.0 };
    system.add_pair_potential("2*r", &[], &Selection::default(), Some(halfway)).expect("right");
    add(&mut system, 0.5 * 10.0, "half of a switched pair potential");

    system.set_radii(vec![0.5, 1.0]).expect("right");
    system.add_rod(Link::between(0, 1), 4.5).expect("right");
    system.add_rod(Link::anchored(1, [3.0, 1.0, 0.0]), 1.0).expect("right");
    system.add_sphere_gaps(&Selection::default(), Surface::default()).expect("right");
    system
        .add_wall(&Wall { normal: vec![0.0, 2.0], offset: -4.0, restitution: 1.0, friction: 0.0 }, &Group::All)
        .expect("right");
    system
        .add_ball(
            &Ball { centre: vec![3.0, 0.0], radius: 9.0, side: Side::Inside, restitution: 1.0, friction: 0.0 },
            &Group::All,
        )
        .expect("right");
    system
        .add_ball(
            &Ball { centre: vec![3.0, 0.0], radius: 1.0, side: Side::Outside, restitution: 1.0, friction: 0.0 },
            &Group::All,
        )
        .expect("right");
    let (mut f, mut g) = ([0.0; 2], [0.0; 7]);
    system.equalities().values(0.0, &q, &mut f);
    system.contacts().gaps(0.0, &q, &mut g);
    assert_eq!(f, [0.5, 2.0]);
    assert_eq!(g, [3.5, 1.5, 5.0, 5.5, 4.0, 1.5, 2.0]);
    let names: Vec<String> = (0..7).map(|i| system.contacts().name(ContactId::of(i))).collect();
    assert_eq!(names[0], "spheres 0-1");
    assert_eq!(names[2], "sphere 1 at wall 0");
    assert_eq!(names[6], "sphere 1 outside ball 1");
    assert_eq!(
        (system.equalities().name(0), system.equalities().name(1)),
        ("rod 0-1".into(), "rod 1-anchor".into())
    );
    assert_eq!(system.coordinate_name(3), "y[1]");
}

#[test]
fn a_switched_potential_ends_without_a_jump_of_force_or_stiffness() {
    let mut system = Particles::new(1, vec![1.0; 2]).expect("right");
    let (law, cutoff) = (LennardJones { epsilon: 1.0, sigma: 1.0 }, Cutoff::at(2.5));
    system.add_lennard_jones(law, &Selection::default(), Some(cutoff)).expect("right");
    let at = |r: f64| {
        let (mut gradient, mut hessian) = ([0.0; 2], [0.0; 4]);
        system.potential_gradient(0.0, &[0.0, r], &mut gradient);
        system.potential_hessian(0.0, &[0.0, r], &mut hessian);
        [system.potential(0.0, &[0.0, r]), gradient[1], hessian[0]]
    };
    for edge in [cutoff.radius, cutoff.switch_from] {
        let (before, after) = (at(edge - 1e-7), at(edge + 1e-7));
        for k in 0..3 {
            // Third derivatives are below 100; a jump of the second would be about 0.1.
            assert!((before[k] - after[k]).abs() < 100.0 * 2e-7, "derivative {k} at {edge}: {before:?}, {after:?}");
        }
    }
    assert_eq!(at(2.5), [0.0; 3]);
    assert!(at(2.0)[0] == 4.0 * (2.0_f64.powi(-12) - 2.0_f64.powi(-6)), "unchanged inside");
}

#[test]
fn the_centre_of_a_ball_is_a_place_to_start_from() {
    let mut system = Particles::new(3, vec![1.0]).expect("right");
    let ball = Ball { centre: vec![0.0; 3], radius: 1.0, side: Side::Inside, restitution: 1.0, friction: 0.0 };
    system.add_ball(&ball, &Group::All).expect("right");
    let points = system.points();
    assert!(Problem::new(Box::new(system), 0.0, vec![0.0; 3], vec![1.0; 3], points).is_ok());
}

#[test]
fn a_start_off_a_rod_is_refused_with_its_name() {
    let mut system = Particles::new(2, vec![1.0; 2]).expect("right");
    system.add_rod(Link::between(0, 1), 1.0).expect("right");
    let points = system.points();
    let wrong = Problem::new(Box::new(system), 0.0, vec![0.0, 0.0, 1.1, 0.0], vec![0.0; 4], points);
    let Err(wrong) = wrong.map(|_| ()) else { panic!("it is off the rod") };
    assert!(matches!(&wrong[..], [Inconsistency::Equality { name, .. }] if name == "rod 0-1"), "{wrong:?}");
}

#[test]
fn a_rod_that_gives_way_may_start_stretched_and_is_left_so() {
    let start = |compliance: f64| {
        let mut system = Particles::new(2, vec![1.0; 3]).expect("right");
        system.add_rod(Link::between(0, 1), 1.0).expect("right");
        // Off by rounding: this one is put right, along the line of both.
        system.add_rod(Link::between(1, 2), 1.0 + 1e-9).expect("right");
        system.set_rod_softness(0, Softness { compliance: Some(compliance), damping: None }).expect("right");
        let points = system.points();
        let (q, v) = (vec![0.0, 0.0, 1.25, 0.0, 2.25, 0.0], vec![0.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
        Problem::new(Box::new(system), 0.0, q, v, points)
    };
    let found = start(0.0).map(|_| ()).expect_err("a rod of compliance 0 holds");
    assert!(matches!(&found[..], [Inconsistency::Equality { .. }, Inconsistency::Velocity { .. }]), "{found:?}");
    let problem = start(1e-6).unwrap_or_else(|found| panic!("{found:?}"));
    let mut values = [0.0; 2];
    problem.system.equalities().values(0.0, &problem.initial.q, &mut values);
    assert!((values[0] - 0.25).abs() < 2e-9 && values[1].abs() < 1e-15, "{values:?}");
    assert_eq!(problem.adjustments.len(), 1, "{:?}", problem.adjustments);
    // What holds rods exactly cannot start from there.
    let refusal = AnyMethod::named("verlet").expect("a method").stepper(&*problem.system, &problem.initial);
    let message = refusal.err().expect("refused").to_string();
    assert!(message.contains("violates equality constraint `rod 0-1` (f(q0) = 2.4999"), "{message}");
}

#[test]
fn wrong_input_is_refused_with_what_is_wrong() {
    let wrong: [(&str, Add); 25] = [
        ("there is no particle 7 among 7", |s| s.add_spring(Link::between(0, 7), 1.0, 1.0)),
        ("particle 2 occurs twice", |s| s.add_rod(Link::between(2, 2), 1.0)),
        ("an anchor is NaN", |s| s.add_rod(Link::anchored(0, [f64::NAN, 0.0, 0.0]), 1.0)),
        ("the length of a rod is 0, allowed: a positive number", |s| s.add_rod(Link::between(0, 1), 0.0)),
        ("there is no rod 0 among 0", |s| s.set_rod_softness(0, Softness::default())),
        ("the compliance of a rod is -1, allowed: zero or a positive number", |s| {
            s.add_rod(Link::between(0, 1), 1.0)?;
            s.set_rod_softness(0, Softness { compliance: Some(-1.0), damping: None })
        }),
        ("the damping of a rod is NaN", |s| {
            s.add_rod(Link::between(0, 1), 1.0)?;
            s.set_rod_softness(0, Softness { compliance: None, damping: Some(f64::NAN) })
        }),
        ("the stiffness of a spring is -1", |s| s.add_spring(Link::between(0, 1), -1.0, 1.0)),
        ("the acceleration of gravity has 3 entries, needed: 2", |s| s.set_gravity(&[0.0; 3])),
        ("there is no particle 8", |s| s.add_gravity(&[0.0; 2], &Group::Of(vec![8]))),
        ("the list of names has 2 entries, needed: 7", |s| s.set_names(vec![None, Some("a".into())])),
        ("the list of coordinates has 3 entries, needed: 14", |s| {
            s.distance(Link::between(0, 1), &[0.0; 3]).map(|_| ())
        }),
        ("particle 4 occurs twice", |s| s.distance(Link::between(4, 4), &[0.0; 14]).map(|_| ())),
        ("the constant of gravitation is inf", |s| s.set_gravitation(f64::INFINITY)),
        ("known: x, y, t, m", |s| s.add_field("x*z", &[], &Group::All)),
        ("may not depend on velocities", |s| s.add_field("dot(x)", &[], &Group::All)),
        ("particle 3 occurs twice", |s| s.add_field("x", &[], &Group::Of(vec![3, 1, 3]))),
        ("known: r, k", |s| s.add_pair_potential("k*x", &[("k", 1.0)], &Selection::default(), None)),
        ("`sigma` of a Lennard-Jones potential is 0", |s| {
            s.add_lennard_jones(LennardJones { epsilon: 1.0, sigma: 0.0 }, &Selection::default(), None)
        }),
        ("`switch_from` of a cut-off is 2", |s| {
            let cutoff = Cutoff { switch_from: 2.0, ..Cutoff::at(2.0) };
            s.add_pair_potential("r", &[], &Selection::default(), Some(cutoff))
        }),
        ("the skin of a cut-off is 0", |s| {
            s.add_pair_potential("r", &[], &Selection::default(), Some(Cutoff { skin: 0.0, ..Cutoff::at(2.0) }))
        }),
        ("there is no particle 9", |s| {
            s.add_sphere_gaps(&Selection { excluded: vec![(9, 1)], ..Selection::default() }, Surface::default())
        }),
        ("the list of radii has 1 entries, needed: 7", |s| s.set_radii(vec![1.0])),
        ("the length of the normal of a wall is 0", |s| {
            s.add_wall(&Wall { normal: vec![0.0; 2], offset: 0.0, restitution: 1.0, friction: 0.0 }, &Group::All)
        }),
        ("the radius of a ball is -1", |s| {
            s.add_ball(
                &Ball { centre: vec![0.0; 2], radius: -1.0, side: Side::Inside, restitution: 1.0, friction: 0.0 },
                &Group::All,
            )
        }),
    ];
    for (message, add) in wrong {
        let found = add(&mut particles(2)).expect_err(message).to_string();
        assert!(found.contains(message), "{found}, expected {message}");
    }
    assert_eq!(Particles::new(4, vec![]).err(), Some(Misuse::Dimension(4)));
    assert!(Particles::new(3, vec![1.0, 0.0]).is_err());
}

#[test]
fn names_and_distances() {
    let mut system = Particles::new(2, vec![1.0; 3]).expect("right");
    system.add_rod(Link::between(2, 0), 5.0).expect("right");
    assert_eq!((system.coordinate_name(5), system.equalities().name(0)), ("y[2]".into(), "rod 2-0".into()));
    system.set_names(vec![Some("sun".into()), None, Some("bead[1]".into())]).expect("right");
    let names: Vec<String> = (0..6).map(|i| system.coordinate_name(i)).collect();
    assert_eq!(names, ["sun.x", "sun.y", "x[1]", "y[1]", "bead[1].x", "bead[1].y"]);
    assert_eq!(system.equalities().name(0), "rod bead[1]-sun");
    let q = [0.0, 0.0, 1.0, 0.0, 3.0, -4.0];
    assert_eq!(system.distance(Link::between(2, 0), &q), Ok(5.0));
    assert_eq!(system.distance(Link::anchored(1, [1.0, 2.0, 9.0]), &q), Ok(2.0));
}

#[test]
fn no_particles_are_a_system_too() {
    let mut system = Particles::new(3, vec![]).expect("right");
    let cutoff = Some(Cutoff::at(1.0));
    system.add_pair_potential("r", &[], &Selection::default(), cutoff).expect("right");
    system.set_gravitation(1.0).expect("right");
    system.potential_gradient(0.0, &[], &mut []);
    assert_eq!((system.dim(), system.potential(0.0, &[]), system.count()), (0, 0.0, 0));
}
