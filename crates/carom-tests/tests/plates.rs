//! Plates: derivatives, values, bounds of the bend of gaps, momenta, names, and what is refused; and the built-in scenes with
//! located impacts.

use carom::measures::Momentum;
use carom::particles::{Group, Misuse};
use carom::plates::{Plate, Plates, Polygon, Wall};
use carom::problem::Problem;
use carom::system::{ContactId, Dynamics, Mass, Parabola, System};
use carom::testing::derivatives::{Place, check, compare};
use carom_tests::runs::{advance, built_in, numbers, stepper};

const COUNT: usize = 3;

/// A triangle, a square and a needle, none of them centred on its polygon.
fn plates() -> Plates {
    let plate = |mass, inertia, vertices: &[[f64; 2]]| Plate { mass, inertia, vertices: vertices.to_vec() };
    Plates::new(vec![
        plate(1.3, 0.4, &[[0.9, -0.2], [-0.3, 0.7], [-0.5, -0.6]]),
        plate(0.7, 0.2, &[[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]),
        plate(2.0, 0.3, &[[1.1, 0.0], [-0.4, 0.1]]),
    ])
    .expect("right")
}

fn wall(normal: [f64; 2], offset: f64) -> Wall {
    Wall { normal, offset, restitution: 0.5, friction: 0.25 }
}

type Add = fn(&mut Plates) -> Result<(), Misuse>;

const ELEMENTS: [(&str, Add); 5] = [
    ("gravity", |s| s.add_gravity([0.3, -9.81], &Group::All)),
    ("gravity of a group", |s| {
        s.add_gravity([0.7, -0.2], &Group::Of(vec![2, 0]))?;
        s.add_gravity([0.1, 2.0], &Group::Of(vec![2]))
    }),
    ("field", |s| s.add_field("k*m*x^2*cos(2*t) + exp(-y)*sin(t)^2 + x^3*y", &[("k", 0.7)], &Group::All)),
    ("field of a group", |s| s.add_field("x^3*y^2 + t*y", &[], &Group::Of(vec![1]))),
    ("walls", |s| {
        s.add_wall(&wall([0.6, 1.8], -1.0), &Group::All)?;
        s.add_wall(&wall([-2.0, 0.3], 0.4), &Group::Of(vec![2, 0]))
    }),
];

fn all() -> Plates {
    let mut all = plates();
    ELEMENTS.iter().for_each(|(name, add)| add(&mut all).expect(name));
    all
}

#[test]
fn every_derivative_is_that_of_its_function() {
    let one = |(name, add): (&'static str, Add)| {
        let mut one = plates();
        add(&mut one).expect(name);
        (name, one)
    };
    for (name, system) in ELEMENTS.map(one).into_iter().chain([("all together", all())]) {
        for seed in 1..=6 {
            let q: Vec<f64> = numbers(3 * COUNT, seed).iter().map(|x| 6.0 * x).collect();
            for comparison in check(&system, 0.4, &q, &numbers(3 * COUNT, 99 + seed)) {
                assert!(comparison.agrees(), "{name}, state {seed}: {comparison:?}");
            }
        }
    }
}

/// Differences compare functions with each other; this is what they are.
#[test]
fn values_are_those_of_the_formulas() {
    let vertices = vec![[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let mut system = Plates::new(vec![Plate { mass: 2.0, inertia: 0.3, vertices }]).expect("right");
    assert!(matches!(system.mass(), Mass::Diagonal([2.0, 2.0, 0.3])));
    system.add_gravity([0.0, -10.0], &Group::All).expect("right");
    system.add_field("t*m*(x + y)", &[], &Group::All).expect("right");
    system.add_wall(&wall([0.0, 2.0], -1.0), &Group::All).expect("right");
    system.add_wall(&wall([-3.0, 0.0], -9.0), &Group::All).expect("right");
    let (x, y, angle) = (0.4, 1.5, 0.7_f64);
    let q = [x, y, angle];
    assert_eq!(system.potential(0.5, &q), 2.0 * 10.0 * y + 0.5 * 2.0 * (x + y));
    let mut parts = [0.0; 2];
    system.potential_by_parts(0.5, &q, &mut parts);
    assert_eq!((system.potential_parts(), parts), (vec!["gravity".into(), "field[0]".into()], [30.0, 1.9]));
    let mut gaps = [0.0; 8];
    system.contacts().gaps(0.0, &q, &mut gaps);
    for (corner, direction) in (0..4).map(|k| (k, angle + std::f64::consts::FRAC_PI_4 * (2 * k + 1) as f64)) {
        let radius = 0.5_f64.sqrt();
        let expected = [y + radius * direction.sin() + 0.5, 3.0 - x - radius * direction.cos()];
        let found = [gaps[corner], gaps[4 + corner]];
        assert!((found[0] - expected[0]).abs() < 1e-15 && (found[1] - expected[1]).abs() < 1e-15, "{found:?}");
    }
    let (material, directions) =
        (system.contacts().material(ContactId(7)), system.contacts().directions(ContactId(7)));
    assert_eq!((material.restitution, material.friction, directions), (0.5, 0.25, 1));
}

/// The rows of sliding are the derivatives of the position along the wall, in the frame of the wall and its normal.
#[test]
fn sliding_is_along_the_wall() {
    let (mut system, normal) = (plates(), [0.6, -0.8]);
    system.add_wall(&wall(normal, -0.3), &Group::All).expect("right");
    let corners: [&[[f64; 2]]; COUNT] = [
        &[[0.9, -0.2], [-0.3, 0.7], [-0.5, -0.6]],
        &[[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]],
        &[[1.1, 0.0], [-0.4, 0.1]],
    ];
    let places = || corners.iter().enumerate().flat_map(|(i, corners)| corners.iter().map(move |c| (i, c)));
    let along = |q: &[f64], out: &mut [f64]| {
        for (out, (i, [cx, cy])) in out.iter_mut().zip(places()) {
            let (sin, cos) = q[3 * i + 2].sin_cos();
            let (x, y) = (q[3 * i] + cos * cx - sin * cy, q[3 * i + 1] + sin * cx + cos * cy);
            *out = normal[1] * x - normal[0] * y;
        }
    };
    let (q, rows) = (numbers(3 * COUNT, 5), system.contacts().count());
    let mut tangents = vec![0.0; rows * 3 * COUNT];
    for (index, row) in tangents.chunks_exact_mut(3 * COUNT).enumerate() {
        system.contacts().tangents(0.0, &q, ContactId::of(index), row);
    }
    let mut found = Vec::new();
    compare(Place { what: "sliding", x: &q, rows }, &tangents, along, &mut found);
    assert!(found[0].agrees(), "{found:?}");
    tangents[2] = -tangents[2];
    compare(Place { what: "sliding", x: &q, rows }, &tangents, along, &mut found);
    assert!(!found[1].agrees(), "one sign is wrong: {found:?}");
}

/// `g''` along the path, from gradient and Hessian.
fn bend_at(system: &Plates, arc: &Parabola, index: usize, t: f64) -> f64 {
    let n = arc.q.len();
    let q: Vec<f64> = (0..n).map(|i| arc.q[i] + t * (arc.v[i] + 0.5 * t * arc.a[i])).collect();
    let v: Vec<f64> = (0..n).map(|i| arc.v[i] + t * arc.a[i]).collect();
    let (mut row, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
    system.contacts().gradient(0.0, &q, ContactId::of(index), &mut row);
    system.contacts().hessian(0.0, &q, &[(ContactId::of(index), 1.0)], &mut hessian);
    let straight: f64 = row.iter().zip(arc.a).map(|(g, a)| g * a).sum();
    straight + (0..n * n).map(|k| hessian[k] * v[k / n] * v[k % n]).sum::<f64>()
}

#[test]
fn the_bend_of_a_gap_stays_in_its_bounds_and_comes_close_to_them() {
    let system = all();
    let mut closest: f64 = 0.0;
    for seed in 0..200 {
        let random = numbers(9 * COUNT, 7 + seed);
        let [q, v, a] = [0, 1, 2].map(|k| random[3 * COUNT * k..][..3 * COUNT].to_vec());
        // Slow and fast turns, short and long paths; some turn back on the way.
        let size = [0.1, 1.0, 10.0][(seed % 3) as usize];
        let v: Vec<f64> = v.iter().map(|v| 4.0 * size * v).collect();
        let a: Vec<f64> = a.iter().map(|a| 10.0 * a).collect();
        let arc = Parabola {
            t: 0.0,
            pace: 1.0,
            q: &q,
            v: &v,
            a: &a,
            duration: [0.01, 0.3, 2.0][(seed / 3 % 3) as usize],
        };
        for index in 0..system.contacts().count() {
            let [lower, upper] =
                system.contacts().along().expect("bounds").bend(&arc, ContactId::of(index)).expect("known");
            let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower));
            for k in 0..=60 {
                let found = bend_at(&system, &arc, index, arc.duration * k as f64 / 60.0);
                let used = (found - middle).abs() / half;
                assert!(used <= 1.0 + 1e-12, "gap {index} of arc {seed}: {found} outside of {lower} to {upper}");
                closest = closest.max(used);
            }
        }
    }
    assert!(closest > 0.999, "the bounds are too wide: {closest}");
}

#[test]
fn momenta_count_spins_in() {
    let system = plates();
    let momentum = Momentum::new(system.points());
    assert_eq!(momentum.components(), (2, 1));
    let mut out = [0.0; 3];
    let (q, p) = ([1.0, 2.0, 9.0, -1.0, 0.0, 9.0, 0.0, 0.0, 9.0], [3.0, 4.0, 5.0, 1.0, -2.0, 7.0, 0.0, 1.0, -0.5]);
    momentum.of(&q, &p, &mut out);
    assert_eq!(out, [4.0, 3.0, (4.0 - 6.0) + 2.0 + 5.0 + 7.0 - 0.5]);

    let conserved = |add: &[Add]| {
        let mut system = plates();
        add.iter().for_each(|add| add(&mut system).expect("right"));
        let (points, q) = (system.points(), vec![0.0, 5.0, 0.1, 3.0, 6.0, 0.2, -4.0, 7.0, 0.3]);
        let problem = Problem::new(Box::new(system), 0.0, q, vec![0.5; 9], points).map_err(|found| found.len());
        let found = Momentum::conserved(&problem.expect("right"));
        (found.linear, found.angular)
    };
    assert_eq!(conserved(&[]), (vec![true, true], vec![true]));
    assert_eq!(conserved(&[|s| s.add_gravity([0.0, -1.0], &Group::All)]), (vec![true, false], vec![false]));
    assert_eq!(conserved(&[|s| s.add_field("(x^2 + y^2)^2", &[], &Group::All)]), (vec![false, false], vec![true]));
    let smooth = |s: &mut Plates| s.add_wall(&Wall { friction: 0.0, ..wall([0.0, 1.0], 0.0) }, &Group::All);
    assert_eq!(conserved(&[smooth]), (vec![true, false], vec![false]));
    // Friction acts along the wall.
    let rough = |s: &mut Plates| s.add_wall(&wall([0.0, 1.0], 0.0), &Group::All);
    assert_eq!(conserved(&[rough]), (vec![false, false], vec![false]));
}

#[test]
fn a_motion_of_plates_is_given_by_coordinate() {
    let turn = plates().motion(&["-y", "x", "1"], &[]).expect("right");
    let (mut xi, mut along) = ([0.0; 9], [0.0; 9]);
    let q = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
    turn.at(&q, &mut xi);
    turn.along(&q, &q.map(|x| 10.0 * x), &mut along);
    assert_eq!(xi, [-2.0, 1.0, 1.0, -5.0, 4.0, 1.0, -8.0, 7.0, 1.0]);
    assert_eq!(along, [-20.0, 10.0, 0.0, -50.0, 40.0, 0.0, -80.0, 70.0, 0.0]);
    assert!(plates().motion(&["-y", "x"], &[]).is_err());
}

#[test]
fn polygons_have_the_moments_of_the_formulas() {
    let square = [[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
    let found = Polygon::of(&square).expect("right");
    assert_eq!((found.area, found.centroid), (1.0, [0.0, 0.0]));
    assert!((found.moment - 1.0 / 6.0).abs() < 1e-16);
    // The other way round, moved, and with a corner in the middle of an edge: Steiner's theorem.
    let moved: Vec<[f64; 2]> = [[1.0, 3.0], [1.0, 2.5], [1.0, 2.0], [2.0, 2.0], [2.0, 3.0]].into_iter().collect();
    let found = Polygon::of(&moved).expect("right");
    assert!((found.area - 1.0).abs() < 1e-15 && (found.moment - (1.0 / 6.0 + 1.5 * 1.5 + 2.5 * 2.5)).abs() < 1e-14);
    assert!((found.centroid[0] - 1.5).abs() < 1e-15 && (found.centroid[1] - 2.5).abs() < 1e-15);
    // A regular triangle of side 1: side²/12.
    let height = 0.75_f64.sqrt();
    let triangle = [[-0.5, -height / 3.0], [0.5, -height / 3.0], [0.0, 2.0 * height / 3.0]];
    assert!((Polygon::of(&triangle).expect("right").moment - 1.0 / 12.0).abs() < 1e-16);
    // An L is not convex: 2 x 2 without a square of side 1.
    let corner = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
    let found = Polygon::of(&corner).expect("right");
    let expected = (4.0 * 8.0 / 3.0 - (1.0 / 6.0 + 2.0 * 1.5 * 1.5)) / 3.0;
    assert!((found.area - 3.0).abs() < 1e-15 && (found.moment - expected).abs() < 1e-14, "{found:?}");
    assert_eq!(Polygon::of(&[square[0], square[2], square[1], square[3]]), {
        Err(Misuse::Crossing { first: 0, second: 2 })
    });
    assert!(Polygon::of(&[[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).is_err());
    assert!(Polygon::of(&square[..2]).is_err());
}

#[test]
fn wrong_input_is_refused_with_what_is_wrong() {
    let wrong: [(&str, Add); 11] = [
        ("there is no plate 3 among 3", |s| s.add_gravity([0.0; 2], &Group::Of(vec![3]))),
        ("plate 2 occurs twice", |s| s.add_wall(&wall([0.0, 1.0], 0.0), &Group::Of(vec![2, 2]))),
        ("the acceleration of gravity is NaN", |s| s.add_gravity([0.0, f64::NAN], &Group::All)),
        ("known: x, y, t, m", |s| s.add_field("angle", &[], &Group::All)),
        ("may not depend on velocities", |s| s.add_field("dot(x)", &[], &Group::All)),
        ("there is no plate 9", |s| s.add_field("x", &[], &Group::Of(vec![9]))),
        ("the list of names has 1 entries, needed: 3", |s| s.set_names(vec![None])),
        ("the length of the normal of a wall is 0", |s| s.add_wall(&wall([0.0, 0.0], 0.0), &Group::All)),
        ("the offset of a wall is inf", |s| s.add_wall(&wall([0.0, 1.0], f64::INFINITY), &Group::All)),
        ("the coefficient of restitution is 2", |s| {
            s.add_wall(&Wall { restitution: 2.0, ..wall([0.0, 1.0], 0.0) }, &Group::All)
        }),
        ("the coefficient of friction is -1", |s| {
            s.add_wall(&Wall { friction: -1.0, ..wall([0.0, 1.0], 0.0) }, &Group::All)
        }),
    ];
    for (message, add) in wrong {
        let found = add(&mut plates()).expect_err(message).to_string();
        assert!(found.contains(message), "{found}, expected {message}");
    }
    let good = Plate { mass: 2.0, inertia: 2.0, vertices: vec![[1.0, 0.0], [0.0, -0.5]] };
    assert!(Plates::new(vec![good.clone()]).is_ok());
    for (message, plate) in [
        ("a mass is 0", Plate { mass: 0.0, ..good.clone() }),
        ("a moment of inertia is -1", Plate { inertia: -1.0, ..good.clone() }),
        ("a moment of inertia is 2.1, allowed: at most the mass times", Plate { inertia: 2.1, ..good.clone() }),
        ("the number of corners is 0, allowed: 1 or more", Plate { vertices: vec![], ..good.clone() }),
        ("a corner is NaN", Plate { vertices: vec![[f64::NAN, 1.0]], ..good }),
    ] {
        let found = Plates::new(vec![plate]).map(|_| ()).expect_err(message).to_string();
        assert!(found.contains(message), "{found}, expected {message}");
    }
}

#[test]
fn names_say_plate_and_corner() {
    let mut system = plates();
    system.set_names(vec![Some("star".into()), None, Some("pin[4]".into())]).expect("right");
    let names: Vec<String> = (0..9).map(|i| system.coordinate_name(i)).collect();
    let expected =
        ["star.x", "star.y", "star.angle", "x[1]", "y[1]", "angle[1]", "pin[4].x", "pin[4].y", "pin[4].angle"];
    assert_eq!(names, expected);
    system.add_wall(&wall([0.0, 1.0], 0.0), &Group::Of(vec![1])).expect("right");
    system.add_wall(&wall([1.0, 0.0], 0.0), &Group::Of(vec![2, 0])).expect("right");
    let names: Vec<String> = [3, 4, 7].map(|i| system.contacts().name(ContactId::of(i))).to_vec();
    assert_eq!(names, ["corner 3 of 1 at wall 0", "corner 0 of star at wall 1", "corner 0 of pin[4] at wall 1"]);
}

/// Numbers of an independent implementation: see `collision.json`.
#[test]
fn scenes_of_impacts_are_those_of_the_reference() {
    let energy = |name: &str| {
        let scene = built_in(name, &[]);
        let (system, state) = (&*scene.problem.system, &scene.problem.initial);
        let Mass::Diagonal(mass) = system.mass() else { panic!("a diagonal mass") };
        let kinetic: f64 = state.p.iter().zip(mass).map(|(p, m)| 0.5 * p * p / m).sum();
        kinetic + system.potential(state.t, &state.q)
    };
    for (name, expected) in
        [("bouncing-particle", 11.81), ("star-body", 38.22302083333334), ("disk-billiard", 4.405)]
    {
        assert!((energy(name) - expected).abs() < 1e-13, "{name}: {}", energy(name));
    }
    let star = built_in("star-body", &[]);
    let mut gaps = [0.0; 4];
    star.problem.system.contacts().gaps(0.0, &[0.3, 2.0, 1.1], &mut gaps);
    for (corner, gap) in gaps.iter().enumerate() {
        let direction = 1.1 + std::f64::consts::FRAC_PI_4 * (2 * corner + 1) as f64;
        assert!((gap - (2.0 + direction.sin() / 2_f64.sqrt())).abs() < 1e-15, "corner {corner}");
    }
    // The first impact of the double pendulum, and configurations on the boundary.
    let pendulum = built_in("double-pendulum-wall", &[]);
    let sixth = std::f64::consts::FRAC_PI_6;
    for q in [[-0.4707823285126872, -0.10729699641477707], [-sixth, 0.0], [-sixth, -4.0 * sixth]] {
        let mut gap = [f64::NAN];
        pendulum.problem.system.contacts().gaps(0.0, &q, &mut gap);
        assert!(gap[0].abs() < 1e-14, "{q:?}: {gap:?}");
    }
}

/// What comes in along the axis of a symmetric triangle leaves it symmetric, and two rows share as Bernoulli found.
#[test]
fn a_triangle_that_is_hit_head_on_stays_symmetric() {
    for rows in 2..=4 {
        let scene = built_in("billiard-triangle", &[&format!("parameters.rows={rows}")]);
        let (mut step, mut state) = (stepper(&scene, &scene.method), scene.problem.initial.clone());
        advance(&scene, &mut *step, &mut state, scene.run.h, scene.run.steps);
        let momentum = |ball: usize| [state.p[2 * ball], state.p[2 * ball + 1]];
        assert!((momentum(0)[0] + 0.2).abs() < 1e-12 && momentum(0)[1].abs() < 1e-12, "{rows}: {:?}", momentum(0));
        for (row, first) in (0..rows).map(|row| (row, 1 + row * (row + 1) / 2)) {
            for place in 0..=row {
                let (one, other) = (momentum(first + place), momentum(first + row - place));
                let off = (one[0] - other[0]).abs().max((one[1] + other[1]).abs());
                assert!(off < 1e-12, "{rows} rows, row {row}: {one:?}, {other:?}");
            }
        }
        if rows == 2 {
            assert!((momentum(3)[0] - 0.6).abs() < 1e-12 && (momentum(3)[1] - 0.12_f64.sqrt()).abs() < 1e-12);
        }
    }
}
