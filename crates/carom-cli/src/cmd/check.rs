//! `carom check SCENE`.

use carom::error::{Failure, told};
use carom::lagrangian::length::GapUnit;
use carom::problem::contacts_at;
use carom::state::State;
use carom::system::{Mass, System};
use carom::testing::derivatives::{self, Comparison};
use carom_io::report::notes;
use carom_io::scene::Scene;
use clap::Args as ClapArgs;
use serde::Serialize;
use serde_json::{Value, json};

use crate::fail::Fail;
use crate::input::SceneArgs;
use crate::print;

/// Options of `check`.
#[derive(ClapArgs)]
pub struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Compare every derivative with a high-order difference
    #[arg(long)]
    derivatives: bool,
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

/// Validates a scene.
pub fn run(args: &Args) -> Result<(), Fail> {
    let scene = args.scene.read(args.json)?;
    let comparisons = if args.derivatives { compare(&scene)? } else { Vec::new() };
    let wrong: Vec<&Comparison> = comparisons.iter().filter(|c| !c.agrees()).collect();
    let mut notes = notes(&scene);
    let gaps = scene.gap_units();
    notes.extend(own_units(&gaps));
    if args.json {
        let rows: Vec<_> = comparisons
            .iter()
            .map(|c| json!({ "derivative": c.what, "relative_difference": c.error, "agrees": c.agrees() }))
            .collect();
        let derivatives = args.derivatives.then_some(rows);
        let (valid, problems, gaps, compressed) = (true, [(); 0], gaps_as_data(&gaps), compressed(&scene));
        print::json(&json!({
            "valid": valid, "problems": problems, "notes": notes, "gaps": gaps, "compressed": compressed,
            "derivatives": derivatives
        }))?;
    } else {
        let mut text = format!("{}: fine\n{}", scene.name, print::list(&describe(&scene, &gaps)));
        for note in notes {
            text.push_str(&format!("note: {note}\n"));
        }
        if args.derivatives {
            text.push_str("\nderivative      relative difference from a difference of order 8\n");
            for c in &comparisons {
                let verdict = if c.agrees() { "agrees" } else { "DIFFERS" };
                text.push_str(&format!("{:<14}  {:>8.1e}  {verdict}\n", c.what, c.error));
            }
        }
        print::out(&text)?;
    }
    match wrong.first() {
        None => Ok(()),
        Some(c) => {
            let ((row, column), (given, difference)) = (c.worst, c.values);
            Err(Fail::Failed(format!(
                "error: {} of {} derivatives differ; first {} at row {row}, column {column}: {given:e} given, \
                 {difference:e} by differences",
                wrong.len(),
                comparisons.len(),
                c.what
            )))
        }
    }
}

/// A contact that starts in compression: those with a compliance of their own may.
#[derive(Serialize)]
struct Compressed {
    name: String,
    gap: f64,
    /// −gap / compliance.
    force: f64,
    /// ½ gap² / compliance.
    energy: f64,
}

fn compressed(scene: &Scene) -> Vec<Compressed> {
    let system = &*scene.problem.system;
    let State { t, q, .. } = &scene.problem.initial;
    let near = contacts_at(system, *t, q);
    let mut gaps = vec![0.0; near.len()];
    system.contacts().gaps_of(*t, q, &near, &mut gaps);
    let springs = near.iter().zip(&gaps).filter_map(|(&contact, &gap)| {
        let softness = system.contacts().material(contact).softness;
        let compliance = softness.compliance.filter(|compliance| *compliance > 0.0)?;
        let (force, energy) = (-gap / compliance, 0.5 * gap * gap / compliance);
        (gap < 0.0).then(|| Compressed { name: system.contacts().name(contact), gap, force, energy })
    });
    springs.collect()
}

fn compressed_in_words(scene: &Scene) -> Option<String> {
    let springs = compressed(scene);
    let deepest = springs.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))?;
    let plural = if springs.len() == 1 { "" } else { "s" };
    let energy: f64 = springs.iter().map(|spring| spring.energy).sum();
    Some(format!(
        "{} contact{plural} in compression, which stores {energy:.3e}; deepest: `{}`, gap {:.3e}, force {:.3e}",
        springs.len(),
        deepest.name,
        deepest.gap,
        deepest.force
    ))
}

/// Gaps that are not lengths, or may not be, and are left as they are.
fn own_units(gaps: &[(&str, GapUnit)]) -> Vec<String> {
    let own = gaps.iter().filter_map(|(name, unit)| match unit {
        GapUnit::Own(slope) => Some(format!(
            "`{name}` is not a length: its gradient has length {slope:.4} near the start, and penetrations are in its own unit (unit = \
             \"normalised\" makes it a length)"
        )),
        GapUnit::Said(slope) => Some(format!(
            "`{name}` is taken as a length, as the scene says; by `points` or `slide` its gradient has length {slope:.4} near the start"
        )),
        _ => None,
    });
    own.collect()
}

fn gaps_as_data(gaps: &[(&str, GapUnit)]) -> Vec<Value> {
    let data = gaps.iter().map(|(name, unit)| {
        let (word, slope) = match *unit {
            GapUnit::Length => ("length", Some(1.0)),
            GapUnit::Normalised(slope) => ("normalised", Some(slope)),
            GapUnit::Said(slope) => ("said to be a length", Some(slope)),
            GapUnit::Own(slope) => ("own", Some(slope)),
            GapUnit::Unknown => ("unknown", None),
        };
        json!({ "name": name, "unit": word, "slope": slope })
    });
    data.collect()
}

/// How many gaps are what, in words.
fn gaps_in_words(gaps: &[(&str, GapUnit)]) -> Option<String> {
    const KINDS: [&str; 4] =
        ["a length as written", "made a length", "in a unit of its own", "of a unit that nothing tells"];
    let mut counts = [0; 4];
    for (_, unit) in gaps {
        counts[match unit {
            GapUnit::Length | GapUnit::Said(_) => 0,
            GapUnit::Normalised(_) => 1,
            GapUnit::Own(_) => 2,
            GapUnit::Unknown => 3,
        }] += 1;
    }
    let words = counts.iter().zip(KINDS).filter(|(count, _)| **count > 0);
    let words: Vec<String> = words.map(|(count, kind)| format!("{count} {kind}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// The derivatives at the initial state with velocities of the size that the motion will have.
fn compare(scene: &Scene) -> Result<Vec<Comparison>, Fail> {
    let (state, system) = (&scene.problem.initial, &*scene.problem.system);
    let (n, rows) = (system.dim(), system.equalities().count() + system.contacts().count());
    Failure::unless_they_fit("comparing derivatives", &[[n, n], [n, n], [n, n], [rows, n], [rows, n]])
        .map_err(|large| Fail::Input(format!("error: --derivatives: {large}; compare those of a smaller scene")))?;
    let v: Vec<f64> = (0..state.q.len()).map(|i| 0.7 + 0.1 * i as f64).collect();
    Ok(derivatives::check(system, state.t, &state.q, &v))
}

fn describe(scene: &Scene, gaps: &[(&str, GapUnit)]) -> Vec<Vec<String>> {
    let system: &dyn System = &*scene.problem.system;
    let names: Vec<String> = (0..system.dim()).map(|i| system.coordinate_name(i)).collect();
    let shown = if names.len() > 8 { format!("{}, …", names[..8].join(", ")) } else { names.join(", ") };
    let mass = match system.mass() {
        Mass::Diagonal(_) => "constant, diagonal",
        Mass::Constant(_) => "constant, full",
        Mass::Configuration(_) => "depends on the configuration",
    };
    let count = |what: &str, count: usize| vec![format!("  {what}"), count.to_string()];
    let mut rows = vec![
        vec!["  coordinates".into(), format!("{} ({shown})", names.len())],
        vec!["  mass".into(), mass.into()],
        count("equalities", system.equalities().count()),
        count("inequalities", system.contacts().count()),
        count("nonholonomic", system.nonholonomic().map_or(0, |rows| rows.rows())),
        vec!["  method".into(), scene.method.name().into()],
    ];
    rows.extend(gaps_in_words(gaps).map(|words| vec!["  gaps".into(), words]));
    rows.extend(compressed_in_words(scene).map(|words| vec!["  start".into(), words]));
    let end = scene.problem.initial.t + scene.run.steps as f64 * scene.run.h;
    rows.push(vec![
        "  run".into(),
        format!("{} steps of {} to t = {}", scene.run.steps, told(scene.run.h), print::short(end)),
    ]);
    rows
}
