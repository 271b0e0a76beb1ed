//! The layout of a figure: plots of a grid with aligned edges, margins wide enough for every label.

use super::axis::{Axis, Extent, Scale, View};
use super::geometry::{Geometry, geometry};
use super::legend::{self, Place};
use super::panel::Panel;
use super::shape::Rect;
use super::text;
use super::ticks::{Ticks, ticks};

/// Font sizes in px.
pub(super) const TICK_SIZE: f64 = 11.0;
pub(super) const LABEL_SIZE: f64 = 12.0;
pub(super) const TITLE_SIZE: f64 = 13.0;
/// Length of the major ticks, and from the frame to their labels.
pub(super) const TICK: f64 = 4.0;
pub(super) const TICK_GAP: f64 = 7.0;
/// Height of a row of tick labels, of axis labels, of titles.
pub(super) const TICK_ROW: f64 = 14.0;
pub(super) const LABEL_ROW: f64 = 18.0;
pub(super) const TITLE_ROW: f64 = 22.0;
/// The edge of a cell that stays empty.
const EDGE: f64 = 8.0;

/// A plot with settled axes.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) rect: Rect,
    pub(super) x: View,
    pub(super) y: View,
    pub(super) x_ticks: Ticks,
    pub(super) y_ticks: Ticks,
    /// From the plot to the middle of the label of its vertical axis.
    pub(super) label_gap: f64,
    /// From the plot to the middle of its title.
    pub(super) title_gap: f64,
}

impl Frame {
    /// Room the note of the vertical axis takes above the plot: none if it stands beside the title.
    pub(super) fn note_row(&self, title: &str, above: usize) -> f64 {
        let free = 0.5 * (self.rect.w - text::width(title, TITLE_SIZE));
        let beside = !title.is_empty() && above == 0 && text::width(&self.y_ticks.note, TICK_SIZE) + 10.0 < free;
        if beside || self.y_ticks.note.is_empty() { 0.0 } else { TICK_ROW + 2.0 }
    }
}

/// A panel ready to be drawn.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) frame: Frame,
    pub(super) shapes: Vec<Geometry>,
    pub(super) legend: Place,
}

/// Room around a plot.
#[derive(Clone, Copy, Debug, Default)]
struct Margins {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Margins {
    fn max(self, other: Margins) -> Margins {
        Margins {
            left: self.left.max(other.left),
            right: self.right.max(other.right),
            top: self.top.max(other.top),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

/// Lay out panels row by row in a grid over an area.
pub(super) fn arrange(panels: &[Panel], columns: usize, area: Rect) -> Vec<Plan> {
    let columns = columns.clamp(1, panels.len().max(1));
    let mut grid =
        Grid { columns, area, margins: vec![Margins::default(); panels.len()], above: vec![0; panels.len()] };
    let plan = |frame: Frame, panel: &Panel, above: usize| {
        let shapes: Vec<Geometry> = panel.series.iter().map(|s| geometry(s, &frame)).collect();
        let legend = legend::place(panel, &frame, &shapes, above);
        Plan { frame, shapes, legend }
    };
    let frames = grid.settle(panels);
    let plans: Vec<Plan> = frames.into_iter().zip(panels).map(|(frame, panel)| plan(frame, panel, 0)).collect();
    for (above, plan) in grid.above.iter_mut().zip(&plans) {
        if let Place::Above(rows) = plan.legend {
            *above = rows;
        }
    }
    if grid.above.iter().all(|rows| *rows == 0) {
        return plans;
    }
    let frames = grid.settle(panels);
    let above = grid.above;
    frames.into_iter().zip(panels).zip(above).map(|((frame, panel), rows)| plan(frame, panel, rows)).collect()
}

struct Grid {
    columns: usize,
    area: Rect,
    margins: Vec<Margins>,
    /// Rows of legend above each plot.
    above: Vec<usize>,
}

impl Grid {
    /// Widen the margins until every label has room, keeping the plots of a row and of a column aligned.
    fn settle(&mut self, panels: &[Panel]) -> Vec<Frame> {
        for round in 0..4 {
            let frames: Vec<Frame> =
                panels.iter().enumerate().map(|(i, p)| frame(p, self.plot(i), self.margins[i])).collect();
            // Start afresh from the better ticks; the last round only widens.
            if round < 3 {
                self.margins.fill(Margins::default());
            }
            for (i, (panel, frame)) in panels.iter().zip(&frames).enumerate() {
                let needed = needed(panel, frame, self.above[i]);
                for j in 0..panels.len() {
                    let here = &mut self.margins[j];
                    if j % self.columns == i % self.columns {
                        (here.left, here.right) = (here.left.max(needed.left), here.right.max(needed.right));
                    }
                    if j / self.columns == i / self.columns {
                        (here.top, here.bottom) = (here.top.max(needed.top), here.bottom.max(needed.bottom));
                    }
                }
            }
        }
        panels.iter().enumerate().map(|(i, p)| frame(p, self.plot(i), self.margins[i])).collect()
    }

    /// The plot of a panel, on half pixels so that its frame is crisp. Plots of equal rows and columns are equal.
    fn plot(&self, i: usize) -> Rect {
        let (column, row) = (i % self.columns, i / self.columns);
        let rows = self.margins.len().div_ceil(self.columns);
        let across = |side: fn(&Margins) -> f64| -> Vec<f64> {
            (0..self.columns).map(|c| self.margins.get(c).map_or(0.0, side)).collect()
        };
        let down = |side: fn(&Margins) -> f64| -> Vec<f64> {
            (0..rows).map(|r| self.margins.get(r * self.columns).map_or(0.0, side)).collect()
        };
        let (left, right) = (across(|m| m.left), across(|m| m.right));
        let (top, bottom) = (down(|m| m.top), down(|m| m.bottom));
        let share = |total: f64, a: &[f64], b: &[f64]| {
            ((total - a.iter().sum::<f64>() - b.iter().sum::<f64>()) / a.len().max(1) as f64).floor().max(8.0)
        };
        let (w, h) = (share(self.area.w, &left, &right), share(self.area.h, &top, &bottom));
        let before = |n: usize, a: &[f64], b: &[f64], size: f64| {
            a[..=n].iter().sum::<f64>() + b[..n].iter().sum::<f64>() + n as f64 * size
        };
        let x = self.area.x + before(column, &left, &right, w);
        let y = self.area.y + before(row, &top, &bottom, h);
        Rect { x: x.round() + 0.5, y: y.round() + 0.5, w, h }
    }
}

/// Extents below this part of the other axis' are none, where both have one scale.
const LEAST_SHARE: f64 = 1e-6;

/// Axes and ticks of a panel in a plot of this size.
fn frame(panel: &Panel, mut rect: Rect, around: Margins) -> Frame {
    let (data_x, data_y) = panel.extents();
    let view =
        |axis: &Axis, (from, to, free), start, end| (View { scale: axis.scale(), from, to, start, end }, free);
    let (mut x, free_x) = view(&panel.x, panel.x.settle(&data_x), rect.x, rect.right());
    let (mut y, free_y) = view(&panel.y, panel.y.settle(&data_y), rect.bottom(), rect.y);
    if panel.equal && x.scale == y.scale {
        // What does not move along one axis has no size of its own there: the other one tells.
        let span = |data: &Extent, axis: &Axis| data.positions(axis.scale()).map_or(0.0, |(a, b)| b - a);
        let (wide, high) = (span(&data_x, &panel.x), span(&data_y, &panel.y));
        for (view, free, own, other) in [(&mut x, free_x, wide, high), (&mut y, free_y, high, wide)] {
            if free && own < LEAST_SHARE * other {
                let middle = 0.5 * (view.from + view.to);
                (view.from, view.to) = (middle - LEAST_SHARE * other, middle + LEAST_SHARE * other);
            }
        }
        let (dx, dy) = (x.density(), y.density());
        if dx > dy && free_x {
            x.thin_to(dy);
        } else if dy > dx && free_y {
            y.thin_to(dx);
        } else if dx > dy {
            let w = (rect.w * dy / dx).max(8.0);
            rect = Rect { x: rect.x + ((rect.w - w) / 2.0).floor(), w, ..rect };
        } else {
            let h = (rect.h * dx / dy).max(8.0);
            // The top stays, so that titles of a row stay in line.
            rect = Rect { h, ..rect };
        }
        (x.start, x.end, y.start, y.end) = (rect.x, rect.right(), rect.bottom(), rect.y);
    }
    let (x_ticks, y_ticks) = (across(&x), upwards(&y));
    // Labels and titles stand at the outer edge of the margins, in line with those of other panels.
    let (label_gap, title_gap) = (around.left - EDGE - 0.5 * LABEL_SIZE, around.top - EDGE - 0.5 * TITLE_SIZE);
    Frame { rect, x, y, x_ticks, y_ticks, label_gap, title_gap }
}

/// As many ticks as have room for their labels side by side.
fn across(view: &View) -> Ticks {
    let length = view.end - view.start;
    let most = (length / if view.scale == Scale::Linear { 48.0 } else { 40.0 }) as usize;
    let mut found = Ticks::default();
    for count in (2..=most.clamp(2, 12)).rev() {
        found = ticks(view.scale, view.from, view.to, count);
        let ends: Vec<(f64, f64)> =
            found.major.iter().map(|(u, label)| (view.pixel_at(*u), 0.5 * text::width(label, TICK_SIZE))).collect();
        if ends.windows(2).all(|w| w[1].0 - w[1].1 - w[0].0 - w[0].1 >= 9.0) {
            return found;
        }
    }
    // Not even two labels fit: the first stays.
    found.major.truncate(1);
    found
}

/// Ticks one above the other.
fn upwards(view: &View) -> Ticks {
    let height = view.start - view.end;
    let (room, most) = if view.scale == Scale::Linear { (33.0, 9) } else { (21.0, 14) };
    ticks(view.scale, view.from, view.to, ((height / room) as usize).clamp(2, most))
}

/// The room the labels of a frame take.
fn needed(panel: &Panel, frame: &Frame, above: usize) -> Margins {
    let widest = frame.y_ticks.major.iter().map(|(_, label)| text::width(label, TICK_SIZE)).fold(0.0, f64::max);
    let row = |text: &str, height: f64| if text.is_empty() { 0.0 } else { height };
    // How far the labels of the horizontal axis reach beyond the frame.
    let (mut left, mut right) = (0.0_f64, 0.0_f64);
    for (u, label) in &frame.x_ticks.major {
        let (at, half) = (frame.x.pixel_at(*u), 0.5 * text::width(label, TICK_SIZE));
        left = left.max(frame.rect.x - at + half);
        right = right.max(at + half - frame.rect.right());
    }
    let least = Margins { left: left + EDGE, right: right.max(6.0) + EDGE, top: EDGE, bottom: EDGE };
    let under = format!("{}{}", panel.x.label, frame.x_ticks.note);
    least.max(Margins {
        left: EDGE + row(&panel.y.label, LABEL_ROW + 1.0) + widest + TICK_GAP,
        right: 0.0,
        top: 6.0 + row(&panel.title, TITLE_ROW) + frame.note_row(&panel.title, above) + legend::height_above(above),
        bottom: TICK_GAP + TICK_ROW + row(&under, LABEL_ROW) + 6.0,
    })
}
