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
use crate::system::{ContactId, System};

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
    /// By contact, ascending.
    of: Vec<(ContactId, History)>,
    /// Those that were hit, in that order.
    hit: Vec<ContactId>,
    /// Those that are held until the step ends, ascending.
    pub held: Vec<ContactId>,
    /// Coordinates of bodies whose clusters have collapsed.
    fallen: Vec<bool>,
    collapsed: bool,
    /// How often elastic contacts were touched without an impact.
    grazes: u32,
    /// Coordinates of one contact.
    own: Vec<usize>,
}

impl Histories {
    /// For `n` coordinates.
    pub fn new(n: usize) -> Self {
        Self {
            of: Vec::new(),
            hit: Vec::new(),
            held: Vec::new(),
            fallen: vec![false; n],
            collapsed: false,
            grazes: 0,
            own: Vec::new(),
        }
    }

    /// A new step.
    pub fn clear(&mut self) {
        self.of.clear();
        self.hit.clear();
        self.held.clear();
        self.grazes = 0;
        if self.collapsed {
            self.fallen.fill(false);
            self.collapsed = false;
        }
    }

    /// Whether a contact is held until the step ends.
    pub fn is_held(&self, contact: ContactId) -> bool {
        self.held.binary_search(&contact).is_ok()
    }

    /// What a contact went through.
    fn history(&self, contact: ContactId) -> History {
        let place = self.of.binary_search_by_key(&contact, |known| known.0);
        place.map_or(History::default(), |place| self.of[place].1)
    }

    fn history_mut(&mut self, contact: ContactId) -> &mut History {
        let place = self.of.binary_search_by_key(&contact, |known| known.0).unwrap_or_else(|place| {
            self.of.insert(place, (contact, History::default()));
            place
        });
        &mut self.of[place].1
    }

    /// Whether a contact has its own restitution still.
    pub fn bounces(&self, contact: ContactId) -> bool {
        !self.history(contact).faded && !self.is_held(contact)
    }

    /// Impacts of a contact in the step.
    fn impacts(&self, contact: ContactId) -> u32 {
        self.history(contact).impacts
    }

    fn hold(&mut self, contact: ContactId) {
        if let Err(place) = self.held.binary_search(&contact) {
            self.held.insert(place, contact);
        }
    }

    /// Notes an impact with a speed of approach, of a contact that may have so many.
    fn note(&mut self, contact: ContactId, speed: f64, limit: u32) -> Verdict {
        if self.impacts(contact) == 0 {
            self.hit.push(contact);
        }
        let history = self.history_mut(contact);
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
    fn find_own<S: System + ?Sized>(&mut self, system: &S, (t, q): (f64, &[f64]), contact: ContactId) {
        let own = &mut self.own;
        own.clear();
        let mut put = |column, value| {
            if value != 0.0 {
                own.push(column);
            }
        };
        system.contacts().partials(t, q, contact, &mut put);
        if system.contacts().directions(contact) > 0 {
            system.contacts().slides(t, q, contact, &mut |_, column, value| put(column, value));
        }
    }

    /// Whether what stands in `own` moves a body of a cluster that has collapsed.
    fn touches(&self) -> bool {
        self.own.iter().any(|&own| self.fallen[own])
    }

    fn spread(&mut self) {
        self.own.iter().for_each(|&own| self.fallen[own] = true);
    }

    /// Whether a contact moves a body of a cluster that has collapsed.
    fn joins<S: System + ?Sized>(&mut self, system: &S, place: (f64, &[f64]), contact: ContactId) -> bool {
        self.collapsed && {
            self.find_own(system, place, contact);
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
    fn lossy<S: System + ?Sized>(&self, system: &S, contact: ContactId) -> Option<f64> {
        let own = || system.contacts().material(contact).restitution;
        let restitution = self.options.restitution.unwrap_or_else(own);
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
                Verdict::Fades => self.histories.history_mut(contact).faded = true,
                Verdict::GoesOn if self.histories.joins(system, (self.leg.at.t, &self.leg.at.q), contact) => {
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
    fn collapse<S: System + ?Sized>(&mut self, system: &S, seed: ContactId) {
        let (place, before) = ((self.leg.at.t, &self.leg.at.q[..]), self.histories.held.len());
        self.histories.collapsed = true;
        self.histories.hold(seed);
        self.histories.find_own(system, place, seed);
        if system.equalities().count() > 0 {
            // Joints connect bodies that no contact does.
            self.histories.own.clear();
            self.histories.own.extend(0..place.1.len());
        }
        self.histories.spread();
        loop {
            let held = self.histories.held.len();
            for candidate in 0..self.histories.hit.len() + self.resting.len() {
                let hit = self.histories.hit.get(candidate).copied();
                let contact = hit.unwrap_or_else(|| self.resting[candidate - self.histories.hit.len()]);
                let joins = !self.histories.is_held(contact)
                    && self.lossy(system, contact).is_some()
                    && self.histories.joins(system, place, contact);
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
