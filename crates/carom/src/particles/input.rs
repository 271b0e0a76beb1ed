//! What systems of particles, and of plates, are described with, and why a description is refused.

use carom_lcp::problem::MOST_FRICTION;

use crate::lagrangian::expression::ParseError;
use crate::system::Softness;

/// Why an element cannot be part of the system.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Misuse {
    /// A dimension of space other than 1, 2 or 3.
    #[error("the dimension of space is 1, 2 or 3, found {0}")]
    Dimension(usize),
    /// A number out of its range.
    #[error("{what} is {value}, allowed: {allowed}")]
    Number {
        /// Which number.
        what: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A list of the wrong length.
    #[error("{what} has {found} entries, needed: {needed}")]
    Length {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that it must have.
        needed: usize,
    },
    /// A particle, plate, rod, wall or gap that does not exist.
    #[error("there is no {what} {index} among {count}, counted from 0")]
    Absent {
        /// `particle`, `plate`, `rod`, `wall` or `gap`.
        what: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// An element between a particle and itself, or a particle or plate listed twice.
    #[error("{what} {index} occurs twice")]
    Twice {
        /// `particle` or `plate`.
        what: &'static str,
        /// The index.
        index: usize,
    },
    /// A polygon with edges that cross.
    #[error("edges {first} and {second} of the polygon cross")]
    Crossing {
        /// Edge from the corner of this number to the next.
        first: usize,
        /// The other edge.
        second: usize,
    },
    /// A text that is no expression.
    #[error("{0}")]
    Expression(#[from] ParseError),
}

/// What indices of particles count.
pub(super) const PARTICLE: &str = "particle";

/// Refuses what is not finite or not positive.
pub(crate) fn positive(what: &'static str, value: f64) -> Result<(), Misuse> {
    let allowed = "a positive number";
    if value.is_finite() && value > 0.0 { Ok(()) } else { Err(Misuse::Number { what, value, allowed }) }
}

/// Refuses what is not finite or negative.
pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<(), Misuse> {
    let allowed = "zero or a positive number";
    if value.is_finite() && value >= 0.0 { Ok(()) } else { Err(Misuse::Number { what, value, allowed }) }
}

/// An error unless the value can be a coefficient of friction.
pub(crate) fn friction(value: f64) -> Result<(), Misuse> {
    let (what, allowed) = ("the coefficient of friction", "a number from 0 to 1e6");
    if (0.0..=MOST_FRICTION).contains(&value) { Ok(()) } else { Err(Misuse::Number { what, value, allowed }) }
}

/// Refuses what is no coefficient of restitution.
pub(crate) fn restitution(value: f64) -> Result<(), Misuse> {
    let (what, allowed) = ("the coefficient of restitution", "a number from 0 to 1");
    if (0.0..=1.0).contains(&value) { Ok(()) } else { Err(Misuse::Number { what, value, allowed }) }
}

/// Refuses a compliance or a damping out of its range.
pub(crate) fn softness(of: Softness) -> Result<(), Misuse> {
    not_negative("a compliance", of.compliance.unwrap_or(0.0))?;
    not_negative("a damping", of.damping.unwrap_or(0.0))
}

/// A vector of the space of the system, the components beyond its dimension zero.
pub(crate) fn vector(what: &'static str, components: &[f64], dimension: usize) -> Result<[f64; 3], Misuse> {
    if components.len() != dimension {
        return Err(Misuse::Length { what, found: components.len(), needed: dimension });
    }
    let mut out = [0.0; 3];
    for (out, &value) in out.iter_mut().zip(components) {
        if !value.is_finite() {
            return Err(Misuse::Number { what, value, allowed: "finite components" });
        }
        *out = value;
    }
    Ok(out)
}

/// Particles, or plates, that something applies to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Group {
    /// All of them.
    #[default]
    All,
    /// Those with these indices, in any order.
    Of(Vec<usize>),
}

impl Group {
    /// The indices in ascending order, each below `count`; `what` they count is said if not.
    pub(crate) fn members(&self, what: &'static str, count: usize) -> Result<Vec<usize>, Misuse> {
        let Self::Of(indices) = self else { return Ok((0..count).collect()) };
        let mut members = indices.clone();
        members.sort_unstable();
        if let Some(&index) = members.last().filter(|&&index| index >= count) {
            return Err(Misuse::Absent { what, index, count });
        }
        match members.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Misuse::Twice { what, index: pair[0] }),
            None => Ok(members),
        }
    }
}

/// Pairs `i < j` within a group, without some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// Both particles belong to it.
    pub group: Group,
    /// Pairs that are left out, such as bonded ones; the order within a pair does not matter.
    pub excluded: Vec<(usize, usize)>,
}

/// Excluded partners `j > i` of every particle, ascending.
#[derive(Debug, Clone, Default)]
pub(super) struct Excluded {
    /// The first particle with partners.
    first: usize,
    /// From it on to the last one, where the partners of each begin.
    starts: Vec<usize>,
    partners: Vec<u32>,
}

impl Excluded {
    pub fn new(pairs: &[(usize, usize)], count: usize) -> Result<Self, Misuse> {
        let mut sorted = Vec::with_capacity(pairs.len());
        for &(i, j) in pairs {
            if i.max(j) >= count {
                return Err(Misuse::Absent { what: PARTICLE, index: i.max(j), count });
            }
            if i == j {
                return Err(Misuse::Twice { what: PARTICLE, index: i });
            }
            sorted.push((i.min(j), i.max(j) as u32));
        }
        sorted.sort_unstable();
        sorted.dedup();
        let (Some(&(first, _)), Some(&(last, _))) = (sorted.first(), sorted.last()) else {
            return Ok(Self::default());
        };
        let starts = (first..=last + 1).map(|i| sorted.partition_point(|pair| pair.0 < i)).collect();
        Ok(Self { first, starts, partners: sorted.into_iter().map(|pair| pair.1).collect() })
    }

    #[inline]
    pub fn of(&self, i: usize) -> &[u32] {
        let place = i.wrapping_sub(self.first);
        match self.starts.get(place.wrapping_add(1)) {
            Some(&end) if place < self.starts.len() => &self.partners[self.starts[place]..end],
            _ => &[],
        }
    }
}

/// What a spring or a rod connects a particle with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// Another particle.
    Particle(usize),
    /// A fixed point; components beyond the dimension of space are not looked at.
    Anchor([f64; 3]),
}

/// A particle and what it is connected with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The particle.
    pub particle: usize,
    /// The other end.
    pub other: End,
}

impl Link {
    /// Between two particles.
    pub fn between(particle: usize, other: usize) -> Self {
        Self { particle, other: End::Particle(other) }
    }

    /// From a particle to a fixed point.
    pub fn anchored(particle: usize, anchor: [f64; 3]) -> Self {
        Self { particle, other: End::Anchor(anchor) }
    }

    pub(super) fn check(&self, count: usize) -> Result<(), Misuse> {
        if self.particle >= count {
            return Err(Misuse::Absent { what: PARTICLE, index: self.particle, count });
        }
        match self.other {
            End::Particle(index) if index >= count => Err(Misuse::Absent { what: PARTICLE, index, count }),
            End::Particle(index) if index == self.particle => Err(Misuse::Twice { what: PARTICLE, index }),
            End::Anchor(point) => vector("an anchor", &point, 3).map(|_| ()),
            End::Particle(_) => Ok(()),
        }
    }

    /// From the particle to the other end.
    #[inline]
    pub(super) fn difference<const D: usize>(&self, x: &[[f64; D]]) -> [f64; D] {
        let from = &x[self.particle];
        match &self.other {
            End::Particle(other) => super::geometry::difference(from, &x[*other]),
            End::Anchor(point) => super::geometry::difference(from, &super::geometry::truncated(point)),
        }
    }

    /// Velocity of the other end against that of the particle.
    #[inline]
    pub(super) fn relative<const D: usize>(&self, v: &[[f64; D]]) -> [f64; D] {
        let of = &v[self.particle];
        match &self.other {
            End::Particle(other) => super::geometry::difference(of, &v[*other]),
            End::Anchor(_) => of.map(|v| -v),
        }
    }

    /// Adds the Hessian blocks of an element that depends on the difference.
    pub(super) fn add_block<const D: usize>(&self, block: &[[f64; D]; D], out: &mut super::geometry::Blocks<D>) {
        match self.other {
            End::Particle(other) => out.add_pair(self.particle, other, block),
            End::Anchor(_) => out.add(self.particle, self.particle, 1.0, block),
        }
    }
}
