//! An oracle for convex problems: an interior-point solver that shares nothing with the crate.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus,
};

/// A cone of vectors.
#[derive(Clone, Copy)]
pub enum Cone {
    /// No entry is negative.
    Nonnegative,
    /// The first entry is at least the length of the others.
    SecondOrder,
}

/// What an affine map of the unknowns has to be in: `rows x + offset` in the cone.
pub struct Constraint {
    /// The linear part.
    pub rows: Vec<Vec<f64>>,
    /// The constant part.
    pub offset: Vec<f64>,
    /// The cone.
    pub cone: Cone,
}

/// l ≤ x ≤ u, infinite bounds left out.
pub fn between(lower: &[f64], upper: &[f64]) -> Constraint {
    let n = lower.len();
    let (mut rows, mut offset) = (Vec::new(), Vec::new());
    for (bounds, sign) in [(lower, 1.0), (upper, -1.0)] {
        for i in (0..n).filter(|&i| bounds[i].is_finite()) {
            rows.push((0..n).map(|j| if i == j { sign } else { 0.0 }).collect());
            offset.push(-sign * bounds[i]);
        }
    }
    Constraint { rows, offset, cone: Cone::Nonnegative }
}

/// ‖x_t‖ ≤ μ x_n of a contact whose `dimension` rows begin at `first`, the normal first.
pub fn friction_cone(first: usize, dimension: usize, mu: f64, n: usize) -> Constraint {
    let row = |k: usize| (0..n).map(|j| if j == first + k { if k == 0 { mu } else { 1.0 } } else { 0.0 }).collect();
    Constraint { rows: (0..dimension).map(row).collect(), offset: vec![0.0; dimension], cone: Cone::SecondOrder }
}

/// The tolerances asked of the oracle, the first it reaches: rounding of second-order cones may keep it from the least.
const TOLERANCES: [f64; 3] = [1e-13, 1e-12, 1e-11];

/// How far a step goes to the boundary, with each tolerance: short steps stay near the middle of second-order cones, for more digits.
const FRACTIONS: [f64; 3] = [0.9, 0.8, 0.7];

/// The x that makes ½ xᵀP x + qᵀx least under the constraints, P symmetric and not negative; good to about 1e-7.
pub fn quadratic_cone_program(p: &[Vec<f64>], q: &[f64], constraints: &[Constraint]) -> Vec<f64> {
    try_quadratic_cone_program(p, q, constraints).expect("solved by the oracle")
}

/// The same; `None` where the oracle does not say that it is solved.
pub fn try_quadratic_cone_program(p: &[Vec<f64>], q: &[f64], constraints: &[Constraint]) -> Option<Vec<f64>> {
    let n = q.len();
    let (mut rows, mut offset, mut cones) = (Vec::new(), Vec::new(), Vec::new());
    for constraint in constraints {
        rows.extend(constraint.rows.iter());
        offset.extend_from_slice(&constraint.offset);
        cones.push(match constraint.cone {
            Cone::Nonnegative => NonnegativeConeT(constraint.offset.len()),
            Cone::SecondOrder => SecondOrderConeT(constraint.offset.len()),
        });
    }
    // The oracle's form is s = b − A x in the cones, P by its upper triangle.
    let a = sparse(rows.len(), n, |i, j| -rows[i][j]);
    let p = sparse(n, n, |i, j| if i <= j { p[i][j] } else { 0.0 });
    let solve = |(tolerance, fraction): (f64, f64)| {
        let settings = DefaultSettings {
            verbose: false,
            // The gap bounds the objective, whose square root the unknowns follow where a constraint is just met.
            tol_gap_abs: tolerance,
            tol_gap_rel: tolerance,
            tol_feas: tolerance,
            max_step_fraction: fraction,
            // Its factors are of a matrix that is moved by this much; refinement takes the move back.
            static_regularization_enable: true,
            static_regularization_constant: 1e-10,
            dynamic_regularization_enable: true,
            iterative_refinement_enable: true,
            iterative_refinement_reltol: 1e-16,
            iterative_refinement_abstol: 1e-16,
            ..DefaultSettings::default()
        };
        let mut solver =
            DefaultSolver::new(&p, q, &a, &offset, &cones, settings).expect("a problem for the oracle");
        solver.solve();
        (solver.solution.status == SolverStatus::Solved).then_some(solver.solution.x)
    };
    TOLERANCES.iter().flat_map(|&tolerance| FRACTIONS.map(|fraction| (tolerance, fraction))).find_map(solve)
}

fn sparse(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> CscMatrix<f64> {
    let (mut i, mut j, mut v) = (Vec::new(), Vec::new(), Vec::new());
    for column in 0..columns {
        for row in 0..rows {
            if entry(row, column) != 0.0 {
                i.push(row);
                j.push(column);
                v.push(entry(row, column));
            }
        }
    }
    CscMatrix::new_from_triplets(rows, columns, i, j, v)
}
