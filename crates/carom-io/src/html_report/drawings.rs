//! The figures of a report.

use carom::measures::{Conservation, Conserved, Momentum};
use serde_json::Value;

use super::data::{Data, label};
use super::thin::Thinned;
use super::words::{number, short, with_error};
use crate::figure::{Axis, Figure, Marker, Panel, Scale, Series, Trace};
use crate::scene::Scene;

/// Names of the figures, as files.
pub const NAMES: [&str; 9] =
    ["energy", "ledger", "paths", "phase", "momentum", "constraints", "solver", "defects", "measures"];

/// Size of a figure and of each panel of a larger one, in px.
const WIDTH: u32 = 780;
const HEIGHT: u32 = 300;
/// Height of a figure that is about shape.
const TALL: u32 = 440;

/// Columns that have a figure of their own.
const KNOWN: [&str; 11] = [
    "energy",
    "kinetic",
    "potential",
    "ledger",
    "linear_momentum",
    "angular_momentum",
    "symmetry",
    "max_equality",
    "max_equality_velocity",
    "iterations",
    "residual",
];

/// A figure with its caption.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// Name of its file, without extension; one of [`NAMES`].
    pub name: &'static str,
    /// What it shows.
    pub caption: String,
    /// The figure.
    pub figure: Figure,
}

/// Whether the scene itself conserves energy, as the run was judged.
fn conservative(scene: &Scene) -> bool {
    Conservation::of(&scene.method, &*scene.problem.system).holds()
}

/// All figures of a run.
pub fn all(scene: &Scene, run: &Value, data: &Data) -> Vec<Drawing> {
    let conserved = Momentum::conserved(&scene.problem);
    let drawings = [
        energy(scene, run, data),
        ledger(data),
        paths(data),
        portraits(data),
        momentum(run, data, &conserved),
        constraints(data),
        solver(run, data),
        defects(data),
        further(data),
    ];
    drawings.into_iter().flatten().collect()
}

fn over_time(y: Axis) -> Panel {
    Panel::new().x(Axis::linear("t")).y(y)
}

/// What the energy error is shown relative to: its own size, or the largest kinetic energy where it is near 0. Of what rests both are round-off.
fn energy_scale(data: &Data, initial: f64) -> (f64, &'static str) {
    let kinetic = data.column("kinetic").and_then(Thinned::largest).unwrap_or(0.0);
    let departure = data
        .column("energy")
        .and_then(Thinned::range)
        .map_or(0.0, |(low, high)| (high - initial).max(initial - low));
    match initial.abs() {
        size if size > 0.1 * kinetic && size > 0.1 * departure && size > 0.0 => (size, "(E − E₀) / |E₀|"),
        _ if kinetic > 0.1 * departure && kinetic > 0.0 => (kinetic, "(E − E₀) / max T"),
        _ => (1.0, "E − E₀"),
    }
}

fn energy(scene: &Scene, run: &Value, data: &Data) -> Option<Drawing> {
    let energy = data.column("energy")?;
    let initial = energy.first()?;
    let over_time = |y: Axis| over_time(y).legend_above();
    let (panel, caption) = if conservative(scene) {
        let (scale, axis) = energy_scale(data, initial);
        let mut panel = over_time(Axis::linear(axis))
            .series(line("energy error", energy.map(|e| (e - initial) / scale)).width(1.0));
        let mut caption = "Energy error, every recorded row".to_string();
        // The slope of a run that failed says nothing.
        let slope = number(run, "/energy/slope").filter(|_| run["energy"]["trend"] != "failed");
        if let (Some(slope), Some(error), Some((t, mean))) =
            (slope, number(run, "/energy/slope_error"), energy.mean())
        {
            let ends = [energy.points.first(), energy.points.last()].map(|end| end.map_or(t, |end| end.0));
            let fit = ends.map(|end| (end, (mean - initial + slope * (end - t)) / scale));
            let text = format!("least squares: {} per unit of t", with_error(slope / scale, error / scale));
            panel = panel.series(line(text, fit).colour(1).width(1.8));
            caption.push_str(", with the least-squares line of all steps");
        }
        (panel, format!("{caption}. E₀ = {}.", short(initial, 6)))
    } else {
        let mut panel = over_time(Axis::linear("energy"));
        // The total last, above its parts.
        let parts = [("kinetic", "kinetic T", 1), ("potential", "potential V", 2), ("energy", "total", 0)];
        for (name, text, colour) in parts {
            if let Some(column) = data.column(name) {
                panel = panel.series(line(text, column.points.clone()).colour(colour).width(1.1));
            }
        }
        (panel, "Energy and its parts; this scene does not conserve it.".to_string())
    };
    Some(Drawing { name: "energy", caption, figure: Figure::new(WIDTH, HEIGHT + 20).panel(panel) })
}

fn ledger(data: &Data) -> Option<Drawing> {
    // Accounts that nothing went through say nothing.
    let idle = |label: &str, column: &Thinned| label.starts_with("work.") && column.largest() == Some(0.0);
    let columns = data.of_kind("ledger").into_iter().filter(|(label, column)| !idle(label, column));
    let (errors, amounts): (Vec<_>, Vec<_>) = columns.partition(|(label, _)| label.contains("error"));
    let mut panels = Vec::new();
    for (title, columns) in [("energy by account", amounts), ("what the integrator made or lost", errors)] {
        if !columns.is_empty() {
            let panel = over_time(Axis::linear("energy")).title(title).legend_above();
            panels.push(apart(columns).into_iter().fold(panel, |panel, (label, column)| {
                // The work of a source is part of what entered or left: dashes let that be seen under it.
                let part = label.starts_with("work.");
                let series = line(label, column.points.clone());
                panel.series(if part { series.dashed() } else { series })
            }));
        }
    }
    let caption = "The ledger: what is stored, entered and left, and what remains for the integrator.".into();
    grid("ledger", caption, panels)
}

/// Columns that can be told apart: those that look the same are drawn once, under all their names.
fn apart(columns: Vec<(String, &Thinned)>) -> Vec<(String, &Thinned)> {
    /// Less than a pixel of a panel.
    const SAME: f64 = 1.0 / 300.0;
    /// Round-off.
    const EQUAL: f64 = 1e-12;
    let (low, high) = columns
        .iter()
        .filter_map(|(_, column)| column.range())
        .fold((0.0_f64, 0.0_f64), |(a, b), r| (a.min(r.0), b.max(r.1)));
    let mut drawn: Vec<(String, &Thinned)> = Vec::new();
    for (label, column) in columns {
        match drawn.iter_mut().find(|(_, other)| column.agrees(other, SAME * (high - low))) {
            Some((labels, other)) => {
                let sign = if column.agrees(other, EQUAL * (high - low)) { '=' } else { '≈' };
                *labels = format!("{labels} {sign} {label}");
            }
            None => drawn.push((label, column)),
        }
    }
    drawn
}

/// Whether consecutive rows lie too far apart to be joined: a mean jump of more than a tenth of the extent.
fn far_apart(rows: &[Vec<f64>], (a, b): (usize, usize)) -> bool {
    let extent = |i: usize| {
        let (low, high) =
            rows.iter().map(|row| row[i]).fold((f64::MAX, f64::MIN), |(l, h), x| (x.min(l), x.max(h)));
        high - low
    };
    let jumps = |i: usize| {
        let size = extent(i);
        let jumps = rows.windows(2).map(|pair| (pair[1][i] - pair[0][i]).abs()).filter(|jump| jump.is_finite());
        let (sum, count) = jumps.fold((0.0, 0.0), |(sum, count), jump| (sum + jump, count + 1.0));
        if size > 0.0 && count > 0.0 { sum / count / size } else { 0.0 }
    };
    jumps(a).max(jumps(b)) > 0.1
}

fn curve(data: &Data, label: &str, places: (usize, usize)) -> Series {
    let rows = &data.sample.rows;
    let points = rows.iter().map(|row| (row[places.0], row[places.1]));
    if far_apart(rows, places) {
        let mut trace = Trace::scatter(Scale::Linear, Scale::Linear);
        trace.extend(points);
        return Series::new(label, trace).marker(Marker::Dot);
    }
    let mut trace = Trace::line(Scale::Linear, Scale::Linear);
    trace.extend(points);
    Series::new(label, trace).width(0.9)
}

/// Which of several are drawn: `the first 8 of 48 points` or `the points`.
fn first(drawn: usize, all: usize, noun: &str) -> String {
    if drawn < all { format!("the first {drawn} of {all} {noun}") } else { format!("the {noun}") }
}

/// Which rows the curves show.
fn shown(data: &Data) -> String {
    let (taken, all) = (data.sample.taken, data.trajectory_rows);
    if taken == all {
        format!("all {all} recorded rows")
    } else {
        format!("{taken} of {all} recorded rows, in stretches spread over the run")
    }
}

fn portraits(data: &Data) -> Option<Drawing> {
    let panel = |(name, q, p): &(String, usize, usize)| {
        let axes = Panel::new().x(Axis::linear(name.as_str())).y(Axis::linear(format!("p.{name}")));
        axes.series(curve(data, "", (*q, *p)))
    };
    let mut panels: Vec<Panel> = data.portraits.iter().map(panel).collect();
    let which = match data.portraits.len() {
        drawn if drawn < data.coordinates => format!(" of {}", first(drawn, data.coordinates, "coordinates")),
        _ => String::new(),
    };
    let caption = format!("Phase portraits{which}: coordinate and momentum; {}.", shown(data));
    if panels.len() == 1 {
        let figure = panels.pop().map(|panel| Figure::new(WIDTH, TALL).panel(panel))?;
        return Some(Drawing { name: "phase", caption, figure });
    }
    grid("phase", caption, panels)
}

fn paths(data: &Data) -> Option<Drawing> {
    let [x, y] = &data.paths.first()?.axes;
    let several = data.paths.len() > 1;
    let (x, y) = if several { ("x", "y") } else { (x.as_str(), y.as_str()) };
    let mut panel = Panel::new().x(Axis::linear(x)).y(Axis::linear(y)).equal_aspect();
    for path in &data.paths {
        panel = panel.series(curve(data, if several { &path.label } else { "" }, path.places));
    }
    let which = first(data.paths.len(), data.points, "points");
    let caption = format!("Paths of {which} in the plane of their first two coordinates; {}.", shown(data));
    Some(Drawing { name: "paths", caption, figure: Figure::new(WIDTH, TALL).panel(panel) })
}

fn momentum(run: &Value, data: &Data, conserved: &Conserved) -> Option<Drawing> {
    let kept = |kind: &str, which: &[bool]| {
        let columns = data.of_kind(kind).into_iter().zip(which).filter(|(_, kept)| **kept);
        columns.map(|(column, _)| column).collect::<Vec<_>>()
    };
    let broken = |symmetry: &Value, text: &str| {
        symmetry["holds"] == false && symmetry["name"].as_str().is_some_and(|name| label(name) == text)
    };
    let holds = |text: &str| !run["symmetries"].as_array().into_iter().flatten().any(|one| broken(one, text));
    let groups = [
        ("linear momentum", kept("linear_momentum", &conserved.linear)),
        ("angular momentum", kept("angular_momentum", &conserved.angular)),
        ("momenta of symmetries", data.of_kind("symmetry").into_iter().filter(|(label, _)| holds(label)).collect()),
    ];
    let mut panels = Vec::new();
    for (title, columns) in groups.into_iter().filter(|(_, columns)| !columns.is_empty()) {
        let panel = over_time(Axis::linear("change since the start")).title(title);
        panels.push(columns.into_iter().fold(panel, |panel, (label, column)| {
            let initial = column.first().unwrap_or(0.0);
            panel.series(line(label, column.map(|value| value - initial)).width(1.0))
        }));
    }
    grid("momentum", "Changes of the momenta that a symmetry of the scene conserves.".into(), panels)
}

/// A series on a logarithmic axis: what is 0 cannot be shown there and is passed over; what is not known leaves a gap.
fn positive(label: impl Into<String>, column: &Thinned) -> Series {
    let mut trace = Trace::line(Scale::Linear, Scale::Log10);
    trace.extend(column.points.iter().map(|&(t, value)| (t, value.abs())).filter(|(_, value)| *value != 0.0));
    Series::new(label, trace).width(0.9)
}

fn constraints(data: &Data) -> Option<Drawing> {
    let labels = [("max_equality", "largest |f|"), ("max_equality_velocity", "largest |df/dt|")];
    let columns = labels.into_iter().filter_map(|(name, text)| Some((text, data.column(name)?)));
    let panels = columns.map(|(text, column)| over_time(Axis::log(text)).series(positive("", column))).collect();
    let caption =
        "Violation of the equality constraints and of their hidden velocity constraints. Rows that hold them \
                   exactly cannot be shown on these axes."
            .into();
    grid("constraints", caption, panels)
}

fn solver(run: &Value, data: &Data) -> Option<Drawing> {
    if run.pointer("/solver/iterations_max")?.as_u64()? == 0 {
        return None;
    }
    // The first row is the start, which no step led to.
    let steps = |column: &Thinned| column.points.iter().copied().skip(1).collect::<Vec<_>>();
    let column = data.column("iterations")?;
    let mut iterations = Trace::scatter(Scale::Linear, Scale::Linear);
    iterations.extend(steps(column));
    // Counts from 0 on, and room enough for ticks at whole numbers.
    let axis = Axis::linear("iterations").range(0.0, column.largest().unwrap_or(0.0).max(4.0) + 1.0);
    let mut panels = vec![over_time(axis).series(Series::new("", iterations).marker(Marker::Dot))];
    if let Some(residual) = data.column("residual") {
        panels.push(over_time(Axis::log("relative residual")).series(positive("", residual)));
    }
    let caption = "The solver: iterations of a step, and the residual that it was accepted with.".into();
    grid("solver", caption, panels)
}

fn defects(data: &Data) -> Option<Drawing> {
    let panel = |wanted: &str| {
        let panel = over_time(Axis::log("defect")).title(wanted.replace('_', " "));
        data.of_kind(wanted).into_iter().fold(panel, |panel, (text, column)| {
            panel.series(positive(if text == label(wanted) { String::new() } else { text }, column))
        })
    };
    let panels = data.kinds().into_iter().filter(|kind| kind.contains("defect")).map(panel).collect();
    grid("defects", "Defects of the step's structure, measured along the run.".into(), panels)
}

/// Measures without a figure of their own, one panel for each kind.
fn further(data: &Data) -> Option<Drawing> {
    let mut panels = Vec::new();
    // The potential itself stands beside its parts in the table.
    let parts: Vec<_> = data.of_kind("potential").into_iter().filter(|(label, _)| label != "potential").collect();
    if !parts.is_empty() {
        let panel = over_time(Axis::linear("parts of the potential"));
        panels.push(
            parts
                .into_iter()
                .fold(panel, |panel, (label, column)| panel.series(line(label, column.points.clone()).width(1.0))),
        );
    }
    for wanted in data.kinds().into_iter().filter(|kind| !KNOWN.contains(kind) && !kind.contains("defect")) {
        let panel = over_time(Axis::linear(wanted.replace('_', " ")));
        let columns = data.of_kind(wanted);
        let alone = columns.len() == 1;
        panels.push(columns.into_iter().fold(panel, |panel, (label, column)| {
            panel.series(line(if alone { String::new() } else { label }, column.points.clone()).width(1.0))
        }));
    }
    let more = match data.left_out {
        0 => String::new(),
        count => format!(" {count} more columns are in measures.f64."),
    };
    grid("measures", format!("Further measures of the run.{more}"), panels)
}

fn line(label: impl Into<String>, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
    let mut trace = Trace::line(Scale::Linear, Scale::Linear);
    trace.extend(points);
    Series::new(label, trace)
}

/// Panels two by two; one alone takes the whole width.
fn grid(name: &'static str, caption: String, panels: Vec<Panel>) -> Option<Drawing> {
    let (count, columns) = (panels.len() as u32, panels.len().min(2));
    let empty = Figure::new(WIDTH, HEIGHT * count.div_ceil(2).max(1)).columns(columns);
    let figure = panels.into_iter().fold(empty, Figure::panel);
    (count > 0).then_some(Drawing { name, caption, figure })
}
