//! Impacts with Coulomb friction.
//!
//! All contacts of a pass at once: Newton's restitution along the normals, Coulomb's law for the sliding *after* the impact along the surfaces,
//! ```text
//! 0 ≤ l_n ⟂ u_n⁺ + e u_n⁻ ≥ 0,     |l_t| ≤ μ l_n, and opposite to u_t⁺ where that is not zero        u⁺ = u⁻ + W l
//! ```
//! so that friction never drives what it should brake. Which contacts a pass has is what the laws without friction say, and for μ = 0 each pass is
//! theirs. Where slip turns round and normal and tangent are coupled, the two laws together may still gain energy [Kane & Levinson 1985]: then all
//! restitutions of the pass are scaled by the largest share with which it does not. With a share of 0 it never does:
//! `ΔE = lᵀu⁺ − ½lᵀWl ≤ −½lᵀWl`. Contacts that wedge each other may have no solution with all of their restitutions; they are lowered as well.

use super::cones::{ConeSolver, Cones};
use carom_lcp::Sparse;

use super::{Cone, Law, MOST_PASSES, PATIENCE, Resolved, SETTLING, Stuck, approached, stuck};
use crate::bracket::bracket;
use crate::linear::dot;

// Notation
//   l, u⁻, u⁺   impulses and speeds of the rows of contacts: the normal, then the directions of sliding
//   W           GAGᵀ over these rows
//   s           share of the restitutions

/// What the directions of sliding are softened by, relative to the normal: those that equality constraints take, or that depend on each other, have
/// impulses too.
const SOFT: f64 = 1e-13;
/// Energy that is gained by round-off, relative to what the impulses exchange, whatever its sign.
const ROUND_OFF: f64 = 1e-14;
/// Shares that are tried from 1 down until one does not gain energy: the largest may not be the only limit.
const SHARES: u32 = 8;

/// An impact with friction whose restitutions can be scaled.
pub trait Strike {
    /// Why it cannot be solved.
    type Error;
    /// Finds the impulses with restitutions scaled by a share.
    fn solve(&mut self, share: f64) -> Result<(), Self::Error>;
    /// Energy that they bring.
    fn work(&self) -> f64;
    /// How exactly that is known.
    fn tolerance(&self) -> f64;
}

/// The largest share of the restitutions, at most `most`, with which an impact has a solution and gains no energy; its impulses are those that are
/// found last. Where contacts wedge each other, restitutions that contradict each other have none: shares are tried in eighths then.
pub fn largest_share<T: Strike>(strike: &mut T, most: f64) -> Result<f64, T::Error> {
    let (mut high, mut gained) = (most, None::<f64>);
    for k in (0..=SHARES).rev() {
        let share = most * f64::from(k) / f64::from(SHARES);
        match strike.solve(share) {
            Err(error) if k == 0 || most == 0.0 => return Err(error),
            Err(_) => gained = None,
            Ok(()) => {
                let work = strike.work();
                if work <= strike.tolerance() || share == 0.0 {
                    let Some(above) = gained else { return Ok(share) };
                    let found = bracket([share, high], [(-work).max(0.0), -above], most, |share| {
                        strike.solve(share).map(|()| -strike.work())
                    })?;
                    return strike.solve(found).map(|()| found);
                }
                (high, gained) = (share, Some(work));
            }
        }
    }
    Ok(0.0)
}

/// More contacts than this are not brought to rest at once: such problems have many rows that depend on each other, and are dense here.
const MANY: usize = 24;

/// Contacts with their directions of sliding.
#[derive(Debug, Clone, Copy)]
pub struct RoughCone<'a> {
    /// The normals and what belongs to contacts.
    pub cone: Cone<'a>,
    /// Where the directions of each contact begin; one more at the end.
    pub starts: &'a [usize],
    /// The directions, free of what equality constraints take.
    pub t: &'a Sparse,
    /// The same times `A`.
    pub z_t: &'a Sparse,
    /// Coefficients of friction.
    pub mu: &'a [f64],
}

impl RoughCone<'_> {
    /// The rows of a contact, themselves and times `A`: the normal first.
    fn rows(&self, contact: usize) -> impl Iterator<Item = [RowOf<'_>; 2]> {
        let tangents = self.starts[contact]..self.starts[contact + 1];
        let normal = [self.cone.g, self.cone.z].map(|rows| RowOf(rows, contact));
        std::iter::once(normal).chain(tangents.map(move |k| [self.t, self.z_t].map(|rows| RowOf(rows, k))))
    }
}

/// A row of some rows.
#[derive(Clone, Copy)]
struct RowOf<'a>(&'a Sparse, usize);

impl RowOf<'_> {
    fn dot(self, x: &[f64]) -> f64 {
        self.0.row_times(self.1, x)
    }

    fn product(self, other: RowOf) -> f64 {
        self.0.row_product(self.1, other.0, other.1)
    }

    fn add_to(self, factor: f64, out: &mut [f64]) {
        self.0.add_row(self.1, factor, out);
    }
}

/// What an impact with friction came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoughResolved {
    /// As without friction.
    pub resolved: Resolved,
    /// Passes whose restitutions were lowered.
    pub lowered: u32,
    /// The smallest share that they were scaled by.
    pub share: f64,
    /// The largest residual of a pass, relative to its impulses.
    pub residual: f64,
}

/// The contacts of a pass.
struct Together<'a> {
    resolver: &'a mut RoughResolver,
    cone: &'a Cone<'a>,
    /// Of the last solve, relative to its impulses.
    residual: f64,
}

impl Together<'_> {
    /// Scales impulses down if they gain energy, which the tolerance of the solve allows. The next pass stops the approach that is left.
    fn shorten(&mut self) {
        if self.work() > self.tolerance() {
            let given = dot(&self.resolver.impulses, &self.resolver.before);
            // given·α + (work − given)·α² = 0
            let length = -given / (self.work() - given);
            if length > 0.0 && length < 1.0 {
                self.resolver.impulses.iter_mut().for_each(|l| *l *= length);
            }
        }
    }
}

impl Strike for Together<'_> {
    /// The residual.
    type Error = f64;

    fn solve(&mut self, share: f64) -> Result<(), f64> {
        let RoughResolver { solver, cones, before, impulses, chosen, .. } = &mut *self.resolver;
        cones.q.clone_from(before);
        for (place, &k) in chosen.iter().enumerate() {
            let speed = &mut cones.q[place * cones.dimension];
            // Contacts that separate have nothing to restitute.
            *speed += share * self.cone.restitution[k] * speed.min(0.0);
        }
        self.residual = solver.solve(cones, impulses).map_err(|unsolved| unsolved.residual)?;
        Ok(())
    }

    /// `lᵀ(u⁻ + ½Wl)`.
    fn work(&self) -> f64 {
        let RoughResolver { cones, soft, before, impulses, .. } = &*self.resolver;
        let size = before.len();
        let change = |i: usize| dot(&cones.w[i * size..(i + 1) * size], impulses) - soft[i] * impulses[i];
        (0..size).map(|i| impulses[i] * (before[i] + 0.5 * change(i))).sum()
    }

    fn tolerance(&self) -> f64 {
        let exchanged = self.resolver.impulses.iter().zip(&self.resolver.before).map(|(l, u)| (l * u).abs());
        ROUND_OFF * exchanged.sum::<f64>()
    }
}

/// The law with friction, with its workspace.
#[derive(Debug, Clone, Default)]
pub struct RoughResolver {
    law: Law,
    leftover: f64,
    solver: ConeSolver,
    cones: Cones,
    /// What the diagonal of `W` was softened by.
    soft: Vec<f64>,
    /// Speeds before the pass.
    before: Vec<f64>,
    impulses: Vec<f64>,
    chosen: Vec<usize>,
    last: usize,
    /// Impulses of the last impact along the normals, one per contact.
    pub normal: Vec<f64>,
    /// Those along the directions of sliding.
    pub tangent: Vec<f64>,
}

impl RoughResolver {
    /// Of a law, for a method that can hold contacts which are approached with this multiple of their tolerances.
    pub fn new(law: Law, leftover: f64) -> Self {
        Self { law, leftover, ..Self::default() }
    }

    /// Changes `p` until no contact is approached.
    pub fn resolve(&mut self, rough: &RoughCone, p: &mut [f64]) -> Result<RoughResolved, Stuck> {
        let (cone, contacts) = (&rough.cone, rough.mu.len());
        for (list, length) in [(&mut self.normal, contacts), (&mut self.tangent, rough.starts[contacts])] {
            list.clear();
            list.resize(length, 0.0);
        }
        self.last = contacts;
        let mut sum = RoughResolved { resolved: Resolved::default(), lowered: 0, share: 1.0, residual: 0.0 };
        loop {
            let passes = sum.resolved.passes;
            if approached(cone, p).next().is_none() || (passes >= PATIENCE && self.is_over(cone, p)) {
                return Ok(sum);
            }
            let lossy = |k: usize| cone.restitution[k] < 1.0;
            let ends = passes >= MOST_PASSES;
            // Rebounds that become smaller for ever would take hundreds of passes.
            let settles = passes % SETTLING == SETTLING - 1 && approached(cone, p).any(|(k, _)| lossy(k));
            self.choose(cone, p, |k| ends || (settles && lossy(k)), !(ends || settles));
            if settles && !ends && self.chosen.len() > MANY {
                // Those that are approached come to rest, and then those that that pushes.
                self.choose(cone, p, |_| false, true);
            }
            let most = if ends || settles { 0.0 } else { 1.0 };
            self.load(rough, p);
            let mut strike = Together { resolver: self, cone, residual: 0.0 };
            let share = largest_share(&mut strike, most)
                .map_err(|residual| Stuck { residual, ..stuck(cone, p, passes) })?;
            strike.shorten();
            sum.resolved.work += strike.work().min(0.0);
            sum.residual = sum.residual.max(strike.residual);
            self.act(rough, p);
            sum.resolved.passes += 1;
            if share < most {
                sum.lowered += 1;
                sum.share = sum.share.min(share);
            }
            if self.law == Law::MoreauLiteral {
                sum.resolved.approached = approached(cone, p).count() as u32;
                return Ok(sum);
            }
            // An impulse that moves nothing, or the last resort.
            let still = self.impulses.iter().all(|l| *l == 0.0);
            if (ends || still) && !self.is_over(cone, p) {
                return Err(stuck(cone, p, passes + 1));
            }
        }
    }

    /// Whether the speeds of approach that are left are small enough.
    fn is_over(&self, cone: &Cone, p: &[f64]) -> bool {
        (0..cone.tolerance.len()).all(|k| cone.speed(k, p) >= -self.leftover * cone.tolerance[k])
    }

    /// The contacts of a pass: by the law, or those that are asked for.
    fn choose(&mut self, cone: &Cone, p: &[f64], wanted: impl Fn(usize) -> bool, by_law: bool) {
        self.chosen.clear();
        for (k, &tolerance) in cone.tolerance.iter().enumerate().filter(|(_, tolerance)| tolerance.is_finite()) {
            let speed = cone.speed(k, p);
            let joins = match self.law {
                _ if !by_law => wanted(k),
                Law::MoreauLiteral => true,
                Law::Moreau => speed <= tolerance,
                Law::Generalized | Law::Sequential => speed < -tolerance,
            };
            if joins {
                self.chosen.push(k);
            }
        }
        if by_law && self.law == Law::Sequential {
            // One after the other, round and round.
            let next = self.chosen.iter().copied().find(|k| *k > self.last).unwrap_or(self.chosen[0]);
            self.chosen.clear();
            self.chosen.push(next);
            self.last = next;
        }
    }

    /// `W` and `u⁻` of the chosen contacts. A contact with fewer directions than others has rows that nothing moves.
    fn load(&mut self, rough: &RoughCone, p: &[f64]) {
        let tangents = |k: usize| rough.starts[k + 1] - rough.starts[k];
        let d = 1 + self.chosen.iter().map(|&k| tangents(k)).max().unwrap_or(0);
        let size = d * self.chosen.len();
        let cones = &mut self.cones;
        cones.dimension = d;
        cones.w.clear();
        cones.w.resize(size * size, 0.0);
        cones.mu.clear();
        for list in [&mut self.before, &mut self.soft, &mut self.impulses] {
            list.clear();
            list.resize(size, 0.0);
        }
        for (a, &i) in self.chosen.iter().enumerate() {
            cones.mu.push(if tangents(i) > 0 { rough.mu[i] } else { 0.0 });
            for (k, [_, z]) in rough.rows(i).enumerate() {
                let line = a * d + k;
                self.before[line] = z.dot(p) + if k == 0 { rough.cone.offset[i] } else { 0.0 };
                for (b, &j) in self.chosen.iter().enumerate() {
                    for (l, [g, _]) in rough.rows(j).enumerate() {
                        cones.w[line * size + b * d + l] = z.product(g);
                    }
                }
            }
            let normal = cones.w[a * d * (size + 1)];
            for k in 1..d {
                let line = a * d + k;
                self.soft[line] = normal * if k <= tangents(i) { SOFT } else { 1.0 };
                cones.w[line * (size + 1)] += self.soft[line];
            }
        }
    }

    /// Lets the impulses act.
    fn act(&mut self, rough: &RoughCone, p: &mut [f64]) {
        let d = self.cones.dimension;
        for (&k, l) in self.chosen.iter().zip(self.impulses.chunks_exact(d)) {
            for ([g, _], l) in rough.rows(k).zip(l) {
                g.add_to(*l, p);
            }
            self.normal[k] += l[0];
            let own = rough.starts[k]..rough.starts[k + 1];
            self.tangent[own].iter_mut().zip(&l[1..]).for_each(|(sum, l)| *sum += l);
        }
    }
}
