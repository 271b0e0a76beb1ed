//! The parts of a friction problem that have nothing to do with each other, and each of them as a problem of its own.

use crate::matrix::Sparse;
use crate::problem::{Friction, GlobalFriction, Saddle};
use crate::solvers::form::Form;
use crate::solvers::pencil::Shape;
use crate::solvers::pgs::Swept;

/// No place: what is not in the part at hand.
const NOWHERE: usize = usize::MAX;

/// A problem that can be taken apart.
pub(super) trait Separable: Form + Swept {
    /// A problem without rows.
    fn empty() -> Self;
    /// Calls `join` with groups of rows that are coupled.
    fn couple(&self, components: &mut Components);
    /// Becomes a part of another problem; allocates only where it has not had that size before.
    fn take(&mut self, whole: &Self, part: &mut Components, number: usize);
}

/// Which rows belong together. Rows of one equality or one contact are a group; groups are coupled by entries of W that are not 0, or by
/// bodies, and a component is what couplings connect.
#[derive(Default)]
pub(super) struct Components {
    shape: Shape,
    /// For each group one it is connected with, the smallest one with itself.
    parent: Vec<usize>,
    /// Groups by their component, and where each component begins among them.
    groups: Vec<usize>,
    starts: Vec<usize>,
    /// The component of each group.
    number: Vec<usize>,
    /// Components by their size, small ones first.
    order: Vec<usize>,
    /// Rows of the part at hand, and the place of every row in it.
    rows: Vec<usize>,
    row_places: Vec<usize>,
    /// A group of each body; bodies of the part at hand and the place of every coordinate in it.
    body_groups: Vec<usize>,
    bodies: Vec<usize>,
    coordinates: Vec<usize>,
    coordinate_places: Vec<usize>,
}

impl Components {
    /// Finds the components of a problem; their number.
    pub fn find<P: Separable>(&mut self, problem: &P) -> usize {
        self.shape = Form::shape(problem);
        let groups = self.shape.equalities + self.shape.contacts;
        self.parent.clear();
        self.parent.extend(0..groups);
        problem.couple(self);
        self.number.clear();
        self.starts.clear();
        for group in 0..groups {
            let root = self.root(group);
            if root == group {
                self.starts.push(0);
                self.number.push(self.starts.len() - 1);
            } else {
                self.number.push(self.number[root]);
            }
        }
        let count = self.starts.len();
        self.number.iter().for_each(|&number| self.starts[number] += 1);
        self.order.clear();
        self.order.extend(0..count);
        let sizes = &self.starts;
        self.order.sort_unstable_by_key(|&number| (sizes[number], number));
        let mut from = 0;
        for start in &mut self.starts {
            (*start, from) = (from, from + *start);
        }
        self.groups.clear();
        self.groups.resize(groups, 0);
        for group in 0..groups {
            let start = &mut self.starts[self.number[group]];
            self.groups[*start] = group;
            *start += 1;
        }
        // Each start has moved to the next one's place.
        self.starts.insert(0, 0);
        // Those of an earlier problem are no rows of this one.
        self.rows.clear();
        self.row_places.clear();
        self.row_places.resize(self.shape.rows(), NOWHERE);
        count
    }

    /// The component that is the `place`-th by size, small ones first.
    pub fn by_size(&self, place: usize) -> usize {
        self.order[place]
    }

    /// The rows of a component, ascending.
    pub fn rows(&mut self, number: usize) -> &[usize] {
        self.rows.iter().for_each(|&row| self.row_places[row] = NOWHERE);
        self.rows.clear();
        let Shape { equalities, dimension, .. } = self.shape;
        for &group in &self.groups[self.starts[number]..self.starts[number + 1]] {
            match group.checked_sub(equalities) {
                None => self.rows.push(group),
                Some(contact) => self.rows.extend((0..dimension).map(|k| equalities + contact * dimension + k)),
            }
        }
        for (place, &row) in self.rows.iter().enumerate() {
            self.row_places[row] = place;
        }
        &self.rows
    }

    fn group(&self, row: usize) -> usize {
        let Shape { equalities, dimension, .. } = self.shape;
        if row < equalities { row } else { equalities + (row - equalities) / dimension }
    }

    fn root(&mut self, mut group: usize) -> usize {
        while self.parent[group] != group {
            self.parent[group] = self.parent[self.parent[group]];
            group = self.parent[group];
        }
        group
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Equalities, μ and ρ of the part at hand.
    fn take_groups(&self, number: usize, mu: (&[f64], &mut Vec<f64>), rho: (&[f64], &mut Vec<f64>)) -> usize {
        let groups = &self.groups[self.starts[number]..self.starts[number + 1]];
        let equalities = groups.iter().filter(|&&group| group < self.shape.equalities).count();
        mu.1.clear();
        mu.1.extend(groups[equalities..].iter().map(|group| mu.0[group - self.shape.equalities]));
        rho.1.clear();
        rho.1.extend(groups.iter().map(|&group| rho.0[group]));
        equalities
    }
}

impl Separable for Friction {
    fn empty() -> Friction {
        Friction::new(2, Sparse::default(), Vec::new(), Vec::new()).expect("a problem without rows")
    }

    fn couple(&self, components: &mut Components) {
        for row in 0..self.q.len() {
            let own = components.group(row);
            for (column, value) in self.w.row(row) {
                if value != 0.0 {
                    components.join(own, components.group(column));
                }
            }
        }
    }

    fn take(&mut self, whole: &Friction, part: &mut Components, number: usize) {
        part.rows(number);
        (self.dimension, self.law) = (whole.dimension, whole.law);
        self.w.take_principal(&whole.w, &part.rows, &part.row_places);
        self.q.clear();
        self.q.extend(part.rows.iter().map(|&row| whole.q[row]));
        let (mu, rho) = self.mu_and_rho();
        self.equalities = part.take_groups(number, (&whole.mu, mu), (whole.rho(), rho));
    }
}

impl Separable for GlobalFriction {
    fn empty() -> GlobalFriction {
        GlobalFriction::new(Saddle::default(), 2, 0, Vec::new()).expect("a problem without rows")
    }

    fn couple(&self, components: &mut Components) {
        components.body_groups.clear();
        components.body_groups.resize(self.saddle.mass.count(), NOWHERE);
        for row in 0..self.saddle.q.len() {
            let own = components.group(row);
            for (column, value) in self.saddle.jacobian.row(row) {
                let body = self.saddle.mass.block_of(column);
                if value == 0.0 {
                    continue;
                }
                match components.body_groups[body] {
                    NOWHERE => components.body_groups[body] = own,
                    first => components.join(own, first),
                }
            }
        }
    }

    fn take(&mut self, whole: &GlobalFriction, part: &mut Components, number: usize) {
        part.rows(number);
        (self.dimension, self.law) = (whole.dimension, whole.law);
        // Bodies that only zeros connect with the rows belong to none of them, or to another component.
        let Components { bodies, coordinates, coordinate_places, body_groups, number: numbers, .. } = part;
        bodies.clear();
        bodies.extend(
            (0..body_groups.len())
                .filter(|&body| body_groups[body] != NOWHERE && numbers[body_groups[body]] == number),
        );
        coordinates.clear();
        coordinates.extend(bodies.iter().flat_map(|&body| whole.saddle.mass.range(body)));
        coordinate_places.clear();
        coordinate_places.resize(whole.saddle.mass.size(), NOWHERE);
        for (place, &coordinate) in coordinates.iter().enumerate() {
            coordinate_places[coordinate] = place;
        }
        self.saddle.take_part(&whole.saddle, &part.rows, bodies, coordinates, coordinate_places);
        let (mu, rho) = self.mu_and_rho();
        self.equalities = part.take_groups(number, (&whole.mu, mu), (whole.rho(), rho));
    }
}
