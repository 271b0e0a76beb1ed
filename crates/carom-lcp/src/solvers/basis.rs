//! Bases of the system w − M z = q: their columns, and their values solved afresh from the data.

use super::lu::{Lu, Sum};
use crate::problem::Lcp;

/// A variable of a basis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// w_i.
    W(usize),
    /// z_i.
    Z(usize),
    /// One that a method adds: the column of row i of the identity in a simplex, the covering vector in Lemke's method.
    Added(usize),
}

impl Variable {
    /// The variable of which the product with this one is 0 at a solution.
    pub fn complement(self) -> Variable {
        match self {
            Variable::W(i) => Variable::Z(i),
            Variable::Z(i) => Variable::W(i),
            added => added,
        }
    }

    /// One entry of its column in the system w − M z = q.
    pub fn entry(self, problem: &Lcp, row: usize) -> f64 {
        match self {
            Variable::W(i) | Variable::Added(i) => f64::from(u8::from(i == row)),
            Variable::Z(i) => -problem.m[(row, i)],
        }
    }
}

/// Solves for the values of a basis, accurate to rounding.
#[derive(Clone, Debug, Default)]
pub(crate) struct Basis {
    lu: Lu,
    values: Vec<f64>,
    step: Vec<f64>,
}

impl Basis {
    /// The values z of a basis, negative ones too; `None` if its columns depend on each other. Added variables stand for rows of the
    /// identity.
    pub fn values(&mut self, problem: &Lcp, basis: &[Variable], z: &mut [f64]) -> Option<()> {
        let n = basis.len();
        let factors = self.lu.begin(n);
        for i in 0..n {
            for (k, variable) in basis.iter().enumerate() {
                factors[i * n + k] = variable.entry(problem, i);
            }
        }
        self.lu.factor().ok()?;
        self.values.clear();
        self.values.resize(n, 0.0);
        // The first pass is the solution, the others refine it with twice the digits in the residual.
        for _ in 0..3 {
            self.step.clear();
            for i in 0..n {
                let mut sum = Sum::of(problem.q[i]);
                for (variable, value) in basis.iter().zip(&self.values) {
                    sum.add(-variable.entry(problem, i), *value);
                }
                self.step.push(sum.value());
            }
            self.lu.solve(&mut self.step);
            self.values.iter_mut().zip(&self.step).for_each(|(value, step)| *value += step);
        }
        z.fill(0.0);
        for (variable, &value) in basis.iter().zip(&self.values) {
            if let Variable::Z(i) = variable {
                z[*i] = value;
            }
        }
        Some(())
    }
}
