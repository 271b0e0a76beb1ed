//! A wall of bricks in running bond with the rows of all its contacts.

use carom_lcp::{Blocks, Dense, Saddle, Sparse};

/// Half the edge of a brick (m) and its mass (kg).
const HALF: f64 = 0.25;
const MASS: f64 = 12.5;
/// T of normal and tangential rows: compliance 1e-8 damped within two steps of 1/60 s, slip 1e-8 per step.
const T: [f64; 3] = [1.6e-5, 6e-7, 6e-7];
/// Normal and tangents of a contact.
const FRAME: [[f64; 3]; 3] = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// Every contact of the wall at the four corners of the rectangle in which two bricks, or a brick and the ground, touch.
pub fn wall(rows: usize, columns: usize) -> Saddle {
    let centre = |row: usize, column: usize| {
        let shift = if row % 2 == 1 { HALF } else { 0.0 };
        [2.0 * HALF * column as f64 + shift, 0.0, HALF * (2 * row + 1) as f64]
    };
    let (mut triplets, mut contacts) = (Vec::new(), 0);
    for row in 0..rows {
        for column in 0..columns {
            let (upper, at) = (row * columns + column, centre(row, column));
            let below = (0..if row == 0 { 1 } else { columns }).filter_map(|other| match row {
                0 => Some((None, [at[0] - HALF, at[0] + HALF])),
                _ => {
                    let under = centre(row - 1, other);
                    let overlap = [at[0].max(under[0]) - HALF, at[0].min(under[0]) + HALF];
                    (overlap[1] - overlap[0] > 1e-9)
                        .then_some((Some(((row - 1) * columns + other, under)), overlap))
                }
            });
            for (lower, overlap) in below {
                for corner in 0..4 {
                    let point = [overlap[corner / 2], if corner % 2 == 0 { -HALF } else { HALF }, at[2] - HALF];
                    add_contact(&mut triplets, contacts, upper, at, point, 1.0);
                    if let Some((body, under)) = lower {
                        add_contact(&mut triplets, contacts, body, under, point, -1.0);
                    }
                    contacts += 1;
                }
            }
        }
    }
    let (bodies, m) = (rows * columns, 3 * contacts);
    let inertia = MASS * 2.0 / 3.0 * HALF * HALF;
    let mut block = Dense::zeros(6, 6);
    (0..6).for_each(|i| block[(i, i)] = if i < 3 { MASS } else { inertia });
    let mass = Blocks::from_blocks(&vec![block; bodies]).expect("square blocks");
    let jacobian = Sparse::from_triplets(m, 6 * bodies, &triplets).expect("entries inside");
    let p = (0..6 * bodies).map(|k| -MASS * 0.5 * (1.7 * k as f64 + 0.3).sin()).collect();
    Saddle::new(mass, jacobian, T.repeat(contacts), p, vec![0.0; m]).expect("a problem")
}

/// Adds the velocity of a body at a point, times a sign, to the three rows of a contact.
fn add_contact(
    triplets: &mut Vec<(usize, usize, f64)>,
    contact: usize,
    body: usize,
    centre: [f64; 3],
    point: [f64; 3],
    sign: f64,
) {
    let r = [0, 1, 2].map(|i| point[i] - centre[i]);
    for (axis, direction) in FRAME.iter().enumerate() {
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let turning = r[j] * direction[k] - r[k] * direction[j];
            for (column, value) in [(6 * body + i, direction[i]), (6 * body + 3 + i, turning)] {
                if value != 0.0 {
                    triplets.push((3 * contact + axis, column, sign * value));
                }
            }
        }
    }
}
