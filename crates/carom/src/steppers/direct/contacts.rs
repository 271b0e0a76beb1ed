//! Which contacts a step holds: a search over sets, from none.
//!
//! Contacts that the step would violate are added, those that would pull are released, until none is wrong:
//! `0 ≤ λ/h ⊥ g(y) ≥ 0`. Each set starts from the solution of the one before. If that comes to no end, all sets of the contacts that came up are tried,
//! from several points.

use super::solve::Solver;
use crate::error::Failure;
use crate::state::State;
use crate::steppers::StepReport;
use crate::system::{ContactId, System};

/// Of up to this many contacts all sets are tried.
const MOST_ENUMERATED: usize = 12;
/// Exchanges beyond two per contact that came up. Steps of the scenes take up to 3.
const SPARE_EXCHANGES: usize = 4;

/// Where Newton's method starts in that case, as parts of the way of the free step: from a point far inside a contact it may
/// come to the wrong side.
const FRACTIONS: [f64; 3] = [1.0, 0.5, 0.0];

/// Workspace of the search.
#[derive(Debug, Clone)]
pub struct Search {
    next: Vec<ContactId>,
    /// Contacts that came up in this step, ascending.
    seen: Vec<ContactId>,
}

/// What is wrong with a set.
#[derive(Debug, Clone, Copy)]
struct Wrong {
    contact: ContactId,
    what: &'static str,
    by: f64,
}

impl Search {
    /// With room for a number of contacts.
    pub fn new(contacts: usize) -> Self {
        Self { next: Vec::with_capacity(contacts), seen: Vec::with_capacity(contacts) }
    }

    /// Solves the step; its contacts stand in the solver.
    pub fn solve<S: System + ?Sized>(
        &mut self,
        solver: &mut Solver,
        system: &S,
        state: &State,
        h: f64,
    ) -> Result<StepReport, Failure> {
        let mut report = solver.solve_free(system, state, h)?;
        self.seen.clear();
        let mut sets = 1;
        let mut reason = loop {
            let Some(wrong) = self.exchange(solver, system, h) else { return Ok(report) };
            if sets > 2 * self.seen.len() + SPARE_EXCHANGES {
                break describe(system, wrong);
            }
            sets += 1;
            std::mem::swap(&mut solver.held, &mut self.next);
            match solver.solve(system, state, h) {
                Ok(further) => {
                    report = StepReport { iterations: report.iterations + further.iterations, ..further }
                }
                Err(failure) => break format!("failed: {failure}"),
            }
        };
        // Sets may bring up further contacts: then once more with those.
        let mut tried = 0;
        while tried < self.seen.len() && self.seen.len() <= MOST_ENUMERATED {
            tried = self.seen.len();
            for (fraction, set) in FRACTIONS.iter().flat_map(|f| (0..1_usize << tried).map(move |set| (*f, set))) {
                sets += 1;
                solver.held.clear();
                let chosen = self.seen.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
                solver.held.extend(chosen.map(|(_, &contact)| contact));
                solver.restart(fraction);
                reason = match solver.solve(system, state, h) {
                    Ok(report) => match self.exchange(solver, system, h) {
                        None => return Ok(report),
                        Some(wrong) => describe(system, wrong),
                    },
                    Err(failure) => format!("failed: {failure}"),
                };
                if self.seen.len() > tried {
                    break;
                }
            }
        }
        let names: Vec<String> = self.seen.iter().map(|&c| format!("`{}`", system.contacts().name(c))).collect();
        Err(Failure::Contacts { contacts: names.join(", "), sets: sets as u32, reason })
    }

    /// The next set; `None` if this one is right, otherwise what is most wrong with it.
    fn exchange<S: System + ?Sized>(&mut self, solver: &mut Solver, system: &S, h: f64) -> Option<Wrong> {
        let mut worst: Option<Wrong> = None;
        let mut note = |contact, what, by| {
            if worst.is_none_or(|worst| by > worst.by) {
                worst = Some(Wrong { contact, what, by });
            }
        };
        self.next.clear();
        for place in 0..solver.held.len() {
            let contact = solver.held[place];
            match solver.pull(place, h) {
                Some(by) => note(contact, "pulls, by a depth of", by),
                None => self.next.push(contact),
            }
        }
        for place in 0..solver.near.len() {
            let contact = solver.near.ids()[place];
            if solver.near.next[place] >= 0.0 || solver.held.binary_search(&contact).is_ok() {
                continue;
            }
            if let Some(by) = solver.depth(system, place, h) {
                note(contact, "is violated by", by);
                self.next.push(contact);
                if let Err(place) = self.seen.binary_search(&contact) {
                    self.seen.insert(place, contact);
                }
            }
        }
        self.next.sort_unstable();
        worst
    }
}

#[cold]
fn describe<S: System + ?Sized>(system: &S, wrong: Wrong) -> String {
    format!("is wrong: `{}` {} {:.3e}", system.contacts().name(wrong.contact), wrong.what, wrong.by)
}
