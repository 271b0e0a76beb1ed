//! Reads the file of an experiment.

use super::recurrence::Recurrence;
use super::settings::{Setting, Start};
use super::{Experiment, Plan, PlanKind, change, claims, computation, ensemble, figure, inside, map, solvers};
use crate::document::{Diagnostic, Diagnostics, Item, Kind, Origin, Position, Source, TableReader, help, parse};
use crate::references;
use crate::scene::{BUILT_IN, BuiltIn};

const KEYS: [&str; 13] = [
    "title",
    "description",
    "place",
    "cites",
    "run",
    "order",
    "map",
    "solve",
    "computation",
    "claim",
    "mutation",
    "start",
    "figure",
];
const RUN_KEYS: [&str; 16] = [
    "name",
    "label",
    "scene",
    "method",
    "set",
    "step",
    "until",
    "full_until",
    "vary",
    "members",
    "states_at",
    "after_impacts",
    "reference",
    "grid",
    "momentum_scale",
    "recurs",
];
const ORDER_KEYS: [&str; 8] = ["name", "label", "scene", "method", "set", "until", "steps", "reference"];
const REFERENCE_KEYS: [&str; 3] = ["method", "set", "step"];

impl Experiment {
    /// Reads an experiment; everything that is wrong with it is reported at once. Whether the scenes take the settings
    /// shows when they are run.
    pub fn read(paper: Option<&str>, id: &str, source: Source) -> Result<Self, Vec<Diagnostic>> {
        let table = parse(&source)?;
        let diagnostics = Diagnostics::new(&source, &[]);
        let parts = decode(&TableReader::root(&table, &diagnostics), &source);
        let problems = diagnostics.into_vec();
        match parts {
            Some(parts) if problems.is_empty() => {
                Ok(Experiment { paper: paper.map(str::to_string), id: id.to_string(), source, ..parts })
            }
            _ => Err(problems),
        }
    }
}

fn decode(root: &TableReader, source: &Source) -> Option<Experiment> {
    root.finish(&KEYS);
    let title = root.required("title").and_then(|item| item.string());
    let text = |key: &str| root.string(key).map(|text| text.trim().to_string());
    let (description, place) = (text("description"), text("place"));
    let mut cites = Vec::new();
    for item in root.array("cites").unwrap_or_default() {
        let Some(key) = item.string() else { continue };
        if references::entry(key).is_none() {
            let known: Vec<&str> = references::entries().map(|(key, _)| key).collect();
            item.report(format!("`{key}` is no key of references.bib"), help("known", key, &known));
        }
        cites.push(key.to_string());
    }
    let mut plans: Vec<Plan> = Vec::new();
    let run: fn(&TableReader, &Source) -> Option<Plan> = read_run;
    for (key, read) in [
        ("run", run),
        ("order", read_order),
        ("map", map::read),
        ("solve", solvers::read),
        ("computation", computation::read),
    ] {
        for item in root.array(key).unwrap_or_default() {
            let Some(table) = item.table() else { continue };
            let Some(plan) = read(&table, source) else { continue };
            if plans.iter().any(|other| other.name == plan.name)
                && let Some(name) = table.item("name")
            {
                name.report(format!("`{}` is already the name of a run", plan.name), None);
            }
            plans.push(plan);
        }
    }
    // What refers to runs can only be read if all of them are there.
    if !root.diagnostics().is_empty() {
        claims::check_keys(root);
        return None;
    }
    let claims = claims::read(root, &plans);
    let drawings = figure::read(root, &plans, source);
    let (claims, drawings) = (claims?, drawings?);
    let mutations = change::read(root, "mutation", (&plans, &claims), source)?;
    let starts = change::read(root, "start", (&plans, &claims), source)?;
    for (place, plan) in plans.iter().enumerate() {
        let used = claims.iter().any(|claim| claim.formula.uses(place))
            || drawings.iter().any(|drawing| drawing.uses(place, true));
        if !used {
            let message = format!("no claim and no figure uses the run `{}`", plan.name);
            root.diagnostics().report(Origin::Default, "", message, None);
        }
    }
    let (title, id, source) = (title?.to_string(), String::new(), Source::new("", ""));
    Some(Experiment {
        paper: None,
        id,
        title,
        description,
        place,
        cites,
        claims,
        source,
        mutations,
        starts,
        horizon: 1.0,
        plans,
        drawings,
    })
}

/// The place of a value in the experiment's file.
pub(super) fn position(item: &Item, source: &Source) -> Option<Position> {
    match item.value().origin {
        Origin::File { start, end } => Some(source.span(start, end)),
        _ => None,
    }
}

/// A setting `key.path=value`.
pub(super) fn setting(item: &Item, source: &Source) -> Option<Setting> {
    let argument = item.string()?;
    if !argument.contains('=') {
        item.report("there is no `=`", Some("write key.path=value, like parameters.g=9.81".into()));
        return None;
    }
    Some(Setting { argument: argument.to_string(), position: position(item, source), displaces: None })
}

/// A key of its own that stands for a key of the scene; its value is taken as it is written.
fn option(table: &TableReader, key: &str, stands_for: &str, source: &Source) -> Option<Setting> {
    let item = table.item(key)?;
    let Origin::File { start, end } = item.value().origin else { return None };
    let written = source.text().get(start..end)?;
    let argument = match (key, item.kind()) {
        ("method", Kind::String(_)) => format!("method={{ name = {written} }}"),
        ("method", Kind::Table(_)) => format!("method={written}"),
        ("method", _) => return item.mismatch("a string or a table"),
        (_, Kind::String(_) | Kind::Integer(_) | Kind::Float(_)) => format!("{stands_for}={written}"),
        _ => return item.mismatch("a number or an expression"),
    };
    Some(Setting { argument, position: position(&item, source), displaces: None })
}

fn settings(table: &TableReader, source: &Source) -> Vec<Setting> {
    let set = table.array("set").unwrap_or_default();
    set.iter().filter_map(|item| setting(item, source)).collect()
}

/// Name, label, scene and settings.
pub(super) fn head(table: &TableReader, source: &Source) -> Option<(String, String, Start)> {
    let name = table.required("name").and_then(|item| name(&item));
    let label = table.string("label");
    let scene = table.required("scene").and_then(|item| {
        let name = item.string()?;
        let known = BuiltIn::named(name);
        if known.is_none() {
            let names: Vec<&str> = BUILT_IN.iter().map(|scene| scene.name).collect();
            item.report(format!("there is no built-in scene `{name}`"), help("built-in scenes", name, &names));
        }
        known
    });
    let mut all: Vec<Setting> = option(table, "method", "method", source).into_iter().collect();
    all.extend(option(table, "step", "run.step", source));
    all.extend(settings(table, source));
    let until = |key: &str| {
        option(table, key, "run.until", source)
            .map(|setting| Setting { displaces: Some(("run", "steps")), ..setting })
    };
    let (until, full_until) = (until("until"), until("full_until"));
    let (name, scene) = (name?, scene?);
    let label = label.unwrap_or(&name).to_string();
    Some((name, label, Start { scene, settings: all, until, full_until, added: Vec::new() }))
}

/// A name that an expression can use.
pub(super) fn name(item: &Item) -> Option<String> {
    let name = item.string()?;
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    if name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit()) {
        return Some(name.to_string());
    }
    let help = "letters, digits and _ are allowed, a letter or _ first".to_string();
    item.report(format!("`{name}` is not a name"), Some(help));
    None
}

fn read_run(table: &TableReader, source: &Source) -> Option<Plan> {
    table.finish(&RUN_KEYS);
    let head = head(table, source);
    let ensemble = ensemble::read(table, source);
    let times: Option<Vec<f64>> =
        table.array("states_at").unwrap_or_default().iter().map(|item| item.number()).collect();
    let count = |item: &Item| match item.integer() {
        Some(count) if count > 0 => Some(count as u64),
        Some(_) => item.mismatch("a number of impacts, at least 1"),
        None => None,
    };
    let after: Option<Vec<u64>> = table.array("after_impacts").unwrap_or_default().iter().map(count).collect();
    let (grid, momentum_scale) = (positive(table, "grid"), positive(table, "momentum_scale"));
    let recurs = Recurrence::read(table, source);
    let ((name, label, start), (members, ensemble), times, after) = (head?, ensemble?, times?, after?);
    let reference = reference(table, &start, source)?;
    let inside = inside::Settings { reference: reference.is_some(), grid: grid?, momentum_scale: momentum_scale? };
    let kind = PlanKind::Run { members, ensemble, times, after, inside, recurs: recurs?, reference };
    Some(Plan { name, label, start: Some(start), kind })
}

fn read_order(table: &TableReader, source: &Source) -> Option<Plan> {
    table.finish(&ORDER_KEYS);
    let head = head(table, source);
    let steps = table.required("steps").and_then(|item| {
        let steps: Option<Vec<f64>> = item.array()?.iter().map(|item| item.number()).collect();
        let steps = steps?;
        let falling = steps.windows(2).all(|pair| pair[1] < pair[0]);
        if steps.len() < 2 || !falling || steps.iter().any(|&step| step <= 0.0) {
            item.report("at least two positive step lengths are needed, each shorter than the one before", None);
            return None;
        }
        Some(steps)
    });
    let (name, label, start) = head?;
    let reference = reference(table, &start, source)?;
    Some(Plan { name, label, start: Some(start), kind: PlanKind::Order { steps: steps?, reference } })
}

/// The run that another is compared with: that with another method, step or other settings.
fn reference(table: &TableReader, start: &Start, source: &Source) -> Option<Option<Box<Start>>> {
    let Some(table) = table.table("reference") else {
        return if table.get("reference").is_some() { None } else { Some(None) };
    };
    table.finish(&REFERENCE_KEYS);
    table.required("step");
    let method = option(&table, "method", "method", source);
    // The options of one method do not fit another.
    let kept = start.settings.iter().filter(|setting| method.is_none() || !setting.of_method()).cloned();
    let step = option(&table, "step", "run.step", source);
    let all = method.clone().into_iter().chain(kept).chain(step).chain(settings(&table, source)).collect();
    Some(Some(Box::new(Start { settings: all, ..start.clone() })))
}

/// A positive number, if there is one.
fn positive(table: &TableReader, key: &str) -> Option<Option<f64>> {
    let Some(item) = table.item(key) else { return Some(None) };
    match item.number()? {
        number if number > 0.0 => Some(Some(number)),
        _ => item.mismatch("a positive number"),
    }
}
