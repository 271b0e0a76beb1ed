//! Linear systems (A + R W) x = b with A and R of one small block for each contact: what Newton's method and the interior-point
//! method solve in every iteration.
//!
//! Four ways: dense LU of A + R W; sparse LU of the same; and, where W = G M⁻¹ Gᵀ + T comes from bodies, sparse LU of
//! [[M, −Gᵀ], [R G, A + R T]] or, where no T is too small, of the bodies' rows alone, neither of which forms W. The pattern is analysed
//! once and again where it changes.

mod bodies;
mod factors;

use crate::matrix::Sparse;
use crate::problem::Saddle;
use bodies::{Eliminated, Groups};
use factors::{DenseLu, SparseLu};

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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

/// The system: analysed once for each pattern, factored for each A and R, solved for each b. A problem of the same pattern as the last
/// one is renewed, factored and solved without allocation where the matrix is dense or has few bodies: see [`LEAN_ROWS`].
#[derive(Default)]
pub(crate) struct Pencil {
    shape: Shape,
    /// Coordinates of the bodies before the rows of the problem.
    bodies: usize,
    way: Way,
    /// Where the entries of a sparse matrix are, in the order in which they come, and the same of the problem to be renewed for.
    places: Vec<(usize, usize)>,
    renewed: Vec<(usize, usize)>,
    unit: Vec<Block>,
    groups: Groups,
    eliminated: Eliminated,
    /// Right-hand sides with a row for each coordinate, and for each row where the matrix has them.
    right: Vec<f64>,
}

#[derive(Default)]
enum Way {
    /// Nothing was analysed yet, or it could not be.
    #[default]
    None,
    Dense(DenseLu),
    Sparse(Box<SparseLu>),
    Bodies(Box<SparseLu>),
}

/// Up to this many rows a dense matrix is faster, whatever its pattern: at 60 rows of the wall both take 0.1 ms.
const DENSE_ROWS: usize = 60;

/// Coordinates of bodies up to which factors entry by entry are taken: at 600 of a wall of 100 bricks they are as fast as those by blocks, at
/// 1200 they take three times as long.
const LEAN_ROWS: usize = 800;

impl Pencil {
    /// Takes the form of a problem's matrix; false where the pattern cannot be analysed (too large for memory).
    pub fn renew(&mut self, compliance: Compliance, shape: Shape) -> bool {
        let rows = shape.rows();
        let old = (self.shape, self.bodies);
        self.shape = shape;
        self.unit.clear();
        self.unit.resize(shape.contacts, UNIT);
        self.renewed.clear();
        let unit = Blocks { equality: 1.0, contacts: &self.unit };
        let renewed = &mut self.renewed;
        let eliminates = match compliance {
            // A quarter full, the factors of a sparse matrix are dense ones with indices.
            Compliance::Matrix(w) if rows <= DENSE_ROWS || 4 * w.entries() >= rows * rows => {
                self.bodies = 0;
                if !(matches!(self.way, Way::Dense(_)) && old.0 == shape) {
                    self.way = Way::Dense(DenseLu::new(rows));
                }
                return true;
            }
            Compliance::Matrix(_) => {
                self.bodies = 0;
                false
            }
            Compliance::Bodies(saddle) => {
                self.bodies = saddle.mass.size();
                (0..rows).all(|row| saddle.t[row] >= bodies::LEAST_T * saddle.diagonal(row))
            }
        };
        if let (Compliance::Bodies(saddle), true) = (compliance, eliminates) {
            self.groups.read(saddle, shape);
            self.eliminated.read(saddle, shape, unit, unit);
            self.eliminated.entries(saddle, &self.groups, |row, column, _| renewed.push((row, column)));
        } else {
            entries(compliance, shape, self.bodies, unit, unit, |row, column, _| renewed.push((row, column)));
        }
        let same_way = matches!((&self.way, eliminates), (Way::Sparse(_), false) | (Way::Bodies(_), true));
        if same_way && old == (self.shape, self.bodies) && self.places == self.renewed {
            return true;
        }
        std::mem::swap(&mut self.places, &mut self.renewed);
        let size = if eliminates { self.bodies } else { self.bodies + rows };
        let lean = eliminates && size <= LEAN_ROWS;
        self.way = match (SparseLu::new(size, &self.places, lean).map(Box::new), eliminates) {
            (None, _) => Way::None,
            (Some(factors), true) => Way::Bodies(factors),
            (Some(factors), false) => Way::Sparse(factors),
        };
        !matches!(self.way, Way::None)
    }

    /// Factors A + R W; false where it is singular.
    pub fn factor(&mut self, compliance: Compliance, a: Blocks, r: Blocks) -> bool {
        let (shape, bodies) = (self.shape, self.bodies);
        match (&mut self.way, compliance) {
            (Way::Dense(factors), Compliance::Matrix(_)) => {
                let (rows, values) = (shape.rows(), factors.begin());
                entries(compliance, shape, 0, a, r, |row, column, value| values[column * rows + row] += value);
                factors.factor();
                true
            }
            (Way::Sparse(factors), _) => {
                factors.factor(|put| entries(compliance, shape, bodies, a, r, |_, _, value| put(value)))
            }
            (Way::Bodies(factors), Compliance::Bodies(saddle)) => {
                let (groups, eliminated) = (&self.groups, &mut self.eliminated);
                eliminated.read(saddle, shape, a, r)
                    && factors.factor(|put| eliminated.entries(saddle, groups, |_, _, value| put(value)))
            }
            _ => false,
        }
    }

    /// Solves with the last factors, after [`Pencil::factor`] said that there are some: `x` is b in and the answer out; false where the
    /// answer is not finite.
    pub fn solve(&mut self, compliance: Compliance, x: &mut [f64]) -> bool {
        self.right.clear();
        match (&mut self.way, compliance) {
            (Way::Dense(factors), _) => factors.solve(x),
            (Way::Sparse(factors), _) => {
                self.right.resize(self.bodies, 0.0);
                self.right.extend_from_slice(x);
                factors.solve(&mut self.right);
                x.copy_from_slice(&self.right[self.bodies..]);
            }
            (Way::Bodies(factors), Compliance::Bodies(saddle)) => {
                self.right.resize(self.bodies, 0.0);
                self.eliminated.reduce(self.shape, saddle, x, &mut self.right);
                factors.solve(&mut self.right);
                self.eliminated.expand(self.shape, saddle, &self.right, x);
            }
            _ => return false,
        }
        x.iter().all(|value| value.is_finite())
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
pub(crate) fn entries(
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
            put(bodies + row, bodies + inner, a.row(shape, row)[inner - first]);
            if let Compliance::Bodies(saddle) = compliance {
                let factor = r.row(shape, row)[inner - first];
                put(bodies + row, bodies + inner, factor * saddle.t[inner]);
                saddle.jacobian.row(inner).for_each(|(column, value)| put(bodies + row, column, factor * value));
            }
        }
        if let Compliance::Matrix(w) = compliance {
            combined_rows(w, shape, (first, count), r, &mut put);
        }
    }
}

/// The rows R W of one equality or contact. Where the rows of W have entries at the same places, as those of a contact commonly have, each
/// place comes once.
fn combined_rows(
    w: &Sparse,
    shape: Shape,
    rows: (usize, usize),
    r: Blocks,
    put: &mut impl FnMut(usize, usize, f64),
) {
    let (first, count) = rows;
    let columns = w.row_parts(first).0;
    let alike = (1..count).all(|k| w.row_parts(first + k).0 == columns);
    for row in first..first + count {
        let factors = r.row(shape, row);
        if alike {
            let values: [&[f64]; 3] = std::array::from_fn(|k| w.row_parts(first + k.min(count - 1)).1);
            for (place, &column) in columns.iter().enumerate() {
                put(row, column, (0..count).map(|k| factors[k] * values[k][place]).sum());
            }
        } else {
            for k in 0..count {
                w.row(first + k).for_each(|(column, value)| put(row, column, factors[k] * value));
            }
        }
    }
}
