//! The natural map of a contact with a step length of its own, and its derivative.

use crate::cone::{norm, project};
use crate::problem::Law;
use crate::solvers::pencil::{Block, UNIT};

/// F of one contact and its generalised derivative dF = A dr + R du.
pub(crate) struct Linearised {
    /// F.
    pub value: [f64; 3],
    /// A.
    pub a: Block,
    /// R.
    pub r: Block,
}

/// The map and its derivative at impulse `r` and slack `u`, for rows `d` of a contact.
pub(crate) fn linearise(law: Law, d: usize, mu: f64, rho: f64, r: &[f64], u: &[f64]) -> Linearised {
    match law {
        Law::Cone => cone(d, mu, rho, r, u),
        Law::Box => boxed(d, mu, rho, r, u),
    }
}

// Notation: D the derivative of the projection on K at r − ρ ũ, S = dũ/du with ũ = u + μ‖u_t‖ e_n.
// F = r − P_K(r − ρ ũ), dF = (1 − D) dr + ρ D S du.
fn cone(d: usize, mu: f64, rho: f64, r: &[f64], u: &[f64]) -> Linearised {
    let slip = norm(&u[1..d]);
    let mut target = [0.0; 3];
    for k in 0..d {
        target[k] = r[k] - rho * u[k];
    }
    target[0] -= rho * mu * slip;
    let derivative = projection_derivative(d, mu, &target);
    project(mu, &mut target[..d]);
    let mut map = Linearised { value: [0.0; 3], a: UNIT, r: [[0.0; 3]; 3] };
    for i in 0..d {
        map.value[i] = r[i] - target[i];
        for j in 0..d {
            map.a[i][j] -= derivative[i][j];
            let shift = if j > 0 && slip > 0.0 { mu * u[j] / slip } else { 0.0 };
            map.r[i][j] = rho * (derivative[i][j] + derivative[i][0] * shift);
        }
    }
    map
}

/// The derivative of the projection on the cone; at kinks one of the generalised ones.
fn projection_derivative(d: usize, mu: f64, x: &[f64; 3]) -> Block {
    let (n, t) = (x[0], norm(&x[1..d]));
    let mut derivative = [[0.0; 3]; 3];
    if mu == 0.0 {
        // The cone is a ray: tangents stay 0 however small they are.
        derivative[0][0] = if n > 0.0 { 1.0 } else { 0.0 };
        return derivative;
    }
    if t <= mu * n {
        return UNIT;
    }
    if mu * t <= -n {
        return derivative;
    }
    let along = (n + mu * t) / (1.0 + mu * mu);
    let direction = |k: usize| if k == 0 { 0.0 } else { x[k] / t };
    let gradient = |k: usize| (if k == 0 { 1.0 } else { mu * direction(k) }) / (1.0 + mu * mu);
    for i in 0..d {
        for j in 0..d {
            derivative[i][j] = if i == 0 { gradient(j) } else { mu * direction(i) * gradient(j) };
            if i > 0 && j > 0 {
                let unit = if i == j { 1.0 } else { 0.0 };
                derivative[i][j] += mu * along / t * (unit - direction(i) * direction(j));
            }
        }
    }
    derivative
}

fn boxed(d: usize, mu: f64, rho: f64, r: &[f64], u: &[f64]) -> Linearised {
    let mut map = Linearised { value: [0.0; 3], a: [[0.0; 3]; 3], r: [[0.0; 3]; 3] };
    if r[0] - rho * u[0] > 0.0 {
        map.value[0] = rho * u[0];
        map.r[0][0] = rho;
    } else {
        map.value[0] = r[0];
        map.a[0][0] = 1.0;
    }
    let reach = mu * r[0].max(0.0);
    for k in 1..d {
        let target = r[k] - rho * u[k];
        if target.abs() <= reach && reach > 0.0 {
            map.value[k] = rho * u[k];
            map.r[k][k] = rho;
        } else {
            let side = reach.copysign(target);
            map.value[k] = r[k] - side;
            map.a[k][k] = 1.0;
            map.a[k][0] = if r[0] > 0.0 { -mu.copysign(target) } else { 0.0 };
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points of every region, away from kinks.
    const POINTS: [([f64; 3], [f64; 3]); 5] = [
        ([2.0, 0.3, -0.4], [0.1, 0.02, 0.01]),
        ([2.0, 0.9, -0.4], [0.1, -1.0, 0.7]),
        ([0.1, 0.01, 0.02], [3.0, 0.1, -0.2]),
        ([1.0, -0.2, 0.6], [-0.5, 0.4, 2.0]),
        ([0.5, 0.2, 0.1], [-0.2, 0.01, -0.03]),
    ];

    #[test]
    fn derivatives_are_those_of_the_map() {
        for law in [Law::Cone, Law::Box] {
            for (r, u) in POINTS {
                let at = |r: &[f64; 3], u: &[f64; 3]| linearise(law, 3, 0.5, 0.8, r, u);
                let middle = at(&r, &u);
                for j in 0..3 {
                    let step = 1e-6;
                    let moved = |base: &[f64; 3], by: f64| {
                        let mut point = *base;
                        point[j] += by;
                        point
                    };
                    let (more, less) = (at(&moved(&r, step), &u), at(&moved(&r, -step), &u));
                    let (faster, slower) = (at(&r, &moved(&u, step)), at(&r, &moved(&u, -step)));
                    for i in 0..3 {
                        let by_r = (more.value[i] - less.value[i]) / (2.0 * step);
                        let by_u = (faster.value[i] - slower.value[i]) / (2.0 * step);
                        assert!((by_r - middle.a[i][j]).abs() < 1e-8, "{law:?} A[{i}][{j}] at {r:?}, {u:?}");
                        assert!((by_u - middle.r[i][j]).abs() < 1e-8, "{law:?} R[{i}][{j}] at {r:?}, {u:?}");
                    }
                }
            }
        }
    }
}
