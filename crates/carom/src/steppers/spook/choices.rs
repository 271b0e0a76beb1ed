//! Choices of `spook` that are made by a name, or by a table with the options of what is chosen.

use carom_lcp::solvers::pgs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name, or a table whose one key is the name and whose value has further options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Choice<N, T> {
    /// With the options that the name stands for.
    Name(N),
    /// With options of its own.
    With(T),
}

impl<N: Default, T> Default for Choice<N, T> {
    fn default() -> Self {
        Self::Name(N::default())
    }
}

impl<N, T> From<N> for Choice<N, T> {
    fn from(name: N) -> Self {
        Self::Name(name)
    }
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

/// A solver with options of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SolverWith {
    /// Joints and normals directly, friction by sweeps.
    Split(SplitOptions),
    /// Projected Gauss-Seidel.
    Pgs(PgsOptions),
}

/// The options of projected Gauss-Seidel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PgsOptions {
    /// Sweeps of a solve.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub sweeps: u32,
    /// How a sweep solves one contact.
    pub variant: Variant,
}

impl Default for PgsOptions {
    fn default() -> Self {
        Self { sweeps: 100, variant: Variant::default() }
    }
}

/// The options of the splitting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SplitOptions {
    /// Sweeps between two direct solves.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub sweeps: u32,
    /// Rounds of sweeps and a direct solve.
    #[schemars(range(min = 1, max = 1_000_000_000))]
    pub couplings: u32,
    /// How a sweep solves one contact.
    pub variant: Variant,
}

/// The numbers of the paper.
impl Default for SplitOptions {
    fn default() -> Self {
        Self { sweeps: 15, couplings: 5, variant: Variant::default() }
    }
}

/// How a sweep solves one contact while the others are held. The first three are the paper's; where a contact slides and its tangents are
/// coupled, they end at wrong friction, however many sweeps are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// Row after row; the tangents are then scaled to the bound of friction [lacoursiere-linde-2011 (98)].
    Separate,
    /// All rows at once as if the contact stuck; then the tangents are scaled to the bound.
    BlockProjection,
    /// The normal, then both tangents at once as if the contact stuck, scaled to the bound.
    BlockTangents,
    /// The normal, then the tangents exactly under the bound.
    #[default]
    ExactTangents,
    /// All rows at once, exactly.
    ExactCone,
}

impl From<Variant> for pgs::Variant {
    fn from(variant: Variant) -> Self {
        match variant {
            Variant::Separate => Self::Separate,
            Variant::BlockProjection => Self::BlockProjection,
            Variant::BlockTangents => Self::BlockTangents,
            Variant::ExactTangents => Self::ExactTangents,
            Variant::ExactCone => Self::ExactCone,
        }
    }
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

/// A bound of friction with options of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionLawWith {
    /// A polygon in the cone; with `solver = "direct"` alone.
    Polygon(PolygonOptions),
}

/// The options of the polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PolygonOptions {
    /// Its corners, the first along the first direction of sliding; without effect on contacts with one direction.
    #[schemars(range(min = 3, max = 1000))]
    pub corners: u32,
}

impl Default for PolygonOptions {
    fn default() -> Self {
        Self { corners: 8 }
    }
}
