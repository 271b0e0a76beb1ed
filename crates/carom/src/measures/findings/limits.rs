//! The limits of findings, each with the measurement that it comes from: all methods of the test matrix on all built-in scenes at their own
//! steps (`docs/trust.md`).

/// The part of the energy of the motion that an error is worth a note from, and beyond which the run has failed.
///
/// The built-in scenes are off by less than 0.1 of it with their own methods, but for `spring-sphere-mixed`, whose energy walks by 0.31.
/// Methods that only serve to compare, and rules of order 1, fill the range from there to 1e39 without a gap: half is where little of a motion
/// that conserves energy remains.
pub const ENERGY: [f64; 2] = [0.1, 0.5];

/// The part of the energy of the motion that losses of the method are worth a note from, and beyond which smooth steps have failed: they took
/// what [`ENERGY`] does not let them miss.
pub const LOSSES: [f64; 2] = [0.1, 0.5];

/// The part of the largest energy of the motion beyond which what contacts took cannot have been there. An elastic ball that a method lets come
/// to rest, as `spook` does with the built-in scene, has lost 0.97 of it.
pub const CONTACT_LOSSES: f64 = 1.5;

/// The part of what a constraint is made of (the length of a rod) that it may be off by. Methods that hold constraints reach 1e-14, `spook`
/// 0.014 with the built-in scenes' own steps; runs that fail are off by 0.13 and more.
pub const CONSTRAINTS: [f64; 2] = [0.03, 0.1];

/// The part of the size of a contact (the radii of balls, the distance of a wall, a hundredth of the extent of the scene) that a penetration may
/// have. The built-in scenes reach 0.04 with their own methods. Where balls move by their own size in a step, penetrations are 0.13 to 0.24,
/// and 0.33 and more; a ball that falls from ten times its radius in steps of 1/60 reaches 0.27.
pub const PENETRATION: [f64; 2] = [0.1, 0.3];

/// The same of a contact that is a spring. The built-in `squeezed-disc` reaches 0.05 at its step, and 4 at a thousand times its step; a
/// trampoline may give way by more than what lies on it is thick, so that no depth makes a run untrustworthy.
pub const SOFT_PENETRATION: [f64; 2] = [1.0, f64::INFINITY];

/// The part of the momentum of the motion that a momentum which the method claims to keep may change by. Round-off leaves 1e-12.
pub const MOMENTUM: [f64; 2] = [1e-6, 1e-2];

/// Relative residual that solves of every method are below with their default options.
pub const DEMANDED: f64 = 1e-8;
/// Relative residual beyond which a step has not solved its equations.
pub const SOLVED: f64 = 1e-2;

/// Round-off of energies, relative to the energy at the start.
pub const ROUND_OFF: f64 = 1e-9;

/// Fewer steps say nothing about a drift.
pub const FEWEST_STEPS: u64 = 50;
/// Standard errors that a slope is away from 0 by chance.
pub const CHANCE: f64 = 3.0;
/// A change by the slope over the run below this part of the energy is what sums of doubles leave.
pub const SUMS: f64 = 1e-11;
/// A slope is worth a note if it leads beyond the limit within so many times the run.
pub const SOON: f64 = 10.0;
