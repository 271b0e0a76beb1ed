//! What a sweep needs of a problem, whatever kind it is: rows, bounds, and slacks that follow each change of an impulse.

use crate::cone::norm;
use crate::matrix::Sparse;
use crate::problem::friction::Rows;
use crate::problem::{Friction, GlobalFriction, Law, Mlcp, Saddle, SaddleMlcp, bounded};
use crate::residual::{Judged, Residual, step_length};

/// How slacks come from impulses.
#[derive(Clone, Copy)]
pub enum Form<'a> {
    /// w = G v + T z + q with the velocities of bodies, v = M⁻¹(Gᵀz − p) [lacoursiere-linde-2011 (108)].
    Bodies(&'a Saddle),
    /// w = H z + q.
    Matrix(&'a Sparse, &'a [f64]),
}

/// The rows: single ones first, with bounds or none, then contacts.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// The number of single rows.
    pub singles: usize,
    /// Their bounds; `None` where they are equalities.
    pub bounds: Option<(&'a [f64], &'a [f64])>,
    /// Rows of one contact.
    pub dimension: usize,
    /// μ of each contact.
    pub mu: &'a [f64],
    /// The law of friction.
    pub law: Law,
    /// ρ of the natural map where the problem keeps it.
    pub rho: &'a [f64],
}

/// A problem that can be swept: row after row, the others held.
pub trait Swept: Judged {
    /// How slacks come from impulses.
    fn form(&self) -> Form<'_>;
    /// The rows.
    fn shape(&self) -> Shape<'_>;
}

impl Swept for GlobalFriction {
    fn form(&self) -> Form<'_> {
        Form::Bodies(&self.saddle)
    }
    fn shape(&self) -> Shape<'_> {
        Shape {
            singles: self.equalities,
            bounds: None,
            dimension: self.dimension,
            mu: &self.mu,
            law: self.law,
            rho: self.rho(),
        }
    }
}

impl Swept for Friction {
    fn form(&self) -> Form<'_> {
        Form::Matrix(&self.w, &self.q)
    }
    fn shape(&self) -> Shape<'_> {
        Shape {
            singles: self.equalities,
            bounds: None,
            dimension: self.dimension,
            mu: &self.mu,
            law: self.law,
            rho: self.rho(),
        }
    }
}

impl Swept for Mlcp {
    fn form(&self) -> Form<'_> {
        Form::Matrix(&self.h, &self.q)
    }
    fn shape(&self) -> Shape<'_> {
        bounded_shape(&self.lower, &self.upper)
    }
}

impl Swept for SaddleMlcp {
    fn form(&self) -> Form<'_> {
        Form::Bodies(&self.saddle)
    }
    fn shape(&self) -> Shape<'_> {
        bounded_shape(&self.lower, &self.upper)
    }
}

fn bounded_shape<'a>(lower: &'a [f64], upper: &'a [f64]) -> Shape<'a> {
    Shape { singles: lower.len(), bounds: Some((lower, upper)), dimension: 3, mu: &[], law: Law::Cone, rho: &[] }
}

/// What is computed once for a problem and what follows the impulses; kept from solve to solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// Diagonal entries of the single rows, then the diagonal blocks of the contacts.
    pub diagonal: Vec<f64>,
    /// v of the bodies for the present impulses.
    velocity: Vec<f64>,
    momentum: Vec<f64>,
    /// M⁻¹Gᵀ by its columns: where each begins, which velocity, how much.
    starts: Vec<usize>,
    places: Vec<usize>,
    changes: Vec<f64>,
    slacks: Vec<f64>,
    map: Vec<f64>,
    zero: Vec<f64>,
}

impl Workspace {
    /// Reads the problem: diagonal blocks and, for bodies, M⁻¹Gᵀ.
    pub fn read(&mut self, form: Form<'_>, shape: &Shape<'_>) {
        let entry = |i: usize, j: usize| match form {
            Form::Bodies(saddle) => saddle.delassus(i, j),
            Form::Matrix(matrix, _) => matrix.get(i, j),
        };
        let d = shape.dimension;
        let rows = shape.singles + d * shape.mu.len();
        self.diagonal.clear();
        self.diagonal.extend((0..shape.singles).map(|i| entry(i, i)));
        for first in (shape.singles..rows).step_by(d) {
            self.diagonal.extend((0..d * d).map(|k| entry(first + k / d, first + k % d)));
        }
        for buffer in [&mut self.slacks, &mut self.map, &mut self.zero] {
            buffer.clear();
            buffer.resize(rows, 0.0);
        }
        self.starts.clear();
        self.places.clear();
        self.changes.clear();
        let Form::Bodies(saddle) = form else { return };
        for buffer in [&mut self.velocity, &mut self.momentum] {
            buffer.clear();
            buffer.resize(saddle.p.len(), 0.0);
        }
        let inverse = saddle.inverse_mass();
        self.starts.push(0);
        for row in 0..rows {
            let (columns, values) = saddle.jacobian.row_parts(row);
            let mut k = 0;
            while k < columns.len() {
                let body = inverse.block_of(columns[k]);
                let range = inverse.range(body);
                let n = range.len();
                let from = self.changes.len();
                self.places.extend(range.clone());
                self.changes.resize(from + n, 0.0);
                while k < columns.len() && columns[k] < range.end {
                    for i in 0..n {
                        let mobility = inverse.block(body)[i * n + columns[k] - range.start];
                        self.changes[from + i] += mobility * values[k];
                    }
                    k += 1;
                }
            }
            self.starts.push(self.places.len());
        }
    }

    /// The velocities of the impulses z, from scratch: line 2 of Algorithm 21.1.
    ///
    /// Differs from the paper: v = M⁻¹(Gᵀz − p), where it prints v = p.
    pub fn start(&mut self, form: Form<'_>, z: &[f64]) {
        start(form, z, &mut self.momentum, &mut self.velocity);
    }

    /// The slack of a row.
    pub fn slack(&self, form: Form<'_>, z: &[f64], row: usize) -> f64 {
        slack_of(form, &self.velocity, z, row)
    }

    /// What follows from adding `change` to the impulse of a row [lacoursiere-linde-2011 (112)].
    pub fn follow(&mut self, form: Form<'_>, row: usize, change: f64) {
        if let Form::Bodies(_) = form {
            let range = self.starts[row]..self.starts[row + 1];
            for (&place, &factor) in self.places[range.clone()].iter().zip(&self.changes[range]) {
                self.velocity[place] += factor * change;
            }
        }
    }

    /// ‖F(z)‖ of the problem's natural map, with slacks from scratch; of no impulse where there is no `z`.
    fn map_norm(&mut self, form: Form<'_>, shape: &Shape<'_>, z: Option<&[f64]>) -> f64 {
        let Self { diagonal, velocity, momentum, slacks, map, zero, .. } = self;
        let z = z.unwrap_or(zero);
        start(form, z, momentum, velocity);
        for (row, slack) in slacks.iter_mut().enumerate() {
            *slack = slack_of(form, velocity, z, row);
        }
        match shape.bounds {
            Some((lower, upper)) => {
                for i in 0..z.len() {
                    let rho = step_length(diagonal[i]);
                    map[i] = bounded::bounded(z[i], slacks[i], rho, lower[i], upper[i]);
                }
            }
            None => {
                let rows =
                    Rows { dimension: shape.dimension, equalities: shape.singles, mu: shape.mu, law: shape.law };
                rows.map(shape.rho, z, slacks, map);
            }
        }
        norm(map)
    }

    /// ‖F(0)‖. The velocities are then those of no impulse.
    pub fn at_zero(&mut self, form: Form<'_>, shape: &Shape<'_>) -> f64 {
        self.map_norm(form, shape, None)
    }

    /// What [`Judged::residual`] says of z, without allocation. The velocities are then those of z, from scratch.
    pub fn residual(&mut self, form: Form<'_>, shape: &Shape<'_>, z: &[f64], at_zero: f64) -> Residual {
        let absolute = self.map_norm(form, shape, Some(z));
        Residual::from_norms(if absolute.is_finite() { absolute } else { f64::INFINITY }, at_zero)
    }
}

/// The velocities of the impulses `z`.
fn start(form: Form<'_>, z: &[f64], momentum: &mut [f64], velocity: &mut [f64]) {
    let Form::Bodies(saddle) = form else { return };
    for (momentum, p) in momentum.iter_mut().zip(&saddle.p) {
        *momentum = -p;
    }
    saddle.jacobian.add_transposed_times(z, momentum);
    saddle.inverse_mass().times(momentum, velocity);
}

/// The slack of a row, with the velocities of `z`.
fn slack_of(form: Form<'_>, velocity: &[f64], z: &[f64], row: usize) -> f64 {
    match form {
        Form::Bodies(saddle) => saddle.jacobian.row_times(row, velocity) + saddle.t[row] * z[row] + saddle.q[row],
        Form::Matrix(matrix, q) => matrix.row_times(row, z) + q[row],
    }
}
