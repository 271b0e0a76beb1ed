//! The pendulum in polar coordinates: sections 6.1 and 6.2, Table II, with the conventions of "root mean square" side by side.

use carom_tests::galerkin::legendre;
use carom_tests::runs::built_in;

use crate::{Exact, Tally, Walk, known, root_mean_square, sixteen, squares};

const H: f64 = 0.3;

fn exact() -> Exact {
    Exact::new(built_in("pendulum-polar", &[]), 0.1, 15.0)
}

#[test]
fn table_ii_in_every_convention() {
    let (exact, mut tally) = (exact(), Tally::default());
    let variants = [
        ("LR_gauss12", "degree=2, points=12"),
        ("LR_rect_left_1e-4", "degree=2, quadrature=rectangle"),
        ("C_gauss12", "degree=2, points=12, continuity=continuous"),
        ("C_rect_left_1e-4", "degree=2, quadrature=rectangle, continuity=continuous"),
    ];
    for (name, options) in variants {
        let mut walk = Walk::pendulum(options, H);
        let (mut grid, mut dense, mut most) = (Vec::new(), Vec::new(), 0);
        let mut nodes = vec![([0.0; 2], 1.0)];
        for k in 0..50 {
            let t0 = k as f64 * H;
            most = most.max(walk.step().iterations);
            // Thirty samples per step, that of the node from its right.
            for j in 0..30 {
                let (q, p) = walk.ansatz(j as f64 / 30.0);
                grid.push((squares((&q, &p), &exact.at(t0 + 0.01 * j as f64)), 1.0));
            }
            for (s, w) in sixteen() {
                let (q, p) = walk.ansatz(s);
                dense.push((squares((&q, &p), &exact.at(t0 + s * H)), w));
            }
            let state = &walk.state;
            nodes.push((squares((&state.q, &state.p), &exact.at(t0 + H)), 1.0));
            if k == 0 {
                let values = [0.0, 0.5, 1.0].map(|s| walk.ansatz(s));
                known(&mut tally, &format!("step1_q_{name}"), &values.each_ref().map(|value| value.0[0]));
                known(&mut tally, &format!("step1_p_{name}"), &values.each_ref().map(|value| value.1[0]));
            }
            let listed = match k {
                0 => true,
                9 => name != "C_gauss12",
                49 => name != "LR_gauss12",
                _ => false,
            };
            if listed {
                let id = format!("state_step{}_{name}", k + 1);
                known(&mut tally, &id, &[state.q[0], state.p[0]]);
            }
        }
        known(&mut tally, &format!("rms_grid_{name}"), &root_mean_square(&grid));
        known(&mut tally, &format!("rms_L2_{name}"), &root_mean_square(&dense));
        known(&mut tally, &format!("rms_nodes_{name}"), &root_mean_square(&nodes));
        // The reference says that any count up to 6 is fine.
        tally.below(&format!("newton_max_{name}"), f64::from(most), 6.0);
    }
    let end = exact.at(15.0);
    known(&mut tally, "ref_state_15s", &[end.q[0], end.p[0]]);
    tally.settle("Table II");
}

/// No piecewise quadratic on this mesh is nearer to the motion than 7.2e-4 rad: 1.24e-4 rad is no error of one.
#[test]
fn the_best_piecewise_quadratic() {
    let (exact, points) = (exact(), sixteen());
    let mut samples = Vec::new();
    for k in 0..50 {
        let at: Vec<_> = points.iter().map(|(s, _)| exact.at((k as f64 + s) * H)).collect();
        let coefficient = |j: usize, value: &dyn Fn(usize) -> f64| -> f64 {
            let terms = points.iter().enumerate().map(|(i, (s, w))| w * legendre(3, *s).0[j] * value(i));
            (2 * j + 1) as f64 * terms.sum::<f64>()
        };
        let of = |value: &dyn Fn(usize) -> f64| [0, 1, 2].map(|j| coefficient(j, value));
        let (q, p) = (of(&|i| at[i].q[0]), of(&|i| at[i].p[0]));
        for (i, (s, w)) in points.iter().enumerate() {
            let basis = legendre(3, *s).0;
            let value = |c: [f64; 3]| [(0..3).map(|j| c[j] * basis[j]).sum::<f64>()];
            samples.push((squares((&value(q), &value(p)), &at[i]), *w));
        }
    }
    let mut tally = Tally::default();
    known(&mut tally, "best_L2_quadratic", &root_mean_square(&samples));
    tally.settle("best quadratic");
}

/// Friction at the joint, f = −0.4 p: its derivative by the velocity is in the Newton matrix, and the order stays.
#[test]
fn a_damped_pendulum_keeps_the_order() {
    let scene = || {
        let edits = ["lagrangian.forces=['-1.6*dot(theta)']", "initial.q={theta=1}", "initial.v={theta=0.125}"];
        built_in("pendulum-polar", &edits)
    };
    let exact = Exact::new(scene(), 0.1, 2.4).at(2.4);
    let mut tally = Tally::default();
    for row in crate::entry("f_np_damped")["value"].as_array().expect("rows") {
        let row = crate::numbers(row);
        let mut walk = Walk::new(scene(), "degree=2, points=12", row[0]);
        let mut most = 0;
        for _ in 0..(2.4 / row[0]).round() as usize {
            most = most.max(walk.step().iterations);
        }
        let errors = [walk.state.q[0] - exact.q[0], walk.state.p[0] - exact.p[0]].map(f64::abs);
        tally.each(&format!("T = {}", row[0]), &errors, &row[1..3], |size| 0.05 * size);
        // The fourth number is that of corrections without this derivative: more.
        tally.below("corrections", f64::from(most), row[3] - 1.0);
    }
    tally.settle("damped pendulum");
}
