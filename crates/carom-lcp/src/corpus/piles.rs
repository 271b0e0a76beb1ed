//! Many redundant contacts: a tower of planks at rest and piles of rocks. No contact has any compliance, so W is singular.

use super::scene::{Body, Contact, Scene, Stepping};
use crate::problem::GlobalFriction;

const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// Without compliance: T = 0 in every row.
const RIGID: Stepping =
    Stepping { h: 1.0 / 60.0, gravity: 9.81, compliance: 0.0, relaxation: 2.0 / 60.0, slip: 0.0 };

/// A tower of planks at rest, two in each layer, across those below: edges of 0.12 m, 0.024 m and 0.008 m, 500 kg/m³, μ = 0.5.
///
/// 8 contacts with the ground and 16 between two layers: 38 layers have 600 contacts, of whose 1800 rows at most 456 are independent.
pub fn tower(layers: usize) -> GlobalFriction {
    let half = [0.06, 0.012, 0.004];
    let (mass, mu, place) = (500.0 * 8.0 * half.iter().product::<f64>(), 0.5, half[0] - half[1]);
    let mut scene = Scene::new(RIGID);
    for layer in 0..layers {
        let z = half[2] * (2 * layer + 1) as f64;
        for side in [-1.0, 1.0] {
            let body = match layer % 2 {
                0 => Body::cuboid(mass, half, [0.0, side * place, z]),
                _ => Body::cuboid(mass, [half[1], half[0], half[2]], [side * place, 0.0, z]),
            };
            scene.add(body);
        }
    }
    let mut corners = |body: usize, other: Option<usize>, centre: [f64; 2], half: [f64; 2], z: f64| {
        for x in [-half[0], half[0]] {
            for y in [-half[1], half[1]] {
                let point = [centre[0] + x, centre[1] + y, z];
                scene.touch(Contact { body, other, point, normal: UP, gap: 0.0, mu });
            }
        }
    };
    let sides = [-place, place];
    for body in 0..2.min(2 * layers) {
        corners(body, None, [0.0, sides[body]], [half[0], half[1]], 0.0);
    }
    for layer in 1..layers {
        for above in 0..2 {
            for below in 0..2 {
                let centre = match layer % 2 {
                    0 => [sides[below], sides[above]],
                    _ => [sides[above], sides[below]],
                };
                let bodies = (2 * layer + above, 2 * (layer - 1) + below);
                corners(bodies.0, Some(bodies.1), centre, [half[1]; 2], 2.0 * half[2] * layer as f64);
            }
        }
    }
    scene.problem().expect("positive masses and finite numbers")
}

/// A pile of `sides[0]` × `sides[1]` × `sides[2]` rocks of different masses on the ground, μ = 1: each touches its
/// neighbours in one or two points, with normals up to some 20° off the line of centres, and is pushed at random with up to `push` m/s²
/// along each axis besides its weight. The same `number`, the same pile.
///
/// W has about half as much rank as rows, and q lies in its range: forces alone move the rocks. 5 × 5 × 3 rocks have some 300
/// contacts, all connected.
pub fn rock_pile(sides: [usize; 3], push: f64, number: u64) -> GlobalFriction {
    let mut random = Random(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    for _ in 0..8 {
        random.next();
    }
    let mut scene = Scene::new(RIGID);
    let mut centres = Vec::new();
    let cell = |k: usize| [k % sides[0], k / sides[0] % sides[1], k / (sides[0] * sides[1])];
    for k in 0..sides.iter().product() {
        let centre = cell(k).map(|index| index as f64 + 0.15 * random.next());
        let (mass, radius) = (libm::exp(1.5 * random.next()), 0.5);
        let centre = [centre[0], centre[1], centre[2] + 0.5];
        let mut body = Body::sphere(mass, radius, centre);
        body.force = std::array::from_fn(|axis| mass * push * if axis < 3 { 1.0 } else { 0.1 } * random.next());
        centres.push(centre);
        scene.add(body);
    }
    let step = [1, sides[0], sides[0] * sides[1]];
    for k in 0..centres.len() {
        for axis in 0..3 {
            // Along z the neighbour below, or the ground.
            let before = (cell(k)[axis] > 0).then(|| k - step[axis]);
            if before.is_none() && axis < 2 {
                continue;
            }
            let from = before.map_or([centres[k][0], centres[k][1], -0.5], |other| centres[other]);
            for _ in 0..if random.next() > 0.0 { 2 } else { 1 } {
                let normal = unit(std::array::from_fn(|i| centres[k][i] - from[i] + 0.2 * random.next()));
                let point = std::array::from_fn(|i| 0.5 * (centres[k][i] + from[i]) + 0.15 * random.next());
                scene.touch(Contact { body: k, other: before, point, normal, gap: 0.0, mu: 1.0 });
            }
        }
    }
    scene.problem().expect("positive masses and finite numbers")
}

fn unit(direction: [f64; 3]) -> [f64; 3] {
    let length = crate::cone::norm(&direction);
    direction.map(|value| value / length)
}

/// Marsaglia's xorshift with 64 bits, evenly between −1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        2.0 * (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_eight_layers_have_six_hundred_contacts() {
        let problem = tower(38);
        assert_eq!((problem.contacts(), problem.saddle.mass.size()), (600, 456));
        assert!(problem.saddle.t.iter().all(|t| *t == 0.0));
    }

    #[test]
    fn a_pile_has_twice_as_many_rows_as_coordinates_and_is_the_same_each_time() {
        let problem = rock_pile([5, 5, 3], 2.0, 1);
        let (rows, coordinates) = (problem.saddle.q.len(), problem.saddle.mass.size());
        assert!((1.8..2.4).contains(&(rows as f64 / coordinates as f64)), "{rows} rows, {coordinates} coordinates");
        assert_eq!(problem, rock_pile([5, 5, 3], 2.0, 1));
        assert_ne!(problem.mu.len(), 0);
        assert_ne!(problem, rock_pile([5, 5, 3], 2.0, 2));
    }
}
