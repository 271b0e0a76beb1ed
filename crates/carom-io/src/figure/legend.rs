//! The legend: along the edge of the plot where it hides no data, or above the plot where there is no such place.

use super::geometry::Geometry;
use super::layout::{Frame, TICK_SIZE};
use super::occupancy::{DATA, FAINT, Occupancy};
use super::panel::Panel;
use super::shape::Rect;
use super::text;

/// Height of an entry, width of its sample, gap from sample to text.
pub(super) const ROW: f64 = 16.0;
pub(super) const SAMPLE: f64 = 22.0;
const GAP: f64 = 6.0;
/// From the frame of the legend to its entries, and from the frame of the plot to that of the legend.
const PAD: f64 = 6.0;
const INSET: f64 = 8.0;
/// Between entries side by side.
const APART: f64 = 18.0;
/// The share of the legend that may lie over areas and reference lines; over data none may.
const TOLERATED: f64 = 0.03;

/// Where the legend of a panel stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    /// There is none.
    Nowhere,
    /// In this frame inside the plot.
    Inside(Rect),
    /// Above the plot, in this many rows.
    Above(usize),
}

/// An entry: the series it names, the text as drawn, the left end of the sample and the middle of the row.
pub(super) struct Entry {
    pub(super) series: usize,
    pub(super) text: String,
    pub(super) at: (f64, f64),
}

impl Entry {
    /// Where the text begins.
    pub(super) fn text_at(&self) -> (f64, f64) {
        (self.at.0 + SAMPLE + GAP, self.at.1)
    }
}

/// Room the legend takes above a plot.
pub(super) fn height_above(rows: usize) -> f64 {
    if rows == 0 { 0.0 } else { rows as f64 * ROW + 4.0 }
}

/// The series named in the legend, with their texts.
fn named(panel: &Panel, room: f64) -> Vec<(usize, String)> {
    let named = panel.series.iter().enumerate().filter(|(_, s)| panel.legend && s.is_data());
    named
        .map(|(i, s)| (i, text::fit(&s.label, TICK_SIZE, room - SAMPLE - GAP - 2.0 * PAD)))
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

fn wide(text: &str) -> f64 {
    SAMPLE + GAP + text::width(text, TICK_SIZE)
}

/// Find the place of the legend; `above` is the number of rows reserved above the plot, zero at first.
pub(super) fn place(panel: &Panel, frame: &Frame, shapes: &[Geometry], above: usize) -> Place {
    let rect = frame.rect;
    let named = named(panel, rect.w);
    if named.is_empty() {
        return Place::Nowhere;
    }
    let rows = flow(&named, &rect).iter().map(|(_, row)| row + 1).max().unwrap_or(1);
    if above > 0 || panel.legend_above {
        return Place::Above(rows);
    }
    let w = named.iter().map(|(_, text)| wide(text)).fold(0.0, f64::max) + 2.0 * PAD;
    let h = named.len() as f64 * ROW + PAD;
    if w + 2.0 * INSET > rect.w || h + 2.0 * INSET > rect.h {
        return Place::Above(rows);
    }
    let occupancy = occupied(panel, frame, shapes);
    let (left, right) = (rect.x + INSET, rect.right() - INSET - w);
    let (top, bottom) = (rect.y + INSET, rect.bottom() - INSET - h);
    let steps = (1..24).map(|k| f64::from(k) / 24.0);
    let mut corners = vec![(right, top), (left, top), (right, bottom), (left, bottom)];
    for s in steps {
        let (x, y) = (right + s * (left - right), top + s * (bottom - top));
        corners.extend([(x, top), (x, bottom), (right, y), (left, y)]);
    }
    let mut best = (f64::INFINITY, Rect { x: right, y: top, w, h });
    for (x, y) in corners {
        let frame = Rect { x, y, w, h };
        let near = Rect { x: x - 4.0, y: y - 4.0, w: w + 8.0, h: h + 8.0 };
        let hidden = occupancy.hidden(&near);
        if hidden < best.0 - 1e-9 {
            best = (hidden, frame);
        }
    }
    if best.0 > TOLERATED { Place::Above(rows) } else { Place::Inside(best.1) }
}

/// What the series of a panel cover.
pub(super) fn occupied(panel: &Panel, frame: &Frame, shapes: &[Geometry]) -> Occupancy {
    let mut occupancy = Occupancy::over(frame.rect);
    for (series, shape) in panel.series.iter().zip(shapes) {
        occupancy.mark_shape(shape, if series.is_data() { DATA } else { FAINT });
    }
    occupancy
}

/// Entries side by side: left end and row of each.
fn flow(named: &[(usize, String)], rect: &Rect) -> Vec<(f64, usize)> {
    let (mut x, mut row) = (0.0, 0);
    let mut places = Vec::with_capacity(named.len());
    for (_, text) in named {
        if x > 0.0 && x + wide(text) > rect.w {
            (x, row) = (0.0, row + 1);
        }
        places.push((x, row));
        x += wide(text) + APART;
    }
    places
}

/// The entries of a legend, where they stand.
pub(super) fn entries(panel: &Panel, frame: &Frame, place: Place) -> Vec<Entry> {
    let rect = frame.rect;
    let named = named(panel, rect.w);
    let places: Vec<(f64, f64)> = match place {
        Place::Nowhere => Vec::new(),
        Place::Inside(r) => {
            (0..named.len()).map(|k| (r.x + PAD, r.y + 0.5 * PAD + (k as f64 + 0.5) * ROW)).collect()
        }
        Place::Above(rows) => {
            let top = rect.y - frame.note_row(&panel.title, rows) - height_above(rows);
            flow(&named, &rect).into_iter().map(|(x, row)| (rect.x + x, top + (row as f64 + 0.5) * ROW)).collect()
        }
    };
    named.into_iter().zip(places).map(|((series, text), at)| Entry { series, text, at }).collect()
}
