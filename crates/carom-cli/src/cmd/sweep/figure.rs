//! The figure of a sweep: how far the energy departs, over the one key that is varied.

use carom_io::figure::{Axis, Figure, Panel};

use super::Row;

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
