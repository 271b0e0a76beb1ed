//! Rows of gradients with the entries that can be nonzero alone.
//!
//! Sums over a row have the bits that they would have over the full one: what is left out adds zeros. Where a system does not say which
//! entries those are, full rows are made first, within the limit of memory.

use crate::error::Failure;
use crate::system::{ContactId, System};

/// Rows of a matrix.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Default for Lines {
    fn default() -> Self {
        Self { starts: vec![0], columns: Vec::new(), values: Vec::new() }
    }
}

impl Lines {
    /// `∂f/∂q`.
    pub fn of_equalities<S: System + ?Sized>(system: &S, t: f64, q: &[f64]) -> Result<Self, Failure> {
        let (n, m) = (q.len(), system.equalities().count());
        let Some(sparse) = system.equalities().sparse() else {
            return Self::of_full(("the matrix of gradients of equality constraints", m, n), |full| {
                system.equalities().jacobian(t, q, full);
            });
        };
        let pattern = sparse.pattern();
        let (w, mut unused) = (pattern.width(), vec![0.0; m]);
        let mut values = vec![0.0; pattern.blocks().len() * w];
        sparse.entries(t, q, &mut unused, &mut values);
        let columns = pattern.blocks().iter().flat_map(|block| (0..w).map(move |k| w * block + k)).collect();
        let starts = (0..m).map(|row| w * pattern.range(row).end);
        Ok(Self { starts: std::iter::once(0).chain(starts).collect(), columns, values })
    }

    /// `∂g/∂q` of some contacts.
    pub fn of_gaps<S: System + ?Sized>(system: &S, t: f64, q: &[f64], contacts: &[ContactId]) -> Self {
        let mut lines = Self::default();
        for &contact in contacts {
            system.contacts().partials(t, q, contact, &mut |column, value| lines.push(column, value));
            lines.end_row();
        }
        lines
    }

    /// `A(q)` of the nonholonomic rows.
    pub fn of_velocities<S: System + ?Sized>(system: &S, q: &[f64]) -> Result<Self, Failure> {
        let Some(rows) = system.nonholonomic() else { return Ok(Self::default()) };
        Self::of_full(("the matrix of nonholonomic rows", rows.rows(), q.len()), |full| rows.matrix(q, full))
    }

    /// The directions of sliding of those among some contacts that have friction.
    pub fn of_slides<S: System + ?Sized>(system: &S, t: f64, q: &[f64], contacts: &[ContactId]) -> Self {
        let (mut lines, all) = (Self::default(), system.contacts());
        let mut found: [Vec<(usize, f64)>; 2] = Default::default();
        for &contact in contacts.iter().filter(|&&contact| all.material(contact).friction > 0.0) {
            found.iter_mut().for_each(Vec::clear);
            all.slides(t, q, contact, &mut |direction, column, value| found[direction].push((column, value)));
            for row in &found[..all.directions(contact)] {
                row.iter().for_each(|&(column, value)| lines.push(column, value));
                lines.end_row();
            }
        }
        lines
    }

    fn of_full(
        (what, rows, columns): (&'static str, usize, usize),
        fill: impl FnOnce(&mut [f64]),
    ) -> Result<Self, Failure> {
        Failure::unless_it_fits(what, rows, columns)?;
        let (mut lines, mut full) = (Self::default(), vec![0.0; rows * columns]);
        fill(&mut full);
        lines.push_full(&full, columns);
        Ok(lines)
    }

    fn push_full(&mut self, full: &[f64], columns: usize) {
        for row in full.chunks_exact(columns.max(1)) {
            let entries = row.iter().enumerate().filter(|(_, value)| **value != 0.0);
            entries.for_each(|(column, &value)| self.push(column, value));
            self.end_row();
        }
    }

    fn push(&mut self, column: usize, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        self.starts.push(self.columns.len());
    }

    /// These rows and then those of another.
    pub fn then(mut self, other: Self) -> Self {
        let before = self.columns.len();
        self.starts.extend(other.starts[1..].iter().map(|start| before + start));
        self.columns.extend(other.columns);
        self.values.extend(other.values);
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Columns and values of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row]..self.starts[row + 1];
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// Product of a row with a vector.
    pub fn dot(&self, row: usize, x: &[f64]) -> f64 {
        self.row(row).fold(0.0, |sum, (column, value)| sum + value * x[column])
    }

    /// Sum of the squares of a row.
    pub fn square(&self, row: usize) -> f64 {
        self.row(row).fold(0.0, |sum, (_, value)| sum + value * value)
    }

    /// Whether every value of a row is finite.
    pub fn is_finite(&self, row: usize) -> bool {
        self.row(row).all(|(_, value)| value.is_finite())
    }

    /// Some of the rows in full, `n` entries each, if they and their products fit into memory.
    pub fn full(&self, rows: &[usize], n: usize) -> Result<Vec<f64>, Failure> {
        let count = rows.len();
        let matrices = [[count, n], [count, n], [count, count]];
        Failure::unless_they_fit("the projection of a start that is off its constraints", &matrices)?;
        let mut out = vec![0.0; count * n];
        for (out, &row) in out.chunks_exact_mut(n.max(1)).zip(rows) {
            self.row(row).for_each(|(column, value)| out[column] = value);
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;
    use crate::particles::{Ball, Link, Particles, Selection, Side, Surface, Wall};
    use crate::plates::{Plate, Plates};
    use crate::system::{ContactId, System};

    /// The rows as full ones.
    fn full(lines: &Lines, n: usize) -> Vec<f64> {
        lines.full(&(0..lines.len()).collect::<Vec<_>>(), n).expect("small")
    }

    fn agrees(system: &dyn System, q: &[f64]) {
        let (n, m, k) = (system.dim(), system.equalities().count(), system.contacts().count());
        let mut rows = vec![0.0; m * n];
        system.equalities().jacobian(0.0, q, &mut rows);
        assert_eq!(full(&Lines::of_equalities(system, 0.0, q).expect("small"), n), rows);
        let mut rows = vec![0.0; k * n];
        let contacts: Vec<ContactId> = (0..k).map(ContactId::of).collect();
        for (row, &contact) in rows.chunks_exact_mut(n).zip(&contacts) {
            system.contacts().gradient(0.0, q, contact, row);
        }
        let gaps = Lines::of_gaps(system, 0.0, q, &contacts);
        assert_eq!(full(&gaps, n), rows);
        let slides: Vec<f64> = contacts
            .iter()
            .flat_map(|&contact| {
                let mut rows = vec![0.0; system.contacts().directions(contact) * n];
                system.contacts().tangents(0.0, q, contact, &mut rows);
                rows
            })
            .collect();
        assert_eq!(full(&Lines::of_slides(system, 0.0, q, &contacts), n), slides);
        for (row, dense) in rows.chunks_exact(n).enumerate() {
            assert_eq!(gaps.dot(row, q).to_bits(), crate::linear::dot(dense, q).to_bits());
            assert_eq!(gaps.square(row).to_bits(), crate::linear::dot(dense, dense).to_bits());
        }
    }

    #[test]
    fn few_entries_are_those_of_the_full_rows() {
        for d in 2..=3 {
            let mut system = Particles::new(d, vec![1.0; 4]).expect("right");
            system.set_radii(vec![0.1, 0.2, 0.3, 0.4]).expect("right");
            system.add_rod(Link::between(2, 0), 1.0).expect("right");
            system.add_rod(Link::anchored(3, [0.5; 3]), 1.0).expect("right");
            let rough = Surface { restitution: 0.5, friction: 0.3 };
            system.add_sphere_gaps(&Selection::default(), rough).expect("right");
            let normal = [0.3, 1.0, 0.2][..d].to_vec();
            let wall = Wall { normal, offset: -1.0, restitution: 1.0, friction: 0.2 };
            system.add_wall(&wall, &Default::default()).expect("right");
            let (centre, side) = (vec![0.1; d], Side::Inside);
            let ball = Ball { centre, radius: 9.0, side, restitution: 1.0, friction: 0.2 };
            system.add_ball(&ball, &Default::default()).expect("right");
            let q: Vec<f64> = (0..4 * d).map(|i| libm::sin(1.7 * i as f64)).collect();
            agrees(&system, &q);
        }
        let vertices = vec![[-1.0, -1.0], [1.0, -1.0], [0.0, 2.0]];
        let mut plates = Plates::new(vec![Plate { mass: 1.0, inertia: 1.0, vertices }; 2]).expect("right");
        let wall = crate::plates::Wall { normal: [0.2, 1.0], offset: 0.0, restitution: 1.0, friction: 0.4 };
        plates.add_wall(&wall, &Default::default()).expect("right");
        agrees(&plates, &[0.1, 3.0, 0.4, 2.0, 5.0, -0.7]);
    }
}
