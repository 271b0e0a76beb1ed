//! Equivalence with partitioned Runge-Kutta methods: section 5, and Gauss collocation.

use carom::state::State;
use carom::steppers::galerkin::{Config, Continuity, Tableau};
use carom_io::scene::Scene;
use carom_tests::runs::{advance, built_in, distance, method, stepper};

use crate::order::elastic;
use crate::{Tally, entry, numbers};

fn tableau(degree: u32, continuity: Continuity) -> Tableau {
    let continuous = continuity == Continuity::Continuous;
    let points = continuous.then_some(degree);
    let config =
        Config { degree, continuity, points, momentum_degree: continuous.then(|| degree - 1), ..Config::default() };
    config.tableau().expect("as many points as velocities")
}

/// A partitioned Runge-Kutta step of the elastic pendulum by fixed-point iteration, from the equations of motion by hand.
fn step(tableau: &Tableau, start: &State, h: f64) -> State {
    let stages = tableau.b.len();
    let rates = |q: [f64; 2], p: [f64; 2]| {
        let turn = p[1] / (q[0] * q[0]);
        let force = [q[0] * turn * turn - 40.0 * (q[0] - 1.0) + 9.81 * q[1].cos(), -9.81 * q[0] * q[1].sin()];
        ([p[0], turn], force)
    };
    let (q0, p0) = ([start.q[0], start.q[1]], [start.p[0], start.p[1]]);
    let mut k = vec![([0.0; 2], [0.0; 2]); stages];
    for _ in 0..200 {
        k = (0..stages)
            .map(|i| {
                let sum = |start: f64, a: &[f64], of: &dyn Fn(usize) -> f64| {
                    start + h * (0..stages).map(|j| a[i * stages + j] * of(j)).sum::<f64>()
                };
                let q = [0, 1].map(|c| sum(q0[c], &tableau.a, &|j| k[j].0[c]));
                let p = [0, 1].map(|c| sum(p0[c], &tableau.a_hat, &|j| k[j].1[c]));
                rates(q, p)
            })
            .collect();
    }
    let end =
        |start: f64, of: &dyn Fn(usize) -> f64| start + h * (0..stages).map(|j| tableau.b[j] * of(j)).sum::<f64>();
    let q = [0, 1].map(|c| end(q0[c], &|j| k[j].0[c]));
    let p = [0, 1].map(|c| end(p0[c], &|j| k[j].1[c]));
    State { t: start.t + h, q: q.to_vec(), p: p.to_vec() }
}

#[test]
fn left_right_is_the_partitioned_runge_kutta_method_of_section_5() {
    let (scene, mut tally): (Scene, _) = (elastic(), Tally::default());
    let value = entry("runge_kutta")["value"].clone();
    for degree in 0..=4 {
        let (tableau, expected) = (tableau(degree, Continuity::LeftRight), &value[format!("m{degree}")]);
        let within = |_: f64| 1e-13;
        tally.each("c", &tableau.c, &numbers(&expected["c"]), within);
        tally.each("b", &tableau.b, &numbers(&expected["b"]), within);
        for (name, found) in [("A", &tableau.a), ("Ahat", &tableau.a_hat)] {
            let rows = expected[name].as_array().expect("rows").iter().flat_map(numbers);
            tally.each(&format!("{name} of degree {degree}"), found, &rows.collect::<Vec<_>>(), within);
        }
        let s = tableau.b.len();
        let condition = (0..s * s).map(|place| {
            let (i, j, b) = (place / s, place % s, &tableau.b);
            (b[i] * tableau.a_hat[i * s + j] + b[j] * tableau.a[j * s + i] - b[i] * b[j]).abs()
        });
        tally.below("symplectic condition", condition.fold(0.0, f64::max), 1e-15);
        let start = &scene.problem.initial;
        let mut state = start.clone();
        advance(&scene, &mut *stepper(&scene, &method(&format!("galerkin degree={degree}"))), &mut state, 0.1, 1);
        tally.below("step", distance(&state, &step(&tableau, start, 0.1)), 1e-13);
    }
    let third = 3.0_f64.sqrt() / 6.0;
    let tableau = tableau(1, Continuity::LeftRight);
    let printed = [1.0 / 3.0, 1.0 / 6.0 - third, 1.0 / 6.0 + third, 1.0 / 3.0];
    tally.each("Figure 3, q", &tableau.a, &printed, |_| 1e-15);
    let printed = [1.0 / 6.0, 1.0 / 3.0 - third, 1.0 / 3.0 + third, 1.0 / 6.0];
    tally.each("Figure 3, p", &tableau.a_hat, &printed, |_| 1e-15);
    tally.settle("Runge-Kutta");
}

#[test]
fn continuous_with_as_many_points_as_velocities_is_gauss_collocation() {
    for degree in 1..=4 {
        let tableau = tableau(degree, Continuity::Continuous);
        let s = degree as usize;
        // Collocation: Σ a_ij c_jᵏ⁻¹ = c_iᵏ/k.
        for (a, name) in [(&tableau.a, "q"), (&tableau.a_hat, "p")] {
            for i in 0..s {
                for k in 1..=s {
                    let sum: f64 = (0..s).map(|j| a[i * s + j] * tableau.c[j].powi(k as i32 - 1)).sum();
                    let exact = tableau.c[i].powi(k as i32) / k as f64;
                    assert!((sum - exact).abs() < 1e-15, "degree {degree}, {name}: {sum} for {exact}");
                }
            }
        }
        let (scene, text) =
            (elastic(), format!("galerkin degree={degree}, continuity=continuous, points={degree}"));
        let text = format!("{text}, momentum_degree={}", degree - 1);
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &method(&text)), &mut state, 0.1, 1);
        let apart = distance(&state, &step(&tableau, &scene.problem.initial, 0.1));
        assert!(apart < 2e-15, "degree {degree}: {apart:e}");
    }
}

/// Degree 1 with one point is the midpoint rule, degree 0 the symplectic Euler method.
#[test]
fn the_lowest_degrees_are_known_methods() {
    let scene = built_in("elastic-pendulum", &[]);
    let run = |text: &str| {
        let mut state = scene.problem.initial.clone();
        advance(&scene, &mut *stepper(&scene, &method(text)), &mut state, 0.02, 50);
        state
    };
    let apart =
        distance(&run("midpoint"), &run("galerkin degree=1, continuity=continuous, points=1, momentum_degree=0"));
    assert!(apart < 1e-13, "{apart:e}");
    // L_d = h L(q1, v) is that of γ = 0, h L(q0, v) that of γ = 1.
    for (continuity, gamma) in [("left-right", "0.0"), ("right-left", "1.0")] {
        let galerkin = run(&format!("galerkin degree=0, continuity={continuity}"));
        let apart = distance(&galerkin, &run(&format!("variational rule=gamma, gamma={gamma}")));
        assert!(apart < 1e-13, "{continuity}: {apart:e}");
    }
}
