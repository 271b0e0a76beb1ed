//! A chain of rods: as many joints as bodies, and a matrix that can be factored in linear time.

use crate::matrix::{Blocks, Dense, Sparse};
use crate::problem::Saddle;

/// Seconds in a step.
const STEP: f64 = 1.0 / 60.0;
/// m/s².
const GRAVITY: f64 = 9.81;
/// Mass (kg) and half the length (m) of a rod; its moments of inertia across and along it (kg m²).
const MASS: f64 = 1.0;
const HALF: f64 = 0.5;
const INERTIA: [f64; 2] = [1.0 / 12.0, 1.0 / 1200.0];

/// A chain of rods hung up at its first end in a helix, joined by ball joints: 6 coordinates and 3 rows for each body, one step of the
/// motion under gravity from rest. T, in 1/kg, is that of every row; 1.6e-5 is the compliance 1e-8 m/N damped within two steps.
pub fn chain(bodies: usize, t: f64) -> Saddle {
    let axes: Vec<[f64; 3]> = (0..bodies)
        .map(|body| {
            let turn = 0.7 * body as f64;
            [0.6 * turn.cos(), 0.6 * turn.sin(), -0.8]
        })
        .collect();
    let masses: Vec<Dense> = axes.iter().map(mass).collect();
    let mut triplets = Vec::new();
    for (joint, axis) in axes.iter().enumerate() {
        // v + ω × r at the upper end of a rod, minus the same at the lower end of the one before.
        add_point(&mut triplets, joint, joint, axis.map(|a| -HALF * a), 1.0);
        if joint > 0 {
            add_point(&mut triplets, joint, joint - 1, axes[joint - 1].map(|a| HALF * a), -1.0);
        }
    }
    let (n, m) = (6 * bodies, 3 * bodies);
    let jacobian = Sparse::from_triplets(m, n, &triplets).expect("rows and columns of the bodies");
    // The momentum that a step of gravity gives, with its sign turned.
    let p = (0..n).map(|k| if k % 6 == 2 { MASS * GRAVITY * STEP } else { 0.0 }).collect();
    let mass = Blocks::from_blocks(&masses).expect("square blocks");
    Saddle::new(mass, jacobian, vec![t; m], p, vec![0.0; m]).expect("finite numbers and positive masses")
}

/// The mass and the moment of inertia of a rod along an axis.
fn mass(axis: &[f64; 3]) -> Dense {
    let mut block = Dense::zeros(6, 6);
    let [across, along] = INERTIA;
    for i in 0..3 {
        block[(i, i)] = MASS;
        for j in 0..3 {
            block[(3 + i, 3 + j)] = (along - across) * axis[i] * axis[j];
        }
        block[(3 + i, 3 + i)] += across;
    }
    block
}

/// Adds the velocity of the point r of a body, times a sign, to the rows of a joint.
fn add_point(triplets: &mut Vec<(usize, usize, f64)>, joint: usize, body: usize, r: [f64; 3], sign: f64) {
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (row, turning) = (3 * joint + i, 6 * body + 3);
        triplets.push((row, 6 * body + i, sign));
        triplets.push((row, turning + j, sign * r[k]));
        triplets.push((row, turning + k, -sign * r[j]));
    }
}
