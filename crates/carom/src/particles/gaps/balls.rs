//! Spheres inside or outside of a fixed ball: `R − |x − c| − r` or `|x − c| − R − r`.
//!
//! Cost: one square root per row. At the centre the distance has a kink: inside a ball, where that is the place farthest
//! from contact, gradient and Hessian are zero there; outside of one they are NaN.

use std::ops::Range;

use super::bend::Arc;
use super::passage::Way;
use super::surface::Surface;
use crate::particles::geometry::{Blocks, Jet, difference, frame, product, radial_block, truncated};
use crate::particles::names::Names;
use crate::particles::pool::Rows;
use crate::system::{ContactId, Material, Parabola, Passage, Softness};

/// Where spheres stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the ball.
    Inside,
    /// Out of it.
    Outside,
}

/// A fixed ball that spheres stay inside or outside of.
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    /// Its centre.
    pub centre: Vec<f64>,
    /// Its radius.
    pub radius: f64,
    /// Where the spheres are.
    pub side: Side,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Coefficient of Coulomb friction.
    pub friction: f64,
}

impl Ball {
    /// Its coefficients.
    pub(in crate::particles) fn surface(&self) -> Surface {
        Surface { restitution: self.restitution, friction: self.friction }
    }
}

#[derive(Debug, Clone, Copy)]
struct Contact {
    particle: usize,
    centre: [f64; 3],
    /// Distance of the centres when they touch.
    touching: f64,
    side: Side,
    ball: usize,
    surface: Surface,
}

/// A pool of spheres and balls.
#[derive(Debug, Clone, Default)]
pub struct Balls {
    balls: usize,
    contacts: Vec<Contact>,
    /// By row, as far as it was said.
    softness: Vec<Softness>,
    /// The least distance of touching centres among spheres outside of balls.
    least: Option<f64>,
}

impl Balls {
    /// Adds a ball, its centre in space, for spheres given by particle and radius.
    pub fn push(&mut self, ball: &Ball, centre: [f64; 3], spheres: impl Iterator<Item = (usize, f64)>) {
        let (side, number, surface, first) = (ball.side, self.balls, ball.surface(), self.contacts.len());
        self.balls += 1;
        self.contacts.extend(spheres.map(|(particle, radius)| {
            let touching = match side {
                Side::Inside => ball.radius - radius,
                Side::Outside => ball.radius + radius,
            };
            Contact { particle, centre, touching, side, ball: number, surface }
        }));
        if side == Side::Outside {
            let new = self.contacts[first..].iter().map(|contact| contact.touching);
            self.least = self.least.into_iter().chain(new).reduce(f64::min);
        }
    }

    /// Whether a sphere is outside of a ball.
    pub fn has_far_sides(&self) -> bool {
        self.least.is_some()
    }

    /// What a row is made of; pools of rigid contacts have no room for softness.
    pub fn material(&self, row: usize) -> Material {
        let Surface { restitution, friction } = self.contacts[row].surface;
        Material { restitution, friction, softness: self.softness.get(row).copied().unwrap_or_default() }
    }

    pub fn set_softness(&mut self, rows: Range<usize>, softness: Softness) {
        if !rows.is_empty() {
            self.softness.resize(self.contacts.len(), Softness::default());
            self.softness[rows].fill(softness);
        }
    }

    pub fn tangents<const D: usize>(
        &self,
        x: &[[f64; D]],
        row: usize,
        mut put: impl FnMut(usize, usize, [f64; D]),
    ) {
        // The gradient is the normal.
        self.gradient(x, row, |particle, normal| {
            frame(&normal).into_iter().take(D - 1).enumerate().for_each(|(k, tangent)| put(k, particle, tangent));
        });
    }

    /// Whether ways are so short that nothing runs through a ball.
    pub fn are_deep<const D: usize>(&self, way: &Way<D>) -> bool {
        self.least.is_none_or(|least| 2.0 * least >= way.longest)
    }

    /// Whether a sphere with this gap at the start runs through a ball that it stays outside of. None gets out of the others: their gap opens
    /// inwards only.
    pub fn passage<const D: usize>(&self, way: &Way<D>, row: usize, gap: f64) -> Option<Passage> {
        let contact = &self.contacts[row];
        let near = contact.side == Side::Outside && gap > 0.0 && gap < way.longest;
        let seen = || way.of(contact.particle).seen_from_point(&truncated(&contact.centre));
        let travel = near.then(|| seen().through(contact.touching)).flatten()?;
        Some(Passage { contact: ContactId::of(row), travel, depth: 2.0 * contact.touching })
    }

    /// A lower bound of a gap on the straight way of its particle, which is reached inside of balls.
    pub fn least<const D: usize>(&self, [from, to]: [&[[f64; D]]; 2], row: usize) -> f64 {
        let contact = &self.contacts[row];
        let ends = contact.value(from).min(contact.value(to));
        if contact.side == Side::Inside {
            // The distance from the centre is a convex function of the place.
            return ends;
        }
        let way = difference(&from[contact.particle], &to[contact.particle]);
        ends - 0.5 * product(&way, &way).sqrt()
    }

    pub fn value<const D: usize>(&self, x: &[[f64; D]], row: usize) -> f64 {
        self.contacts[row].value(x)
    }

    pub fn bend<const D: usize>(&self, arc: &Parabola, row: usize) -> [f64; 2] {
        let contact = &self.contacts[row];
        let arc = Arc::<D>::of(arc, contact.particle).from(&truncated(&contact.centre));
        let [lower, upper] = arc.length_bend();
        match contact.side {
            Side::Inside => [-upper, -lower],
            Side::Outside => [lower, upper],
        }
    }

    pub fn fastest<const D: usize>(&self, arc: &Parabola, row: usize) -> f64 {
        Arc::<D>::of(arc, self.contacts[row].particle).fastest()
    }
}

impl Contact {
    #[inline(always)]
    fn value<const D: usize>(&self, x: &[[f64; D]]) -> f64 {
        let d = self.difference(x);
        self.jet(product(&d, &d)).value
    }

    /// From the centre of the ball to the sphere.
    fn difference<const D: usize>(&self, x: &[[f64; D]]) -> [f64; D] {
        difference(&truncated(&self.centre), &x[self.particle])
    }

    /// The gap and its derivatives by the squared distance.
    fn jet(&self, w: f64) -> Jet {
        let r = Jet::distance(w);
        match self.side {
            Side::Inside if w == 0.0 => Jet { value: self.touching, first: 0.0, second: 0.0 },
            Side::Inside => Jet { value: self.touching - r.value, first: -r.first, second: -r.second },
            Side::Outside => Jet { value: r.value - self.touching, ..r },
        }
    }
}

impl Rows for Balls {
    fn len(&self) -> usize {
        self.contacts.len()
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, contact) in out.iter_mut().zip(&self.contacts) {
            *out = contact.value(x);
        }
    }

    fn length(&self, row: usize) -> f64 {
        self.contacts[row].touching
    }

    fn gradient<const D: usize>(&self, x: &[[f64; D]], row: usize, mut put: impl FnMut(usize, [f64; D])) {
        let contact = &self.contacts[row];
        let d = contact.difference(x);
        let factor = 2.0 * contact.jet(product(&d, &d)).first;
        put(contact.particle, d.map(|d| factor * d));
    }

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, lambda: f64, out: &mut Blocks<D>) {
        let contact = &self.contacts[row];
        let d = contact.difference(x);
        let block = radial_block(&d, contact.jet(product(&d, &d)), lambda);
        out.add(contact.particle, contact.particle, 1.0, &block);
    }

    fn name(&self, index: usize, of: &Names) -> String {
        let Contact { particle, side, ball, .. } = self.contacts[index];
        let place = if side == Side::Inside { "inside" } else { "outside" };
        format!("sphere {} {place} ball {ball}", of.particle(particle))
    }
}
