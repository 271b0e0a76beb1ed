//! Impacts that do not end by themselves.
//!
//! Bodies with a restitution below 1 can hit each other infinitely often in a finite time: a ball on the floor, and a cluster of bodies even
//! without forces (*inelastic collapse* [McNamara & Young 1994]). What is left of such impacts is rest.
//! - A contact *fades* if, after [`FEWEST`] impacts in a step, one is slower than [`FADED`] of the fastest: until the step ends its restitution is 0, and the
//!   next impact closes it.
//! - A contact alone has faded after `ln FADED / ln e` impacts. One that has twice as many, and at least [`LEAST_LIMIT`], is driven by others: its
//!   *cluster* collapses. A cluster is made of the contacts that were hit or rest in the step and are joined to it by the bodies between them. All
//!   of them are *held* until the step ends: their restitutions are 0, they are no longer looked for, and legs keep their gaps from becoming negative by
//!   complementarity, wherever they are. Such contacts may open; what they cannot do is bounce. Whatever hits a body of the cluster later bounces
//!   once, and is held then.
//!
//! So every contact with a restitution below 1 has a bounded number of impacts in a step, and every step ends. The energy that held contacts take is booked as
//! that of coming to rest. Elastic contacts are never held unless `capture` is set: after [`MOST_IMPACTS`] impacts of one of them the step is an error.

use super::step::Collision;
use crate::error::Failure;
use crate::system::System;

/// Impacts of a contact in a step before it may have faded.
const FEWEST: u32 = 8;
/// Speeds of approach below this share of the fastest in the step have faded: their energy is 1e-8 of it.
const FADED: f64 = 1e-4;
/// No cluster collapses before one of its contacts had so many impacts.
const LEAST_LIMIT: f64 = 40.0;
/// With restitutions near 1 impacts fade so slowly that the limit is here.
const LARGEST_LIMIT: f64 = 2000.0;
/// The limit of elastic contacts with `capture`.
const CAPTURE_LIMIT: u32 = 100;
/// Impacts of an elastic contact in a step before it is given up.
const MOST_IMPACTS: u32 = 4000;
/// Places where elastic contacts are touched without an impact, in a step, before it is given up.
const MOST_GRAZES: u32 = 10_000;

/// What a contact went through in a step.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    impacts: u32,
    /// The fastest approach in the step.
    fastest: f64,
    /// Whether its restitution is 0 from now on.
    faded: bool,
}

/// What follows from an impact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    GoesOn,
    Fades,
    Collapses,
}

/// The contacts that were hit in a step.
#[derive(Debug, Clone)]
pub struct Histories {
    of: Vec<History>,
    /// Those that were hit.
    hit: Vec<usize>,
    /// Those that are held until the step ends, ascending.
    pub held: Vec<usize>,
    /// Coordinates of bodies whose clusters have collapsed.
    fallen: Vec<bool>,
    collapsed: bool,
    /// How often elastic contacts were touched without an impact.
    grazes: u32,
    /// Coordinates of one contact.
    own: Vec<bool>,
    rows: Vec<f64>,
}

impl Histories {
    /// For `n` coordinates and `k` contacts.
    pub fn new(n: usize, k: usize) -> Self {
        Self {
            of: vec![History::default(); k],
            hit: Vec::new(),
            held: Vec::new(),
            fallen: vec![false; n],
            collapsed: false,
            grazes: 0,
            own: vec![false; n],
            rows: vec![0.0; 2 * n],
        }
    }

    /// A new step.
    pub fn clear(&mut self) {
        for &contact in &self.hit {
            self.of[contact] = History::default();
        }
        self.hit.clear();
        self.held.clear();
        self.grazes = 0;
        if self.collapsed {
            self.fallen.fill(false);
            self.collapsed = false;
        }
    }

    /// Whether a contact is held until the step ends.
    pub fn is_held(&self, contact: usize) -> bool {
        self.held.binary_search(&contact).is_ok()
    }

    /// Whether a contact has its own restitution still.
    pub fn bounces(&self, contact: usize) -> bool {
        !self.of[contact].faded && !self.is_held(contact)
    }

    /// Impacts of a contact in the step.
    fn impacts(&self, contact: usize) -> u32 {
        self.of[contact].impacts
    }

    fn hold(&mut self, contact: usize) {
        if let Err(place) = self.held.binary_search(&contact) {
            self.held.insert(place, contact);
        }
    }

    /// Notes an impact with a speed of approach, of a contact that may have so many.
    fn note(&mut self, contact: usize, speed: f64, limit: u32) -> Verdict {
        let history = &mut self.of[contact];
        if history.impacts == 0 {
            self.hit.push(contact);
        }
        history.impacts += 1;
        history.fastest = history.fastest.max(speed);
        if history.impacts >= limit {
            Verdict::Collapses
        } else if history.impacts >= FEWEST && speed <= FADED * history.fastest {
            Verdict::Fades
        } else {
            Verdict::GoesOn
        }
    }

    /// The coordinates that a contact moves, into `own`.
    fn find_own<S: System + ?Sized>(&mut self, system: &S, q: &[f64], contact: usize) {
        let n = self.own.len();
        system.contacts().gradient(q, contact, &mut self.rows[..n]);
        for (own, g) in self.own.iter_mut().zip(&self.rows) {
            *own = *g != 0.0;
        }
        let tangents = system.contacts().directions(contact).min(2);
        if tangents > 0 {
            system.contacts().tangents(q, contact, &mut self.rows[..tangents * n]);
            for row in self.rows[..tangents * n].chunks_exact(n) {
                self.own.iter_mut().zip(row).for_each(|(own, d)| *own |= *d != 0.0);
            }
        }
    }

    /// Whether what stands in `own` moves a body of a cluster that has collapsed.
    fn touches(&self) -> bool {
        self.own.iter().zip(&self.fallen).any(|(own, fallen)| *own && *fallen)
    }

    fn spread(&mut self) {
        self.fallen.iter_mut().zip(&self.own).for_each(|(fallen, own)| *fallen |= *own);
    }

    /// Whether a contact moves a body of a cluster that has collapsed.
    fn joins<S: System + ?Sized>(&mut self, system: &S, q: &[f64], contact: usize) -> bool {
        self.collapsed && {
            self.find_own(system, q, contact);
            self.touches()
        }
    }
}

/// Impacts that a contact may have in a step before its cluster collapses.
fn limit(restitution: f64) -> u32 {
    if restitution < 1.0 {
        // ln 0 = −∞: nothing bounces, the least limit counts.
        (2.0 * FADED.ln() / restitution.ln()).clamp(LEAST_LIMIT, LARGEST_LIMIT) as u32
    } else {
        CAPTURE_LIMIT
    }
}

impl Collision {
    /// The restitution of a contact; `None` if it is elastic and stays so.
    fn lossy<S: System + ?Sized>(&self, system: &S, contact: usize) -> Option<f64> {
        let restitution = self.options.restitution.unwrap_or_else(|| system.contacts().restitution(contact));
        (restitution < 1.0 || self.options.capture).then_some(restitution)
    }

    /// Notes the impacts from an event of the step on; without any, the contact that was found was touched without an impact.
    pub(super) fn note_impacts<S: System + ?Sized>(&mut self, system: &S, before: usize) -> Result<(), Failure> {
        for place in before..self.events.len().max(before + 1) {
            let event = self.events.get(place).map(|event| (event.contact, -event.speed));
            let (contact, speed) = event.unwrap_or((self.search.found, 0.0));
            let Some(restitution) = self.lossy(system, contact) else {
                if event.is_some() {
                    self.histories.note(contact, speed, u32::MAX);
                } else {
                    self.histories.grazes += 1;
                }
                if self.histories.impacts(contact) > MOST_IMPACTS || self.histories.grazes > MOST_GRAZES {
                    let (impacts, at, speed) = (self.events.len(), self.leg.at.t, -speed);
                    return Err(Failure::Stalled { impacts, contact: system.contacts().name(contact), at, speed });
                }
                continue;
            };
            match self.histories.note(contact, speed, limit(restitution)) {
                Verdict::Collapses => self.collapse(system, contact),
                Verdict::Fades => self.histories.of[contact].faded = true,
                Verdict::GoesOn if self.histories.joins(system, &self.leg.at.q, contact) => {
                    self.histories.spread();
                    self.histories.hold(contact);
                }
                Verdict::GoesOn => {}
            }
        }
        Ok(())
    }

    /// Holds the cluster of a contact. They come to rest: what the legs take from them until the step ends is booked so.
    #[cold]
    fn collapse<S: System + ?Sized>(&mut self, system: &S, seed: usize) {
        let (q, before) = (&self.leg.at.q, self.histories.held.len());
        self.histories.collapsed = true;
        self.histories.hold(seed);
        self.histories.find_own(system, q, seed);
        if system.equalities().count() > 0 {
            // Joints connect bodies that no contact does.
            self.histories.own.fill(true);
        }
        self.histories.spread();
        loop {
            let held = self.histories.held.len();
            for place in 0..self.histories.hit.len() + self.resting.len() {
                let hit = self.histories.hit.get(place).copied();
                let contact = hit.unwrap_or_else(|| self.resting[place - self.histories.hit.len()]);
                let joins = !self.histories.is_held(contact)
                    && self.lossy(system, contact).is_some()
                    && self.histories.joins(system, q, contact);
                if joins {
                    self.histories.spread();
                    self.histories.hold(contact);
                }
            }
            if self.histories.held.len() == held {
                break;
            }
        }
        self.report.captured += (self.histories.held.len() - before) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_follow_from_the_restitution() {
        assert_eq!([0.0, 0.3, 0.6].map(limit), [40; 3]);
        assert_eq!(limit(0.9), 174);
        assert_eq!(limit(0.999), 2000);
        assert_eq!(limit(1.0), CAPTURE_LIMIT);
    }
}
