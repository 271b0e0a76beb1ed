//! The smooth part of a step: contacts that are touched tangentially are held by forces that only push.
//!
//! `−D1 L_d(q, x) = p + G_S(q)λ + F(q)ν`, `f(x) = 0`, `0 ≤ λ ⊥ g_S(x) ≥ 0` [KP12 (7.3)-(7.5)], then the projection (7.6).
//! For a fixed set `I` of contacts that are held this is the base rule with equality constraints `f` and `g_I`, and it is
//! solved as such, to round-off. The set is found by exchange: from a guess, those with a pull are released
//! and those that are violated added. Each exchange with a linear solve is a step of the semismooth Newton method of
//! `min(λ, g) = 0` [Hintermüller, Ito & Kunisch 2002]. If it comes to no end, it starts again from the set that a quadratic
//! programme finds for linear gaps; then few candidates are enumerated, which cannot miss a solution, and many are exchanged
//! one at a time, the first wrong one each time, which ends for matrices with positive principal minors [Murty 1974];
//! `G_S M⁻¹G_Sᵀ` is one for small `h` and independent gradients.

use std::cell::RefCell;

use super::contacts::Contacts;
use crate::error::Failure;
use crate::impact::Nnls;
use crate::method::Method;
use crate::state::State;
use crate::steppers::shared::views::Held;
use crate::steppers::variational::{self, Variational};
use crate::steppers::{StepReport, Stepper};
use crate::system::System;

/// Up to this many candidates all sets are tried.
const MOST_ENUMERATED: usize = 12;
/// Exchanges of single contacts, per candidate, before a large set is given up.
const EXCHANGES: usize = 50;

/// Steps with held contacts.
#[derive(Debug, Clone)]
pub struct Holder {
    base: variational::Config,
    /// Steps by number of held contacts: their workspaces depend on nothing else.
    steps: Vec<Option<Variational>>,
    /// The contacts that the rows of a step belong to.
    known: Vec<Vec<usize>>,
    /// The contacts that are held.
    pub held: Vec<usize>,
    /// The state that they lead to.
    pub end: State,
    /// Gaps there.
    pub gaps: RefCell<Vec<f64>>,
    /// Impulses at the start and at the end, of the equality constraints and then of the held contacts.
    pub start_impulse: Vec<f64>,
    /// At the end.
    pub end_impulse: Vec<f64>,
    next: Vec<usize>,
    linear: Nnls,
}

/// Where and how far a step goes.
#[derive(Clone, Copy)]
pub struct Stride<'a> {
    /// The state, its momentum reflected.
    pub state: &'a State,
    /// The length.
    pub h: f64,
}

/// Which set is looked for.
#[derive(Clone, Copy)]
pub struct Quest<'a> {
    /// Where and how far the step goes.
    pub stride: Stride<'a>,
    /// Contacts with their rows and tolerances.
    pub contacts: &'a Contacts,
    /// Places among them of those that may be held.
    pub candidates: &'a [usize],
}

/// How a search went.
#[derive(Default)]
struct Search {
    /// Sets tried.
    sets: u32,
    /// What was wrong with the last one: words only if they are needed, a step that searches allocates nothing.
    wrong: Option<Wrong>,
    /// Why the last one had no solution.
    failure: Option<Failure>,
}

impl Search {
    fn reason<S: System + ?Sized>(&self, system: &S) -> String {
        match (&self.failure, &self.wrong) {
            (Some(failure), _) => format!("failed: {failure}"),
            (None, Some(Wrong { contact, what, by })) => {
                format!("is wrong: `{}` {what} by {by:.3e}", system.gap_name(*contact))
            }
            (None, None) => "was not judged".into(),
        }
    }
}

/// What is wrong with a set.
struct Wrong {
    /// The contact to release or to add.
    contact: usize,
    what: &'static str,
    by: f64,
}

impl Holder {
    /// For a system.
    pub fn new<S: System + ?Sized>(base: variational::Config, system: &S, start: &State) -> Self {
        let gaps = RefCell::new(vec![0.0; system.inequalities()]);
        let (steps, known, held, next) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (start_impulse, end_impulse) = (Vec::new(), Vec::new());
        Self {
            base,
            steps,
            known,
            held,
            end: start.clone(),
            gaps,
            start_impulse,
            end_impulse,
            next,
            linear: Nnls::default(),
        }
    }

    /// Makes the step. The first guess are places like those of the candidates, all that should be held. The second one, of
    /// contacts, was held in the step before: of contacts that depend on each other only some can be.
    pub fn step<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        [guess, before]: [&[usize]; 2],
    ) -> Result<StepReport, Failure> {
        let (mut search, Quest { contacts, candidates, .. }) = (Search::default(), quest);
        let is_candidate = |contact: &&usize| candidates.iter().any(|&place| contacts.members[place] == **contact);
        for attempt in 0..3 {
            self.next.clear();
            match attempt {
                0 => self.next.extend(guess.iter().map(|&place| contacts.members[place])),
                1 => self.next.extend(before.iter().filter(is_candidate)),
                _ => self.linear_guess(system, quest),
            }
            if let Some(report) = self.exchanges(system, quest, &mut search) {
                return Ok(report);
            }
        }
        let found = if candidates.len() <= MOST_ENUMERATED {
            self.enumerate(system, quest, &mut search)
        } else {
            self.next.clear();
            self.single_exchanges(system, quest, &mut search)
        };
        found.ok_or_else(|| {
            let names = candidates.iter().map(|&place| format!("`{}`", system.gap_name(contacts.members[place])));
            let (contacts, sets) = (names.collect::<Vec<_>>().join(", "), search.sets);
            Failure::Contacts { contacts, sets, reason: search.reason(system) }
        })
    }

    /// Exchanges all wrong contacts at once until none is.
    fn exchanges<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        search: &mut Search,
    ) -> Option<StepReport> {
        let mut iterations = 0;
        for _ in 0..2 * quest.candidates.len() + 4 {
            search.sets += 1;
            match self.attempt(system, quest.stride) {
                Ok(report) => {
                    iterations += report.iterations;
                    match self.exchange(quest) {
                        None => return Some(StepReport { iterations, ..report }),
                        Some(wrong) => (search.wrong, search.failure) = (Some(wrong), None),
                    }
                }
                Err(failure) => {
                    search.failure = Some(failure);
                    return None;
                }
            }
        }
        None
    }

    /// The contacts that are held if gaps are linear around the end of the step without any: a quadratic programme, whose
    /// solution holds independent contacts only.
    #[cold]
    fn linear_guess<S: System + ?Sized>(&mut self, system: &S, quest: Quest) {
        let Quest { stride, contacts, candidates } = quest;
        self.next.clear();
        if self.attempt(system, stride).is_err() {
            return;
        }
        let (n, count, gaps) = (stride.state.q.len(), candidates.len(), self.gaps.borrow());
        self.linear.resize(count);
        for (a, &i) in candidates.iter().enumerate() {
            for (b, &j) in candidates.iter().enumerate() {
                self.linear.w[a * count + b] = contacts.product([i, j], n);
            }
            self.linear.c[a] = gaps[contacts.members[i]] / stride.h;
        }
        self.linear.solve();
        self.next.clear();
        let pushing = candidates.iter().zip(&self.linear.y).filter(|(_, y)| **y > 0.0);
        self.next.extend(pushing.map(|(&place, _)| contacts.members[place]));
    }

    /// Tries every set, smaller ones first.
    #[cold]
    fn enumerate<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        search: &mut Search,
    ) -> Option<StepReport> {
        let (contacts, candidates) = (quest.contacts, quest.candidates);
        let count = candidates.len();
        for size in 0..=count as u32 {
            for set in (0..1_usize << count).filter(|set| set.count_ones() == size) {
                search.sets += 1;
                self.next.clear();
                let chosen = candidates.iter().enumerate().filter(|(bit, _)| set >> bit & 1 == 1);
                self.next.extend(chosen.map(|(_, &place)| contacts.members[place]));
                let Ok(report) = self.attempt(system, quest.stride) else { continue };
                if self.exchange(quest).is_none() {
                    return Some(report);
                }
            }
        }
        None
    }

    /// Exchanges the first wrong contact until none is.
    #[cold]
    fn single_exchanges<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        search: &mut Search,
    ) -> Option<StepReport> {
        for _ in 0..EXCHANGES * quest.candidates.len() {
            search.sets += 1;
            let first = match self.attempt(system, quest.stride) {
                Ok(report) => match self.exchange(quest) {
                    None => return Some(report),
                    Some(wrong) => wrong.contact,
                },
                // Rows that depend on each other: without the last one they may not.
                Err(_) => *self.held.last()?,
            };
            self.next.clone_from(&self.held);
            match self.next.binary_search(&first) {
                Ok(place) => drop(self.next.remove(place)),
                Err(place) => self.next.insert(place, first),
            }
        }
        None
    }

    /// The step with the contacts of `next` held; its end stands in `end`.
    fn attempt<S: System + ?Sized>(&mut self, system: &S, stride: Stride) -> Result<StepReport, Failure> {
        std::mem::swap(&mut self.held, &mut self.next);
        let view = Held { system, contacts: &self.held, gaps: &self.gaps };
        let count = self.held.len();
        if self.steps.len() <= count {
            self.steps.resize(count + 1, None);
            self.known.resize(count + 1, Vec::new());
        }
        let step = match &mut self.steps[count] {
            Some(step) => {
                if self.known[count] != self.held {
                    step.forget();
                }
                step
            }
            empty => empty.insert(self.base.stepper(&view, stride.state)?),
        };
        self.known[count].clone_from(&self.held);
        self.end.copy_from(stride.state);
        let report = step.step(&view, &mut self.end, stride.h).map_err(|error| error.failure)?;
        let impulses = Stepper::<Held<S>>::impulses(step);
        for (own, theirs) in [(&mut self.start_impulse, impulses.start), (&mut self.end_impulse, impulses.end)] {
            own.clear();
            own.extend_from_slice(theirs);
        }
        system.gap(&self.end.q, &mut self.gaps.borrow_mut());
        Ok(report)
    }

    /// The next set; `None` if this one is right, otherwise its first wrong contact.
    fn exchange(&mut self, quest: Quest) -> Option<Wrong> {
        let Quest { stride, contacts, candidates } = quest;
        let (gaps, mut wrong) = (self.gaps.borrow(), None);
        let own = self.start_impulse.len() - self.held.len();
        self.next.clear();
        for &place in candidates {
            let contact = contacts.members[place];
            let (fault, stays) = match self.held.binary_search(&contact) {
                Ok(row) => {
                    // `−Gᵀ` of the multiplier went into the momentum.
                    let lambda = -self.start_impulse[own + row];
                    // A step back in time has negative impulses of forces that push.
                    let pull = -lambda * stride.h.signum() * contacts.product([place; 2], stride.state.q.len());
                    let pulls = pull > contacts.speed_tolerance[place];
                    (pulls.then_some(("pulls", pull)), !pulls)
                }
                Err(_) => {
                    let depth = -gaps[contact];
                    let violated = depth > contacts.gap_tolerance[place];
                    (violated.then_some(("is violated", depth)), violated)
                }
            };
            if let (Some((what, by)), None) = (fault, &wrong) {
                wrong = Some(Wrong { contact, what, by });
            }
            if stays {
                self.next.push(contact);
            }
        }
        wrong
    }
}
