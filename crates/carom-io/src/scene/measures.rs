//! `measures` of `[run]`: what is recorded on demand.

use carom::error::Failure;
use carom::method::AnyMethod;
use carom::system::System;

use crate::document::TableReader;

/// A measure that is recorded on demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The potential by parts.
    EnergyParts,
    /// Every equality constraint and its rate.
    Equalities,
    /// Every gap.
    Gaps,
    /// The force of every equality constraint.
    ConstraintForces,
    /// The impulse of every inequality constraint, over the step: its mean force.
    ContactForces,
    /// The force of every nonholonomic row, motors among them: the mean of the step.
    MotorForces,
    /// The force of friction of every contact along its directions of sliding: the mean of the step.
    FrictionForces,
    /// Work by source, stored energy, error of the integrator.
    Ledger,
    /// Defect of symplecticity of the step from each node.
    Symplecticity,
    /// What a step forth and one back leave.
    Reversal,
    /// What the ansatz functions of the step jump by at its ends.
    Jumps,
    /// The discrete energy of the step that ends at each node.
    DiscreteEnergy,
    /// The shadow Hamiltonian of the rule at each node.
    ShadowEnergy,
    /// The states at impacts, in the table of events; of few coordinates without being asked for.
    ImpactStates,
    /// The contacts that push or are closed, in a table of their own.
    Contacts,
}

impl Measure {
    /// Every measure with its name in scenes.
    pub const ALL: [(&'static str, Self); 15] = [
        ("energy-parts", Self::EnergyParts),
        ("equalities", Self::Equalities),
        ("gaps", Self::Gaps),
        ("constraint-forces", Self::ConstraintForces),
        ("contact-forces", Self::ContactForces),
        ("motor-forces", Self::MotorForces),
        ("friction-forces", Self::FrictionForces),
        ("ledger", Self::Ledger),
        ("symplecticity", Self::Symplecticity),
        ("reversal", Self::Reversal),
        ("jumps", Self::Jumps),
        ("discrete-energy", Self::DiscreteEnergy),
        ("shadow-energy", Self::ShadowEnergy),
        ("impact-states", Self::ImpactStates),
        ("contacts", Self::Contacts),
    ];
}

/// Reads `measures` of `[run]`.
pub fn read(section: &TableReader) -> Vec<Measure> {
    let names = Measure::ALL.map(|(name, _)| name);
    let chosen: Vec<&str> =
        section.array("measures").unwrap_or_default().iter().filter_map(|item| item.choice(&names)).collect();
    Measure::ALL.iter().filter(|(name, _)| chosen.contains(name)).map(|(_, measure)| *measure).collect()
}

/// The most coordinates whose symplecticity is measured: a row takes 36 steps for each.
const MOST_PROBED: usize = 200;

/// Names of the methods that have something, with their default options.
fn methods_with(has: impl Fn(&AnyMethod) -> bool) -> String {
    let names: Vec<&str> = AnyMethod::all().iter().filter(|method| has(method)).map(AnyMethod::name).collect();
    names.join(", ")
}

/// Why there is no shadow energy, and what to do.
fn no_shadow(method: &AnyMethod, system: &dyn System) -> Option<(&'static str, String)> {
    let rule = |method: &AnyMethod| method.discrete_lagrangian().and_then(|lagrangian| lagrangian.shadow_rule());
    if rule(method).is_none() {
        let names = methods_with(|method| rule(method).is_some());
        let help = format!("methods of the trapezoid and the midpoint rule have one: {names}");
        return Some(("no shadow Hamiltonian of second order is known for these steps", help));
    }
    if let Err(large) = Failure::unless_it_fits("the shadow Hamiltonian", system.dim(), system.dim()) {
        return Some(("the shadow Hamiltonian takes a full matrix of second derivatives", large.to_string()));
    }
    let (what, help) = if !system.mass().is_constant() {
        (
            "the shadow Hamiltonian is known for a constant mass only",
            "remove this measure, or measure `discrete-energy`",
        )
    } else if system.equalities().count() > 0 {
        (
            "the shadow Hamiltonian is known without equality constraints only",
            "remove this measure, or measure `discrete-energy`",
        )
    } else if system.depends_on_time() {
        ("the scene depends on time: its steps have no shadow Hamiltonian", "remove this measure")
    } else {
        return None;
    };
    Some((what, help.to_string()))
}

/// Reports measures of what a system or a method does not have.
pub fn refuse(section: &TableReader, measures: &[Measure], method: &AnyMethod, system: &dyn System) -> Option<()> {
    let missing = |measure: Measure| match measure {
        Measure::DiscreteEnergy if method.discrete_lagrangian().is_none() => {
            let names = methods_with(|method| method.discrete_lagrangian().is_some());
            Some((
                "the steps of this method are not those of a discrete Lagrangian",
                format!("methods whose are: {names}"),
            ))
        }
        Measure::ShadowEnergy => no_shadow(method, system),
        Measure::FrictionForces if system.contacts().count() > 0 && !method.tells_row_impulses() => {
            let help = format!("methods that do: {}", methods_with(AnyMethod::tells_row_impulses));
            Some(("the method does not tell the forces of friction", help))
        }
        Measure::ImpactStates if !method.locates_impacts() => {
            let help = format!("methods that do: {}", methods_with(AnyMethod::locates_impacts));
            Some(("the method locates no impacts", help))
        }
        other => lacks(other, method, system).map(|(what, help)| (what, help.to_string())),
    };
    let mut fine = true;
    for item in section.array("measures").unwrap_or_default() {
        let measure =
            Measure::ALL.iter().find(|(name, _)| item.string() == Some(*name)).map(|(_, measure)| *measure);
        let known = measure.filter(|measure| measures.contains(measure));
        if let Some((message, help)) = known.and_then(missing) {
            item.report(message, Some(help));
            fine = false;
        }
    }
    fine.then_some(())
}

/// Whether a contact knows what slides.
fn slides(system: &dyn System) -> bool {
    let mut slides = false;
    system.contacts().materials(&mut |contact, _| slides |= system.contacts().directions(contact) > 0);
    slides
}

/// What a system or a method lacks for a measure, and what to do.
fn lacks(measure: Measure, method: &AnyMethod, system: &dyn System) -> Option<(&'static str, &'static str)> {
    match measure {
        Measure::EnergyParts if system.potential_parts().len() < 2 => {
            Some(("the potential has only one part", "name its terms: { name = \"spring\", expression = \"…\" }"))
        }
        Measure::Equalities | Measure::ConstraintForces if system.equalities().count() == 0 => {
            Some(("the scene has no equality constraints", "remove this measure"))
        }
        Measure::MotorForces if system.nonholonomic().is_none() => Some((
            "the scene has no motors and no other nonholonomic rows",
            "remove this measure, or add nonholonomic rows to [lagrangian]",
        )),
        Measure::FrictionForces if !slides(system) => Some((
            "the scene has no contacts with directions of sliding",
            "remove this measure, or say what slides: slide = \"…\"",
        )),
        Measure::Gaps | Measure::ContactForces | Measure::Contacts if system.contacts().count() == 0 => {
            Some(("the scene has no gaps", "remove this measure"))
        }
        Measure::Gaps | Measure::ContactForces | Measure::FrictionForces if !system.contacts().is_constant() => {
            Some((
                "the scene has so many contacts that they have no columns of their own",
                "ask for \"contacts\": a table with a row for each that is near",
            ))
        }
        Measure::Symplecticity if system.dim() > MOST_PROBED => Some((
            "the scene has more than 200 coordinates",
            "measure a smaller one: a row takes 36 steps for each",
        )),
        Measure::Jumps if !method.knows_inside() => {
            Some(("the method has no ansatz functions that jump", "method.name = \"galerkin\" has"))
        }
        _ => None,
    }
}
