//! Spheres beside each other: `|x_j − x_i| − r_i − r_j`.
//!
//! Cost: one square root per row. Spheres with the same centre have no gradient and give NaN.

use std::ops::Range;

use super::bend::Arc;
use super::groups::{Group, pairs_of};
use super::passage::Way;
use super::surface::Surface;
use crate::particles::geometry::{Blocks, Jet, difference, frame, product, radial_block};
use crate::particles::input::Excluded;
use crate::particles::names::Names;
use crate::particles::pool::Rows;
use crate::system::{ContactId, Material, Parabola, Passage, Softness};

/// Two spheres.
#[derive(Debug, Clone, Copy)]
pub struct Contact {
    pub pair: (usize, usize),
    /// Sum of the radii.
    pub apart: f64,
    pub surface: Surface,
}

/// A pool of pairs of spheres: few are listed, one by one, and groups of many stand behind them.
#[derive(Debug, Clone, Default)]
pub struct Spheres {
    contacts: Vec<Contact>,
    groups: Vec<Group>,
    /// By listed row, as far as it was said.
    softness: Vec<Softness>,
    /// The least sum of radii.
    least: Option<f64>,
}

impl Spheres {
    fn push(&mut self, pair: (usize, usize), apart: f64, surface: Surface) {
        self.contacts.push(Contact { pair, apart, surface });
        self.reach(apart);
    }

    fn reach(&mut self, apart: f64) {
        self.least = Some(self.least.map_or(apart, |least| least.min(apart)));
    }

    /// Adds all pairs of some spheres, listed if these are at most so many and none before were more.
    pub fn add(&mut self, (members, radii): (&[usize], &[f64]), excluded: Excluded, surface: Surface, most: usize) {
        if self.groups.is_empty() && pairs_of(members.len()) <= most {
            for (place, &i) in members.iter().enumerate() {
                for &j in &members[place + 1..] {
                    if excluded.of(i).binary_search(&(j as u32)).is_err() {
                        self.push((i, j), radii[i] + radii[j], surface);
                    }
                }
            }
            return;
        }
        let group = Group::new(Rows::len(self), members, radii, excluded, surface);
        if let Some(least) = group.least() {
            self.reach(least);
            self.groups.push(group);
        }
    }

    /// How many pairs are listed.
    pub fn listed(&self) -> usize {
        self.contacts.len()
    }

    /// Groups of many.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The pair of a row.
    #[inline(always)]
    fn contact(&self, row: usize) -> Contact {
        match self.contacts.get(row) {
            Some(contact) => *contact,
            None => self.group(row).contact(row),
        }
    }

    fn group(&self, row: usize) -> &Group {
        &self.groups[self.groups.partition_point(|group| group.first <= row) - 1]
    }

    /// Rows of which every material is that of one, with a row each.
    pub fn materials(&self, visit: &mut dyn FnMut(usize, Material)) {
        (0..self.contacts.len()).for_each(|row| visit(row, self.material(row)));
        self.groups.iter().for_each(|group| visit(group.first, self.material(group.first)));
    }

    /// Rows that can stand for all.
    pub fn samples(&self, visit: &mut dyn FnMut(usize)) {
        (0..self.contacts.len()).for_each(&mut *visit);
        self.groups.iter().for_each(|group| group.samples(visit));
    }

    pub fn least(&self) -> Option<f64> {
        self.least
    }

    /// What a row is made of; pools of rigid contacts have no room for softness.
    pub fn material(&self, row: usize) -> Material {
        if row >= self.contacts.len() {
            let Group { surface: Surface { restitution, friction }, softness, .. } = *self.group(row);
            return Material { restitution, friction, softness };
        }
        let Surface { restitution, friction } = self.contacts[row].surface;
        Material { restitution, friction, softness: self.softness.get(row).copied().unwrap_or_default() }
    }

    /// Says how soft rows are: those of a range, of which groups are no parts.
    pub fn set_softness(&mut self, rows: Range<usize>, softness: Softness) {
        let listed = rows.start..rows.end.min(self.contacts.len());
        if !listed.is_empty() {
            self.softness.resize(self.contacts.len(), Softness::default());
            self.softness[listed].fill(softness);
        }
        let whole = |group: &&mut Group| group.first >= rows.start && group.first < rows.end;
        self.groups.iter_mut().filter(whole).for_each(|group| group.softness = softness);
    }

    pub fn tangents<const D: usize>(
        &self,
        x: &[[f64; D]],
        row: usize,
        mut put: impl FnMut(usize, usize, [f64; D]),
    ) {
        let (i, j) = self.contact(row).pair;
        let d = difference(&x[i], &x[j]);
        let inverse = product(&d, &d).sqrt().recip();
        for (k, tangent) in frame(&d.map(|d| d * inverse)).into_iter().take(D - 1).enumerate() {
            put(k, i, tangent.map(|t| -t));
            put(k, j, tangent);
        }
    }

    pub fn value<const D: usize>(&self, x: &[[f64; D]], row: usize) -> f64 {
        self.contact(row).value(x)
    }

    pub fn bend<const D: usize>(&self, arc: &Parabola, row: usize) -> [f64; 2] {
        Arc::<D>::between(arc, self.contact(row).pair).length_bend()
    }

    pub fn fastest<const D: usize>(&self, arc: &Parabola, row: usize) -> f64 {
        Arc::<D>::between(arc, self.contact(row).pair).fastest()
    }

    /// Whether ways are so short that nothing runs through anything.
    pub fn are_deep<const D: usize>(&self, way: &Way<D>) -> bool {
        self.least.is_none_or(|least| 2.0 * least >= 2.0 * way.longest)
    }

    /// Whether a pair with this gap at the start runs through each other.
    pub fn passage<const D: usize>(&self, way: &Way<D>, row: usize, gap: f64) -> Option<Passage> {
        let Contact { pair: (i, j), apart, .. } = self.contact(row);
        // What two can travel towards each other.
        let near = gap > 0.0 && gap < 2.0 * way.longest;
        let travel = near.then(|| way.of(j).seen_from(&way.of(i)).through(apart)).flatten()?;
        Some(Passage { contact: ContactId::of(row), travel, depth: 2.0 * apart })
    }
}

impl Contact {
    #[inline(always)]
    fn value<const D: usize>(&self, x: &[[f64; D]]) -> f64 {
        let d = difference(&x[self.pair.0], &x[self.pair.1]);
        product(&d, &d).sqrt() - self.apart
    }
}

impl Rows for Spheres {
    fn len(&self) -> usize {
        self.groups.last().map_or(self.contacts.len(), |last| last.first + last.len())
    }

    fn values<const D: usize>(&self, x: &[[f64; D]], out: &mut [f64]) {
        for (out, contact) in out.iter_mut().zip(&self.contacts) {
            *out = contact.value(x);
        }
        for row in self.contacts.len()..Rows::len(self) {
            out[row] = self.contact(row).value(x);
        }
    }

    fn length(&self, row: usize) -> f64 {
        self.contact(row).apart
    }

    fn gradient<const D: usize>(&self, x: &[[f64; D]], row: usize, mut put: impl FnMut(usize, [f64; D])) {
        let (i, j) = self.contact(row).pair;
        let d = difference(&x[i], &x[j]);
        let inverse = product(&d, &d).sqrt().recip();
        put(i, d.map(|d| -(d * inverse)));
        put(j, d.map(|d| d * inverse));
    }

    fn add_hessian<const D: usize>(&self, x: &[[f64; D]], row: usize, lambda: f64, out: &mut Blocks<D>) {
        let (i, j) = self.contact(row).pair;
        let d = difference(&x[i], &x[j]);
        out.add_pair(i, j, &radial_block(&d, Jet::distance(product(&d, &d)), lambda));
    }

    fn name(&self, index: usize, of: &Names) -> String {
        let (i, j) = self.contact(index).pair;
        format!("spheres {}-{}", of.particle(i), of.particle(j))
    }
}
