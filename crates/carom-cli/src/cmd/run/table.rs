//! The printed report of a run.

use carom::measures::{Account, EnergyTrend, Role};
use carom_io::document::printable;
use carom_io::folder::RunFolder;
use carom_io::report::RunReport;
use carom_io::scene::Scene;

use crate::print::{self, duration, short};

/// Columns of a path that stands among the numbers.
const LONGEST_PLACE: usize = 24;

/// The first lines: what it is, and why it cannot be trusted.
pub fn head(scene: &Scene, report: &RunReport) -> String {
    let title = scene.title.as_ref().map_or_else(String::new, |title| format!(": {}", printable(title)));
    let mut text = format!("{}{title}\n", printable(&report.scene));
    for reason in report.reasons() {
        text.push_str(&print::wrapped(&format!("NOT TRUSTWORTHY: {}", printable(reason)), 0, 2));
    }
    text
}

/// The structure report: what was kept, what was not, in numbers.
pub fn table(scene: &Scene, report: &RunReport, folder: &RunFolder) -> String {
    let mut text = head(scene, report);
    let rate =
        report.steps_per_second.map_or_else(String::new, |rate| format!(", {} steps/s", short(rate.round())));
    text.push_str(&format!(
        "{} with h = {}: {} step{} to t = {} in {}{rate}\n\n",
        report.method,
        short(report.h),
        report.steps,
        if report.steps == 1 { "" } else { "s" },
        short(report.t),
        duration(report.wall_seconds)
    ));
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row = |name: &str, value: String, meaning: String| rows.push(vec![format!("  {name}"), value, meaning]);
    let energy = &report.energy;
    row("energy", short(energy.initial), "at the start".into());
    if energy.changed_by.is_empty() {
        row(
            "  range",
            format!("{:+.2e} … {:+.2e}", energy.min - energy.initial, energy.max - energy.initial),
            "largest departures over all steps".into(),
        );
    } else {
        let range = format!("{} … {}", short(energy.min), short(energy.max));
        row("  range", range, format!("over all steps; changed by {}", energy.changed_by.join(", ")));
    }
    if let (Some(slope), Some(error), Some(meaning)) = (energy.slope, energy.slope_error, drift(energy.trend)) {
        // Adding 0 takes the sign from −0.
        row("  slope", format!("{:+.1e} ± {error:.0e}", slope + 0.0), format!("per unit of time{meaning}"));
    }
    if let Some(ledger) = report.ledger.as_ref().filter(|ledger| ledger.entered > 0.0 || ledger.left > 0.0) {
        let through = |part: fn(&Account) -> f64| {
            let parts = ledger.sources.iter().filter(|source| part(source) > 0.0);
            parts.map(|source| format!("{} {:.3e}", source.name, part(source))).collect::<Vec<_>>().join(", ")
        };
        row("  entered", format!("{:+.3e}", ledger.entered), through(|source| source.entered));
        let gives = |account: &Account| account.role == Role::Source && account.entered + account.left > 0.0;
        if ledger.sources.iter().any(gives) {
            let meaning = "put in by forces, motors and what moves, less what they took out";
            row("  by sources", format!("{:+.3e}", ledger.from_sources), meaning.into());
        }
        row("  left", format!("{:+.3e}", 0.0 - ledger.left), through(|source| source.left));
        row("  stored", format!("{:+.3e}", ledger.stored), "change of the energy".into());
        let error = format!("integrator error: no account explains it; {:.1e} at most", ledger.error_max);
        row("  unexplained", format!("{:+.1e}", ledger.error), error);
    }
    for symmetry in report.symmetries.iter().flatten() {
        let meaning = if symmetry.holds {
            "largest change of the momentum of this symmetry"
        } else {
            "largest change of its momentum: the scene does not have this symmetry"
        };
        row(&symmetry.name, format!("{:.1e}", symmetry.max_change), meaning.into());
    }
    momentum_row(&mut row, "linear momentum", report.momentum.linear_max_change, &report.momentum.linear_change);
    momentum_row(&mut row, "angular momentum", report.momentum.angular_max_change, &report.momentum.angular_change);
    if let (Some(f), Some(rate)) = (report.constraints.max_equality, report.constraints.max_equality_velocity) {
        row(
            "equalities",
            format!("{f:.1e}"),
            format!("largest violation; {rate:.1e} of the hidden velocity constraints"),
        );
    }
    if let Some(soft) = &report.regularisation {
        let meaning = "by the regularisation: (h²/4 + hτ/2) vᵀHv + ε · force at most";
        row("  expected", format!("{:.1e}", soft.expected_equality), meaning.into());
        row(
            "  soft energy",
            format!(
                "{:+.2e} … {:+.2e}",
                soft.energy.min - soft.energy.initial,
                soft.energy.max - soft.energy.initial
            ),
            format!("departures from {} of the energy with what compliance stores", short(soft.energy.initial)),
        );
    }
    if let Some(depth) = report.constraints.max_penetration {
        row("inequalities", format!("{depth:.1e}"), "largest penetration".into());
    }
    if let (Some(impacts), Some(active)) = (report.impacts, report.active_steps) {
        let at = report.rest_time.map(short);
        let captured = match report.captured {
            Some(0) | None => String::new(),
            Some(1) => {
                format!("; one contact came to rest{}", at.map_or_else(String::new, |t| format!(", at t = {t}")))
            }
            Some(count) => {
                let last = at.map_or_else(String::new, |t| format!(", the last at t = {t}"));
                format!("; {count} times a contact came to rest{last}")
            }
        };
        let fallbacks = match report.fallbacks {
            Some(0) | None => String::new(),
            Some(count) => format!("; {count} by the fallback of the method"),
        };
        let lowered = match report.restitution_lowered {
            Some(0) | None => String::new(),
            Some(count) => format!("; {count} with a lowered restitution, since friction would have gained energy"),
        };
        let steps = match active {
            0 => "no step with a contact".to_string(),
            _ => format!("{active} of {} steps with a contact", report.steps),
        };
        let meaning = format!("{steps}{captured}{fallbacks}{lowered}");
        row("impacts", impacts.to_string(), meaning);
        if let Some(found) = &report.impact_energy {
            let meaning =
                format!("change of the energy in a step with impacts, in the mean; {:+.1e} at worst", found.worst);
            row("  energy", format!("{:+.1e}", found.mean), meaning);
        }
    }
    for watch in report.watches.iter().flatten() {
        let meaning = match (watch.first, watch.last) {
            (Some(first), Some(last)) => {
                format!("crossings of this watch, from t = {} to {}", short(first), short(last))
            }
            _ => "crossings of this watch".into(),
        };
        row(&watch.name, watch.count.to_string(), meaning);
    }
    let solver = &report.solver;
    let mean = solver.iterations_mean.unwrap_or(0.0);
    let iterations = if solver.iterations_max == 0 { "–".into() } else { format!("{mean:.2}") };
    let meaning = match solver.iterations_max {
        0 if report.steps == 0 => "no step was made".into(),
        0 if scene.problem.system.equalities().count() > 0 => "no step needed a correction".into(),
        0 => "explicit: no equations to solve".into(),
        most => format!("iterations per step, {most} at most; worst residual {:.1e}", solver.worst_residual),
    };
    row("solver", iterations, meaning);
    let (place, files) =
        (folder.path().display().to_string(), "report.html, run.json, scene.toml, trajectory and measures");
    // A long path would push all words to the right out of the line.
    match place.chars().count() > LONGEST_PLACE {
        true => row("files", String::new(), format!("{files} in {place}")),
        false => row("files", place, files.into()),
    }
    text.push_str(&print::list(&rows));
    for note in report.remarks() {
        text.push_str(&format!("note: {note}\n"));
    }
    text
}

/// What the slope of the energy says, in words after "per unit of time"; nothing where it says nothing.
fn drift(trend: EnergyTrend) -> Option<&'static str> {
    match trend {
        EnergyTrend::NotConserved | EnergyTrend::Failed => None,
        EnergyTrend::FewSteps => Some("; too few steps to speak of drift"),
        EnergyTrend::RoundOff => Some("; no drift: round-off"),
        EnergyTrend::NoDrift => Some("; no drift: 0 within 3 standard errors"),
        EnergyTrend::Drift => Some(": the energy drifts, or the run is short beside the motion"),
    }
}

fn momentum_row(
    row: &mut impl FnMut(&str, String, String),
    name: &str,
    conserved: Option<f64>,
    change: &Option<Vec<f64>>,
) {
    match (conserved, change) {
        (Some(largest), _) => {
            row(name, format!("{largest:.1e}"), "largest change of the conserved components".into())
        }
        (None, Some(_)) => row(name, "–".into(), "not conserved by this scene".into()),
        (None, None) => {}
    }
}
