//! Which particles are coupled by potentials, where that stays: through springs. Fields act on particles one by one. Pairs within a reach change
//! with the motion, and gravitation couples all.

use std::sync::OnceLock;

use super::Particles;
use super::geometry::{Blocks, points};
use super::pool::{Place, Potentials};
use crate::system::{Pattern, SparseHessian};

/// The pattern of second derivatives; found when it is first asked for.
#[derive(Default)]
pub struct Couplings(OnceLock<Pattern>);

impl Particles {
    fn find_couplings(&self) -> Pattern {
        let mut partners: Vec<Vec<usize>> = (0..self.count()).map(|i| vec![i]).collect();
        for [i, j] in self.springs.pairs() {
            partners[i].push(j);
            partners[j].push(i);
        }
        let mut pattern = Pattern::new(self.dimension);
        for mut partners in partners {
            partners.sort_unstable();
            partners.dedup();
            (0..self.dimension).for_each(|_| pattern.push_row(partners.iter().copied()));
        }
        pattern
    }

    /// The second derivatives by their entries, if the pairs stay.
    pub(super) fn sparse(&self) -> Option<&dyn SparseHessian> {
        let stays = self.newton.is_none() && self.lennard_jones.is_empty() && self.radial.is_empty();
        stays.then_some(self as &dyn SparseHessian)
    }

    fn entries_of<const D: usize>(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (at, mut out) = (
            Place::<D> { t, x: points(q), mass: &self.masses, team: &self.team },
            Blocks::within(SparseHessian::couplings(self), out),
        );
        self.springs.add_hessian(at, &mut out);
        for field in &self.fields {
            field.add_hessian(at, &mut out);
        }
    }
}

impl SparseHessian for Particles {
    fn couplings(&self) -> &Pattern {
        self.couplings.0.get_or_init(|| self.find_couplings())
    }
    fn hessian_entries(&self, t: f64, q: &[f64], out: &mut [f64]) {
        match self.dimension {
            1 => self.entries_of::<1>(t, q, out),
            2 => self.entries_of::<2>(t, q, out),
            _ => self.entries_of::<3>(t, q, out),
        }
    }
}
