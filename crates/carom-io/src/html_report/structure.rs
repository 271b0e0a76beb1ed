//! The structure report: what the method promises and what was measured, side by side.

use carom::measures::Conservation;
use serde_json::Value;

use super::data::Data;
use super::thin::Thinned;
use super::words::{count, drift, energy_promise, number, short, ulp};
use crate::scene::Scene;

/// One property.
pub struct Row {
    /// Of what.
    pub name: &'static str,
    /// What the method promises.
    pub promise: String,
    /// What was measured.
    pub measured: String,
}

/// The rows for a run.
pub fn rows(scene: &Scene, run: &Value, data: &Data) -> Vec<Row> {
    let mut rows = vec![energy(scene, run)];
    rows.extend(ledger(run));
    rows.extend(momenta(scene, run));
    rows.extend(symmetries(scene, run));
    rows.extend(equalities(scene, run, data));
    rows.extend(penetration(run));
    rows.push(solver(scene, run));
    rows.extend(defects(scene, data));
    rows
}

fn energy(scene: &Scene, run: &Value) -> Row {
    let conservation = Conservation::of(&scene.method, &*scene.problem.system);
    let energy = |key: &str| number(run, &format!("/energy/{key}"));
    let range = energy("initial").zip(energy("min").zip(energy("max")));
    let mut measured: Vec<String> =
        range.map(|(initial, range)| departures(conservation.holds(), initial, range)).into_iter().collect();
    if let Some(mut sentence) = drift(run).filter(|_| conservation.holds()) {
        if let Some(first) = sentence.get(..1).map(str::to_uppercase) {
            sentence.replace_range(..1, &first);
        }
        measured.push(sentence + ".");
    }
    let contacts = scene.problem.system.contacts().count() > 0;
    let promise = energy_promise(&scene.method.claims(), &conservation, contacts);
    Row { name: "Energy", promise, measured: measured.join(" ") }
}

/// Where the energy was over all steps.
fn departures(conserved: bool, initial: f64, (min, max): (f64, f64)) -> String {
    let start = short(initial, 8);
    if !conserved {
        return format!("E₀ = {start}. Over all steps between {} and {}.", short(min, 5), short(max, 5));
    }
    let relative = match initial.abs() {
        0.0 => String::new(),
        size => format!(" ({} of |E₀|)", short((max - initial).max(initial - min) / size, 2)),
    };
    format!(
        "E₀ = {start}. Largest departures over all steps: {} below and {} above it{relative}.",
        short(initial - min, 3),
        short(max - initial, 3)
    )
}

fn ledger(run: &Value) -> Option<Row> {
    let account = |key: &str| number(run, &format!("/ledger/{key}"));
    let (entered, left, stored) = (account("entered")?, account("left")?, account("stored")?);
    let largest = account("error_max").map_or_else(String::new, |error| format!(", at most {}", short(error, 3)));
    let through = |part: &str| {
        let accounts = run["ledger"]["sources"].as_array().into_iter().flatten();
        let words = |account: &Value| {
            let value = account[part].as_f64().filter(|value| *value != 0.0)?;
            Some(format!("{} {}", account["name"].as_str()?, short(value, 4)))
        };
        let words: Vec<String> = accounts.filter_map(words).collect();
        if words.is_empty() { String::new() } else { format!(" ({})", words.join(", ")) }
    };
    let by_sources = match account("from_sources").filter(|net| *net != 0.0) {
        Some(net) => format!(" Sources put in {}, less what they took out.", short(net, 5)),
        None => String::new(),
    };
    Some(Row {
        name: "Accounts of energy",
        promise: "Every change of energy has a source, up to the error of the integrator.".into(),
        measured: format!(
            "Entered {}{}, left {}{}, stored {}. Unexplained at the end {}{largest}: integrator error.{by_sources}",
            short(entered, 5),
            through("entered"),
            short(left, 5),
            through("left"),
            short(stored, 5),
            short(account("error")?, 3)
        ),
    })
}

fn momenta(scene: &Scene, run: &Value) -> Vec<Row> {
    let claims = scene.method.claims();
    let kinds = [
        ("Linear momentum", "linear", claims.linear_momentum),
        ("Angular momentum", "angular", claims.angular_momentum),
    ];
    let mut rows = Vec::new();
    for (name, key, claimed) in kinds {
        if run["momentum"][format!("{key}_change")].is_null() {
            continue;
        }
        let (promise, measured) = match number(run, &format!("/momentum/{key}_max_change")) {
            None => ("None: no symmetry of the scene conserves a component.".to_string(), "–".to_string()),
            Some(change) => {
                let exact = "Exact, up to rounding, in the components that a symmetry of the scene conserves.";
                let promise = if claimed { exact } else { "None." };
                (promise.to_string(), format!("Largest change of a conserved component: {}.", short(change, 3)))
            }
        };
        rows.push(Row { name, promise, measured });
    }
    rows
}

fn symmetries(scene: &Scene, run: &Value) -> Option<Row> {
    let declared = run["symmetries"].as_array().filter(|declared| !declared.is_empty())?;
    let claims = scene.method.claims();
    let promise = if claims.linear_momentum && claims.angular_momentum {
        "The momentum of a linear symmetry that the scene has is exact, up to rounding."
    } else {
        "None for every symmetry."
    };
    let words = |symmetry: &Value| {
        let name = symmetry["name"].as_str().unwrap_or_default();
        match (symmetry["holds"] == true, symmetry["max_change"].as_f64()) {
            (true, Some(change)) => format!("{name}: largest change {}.", short(change, 3)),
            _ => format!("{name}: the scene does not have this symmetry."),
        }
    };
    let measured: Vec<String> = declared.iter().map(words).collect();
    Some(Row { name: "Declared symmetries", promise: promise.into(), measured: measured.join(" ") })
}

fn equalities(scene: &Scene, run: &Value, data: &Data) -> Option<Row> {
    let violation = number(run, "/constraints/max_equality")?;
    let rate = number(run, "/constraints/max_equality_velocity").unwrap_or(0.0);
    let largest = data.largest_coordinate;
    let ulps = if largest > 0.0 {
        let ulps = short(violation / ulp(largest), 2);
        format!(", or {ulps} ulp of the largest coordinate ({})", short(largest, 3))
    } else {
        String::new()
    };
    let rows = count(scene.problem.system.equalities().count() as u64, "equality constraint");
    let rate = format!("largest rate {} of the hidden velocity constraints", short(rate, 3));
    let (promise, measured) = if scene.method.abilities().regularised {
        let expected = number(run, "/regularisation/expected_equality");
        let expected = expected.map_or_else(String::new, |expected| {
            format!(", where the regularisation makes one expect {}", short(expected, 3))
        });
        let promise = format!("{rows}: regularised, they give way and come back.");
        (promise, format!("Largest violation {}{expected}; {rate}.", short(violation, 3)))
    } else {
        let promise = format!("{rows}: held to round-off in every step, with the hidden velocity constraints.");
        (promise, format!("Largest violation {}{ulps}; {rate}.", short(violation, 3)))
    };
    Some(Row { name: "Equality constraints", promise, measured })
}

fn penetration(run: &Value) -> Option<Row> {
    let depth = number(run, "/constraints/max_penetration")?;
    Some(Row {
        name: "Inequality constraints",
        promise: "No gap below 0 at the nodes, as far as the method enforces it.".into(),
        measured: {
            let number_of = |key: &str| number(run, key).unwrap_or(0.0) as u64;
            let mut words = format!("Largest penetration {}.", short(depth, 3));
            // What did not happen is not told, but that nothing happened is.
            let told =
                [("/impacts", "impact"), ("/active_steps", "step")].map(|(key, noun)| (number_of(key), noun));
            words += &match told {
                [(0, _), (0, _)] => " No contact was touched.".to_string(),
                [(0, _), (steps, noun)] => format!(" {} with a contact.", count(steps, noun)),
                [(impacts, noun), (0, _)] => format!(" {}.", count(impacts, noun)),
                [(impacts, impact), (steps, step)] => {
                    format!(" {}, {} with a contact.", count(impacts, impact), count(steps, step))
                }
            };
            words += &match number_of("/captured") {
                0 => String::new(),
                1 => " One contact came to rest.".to_string(),
                captured => format!(" {captured} times a contact came to rest."),
            };
            let lowered = number_of("/restitution_lowered");
            if lowered > 0 {
                words += &format!(
                    " At {lowered} of them restitution was lowered: with friction that turns slip round it would have gained energy."
                );
            }
            let fallbacks = number_of("/fallbacks");
            if fallbacks > 0 {
                words += &format!(" At {fallbacks} of the impacts the fallback of the method was taken.");
            }
            if let Some(t) = number(run, "/rest_time") {
                words += &format!(" The last contact came to rest at t = {}.", short(t, 5));
            }
            words
        },
    })
}

fn solver(scene: &Scene, run: &Value) -> Row {
    let solver = |key: &str| number(run, &format!("/solver/{key}")).unwrap_or(0.0);
    let (most, failures, halved) = (solver("iterations_max"), solver("failures"), solver("halved_steps"));
    let mut measured = match (most, run["steps"].as_u64()) {
        (0.0, Some(0)) => "No step was made.".to_string(),
        (0.0, _) if scene.problem.system.equalities().count() > 0 => "No step needed a correction.".to_string(),
        (0.0, _) => "Explicit steps: there was nothing to solve.".to_string(),
        _ => {
            let mean = short(solver("iterations_mean"), 3);
            let plural = if mean == "1" { "" } else { "s" };
            let residual = short(solver("worst_residual"), 2);
            format!(
                "{mean} iteration{plural} per step in the mean, {most} at most; worst relative residual of an accepted \
                 step {residual}."
            )
        }
    };
    measured.push_str(&match (failures, halved) {
        (0.0, 0.0) => " No solve failed.".to_string(),
        (failures, 0.0) => format!(" {}.", count(failures as u64, "failed solve")),
        (failures, halved) => {
            let (failures, halved) = (count(failures as u64, "failed solve"), count(halved as u64, "halved step"));
            format!(" {failures}, {halved}.")
        }
    });
    let promise =
        "Every accepted step solves its equations to round-off; one that cannot be solved ends the run or \
                   is halved, and is counted."
            .into();
    Row { name: "Solver", promise, measured }
}

/// What was measured of the step's own structure, where the tables have it.
fn defects(scene: &Scene, data: &Data) -> Vec<Row> {
    let claims = scene.method.claims();
    let largest = |names: &[&str]| {
        let columns = names.iter().filter_map(|name| data.column(name).and_then(Thinned::largest));
        columns.reduce(f64::max)
    };
    let promise = |claimed: bool, words: &str| if claimed { words.to_string() } else { "None.".to_string() };
    let row = |name: &'static str, promise: String, defect: Option<f64>| {
        defect.map(|defect| Row { name, promise, measured: format!("Largest defect {}.", short(defect, 3)) })
    };
    let symplectic = if scene.problem.system.forces().is_some() {
        "None: forces that come from no potential change the symplectic form.".to_string()
    } else {
        promise(claims.symplectic, "The step preserves the symplectic form.")
    };
    let reversible = promise(claims.reversible, "Stepping with −h undoes a step.");
    [
        row("Symplectic form", symplectic, largest(&["symplecticity_defect"])),
        row("Time reversal", reversible, largest(&["reversal_defect.q", "reversal_defect.p"])),
    ]
    .into_iter()
    .flatten()
    .collect()
}
