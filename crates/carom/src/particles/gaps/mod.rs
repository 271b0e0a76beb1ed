//! Inequality rows `g(q) ≥ 0`: distances in units of length between spheres and what they may touch.
//!
//! Rows stand in the order spheres, walls, balls, each in the order in which they were added.

mod balls;
mod bend;
mod detect;
mod groups;
mod passage;
mod spheres;
mod surface;
mod walls;

use std::ops::Range;

use super::geometry::Blocks;
use super::names::Names;
use super::pool::Rows;
use crate::system::{ContactId, Material, Parabola, Passage, Softness};
pub use balls::{Ball, Balls, Side};
pub use detect::Room;
use passage::Way;
pub use spheres::Spheres;
pub use surface::Surface;
pub use walls::{Wall, Walls};

/// All gaps of a system.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    pub spheres: Spheres,
    pub walls: Walls,
    pub balls: Balls,
}

/// The pool of a row and its place there.
enum Pool {
    Spheres(usize),
    Walls(usize),
    Balls(usize),
}

impl Gaps {
    fn pool(&self, row: usize) -> Pool {
        let walls = self.spheres.len();
        let balls = walls + self.walls.len();
        match row {
            _ if row < walls => Pool::Spheres(row),
            _ if row < balls => Pool::Walls(row - walls),
            _ => Pool::Balls(row - balls),
        }
    }

    /// What a row is made of.
    pub fn material(&self, row: usize) -> Material {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.material(row),
            Pool::Walls(row) => self.walls.material(row),
            Pool::Balls(row) => self.balls.material(row),
        }
    }

    /// Says how soft rows are; of a group of many spheres those of all of its pairs.
    pub fn set_softness(&mut self, rows: Range<usize>, softness: Softness) {
        let (walls, balls) = (self.spheres.len(), self.spheres.len() + self.walls.len());
        let part = |first: usize, count: usize| {
            let within = |row: usize| row.clamp(first, first + count) - first;
            within(rows.start)..within(rows.end)
        };
        self.spheres.set_softness(part(0, walls), softness);
        self.walls.set_softness(part(walls, self.walls.len()), softness);
        self.balls.set_softness(part(balls, self.balls.len()), softness);
    }

    /// Every material that occurs, with a row that has it.
    pub fn materials(&self, visit: &mut dyn FnMut(usize, Material)) {
        self.spheres.materials(visit);
        (self.spheres.len()..self.len()).for_each(|row| visit(row, self.material(row)));
    }

    /// Rows that can stand for all.
    pub fn samples(&self, visit: &mut dyn FnMut(usize)) {
        self.spheres.samples(visit);
        (self.spheres.len()..self.len()).for_each(visit);
    }

    /// One row.
    pub fn value<const D: usize>(&self, x: &[[f64; D]], row: usize) -> f64 {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.value(x, row),
            Pool::Walls(row) => self.walls.value(x, row),
            Pool::Balls(row) => self.balls.value(x, row),
        }
    }

    /// Writes the directions of sliding of a row: `put(direction, particle, part)`. Particles do not spin: the surfaces move
    /// as their centres do.
    pub fn tangents<const D: usize>(&self, x: &[[f64; D]], row: usize, put: impl FnMut(usize, usize, [f64; D])) {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.tangents(x, row, put),
            Pool::Walls(row) => self.walls.tangents(row, put),
            Pool::Balls(row) => self.balls.tangents(x, row, put),
        }
    }

    /// Bounds of the second derivative of a row by time along a parabola.
    pub fn bend<const D: usize>(&self, arc: &Parabola, row: usize) -> [f64; 2] {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.bend::<D>(arc, row),
            Pool::Walls(row) => self.walls.bend::<D>(arc, row),
            Pool::Balls(row) => self.balls.bend::<D>(arc, row),
        }
    }

    /// A bound of the rate of a row along a parabola.
    pub fn fastest<const D: usize>(&self, arc: &Parabola, row: usize) -> f64 {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.fastest::<D>(arc, row),
            Pool::Walls(row) => self.walls.fastest::<D>(arc, row),
            Pool::Balls(row) => self.balls.fastest::<D>(arc, row),
        }
    }

    /// Whether there is anything that has a far side: nothing gets behind a wall or out of a ball.
    pub fn are_passable(&self) -> bool {
        self.spheres.len() > 0 || self.balls.has_far_sides()
    }

    /// Impacts of some rows on a way that is longer than the contact is deep, with their gaps at its start.
    pub fn passages<const D: usize>(
        &self,
        ends: [&[[f64; D]]; 2],
        (contacts, gaps): (&[ContactId], &[f64]),
        found: &mut dyn FnMut(Passage),
    ) {
        let way = Way::new(ends);
        if self.spheres.are_deep(&way) && self.balls.are_deep(&way) {
            return;
        }
        for (&contact, &gap) in contacts.iter().zip(gaps) {
            let passage = match self.pool(contact.place()) {
                Pool::Spheres(row) => self.spheres.passage(&way, row, gap),
                Pool::Walls(_) => None,
                Pool::Balls(row) => self.balls.passage(&way, row, gap),
            };
            if let Some(passage) = passage {
                found(Passage { contact, ..passage });
            }
        }
    }
}

impl Rows for Gaps {
    fn len(&self) -> usize {
        self.spheres.len() + self.walls.len() + self.balls.len()
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        let (spheres, out) = out.split_at_mut(self.spheres.len());
        let (walls, balls) = out.split_at_mut(self.walls.len());
        self.spheres.values(x, spheres);
        self.walls.values(x, walls);
        self.balls.values(x, balls);
    }

    fn length(&self, row: usize) -> f64 {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.length(row),
            Pool::Walls(row) => self.walls.length(row),
            Pool::Balls(row) => self.balls.length(row),
        }
    }

    fn gradient<const D: usize>(&self, x: &[[f64; D]], row: usize, put: impl FnMut(usize, [f64; D])) {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.gradient(x, row, put),
            Pool::Walls(row) => self.walls.gradient(x, row, put),
            Pool::Balls(row) => self.balls.gradient(x, row, put),
        }
    }

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, lambda: f64, out: &mut Blocks<D>) {
        match self.pool(row) {
            Pool::Spheres(row) => self.spheres.add_hessian(x, row, lambda, out),
            Pool::Walls(row) => self.walls.add_hessian(x, row, lambda, out),
            Pool::Balls(row) => self.balls.add_hessian(x, row, lambda, out),
        }
    }

    fn name(&self, index: usize, of: &Names) -> String {
        match self.pool(index) {
            Pool::Spheres(row) => self.spheres.name(row, of),
            Pool::Walls(row) => self.walls.name(row, of),
            Pool::Balls(row) => self.balls.name(row, of),
        }
    }
}
