//! The smooth part of a step: contacts that are touched tangentially are held by forces that only push.
//!
//! `−D1 L_d(q, x) = p + G_S(q)λ + F(q)ν`, `f(x) = 0`, `0 ≤ λ ⊥ g_S(x) ≥ 0` [kaufman-pai-2012 (7.3), (7.4), (7.8)], then the projection [kaufman-pai-2012 (7.5), (7.6), (7.9)].
//! For a fixed set `I` of contacts that are held this is the base rule with equality constraints `f` and `g_I`, and it is
//! solved as such, to round-off. The set is found by exchange: from a guess, those with a pull are released
//! and those that are violated added. Each exchange with a linear solve is a step of the semismooth Newton method of
//! `min(λ, g) = 0` [Hintermüller, Ito & Kunisch 2002]. If that does not end, and first of all where candidates are many, sets are found by
//! quadratic programmes for linear gaps; then few candidates are enumerated, which cannot miss a solution, and many are exchanged
//! one at a time, the first wrong one each time, which ends for matrices with positive principal minors [Murty 1974];
//! `G_S M⁻¹G_Sᵀ` is one for small `h` and independent gradients.

use super::cluster::Cluster;
use super::contacts::ContactRows;
use crate::error::{Failure, Row};
use crate::impact::Nnls;
use crate::linear::dot;
use crate::method::Method;
use crate::state::State;
use crate::steppers::shared::views::Held;
use crate::steppers::variational::{self, Rule, Variational};
use crate::steppers::{StepReport, Stepper};
use crate::system::{ContactId, System};

/// Up to this many candidates all sets are tried.
const MOST_ENUMERATED: usize = 12;
/// Up to this many candidates the guess is tried before quadratic programmes.
const FEW: usize = 6;
/// From this many candidates on steps are those of clusters, of methods that search for sets otherwise.
const MANY: usize = 200;
/// Quadratic programmes before a set is searched otherwise; 2 to 4 are the rule.
const PROGRAMMES: u32 = 20;
/// What a gap may be violated by whose row depends on those of others up to round-off, in multiples of its tolerance.
const SLACK: f64 = 1e3;
/// Exchanges of single contacts, per candidate, before a large set is given up.
const EXCHANGES: usize = 50;

/// Steps with held contacts.
#[derive(Debug, Clone)]
pub struct Holder {
    base: variational::Config,
    /// Steps by number of held contacts: their workspaces depend on nothing else.
    steps: Vec<Option<Variational>>,
    /// The contacts that the rows of a step belong to.
    known: Vec<Vec<ContactId>>,
    /// The contacts that are held.
    pub held: Vec<ContactId>,
    /// The state that they lead to.
    pub end: State,
    /// Gaps of the members there.
    pub gaps: Vec<f64>,
    /// Impulses at the start and at the end, of the equality constraints and then of the held contacts.
    pub start_impulse: Vec<f64>,
    /// At the end.
    pub end_impulse: Vec<f64>,
    next: Vec<ContactId>,
    linear: Nnls,
    pushing: Vec<f64>,
    /// Candidates that are not held because their rows depend on those of others.
    dropped: Vec<ContactId>,
    /// Equality constraints of the system.
    own: usize,
    /// For many contacts at once.
    cluster: Option<Cluster>,
    /// For how many.
    clusters_from: usize,
    /// Whether only the place at the end of a step is asked for, as while an impact is located: impulses and momentum may then be left as they were.
    pub places_only: bool,
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
    pub contacts: &'a ContactRows,
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
                format!("is wrong: `{}` {what} by {by:.3e}", system.contacts().name(*contact))
            }
            (None, None) => "was not judged".into(),
        }
    }
}

/// What is wrong with a set.
struct Wrong {
    /// The contact to release or to add.
    contact: ContactId,
    what: &'static str,
    by: f64,
}

impl Holder {
    /// For a system.
    pub fn new<S: System + ?Sized>(base: variational::Config, system: &S, start: &State) -> Self {
        let (steps, known, held, next) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (start_impulse, end_impulse) = (Vec::new(), Vec::new());
        Self {
            cluster: match base.rule == Rule::Trapezoid && system.contacts().count() >= MANY {
                true => Cluster::new(system, &start.q),
                false => None,
            },
            clusters_from: MANY,
            base,
            steps,
            known,
            held,
            end: start.clone(),
            gaps: Vec::new(),
            start_impulse,
            end_impulse,
            next,
            linear: Nnls::default(),
            pushing: Vec::new(),
            dropped: Vec::new(),
            own: system.equalities().count(),
            places_only: false,
        }
    }

    /// The contacts are others, or elsewhere.
    pub fn forget(&mut self) {
        if let Some(cluster) = &mut self.cluster {
            cluster.forget();
        }
    }

    /// A new step.
    pub fn restart(&mut self) {
        if let Some(cluster) = &mut self.cluster {
            cluster.rubbing.forget();
        }
    }

    /// For methods whose contacts come in clusters.
    pub fn with_clusters<S: System + ?Sized>(base: variational::Config, system: &S, start: &State) -> Self {
        let cluster = if base.rule == Rule::Trapezoid { Cluster::new(system, &start.q) } else { None };
        Self { cluster, clusters_from: 2, ..Self::new(base, system, start) }
    }

    /// The step of many contacts.
    fn step_of_cluster<S: System + ?Sized>(&mut self, system: &S, quest: Quest) -> Option<StepReport> {
        let cluster = self.cluster.as_mut()?;
        self.gaps.resize(quest.contacts.members.len(), 0.0);
        let report = cluster.step(system, quest, (&mut self.end, &mut self.gaps), self.places_only).ok()?;
        self.take_impulses(quest);
        Some(report)
    }

    /// The step of contacts with friction, by the coefficient that is given or their own; `None` for systems on which a step of Verlet is not
    /// explicit.
    pub fn step_with_friction<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        coefficient: Option<f64>,
    ) -> Option<Result<StepReport, Failure>> {
        let cluster = self.cluster.as_mut()?;
        self.gaps.resize(quest.contacts.members.len(), 0.0);
        let end = (&mut self.end, &mut self.gaps[..]);
        let report = cluster.step_with_friction(system, (quest, coefficient), end, self.places_only);
        if report.is_ok() {
            self.take_impulses(quest);
        }
        Some(report)
    }

    /// Whether steps with friction can be made.
    pub fn has_clusters(&self) -> bool {
        self.cluster.is_some()
    }

    /// Work that moving surfaces did in the last step, through the contacts that were held from a state on.
    pub fn surface_work<S: System + ?Sized>(&self, system: &S, start: &State) -> f64 {
        if !system.time_dependence().contacts {
            return 0.0;
        }
        let contacts = system.contacts();
        let rate = |state: &State, contact: ContactId| contacts.rates(state.t, &state.q, contact)[0];
        // −Gᵀ of what is told went into the momentum: λᵀ∂g/∂t.
        let impulses = self.start_impulse[self.own..].iter().zip(&self.end_impulse[self.own..]);
        let of = |(&contact, (at_start, at_end)): (&ContactId, (&f64, &f64))| {
            at_start * rate(start, contact) + at_end * rate(&self.end, contact)
        };
        self.held.iter().zip(impulses).map(of).sum()
    }

    /// The work of friction in the last step with it.
    pub fn friction_work(&self) -> f64 {
        self.cluster.as_ref().map_or(0.0, |cluster| cluster.rubbing.work)
    }

    /// Takes the impulses of contacts from the cluster.
    fn take_impulses(&mut self, quest: Quest) {
        let Some(cluster) = self.cluster.as_ref().filter(|_| !self.places_only) else { return };
        let sign = quest.stride.h.signum();
        self.held.clear();
        self.start_impulse.clear();
        self.end_impulse.clear();
        for (a, &place) in quest.candidates.iter().enumerate() {
            let (lambda, mu) = (cluster.lambda[a], cluster.mu[a]);
            if lambda > 0.0 || mu > 0.0 {
                self.held.push(quest.contacts.members[place]);
                self.start_impulse.push(-lambda * sign);
                self.end_impulse.push(-mu * sign);
            }
        }
    }

    /// Makes the step. The first guess are places like those of the candidates, all that should be held. The second one, of
    /// contacts, was held in the step before: of contacts that depend on each other only some can be.
    pub fn step<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        (guess, before): (&[usize], &[ContactId]),
    ) -> Result<StepReport, Failure> {
        let (mut search, Quest { contacts, candidates, .. }) = (Search::default(), quest);
        let is_candidate =
            |contact: &&ContactId| candidates.iter().any(|&place| contacts.members[place] == **contact);
        self.dropped.clear();
        let many = candidates.len() > FEW;
        if candidates.len() >= self.clusters_from
            && let Some(report) = self.step_of_cluster(system, quest)
        {
            return Ok(report);
        }
        if many && let Some(report) = self.programmes(system, quest, &mut search) {
            return Ok(report);
        }
        for places in [true, false] {
            self.dropped.clear();
            self.next.clear();
            if places {
                self.next.extend(guess.iter().map(|&place| contacts.members[place]));
            } else {
                self.next.extend(before.iter().filter(is_candidate));
            }
            if let Some(report) = self.exchanges(system, quest, &mut search) {
                return Ok(report);
            }
        }
        if !many && let Some(report) = self.programmes(system, quest, &mut search) {
            return Ok(report);
        }
        let found = if candidates.len() <= MOST_ENUMERATED {
            self.enumerate(system, quest, &mut search)
        } else {
            self.next.clear();
            self.single_exchanges(system, quest, &mut search)
        };
        found.ok_or_else(|| {
            let names =
                candidates.iter().map(|&place| format!("`{}`", system.contacts().name(contacts.members[place])));
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
            match self.attempt(system, quest) {
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

    /// Steps with the contacts that a quadratic programme holds for gaps that are linear around the end of the step before, first of the one
    /// without any, until the set is right: Newton's method for complementarity problems [Josephy 1979]. Of contacts that depend on each other a programme
    /// holds some that do not.
    fn programmes<S: System + ?Sized>(
        &mut self,
        system: &S,
        quest: Quest,
        search: &mut Search,
    ) -> Option<StepReport> {
        let Quest { stride, contacts, candidates } = quest;
        let count = candidates.len();
        self.linear.resize(count);
        for (a, &i) in candidates.iter().enumerate() {
            for (b, &j) in candidates.iter().enumerate() {
                self.linear.w[a * count + b] = contacts.product([i, j]);
            }
        }
        self.next.clear();
        for _ in 0..PROGRAMMES {
            search.sets += 1;
            match self.attempt(system, quest) {
                Ok(report) => match self.exchange(quest) {
                    None => return Some(report),
                    Some(wrong) => (search.wrong, search.failure) = (Some(wrong), None),
                },
                Err(failure) => {
                    let dependent = self.dependent(&failure);
                    search.failure = Some(failure);
                    // The others hold it as well, up to round-off.
                    let contact = dependent?;
                    self.dropped.push(contact);
                    self.next.clear();
                    self.next.extend(self.held.iter().filter(|held| **held != contact));
                    continue;
                }
            }
            // Impulses that push, by candidate: the gap over the step would be g/h + W(y − pushing).
            let own = self.start_impulse.len() - self.held.len();
            self.pushing.clear();
            for &place in candidates {
                let row = self.held.binary_search(&contacts.members[place]);
                self.pushing.push(row.map_or(0.0, |row| -self.start_impulse[own + row] * stride.h.signum()));
            }
            for (a, &i) in candidates.iter().enumerate() {
                let known = dot(&self.linear.w[a * count..(a + 1) * count], &self.pushing);
                let gap = if self.dropped.contains(&contacts.members[i]) { f64::INFINITY } else { self.gaps[i] };
                self.linear.c[a] = gap / stride.h.abs() - known;
            }
            let held = &self.held;
            let guess = (0..count).filter(|a| held.binary_search(&contacts.members[candidates[*a]]).is_ok());
            self.linear.solve_from(guess);
            self.next.clear();
            let pushing = candidates.iter().zip(&self.linear.y).filter(|(_, y)| **y > 0.0);
            self.next.extend(pushing.map(|(&place, _)| contacts.members[place]));
            if self.next == self.held {
                return None;
            }
        }
        None
    }

    /// The contact whose row depends on others, if that is why a step failed.
    fn dependent(&self, failure: &Failure) -> Option<ContactId> {
        let (Failure::Redundant { row: Row::Equality(index, _), .. }
        | Failure::Singular { row: Row::Equality(index, _), .. }) = failure
        else {
            return None;
        };
        index.checked_sub(self.own).and_then(|place| self.held.get(place)).copied()
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
                let Ok(report) = self.attempt(system, quest) else { continue };
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
            let first = match self.attempt(system, quest) {
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
    fn attempt<S: System + ?Sized>(&mut self, system: &S, quest: Quest) -> Result<StepReport, Failure> {
        std::mem::swap(&mut self.held, &mut self.next);
        let Quest { stride, contacts, .. } = quest;
        let view = Held { system, contacts: &self.held };
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
        self.gaps.resize(contacts.members.len(), 0.0);
        system.contacts().gaps_of(self.end.t, &self.end.q, &contacts.members, &mut self.gaps);
        Ok(report)
    }

    /// The next set; `None` if this one is right, otherwise its first wrong contact.
    fn exchange(&mut self, quest: Quest) -> Option<Wrong> {
        let Quest { stride, contacts, candidates } = quest;
        let (gaps, mut wrong) = (&self.gaps, None);
        let own = self.start_impulse.len() - self.held.len();
        self.next.clear();
        for &place in candidates {
            let contact = contacts.members[place];
            let (fault, stays) = match self.held.binary_search(&contact) {
                Ok(row) => {
                    // `−Gᵀ` of the multiplier went into the momentum.
                    let lambda = -self.start_impulse[own + row];
                    // A step back in time has negative impulses of forces that push.
                    let pull = -lambda * stride.h.signum() * contacts.product([place; 2]);
                    let pulls = pull > contacts.speed_tolerance[place];
                    (pulls.then_some(("pulls", pull)), !pulls)
                }
                Err(_) => {
                    let depth = -gaps[place];
                    let slack = if self.dropped.contains(&contact) { SLACK } else { 1.0 };
                    let violated = depth > slack * contacts.gap_tolerance[place];
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
