//! Constraints, contacts and momenta.

use super::limits::{CONSTRAINTS, MOMENTUM, PENETRATION, SOFT_PENETRATION};
use super::scales::{equality_sizes, gap_size, momentum_of};
use super::words::{place, short, times};
use super::{Evidence, Finding, Kind, Level};

/// The equality that is off by most of what it is made of. Those with a compliance of their own are springs where the method lets them be.
pub fn constraints(run: &Evidence) -> Option<Finding> {
    let (system, rows) = (&*run.problem.system, &run.summary.gauge.rows);
    if rows.is_empty() {
        return None;
    }
    let regularised = run.method.abilities().regularised;
    let spring = |row: usize| regularised && system.equalities().softness(row).gives_way();
    let sizes = equality_sizes(system, &run.problem.initial);
    let parts = rows.iter().zip(&sizes).enumerate().filter(|(row, (_, size))| **size > 0.0 && !spring(*row));
    let (row, (&value, &scale)) = parts.max_by(|(_, (f, a)), (_, (g, b))| (*f / *a).total_cmp(&(*g / *b)))?;
    let Level { trustworthy, limit } = Finding::beyond(CONSTRAINTS, value, scale)?;
    let expected = match run.summary.expected_equality {
        Some(expected) if regularised => format!("; the regularisation explains {}", short(expected)),
        _ => String::new(),
    };
    let sentence = format!(
        "equality constraint `{}` is off by {}, {} times the size of its terms, {}{expected}: shorter steps, or a method that holds constraints, keep it",
        system.equalities().name(row),
        short(value),
        short(value / scale),
        short(scale)
    );
    Some(Finding { kind: Kind::Constraints, trustworthy, value, limit, scale, sentence })
}

/// The deepest penetration. A contact that is a spring gives way as far as its load wants; beyond its size that is worth a note.
pub fn penetration(run: &Evidence) -> Option<Finding> {
    let (system, deepest) = (&*run.problem.system, run.summary.gauge.deepest?);
    let spring =
        run.method.abilities().soft_contacts && system.contacts().material(deepest.contact).softness.gives_way();
    let limits = if spring { SOFT_PENETRATION } else { PENETRATION };
    let (value, scale) = (deepest.depth.value, gap_size(system, &run.problem.initial, deepest.contact));
    if scale == 0.0 {
        return None;
    }
    let Level { trustworthy, limit } = Finding::beyond(limits, value, scale)?;
    let advice = match spring {
        true => "its compliance is that of a soft spring, or the steps are too long for its swing",
        false => "shorter steps, or a method that locates impacts, avoid it",
    };
    let sentence = format!(
        "contact `{}` is penetrated by {} {}, {} times its size, {}: {advice}",
        system.contacts().name(deepest.contact),
        short(value),
        place(&deepest.depth),
        short(value / scale),
        short(scale)
    );
    Some(Finding { kind: Kind::Penetration, trustworthy, value, limit, scale, sentence })
}

/// Contacts that steps passed through.
pub fn missed_contacts(run: &Evidence) -> Option<Finding> {
    let passages = &run.summary.passages;
    let farthest = passages.farthest.filter(|_| passages.unnoticed > 0)?;
    let sentence = format!(
        "{} passed through unnoticed; farthest `{}` in step {} from t = {}",
        if passages.unnoticed == 1 {
            "one contact was".to_string()
        } else {
            format!("{} were", times(passages.unnoticed, "contact"))
        },
        run.problem.system.contacts().name(farthest.contact),
        farthest.step,
        short(farthest.t)
    );
    let value = passages.unnoticed as f64;
    Some(Finding { kind: Kind::MissedContacts, trustworthy: false, value, limit: 0.0, scale: 1.0, sentence })
}

/// Momenta that the scene conserves and the method claims to keep; of a method that claims it of some systems only, a note at most.
pub fn momentum(run: &Evidence, energy: f64) -> Option<Finding> {
    let claims = run.method.claims();
    let [linear, angular] = momentum_of(run.problem, &run.outcome.state, energy);
    let changes = [
        ("linear", run.summary.linear().1.filter(|_| claims.linear_momentum), linear),
        ("angular", run.summary.angular().1.filter(|_| claims.angular_momentum), angular),
    ];
    let found = changes.into_iter().filter_map(|(name, change, scale)| {
        let value = change.filter(|_| scale > 0.0)?;
        let Level { trustworthy, limit } = Finding::beyond(MOMENTUM, value, scale)?;
        let trustworthy = trustworthy || !run.method.preserves_of().is_empty();
        let sentence = format!(
            "{name} momentum, which the scene conserves, changed by {}, {} times that of the motion, {}",
            short(value),
            short(value / scale),
            short(scale)
        );
        Some(Finding { kind: Kind::Momentum, trustworthy, value, limit, scale, sentence })
    });
    found.max_by(|a, b| (a.value / a.scale).total_cmp(&(b.value / b.scale)))
}
