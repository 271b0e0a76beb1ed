//! `[parameters]`, `[initial]`, `[method]` and `[run]`.

use carom::error::told;
use carom::method::AnyMethod;
use carom::run::OnFailure;

use super::lagrangian::{by_coordinate, check_size};
use super::measures::{self, Measure};
use super::names::Names;
use crate::document::{Item, Kind, Origin, Table, TableReader, Value, help};

/// The most rows of the trajectory in one step.
const MOST_ROWS: f64 = 1e5;
/// How far apart the times that a double can hold may be, in steps: beyond it nodes are no longer evenly spaced.
const COARSEST: f64 = 0.25;
/// The keys of `[run]`.
pub const RUN_KEYS: [&str; 7] = ["step", "until", "steps", "every", "interval", "on_failure", "measures"];
/// The keys of `[initial]`.
pub const INITIAL_KEYS: [&str; 3] = ["t", "q", "v"];
/// The most steps of a run.
pub const MOST_STEPS: i64 = 1_000_000_000_000_000;

/// Reads `[parameters]` into `names`; a later one may use those before it.
pub fn read_parameters(section: &TableReader, names: &mut Names) {
    for (name, item) in section.items() {
        let fresh = section.key(name).is_some_and(|key| names.admit(&key, name));
        // A broken parameter stays known, so that its uses are not reported too.
        let value = names.number(&item).unwrap_or(1.0);
        if fresh {
            names.parameters.push(name.to_string(), value);
        }
    }
}

/// Reports parameters that the command line adds and nothing uses: most likely a name is misspelt.
pub fn refuse_unused(section: &TableReader, names: &Names) {
    for entry in section.table_ref().entries() {
        let name = entry.key.as_str();
        if matches!(entry.key_origin, Origin::Set(_)) && !names.used.borrow().contains(name) {
            let known: Vec<&str> =
                names.parameters.iter().map(|(other, _)| other.as_str()).filter(|other| *other != name).collect();
            let message = format!("the scene has no parameter `{name}`, and no expression uses it");
            if let Some(item) = section.item(name) {
                item.report(message, help("parameters", name, &known));
            }
        }
    }
}

/// The state at the start.
pub struct Initial {
    /// Time.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
}

/// Reads `[initial]`.
pub fn read_initial(section: &TableReader, names: &mut Names) -> Option<Initial> {
    section.finish(&INITIAL_KEYS);
    let t = match section.item("t") {
        Some(item) => names.number(&item),
        None => Some(0.0),
    };
    let q_item = section.required("q");
    let q = q_item.as_ref().and_then(|item| read_values(item, names));
    let v = section.item("v").map(|item| read_values(&item, names));
    let q = q?;
    let missing: Vec<String> = names
        .families()
        .iter()
        .filter(|family| (0..family.count()).any(|i| q[family.first + i].is_none()))
        .map(|family| format!("`{}`", family.name))
        .collect();
    if let (Some(item), false) = (&q_item, missing.is_empty()) {
        item.report(format!("no value for {}", missing.join(", ")), Some("every coordinate needs one".into()));
        return None;
    }
    let v = match v {
        None => vec![0.0; q.len()],
        Some(v) => v?.into_iter().map(|v| v.unwrap_or(0.0)).collect(),
    };
    Some(Initial { t: t?, q: q.into_iter().flatten().collect(), v })
}

/// One value per coordinate, from a table by name or an array in order. `None` if something was wrong (reported).
fn read_values(item: &Item, names: &mut Names) -> Option<Vec<Option<f64>>> {
    let problems = item.diagnostics().len();
    let mut values = vec![None; names.dim()];
    match item.kind() {
        Kind::Array(_) => {
            let items = item.array()?;
            check_size(item, items.len(), values.len())?;
            values = items.iter().map(|item| names.number(item)).collect();
        }
        Kind::Table(_) => {
            by_coordinate(item, names, |names, place, value| {
                values[place] = names.number(value);
                values[place].is_some()
            })?;
        }
        _ => return item.mismatch("a table of values by coordinate or an array with one per coordinate"),
    }
    (item.diagnostics().len() == problems).then_some(values)
}

/// What `[run]` says.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// Length of a step.
    pub h: f64,
    /// Number of steps.
    pub steps: u64,
    /// Every how many steps a frame is recorded.
    pub every: u64,
    /// The time between the rows of the trajectory, if they do not stand at nodes.
    pub interval: Option<f64>,
    /// What happens when a step fails.
    pub on_failure: OnFailure,
    /// What is recorded beside the usual measures.
    pub measures: Vec<Measure>,
    /// The given end if it is no multiple of the step.
    pub rounded_from: Option<f64>,
}

/// Reads `[run]` for a run that starts at `t0`, if that is known.
pub fn read_run(section: &TableReader, names: &Names, t0: Option<f64>) -> Option<RunSettings> {
    section.finish(&RUN_KEYS);
    let step = section.required("step");
    let h = step.as_ref().and_then(|item| names.positive(item));
    let every = match section.item("every") {
        Some(item) => names.whole(&item, 1..=MOST_STEPS),
        None => Some(1),
    };
    let on_failure = match section.get("on_failure") {
        None => Some(OnFailure::Stop),
        Some(_) => section.choice("on_failure", &["stop", "halve"]).map(|choice| match choice {
            "halve" => OnFailure::Halve,
            _ => OnFailure::Stop,
        }),
    };
    let measures = measures::read(section);
    let mut rounded_from = None;
    let steps = match (section.item("until"), section.item("steps")) {
        (Some(_), Some(item)) => {
            item.report("`until` and `steps` are both given", Some("keep one of them".into()));
            None
        }
        (None, None) => {
            section.report("neither `until` nor `steps` is given", Some("add one, like until = 10.0".into()));
            None
        }
        (None, Some(item)) => names.whole(&item, 0..=MOST_STEPS),
        (Some(item), None) => names.number(&item).zip(h).zip(t0).and_then(|((until, h), t0)| {
            let exact = (until - t0) / h;
            if exact.is_nan() || exact.round() < 0.0 || exact > MOST_STEPS as f64 {
                let message = format!("the run would have {:e} steps from t = {} on", exact.round(), told(t0));
                item.report(message, Some(format!("allowed are 0 to {MOST_STEPS:e}: change until or step")));
                return None;
            }
            if exact.round() == 0.0 && until != t0 {
                let help = "make the step shorter or the end later".to_string();
                item.report(format!("the step {h:e} is too long: the run would have no steps"), Some(help));
                return None;
            }
            // Round-off in until/h grows with the number of steps.
            if (exact - exact.round()).abs() > 1e-9 * exact.abs() {
                rounded_from = Some(until);
            }
            Some(exact.round() as i64)
        }),
    };
    let interval = match section.item("interval") {
        Some(item) => Some(names.positive(&item).filter(|_| every_step(section, &item, every))?),
        None => None,
    };
    let (h, steps, every) = (h?, steps? as u64, every? as u64);
    if let (Some(item), Some(t0)) = (&step, t0)
        && steps > 0
        && t0 + h == t0
    {
        item.report(
            format!("the step {h:e} is lost beside the time {t0:e}"),
            Some("start at an earlier time".into()),
        );
        return None;
    }
    if let (Some(item), Some(t0)) = (&step, t0)
        && let end = t0 + steps as f64 * h
        && let apart = end.abs().next_up() - end.abs()
        && steps > 0
        && apart > COARSEST * h
    {
        let message = format!(
            "steps of {h:e} are lost beside the time {end:e} at the end, where times are {apart:.1e} apart"
        );
        item.report(message, Some("start at an earlier time, take longer steps or fewer of them".into()));
        return None;
    }
    if let (Some(interval), Some(item), Some(t0)) = (interval, section.item("interval"), t0) {
        let rows = steps as f64 * h / interval;
        if rows > MOST_STEPS as f64 {
            let help = format!("allowed are {MOST_STEPS:e}: make the interval longer");
            item.report(format!("the trajectory would have {rows:e} rows"), Some(help));
            return None;
        }
        if t0 + interval == t0 {
            let help = "start at an earlier time".to_string();
            item.report(format!("the interval {interval:e} is lost beside the time {t0:e}"), Some(help));
            return None;
        }
        if h / interval > MOST_ROWS {
            let help = format!("allowed are {MOST_ROWS:e}: make the interval longer, or the step shorter");
            item.report(format!("a step would have {:e} rows", (h / interval).round()), Some(help));
            return None;
        }
    }
    Some(RunSettings { h, steps, every, interval, on_failure: on_failure?, measures, rounded_from })
}

/// Whether every step is recorded where `interval` says when to; reported if not.
fn every_step(section: &TableReader, interval: &Item, every: Option<i64>) -> bool {
    let fine = section.get("every").is_none() || every.is_none_or(|every| every == 1);
    if !fine {
        let help = "keep one of them; beside an interval, measures are recorded in every step".to_string();
        interval.report("`every` and `interval` are both given", Some(help));
    }
    fine
}

/// A plain value as one that no file holds.
fn from_plain(value: &toml::Value) -> Value {
    let kind = match value {
        toml::Value::String(text) => Kind::String(text.clone()),
        toml::Value::Integer(number) => Kind::Integer(*number),
        toml::Value::Float(number) => Kind::Float(*number),
        toml::Value::Boolean(truth) => Kind::Boolean(*truth),
        toml::Value::Datetime(date) => Kind::String(date.to_string()),
        toml::Value::Array(items) => Kind::Array(items.iter().map(from_plain).collect()),
        toml::Value::Table(entries) => {
            let mut table = Table::default();
            entries.iter().for_each(|(key, value)| table.insert(key, from_plain(value)));
            Kind::Table(table)
        }
    };
    Value { kind, origin: Origin::Default }
}

/// Writes the defaults of missing keys into a table and into those that it holds.
fn complete_table(table: &mut Table, defaults: &toml::Table) {
    for (key, value) in defaults {
        match (table.get_mut(key), value) {
            (None, value) => table.insert(key, from_plain(value)),
            (Some(Value { kind: Kind::Table(inner), .. }), toml::Value::Table(value)) => {
                complete_table(inner, value);
            }
            _ => {}
        }
    }
}

/// The scene with every default written out.
pub fn complete(table: &Table, method: &AnyMethod, run: &RunSettings, initial: toml::Table) -> Table {
    let mut table = table.clone();
    let mut fill = |section: &str, defaults: toml::Table| {
        if table.get(section).is_none() {
            table.insert(section, from_plain(&toml::Table::new().into()));
        }
        if let Some(Value { kind: Kind::Table(section), .. }) = table.get_mut(section) {
            complete_table(section, &defaults);
        }
    };
    fill("method", toml::Table::try_from(method).unwrap_or_default());
    let on_failure = match run.on_failure {
        OnFailure::Stop => "stop",
        OnFailure::Halve => "halve",
    };
    let defaults = |pairs: &[(&str, toml::Value)]| -> toml::Table {
        pairs.iter().map(|(key, value)| (key.to_string(), value.clone())).collect()
    };
    let every = toml::Value::Integer(run.every as i64);
    let none = toml::Value::Array(Vec::new());
    fill("run", defaults(&[("every", every), ("on_failure", on_failure.into()), ("measures", none)]));
    fill("initial", initial);
    if let Some(Value { kind: Kind::Array(watches), .. }) = table.get_mut("watch") {
        for watch in watches {
            if let Kind::Table(watch) = &mut watch.kind
                && watch.get("direction").is_none()
            {
                watch.insert("direction", from_plain(&"any".into()));
            }
        }
    }
    table
}
