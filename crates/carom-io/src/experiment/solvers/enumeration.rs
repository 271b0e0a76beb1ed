//! All solutions of one contact in the plane: its states open, stick and slide to either side, one after the other.

use super::problem::Problem;

// Notation
//   α, β, τ  W = [[α, β], [β, τ]]
//   ν, t     the impulses, normal and tangent
//   u_n, u_t the slacks, W (ν, t) + q

/// The solutions with clear signs: on the border between two states each of them gives the same one.
pub fn solutions(problem: &Problem) -> Vec<Vec<f64>> {
    let (alpha, beta, tau) = (problem.entry(0, 0), problem.entry(0, 1), problem.entry(1, 1));
    let mu = problem.mu()[0];
    let q = problem.slacks(&[0.0; 2]);
    let mut found = Vec::new();
    if q[0] >= 0.0 {
        found.push(vec![0.0, 0.0]);
    }
    let determinant = alpha * tau - beta * beta;
    let stick = [(beta * q[1] - tau * q[0]) / determinant, (beta * q[0] - alpha * q[1]) / determinant];
    if stick[0] > 0.0 && stick[1].abs() <= mu * stick[0] {
        found.push(stick.to_vec());
    }
    // t = ∓μν, against the slip: u_n = (α ∓ μβ) ν + q_n = 0 [lacoursiere-linde-2011 (88)].
    for side in [1.0, -1.0] {
        let nu = -q[0] / (alpha - side * mu * beta);
        let tangent = -side * mu * nu;
        let slip = beta * nu + tau * tangent + q[1];
        if nu > 0.0 && side * slip > 0.0 {
            found.push(vec![nu, tangent]);
        }
    }
    found
}
