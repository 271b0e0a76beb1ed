//! The options of `spook`, what it claims and what it warns of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::step::Spook;
use crate::error::Failure;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::steppers::shared::mass::InverseMass;
use crate::system::System;

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
    /// Linearised at the start of the step [(55)].
    #[default]
    Linear,
    /// As it stands [(52)], by iteration: without damping there is no violation, with it one of hτ/2 vᵀHv. Without contacts alone.
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

/// What solves the problem of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Sparse factors; block pivoting with contacts, and with friction Newton's method and what finds it a start.
    #[default]
    Direct,
    /// Joints and normals directly, friction by sweeps: `sweeps` in each of `couplings` rounds.
    Split,
    /// Projected Gauss-Seidel: `sweeps` of them, whatever they reach.
    Pgs,
    /// Newton's method alone where there is friction; as `direct` where there is none.
    Newton,
}

/// The bound of friction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLaw {
    /// Coulomb's: the length of the tangential impulse.
    #[default]
    Cone,
    /// Each tangent on its own.
    Box,
    /// A polygon of 8 corners in the cone; with `solver = "direct"` alone.
    Polygon,
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
    pub solver: Solver,
    /// The bound of friction.
    pub friction_law: FrictionLaw,
    /// Sweeps of `pgs` (100 if not given) or between couplings of `split` (15).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweeps: Option<u32>,
    /// Couplings of `split`.
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
            solver: Solver::default(),
            friction_law: FrictionLaw::default(),
            sweeps: None,
            couplings: 5,
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

/// Below this part of the mobility of its row, T leaves factors without digits to spare.
const CONDITIONING: f64 = 1e-8;

/// Numbers in the gradients of a system whose rows are not looked at one by one before a run.
const LARGE: usize = 1_000_000;

impl Config {
    /// Whether sweeps are made.
    pub(super) fn iterates(&self) -> bool {
        matches!(self.solver, Solver::Pgs | Solver::Split)
    }

    /// The part of the last impulses that a solve starts from.
    pub(super) fn warm(&self) -> f64 {
        self.warm.unwrap_or(if self.iterates() { 0.5 } else { 1.0 })
    }

    /// The sweeps of a solve, or between couplings.
    pub(super) fn sweeps(&self) -> usize {
        self.sweeps.unwrap_or(if self.solver == Solver::Pgs { 100 } else { 15 }) as usize
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
            ("friction", self.friction),
        ];
        for (key, value) in not_negative {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value >= 0.0)) {
                return Err((key, format!("found {value}, allowed: zero or a positive number")));
            }
        }
        for (key, value) in [("restitution", self.restitution), ("warm", self.warm)] {
            if let Some(value) = value.filter(|value| !(0.0..=1.0).contains(value)) {
                return Err((key, format!("found {value}, allowed: a number from 0 to 1")));
            }
        }
        if let Some(value) = self.tolerance.filter(|value| value.is_nan() || *value <= 0.0) {
            return Err(("tolerance", format!("found {value}, allowed: a positive number")));
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
        if self.friction_law == FrictionLaw::Polygon && self.solver != Solver::Direct {
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
            angular_momentum: true,
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
            ..Abilities::VARIATIONAL
        }
    }

    fn accounts(&self) -> &'static [&'static str] {
        &super::accounts::NAMES
    }

    fn friction_of_all(&self) -> Option<f64> {
        self.friction
    }

    fn staggered(&self) -> bool {
        true
    }

    fn warnings<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        warnings.extend(self.growth(system, start, h));
        warnings.extend(self.undamped_contacts(system, h));
        warnings.extend(self.conditioning(system, start, h));
        let sweeps = self.sweeps();
        if self.solver == Solver::Pgs && sweeps < 100 && self.warm() > 0.5 && self.damping(h) < 10.0 * h {
            warnings.push(format!(
                "{sweeps} sweeps from {} of the last impulses with damping below 10 steps: errors feed back through the positions and can \
                 grow from step to step; warm <= 0.5, damping_steps >= 10 or more sweeps are safe",
                self.warm()
            ));
        }
        warnings
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Spook, Failure> {
        Spook::new(self, system, start)
    }
}

impl Config {
    /// ε and τ of an equality.
    pub(super) fn softness<S: System + ?Sized>(&self, system: &S, row: usize, h: f64) -> [f64; 2] {
        let own = system.equality_softness(row);
        [own.compliance.unwrap_or(self.compliance), own.damping.unwrap_or_else(|| self.damping(h))]
    }

    /// Rows without damping: what violates them does not decay, and grows where they bend or have no compliance either.
    fn growth<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Option<String> {
        let m = system.equalities();
        if m == 0 || self.equations == Equations::Nonlinear || m.saturating_mul(system.dim()) > LARGE {
            return None;
        }
        // Linear rows bend along no velocity; any in general position shows which do.
        let v: Vec<f64> = (0..start.q.len()).map(|k| libm::sin(1.0 + k as f64)).collect();
        let mut bend = vec![0.0; m];
        system.equality_bend(start.t, &start.q, &v, &mut bend);
        let grows = |row: &usize| {
            let [epsilon, tau] = self.softness(system, *row, h);
            tau == 0.0 && (epsilon == 0.0 || bend[*row] != 0.0)
        };
        let count = (0..m).filter(grows).count();
        let first = (0..m).find(grows)?;
        let name = system.equality_name(first);
        let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let why = match self.softness(system, first, h)[0] {
            0.0 => {
                "compliance and damping are both 0; a violation then alternates and grows with every step (bound: one of them above 0)"
            }
            _ => {
                "damping is 0 and the constraint bends; violations do not decay and can take up energy (bound: above 0; 2 steps are critical)"
            }
        };
        Some(format!("`{name}`{others}: {why}"))
    }

    /// Contacts without damping.
    fn undamped_contacts<S: System + ?Sized>(&self, system: &S, h: f64) -> Option<String> {
        (system.inequalities() > 0 && self.damping(h) == 0.0).then(|| {
            "contacts without damping give back more than they take: a depth d throws them back with 4 d/h (bound: damping above 0; 2 steps are \
             critical)"
                .to_string()
        })
    }

    /// Rows whose T is so small against their mobility that factors lose digits, and dependent rows cannot be told.
    fn conditioning<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Option<String> {
        let (n, m) = (system.dim(), system.equalities());
        // The rows are looked at one by one, by products with a full row each: large systems are not asked.
        if m == 0 || m.saturating_mul(n) > LARGE {
            return None;
        }
        let inverse = InverseMass::new(system, &start.q).ok()?;
        let mut g = vec![0.0; m * n];
        system.equality_jacobian(start.t, &start.q, &mut g);
        let mut worst: Option<(f64, usize)> = None;
        for (row, g) in g.chunks_exact(n).enumerate() {
            let [epsilon, tau] = self.softness(system, row, h);
            let mut y = g.to_vec();
            inverse.solve(&mut y);
            let mobility: f64 = y.iter().zip(g).map(|(y, g)| y * g).sum();
            let relative = 4.0 * epsilon / (h * h * (1.0 + 4.0 * tau / h)) / mobility;
            if relative < worst.map_or(CONDITIONING, |(worst, _)| worst) {
                worst = Some((relative, row));
            }
        }
        let (relative, row) = worst?;
        let name = system.equality_name(row);
        Some(format!(
            "`{name}`: the regularisation T is {relative:.1e} of its mobility G M⁻¹Gᵀ, below the bound {CONDITIONING:.0e}: fine while rows \
             are independent, but redundant rows may end in an error; a larger compliance is safe"
        ))
    }
}
