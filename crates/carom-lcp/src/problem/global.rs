//! Friction-contact problems in global form: bodies, equality rows, contacts.

use crate::matrix::Misshapen;
use crate::problem::friction::{Rows, expect_rows, renew_step_lengths, step_lengths};
use crate::problem::{Friction, Law, Motion, Saddle, SaddleMlcp};
use crate::residual::Judged;

/// A friction-contact problem of bodies: rows of equalities first, then contacts, the normal first in each.
#[derive(Clone, Debug, PartialEq)]
pub struct GlobalFriction {
    /// M, G, T, p and q.
    pub saddle: Saddle,
    /// Rows of one contact: 2 or 3, the normal first.
    pub dimension: usize,
    /// Rows of equalities, before those of the contacts.
    pub equalities: usize,
    /// μ of each contact.
    pub mu: Vec<f64>,
    /// The law of friction.
    pub law: Law,
    rho: Vec<f64>,
}

impl GlobalFriction {
    /// The problem with Coulomb's law, if the number of rows agrees and no μ is negative.
    pub fn new(
        saddle: Saddle,
        dimension: usize,
        equalities: usize,
        mu: Vec<f64>,
    ) -> Result<GlobalFriction, Misshapen> {
        expect_rows(dimension, equalities, saddle.q.len(), &mu)?;
        let rho = step_lengths(dimension, equalities, mu.len(), |i, j| saddle.delassus(i, j));
        Ok(GlobalFriction { saddle, dimension, equalities, mu, law: Law::Cone, rho })
    }

    /// Takes note of other rows and numbers: those of the saddle-point form, whose masses stay, the equalities and μ.
    pub fn renew(&mut self) -> Result<(), Misshapen> {
        self.saddle.renew()?;
        expect_rows(self.dimension, self.equalities, self.saddle.q.len(), &self.mu)?;
        let Self { saddle, dimension, equalities, mu, rho, .. } = self;
        renew_step_lengths(rho, [*dimension, *equalities, mu.len()], |i, j| saddle.delassus(i, j));
        Ok(())
    }

    /// The same problem under another law.
    pub fn with_law(mut self, law: Law) -> GlobalFriction {
        self.law = law;
        self
    }

    /// The number of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// The first row of a contact.
    pub fn row_of(&self, contact: usize) -> usize {
        self.equalities + contact * self.dimension
    }

    /// ρ of the natural map: one for each equality row, then one for each contact.
    pub fn rho(&self) -> &[f64] {
        &self.rho
    }

    /// μ and ρ, for a problem that becomes another one.
    pub(crate) fn mu_and_rho(&mut self) -> (&mut Vec<f64>, &mut Vec<f64>) {
        (&mut self.mu, &mut self.rho)
    }

    /// The problem of equalities and normals that is left without friction; its rows are those, in their order.
    pub fn frictionless(&self) -> SaddleMlcp {
        let rows: Vec<usize> =
            (0..self.equalities).chain((0..self.contacts()).map(|contact| self.row_of(contact))).collect();
        let lower = (0..rows.len()).map(|k| if k < self.equalities { f64::NEG_INFINITY } else { 0.0 }).collect();
        let upper = vec![f64::INFINITY; rows.len()];
        SaddleMlcp::new(self.saddle.with_rows(&rows), lower, upper).expect("a bound for every row")
    }

    /// The same problem by its Schur complement W = G M⁻¹ Gᵀ + T.
    pub fn reduced(&self) -> Friction {
        let (w, q) = self.saddle.schur();
        Friction::with_equalities(self.dimension, self.equalities, w, q, self.mu.clone())
            .expect("the rows were checked when the problem was made")
            .with_law(self.law)
    }
}

impl Judged for GlobalFriction {
    fn size(&self) -> usize {
        self.saddle.q.len()
    }

    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]) {
        self.natural_map_with(z, w, map, &mut Motion::default());
    }

    fn natural_map_with(&self, z: &[f64], w: &mut [f64], map: &mut [f64], motion: &mut Motion) {
        self.saddle.slacks_with(z, w, motion);
        let rows = Rows { dimension: self.dimension, equalities: self.equalities, mu: &self.mu, law: self.law };
        rows.map(&self.rho, z, w, map);
    }
}
