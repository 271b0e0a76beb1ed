//! Steps of an oscillation of frequency 1: where they grow, by the step's own matrix.
//!
//! ```text
//! Notation
//! z       h ω
//! M       (q1, p1) = M (q0, p0), det M = 1
//! Δ       (tr M)² − 4 = (M_qq − M_pp)² + 4 M_qp M_pq: the step is unstable where Δ > 0
//! ```
//! Where Δ < 0, neither M_qp nor M_pq is 0: a band without growth ends before either changes its sign. So bands of any width are found on a coarse grid, by these signs; a scan of
//! |tr M| would miss those that are narrower than itself.

use carom_io::scene::Scene;
use carom_tests::runs::{advance, method, scene, stepper};
use carom_tests::written::{agrees, document, table};

/// First and second band by degree, in exact rational numbers: tr M is a ratio of polynomials in z². One that goes on without end is `INFINITY`.
const LEFT_RIGHT: [[[f64; 2]; 2]; 9] = [
    [[2.0, f64::INFINITY]; 2],
    [[2.605551275463989, 4.605551275463989], [6.0, f64::INFINITY]],
    [[3.052489110402941, 3.228625183005529], [5.306623862918075, 11.306623862918075]],
    [[3.1363626238739513, 3.146254352877812], [5.874826572711006, 6.824928373027292]],
    [[3.1414265327150948, 3.14174676094376], [6.204087330395036, 6.353988280141099]],
    [[3.141589169040639, 3.141595970464912], [6.275336869781643, 6.290066479726153]],
    [[3.1415926015708653, 3.141592703820778], [6.282675665872797, 6.283650212551746]],
    [[3.1415926530091656, 3.141592654155405], [6.283161115895809, 6.28320799174463]],
    [[3.141592653584765, 3.14159265359472], [6.283184427275165, 6.283186146113844]],
];
const CONTINUOUS: [[[f64; 2]; 2]; 8] = [
    [[3.4641016151377544, f64::INFINITY]; 2],
    [[3.162277660168379, 3.4641016151377544], [7.745966692414834, f64::INFINITY]],
    [[3.1424667864528786, 3.162277660168379], [6.48074069840786, 7.745966692414834]],
    [[3.141615766021812, 3.1424667864528786], [6.3059391442248085, 6.48074069840786]],
    [[3.141593068313764, 3.141615766021812], [6.285026078705447, 6.3059391442248085]],
    [[3.141592658984676, 3.141593068313764], [6.28329033572127, 6.285026078705447]],
    [[3.1415926536430856, 3.141592658984676], [6.283189746829482, 6.28329033572127]],
    [[3.141592653590207, 3.1415926536430856], [6.283185452295109, 6.283189746829482]],
];

fn oscillator() -> Scene {
    let text = "[lagrangian]\ncoordinates = ['x']\nmass = 1.0\npotential = '0.5*x^2'\n[initial]\nq = [1.0]\n\
                [method]\nname = 'verlet'\n[run]\nstep = 0.1\nsteps = 1\n";
    scene("oscillator", text, &[])
}

/// `M`, row by row.
fn matrix(scene: &Scene, options: &str, z: f64) -> [f64; 4] {
    let column = |q: f64, p: f64| {
        let mut state = scene.problem.initial.clone();
        (state.q[0], state.p[0]) = (q, p);
        advance(scene, &mut *stepper(scene, &method(&format!("galerkin {options}"))), &mut state, z, 1);
        [state.q[0], state.p[0]]
    };
    let ([qq, pq], [qp, pp]) = (column(1.0, 0.0), column(0.0, 1.0));
    [qq, qp, pq, pp]
}

fn discriminant([qq, qp, pq, pp]: [f64; 4]) -> f64 {
    (qq - pp).powi(2) + 4.0 * qp * pq
}

/// The place between two others where a condition starts to hold.
fn bisect([mut before, mut after]: [f64; 2], holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..80 {
        let middle = 0.5 * (before + after);
        if holds(middle) { after = middle } else { before = middle }
    }
    after
}

/// The first band that begins between these places.
fn band(of: impl Fn(f64) -> [f64; 4], from: f64, to: f64) -> Option<[f64; 2]> {
    const CELL: f64 = 0.02;
    let cells = ((to - from) / CELL).ceil() as usize;
    let mut place = (from, of(from));
    for cell in 1..=cells {
        let next = from + cell as f64 * CELL;
        let there = of(next);
        let turned = (1..3).find(|k| (there[*k] > 0.0) != (place.1[*k] > 0.0));
        // A place in the band: where an entry is 0, or the next place.
        let inside = match turned {
            Some(k) => bisect([place.0, next], |z| (of(z)[k] > 0.0) == (there[k] > 0.0)),
            None if discriminant(there) > 0.0 => next,
            None => {
                place = (next, there);
                continue;
            }
        };
        let edge = |away: f64| {
            // Ever farther from it until the steps are stable.
            let mut far = 1e-14;
            while discriminant(of(inside + away * far)) > 0.0 && far < to {
                far *= 1.1;
            }
            if far >= to {
                return f64::INFINITY;
            }
            bisect([inside + away * far, inside], |z| z == inside || discriminant(of(z)) > 0.0)
        };
        return Some([edge(-1.0), edge(1.0)]);
    }
    None
}

#[test]
fn the_first_two_bands_of_growth_are_those_of_exact_arithmetic() {
    let scene = oscillator();
    let left_right = LEFT_RIGHT.iter().enumerate().map(|(degree, bands)| (degree, "left-right", bands));
    let continuous = CONTINUOUS.iter().enumerate().map(|(k, bands)| (k + 1, "continuous", bands));
    for (degree, continuity, bands) in left_right.chain(continuous) {
        let options = format!("degree={degree}, continuity={continuity}");
        let mut from = 0.05;
        for expected in bands {
            let found = band(|z| matrix(&scene, &options, z), from, 14.0).expect("a band");
            // Edges of narrow bands are where Δ has lost most of its digits, and still they are known to a thousandth of the width.
            let within = (1e-3 * (expected[1] - expected[0])).min(1e-12);
            println!("{options}: {found:.16?}, expected {expected:.16?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found == expected || (found - expected).abs() <= within, "{options}: {found} {expected}");
            }
            if found[1].is_infinite() {
                break;
            }
            from = found[1] + 0.01;
        }
    }
}

/// Largest eigenvalue less 1 in a band: `|tr M|/2 + √Δ/2 − 1`, with `tr² = 4 + Δ`.
fn growth(scene: &Scene, options: &str, [from, to]: [f64; 2]) -> f64 {
    let at = |k: u32| {
        let z = from + (to - from) * f64::from(k) / 400.0;
        let delta = discriminant(matrix(scene, options, z)).max(0.0);
        0.5 * delta / ((4.0 + delta).sqrt() + 2.0) + 0.5 * delta.sqrt()
    };
    (1..400).map(at).fold(0.0, f64::max)
}

/// Whether a cell of the manual says a band: `2.606 to 4.606`, `from 6`, `at π, 1.0e-7 wide`, or nothing.
fn says(cell: &str, band: [f64; 2]) -> bool {
    if let Some(width) = cell.strip_prefix("at π, ").and_then(|cell| cell.strip_suffix(" wide")) {
        return agrees(width, band[1] - band[0]) && (band[0] - std::f64::consts::PI).abs() < 1e-6;
    }
    match (cell.split_once(" to "), cell.strip_prefix("from ")) {
        (Some((from, to)), _) => agrees(from, band[0]) && agrees(to, band[1]),
        (None, Some(from)) => agrees(from, band[0]) && band[1].is_infinite(),
        // The band before it has no end.
        (None, None) => cell.is_empty() && band[1].is_infinite(),
    }
}

#[test]
fn the_table_of_bands_is_that_of_the_manual() {
    let (scene, rows) =
        (oscillator(), table(&document("docs/methods.md"), "| degree | `left-right` and `right-left` | growth |"));
    assert_eq!(rows.len(), 9);
    for (degree, row) in rows.iter().enumerate() {
        assert_eq!(row[0], degree.to_string());
        let both = [
            ("left-right", LEFT_RIGHT.get(degree)),
            ("continuous", degree.checked_sub(1).and_then(|k| CONTINUOUS.get(k))),
        ];
        for ((continuity, bands), cells) in both.iter().zip(row[1..].chunks_exact(3)) {
            let Some([first, second]) = bands else {
                assert!(cells.iter().all(String::is_empty), "{cells:?}");
                continue;
            };
            assert!(
                says(&cells[0], *first) && says(&cells[2], *second),
                "degree {degree}, {continuity}: {cells:?}"
            );
            if first[1].is_finite() {
                let found = growth(&scene, &format!("degree={degree}, continuity={continuity}"), *first);
                println!("degree {degree}, {continuity}: growth {found:.3e}");
                assert!(agrees(&cells[1], found), "degree {degree}, {continuity}: {found:e}, {}", cells[1]);
            } else {
                assert!(cells[1].is_empty(), "{cells:?}");
            }
        }
    }
    assert!(!says("2.606 to 4.607", LEFT_RIGHT[1][0]) && !says("", LEFT_RIGHT[1][0]), "control");
}

#[test]
fn gauss_collocation_never_grows_and_right_left_grows_where_left_right_does() {
    let scene = oscillator();
    for degree in 1..=8 {
        let options =
            format!("degree={degree}, continuity=continuous, points={degree}, momentum_degree={}", degree - 1);
        let largest = (1..400).map(|k| discriminant(matrix(&scene, &options, 0.05 * k as f64)));
        assert!(largest.fold(f64::NEG_INFINITY, f64::max) <= 1e-13, "{options}");
    }
    for degree in 1..=4 {
        let of = |continuity: &str, z: f64| matrix(&scene, &format!("degree={degree}, continuity={continuity}"), z);
        let (ours, adjoint) =
            (band(|z| of("left-right", z), 0.05, 14.0), band(|z| of("right-left", z), 0.05, 14.0));
        let (ours, adjoint) = (ours.expect("a band"), adjoint.expect("a band"));
        assert!((ours[0] - adjoint[0]).abs() + (ours[1] - adjoint[1]).abs() < 1e-12, "{ours:?} {adjoint:?}");
    }
}

/// `|R(iz)|²` of the Padé approximation of e^z with powers up to these.
fn pade(above: i32, below: i32, z: f64) -> f64 {
    let factorial = |n: i32| (1..=n).map(f64::from).product::<f64>();
    let squared = |power: i32, sign: f64| {
        let (mut real, mut imaginary) = (0.0, 0.0);
        for i in 0..=power {
            let c = factorial(above + below - i) * factorial(power) / (factorial(i) * factorial(power - i));
            let term = c * z.powi(i) * if i % 4 < 2 { 1.0 } else { -1.0 };
            if i % 2 == 0 { real += term } else { imaginary += sign * term }
        }
        real * real + imaginary * imaginary
    };
    squared(above, 1.0) / squared(below, -1.0)
}

/// Right-right is the method of Radau IIA on linear systems, left-left its adjoint: both end at the limits with which neighbours continue.
#[test]
fn right_right_falls_by_the_pade_approximation_beside_the_diagonal_and_left_left_grows_by_it() {
    let scene = oscillator();
    for degree in 0..=6 {
        for k in 1..=40 {
            let z = 0.25 * k as f64;
            let of = |continuity: &str| {
                let [qq, qp, pq, pp] = matrix(&scene, &format!("degree={degree}, continuity={continuity}"), z);
                qq * pp - qp * pq
            };
            let expected = pade(degree, degree + 1, z);
            let (grows, falls) = (of("left-left") * expected, of("right-right") / expected);
            assert!((grows - 1.0).abs() < 1e-11 && (falls - 1.0).abs() < 1e-11, "{degree}, {z}: {grows} {falls}");
            assert!(expected < 1.0 || z < 1.0, "degree {degree}, z = {z}: {expected}");
        }
    }
}
