//! The Lorentz cone ‖t‖ ≤ n in up to three dimensions: products, scalings and steps to its boundary.

use crate::cone::norm;

/// A point; what a dimension does not have is 0.
pub(crate) type Point = [f64; 3];

/// A matrix of one point.
pub(crate) type Matrix = [[f64; 3]; 3];

/// The inner product.
pub(crate) fn dot(x: &Point, y: &Point) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// x∘y = (xᵀy, x_n y_t + y_n x_t).
pub(crate) fn product(x: &Point, y: &Point) -> Point {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// The point a with x∘a = b.
pub(crate) fn quotient(x: &Point, b: &Point) -> Point {
    let first = (x[0] * b[0] - x[1] * b[1] - x[2] * b[2]) / determinant(x);
    [first, (b[1] - first * x[1]) / x[0], (b[2] - first * x[2]) / x[0]]
}

/// n² − ‖t‖², without the cancellation near the boundary that squares would have.
pub(crate) fn determinant(x: &Point) -> f64 {
    let t = norm(&x[1..]);
    (x[0] - t) * (x[0] + t)
}

/// A x.
pub(crate) fn times(a: &Matrix, x: &Point) -> Point {
    std::array::from_fn(|i| dot(&a[i], x))
}

/// Nesterov and Todd's scaling: the symmetric B with B x = B⁻¹ y, its square and its inverse.
pub(crate) struct Scaling {
    /// B.
    pub root: Matrix,
    /// B⁻¹.
    pub inverse: Matrix,
    /// B².
    pub square: Matrix,
}

/// The scaling of two points inside the cone.
pub(crate) fn scaling(x: &Point, y: &Point) -> Scaling {
    let (dx, dy) = (determinant(x).sqrt(), determinant(y).sqrt());
    let inner = dot(x, y) / (dx * dy);
    let gamma = (0.5 * (1.0 + inner)).sqrt();
    // b with bᵀJb = 1 and (2bbᵀ − J) x/dx = y/dy.
    let b: Point = std::array::from_fn(|k| {
        let mirrored = if k == 0 { x[k] } else { -x[k] } / dx;
        (y[k] / dy + mirrored) / (2.0 * gamma)
    });
    let eta = dy / dx;
    let mut scaling = Scaling { root: [[0.0; 3]; 3], inverse: [[0.0; 3]; 3], square: [[0.0; 3]; 3] };
    for i in 0..3 {
        for j in 0..3 {
            let unit = if i == j { 1.0 } else { 0.0 };
            let mirror = if i == 0 { unit } else { -unit };
            scaling.square[i][j] = eta * (2.0 * b[i] * b[j] - mirror);
            let (entry, sign) = match (i, j) {
                (0, 0) => (b[0], 1.0),
                (0, k) | (k, 0) => (b[k], -1.0),
                _ => (unit + b[i] * b[j] / (1.0 + b[0]), 1.0),
            };
            scaling.root[i][j] = eta.sqrt() * entry;
            scaling.inverse[i][j] = sign * entry / eta.sqrt();
        }
    }
    scaling
}

/// The largest step with x + step dx in the cone, infinite where there is none.
pub(crate) fn reach(x: &Point, dx: &Point) -> f64 {
    let a = dx[0] * dx[0] - dx[1] * dx[1] - dx[2] * dx[2];
    let b = x[0] * dx[0] - x[1] * dx[1] - x[2] * dx[2];
    let c = determinant(x);
    let mut step = if dx[0] < 0.0 { -x[0] / dx[0] } else { f64::INFINITY };
    let discriminant = b * b - a * c;
    if discriminant >= 0.0 {
        // a s² + 2 b s + c = 0, both roots without cancellation.
        let q = -(b + discriminant.sqrt().copysign(b));
        for root in [q / a, c / q] {
            if root > 0.0 {
                step = step.min(root);
            }
        }
    }
    step
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Point = [2.0, 0.5, -1.0];
    const Y: Point = [1.5, -0.9, 0.2];

    #[test]
    fn the_scaling_maps_one_point_to_the_other() {
        let scaling = scaling(&X, &Y);
        let (from_x, from_y) = (times(&scaling.root, &X), times(&scaling.inverse, &Y));
        let moved = times(&scaling.square, &X);
        for k in 0..3 {
            assert!((from_x[k] - from_y[k]).abs() < 1e-14, "{from_x:?} is not {from_y:?}");
            assert!((moved[k] - Y[k]).abs() < 1e-14, "{moved:?} is not {Y:?}");
        }
    }

    #[test]
    fn quotients_undo_products() {
        let back = quotient(&X, &product(&X, &Y));
        for k in 0..3 {
            assert!((back[k] - Y[k]).abs() < 1e-14, "{back:?} is not {Y:?}");
        }
    }

    #[test]
    fn steps_end_on_the_boundary() {
        for dx in [[-1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [-1.0, 0.5, 0.25], [0.1, -3.0, 0.0]] {
            let step = reach(&X, &dx);
            let end: Point = std::array::from_fn(|k| X[k] + step * dx[k]);
            assert!(determinant(&end).abs() < 1e-13 && end[0] >= 0.0, "{dx:?} leads to {end:?}");
        }
        assert_eq!(reach(&X, &[1.0, 0.5, 0.0]), f64::INFINITY);
    }
}
