//! The direct part of a splitting.

use std::time::Instant;

use crate::matrix::Sparse;
use crate::outcome::{Limits, Solver};
use crate::problem::{Mlcp, Saddle, SaddleMlcp};
use crate::solvers::block_pivot::BlockPivot;
use crate::solvers::pgs::{Form, Shape};

/// The relative residual asked of a direct solve: less than it can reach, so that it ends at a feasible index set.
const TOLERANCE: f64 = 1e-15;

/// Which rows are solved directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// Single rows and normals.
    Normals,
    /// Every row.
    All,
}

/// Some rows of a problem with bounds, the impulses of the others held: by sparse factors of bodies and rows, or of the matrix where
/// the problem is given by that. A problem of the same pattern as the one before allocates nothing.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    rows: Vec<usize>,
    place: Vec<usize>,
    bodies: SaddleMlcp,
    matrix: Mlcp,
    impulses: Vec<f64>,
    pivot: BlockPivot,
    /// The time at which a solve gives up.
    pub deadline: Option<Instant>,
}

impl Default for Direct {
    fn default() -> Direct {
        Direct {
            rows: Vec::new(),
            place: Vec::new(),
            bodies: SaddleMlcp { saddle: Saddle::default(), lower: Vec::new(), upper: Vec::new() },
            matrix: Mlcp { h: Sparse::default(), q: Vec::new(), lower: Vec::new(), upper: Vec::new() },
            impulses: Vec::new(),
            pivot: BlockPivot::default(),
            deadline: None,
        }
    }
}

impl Direct {
    /// Reads a problem: equalities free, single rows with their bounds, normals from 0 up, tangents at 0 until [`Direct::bound`] says
    /// otherwise.
    pub fn read(&mut self, form: Form<'_>, shape: &Shape<'_>, kept: Kept) {
        let count = shape.singles + shape.dimension * shape.mu.len();
        let normal = |row: usize| (row - shape.singles).is_multiple_of(shape.dimension);
        self.rows.clear();
        self.rows.extend((0..count).filter(|&row| kept == Kept::All || row < shape.singles || normal(row)));
        self.place.clear();
        self.place.resize(count, usize::MAX);
        for (k, &row) in self.rows.iter().enumerate() {
            self.place[row] = k;
        }
        let (lower, upper) = match form {
            Form::Bodies(saddle) => {
                self.bodies.saddle.take_rows(saddle, &self.rows);
                (&mut self.bodies.lower, &mut self.bodies.upper)
            }
            Form::Matrix(matrix, _) => {
                self.matrix.h.take_principal(matrix, &self.rows, &self.place);
                self.matrix.q.clear();
                self.matrix.q.resize(self.rows.len(), 0.0);
                (&mut self.matrix.lower, &mut self.matrix.upper)
            }
        };
        lower.clear();
        upper.clear();
        for &row in &self.rows {
            let (l, u) = match shape.bounds {
                Some((lower, upper)) if row < shape.singles => (lower[row], upper[row]),
                None if row < shape.singles => (f64::NEG_INFINITY, f64::INFINITY),
                _ if normal(row) => (0.0, f64::INFINITY),
                _ => (0.0, 0.0),
            };
            lower.push(l);
            upper.push(u);
        }
    }

    /// Keeps a row between ∓reach.
    pub fn bound(&mut self, form: Form<'_>, row: usize, reach: f64) {
        let k = self.place[row];
        let (lower, upper) = match form {
            Form::Bodies(_) => (&mut self.bodies.lower, &mut self.bodies.upper),
            Form::Matrix(..) => (&mut self.matrix.lower, &mut self.matrix.upper),
        };
        (lower[k], upper[k]) = (-reach, reach);
    }

    /// Solves for the rows kept, from `z`, with the others held, as well as it goes; says the number of factorizations. The form is
    /// that of the problem that was read.
    pub fn solve(&mut self, form: Form<'_>, z: &mut [f64], most: Option<usize>) -> usize {
        self.impulses.clear();
        for &row in &self.rows {
            self.impulses.push(std::mem::take(&mut z[row]));
        }
        let limits = Limits { tolerance: TOLERANCE, iterations: most, deadline: self.deadline };
        let outcome = match form {
            Form::Bodies(saddle) => {
                // M v − Gᵀz + p = 0: what is held goes into p.
                let p = &mut self.bodies.saddle.p;
                p.copy_from_slice(&saddle.p);
                for (row, &impulse) in z.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
                    saddle.jacobian.row(row).for_each(|(column, value)| p[column] -= value * impulse);
                }
                self.pivot.solve(&self.bodies, &mut self.impulses, &limits)
            }
            Form::Matrix(matrix, q) => {
                for (k, &row) in self.rows.iter().enumerate() {
                    self.matrix.q[k] = q[row] + matrix.row_times(row, z);
                }
                self.pivot.solve(&self.matrix, &mut self.impulses, &limits)
            }
        };
        for (&row, &impulse) in self.rows.iter().zip(&self.impulses) {
            z[row] = impulse;
        }
        match outcome {
            Ok(solved) => solved.iterations,
            Err(unsolved) => unsolved.iterations,
        }
    }
}
