//! `galerkin`: variational integrators of any order with discontinuous ansatz functions [muehlebach-2016].
//!
//! On every step `q` and `p` are polynomials, and the virtual action vanishes for all variations within them. Left-right: `q` is continuous
//! from the left, `p` from the right, and both jump elsewhere [muehlebach-2016 (21)]; right-left is its adjoint; continuous joins `q` and leaves `p` free
//! [muehlebach-2016 (B.12)], which is the Galerkin integrator of [marsden-west-2001].
//!
//! Written with the velocity `u = H_p` as the unknown, these are one discrete Lagrangian, with the tables of `tables.rs`:
//! ```text
//! L_d = h Σ_κ w_κ L(q_κ, u_κ),   q_κ = q0 + h Σ_j a_j(s_κ) U_j,   u_κ = Σ_j l_j(s_κ) U_j,   q1 = q0 + h Σ_j b_j U_j
//! Σ_κ w_κ l_j(s_κ) p_κ = b_j (p0 + G0ᵀμ) + h Σ_κ w_κ (b_j − a_j(s_κ)) F_κ
//! p1 = p0 + G0ᵀμ + h Σ_κ w_κ F_κ,   F = T_q − V_q + f_NP + Gᵀλ
//! ```
//! Left-left and right-right [muehlebach-2016, section 2.4]: a jump of `q` is tested with `δp`, one of `p` with `δq`, so that both are at the right
//! end of a step if both are continuous from the left, and at its left end if from the right. The first starts at its node and maps limits from the
//! right, the second ends at it and maps limits from the left; they are adjoint to each other, explicit and implicit Euler for degree 0. Around a
//! closed curve of starts `∮ p1 dq1 − p0 dq0 ± [q] d[p] = 0`, with + for left-left: where both jump at one end, the symplectic form changes by that of
//! the jumps. Left-left gains energy, right-right loses it. They take no constraints.
//!
//! Constraints [muehlebach-2016 (37)] are integrated by parts: `g(q1) = 0` and `∫χ g(q(s)) ds = 0` for the polynomials `χ` of degree `m − 1` (`m − 2` if
//! continuous), with multipliers `λ = p_g'` of the same space and the impulse `μ = p_g(0)` along the gradients at `q0` [muehlebach-2016 (38)]. This holds the
//! constraint at the nodes whatever the quadrature is, without memory of the round-off before, and is blind to the gauge of `p_z`: the
//! momentum of the node is the tangent projection of it.
//! Differs from [muehlebach-2016 (67), (71)]: as printed they are wrong, see docs/methods.md.
//!
//! Preserved but for left-left and right-right, for any coefficients and points: the symplectic form on the constraint manifold, and momenta of
//! symmetries that are linear in `q`. Cost per iteration: one gradient and Hessian per point, one LU of `n(m + 1)` unknowns and `m + 1` per constraint.

mod blocks;
mod guess;
mod inside;
pub mod legendre;
mod matrix;
mod relax;
mod stages;
mod step;
mod tables;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use step::Galerkin;

use crate::error::Failure;
use crate::method::{Abilities, Claims, Method};
use crate::state::State;
use crate::steppers::End;
use crate::system::System;

/// Where the ansatz functions may jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Continuity {
    /// `q` continuous from the left, `p` from the right: order 2 degree + 1.
    #[default]
    LeftRight,
    /// Its adjoint: `q` continuous from the right, `p` from the left.
    RightLeft,
    /// `q` continuous, `p` free: order 2 degree.
    Continuous,
    /// `q` and `p` continuous from the left: order 2 degree + 1, not symplectic, gains energy.
    LeftLeft,
    /// Its adjoint, `q` and `p` continuous from the right: order 2 degree + 1, not symplectic, loses energy.
    RightRight,
}

impl Continuity {
    /// The end of a step at which `q` jumps.
    fn jump(self) -> Option<End> {
        match self {
            Self::LeftRight | Self::RightRight => Some(End::Start),
            Self::RightLeft | Self::LeftLeft => Some(End::Finish),
            Self::Continuous => None,
        }
    }

    /// Whether `p` jumps at the other end than `q`, or at both: then the step is that of a discrete Lagrangian.
    fn is_conjugate(self) -> bool {
        !matches!(self, Self::LeftLeft | Self::RightRight)
    }
}

/// How integrals are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quadrature {
    /// All of them by Gauss points.
    #[default]
    Gauss,
    /// That of the potential by rectangles with their values at the left, as in the paper's experiments; the others by Gauss points.
    Rectangle,
}

/// The largest degree that is taken: beyond it errors are round-off on any step that Newton's method can solve.
const MOST_DEGREE: u32 = 20;
/// The most Gauss points.
const MOST_GAUSS: u32 = 128;
/// The most rectangles.
const MOST_RECTANGLES: u32 = 1_000_000;
/// Rectangles if `points` is not given: the width of 1e-4 s that the paper uses on its step of 0.3 s.
const RECTANGLES: u32 = 3000;

/// `[method] name = "galerkin"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Degree m of the polynomials, from 0 (1 if continuous) to 20.
    pub degree: u32,
    /// Where they may jump.
    pub continuity: Continuity,
    /// How integrals are made.
    pub quadrature: Quadrature,
    /// Points of the quadrature; without it degree + 1 Gauss points, or 3000 rectangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<u32>,
    /// Degree of the momentum's polynomials with `continuity = "continuous"`: degree, if not given, or degree − 1. It matters only if the mass depends
    /// on the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub momentum_degree: Option<u32>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            degree: 2,
            continuity: Continuity::default(),
            quadrature: Quadrature::default(),
            points: None,
            momentum_degree: None,
        }
    }
}

impl Config {
    fn continuous(&self) -> bool {
        self.continuity == Continuity::Continuous
    }

    fn momentum_degree(&self) -> usize {
        self.momentum_degree.unwrap_or(self.degree) as usize
    }

    /// The least number of Gauss points with which the momenta are determined.
    fn least_points(&self) -> u32 {
        self.momentum_degree.unwrap_or(self.degree) + 1
    }

    /// Points of the quadrature that `points` sets.
    fn points(&self) -> usize {
        let default = if self.quadrature == Quadrature::Gauss { self.degree + 1 } else { RECTANGLES };
        self.points.unwrap_or(default) as usize
    }

    /// Gauss points of all integrals but that of the potential.
    fn gauss_points(&self) -> usize {
        if self.quadrature == Quadrature::Gauss { self.points() } else { self.degree as usize + 1 }
    }
}

impl Method for Config {
    const NAME: &'static str = "galerkin";
    const TITLE: &'static str = "variational integrator of any order with discontinuous ansatz functions";
    const CITES: &'static [&'static str] = &["muehlebach-2016", "marsden-west-2001"];
    type Stepper = Galerkin;

    fn check(&self) -> Result<(), (&'static str, String)> {
        let least = u32::from(self.continuous());
        if !(least..=MOST_DEGREE).contains(&self.degree) {
            let why = if self.continuous() { " if q is continuous" } else { "" };
            return Err(("degree", format!("found {}, allowed: from {least} to {MOST_DEGREE}{why}", self.degree)));
        }
        if let Some(degree) = self.momentum_degree {
            if !self.continuous() && degree != self.degree {
                let reason = "with jumps of q and p other degrees than the same for both give no useful method";
                return Err(("momentum_degree", format!("found {degree}, allowed: {}; {reason}", self.degree)));
            }
            if degree != self.degree && degree + 1 != self.degree {
                let allowed = format!("{} or {}", self.degree - 1, self.degree);
                return Err(("momentum_degree", format!("found {degree}, allowed: {allowed}")));
            }
        }
        let (least, most) = match self.quadrature {
            Quadrature::Gauss => (self.least_points(), MOST_GAUSS),
            Quadrature::Rectangle => (1, MOST_RECTANGLES),
        };
        match self.points {
            Some(points) if !(least..=most).contains(&points) => {
                Err(("points", format!("found {points}, allowed: from {least} to {most} with this degree")))
            }
            _ => Ok(()),
        }
    }

    fn claims(&self) -> Claims {
        let (gauss, conjugate) = (self.quadrature == Quadrature::Gauss, self.continuity.is_conjugate());
        let order = if self.continuous() { 2 * self.degree } else { 2 * self.degree + 1 };
        Claims {
            order: if gauss { order } else { 1 },
            symplectic: conjugate,
            reversible: gauss && self.continuous(),
            linear_momentum: true,
            angular_momentum: conjugate,
            through_impacts: false,
        }
    }

    fn abilities(&self) -> Abilities {
        Abilities { equalities: self.continuity.is_conjugate(), ..Abilities::VARIATIONAL }
    }

    fn knows_inside(&self) -> bool {
        true
    }

    fn stepper<S: System + ?Sized>(&self, system: &S, start: &State) -> Result<Galerkin, Failure> {
        Galerkin::new(self, system, start)
    }
}

/// A partitioned Runge-Kutta method: `Q_i = q0 + h Σ a_ij H_p(Q_j, P_j)`, `P_i = p0 + h Σ â_ij (f − H_q)(Q_j, P_j)`, and both ends with `b`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tableau {
    /// Places of the stages.
    pub c: Vec<f64>,
    /// Weights.
    pub b: Vec<f64>,
    /// Coefficients of `q`, row-major.
    pub a: Vec<f64>,
    /// Coefficients of `p`, row-major.
    pub a_hat: Vec<f64>,
}

impl Config {
    /// The partitioned Runge-Kutta method that the step is [muehlebach-2016, section 5]; none if there are other points than velocities.
    pub fn tableau(&self) -> Option<Tableau> {
        let tables = tables::Tables::new(self);
        let stages = tables.modes;
        if !tables.nodal || tables.potential.is_some() {
            return None;
        }
        let reactions = tables.reactions(&tables.points);
        Some(Tableau {
            a_hat: (0..stages * stages).map(|place| reactions[place % stages * stages + place / stages]).collect(),
            c: tables.c,
            b: tables.b,
            a: tables.points.a,
        })
    }
}
