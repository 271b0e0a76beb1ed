//! Area, centroid and second moment of a polygon, by sums over its edges.

use crate::particles::Misuse;

/// A polygon of uniform density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polygon {
    /// Its area.
    pub area: f64,
    /// Its centre of mass.
    pub centroid: [f64; 2],
    /// Mean square of the distance from the origin: times the mass, the moment of inertia about the origin.
    pub moment: f64,
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Polygon {
    /// From its corners in their order, either way round; refused if edges cross or there is no area.
    pub fn of(vertices: &[[f64; 2]]) -> Result<Self, Misuse> {
        let n = vertices.len();
        if n < 3 {
            let (what, allowed) = ("the number of corners of a polygon", "3 or more");
            return Err(Misuse::Number { what, value: n as f64, allowed });
        }
        let edge = |i: usize| (vertices[i], vertices[(i + 1) % n]);
        for second in 0..n {
            // Neighbouring edges meet in a corner and cannot cross.
            if let Some(first) = (0..second).find(|&first| crossing(edge(first), edge(second))) {
                return Err(Misuse::Crossing { first, second });
            }
        }
        let (mut twice, mut first, mut second) = (0.0, [0.0; 2], 0.0);
        for (a, b) in (0..n).map(edge) {
            let part = cross(a, b);
            twice += part;
            first = [first[0] + part * (a[0] + b[0]), first[1] + part * (a[1] + b[1])];
            let products = a[0] * a[0] + a[0] * b[0] + b[0] * b[0] + a[1] * a[1] + a[1] * b[1] + b[1] * b[1];
            second += part * products;
        }
        if !(twice.abs() > 0.0 && twice.is_finite()) {
            let (what, allowed) = ("the area of a polygon", "a positive number");
            return Err(Misuse::Number { what, value: 0.5 * twice.abs(), allowed });
        }
        let centroid = first.map(|sum| sum / (3.0 * twice));
        Ok(Self { area: 0.5 * twice.abs(), centroid, moment: second / (6.0 * twice) })
    }
}

/// Whether two edges cross in a point inside of both.
fn crossing((a, b): ([f64; 2], [f64; 2]), (c, d): ([f64; 2], [f64; 2])) -> bool {
    let side =
        |p: [f64; 2], q: [f64; 2], r: [f64; 2]| cross([q[0] - p[0], q[1] - p[1]], [r[0] - p[0], r[1] - p[1]]);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}
