//! Orders at the nodes: ladders of the reference, and two-sided slopes on a system with M(q).

use carom::state::State;
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, scene};

use crate::{Exact, Tally, Walk, entry, numbers};

/// The elastic pendulum of the reference: polar coordinates, mass and length 1, stiffness 40.
pub fn elastic() -> Scene {
    let text = "[lagrangian]\ncoordinates = ['r', 'a']\nkinetic = '0.5*(dot(r)^2 + r^2*dot(a)^2)'\n\
                potential = '20*(r - 1)^2 - 9.81*r*cos(a)'\n[initial]\nq = [1.3, 0.9]\n\
                v = [0.4, '-0.7/1.3^2']\n[method]\nname = 'galerkin'\n[run]\nstep = 0.1\nsteps = 8\n";
    scene("elastic", text, &[])
}

/// Largest error of the nodes in `q` and `p`.
fn nodal(scene: Scene, exact: &Exact, options: &str, h: f64, until: f64) -> [f64; 2] {
    let mut walk = Walk::new(scene, options, h);
    let mut worst = [0.0_f64; 2];
    for k in 1..=(until / h).round() as usize {
        walk.step();
        walk.state.t = k as f64 * h;
        let State { q, p, .. } = exact.at(walk.state.t);
        worst = [worst[0].max(largest(&walk.state.q, &q)), worst[1].max(largest(&walk.state.p, &p))];
    }
    worst
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |max, (a, b)| max.max((a - b).abs()))
}

#[test]
fn the_ladders_of_the_reference() {
    let cartesian = || built_in("pendulum-cartesian", &[]);
    let pendulum = || built_in("pendulum-polar", &[]);
    let (of_pendulum, of_elastic) = (Exact::new(pendulum(), 0.1, 2.4), Exact::new(elastic(), 0.05, 0.8));
    let of_cartesian = Exact::new(cartesian(), 0.05, 2.4);
    let mut tally = Tally::default();
    for (name, value) in entry("convergence")["value"].as_object().expect("ladders") {
        let parts: Vec<&str> = name.split('_').collect();
        let degree = parts.iter().find_map(|part| part.strip_prefix('m')).expect("a degree");
        let mut options = format!("degree={degree}");
        if parts.contains(&"C") {
            options += ", continuity=continuous";
        }
        if name.ends_with("pdeg_m-1") {
            options += &format!(", momentum_degree={}", degree.parse::<usize>().expect("a number") - 1);
        }
        if !name.ends_with("gauss_m+1") {
            options += ", points=12";
        }
        for row in value["T_errq_errp"].as_array().expect("rows") {
            let row = numbers(row);
            let found = match parts[0] {
                "pendulum" => nodal(pendulum(), &of_pendulum, &options, row[0], 2.4),
                "elastic" => nodal(elastic(), &of_elastic, &options, row[0], 0.8),
                _ => nodal(cartesian(), &of_cartesian, &options, row[0], 2.4),
            };
            // 5 %, and round-off.
            tally.each(&format!("{name}, T = {}", row[0]), &found, &row[1..], |size| 0.05 * size + 2e-13);
        }
    }
    tally.settle("ladders");
}

/// Slopes between steps of span/N, N from `first` on, doubled; those with both errors above round-off.
pub fn slopes(scene: &dyn Fn() -> Scene, options: &str, span: f64, first: usize) -> Vec<f64> {
    let exact = Exact::new(scene(), span / 40.0, span);
    let error = |steps: usize| {
        let [q, p] = nodal(scene(), &exact, options, span / steps as f64, span);
        q.max(p)
    };
    let errors: Vec<f64> = (0..9).map(|k| error(first << k)).take_while(|error| *error > 3e-13).collect();
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

#[test]
fn nodes_have_order_2m_plus_1_and_2m_on_a_nonlinear_system_with_its_own_mass() {
    let cases = (0..=3).map(|m| (m, 2 * m + 1, "")).chain((1..=4).map(|m| (m, 2 * m, ", continuity=continuous")));
    let adjoint = (0..=3).map(|m| (m, 2 * m + 1, ", continuity=right-left"));
    for (degree, order, more) in cases.chain(adjoint) {
        let slopes = slopes(&elastic, &format!("degree={degree}{more}"), 0.8, 4);
        println!("degree {degree}{more}: slopes {slopes:.3?}");
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        assert!((last - order as f64).abs() <= 0.15, "degree {degree}{more}: {slopes:.3?}");
    }
    let slopes = slopes(&elastic, "degree=4", 0.8, 2);
    println!("degree 4: slopes {slopes:.3?}");
    assert!(slopes.iter().any(|slope| (slope - 9.0).abs() <= 0.6), "degree 4: {slopes:.3?}");
}

#[test]
fn constraints_keep_the_order() {
    let scene = || built_in("pendulum-cartesian", &["initial.v={x='0.5*sqrt(3)', y=-1.5}"]);
    let cases = (0..=3).map(|m| (m, 2 * m + 1, "")).chain((1..=3).map(|m| (m, 2 * m, ", continuity=continuous")));
    let adjoint = (0..=3).map(|m| (m, 2 * m + 1, ", continuity=right-left"));
    for (degree, order, more) in cases.chain(adjoint) {
        let slopes = slopes(&scene, &format!("degree={degree}{more}"), 1.2, 8);
        println!("degree {degree}{more} with a constraint: slopes {slopes:.3?}");
        let last = slopes.last().copied().unwrap_or(f64::NAN);
        assert!((last - order as f64).abs() <= 0.15, "degree {degree}{more}: {slopes:.3?}");
    }
}
