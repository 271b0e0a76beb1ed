//! Impact laws: what an impact does to the momentum. Methods choose the contacts, laws the impulse.
//!
//! An impact is a set of contacts with gradients `G` (rows), along which impulses `y ≥ 0` act, and an energy that is
//! quadratic in the momentum, `E = ½pᵀAp + …`, which elastic impacts conserve: `A = M⁻¹` for the Hamiltonian, another matrix
//! for the shadow Hamiltonian of an integrator. A contact is approached if `G_k A p < 0`.
//!
//! - *Generalized reflection* [kaufman-pai-2012, Algorithm 2]: reflect at all contacts that are approached, repeat until
//!   none is. A chain of collisions, as in Newton's cradle.
//! - *Moreau's* [ibid., Algorithm 3], repaired: reflect at all contacts that do not separate, repeat until none is approached.
//! - *Moreau's as printed*: one reflection at all contacts, those that separate too.
//! - *Sequential*: reflect at one contact after the other (Gauss-Seidel).
//!
//! Every reflection is one across a plane: with `d = Gᵀy`, `p⁺ = p − 2 (dᵀAp / dᵀAd) d` conserves `E` to round-off, whatever
//! the accuracy of `y`. Newton's restitution scales the impulse of contact `k` by `(1 + e_k)/2`; the energy that is lost is
//! returned with the result. Contacts that keep rebounding among each other are brought to rest together.
//!
//! Differs from [kaufman-pai-2012, Algorithm 3]: `Law::Moreau` leaves out contacts that separate and repeats the reflection until none is approached.
//! [`Law::MoreauLiteral`] does neither. By complementarity `G_k A p⁺ ≥ −G_k A p`: what was approached or tangent separates after one
//! reflection, so the two laws are the same where no contact separates; a contact that separated may be approached after it (in 37 % of
//! random cones). From [`Law::Generalized`] the repaired law differs only where a contact is exactly tangent.
//! Differs from [kaufman-pai-2012, App. A]: `V` is chosen by `A p` and not by `M⁻¹p` unless [`Cone::approach`] says so. With `M⁻¹p` a contact
//! may be approached whose only impulse that conserves `E` is an attractive one; then there is no solution, which is an error.

mod cones;
mod large;
mod nnls;
mod programme;
mod rough;

pub use nnls::Nnls;
pub use programme::{MOST_DENSE, Programme};
pub use rough::{RoughCone, RoughResolved, RoughResolver, Strike, largest_share};

use carom_lcp::Sparse;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use programme::Islands;

/// Passes before an impact is given up: random cones with an interior take at most 20.
pub const MOST_PASSES: u32 = 1000;
/// The same where energy is lost: a light body between a heavy one and an elastic wall takes many, and what is left after them is brought to rest.
const MOST_LOSSY: u32 = 20_000;
/// After every so many passes contacts with a restitution below 1 are brought to rest together: their rebounds, which become
/// smaller for ever, would take hundreds.
const SETTLING: u32 = 25;

/// Passes after which speeds of approach that are hardly more than round-off may be left.
const PATIENCE: u32 = 4 * SETTLING;

/// A law.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// All approached contacts at once, until none is.
    #[default]
    Generalized,
    /// All contacts that do not separate at once, until none is approached.
    Moreau,
    /// Moreau's law as printed: one reflection at all contacts. Contacts that separated may be approached after it: they are counted.
    MoreauLiteral,
    /// One contact after the other.
    Sequential,
}

/// More contacts than this are sorted into islands, which are solved one by one.
const FEW: usize = 32;

/// The contacts of an impact; rows have as many columns as there are coordinates.
#[derive(Debug, Clone, Copy)]
pub struct Cone<'a> {
    /// Gradients `G`, free of what equality constraints take.
    pub g: &'a Sparse,
    /// `G A`.
    pub z: &'a Sparse,
    /// Rows whose product with `p` is the speed of separation by which contacts are chosen: `z`, or `G M⁻¹`.
    pub approach: &'a Sparse,
    /// Speeds of separation that no impulse changes: those of surfaces and equality constraints that move.
    pub offset: &'a [f64],
    /// Coefficients of restitution.
    pub restitution: &'a [f64],
    /// Speeds of approach that count as none; infinite for a contact that takes no part.
    pub tolerance: &'a [f64],
}

impl Cone<'_> {
    fn speed(&self, contact: usize, p: &[f64]) -> f64 {
        self.approach.row_times(contact, p) + self.offset[contact]
    }
}

/// What an impact came to.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Resolved {
    /// Reflections made; none if no contact was approached.
    pub passes: u32,
    /// Change of `E`: 0 for elastic contacts, negative otherwise.
    pub work: f64,
    /// Contacts that are approached after the last reflection; none but with [`Law::MoreauLiteral`].
    pub approached: u32,
}

impl Resolved {
    /// Adds what came after.
    pub fn add(&mut self, further: Self) {
        self.passes += further.passes;
        self.work += further.work;
        self.approached = further.approached;
    }
}

/// An impact without an admissible end.
#[derive(Debug, Clone, PartialEq)]
pub struct Stuck {
    /// Passes made.
    pub passes: u32,
    /// Contacts that are still approached, worst first, with the speeds.
    pub approached: Vec<(usize, f64)>,
    /// The residual of a problem of friction that was not solved, relative to its impulses; 0 if it is not that.
    pub residual: f64,
}

/// A law with its workspace.
#[derive(Debug, Clone, Default)]
pub struct Resolver {
    law: Law,
    /// Speeds of approach that may be left after [`PATIENCE`] passes if contacts lose energy, as a multiple of their tolerances. Rows that depend on
    /// each other up to round-off cannot be told apart any better.
    leftover: f64,
    /// Impulses of the last impact, one per contact.
    pub impulse: Vec<f64>,
    chosen: Vec<usize>,
    d: Vec<f64>,
    /// Columns at which `d` may not be 0.
    moved: Vec<usize>,
    nnls: Nnls,
    /// Lengths of the impulses of the chosen contacts.
    y: Vec<f64>,
    islands: Islands,
    island: Vec<usize>,
    programme: Programme,
}

/// What is asked of the length of an impulse beside the law.
pub trait Scaling {
    /// The factor of the impulse `d`, which takes `p` to `p + d` and `work` from the energy.
    fn factor(&mut self, p: &[f64], d: &[f64], work: f64) -> f64;
}

/// Nothing: the law's own length.
impl Scaling for () {
    #[inline(always)]
    fn factor(&mut self, _p: &[f64], _d: &[f64], _work: f64) -> f64 {
        1.0
    }
}

/// How a pass ends.
enum Pass {
    /// No contact is approached.
    Done,
    /// The momentum was changed, the energy by this.
    Reflected(f64),
    /// No impulse that conserves energy makes the approached contacts separate.
    Blocked,
}

impl Resolver {
    /// Of a law.
    pub fn new(law: Law) -> Self {
        Self { law, leftover: 1.0, ..Self::default() }
    }

    /// Of a law, for a method that can hold contacts which are approached with this multiple of their tolerances.
    pub fn with_leftover(law: Law, leftover: f64) -> Self {
        Self { leftover, ..Self::new(law) }
    }

    /// Changes `p` until no contact is approached; as printed, Moreau's law does so once.
    pub fn resolve(&mut self, cone: &Cone, p: &mut [f64]) -> Result<Resolved, Stuck> {
        self.resolve_scaled(cone, p, &mut ())
    }

    /// The same with impulses whose lengths something else is asked of, reflection by reflection; not of one that brings contacts to rest.
    pub fn resolve_scaled<L: Scaling>(
        &mut self,
        cone: &Cone,
        p: &mut [f64],
        scaling: &mut L,
    ) -> Result<Resolved, Stuck> {
        self.impulse.clear();
        self.impulse.resize(cone.restitution.len(), 0.0);
        self.clear_direction(p.len());
        let mut resolved = Resolved::default();
        let lossy = cone.restitution.iter().any(|e| *e < 1.0);
        let most = if lossy { MOST_LOSSY } else { MOST_PASSES };
        loop {
            let settles = lossy && resolved.passes % SETTLING == SETTLING - 1;
            let settled = if settles { self.settle(cone, p) } else { Pass::Blocked };
            let pass = match self.law {
                // Where only elastic contacts are approached, there is nothing to bring to rest.
                _ if !matches!(settled, Pass::Blocked) => settled,
                Law::Sequential => self.one_by_one(cone, p, scaling),
                law => self.at_once(law, cone, p, scaling),
            };
            match pass {
                Pass::Done => return Ok(resolved),
                _ if lossy && resolved.passes >= PATIENCE && self.is_over(cone, p) => return Ok(resolved),
                Pass::Reflected(work) if resolved.passes < most => {
                    resolved.passes += 1;
                    resolved.work += work;
                    if self.law == Law::MoreauLiteral {
                        resolved.approached = approached(cone, p).count() as u32;
                        return Ok(resolved);
                    }
                }
                // What is left of rebounds that lose energy with every pass is rest.
                Pass::Reflected(work) if lossy => {
                    resolved.work += work;
                    resolved.add(self.stop_further(cone, p)?);
                    return Ok(resolved);
                }
                _ => return Err(stuck(cone, p, resolved.passes)),
            }
        }
    }

    /// Changes `p` to the nearest momentum with which no contact is approached, whatever their restitutions: the end of laws that do not end.
    pub fn stop(&mut self, cone: &Cone, p: &mut [f64]) -> Result<Resolved, Stuck> {
        self.impulse.clear();
        self.impulse.resize(cone.restitution.len(), 0.0);
        self.clear_direction(p.len());
        self.stop_further(cone, p)
    }

    /// No direction, of `n` coordinates.
    fn clear_direction(&mut self, n: usize) {
        if self.d.len() != n {
            self.d.clear();
            self.d.resize(n, 0.0);
            self.moved.clear();
        }
    }

    /// As [`Self::stop`], with impulses beside those that were given already.
    fn stop_further(&mut self, cone: &Cone, p: &mut [f64]) -> Result<Resolved, Stuck> {
        let mut resolved = Resolved::default();
        if let Pass::Reflected(work) = self.without_rebound(cone, p, |_| true) {
            (resolved.passes, resolved.work) = (1, work);
        }
        if self.is_over(cone, p) { Ok(resolved) } else { Err(stuck(cone, p, resolved.passes)) }
    }

    /// Whether the speeds of approach that are left are small enough.
    fn is_over(&self, cone: &Cone, p: &[f64]) -> bool {
        (0..cone.tolerance.len()).all(|k| cone.speed(k, p) >= -self.leftover * cone.tolerance[k])
    }

    /// [kaufman-pai-2012, Algorithm 2, lines 3 to 9]: `V = {k : G_k·v < 0}`, `y = argmin_{y ≥ 0} ‖Gᵀy + 2p‖²` (A.1), `p += Gᵀy`. The same choice (A.1) is made of
    /// the set in line 1 of [kaufman-pai-2012, Algorithm 3], where `V` is everything.
    fn at_once<L: Scaling>(&mut self, law: Law, cone: &Cone, p: &mut [f64], scaling: &mut L) -> Pass {
        let joins = |k: usize, speed: f64| {
            let tolerance = cone.tolerance[k];
            let takes_part = tolerance < f64::INFINITY;
            match law {
                Law::MoreauLiteral => takes_part,
                Law::Moreau => takes_part && speed <= tolerance,
                Law::Generalized | Law::Sequential => speed < -tolerance,
            }
        };
        match self.choose(cone, p, joins) {
            Pass::Reflected(_) => self.reflect(cone, p, None, scaling),
            other => other,
        }
    }

    /// Chooses contacts and finds `y`; nothing is reflected yet.
    fn choose(&mut self, cone: &Cone, p: &[f64], joins: impl Fn(usize, f64) -> bool) -> Pass {
        // Notation: V = chosen, d = Gᵀy, A: metric of the energy.
        let mut approached = false;
        self.chosen.clear();
        for (k, &tolerance) in cone.tolerance.iter().enumerate() {
            let speed = cone.speed(k, p);
            approached |= speed < -tolerance;
            if joins(k, speed) {
                self.chosen.push(k);
            }
        }
        if !approached {
            return Pass::Done;
        }
        let solved = match self.chosen.len() {
            1 => {
                self.y.resize(1, 1.0);
                self.y[0] = 1.0;
                true
            }
            2..=FEW => self.solve_together(cone, p),
            _ => self.solve_islands(cone, p),
        };
        if solved { Pass::Reflected(0.0) } else { Pass::Blocked }
    }

    /// `y` of the chosen contacts, as one problem.
    fn solve_together(&mut self, cone: &Cone, p: &[f64]) -> bool {
        let m = self.chosen.len();
        self.nnls.resize(m);
        for (a, &i) in self.chosen.iter().enumerate() {
            for (b, &j) in self.chosen.iter().enumerate() {
                self.nnls.w[a * m + b] = cone.z.row_product(i, cone.g, j);
            }
            self.nnls.c[a] = 2.0 * (cone.z.row_times(i, p) + cone.offset[i]);
        }
        let solved = self.nnls.solve();
        std::mem::swap(&mut self.y, &mut self.nnls.y);
        solved
    }

    /// The same island by island: contacts that share no coordinates do not know of each other.
    fn solve_islands(&mut self, cone: &Cone, p: &[f64]) -> bool {
        let Self { chosen, islands, island, programme, y, .. } = self;
        y.clear();
        y.resize(chosen.len(), 0.0);
        islands.find(cone.z, chosen);
        for places in islands.each() {
            if let [alone] = places {
                // W y + c = 0, if it is approached.
                let i = chosen[*alone];
                let speed = cone.z.row_times(i, p) + cone.offset[i];
                y[*alone] = (-2.0 * speed / cone.z.row_product(i, cone.g, i)).max(0.0);
                continue;
            }
            island.clear();
            island.extend(places.iter().map(|&place| chosen[place]));
            programme.load([cone.z, cone.g], island, 0.0);
            for (c, &i) in programme.c.iter_mut().zip(&*island) {
                *c = 2.0 * (cone.z.row_times(i, p) + cone.offset[i]);
            }
            if !programme.solve() {
                return false;
            }
            places.iter().zip(&programme.y).for_each(|(&place, value)| y[place] = *value);
        }
        true
    }

    /// The nearest momentum with which no contact of a restitution below 1 is approached.
    fn settle(&mut self, cone: &Cone, p: &mut [f64]) -> Pass {
        self.without_rebound(cone, p, |restitution| restitution < 1.0)
    }

    /// The nearest momentum with which none of the contacts with such restitutions is approached.
    fn without_rebound(&mut self, cone: &Cone, p: &mut [f64], joins: impl Fn(f64) -> bool) -> Pass {
        let takes_part = |k: usize, _: f64| joins(cone.restitution[k]) && cone.tolerance[k] < f64::INFINITY;
        match self.choose(cone, p, takes_part) {
            Pass::Reflected(_) if !self.chosen.is_empty() => self.reflect(cone, p, Some(0.0), &mut ()),
            other => other,
        }
    }

    fn one_by_one<L: Scaling>(&mut self, cone: &Cone, p: &mut [f64], scaling: &mut L) -> Pass {
        let (mut reflected, mut work) = (false, 0.0);
        for k in 0..cone.tolerance.len() {
            if cone.speed(k, p) < -cone.tolerance[k] {
                self.chosen.clear();
                self.chosen.push(k);
                self.y.resize(1, 1.0);
                self.y[0] = 1.0;
                match self.reflect(cone, p, None, scaling) {
                    Pass::Reflected(change) => work += change,
                    other => return other,
                }
                reflected = true;
            }
        }
        if reflected { Pass::Reflected(work) } else { Pass::Done }
    }

    /// Reflects across the plane with the normal `d = Σ y_k G_k` over the chosen contacts, less what restitution takes: their
    /// own, or a common one.
    fn reflect<L: Scaling>(&mut self, cone: &Cone, p: &mut [f64], common: Option<f64>, scaling: &mut L) -> Pass {
        let n = p.len();
        let (d_a_p, d_a_d) = self.combine(cone, p, |_| 1.0);
        let factor = -2.0 * d_a_p / d_a_d;
        if !(factor > 0.0 && factor.is_finite()) {
            return Pass::Blocked;
        }
        self.y.iter_mut().for_each(|y| *y *= factor);
        let own = self.chosen.iter().fold(1.0_f64, |min, &k| min.min(cone.restitution[k]));
        let lowest = common.unwrap_or(own);
        let mut work = 0.0;
        if lowest == 1.0 {
            self.moved.iter().for_each(|&k| self.d[k] *= factor);
        } else {
            // Where unequal coefficients would add energy, the lowest holds for all.
            for coefficient in [common, Some(lowest)] {
                let scale = |k: usize| 0.5 * (1.0 + coefficient.unwrap_or(cone.restitution[k]));
                let (d_a_p, d_a_d) = self.combine(cone, p, scale);
                work = d_a_p + 0.5 * d_a_d;
                if work <= 0.0 {
                    for (y, &k) in self.y.iter_mut().zip(&self.chosen) {
                        *y *= scale(k);
                    }
                    break;
                }
            }
        }
        let work = work.min(0.0);
        let length = scaling.factor(p, &self.d[..n], work);
        for &k in &self.moved {
            p[k] += length * self.d[k];
        }
        for (y, &k) in self.y.iter().zip(&self.chosen) {
            self.impulse[k] += length * y;
        }
        Pass::Reflected(work)
    }

    /// `d = Σ s_k y_k G_k`; returns `dᵀAp` and `dᵀAd`.
    fn combine(&mut self, cone: &Cone, p: &[f64], scale: impl Fn(usize) -> f64) -> (f64, f64) {
        let Self { d, moved, y, chosen, .. } = self;
        moved.iter().for_each(|&column| d[column] = 0.0);
        moved.clear();
        for (y, &k) in y.iter().zip(&*chosen) {
            let factor = scale(k) * y;
            for (column, g) in cone.g.row(k) {
                d[column] += factor * g;
                moved.push(column);
            }
        }
        if chosen.len() > 1 {
            moved.sort_unstable();
            moved.dedup();
        }
        let (mut d_a_p, mut d_a_d) = (0.0, 0.0);
        for (y, &k) in y.iter().zip(&*chosen) {
            let factor = scale(k) * y;
            d_a_p += factor * (cone.z.row_times(k, p) + cone.offset[k]);
            d_a_d += factor * cone.z.row_times(k, d);
        }
        (d_a_p, d_a_d)
    }
}

/// Contacts that are approached, with the speeds.
fn approached<'a>(cone: &'a Cone, p: &'a [f64]) -> impl Iterator<Item = (usize, f64)> + 'a {
    let speeds = (0..cone.tolerance.len()).map(|k| (k, cone.speed(k, p)));
    speeds.filter(|&(k, speed)| speed < -cone.tolerance[k])
}

#[cold]
fn stuck(cone: &Cone, p: &[f64], passes: u32) -> Stuck {
    let mut approached: Vec<(usize, f64)> = approached(cone, p).collect();
    approached.sort_by(|a, b| a.1.total_cmp(&b.1));
    Stuck { passes, approached, residual: 0.0 }
}

#[cfg(test)]
mod tests;
