//! The candidate projection [pekarek-murphey-2012 (13)]: the identity on `C`, outside `P(z) = z − 2φ(z)w` with `w` of the
//! impact configuration `zi`; only `φ` is evaluated at `z`.
//!
//! `P` moves points along `w` alone, so a preimage of `q` is `q + s w` with the scalar `s = 2φ(q + s w) < 0`. Next to `zi`
//! there is one; farther away `P` may fold over, where `det P' = 1 − 2∇φ(z)ᵀw` changes its sign: two preimages then meet, and
//! beyond there are none. The one that is looked for is that of the sheet that holds `zi`.

use super::reflection::fold_matrix;
use super::{ProjectionError, Reflection};
use crate::linear::{dot, max_abs};
use crate::system::{ContactId, System};

/// Distance to the boundary, relative to the configuration, up to which a point counts as on it: a hundred times what an
/// impact is located to.
const ON_BOUNDARY: f64 = 1e-10;
/// Most evaluations of a preimage: Newton takes about five, halving an interval to round-off about sixty.
const MOST: usize = 200;

/// Where a point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// `C`: the contact is open or touched.
    Feasible,
    /// `N`: outside of `C`, and `P` leads into it.
    Folded,
    /// The rest: `P` leads out of `C` again, and is no projection here.
    Lost,
}

/// `P` about one impact configuration.
#[derive(Debug, Clone)]
pub struct Projection<'a, S: System + ?Sized> {
    system: &'a S,
    contact: ContactId,
    zi: Vec<f64>,
    reflection: Reflection,
    image: Vec<f64>,
    slope: Vec<f64>,
}

impl<'a, S: System + ?Sized> Projection<'a, S> {
    /// The projection of a contact about `zi`, a configuration on its boundary.
    pub fn new(system: &'a S, contact: ContactId, zi: &[f64]) -> Result<Self, ProjectionError> {
        let reflection = Reflection::at(system, contact, zi)?;
        let (image, slope) = (zi.to_vec(), zi.to_vec());
        let mut found = Self { system, contact, zi: zi.to_vec(), reflection, image, slope };
        let gap = found.gap(zi);
        let n = &found.reflection.n;
        let distance = gap.abs() / dot(n, n).sqrt();
        if distance.is_nan() || distance > ON_BOUNDARY * max_abs(zi).max(1.0) {
            return Err(ProjectionError::OffBoundary { gap, distance });
        }
        Ok(found)
    }

    /// The impact configuration.
    pub fn impact(&self) -> &[f64] {
        &self.zi
    }

    /// `R(zi)`.
    pub fn reflection(&self) -> &Reflection {
        &self.reflection
    }

    /// `φ(z)`.
    pub fn gap(&mut self, z: &[f64]) -> f64 {
        gap_of(self.system, self.contact, z)
    }

    /// `P(z)`.
    pub fn project(&mut self, z: &[f64], out: &mut [f64]) {
        let gap = self.gap(z).min(0.0);
        for ((out, z), w) in out.iter_mut().zip(z).zip(&self.reflection.w) {
            *out = z - 2.0 * gap * w;
        }
    }

    /// `P'(z)` as a full matrix: the identity on `C`, outside `I − 2w∇φ(z)ᵀ`, which is `R(zi)` next to `zi`.
    pub fn jacobian(&mut self, z: &[f64], out: &mut [f64]) {
        match self.gap(z) < 0.0 {
            true => self.system.contacts().gradient(0.0, z, self.contact, &mut self.slope),
            false => self.slope.fill(0.0),
        }
        fold_matrix(&self.reflection.w, &self.slope, out);
    }

    /// Where `z` lies.
    pub fn region(&mut self, z: &[f64]) -> Region {
        let gap = self.gap(z);
        if gap >= 0.0 {
            return Region::Feasible;
        }
        for ((image, z), w) in self.image.iter_mut().zip(z).zip(&self.reflection.w) {
            *image = z - 2.0 * gap * w;
        }
        let kept = gap_of(self.system, self.contact, &self.image) >= 0.0;
        if kept { Region::Folded } else { Region::Lost }
    }

    /// What is left of (8) at the impact, `p⁺P'(z⁺) − p⁻P'(z⁻)` with `P'(z⁻) = I` and `P'(z⁺) = R(zi)`.
    pub fn jump(&self, minus: &[f64], plus: &[f64], out: &mut [f64]) {
        out.copy_from_slice(plus);
        self.reflection.momentum(out);
        out.iter_mut().zip(minus).for_each(|(out, minus)| *out -= minus);
    }

    /// The preimage of `q` in `N`, on the sheet of `P` that holds `zi`; none if `q` lies outside of `C`, or beyond the fold.
    /// A point of the boundary is its own.
    pub fn preimage(&mut self, q: &[f64]) -> Option<Vec<f64>> {
        let mut z = q.to_vec();
        let first = 2.0 * self.gap(q);
        if first <= 0.0 {
            return (first == 0.0).then_some(z);
        }
        // f(s) = 2φ(q + s w) − s falls from f(0) > 0 as s falls, as long as f' = −det P' > 0, on the sheet. The root lies between
        // `high`, where f > 0 on the sheet, and `low`, where f < 0 or the sheet has ended.
        let (mut s, mut f, mut df) = (0.0, first, self.rate(q));
        if df <= 0.0 {
            return None;
        }
        let (mut high, mut low, mut crossed) = (0.0, f64::NEG_INFINITY, false);
        for _ in 0..MOST {
            let newton = s - f / df;
            let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
            if next == s || next == high || next == low {
                break;
            }
            self.along(q, next, &mut z);
            let (value, rate) = (2.0 * self.gap(&z) - next, self.rate(&z));
            if rate > 0.0 {
                (s, f, df) = (next, value, rate);
            }
            if rate > 0.0 && value > 0.0 {
                high = next;
            } else {
                (low, crossed) = (next, rate > 0.0);
            }
            if f == 0.0 {
                break;
            }
        }
        self.along(q, s, &mut z);
        let settled = f == 0.0 || s - f / df == s;
        ((crossed || settled) && self.gap(&z) < 0.0).then_some(z)
    }

    /// Whether `det P'(z) < 0`, as next to `zi`: where it changes its sign, `P` folds over.
    pub fn keeps_sheet(&mut self, z: &[f64]) -> bool {
        self.rate(z) > 0.0
    }

    /// `q + s w`.
    fn along(&self, q: &[f64], s: f64, out: &mut [f64]) {
        for ((out, q), w) in out.iter_mut().zip(q).zip(&self.reflection.w) {
            *out = q + s * w;
        }
    }

    /// `2∇φ(z)ᵀw − 1`, which is `−det P'(z)` outside of `C`.
    fn rate(&mut self, z: &[f64]) -> f64 {
        self.system.contacts().gradient(0.0, z, self.contact, &mut self.slope);
        2.0 * dot(&self.slope, &self.reflection.w) - 1.0
    }
}

/// `φ(z)` of a contact.
fn gap_of<S: System + ?Sized>(system: &S, contact: ContactId, z: &[f64]) -> f64 {
    let mut gap = [0.0];
    system.contacts().gaps_of(0.0, z, &[contact], &mut gap);
    gap[0]
}
