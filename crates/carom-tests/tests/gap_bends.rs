//! Bounds of the bend of gaps along parabolas: no second derivative lies outside of them.

use carom::particles::{Ball, Group, Particles, Selection, Side, Surface, Wall};
use carom::system::{ContactId, Parabola, System};
use carom_tests::runs::{numbers, scene};

/// `g'' = v·Hv + ∇g·a` of one gap at time `t` of a parabola, and the size of its terms.
fn second_derivative(system: &dyn System, arc: &Parabola, index: usize, t: f64) -> (f64, f64) {
    let n = arc.q.len();
    let q: Vec<f64> = (0..n).map(|k| arc.q[k] + t * (arc.v[k] + 0.5 * t * arc.a[k])).collect();
    let v: Vec<f64> = (0..n).map(|k| arc.v[k] + t * arc.a[k]).collect();
    let (mut gradient, mut hessian) = (vec![0.0; n], vec![0.0; n * n]);
    system.contacts().gradient(0.0, &q, ContactId::of(index), &mut gradient);
    system.contacts().hessian(0.0, &q, &[(ContactId::of(index), 1.0)], &mut hessian);
    let (mut sum, mut size) = (0.0, 0.0);
    for k in 0..n {
        let terms = (0..n).map(|l| v[k] * hessian[k * n + l] * v[l]).chain([gradient[k] * arc.a[k]]);
        for term in terms {
            sum += term;
            size += f64::abs(term);
        }
    }
    (sum, size)
}

/// Two spheres with a contact, a wall and both sides of a ball.
fn spheres(dimension: usize) -> Particles {
    let mut system = Particles::new(dimension, vec![1.0, 2.0]).expect("right");
    system.add_sphere_gaps(&Selection::default(), Surface::default()).expect("right");
    let wall =
        Wall { normal: [0.6, -0.3, 1.1][..dimension].to_vec(), offset: -1.0, restitution: 1.0, friction: 0.0 };
    system.add_wall(&wall, &Group::Of(vec![1])).expect("right");
    for side in [Side::Inside, Side::Outside] {
        let centre = [0.2, 0.1, -0.3][..dimension].to_vec();
        system
            .add_ball(&Ball { centre, radius: 0.5, side, restitution: 1.0, friction: 0.0 }, &Group::Of(vec![0]))
            .expect("right");
    }
    system
}

const ROWS: [&str; 4] = ["spheres", "wall", "inside a ball", "outside of a ball"];

#[test]
fn bounds_hold_along_random_parabolas() {
    for dimension in 1..=3 {
        let system = spheres(dimension);
        // How much of the bounds is used, below and above, and how often a bound is not finite.
        let (mut used, mut infinite) = ([[0.0_f64; 2]; 4], [0; 4]);
        for seed in 1..=300 {
            let (n, r) = (2 * dimension, numbers(6 * dimension + 1, seed));
            let scaled = |part: usize, scale: f64| -> Vec<f64> {
                r[part * n..(part + 1) * n].iter().map(|r| scale * r).collect()
            };
            let (q, v, a) = (scaled(0, 4.0), scaled(1, 4.0), scaled(2, 6.0));
            let arc = Parabola { t: 0.0, pace: 1.0, q: &q, v: &v, a: &a, duration: 0.3 * (r[3 * n] + 0.5) };
            for (row, name) in ROWS.iter().enumerate() {
                let [lower, upper] = system
                    .contacts()
                    .along()
                    .expect("bounds")
                    .bend(&arc, ContactId::of(row))
                    .expect("particles know them");
                infinite[row] += usize::from(!(upper - lower).is_finite());
                for k in 0..=32 {
                    let (bend, size) = second_derivative(&system, &arc, row, arc.duration * f64::from(k) / 32.0);
                    let noise = 1e-13 * size;
                    assert!(
                        lower - noise <= bend && bend <= upper + noise,
                        "{name} in {dimension} dimensions, seed {seed}, node {k}: {bend} outside of {lower}..{upper}"
                    );
                    if (upper - lower).is_finite() {
                        used[row][0] = used[row][0].max(bend / lower);
                        used[row][1] = used[row][1].max(bend / upper);
                    }
                }
            }
        }
        for row in [0, 2, 3] {
            let often = infinite[row];
            assert!((1..150).contains(&often), "{} in {dimension} dimensions: {often} of 300", ROWS[row]);
            // Bounds that are much too wide would hold as well.
            assert!(used[row].iter().all(|used| *used > 0.7), "{}, {dimension}: {:?}", ROWS[row], used[row]);
        }
        assert_eq!(infinite[1], 0);
    }
}

#[test]
fn bounds_of_walls_and_on_a_line_are_the_bend_itself() {
    let (q, v, a) = ([0.5, -0.4, 1.2, 2.0, 0.3, 0.1], [0.3; 6], [0.4, -0.2, 0.7, 1.5, -2.0, 0.25]);
    for dimension in 1..=3 {
        let n = 2 * dimension;
        let (system, normal) = (spheres(dimension), &[0.6, -0.3, 1.1_f64][..dimension]);
        let arc = Parabola { t: 0.0, pace: 1.0, q: &q[..n], v: &v[..n], a: &a[..n], duration: 10.0 };
        let length = normal.iter().map(|n| n * n).sum::<f64>().sqrt();
        let bend = normal.iter().zip(&a[dimension..]).map(|(n, a)| n * a / length).sum::<f64>();
        let [lower, upper] = system.contacts().along().expect("bounds").bend(&arc, ContactId(1)).expect("known");
        assert_eq!(lower, upper);
        assert!((lower - bend).abs() < 1e-15, "{lower}, {bend}");
    }
    // On a line, as long as they cannot meet: the other is on the right, then on the left.
    let system = spheres(1);
    for (q, bend) in [([0.0, 9.0], 1.25), ([9.0, 0.0], -1.25)] {
        let arc = Parabola { t: 0.0, pace: 1.0, q: &q, v: &[1.0, 2.0], a: &[0.25, 1.5], duration: 2.0 };
        assert_eq!(system.contacts().along().expect("bounds").bend(&arc, ContactId(0)), Some([bend; 2]));
        assert_eq!(
            system.contacts().along().expect("bounds").bend(&Parabola { duration: 4.0, ..arc }, ContactId(0)),
            Some([-1.25, f64::INFINITY])
        );
    }
}

/// Systems of two coordinates with these gaps.
fn expressed(gaps: &[&str]) -> Box<dyn carom::system::System> {
    let text = format!(
        "[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = 1\ninequalities = {gaps:?}\n[initial]\nq = [0.5, 0.5]\n\
         [method]\nname = \"gvi\"\n[run]\nstep = 0.1\nsteps = 1\n"
    );
    scene("gaps", &text, &[]).problem.system
}

/// Gaps that are not negative at (½, ½) and smooth for |x|, |y| below 1.7.
const GAPS: [&str; 12] = [
    "x + 2*y",
    "x*y",
    "2*x^2 - y^3",
    "hypot(x + 4, y) - 1",
    "sqrt((x + 4)^2 + y^2) - 1",
    "cos(x)*sin(y + 2)",
    "exp(x*y) - 0.5",
    "tanh(2*x) + 1/(3 + y)",
    "(x + 3)^1.5 - log(y + 3)",
    "atan2(y + 2, x) - 0.1",
    "max(x + 9, y^2) - abs(y - 5)",
    "cosh(x - y) - atan(x*y)*asin(x/4)",
];

#[test]
fn bounds_of_expressions_hold_and_shrink_to_the_bend() {
    let system = expressed(&GAPS);
    for (row, gap) in GAPS.iter().enumerate() {
        for duration in [1e-3, 0.3] {
            let mut excess = 0.0_f64;
            for seed in 1..=200 {
                let r = numbers(6, seed);
                let (q, v, a) = ([2.0 * r[0], 2.0 * r[1]], [2.0 * r[2], 2.0 * r[3]], [8.0 * r[4], 8.0 * r[5]]);
                let arc = Parabola { t: 0.0, pace: 1.0, q: &q, v: &v, a: &a, duration };
                let [lower, upper] = system
                    .contacts()
                    .along()
                    .expect("bounds")
                    .bend(&arc, ContactId::of(row))
                    .unwrap_or_else(|| panic!("{gap}, {arc:?}"));
                for k in 0..=32 {
                    let (bend, size) = second_derivative(&*system, &arc, row, duration * f64::from(k) / 32.0);
                    let noise = 1e-13 * size;
                    assert!(
                        lower - noise <= bend && bend <= upper + noise,
                        "{gap}, {arc:?}, node {k}: {bend} outside of {lower}..{upper}"
                    );
                }
                excess = excess.max(upper - lower);
            }
            // Linear gaps have no more than round-off; others at most third derivatives times the way, for short ones.
            let allowed = if row == 0 { 1e-13 } else { 500.0 * duration };
            assert!(excess <= allowed, "{gap}: bounds are {excess} apart in a step of {duration}");
        }
    }
}

#[test]
fn nothing_is_said_of_kinks_and_of_what_is_unbounded() {
    let gaps = ["1 - abs(x)", "2 + sign(x)", "min(x, y) + 9", "9 + 1/x", "9 + sqrt(x + 1)", "9 + x"];
    let (system, away) = (expressed(&gaps), [0.5, 5.0]);
    // Through x = 0 and y = x at constant velocity, where derivatives beside the kinks vanish, and short of them.
    let through = Parabola { t: 0.0, pace: 1.0, q: &[-0.5, 0.2], v: &[1.0, 0.0], a: &[0.0, 0.0], duration: 1.0 };
    let short = Parabola { t: 0.0, pace: 1.0, q: &away, duration: 0.1, ..through };
    // The turning point lies beyond −1, both ends do not.
    let back = Parabola { t: 0.0, pace: 1.0, q: &[-0.9, 0.2], v: &[-1.0, 0.0], a: &[4.0, 0.0], duration: 0.5 };
    for (row, gap) in gaps.iter().enumerate() {
        assert!(system.contacts().along().expect("bounds").bend(&short, ContactId::of(row)).is_some(), "{gap}");
        let smooth_through = row > 3;
        assert_eq!(
            system.contacts().along().expect("bounds").bend(&through, ContactId::of(row)).is_some(),
            smooth_through,
            "{gap}"
        );
    }
    assert_eq!(system.contacts().along().expect("bounds").bend(&back, ContactId(4)), None);
    assert!(
        system
            .contacts()
            .along()
            .expect("bounds")
            .bend(&Parabola { duration: 0.05, ..back }, ContactId(4))
            .is_some()
    );
}

#[test]
fn bounds_of_expressions_allocate_nothing_once_warm() {
    let system = expressed(&GAPS);
    let arc = Parabola { t: 0.0, pace: 1.0, q: &[0.1, 0.2], v: &[1.0, -0.5], a: &[0.3, 0.4], duration: 0.1 };
    let all = || {
        (0..GAPS.len())
            .filter_map(|row| system.contacts().along().expect("bounds").bend(&arc, ContactId::of(row)))
            .map(|[lower, _]| lower)
            .sum::<f64>()
    };
    let first = all();
    let counted = allocation_counter::measure(|| assert_eq!(all(), first));
    assert_eq!(counted.count_total, 0);
}
