//! `measures` of `[run]`: what is recorded on demand.

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
    /// Work by source, stored energy, error of the integrator.
    Ledger,
    /// Defect of symplecticity of the step from each node.
    Symplecticity,
    /// What a step forth and one back leave.
    Reversal,
    /// What the ansatz functions of the step jump by at its ends.
    Jumps,
}

impl Measure {
    /// Every measure with its name in scenes.
    pub const ALL: [(&'static str, Self); 9] = [
        ("energy-parts", Self::EnergyParts),
        ("equalities", Self::Equalities),
        ("gaps", Self::Gaps),
        ("constraint-forces", Self::ConstraintForces),
        ("contact-forces", Self::ContactForces),
        ("ledger", Self::Ledger),
        ("symplecticity", Self::Symplecticity),
        ("reversal", Self::Reversal),
        ("jumps", Self::Jumps),
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

/// Reports measures of what a system or a method does not have.
pub fn refuse(section: &TableReader, measures: &[Measure], method: &AnyMethod, system: &dyn System) -> Option<()> {
    let missing = |measure: Measure| match measure {
        Measure::EnergyParts if system.potential_parts().len() < 2 => {
            Some(("the potential has only one part", "name its terms: { name = \"spring\", expression = \"…\" }"))
        }
        Measure::Equalities | Measure::ConstraintForces if system.equalities() == 0 => {
            Some(("the scene has no equality constraints", "remove this measure"))
        }
        Measure::Gaps | Measure::ContactForces if system.inequalities() == 0 => {
            Some(("the scene has no gaps", "remove this measure"))
        }
        Measure::Symplecticity if system.dim() > MOST_PROBED => Some((
            "the scene has more than 200 coordinates",
            "measure a smaller one: a row takes 36 steps for each",
        )),
        Measure::Jumps if !method.knows_inside() => {
            Some(("the method has no ansatz functions that jump", "method.name = \"galerkin\" has"))
        }
        _ => None,
    };
    let mut fine = true;
    for item in section.array("measures").unwrap_or_default() {
        let measure =
            Measure::ALL.iter().find(|(name, _)| item.string() == Some(*name)).map(|(_, measure)| *measure);
        let known = measure.filter(|measure| measures.contains(measure));
        if let Some((message, help)) = known.and_then(missing) {
            item.report(message, Some(help.to_string()));
            fine = false;
        }
    }
    fine.then_some(())
}
