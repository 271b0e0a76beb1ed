//! A pair potential between the particles of a group.
//!
//! Pairs are visited in the order of `(i, j)`, `i < j`, and those beyond the cut-off contribute nothing, so that the
//! result has the same bits whether a list of neighbours is used or not and whenever it was made. Many particles are cut into shares that
//! threads work on at the same time. Cost: with a cut-off O(N) at bounded density, without one all pairs.

use std::ops::Range;

use super::geometry::{Blocks, difference, mean, product, radial_block};
use super::input::{Excluded, Misuse, PARTICLE, Selection};
use super::law::{Cutoff, Ended, Law};
use super::neighbours::{Neighbours, Of};
use super::pool::{Ends, Place, Potentials};
use super::shares::{Cut, Share, Shelf, add_gradients, sum_values};
use crate::team::Team;

/// A law and the pairs that it applies to.
pub struct Pairs<L> {
    law: Ended<L>,
    members: Vec<u32>,
    excluded: Excluded,
    /// The cut-off, if neighbours are listed.
    listed: Option<Cutoff>,
    /// How the members are cut into shares.
    ranges: Vec<Range<usize>>,
    kept: Shelf<Kept>,
}

/// What evaluations work on, where rows are listed or cut into shares.
struct Kept {
    neighbours: Option<Neighbours>,
    shares: Vec<Share>,
}

/// Some of the rows, with their partners if they are listed.
struct Rows<'a> {
    range: Range<usize>,
    list: Option<&'a Share>,
}

impl<L: Law> Pairs<L> {
    pub fn new(law: L, of: &Selection, cutoff: Option<Cutoff>, count: usize) -> Result<Self, Misuse> {
        if let Some(cutoff) = &cutoff {
            cutoff.check()?;
        }
        let members: Vec<u32> = of.group.members(PARTICLE, count)?.into_iter().map(|i| i as u32).collect();
        let cut = if cutoff.is_some() { Cut::Even } else { Cut::AllPairs };
        Ok(Self {
            law: Ended::new(law, cutoff.as_ref()),
            ranges: cut.ranges(members.len()),
            members,
            excluded: Excluded::new(&of.excluded, count)?,
            listed: cutoff.filter(|cutoff| cutoff.skin.is_finite()),
            kept: Shelf::default(),
        })
    }

    /// Whether all rows are one share, and nothing is listed: then nothing is kept.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.listed.is_none() && self.ranges.len() == 1
    }

    fn all_rows(&self) -> Rows<'static> {
        Rows { range: 0..self.members.len(), list: None }
    }

    fn rows_of<'a>(&self, share: &'a Share) -> Rows<'a> {
        Rows { range: share.rows.clone(), list: self.listed.is_some().then_some(share) }
    }

    /// Works on the shares, with lists that are right at `x`.
    fn with_shares<const D: usize, R>(
        &self,
        x: &[[f64; D]],
        team: &Team,
        work: impl FnOnce(&mut [Share]) -> R,
    ) -> R {
        self.kept.with(
            || self.new_kept(),
            |Kept { neighbours, shares }| {
                if let Some(neighbours) = neighbours {
                    let of = Of { members: &self.members, excluded: &self.excluded };
                    neighbours.update(x, of, shares, team);
                }
                work(shares)
            },
        )
    }

    fn new_kept(&self) -> Kept {
        let mut shares = Share::all(&self.ranges);
        for share in &mut shares {
            let first = self.members.get(share.rows.start).map_or(0, |&i| i as usize);
            share.window = first..self.members.last().map_or(0, |&i| i as usize + 1);
        }
        let neighbours = self.listed.map(|cutoff| Neighbours::new(cutoff.radius, cutoff.skin));
        Kept { neighbours, shares }
    }

    /// Calls `visit` with particles in ascending order and later partners of each, ascending over all calls.
    #[inline(always)]
    fn each_row(&self, rows: Rows, mut visit: impl FnMut(usize, &[u32])) {
        if let Some(list) = rows.list {
            for row in rows.range {
                visit(self.members[row] as usize, list.partners_of(row));
            }
            return;
        }
        let mut later = &self.members[rows.range.start..];
        for _ in rows.range {
            let [i, rest @ ..] = later else { return };
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

    /// The same for all rows, one after the other.
    fn each_of_all<const D: usize>(&self, x: &[[f64; D]], mut visit: impl FnMut(usize, &[u32])) {
        if self.is_plain() {
            return self.each_row(self.all_rows(), visit);
        }
        self.with_shares(x, &Team::alone(), |shares| {
            shares.iter().for_each(|share| self.each_row(self.rows_of(share), &mut visit));
        });
    }

    fn sum<const D: usize>(&self, x: &[[f64; D]], rows: Rows) -> f64 {
        let mut sum = 0.0;
        self.each_row(rows, |i, partners| {
            for &j in partners {
                let d = difference(&x[i], &x[j as usize]);
                let w = product(&d, &d);
                if !self.law.beyond(w) {
                    sum += self.law.value(w);
                }
            }
        });
        sum
    }

    /// Adds the gradient of a share.
    #[inline(never)]
    fn push_share<const D: usize>(&self, x: &[[f64; D]], share: &Share, out: &mut [[f64; D]]) {
        self.push(x, self.rows_of(share), out);
    }

    #[inline(always)]
    fn push<const D: usize>(&self, x: &[[f64; D]], rows: Rows, out: &mut [[f64; D]]) {
        // The same length for both: an index is checked once.
        let out = &mut out[..x.len()];
        if !self.law.ends() {
            return self.each_row(rows, |i, partners| {
                let (here, mut own) = (x[i], out[i]);
                for &j in partners {
                    let d = difference(&here, &x[j as usize]);
                    let factor = 2.0 * self.law.first(product(&d, &d));
                    push_apart(&d, factor, &mut own, &mut out[j as usize]);
                }
                out[i] = own;
            });
        }
        // First those that interact, without a branch that cannot be foreseen, then their forces.
        let mut near = [(0, 0.0, [0.0; D]); AT_ONCE];
        self.each_row(rows, |i, partners| {
            let (here, mut own) = (x[i], out[i]);
            for some in partners.chunks(AT_ONCE) {
                let mut count = 0;
                for &j in some {
                    let d = difference(&here, &x[j as usize]);
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
        if self.is_plain() {
            return self.sum(at.x, self.all_rows());
        }
        self.with_shares(at.x, at.team, |shares| {
            sum_values(at.team, shares, |share| self.sum(at.x, self.rows_of(share)))
        })
    }

    #[inline]
    fn add_gradient<const D: usize>(&self, at: Place<D>, out: &mut [[f64; D]]) {
        if self.is_plain() {
            return self.push(at.x, self.all_rows(), out);
        }
        self.with_shares(at.x, at.team, |shares| match shares {
            [all] => self.push_share(at.x, all, out),
            _ => add_gradients(at.team, shares, out, |share, out| self.push_share(at.x, share, out)),
        });
    }

    /// Pairs that interact at the start, then those that do so at the end alone: a list of neighbours is sure to have all of either.
    fn add_discrete_gradient<const D: usize>(&self, between: Ends<D>, out: &mut [[f64; D]]) {
        let Ends { start, end, .. } = between;
        let mut each = |x: &[[f64; D]], at_end: bool| {
            self.each_of_all(x, |i, partners| {
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
        self.each_of_all(at.x, |i, partners| {
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
