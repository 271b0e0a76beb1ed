//! Linear systems (A + R W) x = b with A and R of one small block for each contact: what Newton's method and the interior-point
//! method solve in every iteration.
//!
//! Four ways: dense LU of A + R W; sparse LU of the same; and, where W = G M⁻¹ Gᵀ + T comes from bodies, sparse LU of
//! [[M, −Gᵀ], [R G, A + R T]] or, where no T is too small, of the bodies' rows alone, neither of which forms W. The pattern is analysed
//! once for each problem.

mod bodies;

use faer::Mat;
use faer::linalg::solvers::{PartialPivLu, Solve};
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{Argsort, Pair, SparseColMat, SymbolicSparseColMat};

use crate::matrix::Sparse;
use crate::problem::Saddle;
use bodies::{Eliminated, Groups};

/// A block of one contact; in two dimensions the last row and column are not used.
pub(crate) type Block = [[f64; 3]; 3];

/// The unit block.
pub(crate) const UNIT: Block = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// The matrix W of a problem, in the form it has.
#[derive(Clone, Copy)]
pub(crate) enum Compliance<'a> {
    /// W itself.
    Matrix(&'a Sparse),
    /// W = G M⁻¹ Gᵀ + T.
    Bodies(&'a Saddle),
}

/// Where rows belong: equalities first, then contacts.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub equalities: usize,
    pub dimension: usize,
    pub contacts: usize,
}

impl Shape {
    pub fn rows(&self) -> usize {
        self.equalities + self.dimension * self.contacts
    }

    /// The first row and the number of rows of every equality and every contact.
    pub fn groups(self) -> impl Iterator<Item = (usize, usize)> {
        let contacts =
            (0..self.contacts).map(move |contact| (self.equalities + contact * self.dimension, self.dimension));
        (0..self.equalities).map(|row| (row, 1)).chain(contacts)
    }
}

/// The system: analysed once, factored for each A and R, solved for each b.
pub(crate) struct Pencil {
    shape: Shape,
    /// Coordinates of the bodies before the rows of the problem.
    bodies: usize,
    way: Way,
}

enum Way {
    Dense { factors: Option<PartialPivLu<f64>> },
    Sparse { pattern: Box<Pattern>, factors: Option<Box<Lu<usize, f64>>> },
    Bodies { groups: Groups, eliminated: Eliminated, pattern: Box<Pattern>, factors: Option<Box<Lu<usize, f64>>> },
}

/// The places of the entries, in the order in which they are put, and what follows from them alone.
struct Pattern {
    columns: SymbolicSparseColMat<usize>,
    order: Argsort<usize>,
    symbolic: SymbolicLu<usize>,
    values: Vec<f64>,
}

impl Pattern {
    fn new(size: usize, places: &[Pair<usize, usize>]) -> Option<Box<Pattern>> {
        let (columns, order) = SymbolicSparseColMat::try_new_from_indices(size, size, places).ok()?;
        let symbolic = SymbolicLu::try_new(columns.as_ref()).ok()?;
        Some(Box::new(Pattern { columns, order, symbolic, values: Vec::with_capacity(places.len()) }))
    }

    /// Factors the matrix with these values; `None` where it is singular.
    fn factor(&self) -> Option<Box<Lu<usize, f64>>> {
        let matrix = SparseColMat::new_from_argsort(self.columns.clone(), &self.order, &self.values).ok()?;
        Lu::try_new_with_symbolic(self.symbolic.clone(), matrix.as_ref()).ok().map(Box::new)
    }
}

/// Up to this many rows a dense matrix is faster, whatever its pattern: at 60 rows of the wall both take 0.1 ms.
const DENSE_ROWS: usize = 60;

impl Pencil {
    /// The system for a matrix; `None` where the pattern cannot be analysed (too large for memory).
    pub fn new(compliance: Compliance, shape: Shape) -> Option<Pencil> {
        let rows = shape.rows();
        let dense = Pencil { shape, bodies: 0, way: Way::Dense { factors: None } };
        let bodies = match compliance {
            Compliance::Matrix(w) => {
                // A quarter full, the factors of a sparse matrix are dense ones with indices.
                if rows <= DENSE_ROWS || 4 * w.entries() >= rows * rows {
                    return Some(dense);
                }
                0
            }
            Compliance::Bodies(saddle) => saddle.mass.size(),
        };
        let mut places = Vec::new();
        let unit = Blocks { equality: 1.0, contacts: &vec![UNIT; shape.contacts] };
        if let Compliance::Bodies(saddle) = compliance
            && (0..rows).all(|row| saddle.t[row] >= bodies::LEAST_T * saddle.diagonal(row))
        {
            let (groups, mut eliminated) = (Groups::new(saddle, shape), Eliminated::default());
            eliminated.read(saddle, shape, unit, unit);
            eliminated.entries(saddle, &groups, |row, column, _| places.push(Pair::new(row, column)));
            let pattern = Pattern::new(bodies, &places)?;
            return Some(Pencil { shape, bodies, way: Way::Bodies { groups, eliminated, pattern, factors: None } });
        }
        entries(compliance, shape, bodies, unit, unit, |row, column, _| places.push(Pair::new(row, column)));
        let pattern = Pattern::new(bodies + rows, &places)?;
        Some(Pencil { shape, bodies, way: Way::Sparse { pattern, factors: None } })
    }

    /// Factors A + R W; false where it is singular.
    pub fn factor(&mut self, compliance: Compliance, a: Blocks, r: Blocks) -> bool {
        let (shape, bodies) = (self.shape, self.bodies);
        match &mut self.way {
            Way::Dense { factors } => {
                let mut matrix = Mat::<f64>::zeros(shape.rows(), shape.rows());
                let mut add = |row, column, value: f64| matrix[(row, column)] += value;
                match compliance {
                    Compliance::Matrix(_) => entries(compliance, shape, 0, a, r, &mut add),
                    Compliance::Bodies(_) => unreachable!("bodies are factored sparsely"),
                }
                *factors = Some(matrix.partial_piv_lu());
                true
            }
            Way::Sparse { pattern, factors } => {
                pattern.values.clear();
                entries(compliance, shape, bodies, a, r, |_, _, value| pattern.values.push(value));
                *factors = pattern.factor();
                factors.is_some()
            }
            Way::Bodies { groups, eliminated, pattern, factors } => {
                let Compliance::Bodies(saddle) = compliance else { return false };
                if !eliminated.read(saddle, shape, a, r) {
                    return false;
                }
                pattern.values.clear();
                eliminated.entries(saddle, groups, |_, _, value| pattern.values.push(value));
                *factors = pattern.factor();
                factors.is_some()
            }
        }
    }

    /// Solves with the last factors: `x` is b in and the answer out; false where the answer is not finite.
    pub fn solve(&self, compliance: Compliance, x: &mut [f64]) -> bool {
        let solved = match &self.way {
            Way::Dense { factors: Some(factors) } => {
                in_columns(0, x, |right| factors.solve_in_place(right));
                true
            }
            Way::Sparse { factors: Some(factors), .. } => {
                in_columns(self.bodies, x, |right| factors.solve_in_place(right));
                true
            }
            Way::Bodies { factors: Some(factors), eliminated, .. } => {
                let Compliance::Bodies(saddle) = compliance else { return false };
                let mut dv = vec![0.0; self.bodies];
                eliminated.reduce(self.shape, saddle, x, &mut dv);
                in_columns(0, &mut dv, |right| factors.solve_in_place(right));
                eliminated.expand(self.shape, saddle, &dv, x);
                true
            }
            _ => false,
        };
        solved && x.iter().all(|value| value.is_finite())
    }
}

/// Calls `solve` with a column that holds zeros and then `x`, which receives what is there afterwards.
fn in_columns(zeros: usize, x: &mut [f64], solve: impl FnOnce(&mut Mat<f64>)) {
    let mut column = Mat::<f64>::zeros(zeros + x.len(), 1);
    for (row, value) in x.iter().enumerate() {
        column[(zeros + row, 0)] = *value;
    }
    solve(&mut column);
    for (row, value) in x.iter_mut().enumerate() {
        *value = column[(zeros + row, 0)];
    }
}

/// A matrix with one number for all equality rows and a block for each contact.
#[derive(Clone, Copy)]
pub(crate) struct Blocks<'a> {
    pub equality: f64,
    pub contacts: &'a [Block],
}

impl Blocks<'_> {
    /// The entries of a row with the rows of its own contact or equality.
    fn row(&self, shape: Shape, row: usize) -> &[f64] {
        if row < shape.equalities {
            return std::slice::from_ref(&self.equality);
        }
        let (contact, k) = ((row - shape.equalities) / shape.dimension, (row - shape.equalities) % shape.dimension);
        &self.contacts[contact][k][..shape.dimension]
    }
}

/// Calls `put` with every entry of A + R W, or of [[M, −Gᵀ], [R G, A + R T]], always in the same order; entries at the same place
/// are meant to be added.
fn entries(
    compliance: Compliance,
    shape: Shape,
    bodies: usize,
    a: Blocks,
    r: Blocks,
    mut put: impl FnMut(usize, usize, f64),
) {
    if let Compliance::Bodies(saddle) = compliance {
        for body in 0..saddle.mass.count() {
            let range = saddle.mass.range(body);
            for (k, value) in saddle.mass.block(body).iter().enumerate() {
                put(range.start + k / range.len(), range.start + k % range.len(), *value);
            }
        }
        for row in 0..shape.rows() {
            for (column, value) in saddle.jacobian.row(row) {
                put(column, bodies + row, -value);
            }
        }
    }
    for (first, count) in shape.groups() {
        for (row, inner) in (0..count * count).map(|k| (first + k / count, first + k % count)) {
            let (own, factors, k) = (a.row(shape, row), r.row(shape, row), inner - first);
            put(bodies + row, bodies + inner, own[k]);
            match compliance {
                Compliance::Matrix(w) => {
                    w.row(inner).for_each(|(column, value)| put(row, column, factors[k] * value))
                }
                Compliance::Bodies(saddle) => {
                    put(bodies + row, bodies + inner, factors[k] * saddle.t[inner]);
                    let row = bodies + row;
                    saddle.jacobian.row(inner).for_each(|(column, value)| put(row, column, factors[k] * value));
                }
            }
        }
    }
}
