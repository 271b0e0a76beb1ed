//! Pairs of spheres that are so many that they are not listed: a group of spheres, each beside each other one.
//!
//! A pair has a number all the same: pairs `(i, j)` of places `i < j` stand in the order of their lines, `(0, 1), (0, 2), …, (1, 2), …`.
//! Memory: one number per sphere.

use super::spheres::Contact;
use super::surface::Surface;
use crate::particles::input::Excluded;
use crate::system::Softness;

/// A group of spheres that may all touch each other.
#[derive(Debug, Clone)]
pub struct Group {
    /// Number of its first pair among all rows.
    pub first: usize,
    /// Particles, ascending, and their radii.
    pub members: Vec<u32>,
    pub radii: Vec<f64>,
    /// By particle, from the first member on, its place among the members; [`ABSENT`] where it is none.
    places: Vec<u32>,
    pub excluded: Excluded,
    pub surface: Surface,
    pub softness: Softness,
}

/// The place of a particle that is no member.
const ABSENT: u32 = u32::MAX;

impl Group {
    /// Of these particles among so many.
    pub fn new(first: usize, members: &[usize], radii: &[f64], excluded: Excluded, surface: Surface) -> Self {
        let begin = members.first().copied().unwrap_or(0);
        let mut places = vec![ABSENT; members.last().map_or(0, |last| last + 1 - begin)];
        members.iter().enumerate().for_each(|(place, &member)| places[member - begin] = place as u32);
        Self {
            first,
            radii: members.iter().map(|&member| radii[member]).collect(),
            members: members.iter().map(|&member| member as u32).collect(),
            places,
            excluded,
            surface,
            softness: Softness::default(),
        }
    }

    /// How many numbers its pairs have.
    pub fn len(&self) -> usize {
        pairs_of(self.members.len())
    }

    /// The least sum of two radii.
    pub fn least(&self) -> Option<f64> {
        let mut least = [f64::INFINITY; 2];
        for &radius in &self.radii {
            if radius < least[0] {
                least = [radius, least[0]];
            } else if radius < least[1] {
                least[1] = radius;
            }
        }
        (self.members.len() > 1).then(|| least[0] + least[1])
    }

    /// The row of a pair of particles, the first below the second; `None` if they do not touch.
    pub fn row(&self, [i, j]: [u32; 2]) -> Option<usize> {
        let begin = self.members[0];
        let of = |particle: u32| self.places.get(particle.checked_sub(begin)? as usize).copied();
        let place = |particle: u32| of(particle).filter(|&place| place != ABSENT);
        let (a, b) = (place(i)? as usize, place(j)? as usize);
        if self.excluded.of(i as usize).binary_search(&j).is_ok() {
            return None;
        }
        Some(self.first + line(a, self.members.len()) + (b - a - 1))
    }

    /// The pair of a row.
    pub fn contact(&self, row: usize) -> Contact {
        let (k, n) = (row - self.first, self.members.len());
        // The line is the last one that begins at or before k: by the root of a quadratic, and a step for its round-off.
        let root = (2 * n - 1) as f64 - (((2 * n - 1) * (2 * n - 1) - 8 * k) as f64).sqrt();
        let mut a = ((0.5 * root) as usize).min(n - 2);
        while line(a, n) > k {
            a -= 1;
        }
        while a + 2 < n && line(a + 1, n) <= k {
            a += 1;
        }
        let b = a + 1 + (k - line(a, n));
        let pair = (self.members[a] as usize, self.members[b] as usize);
        Contact { pair, apart: self.radii[a] + self.radii[b], surface: self.surface }
    }

    /// Rows that can stand for all: of every sphere with the next one, and with the one half the group away.
    pub fn samples(&self, visit: &mut dyn FnMut(usize)) {
        let n = self.members.len();
        for a in 0..n {
            for b in [a + 1, a + n.div_ceil(2)].into_iter().filter(|&b| b < n) {
                if let Some(row) = self.row([self.members[a], self.members[b]]) {
                    visit(row);
                }
            }
        }
    }
}

/// Pairs of `n` spheres.
pub fn pairs_of(n: usize) -> usize {
    n * n.saturating_sub(1) / 2
}

/// Pairs before the line of a place.
fn line(a: usize, n: usize) -> usize {
    a * (2 * n - a - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_pairs_lead_to_each_other() {
        for n in [2_usize, 3, 7, 50] {
            let members: Vec<usize> = (0..n).map(|i| 3 * i + 1).collect();
            let radii: Vec<f64> = (0..3 * n + 1).map(|i| i as f64).collect();
            let excluded = Excluded::new(&[(1, 4)], 3 * n + 1).expect("right");
            let group = Group::new(5, &members, &radii, excluded, Surface::default());
            let mut row = 5;
            for (a, &i) in members.iter().enumerate() {
                for &j in &members[a + 1..] {
                    let contact = group.contact(row);
                    assert_eq!((contact.pair, contact.apart), ((i, j), (i + j) as f64), "{n}: {row}");
                    let expected = ((i, j) != (1, 4)).then_some(row);
                    assert_eq!(group.row([i as u32, j as u32]), expected);
                    row += 1;
                }
            }
            assert_eq!(row, 5 + group.len());
            assert_eq!(group.row([0, 1]), None);
            assert_eq!(group.least(), Some(5.0));
        }
        // Numbers of pairs are larger than what a root knows of them.
        let n = 200_000;
        let members: Vec<usize> = (0..n).collect();
        let group = Group::new(0, &members, &vec![1.0; n], Excluded::default(), Surface::default());
        for pair in [[0, 1], [0, 199_999], [1, 2], [77_777, 123_456], [199_997, 199_998], [199_998, 199_999]] {
            let row = group.row(pair).expect("a pair");
            assert_eq!(group.contact(row).pair, (pair[0] as usize, pair[1] as usize));
        }
    }
}
