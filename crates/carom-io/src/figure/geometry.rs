//! Series turned into pixels: lines, dots and areas, thinned to what the plot can show and cut at its edge.

use super::axis::{Scale, View};
use super::coverage::Coverage;
use super::decimate::{Run, Vertex, thin};
use super::envelope::{Column, envelope};
use super::layout::Frame;
use super::series::{Data, Reference, Series};
use super::shape::{Point, Rect};
use super::trace::Content;

/// Width in px of the columns and cells a plot is thinned to.
const GRAIN: f64 = 0.5;
/// Half the width of the caps of error bars, in px.
const CAP: f64 = 3.0;

/// A series in pixels.
#[derive(Clone, Debug, Default)]
pub(super) struct Geometry {
    pub(super) lines: Vec<Vertex>,
    pub(super) dots: Vec<Point>,
    pub(super) areas: Vec<Vec<Point>>,
    /// Outlines of a region, to be filled together.
    pub(super) region: Vec<Vec<Point>>,
    /// Whether the lines are rows of cells, to be drawn even where the series has markers only.
    pub(super) cells: bool,
}

/// What a series looks like in a frame.
pub(super) fn geometry(series: &Series, frame: &Frame) -> Geometry {
    match &series.data {
        Data::Trace(trace) => match trace.content() {
            Content::Runs(runs) => trace_runs(runs, trace.joined, series.marked, frame),
            Content::Cells(cells, scales) => trace_cells(cells, scales, frame),
        },
        Data::Bars(bars) => error_bars(bars, frame),
        Data::Band(points) => band(points, frame),
        Data::Region(ways) => region(ways, frame),
        Data::Reference(reference) => {
            let lines = reference_line(*reference, frame).map_or(Vec::new(), |(a, b)| segment(a, b).to_vec());
            Geometry { lines, ..Geometry::default() }
        }
    }
}

fn segment(a: Point, b: Point) -> [Vertex; 2] {
    [Vertex { x: a.0, y: a.1, gap: true }, Vertex { x: b.0, y: b.1, gap: false }]
}

fn trace_runs(runs: &[Run], joined: bool, marked: bool, frame: &Frame) -> Geometry {
    let mut lifted = true;
    let pixels: Vec<Vertex> = runs
        .iter()
        .flat_map(Run::vertices)
        .filter_map(|v| {
            let (Some(x), Some(y)) = (frame.x.pixel(v.x), frame.y.pixel(v.y)) else {
                lifted = true;
                return None;
            };
            Some(Vertex { x, y, gap: std::mem::replace(&mut lifted, false) | v.gap })
        })
        .collect();
    let mut geometry = Geometry::default();
    if marked {
        // Markers in the same cell as one before are hidden by it.
        let cell = |v: f64| (v / GRAIN).round() as i64;
        let mut dots: Vec<Point> = pixels.iter().map(|v| (v.x, v.y)).filter(|&p| frame.rect.holds(p)).collect();
        if dots.len() > 2000 {
            dots.sort_by_key(|p| (cell(p.1), cell(p.0)));
            dots.dedup_by_key(|p| (cell(p.0), cell(p.1)));
        }
        geometry.dots = dots;
    }
    match envelope(&pixels).filter(|_| joined && !marked) {
        Some(columns) => {
            for part in columns.chunk_by(|_, next| !next.gap) {
                geometry.areas.extend(outline(part.iter().map(|c| [c.x, c.low, c.high]), frame));
                let edge = |y: fn(&Column) -> f64| {
                    part.iter().map(move |c| Vertex { x: c.x, y: y(c), gap: c.gap }).collect::<Vec<_>>()
                };
                for edge in [edge(|c| c.low), edge(|c| c.high)] {
                    geometry.lines.extend(frame.rect.clip_line(&edge));
                }
            }
        }
        None if joined => geometry.lines = frame.rect.clip_line(&thin(&pixels, GRAIN)),
        None => {}
    }
    geometry
}

/// Cells as horizontal rows on the grid of the plot.
fn trace_cells(cells: &Coverage, scales: (Scale, Scale), frame: &Frame) -> Geometry {
    let rect = frame.rect;
    let grain = GRAIN.max(rect.w.max(rect.h) / 4096.0);
    let (columns, rows) = ((rect.w / grain) as usize + 1, (rect.h / grain) as usize + 1);
    let mut grid = vec![false; columns * rows];
    // A position of the trace's scale on the axis, which may have another.
    let pixel = |view: &View, scale: Scale, u: f64| match (scale, view.scale) {
        (Scale::Linear, Scale::Log10) => view.pixel(u),
        (Scale::Log10, Scale::Linear) => view.pixel(10f64.powf(u)),
        _ => Some(view.pixel_at(u)),
    };
    for (l, b, r, t) in cells.cells() {
        let x = (pixel(&frame.x, scales.0, l), pixel(&frame.x, scales.0, r));
        let y = (pixel(&frame.y, scales.1, b), pixel(&frame.y, scales.1, t));
        let ((Some(x0), Some(x1)), (Some(y1), Some(y0))) = (x, y) else { continue };
        let (across, down) = (touched(x0 - rect.x, x1 - rect.x, grain), touched(y0 - rect.y, y1 - rect.y, grain));
        for j in within(down, rows) {
            for i in within(across, columns) {
                grid[j * columns + i] = true;
            }
        }
    }
    let mut lines = Vec::new();
    for (j, row) in grid.chunks(columns).enumerate() {
        let y = rect.y + (j as f64 + 0.5) * grain;
        let mut i = 0;
        while i < columns {
            let length = row[i..].iter().take_while(|set| **set).count();
            if length > 0 {
                let x = rect.x + (i as f64 + 0.5) * grain;
                lines.extend(segment((x, y), (x + (length - 1) as f64 * grain, y)));
            }
            i += length + 1;
        }
    }
    Geometry { lines: rect.clip_line(&lines), cells: true, ..Geometry::default() }
}

/// First and last cell of a grid whose middle lies in `from..to`, or the one that holds its middle.
fn touched(from: f64, to: f64, grain: f64) -> (f64, f64) {
    let (first, last) = ((from / grain - 0.5).ceil(), (to / grain - 0.5).floor());
    let middle = (0.5 * (from + to) / grain).floor();
    if first <= last { (first, last) } else { (middle, middle) }
}

/// The cells of a span that a grid of `count` has.
fn within((first, last): (f64, f64), count: usize) -> std::ops::Range<usize> {
    let end = (last + 1.0).clamp(0.0, count as f64) as usize;
    first.clamp(0.0, count as f64) as usize..end
}

fn error_bars(bars: &[[f64; 4]], frame: &Frame) -> Geometry {
    let Rect { y: top, .. } = frame.rect;
    let bottom = frame.rect.bottom();
    let mut geometry = Geometry::default();
    for &[x, y, low, high] in bars {
        let (Some(x), Some(y)) = (frame.x.pixel(x), frame.y.pixel(y)) else { continue };
        if frame.rect.holds((x, y)) {
            geometry.dots.push((x, y));
        }
        if x < frame.rect.x || x > frame.rect.right() || low.is_nan() || high.is_nan() {
            continue;
        }
        // An end the scale cannot show lies beyond the edge: the bar runs there, without a cap.
        let (a, b) = (frame.y.pixel(low).unwrap_or(bottom + 1.0), frame.y.pixel(high).unwrap_or(top - 1.0));
        if let Some((p, q)) = frame.rect.clip((x, a), (x, b)) {
            geometry.lines.extend(segment(p, q));
        }
        for end in [a, b] {
            if frame.rect.holds((x, end)) && (a - b).abs() > 1.0 {
                geometry.lines.extend(segment((x - CAP, end), (x + CAP, end)));
            }
        }
    }
    geometry
}

fn band(points: &[[f64; 3]], frame: &Frame) -> Geometry {
    let mut areas = Vec::new();
    // Columns of one grain: x of the first point, lowest and highest edge.
    let mut columns: Vec<[f64; 3]> = Vec::new();
    let mut close = |columns: &mut Vec<[f64; 3]>| areas.extend(outline(columns.drain(..), frame));
    for &[x, low, high] in points {
        let (Some(x), Some(a), Some(b)) = (frame.x.pixel(x), frame.y.pixel(low), frame.y.pixel(high)) else {
            close(&mut columns);
            continue;
        };
        match columns.last_mut() {
            Some(c) if (c[0] / GRAIN).floor() == (x / GRAIN).floor() && a >= b => {
                (c[1], c[2]) = (c[1].max(a), c[2].min(b));
            }
            _ => columns.push([x, a, b]),
        }
    }
    close(&mut columns);
    Geometry { areas, ..Geometry::default() }
}

fn region(ways: &[Vec<(f64, f64)>], frame: &Frame) -> Geometry {
    let visible = |way: &Vec<(f64, f64)>| {
        let pixels = way.iter().filter_map(|(x, y)| Some((frame.x.pixel(*x)?, frame.y.pixel(*y)?)));
        Some(frame.rect.clip_polygon(pixels.collect())).filter(|way| way.len() > 2)
    };
    Geometry { region: ways.iter().filter_map(visible).collect(), ..Geometry::default() }
}

/// The polygon around columns of x, low and high edge, as far as it is visible.
fn outline(columns: impl Iterator<Item = [f64; 3]>, frame: &Frame) -> Option<Vec<Point>> {
    let columns: Vec<[f64; 3]> = columns.collect();
    let back = columns.iter().rev().map(|c| (c[0], c[2]));
    let polygon = frame.rect.clip_polygon(columns.iter().map(|c| (c[0], c[1])).chain(back).collect());
    (polygon.len() > 2).then_some(polygon)
}

/// The visible part of a reference line, left end first.
pub(super) fn reference_line(reference: Reference, frame: &Frame) -> Option<(Point, Point)> {
    let Rect { x: left, y: top, .. } = frame.rect;
    let (right, bottom) = (frame.rect.right(), frame.rect.bottom());
    let (a, b) = match reference {
        Reference::Horizontal(y) => {
            let y = frame.y.pixel(y)?;
            ((left, y), (right, y))
        }
        Reference::Vertical(x) => {
            let x = frame.x.pixel(x)?;
            ((x, bottom), (x, top))
        }
        Reference::Slope(slope, (x, y)) => {
            let (u, v) = (frame.x.scale.forward(x)?, frame.y.scale.forward(y)?);
            let at = |w: f64| frame.y.pixel_at(v + slope * (w - u));
            ((left, at(frame.x.from)), (right, at(frame.x.to)))
        }
    };
    if [a.0, a.1, b.0, b.1].iter().any(|v| v.is_nan()) {
        return None;
    }
    frame.rect.clip(a, b)
}
