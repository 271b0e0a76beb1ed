//! The saddle-point form M v − Gᵀz + p = 0, w = G v + T z + q [lacoursiere-linde-2011 (108)].

use crate::matrix::{Blocks, Misshapen, Sparse};
use crate::problem::bounded::{expect_finite, expect_length};

/// Momentum and velocity of the bodies: the room that slacks need on the way.
#[derive(Clone, Debug, Default)]
pub struct Motion {
    momentum: Vec<f64>,
    velocity: Vec<f64>,
}

/// Which bodies of a form rows move.
#[derive(Clone, Debug, Default)]
pub struct Moved {
    rows: Vec<usize>,
    bodies: Vec<usize>,
    coordinates: Vec<usize>,
    places: Vec<usize>,
}

impl Moved {
    /// How many coordinates of a form rows have entries at.
    pub fn find(&mut self, form: &Saddle) -> usize {
        let n = form.p.len();
        self.rows.clear();
        self.rows.extend(0..form.jacobian.rows());
        self.places.clear();
        self.places.resize(n, usize::MAX);
        for &row in &self.rows {
            form.jacobian.row_parts(row).0.iter().for_each(|&column| self.places[column] = 0);
        }
        self.bodies.clear();
        self.coordinates.clear();
        for body in 0..form.mass.count() {
            let range = form.mass.range(body);
            if range.clone().any(|coordinate| self.places[coordinate] == 0) {
                self.bodies.push(body);
                for coordinate in range {
                    self.places[coordinate] = self.coordinates.len();
                    self.coordinates.push(coordinate);
                }
            }
        }
        self.coordinates.len()
    }
}

/// Bodies and rows: M v − Gᵀz + p = 0, w = G v + T z + q [lacoursiere-linde-2011 (108)].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Saddle {
    /// M, one positive definite block for each body.
    pub mass: Blocks,
    /// G, one row for each unknown impulse.
    pub jacobian: Sparse,
    /// The diagonal of T, not negative.
    pub t: Vec<f64>,
    /// p: minus the momentum that the bodies have without the impulses z.
    pub p: Vec<f64>,
    /// q.
    pub q: Vec<f64>,
    inverse_mass: Blocks,
    diagonal: Vec<f64>,
}

impl Saddle {
    /// The form, if the sizes agree, every number is finite, the masses are positive definite and T is not negative.
    pub fn new(mass: Blocks, jacobian: Sparse, t: Vec<f64>, p: Vec<f64>, q: Vec<f64>) -> Result<Saddle, Misshapen> {
        expect_length("p", p.len(), mass.size())?;
        expect_numbers(&jacobian, &t, &p, &q)?;
        let inverse_mass = mass
            .inverse()
            .map_err(|block| Misshapen(format!("the mass of body {block} is not positive definite")))?;
        let mut saddle = Saddle { mass, jacobian, t, p, q, inverse_mass, diagonal: Vec::new() };
        saddle.measure();
        Ok(saddle)
    }

    /// Takes note of other rows and other numbers in G, T, p and q, with the same masses; what is wrong with them as in
    /// [`Saddle::new`]. Allocates only where there have not been so many rows before.
    pub fn renew(&mut self) -> Result<(), Misshapen> {
        expect_numbers(&self.jacobian, &self.t, &self.p, &self.q)?;
        self.measure();
        Ok(())
    }

    fn measure(&mut self) {
        let Self { jacobian, inverse_mass, t, q, diagonal, .. } = self;
        diagonal.clear();
        diagonal.extend((0..q.len()).map(|row| add_coupling(t[row], jacobian, inverse_mass, [row, row])));
    }

    /// The form with these rows alone, in the order given.
    ///
    /// # Panics
    /// Where there is no such row.
    pub fn with_rows(&self, rows: &[usize]) -> Saddle {
        let mut part = Saddle::default();
        part.take_rows(self, rows);
        part
    }

    /// Becomes [`Saddle::with_rows`] of another form; allocates only where it has not had that size before.
    pub(crate) fn take_rows(&mut self, whole: &Saddle, rows: &[usize]) {
        self.mass.copy_from(&whole.mass);
        self.inverse_mass.copy_from(&whole.inverse_mass);
        self.jacobian.take_rows(&whole.jacobian, rows);
        self.p.clone_from(&whole.p);
        for (part, whole) in
            [(&mut self.t, &whole.t), (&mut self.q, &whole.q), (&mut self.diagonal, &whole.diagonal)]
        {
            part.clear();
            part.extend(rows.iter().map(|&row| whole[row]));
        }
    }

    /// Becomes some rows and some bodies of another form, in the order given; the other bodies have no part in the rows. `coordinates` are
    /// those of the bodies, and `places` says where each of all coordinates is among them.
    pub(crate) fn take_part(
        &mut self,
        whole: &Saddle,
        rows: &[usize],
        bodies: &[usize],
        coordinates: &[usize],
        places: &[usize],
    ) {
        self.mass.take_blocks(&whole.mass, bodies);
        self.inverse_mass.take_blocks(&whole.inverse_mass, bodies);
        self.jacobian.take_some(&whole.jacobian, rows, coordinates.len(), places);
        self.p.clear();
        self.p.extend(coordinates.iter().map(|&coordinate| whole.p[coordinate]));
        for (part, whole) in
            [(&mut self.t, &whole.t), (&mut self.q, &whole.q), (&mut self.diagonal, &whole.diagonal)]
        {
            part.clear();
            part.extend(rows.iter().map(|&row| whole[row]));
        }
    }

    /// Becomes another form without the bodies that no row moves: its impulses are the same. Allocates only where it has not had that size before.
    pub fn take_moved(&mut self, whole: &Saddle, moved: &mut Moved) {
        moved.find(whole);
        let Moved { rows, bodies, coordinates, places } = moved;
        self.take_part(whole, rows, bodies, coordinates, places);
    }

    /// Becomes the form of rows on coordinates with a mass each, without T, p and q; allocates only where it has not had that size before. The rows
    /// are put in by `fill`.
    pub fn restart(
        &mut self,
        masses: &[f64],
        fill: impl FnOnce(&mut Sparse, &mut Vec<f64>),
    ) -> Result<(), Misshapen> {
        if let Some(place) = masses.iter().position(|mass| !(*mass > 0.0 && mass.recip().is_finite())) {
            return Err(Misshapen(format!("the mass of body {place} is not positive definite")));
        }
        self.mass.become_diagonal(masses.iter().copied());
        self.inverse_mass.become_diagonal(masses.iter().map(|mass| mass.recip()));
        self.jacobian.restart(masses.len());
        self.t.clear();
        fill(&mut self.jacobian, &mut self.t);
        for (vector, size) in [(&mut self.p, masses.len()), (&mut self.q, self.jacobian.rows())] {
            vector.clear();
            vector.resize(size, 0.0);
        }
        self.renew()
    }

    /// M⁻¹.
    pub fn inverse_mass(&self) -> &Blocks {
        &self.inverse_mass
    }

    /// A diagonal entry of A = G M⁻¹ Gᵀ + T.
    pub fn diagonal(&self, row: usize) -> f64 {
        self.diagonal[row]
    }

    /// An entry of A = G M⁻¹ Gᵀ + T.
    pub fn delassus(&self, i: usize, j: usize) -> f64 {
        let sum = if i == j { self.t[i] } else { 0.0 };
        add_coupling(sum, &self.jacobian, &self.inverse_mass, [i, j])
    }

    /// v = M⁻¹ (Gᵀ z − p).
    pub fn velocity(&self, z: &[f64]) -> Vec<f64> {
        let mut motion = Motion::default();
        self.move_bodies(z, &mut motion);
        motion.velocity
    }

    /// w = G v + T z + q with v = M⁻¹ (Gᵀ z − p).
    pub fn slacks(&self, z: &[f64], w: &mut [f64]) {
        self.slacks_with(z, w, &mut Motion::default());
    }

    /// What [`Saddle::slacks`] computes, without allocation where the room was used for this size before.
    pub(crate) fn slacks_with(&self, z: &[f64], w: &mut [f64], motion: &mut Motion) {
        self.move_bodies(z, motion);
        for (row, slack) in w.iter_mut().enumerate() {
            *slack = self.jacobian.row_times(row, &motion.velocity) + self.t[row] * z[row] + self.q[row];
        }
    }

    fn move_bodies(&self, z: &[f64], motion: &mut Motion) {
        motion.momentum.clear();
        motion.momentum.extend(self.p.iter().map(|p| -p));
        self.jacobian.add_transposed_times(z, &mut motion.momentum);
        motion.velocity.clear();
        motion.velocity.resize(self.p.len(), 0.0);
        self.inverse_mass.times(&motion.momentum, &mut motion.velocity);
    }

    /// The Schur complement A = G M⁻¹ Gᵀ + T and q − G M⁻¹ p, so that w = A z + (q − G M⁻¹ p) [lacoursiere-linde-2011 (109), (110)].
    ///
    /// Differs from [lacoursiere-linde-2011 (110)]: the sign of G M⁻¹ p, which (108) makes negative.
    pub fn schur(&self) -> (Sparse, Vec<f64>) {
        let m = self.q.len();
        // Rows that share a body meet in A.
        let mut rows_of = vec![Vec::new(); self.mass.count()];
        let bodies: Vec<Vec<usize>> = (0..m)
            .map(|row| {
                let mut bodies: Vec<usize> =
                    self.jacobian.row_parts(row).0.iter().map(|&column| self.mass.block_of(column)).collect();
                bodies.dedup();
                bodies.iter().for_each(|&body| rows_of[body].push(row));
                bodies
            })
            .collect();
        let mut triplets = Vec::new();
        for i in 0..m {
            let mut partners: Vec<usize> =
                bodies[i].iter().flat_map(|&body| rows_of[body].iter().copied()).collect();
            partners.push(i);
            partners.sort_unstable();
            partners.dedup();
            // The lower half, and its mirror image: symmetric to the last bit.
            for j in partners.into_iter().filter(|&j| j <= i) {
                let value = self.delassus(i, j);
                triplets.push((i, j, value));
                if j != i {
                    triplets.push((j, i, value));
                }
            }
        }
        let a = Sparse::from_triplets(m, m, &triplets).expect("rows of the matrix are inside it");
        let mut b = vec![0.0; m];
        self.slacks(&vec![0.0; m], &mut b);
        (a, b)
    }
}

/// Adds an entry of G M⁻¹ Gᵀ to a sum, term by term.
fn add_coupling(mut sum: f64, jacobian: &Sparse, inverse_mass: &Blocks, [i, j]: [usize; 2]) -> f64 {
    let (columns, values) = jacobian.row_parts(j);
    for (row, left) in jacobian.row(i) {
        let b = inverse_mass.block_of(row);
        let range = inverse_mass.range(b);
        let n = range.len();
        let inverse = &inverse_mass.block(b)[(row - range.start) * n..(row - range.start + 1) * n];
        let from = columns.partition_point(|&column| column < range.start);
        for (&column, &right) in columns[from..].iter().zip(&values[from..]) {
            if column >= range.end {
                break;
            }
            sum += left * inverse[column - range.start] * right;
        }
    }
    sum
}

/// Whether sizes agree, every number is finite and T is not negative.
fn expect_numbers(jacobian: &Sparse, t: &[f64], p: &[f64], q: &[f64]) -> Result<(), Misshapen> {
    expect_length("T", t.len(), q.len())?;
    if [jacobian.rows(), jacobian.columns()] != [q.len(), p.len()] {
        let (rows, columns) = (jacobian.rows(), jacobian.columns());
        let (m, n) = (q.len(), p.len());
        return Err(Misshapen(format!("G is {rows} x {columns} where q has {m} and p has {n} entries")));
    }
    for (what, values) in [("G", jacobian.values()), ("T", t), ("p", p), ("q", q)] {
        expect_finite(what, values)?;
    }
    if let Some(row) = t.iter().position(|value| *value < 0.0) {
        return Err(Misshapen(format!("entry {row} of T is {}, below 0", t[row])));
    }
    Ok(())
}
