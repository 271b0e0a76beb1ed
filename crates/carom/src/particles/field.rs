//! A potential per particle, given as an expression of its place, the time and its mass.

use super::geometry::{Blocks, add, difference, mean, product};
use super::input::Misuse;
use super::pool::{Ends, Place, Potentials};
use crate::discrete::NOISE;
use crate::lagrangian::local::{LocalPotential, Spot};

/// How many particles a thread looks at together: some 0.1 ms of work.
const PIECE: usize = 1024;

/// A potential `V(x, y, z, t, m)` of every particle of a group.
pub struct Field {
    potential: LocalPotential,
    members: Vec<usize>,
}

impl Field {
    /// From text, with named constants, for particles in space of that dimension.
    pub fn parse(text: &str, constants: &[(&str, f64)], space: (usize, Vec<usize>)) -> Result<Self, Misuse> {
        let (dimension, members) = space;
        Ok(Self { potential: LocalPotential::parse(text, constants, dimension)?, members })
    }

    /// Whether the time occurs in the expression.
    pub fn depends_on_time(&self) -> bool {
        self.potential.depends_on_time()
    }

    /// `∂V/∂t` and `∂²V/∂t²`.
    pub fn rates<const D: usize>(&self, at: Place<D>) -> [f64; 2] {
        self.spots(at).map(|(_, spot)| self.potential.rates(spot)).fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    }

    /// Adds `∂²V/∂x∂t`.
    pub fn add_gradient_rate<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        for (i, spot) in self.spots(at) {
            add(&mut out[i], &self.potential.gradient_rate(spot));
        }
    }

    /// Every member and where it is.
    #[inline]
    fn spots<'a, const D: usize>(&'a self, at: Place<'a, D>) -> impl Iterator<Item = (usize, Spot<'a>)> {
        self.members.iter().map(move |&i| (i, Spot { t: at.t, x: &at.x[i], mass: at.mass[i] }))
    }
}

impl Potentials for Field {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        self.spots(at).fold(0.0, |sum, (_, spot)| sum + self.potential.value(spot))
    }

    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        if out.len() <= PIECE {
            for (i, spot) in self.spots(at) {
                add(&mut out[i], &self.potential.gradient(spot));
            }
            return;
        }
        at.team.pieces(out, PIECE, |first, piece| {
            let place = |end: usize| self.members.partition_point(|&i| i < end);
            for &i in &self.members[place(first)..place(first + piece.len())] {
                let spot = Spot { t: at.t, x: &at.x[i], mass: at.mass[i] };
                add(&mut piece[i - first], &self.potential.gradient(spot));
            }
        });
    }

    /// That of Gonzalez, particle by particle.
    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        let Ends { t, start, end, mass } = between;
        for &i in &self.members {
            let spot = |x| Spot { t, x, mass: mass[i] };
            let (before, after) = (self.potential.value(spot(&start[i])), self.potential.value(spot(&end[i])));
            let mut gradient: [f64; D] = self.potential.gradient(spot(&mean(&start[i], &end[i])));
            let way = difference(&start[i], &end[i]);
            let along = product(&gradient, &way);
            let (defect, length) = (after - before - along, product(&way, &way));
            if defect.abs() > NOISE * (before.abs() + after.abs() + along.abs()) && length > 0.0 {
                add(&mut gradient, &way.map(|way| way * (defect / length)));
            }
            add(&mut out[i], &gradient);
        }
    }

    fn add_hessian<const D: usize>(&self, at: Place<D>, out: &mut Blocks<D>) {
        for (i, spot) in self.spots(at) {
            out.add(i, i, 1.0, &self.potential.hessian(spot));
        }
    }
}
