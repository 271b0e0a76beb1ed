//! Every method against what it claims, and controls that must fail the same tests.

mod allocations;
mod bits;
mod constraints;
mod momentum;
mod order;
mod random;
mod reversible;
mod scenes;
mod symplectic;
mod systems;
mod vanishing;

use carom::method::AnyMethod;
use carom_tests::comparison::{Part, Penalty, Projection, Spook};
use carom_tests::galerkin::{Form, Jumps, gauss};
use carom_tests::map::Rule;
use carom_tests::runs::method;
use carom_tests::variants::VARIANTS;

/// Every method with the options that change its claims.
pub fn variants() -> Vec<AnyMethod> {
    let variants: Vec<AnyMethod> = VARIANTS.iter().map(|text| method(text)).collect();
    for known in AnyMethod::all() {
        assert!(variants.iter().any(|m| m.name() == known.name()), "{} is not in the matrix", known.name());
    }
    variants
}

/// Name and options of a variant, for messages.
pub fn label(method: &AnyMethod) -> String {
    format!("{} {}", method.name(), serde_json::to_string(method).expect("options are plain data"))
}

/// Whether a method keeps, as long as nothing touches, more than it claims: tests/direct.rs shows where it is lost.
pub fn loses_in_contact(method: &AnyMethod) -> bool {
    matches!(method, AnyMethod::Direct(_) | AnyMethod::Cva(_))
}

/// Whether equality constraints hold to round-off: no step may leave them.
pub fn holds(method: &AnyMethod) -> bool {
    let abilities = method.abilities();
    abilities.equalities && !abilities.regularised
}

/// Whether the velocities hold the hidden constraints too.
pub fn holds_velocity(method: &AnyMethod) -> bool {
    use carom::steppers::projection::Velocity;
    holds(method) && !matches!(method, AnyMethod::Projection(config) if config.velocity == Velocity::Difference)
}

/// Whether a method is, as long as nothing is constrained, symplectic Euler and keeps more than it claims.
pub fn loses_with_constraints(method: &AnyMethod) -> bool {
    matches!(method, AnyMethod::Projection(_) | AnyMethod::Spook(_))
}

/// Whether a method feeds energy into motion along constraints, without bound: `spook_reference` has its numbers.
pub fn blows_up_with_constraints(method: &AnyMethod) -> bool {
    use carom::steppers::penalty::{Linearized, Rule as At};
    let AnyMethod::Penalty(config) = method else { return false };
    config.rule == At::Midpoint && config.linearized == Linearized::GaussNewton
}

/// Whether both functions of galerkin jump at one end of a step: it gains or loses energy.
pub fn jumps_at_one_end(method: &AnyMethod) -> bool {
    use carom::steppers::galerkin::Continuity;
    let AnyMethod::Galerkin(config) = method else { return false };
    matches!(config.continuity, Continuity::LeftLeft | Continuity::RightRight)
}

/// The order on a system with or without constraints: a linear part that leaves out their bend costs one.
pub fn order(method: &AnyMethod, constrained: bool) -> u32 {
    use carom::steppers::penalty::Linearized;
    match method {
        AnyMethod::Penalty(config) if constrained && config.linearized == Linearized::GaussNewton => 1,
        _ => method.claims().order,
    }
}

/// Whether a method is what it claims not to be where there are no constraints: the projection of `pem` has nothing to do there.
pub fn loses_by_projection(method: &AnyMethod) -> bool {
    matches!(method, AnyMethod::Pem(_))
}

/// The equations of a galerkin variant.
fn galerkin(config: &carom::steppers::galerkin::Config) -> Rule {
    use carom::steppers::galerkin::{Continuity, Quadrature};
    let (degree, given) = (config.degree as usize, config.points.map(|points| points as usize));
    let rectangle = config.quadrature == Quadrature::Rectangle;
    Rule::Galerkin(Form {
        degree,
        momentum_degree: config.momentum_degree.map_or(degree, |degree| degree as usize),
        jumps: match config.continuity {
            Continuity::LeftRight => Jumps::LeftRight,
            Continuity::RightLeft => Jumps::RightLeft,
            Continuity::Continuous => Jumps::Continuous,
            Continuity::LeftLeft => Jumps::LeftLeft,
            Continuity::RightRight => Jumps::RightRight,
        },
        points: gauss(given.filter(|_| !rectangle).unwrap_or(degree + 1)),
        exact: gauss(degree + 2),
        rectangles: rectangle.then(|| given.unwrap_or(3000)),
        misprint: None,
    })
}

/// The same method over any numbers.
pub fn rule(method: &AnyMethod) -> Rule {
    use carom::steppers::variational::Rule::{Gamma, Midpoint, Trapezoid};
    let node = |gamma: f64| Rule::Quadrature(vec![(1.0 - gamma, 1.0)]);
    let trapezoid = Rule::Quadrature(vec![(0.0, 0.5), (1.0, 0.5)]);
    match method {
        AnyMethod::Verlet(_) => trapezoid,
        AnyMethod::Midpoint(_) => node(0.5),
        AnyMethod::Variational(config) => match config.rule {
            Trapezoid => trapezoid,
            Midpoint => node(0.5),
            Gamma => node(config.gamma),
        },
        AnyMethod::Newmark(config) => Rule::Newmark(config.beta, config.gamma),
        AnyMethod::Gvi(config) => match config.rule {
            carom::steppers::gvi::Rule::Verlet => trapezoid,
            carom::steppers::gvi::Rule::Midpoint => node(0.5),
        },
        AnyMethod::Direct(config) => match config.rule {
            carom::steppers::direct::Rule::Midpoint => node(0.5),
            carom::steppers::direct::Rule::Newmark => Rule::Newmark(config.beta, config.gamma),
        },
        AnyMethod::Vci(config) => match config.rule {
            carom::steppers::vci::Rule::Trapezoid => trapezoid,
            carom::steppers::vci::Rule::Gamma => node(config.gamma),
        },
        AnyMethod::Galerkin(config) => galerkin(config),
        AnyMethod::Penalty(config) => {
            use carom::steppers::penalty::{Linearized, Rule as At};
            let theta = if config.rule == At::Euler { 1.0 } else { 0.5 };
            let part = match config.linearized {
                Linearized::None => Part::Whole,
                Linearized::GaussNewton => Part::Values,
                Linearized::Full => Part::Bent,
            };
            Rule::Penalty(Penalty { theta, stiffness: config.stiffness, part })
        }
        AnyMethod::Spook(config) => {
            Rule::Spook(Spook { compliance: config.compliance, damping_steps: config.damping_steps })
        }
        AnyMethod::Projection(config) => {
            let projected = config.velocity == carom::steppers::projection::Velocity::Projected;
            Rule::Projection(Projection { projected })
        }
        AnyMethod::Pem(_) => Rule::EnergyMomentum,
        AnyMethod::Cva(config) => match config.rule {
            carom::steppers::cva::Rule::Verlet => trapezoid,
            carom::steppers::cva::Rule::Midpoint => node(0.5),
        },
    }
}
