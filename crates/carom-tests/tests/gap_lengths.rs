//! Gaps that are not lengths: with friction they are made lengths, or refused; without they are left as they are.

use carom::lagrangian::length::GapUnit;
use carom::system::{ContactId, Parabola};
use carom_io::document::Source;
use carom_io::scene::Scene;
use carom_tests::runs::{distance, measured, method, scene, state_after, stepper};

const G: f64 = 9.81;
const MU: f64 = 0.2;

/// Arc length of `y = x²`.
const ARC: &str = "0.5*x*sqrt(1 + 4*x^2) + 0.25*log(2*x + sqrt(1 + 4*x^2))";

/// A bead on `y = x²` that is let go at (1, 1), with what else is said of its gap.
fn bead(gap: &str, slide: &str, further: &str) -> String {
    format!(
        "[lagrangian]\ncoordinates = ['x', 'y']\nmass = 1.0\npotential = '{G}*y'\npoints = [['x', 'y']]\n\
         inequalities = [{{ name = 'rail', expression = '{gap}', restitution = 0, slide = '{slide}', {further} }}]\n\
         [initial]\nq = [1.0, 1.0]\n[method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 5.0\n"
    )
}

/// Where the bead comes to rest, by its kinetic energy as a function of x: along the rail `dE/ds = −g sin θ ∓ μN`, `N = g cos θ + 2κE`, with
/// `tan θ = 2x`, `κ = 2/w³`, `ds = w dx`, `w² = 1 + 4x²`. `force` is what friction is in terms of N and w.
fn rest(force: impl Fn(f64, f64) -> f64) -> f64 {
    let slope = |x: f64, energy: f64, way: f64| {
        let w = (1.0 + 4.0 * x * x).sqrt();
        let normal = G / w + 4.0 / w.powi(3) * energy.max(0.0);
        -2.0 * G * x - way * force(normal, w) * w
    };
    let (mut x, mut way) = (1.0_f64, -1.0);
    // A bead at rest stays where μ is at least the slope of the rail.
    while 2.0 * x.abs() > MU {
        let (mut energy, h) = (0.0, 1e-5 * way);
        loop {
            let k1 = slope(x, energy, way);
            let k2 = slope(x + 0.5 * h, energy + 0.5 * h * k1, way);
            let k3 = slope(x + 0.5 * h, energy + 0.5 * h * k2, way);
            let k4 = slope(x + h, energy + h * k3, way);
            let next = energy + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
            if next <= 0.0 {
                x += h * energy / (energy - next);
                break;
            }
            (x, energy) = (x + h, next);
        }
        way = -way;
    }
    x
}

/// Where a run leaves the bead.
fn end(text: &str, name: &str, h: f64) -> f64 {
    let scene = scene("bead", text, &[]);
    let (outcome, _) = measured(&scene, &method(name), h, (5.0 / h) as u64);
    assert_eq!(outcome.ended, None, "{name}");
    outcome.state.q[0]
}

#[test]
fn a_bead_on_a_parabola_comes_to_rest_where_coulombs_law_says() {
    let (exact, wrong) = (rest(|normal, _| MU * normal), rest(|normal, w| MU * normal / w));
    println!("at rest: {exact:.6}, with the multiplier of y − x² as force {wrong:.6}");
    assert!((exact + 0.06906).abs() < 1e-5 && (wrong + 0.06507).abs() < 1e-5, "{exact} {wrong}");
    for name in ["cva", "vci", "cva rule=midpoint"] {
        for slide in [ARC, "x", "x + 0.3*(y - x^2)"] {
            let errors = [0.01, 0.005, 0.001]
                .map(|h| (end(&bead("y - x^2", slide, "friction = 0.2"), name, h) - exact).abs());
            println!("{name}, {slide}: {errors:?}");
            assert!(errors[0] < 1e-4 && errors[1] < 2e-5 && errors[2] < 1e-6, "{name}, {slide}: {errors:?}");
        }
    }
    // Control: left as it is, the multiplier of the gap is taken for the force. The direction is left as well, so it is written as it has to be:
    // with the gradient of the arc along the rail.
    let along = format!("{ARC} + 2*x/sqrt(1 + 4*x^2)*(y - x^2)");
    let left = end(&bead("y - x^2", &along, "friction = 0.2, unit = 'length'"), "cva", 0.001);
    assert!((left - wrong).abs() < 1e-4, "{left}");
}

#[test]
fn the_scale_of_a_gap_does_not_matter() {
    let gaps = ["y - x^2", "10*(y - x^2)", "exp(x)*(y - x^2)", "y^2 - x^4 + 3*(y - x^2)"];
    for (name, tolerance) in [("cva", 1e-12), ("vci", 1e-12), ("spook", 1e-2)] {
        let states = gaps.map(|gap| {
            let scene = scene("bead", &bead(gap, ARC, "friction = 0.2"), &[]);
            state_after(&scene, &mut *stepper(&scene, &method(name)), 0.9, 90)
        });
        for (gap, state) in gaps.iter().zip(&states) {
            let off = distance(state, &states[0]);
            assert!(off <= tolerance, "{name}, {gap}: {off:e}");
        }
        // Factors that are the same everywhere change nothing but round-off, also of a method that lets gaps be negative.
        assert!(distance(&states[1], &states[0]) < 1e-12, "{name}");
    }
}

#[test]
fn normalised_gaps_are_lengths_with_exact_derivatives() {
    let scene = scene("bead", &bead("exp(x)*(y - x^2)", "x", "friction = 0.2"), &[]);
    assert_eq!(scene.normalised_gaps().map(|(name, _)| name).collect::<Vec<_>>(), ["rail"]);
    let (system, slope) = (&*scene.problem.system, 5.0_f64.sqrt() * 1.0_f64.exp());
    assert!(matches!(scene.gap_units()[0], ("rail", GapUnit::Normalised(found)) if (found - slope).abs() < 1e-12));
    for x in [-1.5, -0.3, 0.0, 0.4, 2.0] {
        let (mut g, mut t) = ([0.0; 2], [0.0; 2]);
        system.contacts().gradient(0.0, &[x, x * x], ContactId(0), &mut g);
        system.contacts().tangents(0.0, &[x, x * x], ContactId(0), &mut t);
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        assert!((dot(g, g) - 1.0).abs() < 1e-14 && (dot(t, t) - 1.0).abs() < 1e-14 && dot(g, t).abs() < 1e-15);
        assert!(t[0] > 0.0, "along the slide");
        for comparison in carom::testing::derivatives::check(system, 0.0, &[x, x * x + 0.1], &[0.7, 0.8]) {
            assert!(comparison.agrees(), "{comparison:?} at {x}");
        }
    }
    // Bounds of the bend hold along parabolas.
    let (q, v, a) = ([0.5, 0.4], [-1.0, 0.7], [0.3, -G]);
    let arc = Parabola { t: 0.0, pace: 1.0, q: &q, v: &v, a: &a, duration: 0.05 };
    let [lower, upper] = system.contacts().along().expect("bounds").bend(&arc, ContactId(0)).expect("bounds");
    let at = |t: f64| {
        let mut g = [0.0];
        let place = |k: usize| q[k] + t * v[k] + 0.5 * t * t * a[k];
        system.contacts().gaps(0.0, &[place(0), place(1)], &mut g);
        g[0]
    };
    for k in 1..50 {
        let (t, d) = (0.001 * f64::from(k), 1e-4);
        let bend = (at(t + d) - 2.0 * at(t) + at(t - d)) / (d * d);
        assert!(lower - 1e-5 <= bend && bend <= upper + 1e-5, "{lower} {bend} {upper}");
    }
    assert!(upper - lower < 60.0, "{lower} {upper}");
}

#[test]
fn a_scene_that_is_written_out_gives_the_same_bits() {
    for further in ["friction = 0.2", "friction = 0.2, unit = 'length'", "unit = 'normalised'", "friction = 0"] {
        let first = scene("bead", &bead("y - x^2", ARC, further), &[]);
        let again = scene("bead", &first.to_toml(), &[]);
        assert_eq!(first.to_toml(), again.to_toml());
        let run = |scene: &Scene| state_after(scene, &mut *stepper(scene, &scene.method), 1.0, 100);
        assert_eq!(run(&first), run(&again), "{further}");
    }
}

#[test]
fn gaps_without_friction_and_lengths_are_left_as_they_are() {
    let units = |text: &str| scene("bead", text, &[]).gap_units()[0].1;
    let plain = bead("y - x^2", ARC, "friction = 0");
    assert!(matches!(units(&plain), GapUnit::Own(slope) if (slope - 5.0_f64.sqrt()).abs() < 1e-12));
    let gap = |text: &str, q: [f64; 2]| {
        let (scene, mut g, mut t) = (scene("bead", text, &[]), [0.0], [0.0; 2]);
        scene.problem.system.contacts().gaps(0.0, &q, &mut g);
        scene.problem.system.contacts().tangents(0.0, &q, ContactId(0), &mut t);
        (g[0], t)
    };
    assert_eq!(gap(&plain, [0.3, 0.7]).0.to_bits(), (0.7 - 0.3_f64 * 0.3).to_bits());
    // A friction of the method counts for all contacts.
    let of_method = plain.replace("name = 'cva'", "name = 'cva'\nfriction = 0.2");
    assert!(matches!(units(&of_method), GapUnit::Normalised(_)));
    // Lengths, by points: of a line, of a circle whose slope is 1 where it is closed, of a distance.
    let lines = "(y - x)/sqrt(2) + 1e-3";
    for (length, slide) in
        [(lines, "(x + y)/sqrt(2)"), ("9 - hypot(x, y)", "9*atan2(y, x)"), ("(9 - x^2 - y^2)/6", "3*atan2(y, x)")]
    {
        let text = bead(length, slide, "friction = 0.2");
        assert_eq!(units(&text), GapUnit::Length, "{length}");
        let untouched = bead(length, slide, "friction = 0.2, unit = 'length'");
        assert_eq!(gap(&text, [0.3, 0.7]), gap(&untouched, [0.3, 0.7]), "{length}");
    }
    // By a pair of coordinates along which the slide is a length at right angles to the gap.
    let without = |text: String| text.replace("points = [['x', 'y']]\n", "");
    assert_eq!(units(&without(bead(lines, "(x + y)/sqrt(2)", "friction = 0.2"))), GapUnit::Length);
    let scaled = without(bead("3*(y - x) + 0.001", "(x + y)/sqrt(2)", "friction = 0.2"));
    assert!(matches!(units(&scaled), GapUnit::Normalised(slope) if (slope - 18.0_f64.sqrt()).abs() < 1e-12));
    assert_eq!(units(&without(plain)), GapUnit::Unknown);
}

#[test]
fn what_cannot_be_a_length_is_refused_with_the_remedy() {
    let refused = |text: &str| -> String {
        let source = Source::new("bead", text);
        let found = Scene::read("bead", &source, &[]).err().expect("refused");
        found.iter().map(|problem| problem.render(&source)).collect::<Vec<_>>().join("\n")
    };
    let without = |text: String| text.replace("points = [['x', 'y']]\n", "");
    let untold = without(bead("y - x^2", ARC, "friction = 0.2"));
    assert!(refused(&untold).contains("nothing says whether it is one"), "{}", refused(&untold));
    assert!(
        refused(&untold).contains("points = [[\"x\", \"y\"]]") && refused(&untold).contains("unit = \"length\"")
    );
    scene("bead", &untold.replace("friction = 0.2", "friction = 0.2, unit = 'length'"), &[]);
    let asked = without(bead("y - x^2", ARC, "unit = 'normalised'"));
    assert!(refused(&asked).contains("nothing says"));
    let flat = bead("(y - x^2)^2", "x", "friction = 0.2");
    assert!(refused(&flat).contains("its gradient vanishes"), "{}", refused(&flat));
    let across = bead("y", "3*y", "friction = 0.2");
    assert!(refused(&across).contains("at right angles to the surface"), "{}", refused(&across));
    // Two directions of sliding must be two, whether points are named or not.
    let floor = |slides: &str, points: &str| {
        format!(
            "[lagrangian]\ncoordinates = ['x', 'y', 'z']\nmass = 1.0\n{points}\
             inequalities = [{{ expression = 'z', friction = 0.2, slide = {slides} }}]\n\
             [initial]\nq = [0, 0, 1]\n[method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 5.0\n"
        )
    };
    let points = "points = [['x', 'y', 'z']]\n";
    for slides in ["['x', 'x']", "['x', '3*x']", "['x', 'x + y']"] {
        assert!(refused(&floor(slides, "")).contains("nothing says"), "{slides}");
    }
    scene("floor", &floor("['x', 'y']", ""), &[]);
    let alike = refused(&floor("['x', '3*x']", points));
    assert!(alike.contains("slide: both directions of sliding are the same"), "{alike}");
    scene("floor", &floor("['x', 'x + y']", points), &[]);
    // A corner at half of an arm: points that move the gap by different amounts.
    let uneven = "[lagrangian]\ncoordinates = ['x', 'y', 'u', 'v']\nmass = 1.0\nequalities = ['u^2 + v^2 - 1']\n\
                  points = [['x', 'y'], ['u', 'v']]\ninequalities = [{ expression = 'y + 0.5*v', friction = 0.2, slide = 'x + 0.5*u' }]\n\
                  [initial]\nq = [0, 1, 1, 0]\n[method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 5.0\n";
    assert!(refused(uneven).contains("its slopes are 1 and 0.5"), "{}", refused(uneven));
    scene("uneven", &uneven.replace("friction = 0.2", "friction = 0.2, unit = 'length'"), &[]);
}

/// Two discs that a spring presses together slide past each other: as particles, and with the square of their distance as gap.
#[test]
fn a_gap_between_two_points_is_normalised_for_both() {
    let bodies = "[[particle]]\nmass = 1.0\nradius = 0.5\nposition = [0.0, 0.0]\nvelocity = [0.0, 0.4]\n[[particle]]\nmass = 2.0\n\
                  radius = 0.5\nposition = [1.0, 0.0]\nvelocity = [0.0, -0.2]\n[[spring]]\nbetween = [0, 1]\nstiffness = 20.0\n\
                  rest = 0.5\n[[contact]]\nfriction = 0.5\nrestitution = 0.0\n[method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1.0\n";
    let square = "[lagrangian]\ncoordinates = ['a', 'b', 'c', 'd']\nmass = [1, 1, 2, 2]\npoints = [['a', 'b'], ['c', 'd']]\n\
                  potential = '10*(hypot(c - a, d - b) - 0.5)^2'\ninequalities = [{ expression = '(c - a)^2 + (d - b)^2 - 1', restitution = 0, \
                  friction = 0.5, slide = '3*atan2(d - b, c - a)' }]\n[initial]\nq = [0, 0, 1, 0]\nv = [0, 0.4, 0, -0.2]\n\
                  [method]\nname = 'cva'\n[run]\nstep = 0.01\nuntil = 1.0\n";
    for name in ["cva", "vci"] {
        let [particles, expressed] = [bodies, square].map(|text| {
            let scene = scene("discs", text, &[]);
            state_after(&scene, &mut *stepper(&scene, &method(name)), 1.0, 100)
        });
        assert!(distance(&particles, &expressed) < 1e-11, "{name}: {:e}", distance(&particles, &expressed));
        // Friction has acted: the discs slide past each other more slowly.
        let relative = expressed.p[1] - 0.5 * expressed.p[3];
        assert!(relative < 0.55, "{name}: {relative}");
    }
}
