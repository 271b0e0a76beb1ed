//! Energy: what nothing accounts for, and what the method took.

use super::conservation::Conservation;
use super::limits::{CONTACT_LOSSES, ENERGY, LOSSES, ROUND_OFF};
use super::scales::{energy_of_a_step, energy_of_round_off};
use super::words::{place, short};
use super::{Evidence, Finding, Kind, Level};
use crate::measures::ledger::{Account, Ledger, Role};

/// What energies are compared with.
#[derive(Debug, Clone, Copy)]
pub struct Scales {
    /// That of the motion: what errors are a part of.
    pub motion: f64,
    /// The largest that was there: what a method can take.
    pub most: f64,
    /// What constraints and contacts that carry a load from the start on may take of it at once.
    pub load: f64,
}

/// The energies of the motion. Where nothing moves that energy is balanced for, they are what the potential fell by; of systems with constraints
/// or contacts at least what its forces give in a step, since what rests on them trembles by that; and never below round-off, of energies and
/// of coordinates.
///
/// A load that springs take up keeps half of its energy there, and swings by the other half until it is damped: both are energies of the motion,
/// even if there is next to none to be seen.
pub fn scales(run: &Evidence, conservation: &Conservation) -> Scales {
    let energy = &run.summary.gauge.energy;
    let system = &run.problem.system;
    let held = system.equalities().count() + system.contacts().count() > 0;
    let step = if held { energy_of_a_step(run.problem, run.h) } else { 0.0 };
    let trembling = step.max(energy_of_round_off(run.problem, run.h));
    let kept = run.ledger.map_or(0.0, |ledger| ledger.kept().max(0.0));
    let turned = kept + run.ledger.filter(|_| !conservation.holds()).map_or(0.0, Ledger::turned);
    // Of sizes that are no numbers the others count.
    let at_least = |moved: f64| {
        let moved = if moved > 0.0 { moved } else { energy.fall };
        moved.max(trembling).max(ROUND_OFF * energy.start)
    };
    let motion = at_least(energy.of_motion(turned));
    Scales { motion, most: at_least(energy.most), load: kept + CONTACT_LOSSES * step }
}

/// Beyond it a ratio of energies says no more than that.
const MANY: f64 = 1e6;

/// What compares an energy with the scale.
fn compared(value: f64, scale: f64) -> String {
    if value > MANY * scale && scale > 0.0 {
        format!("more than a million times the energy of the motion, {}", short(scale))
    } else if scale > 0.0 {
        format!("{} times the energy of the motion, {}", short(value / scale), short(scale))
    } else {
        "and nothing that moves has an energy to compare it with".into()
    }
}

/// Energy that nothing accounts for.
pub fn error(run: &Evidence, conservation: &Conservation, scale: f64) -> Option<Finding> {
    let peak = run.summary.gauge.energy.error;
    let Level { trustworthy, limit } = Finding::beyond(ENERGY, peak.value, scale)?;
    let (value, compared) = (short(peak.value), compared(peak.value, scale));
    let sentence = match run.ledger.and_then(given) {
        // Below: no more than the rest that nothing explains.
        Some((rise, giver, above)) if rise >= 0.5 * peak.value => format!(
            "the energy rose by {} {above}, most of it through `{giver}`: {compared}; an error of the steps, not of the scene, of which \
             shorter steps have less",
            short(rise)
        ),
        _ if conservation.holds() => format!(
            "the energy is off by {value} {}, {compared}; this scene conserves it: the steps are too long for the motion, or the method does \
             not suit it",
            place(&peak)
        ),
        _ => format!(
            "{value} of energy have no source {}, {compared}: the steps are too long for the motion, or the method does not suit it",
            place(&peak)
        ),
    };
    Some(Finding { kind: Kind::Energy, trustworthy, value: peak.value, limit, scale, sentence })
}

/// The largest rise beyond what sources and stores gave, the sink that gave most of it, and what it is above, in words.
fn given(ledger: &Ledger) -> Option<(f64, &str, String)> {
    let of = |takes: bool| ledger.sources.iter().filter(move |account| account.role.takes() == takes);
    let most = of(true).max_by(|a, b| a.net().total_cmp(&b.net()))?;
    let givers = of(false).filter(|account| account.entered > 0.0);
    let givers: Vec<String> = givers.map(|account| format!("`{}`", account.name)).collect();
    let above = match givers.is_empty() {
        true => "above its start".to_string(),
        false => format!("more than {} gave", givers.join(", ")),
    };
    (most.net() > 0.5 * ledger.risen).then_some((ledger.risen, &most.name, above))
}

/// Energy that the method took from a scene that conserves it: booked, and a property of the method. Smooth steps that took most of it have
/// failed, and so have contacts that took more than there was.
pub fn losses(run: &Evidence, conservation: &Conservation, scales: Scales) -> Option<Finding> {
    let ledger = run.ledger.filter(|_| conservation.holds())?;
    let mut takers: Vec<&Account> =
        ledger.sources.iter().filter(|account| account.role.takes() && account.net() < 0.0).collect();
    let taken = |of: &[Role]| -> f64 {
        takers.iter().filter(|account| of.contains(&account.role)).map(|account| -account.net()).sum()
    };
    let Scales { motion, most, load } = scales;
    let damped = (taken(&[Role::Damping]) - load).max(0.0);
    let (smooth, all) = (taken(&[Role::Sink]) + damped, taken(&[Role::Sink, Role::Damping, Role::Contact]));
    let trustworthy = smooth <= LOSSES[1] * motion && all <= CONTACT_LOSSES * most;
    if trustworthy && all <= LOSSES[0] * most {
        return None;
    }
    takers.sort_by(|a, b| a.net().total_cmp(&b.net()));
    let through: Vec<String> =
        takers.iter().map(|account| format!("{} {}", account.name, short(-account.net()))).collect();
    let (scale, limit) = match (trustworthy, smooth > LOSSES[1] * motion) {
        (true, _) => (most, LOSSES[0] * most),
        (false, true) => (motion, LOSSES[1] * motion),
        (false, false) => (most, CONTACT_LOSSES * most),
    };
    let sentence = format!(
        "this scene conserves energy, and `{}` took {} of it ({}): {}",
        run.method.name(),
        short(all),
        compared(all, scale),
        through.join(", ")
    );
    Some(Finding { kind: Kind::Losses, trustworthy, value: all, limit, scale, sentence })
}
