//! The figures of an experiment: curves of runs over time, errors over step lengths, values over an ensemble.

mod column;
mod curves;
mod interior;
mod orders;
mod relaxation;
mod snapshots;
mod sweep;

pub(super) use column::Curve;
pub(super) use interior::Pen;

use super::formula::Formula;
use super::run::Found;
use super::{Experiment, Plan, PlanKind, claims};
use crate::document::{Item, Source, TableReader, help};
use crate::figure::{Axis, Figure, Panel as Plot, Trace};
use curves::Curves;
use relaxation::Relaxation;
use snapshots::Snapshots;
use sweep::Sweep;

const KEYS: [&str; 5] = ["name", "title", "columns", "full", "panels"];
const PANEL_KEYS: [&str; 25] = [
    "title",
    "runs",
    "orders",
    "ensemble",
    "ensembles",
    "map",
    "solves",
    "snapshots",
    "plane",
    "radius",
    "anchors",
    "labels",
    "exact",
    "exact_label",
    "member",
    "switches",
    "x",
    "y",
    "x_label",
    "y_label",
    "log",
    "log_x",
    "guides",
    "beside",
    "range",
];
/// Width of a panel that stands alone, and of one among several, in px.
const WIDE: u32 = 780;
const NARROW: u32 = 560;
/// Width of a panel of a map, which is square.
const SQUARE: u32 = 300;
/// Height of a panel in px.
const HEIGHT: u32 = 320;
/// Most members of an ensemble whose curves can be told apart.
const MOST_CURVES: usize = 8;

/// A figure.
pub(super) struct Drawing {
    name: String,
    title: String,
    columns: usize,
    full: bool,
    pub panels: Vec<Panel>,
}

/// A panel of a figure.
pub(super) struct Panel {
    title: String,
    labels: (Option<String>, Option<String>),
    log: bool,
    range: Option<(f64, f64)>,
    content: Content,
}

enum Content {
    /// Curves of each of these plans.
    Curves(Vec<usize>, Curves),
    /// Errors of these studies over the step length.
    Orders(Vec<usize>),
    /// A value of each member of an ensemble over what is varied.
    Ensemble(usize, Formula, String),
    /// A curve of each of these ensembles: one quantity of its members over another.
    Sweep(Vec<usize>, Sweep),
    /// A plot of every member of a map.
    Map(usize),
    /// A plot of every state that a run keeps.
    Snapshots(usize, Snapshots),
    /// The histories of these solves.
    Relaxation(Vec<usize>, Relaxation),
}

impl Panel {
    fn plans(&self) -> Vec<usize> {
        match &self.content {
            Content::Curves(plans, _)
            | Content::Orders(plans)
            | Content::Sweep(plans, _)
            | Content::Relaxation(plans, _) => plans.clone(),
            Content::Map(plan) | Content::Snapshots(plan, _) => vec![*plan],
            Content::Ensemble(plan, formula, _) => {
                let others = formula.references.iter().map(|reference| reference.plan);
                std::iter::once(*plan).chain(others).collect()
            }
        }
    }

    /// The expression that it shows of an ensemble.
    pub fn formula(&self) -> Option<&Formula> {
        match &self.content {
            Content::Ensemble(_, formula, _) => Some(formula),
            _ => None,
        }
    }

    /// Whether it shows errors of a solve.
    pub fn shows_errors(&self, plan: usize) -> bool {
        matches!(&self.content, Content::Relaxation(plans, of) if plans.contains(&plan) && of.errors())
    }

    /// The curves that it shows of a plan.
    pub fn curves(&self, plan: usize) -> &[Curve] {
        match &self.content {
            Content::Curves(plans, curves) if plans.contains(&plan) => &curves.list,
            _ => &[],
        }
    }
}

impl Drawing {
    /// Whether it shows a plan, among the long horizons or without them.
    pub fn uses(&self, plan: usize, full: bool) -> bool {
        (full || !self.full) && self.panels.iter().any(|panel| panel.plans().contains(&plan))
    }
}

/// Reads the figures.
pub(super) fn read(root: &TableReader, plans: &[Plan], source: &Source) -> Option<Vec<Drawing>> {
    let items = root.array("figure").unwrap_or_default();
    let mut drawings: Vec<Option<Drawing>> = Vec::new();
    for item in items {
        let drawing = item.table().and_then(|table| read_drawing(&table, plans, source));
        if let Some(drawing) = &drawing
            && drawings.iter().flatten().any(|other| other.name == drawing.name)
        {
            item.report(format!("`{}` is already the name of a figure", drawing.name), None);
        }
        drawings.push(drawing);
    }
    drawings.into_iter().collect()
}

fn read_drawing(table: &TableReader, plans: &[Plan], source: &Source) -> Option<Drawing> {
    table.finish(&KEYS);
    let name = table.required("name").and_then(|item| claims::id(&item));
    let title = table.required("title").and_then(|item| item.string());
    let columns = match table.item("columns") {
        None => Some(1),
        Some(item) => item.integer().and_then(|count| match count {
            1..=4 => Some(count as usize),
            _ => item.mismatch("a number of columns from 1 to 4"),
        }),
    };
    let full = table.boolean("full").unwrap_or(false);
    let items = table.required("panels").and_then(|item| item.array())?;
    if items.is_empty() {
        table.report("the figure has no panel", None);
        return None;
    }
    let read = |item: &Item| item.table().and_then(|table| read_panel(item, &table, plans, source));
    let panels: Vec<Option<Panel>> = items.iter().map(read).collect();
    let panels: Option<Vec<Panel>> = panels.into_iter().collect();
    Some(Drawing { name: name?, title: title?.to_string(), columns: columns?, full, panels: panels? })
}

fn read_panel(item: &Item, table: &TableReader, plans: &[Plan], source: &Source) -> Option<Panel> {
    table.finish(&PANEL_KEYS);
    let text = |key: &str| table.string(key).map(str::to_string);
    let log = table.boolean("log").unwrap_or(false);
    let range = match table.array("range") {
        None => None,
        Some(ends) => {
            let ends: Option<Vec<f64>> = ends.iter().map(|end| end.number()).collect();
            match ends?[..] {
                [a, b] if a < b => Some((a, b)),
                _ => return table.item("range")?.mismatch("a pair of numbers, the smaller first"),
            }
        }
    };
    let named = |item: &Item, what: &str| -> Option<usize> {
        let of_kind = |plan: &&Plan| plan.kind.name() == what;
        let name = item.string()?;
        let place = plans.iter().position(|plan| plan.name == name && of_kind(&plan));
        if place.is_none() {
            let known: Vec<&str> = plans.iter().filter(of_kind).map(|plan| plan.name.as_str()).collect();
            item.report(format!("there is no [[{what}]] `{name}`"), help("known", name, &known));
        }
        place
    };
    let several = |key: &str, what: &str| -> Option<Vec<usize>> {
        let list = table.item(key)?;
        let found: Option<Vec<usize>> = list.array()?.iter().map(|item| named(item, what)).collect();
        if found.as_ref().is_some_and(Vec::is_empty) {
            list.report("the panel shows nothing", None);
        }
        found
    };
    let given: Vec<&str> = ["runs", "orders", "ensemble", "ensembles", "map", "solves", "snapshots"]
        .into_iter()
        .filter(|key| table.get(key).is_some())
        .collect();
    let content = match given[..] {
        ["runs"] => {
            let runs = several("runs", "run")?;
            for &run in &runs {
                if plans[run].members().is_some_and(|members| members > MOST_CURVES) {
                    let message = format!("`{}` has more than {MOST_CURVES} members", plans[run].name);
                    table.item("runs")?.report(message, Some("draw a value of each: ensemble = …".into()));
                }
            }
            let curves = Curves::read(item, table, (plans, &runs), log, source)?;
            Content::Curves(runs, curves)
        }
        ["orders"] => Content::Orders(several("orders", "order")?),
        ["ensemble"] => {
            let ensemble = table.item("ensemble")?;
            let meant = plans.iter().find(|plan| Some(&*plan.name) == ensemble.string());
            let kind = meant.filter(|plan| plan.tabled().is_some()).map_or("run", |plan| plan.kind.name());
            let plan = named(&ensemble, kind);
            let formula = table.required("y").and_then(|item| Formula::read(&item, plans));
            let plan = plan?;
            let Some(varied) = plans[plan].varied() else {
                ensemble.report("this needs an ensemble that varies one key over numbers", None);
                return None;
            };
            Content::Ensemble(plan, formula?, varied.to_string())
        }
        ["ensembles"] => {
            let runs = several("ensembles", "run")?;
            Content::Sweep(runs, Sweep::read(table)?)
        }
        ["map"] => Content::Map(named(&table.item("map")?, "map")?),
        ["snapshots"] => {
            let run = named(&table.item("snapshots")?, "run")?;
            Content::Snapshots(run, Snapshots::read(table, &plans[run])?)
        }
        ["solves"] => {
            let solves = several("solves", "solve")?;
            let relaxation = Relaxation::read(table, &solves, plans)?;
            Content::Relaxation(solves, relaxation)
        }
        _ => {
            let help = "give one of runs = […], orders = […], ensemble = \"…\", ensembles = […], map = \"…\", solves = […], snapshots = \"…\""
                .to_string();
            item.report("it is not clear what the panel shows", Some(help));
            return None;
        }
    };
    let title = text("title").unwrap_or_default();
    Some(Panel { title, labels: (text("x_label"), text("y_label")), log, range, content })
}

impl Experiment {
    /// The figures whose runs were all made, each with its name.
    pub fn draw(&self, full: bool, found: &[Found]) -> Vec<(String, Figure)> {
        let made = |plan: usize| found.iter().any(|found| found.plan == plan);
        let (mut number, mut figures) = (0, Vec::new());
        for drawing in &self.drawings {
            let first = number;
            number += drawing.panels.len();
            let wanted = full || !drawing.full;
            if !wanted || !drawing.panels.iter().all(|panel| panel.plans().into_iter().all(made)) {
                continue;
            }
            let mut plots = Vec::new();
            for (place, panel) in drawing.panels.iter().enumerate() {
                match &panel.content {
                    Content::Map(plan) => plots.extend(self.maps(panel, *plan, found)),
                    Content::Snapshots(plan, snapshots) => plots.extend(self.snapshots(*plan, snapshots, found)),
                    _ => plots.push(self.plot(panel, first + place, found)),
                }
            }
            let square = drawing.panels.iter().all(|panel| matches!(panel.content, Content::Map(_)));
            let columns = drawing.columns as u32;
            let width = if square {
                SQUARE * columns
            } else if columns == 1 {
                WIDE
            } else {
                NARROW * columns
            };
            let rows = plots.len().div_ceil(drawing.columns) as u32;
            let figure = Figure::new(width, 30 + HEIGHT * rows).title(&drawing.title).columns(drawing.columns);
            figures.push((drawing.name.clone(), plots.into_iter().fold(figure, Figure::panel)));
        }
        figures
    }

    /// The plots of a map, a legend over the first.
    fn maps(&self, panel: &Panel, plan: usize, found: &[Found]) -> Vec<Plot> {
        let PlanKind::Map(map) = &self.plans[plan].kind else { return Vec::new() };
        let (x, y) = &panel.labels;
        let of_member = |found: &&Found| found.plan == plan && found.map.is_some();
        let made = found.iter().filter(of_member).filter_map(|found| Some((found.member, found.map.as_ref()?)));
        let plot = |(member, made): (usize, &super::map::Made)| {
            let plot = made.plot(&map.at[member].1, (x.as_deref(), y.as_deref()));
            if member == 0 { plot } else { plot.no_legend() }
        };
        made.map(plot).collect()
    }

    /// The plots of the states that a run has kept.
    fn snapshots(&self, plan: usize, snapshots: &Snapshots, found: &[Found]) -> Vec<Plot> {
        let PlanKind::Run { times, .. } = &self.plans[plan].kind else { return Vec::new() };
        let made = found.iter().find(|found| found.plan == plan);
        made.map(|found| snapshots.plots(found, times)).unwrap_or_default()
    }

    fn plot(&self, panel: &Panel, number: usize, found: &[Found]) -> Plot {
        let plot = Plot::new().title(&panel.title);
        let axis = |label: String, log: bool| if log { Axis::log(label) } else { Axis::linear(label) };
        let ranged = |axis: Axis| match panel.range {
            Some((low, high)) => axis.range(low, high),
            None => axis,
        };
        let label =
            |given: &Option<String>, otherwise: &dyn Fn() -> String| given.clone().unwrap_or_else(otherwise);
        let (x, y) = &panel.labels;
        match &panel.content {
            Content::Curves(plans, curves) => {
                let first = &curves.list[0];
                let plot = plot
                    .x(axis(label(x, &|| first.x.label(false)), false))
                    .y(ranged(axis(label(y, &|| first.y.label(panel.log)), panel.log)));
                let mut shown: Vec<(String, &Trace)> = Vec::new();
                for found in plans.iter().flat_map(|plan| found.iter().filter(move |found| found.plan == *plan)) {
                    let of_panel = found.traces.iter().filter(|(panel, _)| *panel == number);
                    let label = |place| curves.label(place, plans.len() > 1, self.label(found));
                    shown.extend(of_panel.enumerate().map(|(place, (_, trace))| (label(place), trace)));
                }
                curves.plot(plot, shown)
            }
            Content::Orders(plans) => {
                let plot = plot
                    .x(axis(label(x, &|| "step length h".into()), true))
                    .y(ranged(axis(label(y, &|| "largest error in q at the end".into()), true)));
                let made = plans.iter().filter_map(|plan| found.iter().find(|found| found.plan == *plan));
                let shown: Vec<(String, &Found)> = made.map(|found| (self.label(found), found)).collect();
                orders::plot(plot, &shown)
            }
            Content::Map(_) | Content::Snapshots(..) => plot,
            Content::Sweep(plans, sweep) => {
                let labels = plans.iter().map(|plan| self.plans[*plan].label.as_str());
                let (x, y) = (
                    axis(label(x, &|| sweep.x.clone()), sweep.log_x),
                    ranged(axis(label(y, &|| sweep.y.clone()), panel.log)),
                );
                let scales = (x.scale(), y.scale());
                sweep.plot(plot.x(x).y(y), scales, &plans.iter().copied().zip(labels).collect::<Vec<_>>(), found)
            }
            Content::Relaxation(plans, relaxation) => {
                let of = |plan: &usize| {
                    let plan = *plan;
                    found.iter().filter(move |found| found.plan == plan && relaxation.shows(found.member))
                };
                let label = |found: &Found| match relaxation.chooses() {
                    true => self.plans[found.plan].label.clone(),
                    false => self.label(found),
                };
                let shown: Vec<(String, &Found)> =
                    plans.iter().flat_map(of).map(|found| (label(found), found)).collect();
                relaxation.plot(plot, &shown, panel)
            }
            Content::Ensemble(plan, formula, varied) => {
                let Some(members) = self.plans[*plan].list() else { return plot };
                let plot = plot
                    .x(axis(label(x, &|| varied.clone()), false))
                    .y(ranged(axis(label(y, &String::new), panel.log)));
                let values = self.values(formula, found).map(|(values, _)| values).unwrap_or_default();
                let points = members.iter().zip(values).filter_map(|(member, value)| Some((member.value?, value)));
                plot.markers("", points).no_legend()
            }
        }
    }

    /// The label of a run in a legend.
    fn label(&self, found: &Found) -> String {
        let plan = &self.plans[found.plan];
        match plan.list().filter(|_| plan.members().is_some()) {
            Some(members) => {
                let member = &members[found.member].label;
                if plan.label == plan.name { member.clone() } else { format!("{}, {member}", plan.label) }
            }
            None => plan.label.clone(),
        }
    }
}
