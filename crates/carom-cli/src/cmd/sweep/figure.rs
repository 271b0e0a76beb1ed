//! The figure of a sweep: how far the energy departs, over the one key that is varied, or where runs end, over the first key.

use carom_io::figure::{Axis, Figure, Panel, Scale, Series, Trace};
use carom_io::report::RunReport;

use super::Row;

/// A number of the end of a run.
pub struct Last {
    /// What it is called.
    pub name: String,
    /// Which of its vectors.
    pub part: Part,
    /// Which of the coordinates.
    pub coordinate: usize,
}

/// A vector of the end of a run.
#[derive(Clone, Copy)]
pub enum Part {
    Place,
    Velocity,
    Momentum,
}

impl Last {
    fn of(&self, report: &RunReport) -> Option<f64> {
        let last = &report.last;
        let values = match self.part {
            Part::Place => &last.q,
            Part::Velocity => &last.v,
            Part::Momentum => &last.p,
        };
        values.get(self.coordinate).copied()
    }
}

/// Draws a dot for the end of each run; runs that failed are left out.
pub fn ends(title: &str, key: &str, rows: &[Row], last: &Last) -> Figure {
    let mut dots = Trace::scatter(Scale::Linear, Scale::Linear);
    for row in rows.iter().filter(|row| row.report.complete) {
        let x = row.point.values().next().and_then(|value| value.as_f64());
        if let (Some(x), Some(y)) = (x, last.of(&row.report)) {
            dots.push(x, y);
        }
    }
    let panel =
        Panel::new().x(Axis::linear(key)).y(Axis::linear(&last.name)).series(Series::new("end of a run", dots));
    Figure::new(720, 460).title(title).columns(1).panel(panel)
}

/// Values that span more than this factor are drawn on a logarithmic axis.
const WIDE: f64 = 100.0;

/// Draws the range of the energy relative to its start; runs that failed are left out.
pub fn figure(title: &str, key: &str, rows: &[Row]) -> Figure {
    let mut points: Vec<(f64, f64, f64)> =
        rows.iter().filter(|row| row.report.complete).filter_map(range).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = points.first().zip(points.last());
    let wide = ends.is_some_and(|(first, last)| first.0 > 0.0 && last.0 > WIDE * first.0);
    let axis = if wide { Axis::log(key) } else { Axis::linear(key) };
    let panel = Panel::new()
        .x(axis)
        .y(Axis::linear("(E − E0)/|E0|"))
        .line_markers("highest", points.iter().map(|&(x, _, high)| (x, high)))
        .line_markers("lowest", points.iter().map(|&(x, low, _)| (x, low)))
        .band("range", points.iter().copied());
    Figure::new(560, 420).title(title).columns(1).panel(panel)
}

/// The value of the key, and the lowest and highest energy.
fn range(row: &Row) -> Option<(f64, f64, f64)> {
    let x = row.point.values().next()?.as_f64()?;
    let energy = &row.report.energy;
    let relative = |value: f64| (value - energy.initial) / energy.initial.abs();
    Some((x, relative(energy.min), relative(energy.max)))
}
