//! Where the energy of a run went: what entered and what left, through what, and what is the integrator's error.
//!
//! `dE/dt = f_NP·v + ∂V/∂t + λᵀ∂f/∂t − yᵀ∂g/∂t`: non-potential forces, a potential that depends on time, constraints and surfaces that move,
//! impacts that are not elastic and contacts that are captured are the only sources. Their work is summed along the run; what of the change of energy it does not explain is the
//! error of the integrator. Work of forces and potential is integrated by two Gauss points of the cubic through the
//! nodes' positions and velocities, with an error of order h⁴, below that of steps of order 2, or by the points of a method that knows
//! the motion inside its steps, with the order of the method; that of moving constraints is
//! what their impulses did. An impact takes what its law says. A capture takes what of the energy of its step no other
//! source explains, the integrator's error of that step included.
//!
//! Cost: two evaluations of the powers per step and one sum per source.

use serde::{Deserialize, Serialize};

use crate::between::cubic;
use crate::error::Failure;
use crate::method::AnyMethod;
use crate::observe::Frame;
use crate::system::System;

/// What an account is to the energy of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// It may put energy in and take it out: forces, moving constraints, motors, potentials that depend on time.
    Source,
    /// It keeps energy and gives it back: the compliance of constraints and contacts.
    Store,
    /// It takes energy of smooth motion. What it gives is an error of the steps.
    Sink,
    /// It takes energy of what a method lets give way, so that it comes to rest: the damping of constraints that a method regularises.
    Damping,
    /// It takes energy at contacts: impacts, and forces of what touches. What it gives is an error of the steps.
    Contact,
}

impl Role {
    /// Whether it only ever takes energy.
    pub fn takes(self) -> bool {
        matches!(self, Self::Sink | Self::Damping | Self::Contact)
    }
}

/// Something that energy enters or leaves through.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Account {
    /// What it is called.
    pub name: String,
    /// What it is to the system.
    pub role: Role,
    /// Energy that came in through it.
    pub entered: f64,
    /// Energy that went out through it.
    pub left: f64,
}

/// The accounts of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ledger {
    /// The accounts, named terms of the force first.
    pub sources: Vec<Account>,
    /// Change of energy since the start.
    pub stored: f64,
    /// Largest |error| so far.
    pub error_max: f64,
    /// Largest change of energy so far beyond what sources and stores gave: above 0, sinks or the integrator gave it.
    pub risen: f64,
    terms: usize,
    /// A potential that depends on time, moving constraints.
    timed: bool,
    moving: bool,
    /// Surfaces of contacts that move.
    surfaces: bool,
    /// Accounts of the method.
    own: usize,
    contacts: bool,
    /// Whether friction has an account.
    rubs: bool,
    initial: f64,
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
    /// Configuration and velocity between the nodes, and the powers there.
    #[serde(skip)]
    between: Between,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct Between {
    q: Vec<f64>,
    v: Vec<f64>,
    powers: Vec<f64>,
}

/// The Gauss points of an interval of length 1.
const GAUSS: [f64; 2] = [0.211_324_865_405_187_13, 0.788_675_134_594_812_9];

impl Ledger {
    /// Without entries yet, for a method on a system.
    pub fn of(method: &AnyMethod, system: &dyn System) -> Self {
        let mut rough = false;
        system.contacts().materials(&mut |contact, material| {
            let mu = method.friction_of_all().unwrap_or(material.friction);
            rough |= mu > 0.0 && system.contacts().directions(contact) > 0;
        });
        Self::new(system, method.accounts(), rough)
    }

    /// Without entries yet; `accounts` are those of the method. Without an account of its own friction is booked with the impacts.
    pub fn new(system: &dyn System, accounts: &[(&str, Role)], rough: bool) -> Self {
        let names = system.forces().map_or(&[][..], |forces| forces.terms());
        let time = system.time_dependence();
        let (timed, moving, surfaces) = (time.potential, time.equalities, time.contacts);
        // A method with accounts of its own tells there what impacts take.
        let contacts = system.contacts().count() > 0 && accounts.is_empty();
        let rubs = contacts && rough;
        let further = [
            (timed, ("time-dependent potential", Role::Source)),
            (moving, ("moving constraints", Role::Source)),
            (surfaces, ("moving surfaces", Role::Source)),
            (contacts, ("impacts", Role::Contact)),
            (rubs, ("friction", Role::Contact)),
            (contacts, ("capture", Role::Contact)),
        ];
        let further = further.iter().filter(|(there, _)| *there).map(|(_, account)| account);
        let forces = names.iter().map(|name| (name.as_str(), Role::Source));
        let account =
            |(name, role): (&str, Role)| Account { name: name.to_string(), role, entered: 0.0, left: 0.0 };
        Self {
            sources: forces.chain(further.chain(accounts).copied()).map(account).collect(),
            stored: 0.0,
            error_max: 0.0,
            risen: 0.0,
            terms: names.len(),
            timed,
            moving,
            surfaces,
            own: accounts.len(),
            contacts,
            rubs,
            initial: 0.0,
            t: 0.0,
            q: Vec::new(),
            v: Vec::new(),
            between: Between::default(),
        }
    }

    /// Whether these can be the accounts of this method on this system.
    pub fn fits(&self, method: &AnyMethod, system: &dyn System) -> bool {
        let fresh = Self::of(method, system);
        let facts = |ledger: &Self| {
            let Self { terms, timed, moving, surfaces, contacts, rubs, .. } = *ledger;
            (terms, timed, moving, surfaces, contacts, rubs)
        };
        let named = |ledger: &Self| ledger.sources.iter().map(|account| account.name.clone()).collect::<Vec<_>>();
        facts(self) == facts(&fresh)
            && named(self) == named(&fresh)
            && [&self.q, &self.v].iter().all(|part| part.len() == system.dim())
    }

    /// Whether energy can enter or leave at all.
    pub fn is_open(&self) -> bool {
        !self.sources.is_empty()
    }

    /// All that entered and all that left.
    pub fn totals(&self) -> (f64, f64) {
        self.sources.iter().fold((0.0, 0.0), |(entered, left), s| (entered + s.entered, left + s.left))
    }

    /// What went in and out through everything that does not give back what it keeps.
    pub fn turned(&self) -> f64 {
        let of = self.sources.iter().filter(|account| account.role != Role::Store);
        of.map(|account| account.entered + account.left).sum()
    }

    /// What stores hold, more than at the start.
    pub fn kept(&self) -> f64 {
        -self.net_of(|role| role == Role::Store)
    }

    /// What sources put in, less what they took out.
    pub fn from_sources(&self) -> f64 {
        self.net_of(|role| role == Role::Source)
    }

    fn net_of(&self, which: impl Fn(Role) -> bool) -> f64 {
        self.sources.iter().filter(|account| which(account.role)).map(Account::net).sum()
    }

    /// What of the change of energy no source explains: stored − entered + left.
    pub fn error(&self) -> f64 {
        let (entered, left) = self.totals();
        self.stored - (entered - left)
    }

    /// Whether every account is a number: what energies beyond 1e308 leave of each other is none.
    pub fn check(&self) -> Result<(), Failure> {
        // Infinite accounts make the error infinite, or no number.
        match (self.error() + self.error_max + self.risen).is_finite() {
            true => Ok(()),
            false => Err(Failure::NonFinite { what: "an account of energy" }),
        }
    }

    /// What the steps gave that neither sources nor stores did; negative where something took energy.
    pub fn created(&self) -> f64 {
        self.stored - self.net_of(|role| !role.takes())
    }

    /// Enters the step that led to a frame.
    pub fn enter(&mut self, system: &dyn System, frame: &Frame) {
        if frame.step == 0 {
            self.initial = frame.energy();
        } else if self.is_open() {
            let error_before = self.error();
            self.enter_step(system, frame, error_before);
        }
        self.stored = frame.energy() - self.initial;
        self.error_max = self.error_max.max(self.error().abs());
        self.risen = self.risen.max(self.created());
        self.t = frame.state.t;
        self.q.clone_from(&frame.state.q);
        self.v.clear();
        self.v.extend_from_slice(frame.node_v);
    }

    fn enter_step(&mut self, system: &dyn System, frame: &Frame, error_before: f64) {
        let h = frame.state.t - self.t;
        for stage in 0..frame.inside.map_or(GAUSS.len(), |inside| inside.stages()) {
            let (s, weight) = match frame.inside {
                Some(inside) => {
                    let Between { q, v, .. } = &mut self.between;
                    q.resize(self.q.len(), 0.0);
                    v.resize(self.q.len(), 0.0);
                    inside.stage(stage, q, v)
                }
                None => {
                    self.interpolate(frame, h, GAUSS[stage]);
                    (GAUSS[stage], 0.5)
                }
            };
            let Between { q, v, powers } = &mut self.between;
            let t = self.t + s * h;
            powers.clear();
            powers.resize(self.terms, 0.0);
            if let Some(forces) = system.forces() {
                forces.powers(t, q, v, powers);
            }
            if self.timed {
                powers.push(system.potential_rates(t, q)[0]);
            }
            for (source, power) in self.sources.iter_mut().zip(&*powers) {
                source.add(weight * h * power);
            }
        }
        let mut place = self.terms + usize::from(self.timed);
        if self.moving {
            self.sources[place].add(frame.constraint_work);
            place += 1;
        }
        if self.surfaces {
            // A method with accounts of its own tells it behind them.
            let told = frame.works.get(self.own).copied();
            self.sources[place].add(told.unwrap_or(frame.report.surface_work));
            place += 1;
        }
        if self.contacts {
            self.sources[place].add(frame.report.impact_work - frame.friction_work);
            place += usize::from(self.rubs);
            self.sources[place].add(frame.friction_work);
            if frame.report.captured > 0 {
                self.stored = frame.energy() - self.initial;
                let lost = self.error() - error_before;
                self.sources[place + 1].add(lost);
            }
            place += 2;
        }
        for (source, work) in self.sources[place..].iter_mut().zip(frame.works) {
            source.add(*work);
        }
    }

    /// The cubic with the positions and velocities of both nodes, at the fraction `s` of the step.
    fn interpolate(&mut self, frame: &Frame, h: f64, s: f64) {
        let (n, Between { q, v, .. }) = (self.q.len(), &mut self.between);
        q.clear();
        v.clear();
        for i in 0..n {
            let (place, rate) = cubic(h, s, [self.q[i], frame.state.q[i]], [self.v[i], frame.node_v[i]]);
            q.push(place);
            v.push(rate);
        }
    }
}

impl Account {
    /// What came in less what went out.
    pub fn net(&self) -> f64 {
        self.entered - self.left
    }

    fn add(&mut self, work: f64) {
        if work > 0.0 {
            self.entered += work;
        } else {
            self.left -= work;
        }
    }
}
