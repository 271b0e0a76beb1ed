//! `carom check SCENE`.

use carom::system::{Mass, System};
use carom::testing::derivatives::{self, Comparison};
use carom_io::report::notes;
use carom_io::scene::Scene;
use clap::Args as ClapArgs;
use serde_json::json;

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
    let comparisons = if args.derivatives { compare(&scene) } else { Vec::new() };
    let wrong: Vec<&Comparison> = comparisons.iter().filter(|c| !c.agrees()).collect();
    let notes = notes(&scene);
    if args.json {
        let rows: Vec<_> = comparisons
            .iter()
            .map(|c| json!({ "derivative": c.what, "relative_difference": c.error, "agrees": c.agrees() }))
            .collect();
        let derivatives = args.derivatives.then_some(rows);
        print::json(&json!({ "valid": true, "problems": [], "notes": notes, "derivatives": derivatives }))?;
    } else {
        let mut text = format!("{}: fine\n{}", scene.name, print::columns(&describe(&scene)));
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

/// The derivatives at the initial state with velocities of the size that the motion will have.
fn compare(scene: &Scene) -> Vec<Comparison> {
    let state = &scene.problem.initial;
    let v: Vec<f64> = (0..state.q.len()).map(|i| 0.7 + 0.1 * i as f64).collect();
    derivatives::check(&*scene.problem.system, state.t, &state.q, &v)
}

fn describe(scene: &Scene) -> Vec<Vec<String>> {
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
        count("equalities", system.equalities()),
        count("inequalities", system.inequalities()),
        count("nonholonomic", system.nonholonomic().map_or(0, |rows| rows.rows())),
        vec!["  method".into(), scene.method.name().into()],
    ];
    let end = scene.problem.initial.t + scene.run.steps as f64 * scene.run.h;
    rows.push(vec![
        "  run".into(),
        format!("{} steps of {} to t = {}", scene.run.steps, scene.run.h, print::short(end)),
    ]);
    rows
}
