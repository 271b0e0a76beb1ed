//! Friction-contact problems by their matrix.

use crate::cone::{largest_eigenvalue, norm, project};
use crate::matrix::{Misshapen, Sparse};
use crate::problem::bounded::{bounded, expect_finite, expect_length, expect_size};
use crate::residual::{Judged, step_length};

/// The law of friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Law {
    /// Coulomb's: ‖r_t‖ ≤ μ r_n, opposite to the slip.
    #[default]
    Cone,
    /// Each tangent on its own: |r_t| ≤ μ r_n. Friction reaches √2 μ r_n along the diagonals, and misses the direction of slip by up to
    /// 45° (close to a tangent; 30° at 15° from one).
    Box,
}

impl Law {
    /// Every law.
    pub const ALL: [Law; 2] = [Law::Cone, Law::Box];

    /// The name, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Law::Cone => "cone",
            Law::Box => "box",
        }
    }
}

/// A friction-contact problem by its matrix: with u = W r + q find, per contact, r in the cone K, u + μ‖u_t‖ e_n in its dual, orthogonal.
/// Before the contacts there may be rows of equalities, where u = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Friction {
    /// Rows of one contact: 2 or 3, the normal first.
    pub dimension: usize,
    /// Rows of equalities, before those of the contacts.
    pub equalities: usize,
    /// W, not always symmetric, often singular.
    pub w: Sparse,
    /// q.
    pub q: Vec<f64>,
    /// μ of each contact.
    pub mu: Vec<f64>,
    /// The law of friction.
    pub law: Law,
    rho: Vec<f64>,
}

impl Friction {
    /// The problem with Coulomb's law and no equalities, if the sizes agree, every number is finite and every μ is from 0 to 1e6.
    pub fn new(dimension: usize, w: Sparse, q: Vec<f64>, mu: Vec<f64>) -> Result<Friction, Misshapen> {
        Friction::with_equalities(dimension, 0, w, q, mu)
    }

    /// The problem with Coulomb's law whose first rows are equalities.
    pub fn with_equalities(
        dimension: usize,
        equalities: usize,
        w: Sparse,
        q: Vec<f64>,
        mu: Vec<f64>,
    ) -> Result<Friction, Misshapen> {
        expect_size("W", [w.rows(), w.columns()], q.len())?;
        expect_rows(dimension, equalities, q.len(), &mu)?;
        for (what, values) in [("W", w.values()), ("q", &q)] {
            expect_finite(what, values)?;
        }
        let rho = step_lengths(dimension, equalities, mu.len(), |i, j| w.get(i, j));
        Ok(Friction { dimension, equalities, w, q, mu, law: Law::Cone, rho })
    }

    /// The same problem under another law.
    pub fn with_law(mut self, law: Law) -> Friction {
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

    /// The map of given slacks `w`: what [`Judged::natural_map`] does after computing them.
    pub fn map_of_slacks(&self, z: &[f64], w: &[f64], map: &mut [f64]) {
        let rows = Rows { dimension: self.dimension, equalities: self.equalities, mu: &self.mu, law: self.law };
        rows.map(&self.rho, z, w, map);
    }
}

impl Judged for Friction {
    fn size(&self) -> usize {
        self.q.len()
    }

    fn natural_map(&self, z: &[f64], w: &mut [f64], map: &mut [f64]) {
        for i in 0..z.len() {
            w[i] = self.w.row_times(i, z) + self.q[i];
        }
        self.map_of_slacks(z, w, map);
    }
}

/// What the natural map of a friction problem needs, whatever form it is in.
pub(crate) struct Rows<'a> {
    pub dimension: usize,
    pub equalities: usize,
    pub mu: &'a [f64],
    pub law: Law,
}

impl Rows<'_> {
    /// F of the answer `z` with the slacks `u`.
    pub fn map(&self, rho: &[f64], z: &[f64], u: &[f64], map: &mut [f64]) {
        let (d, e) = (self.dimension, self.equalities);
        for i in 0..e {
            map[i] = rho[i] * u[i];
        }
        for (c, &mu) in self.mu.iter().enumerate() {
            let rows = e + c * d..e + (c + 1) * d;
            let (r, u, map) = (&z[rows.clone()], &u[rows.clone()], &mut map[rows]);
            match self.law {
                Law::Cone => {
                    let mut target = [0.0; 3];
                    for k in 0..d {
                        target[k] = r[k] - rho[e + c] * u[k];
                    }
                    target[0] -= rho[e + c] * mu * norm(&u[1..]);
                    project(mu, &mut target[..d]);
                    for k in 0..d {
                        map[k] = r[k] - target[k];
                    }
                }
                Law::Box => {
                    map[0] = bounded(r[0], u[0], rho[e + c], 0.0, f64::INFINITY);
                    let reach = mu * r[0].max(0.0);
                    for k in 1..d {
                        map[k] = bounded(r[k], u[k], rho[e + c], -reach, reach);
                    }
                }
            }
        }
    }
}

/// ρ for each equality row and each contact.
pub(crate) fn step_lengths(
    d: usize,
    equalities: usize,
    contacts: usize,
    entry: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let mut rho = Vec::with_capacity(equalities + contacts);
    renew_step_lengths(&mut rho, [d, equalities, contacts], entry);
    rho
}

/// The same into room that was used before, for `[dimension, equalities, contacts]`.
pub(crate) fn renew_step_lengths(rho: &mut Vec<f64>, sizes: [usize; 3], entry: impl Fn(usize, usize) -> f64) {
    let [d, equalities, contacts] = sizes;
    rho.clear();
    rho.extend((0..equalities).map(|row| step_length(entry(row, row))));
    for contact in 0..contacts {
        let first = equalities + contact * d;
        let mut block = [0.0; 9];
        for i in 0..d {
            for j in 0..d {
                block[i * d + j] = entry(first + i, first + j);
            }
        }
        rho.push(step_length(largest_eigenvalue(d, &block)));
    }
}

/// The largest μ that is taken: beside μ‖u_t‖ the natural map keeps 16 digits less those of μ, so that beyond it wrong answers would pass.
pub const MOST_FRICTION: f64 = 1e6;

pub(crate) fn expect_rows(d: usize, equalities: usize, rows: usize, mu: &[f64]) -> Result<(), Misshapen> {
    if d != 2 && d != 3 {
        return Err(Misshapen(format!("dimension is {d}: contacts have 2 or 3 rows")));
    }
    expect_length("q", rows, equalities + mu.len() * d)?;
    match mu.iter().position(|mu| !(0.0..=MOST_FRICTION).contains(mu)) {
        None => Ok(()),
        Some(contact) => {
            Err(Misshapen(format!("mu of contact {contact} is {}, not a number from 0 to 1e6", mu[contact])))
        }
    }
}
