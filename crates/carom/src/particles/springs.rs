//! Springs: `½k(|d| − l)²` between two particles or to a fixed point.
//!
//! A spring without rest length is smooth everywhere; any other has no gradient where its ends coincide and gives NaN
//! there. Cost: one square root per spring.

use super::geometry::{Blocks, Jet, product, radial_block};
use super::input::{End, Link};
use super::pool::{Place, Potentials};

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
            let factor = 2.0 * spring.jet(product(&d, &d)).first;
            for k in 0..D {
                out[spring.link.particle][k] -= factor * d[k];
            }
            if let End::Particle(other) = spring.link.other {
                for k in 0..D {
                    out[other][k] += factor * d[k];
                }
            }
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
