//! `spook`: regularised, stabilised variational steps for constrained and impacting systems [lacoursiere-linde-2011].
//!
//! Constraints are stiff springs of compliance ε with damping time τ, discretised so that stiffness costs nothing and ε may be 0. Unknowns
//! are the velocity `v1` and impulses [lacoursiere-linde-2011 (55), (56), corrected]:
//! ```text
//! // Notation
//! //   φ = 1/(1 + 4τ/h)    T = 4εφ/h²                          per holonomic row
//! M v1 − Gᵀλ − Aᵀα − Nᵀν − Dᵀβ = M v0 + h f(q0, v0)
//! G v1 + T λ                   = −(4/h)φ g(q0) + φ G v0 − (1 − φ) ∂g/∂t  [− φ(h + 2τ) vᵀHv: hessian = "chord"]
//! A v1 + (δ/h) α               = a(t0)                                  α between the bounds of a motor
//! N v1 + T ν − b               ≥ 0  ⊥  ν ≥ 0                             contacts with gap ≤ 0; b as for G
//! D v1 + (γ/h) β  opposes slip,  |β| ≤ μν
//! q1 = q0 + h v1
//! ```
//! Before that, contacts that are approached have an impact [lacoursiere-linde-2011 (71), corrected]: `N v⁺ + ΨN v⁻ + T_N ν ≥ 0 ⊥ ν ≥ 0` with `G v⁺ = −G v⁻`, which
//! takes energy and never gives any.
//!
//! `v` is the difference quotient of positions and lives half a step before its node; the velocity at the node is the average of it (after the
//! impact) and the next. Order 1 as a map of `(q, v)`, 2 in positions with `start = "staggered"` and τ = 0. Linear momentum is
//! exact, and angular momentum but for `stiffness = "geometric"`. What the regularisation costs is told: a steady violation `(h²/4 + hτ/2) vᵀHv + ε·force`, and where the energy went.
//!
//! Differs from [lacoursiere-linde-2011]: factors and signs of (53), (55), (71); see docs/methods.md. Cost without contacts: one sparse LDLᵀ of
//! coordinates and rows, linear in the length of a chain; with contacts a mixed complementarity problem, warm started.

mod accounts;
mod beside;
mod choices;
mod impact;
mod memory;
mod motors;
mod options;
mod rows;
mod solve;
mod step;
mod stiffness;
mod warnings;

pub use choices::{
    Choice, FrictionLaw, FrictionLawWith, PgsOptions, PolygonOptions, Solver, SolverWith, SplitOptions, Variant,
};
pub use options::{Config, Equations, Hessian, Start, Stiffness};
pub use step::Spook;
