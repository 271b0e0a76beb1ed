//! Springs: `½k(|d| − l)²` between two particles or to a fixed point.
//!
//! A spring without rest length is smooth everywhere; any other has no gradient where its ends coincide and gives NaN
//! there. Cost: one square root per spring.

use super::geometry::{Blocks, Jet, mean, product, radial_block};
use super::input::{End, Link};
use super::pool::{Ends, Place, Potentials};

#[derive(Debug, Clone, Copy)]
struct Spring {
    link: Link,
    stiffness: f64,
    rest: f64,
}

/// A pool of springs.
#[derive(Debug, Clone, Default)]
pub struct Springs {
    springs: Vec<Spring>,
}

impl Springs {
    pub fn is_empty(&self) -> bool {
        self.springs.is_empty()
    }

    /// The particles that springs join, two by two.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.springs.iter().filter_map(|Spring { link, .. }| match link.other {
            End::Particle(other) => Some([link.particle, other]),
            End::Anchor(_) => None,
        })
    }

    pub fn push(&mut self, link: Link, stiffness: f64, rest: f64) {
        self.springs.push(Spring { link, stiffness, rest });
    }
}

impl Spring {
    /// `u(w) = ½k(√w − l)²`.
    #[inline]
    fn jet(&self, w: f64) -> Jet {
        let (k, l) = (self.stiffness, self.rest);
        if l == 0.0 {
            return Jet { value: 0.5 * k * w, first: 0.5 * k, second: 0.0 };
        }
        let r = w.sqrt();
        Jet { value: 0.5 * k * (r - l) * (r - l), first: 0.5 * k * (r - l) / r, second: 0.25 * k * l / (r * w) }
    }

    /// `(u(w1) − u(w0))/(w1 − w0)`, with `w1 − w0 = (r1 − r0)(r1 + r0)` taken out.
    #[inline]
    fn quotient(&self, w0: f64, w1: f64) -> f64 {
        let (k, l) = (self.stiffness, self.rest);
        if l == 0.0 {
            return 0.5 * k;
        }
        let sum = w0.sqrt() + w1.sqrt();
        0.5 * k * (sum - 2.0 * l) / sum
    }

    /// Adds `2 factor d` to the gradient by the other end, and takes it off the other.
    #[inline]
    fn push<const D: usize>(&self, d: &[f64; D], factor: f64, out: &mut [[f64; D]]) {
        let factor = 2.0 * factor;
        for k in 0..D {
            out[self.link.particle][k] -= factor * d[k];
        }
        if let End::Particle(other) = self.link.other {
            for k in 0..D {
                out[other][k] += factor * d[k];
            }
        }
    }
}

impl Potentials for Springs {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        let value = |spring: &Spring| {
            let d = spring.link.difference(at.x);
            spring.jet(product(&d, &d)).value
        };
        self.springs.iter().map(value).sum()
    }

    #[inline]
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        for spring in &self.springs {
            let d = spring.link.difference(at.x);
            spring.push(&d, spring.jet(product(&d, &d)).first, out);
        }
    }

    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        for spring in &self.springs {
            let (d0, d1) = (spring.link.difference(between.start), spring.link.difference(between.end));
            spring.push(&mean(&d0, &d1), spring.quotient(product(&d0, &d0), product(&d1, &d1)), out);
        }
    }

    fn add_hessian<const D: usize>(&self, at: Place<D>, out: &mut Blocks<D>) {
        for spring in &self.springs {
            let d = spring.link.difference(at.x);
            let block = radial_block(&d, spring.jet(product(&d, &d)), 1.0);
            spring.link.add_block(&block, out);
        }
    }
}
