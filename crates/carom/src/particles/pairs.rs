//! A pair potential between the particles of a group.
//!
//! Pairs are visited in the order of `(i, j)`, `i < j`, and those beyond the cut-off contribute nothing, so that the
//! result has the same bits whether a list of neighbours is used or not and whenever it was made. Cost: with a cut-off
//! O(N) at bounded density, without one all pairs.

use std::cell::RefCell;

use super::geometry::{Blocks, difference, mean, product, radial_block};
use super::input::{Excluded, Misuse, PARTICLE, Selection};
use super::law::{Cutoff, Ended, Law};
use super::neighbours::Neighbours;
use super::pool::{Ends, Place, Potentials};

/// A law and the pairs that it applies to.
pub struct Pairs<L> {
    law: Ended<L>,
    members: Vec<u32>,
    excluded: Excluded,
    neighbours: Option<RefCell<Neighbours>>,
}

impl<L: Law> Pairs<L> {
    pub fn new(law: L, of: &Selection, cutoff: Option<Cutoff>, count: usize) -> Result<Self, Misuse> {
        if let Some(cutoff) = &cutoff {
            cutoff.check()?;
        }
        let listed = cutoff.filter(|cutoff| cutoff.skin.is_finite());
        Ok(Self {
            law: Ended::new(law, cutoff.as_ref()),
            members: of.group.members(PARTICLE, count)?.into_iter().map(|i| i as u32).collect(),
            excluded: Excluded::new(&of.excluded, count)?,
            neighbours: listed.map(|cutoff| RefCell::new(Neighbours::new(cutoff.radius, cutoff.skin))),
        })
    }

    /// Calls `visit` with particles in ascending order and later partners of each, ascending over all calls.
    #[inline(always)]
    fn each_row<const D: usize>(&self, x: &[[f64; D]], mut visit: impl FnMut(usize, &[u32])) {
        if let Some(neighbours) = &self.neighbours {
            let mut neighbours = neighbours.borrow_mut();
            neighbours.update(x, &self.members, &self.excluded);
            for (place, &i) in self.members.iter().enumerate() {
                visit(i as usize, neighbours.of(place));
            }
            return;
        }
        let mut later = &self.members[..];
        while let [i, rest @ ..] = later {
            let (i, mut from) = (*i as usize, rest);
            for &skip in self.excluded.of(i) {
                let (before, after) = from.split_at(from.partition_point(|&j| j < skip));
                visit(i, before);
                from = after.strip_prefix(&[skip]).unwrap_or(after);
            }
            visit(i, from);
            later = rest;
        }
    }
}

/// How many partners are looked at together.
const AT_ONCE: usize = 64;

/// Adds `factor d` to the gradient of the other particle and takes it off the own one.
#[inline(always)]
fn push_apart<const D: usize>(d: &[f64; D], factor: f64, own: &mut [f64; D], other: &mut [f64; D]) {
    for k in 0..D {
        own[k] -= factor * d[k];
        other[k] += factor * d[k];
    }
}

impl<L: Law> Potentials for Pairs<L> {
    fn value<const D: usize>(&self, at: Place<D>) -> f64 {
        let mut sum = 0.0;
        self.each_row(at.x, |i, partners| {
            for &j in partners {
                let d = difference(&at.x[i], &at.x[j as usize]);
                let w = product(&d, &d);
                if !self.law.beyond(w) {
                    sum += self.law.value(w);
                }
            }
        });
        sum
    }

    #[inline]
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        // The same length for both: an index is checked once.
        let out = &mut out[..at.x.len()];
        if !self.law.ends() {
            return self.each_row(at.x, |i, partners| {
                let (x, mut own) = (at.x[i], out[i]);
                for &j in partners {
                    let d = difference(&x, &at.x[j as usize]);
                    let factor = 2.0 * self.law.first(product(&d, &d));
                    push_apart(&d, factor, &mut own, &mut out[j as usize]);
                }
                out[i] = own;
            });
        }
        // First those that interact, without a branch that cannot be foreseen, then their forces.
        let mut near = [(0, 0.0, [0.0; D]); AT_ONCE];
        self.each_row(at.x, |i, partners| {
            let (x, mut own) = (at.x[i], out[i]);
            for some in partners.chunks(AT_ONCE) {
                let mut count = 0;
                for &j in some {
                    let d = difference(&x, &at.x[j as usize]);
                    let w = product(&d, &d);
                    near[count] = (j as usize, w, d);
                    count += usize::from(!self.law.beyond(w));
                }
                for &(j, w, d) in &near[..count] {
                    push_apart(&d, 2.0 * self.law.first(w), &mut own, &mut out[j]);
                }
            }
            out[i] = own;
        });
    }

    /// Pairs that interact at the start, then those that do so at the end alone: a list of neighbours is sure to have all of either.
    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        let Ends { start, end, .. } = between;
        let mut each = |x: &[[f64; D]], at_end: bool| {
            self.each_row(x, |i, partners| {
                for j in partners.iter().map(|&j| j as usize) {
                    let (d0, d1) = (difference(&start[i], &start[j]), difference(&end[i], &end[j]));
                    let (w0, w1) = (product(&d0, &d0), product(&d1, &d1));
                    let own =
                        if at_end { self.law.beyond(w0) && !self.law.beyond(w1) } else { !self.law.beyond(w0) };
                    if own {
                        let (factor, d) = (2.0 * self.law.quotient(w0, w1), mean(&d0, &d1));
                        for k in 0..D {
                            out[i][k] -= factor * d[k];
                            out[j][k] += factor * d[k];
                        }
                    }
                }
            });
        };
        each(start, false);
        if self.law.ends() {
            each(end, true);
        }
    }

    fn add_hessian<const D: usize>(&self, at: Place<D>, out: &mut Blocks<D>) {
        self.each_row(at.x, |i, partners| {
            for &j in partners {
                let d = difference(&at.x[i], &at.x[j as usize]);
                let w = product(&d, &d);
                if !self.law.beyond(w) {
                    out.add_pair(i, j as usize, &radial_block(&d, self.law.jet(w), 1.0));
                }
            }
        });
    }
}
