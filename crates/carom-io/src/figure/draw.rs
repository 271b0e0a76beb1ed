//! Drawing of a laid-out panel: grid, series, frame, labels, legend, in this order.

use super::decimate::Vertex;
use super::geometry::{Geometry, reference_line};
use super::layout::{Frame, LABEL_ROW, LABEL_SIZE, Plan, TICK, TICK_GAP, TICK_ROW, TICK_SIZE, TITLE_SIZE};
use super::legend::{self, Place, SAMPLE};
use super::marker::{marker_path, marker_reach};
use super::occupancy::Occupancy;
use super::panel::Panel;
use super::series::{Data, Marker, PALETTE, Series};
use super::shape::{Point, Rect};
use super::svg::{Anchor, Setting, Svg, number, polylines};
use super::text;

/// Colours of text, frame, grid and reference lines.
const INK: &str = "#222222";
const FRAME: &str = "#444444";
const GRID: &str = "#e2e2e2";
const GUIDE: &str = "#5c5c5c";

/// A setting of plain text.
pub(super) fn plain(size: f64, anchor: Anchor) -> Setting {
    Setting { size, anchor, angle: 0.0, colour: INK, halo: false }
}

/// The style of a series in its panel.
struct Style {
    colour: &'static str,
    marker: Option<Marker>,
    dash: &'static str,
    width: f64,
    tint: u8,
    line: bool,
}

/// The styles of the series of a panel: the palette in order, dashed once it is used up.
fn styles(panel: &Panel) -> Vec<Style> {
    let (mut place, mut marks) = (0, 0);
    let style = |s: &Series| {
        let own = place;
        place += usize::from(s.is_data());
        marks += usize::from(s.marked);
        let colour = match (s.colour, s.is_data()) {
            (None, false) => GUIDE,
            (chosen, _) => PALETTE[chosen.unwrap_or(own) % PALETTE.len()],
        };
        let dashed = s.dashed || (s.is_data() && s.colour.is_none() && own >= PALETTE.len());
        let line = match &s.data {
            Data::Trace(trace) => trace.joined,
            Data::Band(_) | Data::Region(_) => false,
            _ => true,
        };
        let marker = s.marked.then(|| s.marker.unwrap_or(Marker::nth(marks - 1)));
        Style {
            colour,
            marker,
            dash: if dashed { " stroke-dasharray=\"5 3\"" } else { "" },
            width: s.width,
            tint: s.tint,
            line,
        }
    };
    panel.series.iter().map(style).collect()
}

/// Draw a panel.
pub(super) fn panel(svg: &mut Svg, panel: &Panel, plan: &Plan) {
    let (frame, styles) = (&plan.frame, styles(panel));
    grid(svg, frame);
    for (shape, style) in plan.shapes.iter().zip(&styles) {
        fill(svg, shape, style);
        areas(svg, shape, style);
    }
    // Reference lines below data, data in order, markers above lines.
    for data in [false, true] {
        for ((series, shape), style) in panel.series.iter().zip(&plan.shapes).zip(&styles) {
            if series.is_data() == data {
                stroke(svg, &shape.lines, style, shape.cells);
            }
        }
    }
    for (shape, style) in plan.shapes.iter().zip(&styles) {
        dots(svg, &shape.dots, style);
    }
    edge(svg, frame);
    let mut occupancy = legend::occupied(panel, frame, &plan.shapes);
    if let Place::Inside(rect) = plan.legend {
        occupancy.mark_rect(&rect);
    }
    for series in &panel.series {
        reference_label(svg, series, frame, &mut occupancy);
    }
    labels(svg, panel, plan);
    legend_box(svg, panel, plan, &styles);
}

/// A polyline of ready points.
fn open(points: &[Point]) -> Vec<Vertex> {
    points.iter().enumerate().map(|(i, &(x, y))| Vertex { x, y, gap: i % 2 == 0 }).collect()
}

fn grid(svg: &mut Svg, frame: &Frame) {
    let Rect { x, y, .. } = frame.rect;
    let (right, bottom) = (frame.rect.right(), frame.rect.bottom());
    let across = frame.x_ticks.major.iter().map(|(u, _)| frame.x.pixel_at(*u)).flat_map(|p| [(p, y), (p, bottom)]);
    let up = frame.y_ticks.major.iter().map(|(u, _)| frame.y.pixel_at(*u)).flat_map(|p| [(x, p), (right, p)]);
    let lines: Vec<Point> = across.chain(up).collect();
    svg.path(&polylines(&open(&lines)), &format!("fill=\"none\" stroke=\"{GRID}\" stroke-width=\"0.7\""));
}

/// Frame and ticks.
fn edge(svg: &mut Svg, frame: &Frame) {
    let Rect { x, y, .. } = frame.rect;
    let (right, bottom) = (frame.rect.right(), frame.rect.bottom());
    let mut lines = vec![(x, y), (right, y), (right, y), (right, bottom), (right, bottom), (x, bottom)];
    lines.extend([(x, bottom), (x, y)]);
    let majors = |t: &[(f64, String)]| t.iter().map(|(u, _)| (*u, TICK)).collect::<Vec<_>>();
    let minors = |t: &[f64]| t.iter().map(|u| (*u, 0.5 * TICK)).collect::<Vec<_>>();
    for (u, length) in [majors(&frame.x_ticks.major), minors(&frame.x_ticks.minor)].concat() {
        let p = frame.x.pixel_at(u);
        lines.extend([(p, bottom), (p, bottom + length)]);
    }
    for (u, length) in [majors(&frame.y_ticks.major), minors(&frame.y_ticks.minor)].concat() {
        let p = frame.y.pixel_at(u);
        lines.extend([(x, p), (x - length, p)]);
    }
    let style = format!("fill=\"none\" stroke=\"{FRAME}\" stroke-width=\"0.8\" stroke-linecap=\"square\"");
    svg.path(&polylines(&open(&lines[..8])), &style);
    let style = format!("fill=\"none\" stroke=\"{FRAME}\" stroke-width=\"0.8\"");
    svg.path(&polylines(&open(&lines[8..])), &style);
}

fn areas(svg: &mut Svg, shape: &Geometry, style: &Style) {
    for area in &shape.areas {
        let outline: Vec<Vertex> =
            area.iter().enumerate().map(|(i, p)| Vertex { x: p.0, y: p.1, gap: i == 0 }).collect();
        svg.path(&(polylines(&outline) + "Z"), &format!("fill=\"{}\" fill-opacity=\"0.2\"", style.colour));
    }
}

/// Fill the outlines of a region together: what an even number of them runs around stays open. A thin edge of the same colour
/// closes the seams between neighbours.
fn fill(svg: &mut Svg, shape: &Geometry, style: &Style) {
    let mut data = String::new();
    for way in &shape.region {
        let outline: Vec<Vertex> =
            way.iter().enumerate().map(|(i, p)| Vertex { x: p.0, y: p.1, gap: i == 0 }).collect();
        data.push_str(&polylines(&outline));
        data.push('Z');
    }
    let tint = tinted(style.colour, style.tint);
    let rest = "stroke-width=\"0.5\" stroke-linejoin=\"round\"";
    svg.path(&data, &format!("fill=\"{tint}\" fill-rule=\"evenodd\" stroke=\"{tint}\" {rest}"));
}

/// A colour so many per cent of the way to white, opaque so that neighbours may overlap.
fn tinted(colour: &str, percent: u8) -> String {
    let part = |k: usize| u32::from_str_radix(colour.get(k..k + 2).unwrap_or("80"), 16).unwrap_or(128);
    let light = |k: usize| part(k) + (255 - part(k)) * u32::from(percent) / 100;
    format!("#{:02x}{:02x}{:02x}", light(1), light(3), light(5))
}

fn stroke(svg: &mut Svg, lines: &[Vertex], style: &Style, cells: bool) {
    let (dash, cap) = match style.dash {
        dash if cells || dash.is_empty() => ("", " stroke-linecap=\"round\""),
        dash => (dash, ""),
    };
    let mut width = String::new();
    // Cells of a cloud stay fine, those of a line as wide as the line.
    number(&mut width, if style.line { style.width } else { 0.6 * style.width });
    let style = format!(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{cap}{dash}",
        style.colour
    );
    svg.path(&polylines(lines), &style);
}

fn dots(svg: &mut Svg, dots: &[Point], style: &Style) {
    let Some(marker) = style.marker else { return };
    // Many points get small marks.
    let marker = if dots.len() > 2000 { Marker::Dot } else { marker };
    let mut data = String::new();
    dots.iter().for_each(|p| marker_path(&mut data, marker, *p));
    svg.path(&data, &format!("fill=\"{}\"", style.colour));
}

/// Write the label of a reference line along it, where it hides least.
fn reference_label(svg: &mut Svg, series: &Series, frame: &Frame, occupancy: &mut Occupancy) {
    let Data::Reference(reference) = series.data else { return };
    let Some((a, b)) = reference_line(reference, frame) else { return };
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.hypot(dy);
    let label = text::fit(&series.label, TICK_SIZE, length - 8.0);
    let half = 0.5 * text::width(&label, TICK_SIZE);
    if label.is_empty() || length < 2.0 * half + 8.0 {
        return;
    }
    let (ex, ey) = (dx / length, dy / length);
    // The side of the line (above first) and the place along it (from the right end on) that hide least.
    let mut best = (f64::INFINITY, (0.0, 0.0));
    for k in 0..=20 {
        let s = (length - half - 10.0).max(half) - f64::from(k) / 20.0 * (length - 2.0 * half - 20.0).max(0.0);
        for side in [-8.5, 8.5] {
            let (x, y) = (a.0 + s * ex - side * ey, a.1 + s * ey + side * ex);
            let mut hidden = 0.002 * f64::from(k) + if side > 0.0 { 0.004 } else { 0.0 };
            for along in -6..=6 {
                let t = f64::from(along) / 6.0 * (half + 3.0);
                for up in [-5.0, 0.0, 5.0] {
                    hidden += occupancy.at((x + t * ex - up * ey, y + t * ey + up * ex)).powi(2);
                }
            }
            if hidden < best.0 {
                best = (hidden, (x, y));
            }
        }
    }
    let (x, y) = best.1;
    for along in -6..=6 {
        let t = f64::from(along) / 6.0 * half;
        occupancy.mark_rect(&Rect { x: x + t * ex - 4.0, y: y + t * ey - 4.0, w: 8.0, h: 8.0 });
    }
    let angle = dy.atan2(dx).to_degrees();
    let setting = Setting { angle, colour: GUIDE, halo: true, ..plain(TICK_SIZE, Anchor::Middle) };
    svg.text((x, y), setting, &label);
}

/// Labels of ticks and axes, notes, title.
fn labels(svg: &mut Svg, panel: &Panel, plan: &Plan) {
    let frame = &plan.frame;
    let Rect { x, y, w, h } = frame.rect;
    let (right, bottom) = (frame.rect.right(), frame.rect.bottom());
    let row = bottom + TICK_GAP + 0.5 * TICK_ROW - 1.0;
    for (u, label) in &frame.x_ticks.major {
        svg.text((frame.x.pixel_at(*u), row), plain(TICK_SIZE, Anchor::Middle), label);
    }
    for (u, label) in &frame.y_ticks.major {
        svg.text((x - TICK_GAP, frame.y.pixel_at(*u)), plain(TICK_SIZE, Anchor::End), label);
    }
    let row = bottom + TICK_GAP + TICK_ROW + 0.5 * LABEL_ROW;
    let note = &frame.x_ticks.note;
    svg.text((right, row), plain(TICK_SIZE, Anchor::End), note);
    let room = w - 2.0 * text::width(note, TICK_SIZE) - if note.is_empty() { 0.0 } else { 16.0 };
    svg.text((x + 0.5 * w, row), plain(LABEL_SIZE, Anchor::Middle), &text::fit(&panel.x.label, LABEL_SIZE, room));
    let upright = Setting { angle: -90.0, ..plain(LABEL_SIZE, Anchor::Middle) };
    svg.text((x - frame.label_gap, y + 0.5 * h), upright, &text::fit(&panel.y.label, LABEL_SIZE, h + 20.0));
    svg.text((x, y - 4.0 - 0.5 * TICK_ROW), plain(TICK_SIZE, Anchor::Start), &frame.y_ticks.note);
    let title = text::fit(&panel.title, TITLE_SIZE, w + 20.0);
    svg.text((x + 0.5 * w, y - frame.title_gap), plain(TITLE_SIZE, Anchor::Middle), &title);
}

fn legend_box(svg: &mut Svg, panel: &Panel, plan: &Plan, styles: &[Style]) {
    if let Place::Inside(Rect { x, y, w, h }) = plan.legend {
        let corners = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)];
        let outline = corners.map(|(x, y)| Vertex { x, y, gap: false });
        let style = "fill=\"#ffffff\" fill-opacity=\"0.9\" stroke=\"#cccccc\" stroke-width=\"0.7\"";
        svg.path(&(polylines(&outline) + "Z"), style);
    }
    for entry in legend::entries(panel, &plan.frame, plan.legend) {
        let (style, (x, y)) = (&styles[entry.series], entry.at);
        let middle = (x + 0.5 * SAMPLE, y);
        match &panel.series[entry.series].data {
            Data::Band(_) => {
                let area = vec![(x, y - 4.5), (x + SAMPLE, y - 4.5), (x + SAMPLE, y + 4.5), (x, y + 4.5)];
                areas(svg, &Geometry { areas: vec![area], ..Geometry::default() }, style);
            }
            Data::Region(_) => {
                let way = vec![(x, y - 4.5), (x + SAMPLE, y - 4.5), (x + SAMPLE, y + 4.5), (x, y + 4.5)];
                fill(svg, &Geometry { region: vec![way], ..Geometry::default() }, style);
            }
            Data::Bars(_) => {
                let reach = marker_reach() + 3.5;
                let (low, high) = ((middle.0, y + reach), (middle.0, y - reach));
                let caps = [low, high].map(|(x, y)| [(x - 3.0, y), (x + 3.0, y)]).concat();
                stroke(svg, &open(&[&[low, high][..], &caps].concat()), style, false);
            }
            _ if style.line => stroke(svg, &open(&[(x, y), (x + SAMPLE, y)]), style, false),
            _ => {}
        }
        dots(svg, &[middle], style);
        svg.text(entry.text_at(), plain(TICK_SIZE, Anchor::Start), &entry.text);
    }
}
