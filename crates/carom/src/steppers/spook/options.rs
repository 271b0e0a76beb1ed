//! The options of `spook`, what it claims and what it warns of.

use carom_lcp::problem::MOST_FRICTION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::choices::{
    Choice, FrictionLaw, FrictionLawWith, PgsOptions, PolygonOptions, Solver, SolverWith, SplitOptions, Variant,
};
use super::step::Spook;
use crate::error::Failure;
use crate::measures::Role;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::system::{ContactId, System};

/// What is done about the bend of the constraints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hessian {
    /// Nothing: a violation of (h²/4 + hτ/2) vᵀHv stays.
    #[default]
    None,
    /// −φ(h + 2τ) vᵀHv: violations of order 3. Explicit, for small angles per step.
    Chord,
    /// −φh vᵀHv: the paper's term with the gradient at the end of the step frozen.
    Frozen,
    /// −h vᵀHv: the paper's term with that gradient expanded too.
    Full,
}

/// Which equation of the constraints is solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Equations {
    /// Linearised at the start of the step [lacoursiere-linde-2011 (55)].
    #[default]
    Linear,
    /// As it stands [lacoursiere-linde-2011 (52)], by iteration: without damping there is no violation, with it one of hτ/2 vᵀHv. Without contacts alone.
    Nonlinear,
}

/// What is done about the stiffness of bodies under tension across it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stiffness {
    /// Nothing: lateral motion needs h ω < 2.
    #[default]
    None,
    /// ½h²K(v1 − v0) with the positive part of the geometric stiffness K of the last impulses.
    Geometric,
}

/// What the initial velocity is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// The method's own, half a step earlier: costs an order.
    #[default]
    Plain,
    /// The velocity at the first node.
    Staggered,
}

/// `[method] name = "spook"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// ε: what constraints and contacts yield per force, where they do not say themselves. In metres per newton for lengths.
    pub compliance: f64,
    /// τ: the time in which violations decay, in seconds; without it `damping_steps` steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// The same in steps. 2 is the fastest decay without oscillation.
    pub damping_steps: f64,
    /// γ: what friction, and rows of velocities that do not say themselves, yield in velocity per force.
    pub slip: f64,
    /// Which equation of the constraints is solved.
    pub equations: Equations,
    /// What is done about the bend of the constraints.
    pub hessian: Hessian,
    /// What is done about geometric stiffness.
    pub stiffness: Stiffness,
    /// What the initial velocity is taken for.
    pub start: Start,
    /// What solves the problem of a step.
    pub solver: Choice<Solver, SolverWith>,
    /// The bound of friction.
    pub friction_law: Choice<FrictionLaw, FrictionLawWith>,
    /// Sweeps of `pgs` (100 if not given) or between couplings of `split` (15), where `solver` is a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweeps: Option<u32>,
    /// Couplings of `split`, where `solver` is a name.
    pub couplings: u32,
    /// Part of the last impulses that a solve starts from: 1 for direct solvers, 0.5 for sweeps if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warm: Option<f64>,
    /// The relative residual above which a step is an error; without it 1e-8 for `direct` and `newton`, and what the sweeps leave is
    /// taken and reported for `pgs` and `split`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// Whether contacts that are approached have an impact before the step; without it only the step stops them.
    pub impact: bool,
    /// The speed of approach that is no impact yet.
    pub threshold: f64,
    /// T of the impact, relative to the mobility of the contact.
    pub impact_regularisation: f64,
    /// Gaps below this count before they close: the speed of approach is bounded by gap / h. 0 for none.
    pub speculative: f64,
    /// Coefficient of restitution of all contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Coefficient of friction of all contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            compliance: 1e-8,
            damping: None,
            damping_steps: 2.0,
            slip: 1e-8,
            equations: Equations::default(),
            hessian: Hessian::default(),
            stiffness: Stiffness::default(),
            start: Start::default(),
            solver: Choice::default(),
            friction_law: Choice::default(),
            sweeps: None,
            couplings: SplitOptions::default().couplings,
            warm: None,
            tolerance: None,
            impact: true,
            threshold: 0.0,
            impact_regularisation: 1e-10,
            speculative: 0.0,
            restitution: None,
            friction: None,
        }
    }
}

impl Config {
    /// What solves the problem of a step.
    pub(super) fn solver(&self) -> Solver {
        match self.solver {
            Choice::Name(solver) => solver,
            Choice::With(SolverWith::Pgs(_)) => Solver::Pgs,
            Choice::With(SolverWith::Split(_)) => Solver::Split,
        }
    }

    /// How a sweep solves one contact.
    pub(super) fn variant(&self) -> Variant {
        match self.solver {
            Choice::Name(_) => Variant::default(),
            Choice::With(SolverWith::Pgs(options)) => options.variant,
            Choice::With(SolverWith::Split(options)) => options.variant,
        }
    }

    /// Rounds of a splitting.
    pub(super) fn couplings(&self) -> usize {
        match self.solver {
            Choice::With(SolverWith::Split(options)) => options.couplings as usize,
            _ => self.couplings as usize,
        }
    }

    /// The bound of friction.
    pub(super) fn friction_law(&self) -> FrictionLaw {
        match self.friction_law {
            Choice::Name(law) => law,
            Choice::With(FrictionLawWith::Polygon(_)) => FrictionLaw::Polygon,
        }
    }

    /// Corners of the polygon that stands for the cone.
    pub(super) fn corners(&self) -> usize {
        let Choice::With(FrictionLawWith::Polygon(options)) = self.friction_law else {
            return PolygonOptions::default().corners as usize;
        };
        options.corners as usize
    }

    /// Whether sweeps are made.
    pub(super) fn iterates(&self) -> bool {
        matches!(self.solver(), Solver::Pgs | Solver::Split)
    }

    /// The part of the last impulses that a solve starts from.
    pub(super) fn warm(&self) -> f64 {
        self.warm.unwrap_or(if self.iterates() { 0.5 } else { 1.0 })
    }

    /// The sweeps of a solve, or between couplings.
    pub(super) fn sweeps(&self) -> usize {
        let sweeps = match self.solver {
            Choice::With(SolverWith::Pgs(options)) => options.sweeps,
            Choice::With(SolverWith::Split(options)) => options.sweeps,
            Choice::Name(Solver::Pgs) => self.sweeps.unwrap_or(PgsOptions::default().sweeps),
            Choice::Name(_) => self.sweeps.unwrap_or(SplitOptions::default().sweeps),
        };
        sweeps as usize
    }

    /// The residual above which a step is an error.
    pub(super) fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(if self.iterates() { f64::INFINITY } else { 1e-8 })
    }

    /// τ of rows that do not say themselves.
    pub(super) fn damping(&self, h: f64) -> f64 {
        self.damping.unwrap_or(self.damping_steps * h)
    }
}

impl Method for Config {
    const NAME: &'static str = "spook";
    const TITLE: &'static str = "regularised, stabilised variational steps with impacts and dry friction";
    const CITES: &'static [&'static str] = &["lacoursiere-linde-2011"];
    type Stepper = Spook;

    fn check(&self) -> Result<(), (&'static str, String)> {
        let not_negative = [
            ("compliance", Some(self.compliance)),
            ("damping", self.damping),
            ("damping_steps", Some(self.damping_steps)),
            ("slip", Some(self.slip)),
            ("threshold", Some(self.threshold)),
            ("speculative", Some(self.speculative)),
            ("impact_regularisation", Some(self.impact_regularisation)),
        ];
        for (key, value) in not_negative {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
                return Err((key, format!("found {value}, allowed: zero or a positive number")));
            }
        }
        if let Some(value) = self.friction.filter(|mu| !(0.0..=MOST_FRICTION).contains(mu)) {
            return Err(("friction", format!("found {value}, allowed: a number from 0 to 1e6")));
        }
        for (key, value) in [("restitution", self.restitution), ("warm", self.warm)] {
            if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
                return Err((key, format!("found {value}, allowed: a number from 0 to 1")));
            }
        }
        if let Some(value) = self.tolerance.filter(|value| !(*value > 0.0 && *value < 1.0)) {
            return Err((
                "tolerance",
                format!(
                    "found {value}, allowed: a number above 0 and below 1, which no impulses at all would meet"
                ),
            ));
        }
        for (key, count) in [("sweeps", self.sweeps), ("couplings", Some(self.couplings))] {
            if count == Some(0) {
                return Err((key, "found 0, allowed: at least 1".to_string()));
            }
        }
        if self.equations == Equations::Nonlinear && self.hessian != Hessian::None {
            return Err((
                "hessian",
                "equations = \"nonlinear\" has no use for it: allowed is \"none\"".to_string(),
            ));
        }
        for (key, given, used) in [
            ("sweeps", self.sweeps.is_some(), self.iterates()),
            ("couplings", self.couplings != SplitOptions::default().couplings, self.solver() == Solver::Split),
        ] {
            match self.solver {
                Choice::With(_) if given => {
                    return Err((key, "`solver` is a table and has this option itself: keep it there".to_string()));
                }
                Choice::Name(_) if given && !used => {
                    return Err((key, "this `solver` has no use for it: remove it, or choose another".to_string()));
                }
                _ => {}
            }
        }
        if self.sweeps() == 0 || self.couplings() == 0 {
            return Err(("solver", "found 0 sweeps or couplings, allowed: at least 1".to_string()));
        }
        if self.corners() < 3 {
            return Err(("friction_law", format!("found {} corners, allowed: at least 3", self.corners())));
        }
        if self.friction_law() == FrictionLaw::Polygon && self.solver() != Solver::Direct {
            return Err(("friction_law", "a polygon needs solver = \"direct\"".to_string()));
        }
        Ok(())
    }

    fn claims(&self) -> Claims {
        Claims {
            order: 1,
            symplectic: false,
            reversible: false,
            linear_momentum: true,
            // The positive part of a geometric stiffness acts across the links: it has a moment.
            angular_momentum: self.stiffness == Stiffness::None,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities {
            configuration_mass: false,
            regularised: true,
            inequalities: self.equations == Equations::Linear,
            nonholonomic: true,
            friction: true,
            soft_contacts: true,
            ..Abilities::VARIATIONAL
        }
    }

    fn accounts(&self) -> &'static [(&'static str, Role)] {
        &super::accounts::NAMES
    }

    fn friction_of_all(&self) -> Option<f64> {
        self.friction
    }

    fn restitution_of_all(&self) -> Option<f64> {
        self.restitution
    }

    fn loosened_by(&self) -> Option<String> {
        let taken = self.tolerance.map_or_else(
            || "what they leave is taken".to_string(),
            |tolerance| format!("tolerance = {tolerance:e} allows it"),
        );
        match self.solver() {
            Solver::Pgs => Some(format!("solver = \"pgs\" with sweeps = {}: {taken}", self.sweeps())),
            Solver::Split => {
                let (couplings, sweeps) = (self.couplings(), self.sweeps());
                Some(format!("solver = \"split\" with couplings = {couplings} and sweeps = {sweeps}: {taken}"))
            }
            _ => self.tolerance.map(|tolerance| format!("tolerance = {tolerance:e} allows it")),
        }
    }

    fn staggered(&self) -> bool {
        true
    }

    fn tells_row_impulses(&self) -> bool {
        true
    }

    fn warnings<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Vec<String> {
        self.warn(system, start, h)
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Spook, Failure> {
        Spook::new(self, system, start)
    }
}

impl Config {
    /// ε and τ of an equality.
    pub(super) fn softness<S: System + ?Sized>(&self, system: &S, row: usize, h: f64) -> [f64; 2] {
        let own = system.equalities().softness(row);
        [own.compliance.unwrap_or(self.compliance), own.damping.unwrap_or_else(|| self.damping(h))]
    }

    /// ε and τ of a contact.
    pub(super) fn contact_softness<S: System + ?Sized>(&self, system: &S, contact: ContactId, h: f64) -> [f64; 2] {
        let own = system.contacts().material(contact).softness;
        [own.compliance.unwrap_or(self.compliance), own.damping.unwrap_or_else(|| self.damping(h))]
    }
}
