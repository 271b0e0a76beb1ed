//! Inequality rows `g(q) ≥ 0`: distances in units of length between spheres and what they may touch.
//!
//! Rows stand in the order spheres, walls, balls, each in the order in which they were added.

mod balls;
mod spheres;
mod walls;

use super::geometry::Blocks;
use super::names::Names;
use super::pool::Rows;
pub use balls::{Ball, Balls, Side};
pub use spheres::Spheres;
pub use walls::{Wall, Walls};

/// All gaps of a system.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    pub spheres: Spheres,
    pub walls: Walls,
    pub balls: Balls,
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

    fn gradients<const D: usize>(&self, x: &[[f64; D]], mut put: impl FnMut(usize, usize, [f64; D])) {
        let walls = self.spheres.len();
        let balls = walls + self.walls.len();
        self.spheres.gradients(x, &mut put);
        self.walls.gradients(x, |row, particle, part| put(walls + row, particle, part));
        self.balls.gradients(x, |row, particle, part| put(balls + row, particle, part));
    }

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], lambda: &[f64], out: &mut Blocks<D>) {
        let (spheres, lambda) = lambda.split_at(self.spheres.len());
        let (walls, balls) = lambda.split_at(self.walls.len());
        self.spheres.add_hessian(x, spheres, out);
        self.walls.add_hessian(x, walls, out);
        self.balls.add_hessian(x, balls, out);
    }

    fn name(&self, index: usize, of: &Names) -> String {
        let walls = self.spheres.len();
        let balls = walls + self.walls.len();
        match index {
            _ if index < walls => self.spheres.name(index, of),
            _ if index < balls => self.walls.name(index - walls, of),
            _ => self.balls.name(index - balls, of),
        }
    }
}
