//! Histories of solves: a quantity over sweeps, and where contacts change their state.

use super::super::Plan;
use super::super::run::Found;
use super::super::solvers::Point;
use super::Panel;
use crate::document::TableReader;
use crate::figure::{Axis, Panel as Plot, Scale, Series, Trace};

const NAMES: [&str; 4] = ["residual", "update", "velocity_error", "iterate"];
/// Free room above and below the curves, and the height of a row of ticks, as shares of the span of the curves.
const ROOM: f64 = 0.04;
const ROW: f64 = 0.045;
/// Free room to the left and right, as a share of the sweeps.
const MARGIN: f64 = 0.02;
/// The part of its row that a tick fills.
const TICK: (f64, f64) = (0.1, 0.9);
/// Width of the last curve in px, and how much wider each one before it is: a curve shows where another lies on it.
const LINE: (f64, f64) = (1.2, 0.5);
/// Width of a tick in px.
const TICK_WIDTH: f64 = 0.7;

/// What is shown of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Residual,
    Update,
    VelocityError,
    Iterate,
}

/// What a panel shows of histories.
#[derive(Debug)]
pub struct Relaxation {
    shown: Shown,
    /// Of ensembles only this member.
    member: Option<usize>,
    /// Whether there is a tick below the curves for every sweep in which a contact changed its state.
    switches: bool,
}

impl Relaxation {
    /// Reads what a panel shows of these solves.
    pub fn read(table: &TableReader, solves: &[usize], plans: &[Plan]) -> Option<Self> {
        let shown = match table.required("y")?.choice(&NAMES)? {
            "update" => Shown::Update,
            "velocity_error" => Shown::VelocityError,
            "iterate" => Shown::Iterate,
            _ => Shown::Residual,
        };
        let member = match table.item("member") {
            None => None,
            Some(item) => {
                let member = usize::try_from(item.integer()?).ok();
                let exists = |plan: &usize| {
                    plans[*plan].members().zip(member).is_some_and(|(members, member)| member < members)
                };
                if !solves.iter().all(exists) {
                    return item.mismatch("the number of a member that every solve has, from 0");
                }
                member
            }
        };
        Some(Self { shown, member, switches: table.boolean("switches").unwrap_or(false) })
    }

    /// Whether it shows errors.
    pub fn errors(&self) -> bool {
        self.shown == Shown::VelocityError
    }

    /// Whether a member is shown.
    pub fn shows(&self, member: usize) -> bool {
        self.member.is_none_or(|shown| shown == member)
    }

    /// Whether one member is chosen of many.
    pub fn chooses(&self) -> bool {
        self.member.is_some()
    }

    fn label(&self) -> &'static str {
        match self.shown {
            Shown::Residual => "relative residual",
            Shown::Update => "relative update",
            Shown::VelocityError => "error of the velocities",
            Shown::Iterate => "size of the impulses",
        }
    }

    fn value(&self, point: &Point) -> f64 {
        match self.shown {
            Shown::Residual => point.relative,
            Shown::Update => point.update,
            Shown::VelocityError => point.velocity_error,
            Shown::Iterate => point.size,
        }
    }

    /// The curves, and below them a row of ticks for each.
    pub fn plot(&self, plot: Plot, found: &[(String, &Found)], panel: &Panel) -> Plot {
        let scale = if panel.log { Scale::Log10 } else { Scale::Linear };
        let place = |value: f64| if panel.log { value.log10() } else { value };
        let back = |place: f64| if panel.log { 10.0_f64.powf(place) } else { place };
        let histories: Vec<(&str, &[Point])> = found
            .iter()
            .filter_map(|(label, found)| Some((label.as_str(), found.history.as_ref()?.points.as_slice())))
            .collect();
        let places = histories.iter().flat_map(|(_, points)| points.iter()).map(|point| place(self.value(point)));
        let (mut low, mut high) = places
            .filter(|place| place.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)));
        if let Some((from, to)) = panel.range {
            (low, high) = (place(from), place(to));
        }
        let span = (high - low).max(f64::MIN_POSITIVE);
        if panel.range.is_none() {
            (low, high) = (low - ROOM * span, high + ROOM * span);
        }
        let rows = if self.switches { histories.len() } else { 0 };
        let bottom = low - rows as f64 * ROW * span;
        let last =
            histories.iter().filter_map(|(_, points)| points.last()).map(|point| point.sweeps).max().unwrap_or(1);
        let (x, y) = &panel.labels;
        let y = y.clone().unwrap_or_else(|| self.label().to_string());
        let axis = if panel.log { Axis::log(y) } else { Axis::linear(y) };
        let mut plot = plot
            .x(Axis::linear(x.clone().unwrap_or_else(|| "sweeps".into()))
                .range(-MARGIN * last as f64, (1.0 + MARGIN) * last as f64))
            .y(axis.range(back(bottom), back(high)));
        for (number, (label, points)) in histories.iter().enumerate() {
            let mut curve = Trace::line(Scale::Linear, scale);
            points.iter().for_each(|point| curve.push(point.sweeps as f64, self.value(point)));
            let width = LINE.0 + LINE.1 * (histories.len() - 1 - number) as f64;
            plot = plot.series(Series::new(*label, curve).colour(number).width(width));
        }
        for (number, (_, points)) in histories.iter().enumerate().take(rows) {
            let row = low - (number + 1) as f64 * ROW * span;
            let [from, to] = [TICK.0, TICK.1].map(|part| back(row + part * ROW * span));
            let mut ticks = Trace::line(Scale::Linear, scale);
            for point in points.iter().filter(|point| point.switches.is_some_and(|count| count > 0)) {
                ticks.push(point.sweeps as f64, from);
                ticks.push(point.sweeps as f64, to);
                ticks.push(f64::NAN, f64::NAN);
            }
            plot = plot.series(Series::new("", ticks).colour(number).width(TICK_WIDTH));
        }
        if histories.len() == 1 { plot.no_legend() } else { plot.legend_above() }
    }
}
